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

/* Add n to the waiting sessions of w's network. */
static void
count_network(struct pace_lease *l, const struct pace_waiter *w, int change)
{
	for (int i = 0; i < l->waiting; i++)
		if (pace_addr_same_prefix(&l->line[i].from, &w->from, PACE_PREFIX_NETWORK))
			l->line[i].of_network += change;
}

/* True if both are members of the same group. */
static bool
same_group(const struct pace_waiter *a, const struct pace_waiter *b)
{
	return a->group[0] != '\0' && a->group_size == b->group_size &&
	    strcmp(a->group, b->group) == 0;
}

/* True if w waits for the lease, and not for other members of its group. */
static bool
is_ready(const struct pace_waiter *w)
{
	return w->group[0] == '\0' || w->of_group >= w->group_size;
}

/* Count the waiting sessions of w's group.  The time since when it is incomplete is that of its
 * first member. */
static void
count_group(struct pace_lease *l, const struct pace_waiter *w, int64_t now_ns)
{
	int64_t since_ns = now_ns;
	int n = 0;

	if (w->group[0] == '\0')
		return;
	for (int i = 0; i < l->waiting; i++) {
		if (!same_group(&l->line[i], w))
			continue;
		n++;
		if (l->line[i].gather_ns < since_ns)
			since_ns = l->line[i].gather_ns;
	}
	for (int i = 0; i < l->waiting; i++) {
		if (!same_group(&l->line[i], w))
			continue;
		l->line[i].of_group = n;
		l->line[i].gather_ns = is_ready(&l->line[i]) ? now_ns : since_ns;
	}
}

static void
leave_line(struct pace_lease *l, int i, int64_t now_ns)
{
	const struct pace_waiter w = l->line[i];

	count_network(l, &w, -1);
	memmove(&l->line[i], &l->line[i + 1], (size_t)(--l->waiting - i) * sizeof(l->line[0]));
	count_group(l, &w, now_ns);
}

/* Remove sessions that no longer repeat their request. */
static void
tidy_line(struct pace_lease *l, int64_t now_ns)
{
	for (int i = l->waiting; i-- > 0;)
		if (now_ns - l->line[i].asked_ns > PACE_LEASE_ASK_NS)
			leave_line(l, i, now_ns);
}

/* Return the session's place in line; -1: not in line. */
static int
place_of(const struct pace_lease *l, uint64_t session)
{
	for (int i = 0; i < l->waiting; i++)
		if (l->line[i].session == session)
			return i;
	return -1;
}

/* Find when each prefix of w's address last had the lease. */
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

/* Put w into the line: at its old place, or at the end. */
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
		l->line[i].gather_ns = w->asked_ns;
		for (int k = 0; k <= i; k++)
			l->line[i].of_network += pace_addr_same_prefix(&l->line[k].from, &w->from,
			    PACE_PREFIX_NETWORK);
		recall(l, &l->line[i]);
		count_group(l, w, w->asked_ns);
		return;
	}
	/* The request that took the shortest time on the path has the best estimate of the
	 * begin. */
	if (w->begin_ns < l->line[i].begin_ns)
		l->line[i].begin_ns = w->begin_ns;
	if (is_ready(&l->line[i]))
		l->line[i].gather_ns = w->asked_ns;
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

/* True if a comes before b, which has waited longer. */
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

/* Return the next in line; NULL: no client waits for the lease. */
static const struct pace_waiter *
next_in_line(const struct pace_lease *l)
{
	const struct pace_waiter *next = NULL;

	for (int i = 0; i < l->waiting; i++)
		if (is_ready(&l->line[i]) && (next == NULL || comes_before(&l->line[i], next)))
			next = &l->line[i];
	return next;
}

/* True if this holder must give way to a session in line. */
static bool
others_wait(const struct pace_lease *l, uint64_t session, bool keyed)
{
	for (int i = 0; i < l->waiting; i++)
		if (l->line[i].session != session && is_ready(&l->line[i]) &&
		    (l->line[i].keyed || !keyed))
			return true;
	return false;
}

/* --- taking it ------------------------------------------------------------------- */

/* Return the holder's index; -1: the session does not hold the lease. */
static int
holder_of(const struct pace_lease *l, uint64_t session)
{
	for (int i = 0; i < l->holders; i++)
		if (l->holder[i].session == session)
			return i;
	return -1;
}

/* Return when the lease expires unless renewed; 0: no client holds it. */
static int64_t
expiry(const struct pace_lease *l)
{
	int64_t ns = 0;

	for (int i = 0; i < l->holders; i++)
		ns = l->holder[i].expires_ns > ns ? l->holder[i].expires_ns : ns;
	return ns;
}

static bool
is_held(const struct pace_lease *l, int64_t now_ns)
{
	return l->holders > 0 && now_ns < expiry(l);
}

static void
drop_holder(struct pace_lease *l, uint64_t session)
{
	int i = holder_of(l, session);

	if (i >= 0)
		l->holder[i] = l->holder[--l->holders];
}

