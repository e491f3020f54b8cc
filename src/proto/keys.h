/*
 * keys.h - named secrets that client and responder share, and the text of a key file.
 *
 * Purpose    make a key, write its line, read a file's text, find a key by its name or by
 *            its fingerprint.
 * Text       one key a line: a name of 1 to 31 characters (letters, digits, . _ @ -, not
 *            beginning with -), blanks, and the secret as 44 characters of base64.  A #
 *            begins a comment up to the end of the line.  Names and secrets are unique.
 * Fingerprint  the first 8 bytes of a keyed BLAKE2b-128 of a fixed text: it identifies the
 *            secret and reveals nothing of it.  Only the fingerprint is sent, so client
 *            and responder may use different names for a key.
 * Memory     in pages that are wiped when freed and are in no core dump
 *            (sodium_malloc).  A caller that copies a key wipes the copy.
 * Errors     -EINVAL with the line's number in a text that never contains any of the
 *            secret; -ENOMEM.
 * Threads    none of its own.
 */
#ifndef PACE_PROTO_KEYS_H
#define PACE_PROTO_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define PACE_KEY_NAME_SIZE	32	/* with the final NUL */
#define PACE_KEY_SIZE		32
#define PACE_KEY_ID_SIZE	8
#define PACE_KEYS_MAX		1024
#define PACE_KEY_LINE_MAX	96	/* with the final NUL */
#define PACE_KEY_HEX_SIZE	(2 * PACE_KEY_ID_SIZE + 1)

struct pace_key {
	char	name[PACE_KEY_NAME_SIZE];
	uint8_t	id[PACE_KEY_ID_SIZE];		/* the fingerprint */
	uint8_t	secret[PACE_KEY_SIZE];
};

struct pace_keys {
	int	n;
	struct pace_key *v;		/* in the order of the file */
};

/* True if this is a valid name of a key. */
bool	pace_key_name_ok(const char *name);

/* Make a new random key with this valid name. */
void	pace_key_make(struct pace_key *k, const char *name);

/* Set the key's fingerprint from its secret / write the fingerprint in hexadecimal digits. */
void	pace_key_identify(struct pace_key *k);
const char	*pace_key_hex(const struct pace_key *k, char hex[PACE_KEY_HEX_SIZE]);

/* Write the key's line with its newline; the caller wipes it. */
void	pace_key_line(const struct pace_key *k, char line[PACE_KEY_LINE_MAX]);

/* Read the text of a key file, which may have no key.  After a failure *ks is empty. */
int	pace_keys_read(struct pace_keys *ks, const char *text, size_t len, struct pace_err *err);
void	pace_keys_free(struct pace_keys *ks);

/* Find a key; NULL: not found. */
const struct pace_key	*pace_keys_named(const struct pace_keys *ks, const char *name);
const struct pace_key	*pace_keys_find(const struct pace_keys *ks,
			    const uint8_t id[PACE_KEY_ID_SIZE]);

#endif
