/*
 * marginfit.h - the straight line between two clouds of points that is furthest
 * from both.
 *
 * Purpose    the inside of clockfit.h: uppers above, lowers below, one line.
 * Method     lowers are turned into uppers by changing the sign of their values, so
 *            that one lower convex hull serves both kinds.  A hull answers "the least
 *            v - rate t" in O(log n); the sum of both answers is the margin at that
 *            rate, concave in it, and its slope is the difference of the times of the
 *            two points that answered: the best rate is where that changes sign.
 * Units      ns, in doubles relative to a point of the fit's own, so that neither a
 *            large offset nor a large step costs precision.
 * Points     come in order of time, forwards or backwards.
 * Memory     64 KiB in the struct; on the stack of who fits.   Threads  none.
 * Source     see clockfit.h.
 */
#ifndef PACE_CORE_MARGINFIT_H
#define PACE_CORE_MARGINFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clockfit.h"

struct pace_vertex {
	double		t, v;
};

/* Lower convex hull of points that come in order of time. */
struct pace_hull {
	int		n;
	struct pace_vertex	p[PACE_CLOCKFIT_POINTS];
};

struct pace_marginfit {
	int64_t		t_ns, v_ns;	/* what the vertices are relative to */
	int		dir;		/* -1: time runs backwards */
	double		rate;		/* of a line, */
	double		reach[2];	/* and how far the points of a kind are from it */
	struct pace_hull	hull[2];	/* of uppers, of lowers x -1 */
};

void	pace_marginfit_begin(struct pace_marginfit *f, int64_t t_ns, int64_t v_ns, int dir);

/* A point of a kind (0: upper, 1: lower) as the hulls have it. */
struct pace_vertex	pace_marginfit_vertex(const struct pace_marginfit *f, int kind,
	    struct pace_clockfit_point p);

/* What a line of that rate is for the points of a kind. */
static inline double
pace_marginfit_turned(int kind, double rate)
{
	return kind == 0 ? rate : -rate;
}

/* Add a point without a look at the line. */
void	pace_marginfit_put(struct pace_marginfit *f, int kind, struct pace_clockfit_point p);

/* Add a point and tell whether there still is a line with that margin. */
bool	pace_marginfit_add(struct pace_marginfit *f, int kind, struct pace_clockfit_point p,
	    double least);

/* The best line, sought from the rate that is known; where the best is at the limit
 * of rates that is kept if it passes. */
void	pace_marginfit_best(struct pace_marginfit *f, double known);

/* See Bound in clockfit.h; from and to relative to the fit's own time. */
double	pace_marginfit_bound(const struct pace_marginfit *f, double from, double to,
	    double resolution);

#endif
