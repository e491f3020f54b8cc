/* clockmap.h: stamps of a slewed and stepped clock come back as they were. */
#include "core/clockmap.h"

#include <stdbool.h>

#include "lib/unit.h"

#define REAL	INT64_C(1790000000000000000)	/* a wall clock of this century */
#define RAW	INT64_C(5000000000000)
#define MS	INT64_C(1000000)
#define FAR	(INT64_C(1) << 62)

static struct pace_clockmap
two_pairs(int64_t real0, int64_t raw0, int64_t real1, int64_t raw1)
{
	struct pace_clockmap m;

	pace_clockmap_reset(&m);
	pace_clockmap_pair(&m, real0, raw0);
	pace_clockmap_pair(&m, real1, raw1);
	return m;
}

START_TEST(one_pair_is_an_offset)
{
	struct pace_clockmap m;

	pace_clockmap_reset(&m);
	pace_clockmap_pair(&m, REAL, RAW);
	ck_assert_uint_eq(m.pairs, 1);
	ck_assert_uint_eq(m.steps, 0);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL), RAW);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 12345), RAW + 12345);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL - 12345), RAW - 12345);
}
END_TEST

START_TEST(reset_forgets_everything)
{
	struct pace_clockmap m = two_pairs(1, 2, FAR, 4), fresh = { 0 };

	pace_clockmap_reset(&m);
	ck_assert_mem_eq(&m, &fresh, sizeof(m));
}
END_TEST

/* The wall clock runs 500 ppm fast (_i = 0) or slow (1): 20 ms of it are
 * 19990 or 20010 us of the other. */
START_TEST(a_slewed_clock_is_straightened)
{
	int64_t d = _i == 0 ? -10000 : 10000;
	struct pace_clockmap m = two_pairs(REAL, RAW, REAL + 20 * MS, RAW + 20 * MS + d);

	ck_assert_uint_eq(m.steps, 0);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL), RAW);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 5 * MS), RAW + 5 * MS + d / 4);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 10 * MS), RAW + 10 * MS + d / 2);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 20 * MS), RAW + 20 * MS + d);
	/* outside, with the same slope */
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 60 * MS), RAW + 60 * MS + 3 * d);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL - 20 * MS), RAW - 20 * MS - d);
}
END_TEST

START_TEST(the_map_is_continuous_where_pairs_meet)
{
	struct pace_clockmap m;
	int64_t real = REAL, raw = RAW;

	pace_clockmap_reset(&m);
	pace_clockmap_pair(&m, real, raw);
	for (int i = 0; i < 5000; i++) {
		int64_t dt = unit_between(5 * MS, 100 * MS);
		int64_t before = pace_clockmap_raw(&m, real);

		ck_assert_int_eq(before, raw);
		pace_clockmap_pair(&m, real + dt, raw + dt +
		    unit_between(-dt / 2000, dt / 2000));
		ck_assert_int_eq(pace_clockmap_raw(&m, real), raw);
		real = m.real1;
		raw = m.raw1;
		ck_assert_int_eq(pace_clockmap_raw(&m, real), raw);
		/* one ns to either side is one ns, rounding apart */
		ck_assert_int_le(llabs(pace_clockmap_raw(&m, real - 1) - raw + 1), 1);
		ck_assert_int_le(llabs(pace_clockmap_raw(&m, real + 1) - raw - 1), 1);
	}
	ck_assert_uint_eq(m.steps, 0);
}
END_TEST

/* Two pairs: RAW + (real - REAL) (dt + drift) / dt, in 128 bits; outside close
 * ones with slope 1 from the nearer. */
static int64_t
model(int64_t dt, int64_t drift, int64_t real)
{
	int64_t at = real - REAL;

	if (dt < 2 * MS && at < 0)
		return RAW + at;
	if (dt < 2 * MS && at >= dt)
		return RAW + at + drift;
	return RAW + (int64_t)((__int128)at * (dt + drift) / dt);
}

START_TEST(random_stamps_agree_with_the_formula)
{
	for (int i = 0; i < 20000; i++) {
		int64_t dt = unit_between(2000, INT64_C(100000) * MS), real;
		int64_t drift = unit_between(-dt / 2000, dt / 2000);
		struct pace_clockmap m = two_pairs(REAL, RAW, REAL + dt, RAW + dt + drift);

		real = REAL + unit_between(-10 * dt, 11 * dt);
		if (m.steps > 0 ||
		    llabs(pace_clockmap_raw(&m, real) - model(dt, drift, real)) > 1)
			ck_abort_msg("dt %lld, drift %lld, stamp %lld", (long long)dt,
			    (long long)drift, (long long)(real - REAL));
	}
}
END_TEST

