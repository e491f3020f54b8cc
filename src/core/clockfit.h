/*
 * clockfit.h - estimate another host's clock: offset, rate and error bound.
 *
 * Purpose    measure one-way delay between hosts whose clocks are not synchronised.
 *            theta(t) = their probe clock - our probe clock, at our time t.
 *            Each exchange bounds theta from both sides, with any queues:
 *              upper  their arrival - our departure  = theta + forward delay,
 *              lower  their departure - our arrival  = theta - return delay.
 * Fit        the straight line with the largest distance to the nearest upper
 *            and the nearest lower point (max margin), half way between them.
 *            Only the lowest uppers and the highest lowers matter, so queues
 *            in one direction do not shift the line.  The rate stays within
 *            +-PACE_CLOCKFIT_PPM.  If the best rate is at that limit, the
 *            points hardly determine it; the fit then keeps the previous rate
 *            if a line of that rate passes between the points.
 * Bound      the true theta is taken to be a straight line that lies between
 *            all uppers and lowers, at most r off (r: the resolution), with a
 *            rate within the limit.  L is the fitted line, L' any such line:
 *              bound = max |L'(t) - L(t)| over L' and over t in the segment.
 *            The maximum is at the first or last point, with the lowest or
 *            highest rate that fits.  If the rate were known, the bound would
 *            be half the margin + r; an unknown rate adds to it.  If points
 *            contradict L by a margin g < 0, r + |g| replaces r.  Outside the
 *            segment there is no bound.
 * Assumes    the offset is within the bound if the minimum delays are equal
 *            in both directions.  The rate needs no assumption.  The bound
 *            assumes a straight theta.  If theta wanders (see below), the bound
 *            is at least the distance from L to the furthest of the tenths' own
 *            bounds, plus the largest move of the middle from one tenth to the
 *            next: a fair figure, not a hard limit.
 * Skew bound for any L' of the Bound, with rates r, r' of L, L', and a segment from t0 to t1:
 *              (r' - r) (t1 - t0) = (L'(t1) - L(t1)) - (L'(t0) - L(t0)),
 *            each difference at most the bound, therefore
 *              |r' - r| <= 2 bound / (t1 - t0).
 *            Both rates are within the limit, so |r' - r| is also at most the limit + |r|,
 *            which is all that is known of a segment without length.  Unequal delays do not
 *            matter: two lines reach it in a channel of constant width.  If theta wanders,
 *            it is as fair a figure as the bound, for the mean rate of the segment.
 * Segments   if no line passes between the points, the clock was not linear
 *            (a step, a knee).  The fit then uses the fewest segments that
 *            each have a line.  The end of a segment is seldom sharp, and the
 *            longest possible segment is bent by the points that follow it.
 *            The fit therefore requires three quarters of the largest margin
 *            that this number of segments allows, and puts a point into a
 *            segment only if every such division puts it there.  Between
 *            segments there is no bound.  A segment with fewer than two points
 *            of a kind is dropped (a bad stamp).  If all are dropped, or there
 *            are too many, the lines are marked as wandering.
 * Rate       before the run has its line, few exchanges give only a rough rate:
 *            20 us of noise within 40 ms are 500 ppm.  pace_clockfit_rate
 *            therefore shrinks its estimate towards 0, near which the rates of
 *            two hosts lie: r p^2 / (p^2 + d^2), where p is
 *            PACE_CLOCKFIT_USUAL_PPM and d is the error of r, 4 s / (n T), for n
 *            points over T that lie s above their hull's line on average.
 * Memory     fixed: 64 KiB in the struct, the same on the stack of solve and
 *            rate.  Above PACE_CLOCKFIT_POINTS of a kind, the tighter point of
 *            each neighbouring pair is kept, judged by the fit so far.  The
 *            bound stays valid and becomes less sharp.
 * Units      ns.  theta may be any value within +-2^62; it is stored relative
 *            to the first point and stays within 2^62 of it.
 * Trust      v_ns may come off the network: any value is accepted.
 * Threads    none.   Errors  -ENODATA: no line yet.
 * Source     Duda et al. 1987; Moon, Skelly, Towsley, INFOCOM 1999; Geng et
 *            al. (Huygens), NSDI 2018; O'Rourke 1981 for the segments.
 */
#ifndef PACE_CORE_CLOCKFIT_H
#define PACE_CORE_CLOCKFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock_point.h"

#define PACE_CLOCKFIT_USUAL_PPM	50	/* usual rate between two free-running hosts */
#define PACE_CLOCK_SEGMENTS	16	/* reported; the last one includes any more */

