/* tx_stamps.h: which frames and gaps count, with typed-in times. */
#include "stream/tx_stamps.h"

#include <string.h>

#include "core/schedule.h"
#include "lib/unit.h"

#define STEP	INT64_C(10000)
#define STACK	2000
#define EVERY	256

static struct pace_hist stack, error;
static struct pace_tx_stamps s;

static void
begin(void)
{
	pace_hist_reset(&stack);
	pace_hist_reset(&error);
	s = (struct pace_tx_stamps){ .stack = &stack, .gap_error = &error, .every = EVERY,
	    .step_ns = STEP };
}

/* Frame number leaves on time and takes this much longer than the others through the stack. */
static void
leave(uint64_t number, int64_t longer)
{
	int64_t t = (int64_t)number * STEP;

	pace_tx_stamps_take(&s, number, t, t + STACK + longer);
}

START_TEST(eight_of_256_frames_are_stamped)
{
	for (uint64_t n = 0; n < 1024; n++)
		ck_assert_int_eq(pace_tx_stamps_wants(n, EVERY), (n & 255) < 8);
	ck_assert(pace_tx_stamps_gap(259, EVERY) && pace_tx_stamps_gap(263, EVERY));
	ck_assert(!pace_tx_stamps_gap(258, EVERY) && !pace_tx_stamps_gap(264, EVERY) &&
	    !pace_tx_stamps_gap(0, EVERY));
	ck_assert(pace_tx_stamps_wants(1024, 1024) && !pace_tx_stamps_wants(256, 1024));
	ck_assert(pace_tx_stamps_gap(1031, 1024) && !pace_tx_stamps_gap(259, 1024));
}
END_TEST

static const struct {
	int64_t		spacing_ns, duration_ns;
	uint64_t	frames;			/* without a duration */
	uint64_t	every;
} runs[] = {
	{ 100000, 1000000000, 0, 256 },		/* 25.6 ms */
	{ 39063, 10000000000, 0, 256 },		/* 10.0001 ms */
	{ 39062, 10000000000, 0, 512 },		/* 256 take 9.9999 ms */
	{ 10000, 1000000000, 0, 1024 },
	{ 10000, 0, 40959, 512 },		/* 1024 would be 39 samples */
	{ 10000, 0, 40960, 1024 },
	{ 10000, 0, 100, 256 },
	{ 8000, 1000000000, 0, 2048 },
};

START_TEST(fast_frames_are_stamped_seldom)
{
	struct pace_params ask = { .train = 1, .bursts = 1, .size_bytes = 64 };

	ask.spacing = pace_spacing_from_ns(runs[_i].spacing_ns);
	ask.duration_ns = runs[_i].duration_ns;
	ask.count = runs[_i].frames;
	ck_assert_uint_eq(pace_tx_stamps_every(&ask), runs[_i].every);
}
END_TEST

START_TEST(gaps_are_those_between_stamps)
{
	for (uint64_t n = 0; n < 600; n++)
		if (pace_tx_stamps_wants(n, EVERY))
			leave(n, n % 256 == 5 ? 700 : n % 256 < 2 ? 9000 : 0);
	ck_assert_uint_eq(stack.stats.n, 18);		/* 3 of 6 each: the first two warm up */
	ck_assert_int_eq(stack.stats.max, STACK + 700);
	ck_assert_int_eq(stack.stats.min, STACK);
	ck_assert_uint_eq(error.stats.n, 15);
	ck_assert_int_eq(error.stats.max, 700);
	ck_assert_int_eq(error.stats.min, -700);
	ck_assert(pace_hist_share(&error, 0, 0) > 0.59 && pace_hist_share(&error, 0, 0) < 0.61);
}
END_TEST

START_TEST(no_gap_beside_a_stamp_that_is_missing)
{
	leave(2, 0);
	leave(4, 0);			/* 3 has none */
	leave(5, 0);
	leave(6, INT64_C(2000000000));	/* not plausible */
	leave(7, 0);
	ck_assert_uint_eq(stack.stats.n, 4);
	ck_assert_uint_eq(error.stats.n, 1);
	leave(256 + 3, 0);		/* the frame before it is far away */
	ck_assert_uint_eq(error.stats.n, 1);
	leave(256 + 4, -STACK - 20000);	/* before it was sent */
	ck_assert_uint_eq(stack.stats.n, 5);
}
END_TEST

START_TEST(no_gap_across_bursts)
{
	s.burst = 5;
	for (uint64_t n = 0; n < 8; n++)
		leave(n, 0);
	ck_assert_uint_eq(error.stats.n, 4);		/* 5 begins a burst */
}
END_TEST

START_TEST(nothing_without_a_histogram_or_a_spacing)
{
	s.step_ns = 0;
	for (uint64_t n = 0; n < 8; n++)
		leave(n, 0);
	ck_assert_uint_eq(error.stats.n, 0);
	ck_assert_uint_eq(stack.stats.n, 6);
	memset(&s, 0, sizeof(s));
	leave(256, 0);
	ck_assert_uint_eq(stack.stats.n, 6);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tx_stamps");

	tcase_add_checked_fixture(tc, begin, NULL);
	tcase_add_test(tc, eight_of_256_frames_are_stamped);
	tcase_add_loop_test(tc, fast_frames_are_stamped_seldom, 0,
	    (int)(sizeof(runs) / sizeof(runs[0])));
	tcase_add_test(tc, gaps_are_those_between_stamps);
	tcase_add_test(tc, no_gap_beside_a_stamp_that_is_missing);
	tcase_add_test(tc, no_gap_across_bursts);
	tcase_add_test(tc, nothing_without_a_histogram_or_a_spacing);
	return unit_run(tc, "tx_stamps");
}
