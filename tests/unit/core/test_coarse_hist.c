/* core/coarse: few bins against every value, and against the histogram they are made of. */
#include "lib/unit.h"

#include <math.h>
#include <string.h>

#include "core/coarse_hist.h"

static struct pace_hist hist;		/* too large for the stack */
static struct pace_coarse_hist coarse, other;

static int64_t
any_value(void)
{
	int64_t v = (int64_t)(unit_rnd_any_size() >> 1);

	return unit_between(0, 30) == 0 ? -v : v;
}

START_TEST(bins_are_those_of_the_histogram_together)
{
	for (int round = 0; round < 50; round++) {
		pace_hist_reset(&hist);
		pace_coarse_hist_reset(&coarse);
		for (int i = 0; i < 1000; i++) {
			int64_t v = any_value();

			pace_hist_add(&hist, v);
			pace_coarse_hist_add(&coarse, v);
		}
		pace_coarse_hist_of(&other, &hist);
		ck_assert_uint_eq(coarse.below, other.below);
		ck_assert_mem_eq(coarse.n, other.n, sizeof(coarse.n));
	}
}
END_TEST

static const struct { int64_t v, low, high; } edges[] = {
	{ 0, 0, 1 }, { 31, 31, 32 }, { 32, 32, 34 }, { 33, 32, 34 }, { 10000, 9728, 10240 },
	{ 10240, 10240, 10752 }, { PACE_HIST_MAX, INT64_C(31) << 35, INT64_C(1) << 40 },
	{ INT64_MAX, INT64_C(31) << 35, INT64_C(1) << 40 },
};

START_TEST(a_value_lies_in_its_bin)
{
	struct pace_coarse_hist_list l;

	pace_coarse_hist_reset(&coarse);
	pace_coarse_hist_add(&coarse, edges[_i].v);
	pace_coarse_hist_list(&coarse, &l);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_int_eq(l.bin[0].low, edges[_i].low);
	ck_assert_int_eq(l.bin[0].high, edges[_i].high);
}
END_TEST

START_TEST(what_spreads_far_is_told_in_wider_bins)
{
	struct pace_coarse_hist_list l;

	for (int round = 0; round < 200; round++) {
		int n = (int)unit_between(1, 3000);

		pace_coarse_hist_reset(&coarse);
		for (int i = 0; i < n; i++)
			pace_coarse_hist_add(&coarse, any_value());
		pace_coarse_hist_list(&coarse, &l);
		ck_assert_uint_le(l.n, PACE_COARSE_HIST_LIST);
		ck_assert_uint_eq(pace_coarse_hist_count(&l), (uint64_t)n);
		for (uint32_t i = 0; i < l.n; i++) {
			ck_assert(pace_coarse_hist_is_bin(l.bin[i].low, l.bin[i].high));
			ck_assert_uint_gt(l.bin[i].count, 0);
			if (i > 0)
				ck_assert_int_ge(l.bin[i].low, l.bin[i - 1].high);
		}
	}
}
END_TEST

/* As many as there can be, and no more than there is room for. */
START_TEST(a_list_is_fine_where_the_values_are)
{
	struct pace_coarse_hist_list l;
	uint32_t fine = 0;

	for (int i = 0; i < PACE_COARSE_HIST_BINS; i++)
		other.n[i] = 1;
	pace_coarse_hist_list(&other, &l);
	ck_assert_uint_le(l.n, PACE_COARSE_HIST_LIST);
	ck_assert_uint_eq(pace_coarse_hist_count(&l), PACE_COARSE_HIST_BINS);
	pace_coarse_hist_reset(&coarse);
	for (int i = 0; i < 500; i++)
		pace_coarse_hist_add(&coarse, (int64_t)(unit_rnd_any_size() >> 1));
	for (int i = 0; i < 100000; i++)
		pace_coarse_hist_add(&coarse, unit_between(90000, 110000));
	pace_coarse_hist_list(&coarse, &l);
	for (uint32_t i = 0; i < l.n; i++)
		fine += l.bin[i].low >= 90112 && l.bin[i].high <= 106496 &&
		    l.bin[i].high - l.bin[i].low == 4096;
	ck_assert_uint_eq(fine, 4);
}
END_TEST

/* --- lists against a model that looks at all pairs for each merge --- */

struct model {
	uint32_t	n;
	struct pace_bin	bin[PACE_COARSE_HIST_BINS];
};

static bool
around(const struct pace_bin *a, const struct pace_bin *b, struct pace_bin *both)
{
	int64_t width = b->high - b->low > a->high - a->low ? b->high - b->low : a->high - a->low;

	while (a->low / width != b->low / width)
		width *= 2;
	both->low = a->low / width * width;
	both->high = both->low + width;
	return both->low >= width;
}

/* The cost of merging bins i and i + 1, and all bins within the merged one: the number of its
 * values times its relative width. *to is one past the last merged bin. */
