/*
 * spread.h - a few runs of the same thing: median and extremes.
 *
 * Median     of an even number: the mean of the two in the middle.
 * Memory     none.   Threads  none.
 */
#ifndef PACE_DOC_SPREAD_H
#define PACE_DOC_SPREAD_H

#include <stddef.h>

/* NAN, n 0: nothing is known. */
struct pace_spread {
	double	mid, low, high;
	size_t	n;
};

/* Of n values, those that are not finite left out; v is sorted. */
struct pace_spread	pace_spread_of(double *v, size_t n);

#endif
