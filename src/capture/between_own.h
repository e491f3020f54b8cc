/*
 * between_own.h - how two captures are matched, for between.c and between_fill.c.
 */
#ifndef PACE_BETWEEN_OWN_H
#define PACE_BETWEEN_OWN_H

#include "cap/align.h"
#include "cap/match.h"
#include "capture/between.h"
#include "core/delay.h"
#include "plat/pcap.h"

#define PACE_BETWEEN_PASSES	3

/* A flow that is in both captures. */
struct pace_between_pair {
	const struct pace_cap_flow *at[2];	/* in the sender's table, in the receiver's */
	bool		backwards;
	size_t		most;		/* bytes of payload that both have */
	struct pace_cap_match match;
	struct pace_delay *delay;
	void		*memory;
	struct pace_hist *gap;
};

struct pace_between_side {
	const char	*name;
	struct pace_pcap *pass[PACE_BETWEEN_PASSES];
	struct pace_cap_table *table;
	enum pace_cap_link link;
	struct pace_cap_sample *sample;
	/* of the passes that match: the next frame of a pair */
	struct pace_between *b;
	struct pace_between_pair	*pair;		/* NULL: none yet */
	uint64_t	key;
	struct pace_cap_came came;
	bool		ended;
};

struct pace_between {
	struct pace_cap_cfg cfg;
	struct pace_between_side	side[2];
	struct pace_between_pair	pair[PACE_BETWEEN_FLOWS];
	size_t		n, left_out;
	struct pace_cap_align align;	/* of the first capture's stamps to the second's */
	const volatile sig_atomic_t *stop;
	struct pace_clockfit fit;
	struct pace_clock_estimate theta, turned;
	struct pace_err	damage;
	char		link[32];
};

#endif
