/* hist.h: every bin's edges, and every answer against a sorted array. */
#include "core/hist.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/unit.h"

static struct pace_hist h, h2, h3;	/* too large for the stack */

static uint64_t
rnd(uint64_t *state)			/* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Any magnitude, either sign; one in 16 beyond the last bin. */
static int64_t
any_value(uint64_t *state)
{
	int bits = rnd(state) % 16 == 0 ? 63 : (int)(rnd(state) % 41);
	int64_t v = (int64_t)(rnd(state) & ((UINT64_C(1) << bits) - 1));

	return rnd(state) & 1 ? -v - 1 : v;
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Width of the bin of a magnitude, counted up octave by octave. */
static int64_t
model_width(int64_t v)
{
	int64_t width = 1;

	for (int64_t top = 256; top <= v; top *= 2)
		width *= 2;
	return width;
}

static void
model_bin(int64_t v, int64_t *low, int64_t *high)
{
	int64_t m = v < 0 ? -v - 1 : v, width = model_width(m);

	*low = m / width * width;
	*high = *low + width;
	if (v < 0) {
		m = *low;
		*low = -*high;
		*high = -m;
	}
}

static uint64_t
bin_total(const struct pace_hist *x)
{
	struct pace_bin bin;
	uint64_t n = 0;
	int iter = 0;

	while (pace_hist_next(x, &iter, &bin))
		n += bin.count;
	return n;
}

static void
check_same_bins(const struct pace_hist *a, const struct pace_hist *b)
{
	ck_assert_int_eq(memcmp(a->pos, b->pos, sizeof(a->pos)), 0);
	ck_assert_int_eq(memcmp(a->neg, b->neg, sizeof(a->neg)), 0);
	ck_assert_uint_eq(a->clipped, b->clipped);
	ck_assert_uint_eq(a->stats.n, b->stats.n);
	ck_assert_int_eq(a->stats.min, b->stats.min);
	ck_assert_int_eq(a->stats.max, b->stats.max);
}

START_TEST(an_empty_histogram_has_nothing_to_say)
{
	struct pace_bin bin;
	int iter = 0;

	memset(&h, 0x5a, sizeof(h));
	pace_hist_reset(&h);
	ck_assert(!pace_hist_next(&h, &iter, &bin));
	ck_assert(!pace_hist_next(&h, &iter, &bin));	/* and stays so */
	ck_assert_int_eq(pace_hist_quantile(&h, 0.5), 0);
	ck_assert_double_eq(pace_hist_share(&h, 0, INT64_MAX), 0);
	pace_hist_add_n(&h, 5, 0);
	ck_assert_uint_eq(h.stats.n, 0);
	ck_assert_uint_eq(bin_total(&h), 0);
}
END_TEST

/* Typed in: first and last value of a bin. */
static const struct { int64_t v, low, high; } edges[] = {
	{ 0, 0, 1 }, { 1, 1, 2 }, { 127, 127, 128 }, { 128, 128, 129 },
	{ 255, 255, 256 }, { 256, 256, 258 }, { 257, 256, 258 },
	{ 258, 258, 260 }, { 511, 510, 512 }, { 512, 512, 516 },
	{ 10000, 9984, 10048 }, { 1000000, 999424, 1003520 },
	{ PACE_HIST_MAX, INT64_C(1095216660480), INT64_C(1099511627776) },
	{ -1, -1, 0 }, { -2, -2, -1 }, { -256, -256, -255 },
	{ -257, -258, -256 }, { -258, -258, -256 }, { -259, -260, -258 },
	{ -PACE_HIST_MAX - 1, INT64_C(-1099511627776), INT64_C(-1095216660480) },
};

START_TEST(known_values_fall_in_typed_in_bins)
{
	struct pace_bin bin;
	int iter = 0;

	pace_hist_reset(&h);
	pace_hist_add(&h, edges[_i].v);
	ck_assert(pace_hist_next(&h, &iter, &bin));
	ck_assert_int_eq(bin.low, edges[_i].low);
	ck_assert_int_eq(bin.high, edges[_i].high);
	ck_assert_uint_eq(bin.count, 1);
	ck_assert_uint_eq(h.clipped, 0);
	ck_assert(!pace_hist_next(&h, &iter, &bin));
}
END_TEST

/*
 * Walk up from 0 (or down from -1) one bin at a time: the bins touch, the
 * first and the last value of each fall into it, and put takes it back.
 */
static void
walk(int sign)
{
	int64_t at = 0;
	int bins = 0;

	for (; at <= PACE_HIST_MAX; bins++) {
		int64_t first = sign > 0 ? at : -at - 1, width, last;
		struct pace_bin bin;
		int iter = 0;

		width = model_width(at);
		last = first + sign * (width - 1);
		pace_hist_reset(&h);
		pace_hist_add_n(&h, first, 3);
		pace_hist_add_n(&h, last, 4);
		ck_assert(pace_hist_next(&h, &iter, &bin));
		ck_assert_uint_eq(bin.count, 7);
		ck_assert_int_eq(bin.low, sign > 0 ? first : last);
		ck_assert_int_eq(bin.high, (sign > 0 ? last : first) + 1);
		ck_assert_uint_eq((sign > 0 ? h.pos : h.neg)[bins], 7);
		ck_assert_uint_eq(h.clipped, 0);

		pace_hist_reset(&h2);
		ck_assert_int_eq(pace_hist_put(&h2, &bin), 0);
		ck_assert_int_eq(memcmp(h.pos, h2.pos, sizeof(h.pos)), 0);
		ck_assert_int_eq(memcmp(h.neg, h2.neg, sizeof(h.neg)), 0);
		ck_assert_int_eq(pace_hist_put(&h2, &bin), -EINVAL);
		at += width;
	}
	ck_assert_int_eq(bins, PACE_HIST_BINS);
	ck_assert_int_eq(at, PACE_HIST_MAX + 1);
}

START_TEST(the_bins_above_zero_touch_and_go_back_in)
{
	walk(1);
}
END_TEST

START_TEST(the_bins_below_zero_are_the_mirror)
{
	walk(-1);
}
END_TEST

START_TEST(all_bins_come_in_ascending_order_without_a_hole)
{
	int64_t at = -PACE_HIST_MAX - 1;
	struct pace_bin bin;
	int iter = 0, bins = 0;

	pace_hist_reset(&h);
	for (int i = 0; i < PACE_HIST_BINS; i++)
		h.pos[i] = h.neg[i] = 1 + (uint64_t)i;
	while (pace_hist_next(&h, &iter, &bin)) {
		ck_assert_int_eq(bin.low, at);
		ck_assert_int_gt(bin.high, bin.low);
		at = bin.high;
		bins++;
	}
	ck_assert_int_eq(bins, 2 * PACE_HIST_BINS);
	ck_assert_int_eq(at, PACE_HIST_MAX + 1);
}
END_TEST

static const struct pace_bin bad[] = {
	{ 5, 6, 0 },					/* nothing in it */
	{ 5, 5, 1 }, { 6, 5, 1 }, { 5, 7, 1 }, { 256, 257, 1 },
	{ 257, 259, 1 }, { 256, 260, 1 }, { -1, 1, 1 }, { -2, 0, 1 },
	{ -258, -257, 1 }, { -257, -255, 1 }, { 0, 0, 1 },
	{ INT64_C(1) << 40, (INT64_C(1) << 40) + (INT64_C(1) << 33), 1 },
	{ PACE_HIST_MAX, PACE_HIST_MAX + 2, 1 },
	{ INT64_MIN, INT64_MAX, 1 }, { INT64_MIN, INT64_MIN + 1, 1 },
	{ INT64_MAX, INT64_MIN, 1 }, { INT64_MAX - 1, INT64_MAX, 1 },
	{ INT64_MIN, 0, 1 }, { 0, INT64_MAX, 1 },
};

START_TEST(what_is_not_one_of_our_bins_is_refused)
{
	pace_hist_reset(&h);
	pace_hist_reset(&h2);
	ck_assert_int_eq(pace_hist_put(&h, &bad[_i]), -EINVAL);
	ck_assert_int_eq(memcmp(&h, &h2, sizeof(h)), 0);
}
END_TEST

START_TEST(values_beyond_the_range_are_clipped_and_counted)
{
	static const struct { int64_t v; uint64_t clipped; } at[] = {
		{ PACE_HIST_MAX, 0 }, { PACE_HIST_MAX + 1, 2 }, { INT64_MAX, 4 },
		{ -PACE_HIST_MAX - 1, 4 }, { -PACE_HIST_MAX - 2, 6 },
		{ INT64_MIN, 8 },
	};

	pace_hist_reset(&h);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		pace_hist_add_n(&h, at[i].v, 2);
		ck_assert_uint_eq(h.clipped, at[i].clipped);
	}
	ck_assert_uint_eq(h.pos[PACE_HIST_BINS - 1], 6);
	ck_assert_uint_eq(h.neg[PACE_HIST_BINS - 1], 6);
	ck_assert_uint_eq(bin_total(&h), h.stats.n);
	ck_assert_int_eq(h.stats.min, INT64_MIN);
	ck_assert_int_eq(h.stats.max, INT64_MAX);
	pace_hist_reset(&h);
	pace_hist_add(&h, INT64_C(1) << 50);	/* min <= quantile <= max */
	ck_assert_int_eq(pace_hist_quantile(&h, 0.5), INT64_C(1) << 50);
}
END_TEST

