#include "config.h"

#include "daemon/ops_own.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plat/clock.h"
#include "run/stop.h"

#define LOOK_NS		INT64_C(100000000)	/* maximum age of the listener's counts */
#define LIMIT_NS	INT64_C(1000000000)	/* interval of logged refusals of a kind, ... */
#define LIMIT_BURST	5			/* ... after a burst of this many */

/* --- the ring --------------------------------------------------------------------- */

void
pace_ops_wake(struct pace_ops *o)
{
	uint64_t one = 1;

	if (write(o->wake, &one, sizeof(one)) < 0)
		return;			/* it is awake already */
}

struct pace_event *
pace_ops_place(struct pace_ops *o, enum pace_event_kind kind)
{
	struct pace_event *e;

	if (o->n == PACE_OPS_RING) {
		o->lost++;
		o->sums.events_lost++;
		return NULL;
	}
	e = &o->ring[(o->first + o->n++) % PACE_OPS_RING];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->wall_ns = pace_clock_wall();
	return e;
}

/* --- counting, with the lock held ------------------------------------------------------ */

/* Add the lost frames of a run by location: socket, late, elsewhere.  A light stream does not
 * know what its socket lost. */
static void
add_lost(struct pace_totals *t, const struct pace_tally *run)
{
	uint64_t lost = pace_tally_lost(run);
	uint64_t socket = run->socket_lost_likely < lost ? run->socket_lost_likely : lost;
	uint64_t late = run->late < lost - socket ? run->late : lost - socket;

	t->lost_socket += socket;
	t->lost_late += late;
	t->lost_elsewhere += lost - socket - late;
}

static void
count(struct pace_ops *o, const struct pace_session_event *n)
{
	struct pace_totals *t = &o->sums;

	switch (n->kind) {
	case PACE_SESSION_EVENT_OPENED:
		t->opened++;
		break;
	case PACE_SESSION_EVENT_WAITS:
		break;			/* counted as refused each time it asks */
	case PACE_SESSION_EVENT_RUN:
		(*(n->view->run.tcp > 0 ? &t->tcp : n->view->run.pings ? &t->round_trips : &t->streams))++;
		break;
	case PACE_SESSION_EVENT_RUN_OVER:
		(*(strcmp(n->code, "complete") == 0 ? &t->complete : &t->abandoned))++;
		if (n->rates != NULL || n->view->light)
			add_lost(t, &n->view->this_run);
		break;
	case PACE_SESSION_EVENT_CLOSED:
		t->closed++;
		if (!n->view->light)	/* the listener has them in its counts */
			pace_tally_add(&t->tally, &n->view->all);
		if (n->watch != NULL)
			o->counted[n->watch - o->watches] = n->view->number;
		break;
	case PACE_SESSION_EVENT_REFUSED:
		t->refused[pace_refused_of(n->code)]++;
		break;
	}
}

/* --- events ----------------------------------------------------------------------------- */

/* May this refusal be logged?  Kinds that any stranger or a waiting client can cause without
 * limit are only counted; of other kinds a few per second are logged. */
static bool
may_log(struct pace_ops *o, enum pace_refused kind)
{
	struct pace_ops_limit *l = &o->limits[kind];
	int64_t now = pace_clock_raw(), ns = now - l->since_ns;

	if (kind == PACE_REFUSED_BUSY || kind == PACE_REFUSED_CLOSING ||
	    kind == PACE_REFUSED_COOKIE || kind == PACE_REFUSED_SESSION)
		return false;
	if (ns >= LIMIT_NS) {
		l->left = ns / LIMIT_NS < LIMIT_BURST - l->left ?
		    l->left + (int)(ns / LIMIT_NS) : LIMIT_BURST;
		l->since_ns = now;
	}
	if (l->left > 0) {
		l->left--;
		return true;
	}
	l->silent++;
	return false;
}

