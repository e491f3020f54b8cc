#include "config.h"

#include "server/lease.h"

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

/* Others of this network that wait are so many more, or fewer. */
static void
count_network(struct pace_lease *l, const struct pace_waiter *w, int change)
{
	for (int i = 0; i < l->waiting; i++)
		if (pace_addr_same_prefix(&l->line[i].from, &w->from, PACE_PREFIX_NETWORK))
			l->line[i].of_network += change;
}

static void
leave_line(struct pace_lease *l, int i)
{
	count_network(l, &l->line[i], -1);
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

/* When had each prefix of this address the lease last? */
static void
recall(const struct pace_lease *l, struct pace_waiter *w)
{
	memset(w->served_ns, 0, sizeof(w->served_ns));
	for (int i = 0; i < PACE_LEASE_SERVED; i++)
		for (int p = 0; p < PACE_PREFIXES; p++)
			if (l->served[i].at_ns > w->served_ns[p] && pace_addr_same_prefix(
			    &l->served[i].host, &w->from, (enum pace_prefix)p))
				w->served_ns[p] = l->served[i].at_ns;
}

/* This host has it now; the one that had it longest ago is forgotten. */
static void
remember(struct pace_lease *l, const struct pace_addr *from, int64_t now_ns)
{
	int at = 0;

	for (int i = 0; i < PACE_LEASE_SERVED; i++) {
		if (l->served[i].at_ns != 0 &&
		    pace_addr_same_prefix(&l->served[i].host, from, PACE_PREFIX_HOST)) {
			at = i;
			break;
		}
		if (l->served[i].at_ns < l->served[at].at_ns)
			at = i;
	}
	l->served[at].host = *from;
	l->served[at].at_ns = now_ns;
	for (int i = 0; i < l->waiting; i++)
		recall(l, &l->line[i]);
}

/* Where it was, or at the end. */
static void
wait_in_line(struct pace_lease *l, const struct pace_waiter *w)
{
	int i = place_of(l, w->session);

	if (i < 0 && l->waiting == PACE_LEASE_LINE)
		return;
	if (i < 0) {
		count_network(l, w, 1);
		i = l->waiting++;
		l->line[i] = *w;
		l->line[i].of_network = 0;
		for (int k = 0; k <= i; k++)
			l->line[i].of_network += pace_addr_same_prefix(&l->line[k].from, &w->from,
			    PACE_PREFIX_NETWORK);
		recall(l, &l->line[i]);
		return;
	}
	l->line[i].asked_ns = w->asked_ns;
	l->line[i].run_ns = w->run_ns;
	l->line[i].longest_ns = w->longest_ns;
	l->line[i].at_most_ns = w->at_most_ns;
}

static bool
outlasts_turn(const struct pace_waiter *w)
{
	return w->run_ns > PACE_LEASE_TURN_NS;
}

/* Does a come before b, which waits for longer? */
static bool
comes_before(const struct pace_waiter *a, const struct pace_waiter *b)
{
	if (a->keyed != b->keyed)
		return a->keyed;
	if (outlasts_turn(a) != outlasts_turn(b))
		return outlasts_turn(b);
	for (int p = PACE_PREFIX_NETWORK; p >= PACE_PREFIX_HOST; p--) {
		if (a->served_ns[p] != b->served_ns[p])
			return a->served_ns[p] < b->served_ns[p];
		if (p == PACE_PREFIX_NETWORK && a->of_network != b->of_network)
			return a->of_network < b->of_network;
	}
	return false;
}

/* The one whose turn it is next; NULL: nobody waits. */
static const struct pace_waiter *
next_in_line(const struct pace_lease *l)
{
	const struct pace_waiter *next = l->waiting > 0 ? &l->line[0] : NULL;

	for (int i = 1; i < l->waiting; i++)
		if (comes_before(&l->line[i], next))
			next = &l->line[i];
	return next;
}

/* Must this holder give way to somebody in line? */
static bool
others_wait(const struct pace_lease *l, uint64_t session, bool keyed)
{
	for (int i = 0; i < l->waiting; i++)
		if (l->line[i].session != session && (l->line[i].keyed || !keyed))
			return true;
	return false;
}

/* --- taking it ------------------------------------------------------------------- */

static bool
is_held(const struct pace_lease *l, int64_t now_ns)
{
	return l->holder != 0 && now_ns < l->expires_ns;
}

/* The line is tidy, and has w in it if it does not hold the lease. */
static bool
its_turn(const struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t now = w->asked_ns;

	if (!is_held(l, now))
		return next_in_line(l)->session == w->session;
	if (l->holder != w->session)
		return false;
	if (!others_wait(l, w->session, w->keyed))
		return true;
	if (!w->keyed && next_in_line(l)->keyed)
		return false;
	return now - l->since_ns < PACE_LEASE_TURN_NS &&
	    now + w->run_ns <= l->since_ns + PACE_LEASE_TURN_NS;
}

static void
grant(struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t now = w->asked_ns, turn_ns;
	int i = place_of(l, w->session);
	bool alone;

	if (!is_held(l, now) || l->holder != w->session)
		l->since_ns = now;
	if (i >= 0)
		leave_line(l, i);
	alone = !others_wait(l, w->session, w->keyed);
	remember(l, &w->from, now);
	l->holder = w->session;
	l->keyed = w->keyed;
	l->granted++;
	l->expires_ns = now + PACE_LEASE_NS;
	l->planned_ns = now + w->at_most_ns;
	turn_ns = l->since_ns + PACE_LEASE_TURN_NS;
	l->due_ns = alone || outlasts_turn(w) ? now + w->longest_ns : turn_ns;
	l->due_ns = (l->due_ns > turn_ns ? l->due_ns : turn_ns) + PACE_LEASE_SLACK_NS;
	snprintf(l->label, sizeof(l->label), "%s", w->label);
}

/* Who has it, or will have it next, and how long at most. */
static void
tell_holder(const struct pace_lease *l, int64_t now_ns, struct pace_msg_error *who)
{
	int64_t until = l->planned_ns > l->expires_ns ? l->planned_ns : l->expires_ns;
	const char *label = l->label;

	if (!is_held(l, now_ns)) {
		const struct pace_waiter *next = next_in_line(l);

		until = now_ns + next->at_most_ns;
		label = next->label;
	}
	memset(who, 0, sizeof(*who));
	snprintf(who->code, sizeof(who->code), "busy");
	snprintf(who->label, sizeof(who->label), "%s", label);
	snprintf(who->text, sizeof(who->text), "another client is measuring");
	who->wait_ns = until > now_ns ? until - now_ns : 0;
}

int
pace_lease_take(struct pace_lease *l, const struct pace_waiter *w, struct pace_msg_error *who)
{
	int64_t now_ns = w->asked_ns;
	int rc = 0;

	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	if (!is_held(l, now_ns) || l->holder != w->session)
		wait_in_line(l, w);
	if (its_turn(l, w)) {
		grant(l, w);
	} else {
		if (l->holder == w->session)
			l->holder = 0;
		wait_in_line(l, w);
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

bool
pace_lease_overdue(struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	bool overdue;

	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	overdue = l->holder == session && now_ns > l->due_ns &&
	    others_wait(l, session, l->keyed);
	pthread_mutex_unlock(&l->lock);
	return overdue;
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
