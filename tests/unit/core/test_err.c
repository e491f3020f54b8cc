/* err.h: cleaned text is what it was, less what acts on a terminal. */
#include "core/err.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static uint64_t
rnd(uint64_t *state)			/* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static size_t
encode(uint32_t c, char out[4])
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(first[n] | c);
	return n;
}

/* A character is what encoding some code point gives back, bit for bit. */
static size_t
model_char(const char *from, size_t left, uint32_t *code)
{
	static const uint32_t payload[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };

	for (size_t n = 1; n <= 4 && n <= left; n++) {
		uint32_t c = (unsigned char)from[0] & payload[n];
		char again[4];

		for (size_t i = 1; i < n; i++)
			c = c << 6 | ((unsigned char)from[i] & 0x3f);
		if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			continue;
		if (encode(c, again) == n && memcmp(again, from, n) == 0) {
			*code = c;
			return n;
		}
	}
	return 0;
}

static void
model_clean(char *to, size_t size, const char *from, size_t len)
{
	size_t used = 0, n;
	uint32_t c = 0;

	for (size_t at = 0; at < len; at += n ? n : 1) {
		char piece[4] = "?";
		size_t want = 1;

		n = model_char(from + at, len - at, &c);
		if (n > 0 && c >= 0x20 && (c < 0x7f || c > 0x9f))
			want = encode(c, piece);
		if (used + want + 1 > size)
			break;
		memcpy(to + used, piece, want);
		used += want;
	}
	to[used] = '\0';
}

/* Both buffers are exactly as large as they are said to be. */
static void
check_against_model(const char *from, size_t len, size_t size)
{
	char want[64], *exact = malloc(len ? len : 1), *to = malloc(size);

	ck_assert_uint_le(size, sizeof(want));
	memcpy(exact, from, len);
	memset(to, 0x5a, size);
	pace_clean(to, size, exact, len);
	model_clean(want, size, from, len);
	ck_assert_ptr_nonnull(memchr(to, 0, size));
	ck_assert_str_eq(to, want);
	free(exact);
	free(to);
}

static const struct { const char *from; size_t len; const char *want; } texts[] = {
	{ "", 0, "" },
	{ "plain ~ text", 12, "plain ~ text" },
	{ "a\tb\nc\r\x1b[2J", 10, "a?b?c??[2J" },
	{ "\0x\x1f \x7e\x7f", 6, "?x? ~?" },
	{ "\xc2\x80\xc2\x9f\xc2\xa0", 6, "??\xc2\xa0" },		/* C1, C1, NBSP */
	{ "10 \xc2\xb5s", 6, "10 \xc2\xb5s" },
	{ "\xe2\x89\xa4\xf0\x9f\x93\xa1", 7, "\xe2\x89\xa4\xf0\x9f\x93\xa1" },
	{ "\x9b" "31m", 4, "?31m" },				/* C1 as one byte */
	{ "\xff\xfe\x80", 3, "???" },
	{ "\xc0\x80", 2, "??" },				/* overlong NUL */
	{ "\xe0\x9f\xbf" "\xe0\xa0\x80", 6, "???\xe0\xa0\x80" },
	{ "\xed\x9f\xbf" "\xed\xa0\x80", 6, "\xed\x9f\xbf???" },	/* surrogate */
	{ "\xf0\x8f\xbf\xbf" "\xf0\x90\x80\x80", 8, "????\xf0\x90\x80\x80" },
	{ "\xf4\x8f\xbf\xbf" "\xf4\x90\x80\x80", 8, "\xf4\x8f\xbf\xbf????" },
	{ "\xf5\x80\x80\x80", 4, "????" },
	{ "\xe2\x82", 2, "??" },				/* ends too soon */
	{ "\xe2\x82" "A", 3, "??A" },
	{ "\xc2", 1, "?" },
};

START_TEST(known_texts_are_cleaned_as_written_here)
{
	char to[64];

	pace_clean(to, sizeof(to), texts[_i].from, texts[_i].len);
	ck_assert_str_eq(to, texts[_i].want);
	for (size_t size = 1; size < 16; size++)
		check_against_model(texts[_i].from, texts[_i].len, size);
}
END_TEST

START_TEST(every_code_point_is_kept_or_is_a_control)
{
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		char from[4], to[8];
		size_t n = encode(c, from);
		int control = c < 0x20 || (c >= 0x7f && c < 0xa0);

		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		pace_clean(to, sizeof(to), from, n);
		if (control)
			ck_assert_str_eq(to, "?");
		else if (strlen(to) != n || memcmp(to, from, n) != 0)
			ck_abort_msg("U+%04X became %s", (unsigned)c, to);
	}
}
END_TEST