static double
blur(const struct model *l, uint32_t i, uint32_t *from, uint32_t *to, struct pace_bin *both)
{
	if (!around(&l->bin[i], &l->bin[i + 1], both))
		return INFINITY;
	both->count = 0;
	for (*from = i; *from > 0 && l->bin[*from - 1].low >= both->low; --*from)
		;
	for (*to = *from; *to < l->n && l->bin[*to].low < both->high; ++*to)
		both->count += l->bin[*to].count;
	return (double)both->count * (double)(both->high - both->low) / (double)both->low;
}

/* False: no two bins of one octave are left. */
static bool
merge_least(struct model *l)
{
	struct pace_bin best = { .low = 0 }, both = best;
	uint32_t from = 0, to = 0, first = 0, end = 0;
	double least = INFINITY;

	for (uint32_t i = 0; i + 1 < l->n; i++) {
		double b = blur(l, i, &from, &to, &both);

		if (b < least) {
			least = b;
			best = both;
			first = from;
			end = to;
		}
	}
	if (end == 0)
		return false;
	l->bin[first] = best;
	memmove(&l->bin[first + 1], &l->bin[end], (l->n - end) * sizeof(l->bin[0]));
	l->n -= end - first - 1;
	return true;
}

static void
is_as_the_model(const struct pace_coarse_hist *c, uint32_t most)
{
	static struct model m;
	struct pace_coarse_hist_list l;
	uint64_t all = c->below;

	m.n = 0;
	for (unsigned i = 0; i < PACE_COARSE_HIST_BINS; i++) {
		struct pace_coarse_hist one = { .below = 0 };

		if (c->n[i] == 0)
			continue;
		one.n[i] = c->n[i];
		pace_coarse_hist_list(&one, &l);
		ck_assert_uint_eq(l.n, 1);
		m.bin[m.n++] = l.bin[0];
		all += c->n[i];
	}
	while (m.n > PACE_COARSE_HIST_LIST && merge_least(&m))
		;
	while (m.n > most && merge_least(&m))
		;
	pace_coarse_hist_list(c, &l);
	pace_coarse_cut(&l, most);
	ck_assert_uint_eq(pace_coarse_hist_count(&l), all);
	ck_assert_uint_eq(l.n, m.n);
	for (uint32_t i = 0; i < l.n; i++) {
		ck_assert_int_eq(l.bin[i].low, m.bin[i].low);
		ck_assert_int_eq(l.bin[i].high, m.bin[i].high);
		ck_assert_uint_eq(l.bin[i].count, m.bin[i].count);
	}
}

START_TEST(lists_are_those_of_the_model)
{
	for (int round = 0; round < 60; round++) {
		int values = round % 3 == 0 ? 100 : round % 3 == 1 ? 2000 : 100000;

		pace_coarse_hist_reset(&coarse);
		for (int i = 0; i < values; i++)
			pace_coarse_hist_add(&coarse, any_value());
		is_as_the_model(&coarse, (uint32_t)unit_between(0, 60));
	}
	for (uint64_t each = 1; each < 1000; each *= 7) {	/* every bin */
		for (uint64_t i = 0; i < PACE_COARSE_HIST_BINS; i++)
			coarse.n[i] = 1 + i * i % each;
		is_as_the_model(&coarse, 60);
		is_as_the_model(&coarse, 0);
	}
}
END_TEST

/* Bins of the difference have what all values of them were. */
START_TEST(a_difference_has_what_came_between)
{
	struct pace_coarse_hist_list then, now;

	for (int round = 0; round < 100; round++) {
		pace_coarse_hist_reset(&coarse);
		pace_hist_reset(&hist);
		for (int i = 0; i < 400; i++)
			pace_coarse_hist_add(&coarse, round % 2 ? unit_between(0, 11000) :
			    (int64_t)(unit_rnd_any_size() >> 1));
		pace_coarse_hist_list(&coarse, &then);
		for (int i = 0; i < 3000; i++) {
			int64_t v = any_value();

			pace_coarse_hist_add(&coarse, v);
			pace_hist_add(&hist, v);
		}
		pace_coarse_hist_of(&other, &hist);
		pace_coarse_hist_list(&coarse, &now);
		pace_coarse_hist_since(&now, &then);
		ck_assert_uint_eq(now.below, other.below);
		ck_assert_uint_eq(pace_coarse_hist_count(&now), 3000);
		for (uint32_t i = 0; i < now.n; i++) {
			struct pace_bin bin;
			uint64_t n = 0;
			int iter = 0;

			ck_assert(pace_coarse_hist_is_bin(now.bin[i].low, now.bin[i].high));
			while (pace_hist_next(&hist, &iter, &bin))
				n += bin.low >= now.bin[i].low && bin.low < now.bin[i].high ? bin.count : 0;
			ck_assert_uint_eq(now.bin[i].count, n);
		}
	}
}
END_TEST

