/* proof.h: what a value proves, for how long, and what proves nothing. */
#include "server/admission/proof.h"

#include "lib/unit.h"

#define MS	INT64_C(1000000)

static struct pace_proof p;

static bool
may(uint64_t frame, int64_t now_ns)
{
	return pace_proof_until(&p, frame, now_ns) > now_ns;
}

START_TEST(no_frame_leaves_before_the_first_proof)
{
	pace_proof_begin(&p, 7, 1000);
	ck_assert_uint_eq(pace_proof_value(&p), 7);
	ck_assert(!may(0, 1000));
	pace_proof_take(&p, 0, 2000);		/* none */
	pace_proof_take(&p, 8, 2000);		/* a guess */
	ck_assert(!may(0, 2000));
	pace_proof_take(&p, 7, 2000);
	ck_assert(may(0, 2000));
}
END_TEST

/* Half a second and the shortest way back behind the first frame that revealed it. */
START_TEST(frames_leave_for_half_a_second_and_the_way_back)
{
	int64_t end = 500 * MS + 30 * MS;

	pace_proof_begin(&p, 7, 0);
	pace_proof_take(&p, 7, 30 * MS);
	ck_assert_int_eq(pace_proof_until(&p, 1000, 40 * MS), end);
	pace_proof_renew(&p, 8, 1000, 100 * MS);
	pace_proof_take(&p, 8, 180 * MS);	/* a longer way back changes nothing */
	ck_assert_int_eq(pace_proof_until(&p, 5000, 200 * MS), 100 * MS + end);
	pace_proof_renew(&p, 9, 2000, 200 * MS);
	pace_proof_take(&p, 9, 210 * MS);	/* a shorter one does */
	ck_assert_int_eq(pace_proof_until(&p, 5000, 220 * MS), 200 * MS + 510 * MS);
	ck_assert(may(5000, 709 * MS) && !may(5000, 710 * MS));
}
END_TEST

START_TEST(a_long_way_back_gains_no_more_than_a_second)
{
	pace_proof_begin(&p, 7, 0);
	pace_proof_take(&p, 7, 499 * MS);
	ck_assert_int_eq(pace_proof_until(&p, 100, 499 * MS), 999 * MS);
	pace_proof_begin(&p, 7, 0);
	pace_proof_take(&p, 7, 3000 * MS);
	ck_assert_int_eq(pace_proof_until(&p, 100, 600 * MS), 1000 * MS);
	ck_assert(!may(100, 3000 * MS));
}
END_TEST

/* A stream of a frame a second is not cut off. */
START_TEST(sixteen_frames_leave_however_long_they_take)
{
	pace_proof_begin(&p, 7, 0);
	pace_proof_take(&p, 7, 10 * MS);
	pace_proof_renew(&p, 8, 100, 100 * MS);
	pace_proof_take(&p, 8, 110 * MS);
	ck_assert(may(115, 60000 * MS));
	ck_assert(!may(116, 60000 * MS));
	ck_assert(may(116, 600 * MS));
}
END_TEST

START_TEST(what_was_proven_proves_nothing_again)
{
	pace_proof_begin(&p, 1, 0);
	for (uint64_t i = 2; i < 10; i++)
		pace_proof_renew(&p, i, 100 * i, (int64_t)i * 100 * MS);
	pace_proof_take(&p, 5, 950 * MS);
	ck_assert_uint_eq(p.newest.frame, 500);
	for (uint64_t i = 1; i <= 5; i++)
		pace_proof_take(&p, i, 960 * MS);
	ck_assert_uint_eq(p.newest.frame, 500);
	pace_proof_take(&p, 9, 970 * MS);
	ck_assert_uint_eq(p.newest.frame, 900);
	pace_proof_take(&p, 8, 980 * MS);	/* late */
	ck_assert_uint_eq(p.newest.frame, 900);
}
END_TEST

START_TEST(values_that_are_too_old_are_forgotten)
{
	pace_proof_begin(&p, 1000, 0);
	for (uint64_t i = 1; i <= PACE_PROOF_EPOCHS; i++)
		pace_proof_renew(&p, 1000 + i, i, (int64_t)i);
	pace_proof_take(&p, 1000, 50);
	ck_assert_uint_eq(p.proven, 0);
	pace_proof_take(&p, 1001, 50);
	ck_assert_uint_eq(p.newest.frame, 1);
}
END_TEST

START_TEST(a_value_is_revealed_for_a_tenth_of_a_second)
{
	pace_proof_begin(&p, 7, 5);
	ck_assert(!pace_proof_due(&p, 5 + 100 * MS - 1));
	ck_assert(pace_proof_due(&p, 5 + 100 * MS));
	pace_proof_renew(&p, 8, 1, 5 + 100 * MS);
	ck_assert(!pace_proof_due(&p, 5 + 150 * MS));
	ck_assert_uint_eq(pace_proof_value(&p), 8);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("proof");

	tcase_add_test(tc, no_frame_leaves_before_the_first_proof);
	tcase_add_test(tc, frames_leave_for_half_a_second_and_the_way_back);
	tcase_add_test(tc, a_long_way_back_gains_no_more_than_a_second);
	tcase_add_test(tc, sixteen_frames_leave_however_long_they_take);
	tcase_add_test(tc, what_was_proven_proves_nothing_again);
	tcase_add_test(tc, values_that_are_too_old_are_forgotten);
	tcase_add_test(tc, a_value_is_revealed_for_a_tenth_of_a_second);
	return unit_run(tc, "proof");
}
