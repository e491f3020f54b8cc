/*
 * stamp_keys.h - the secrets of STAMP's authenticated mode, and the text of their file.
 *
 * Purpose    STAMP has no key identifier, so each secret belongs to a rule of the policy.  They
 *            are never udpace's own keys: every router of a network knows them.
 * Text       one secret a line: the name of a rule, blanks, and hex: with 2 to 128 hexadecimal
 *            digits, or text: with 1 to 64 characters up to the end of the line.  A line that
 *            begins with # is a comment.
 * Memory     in pages that are wiped when freed and are in no core dump (sodium_malloc).
 * Errors     -EINVAL with the line's number in a text that never contains any of the secret;
 *            -ENOMEM.
 * Source     HMAC-SHA-256 cut to 128 bits: RFC 8762 section 4.4.
 * Threads    none of its own.
 */
#ifndef PACE_PROTO_STAMP_KEYS_H
#define PACE_PROTO_STAMP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/policy.h"
#include "core/stamp.h"

#define PACE_STAMP_KEY_MAX	64

struct pace_stamp_key {
	char	rule[PACE_RULE_NAME];
	size_t	len;
	uint8_t	secret[PACE_STAMP_KEY_MAX];
};

struct pace_stamp_keys {
	int	n;
	struct pace_stamp_key *v;
};

/* Read the text of a file, which may have no secret.  After a failure *ks is empty. */
int	pace_stamp_keys_read(struct pace_stamp_keys *ks, const char *text, size_t len,
	    struct pace_err *err);
void	pace_stamp_keys_free(struct pace_stamp_keys *ks);

/* The secret of a rule; NULL: it has none. */
const struct pace_stamp_key	*pace_stamp_keys_of(const struct pace_stamp_keys *ks,
				    const char *rule);

/* The HMAC of two pieces, one after the other. */
void	pace_stamp_mac(const struct pace_stamp_key *k, const uint8_t *a, size_t a_len,
	    const uint8_t *b, size_t b_len, uint8_t mac[PACE_STAMP_HMAC_SIZE]);

/* Is it the right one?  In constant time. */
bool	pace_stamp_mac_is(const struct pace_stamp_key *k, const uint8_t *a, size_t a_len,
	    const uint8_t *b, size_t b_len, const uint8_t mac[PACE_STAMP_HMAC_SIZE]);

#endif