START_TEST(every_two_bytes_agree_with_the_model)
{
	for (unsigned v = 0; v < 0x10000; v++) {
		char from[2] = { (char)(v >> 8), (char)(v & 0xff) };
		char to[8], want[8];

		pace_clean(to, sizeof(to), from, 2);
		model_clean(want, sizeof(want), from, 2);
		if (strcmp(to, want) != 0)
			ck_abort_msg("%04x became %s, not %s", v, to, want);
	}
}
END_TEST

START_TEST(random_bytes_agree_with_the_model_at_every_size)
{
	/* Bytes where the rules change, so that characters do happen. */
	static const char edges[] = "\x1f\x20\x7e\x7f\x80\x8f\x90\x9f\xa0\xbf"
	    "\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xff" "A";
	uint64_t state = unit_first;

	for (int round = 0; round < 20000; round++) {
		char from[24];
		size_t len = rnd(&state) % (sizeof(from) + 1);

		for (size_t i = 0; i < len; i++)
			from[i] = edges[rnd(&state) % (sizeof(edges) - 1)];
		check_against_model(from, len, 1 + rnd(&state) % 30);
	}
}
END_TEST

START_TEST(no_room_writes_nothing)
{
	char to[2] = "x";

	pace_clean(to, 0, "abc", 3);
	ck_assert_str_eq(to, "x");
	pace_clean(to, 1, "abc", 3);
	ck_assert_str_eq(to, "");
}
END_TEST

START_TEST(a_failure_is_recorded_and_returned_negative)
{
	struct pace_err err;

	memset(&err, 0x5a, sizeof(err));
	ck_assert_int_eq(pace_fail(&err, EACCES, "bind"), -EACCES);
	ck_assert_int_eq(err.code, EACCES);
	ck_assert_str_eq(err.step, "bind");
	ck_assert_str_eq(err.text, "");
	ck_assert_int_eq(pace_fail(NULL, EPERM, "bind"), -EPERM);
	ck_assert_int_eq(pace_failf(NULL, EPERM, "bind", "%d", 1), -EPERM);
	pace_fail(&err, EPERM, NULL);
	ck_assert_ptr_nonnull(err.step);
}
END_TEST

START_TEST(the_text_is_formatted_and_cleaned)
{
	struct pace_err err;

	ck_assert_int_eq(pace_failf(&err, EBUSY, "open", "%s by %d",
	    "held\x1b[31m", 7), -EBUSY);
	ck_assert_int_eq(err.code, EBUSY);
	ck_assert_str_eq(err.step, "open");
	ck_assert_str_eq(err.text, "held?[31m by 7");
	/* adding to what is already there */
	pace_failf(&err, EBUSY, "open", "again: %s", err.text);
	ck_assert_str_eq(err.text, "again: held?[31m by 7");
	ck_assert_str_eq(pace_err_why(&err), "again: held?[31m by 7");
	pace_fail(&err, ENOENT, "open");
	ck_assert_str_eq(pace_err_why(&err), "No such file or directory");
}
END_TEST

/* Loop test: _i bytes before the characters move the cut through them. */
START_TEST(a_long_text_is_cut_between_characters)
{
	static const char *const units[] = { "\xc2\xb5", "\xe2\x89\xa4",
	    "\xf0\x9f\x93\xa1", "\xc2\x9b", "\xc2\x9b\xf0\x9f\x93\xa1" };

	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		char from[1024], want[sizeof(((struct pace_err *)0)->text)];
		struct pace_err err;
		size_t n = (size_t)_i;

		memset(from, 'x', n);
		for (; n + 8 < sizeof(from); n += strlen(units[u]))
			memcpy(from + n, units[u], strlen(units[u]));
		from[n] = '\0';
		pace_failf(&err, EIO, "read", "%s", from);
		model_clean(want, sizeof(want), from, n);
		ck_assert_str_eq(err.text, want);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("err");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, known_texts_are_cleaned_as_written_here, 0,
	    (int)(sizeof(texts) / sizeof(texts[0])));
	tcase_add_test(tc, every_code_point_is_kept_or_is_a_control);
	tcase_add_test(tc, every_two_bytes_agree_with_the_model);
	tcase_add_test(tc, random_bytes_agree_with_the_model_at_every_size);
	tcase_add_test(tc, no_room_writes_nothing);
	tcase_add_test(tc, a_failure_is_recorded_and_returned_negative);
	tcase_add_test(tc, the_text_is_formatted_and_cleaned);
	tcase_add_loop_test(tc, a_long_text_is_cut_between_characters, 0, 16);
	return unit_run_apart(tc, "err");
}
