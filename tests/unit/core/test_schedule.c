/* schedule.h: no drift, bursts, and when it shifts. */
#include "core/schedule.h"

#include <stdbool.h>

#include "lib/unit.h"

typedef unsigned __int128 u128;

#define T0	INT64_C(1000000000000)
#define NS	(UINT64_C(1) << 32)		/* of spacing */

/* Where frame k belongs, by multiplication. */
static int64_t
slot_ns(uint64_t spacing, uint64_t k, uint64_t burst, int64_t gap_ns)
{
	int64_t t = T0 + (int64_t)((u128)spacing * k >> 32);

	return burst > 0 ? t + (int64_t)(k / burst) * gap_ns : t;
}

/* A schedule as it stands at frame k. */
static struct pace_schedule
at_frame(uint64_t spacing, uint64_t k)
{
	struct pace_schedule s;

	pace_schedule_start(&s, T0, spacing, 0, 0);
	s.k = k;
	s.due_ns = slot_ns(spacing, k, 0, 0);
	s.frac = (uint32_t)((u128)spacing * k);
	return s;
}

START_TEST(whole_nanoseconds_go_to_fixed_point_and_back)
{
	static const int64_t ns[] = { 0, 1, 700, 10000, 1999999999, 2000000000 };

	for (int i = 0; i < COUNT_OF(ns); i++) {
		ck_assert_uint_eq(pace_spacing_from_ns(ns[i]), (uint64_t)ns[i] << 32);
		ck_assert_int_eq(pace_spacing_ns((uint64_t)ns[i] << 32), ns[i]);
	}
	ck_assert_uint_eq(pace_spacing_from_ns(-1), 0);
	ck_assert_uint_eq(pace_spacing_from_ns(INT64_MIN), 0);
	ck_assert_uint_eq(pace_spacing_from_ns(2000000001), UINT64_C(2000000000) << 32);
	ck_assert_uint_eq(pace_spacing_from_ns(INT64_MAX), UINT64_C(2000000000) << 32);
}
END_TEST

START_TEST(a_fraction_is_rounded_half_up)
{
	ck_assert_int_eq(pace_spacing_ns(NS / 2 - 1), 0);
	ck_assert_int_eq(pace_spacing_ns(NS / 2), 1);
	ck_assert_int_eq(pace_spacing_ns(7 * NS + NS / 2 - 1), 7);
	ck_assert_int_eq(pace_spacing_ns(7 * NS + NS / 2), 8);
	ck_assert_int_eq(pace_spacing_ns(UINT64_MAX), INT64_C(1) << 32);
}
END_TEST

static const struct {
	uint32_t size;
	int64_t	rate;
	uint64_t spacing;
} known_rates[] = {
	{ 1250, 1000000000, 10000 * NS },
	{ 1538, 10000000000, 1230 * NS + 1717986918 },	/* 0.4 * 2^32 = ..918.4 */
	{ 1, 3000000000, 2 * NS + 2863311531 },		/* 2/3 * 2^32 = ..530.67 */
	{ 1, 6000000000, 1 * NS + 1431655765 },		/* 1/3 * 2^32 = ..765.33 */
	{ 250, 1, 0 },			/* 2000 s */
	{ 1250, 5000, UINT64_C(2000000000) * NS },	/* the largest */
	{ 1250, 4999, 0 },		/* just above it */
	{ 1250, 0, 0 }, { 1250, -1, 0 }, { 0, 1000, 0 },
	{ 1, INT64_C(1) << 45, 976563 },		/* 5^9 / 2, a tie */
	{ 1, INT64_MAX, 4 },		/* 8e9 * 2^32 / 2^63 = 3.73 */
	{ 65507, INT64_MAX, 244033 },	/* 65507 times that, 244032.6 */
	{ UINT32_C(1) << 31, 100000000000, UINT64_C(171798691) * NS + 3607772529 },
	{ (UINT32_C(1) << 31) + 1, INT64_MAX, 0 },
};

START_TEST(the_spacing_of_a_rate_is_exact_to_the_last_place)
{
	ck_assert_uint_eq(pace_spacing_from_rate(known_rates[_i].size,
	    known_rates[_i].rate), known_rates[_i].spacing);
}
END_TEST