START_TEST(random_values_fall_in_the_models_bins)
{
	uint64_t state = unit_first;

	for (int i = 0; i < 3000; i++) {
		int64_t v = any_value(&state), low, high;
		struct pace_bin bin;
		int iter = 0;

		if (v > PACE_HIST_MAX || v < -PACE_HIST_MAX - 1)
			continue;
		pace_hist_reset(&h);
		pace_hist_add(&h, v);
		ck_assert(pace_hist_next(&h, &iter, &bin));
		model_bin(v, &low, &high);
		ck_assert_int_eq(bin.low, low);
		ck_assert_int_eq(bin.high, high);
		ck_assert(low <= v && v < high);
	}
}
END_TEST

/* The quantile is in the bin of the sorted array's value, within 1/256. */
static void
check_quantile(const int64_t *sorted, size_t n, unsigned per_mille)
{
	/* ceil(q n) in whole numbers */
	size_t rank = (n * per_mille + 999) / 1000;
	int64_t got = pace_hist_quantile(&h, per_mille / 1000.0), low, high;
	int64_t v = sorted[rank - 1];

	ck_assert_int_ge(got, sorted[0]);
	ck_assert_int_le(got, sorted[n - 1]);
	if (v > PACE_HIST_MAX || v < -PACE_HIST_MAX - 1)
		return;
	model_bin(v, &low, &high);
	ck_assert_int_ge(got, low);
	ck_assert_int_lt(got, high);
	ck_assert_double_le(fabs((double)(got - v)), fabs((double)v) / 256);
}

