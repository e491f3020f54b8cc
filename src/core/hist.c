#include "core/hist.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/sparse.h"

#define SUB	(1 << PACE_HIST_BITS)	/* bins an octave */

/* Index of a magnitude not above PACE_HIST_MAX. */
static inline unsigned
bin_of(uint64_t v)
{
	unsigned shift;

	if (v < SUB)
		return (unsigned)v;
	shift = 63 - (unsigned)__builtin_clzll(v) - PACE_HIST_BITS;
	return ((shift + 1) << PACE_HIST_BITS) +
	    (unsigned)((v >> shift) & (SUB - 1));
}

static int64_t
bin_low(unsigned i)
{
	unsigned octave = i >> PACE_HIST_BITS, sub = i & (SUB - 1);

	if (octave == 0)
		return sub;
	return (int64_t)(SUB | sub) << (octave - 1);
}

static int64_t
bin_middle(const struct pace_bin *bin)
{
	return bin->low + (bin->high - bin->low) / 2;
}

void
pace_hist_reset(struct pace_hist *h)
{
	pace_sparse_zero(h, sizeof(*h));
}

void
pace_hist_add(struct pace_hist *h, int64_t v)
{
	pace_hist_add_n(h, v, 1);
}

void
pace_hist_add_n(struct pace_hist *h, int64_t v, uint64_t n)
{
	uint64_t magnitude = v < 0 ? ~(uint64_t)v : (uint64_t)v;

	pace_stats_add_n(&h->stats, v, n);
	if (magnitude > PACE_HIST_MAX) {
		magnitude = PACE_HIST_MAX;
		h->clipped += n;
	}
	(v < 0 ? h->neg : h->pos)[bin_of(magnitude)] += n;
}

void
pace_hist_merge(struct pace_hist *to, const struct pace_hist *from)
{
	pace_stats_merge(&to->stats, &from->stats);
	to->clipped += from->clipped;
	/* an addition of 0 would make a page resident (sparse.h) */
	for (int i = 0; i < PACE_HIST_BINS; i++) {
		if (from->pos[i] > 0)
			to->pos[i] += from->pos[i];
		if (from->neg[i] > 0)
			to->neg[i] += from->neg[i];
	}
}

/* a + b, or the end of the range. */
static int64_t
moved(int64_t a, int64_t b)
{
	if (b > 0 && a > INT64_MAX - b)
		return INT64_MAX;
	if (b < 0 && a < INT64_MIN - b)
		return INT64_MIN;
	return a + b;
}

/* The values of a bin, each as its middle by further; s: the moved stats, left:
 * values that are not put yet.  The lowest and the highest one are known, and
 * must lie in the outermost bins. */
static void
add_moved_bin(struct pace_hist *to, const struct pace_bin *bin, int64_t by,
    const struct pace_stats *s, uint64_t *left)
{
	int64_t v = moved(bin_middle(bin), by);
	uint64_t n = bin->count;

	v = v < s->min ? s->min : v > s->max ? s->max : v;
	if (*left == s->n) {
		pace_hist_add(to, s->min);
		n--;
		--*left;
	}
	*left -= n;
	if (*left == 0 && n > 0) {
		pace_hist_add(to, s->max);
		n--;
	}
	pace_hist_add_n(to, v, n);
}

void
pace_hist_add_shifted(struct pace_hist *to, const struct pace_hist *from, int64_t by)
{
	struct pace_stats all = to->stats, s = from->stats;
	uint64_t clipped = to->clipped, left = s.n;
	struct pace_bin bin;
	int iter = 0;

	if (by == 0) {
		pace_hist_merge(to, from);
		return;
	}
	s.min = moved(s.min, by);
	s.max = moved(s.max, by);
	s.first = moved(s.first, by);
	pace_stats_merge(&all, &s);
	while (pace_hist_next(from, &iter, &bin))
		add_moved_bin(to, &bin, by, &s, &left);
	to->stats = all;		/* not those of the middles */
	/* Values clipped in from count as clipped here too, but not twice. */
	if (to->clipped - clipped < from->clipped)
		to->clipped = clipped + from->clipped;
}

