#include "core/coarse_hist.h"

#include <math.h>
#include <string.h>

#include "core/arith.h"

#define BITS	4				/* log2 of PACE_COARSE_HIST_SUBS */
#define FINE	(PACE_HIST_BITS - BITS)		/* a bin is 2^FINE of the histogram's */

static unsigned
index_of(uint64_t v)
{
	unsigned shift;

	if (v > PACE_HIST_MAX)
		v = PACE_HIST_MAX;
	if (v < PACE_COARSE_HIST_SUBS)
		return (unsigned)v;
	shift = 63 - (unsigned)__builtin_clzll(v) - BITS;
	return ((shift + 1) << BITS) + (unsigned)((v >> shift) & (PACE_COARSE_HIST_SUBS - 1));
}

static int64_t
low_of(unsigned i)
{
	unsigned octave = i >> BITS, sub = i & (PACE_COARSE_HIST_SUBS - 1);

	return octave == 0 ? (int64_t)sub : (int64_t)(PACE_COARSE_HIST_SUBS | sub) << (octave - 1);
}

void
pace_coarse_hist_reset(struct pace_coarse_hist *s)
{
	memset(s, 0, sizeof(*s));
}

void
pace_coarse_hist_add(struct pace_coarse_hist *s, int64_t v)
{
	if (v < 0)
		s->below++;
	else
		s->n[index_of((uint64_t)v)]++;
}

/* Its first 2^PACE_HIST_BITS bins are exact; behind them 2^FINE lie in one of ours. */
void
pace_coarse_hist_of(struct pace_coarse_hist *s, const struct pace_hist *h)
{
	uint64_t all = 0;
	unsigned first = index_of(1U << PACE_HIST_BITS);

	pace_coarse_hist_reset(s);
	for (unsigned i = 0; i < 1U << PACE_HIST_BITS; i++)
		s->n[index_of(i)] += h->pos[i];
	for (unsigned i = first; i < PACE_COARSE_HIST_BINS; i++) {
		const uint64_t *fine = &h->pos[(1U << PACE_HIST_BITS) + ((i - first) << FINE)];

		for (unsigned k = 0; k < 1U << FINE; k++)
			s->n[i] += fine[k];
	}
	for (unsigned i = 0; i < PACE_COARSE_HIST_BINS; i++)
		all += s->n[i];
	s->below = h->stats.n > all ? h->stats.n - all : 0;
}

/* --- lists --- */

struct long_list {
	uint32_t	n;
	struct pace_bin	bin[PACE_COARSE_HIST_BINS];
};

static void
all_bins(const struct pace_coarse_hist *s, struct long_list *l)
{
	l->n = 0;
	for (unsigned i = 0; i < PACE_COARSE_HIST_BINS; i++)
		if (s->n[i] > 0)
			l->bin[l->n++] = (struct pace_bin){ .low = low_of(i), .high = low_of(i + 1),
			    .count = s->n[i] };
}

/* --- fewer bins: those of one octave become one where that blurs least --- */

/* Nothing merges across octaves, so each has its own best, and a merge changes but one of
 * them: a step costs an octave, not the list. */
struct octave {
	uint32_t	at, n;		/* its bins */
	double		least;		/* blur of its best merge; INFINITY: there is none */
	uint32_t	from, to;	/* bins of that, of the octave's, */
	struct pace_bin	both;		/* and what they become */
};

#define OCTAVES		64		/* of any low */

static unsigned
octave_of(const struct pace_bin *b)
{
	return b->low <= 0 ? 0 : 64 - (unsigned)__builtin_clzll((uint64_t)b->low);
}

/* The narrowest bin around both, which have nothing in common: so it is wider than either,
 * and their lows differ in its highest bit. */
static void
around(const struct pace_bin *a, const struct pace_bin *b, struct pace_bin *both)
{
	uint64_t differ = (uint64_t)a->low ^ (uint64_t)b->low;
	unsigned shift = 64 - (unsigned)__builtin_clzll(differ | 1);

	both->low = a->low >> shift << shift;
	both->high = both->low + (INT64_C(1) << shift);
}

/* The cost of merging bins i and i + 1, and all bins within the merged one: the number of its
 * values times its relative width. *to is one past the last merged bin. */
static double
blur(const struct pace_bin *bin, uint32_t n, uint32_t i, uint32_t *from, uint32_t *to,
    struct pace_bin *both)
{
	around(&bin[i], &bin[i + 1], both);
	both->count = 0;
	for (*from = i; *from > 0 && bin[*from - 1].low >= both->low; --*from)
		;
	for (*to = *from; *to < n && bin[*to].low < both->high; ++*to)
		both->count += bin[*to].count;
	return (double)both->count * (double)(both->high - both->low) / (double)both->low;
}

static void
find_least(const struct long_list *l, struct octave *o)
{
	struct pace_bin both;
	uint32_t from, to;

	o->least = INFINITY;
	for (uint32_t i = 0; i + 1 < o->n; i++) {
		double b = blur(&l->bin[o->at], o->n, i, &from, &to, &both);

		if (b < o->least) {
			o->least = b;
			o->from = from;
			o->to = to;
			o->both = both;
		}
	}
}

static uint32_t
split(const struct long_list *l, struct octave *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (i == 0 || octave_of(&l->bin[i]) != octave_of(&l->bin[i - 1]))
			o[n++] = (struct octave){ .at = i };
		o[n - 1].n++;
	}
	for (uint32_t i = 0; i < n; i++)
		find_least(l, &o[i]);
	return n;
}

