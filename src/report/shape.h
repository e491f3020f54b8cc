/*
 * shape.h - a histogram as a figure shows it: equal bins, percentiles, survivors.
 *
 * Purpose    calculate figures of distributions from the log-linear bins of
 *            core/hist.h alone.
 * Equal bins the cumulative count at each edge is interpolated linearly within a source
 *            bin and rounded; the differences are the counts.  They are
 *            whole and add up; a single value stays in one bin, and a wide source bin
 *            is shared evenly.  The first and last source bin end at the minimum
 *            and maximum.
 * Spectrum   value at quantile 1 - 1/x, for x from 1 (the lowest value) in
 *            steps of a 20th of a decade, the last at x = n / 10: fewer than ten
 *            values lie beyond.
 * Survivors  share of values >= v, at the low edge of bins: falls from 1, at each
 *            point to the share of the next (gnuplot's fsteps).
 * Memory     the caller's.   Threads  none.
 */
#ifndef PACE_REPORT_SHAPE_H
#define PACE_REPORT_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "report/bins.h"

#define PACE_SHAPE_BINS		400
struct pace_shape {
	int64_t		low, width;	/* width >= 1 */
	uint32_t	bins;		/* at most PACE_SHAPE_BINS */
	uint64_t	below, above;	/* values outside the bins */
	uint64_t	count[PACE_SHAPE_BINS];
};

/* Fill below, above and count; the caller has set low, width and bins. */
void	pace_shape_bins(const struct pace_bins *h, struct pace_shape *s);

/* Return a width of 1, 2 or 5 times a power of ten for at most `wanted` bins from low to
 * high, not finer than the histogram's bins there. */
int64_t	pace_shape_width(int64_t low, int64_t high, uint32_t wanted);

#define PACE_SPECTRUM_MAX	400
struct pace_spectrum_point {
	double		x;		/* 1 / (1 - quantile) */
	int64_t		value;
};

/* Return the number of points; 0: fewer than 20 values.  v has PACE_SPECTRUM_MAX. */
size_t	pace_spectrum(const struct pace_bins *h, struct pace_spectrum_point *v);

#define PACE_SURVIVORS_MAX	600
struct pace_survivor {
	int64_t		value;
	double		share;		/* share of values >= value */
};

/* Return the number of points, at most PACE_SURVIVORS_MAX; 0: empty.  Only values above 0
 * count. The first point is (min(first, lowest), 1); the next ones are at least 5 % apart,
 * and the highest bin is always included. */
size_t	pace_survivors(const struct pace_bins *h, int64_t first, struct pace_survivor *v);

#endif
