/*
 * Fuzzes any text as a file of keys.  Checks: a rejected file leaves no key, and the message names
 * the line.  In an accepted file no name and no secret occurs twice; written line by line, the
 * file is read as the same keys again.
 */
#include <errno.h>
#include <sodium.h>

#include "fuzz.h"
#include "mutate_words.h"
#include "proto/keys.h"

static void
check_keys(const struct pace_keys *ks)
{
	for (int i = 0; i < ks->n; i++) {
		const struct pace_key *k = &ks->v[i];
		struct pace_key same = *k;

		MUST(memchr(k->name, '\0', sizeof(k->name)) != NULL && pace_key_name_ok(k->name));
		pace_key_identify(&same);
		MUST(memcmp(&same, k, sizeof(same)) == 0);
		MUST(pace_keys_named(ks, k->name) == k && pace_keys_find(ks, k->id) == k);
	}
}

static void
check_again(const struct pace_keys *ks)
{
	char *text = calloc((size_t)ks->n + 1, PACE_KEY_LINE_MAX);
	struct pace_keys again;
	size_t at = 0;

	MUST(text != NULL);
	for (int i = 0; i < ks->n; i++) {
		pace_key_line(&ks->v[i], text + at);
		MUST(strlen(text + at) < PACE_KEY_LINE_MAX);
		at += strlen(text + at);
	}
	MUST(pace_keys_read(&again, text, at, NULL) == 0 && again.n == ks->n);
	MUST(ks->n == 0 || memcmp(again.v, ks->v, (size_t)ks->n * sizeof(*ks->v)) == 0);
	pace_keys_free(&again);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_exact(data, size);
	struct pace_err err = { .code = 0 };
	struct pace_keys ks;
	int rc;

	MUST(sodium_init() >= 0);
	rc = pace_keys_read(&ks, text, size, &err);
	MUST(rc == 0 || (rc == -EINVAL && ks.n == 0 && ks.v == NULL));
	MUST(rc == 0 || strncmp(err.text, "line ", 5) == 0);
	if (rc == 0) {
		MUST(ks.n <= PACE_KEYS_MAX);
		check_keys(&ks);
		check_again(&ks);
	}
	pace_keys_free(&ks);
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "\n", " ", "\t", "#", "=", "\r\n",
		"a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
		"b HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHgA=\n", "AAAA", "-", "_", ".", NULL };
	struct chance c = { seed };

	return mutate_words(data, size, max, words, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
