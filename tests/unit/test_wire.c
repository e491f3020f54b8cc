/* wire.h: the header's bytes, and everything that is refused. */
#include "core/wire.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/cursor.h"

#include "../lib/unit.h"

/* Typed from the table in wire.h, the check worked out apart from wire.c. */
static const struct {
	struct pace_hdr	hdr;
	uint8_t		bytes[PACE_HDR_SIZE];
} golden[] = {
	/* sum of i * w[i] = 5386493 = 82 * 65521 + 13771, check 13772 = 0x35cc */
	{ { PACE_DATA, 7, 0x0123456789abcdef, 0x1122334455667788, -2 }, {
	    0x75, 0x50, 1, 4, 0, 7, 0x35, 0xcc,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe } },
	/* 0x7550 + 2 * 0x0101 + 12 * 1 = 30558 */
	{ { PACE_HELLO, 0, 0, 1, 0 }, {
	    0x75, 0x50, 1, 1, 0, 0, 0x77, 0x5f,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 0 } },
	/* sum 8288985 = 126 * 65521 + 33339: the largest, near enough */
	{ { PACE_FINISH | PACE_REPLY, 255, UINT64_MAX, UINT64_MAX, -1 }, {
	    0x75, 0x50, 1, 0x85, 0, 0xff, 0x82, 0x3c,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	/* the ends of the check: sum 65520 and 0 mod 65521 */
	{ { PACE_DATA, 0, 0, 0, 0x8882 }, {
	    0x75, 0x50, 1, 4, 0, 0, 0xff, 0xf1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0x88, 0x82 } },
	{ { PACE_DATA, 0, 0, 0, 0x7883 }, {
	    0x75, 0x50, 1, 4, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0x78, 0x83 } },
};

static bool
same(const struct pace_hdr *a, const struct pace_hdr *b)
{
	return a->type == b->type && a->stream == b->stream &&
	    a->session == b->session && a->seq == b->seq && a->tx_ns == b->tx_ns;
}

/* Decode must refuse with rc and leave its output alone. */
static void
check_refused(const uint8_t *buf, size_t len, int rc)
{
	struct pace_hdr h, before;

	memset(&h, 0x5a, sizeof(h));
	before = h;
	if (rc == -EPROTONOSUPPORT)
		before.type = buf[3];
	ck_assert_int_eq(pace_hdr_decode(&h, buf, len), rc);
	ck_assert(same(&h, &before));
}

/* The slow, obvious header: any version and flags, with the right check. */
static void
model_encode(uint8_t *buf, const struct pace_hdr *h, uint8_t version, uint8_t flags)
{
	struct pace_wr w = { .p = buf, .left = PACE_HDR_SIZE };
	uint64_t sum = 0;

	pace_wr_be(&w, PACE_WIRE_MAGIC, 2);
	pace_wr_be(&w, version, 1);
	pace_wr_be(&w, h->type, 1);
	pace_wr_be(&w, flags, 1);
	pace_wr_be(&w, h->stream, 1);
	pace_wr_be(&w, 0, 2);
	pace_wr_be(&w, h->session, 8);
	pace_wr_be(&w, h->seq, 8);
	pace_wr_be(&w, (uint64_t)h->tx_ns, 8);
	for (uint64_t i = 1; i <= 16; i++)
		sum += i * (buf[2 * i - 2] * 256u + buf[2 * i - 1]);
	w = (struct pace_wr){ .p = buf + 6, .left = 2 };
	pace_wr_be(&w, 1 + sum % 65521, 2);
}

static struct pace_hdr
random_header(void)
{
	struct pace_hdr h = { 0 };

	h.type = (uint8_t)unit_rnd();
	h.stream = (uint8_t)unit_rnd();
	h.session = unit_rnd_any_size();
	h.seq = unit_rnd_any_size();
	h.tx_ns = (int64_t)unit_rnd_any_size();
	return h;
}

START_TEST(the_bytes_are_those_of_the_table)
{
	uint8_t *exact = malloc(PACE_HDR_SIZE);
	struct pace_hdr h;

	ck_assert_int_eq(pace_hdr_encode(exact, PACE_HDR_SIZE, &golden[_i].hdr),
	    PACE_HDR_SIZE);
	ck_assert_mem_eq(exact, golden[_i].bytes, PACE_HDR_SIZE);
	ck_assert_int_eq(pace_hdr_decode(&h, exact, PACE_HDR_SIZE), 0);
	ck_assert(same(&h, &golden[_i].hdr));
	free(exact);
}
END_TEST

START_TEST(what_follows_the_header_is_not_touched)
{
	uint8_t buf[PACE_HDR_SIZE + 8];
	struct pace_hdr h;

	memset(buf, 0xee, sizeof(buf));
	ck_assert_int_eq(pace_hdr_encode(buf, sizeof(buf), &golden[0].hdr), PACE_HDR_SIZE);
	for (size_t i = PACE_HDR_SIZE; i < sizeof(buf); i++)
		ck_assert_uint_eq(buf[i], 0xee);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
	ck_assert(same(&h, &golden[0].hdr));
}
END_TEST

START_TEST(every_too_short_length_is_refused)
{
	for (size_t len = 0; len < PACE_HDR_SIZE; len++) {
		uint8_t *exact = malloc(len > 0 ? len : 1);

		memcpy(exact, golden[0].bytes, len);
		check_refused(exact, len, -EMSGSIZE);
		free(exact);
	}
}
END_TEST

START_TEST(a_short_buffer_is_not_written)
{
	for (size_t size = 0; size < PACE_HDR_SIZE; size++) {
		uint8_t *exact = malloc(size > 0 ? size : 1);

		memset(exact, 0xee, size);
		ck_assert_int_eq(pace_hdr_encode(exact, size, &golden[0].hdr), -ENOBUFS);
		for (size_t i = 0; i < size; i++)
			ck_assert_uint_eq(exact[i], 0xee);
		free(exact);
	}
}
END_TEST

START_TEST(every_single_flipped_bit_is_refused)
{
	for (int bit = 0; bit < PACE_HDR_SIZE * 8; bit++) {
		uint8_t buf[PACE_HDR_SIZE];

		memcpy(buf, golden[_i].bytes, sizeof(buf));
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check_refused(buf, sizeof(buf),
		    bit / 8 == 2 ? -EPROTONOSUPPORT : -EPROTO);
	}
}
END_TEST

static void
exchange(uint8_t *buf, int a, int b)
{
	uint8_t t[2];

	memcpy(t, buf + 2 * a, 2);
	memcpy(buf + 2 * a, buf + 2 * b, 2);
	memcpy(buf + 2 * b, t, 2);
}

START_TEST(every_exchange_of_two_different_words_is_refused)
{
	struct pace_hdr h;

	for (int a = 0; a < 16; a++) {
		for (int b = 0; b < a; b++) {
			uint8_t buf[PACE_HDR_SIZE];

			memcpy(buf, golden[0].bytes, sizeof(buf));
			exchange(buf, a, b);
			if (memcmp(buf, golden[0].bytes, sizeof(buf)) != 0)
				ck_assert_int_lt(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
		}
	}
}
END_TEST

static int
word(const uint8_t *buf, int i)
{
	return buf[2 * i] << 8 | buf[2 * i + 1];
}

/* Four random multiples of unit, 16 bits each. */
static uint64_t
four_words(int unit)
{
	uint64_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 16 | (uint64_t)(unit_between(0, 65535 / unit) * unit);
	return v;
}

/* The words of session, seq and time; 65521 is prime, so only words that
 * differ by just that can change places unseen. */
START_TEST(exchanges_are_found_but_for_those_that_the_header_names)
{
	static const int unit_of[] = { 1, 1, 257, 4369, 21845, 65521, 65535 };

	for (int i = 0; i < 100000; i++) {
		int a = (int)unit_between(4, 15), b = (int)unit_between(4, 15), rc;
		int unit = unit_of[unit_between(0, COUNT_OF(unit_of) - 1)];
		struct pace_hdr h = random_header();
		uint8_t buf[PACE_HDR_SIZE];
		bool blind;

		h.session = four_words(unit);
		h.seq = four_words(unit);
		h.tx_ns = (int64_t)four_words(unit);
		pace_hdr_encode(buf, sizeof(buf), &h);
		blind = (a - b) * (word(buf, a) - word(buf, b)) % 65521 == 0;
		exchange(buf, a, b);
		rc = pace_hdr_decode(&h, buf, sizeof(buf));
		if (rc != (blind ? 0 : -EPROTO))
			ck_abort_msg("words %d and %d, unit %d: %d", a, b, unit, rc);
	}
}
END_TEST

/* What wire.h says the check cannot see. */
START_TEST(words_that_differ_by_65521_are_the_known_blind_spot)
{
	uint8_t buf[PACE_HDR_SIZE];
	struct pace_hdr h = { .type = PACE_DATA, .session = UINT64_C(65521) << 48 };

	ck_assert_int_gt(pace_hdr_encode(buf, sizeof(buf), &h), 0);
	exchange(buf, 4, 7);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
	ck_assert_uint_eq(h.session, 65521);
}
END_TEST

START_TEST(another_version_is_told_apart_and_its_type_given)
{
	for (int version = 0; version < 256; version++) {
		uint8_t buf[PACE_HDR_SIZE];

		model_encode(buf, &golden[0].hdr, (uint8_t)version, 0);
		buf[3] = (uint8_t)(version * 7);
		buf[6] ^= 0x55;		/* its check may be another one */
		check_refused(buf, sizeof(buf),
		    version == 1 ? -EPROTO : -EPROTONOSUPPORT);
	}
}
END_TEST

START_TEST(flags_are_refused_though_the_check_is_right)
{
	for (int flags = 1; flags < 256; flags++) {
		uint8_t buf[PACE_HDR_SIZE];

		model_encode(buf, &golden[0].hdr, 1, (uint8_t)flags);
		check_refused(buf, sizeof(buf), -EPROTO);
	}
}
END_TEST

/* A header of another protocol, its own check right: the weight of the first
 * word is 1, so the check moves as the word does. */
START_TEST(another_magic_is_refused_before_anything_else_is_read)
{
	uint8_t buf[PACE_HDR_SIZE];

	memcpy(buf, golden[0].bytes, sizeof(buf));
	buf[1]++;
	buf[7]++;
	check_refused(buf, sizeof(buf), -EPROTO);
	buf[2]++;			/* of another version, too */
	check_refused(buf, sizeof(buf), -EPROTO);
}
END_TEST

START_TEST(every_type_is_passed_on)
{
	for (int type = 0; type < 256; type++) {
		uint8_t buf[PACE_HDR_SIZE];
		struct pace_hdr h = golden[0].hdr, back;

		h.type = (uint8_t)type;
		pace_hdr_encode(buf, sizeof(buf), &h);
		ck_assert_int_eq(pace_hdr_decode(&back, buf, sizeof(buf)), 0);
		ck_assert(same(&back, &h));
	}
}
END_TEST

START_TEST(random_headers_go_round_and_agree_with_the_model)
{
	for (int i = 0; i < 20000; i++) {
		uint8_t buf[PACE_HDR_SIZE], want[PACE_HDR_SIZE];
		struct pace_hdr h = random_header(), back;

		model_encode(want, &h, 1, 0);
		if (pace_hdr_encode(buf, sizeof(buf), &h) != PACE_HDR_SIZE ||
		    memcmp(buf, want, sizeof(buf)) != 0)
			ck_abort_msg("header %d is not the model's", i);
		if (pace_hdr_decode(&back, buf, sizeof(buf)) != 0 || !same(&back, &h))
			ck_abort_msg("header %d does not come back", i);
	}
}
END_TEST

/* Whatever is changed: accepted is exactly what the model would have sent. */
START_TEST(damaged_headers_are_judged_as_by_the_model)
{
	int accepted = 0;

	for (int i = 0; i < 200000; i++) {
		uint8_t buf[PACE_HDR_SIZE], want[PACE_HDR_SIZE];
		struct pace_hdr h = random_header();
		int rc;

		model_encode(buf, &h, 1, 0);
		for (int64_t n = unit_between(1, 4); n > 0; n--)
			buf[unit_between(6, 31)] = (uint8_t)unit_rnd();
		rc = pace_hdr_decode(&h, buf, sizeof(buf));
		if (rc == 0) {
			model_encode(want, &h, 1, 0);
			accepted++;
		}
		if (rc == 0 ? memcmp(buf, want, sizeof(buf)) != 0 : rc != -EPROTO)
			ck_abort_msg("header %d: %d", i, rc);
	}
	ck_assert_int_lt(accepted, 2000);	/* bytes that did not change */
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("wire");

	unit_seed();
	tcase_add_loop_test(tc, the_bytes_are_those_of_the_table, 0, COUNT_OF(golden));
	tcase_add_test(tc, what_follows_the_header_is_not_touched);
	tcase_add_test(tc, every_too_short_length_is_refused);
	tcase_add_test(tc, a_short_buffer_is_not_written);
	tcase_add_loop_test(tc, every_single_flipped_bit_is_refused, 0, COUNT_OF(golden));
	tcase_add_test(tc, every_exchange_of_two_different_words_is_refused);
	tcase_add_test(tc, exchanges_are_found_but_for_those_that_the_header_names);
	tcase_add_test(tc, words_that_differ_by_65521_are_the_known_blind_spot);
	tcase_add_test(tc, another_version_is_told_apart_and_its_type_given);
	tcase_add_test(tc, flags_are_refused_though_the_check_is_right);
	tcase_add_test(tc, another_magic_is_refused_before_anything_else_is_read);
	tcase_add_test(tc, every_type_is_passed_on);
	tcase_add_test(tc, random_headers_go_round_and_agree_with_the_model);
	tcase_add_test(tc, damaged_headers_are_judged_as_by_the_model);
	return unit_run(tc, "wire");
}
