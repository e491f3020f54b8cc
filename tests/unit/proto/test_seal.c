/* seal.h: tags, and what is taken only once. */
#include "proto/seal.h"

#include "lib/unit.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define NONCE	UINT64_C(0x0123456789abcdef)
#define SESSION	UINT64_C(0xfedcba9876543210)

/*
 * A CLOSE with the body {} under the secret 00 01 .. 1f: made by Python's
 * hashlib.blake2b from the text of seal.h, and its header from that of wire.h.
 */
static const uint8_t golden[] = {
	0x75, 0x50, 1, 7, 1, 3, 0xe0, 0xce,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	0, 0, 0, 0, 0, 0, 0, 9,
	0, 0, 0, 0, 0, 0, 0x03, 0xe8,
	'{', '}',
	0x6c, 0xda, 0xa7, 0x27, 0x62, 0x4d, 0x9c, 0x0f,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xc6, 0xb1, 0x6b, 0x00, 0x65, 0x04, 0xc4, 0x2d,
	0x6f, 0x57, 0x7a, 0xd8, 0xbf, 0x27, 0xcd, 0x97,
};
static const uint8_t golden_key[PACE_KEY_SIZE] = {
	0x4a, 0x4e, 0x78, 0x85, 0xb4, 0xbd, 0x56, 0x7b, 0x7a, 0xbc, 0x0b, 0x5e, 0xe1, 0x14, 0xcc, 0xbb,
	0xd4, 0xbd, 0xfa, 0xd4, 0xfc, 0x57, 0xd4, 0x82, 0x12, 0xce, 0xef, 0xd8, 0x49, 0x0b, 0x74, 0xa9,
};
#define LEN	((int)sizeof(golden) - PACE_SEAL_SIZE)

static struct pace_key key;
static struct pace_seal seal;

static void
setup(void)
{
	for (int i = 0; i < PACE_KEY_SIZE; i++)
		key.secret[i] = (uint8_t)i;
	pace_key_identify(&key);
	pace_seal_derive(&seal, &key, NONCE, SESSION);
}

START_TEST(the_tag_is_that_of_the_table)
{
	uint8_t buf[sizeof(golden)] = { 0 };

	ck_assert(seal.on);
	ck_assert_mem_eq(seal.key, golden_key, sizeof(golden_key));
	memcpy(buf, golden, (size_t)LEN);
	ck_assert_int_eq(pace_seal_put(&seal, buf, sizeof(buf), LEN), (int)sizeof(golden));
	ck_assert_mem_eq(buf, golden, sizeof(golden));
	ck_assert(pace_seal_check(&seal, golden, sizeof(golden)));
}
END_TEST

START_TEST(every_flipped_bit_is_found)
{
	uint8_t buf[sizeof(golden)];

	for (size_t bit = 0; bit < 8 * sizeof(golden); bit++) {
		memcpy(buf, golden, sizeof(buf));
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_msg(!pace_seal_check(&seal, buf, sizeof(buf)), "bit %zu", bit);
	}
}
END_TEST

/* Loop test: _i is every length but the right one. */
START_TEST(what_is_cut_or_longer_is_not_good)
{
	uint8_t *exact = malloc(_i > 0 ? (size_t)_i : 1), id[PACE_KEY_ID_SIZE];
	uint64_t nonce;

	memset(exact, 0, (size_t)_i);
	memcpy(exact, golden, (size_t)_i < sizeof(golden) ? (size_t)_i : sizeof(golden));
	ck_assert_int_eq(pace_seal_peek(exact, (size_t)_i, id, &nonce), _i >= 64);
	ck_assert_int_eq(pace_seal_check(&seal, exact, (size_t)_i), _i == sizeof(golden));
	free(exact);
}
END_TEST

START_TEST(key_nonce_and_session_all_count)
{
	struct pace_seal other;
	struct pace_key k = key;

	pace_seal_derive(&other, &key, NONCE + 1, SESSION);
	ck_assert(!pace_seal_check(&other, golden, sizeof(golden)));
	other.nonce = NONCE;				/* the key is also another one */
	ck_assert(!pace_seal_check(&other, golden, sizeof(golden)));
	pace_seal_derive(&other, &key, NONCE, SESSION + 1);
	ck_assert(!pace_seal_check(&other, golden, sizeof(golden)));
	k.secret[31] ^= 0x80;				/* of the same fingerprint */
	pace_seal_derive(&other, &k, NONCE, SESSION);
	ck_assert(!pace_seal_check(&other, golden, sizeof(golden)));
	other = seal;
	other.on = false;
	ck_assert(!pace_seal_check(&other, golden, sizeof(golden)));
}
END_TEST