START_TEST(random_rates_agree_with_wide_arithmetic)
{
	for (int i = 0; i < 20000; i++) {
		uint32_t size = (uint32_t)unit_between(1, 65507);
		uint64_t rate = (unit_rnd_any_size() >> 1) + 1;
		u128 want = (((u128)size * 8000000000u << 33) / rate + 1) >> 1;

		if (rate > INT64_MAX)
			continue;
		if (want > (u128)PACE_SPACING_MAX_NS << 32)
			want = 0;
		ck_assert_uint_eq(pace_spacing_from_rate(size, (int64_t)rate),
		    (uint64_t)want);
	}
}
END_TEST

START_TEST(the_first_frame_is_due_at_the_start)
{
	struct pace_schedule s;

	pace_schedule_start(&s, T0, 10000 * NS, 0, 0);
	ck_assert_int_eq(s.due_ns, T0);
	ck_assert_uint_eq(s.k, 0);
	ck_assert_int_eq(pace_schedule_depart(&s, T0), 0);
	pace_schedule_advance(&s);
	ck_assert_int_eq(s.due_ns, T0 + 10000);
	ck_assert_uint_eq(s.k, 1);
	ck_assert_uint_eq(s.schedule_shifts, 0);
	ck_assert_int_eq(s.schedule_shifted_ns, 0);
}
END_TEST

static const uint64_t spacings[] = {
	1, NS - 1, NS, NS + 1, NS + NS / 3, 1230 * NS + 1717986918,
	10000 * NS, 7 * NS + NS - 1, UINT64_C(2000000000) * NS,
};

/* Each step is exact, so all of them are; the stretches around frame 10^9,
 * 2^32 and 10^12 see that no field wraps there. */
START_TEST(the_schedule_does_not_drift)
{
	static const uint64_t from[] = { 0, 999950000, 4294967290, 1000000000000 };
	uint64_t spacing = spacings[_i];

	for (int i = 0; i < COUNT_OF(from); i++) {
		struct pace_schedule s = at_frame(spacing, from[i]);

		if ((u128)spacing * (from[i] + 100000) >> 95 != 0)
			continue;		/* beyond the clock's 63 bits */
		for (uint64_t k = from[i]; k < from[i] + 100000; k++) {
			if (s.due_ns != slot_ns(spacing, k, 0, 0) || s.k != k)
				ck_abort_msg("frame %llu", (unsigned long long)k);
			pace_schedule_advance(&s);
		}
	}
}
END_TEST

START_TEST(a_third_of_a_nanosecond_carries_every_third_frame)
{
	uint64_t third = (NS + 2) / 3;		/* rounded up, so that 3 make 1 */
	struct pace_schedule s;

	pace_schedule_start(&s, T0, third, 0, 0);
	for (int i = 1; i <= 300; i++) {
		pace_schedule_advance(&s);
		ck_assert_int_eq(s.due_ns, T0 + i / 3);
	}
}
END_TEST

/* Loop test: _i frames a burst. */
START_TEST(a_gap_follows_every_burst)
{
	uint64_t spacing = 1230 * NS + 1717986918, burst = (uint64_t)_i;
	struct pace_schedule s;

	pace_schedule_start(&s, T0, spacing, burst, 50000);
	for (uint64_t k = 0; k < 1000; k++) {
		ck_assert_int_eq(s.due_ns, slot_ns(spacing, k, burst, 50000));
		ck_assert_int_eq(pace_schedule_depart(&s, s.due_ns), 0);
		pace_schedule_advance(&s);
	}
}
END_TEST

/* How late, in ns, and whether that shifts; the frame before was the k-th. */
static const struct {
	uint64_t spacing, k;
	int64_t late_ns;
	bool	shifts;
} slip_cases[] = {
	{ 10000 * NS, 5, 0, false },
	{ 10000 * NS, 5, 1, false },
	{ 10000 * NS, 5, 1000000, false },		/* exactly 1 ms */
	{ 10000 * NS, 5, 1000001, true },
	{ 124999 * NS, 5, 1000000, false },
	{ 124999 * NS, 5, 1000001, true },
	{ 125000 * NS, 5, 1000000, false },		/* both limits at once */
	{ 125000 * NS, 5, 1000001, true },
	{ 200000 * NS, 5, 1600000, false },		/* exactly 8 spacings */
	{ 200000 * NS, 5, 1600001, true },
	{ UINT64_C(2000000000) * NS, 1, INT64_C(16000000000), false },
	{ UINT64_C(2000000000) * NS, 1, INT64_C(16000000001), true },
	{ 1, 0, 1000000, false }, { 1, 0, 1000001, true },
	{ 10000 * NS, 5, INT64_C(1) << 61, true },
	{ 10000 * NS, 5, -1, false },			/* early: against the contract, */
	{ 10000 * NS, 5, -90000, false },		/* and harmless */
};

