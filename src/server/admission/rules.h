/*
 * rules.h - the policy that all sessions of a responder share, and its used budgets.
 *
 * Purpose    a session looks up its limits once, when it is opened, and keeps them; a new
 *            policy applies to later sessions.  The budget that a rule has used is kept by
 *            the rule's name and survives a change of policy.
 * Threads    any: a mutex inside; do not call it for each frame.
 */
#ifndef PACE_SERVER_ADMISSION_RULES_H
#define PACE_SERVER_ADMISSION_RULES_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/policy.h"
#include "server/admission/byte_sketch.h"

struct pace_rules {
	pthread_mutex_t	lock;
	struct pace_policy policy;
	struct pace_budget budget;
	struct pace_byte_rate_sketch networks;
	_Atomic uint32_t changes;	/* of the policy: a copy of terms may be old */
};

/* Start with the built-in policy.  NULL: no memory.  pace_rules_free accepts NULL. */
struct pace_rules	*pace_rules_new(void);
void	pace_rules_free(struct pace_rules *r);

void	pace_rules_set(struct pace_rules *r, const struct pace_policy *p);

/* The terms of one client: its limits, and whose budget it uses. */
struct pace_terms {
	struct pace_limits limits;
	char	subject[PACE_SUBJECT_SIZE];
	uint64_t network;	/* its network's columns in the sketch */
};

/* Find the terms of a client.  r NULL: no limits, except that the responder never sends more than
 * it receives. */
void	pace_rules_terms(struct pace_rules *r, const struct pace_addr *a, const char *key,
	    struct pace_terms *t);

/* True if clients at this address need no key although keys are required: only if their rule
 * says allow = yes. */
bool	pace_rules_invite(struct pace_rules *r, const struct pace_addr *a);

struct pace_used {
	double	bytes, network;		/* of the rule's budget; of the network's budget */
};

/* Count these bytes on that day; returns the bytes used, including them.  0: no budget. */
struct pace_used	pace_rules_use(struct pace_rules *r, const struct pace_terms *t,
	    int64_t day, double bytes);

#endif
