/* shape.h: equal bins, percentiles and survivors of a histogram. */
#include "report/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static int64_t
below(int64_t n)
{
	return unit_between(0, n - 1);
}

static struct pace_hist h;
static struct pace_bins b;
static struct pace_shape s;

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

static void
take(void)
{
	pace_bins_free(&b);
	ck_assert_int_eq(pace_bins_copy(&b, &h), 0);
}

static void
shape(int64_t low, int64_t width, uint32_t bins)
{
	take();
	memset(&s, 0xa5, sizeof(s));
	s.low = low;
	s.width = width;
	s.bins = bins;
	pace_shape_bins(&b, &s);
}

static uint64_t
total(void)
{
	uint64_t sum = s.below + s.above;

	for (uint32_t k = 0; k < s.bins; k++)
		sum += s.count[k];
	return sum;
}

START_TEST(an_empty_histogram_has_empty_bins)
{
	shape(0, 10, 5);
	ck_assert_uint_eq(total(), 0);
}
END_TEST

START_TEST(exact_values_come_into_their_bins)
{
	static const int64_t v[] = { -5, 0, 9, 10, 19, 20, 49, 50, 200 };

	for (int i = 0; i < COUNT_OF(v); i++)
		pace_hist_add(&h, v[i]);
	shape(0, 10, 5);
	ck_assert_uint_eq(s.below, 1);
	ck_assert_uint_eq(s.count[0], 2);
	ck_assert_uint_eq(s.count[1], 2);
	ck_assert_uint_eq(s.count[2], 1);
	ck_assert_uint_eq(s.count[3], 0);
	ck_assert_uint_eq(s.count[4], 1);
	ck_assert_uint_eq(s.above, 2);
}
END_TEST

/* 65536 .. 66047 is one bin of the histogram, 512 wide. */
START_TEST(a_wide_bin_is_shared_out_evenly_and_a_single_value_is_not_cut)
{
	pace_hist_add(&h, 0);			/* so that the extremes do not cut it */
	pace_hist_add(&h, 1000000);
	pace_hist_add_n(&h, 65600, 1024);
	shape(65536, 128, 4);
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(s.count[k], 256);
	setup();
	pace_hist_add(&h, 0);
	pace_hist_add(&h, 1000000);
	pace_hist_add(&h, 65600);
	shape(65536, 128, 4);
	ck_assert_uint_eq(s.count[0] + s.count[2] + s.count[3], 0);
	ck_assert_uint_eq(s.count[1], 1);	/* where the middle of its bin is rounded to */
	ck_assert_uint_eq(total(), 3);
}
END_TEST

START_TEST(the_extremes_cut_the_bins_they_are_in)
{
	pace_hist_add_n(&h, 65664, 10);		/* alone: all values are 65664 */
	shape(65536, 128, 4);
	ck_assert_uint_eq(s.count[0], 0);
	ck_assert_uint_eq(s.count[1], 10);
}
END_TEST

START_TEST(bins_always_add_up)
{
	int64_t n;

	unit_turn(_i);
	n = below(2000) + 1;
	for (int64_t i = 0; i < n; i++)
		pace_hist_add(&h, (int64_t)below(1 << below(30)) - below(5000));
	shape((int64_t)below(4000) - 2000, below(3000) + 1,
	    (uint32_t)below(PACE_SHAPE_BINS) + 1);
	ck_assert_uint_eq(total(), (uint64_t)n);
	shape(h.stats.min, (h.stats.max - h.stats.min) / 100 + 1, 101);
	ck_assert_uint_eq(s.below, 0);
	ck_assert_uint_eq(s.above, 0);
}
END_TEST

START_TEST(a_width_is_round_and_not_finer_than_the_histogram)
{
	ck_assert_int_eq(pace_shape_width(0, 100, 100), 1);
	ck_assert_int_eq(pace_shape_width(0, 101, 100), 2);
	ck_assert_int_eq(pace_shape_width(0, 201, 100), 5);
	ck_assert_int_eq(pace_shape_width(0, 501, 100), 10);
	ck_assert_int_eq(pace_shape_width(0, 0, 100), 1);
	ck_assert_int_eq(pace_shape_width(20000, 60000, 100), 500);	/* 468 by the bins */
	ck_assert_int_eq(pace_shape_width(-60000, -59000, 100), 500);
}
END_TEST

