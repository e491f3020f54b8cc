/*
 * run_stats.h - a run as a live display shows it: its parameters, and its latest figures.
 *
 * Units      ns.   Memory  none.   Threads  none.
 */
#ifndef PACE_CORE_RUN_STATS_H
#define PACE_CORE_RUN_STATS_H

#include <stdint.h>

/* The current run, or the last one. */
struct pace_run_stats {
	uint64_t	number;		/* from 1; 0: no run yet */
	uint32_t	size_bytes, reply_bytes, wire_bytes;
	uint32_t	down;		/* boolean: the responder sends the frames */
	uint32_t	two_way;	/* boolean: both hosts do; down is then 0 */
	int64_t		spacing_ns;	/* 0: as fast as possible; rounded */
	uint64_t	train, bursts, frames_asked, records;	/* frames_asked 0: by duration */
	int64_t		duration_asked_ns, at_most_ns;
	int64_t		began_ns, ended_ns;	/* ended_ns 0: still running */
	uint32_t	pings, verify, busy_poll, lease_lost;	/* booleans */
	uint32_t	streams;	/* at once, each with this size and spacing */
	uint32_t	stamp;		/* boolean: requests to a STAMP reflector; the frames that
					 * are counted are its replies */
	uint32_t	tcp;		/* connections of TCP, both directions; 0: none.  pings is then
					 * set: exchanges go beside them */
	int64_t		tcp_rtt_ns;	/* round trip of its connections, mean; 0: not known */
	uint64_t	sent;		/* reported by the client at the end */
};

/* Figures since the reader's last request. */
struct pace_recent {
	uint64_t	turn;
	int64_t		gap_min_ns, gap_max_ns;	/* INT64_MAX, INT64_MIN: no gap */
	/* one frame a batch: its delay above the lowest of the run so far */
	uint64_t	samples;
	int64_t		above_min_ns, above_max_ns, above_sum_ns;
};

/* 18 minutes: larger values are reported as this */
#define PACE_ABOVE_MOST		(INT64_C(1) << 40)
#define PACE_RECENT_SUM_MOST	(INT64_C(1) << 53)	/* limit of |above_sum_ns| */

/* Delays of a run above its lowest one so far, one of each batch; the sum stays within
 * PACE_RECENT_SUM_MOST. */
struct pace_delay_sum {
	uint64_t	n;
	int64_t		sum_ns;
};

/* Reset; merge later figures into earlier ones. */
void	pace_recent_none(struct pace_recent *r);
void	pace_recent_add(struct pace_recent *to, const struct pace_recent *r);

#endif