START_TEST(quantiles_agree_with_a_sorted_array)
{
	uint64_t state = unit_first;
	int64_t v[1000];

	for (int round = 0; round < 60; round++) {
		size_t n = 1 + rnd(&state) % (round % 2 ? 1000 : 12);

		pace_hist_reset(&h);
		for (size_t i = 0; i < n; i++) {
			v[i] = round % 3 ? (int64_t)(rnd(&state) % 200) - 20 :
			    any_value(&state);
			pace_hist_add(&h, v[i]);
		}
		qsort(v, n, sizeof(v[0]), ascending);
		for (unsigned q = 1; q < 1000; q += 1 + q % 3)
			check_quantile(v, n, q);
	}
}
END_TEST

START_TEST(the_rank_is_not_one_too_many_for_decimal_quantiles)
{
	/* 0.07 * 100 is 7.000000000000001 in binary, and there are more. */
	for (unsigned n = 10; n <= 100000; n *= 10) {
		pace_hist_reset(&h);
		for (unsigned i = 0; i < n && i < 255; i++)
			pace_hist_add_n(&h, i + 1, i < 254 && i < n - 1 ? 1 : n - i);
		for (unsigned k = 1; k < 100 && (uint64_t)k * n / 100 < 254; k++)
			if (k * n % 100 == 0)
				ck_assert_int_eq(pace_hist_quantile(&h,
				    k / 100.0), (int64_t)k * n / 100);
	}
}
END_TEST

