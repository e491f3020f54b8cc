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

/* --- the line, with the lock held ------------------------------------------------ */

static void
leave_line(struct pace_lease *l, int i)
{
	memmove(&l->line[i], &l->line[i + 1], (size_t)(--l->waiting - i) * sizeof(l->line[0]));
}

/* Those who do not ask any more are gone. */
static void
tidy_line(struct pace_lease *l, int64_t now_ns)
{
	for (int i = l->waiting; i-- > 0;)
		if (now_ns - l->line[i].asked_ns > PACE_LEASE_ASK_NS)
			leave_line(l, i);
}

/* -1: not there. */
static int
place_of(const struct pace_lease *l, uint64_t session)
{
	for (int i = 0; i < l->waiting; i++)
		if (l->line[i].session == session)
			return i;
	return -1;
}

/* How many of this house stand before place i, or had the lease last? */
static int
of_house(const struct pace_lease *l, const struct pace_addr *from, int i)
{
	int n = pace_addr_same_house(&l->from, from) ? 1 : 0;

	while (i-- > 0)
		if (pace_addr_same_house(&l->line[i].from, from))
			n++;
	return n;
}

/* The first of a house before the second of any, and so on. */
static int
place_for(const struct pace_lease *l, const struct pace_waiter *w)
{
	int own = of_house(l, &w->from, l->waiting), i = 0;

	while (i < l->waiting && of_house(l, &l->line[i].from, i) <= own)
		i++;
	return i;
}

/* Where it was, or a new place. */
static void
wait_in_line(struct pace_lease *l, const struct pace_waiter *w)
{
	int i = place_of(l, w->session);

	if (i < 0 && l->waiting == PACE_LEASE_LINE)
		return;
	if (i < 0) {
		i = place_for(l, w);
		memmove(&l->line[i + 1], &l->line[i],
		    (size_t)(l->waiting++ - i) * sizeof(l->line[0]));
	}
	l->line[i] = *w;
}

/* Who is of this house, behind all others; the order stays. */
static void
let_others_first(struct pace_lease *l, const struct pace_addr *from)
{
	int end = l->waiting;

	for (int i = 0; i < end;) {
		struct pace_waiter w = l->line[i];

		if (!pace_addr_same_house(&w.from, from)) {
			i++;
			continue;
		}
		leave_line(l, i);
		l->line[l->waiting++] = w;
		end--;
	}
}

/* --- taking it ------------------------------------------------------------------- */

static bool
is_held(const struct pace_lease *l, int64_t now_ns)
{
	return l->holder != 0 && now_ns < l->expires_ns;
}

/* May it have the lease now?  The line is tidy. */
static bool
its_turn(const struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	if (is_held(l, now_ns) && l->holder == session)
		return l->waiting == 0 || now_ns - l->since_ns < PACE_LEASE_TURN_NS;
	return !is_held(l, now_ns) && (l->waiting == 0 || l->line[0].session == session);
}

static void
grant(struct pace_lease *l, const struct pace_waiter *w, int64_t now_ns)
{
	int i = place_of(l, w->session);

	if (!is_held(l, now_ns))
		l->since_ns = now_ns;
	if (i >= 0)
		leave_line(l, i);
	let_others_first(l, &w->from);
	l->from = w->from;
	l->holder = w->session;
	l->granted++;
	l->expires_ns = now_ns + PACE_LEASE_NS;
	l->planned_ns = now_ns + w->at_most_ns;
	snprintf(l->label, sizeof(l->label), "%s", w->label);
}

/* Who has it, or will have it next, and how long at most. */
static void
tell_holder(const struct pace_lease *l, int64_t now_ns, struct pace_msg_error *who)
{
	int64_t until = l->planned_ns > l->expires_ns ? l->planned_ns : l->expires_ns;
	const char *label = l->label;

	if (!is_held(l, now_ns)) {
		until = now_ns + l->line[0].at_most_ns;
		label = l->line[0].label;
	}
	memset(who, 0, sizeof(*who));
	snprintf(who->code, sizeof(who->code), "busy");
	snprintf(who->label, sizeof(who->label), "%s", label);
	snprintf(who->text, sizeof(who->text), "another client is measuring");
	who->wait_ns = until > now_ns ? until - now_ns : 0;
}

int
pace_lease_take(struct pace_lease *l, uint64_t session, const struct pace_addr *from,
    int64_t now_ns, int64_t at_most_ns, const char *label, struct pace_msg_error *who)
{
	struct pace_waiter w = { .session = session, .from = *from, .asked_ns = now_ns,
	    .at_most_ns = at_most_ns };
	int rc = 0;

	snprintf(w.label, sizeof(w.label), "%s", label);
	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	if (its_turn(l, session, now_ns)) {
		grant(l, &w, now_ns);
	} else {
		if (l->holder == session)
			l->holder = 0;
		wait_in_line(l, &w);
		tell_holder(l, now_ns, who);
		rc = -EBUSY;
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

bool
pace_lease_wanted(struct pace_lease *l, int64_t now_ns)
{
	bool wanted;

	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	wanted = l->waiting > 0;
	pthread_mutex_unlock(&l->lock);
	return wanted;
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
	n = is_held(l, now_ns) ? 0 : l->granted;
	pthread_mutex_unlock(&l->lock);
	return n;
}

int64_t
pace_lease_left(struct pace_lease *l, int64_t now_ns)
{
	int64_t left;

	pthread_mutex_lock(&l->lock);
	left = l->holder != 0 && l->expires_ns > now_ns ? l->expires_ns - now_ns : 0;
	pthread_mutex_unlock(&l->lock);
	return left;
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

void
pace_lease_leave(struct pace_lease *l, uint64_t session)
{
	int i;

	pthread_mutex_lock(&l->lock);
	i = place_of(l, session);
	if (i >= 0)
		leave_line(l, i);
	pthread_mutex_unlock(&l->lock);
}
