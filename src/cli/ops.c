/*
 * One thread writes the log and serves the status socket.  Sessions put events
 * into a ring and wake it; under the lock are the ring and the sums, which change
 * when something happens, never with a frame.  The boards of sessions are read
 * without a lock, but no session ends meanwhile: it is in the sums or on its
 * board, not in both.
 */
#include "config.h"

#include "cli/ops.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/oplog.h"
#include "cli/readers.h"
#include "cli/scrape.h"
#include "cli/stop.h"
#include "plat/clock.h"
#include "plat/counters.h"
#include "plat/root.h"

#define RING		256			/* events */
#define LOOK_NS		INT64_C(100000000)	/* as old may the listener's counts be */
#define GLANCE_NS	INT64_C(950000000)	/* the host is looked at so often */
#define MINUTE_NS	INT64_C(60000000000)
#define LIMIT_NS	INT64_C(1000000000)	/* a refusal of a kind is logged so often, ... */
#define LIMIT_BURST	5			/* ... after so many at once */
#define JOIN_S		1			/* for a pipe that nobody empties */

/* How many refusals of a kind may be logged now. */
struct limit {
	int64_t		since_ns;
	int		left;
	uint64_t	silent;		/* not logged since the last line */
};

struct pace_ops {
	struct pace_ops_cfg cfg;
	struct pace_oplog log;
	struct pace_watch *watches;
	struct pace_view *views;	/* of the thread */
	uint64_t	*turns;
	/* of the thread: */
	bool		wants;		/* distributions are wanted */
	const char	*root;
	struct pace_glance glance;	/* of the host, and when that was */
	int64_t		glanced_ns;
	struct pace_readers *readers;	/* NULL: no status socket */
	struct pace_scrape *scrape;
	struct pace_serve *serve;
	char		host[256];
	char		address[64];
	pthread_t	thread;
	bool		running;
	int		wake;		/* eventfd */
	int64_t		looked_ns;	/* main thread's */
	bool		told_stop;
	/* of the thread: the last minute's begin */
	struct pace_totals minute;
	/* under the lock */
	pthread_mutex_t	lock;
	struct pace_totals sums;
	uint64_t	*counted;	/* by slot: the number whose tally is in the sums */
	struct pace_view *seen;		/* by slot: the newest copy that could be had */
	struct limit	limits[PACE_REFUSED_KINDS];
	struct pace_event *ring;
	unsigned	first, n;
	uint64_t	lost;		/* events, not told yet */
	bool		summary, end;	/* wanted */
};

/* --- handing over ----------------------------------------------------------------- */

static void
wake(struct pace_ops *o)
{
	uint64_t one = 1;

	if (write(o->wake, &one, sizeof(one)) < 0)
		return;			/* it is awake already */
}

/* With the lock held: a place in the ring, NULL: there is none. */
static struct pace_event *
place(struct pace_ops *o, enum pace_event_kind kind)
{
	struct pace_event *e;

	if (o->n == RING) {
		o->lost++;
		o->sums.events_lost++;
		return NULL;
	}
	e = &o->ring[(o->first + o->n++) % RING];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->wall_ns = pace_clock_wall();
	return e;
}

static void
put_peer(struct pace_event *e, const struct pace_news *n)
{
	pace_addr_text(n->peer, e->peer, sizeof(e->peer));
	e->port = n->peer->port;
	if (n->view != NULL)
		e->view = *n->view;
	snprintf(e->code, sizeof(e->code), "%s", n->code != NULL ? n->code : "");
	snprintf(e->text, sizeof(e->text), "%s", n->text != NULL ? n->text : "");
}

/* --- counting, with the lock held ------------------------------------------------------ */

/* Of the frames that a stream lost, those that are known to have come here. */
static void
add_lost(struct pace_totals *t, const struct pace_receipt *rx)
{
	uint64_t socket = rx->socket_low < rx->lost ? rx->socket_low : rx->lost;
	uint64_t late = rx->lost - socket;

	if (rx->beyond_window < late)
		late = rx->beyond_window;
	t->lost_socket += socket;
	t->lost_late += late;
	t->lost_elsewhere += rx->lost - socket - late;
}

