/*
 * bins.h - a histogram as a list: what a figure needs of one, in little memory.
 *
 * Purpose    a report may be of thousands of points with a dozen histograms
 *            each; as an array of all bins one alone takes 68 KiB.
 * Units      of the histogram copied: ns or frames.
 * Empty      n 0, v NULL, stats.n 0.
 * Memory     malloced by copy, released by free; zeroed is empty.
 * Errors     -ENOMEM, the list is then empty.
 */
#ifndef PACE_REPORT_BINS_H
#define PACE_REPORT_BINS_H

#include <stddef.h>

#include "core/hist.h"

struct pace_bins {
	struct pace_stats stats;
	uint64_t	clipped;	/* beyond the last bin, and counted in it */
	size_t		n;
	struct pace_bin	*v;		/* occupied, ascending */
};

int	pace_bins_copy(struct pace_bins *b, const struct pace_hist *h);
/* Idempotent. */
void	pace_bins_free(struct pace_bins *b);

/* As pace_hist_quantile, but NAN where there are too few values to speak of it
 * (pace_hist_has_quantile). */
double	pace_bins_quantile(const struct pace_bins *b, double q);

/* NAN when empty. */
double	pace_bins_min(const struct pace_bins *b);
double	pace_bins_max(const struct pace_bins *b);

#endif
