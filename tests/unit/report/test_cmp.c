/* cmp.h: what both runs have, what only one has, and their ratio. */
#include "report/cmp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static struct pace_stream_point point[2][8];
static struct pace_rtt_point trip[2][4];
static struct pace_run run[2];
static struct pace_cmp c;

static void
setup(void)
{
	memset(point, 0, sizeof(point));
	memset(trip, 0, sizeof(trip));
	memset(run, 0, sizeof(run));
	for (int i = 0; i < 2; i++) {
		run[i].point = point[i];
		run[i].trip = trip[i];
	}
}

static void
teardown(void)
{
	pace_cmp_free(&c);
	pace_cmp_free(&c);			/* twice is allowed */
}

static void
stream(int which, uint32_t size, uint64_t spacing_ns, double rate)
{
	struct pace_stream_point *l = &point[which][run[which].n];

	l->index = run[which].n++;
	l->ask.size_bytes = size;
	l->ask.spacing = spacing_ns << 32;
	l->has_rx = true;
	l->tx.frames = 1000;
	l->rx.unique = 1000;
	l->rx.user_rate_bps = rate;
	l->rx.wire_rate_bps = rate;
}

static void
round_trip(int which, uint32_t size)
{
	trip[which][run[which].trips++].ask.size_bytes = size;
}

START_TEST(empty_runs_have_nothing)
{
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.n + c.trips + c.both + c.only_a + c.only_b, 0);
}
END_TEST

/* Order and place of A and B in it do not matter. */
START_TEST(streams_are_paired_by_size_and_spacing)
{
	stream(0, 1472, 20000, 4e6);
	stream(0, 64, 10000, 1e6);
	stream(0, 64, 15000, 2e6);
	stream(1, 64, 10000, 3e6);
	stream(1, 64, 0, 9e6);
	stream(1, 1472, 20000, 2e6);
	stream(1, 1473, 20000, 2e6);
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.n, 5);
	ck_assert_uint_eq(c.both, 2);
	ck_assert_uint_eq(c.only_a, 1);
	ck_assert_uint_eq(c.only_b, 2);
	ck_assert(c.pair[0].size_bytes == 64 && c.pair[0].spacing_ns <= 0);
	ck_assert(c.pair[0].a == NULL && c.pair[0].b != NULL);
	ck_assert(c.pair[1].a != NULL && c.pair[1].b != NULL);
	ck_assert_double_eq(c.pair[1].a->wire_bps.mid, 1e6);
	ck_assert_double_eq(c.pair[1].b->wire_bps.mid, 3e6);
	ck_assert(c.pair[2].b == NULL && c.pair[2].a->wire_bps.mid >= 2e6);
	ck_assert(c.pair[3].size_bytes == 1472 && c.pair[3].a != NULL && c.pair[3].b != NULL);
	ck_assert(c.pair[4].size_bytes == 1473 && c.pair[4].a == NULL);
}
END_TEST

START_TEST(repetitions_are_one_cell)
{
	for (int i = 0; i < 3; i++)
		stream(0, 64, 10000, (i + 1) * 1e6);
	stream(1, 64, 10000, 4e6);
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.n, 1);
	ck_assert_uint_eq(c.both, 1);
	ck_assert_double_eq(c.pair[0].a->wire_bps.mid, 2e6);
}
END_TEST

START_TEST(code_points_are_kept_apart)
{
	stream(0, 64, 10000, 1e6);
	stream(1, 64, 10000, 1e6);
	point[0][0].ask.dscp = 46;
	point[1][0].ask.dscp = 0;
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.both, 0);
	ck_assert_uint_eq(c.only_a, 1);
	ck_assert_uint_eq(c.only_b, 1);
}
END_TEST

START_TEST(numbers_of_streams_ascend)
{
	static const uint32_t streams[2][3] = { { 4, 1, 2 }, { 1, 2, 8 } };

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 3; i++) {
			stream(side, 64, 10000, 1e6);
			point[side][i].ask.streams = streams[side][i];
		}
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.n, 4);
	ck_assert_uint_eq(c.both, 2);
	for (size_t i = 0; i < c.n; i++)
		ck_assert_uint_eq(c.pair[i].streams, (uint32_t)1 << i);
	ck_assert(c.pair[2].b == NULL && c.pair[3].a == NULL);
}
END_TEST

START_TEST(round_trips_are_paired_by_size)
{
	round_trip(0, 128);
	round_trip(0, 64);
	round_trip(0, 64);
	round_trip(1, 64);
	round_trip(1, 1472);
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_uint_eq(c.trips, 3);
	ck_assert_uint_eq(c.both, 1);
	ck_assert_uint_eq(c.only_a, 1);
	ck_assert_uint_eq(c.only_b, 1);
	ck_assert_uint_eq(c.trip[0].size_bytes, 64);
	ck_assert_ptr_eq(c.trip[0].a, &trip[0][1]);	/* the first of two */
	ck_assert_ptr_eq(c.trip[0].b, &trip[1][0]);
	ck_assert_ptr_null(c.trip[1].b);
	ck_assert_ptr_null(c.trip[2].a);
}
END_TEST

