/*
 * rules.h - the policy that all sessions of a responder share, and what they used.
 *
 * Purpose    a session asks once, at its birth, what holds for it, and keeps the answer:
 *            another policy that is set meanwhile is for those that come later.  What a
 *            rule has used of its budget outlives the policy, by the rule's name.
 * Threads    any: a mutex inside; not for every frame.
 */
#ifndef PACE_SERVER_ADMISSION_RULES_H
#define PACE_SERVER_ADMISSION_RULES_H

#include <pthread.h>

#include "core/policy.h"
#include "server/admission/byte_sketch.h"

struct pace_rules {
	pthread_mutex_t	lock;
	struct pace_policy policy;
	struct pace_budget budget;
	struct pace_byte_rate_sketch networks;
};

/* The built-in policy.  NULL: no memory.  Freed by pace_rules_free, NULL is accepted. */
struct pace_rules	*pace_rules_new(void);
void	pace_rules_free(struct pace_rules *r);

void	pace_rules_set(struct pace_rules *r, const struct pace_policy *p);

/* What holds for one client: its limits, and whose budget it uses. */
struct pace_terms {
	struct pace_limits limits;
	char	subject[PACE_SUBJECT_SIZE];
	uint64_t network;	/* its columns in the sketch */
};

/* r NULL: no limits, but nothing that makes the responder send more than it receives. */
void	pace_rules_terms(struct pace_rules *r, const struct pace_addr *a, const char *key,
	    struct pace_terms *t);

/* Is a client of this address served without a key where keys are required?  Only where
 * its rule says allow = yes. */
bool	pace_rules_invite(struct pace_rules *r, const struct pace_addr *a);

struct pace_used {
	double	bytes, network;		/* of the budget; of that of the client's network */
};

/* Count so many bytes more on that day; what was used with them.  0 where there is no
 * budget. */
struct pace_used	pace_rules_use(struct pace_rules *r, const struct pace_terms *t,
	    int64_t day, double bytes);

#endif