bool
pace_hist_next(const struct pace_hist *h, int *iter, struct pace_bin *bin)
{
	int at = *iter;		/* from the lowest value up; below 0 a bin is the mirror of -v - 1 */
	bool below;
	unsigned i;

	while (at < PACE_HIST_BINS && h->neg[PACE_HIST_BINS - 1 - at] == 0)
		at++;
	below = at < PACE_HIST_BINS;
	while (!below && at < 2 * PACE_HIST_BINS && h->pos[at - PACE_HIST_BINS] == 0)
		at++;
	*iter = at + 1;
	if (at >= 2 * PACE_HIST_BINS)
		return false;
	i = (unsigned)(below ? PACE_HIST_BINS - 1 - at : at - PACE_HIST_BINS);
	bin->count = below ? h->neg[i] : h->pos[i];
	bin->low = below ? -bin_low(i + 1) : bin_low(i);
	bin->high = below ? -bin_low(i) : bin_low(i + 1);
	return true;
}

int
pace_hist_put(struct pace_hist *h, const struct pace_bin *bin)
{
	bool below = bin->low < 0;
	int64_t low, high;
	uint64_t *slot;
	unsigned i;

	/* Bounds first: what comes from a document may be INT64_MIN. */
	if (bin->low < -PACE_HIST_MAX - 1 || bin->high > PACE_HIST_MAX + 1 ||
	    bin->low >= bin->high || (below && bin->high > 0))
		return -EINVAL;
	low = below ? -bin->high : bin->low;
	high = below ? -bin->low : bin->high;
	i = bin_of((uint64_t)low);
	if (bin_low(i) != low || bin_low(i + 1) != high)
		return -EINVAL;
	slot = below ? &h->neg[i] : &h->pos[i];
	if (bin->count == 0 || *slot != 0)
		return -EINVAL;
	*slot = bin->count;
	return 0;
}

/*
 * ceil(q n), without the one too many that 0.07 * 100 = 7.000000000000001
 * would give: the product is off by two roundings at most.
 */
static uint64_t
rank_of(uint64_t n, double q)
{
	double rank = ceil(q * (double)n * (1 - 0x1p-51));

	if (!(rank >= 1))
		return 1;
	return rank < (double)n ? (uint64_t)rank : n;
}

const double pace_hist_listed[PACE_HIST_LISTED] = { 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999,
    0.9999 };

static int64_t
listed_quantile(const struct pace_hist *h, double q)
{
	for (int i = 0; i < PACE_HIST_LISTED; i++)
		if (pace_hist_listed[i] > q - 1e-9 &&
		    pace_hist_has_quantile(h->stats.n, pace_hist_listed[i]))
			return h->listed[i];
	return h->stats.max;
}

int64_t
pace_hist_quantile(const struct pace_hist *h, double q)
{
	uint64_t left = rank_of(h->stats.n, q);
	struct pace_bin bin;
	int64_t v = h->stats.max;
	int iter = 0;

	if (h->stats.n == 0)
		return 0;
	if (h->bare)
		return listed_quantile(h, q);
	while (pace_hist_next(h, &iter, &bin)) {
		if (bin.count >= left) {
			v = bin_middle(&bin);
			break;
		}
		left -= bin.count;
	}
	if (v < h->stats.min)
		v = h->stats.min;
	return v > h->stats.max ? h->stats.max : v;
}

bool
pace_hist_has_quantile(uint64_t n, double q)
{
	const double wanted = 10 - 1e-6;	/* 1 - 0.9999 is a little below 0.0001 */

	if (q < 0.1)
		return (double)n * q >= wanted;
	if (q > 0.9)
		return (double)n * (1 - q) >= wanted;
	return n > 0;
}

/* Unsigned, because the ends of int64 are further apart than INT64_MAX. */
static uint64_t
distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

double
pace_hist_share(const struct pace_hist *h, int64_t centre, int64_t within)
{
	struct pace_bin bin;
	uint64_t inside = 0;
	int iter = 0;

	if (h->bare)
		return NAN;
	if (h->stats.n == 0 || within < 0)
		return 0;
	while (pace_hist_next(h, &iter, &bin))
		if (distance(bin_middle(&bin), centre) <= (uint64_t)within)
			inside += bin.count;
	return (double)inside / (double)h->stats.n;
}

void
pace_linear_hist_add(struct pace_linear_hist *l, int64_t v)
{
	uint64_t bin;

	if (l->bins == 0)
		return;
	if (v < l->low) {
		l->underflow++;
		return;
	}
	bin = ((uint64_t)v - (uint64_t)l->low) / (uint64_t)l->width;
	if (bin >= l->bins)
		l->overflow++;
	else
		l->count[bin]++;
}