static void
count_run_over(struct pace_totals *t, const struct pace_news *n)
{
	if (strcmp(n->code, "complete") == 0)
		t->complete++;
	else
		t->abandoned++;
	if (n->rx != NULL)
		add_lost(t, n->rx);
}

static void
count(struct pace_ops *o, const struct pace_news *n)
{
	struct pace_totals *t = &o->sums;

	switch (n->kind) {
	case PACE_NEWS_OPENED:
		t->opened++;
		break;
	case PACE_NEWS_RUN:
		if (n->view->run.pings)
			t->round_trips++;
		else
			t->streams++;
		break;
	case PACE_NEWS_RUN_OVER:
		count_run_over(t, n);
		break;
	case PACE_NEWS_CLOSED:
		t->closed++;
		pace_tally_add(&t->tally, &n->view->all);
		if (n->watch != NULL)
			o->counted[n->watch - o->watches] = n->view->number;
		break;
	case PACE_NEWS_REFUSED:
		t->refused[pace_refused_of(n->code)]++;
		break;
	}
}

/* --- what happens ----------------------------------------------------------------------- */

/* What any stranger, or a client that waits, can cause as often as it likes is counted
 * only; of the others a few a second are logged. */
static bool
may_log(struct pace_ops *o, enum pace_refused kind)
{
	struct limit *l = &o->limits[kind];
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
log_refusal(struct pace_ops *o, const struct pace_news *n)
{
	enum pace_refused kind = pace_refused_of(n->code);
	struct pace_event *e;

	if (!may_log(o, kind) || (e = place(o, PACE_EVENT_REFUSED)) == NULL)
		return;
	put_peer(e, n);
	e->count = o->limits[kind].silent;
	o->limits[kind].silent = 0;
}

static void
log_news(struct pace_ops *o, const struct pace_news *n)
{
	static const enum pace_event_kind kinds[] = { PACE_EVENT_OPENED, PACE_EVENT_RUN,
		PACE_EVENT_RUN_OVER, PACE_EVENT_CLOSED };
	struct pace_event *e;

	if (n->kind == PACE_NEWS_REFUSED) {
		log_refusal(o, n);
		return;
	}
	if (n->silent)
		return;
	e = place(o, kinds[n->kind]);
	if (e == NULL)
		return;
	put_peer(e, n);
	if (n->kind == PACE_NEWS_CLOSED)
		e->duration_ns = pace_clock_raw() - n->view->opened_ns;
	if (n->rx == NULL)
		return;
	e->has_receipt = true;
	e->duration_ns = n->rx->duration_ns;
	e->user_rate_bps = n->rx->user_rate_bps;
	e->wire_rate_bps = n->rx->wire_rate_bps;
}

/* In the thread of a session, or of the listener. */
static void
on_news(void *ctx, const struct pace_news *n)
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
		wake(o);
}

static void
tell_stopping(struct pace_ops *o, uint64_t active)
{
	struct pace_event *e;

	if (o->told_stop || pace_stop == 0)
		return;
	o->told_stop = true;
	pthread_mutex_lock(&o->lock);
	e = place(o, PACE_EVENT_STOPPING);
	if (e != NULL) {
		e->count = active;
		snprintf(e->code, sizeof(e->code), "SIG%s", pace_stop == SIGTERM ? "TERM" :
		    pace_stop == SIGINT ? "INT" : "PIPE");
	}
	pthread_mutex_unlock(&o->lock);
	wake(o);
}

/* In the thread of the listener, between two batches. */
static void
on_look(void *ctx, struct pace_responder *r)
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
		wake(o);
	}
	if (now - o->looked_ns < LOOK_NS && pace_stop == 0)
		return;
	o->looked_ns = now;
	pthread_mutex_lock(&o->lock);
	o->sums.at_port = pace_responder_counted(r);
	active = o->sums.opened - o->sums.closed;
	pthread_mutex_unlock(&o->lock);
	tell_stopping(o, active);
}

/* level 0: that of the kind */
static void __attribute__((format(printf, 4, 0)))
say(struct pace_ops *o, enum pace_event_kind kind, enum pace_level level, const char *fmt,
    va_list ap)
{
	struct pace_event *e;

	pthread_mutex_lock(&o->lock);
	e = place(o, kind);
	if (e != NULL) {
		e->level = level;
		e->count = level == PACE_LOG_ERR;
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
	}
	pthread_mutex_unlock(&o->lock);
	wake(o);
}

