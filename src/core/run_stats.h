/*
 * run_stats.h - a run as those see it who look on: what it is, and its newest moments.
 *
 * Units      ns.   Memory  none.   Threads  none.
 */
#ifndef PACE_CORE_RUN_STATS_H
#define PACE_CORE_RUN_STATS_H

#include <stdint.h>

/* The run that goes on, or the last one. */
struct pace_run_stats {
	uint64_t	number;		/* from 1; 0: there was none */
	uint32_t	size_bytes, reply_bytes, wire_bytes, pad;
	int64_t		spacing_ns;	/* 0: as fast as possible; rounded */
	uint64_t	train, bursts, frames_asked, records;	/* asked 0: by time */
	int64_t		duration_asked_ns, at_most_ns;
	int64_t		began_ns, ended_ns;	/* ended 0: not yet */
	uint32_t	pings, verify, busy_poll, lease_lost;	/* booleans */
	uint64_t	sent;		/* as the client says in the end */
};

/* Of the newest moments: of what came since the reader last asked. */
struct pace_recent {
	uint64_t	turn;
	int64_t		gap_min_ns, gap_max_ns;	/* INT64_MAX, INT64_MIN: there was none */
	/* one frame a batch: its delay above the lowest of the run so far */
	uint64_t	samples;
	int64_t		above_min_ns, above_max_ns, above_sum_ns;
};

#define PACE_ABOVE_MOST		(INT64_C(1) << 40)	/* 18 minutes: further off it is said to be that */
#define PACE_RECENT_SUM_MOST	(INT64_C(1) << 53)	/* of above_sum_ns, either way */

/* Nothing yet; what came since, merged into what came before. */
void	pace_recent_none(struct pace_recent *r);
void	pace_recent_add(struct pace_recent *to, const struct pace_recent *r);

#endif