/* True if w may take the lease.  The line is tidy; it contains w unless w holds the lease. */
static bool
its_turn(const struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t now = w->asked_ns;

	if (!is_held(l, now)) {
		const struct pace_waiter *next = next_in_line(l);

		return next != NULL && (next->session == w->session || same_group(next, w));
	}
	if (holder_of(l, w->session) < 0 || l->holders > 1)
		return false;
	if (!others_wait(l, w->session, w->keyed))
		return true;
	if (!w->keyed && next_in_line(l)->keyed)
		return false;
	return now - l->since_ns < PACE_LEASE_TURN_NS &&
	    now + w->run_ns <= l->since_ns + PACE_LEASE_TURN_NS;
}

/* Remember w's host as the latest holder instead of the oldest one. */
static void
remember(struct pace_lease *l, const struct pace_waiter *w, int64_t now_ns)
{
	int at = 0;

	for (int i = 0; i < PACE_LEASE_SERVED; i++) {
		if (l->served[i].at_ns != 0 &&
		    pace_addr_same_prefix(&l->served[i].host, &w->from, PACE_PREFIX_HOST)) {
			at = i;
			break;
		}
		if (l->served[i].at_ns < l->served[at].at_ns)
			at = i;
	}
	l->served[at].host = w->from;
	l->served[at].at_ns = now_ns;
}

/* Let w hold the lease from now on.  Its run begins at begin_ns, which is not before now.  alone:
 * no session waits. */
static void
hold(struct pace_lease *l, const struct pace_waiter *w, int64_t now, int64_t begin_ns, bool alone)
{
	int64_t turn_ns = l->since_ns + PACE_LEASE_TURN_NS, due_ns;

	drop_holder(l, w->session);
	l->holder[l->holders].session = w->session;
	l->holder[l->holders].heard = false;
	l->holder[l->holders].begin_ns = w->group[0] != '\0' ? begin_ns : 0;
	l->holder[l->holders++].expires_ns = now + PACE_LEASE_NS;
	due_ns = alone || outlasts_turn(w) ? begin_ns + w->longest_ns : turn_ns;
	due_ns = (due_ns > turn_ns ? due_ns : turn_ns) + PACE_LEASE_SLACK_NS;
	l->due_ns = due_ns > l->due_ns ? due_ns : l->due_ns;
	if (begin_ns + w->at_most_ns > l->planned_ns)
		l->planned_ns = begin_ns + w->at_most_ns;
	remember(l, w, now);
}

/* Grant the lease to the group of w, whose members all wait. */
static void
grant_group(struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t now = w->asked_ns, begin_ns = now + PACE_LEASE_LEAD_NS;
	struct pace_waiter m;
	int n = 0;

	for (int i = 0; i < l->waiting; i++)
		if (same_group(&l->line[i], w) && l->line[i].begin_ns > begin_ns)
			begin_ns = l->line[i].begin_ns;
	for (int i = 0; i < l->waiting && n < w->group_size;) {
		if (!same_group(&l->line[i], w)) {
			i++;
			continue;
		}
		m = l->line[i];
		leave_line(l, i, now);
		hold(l, &m, now, begin_ns, !others_wait(l, m.session, m.keyed));
		n++;
	}
}

static void
grant(struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t now = w->asked_ns;
	int i = place_of(l, w->session);

	if (!is_held(l, now) || holder_of(l, w->session) < 0)
		l->since_ns = now;
	l->holders = 0;
	l->due_ns = l->planned_ns = 0;
	if (w->group[0] != '\0') {
		grant_group(l, w);
	} else {
		if (i >= 0)
			leave_line(l, i, now);
		hold(l, w, now, now, !others_wait(l, w->session, w->keyed));
	}
	for (i = 0; i < l->waiting; i++)
		recall(l, &l->line[i]);
	l->keyed = w->keyed;
	l->granted++;
	snprintf(l->label, sizeof(l->label), "%s", w->label);
}

/* Return its place among the sessions of its host, which take turns. */
static int64_t
place_in_line(const struct pace_lease *l, const struct pace_waiter *w)
{
	int64_t place = 1;

	for (int i = 0; i < l->waiting && l->line[i].session != w->session; i++)
		place += pace_addr_same_prefix(&l->line[i].from, &w->from, PACE_PREFIX_HOST);
	return place;
}

/* Describe the holder, or the next in line, and how long it may take. */
static void
describe(const struct pace_lease *l, const struct pace_waiter *w, struct pace_msg_error *who)
{
	const struct pace_waiter *next = next_in_line(l);
	int64_t now_ns = w->asked_ns, expires_ns = expiry(l);
	int64_t until = l->planned_ns > expires_ns ? l->planned_ns : expires_ns;
	const char *label = l->label;

	if (!is_held(l, now_ns) && next != NULL) {
		until = now_ns + next->at_most_ns;
		label = next->label;
	}
	snprintf(who->code, sizeof(who->code), "busy");
	snprintf(who->label, sizeof(who->label), "%s", label);
	snprintf(who->text, sizeof(who->text), "another client is measuring");
	who->wait_ns = until > now_ns ? until - now_ns : 0;
	who->place = place_in_line(l, w);
}

