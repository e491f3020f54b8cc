/*
 * keys.h - named secrets that both ends know, and the text of a key file.
 *
 * Purpose    make a key, write its line, read a file's text, find a key by
 *            its name or by its fingerprint.
 * Text       one key a line: a name of 1 to 31 characters (letters, digits,
 *            . _ @ -, no - in front), blanks, the secret as 44 characters of
 *            base64.  What follows a #, up to the end of the line, is a
 *            comment.  No name, and no secret, may stand there twice.
 * Fingerprint  the first 8 bytes of a keyed BLAKE2b-128 of a fixed text: it
 *            tells which secret is meant and nothing of the secret.  It is
 *            what travels, so the two ends may name a key differently.
 * Memory     in pages that are wiped when freed and are in no core dump
 *            (sodium_malloc).  Who copies a key wipes the copy.
 * Errors     -EINVAL with the line's number in words that never hold any of
 *            the secret; -ENOMEM.
 * Threads    none of its own.
 */
#ifndef PACE_PROTO_KEYS_H
#define PACE_PROTO_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define PACE_KEY_NAME_SIZE	32	/* with its end */
#define PACE_KEY_SIZE		32
#define PACE_KEY_ID_SIZE	8
#define PACE_KEYS_MAX		1024
#define PACE_KEY_LINE_MAX	96	/* with its end */
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

/* Is it one that a line may begin with? */
bool	pace_key_name_ok(const char *name);

/* A new one of this name, which is ok. */
void	pace_key_make(struct pace_key *k, const char *name);

/* Its fingerprint, from its secret; and in hexadecimal digits. */
void	pace_key_identify(struct pace_key *k);
const char	*pace_key_hex(const struct pace_key *k, char hex[PACE_KEY_HEX_SIZE]);

/* Its line, with the newline; wipe it. */
void	pace_key_line(const struct pace_key *k, char line[PACE_KEY_LINE_MAX]);

/* Read a whole file's text; none in it is no fault.  *ks is empty after a failure. */
int	pace_keys_read(struct pace_keys *ks, const char *text, size_t len, struct pace_err *err);
void	pace_keys_free(struct pace_keys *ks);

/* NULL: none. */
const struct pace_key	*pace_keys_named(const struct pace_keys *ks, const char *name);
const struct pace_key	*pace_keys_find(const struct pace_keys *ks,
			    const uint8_t id[PACE_KEY_ID_SIZE]);

#endif