/* How many bins there are less. */
static uint32_t
merge(struct long_list *l, struct octave *o)
{
	struct pace_bin *bin = &l->bin[o->at];
	uint32_t fewer = o->to - o->from - 1;

	bin[o->from] = o->both;
	memmove(&bin[o->from + 1], &bin[o->to], (o->n - o->to) * sizeof(*bin));
	o->n -= fewer;
	find_least(l, o);
	return fewer;
}

/* At most so many bins, or a bin an octave. */
static void
shrink(struct long_list *l, uint32_t most)
{
	struct octave o[OCTAVES];
	uint32_t left = l->n, n, best;

	if (left <= most)
		return;
	n = split(l, o);
	while (left > most) {
		best = 0;
		for (uint32_t i = 1; i < n; i++)
			if (o[i].least < o[best].least)
				best = i;
		if (isinf(o[best].least))
			break;
		left -= merge(l, &o[best]);
	}
	l->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		memmove(&l->bin[l->n], &l->bin[o[i].at], o[i].n * sizeof(l->bin[0]));
		l->n += o[i].n;
	}
}

/* l->n is at most PACE_COARSE_HIST_LIST then. */
static void
put_list(struct pace_coarse_hist_list *to, uint64_t below, const struct long_list *l)
{
	to->below = below;
	to->n = l->n;
	memcpy(to->bin, l->bin, l->n * sizeof(l->bin[0]));
}

void
pace_coarse_hist_list(const struct pace_coarse_hist *s, struct pace_coarse_hist_list *l)
{
	struct long_list all;

	all_bins(s, &all);
	shrink(&all, PACE_COARSE_HIST_LIST);
	put_list(l, s->below, &all);
}

void
pace_coarse_cut(struct pace_coarse_hist_list *l, uint32_t most)
{
	struct long_list all = { .n = l->n };

	if (l->n <= most)
		return;
	memcpy(all.bin, l->bin, l->n * sizeof(l->bin[0]));
	shrink(&all, most);
	put_list(l, l->below, &all);
}

bool
pace_coarse_hist_is_bin(int64_t low, int64_t high)
{
	int64_t width;

	if (low < 0 || low >= high || high > PACE_HIST_MAX + 1)
		return false;
	width = high - low;
	return (width & (width - 1)) == 0 && low % width == 0 && (width == 1 || low >= width);
}

uint64_t
pace_coarse_hist_count(const struct pace_coarse_hist_list *l)
{
	uint64_t all = l->below;

	for (uint32_t i = 0; i < l->n; i++)
		all += l->bin[i].count;
	return all;
}

/* --- differences --- */

/* Bins that lie in a wider one of the other list become that one.  Two bins either overlap
 * completely (one contains the other) or not at all. */
static void
widen(struct pace_coarse_hist_list *l, const struct pace_coarse_hist_list *to)
{
	uint32_t n = 0, k = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct pace_bin b = l->bin[i];

		while (k < to->n && to->bin[k].high <= b.low)
			k++;
		if (k < to->n && to->bin[k].low <= b.low && b.high <= to->bin[k].high) {
			b.low = to->bin[k].low;
			b.high = to->bin[k].high;
		}
		if (n > 0 && l->bin[n - 1].low == b.low)
			l->bin[n - 1].count += b.count;
		else
			l->bin[n++] = b;
	}
	l->n = n;
}

void
pace_coarse_hist_since(struct pace_coarse_hist_list *now, const struct pace_coarse_hist_list *then)
{
	struct pace_coarse_hist_list before = *then;
	uint32_t n = 0, k = 0;

	widen(now, then);
	widen(&before, now);
	now->below = pace_less(now->below, before.below);
	for (uint32_t i = 0; i < now->n; i++) {
		while (k < before.n && before.bin[k].low < now->bin[i].low)
			k++;
		if (k < before.n && before.bin[k].low == now->bin[i].low)
			now->bin[i].count = pace_less(now->bin[i].count, before.bin[k].count);
		if (now->bin[i].count > 0)
			now->bin[n++] = now->bin[i];
	}
	now->n = n;
}

/* After widen(), bins of both lists are equal or do not overlap. */
static void
merge_lists(struct long_list *all, const struct pace_coarse_hist_list *a,
    const struct pace_coarse_hist_list *b)
{
	uint32_t i = 0, k = 0;

	all->n = 0;
	while (i < a->n || k < b->n) {
		bool first = k == b->n || (i < a->n && a->bin[i].low <= b->bin[k].low);
		struct pace_bin bin = first ? a->bin[i++] : b->bin[k++];

		if (first && k < b->n && b->bin[k].low == bin.low)
			bin.count += b->bin[k++].count;
		all->bin[all->n++] = bin;
	}
}

void
pace_coarse_hist_join(struct pace_coarse_hist_list *to, const struct pace_coarse_hist_list *l)
{
	struct pace_coarse_hist_list more = *l;
	struct long_list all;

	widen(to, &more);
	widen(&more, to);
	merge_lists(&all, to, &more);
	shrink(&all, PACE_COARSE_HIST_LIST);
	put_list(to, to->below + more.below, &all);
}

int64_t
pace_coarse_hist_quantile(const struct pace_coarse_hist_list *l, double q)
{
	uint64_t all = pace_coarse_hist_count(l), left;
	double rank = ceil(q * (double)all * (1 - 0x1p-51));	/* as hist.c has it */

	if (all == 0 || l->n == 0)
		return 0;
	left = rank < 1 ? 1 : rank < (double)all ? (uint64_t)rank : all;
	if (l->below >= left)
		return 0;
	left -= l->below;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct pace_bin *b = &l->bin[i];

		if (b->count >= left)
			return b->low + (b->high - b->low) / 2;
		left -= b->count;
	}
	return 0;
}
