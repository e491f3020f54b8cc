#include "config.h"

#include "report/bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int
pace_bins_copy(struct pace_bins *b, const struct pace_hist *h)
{
	struct pace_bin bin;
	size_t n = 0;

	memset(b, 0, sizeof(*b));
	for (int iter = 0; pace_hist_next(h, &iter, &bin); )
		n++;
	if (n == 0)
		return 0;
	b->v = calloc(n, sizeof(*b->v));
	if (b->v == NULL)
		return -ENOMEM;
	for (int iter = 0; pace_hist_next(h, &iter, &b->v[b->n]); ) {
		if (++b->n == n)
			break;		/* there is no room for a bin that is not there */
	}
	b->stats = h->stats;
	b->clipped = h->clipped;
	return 0;
}

void
pace_bins_free(struct pace_bins *b)
{
	free(b->v);
	memset(b, 0, sizeof(*b));
}

/* In the middle of its bin, as in a histogram. */
static int64_t
middle(const struct pace_bins *b, const struct pace_bin *bin)
{
	int64_t v = bin->low + (bin->high - bin->low) / 2;

	if (v < b->stats.min)
		return b->stats.min;
	return v > b->stats.max ? b->stats.max : v;
}

double
pace_bins_quantile(const struct pace_bins *b, double q)
{
	const double n = (double)b->stats.n, rank = ceil(q * n * (1 - 0x1p-51));
	double below = 0;

	if (b->n == 0 || !pace_hist_has_quantile(b->stats.n, q))
		return NAN;
	for (size_t i = 0; i < b->n; i++) {
		below += (double)b->v[i].count;
		if (below >= rank)
			return (double)middle(b, &b->v[i]);
	}
	return (double)b->stats.max;
}

double
pace_bins_min(const struct pace_bins *b)
{
	return b->stats.n > 0 ? (double)b->stats.min : NAN;
}

double
pace_bins_max(const struct pace_bins *b)
{
	return b->stats.n > 0 ? (double)b->stats.max : NAN;
}
