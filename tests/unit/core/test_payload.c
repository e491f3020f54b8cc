/* payload.h: the pattern, its prefixes, and not one byte more. */
#include "core/payload.h"

#include <string.h>

#include "lib/unit.h"

/* Published outputs of splitmix64 from seed 1234567. */
static const uint64_t known[5] = {
	UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
	UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
	UINT64_C(16408922859458223821),
};

/* Seed 0. */
static const uint8_t golden[24] = {
	0xe2, 0x20, 0xa8, 0x39, 0x7b, 0x1d, 0xcd, 0xaf,
	0x6e, 0x78, 0x9e, 0x6a, 0xa1, 0xb9, 0x65, 0xf4,
	0x06, 0xc4, 0x5d, 0x18, 0x80, 0x09, 0x45, 0x4f,
};

START_TEST(the_pattern_is_splitmix64_big_endian)
{
	uint8_t buf[40];

	pace_payload_fill(buf, 24, 0);
	ck_assert_mem_eq(buf, golden, 24);
	pace_payload_fill(buf, 40, 1234567);
	for (int i = 0; i < 40; i++)
		ck_assert_uint_eq(buf[i], known[i / 8] >> (56 - i % 8 * 8) & 0xff);
}
END_TEST

/* Loop test: _i is the size. */
START_TEST(every_size_is_a_prefix_of_the_same_pattern)
{
	uint8_t *exact = malloc(_i > 0 ? (size_t)_i : 1), all[64], guarded[65];

	pace_payload_fill(all, sizeof(all), 99);
	pace_payload_fill(exact, (size_t)_i, 99);
	if (_i > 0)
		ck_assert_mem_eq(exact, all, (size_t)_i);
	memset(guarded, 0xee, sizeof(guarded));
	pace_payload_fill(guarded, (size_t)_i, 99);
	for (size_t i = (size_t)_i; i < sizeof(guarded); i++)
		ck_assert_uint_eq(guarded[i], 0xee);
	free(exact);
}
END_TEST

START_TEST(seeds_give_patterns_of_their_own)
{
	uint8_t a[64], b[64];

	for (int i = 0; i < 64; i++) {
		pace_payload_fill(a, sizeof(a), 0);
		pace_payload_fill(b, sizeof(b), UINT64_C(1) << i);
		ck_assert_mem_ne(a, b, 8);
		ck_assert_mem_ne(a + 56, b + 56, 8);
	}
}
END_TEST

/* No link can squeeze it: every byte value about equally often. */
START_TEST(the_largest_frame_is_filled_evenly)
{
	static uint8_t buf[65507];
	int seen[256] = { 0 };

	pace_payload_fill(buf, sizeof(buf), 7);
	for (size_t i = 0; i < sizeof(buf); i++)
		seen[buf[i]]++;
	for (int i = 0; i < 256; i++)		/* 256 expected, sigma 16 */
		ck_assert_int_le(abs(seen[i] - 256), 100);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("payload");

	tcase_add_test(tc, the_pattern_is_splitmix64_big_endian);
	tcase_add_loop_test(tc, every_size_is_a_prefix_of_the_same_pattern, 0, 65);
	tcase_add_test(tc, seeds_give_patterns_of_their_own);
	tcase_add_test(tc, the_largest_frame_is_filled_evenly);
	return unit_run(tc, "payload");
}
