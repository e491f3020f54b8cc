#include "config.h"

#include "proto/keys.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define BASE64	sodium_base64_VARIANT_ORIGINAL

/* A word of a line. */
struct word {
	const char *p;
	size_t	len;
};

/* --- one key ----------------------------------------------------------------- */

static bool
word_is_name(struct word w)
{
	static const char chars[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";

	if (w.len == 0 || w.len >= PACE_KEY_NAME_SIZE || w.p[0] == '-')
		return false;
	for (size_t i = 0; i < w.len; i++)
		if (w.p[i] == '\0' || strchr(chars, w.p[i]) == NULL)
			return false;
	return true;
}

bool
pace_key_name_ok(const char *name)
{
	return word_is_name((struct word){ name, strlen(name) });
}

void
pace_key_identify(struct pace_key *k)
{
	static const uint8_t text[] = "udpace 1 key id";
	uint8_t hash[crypto_generichash_BYTES_MIN];

	crypto_generichash(hash, sizeof(hash), text, sizeof(text) - 1, k->secret,
	    sizeof(k->secret));
	memcpy(k->id, hash, sizeof(k->id));
}

const char *
pace_key_hex(const struct pace_key *k, char hex[PACE_KEY_HEX_SIZE])
{
	return sodium_bin2hex(hex, PACE_KEY_HEX_SIZE, k->id, sizeof(k->id));
}

void
pace_key_make(struct pace_key *k, const char *name)
{
	memset(k, 0, sizeof(*k));
	memcpy(k->name, name, strlen(name));
	randombytes_buf(k->secret, sizeof(k->secret));
	pace_key_identify(k);
}

void
pace_key_line(const struct pace_key *k, char line[PACE_KEY_LINE_MAX])
{
	size_t at = strlen(k->name);

	memcpy(line, k->name, at);
	line[at++] = ' ';
	sodium_bin2base64(line + at, PACE_KEY_LINE_MAX - at - 1, k->secret, sizeof(k->secret),
	    BASE64);
	strcat(line, "\n");
}

/* --- a file's text ------------------------------------------------------------- */

static struct word
next_word(const char **at, const char *end)
{
	struct word w;

	while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r'))
		++*at;
	w.p = *at;
	while (*at < end && **at != ' ' && **at != '\t' && **at != '\r' && **at != '#')
		++*at;
	w.len = (size_t)(*at - w.p);
	return w;
}

static int
fault(struct pace_err *err, int line, const char *what)
{
	return pace_failf(err, EINVAL, "key file", "line %d: %s", line, what);
}

/* Add a key if there is room. */
static int
add_line(struct pace_keys *ks, const char *at, const char *end, int line, struct pace_err *err)
{
	struct pace_key *k = &ks->v[ks->n];
	struct word name = next_word(&at, end), secret = next_word(&at, end);
	struct word more = next_word(&at, end);
	const char *rest;
	size_t got;

	if (name.len == 0)
		return 0;
	if (!word_is_name(name))
		return fault(err, line, "not a key name: use 1 to 31 letters, digits, . _ @ -");
	if (secret.len == 0)
		return fault(err, line, "a name without its secret");
	memset(k, 0, sizeof(*k));
	memcpy(k->name, name.p, name.len);
	if (sodium_base642bin(k->secret, PACE_KEY_SIZE, secret.p, secret.len, NULL, &got, &rest,
	    BASE64) != 0 || got != PACE_KEY_SIZE || rest != secret.p + secret.len)
		return fault(err, line, "the secret is not 32 bytes in base64");
	if (more.len > 0)
		return fault(err, line, "more than a name and a secret");
	pace_key_identify(k);
	if (ks->n == PACE_KEYS_MAX)
		return fault(err, line, "more than 1024 keys");
	if (pace_keys_named(ks, k->name) != NULL)
		return fault(err, line, "this name is already used above");
	if (pace_keys_find(ks, k->id) != NULL)
		return fault(err, line, "this secret is already used above");
	ks->n++;
	return 0;
}

int
pace_keys_read(struct pace_keys *ks, const char *text, size_t len, struct pace_err *err)
{
	const char *end = text + len, *eol;
	size_t room = 1;		/* for one key per line */
	int rc = 0;

	for (size_t i = 0; i < len; i++)
		room += text[i] == '\n';
	*ks = (struct pace_keys){ .n = 0 };
	if (room > PACE_KEYS_MAX + 1)
		room = PACE_KEYS_MAX + 1;	/* to detect one key too many */
	ks->v = sodium_malloc(room * sizeof(*ks->v));
	if (ks->v == NULL)
		return pace_fail(err, ENOMEM, "key file");
	for (int line = 1; text < end && rc == 0; line++, text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (eol == NULL)
			eol = end;
		rc = add_line(ks, text, eol, line, err);
		if (eol == end)
			break;
	}
	if (rc < 0)
		pace_keys_free(ks);
	return rc;
}

void
pace_keys_free(struct pace_keys *ks)
{
	sodium_free(ks->v);		/* wipes */
	*ks = (struct pace_keys){ .n = 0 };
}

const struct pace_key *
pace_keys_named(const struct pace_keys *ks, const char *name)
{
	for (int i = 0; i < ks->n; i++)
		if (strcmp(ks->v[i].name, name) == 0)
			return &ks->v[i];
	return NULL;
}

const struct pace_key *
pace_keys_find(const struct pace_keys *ks, const uint8_t id[PACE_KEY_ID_SIZE])
{
	for (int i = 0; i < ks->n; i++)
		if (memcmp(ks->v[i].id, id, PACE_KEY_ID_SIZE) == 0)
			return &ks->v[i];
	return NULL;
}