static void
log_news(struct pace_ops *o, const struct pace_session_event *n)
{
	static const enum pace_event_kind kinds[] = { PACE_EVENT_OPENED, PACE_EVENT_WAITS,
		PACE_EVENT_RUN, PACE_EVENT_RUN_OVER, PACE_EVENT_CLOSED, PACE_EVENT_REFUSED };
	bool refused = n->kind == PACE_SESSION_EVENT_REFUSED;
	enum pace_refused why = refused ? pace_refused_of(n->code) : 0;
	struct pace_event *e;

	if (refused ? !may_log(o, why) : n->silent)
		return;
	e = pace_ops_place(o, kinds[n->kind]);
	if (e == NULL)
		return;
	pace_addr_text(n->peer, e->peer, sizeof(e->peer));
	e->port = n->peer->port;
	if (n->view != NULL)
		e->view = *n->view;
	snprintf(e->code, sizeof(e->code), "%s", n->code != NULL ? n->code : "");
	snprintf(e->text, sizeof(e->text), "%s", n->text != NULL ? n->text : "");
	if (refused) {
		e->count = o->limits[why].silent;
		o->limits[why].silent = 0;
		return;
	}
	e->duration_ns = n->wait_ns;
	if (n->kind == PACE_SESSION_EVENT_WAITS)
		e->count = (uint64_t)n->place;
	if (n->kind == PACE_SESSION_EVENT_CLOSED)
		e->duration_ns = pace_clock_raw() - n->view->opened_ns;
	if (n->rates == NULL)
		return;
	e->has_rx_result = true;
	e->duration_ns = n->rates->duration_ns;
	e->user_rate_bps = n->rates->user_bps;
	e->wire_rate_bps = n->rates->wire_bps;
}

void
pace_ops_event(void *ctx, const struct pace_session_event *n)
{
	struct pace_ops *o = ctx;
	unsigned before;

	pthread_mutex_lock(&o->lock);
	before = o->n;
	count(o, n);
	log_news(o, n);
	before = o->n - before;
	pthread_mutex_unlock(&o->lock);
	if (before > 0)
		pace_ops_wake(o);
}

void
pace_ops_tell_stopping(struct pace_ops *o, uint64_t active)
{
	struct pace_event *e;

	if (o->logged_stop || pace_stop == 0)
		return;
	o->logged_stop = true;
	pthread_mutex_lock(&o->lock);
	e = pace_ops_place(o, PACE_EVENT_STOPPING);
	if (e != NULL) {
		e->count = active;
		snprintf(e->code, sizeof(e->code), "SIG%s", pace_stop == SIGTERM ? "TERM" :
		    pace_stop == SIGINT ? "INT" : pace_stop == SIGALRM ? "ALRM" : "PIPE");
	}
	pthread_mutex_unlock(&o->lock);
	pace_ops_wake(o);
}

void
pace_ops_look(void *ctx, struct pace_responder *r)
{
	struct pace_ops *o = ctx;
	int64_t now = pace_clock_raw();
	uint64_t active;

	if (pace_usr1) {
		pace_usr1 = 0;
		pthread_mutex_lock(&o->lock);
		o->sums.at_port = pace_responder_counted(r);
		o->summary = true;
		pthread_mutex_unlock(&o->lock);
		pace_ops_wake(o);
	}
	if (now - o->looked_ns < LOOK_NS && pace_stop == 0)
		return;
	o->looked_ns = now;
	pthread_mutex_lock(&o->lock);
	o->sums.at_port = pace_responder_counted(r);
	o->keyless_from = r->keyless_from;
	active = o->sums.opened - o->sums.closed;
	pthread_mutex_unlock(&o->lock);
	pace_ops_tell_stopping(o, active);
}

/* Log a message; level 0: the level of the kind. */
static void __attribute__((format(printf, 4, 0)))
say(struct pace_ops *o, enum pace_event_kind kind, enum pace_log_level level, const char *fmt,
    va_list ap)
{
	struct pace_event *e;

	pthread_mutex_lock(&o->lock);
	e = pace_ops_place(o, kind);
	if (e != NULL) {
		e->level = level;
		e->count = level == PACE_LOG_ERR;
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
	}
	pthread_mutex_unlock(&o->lock);
	pace_ops_wake(o);
}

void
pace_ops_reloaded(struct pace_ops *o, enum pace_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(o, PACE_EVENT_RELOAD, level, fmt, ap);
	va_end(ap);
}

void
pace_ops_warn(struct pace_ops *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(o, PACE_EVENT_WARNING, 0, fmt, ap);
	va_end(ap);
}

void
pace_ops_error(struct pace_ops *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(o, PACE_EVENT_ERROR, 0, fmt, ap);
	va_end(ap);
}