/* 1 .. 1000: the value that 1 in x is above is 1000 - 1000 / x. */
START_TEST(a_spectrum_ends_where_ten_values_are_left)
{
	struct pace_spectrum_point v[PACE_SPECTRUM_MAX];
	size_t n;

	for (int i = 1; i <= 1000; i++)
		pace_hist_add(&h, i);
	take();
	n = pace_spectrum(&b, v);
	ck_assert_uint_eq(n, 41);
	ck_assert_double_eq(v[0].x, 1);
	ck_assert_int_eq(v[0].value, 1);
	ck_assert_double_eq_tol(v[20].x, 10, 1e-9);
	ck_assert_int_ge(v[20].value, 896);
	ck_assert_int_le(v[20].value, 903);
	ck_assert_double_eq_tol(v[n - 1].x, 100, 1e-9);
	ck_assert_int_ge(v[n - 1].value, 986);
	ck_assert_int_le(v[n - 1].value, 993);
	for (size_t i = 1; i < n; i++) {
		ck_assert_double_gt(v[i].x, v[i - 1].x);
		ck_assert_int_ge(v[i].value, v[i - 1].value);
	}
}
END_TEST

START_TEST(a_rank_is_exact_where_bins_are)
{
	struct pace_spectrum_point v[PACE_SPECTRUM_MAX];
	size_t n;

	for (int i = 1; i <= 100; i++)
		pace_hist_add(&h, i);
	take();
	n = pace_spectrum(&b, v);
	ck_assert_uint_eq(n, 21);
	ck_assert_int_eq(v[n - 1].value, 90);
}
END_TEST

START_TEST(too_few_values_have_no_spectrum)
{
	struct pace_spectrum_point v[PACE_SPECTRUM_MAX];

	take();
	ck_assert_uint_eq(pace_spectrum(&b, v), 0);
	pace_hist_add_n(&h, 7, 19);
	take();
	ck_assert_uint_eq(pace_spectrum(&b, v), 0);
	pace_hist_add(&h, 7);
	take();
	ck_assert_uint_ge(pace_spectrum(&b, v), 2);
}
END_TEST

START_TEST(a_spectrum_of_very_many_values_fits)
{
	struct pace_spectrum_point v[PACE_SPECTRUM_MAX];
	size_t n;

	pace_hist_add_n(&h, 5, (UINT64_C(1) << 61));
	take();
	n = pace_spectrum(&b, v);
	ck_assert_uint_gt(n, 300);
	ck_assert_uint_le(n, PACE_SPECTRUM_MAX);
}
END_TEST

START_TEST(survivors_fall_from_one)
{
	struct pace_survivor v[PACE_SURVIVORS_MAX];

	ck_assert_uint_eq(pace_survivors(&b, 1, v), 0);
	pace_hist_add_n(&h, 3, 6);
	pace_hist_add_n(&h, 10, 3);
	pace_hist_add(&h, 100);
	take();
	ck_assert_uint_eq(pace_survivors(&b, 1, v), 4);
	ck_assert_int_eq(v[0].value, 1);
	ck_assert_double_eq(v[0].share, 1);
	ck_assert_int_eq(v[1].value, 3);
	ck_assert_double_eq(v[1].share, 1);
	ck_assert_int_eq(v[2].value, 10);
	ck_assert_double_eq_tol(v[2].share, 0.4, 1e-12);
	ck_assert_int_eq(v[3].value, 100);
	ck_assert_double_eq_tol(v[3].share, 0.1, 1e-12);
	ck_assert_uint_eq(pace_survivors(&b, 3, v), 3);
}
END_TEST

START_TEST(survivors_of_all_bins_fit_and_keep_the_last)
{
	struct pace_survivor v[PACE_SURVIVORS_MAX];
	int64_t last = 0;
	size_t n;

	for (int i = 0; i < 200000; i++) {
		int64_t x = below(1 << 30);

		pace_hist_add(&h, x);
		last = x > last ? x : last;
	}
	take();
	n = pace_survivors(&b, 1, v);
	ck_assert_uint_le(n, PACE_SURVIVORS_MAX);
	ck_assert_uint_gt(n, 100);
	ck_assert_int_eq(v[n - 1].value, b.v[b.n - 1].low);
	for (size_t i = 1; i < n; i++)
		ck_assert_double_le(v[i].share, v[i - 1].share);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("shape");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_empty_histogram_has_empty_bins);
	tcase_add_test(tc, exact_values_come_into_their_bins);
	tcase_add_test(tc, a_wide_bin_is_shared_out_evenly_and_a_single_value_is_not_cut);
	tcase_add_test(tc, the_extremes_cut_the_bins_they_are_in);
	tcase_add_loop_test(tc, bins_always_add_up, 0, 100);
	tcase_add_test(tc, a_width_is_round_and_not_finer_than_the_histogram);
	tcase_add_test(tc, a_spectrum_ends_where_ten_values_are_left);
	tcase_add_test(tc, a_rank_is_exact_where_bins_are);
	tcase_add_test(tc, too_few_values_have_no_spectrum);
	tcase_add_test(tc, a_spectrum_of_very_many_values_fits);
	tcase_add_test(tc, survivors_fall_from_one);
	tcase_add_test(tc, survivors_of_all_bins_fit_and_keep_the_last);
	return unit_run(tc, "shape");
}
