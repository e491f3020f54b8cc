/* cursor.h: big-endian, never beyond the end, sticky when it would be. */
#include "core/cursor.h"

#include <string.h>

#include "lib/unit.h"

static const uint8_t bytes[8] = { 0x81, 2, 3, 4, 5, 6, 7, 0xf8 };

/* The first n bytes of the above, read by hand. */
static const uint64_t first[9] = {
	0, 0x81, 0x8102, 0x810203, 0x81020304, 0x8102030405, 0x810203040506,
	0x81020304050607, 0x81020304050607f8,
};

/* Loop test: _i is the width. */
START_TEST(a_number_is_read_big_endian)
{
	struct pace_rd r = { .p = bytes, .left = 8 };

	ck_assert_uint_eq(pace_rd_be(&r, (size_t)_i), first[_i]);
	ck_assert(!r.bad);
	ck_assert_uint_eq(r.left, 8 - (size_t)_i);
	ck_assert_ptr_eq(r.p, bytes + _i);
}
END_TEST

START_TEST(a_number_is_written_big_endian)
{
	uint8_t out[9];
	struct pace_wr w = { .p = out, .left = 8 };

	memset(out, 0xee, sizeof(out));
	pace_wr_be(&w, first[_i], (size_t)_i);
	ck_assert(!w.bad);
	ck_assert_uint_eq(w.left, 8 - (size_t)_i);
	ck_assert_ptr_eq(w.p, out + _i);
	if (_i > 0)
		ck_assert_mem_eq(out, bytes, (size_t)_i);
	ck_assert_uint_eq(out[_i], 0xee);
}
END_TEST

START_TEST(only_the_low_bytes_are_written)
{
	uint8_t out[2];
	struct pace_wr w = { .p = out, .left = 2 };

	pace_wr_be(&w, 0x123456, 2);
	ck_assert_uint_eq(out[0], 0x34);
	ck_assert_uint_eq(out[1], 0x56);
}
END_TEST

/* Loop test: _i bytes are there, one more is wanted. */
START_TEST(reading_beyond_the_end_gives_zero_for_ever)
{
	uint8_t *exact = malloc(_i > 0 ? (size_t)_i : 1);
	struct pace_rd r = { .p = exact, .left = (size_t)_i };

	memcpy(exact, bytes, (size_t)_i);
	ck_assert_uint_eq(pace_rd_be(&r, (size_t)_i + 1), 0);
	ck_assert(r.bad);
	ck_assert_uint_eq(pace_rd_be(&r, 1), 0);	/* though there may be one */
	ck_assert_uint_eq(pace_rd_be(&r, 0), 0);
	ck_assert(r.bad);
	ck_assert_ptr_eq(r.p, exact);
	free(exact);
}
END_TEST

START_TEST(writing_beyond_the_end_does_nothing_for_ever)
{
	uint8_t *exact = malloc(_i > 0 ? (size_t)_i : 1);
	struct pace_wr w = { .p = exact, .left = (size_t)_i };

	memset(exact, 0xee, (size_t)_i);
	pace_wr_be(&w, UINT64_MAX, (size_t)_i + 1);
	ck_assert(w.bad);
	pace_wr_be(&w, 1, 1);
	ck_assert(w.bad);
	for (int i = 0; i < _i; i++)
		ck_assert_uint_eq(exact[i], 0xee);
	free(exact);
}
END_TEST

START_TEST(what_was_written_is_read)
{
	for (int round = 0; round < 2000; round++) {
		uint8_t buf[64];
		struct pace_wr w = { .p = buf, .left = sizeof(buf) };
		struct pace_rd r = { .p = buf, .left = sizeof(buf) };
		uint64_t v[64];
		size_t width[64];
		int n = 0;

		while (w.left > 8) {
			width[n] = (size_t)unit_between(1, 8);
			v[n] = unit_rnd() >> (64 - 8 * width[n]);
			pace_wr_be(&w, v[n], width[n]);
			n++;
		}
		for (int i = 0; i < n; i++)
			ck_assert_uint_eq(pace_rd_be(&r, width[i]), v[i]);
		ck_assert(!w.bad && !r.bad);
		ck_assert_uint_eq(r.left, w.left);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cursor");

	unit_seed(tc);
	tcase_add_loop_test(tc, a_number_is_read_big_endian, 0, 9);
	tcase_add_loop_test(tc, a_number_is_written_big_endian, 0, 9);
	tcase_add_test(tc, only_the_low_bytes_are_written);
	tcase_add_loop_test(tc, reading_beyond_the_end_gives_zero_for_ever, 0, 8);
	tcase_add_loop_test(tc, writing_beyond_the_end_does_nothing_for_ever, 0, 8);
	tcase_add_test(tc, what_was_written_is_read);
	return unit_run(tc, "cursor");
}
