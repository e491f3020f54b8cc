/* stats.h: against the two-pass formulas, and where cancellation bites. */
#include "core/stats.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static uint64_t
rnd(uint64_t *state)			/* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void
add_all(struct pace_stats *s, const int64_t *v, size_t n)
{
	pace_stats_reset(s);
	for (size_t i = 0; i < n; i++)
		pace_stats_add(s, v[i]);
}

/* Two passes over the distances from the least value. */
static void
check_against_model(const struct pace_stats *s, const int64_t *v, size_t n)
{
	long double sum = 0, squares = 0, mean, sd;
	int64_t min = v[0], max = v[0];

	for (size_t i = 0; i < n; i++) {
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
	}
	for (size_t i = 0; i < n; i++)
		sum += (long double)((uint64_t)v[i] - (uint64_t)min);
	mean = sum / (long double)n;
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)((uint64_t)v[i] - (uint64_t)min) - mean;

		squares += d * d;
	}
	mean += (long double)min;
	sd = n > 1 ? sqrtl(squares / (long double)(n - 1)) : 0;

	ck_assert_uint_eq(s->n, n);
	ck_assert_int_eq(s->min, min);
	ck_assert_int_eq(s->max, max);
	ck_assert_double_eq_tol(pace_stats_mean(s), (double)mean,
	    1e-9 * ((double)sd + 1) + 4 * DBL_EPSILON * fabs((double)mean));
	ck_assert_double_eq_tol(pace_stats_stddev(s), (double)sd,
	    1e-7 * (double)sd + 1e-9);
}

START_TEST(an_empty_sample_gives_zero)
{
	struct pace_stats s;

	memset(&s, 0x5a, sizeof(s));
	pace_stats_reset(&s);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_double_eq(pace_stats_mean(&s), 0);
	ck_assert_double_eq(pace_stats_stddev(&s), 0);
	pace_stats_add_n(&s, 77, 0);		/* nothing, not a first value */
	ck_assert_uint_eq(s.n, 0);
	pace_stats_add(&s, 5);
	ck_assert_int_eq(s.min, 5);
	ck_assert_int_eq(s.first, 5);
}
END_TEST

START_TEST(nothing_added_or_merged_changes_nothing)
{
	struct pace_stats s, before, empty;

	pace_stats_reset(&empty);
	pace_stats_reset(&s);
	pace_stats_add_n(&s, 5, 2);
	before = s;
	pace_stats_add_n(&s, 1000, 0);
	pace_stats_add_n(&s, -1000, 0);
	pace_stats_merge(&s, &empty);
	ck_assert_mem_eq(&s, &before, sizeof(s));
	pace_stats_merge(&empty, &s);
	ck_assert_mem_eq(&empty, &before, sizeof(s));
}
END_TEST

START_TEST(one_value_has_no_spread)
{
	struct pace_stats s;

	pace_stats_reset(&s);
	pace_stats_add(&s, -42);
	ck_assert_int_eq(s.min, -42);
	ck_assert_int_eq(s.max, -42);
	ck_assert_double_eq(pace_stats_mean(&s), -42);
	ck_assert_double_eq(pace_stats_stddev(&s), 0);
}
END_TEST

START_TEST(known_samples_give_typed_in_figures)
{
	static const int64_t v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const int64_t stamps[] = {	/* ns since 1970, 3 apart */
		1700000000000000001, 1700000000000000004, 1700000000000000007,
	};
	struct pace_stats s;

	add_all(&s, v, 8);
	ck_assert_double_eq(pace_stats_mean(&s), 5);
	ck_assert_double_eq_tol(pace_stats_stddev(&s), 2.138089935299395, 1e-12);
	add_all(&s, stamps, 3);
	ck_assert_double_eq(pace_stats_stddev(&s), 3);
	ck_assert_double_eq(pace_stats_mean(&s), 1.7e18);
}
END_TEST

START_TEST(the_ends_of_the_range_do_not_overflow)
{
	static const int64_t v[] = { INT64_MIN, INT64_MAX, 0, INT64_MIN };
	struct pace_stats s, t;

	add_all(&s, v, 4);
	check_against_model(&s, v, 4);
	pace_stats_reset(&t);
	pace_stats_add(&t, INT64_MAX);
	pace_stats_merge(&t, &s);
	ck_assert_int_eq(t.min, INT64_MIN);
	ck_assert_int_eq(t.max, INT64_MAX);
	ck_assert_double_eq_tol(pace_stats_mean(&t), 0, 0x1p62);
}
END_TEST

