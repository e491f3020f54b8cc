/*
 * linefit.h - least squares through a few points.
 *
 * Purpose    round trip against frame size: fixed cost and ns per byte.
 * Formula    slope = Sxy / Sxx, intercept = ybar - slope xbar,
 *            s^2 = sum of squared residuals / (n - 2),
 *            stderr(slope) = s / sqrt(Sxx),
 *            stderr(intercept) = s sqrt(1/n + xbar^2 / Sxx),
 *            R^2 = 1 - SSres / SStot (1 if all y are equal and the line fits).
 *            Sums are of distances from the means, and the means are of
 *            distances from the first point: large offsets lose no precision.
 * Numbers    must be finite, and so must their squares.
 * Limits     a line needs two different x; errors and R^2 need three points.
 *            has_line and has_errors say which figures exist; the others are 0.
 * Memory     the caller's arrays.   Threads  none.
 * Source     textbook; tested on NIST's Norris data.
 */
#ifndef PACE_CORE_LINEFIT_H
#define PACE_CORE_LINEFIT_H

#include <stdbool.h>
#include <stddef.h>

struct pace_linefit {
	size_t	n;
	bool	has_line, has_errors;
	double	slope, intercept;
	double	slope_stderr, intercept_stderr;
	double	r2;
	double	worst;		/* residual furthest from 0, with its sign */
	double	worst_x;	/* x of that point, the first of equals */
};

/* x and y have n values each; both are NULL if n is 0. */
void	pace_linefit(struct pace_linefit *f, const double *x, const double *y, size_t n);

#endif
