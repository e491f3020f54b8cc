/* stamp_keys.h: the lines of a file, and the HMAC of RFC 4231 cut to 128 bits. */
#include "proto/stamp_keys.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

static int
read_text(struct pace_stamp_keys *ks, const char *text, struct pace_err *err)
{
	return pace_stamp_keys_read(ks, text, strlen(text), err);
}

START_TEST(a_file_gives_rules_their_secrets)
{
	struct pace_stamp_keys ks;

	ck_assert_int_eq(read_text(&ks, "# routers\n\n  default\thex:00ff7F \r\n"
	    "core text:a b#c\nlast text:x", NULL), 0);
	ck_assert_int_eq(ks.n, 3);
	ck_assert_uint_eq(pace_stamp_keys_of(&ks, "default")->len, 3);
	ck_assert_mem_eq(pace_stamp_keys_of(&ks, "default")->secret, "\x00\xff\x7f", 3);
	ck_assert_uint_eq(pace_stamp_keys_of(&ks, "core")->len, 5);
	ck_assert_mem_eq(pace_stamp_keys_of(&ks, "core")->secret, "a b#c", 5);
	ck_assert_uint_eq(pace_stamp_keys_of(&ks, "last")->len, 1);
	ck_assert_ptr_null(pace_stamp_keys_of(&ks, "cor"));
	pace_stamp_keys_free(&ks);
	ck_assert_ptr_null(pace_stamp_keys_of(&ks, "core"));
	ck_assert_int_eq(read_text(&ks, "# nothing\n", NULL), 0);
	ck_assert_int_eq(ks.n, 0);
	pace_stamp_keys_free(&ks);
}
END_TEST

#define X32	"12345678901234567890123456789012"

static const struct { const char *text, *why; } bad[] = {
	{ "a\n", "line 1: the secret begins with hex: or text:" },
	{ "a secret", "line 1: the secret begins with hex: or text:" },
	{ "\na hex:", "line 2: the secret begins with hex: or text:" },
	{ "a hex:0", "line 1: hex: takes 2 to 128 hexadecimal digits, two for each octet" },
	{ "a hex:0g", "line 1: hex: takes 2 to 128 hexadecimal digits, two for each octet" },
	{ "a hex:" X32 X32 X32 X32 "00",
	    "line 1: hex: takes 2 to 128 hexadecimal digits, two for each octet" },
	{ "a text:", "line 1: the secret begins with hex: or text:" },
	{ "a text:" X32 X32 "x", "line 1: text: takes at most 64 characters" },
	{ "a text:x\nb text:y\na text:z", "line 3: this rule has a secret already" },
	{ X32 " text:x", "line 1: it does not begin with the name of a rule" },
};

START_TEST(what_is_wrong_is_refused_without_the_secret)
{
	struct pace_stamp_keys ks;
	struct pace_err err = { .code = 0 };

	ck_assert_int_eq(read_text(&ks, bad[_i].text, &err), -EINVAL);
	ck_assert_str_eq(err.text, bad[_i].why);
	ck_assert_int_eq(ks.n, 0);
	ck_assert_ptr_null(ks.v);
}
END_TEST

START_TEST(the_longest_secret_is_taken)
{
	struct pace_stamp_keys ks;

	ck_assert_int_eq(read_text(&ks, "a hex:" X32 X32 X32 X32 "\nb text:" X32 X32, NULL), 0);
	ck_assert_uint_eq(ks.v[0].len, 64);
	ck_assert_uint_eq(ks.v[1].len, 64);
	pace_stamp_keys_free(&ks);
}
END_TEST

/* RFC 4231, test case 2: key "Jefe"; the digest begins with these octets. */
START_TEST(the_hmac_is_hmac_sha_256)
{
	static const uint8_t want[] = { 0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04,
		0x24, 0x26, 0x08, 0x95, 0x75, 0xc7 };
	static const char text[] = "what do ya want for nothing?";
	uint8_t a[sizeof(text)], mac[PACE_STAMP_HMAC_SIZE];
	struct pace_stamp_keys ks;

	memcpy(a, text, sizeof(text));
	ck_assert_int_eq(read_text(&ks, "r text:Jefe", NULL), 0);
	pace_stamp_mac(&ks.v[0], a, 28, NULL, 0, mac);
	ck_assert_mem_eq(mac, want, sizeof(want));
	memset(mac, 0, sizeof(mac));
	pace_stamp_mac(&ks.v[0], a, 4, a + 4, 24, mac);
	ck_assert_mem_eq(mac, want, sizeof(want));
	ck_assert(pace_stamp_mac_is(&ks.v[0], a, 28, NULL, 0, mac));
	mac[15] ^= 1;
	ck_assert(!pace_stamp_mac_is(&ks.v[0], a, 28, NULL, 0, mac));
	pace_stamp_keys_free(&ks);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stamp_keys");

	tcase_add_test(tc, a_file_gives_rules_their_secrets);
	tcase_add_loop_test(tc, what_is_wrong_is_refused_without_the_secret, 0, COUNT_OF(bad));
	tcase_add_test(tc, the_longest_secret_is_taken);
	tcase_add_test(tc, the_hmac_is_hmac_sha_256);
	return unit_run(tc, "stamp_keys");
}
