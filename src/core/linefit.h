/*
 * linefit.h - least squares through a few points.
 *
 * Purpose    round trip against frame size: fixed cost and ns per byte.
 * Formula    slope = Sxy / Sxx, intercept = ybar - slope xbar,
 *            s^2 = sum of squared residuals / (n - 2),
 *            stderr(slope) = s / sqrt(Sxx),
 *            stderr(intercept) = s sqrt(1/n + xbar^2 / Sxx),
 *            R^2 = 1 - SSres / SStot (1 when all y are equal and met).
 *            Sums are kept of distances from the means, and these of
 *            distances from the first point: large offsets do not cancel.
 * Numbers    finite, and so are their squares.
 * Limits     a line needs two different x, its errors and R^2 three points:
 *            has_line and has_errors say what is there, the rest is 0.
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
	size_t	worst_at;	/* index of that point, the first of equals */
	double	worst_x;	/* its x */
};

/* x and y have n each; NULL when n is 0. */
void	pace_linefit(struct pace_linefit *f, const double *x, const double *y, size_t n);

#endif
