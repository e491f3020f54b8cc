/* repeats.h: medians and spreads against figures worked out by hand. */
#include "doc/repeats.h"

#include <math.h>
#include <stdlib.h>

#include "lib/unit.h"

static struct pace_repeats repeats;
static struct pace_point *pt;

static void
begin(void)
{
	repeats = (struct pace_repeats){ .v = NULL };
	pt = pace_point_new();
	ck_assert_ptr_nonnull(pt);
}

static void
end(void)
{
	pace_repeats_free(&repeats);
	pace_point_free(pt);
}

static void
run(uint32_t size, int us, double bps, uint64_t unique, uint64_t lost)
{
	pt->ask.size_bytes = size;
	pt->ask.spacing = (uint64_t)us * 1000 << 32;
	pt->has_rx = true;
	pt->rx.wire_rate_bps = bps;
	pt->rx.user_rate_bps = bps / 2;
	pt->rx.unique = unique;
	pt->rx.lost = lost;
	ck_assert_int_eq(pace_repeats_add(&repeats, pt), 0);
}

START_TEST(medians_and_ends_are_those_of_the_runs)
{
	struct pace_repeated *g;
	size_t n;

	run(1472, 10, 30e6, 90, 10);
	run(64, 10, 5e6, 100, 0);
	run(1472, 10, 10e6, 100, 0);
	run(1472, 20, 7e6, 100, 0);
	run(1472, 10, 20e6, 50, 50);
	run(64, 10, 6e6, 100, 0);
	run(64, 10, 0, 0, 100);			/* nothing arrived: no rate, all lost */
	pt->interrupted = true;
	run(64, 10, 1, 1, 99);			/* not a run */
	pt->interrupted = false;
	pt->has_rx = false;
	ck_assert_int_eq(pace_repeats_add(&repeats, pt), 0);
	g = pace_repeats_group(&repeats, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert(g[0].size_bytes == 64 && g[0].runs == 3);
	ck_assert(g[0].wire_bps.n == 2 && fabs(g[0].wire_bps.mid - 5.5e6) < 1);
	ck_assert(fabs(g[0].user_bps.high - 3e6) < 1);
	ck_assert(g[0].loss.n == 3 && g[0].loss.mid <= 0 && g[0].loss.high >= 1);
	ck_assert(g[0].reordered.n == 2 && g[0].gap_p99_ns.n == 0);
	ck_assert(g[1].size_bytes == 1472 && g[1].spacing == UINT64_C(10000) << 32 &&
	    g[1].runs == 3);
	ck_assert(fabs(g[1].wire_bps.mid - 20e6) < 1 && fabs(g[1].wire_bps.low - 10e6) < 1 &&
	    fabs(g[1].wire_bps.high - 30e6) < 1);
	ck_assert(fabs(g[1].loss.mid - 0.1) < 1e-12 && fabs(g[1].loss.high - 0.5) < 1e-12);
	ck_assert(g[2].runs == 1 && g[2].spacing == UINT64_C(20000) << 32);
	free(g);
}
END_TEST

START_TEST(code_points_are_points_of_their_own)
{
	struct pace_repeated *g;
	size_t n;

	for (uint32_t d = 0; d < 4; d++) {
		pt->ask.dscp = d % 2 * 46;
		run(100, 10, 1e6 * (d + 1), 100, 0);
	}
	g = pace_repeats_group(&repeats, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert(g[0].dscp == 0 && fabs(g[0].wire_bps.mid - 2e6) < 1);
	ck_assert(g[1].dscp == 46 && fabs(g[1].wire_bps.mid - 3e6) < 1);
	free(g);
}
END_TEST

START_TEST(what_no_run_tells_is_null)
{
	json_t *j, *first;

	run(64, 10, 0, 0, 100);
	j = pace_repeats_to_json(&repeats);
	first = json_array_get(j, 0);
	ck_assert(json_is_null(json_object_get(first, "wire_rate_bps")));
	ck_assert(json_is_null(json_object_get(first, "gap_p99_ns")));
	ck_assert(json_number_value(json_object_get(json_object_get(first, "loss_ratio"),
	    "median")) >= 1);
	json_decref(j);
	pace_repeats_free(&repeats);
	j = pace_repeats_to_json(&repeats);
	ck_assert(json_is_array(j) && json_array_size(j) == 0);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("repeats");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, medians_and_ends_are_those_of_the_runs);
	tcase_add_test(tc, code_points_are_points_of_their_own);
	tcase_add_test(tc, what_no_run_tells_is_null);
	return unit_run(tc, "repeats");
}
