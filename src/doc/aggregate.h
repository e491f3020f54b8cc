/*
 * aggregate.h - the results of several streams as one result, and how the streams differ.
 *
 * Counts     sums; histograms are merged.  Gaps remain those between frames of one stream.
 * Duration   from the first frame of any stream to the last one of any.  The scheduled times
 *            of the first frames place the streams; without them it is the longest duration.
 * Rates      frames 2 to n of all streams together over that duration.
 * Host       a figure of a host or thread that the streams share (steal_ns, preempted, stalls,
 *            clock_steps, bad_checksums) is the largest of any stream.  The counters of the
 *            hosts belong to the point; if it has none, those of the first stream with
 *            counters move to it.
 * Ledger     of the sums and the hosts' counters: a host's drop is counted once, not once for
 *            each stream.
 * Intervals  of the streams are summed (intervals.h).
 * Worst      verdict, stamp, jitter, and the clock with the largest error.
 * Per stream buffers and window: the streams' value if they agree, else 0, not known.
 * Absent     absolute delays if a stream has only relative ones; captures; all of rx if a
 *            stream has none, or if the sums are impossible.
 * Notes      the point's own, then those of the streams, with the number of streams.
 * Memory     none.   Threads  any.
 * Source     R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness, DEC-TR-301, 1984.
 */
#ifndef PACE_DOC_AGGREGATE_H
#define PACE_DOC_AGGREGATE_H

#include "doc/result.h"

/* Replace the results of p by the aggregate of its streams, which were measured, not read:
 * their histograms have bins.  Without streams p does not change. */
void	pace_point_aggregate(struct pace_point *p);

/* How the streams of a point differ. */
struct pace_fairness {
	uint32_t	streams;
	uint32_t	best, worst;	/* numbers of the streams with the highest and the lowest
					 * rate received; the first one of several */
	uint32_t	most_lost;	/* the stream with the highest loss ratio */
	/* Jain's index of the rates received, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n
	 * if one stream has everything; NAN: nothing was received */
	double		jain;
};

/* false: p has no streams, or the receiver's part of a stream is missing. */
bool	pace_point_fairness(const struct pace_point *p, struct pace_fairness *f);

#endif
