/*
 * spread.h - median and extremes of a few runs of one point.
 *
 * Median     for an even number of runs: the mean of the two in the middle.
 * Memory     none.   Threads  none.
 */
#ifndef PACE_DOC_SPREAD_H
#define PACE_DOC_SPREAD_H

#include <stddef.h>

/* NAN, n 0: not known. */
struct pace_spread {
	double	mid, low, high;
	size_t	n;
};

/* Return the spread of n values without those that are not finite; sorts v. */
struct pace_spread	pace_spread_of(double *v, size_t n);

#endif
