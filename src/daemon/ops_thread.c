#include "config.h"

#include "daemon/ops_own.h"

#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plat/clock.h"

#define MINUTE_NS	INT64_C(60000000000)

/* --- sums ------------------------------------------------------------------------------------ */

void
pace_ops_sum_up(struct pace_ops *o, struct pace_totals *t, struct pace_session_stats *views)
{
	size_t n = (size_t)o->cfg.max_sessions;

	pthread_mutex_lock(&o->lock);
	*t = o->sums;
	pace_totals_add_boards(t, o->watches, o->seen, o->counted, n);
	if (views != NULL)
		memcpy(views, o->seen, n * sizeof(*views));
	pthread_mutex_unlock(&o->lock);
	t->active = t->opened - t->closed;
	t->light = t->at_port.light.opened - t->at_port.light.ended;
	pace_tally_add(&t->tally, &t->at_port.light.all);
	t->now_ns = pace_clock_raw();
	if (o->serve != NULL)
		t->lease_ns = pace_lease_left(&o->serve->responder.shared.lease, t->now_ns);
	if (t->lease_ns == 0)
		t->lease_number = 0;
}

/* --- the thread ---------------------------------------------------------------- */

/* Write an event.  If that fails, count it as lost.  If it is the report of lost events, put their
 * count back to report it later. */
static bool
write_event(struct pace_ops *o, const struct pace_event *e)
{
	bool word = e->kind == PACE_EVENT_LOST;

	if (pace_oplog_write(&o->log, e))
		return true;
	pthread_mutex_lock(&o->lock);
	o->lost += word ? e->count : 1;
	o->sums.events_lost += !word;
	pthread_mutex_unlock(&o->lock);
	return false;
}

static void
write_now(struct pace_ops *o, struct pace_event *e)
{
	e->wall_ns = pace_clock_wall();
	(void)write_event(o, e);
}

/* Take one event out of the ring; false: the ring is empty. */
static bool
take(struct pace_ops *o, struct pace_event *e)
{
	bool some;

	pthread_mutex_lock(&o->lock);
	some = o->n > 0;
	if (some) {
		*e = o->ring[o->first];
		o->first = (o->first + 1) % PACE_OPS_RING;
		o->n--;
	} else if (o->lost > 0) {
		*e = (struct pace_event){ .kind = PACE_EVENT_LOST, .count = o->lost,
		    .wall_ns = pace_clock_wall() };
		o->lost = 0;
		some = true;
	}
	pthread_mutex_unlock(&o->lock);
	return some;
}

static void
write_summary(struct pace_ops *o)
{
	struct pace_event e = { .kind = PACE_EVENT_SUMMARY };

	pace_ops_sum_up(o, &e.totals, o->views);
	write_now(o, &e);
	e.kind = PACE_EVENT_SESSION;
	for (int i = 0; i < o->cfg.max_sessions; i++) {
		e.view = o->views[i];
		if (e.view.number == 0 || e.view.state == PACE_ENDED || e.view.state == PACE_CLOSED)
			continue;
		pace_addr_text(&e.view.peer, e.peer, sizeof(e.peer));
		e.port = e.view.peer.port;
		write_now(o, &e);
	}
}

/* Once a minute, log hostile datagrams if there were any. */
static void
tell_abuse(struct pace_ops *o, bool last)
{
	struct pace_event e = { .kind = PACE_EVENT_ABUSE };
	struct pace_addr keyless;
	struct pace_totals now;
	bool some = false;

	if (!last && pace_clock_raw() - o->minute.now_ns < MINUTE_NS)
		return;
	pace_ops_sum_up(o, &now, NULL);
	pthread_mutex_lock(&o->lock);
	keyless = o->keyless_from;
	pthread_mutex_unlock(&o->lock);
	e.totals = pace_totals_since(&now, &o->minute);
	if (e.totals.at_port.keyless > 0)
		pace_addr_text(&keyless, e.peer, sizeof(e.peer));
	e.count = (uint64_t)((now.now_ns - o->minute.now_ns + 500000000) / 1000000000);
	o->minute = now;
	for (size_t i = 0; i < pace_port_counts_n; i++)
		some |= pace_port_counts[i].hostile && pace_port_count(&e.totals.at_port, i) > 0;
	if (some)
		write_now(o, &e);
}

static void
update_readers(struct pace_ops *o)
{
	struct pace_totals t;
	bool wanted;

	if (o->readers == NULL)
		return;
	wanted = pace_status_server_any(o->readers);
	for (int i = 0; i < o->cfg.max_sessions && wanted != o->wants; i++)
		pace_stats_page_want(&o->watches[i], wanted);	/* start or stop distributions */
	o->wants = wanted;
	if (pace_status_server_due(o->readers) > pace_clock_raw())
		return;
	for (int i = 0; i < o->cfg.max_sessions; i++)
		o->turns[i] = atomic_load_explicit(&o->watches[i].turn, memory_order_relaxed);
	pace_ops_sum_up(o, &t, o->views);
	for (int i = 0; i < o->cfg.max_sessions; i++)
		pace_stats_page_turn(&o->watches[i]);
	pace_status_server_update(o->readers, &(struct pace_status_update){ .views = o->views,
	    .turns = o->turns, .watches = o->watches, .totals = &t,
	    .host = pace_host_sample_at(&o->glance, o->root, t.now_ns), .now_ns = t.now_ns,
	    .wall_ns = pace_clock_wall() });
}

static void
wait_for_work(struct pace_ops *o)
{
	struct pollfd fds[PACE_STATUS_SERVER + 2] = { { .fd = o->wake, .events = POLLIN } };
	int64_t until_ns = o->minute.now_ns + MINUTE_NS, now = pace_clock_raw();
	struct timespec ts = { .tv_sec = 0 };
	uint64_t n;
	int more = 0;

	if (o->readers != NULL)
		more = pace_status_server_wait(o->readers, fds + 1, now, &until_ns);
	if (until_ns > now) {
		ts.tv_sec = (time_t)((until_ns - now) / 1000000000);
		ts.tv_nsec = (long)((until_ns - now) % 1000000000);
	}
	if (ppoll(fds, (nfds_t)more + 1, &ts, NULL) < 0)
		return;
	if (fds[0].revents != 0 && read(o->wake, &n, sizeof(n)) < 0)
		return;
	if (o->readers != NULL)
		pace_status_server_serve(o->readers, fds + 1, more, pace_clock_raw());
}

/* Return a request and clear it. */
static bool
asked_for(struct pace_ops *o, bool *what)
{
	bool yes;

	pthread_mutex_lock(&o->lock);
	yes = *what;
	*what = false;
	pthread_mutex_unlock(&o->lock);
	return yes;
}

void *
pace_ops_run(void *arg)
{
	struct pace_event e, last = { .kind = PACE_EVENT_STOP };
	struct pace_ops *o = arg;
	bool end = false;

	while (!end) {
		wait_for_work(o);
		end = asked_for(o, &o->end);
		while (take(o, &e))
			if (!write_event(o, &e) && e.kind == PACE_EVENT_LOST)
				break;		/* the last event, which could not be written */
		if (asked_for(o, &o->summary))
			write_summary(o);
		tell_abuse(o, false);
		update_readers(o);
	}
	tell_abuse(o, true);
	pace_ops_sum_up(o, &last.totals, NULL);
	write_now(o, &last);
	return NULL;
}
