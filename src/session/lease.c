#include "config.h"

#include "session/lease.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
pace_lease_init(struct pace_lease *l)
{
	memset(l, 0, sizeof(*l));
	l->granted = 1;
	pthread_mutex_init(&l->lock, NULL);
}

static void
tell_holder(const struct pace_lease *l, int64_t now_ns, struct pace_msg_error *who)
{
	int64_t until = l->planned_ns > l->expires_ns ? l->planned_ns : l->expires_ns;

	memset(who, 0, sizeof(*who));
	snprintf(who->code, sizeof(who->code), "busy");
	snprintf(who->label, sizeof(who->label), "%s", l->label);
	snprintf(who->text, sizeof(who->text), "another client is measuring");
	who->wait_ns = until > now_ns ? until - now_ns : 0;
}

int
pace_lease_take(struct pace_lease *l, uint64_t session, int64_t now_ns,
    int64_t at_most_ns, const char *label, struct pace_msg_error *who)
{
	int rc = 0;

	pthread_mutex_lock(&l->lock);
	if (l->holder != 0 && l->holder != session && now_ns < l->expires_ns) {
		tell_holder(l, now_ns, who);
		rc = -EBUSY;
	} else {
		l->holder = session;
		l->granted++;
		l->expires_ns = now_ns + PACE_LEASE_NS;
		l->planned_ns = now_ns + at_most_ns;
		snprintf(l->label, sizeof(l->label), "%s", label);
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

uint64_t
pace_lease_granted(struct pace_lease *l)
{
	uint64_t n;

	pthread_mutex_lock(&l->lock);
	n = l->granted;
	pthread_mutex_unlock(&l->lock);
	return n;
}

uint64_t
pace_lease_grants(struct pace_lease *l, int64_t now_ns)
{
	uint64_t n;

	pthread_mutex_lock(&l->lock);
	n = l->holder != 0 && now_ns < l->expires_ns ? 0 : l->granted;
	pthread_mutex_unlock(&l->lock);
	return n;
}

bool
pace_lease_renew(struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	bool mine;

	pthread_mutex_lock(&l->lock);
	mine = l->holder == session;
	if (mine)
		l->expires_ns = now_ns + PACE_LEASE_NS;
	pthread_mutex_unlock(&l->lock);
	return mine;
}

void
pace_lease_release(struct pace_lease *l, uint64_t session)
{
	pthread_mutex_lock(&l->lock);
	if (l->holder == session)
		l->holder = 0;
	pthread_mutex_unlock(&l->lock);
}
