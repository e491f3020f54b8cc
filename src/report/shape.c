#include "report/shape.h"

#include <math.h>

#define STEPS		20	/* points of a spectrum in a decade */
#define BEYOND		10	/* values beyond the end of a spectrum */
#define APART		1.05	/* smallest ratio between survivors */

/* --- equal bins ---------------------------------------------------------------- */

/* Return bin i, limited to the extremes of the values. */
static struct pace_bin
cut(const struct pace_bins *h, size_t i)
{
	struct pace_bin b = h->v[i];

	if (b.low < h->stats.min && h->stats.min < b.high)
		b.low = h->stats.min;
	if (b.high > h->stats.max && h->stats.max >= b.low)
		b.high = h->stats.max + 1;
	return b;
}

void
pace_shape_bins(const struct pace_bins *h, struct pace_shape *s)
{
	uint64_t below = 0, last = 0;	/* values below bin i; below the last edge */
	size_t i = 0;

	for (uint32_t k = 0; k <= s->bins; k++) {
		int64_t edge = s->low + (int64_t)k * s->width;
		uint64_t now;

		while (i < h->n && cut(h, i).high <= edge)
			below += h->v[i++].count;
		now = below;
		if (i < h->n && cut(h, i).low < edge) {
			const struct pace_bin b = cut(h, i);	/* part of bin i is below */

			now += (uint64_t)llround(((double)edge - (double)b.low) /
			    ((double)b.high - (double)b.low) * (double)b.count);
		}
		if (k == 0)
			s->below = now;
		else
			s->count[k - 1] = now - last;
		last = now;
	}
	s->above = h->stats.n - last;
}

int64_t
pace_shape_width(int64_t low, int64_t high, uint32_t wanted)
{
	static const int64_t steps[] = { 1, 2, 5 };
	double top = fmax(fabs((double)low), fabs((double)high));
	double least = fmax(((double)high - (double)low) / wanted, top / (1 << PACE_HIST_BITS));

	for (int64_t ten = 1; ten < PACE_HIST_MAX; ten *= 10)
		for (int i = 0; i < 3; i++)
			if ((double)(steps[i] * ten) >= least)
				return steps[i] * ten;
	return PACE_HIST_MAX;
}

/* --- percentiles ------------------------------------------------------------------ */

/* Position among the bins: ranks increase from call to call. */
struct walk {
	const struct pace_bins *h;
	size_t	i;
	uint64_t upto;			/* values in the bins before i */
};

/* Quantile 1 - 1/x: the midpoint of its bin. */
static int64_t
value_at(struct walk *w, double x)
{
	uint64_t n = w->h->stats.n, beyond = (uint64_t)((double)n / x * (1 + 1e-12));
	uint64_t rank = beyond < n ? n - beyond : 1;
	struct pace_bin b;

	while (w->i + 1 < w->h->n && w->upto + w->h->v[w->i].count < rank)
		w->upto += w->h->v[w->i++].count;
	b = cut(w->h, w->i);
	return b.low + (b.high - 1 - b.low) / 2;
}

size_t
pace_spectrum(const struct pace_bins *h, struct pace_spectrum_point *v)
{
	double end = (double)h->stats.n / BEYOND;
	struct walk w = { .h = h };
	size_t n = 0;

	if (end < 2 || h->n == 0)
		return 0;
	v[n++] = (struct pace_spectrum_point){ 1, h->stats.min };
	for (int k = 1; n < PACE_SPECTRUM_MAX - 1; k++) {
		double x = pow(10, (double)k / STEPS);

		if (x >= end)
			break;
		v[n++] = (struct pace_spectrum_point){ x, value_at(&w, x) };
	}
	v[n++] = (struct pace_spectrum_point){ end, value_at(&w, end) };
	return n;
}

/* --- survivors ---------------------------------------------------------------------- */

size_t
pace_survivors(const struct pace_bins *h, int64_t first, struct pace_survivor *v)
{
	uint64_t below = 0;
	size_t n = 0;

	if (h->stats.n == 0)
		return 0;
	if (first < h->stats.min)
		v[n++] = (struct pace_survivor){ first, 1 };
	for (size_t i = 0; i < h->n; below += h->v[i++].count) {
		struct pace_bin b = cut(h, i);

		if (n > 0 && i + 1 < h->n && (double)b.low < (double)v[n - 1].value * APART)
			continue;
		v[n++] = (struct pace_survivor){ b.low,
		    (double)(h->stats.n - below) / (double)h->stats.n };
	}
	return n;
}