START_TEST(a_quantile_is_the_middle_of_its_bin_inside_min_and_max)
{
	pace_hist_reset(&h);
	pace_hist_add_n(&h, 0, 10);
	pace_hist_add_n(&h, 10000, 10);
	pace_hist_add_n(&h, 20000, 1);
	ck_assert_int_eq(pace_hist_quantile(&h, 0.1), 0);
	ck_assert_int_eq(pace_hist_quantile(&h, 10 / 21.0), 0);
	ck_assert_int_eq(pace_hist_quantile(&h, 0.5), 10016);	/* [9984, 10048) */
	ck_assert_int_eq(pace_hist_quantile(&h, 0.99), 20000);	/* not 20032 */
	ck_assert_int_eq(pace_hist_quantile(&h, 0), 0);		/* outside (0, 1) */
	ck_assert_int_eq(pace_hist_quantile(&h, 1), 20000);
	ck_assert_int_eq(pace_hist_quantile(&h, (double)NAN), 0);
	pace_hist_reset(&h);
	pace_hist_add_n(&h, -10000, 5);
	ck_assert_int_eq(pace_hist_quantile(&h, 0.5), -10000);
}
END_TEST

static const struct { double q; uint64_t least; } wanted[] = {
	{ 0.5, 1 }, { 0.1, 1 }, { 0.9, 1 }, { 0.25, 1 }, { 0.01, 1000 },
	{ 0.05, 200 }, { 0.95, 200 }, { 0.99, 1000 }, { 0.999, 10000 },
	{ 0.9999, 100000 }, { 0.99999, 1000000 }, { 0.001, 10000 },
	{ 0.98, 500 }, { 0.91, 112 },
};

START_TEST(a_tail_quantile_wants_ten_values_beyond_it)
{
	ck_assert(pace_hist_has_quantile(wanted[_i].least, wanted[_i].q));
	ck_assert(!pace_hist_has_quantile(wanted[_i].least - 1, wanted[_i].q));
	ck_assert(!pace_hist_has_quantile(0, wanted[_i].q));
	ck_assert(pace_hist_has_quantile(UINT64_MAX, wanted[_i].q));
}
END_TEST

START_TEST(merging_is_adding_everything_to_one_in_any_order)
{
	uint64_t state = unit_first;
	struct pace_hist *part = malloc(3 * sizeof(*part));

	for (int round = 0; round < 50; round++) {
		pace_hist_reset(&h);
		for (int p = 0; p < 3; p++)
			pace_hist_reset(&part[p]);
		for (size_t k = rnd(&state) % 400; k > 0; k--) {
			int64_t v = any_value(&state);

			pace_hist_add(&h, v);
			pace_hist_add(&part[rnd(&state) % 3], v);
		}
		h2 = part[0];				/* (0 + 1) + 2 */
		pace_hist_merge(&h2, &part[1]);
		pace_hist_merge(&h2, &part[2]);
		h3 = part[2];				/* (2 + 1) + 0 */
		pace_hist_merge(&h3, &part[1]);
		pace_hist_merge(&h3, &part[0]);
		check_same_bins(&h, &h2);
		check_same_bins(&h, &h3);
		ck_assert_uint_eq(bin_total(&h2), h2.stats.n);
	}
	free(part);
}
END_TEST

START_TEST(adding_n_times_is_adding_one_by_one)
{
	uint64_t state = unit_first;

	pace_hist_reset(&h);
	pace_hist_reset(&h2);
	for (int i = 0; i < 300; i++) {
		int64_t v = any_value(&state);
		uint64_t n = rnd(&state) % 4;

		pace_hist_add_n(&h, v, n);
		while (n-- > 0)
			pace_hist_add(&h2, v);
	}
	check_same_bins(&h, &h2);
}
END_TEST

/* [9984, 10048) has the middle 10016; 3 stays 3. */
START_TEST(bins_move_by_their_middle_and_stats_exactly)
{
	pace_hist_reset(&h);
	pace_hist_reset(&h2);
	pace_hist_add_n(&h, 3, 2);
	pace_hist_add_n(&h, 10000, 5);
	pace_hist_add_n(&h, 20000, 1);
	pace_hist_add_n(&h2, -7, 4);
	pace_hist_add_shifted(&h2, &h, -10000);
	ck_assert_uint_eq(h2.neg[6], 4);
	ck_assert_uint_eq(h2.pos[16], 5);
	ck_assert_uint_eq(bin_total(&h2), 12);
	ck_assert_uint_eq(h2.stats.n, 12);
	ck_assert_int_eq(h2.stats.min, -9997);
	ck_assert_int_eq(h2.stats.max, 10000);
	ck_assert_double_eq_tol(pace_stats_mean(&h2.stats), (4 * -7 - 2 * 9997 + 10000) / 12.0,
	    1e-9);
	ck_assert_uint_eq(h2.clipped, 0);
	ck_assert_int_eq(pace_hist_quantile(&h2, 0.99), 10000);	/* not 10016 */
}
END_TEST