START_TEST(the_schedule_slips_beyond_the_limit_and_not_at_it)
{
	struct pace_schedule s = at_frame(slip_cases[_i].spacing, slip_cases[_i].k);
	int64_t due = s.due_ns, late = slip_cases[_i].late_ns;
	bool slips = slip_cases[_i].shifts;

	ck_assert_int_eq(pace_schedule_depart(&s, due + late), late);
	ck_assert_uint_eq(s.schedule_shifts, slips);
	ck_assert_int_eq(s.schedule_shifted_ns, slips ? late : 0);
	ck_assert_int_eq(s.due_ns, slips ? due + late : due);
	ck_assert_uint_eq(s.k, slip_cases[_i].k);
}
END_TEST

START_TEST(a_slip_moves_all_that_follows_and_is_summed)
{
	uint64_t spacing = 10000 * NS + NS / 3;
	struct pace_schedule s;
	int64_t slipped = 0;

	pace_schedule_start(&s, T0, spacing, 0, 0);
	for (uint64_t k = 0; k < 10000; k++) {
		int64_t due = slot_ns(spacing, k, 0, 0) + slipped;
		int64_t late = k % 97 == 0 ? 2000000 : 17;

		ck_assert_int_eq(s.due_ns, due);
		ck_assert_int_eq(pace_schedule_depart(&s, due + late), late);
		if (late > 1000000)
			slipped += late;
		pace_schedule_advance(&s);
	}
	ck_assert_uint_eq(s.schedule_shifts, 104);	/* ceil(10000 / 97) */
	ck_assert_int_eq(s.schedule_shifted_ns, slipped);
}
END_TEST

START_TEST(an_overdue_frame_within_the_limit_is_caught_up)
{
	struct pace_schedule s;

	pace_schedule_start(&s, T0, 10000 * NS, 0, 0);
	for (int k = 0; k <= 7; k++) {		/* all sent at one late moment */
		ck_assert_int_eq(pace_schedule_depart(&s, T0 + 75000), 75000 - k * 10000);
		pace_schedule_advance(&s);
	}
	ck_assert_int_eq(s.due_ns, T0 + 80000);
	ck_assert_uint_eq(s.schedule_shifts, 0);
}
END_TEST

START_TEST(burst_never_slips_and_slip_nearly_always_does)
{
	struct pace_schedule b = at_frame(16000 * NS, 5), s = b;

	b.catch_up = PACE_CATCH_BURST;
	ck_assert_int_eq(pace_schedule_depart(&b, b.due_ns + INT64_C(5000000000)),
	    INT64_C(5000000000));
	ck_assert_uint_eq(b.schedule_shifts, 0);
	s.catch_up = PACE_CATCH_SLIP;
	ck_assert_int_eq(pace_schedule_depart(&s, s.due_ns + 1000), 1000);
	ck_assert_uint_eq(s.schedule_shifts, 0);		/* a sixteenth is not too far */
	ck_assert_int_eq(pace_schedule_depart(&s, s.due_ns + 1001), 1001);
	ck_assert_uint_eq(s.schedule_shifts, 1);
	ck_assert_int_eq(s.schedule_shifted_ns, 1001);
}
END_TEST

/* How late, of slots of 10 us, and how many have passed. */
static const struct { int64_t late_ns; uint64_t skipped; int64_t rest_ns; } skips[] = {
	{ 0, 0, 0 }, { 9999, 0, 9999 }, { 10001, 1, 1 }, { 19999, 1, 9999 },
	{ 20002, 2, 2 }, { 1000100, 100, 100 },
};

