#include "config.h"

#include "proto/stamp_keys.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>


/* --- the text ------------------------------------------------------------------------------- */

static int
fail_at(struct pace_err *err, int line, const char *what)
{
	return pace_failf(err, EINVAL, "read keys", "line %d: %s", line, what);
}

/* Read "hex:..." or "text:..." of n characters. */
static const char *
read_secret(struct pace_stamp_key *k, const char *text, size_t n)
{
	if (n > 4 && memcmp(text, "hex:", 4) == 0) {
		if (sodium_hex2bin(k->secret, sizeof(k->secret), text + 4, n - 4, NULL, &k->len,
		    NULL) == 0 && k->len > 0)
			return NULL;
		return "hex: takes 2 to 128 hexadecimal digits, two for each octet";
	}
	if (n > 5 && memcmp(text, "text:", 5) == 0) {
		k->len = n - 5;
		if (k->len > sizeof(k->secret))
			return "text: takes at most 64 characters";
		memcpy(k->secret, text + 5, k->len);
		return NULL;
	}
	return "the secret begins with hex: or text:";
}

/* Read one line of n characters; a line without a secret is skipped. */
static int
read_line(struct pace_stamp_keys *ks, const char *text, size_t n, int line, struct pace_err *err)
{
	struct pace_stamp_key *k = &ks->v[ks->n];
	const char *end = text + n, *why;
	size_t name;

	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	if (text == end || *text == '#')
		return 0;
	if (ks->n == PACE_RULES_MAX)
		return fail_at(err, line, "more secrets than a policy may have rules");
	for (name = 0; text + name < end && text[name] != ' ' && text[name] != '\t'; name++)
		;
	if (name >= sizeof(k->rule) || memchr(text, '\0', (size_t)(end - text)) != NULL)
		return fail_at(err, line, "it does not begin with the name of a rule");
	memcpy(k->rule, text, name);
	k->rule[name] = '\0';
	if (pace_stamp_keys_of(ks, k->rule) != NULL)
		return fail_at(err, line, "this rule has a secret already");
	for (text += name; text < end && (*text == ' ' || *text == '\t'); text++)
		;
	why = read_secret(k, text, (size_t)(end - text));
	if (why != NULL)
		return fail_at(err, line, why);
	ks->n++;
	return 0;
}

int
pace_stamp_keys_read(struct pace_stamp_keys *ks, const char *text, size_t len,
    struct pace_err *err)
{
	const char *end = text + len;
	int rc = 0;

	/* one more: the line that is too many is read there */
	*ks = (struct pace_stamp_keys){ .v = sodium_init() < 0 ? NULL :
	    sodium_allocarray(PACE_RULES_MAX + 1, sizeof(*ks->v)) };
	if (ks->v == NULL)
		return pace_fail(err, ENOMEM, "read keys");
	for (int line = 1; rc == 0 && text < end; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop != NULL ? stop : end) - text);

		rc = read_line(ks, text, n, line, err);
		text = stop != NULL ? stop + 1 : end;
	}
	if (rc < 0)
		pace_stamp_keys_free(ks);
	return rc;
}

void
pace_stamp_keys_free(struct pace_stamp_keys *ks)
{
	sodium_free(ks->v);
	*ks = (struct pace_stamp_keys){ .n = 0 };
}

const struct pace_stamp_key *
pace_stamp_keys_of(const struct pace_stamp_keys *ks, const char *rule)
{
	for (int i = 0; i < ks->n; i++)
		if (strcmp(ks->v[i].rule, rule) == 0)
			return &ks->v[i];
	return NULL;
}

/* --- the HMAC -------------------------------------------------------------------------------- */

void
pace_stamp_mac(const struct pace_stamp_key *k, const uint8_t *a, size_t a_len, const uint8_t *b,
    size_t b_len, uint8_t mac[PACE_STAMP_HMAC_SIZE])
{
	crypto_auth_hmacsha256_state state;
	uint8_t whole[crypto_auth_hmacsha256_BYTES];

	crypto_auth_hmacsha256_init(&state, k->secret, k->len);
	crypto_auth_hmacsha256_update(&state, a, a_len);
	crypto_auth_hmacsha256_update(&state, b, b_len);
	crypto_auth_hmacsha256_final(&state, whole);
	sodium_memzero(&state, sizeof(state));
	memcpy(mac, whole, PACE_STAMP_HMAC_SIZE);
}

bool
pace_stamp_mac_is(const struct pace_stamp_key *k, const uint8_t *a, size_t a_len,
    const uint8_t *b, size_t b_len, const uint8_t mac[PACE_STAMP_HMAC_SIZE])
{
	uint8_t right[PACE_STAMP_HMAC_SIZE];

	pace_stamp_mac(k, a, a_len, b, b_len, right);
	return sodium_memcmp(right, mac, sizeof(right)) == 0;
}
