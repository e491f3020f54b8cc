/*
 * clockfit.h - how another host's clock relates to ours: offset, rate, bound.
 *
 * Purpose    one-way delay between hosts that nobody synchronised.  theta(t)
 *            = their probe clock - ours at our time t.  Every exchange bounds
 *            it from both sides, whatever the queues did:
 *              upper  their arrival - our departure  = theta + delay there,
 *              lower  their departure - our arrival  = theta - delay back.
 * Fit        the straight line with the largest distance to the nearest upper
 *            and the nearest lower point (max margin), half way between them.
 *            Only the lowest upper and highest lower points count, so queues
 *            in one direction do not pull it.  The rate is held within
 *            +-PACE_CLOCKFIT_PPM; where the best one is at that limit the
 *            points hardly tell it, and the rate known before is kept if it
 *            passes between them.
 * Bound      a straight theta lies, at most r off (r: the resolution), between
 *            all uppers and lowers, and has a rate within the limit; of all
 *            such lines L' and the one told, L, the bound is
 *              max |L'(t) - L(t)| over L', and t from the first point to the last
 *            (reached at the first or last point, by the lowest or highest
 *            rate that fits).  With the rate known it would be half the
 *            margin + r; it is more as far as the rate is not.  Points that
 *            contradict L by a margin g < 0 are allowed r + |g|.  Outside the
 *            segment there is no bound.
 * Assumes    for the offset within the bound: equal minimum delays there and
 *            back.  The rate assumes nothing.  The bound assumes a straight
 *            theta; for one that wanders (see below) it is at least the distance
 *            of L from the furthest of the tenths' own bounds + what their
 *            middle moves at most from one to the next: fair, not hard.
 * Segments   when no line passes between the points, the clock was not
 *            linear (a step, a knee): the fewest stretches that each have a
 *            line.  Where one ends is seldom sharp, and a stretch made as long
 *            as possible is bent by what follows; so the margin asked for is
 *            raised to three quarters of the most that as many stretches can
 *            have, and only the points that then belong to a stretch however
 *            it is cut are in its segment.  Between segments no bound is told.
 *            A stretch with less than two points of a kind is left out (a bad
 *            stamp); if all are, or there are too many, the lines are marked
 *            as wandering.
 * Rate       before a run has its line there is only what few exchanges tell of
 *            it: 20 us of noise within 40 ms are 500 ppm.  So what
 *            pace_clockfit_rate gives is drawn to 0, where the clocks of two
 *            hosts nearly are: r p^2 / (p^2 + d^2), p being
 *            PACE_CLOCKFIT_USUAL_PPM and d the doubt of r, 4 s / (n T) of n
 *            points over T that lie s above their hull's line in the mean.
 * Memory     fixed, 64 KiB in the struct, as much on the stack of solve and
 *            rate.  Above PACE_CLOCKFIT_POINTS of a kind neighbours are reduced
 *            to the tighter one of a pair, as the fit so far sees it; no bound
 *            is lost, only sharpness.
 * Units      ns; theta may be anything within +-2^62, it is kept relative to
 *            the first point, and held within 2^62 of it.
 * Trust      v_ns may come off the network: any value is accepted.
 * Threads    none.   Errors  -ENODATA: no line yet.
 * Source     Duda et al. 1987; Moon, Skelly, Towsley, INFOCOM 1999; Geng et
 *            al. (Huygens), NSDI 2018; O'Rourke 1981 for the segments.
 */
#ifndef PACE_CORE_CLOCKFIT_H
#define PACE_CORE_CLOCKFIT_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_CLOCKFIT_POINTS	2048	/* of each kind */
#define PACE_CLOCKFIT_PPM	500
#define PACE_CLOCKFIT_USUAL_PPM	50	/* of two free running hosts */
#define PACE_CLOCK_SEGMENTS	16	/* told; more are joined into the last */

/* theta(t) = offset_ns + (t - t_ns) * rate: exact around t_ns whatever its size. */
struct pace_clock_line {
	int64_t		t_ns;		/* where offset_ns holds, our clock */
	int64_t		offset_ns;	/* whole ns of theta there */
	double		frac_ns;	/* and what is left, 0 <= frac < 1 */
	double		rate;		/* their gain on us; 1e-6 is 1 ppm */
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
	/* if minimum delays are equal: how far the envelope strays from the
	 * line, i.e. the largest of |middle of a tenth of the segment (its lowest
	 * upper, its highest lower) - line|, + the resolution, at most the bound
	 * (which it is when no tenth has points of both kinds); a clock that
	 * wanders shows here too, and so does a queue that never was empty */
	double		uncertainty_ns;
	/* half of what the margin lacks of the distance of the bounds in the tenth
	 * where they are closest is, in a segment, above five times the noise: the
	 * mean over the tenths of half (second lowest - lowest upper + highest -
	 * second highest lower), + the resolution + 1 ns; told from five tenths on.
	 * Queues do not show here */
	bool		wanders;
};

/* theta at our time t; before the first and behind the last segment those
 * are carried on, between two as far as their lines meet, and where they do
 * not the nearer one.  0 when nothing is known. */
int64_t	pace_clock_at(const struct pace_clock_estimate *e, int64_t t_ns);
/* Its rate there; 0 when nothing is known. */
double	pace_clock_rate_at(const struct pace_clock_estimate *e, int64_t t_ns);

struct pace_clockfit_point {
	int64_t		t_ns, v_ns;	/* both relative to the first point of all */
};

struct pace_clockfit_side {
	int		n;
	int		level;		/* a point is the best of 2^level */
	uint64_t	run;		/* points seen of the group being filled; 0: none is */
	int		open;		/* where its best is */
	struct pace_clockfit_point v[PACE_CLOCKFIT_POINTS];
};

struct pace_clockfit {
	uint64_t	uppers, lowers;	/* ever taken */
	int64_t		t0_ns, v0_ns;	/* what all points are relative to */
	double		rate;		/* best known, to compare neighbours; 0 at first */
	double		believed;	/* of it, see Rate; 0 at first */
	struct pace_clockfit_side side[2];	/* uppers, lowers; by time */
};

void	pace_clockfit_reset(struct pace_clockfit *f);

/* At our time t_ns theta is at most, at least, v_ns.  O(1), seldom O(points).
 * Times should rise; a little out of order does no harm.  (Theirs was read a
 * one-way delay later, or earlier, than t_ns: so exact is when theirs stepped.) */
void	pace_clockfit_upper(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns);
void	pace_clockfit_lower(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns);

/* Forget points before our time t_ns (what was known of the rate stays). */
void	pace_clockfit_forget(struct pace_clockfit *f, int64_t t_ns);

/*
 * The best line, or lines, through what there is.  resolution_ns: what the
 * stamps may be wrong by; points may contradict a line by 2 resolution + 100
 * ns before it counts as no line, and each bound is at least that resolution
 * wider than half the margin.  O(points), under 1 ms for one line and some ms
 * for several; for the caller who may not wait there is pace_clockfit_rate.
 */
int	pace_clockfit_solve(const struct pace_clockfit *f, double resolution_ns,
	    struct pace_clock_estimate *e);

/* One line over all points, at most 150 µs: updates f->rate and returns as much
 * of it as can be believed, see Rate (the old ones stay when there are too few
 * points, or they do not tell the rate). */
double	pace_clockfit_rate(struct pace_clockfit *f);

#endif