START_TEST(a_middle_beyond_the_extremes_moves_as_the_extreme)
{
	for (int64_t v = 9984; v < 10048; v++) {
		pace_hist_reset(&h);
		pace_hist_reset(&h2);
		pace_hist_add_n(&h, v, 3);
		pace_hist_add_shifted(&h2, &h, -9990);
		ck_assert_uint_eq((v < 9990 ? h2.neg : h2.pos)
		    [v < 9990 ? 9989 - v : v - 9990], 3);
	}
}
END_TEST

START_TEST(moving_by_nothing_is_merging_and_nothing_moves_nothing)
{
	uint64_t state = unit_first;

	pace_hist_reset(&h);
	pace_hist_reset(&h2);
	for (int i = 0; i < 2000; i++) {
		pace_hist_add(&h, any_value(&state));
		pace_hist_add(&h2, any_value(&state));
	}
	h3 = h2;
	pace_hist_merge(&h3, &h);
	pace_hist_add_shifted(&h2, &h, 0);
	ck_assert_int_eq(memcmp(&h2, &h3, sizeof(h2)), 0);
	pace_hist_reset(&h);
	pace_hist_add_shifted(&h2, &h, 12345);
	ck_assert_int_eq(memcmp(&h2, &h3, sizeof(h2)), 0);
}
END_TEST

/* Every count where the model puts it; the stats those of the moved values. */
START_TEST(random_moves_agree_with_moving_each_value)
{
	uint64_t state = unit_first;

	for (int round = 0; round < 200; round++) {
		int64_t by = any_value(&state) / 4, v[100], low, high, min, max;
		size_t n = 1 + rnd(&state) % 100;
		bool has_min = false, has_max = false;

		pace_hist_reset(&h);
		pace_hist_reset(&h2);
		pace_hist_reset(&h3);
		for (size_t i = 0; i < n; i++) {
			v[i] = any_value(&state) % (PACE_HIST_MAX / 2);
			pace_hist_add(&h, v[i]);
			pace_hist_add(&h2, v[i] + by);
		}
		min = h.stats.min;
		max = h.stats.max;
		pace_hist_add_shifted(&h3, &h, by);
		ck_assert_uint_eq(h3.stats.n, n);
		ck_assert_int_eq(h3.stats.min, h2.stats.min);
		ck_assert_int_eq(h3.stats.max, h2.stats.max);
		ck_assert_double_eq_tol(pace_stats_mean(&h3.stats),
		    pace_stats_mean(&h2.stats), 1e-3 + 1e-12 * fabs((double)by));
		ck_assert_double_eq_tol(pace_stats_stddev(&h3.stats),
		    pace_stats_stddev(&h2.stats),
		    1e-3 + 1e-9 * pace_stats_stddev(&h2.stats));
		pace_hist_reset(&h2);
		for (size_t i = 0; i < n; i++) {
			model_bin(v[i], &low, &high);
			low += (high - low) / 2;
			low = low < min ? min : low > max ? max : low;
			/* one of the lowest and one of the highest are known */
			if (v[i] == min && !has_min) {
				has_min = true;
				low = min;
			} else if (v[i] == max && !has_max) {
				has_max = true;
				low = max;
			}
			pace_hist_add(&h2, low + by);
		}
		ck_assert_int_eq(memcmp(h3.pos, h2.pos, sizeof(h.pos)), 0);
		ck_assert_int_eq(memcmp(h3.neg, h2.neg, sizeof(h.neg)), 0);
		ck_assert_uint_eq(h3.clipped, h2.clipped);
	}
}
END_TEST

START_TEST(what_moves_out_of_the_range_is_clipped_and_stays_counted)
{
	pace_hist_reset(&h);
	pace_hist_add_n(&h, 5, 2);
	pace_hist_add_n(&h, PACE_HIST_MAX + 1, 3);
	ck_assert_uint_eq(h.clipped, 3);
	pace_hist_reset(&h2);
	h2.clipped = 100;				/* its own */
	pace_hist_add_shifted(&h2, &h, -10);		/* may be in or out */
	ck_assert_uint_eq(h2.clipped, 103);
	pace_hist_reset(&h2);
	pace_hist_add_shifted(&h2, &h, PACE_HIST_MAX);	/* 5 as well */
	ck_assert_uint_eq(h2.clipped, 5);
	ck_assert_uint_eq(h2.pos[PACE_HIST_BINS - 1], 5);
	ck_assert_int_eq(h2.stats.max, 2 * PACE_HIST_MAX + 1);
}
END_TEST