START_TEST(slots_that_have_passed_are_skipped)
{
	struct pace_schedule s = at_frame(10000 * NS, 5);
	int64_t due = s.due_ns;

	s.catch_up = PACE_CATCH_SKIP;
	ck_assert_int_eq(pace_schedule_depart(&s, due + skips[_i].late_ns), skips[_i].rest_ns);
	ck_assert_uint_eq(s.skipped, skips[_i].skipped);
	ck_assert_uint_eq(s.schedule_shifts, 0);
	pace_schedule_advance(&s);
	ck_assert_int_eq(s.due_ns, due + (int64_t)(skips[_i].skipped + 1) * 10000);
}
END_TEST

START_TEST(no_slot_behind_the_end_of_a_burst_is_skipped)
{
	struct pace_schedule s;

	pace_schedule_start(&s, T0, 10000 * NS, 8, 5000000);
	s.catch_up = PACE_CATCH_SKIP;
	pace_schedule_advance(&s);
	/* The second frame, 300 us late: slots 1 to 6 go, 7 is sent, then the gap. */
	pace_schedule_depart(&s, T0 + 310000);
	ck_assert_uint_eq(s.skipped, 6);
	pace_schedule_advance(&s);
	ck_assert_int_eq(s.due_ns, T0 + 80000 + 5000000);
}
END_TEST

START_TEST(without_spacing_every_frame_is_due_at_once_and_never_late)
{
	struct pace_schedule s;
	int64_t now = T0;

	pace_schedule_start(&s, T0, 0, 0, 0);
	for (int k = 0; k < 1000; k++) {
		now += unit_between(0, 3000000);
		ck_assert_int_le(s.due_ns, now);
		ck_assert_int_eq(pace_schedule_depart(&s, now), 0);
		pace_schedule_advance(&s);
		ck_assert_int_eq(s.due_ns, now);
	}
	ck_assert_uint_eq(s.k, 1000);
	ck_assert_uint_eq(s.schedule_shifts, 0);
	ck_assert_int_eq(s.schedule_shifted_ns, 0);
}
END_TEST

START_TEST(without_spacing_the_gap_runs_from_the_last_frame_of_the_burst)
{
	struct pace_schedule s;
	int64_t now = T0;

	pace_schedule_start(&s, T0, 0, 4, 1000);
	for (int k = 1; k <= 100; k++) {
		now = (s.due_ns > now ? s.due_ns : now) + 300;	/* a frame takes 300 ns */
		ck_assert_int_eq(pace_schedule_depart(&s, now), 0);
		pace_schedule_advance(&s);
		ck_assert_int_eq(s.due_ns, k % 4 == 0 ? now + 1000 : now);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("schedule");

	unit_seed(tc);
	tcase_add_test(tc, whole_nanoseconds_go_to_fixed_point_and_back);
	tcase_add_test(tc, a_fraction_is_rounded_half_up);
	tcase_add_loop_test(tc, the_spacing_of_a_rate_is_exact_to_the_last_place, 0,
	    COUNT_OF(known_rates));
	tcase_add_test(tc, random_rates_agree_with_wide_arithmetic);
	tcase_add_test(tc, the_first_frame_is_due_at_the_start);
	tcase_add_loop_test(tc, the_schedule_does_not_drift, 0, COUNT_OF(spacings));
	tcase_add_test(tc, a_third_of_a_nanosecond_carries_every_third_frame);
	tcase_add_loop_test(tc, a_gap_follows_every_burst, 1, 9);
	tcase_add_loop_test(tc, the_schedule_slips_beyond_the_limit_and_not_at_it, 0,
	    COUNT_OF(slip_cases));
	tcase_add_test(tc, a_slip_moves_all_that_follows_and_is_summed);
	tcase_add_test(tc, an_overdue_frame_within_the_limit_is_caught_up);
	tcase_add_test(tc, burst_never_slips_and_slip_nearly_always_does);
	tcase_add_loop_test(tc, slots_that_have_passed_are_skipped, 0, COUNT_OF(skips));
	tcase_add_test(tc, no_slot_behind_the_end_of_a_burst_is_skipped);
	tcase_add_test(tc, without_spacing_every_frame_is_due_at_once_and_never_late);
	tcase_add_test(tc, without_spacing_the_gap_runs_from_the_last_frame_of_the_burst);
	return unit_run(tc, "schedule");
}
