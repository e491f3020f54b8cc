/*
 * shape.h - a histogram as a picture shows it: equal bins, percentiles,
 * survivors.
 *
 * Purpose    what figures of distributions draw, from the log-linear bins of
 *            core/hist.h and nothing else.
 * Equal bins the cumulative count at every edge, linear within a bin of the
 *            source and rounded to whole values; differences of these are
 *            the counts.  So they are whole and add up, one value goes to one
 *            bin, and a wide bin of the source is shared out evenly.  The
 *            first and last bin of the source end at the extremes.
 * Spectrum   value at quantile 1 - 1/x for x from 1 (the lowest value) in
 *            steps of a 20th of a decade, and last at x = n / 10: beyond are
 *            fewer than ten values.
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
	uint64_t	below, above;	/* values that no bin has */
	uint64_t	count[PACE_SHAPE_BINS];
};

/* low, width and bins are the caller's. */
void	pace_shape_bins(const struct pace_bins *h, struct pace_shape *s);

/* A width of 1, 2 or 5 times a power of ten for at most wanted bins from low
 * to high, and not finer than what the histogram tells there. */
int64_t	pace_shape_width(int64_t low, int64_t high, uint32_t wanted);

#define PACE_SPECTRUM_MAX	400
struct pace_spectrum_point {
	double		x;		/* 1 / (1 - quantile) */
	int64_t		value;
};

/* How many points; 0 of fewer than 20 values.  v has PACE_SPECTRUM_MAX. */
size_t	pace_spectrum(const struct pace_bins *h, struct pace_spectrum_point *v);

#define PACE_SURVIVORS_MAX	600
struct pace_survivor {
	int64_t		value;
	double		share;		/* of values at or above it */
};

/* Of values above 0.  At most PACE_SURVIVORS_MAX points, the first (min(first, lowest),
 * 1), from one to the next at least 5 %, the highest bin with them; 0: empty. */
size_t	pace_survivors(const struct pace_bins *h, int64_t first, struct pace_survivor *v);

#endif
