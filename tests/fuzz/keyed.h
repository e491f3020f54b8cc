/*
 * keyed.h - keys that a fuzz target knows, and tags that it makes with them.
 *
 * Purpose    no fuzzer guesses a tag: the code behind the tag's check is reached only if the
 *            target itself tags the messages of the input.
 * Keys       0: none; KEY_A and KEY_B are the lines of keyed_text.
 * Tag        seal.h defines it, and fuzz_seal compares both.
 */
#ifndef FUZZ_KEYED_H
#define FUZZ_KEYED_H

#include "repair.h"
#include "proto/seal.h"

enum { KEY_NONE, KEY_A, KEY_B, KEYED };

static const char *const keyed_text[KEYED] = { "",
    "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
    "b AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n" };
static struct pace_key keyed_key[KEYED];

/* Those of the two keys that are wanted; the caller frees them. */
static inline struct pace_keys
keyed_list(bool a, bool b)
{
	struct pace_keys ks;
	char text[2 * PACE_KEY_LINE_MAX];

	snprintf(text, sizeof(text), "%s%s", a ? keyed_text[KEY_A] : "", b ? keyed_text[KEY_B] : "");
	MUST(pace_keys_read(&ks, text, strlen(text), NULL) == 0 && ks.n == a + b);
	return ks;
}

static inline void
keyed_set_up(void)
{
	struct pace_keys ks;

	if (keyed_key[KEY_A].name[0] != '\0')
		return;
	ks = keyed_list(true, true);
	keyed_key[KEY_A] = ks.v[0];
	keyed_key[KEY_B] = ks.v[1];
	pace_keys_free(&ks);
}

/* Set the header's flag for a trailer; false: this datagram can have no tag. */
static inline bool
keyed_mark(uint8_t *buf, size_t len)
{
	struct pace_hdr h;

	repair_header(buf, len);
	if (pace_hdr_decode(&h, buf, len) != 0)
		return false;
	h.sealed = true;
	return (h.type & ~PACE_REPLY) != PACE_DATA && pace_hdr_encode(buf, len, &h) > 0;
}

/* Tag len bytes; the buffer has room for the trailer. Return the new length, or 0. */
static inline size_t
keyed_tag(int key, uint64_t nonce, uint8_t *buf, size_t len)
{
	struct pace_seal seal;
	int n;

	if (len < PACE_HDR_SIZE || !keyed_mark(buf, len))
		return 0;
	pace_seal_derive(&seal, &keyed_key[key], nonce, repair_get_be64(buf + 8));
	n = pace_seal_put(&seal, buf, len + PACE_SEAL_SIZE, (int)len);
	MUST(n == (int)len + PACE_SEAL_SIZE);
	return (size_t)n;
}

/* Does it have the tag of this key, nonce and session? */
static inline bool
keyed_is_tagged(int key, uint64_t nonce, const struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	struct pace_seal seal;

	pace_seal_derive(&seal, &keyed_key[key], nonce, h->session);
	return h->sealed && pace_seal_check(&seal, buf, len);
}

#endif
