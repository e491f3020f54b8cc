/*
 * policy_text.h - what a policy allows, for people: a block for each rule, whom
 *            it serves and within which limits.
 *
 * Errors     -errno of the stream.
 */
#ifndef PACE_OUT_POLICY_TEXT_H
#define PACE_OUT_POLICY_TEXT_H

#include <stdio.h>

#include "core/policy.h"

/* What the program itself allows at most, and whose keys it knows. */
struct pace_caps {
	uint64_t	records, sessions;
	uint64_t	house;		/* sessions of one host */
	uint64_t	strangers;	/* of all without a key, where there are keys */
	const struct pace_known_keys *keys;	/* NULL: no key is asked for */
};

int	pace_policy_text(FILE *f, const struct pace_policy *p, const struct pace_caps *caps);

#endif