START_TEST(moves_stop_at_the_ends_of_int64)
{
	static const struct { int64_t v, by, to; } at[] = {
		{ INT64_MAX, 1, INT64_MAX }, { INT64_MAX - 1, 1, INT64_MAX },
		{ INT64_MAX - 2, 1, INT64_MAX - 1 }, { 1, INT64_MAX, INT64_MAX },
		{ 0, INT64_MAX, INT64_MAX }, { -1, INT64_MAX, INT64_MAX - 1 },
		{ INT64_MAX, INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MAX, -1 },
		{ INT64_MIN, -1, INT64_MIN }, { INT64_MIN + 1, -1, INT64_MIN },
		{ INT64_MIN + 2, -1, INT64_MIN + 1 }, { -1, INT64_MIN, INT64_MIN },
		{ 0, INT64_MIN, INT64_MIN }, { 1, INT64_MIN, INT64_MIN + 1 },
		{ INT64_MIN, INT64_MIN, INT64_MIN }, { INT64_MAX, INT64_MIN, -1 },
	};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		pace_hist_reset(&h);
		pace_hist_reset(&h2);
		pace_hist_add(&h, at[i].v);
		pace_hist_add_shifted(&h2, &h, at[i].by);
		ck_assert_uint_eq(bin_total(&h2), 1);
		ck_assert_int_eq(h2.stats.min, at[i].to);
		ck_assert_int_eq(h2.stats.max, at[i].to);
		ck_assert_double_eq(pace_stats_mean(&h2.stats), (double)at[i].to);
	}
}
END_TEST

START_TEST(the_share_counts_whole_bins_by_their_middle)
{
	pace_hist_reset(&h);
	pace_hist_add_n(&h, -5, 1);
	pace_hist_add_n(&h, -1, 1);
	pace_hist_add_n(&h, 0, 2);
	pace_hist_add_n(&h, 4, 4);
	pace_hist_add_n(&h, 9984, 2);		/* [9984, 10048), middle 10016 */
	ck_assert_double_eq(pace_hist_share(&h, 0, 0), 0.2);
	ck_assert_double_eq(pace_hist_share(&h, 0, 1), 0.3);
	ck_assert_double_eq(pace_hist_share(&h, 0, 4), 0.7);
	ck_assert_double_eq(pace_hist_share(&h, 0, 5), 0.8);
	ck_assert_double_eq(pace_hist_share(&h, -3, 2), 0.2);
	ck_assert_double_eq(pace_hist_share(&h, 10000, 15), 0);
	ck_assert_double_eq(pace_hist_share(&h, 10000, 16), 0.2);
	ck_assert_double_eq(pace_hist_share(&h, 0, -1), 0);
	ck_assert_double_eq(pace_hist_share(&h, 0, INT64_MAX), 1);
	ck_assert_double_eq(pace_hist_share(&h, INT64_MIN, INT64_MAX), 0.2);
	ck_assert_double_eq(pace_hist_share(&h, INT64_MAX, INT64_MAX), 0.8);
}
END_TEST

START_TEST(the_lens_counts_below_inside_and_above)
{
	static const int64_t v[] = { 99, INT64_MIN, 100, 109, 110, 129, 130,
	    INT64_MAX };
	uint64_t *count = calloc(3, sizeof(*count));	/* exactly its bins */
	struct pace_linear_hist l = { .low = 100, .width = 10, .bins = 3, .count = count };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		pace_linear_hist_add(&l, v[i]);
	ck_assert_uint_eq(l.underflow, 2);
	ck_assert_uint_eq(l.overflow, 2);
	ck_assert_uint_eq(count[0], 2);
	ck_assert_uint_eq(count[1], 1);
	ck_assert_uint_eq(count[2], 1);
	free(count);
}
END_TEST

