/*
 * bins.h - a histogram as a compact list of its occupied bins, for figures.
 *
 * Purpose    save memory: a report may have thousands of points with a dozen
 *            histograms each, and a single array of all bins takes 68 KiB.
 * Units      of the copied histogram: ns or frames.
 * Empty      n 0, v NULL, stats.n 0.
 * Memory     allocated by copy, released by free; a zeroed struct is empty.
 * Errors     -ENOMEM; the list is then empty.
 */
#ifndef PACE_REPORT_BINS_H
#define PACE_REPORT_BINS_H

#include <stddef.h>

#include "core/hist.h"

struct pace_bins {
	struct pace_stats stats;
	bool		bare;		/* only the quantiles in listed are known; n is 0 */
	int64_t		listed[PACE_HIST_LISTED];
	uint64_t	clipped;	/* values beyond the last bin, counted in the last bin */
	size_t		n;
	struct pace_bin	*v;		/* occupied, ascending */
};

int	pace_bins_copy(struct pace_bins *b, const struct pace_hist *h);
/* Release the list; may be called again. */
void	pace_bins_free(struct pace_bins *b);

/* Return the quantile as pace_hist_quantile does; NAN if there are too few values for it
 * (pace_hist_has_quantile). */
double	pace_bins_quantile(const struct pace_bins *b, double q);

/* Return the quantile; if there are too few values for it, the minimum or maximum. */
double	pace_bins_tail(const struct pace_bins *b, double q);

/* Return the minimum or maximum; NAN: empty. */
double	pace_bins_min(const struct pace_bins *b);
double	pace_bins_max(const struct pace_bins *b);

#endif
