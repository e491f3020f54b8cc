#include "config.h"

#include "server/admission/rules.h"

#include <stdlib.h>
#include <string.h>

struct pace_rules *
pace_rules_new(void)
{
	struct pace_rules *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	if (pace_byte_rate_sketch_init(&r->networks) < 0) {
		free(r);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	pace_policy_built_in(&r->policy);
	return r;
}

void
pace_rules_free(struct pace_rules *r)
{
	free(r);
}

void
pace_rules_set(struct pace_rules *r, const struct pace_policy *p)
{
	pthread_mutex_lock(&r->lock);
	r->policy = *p;
	atomic_fetch_add_explicit(&r->changes, 1, memory_order_release);
	pthread_mutex_unlock(&r->lock);
}

void
pace_rules_terms(struct pace_rules *r, const struct pace_addr *a, const char *key,
    struct pace_terms *t)
{
	memset(t, 0, sizeof(*t));
	t->limits.allow = t->limits.host_facts = t->limits.busy_poll =
	    t->limits.capture = t->limits.stamp_nic = t->limits.reflect = true;
	t->limits.group = PACE_GROUP_KEY;
	for (int i = 0; i < PACE_LIMITS; i++)
		t->limits.most[i] = PACE_NO_LIMIT;
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	t->limits = r->policy.rule[pace_policy_match(&r->policy, a, key, t->subject)];
	pthread_mutex_unlock(&r->lock);
	t->network = pace_byte_rate_sketch_columns(&r->networks, t->limits.rule, a);
}

bool
pace_rules_invite(struct pace_rules *r, const struct pace_addr *a)
{
	struct pace_terms t;

	pace_rules_terms(r, a, "", &t);
	return t.limits.invited;
}

struct pace_used
pace_rules_use(struct pace_rules *r, const struct pace_terms *t, int64_t day, double bytes)
{
	const int64_t *most = t->limits.most;
	struct pace_used u = { 0, 0 };

	if (r == NULL || (most[PACE_LIMIT_BUDGET] == PACE_NO_LIMIT &&
	    most[PACE_LIMIT_NETWORK] == PACE_NO_LIMIT))
		return u;
	pthread_mutex_lock(&r->lock);
	if (most[PACE_LIMIT_BUDGET] != PACE_NO_LIMIT)
		u.bytes = pace_budget_use(&r->budget, t->limits.rule, t->subject, day, bytes);
	if (most[PACE_LIMIT_NETWORK] != PACE_NO_LIMIT)
		u.network = pace_byte_rate_sketch_use(&r->networks, t->network, day, bytes);
	pthread_mutex_unlock(&r->lock);
	return u;
}