START_TEST(the_lens_reaches_from_one_end_of_the_range_to_the_other)
{
	uint64_t count[2] = { 0, 0 };
	struct pace_linear_hist l = { .low = INT64_MIN, .width = INT64_MAX, .bins = 2,
	    .count = count };
	struct pace_linear_hist none = { .low = 0, .width = 1 };

	pace_linear_hist_add(&l, INT64_MIN);
	pace_linear_hist_add(&l, -2);			/* MIN + MAX - 1 */
	pace_linear_hist_add(&l, -1);
	pace_linear_hist_add(&l, INT64_MAX);		/* MIN + 2 MAX + 1 */
	ck_assert_uint_eq(count[0], 2);
	ck_assert_uint_eq(count[1], 1);
	ck_assert_uint_eq(l.overflow, 1);
	pace_linear_hist_add(&none, -1);		/* no linear histogram: no array, no counts */
	pace_linear_hist_add(&none, 1);
	ck_assert_uint_eq(none.underflow + none.overflow, 0);
}
END_TEST

/* Return how many pages of a histogram of its own, which holds n merged values, are in memory. */
static size_t
pages_of_merged(int64_t from, int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (sizeof(h) + page - 1) / page, in = 0;
	struct pace_hist *own = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there[64] = { 0 };

	ck_assert_ptr_ne(own, MAP_FAILED);
	ck_assert_uint_le(pages, sizeof(there));
	pace_hist_reset(&h);
	for (int i = 0; i < n; i++)
		pace_hist_add(&h, from + i);
	pace_hist_merge(own, &h);
	ck_assert_uint_eq(own->stats.n, h.stats.n);
	ck_assert_int_eq(mincore(own, pages * page, there), 0);
	for (size_t i = 0; i < pages; i++)
		in += there[i] & 1;
	munmap(own, pages * page);
	return in;
}

/* Many streams have room because most bins of a histogram are empty (sparse.h). */
START_TEST(merging_takes_no_memory_for_empty_bins)
{
	ck_assert_uint_eq(pages_of_merged(0, 0), 1);
	ck_assert_uint_le(pages_of_merged(1000, 100), 3);	/* head, one octave */
	ck_assert_uint_le(pages_of_merged(-1000, 100), 3);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, an_empty_histogram_has_nothing_to_say);
	tcase_add_loop_test(tc, known_values_fall_in_typed_in_bins, 0,
	    (int)(sizeof(edges) / sizeof(edges[0])));
	tcase_add_test(tc, the_bins_above_zero_touch_and_go_back_in);
	tcase_add_test(tc, the_bins_below_zero_are_the_mirror);
	tcase_add_test(tc, all_bins_come_in_ascending_order_without_a_hole);
	tcase_add_loop_test(tc, what_is_not_one_of_our_bins_is_refused, 0,
	    (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, values_beyond_the_range_are_clipped_and_counted);
	tcase_add_test(tc, random_values_fall_in_the_models_bins);
	tcase_add_test(tc, quantiles_agree_with_a_sorted_array);
	tcase_add_test(tc, the_rank_is_not_one_too_many_for_decimal_quantiles);
	tcase_add_test(tc, a_quantile_is_the_middle_of_its_bin_inside_min_and_max);
	tcase_add_loop_test(tc, a_tail_quantile_wants_ten_values_beyond_it, 0,
	    (int)(sizeof(wanted) / sizeof(wanted[0])));
	tcase_add_test(tc, merging_is_adding_everything_to_one_in_any_order);
	tcase_add_test(tc, merging_takes_no_memory_for_empty_bins);
	tcase_add_test(tc, adding_n_times_is_adding_one_by_one);
	tcase_add_test(tc, bins_move_by_their_middle_and_stats_exactly);
	tcase_add_test(tc, a_middle_beyond_the_extremes_moves_as_the_extreme);
	tcase_add_test(tc, moving_by_nothing_is_merging_and_nothing_moves_nothing);
	tcase_add_test(tc, random_moves_agree_with_moving_each_value);
	tcase_add_test(tc, what_moves_out_of_the_range_is_clipped_and_stays_counted);
	tcase_add_test(tc, moves_stop_at_the_ends_of_int64);
	tcase_add_test(tc, the_share_counts_whole_bins_by_their_middle);
	tcase_add_test(tc, the_lens_counts_below_inside_and_above);
	tcase_add_test(tc, the_lens_reaches_from_one_end_of_the_range_to_the_other);
}

int
main(void)
{
	TCase *tc = tcase_create("hist");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	add_tests(tc);
	return unit_run_apart(tc, "hist");
}
