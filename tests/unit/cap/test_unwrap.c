/*
 * unwrap.h beside a slow obvious model: a sender that counts for ever, of whose count
 * only the low part is seen, with loss, copies and reordering, from anywhere.
 */
#include "cap/unwrap.h"

#include <string.h>

#include "cap/format.h"

#include "lib/unit.h"

#define FRAMES	20000
#define NEAR	PACE_CAP_NUMBERED
#define BIT(n)	(UINT64_C(1) << (n))

static struct pace_cap_unwrap u;

static int64_t
ck_near(uint64_t seq)
{
	int64_t number = -77;

	ck_assert_int_eq(pace_cap_unwrap(&u, seq, &number), NEAR);
	return number;
}

static void
ck_stray(uint64_t seq)
{
	uint64_t before = u.outliers;
	int64_t number = -77;

	ck_assert_int_eq(pace_cap_unwrap(&u, seq, &number), PACE_CAP_STRAY);
	ck_assert_int_eq(number, -77);
	ck_assert_uint_eq(u.outliers, before + 1);
}

static int64_t
ck_restarted(uint64_t seq)
{
	int64_t number = -77;

	ck_assert_int_eq(pace_cap_unwrap(&u, seq, &number), PACE_CAP_RESTARTED);
	return number;
}

static const uint64_t moduli[] = { 0, 2, 3, 16, 256, 1000, 2047, 2048, 4096, BIT(16), BIT(24),
	1000003, BIT(31), BIT(32), BIT(40), BIT(63) - 1 };

/* The largest distance of two arrivals at which a modulus is unambiguous. */
static int
most_apart(uint64_t modulus)
{
	return modulus == 0 || modulus > 256 ? 100 : (int)(modulus - 1) / 2;
}

/* Each frame leaves at a time of its own: sorted by that, late by up to most. */
START_TEST(numbers_are_those_of_one_that_counts_for_ever)
{
	uint64_t modulus = moduli[_i], first = unit_rnd() >> 2;
	int most = most_apart(modulus), held[128], n = 0;

	if (modulus != 0)
		first %= modulus;
	pace_cap_unwrap_init(&u, modulus);
	for (int t = 0; t < FRAMES; t++) {
		uint64_t seq = first + (uint64_t)t;

		/* one in ten is lost, but never so many that the next is no more near */
		if (most > 9 && unit_between(0, 9) == 0)
			continue;
		if (n < 128 && most > 1 && unit_between(0, 4) == 0) {
			held[n++] = t;
			continue;
		}
		ck_assert_int_eq(ck_near(modulus == 0 ? seq : seq % modulus) -
		    (int64_t)first, t);
		for (int i = 0; i < n; i++) {
			seq = first + (uint64_t)held[i];
			if (held[i] > t - most / 2 && unit_between(0, 9) > 0)
				continue;
			/* those held too long would be ambiguous: they are lost */
			if (held[i] > t - most)
				ck_assert_int_eq(ck_near(modulus == 0 ? seq : seq % modulus) -
				    (int64_t)first, held[i]);
			held[i--] = held[--n];
		}
	}
	ck_assert_uint_eq(u.outliers, 0);
	ck_assert_uint_eq(u.restarts, 0);
}
END_TEST

START_TEST(the_first_may_be_late_itself)
{
	pace_cap_unwrap_init(&u, 65536);
	ck_assert_int_eq(ck_near(2), 2);
	ck_assert_int_eq(ck_near(0), 0);
	ck_assert_int_eq(ck_near(65535), -1);
	ck_assert_int_eq(ck_near(65500), -36);
	ck_assert_int_eq(ck_near(3), 3);
}
END_TEST

START_TEST(the_highest_number_of_64_bits_is_no_trouble)
{
	int64_t first;

	pace_cap_unwrap_init(&u, 0);
	first = ck_near(UINT64_MAX - 1);
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(ck_near(UINT64_MAX), first + 1);
	ck_assert_int_eq(ck_near(0), first + 2);
}
END_TEST

/* --- far ahead --- */

static const struct { uint64_t modulus; int64_t ahead; } aheads[] = {
	{ 0, 65536 }, { BIT(32), 65536 }, { BIT(20), 65536 }, { 65536, 4096 }, { 4096, 256 },
	{ 2048, 128 },
};