void
pace_ops_reloaded(struct pace_ops *o, enum pace_level level, const char *fmt, ...)
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

/* --- sums ------------------------------------------------------------------------------------ */

/* The sums and what stands on the boards; with a copy of these, views NULL: without. */
static void
sum_up(struct pace_ops *o, struct pace_totals *t, struct pace_view *views)
{
	size_t n = (size_t)o->cfg.max_sessions;

	pthread_mutex_lock(&o->lock);
	*t = o->sums;
	pace_totals_add_boards(t, o->watches, o->seen, o->counted, n);
	if (views != NULL)
		memcpy(views, o->seen, n * sizeof(*views));
	pthread_mutex_unlock(&o->lock);
	t->active = t->opened - t->closed;
	t->now_ns = pace_clock_raw();
	if (o->serve != NULL)
		t->lease_ns = pace_lease_left(&o->serve->responder.shared.lease, t->now_ns);
	if (t->lease_ns == 0)
		t->lease_number = 0;
}

/* --- the thread --------------------------------------------------------------------------------- */

/* It was not written.  Word of others that were lost is put back for another time. */
static void
count_unwritten(struct pace_ops *o, const struct pace_event *e)
{
	bool word = e->kind == PACE_EVENT_LOST;

	pthread_mutex_lock(&o->lock);
	o->lost += word ? e->count : 1;
	o->sums.events_lost += !word;
	pthread_mutex_unlock(&o->lock);
}

static bool
write_event(struct pace_ops *o, const struct pace_event *e)
{
	bool good = pace_oplog_write(&o->log, e);

	if (!good)
		count_unwritten(o, e);
	return good;
}

static void
write_now(struct pace_ops *o, struct pace_event *e)
{
	e->wall_ns = pace_clock_wall();
	(void)write_event(o, e);
}

