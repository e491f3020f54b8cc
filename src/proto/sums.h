/*
 * sums.h - what a host counts on the way of a frame from the wire to a socket, for reports.
 *
 * Purpose    a board between the thread that reads the host's counters and the sessions
 *            that tell of them: these have no time to read.
 * Wanted     for PACE_SUMS_WANT_NS after somebody asked; else nobody reads.
 * Counts     of the whole host since its start, as in live/glance.h.
 * Units      frames; ns of the probe clock.
 * Threads    one posts, any number copy; nobody waits.
 */
#ifndef PACE_SUMS_H
#define PACE_SUMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/counters.h"

#define PACE_SUMS_NS		INT64_C(950000000)	/* from one reading to the next */
#define PACE_SUMS_WANT_NS	INT64_C(65000000000)

enum pace_sum { PACE_SUM_NIC, PACE_SUM_NIC_LOST, PACE_SUM_BACKLOG_LOST, PACE_SUM_SQUEEZED,
	PACE_SUM_IP_LOST, PACE_SUM_UDP, PACE_SUM_NO_PORT, PACE_SUM_BUFFER_FULL, PACE_SUM_CHECKSUM,
	PACE_SUM_IP, PACE_SUM_UNDELIVERED,	/* reached IP, and nobody above it */
	PACE_SUMS_REPORTED,
	PACE_SUM_SOFTNET = PACE_SUMS_REPORTED, PACE_SUM_IP_DELIVERED,	/* of no report */
	PACE_SUMS };

struct pace_sums {
	int64_t		at_ns;		/* 0: nothing was read */
	uint64_t	has;		/* bit n: n[n] is counted */
	uint64_t	n[PACE_SUMS];
};

#define PACE_SUMS_WORDS	(sizeof(struct pace_sums) / 8)

struct pace_sums_board {		/* as new: zeroed */
	_Atomic int64_t	wanted_ns;	/* until then */
	_Atomic uint64_t edition;	/* odd: being written */
	_Atomic uint64_t word[PACE_SUMS_WORDS];
};

static inline bool
pace_sums_has(const struct pace_sums *s, enum pace_sum i)
{
	return (s->has >> i & 1) != 0;
}

/* What a name in JSON is: "nic_received". */
const char	*pace_sum_name(enum pace_sum s);

void	pace_sums_of(struct pace_sums *s, const struct pace_counters *c);

/* What now has more than then; of what both have. */
void	pace_sums_since(struct pace_sums *now, const struct pace_sums *then);

void	pace_sums_want(struct pace_sums_board *b, int64_t now_ns);
bool	pace_sums_wanted(struct pace_sums_board *b, int64_t now_ns);
void	pace_sums_post(struct pace_sums_board *b, const struct pace_sums *s);
/* False: there is nothing, or no whole copy to be had. */
bool	pace_sums_read(struct pace_sums_board *b, struct pace_sums *s);

#endif