START_TEST(no_room_no_trailer)
{
	uint8_t buf[sizeof(golden)] = { 0 };
	struct pace_seal off = { .on = false };

	for (size_t size = 0; size < sizeof(buf); size++)
		ck_assert_int_eq(pace_seal_put(&seal, buf, size, LEN), -ENOBUFS);
	for (size_t i = 0; i < sizeof(buf); i++)
		ck_assert_uint_eq(buf[i], 0);
	ck_assert_int_eq(pace_seal_put(&seal, buf, sizeof(buf), -ENOMEM), -ENOMEM);
	ck_assert_int_eq(pace_seal_put(&off, buf, sizeof(buf), LEN), LEN);
	ck_assert_uint_eq(buf[LEN], 0);
}
END_TEST

static bool
takes(struct pace_replay *r, uint8_t type, uint64_t seq, int64_t tx_ns)
{
	struct pace_hdr h = { .type = type, .seq = seq, .tx_ns = tx_ns };

	return pace_replay_new(r, &h);
}

START_TEST(nothing_is_taken_twice)
{
	struct pace_replay r;

	pace_replay_begin(&r, 2, 1000);
	ck_assert(!takes(&r, PACE_OPEN, 2, 1000));	/* the one that began it */
	ck_assert(takes(&r, PACE_OPEN, 2, 1001));	/* repeated by its client */
	ck_assert(!takes(&r, PACE_OPEN, 2, 1001));
	ck_assert(takes(&r, PACE_START, 3, 2000));
	ck_assert(!takes(&r, PACE_START, 3, 2000));
	ck_assert(takes(&r, PACE_START, 3, 1999));	/* overtaken on the way */
	ck_assert(!takes(&r, PACE_START, 3, 2000));
	ck_assert(!takes(&r, PACE_OPEN, 2, 2001));	/* its time is over */
	ck_assert(takes(&r, PACE_FETCH, 5, 3000));
	ck_assert(takes(&r, PACE_FETCH, 4, 3001));	/* chunks in any order */
	ck_assert(takes(&r, PACE_START, 4, 3002));
	ck_assert(!takes(&r, PACE_FETCH, 3, 3003));
	ck_assert(takes(&r, PACE_REPORT, 9, 3004));	/* asked for beside all else */
	ck_assert(takes(&r, PACE_FINISH, 4, 3005));
	ck_assert(!takes(&r, PACE_REPORT, 3, 3006));
	ck_assert(takes(&r, PACE_FETCH, 5, INT64_MAX));
	ck_assert(!takes(&r, PACE_FETCH, 5, INT64_MAX));
}
END_TEST

/* A slow, obvious one: all that was taken, and the 64 latest of them. */
START_TEST(the_window_is_that_of_the_model)
{
	static int64_t taken[20000];
	struct pace_replay r;
	int n = 1;

	pace_replay_begin(&r, 0, 0);
	for (int i = 0; i < 10000; i++) {
		int64_t t = unit_between(i - 300 > 1 ? i - 300 : 1, i + 20);
		int above = 0;
		bool again = false;

		for (int k = 0; k < n; k++) {
			above += taken[k] > t;
			again = again || taken[k] == t;
		}
		if (takes(&r, PACE_FETCH, 1, t) != (!again && above < PACE_REPLAY_WINDOW))
			ck_abort_msg("step %d, time %lld", i, (long long)t);
		if (!again && above < PACE_REPLAY_WINDOW)
			taken[n++] = t;
	}
	ck_assert_int_gt(n, 1000);
}
END_TEST

START_TEST(nonces_are_remembered_for_long)
{
	static struct pace_nonces n;

	for (uint64_t i = 1; i <= PACE_NONCES; i++) {
		ck_assert(!pace_nonce_used(&n, i));
		pace_nonce_use(&n, i);
	}
	ck_assert(pace_nonce_used(&n, 1));
	pace_nonce_use(&n, PACE_NONCES + 1);
	ck_assert(!pace_nonce_used(&n, 1));
	ck_assert(pace_nonce_used(&n, 2));
	ck_assert(pace_nonce_used(&n, PACE_NONCES + 1));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("seal");

	unit_seed(tc);
	if (sodium_init() < 0)
		return 99;
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, the_tag_is_that_of_the_table);
	tcase_add_test(tc, every_flipped_bit_is_found);
	tcase_add_loop_test(tc, what_is_cut_or_longer_is_not_good, 0, (int)sizeof(golden) + 40);
	tcase_add_test(tc, key_nonce_and_session_all_count);
	tcase_add_test(tc, no_room_no_trailer);
	tcase_add_test(tc, nothing_is_taken_twice);
	tcase_add_test(tc, the_window_is_that_of_the_model);
	tcase_add_test(tc, nonces_are_remembered_for_long);
	return unit_run(tc, "seal");
}
