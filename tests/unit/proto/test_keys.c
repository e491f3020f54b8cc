/* keys.h: valid and invalid lines of a key file. */
#include "proto/keys.h"

#include "lib/unit.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

/* 00 01 02 ... 1f; its fingerprint was computed by Python's hashlib. */
#define COUNTING	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define ZEROS		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
static const uint8_t counting_id[PACE_KEY_ID_SIZE] =
	{ 0x6c, 0xda, 0xa7, 0x27, 0x62, 0x4d, 0x9c, 0x0f };

static struct pace_keys ks;
static struct pace_err err;

static int
read_text(const char *text, size_t len)
{
	char *exact = malloc(len > 0 ? len : 1);
	int rc;

	memcpy(exact, text, len);
	memset(&err, 0, sizeof(err));
	rc = pace_keys_read(&ks, exact, len, &err);
	free(exact);
	return rc;
}

START_TEST(a_file_is_read)
{
	static const char text[] = "# keys of the north site\n\n"
	    "alice " COUNTING "\n"
	    "  \t\r\n"
	    "\tnight.run_2@site-b\t" ZEROS "  # until June\r\n";

	ck_assert_int_eq(read_text(text, strlen(text)), 0);
	ck_assert_int_eq(ks.n, 2);
	ck_assert_str_eq(ks.v[0].name, "alice");
	for (int i = 0; i < PACE_KEY_SIZE; i++)
		ck_assert_int_eq(ks.v[0].secret[i], i);
	ck_assert_mem_eq(ks.v[0].id, counting_id, sizeof(counting_id));
	ck_assert_str_eq(ks.v[1].name, "night.run_2@site-b");
	ck_assert_ptr_eq(pace_keys_named(&ks, "alice"), &ks.v[0]);
	ck_assert_ptr_null(pace_keys_named(&ks, "alic"));
	ck_assert_ptr_eq(pace_keys_find(&ks, ks.v[1].id), &ks.v[1]);
	ck_assert_ptr_eq(pace_keys_find(&ks, counting_id), &ks.v[0]);
	pace_keys_free(&ks);
	ck_assert_int_eq(ks.n, 0);
	ck_assert_ptr_null(pace_keys_find(&ks, counting_id));
}
END_TEST

#define NAME_31	"abcdefghijklmnopqrstuvwxyz01234"

static const struct { const char *text; int n; const char *says; } texts[] = {
	{ "", 0, NULL },
	{ "\n\n", 0, NULL },
	{ "# nothing", 0, NULL },
	{ "a " COUNTING, 1, NULL },			/* no newline at the end */
	{ "a " COUNTING "#", 1, NULL },
	{ NAME_31 " " COUNTING "\n", 1, NULL },
	{ NAME_31 "5 " COUNTING "\n", -1, "line 1: not a key name" },
	{ "a\n", -1, "line 1: a name without" },
	{ "a #" COUNTING "\n", -1, "line 1: a name without" },
	{ "\n-a " COUNTING "\n", -1, "line 2: not a key name" },
	{ "a/b " COUNTING "\n", -1, "line 1: not a key name" },
	{ "\xc3\xa4 " COUNTING "\n", -1, "line 1: not a key name" },
	{ "a " COUNTING " b\n", -1, "line 1: more than" },
	{ "a =" COUNTING "\n", -1, "line 1: the secret" },
	{ "a " COUNTING "=\n", -1, "line 1: the secret" },
	{ "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", -1, "line 1: the secret" },
	{ "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==\n", -1, "line 1: the secret" },
	{ "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n", -1, "line 1: the secret" },
	{ "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=\n", -1, "line 1: the secret" },
	{ "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdH!8=\n", -1, "line 1: the secret" },
	{ "a " COUNTING "\na " ZEROS "\n", -1, "line 2: this name" },
	{ "a " COUNTING "\nb " COUNTING "\n", -1, "line 2: this secret" },
	{ "a " COUNTING "\nA " ZEROS "\n", 2, NULL },
};

START_TEST(lines_are_keys_or_are_told)
{
	int rc = read_text(texts[_i].text, strlen(texts[_i].text));

	ck_assert_int_eq(rc, texts[_i].n < 0 ? -EINVAL : 0);
	ck_assert_int_eq(ks.n, texts[_i].n < 0 ? 0 : texts[_i].n);
	if (texts[_i].says != NULL)
		ck_assert_msg(strncmp(err.text, texts[_i].says, strlen(texts[_i].says)) == 0,
		    "%s", err.text);
	ck_assert_ptr_null(strstr(err.text, "AAE"));	/* nothing of a secret */
	pace_keys_free(&ks);
}
END_TEST

START_TEST(a_zero_byte_is_no_end)
{
	static const char text[] = "a " COUNTING "\0\nb " ZEROS;

	ck_assert_int_eq(read_text(text, sizeof(text) - 1), -EINVAL);
	ck_assert_int_eq(read_text("a\0b " COUNTING, 5 + strlen(COUNTING) - 1), -EINVAL);
}
END_TEST

START_TEST(a_made_key_comes_back_from_its_line)
{
	struct pace_key k, other;
	char line[PACE_KEY_LINE_MAX], hex[PACE_KEY_HEX_SIZE];

	pace_key_make(&k, NAME_31);
	pace_key_make(&other, NAME_31);
	ck_assert(memcmp(k.secret, other.secret, sizeof(k.secret)) != 0);
	pace_key_line(&k, line);
	ck_assert_uint_eq(strlen(line), 31 + 1 + 44 + 1);
	ck_assert_int_eq(read_text(line, strlen(line)), 0);
	ck_assert_int_eq(ks.n, 1);
	ck_assert_mem_eq(&ks.v[0], &k, sizeof(k));
	ck_assert_uint_eq(strlen(pace_key_hex(&k, hex)), 16);
	pace_keys_free(&ks);
}
END_TEST

static char *
many(int n)
{
	char *text = malloc((size_t)n * PACE_KEY_LINE_MAX + 1), name[16];
	size_t at = 0;

	text[0] = '\0';
	for (int i = 0; i < n; i++) {
		struct pace_key k;

		snprintf(name, sizeof(name), "k%d", i);
		pace_key_make(&k, name);
		pace_key_line(&k, text + at);
		at += strlen(text + at);
	}
	return text;
}

START_TEST(there_may_be_1024_and_no_more)
{
	char *text = many(PACE_KEYS_MAX);

	ck_assert_int_eq(read_text(text, strlen(text)), 0);
	ck_assert_int_eq(ks.n, PACE_KEYS_MAX);
	ck_assert_ptr_eq(pace_keys_named(&ks, "k1023"), &ks.v[1023]);
	pace_keys_free(&ks);
	free(text);
	text = many(PACE_KEYS_MAX + 2);
	ck_assert_int_eq(read_text(text, strlen(text)), -EINVAL);
	ck_assert_str_eq(err.text, "line 1025: more than 1024 keys");
	free(text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("keys");

	unit_seed(tc);
	if (sodium_init() < 0)
		return 99;
	tcase_add_test(tc, a_file_is_read);
	tcase_add_loop_test(tc, lines_are_keys_or_are_told, 0, COUNT_OF(texts));
	tcase_add_test(tc, a_zero_byte_is_no_end);
	tcase_add_test(tc, a_made_key_comes_back_from_its_line);
	tcase_add_test(tc, there_may_be_1024_and_no_more);
	return unit_run(tc, "keys");
}