/* theta(t) = offset_ns + (t - t_ns) * rate: exact around t_ns whatever its size. */
struct pace_clock_line {
	int64_t		t_ns;		/* where offset_ns holds, our clock */
	int64_t		offset_ns;	/* whole ns of theta there */
	double		frac_ns;	/* the rest of theta there, 0 <= frac < 1 */
	double		rate;		/* skew: their rate - ours; 1e-6 is 1 ppm */
};

/* theta at our time t, rounded to ns. */
int64_t	pace_clock_line_at(const struct pace_clock_line *l, int64_t t_ns);

struct pace_clock_segment {
	int64_t		from_ns, to_ns;	/* our clock: first and last point */
	struct pace_clock_line line;
	double		bound_ns;	/* |error of theta| from..to is below */
};

struct pace_clock_estimate {
	int		segments;	/* 1: linear; 0: nothing known */
	struct pace_clock_segment v[PACE_CLOCK_SEGMENTS];
	uint64_t	uppers, lowers;	/* points taken */
	double		bound_ns;	/* the widest of the segments' */
	/* The error if minimum delays are equal: the largest distance of a
	 * tenth's middle from the line, + the resolution, at most the bound.  A
	 * tenth of the segment has its middle between its lowest upper and its
	 * highest lower; without a tenth that has both, this is the bound.  A clock
	 * that wanders increases it, and so does a queue that was never empty. */
	double		uncertainty_ns;
	/* In a segment, d > five times the noise n.  d: half the difference of
	 * the smallest distance between upper and lower in a tenth and the margin.
	 * n: half the mean over the tenths of (second lowest - lowest upper +
	 * highest - second highest lower), + the resolution + 1 ns.  Needs five
	 * tenths.  Queues do not affect it. */
	bool		wanders;
};

/* theta at our time t.  Before the first segment its line is extended, after the
 * last one that segment's.  Between two segments the line changes where both meet,
 * or else half way.  0 when nothing is known. */
int64_t	pace_clock_at(const struct pace_clock_estimate *e, int64_t t_ns);
/* The rate of theta at our time t; 0 when nothing is known. */
double	pace_clock_rate_at(const struct pace_clock_estimate *e, int64_t t_ns);
/* The largest error of that rate in its segment, see Skew bound; INFINITY when nothing is
 * known. */
double	pace_clock_rate_bound_at(const struct pace_clock_estimate *e, int64_t t_ns);

struct pace_clockfit_side {
	int		n;
	int		level;		/* a point is the best of 2^level */
	uint64_t	run;		/* points so far in the group being filled; 0: no group */
	int		open;		/* index of the group's best point */
	struct pace_clockfit_point v[PACE_CLOCKFIT_POINTS];
};

struct pace_clockfit {
	uint64_t	uppers, lowers;	/* ever taken */
	int64_t		t0_ns, v0_ns;	/* what all points are relative to */
	double		rate;		/* best known, to compare neighbours; 0 at first */
	double		believed;	/* the rate after shrinking, see Rate; 0 at first */
	struct pace_clockfit_side side[2];	/* uppers, lowers; by time */
};

void	pace_clockfit_reset(struct pace_clockfit *f);

/* Add a bound: at our time t_ns theta is at most (upper) or at least (lower) v_ns.
 * O(1), seldom O(points).  Times should increase; slight disorder does no harm.
 * Their clock was read one one-way delay after t_ns, or before it, so the time of
 * a step of theirs is known with that error. */
void	pace_clockfit_upper(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns);
void	pace_clockfit_lower(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns);

/* Forget points before our time t_ns, but keep the known rate. */
void	pace_clockfit_forget(struct pace_clockfit *f, int64_t t_ns);

/*
 * Fit one line, or several segments, to all points.  resolution_ns: the largest
 * error of a stamp.  A line is accepted if points contradict it by no more than
 * 2 resolution + 100 ns; each bound exceeds half the margin by the resolution or
 * more.  O(points): under 1 ms for one line, some ms for several.  A caller that
 * cannot wait uses pace_clockfit_rate.
 */
int	pace_clockfit_solve(const struct pace_clockfit *f, double resolution_ns,
	    struct pace_clock_estimate *e);

/* Fit one line to all points in at most 150 µs, update f->rate, and return the
 * shrunk rate, see Rate.  Too few points, or points that do not determine a rate,
 * leave both unchanged. */
double	pace_clockfit_rate(struct pace_clockfit *f);

#endif
