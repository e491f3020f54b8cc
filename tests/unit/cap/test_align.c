/*
 * align.h: how far captures are apart is found wherever they begin, whatever their clocks do, and
 * through frames that are lost, doubled or alike.
 */
#include "cap/align.h"

#include <string.h>

#include "lib/unit.h"

#define HOUR	INT64_C(3600000000000)
#define STEP	INT64_C(10000)		/* ns from one frame to the next */

static struct pace_cap_sample a, b;
static struct pace_cap_common common[PACE_CAP_SAMPLE];
static struct pace_cap_align line;

static uint64_t
key_of(int i)
{
	return (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
}

static void
reset(void)
{
	pace_cap_sample_reset(&a);
	pace_cap_sample_reset(&b);
}

/* Frames from to to - 1 of a flow, at their time more by. */
static void
put(struct pace_cap_sample *s, uint32_t flow, int from, int to, int64_t by)
{
	for (int i = from; i < to; i++)
		pace_cap_sample_add(s, flow, key_of(i), i * STEP + by);
}

static void
ck_table(const struct pace_cap_sample *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < COUNT_OF(s->slot); i++)
		n += s->slot[i].times > 0;
	ck_assert_uint_eq(n, s->n);
	ck_assert_uint_le(n, PACE_CAP_SAMPLE);
}

START_TEST(a_capture_that_began_long_before_is_placed)
{
	size_t n;

	reset();
	put(&a, 0, 2000000, 2020000, 0);		/* the sender's, a hundredth */
	put(&b, 0, 0, 2020000, HOUR);
	ck_table(&a);
	ck_table(&b);
	n = pace_cap_common(&a, &b, common);
	ck_assert_uint_ge(n, 20);
	ck_assert_uint_eq(a.n + b.n, 0);
	pace_cap_align(&line, common, n, 0);
	ck_assert_int_eq(pace_cap_align_at(&line, 0), HOUR);
	ck_assert_int_eq(pace_cap_align_at(&line, INT64_MAX), HOUR);
}
END_TEST

/* 100 ppm over 10 s are 1 ms; where a line of one piece would be 0.5 ms off. */
START_TEST(drift_is_followed)
{
	size_t n;

	reset();
	for (int i = 0; i < 1000000; i++) {
		pace_cap_sample_add(&a, 0, key_of(i), i * STEP);
		if (i % 10 != 0)			/* lost */
			pace_cap_sample_add(&b, 0, key_of(i), -HOUR + i * (STEP + 1));
	}
	n = pace_cap_common(&a, &b, common);
	pace_cap_align(&line, common, n, 0);
	ck_assert_uint_gt(line.n, 32);
	for (int i = 0; i < 1000000; i += 1000)
		ck_assert_int_le(llabs(pace_cap_align_at(&line, i * STEP) + HOUR - i), 40000);
}
END_TEST

/* Keys that come again say nothing, as long as there are others. */
START_TEST(frames_that_look_alike_are_left_out)
{
	size_t n;

	reset();
	put(&a, 0, 0, 500, 0);
	for (int i = 0; i < 3; i++)
		put(&b, 0, 0, 480, i * HOUR);
	put(&b, 0, 480, 500, 77);
	n = pace_cap_common(&a, &b, common);
	ck_assert_uint_eq(n, 20);
	pace_cap_align(&line, common, n, 0);
	ck_assert_int_eq(pace_cap_align_at(&line, 5), 77);

	reset();					/* all were doubled: the first copies do */
	put(&a, 0, 0, 500, 0);
	put(&b, 0, 0, 500, 77);
	put(&b, 0, 0, 500, 99);
	n = pace_cap_common(&a, &b, common);
	ck_assert_uint_eq(n, 500);
	pace_cap_align(&line, common, n, 0);
	ck_assert_int_eq(pace_cap_align_at(&line, 5), 77);
}
END_TEST

/* Frames of the other direction are further apart by the round-trip time. */
START_TEST(flows_are_told_apart)
{
	int64_t more;
	size_t n;

	reset();
	for (uint32_t flow = 0; flow < 2; flow++) {
		put(&a, flow, 0, 1000, flow * 300);
		put(&b, flow, 0, 1000, HOUR);
	}
	n = pace_cap_common(&a, &b, common);
	ck_assert_uint_eq(n, 2000);
	pace_cap_align(&line, common, n, 0);
	ck_assert_int_eq(pace_cap_align_at(&line, 5), HOUR);
	ck_assert_uint_eq(pace_cap_align_more(&line, common, n, 1, &more), 1000);
	ck_assert_int_eq(more, -300);
	ck_assert_uint_eq(pace_cap_align_more(&line, common, n, 2, &more), 0);
	ck_assert_int_eq(more, 0);
}
END_TEST

START_TEST(nothing_in_common_is_no_line)
{
	reset();
	put(&a, 0, 0, 1000, 0);
	put(&b, 0, 1000, 2000, 0);
	ck_assert_uint_eq(pace_cap_common(&a, &b, common), 0);
	pace_cap_align(&line, common, 0, 0);
	ck_assert_uint_eq(line.n, 0);
	ck_assert_int_eq(pace_cap_align_at(&line, 5), 0);
}
END_TEST

/* Halved again and again, what is kept is what a sample that is not halved has. */
START_TEST(nothing_is_lost_or_doubled_where_room_is_made)
{
	reset();
	for (int round = 0; round < 2; round++)
		put(&a, 0, 0, 300000, 0);
	ck_table(&a);
	for (size_t i = 0; i < COUNT_OF(a.slot); i++)
		if (a.slot[i].times > 0) {
			ck_assert_uint_eq(a.slot[i].times, 2);
			ck_assert_uint_lt(a.slot[i].hash, a.below);
		}
	ck_assert_uint_gt(a.n, PACE_CAP_SAMPLE / 3);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_align");

	unit_seed(tc);
	tcase_add_test(tc, a_capture_that_began_long_before_is_placed);
	tcase_add_test(tc, drift_is_followed);
	tcase_add_test(tc, frames_that_look_alike_are_left_out);
	tcase_add_test(tc, flows_are_told_apart);
	tcase_add_test(tc, nothing_in_common_is_no_line);
	tcase_add_test(tc, nothing_is_lost_or_doubled_where_room_is_made);
	return unit_run(tc, "cap_align");
}