START_TEST(equal_values_have_no_spread_however_large)
{
	struct pace_stats s;

	pace_stats_reset(&s);
	pace_stats_add_n(&s, INT64_MAX - 1, UINT64_C(1) << 50);
	ck_assert_uint_eq(s.n, UINT64_C(1) << 50);
	ck_assert_double_eq(pace_stats_stddev(&s), 0);
}
END_TEST

/* Loop test: _i picks centre and spread. */
START_TEST(random_samples_agree_with_the_two_pass_model)
{
	static const int64_t centre[] = { 0, 10000, -123456789,
	    INT64_C(1700000000000000000), INT64_C(-4000000000000000000) };
	static const uint64_t spread[] = { 1, 3, 1000, 1000000000,
	    UINT64_C(1) << 40 };
	int64_t v[1000];
	uint64_t state = unit_first + (uint64_t)_i;
	struct pace_stats s;

	for (size_t n = 1; n <= 1000; n = n * 3 + 1) {
		for (size_t i = 0; i < n; i++)
			v[i] = centre[_i / 5] + (int64_t)(rnd(&state) % spread[_i % 5]);
		add_all(&s, v, n);
		check_against_model(&s, v, n);
	}
}
END_TEST

START_TEST(adding_n_times_is_adding_one_by_one)
{
	uint64_t state = unit_first;
	struct pace_stats one, many;

	pace_stats_reset(&one);
	pace_stats_reset(&many);
	for (int i = 0; i < 200; i++) {
		int64_t v = (int64_t)(rnd(&state) % 2001) - 1000;
		uint64_t n = rnd(&state) % 5;

		pace_stats_add_n(&many, v, n);
		while (n-- > 0)
			pace_stats_add(&one, v);
	}
	ck_assert_mem_eq(&one, &many, sizeof(one));	/* whole numbers: exact */
}
END_TEST

START_TEST(what_was_added_is_a_sample_of_its_own)
{
	static const int64_t before[] = { 10, 12, 900 }, after[] = { 7, 11, 30, -4 };
	struct pace_stats all, then, own;
	struct pace_stats_part part;

	pace_stats_reset(&all);
	pace_stats_reset(&own);
	for (size_t i = 0; i < 3; i++)
		pace_stats_add(&all, before[i]);
	then = all;
	part = pace_stats_since(&all, &then);
	ck_assert(part.n == 0 && part.mean == 0 && part.stddev == 0);
	for (size_t i = 0; i < 4; i++) {
		pace_stats_add(&all, after[i]);
		pace_stats_add(&own, after[i]);
		part = pace_stats_since(&all, &then);
		ck_assert_uint_eq(part.n, i + 1);
		ck_assert_double_eq_tol(part.mean, pace_stats_mean(&own), 1e-9);
		ck_assert_double_eq_tol(part.stddev, pace_stats_stddev(&own), 1e-9);
	}
}
END_TEST

START_TEST(merged_parts_equal_the_whole)
{
	uint64_t state = unit_first;

	for (int round = 0; round < 200; round++) {
		struct pace_stats part, merged;
		int64_t v[300];
		size_t n = 0;

		pace_stats_reset(&merged);
		for (int parts = 0; parts < 5; parts++) {
			size_t from = n;

			for (size_t k = rnd(&state) % 60; k > 0; k--)
				v[n++] = (int64_t)(rnd(&state) % 100000) - 5000;
			add_all(&part, v + from, n - from);
			pace_stats_merge(&merged, &part);
		}
		if (n > 0)
			check_against_model(&merged, v, n);
		else
			ck_assert_uint_eq(merged.n, 0);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stats");

	unit_seed(tc);
	tcase_add_test(tc, an_empty_sample_gives_zero);
	tcase_add_test(tc, nothing_added_or_merged_changes_nothing);
	tcase_add_test(tc, one_value_has_no_spread);
	tcase_add_test(tc, known_samples_give_typed_in_figures);
	tcase_add_test(tc, the_ends_of_the_range_do_not_overflow);
	tcase_add_test(tc, equal_values_have_no_spread_however_large);
	tcase_add_loop_test(tc, random_samples_agree_with_the_two_pass_model, 0, 25);
	tcase_add_test(tc, adding_n_times_is_adding_one_by_one);
	tcase_add_test(tc, what_was_added_is_a_sample_of_its_own);
	tcase_add_test(tc, merged_parts_equal_the_whole);
	return unit_run_apart(tc, "stats");
}
