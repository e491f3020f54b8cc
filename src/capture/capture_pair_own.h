/*
 * capture_pair_own.h - state of matching, for capture_pair.c and capture_pair_fill.c.
 */
#ifndef PACE_CAPTURE_CAPTURE_PAIR_OWN_H
#define PACE_CAPTURE_CAPTURE_PAIR_OWN_H

#include "cap/align.h"
#include "cap/match.h"
#include "capture/capture_pair.h"
#include "core/delay.h"
#include "plat/pcap.h"

#define PACE_CAPTURE_PAIR_PASSES	3

/* A flow that is in both captures. */
struct pace_capture_pair_match {
	const struct pace_cap_flow *at[2];	/* in the sender's table, in the receiver's */
	bool		backwards;
	size_t		most;		/* payload bytes that both captures have */
	struct pace_cap_match match;
	struct pace_delay *delay;
	void		*memory;
	struct pace_hist *gap;
};

struct pace_capture_pair_side {
	const char	*name;
	struct pace_pcap *pass[PACE_CAPTURE_PAIR_PASSES];
	struct pace_cap_table *table;
	enum pace_cap_link link;
	struct pace_cap_sample *sample;
	/* in the passes that match: the next frame of a flow in both captures */
	struct pace_capture_pair *b;
	struct pace_capture_pair_match	*pair;		/* NULL: none yet */
	uint64_t	key;
	struct pace_cap_came came;
	bool		ended;
};

struct pace_capture_pair {
	struct pace_cap_cfg cfg;
	struct pace_capture_pair_side	side[2];
	struct pace_capture_pair_match	pair[PACE_CAPTURE_PAIR_FLOWS];
	size_t		n, left_out;
	struct pace_cap_align align;	/* from the first capture's stamps to the second's */
	const volatile sig_atomic_t *stop;
	struct pace_clockfit fit;
	struct pace_clock_estimate theta, turned;
	struct pace_err	damage;
	char		link[32];
};

#endif