/* How far raw and real went, and whether that was a step. */
static const struct {
	int64_t	draw, dreal;
	bool	step;
} moves[] = {
	{ 20 * MS, 20 * MS, false },
	{ 20 * MS, 20 * MS + 13000, false },	/* 1 us + 600 ppm */
	{ 20 * MS, 20 * MS + 13001, true },
	{ 20 * MS, 20 * MS - 13000, false },
	{ 20 * MS, 20 * MS - 13001, true },
	{ 5000, 5000 + 1003, false },
	{ 5000, 5000 + 1004, true },
	{ 4999, 4999 + 1003, true },		/* 2.9994 is less than 3 */
	{ 1, 1001, false }, { 1, 1002, true },
	{ 0, 1000, false }, { 0, 1001, true },
	{ 0, -1000, false }, { 0, -1001, true },
	{ 20 * MS, INT64_C(1000000000), true },
	{ 20 * MS, INT64_C(-3600000000000), true },
	{ INT64_C(20000000) * MS, INT64_C(20000000) * MS, false },	/* 5 hours */
	{ INT64_C(1000000000000) * MS, INT64_C(1000499990000) * MS, false },
	{ INT64_C(1000000000000) * MS, INT64_C(1000600010000) * MS, true },
};

START_TEST(a_step_is_a_move_that_no_slew_makes)
{
	int64_t dreal = moves[_i].dreal, draw = moves[_i].draw;
	struct pace_clockmap m = two_pairs(REAL, RAW, REAL + dreal, RAW + draw);

	ck_assert_uint_eq(m.pairs, 2);
	ck_assert_uint_eq(m.steps, moves[_i].step);
	ck_assert_int_eq(m.stepped_ns, moves[_i].step ? dreal - draw : 0);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + dreal), RAW + draw);
	if (moves[_i].step)		/* the pair before says nothing any more */
		ck_assert_int_eq(pace_clockmap_raw(&m, REAL + dreal + 7 * MS),
		    RAW + draw + 7 * MS);
}
END_TEST

START_TEST(steps_forward_and_back_are_counted_and_summed)
{
	struct pace_clockmap m = two_pairs(REAL, RAW, REAL + 20 * MS, RAW + 20 * MS);

	pace_clockmap_pair(&m, REAL + 1040 * MS, RAW + 40 * MS);	/* + 1 s */
	ck_assert_uint_eq(m.steps, 1);
	ck_assert_int_eq(m.stepped_ns, 1000 * MS);
	/* 500 ppm between the next two: the slope is back */
	pace_clockmap_pair(&m, REAL + 1060 * MS, RAW + 60 * MS + 10000);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 1050 * MS), RAW + 50 * MS + 5000);
	pace_clockmap_pair(&m, REAL - 920 * MS, RAW + 80 * MS + 10000);	/* - 2 s */
	ck_assert_uint_eq(m.steps, 2);
	ck_assert_int_eq(m.stepped_ns, -1000 * MS + 10000 - 10000);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL - 910 * MS), RAW + 90 * MS + 10000);
	ck_assert_uint_eq(m.pairs, 5);
}
END_TEST

/* Coarse or repeated readings: no slope, no division by zero, no step. */
START_TEST(pairs_at_one_moment_give_an_offset_only)
{
	static const struct { int64_t dreal, draw; } moved[] = {
		{ 0, 0 }, { 0, 500 }, { 500, 0 }, { -400, 100 }, { 100, -400 },
	};

	for (int i = 0; i < COUNT_OF(moved); i++) {
		int64_t real = REAL + moved[i].dreal, raw = RAW + moved[i].draw;
		struct pace_clockmap m = two_pairs(REAL, RAW, real, raw);

		ck_assert_uint_eq(m.steps, 0);
		ck_assert_int_eq(pace_clockmap_raw(&m, real), raw);
		ck_assert_int_eq(pace_clockmap_raw(&m, real + 20 * MS), raw + 20 * MS);
		ck_assert_int_eq(pace_clockmap_raw(&m, real - 20 * MS), raw - 20 * MS);
	}
}
END_TEST

/* Readings 10 us apart, 50 ns wrong: 5000 ppm, which is not to be carried
 * 20 ms on as 100 us; and where more are known, not at all. */
