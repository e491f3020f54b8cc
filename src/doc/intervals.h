/*
 * intervals.h - the parts of a run, one after the other in time.
 *
 * Purpose    loss, rate, gaps and delays over the time of a run.
 * Key        an interval is a range of frame numbers, so that the frames sent, received
 *            and lost of an interval are the same frames.
 * Spacing    above 0: the frames that are due in the interval by their numbers
 *            (pace_params_slot_ns).  Both ends calculate the same ranges.  If frames were
 *            refused or the schedule moved, the frames left later than that:
 *            departure_ns.
 * Spacing 0: there is no schedule.  The receiver divides the numbers by the departure
 *            times in the frames, counted from the first frame that arrived.  Frames lost
 *            across a border are divided in proportion to the time; frames lost after the last
 *            arrival are in the last interval.
 * Length     the requested one, or the smallest multiple with which the run has at most
 *            PACE_INTERVALS_MAX intervals.  If the length of the run is not known
 *            (spacing 0, a number of frames), neighbours are merged when the room is
 *            used, and the length doubles.
 * Streams    each of several streams has its share of PACE_INTERVALS_MAX.  Their intervals are
 *            summed into those of the point, on the longest length of any stream.
 * Units      ns, frames.
 * Socket     the drop count of the socket is read with the frame behind a drop, which may be in
 *            a later interval.  The bound of an interval therefore has the drops up to that
 *            frame; after reordering, all drops of the run.
 * Memory     208 bytes an interval, allocated by pace_intervals_new.
 * Threads    none.
 */
#ifndef PACE_DOC_INTERVALS_H
#define PACE_DOC_INTERVALS_H

#include "doc/result.h"

#define PACE_INTERVALS_MAX	4096
#define PACE_NO_FIGURE		INT64_MIN

/* A distribution; PACE_NO_FIGURE: too few values, or not known any more after a merge. */
struct pace_figures {
	uint64_t	n;
	int64_t		min, p50, p99, max;
};

struct pace_interval {
	int64_t		from_ns, to_ns;	/* on the schedule, from the first frame; at spacing 0
					 * from_ns is the receiver's */
	uint64_t	sent, lost;	/* lost = sent - received */
	uint64_t	socket_lost, socket_lost_max;	/* of lost: attributed to the receiver's
							 * socket; at most */
	struct {			/* of the sender */
		uint64_t	refused, late_frames;	/* UINT64_MAX: not known, at spacing 0 */
		int64_t		departure_ns;	/* of its first frame, since that of the run;
						 * PACE_NO_FIGURE: none was sent */
	} tx;
	struct {			/* of the receiver */
		uint64_t	first;		/* its first number */
		uint64_t	received, reordered, duplicates;
		uint64_t	socket_drops;	/* datagrams */
		uint64_t	unbinned;	/* came too late for p50 and p99 */
		double		user_rate_bps;	/* 0: not known */
		struct pace_figures gap, pdv;
	} rx;
};

struct pace_intervals {
	int64_t		length_ns;
	uint32_t	n, room;
	struct pace_interval v[];
};

/* Make empty intervals for a run; NULL: none are requested (a->interval_ns), or no memory. */
struct pace_intervals	*pace_intervals_new(const struct pace_params *a);
/* With room for n. */
struct pace_intervals	*pace_intervals_of(uint32_t n);
void	pace_intervals_none(struct pace_intervals *v, uint32_t i);

/* Do both ends calculate the ranges? */
bool	pace_intervals_scheduled(const struct pace_params *a);

/* With a schedule: the interval of a frame, and the first number that is due at or after the
 * begin of interval i. */
uint32_t	pace_intervals_at(const struct pace_intervals *v, const struct pace_params *a,
		    uint64_t seq);
uint64_t	pace_intervals_first(const struct pace_intervals *v, const struct pace_params *a,
		    uint32_t i);

/* Calculate times, sent and lost, when both parts are there; duration_ns: first to last departure.
 * False: the receiver's part contradicts what was sent. */
bool	pace_intervals_close(struct pace_intervals *v, const struct pace_params *a, uint64_t sent,
	    int64_t duration_ns);

/* Replace the intervals of p by the sum of those of its streams, and free these; a stream without
 * intervals: p has none. */
void	pace_intervals_sum(struct pace_point *p);
/* Attribute the lost frames of each interval to the receiver's socket, or to what is before it, when
 * the point's ledger is closed: the sum is that of the ledger. */
void	pace_intervals_locate(struct pace_point *p);

/* Return the identity that the intervals of a point violate; NULL: none. */
const char	*pace_intervals_broken(const struct pace_point *p);

/* Merge two neighbours. */
void	pace_figures_merge(struct pace_figures *to, const struct pace_figures *f);

#endif
