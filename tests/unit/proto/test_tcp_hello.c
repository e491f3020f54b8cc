/* tcp_hello.h: the bytes are those of the layout, and only the key's owner makes them. */
#include "proto/tcp_hello.h"

#include <string.h>

#include "lib/unit.h"

/* Stream 200 down, run 3, session 0123456789abcdef; the proof was made by Python's hashlib.blake2b with
 * the key 00 01 .. 1f, */
static const uint8_t golden[PACE_TCP_HELLO] = {
	'u', 'd', 'p', 'T', 1, 3, 1, 200, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0x08, 0xd3, 0x38, 0xac, 0xae, 0x85, 0x62, 0x92, 0xd7, 0x6c, 0xed, 0xba, 0x5d, 0xf1, 0x60, 0xe6,
	0xc5, 0xc0, 0x84, 0x5a, 0x7d, 0xef, 0x1f, 0x30, 0x79, 0x11, 0x39, 0x4e, 0x3d, 0xb5, 0x90, 0x33,
};
/* and this one with the BLAKE2b-256 of that key, keyed with 64 65 .. 83. */
static const uint8_t sealed[PACE_TCP_HELLO - 16] = {
	0xc4, 0xf7, 0xe1, 0x93, 0x94, 0xa1, 0x4d, 0x76, 0x0b, 0x4c, 0xf8, 0xcb, 0xcd, 0x07, 0x37, 0x18,
	0x3d, 0xb7, 0x9a, 0x7e, 0x0e, 0xef, 0x6a, 0x6e, 0x67, 0xd4, 0x26, 0xc9, 0xf5, 0xe0, 0xad, 0x04,
};
static const struct pace_tcp_hello hello = { .session = UINT64_C(0x0123456789abcdef), .run = 3,
    .stream = 200, .down = true };
static uint8_t key[PACE_TCP_SECRET];

static void
setup(void)
{
	for (int i = 0; i < PACE_TCP_SECRET; i++)
		key[i] = (uint8_t)i;
}

START_TEST(the_bytes_are_those_of_the_layout)
{
	uint8_t got[PACE_TCP_HELLO];
	struct pace_tcp_hello h;

	pace_tcp_hello_put(got, &hello, key);
	ck_assert_mem_eq(got, golden, sizeof(golden));
	ck_assert(pace_tcp_hello_read(&h, golden));
	ck_assert(h.session == hello.session && h.run == 3 && h.stream == 200 && h.down);
	ck_assert(pace_tcp_hello_proves(golden, key));
}
END_TEST

START_TEST(a_session_with_a_key_has_another_proof)
{
	struct pace_seal seal = { .on = true };
	uint8_t got[PACE_TCP_HELLO];

	for (int i = 0; i < PACE_KEY_SIZE; i++)
		seal.key[i] = (uint8_t)(100 + i);
	pace_tcp_hello_key(&seal, key);
	pace_tcp_hello_put(got, &hello, key);
	ck_assert_mem_eq(got + 16, sealed, sizeof(sealed));
	ck_assert(!pace_tcp_hello_proves(golden, key));
}
END_TEST

START_TEST(every_flipped_bit_is_found)
{
	uint8_t got[PACE_TCP_HELLO];
	struct pace_tcp_hello h;

	for (int bit = 0; bit < 8 * PACE_TCP_HELLO; bit++) {
		memcpy(got, golden, sizeof(got));
		got[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert(!pace_tcp_hello_proves(got, key));
		/* form alone is the magic, the version, and a direction */
		ck_assert(pace_tcp_hello_read(&h, got) == (bit >= 40 && (bit / 8 != 6 || bit == 48)));
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tcp_hello");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, the_bytes_are_those_of_the_layout);
	tcase_add_test(tc, a_session_with_a_key_has_another_proof);
	tcase_add_test(tc, every_flipped_bit_is_found);
	return unit_run(tc, "tcp_hello");
}