START_TEST(only_bins_are_bins)
{
	ck_assert(pace_coarse_hist_is_bin(0, 1) && pace_coarse_hist_is_bin(2, 4) && pace_coarse_hist_is_bin(96, 128));
	ck_assert(!pace_coarse_hist_is_bin(0, 2) && !pace_coarse_hist_is_bin(2, 6) && !pace_coarse_hist_is_bin(3, 5));
	ck_assert(!pace_coarse_hist_is_bin(-1, 1) && !pace_coarse_hist_is_bin(4, 4) && !pace_coarse_hist_is_bin(5, 4));
	ck_assert(!pace_coarse_hist_is_bin(INT64_C(1) << 40, INT64_C(1) << 41));
	ck_assert(!pace_coarse_hist_is_bin(INT64_MIN, INT64_MAX));
}
END_TEST

START_TEST(quantiles_are_within_half_a_bin)
{
	static const double qs[] = { 0.01, 0.5, 0.9, 0.99, 0.999 };
	struct pace_coarse_hist_list l;

	pace_hist_reset(&hist);
	for (int i = 0; i < 20000; i++)
		pace_hist_add(&hist, unit_between(8000, 20000));
	pace_coarse_hist_of(&coarse, &hist);
	pace_coarse_hist_list(&coarse, &l);
	for (int i = 0; i < COUNT_OF(qs); i++)
		ck_assert_double_eq_tol((double)pace_coarse_hist_quantile(&l, qs[i]) /
		    (double)pace_hist_quantile(&hist, qs[i]), 1, 0.04);
	memset(&l, 0, sizeof(l));
	ck_assert_int_eq(pace_coarse_hist_quantile(&l, 0.5), 0);
}
END_TEST

/* Each bin has what the histogram has there, times as many as it was put in. */
static void
is_list_of(const struct pace_coarse_hist_list *l, const struct pace_hist *h, uint64_t times)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct pace_bin bin;
		uint64_t n = 0;
		int iter = 0;

		ck_assert(pace_coarse_hist_is_bin(l->bin[i].low, l->bin[i].high));
		ck_assert(i == 0 || l->bin[i - 1].high <= l->bin[i].low);
		while (pace_hist_next(h, &iter, &bin))
			n += bin.low >= l->bin[i].low && bin.low < l->bin[i].high ? bin.count : 0;
		ck_assert_uint_eq(l->bin[i].count, times * n);
	}
}

START_TEST(a_list_can_be_cut_and_joined_and_loses_nothing)
{
	struct pace_coarse_hist_list first, second, few;

	for (int round = 0; round < 20; round++) {
		pace_hist_reset(&hist);
		for (int i = 0; i < 1000; i++)
			pace_hist_add(&hist, unit_between(-1, INT64_C(1) << (round + 4)));
		pace_coarse_hist_of(&coarse, &hist);
		pace_coarse_hist_list(&coarse, &first);
		for (int i = 0; i < 1000; i++)
			pace_hist_add(&hist, unit_between(-1, INT64_C(1) << (24 - round)));
		pace_coarse_hist_of(&coarse, &hist);
		pace_coarse_hist_list(&coarse, &second);
		few = second;
		pace_coarse_cut(&few, 30);
		ck_assert_uint_le(few.n, 40);	/* an octave a bin, and those below 16 */
		ck_assert_uint_eq(pace_coarse_hist_count(&few), 2000);
		is_list_of(&few, &hist, 1);
		pace_coarse_hist_join(&few, &second);
		ck_assert_uint_eq(pace_coarse_hist_count(&few), 4000);
		is_list_of(&few, &hist, 2);
		pace_coarse_hist_join(&few, &first);
		ck_assert_uint_eq(pace_coarse_hist_count(&few), 5000);
		ck_assert_uint_eq(few.below, 2 * second.below + first.below);
		ck_assert_uint_le(few.n, PACE_COARSE_HIST_LIST);
		pace_coarse_cut(&few, 0);	/* as few as can be */
		ck_assert_uint_eq(pace_coarse_hist_count(&few), 5000);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("coarse");

	unit_seed(tc);
	tcase_add_test(tc, bins_are_those_of_the_histogram_together);
	tcase_add_loop_test(tc, a_value_lies_in_its_bin, 0, COUNT_OF(edges));
	tcase_add_test(tc, what_spreads_far_is_told_in_wider_bins);
	tcase_add_test(tc, a_list_is_fine_where_the_values_are);
	tcase_add_test(tc, lists_are_those_of_the_model);
	tcase_add_test(tc, only_bins_are_bins);
	tcase_add_test(tc, a_difference_has_what_came_between);
	tcase_add_test(tc, a_list_can_be_cut_and_joined_and_loses_nothing);
	tcase_add_test(tc, quantiles_are_within_half_a_bin);
	return unit_run_apart(tc, "coarse");
}