/* One frame's delay more in a repetition; the histogram's bins are exact below 256 ns. */
static void
delay(struct pace_stream_point *p, int64_t ns, double error_ns)
{
	struct pace_hist *h = calloc(1, sizeof(*h));

	ck_assert_ptr_nonnull(h);
	pace_hist_reset(h);
	for (int i = 0; i < 9; i++)
		pace_hist_add(h, ns);
	ck_assert_int_eq(pace_bins_copy(&p->rx.owd, h), 0);
	free(h);
	p->rx.has_owd = true;
	p->clock.fit.uncertainty_ns = error_ns;
}

START_TEST(delays_are_the_median_of_repetitions_and_their_error_the_worst)
{
	for (int i = 0; i < 4; i++)
		stream(0, 64, 10000, 1e6);
	stream(1, 64, 10000, 1e6);
	delay(&point[0][0], 100, 20);
	delay(&point[0][1], 200, 30);
	delay(&point[0][2], 120, 10);		/* the fourth has none */
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert_double_eq_tol(pace_cmp_delay(c.pair[0].a, 0.5), 0.12, 1e-9);
	ck_assert_double_eq_tol(pace_cmp_delay_error(c.pair[0].a), 0.03, 1e-9);
	ck_assert(isnan(pace_cmp_delay(c.pair[0].b, 0.5)));
	ck_assert(isnan(pace_cmp_delay_error(c.pair[0].b)));
	ck_assert(isnan(pace_cmp_delay(NULL, 0.5)));
	point[0][0].owd_relative = point[0][2].owd_relative = true;	/* to clocks that are not known */
	ck_assert_double_eq_tol(pace_cmp_delay(c.pair[0].a, 0.5), 0.2, 1e-9);
	ck_assert_double_eq_tol(pace_cmp_delay_error(c.pair[0].a), 0.03, 1e-9);
	point[0][1].owd_relative = true;
	ck_assert(isnan(pace_cmp_delay(c.pair[0].a, 0.5)));
	ck_assert(isnan(pace_cmp_delay_error(c.pair[0].a)));
	for (int i = 0; i < 3; i++)
		pace_bins_free(&point[0][i].rx.owd);
}
END_TEST

START_TEST(a_ratio_is_of_two_that_are_known)
{
	ck_assert_double_eq(pace_cmp_ratio(2, 3), 1.5);
	ck_assert_double_eq(pace_cmp_ratio(2, 0), 0);
	ck_assert(isnan(pace_cmp_ratio(0, 3)));
	ck_assert(isnan(pace_cmp_ratio(NAN, 3)));
	ck_assert(isnan(pace_cmp_ratio(2, NAN)));
	ck_assert(isnan(pace_cmp_ratio(2, INFINITY)));
}
END_TEST

/* One number in each run: aggregates are compared; otherwise only equal numbers. */
START_TEST(numbers_of_streams_are_kept_apart_unless_each_run_has_one)
{
	stream(0, 64, 10000, 1e6);
	stream(1, 64, 10000, 3e6);
	point[1][0].ask.streams = 4;
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert(c.n == 1 && c.both == 1 && c.streams_a == 1 && c.streams_b == 4);
	pace_cmp_free(&c);
	stream(0, 64, 10000, 2e6);
	point[0][1].ask.streams = 4;
	stream(0, 64, 10000, 9e6);
	point[0][2].ask.streams = 8;
	ck_assert_int_eq(pace_cmp_make(&c, &run[0], &run[1]), 0);
	ck_assert(c.n == 3 && c.both == 1 && c.only_a == 2 && c.streams_a == 0);
	ck_assert(c.pair[1].streams == 4 && c.pair[1].a != NULL && c.pair[1].b != NULL);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cmp");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, empty_runs_have_nothing);
	tcase_add_test(tc, streams_are_paired_by_size_and_spacing);
	tcase_add_test(tc, repetitions_are_one_cell);
	tcase_add_test(tc, code_points_are_kept_apart);
	tcase_add_test(tc, numbers_of_streams_ascend);
	tcase_add_test(tc, round_trips_are_paired_by_size);
	tcase_add_test(tc, delays_are_the_median_of_repetitions_and_their_error_the_worst);
	tcase_add_test(tc, a_ratio_is_of_two_that_are_known);
	tcase_add_test(tc, numbers_of_streams_are_kept_apart_unless_each_run_has_one);
	return unit_run(tc, "cmp");
}