/* One out of the ring; false: it is empty. */
static bool
take(struct pace_ops *o, struct pace_event *e)
{
	bool some;

	pthread_mutex_lock(&o->lock);
	some = o->n > 0;
	if (some) {
		*e = o->ring[o->first];
		o->first = (o->first + 1) % RING;
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
write_all(struct pace_ops *o)
{
	struct pace_event e;

	while (take(o, &e))
		if (!write_event(o, &e) && e.kind == PACE_EVENT_LOST)
			break;			/* the last one, and in vain */
}

static void
write_summary(struct pace_ops *o)
{
	struct pace_event e = { .kind = PACE_EVENT_SUMMARY };

	sum_up(o, &e.totals, o->views);
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

static bool
is_abuse(const struct pace_totals *t)
{
	for (size_t i = 0; i < pace_port_counts_n; i++)
		if (pace_port_counts[i].hostile && pace_port_count(&t->at_port, i) > 0)
			return true;
	return false;
}

/* Once a minute, if there was anything. */
static void
tell_abuse(struct pace_ops *o, bool last)
{
	struct pace_event e = { .kind = PACE_EVENT_ABUSE };
	struct pace_totals now;

	if (!last && pace_clock_raw() - o->minute.now_ns < MINUTE_NS)
		return;
	sum_up(o, &now, NULL);
	e.totals = pace_totals_since(&now, &o->minute);
	e.count = (uint64_t)((now.now_ns - o->minute.now_ns + 500000000) / 1000000000);
	o->minute = now;
	if (is_abuse(&e.totals))
		write_now(o, &e);
}

/* Sessions post their distributions as long as somebody reads. */
static void
want_shapes(struct pace_ops *o, bool wanted)
{
	if (wanted == o->wants)
		return;
	o->wants = wanted;
	for (int i = 0; i < o->cfg.max_sessions; i++)
		pace_watch_want(&o->watches[i], wanted);
}

/* Once for all who read within a second. */
static const struct pace_glance *
glance_at_host(struct pace_ops *o, int64_t now_ns)
{
	struct pace_glance *g = &o->glance;

	if (g->now.known && now_ns - o->glanced_ns < GLANCE_NS)
		return g;
	pace_counters_free(&g->then);
	g->then = g->now;
	memset(&g->now, 0, sizeof(g->now));
	pace_counters_glance(&g->now, o->root);
	pace_counters_process(&g->user_ns, &g->system_ns);
	o->glanced_ns = now_ns;
	return g;
}

static void
tell_readers(struct pace_ops *o)
{
	struct pace_totals t;

	if (o->readers == NULL)
		return;
	want_shapes(o, pace_readers_any(o->readers));
	if (pace_readers_due(o->readers) > pace_clock_raw())
		return;
	for (int i = 0; i < o->cfg.max_sessions; i++)
		o->turns[i] = atomic_load_explicit(&o->watches[i].turn, memory_order_relaxed);
	sum_up(o, &t, o->views);
	for (int i = 0; i < o->cfg.max_sessions; i++)
		pace_watch_turn(&o->watches[i]);
	pace_readers_tell(o->readers, &(struct pace_news_sheet){ .views = o->views,
	    .turns = o->turns, .watches = o->watches, .totals = &t,
	    .host = glance_at_host(o, t.now_ns), .now_ns = t.now_ns,
	    .wall_ns = pace_clock_wall() });
}

static void
wait_for_work(struct pace_ops *o)
{
	struct pollfd fds[PACE_READERS + 2] = { { .fd = o->wake, .events = POLLIN } };
	int64_t until_ns = o->minute.now_ns + MINUTE_NS, now = pace_clock_raw();
	struct timespec ts = { .tv_sec = 0 };
	uint64_t n;
	int more = 0;

	if (o->readers != NULL)
		more = pace_readers_wait(o->readers, fds + 1, now, &until_ns);
	if (until_ns > now) {
		ts.tv_sec = (time_t)((until_ns - now) / 1000000000);
		ts.tv_nsec = (long)((until_ns - now) % 1000000000);
	}
	if (ppoll(fds, (nfds_t)more + 1, &ts, NULL) < 0)
		return;
	if (fds[0].revents != 0 && read(o->wake, &n, sizeof(n)) < 0)
		return;
	if (o->readers != NULL)
		pace_readers_serve(o->readers, fds + 1, more, pace_clock_raw());
}

/* What is wanted; each once. */
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

static void
write_last(struct pace_ops *o)
{
	struct pace_event e = { .kind = PACE_EVENT_STOP };

	tell_abuse(o, true);
	sum_up(o, &e.totals, NULL);
	write_now(o, &e);
}

static void *
run(void *arg)
{
	struct pace_ops *o = arg;
	bool end = false;

	while (!end) {
		wait_for_work(o);
		end = asked_for(o, &o->end);
		write_all(o);
		if (asked_for(o, &o->summary))
			write_summary(o);
		tell_abuse(o, false);
		tell_readers(o);
	}
	write_last(o);
	return NULL;
}

/* --- beginning and end ------------------------------------------------------------------------ */

static int
allocate(struct pace_ops *o)
{
	size_t n = (size_t)o->cfg.max_sessions;

	o->watches = calloc(n, sizeof(*o->watches));
	o->counted = calloc(n, sizeof(*o->counted));
	o->seen = calloc(n, sizeof(*o->seen));
	o->views = calloc(n, sizeof(*o->views));
	o->turns = calloc(n, sizeof(*o->turns));
	o->ring = calloc(RING, sizeof(*o->ring));
	o->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->watches == NULL || o->counted == NULL || o->seen == NULL || o->views == NULL ||
	    o->turns == NULL || o->ring == NULL)
		return -ENOMEM;
	return o->wake < 0 ? -errno : 0;
}

static void
release(struct pace_ops *o)
{
	pace_scrape_close(o->scrape);
	pace_readers_close(o->readers);
	if (o->wake >= 0)
		close(o->wake);
	pace_counters_free(&o->glance.then);
	pace_counters_free(&o->glance.now);
	free(o->watches);
	free(o->counted);
	free(o->seen);
	free(o->views);
	free(o->turns);
	free(o->ring);
	free(o);
}

static void
totals_for_scrape(void *ctx, struct pace_totals *t)
{
	sum_up(ctx, t, NULL);
}

int
pace_ops_open(struct pace_ops **out, const struct pace_ops_cfg *cfg, struct pace_err *err)
{
	struct pace_ops *o = calloc(1, sizeof(*o));
	struct pace_scrape_cfg sc = { .totals = totals_for_scrape, .ctx = o };
	int rc;

	*out = NULL;
	if (o == NULL)
		return pace_fail(err, ENOMEM, "start");
	o->cfg = *cfg;
	o->wake = -1;
	pthread_mutex_init(&o->lock, NULL);
	pace_oplog_open(&o->log, cfg->json, cfg->quiet, cfg->verbose);
	o->root = pace_root_default();
	o->sums.started_ns = pace_clock_raw();
	o->sums.started_wall_ns = pace_clock_wall();
	rc = allocate(o);
	if (rc < 0)
		rc = pace_fail(err, -rc, "start");
	if (rc == 0 && cfg->metrics != NULL)
		rc = pace_scrape_open(&o->scrape, cfg->metrics, &sc, err);
	if (rc < 0) {
		release(o);
		return rc;
	}
	(void)place(o, PACE_EVENT_START);
	*out = o;
	return 0;
}

int
pace_ops_check(const struct pace_ops_cfg *cfg, struct pace_err *err)
{
	int rc = cfg->metrics != NULL ? pace_scrape_check(cfg->metrics, err) : 0;

	return rc == 0 && cfg->status != NULL ? pace_readers_check(cfg->status, err) : rc;
}

int
pace_ops_listen(struct pace_ops *o, struct pace_err *err)
{
	return o->cfg.status == NULL ? 0 :
	    pace_readers_open(&o->readers, o->cfg.status, o->cfg.max_sessions, err);
}

void
pace_ops_hook(struct pace_ops *o, struct pace_serve_cfg *sc)
{
	sc->herald = (struct pace_herald){ .news = on_news, .ctx = o };
	sc->watches = o->watches;
	sc->look = on_look;
	sc->look_ctx = o;
}

static int
start_thread(struct pace_ops *o)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&o->thread, NULL, run, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	o->running = rc == 0;
	return -rc;
}

int
pace_ops_begin(struct pace_ops *o, struct pace_serve *s, const char *address)
{
	struct pace_event *e;
	struct pace_status_head head = { .host = o->host, .address = o->address, .port = s->port,
	    .started_wall_ns = o->sums.started_wall_ns, .interval_ns = PACE_STATUS_USUAL_NS };
	int rc;

	o->serve = s;
	if (gethostname(o->host, sizeof(o->host) - 1) < 0)
		o->host[0] = '\0';
	snprintf(o->address, sizeof(o->address), "%s", address);
	if (o->readers != NULL)
		pace_readers_head(o->readers, &head);
	sum_up(o, &o->minute, NULL);
	e = place(o, PACE_EVENT_LISTENING);	/* no thread yet: no lock */
	if (e != NULL) {
		snprintf(e->peer, sizeof(e->peer), "%s", address);
		e->port = s->port;
	}
	pace_usr1_catch();
	wake(o);
	rc = start_thread(o);
	return rc < 0 ? rc : pace_scrape_begin(o->scrape);
}

/* False: it hangs at the log. */
static bool
end_thread(struct pace_ops *o)
{
	struct timespec until;

	if (!o->running)
		return true;
	pthread_mutex_lock(&o->lock);
	o->end = true;
	pthread_mutex_unlock(&o->lock);
	wake(o);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOIN_S;
	return pthread_timedjoin_np(o->thread, NULL, &until) == 0;
}

/* Does one that did not end in time still tell us what it does? */
static bool
has_sessions(struct pace_ops *o)
{
	uint64_t ended;

	return o->serve != NULL && pace_responder_active(&o->serve->responder, &ended) > 0;
}

void
pace_ops_close(struct pace_ops *o)
{
	bool alone;

	if (o == NULL)
		return;
	if (o->serve != NULL) {
		pthread_mutex_lock(&o->lock);
		o->sums.at_port = pace_responder_counted(&o->serve->responder);
		pthread_mutex_unlock(&o->lock);
		tell_stopping(o, 0);
	}
	alone = end_thread(o) && !has_sessions(o);
	pace_scrape_close(o->scrape);
	o->scrape = NULL;
	pace_readers_remove(o->readers);
	if (alone)
		release(o);
}