START_TEST(one_far_ahead_is_not_believed_three_are)
{
	int64_t ahead = aheads[_i].ahead;
	uint64_t far = (uint64_t)ahead + 11;

	pace_cap_unwrap_init(&u, aheads[_i].modulus);
	ck_near(10);
	ck_stray(far + 0);			/* forged */
	ck_assert_int_eq(ck_near(11), 11);
	ck_stray(far + 1);
	ck_stray(far + 2);
	ck_assert_int_eq(ck_near(12), 12);	/* one near between: from the beginning */
	ck_stray(far + 3);
	ck_stray(far + 5);
	ck_assert_int_eq(ck_near(far + 4), (int64_t)far + 4);
	ck_assert_int_eq(ck_near(far + 6), (int64_t)far + 6);
	ck_assert_uint_eq(u.restarts, 0);

	pace_cap_unwrap_init(&u, aheads[_i].modulus);
	ck_near(10);
	ck_assert_int_eq(ck_near((uint64_t)ahead + 10), ahead + 10);
}
END_TEST

START_TEST(three_forged_ones_that_do_not_agree_move_nothing)
{
	pace_cap_unwrap_init(&u, 0);
	ck_near(10);
	ck_stray(BIT(40));
	ck_stray(BIT(41));
	ck_stray(BIT(42));
	ck_stray(BIT(42));			/* the same again does not go on */
	ck_stray(BIT(42));
	ck_assert_int_eq(ck_near(11), 11);
}
END_TEST

START_TEST(further_ahead_than_any_loss_is_a_new_start)
{
	pace_cap_unwrap_init(&u, 0);
	ck_near(10);
	ck_stray(BIT(40));
	ck_stray(BIT(40) + 1);
	ck_assert_int_eq(ck_restarted(BIT(40) + 2), 11);
	ck_assert_int_eq(ck_near(BIT(40) + 4), 13);
	ck_assert_int_eq(ck_near(BIT(40) + 3), 12);
	ck_assert_uint_eq(u.restarts, 1);
}
END_TEST

START_TEST(what_the_modulus_has_not_is_a_stray)
{
	pace_cap_unwrap_init(&u, 1000);
	ck_stray(1000);
	ck_assert_int_eq(ck_near(999), 999);
	ck_stray(UINT64_MAX);
	ck_assert_int_eq(ck_near(0), 1000);
}
END_TEST

/* --- far back --- */

START_TEST(late_ones_are_late_and_eight_in_a_row_begin_anew)
{
	pace_cap_unwrap_init(&u, BIT(32));
	ck_near(5000);
	for (uint64_t i = 0; i < 7; i++)	/* a burst of late ones */
		ck_assert_int_eq(ck_near(1000 + i), 1000 + (int64_t)i);
	ck_assert_int_eq(ck_near(5001), 5001);
	for (uint64_t i = 0; i < 7; i++)
		ck_assert_int_eq(ck_near(i), (int64_t)i);
	ck_assert_int_eq(ck_restarted(7), 5002);
	ck_assert_int_eq(ck_near(9), 5004);
	ck_assert_int_eq(ck_near(8), 5003);
	ck_assert_int_eq(ck_near(10), 5005);
	ck_assert_uint_eq(u.restarts, 1);
	ck_assert_uint_eq(u.outliers, 0);
}
END_TEST

START_TEST(further_back_than_any_late_one_is_a_stray)
{
	pace_cap_unwrap_init(&u, 0);
	ck_near((uint64_t)PACE_CAP_UNWRAP_LATE + 100);
	ck_assert_int_eq(ck_near(100), 100);
	ck_stray(99);
	for (int i = 0; i < 40; i++) {		/* some far ones, but never in a row */
		ck_stray((uint64_t)i);
		ck_near((uint64_t)PACE_CAP_UNWRAP_LATE + 101 + (uint64_t)i);
	}
	ck_assert_uint_eq(u.restarts, 0);
}
END_TEST

START_TEST(an_announced_start_costs_nothing)
{
	pace_cap_unwrap_init(&u, 0);
	pace_cap_unwrap_end(&u);		/* before anything: means nothing */
	ck_assert_int_eq(ck_near(0), 0);
	ck_assert_int_eq(ck_near(1), 1);
	pace_cap_unwrap_end(&u);
	pace_cap_unwrap_end(&u);
	ck_assert_int_eq(ck_restarted(0), 2);
	ck_assert_int_eq(ck_near(1), 3);
	ck_assert_int_eq(ck_near(0), 2);	/* a copy */
	pace_cap_unwrap_end(&u);
	ck_assert_int_eq(ck_restarted(1), 4);	/* the same number */
	pace_cap_unwrap_end(&u);
	ck_assert_int_eq(ck_near(2), 5);	/* it did not end, after all */
	ck_assert_int_eq(ck_near(1), 4);
	ck_assert_uint_eq(u.restarts, 2);
}
END_TEST