START_TEST(the_error_of_close_readings_is_not_magnified)
{
	struct pace_clockmap m = two_pairs(REAL, RAW, REAL + 10000, RAW + 10050);

	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 5000), RAW + 5025);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL + 10000 + 20 * MS),
	    RAW + 10050 + 20 * MS);
	ck_assert_int_eq(pace_clockmap_raw(&m, REAL - 20 * MS), RAW - 20 * MS);
	m = two_pairs(REAL, RAW, REAL + 30 * MS, RAW + 30 * MS);
	pace_clockmap_pair(&m, REAL + 30 * MS + 10000, RAW + 30 * MS + 10050);
	ck_assert_int_le(llabs(pace_clockmap_raw(&m, REAL + 50 * MS) - RAW - 50 * MS), 100);
}
END_TEST

/* Slews of 400 ppm that change every 40 ms, a pair every ms, each 20 ns wrong:
 * whatever the age of a stamp, up to the oldest pair, its time is the true one. */
START_TEST(a_stamp_that_comes_back_late_is_mapped_as_a_young_one)
{
	static struct { int64_t real, raw; } was[1000];
	struct pace_clockmap m;
	int64_t real = REAL, raw = RAW;

	pace_clockmap_reset(&m);
	for (int i = 0; i < 1000; i++) {
		was[i].real = real;
		was[i].raw = raw;
		pace_clockmap_pair(&m, real + unit_between(-20, 20), raw);
		for (int ago = 0; ago <= 250 && ago <= i; ago += 7) {
			int64_t error = pace_clockmap_raw(&m, was[i - ago].real) - was[i - ago].raw;

			/* a knee of 800 ppm inside 6 ms */
			if (llabs(error) > 2500)
				ck_abort_msg("%d ms old, %d: wrong by %lld", ago, i,
				    (long long)error);
		}
		raw += MS;
		real += MS + (i / 40 % 2 == 0 ? 400 : -400);
	}
	ck_assert_uint_eq(m.steps, 0);
}
END_TEST

START_TEST(changes_of_the_rate_are_counted)
{
	struct pace_clockmap m;
	int64_t real = REAL, raw = RAW;

	pace_clockmap_reset(&m);
	for (int i = 0; i < 1000; i++) {	/* 10 s; 20 ppm more from 5 s on */
		pace_clockmap_pair(&m, real + unit_between(-30, 30), raw);
		raw += 10 * MS;
		real += 10 * MS + (i < 500 ? 70 : 270);
	}
	ck_assert_uint_ge(m.slews, 1);
	ck_assert_uint_le(m.slews, 2);		/* the second when it is changed begins in between */
}
END_TEST

START_TEST(offsets_near_the_end_of_the_range_do_not_overflow)
{
	static const struct { int64_t real, raw; } at[] = {
		{ FAR - 100 * MS, 0 }, { FAR - 100 * MS, -FAR },
		{ -FAR, FAR - 100 * MS }, { 0, FAR - 100 * MS }, { -FAR, -FAR },
	};

	for (int i = 0; i < COUNT_OF(at); i++) {
		struct pace_clockmap m = two_pairs(at[i].real, at[i].raw,
		    at[i].real + 20 * MS, at[i].raw + 20 * MS + 10000);

		ck_assert_uint_eq(m.steps, 0);
		ck_assert_int_eq(pace_clockmap_raw(&m, at[i].real + 10 * MS),
		    at[i].raw + 10 * MS + 5000);
		ck_assert_int_eq(pace_clockmap_raw(&m, at[i].real + 40 * MS),
		    at[i].raw + 40 * MS + 20000);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("clockmap");

	unit_seed(tc);
	tcase_add_test(tc, one_pair_is_an_offset);
	tcase_add_test(tc, reset_forgets_everything);
	tcase_add_loop_test(tc, a_slewed_clock_is_straightened, 0, 2);
	tcase_add_test(tc, the_map_is_continuous_where_pairs_meet);
	tcase_add_test(tc, random_stamps_agree_with_the_formula);
	tcase_add_loop_test(tc, a_step_is_a_move_that_no_slew_makes, 0, COUNT_OF(moves));
	tcase_add_test(tc, steps_forward_and_back_are_counted_and_summed);
	tcase_add_test(tc, pairs_at_one_moment_give_an_offset_only);
	tcase_add_test(tc, the_error_of_close_readings_is_not_magnified);
	tcase_add_test(tc, a_stamp_that_comes_back_late_is_mapped_as_a_young_one);
	tcase_add_test(tc, changes_of_the_rate_are_counted);
	tcase_add_test(tc, offsets_near_the_end_of_the_range_do_not_overflow);
	return unit_run(tc, "clockmap");
}
