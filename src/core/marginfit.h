/*
 * marginfit.h - the straight line with the largest margin between two sets of points.
 *
 * Purpose    fit one line below all upper bounds and above all lower bounds; the inner part of
 * clockfit.h.
 * Method     the lowers' values change sign, so that a lower convex hull serves both
 *            kinds.  A hull finds the point with the least v - rate t in O(log n).  The
 *            sum of the two minima is the margin at that rate.  The margin is concave in
 *            the rate, and its slope is the difference of the two points' times: the
 *            best rate is where this difference changes sign.
 * Units      ns, in doubles relative to the fit's own reference point, so that a large
 *            offset or step loses no precision.
 * Points     are added in order of time, forwards or backwards.
 * Memory     64 KiB in the struct, on the caller's stack.   Threads  none.
 * Source     see clockfit.h.
 */
#ifndef PACE_CORE_MARGINFIT_H
#define PACE_CORE_MARGINFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock_point.h"

struct pace_vertex {
	double		t, v;
};

/* Lower convex hull of points in order of time. */
struct pace_hull {
	int		n;
	struct pace_vertex	p[PACE_CLOCKFIT_POINTS];
};

struct pace_marginfit {
	int64_t		t_ns, v_ns;	/* the vertices' reference point */
	int		dir;		/* -1: time runs backwards */
	double		rate;		/* of the current line */
	double		reach[2];	/* distance from it to the nearest point, by kind */
	struct pace_hull	hull[2];	/* of uppers, of lowers x -1 */
};

void	pace_marginfit_begin(struct pace_marginfit *f, int64_t t_ns, int64_t v_ns, int dir);

/* Convert a point of a kind (0: upper, 1: lower) to the hulls' coordinates. */
struct pace_vertex	pace_marginfit_vertex(const struct pace_marginfit *f, int kind,
	    struct pace_clockfit_point p);

/* Convert a line's rate to the coordinates of a kind's hull. */
static inline double
pace_marginfit_turned(int kind, double rate)
{
	return kind == 0 ? rate : -rate;
}

/* Add a point without checking the line. */
void	pace_marginfit_put(struct pace_marginfit *f, int kind, struct pace_clockfit_point p);

/* Add a point; false: no line with that margin is left. */
bool	pace_marginfit_add(struct pace_marginfit *f, int kind, struct pace_clockfit_point p,
	    double least);

/* Find the best line, starting from the known rate.  If the best rate is at its limit,
 * the known rate is kept if a line of that rate passes. */
void	pace_marginfit_best(struct pace_marginfit *f, double known);

/* The bound, see clockfit.h; from and to are relative to the fit's reference time. */
double	pace_marginfit_bound(const struct pace_marginfit *f, double from, double to,
	    double resolution);

#endif
