/*
 * policy_text.h - print a policy for people: one block a rule, with the clients that
 *            it accepts and their limits.
 *
 * Errors     -errno of the stream.
 */
#ifndef PACE_OUT_POLICY_TEXT_H
#define PACE_OUT_POLICY_TEXT_H

#include <stdio.h>

#include "core/policy.h"

/* Limits of the program itself, and the keys it knows. */
struct pace_caps {
	uint64_t	records, sessions;
	uint64_t	house;		/* sessions from one host */
	uint64_t	strangers;	/* sessions of clients without a key, if there are keys */
	const struct pace_known_keys *keys;	/* NULL: no key is required */
};

int	pace_policy_text(FILE *f, const struct pace_policy *p, const struct pace_caps *caps);

#endif