/* The group of w is incomplete: say what it lacks.  Refuse it after too long. */
static int
gather(struct pace_lease *l, const struct pace_waiter *w, struct pace_msg_error *who)
{
	int i = place_of(l, w->session), n = i >= 0 ? l->line[i].of_group : 0;

	snprintf(who->code, sizeof(who->code), "group");
	snprintf(who->text, sizeof(who->text), "the group is incomplete: %d of %d clients are here",
	    n, w->group_size);
	if (i >= 0 && w->asked_ns - l->line[i].gather_ns < PACE_LEASE_GATHER_NS) {
		who->wait_ns = l->line[i].gather_ns + PACE_LEASE_GATHER_NS - w->asked_ns;
		return -EBUSY;
	}
	snprintf(who->text, sizeof(who->text), "the group remained incomplete for %d s: %d of %d "
	    "clients came", (int)(PACE_LEASE_GATHER_NS / 1000000000), n, w->group_size);
	snprintf(who->code, sizeof(who->code), "group-incomplete");
	if (i >= 0)
		leave_line(l, i, l->line[i].gather_ns);
	return -ETIMEDOUT;
}

/* True if this member's run is still to come, or has begun without it. */
static bool
has_run(const struct pace_lease *l, int at, int64_t now_ns)
{
	return now_ns < l->holder[at].begin_ns ||
	    (!l->holder[at].heard && now_ns < l->holder[at].expires_ns);
}

int
pace_lease_take(struct pace_lease *l, const struct pace_waiter *w, struct pace_msg_error *who)
{
	int64_t now_ns = w->asked_ns;
	bool group = w->group[0] != '\0';
	int at, rc = 0;

	memset(who, 0, sizeof(*who));
	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	at = holder_of(l, w->session);
	if (at >= 0 && group && has_run(l, at, now_ns)) {
		l->holder[at].heard = true;
		pthread_mutex_unlock(&l->lock);
		return 0;		/* another member's request has completed the group */
	}
	if (at >= 0 && group)
		drop_holder(l, w->session);	/* for another run the group gathers again */
	if (!is_held(l, now_ns) || holder_of(l, w->session) < 0)
		wait_in_line(l, w);
	if (its_turn(l, w))
		grant(l, w);
	else
		drop_holder(l, w->session);
	at = holder_of(l, w->session);
	if (at >= 0)
		l->holder[at].heard = true;
	if (at < 0) {			/* a group with too many members has no room */
		wait_in_line(l, w);
		at = place_of(l, w->session);
		if (group && (at < 0 || !is_ready(&l->line[at]))) {
			rc = gather(l, w, who);
		} else {
			describe(l, w, who);
			rc = -EBUSY;
		}
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

int64_t
pace_lease_begin(struct pace_lease *l, uint64_t session)
{
	int64_t ns;
	int i;

	pthread_mutex_lock(&l->lock);
	i = holder_of(l, session);
	ns = i >= 0 ? l->holder[i].begin_ns : 0;
	pthread_mutex_unlock(&l->lock);
	return ns;
}

bool
pace_lease_wanted(struct pace_lease *l, int64_t now_ns)
{
	bool wanted;

	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	wanted = next_in_line(l) != NULL;
	pthread_mutex_unlock(&l->lock);
	return wanted;
}

bool
pace_lease_overdue(struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	bool overdue;

	pthread_mutex_lock(&l->lock);
	tidy_line(l, now_ns);
	overdue = holder_of(l, session) >= 0 && now_ns > l->due_ns &&
	    others_wait(l, session, l->keyed);
	pthread_mutex_unlock(&l->lock);
	return overdue;
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
	left = is_held(l, now_ns) ? expiry(l) - now_ns : 0;
	pthread_mutex_unlock(&l->lock);
	return left;
}

bool
pace_lease_renew(struct pace_lease *l, uint64_t session, int64_t now_ns)
{
	int i;

	pthread_mutex_lock(&l->lock);
	i = holder_of(l, session);
	if (i >= 0)
		l->holder[i].expires_ns = now_ns + PACE_LEASE_NS;
	pthread_mutex_unlock(&l->lock);
	return i >= 0;
}

void
pace_lease_release(struct pace_lease *l, uint64_t session)
{
	pthread_mutex_lock(&l->lock);
	drop_holder(l, session);
	pthread_mutex_unlock(&l->lock);
}

void
pace_lease_leave(struct pace_lease *l, uint64_t session)
{
	int i;

	pthread_mutex_lock(&l->lock);
	i = place_of(l, session);
	if (i >= 0)
		leave_line(l, i, l->line[i].asked_ns);
	pthread_mutex_unlock(&l->lock);
}
