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
	if (n > 0 && (b->v = calloc(n, sizeof(*b->v))) == NULL)
		return -ENOMEM;
	for (int iter = 0; b->n < n && pace_hist_next(h, &iter, &b->v[b->n]); )
		b->n++;
	b->stats = h->stats;
	b->bare = h->bare;
	b->clipped = h->clipped;
	memcpy(b->listed, h->listed, sizeof(b->listed));
	return 0;
}

void
pace_bins_free(struct pace_bins *b)
{
	free(b->v);
	memset(b, 0, sizeof(*b));
}

static double
listed_quantile(const struct pace_bins *b, double q)
{
	for (int i = 0; i < PACE_HIST_LISTED; i++)
		if (fabs(pace_hist_listed[i] - q) < 1e-9)
			return (double)b->listed[i];
	return NAN;
}

double
pace_bins_quantile(const struct pace_bins *b, double q)
{
	const double n = (double)b->stats.n, rank = ceil(q * n * (1 - 0x1p-51));
	double below = 0;

	if (!pace_hist_has_quantile(b->stats.n, q))
		return NAN;
	if (b->bare)
		return listed_quantile(b, q);
	for (size_t i = 0; i < b->n; i++) {
		const struct pace_bin *bin = &b->v[i];
		int64_t middle = bin->low + (bin->high - bin->low) / 2;

		below += (double)bin->count;
		if (below < rank)
			continue;
		if (middle < b->stats.min)
			middle = b->stats.min;
		return (double)(middle > b->stats.max ? b->stats.max : middle);
	}
	return (double)b->stats.max;
}

double
pace_bins_tail(const struct pace_bins *b, double q)
{
	const double v = pace_bins_quantile(b, q);

	return !isnan(v) ? v : q < 0.5 ? pace_bins_min(b) : pace_bins_max(b);
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