/* --- seconds --- */

static uint64_t
of(uint64_t second, uint64_t frame)
{
	return second << PACE_CAP_FRAME_BITS | frame;
}

START_TEST(seconds_are_joined)
{
	const int64_t first = (int64_t)of(100, 0);

	pace_cap_unwrap_init(&u, PACE_CAP_SECONDS);
	for (int s = 0; s < 5; s++)
		for (int f = s == 0 ? 7 : 0; f < 10; f++)
			ck_assert_int_eq(ck_near(of(100 + (uint64_t)s, (uint64_t)f)) - first,
			    s * 10 + f);
	ck_assert_int_eq(ck_near(of(107, 3)) - first, 73);	/* two seconds are lost */
	ck_assert_int_eq(ck_near(of(106, 9)) - first, 69);
	ck_assert_int_eq(ck_near(of(108, 0)) - first, 80);
	ck_assert_int_eq(ck_near(of(107, 9)) - first, 79);	/* late, over the edge */
	ck_assert_int_eq(ck_near(of(108, 1)) - first, 81);
	ck_assert_uint_eq(u.outliers + u.restarts, 0);
}
END_TEST

START_TEST(the_end_of_a_second_is_counted_once_it_is_known)
{
	const int64_t first = (int64_t)of(1, 0);

	pace_cap_unwrap_init(&u, PACE_CAP_SECONDS);
	ck_near(of(1, 0));
	ck_near(of(1, 7));				/* 8 and 9 are lost */
	ck_assert_int_eq(ck_near(of(2, 0)) - first, 8);	/* this cannot be known */
	ck_assert_int_eq(ck_near(of(2, 9)) - first, 17);
	ck_assert_int_eq(ck_near(of(3, 1)) - first, 19);
	ck_assert_int_eq(ck_near(of(4, 0)) - first, 28);
}
END_TEST

START_TEST(a_forged_second_or_frame_moves_nothing)
{
	const int64_t first = (int64_t)of(50, 0);

	pace_cap_unwrap_init(&u, PACE_CAP_SECONDS);
	for (uint64_t f = 0; f < 5000; f++)
		ck_near(of(50, f));
	ck_stray(of(50, 0xffffff));
	ck_stray(of(90, 0));
	ck_stray(of(200, 0));
	ck_stray(of(48, 0));
	ck_stray(UINT64_MAX);
	ck_assert_int_eq(ck_near(of(51, 0)) - first, 5000);
	ck_stray(of(7, 0));
	ck_stray(of(7, 1));
	ck_assert_int_eq(ck_restarted(of(7, 2)) - first, 5001);
	ck_assert_int_eq(ck_near(of(7, 3)) - first, 5002);
	ck_assert_int_eq(ck_near(of(8, 0)) - first, 5002 - 3 + 5000);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_unwrap");

	unit_seed(tc);
	tcase_add_loop_test(tc, numbers_are_those_of_one_that_counts_for_ever, 0,
	    COUNT_OF(moduli));
	tcase_add_test(tc, the_first_may_be_late_itself);
	tcase_add_test(tc, the_highest_number_of_64_bits_is_no_trouble);
	tcase_add_loop_test(tc, one_far_ahead_is_not_believed_three_are, 0, COUNT_OF(aheads));
	tcase_add_test(tc, three_forged_ones_that_do_not_agree_move_nothing);
	tcase_add_test(tc, further_ahead_than_any_loss_is_a_new_start);
	tcase_add_test(tc, what_the_modulus_has_not_is_a_stray);
	tcase_add_test(tc, late_ones_are_late_and_eight_in_a_row_begin_anew);
	tcase_add_test(tc, further_back_than_any_late_one_is_a_stray);
	tcase_add_test(tc, an_announced_start_costs_nothing);
	tcase_add_test(tc, seconds_are_joined);
	tcase_add_test(tc, the_end_of_a_second_is_counted_once_it_is_known);
	tcase_add_test(tc, a_forged_second_or_frame_moves_nothing);
	return unit_run(tc, "cap_unwrap");
}
