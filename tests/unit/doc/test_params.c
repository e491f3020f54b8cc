#include "doc/params.h"

#include <string.h>

#include "core/schedule.h"
#include "lib/unit.h"

#define SEC	INT64_C(1000000000)

/* By hand: slots at 0, s, 2s ... that lie before the end. */
static const struct {
	int64_t		spacing_ns, duration_ns;
	uint64_t	count, bursts;
	int64_t		gap_ns;
	uint64_t	frames;
	int64_t		all_ns;
} cases[] = {
	{ 1000000, 10 * SEC, 0, 1, 0, 10000, 10 * SEC },
	{ 1000000, 1, 0, 1, 0, 1, 1 },
	{ 1000000, 1000000, 0, 1, 0, 1, 1000000 },
	{ 1000000, 1000001, 0, 1, 0, 2, 1000001 },
	{ 3, SEC, 0, 1, 0, 333333334, SEC },
	{ 0, SEC, 0, 1, 0, 0, SEC },
	{ 0, 0, 500, 1, 0, 500, 0 },
	{ 20000, 0, 50000, 1, 0, 50000, SEC },
	{ 20000, 0, 50, 3, 25 * SEC, 150, 50 * SEC + 3000000 },
	{ 20000, 0, 1, 1, 77, 1, 20000 },
	{ 2 * SEC, 0, INT64_C(1000000000000), 1, 0, UINT64_C(1000000000000), 86400 * SEC },
};

START_TEST(slots_and_length_are_those_worked_out_by_hand)
{
	struct pace_params a = { .size_bytes = 1472, .train = 1,
	    .spacing = pace_spacing_from_ns(cases[_i].spacing_ns),
	    .duration_ns = cases[_i].duration_ns, .count = cases[_i].count,
	    .bursts = cases[_i].bursts, .burst_gap_ns = cases[_i].gap_ns };

	ck_assert_uint_eq(pace_params_frames(&a), cases[_i].frames);
	ck_assert_int_eq(pace_params_duration_ns(&a), cases[_i].all_ns);
}
END_TEST

/* What is omitted takes its time, and none of the duration. */
START_TEST(what_is_omitted_costs_its_time)
{
	struct pace_params a = { .size_bytes = 1472, .train = 1, .bursts = 1, .duration_ns = 10 * SEC,
	    .spacing = pace_spacing_from_ns(1000000), .grace_ns = SEC };
	int64_t cost_ns = pace_params_cost_ns(&a);

	a.omit_ns = 3 * SEC;
	ck_assert_int_eq(pace_params_cost_ns(&a), cost_ns + 3 * SEC);
	ck_assert_int_eq(pace_params_duration_ns(&a), 10 * SEC);
	ck_assert_uint_eq(pace_params_frames(&a), 10000);
	ck_assert_uint_eq(pace_params_omitted(&a), 3000);
}
END_TEST

START_TEST(a_rate_gives_its_spacing_and_comes_back)
{
	struct pace_params a = { .size_bytes = 1472 };

	a.spacing = pace_spacing_from_rate(1472, INT64_C(9500000000));
	ck_assert_double_eq_tol(pace_params_spacing_ns(&a), 1239.5789, 1e-4);
	ck_assert_double_eq_tol(pace_params_rate_bps(&a), 9.5e9, 10);
	a.spacing = 0;
	ck_assert_double_eq(pace_params_rate_bps(&a), 0);
}
END_TEST

/* 1472 B at 10 Mbit/s are 1177.6 us, 1252 B 1001.6 us: 999 frames of a second. */
START_TEST(a_smaller_size_keeps_the_rate)
{
	struct pace_params a = { .size_bytes = 1472, .rate_bps = 10000000, .duration_ns = SEC,
	    .bursts = 1, .record = { .room = 850, .whole = true },
	    .spacing = pace_spacing_from_rate(1472, 10000000) };
	struct pace_params b = a;

	pace_params_fit(&a, 1472);
	ck_assert(memcmp(&a, &b, sizeof(a)) == 0);
	pace_params_fit(&a, 1252);
	ck_assert_uint_eq(a.size_bytes, 1252);
	ck_assert_double_eq_tol(pace_params_spacing_ns(&a), 1001600, 1e-3);
	ck_assert_double_eq_tol(pace_params_rate_bps(&a), 10e6, 1e-3);
	ck_assert_uint_eq(pace_params_frames(&a), 999);
	ck_assert_uint_eq(a.record.room, 999);
	/* room for so many and no more, and a spacing that was asked for, stay */
	b.record.whole = false;
	b.rate_bps = 0;
	pace_params_fit(&b, 1252);
	ck_assert_double_eq_tol(pace_params_spacing_ns(&b), 1177600, 1e-3);
	ck_assert_uint_eq(b.record.room, 850);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ask");

	unit_seed(tc);
	tcase_add_loop_test(tc, slots_and_length_are_those_worked_out_by_hand, 0,
	    COUNT_OF(cases));
	tcase_add_test(tc, what_is_omitted_costs_its_time);
	tcase_add_test(tc, a_smaller_size_keeps_the_rate);
	tcase_add_test(tc, a_rate_gives_its_spacing_and_comes_back);
	return unit_run(tc, "ask");
}
