/* bins.h: the list says what the histogram says. */
#include "report/bins.h"

#include <math.h>

#include "lib/unit.h"

static struct pace_hist h;
static struct pace_bins b;

static void
setup(void)
{
	pace_hist_reset(&h);
}

static void
teardown(void)
{
	pace_bins_free(&b);
}

START_TEST(nothing_is_an_empty_list)
{
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	ck_assert_uint_eq(b.n, 0);
	ck_assert_ptr_null(b.v);
	ck_assert(isnan(pace_bins_quantile(&b, 0.5)));
	ck_assert(isnan(pace_bins_min(&b)) && isnan(pace_bins_max(&b)));
	pace_bins_free(&b);
	pace_bins_free(&b);
}
END_TEST

START_TEST(bins_are_those_of_the_histogram)
{
	struct pace_bin bin;
	int iter = 0;

	pace_hist_add_n(&h, -5, 3);
	pace_hist_add(&h, 0);
	pace_hist_add_n(&h, 10000, 7);
	pace_hist_add(&h, INT64_MAX);
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	ck_assert_uint_eq(b.n, 4);
	for (size_t i = 0; i < b.n; i++) {
		ck_assert(pace_hist_next(&h, &iter, &bin));
		ck_assert_int_eq(b.v[i].low, bin.low);
		ck_assert_int_eq(b.v[i].high, bin.high);
		ck_assert_uint_eq(b.v[i].count, bin.count);
	}
	ck_assert(!pace_hist_next(&h, &iter, &bin));
	ck_assert_uint_eq(b.clipped, 1);
	ck_assert_double_eq(pace_bins_min(&b), -5);
}
END_TEST

START_TEST(a_tail_needs_ten_values_beyond_it)
{
	pace_hist_add_n(&h, 100, 999);
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	ck_assert(isnan(pace_bins_quantile(&b, 0.99)));
	ck_assert_double_eq(pace_bins_quantile(&b, 0.5), 100);
	pace_bins_free(&b);
	pace_hist_add(&h, 100);
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	ck_assert_double_eq(pace_bins_quantile(&b, 0.99), 100);
}
END_TEST

START_TEST(a_tail_of_too_few_values_is_the_extreme)
{
	pace_hist_add_n(&h, 100, 500);
	pace_hist_add(&h, 1);
	pace_hist_add(&h, 200);
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	ck_assert_double_eq(pace_bins_tail(&b, 0.001), 1);
	ck_assert_double_eq(pace_bins_tail(&b, 0.999), 200);
	ck_assert_double_eq(pace_bins_tail(&b, 0.9), 100);
}
END_TEST

START_TEST(quantiles_are_those_of_the_histogram)
{
	const double q[] = { 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99 };
	uint64_t n;

	unit_turn(_i);
	n = 1 + unit_rnd() % 5000;
	for (uint64_t i = 0; i < n; i++) {
		int64_t v = (int64_t)(unit_rnd_any_size() >> 24);

		pace_hist_add(&h, unit_rnd() % 2 == 0 ? v : -v);
	}
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
	for (int i = 0; i < COUNT_OF(q); i++) {
		double got = pace_bins_quantile(&b, q[i]);

		if (pace_hist_has_quantile(n, q[i]))
			ck_assert_double_eq(got, (double)pace_hist_quantile(&h, q[i]));
		else
			ck_assert(isnan(got));
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("bins");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_is_an_empty_list);
	tcase_add_test(tc, bins_are_those_of_the_histogram);
	tcase_add_test(tc, a_tail_needs_ten_values_beyond_it);
	tcase_add_test(tc, a_tail_of_too_few_values_is_the_extreme);
	tcase_add_loop_test(tc, quantiles_are_those_of_the_histogram, 0, 50);
	return unit_run(tc, "bins");
}
