#include "config.h"

#include "daemon/serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/pcap.h"
#include "plat/root.h"
#include "run/stop.h"

#define LOOK_NS		INT64_C(100000000)	/* at stop, this often */
#define FACTS_NS	INT64_C(300000000)	/* as old may be what is told of the host */
#define PARTING_NS	INT64_C(4500000000)	/* for sessions, after a stop */
#define THREAD_NS	INT64_C(300000000)	/* and for their threads */

/* One session and what it runs on; owned by its thread. */
struct runner {
	struct pace_serve *serve;
	struct pace_birth birth;
	struct pace_sock sock;
	struct pace_counting counting;
	struct pace_session *session;
};

static bool
stopped(const struct pace_serve *s)
{
	return s->cfg.stop != NULL && *s->cfg.stop;
}

static void
free_runner(struct runner *r)
{
	pace_session_free(r->session);
	pace_sock_close(&r->sock);
	free(r);
}

/* Sleep as the session wants, but look at stop now and then. */
static void
rest(struct runner *r, const struct pace_wake *w)
{
	struct pace_io *io = &r->birth.cfg.io;
	int64_t look, until;

	if (w->at_ns == 0)
		return;
	look = pace_clock_raw() + LOOK_NS;
	until = w->at_ns < look ? w->at_ns : look;
	if (w->on_data)
		(void)io->wait(io->ctx, until);
	else
		(void)io->sleep_until(io->ctx, until, NULL);
}

/* Reading them takes a while: sessions that are opened one after the other share them. */
static void
read_facts(struct pace_serve *s, const char *interface, struct pace_host *h)
{
	pthread_mutex_lock(&s->facts_lock);
	if (s->facts_ns == 0 || pace_clock_raw() - s->facts_ns > FACTS_NS ||
	    strcmp(s->facts_of, interface) != 0) {
		pace_facts_read(&s->facts, s->counting.root, interface, true);
		snprintf(s->facts_of, sizeof(s->facts_of), "%s", interface);
		s->facts_ns = pace_clock_raw();
	}
	*h = s->facts;
	pthread_mutex_unlock(&s->facts_lock);
}

/* Is this client told of the host? */
static bool
tells(const struct runner *r)
{
	return !r->serve->cfg.private && r->birth.cfg.terms.limits.host_facts;
}

/* Of each session what holds for its own route. */
static void
tell_host(struct runner *r)
{
	struct pace_host *h = tells(r) ? malloc(sizeof(*h)) : NULL;
	struct pace_addr local = pace_sock_local(&r->sock);

	pace_route_to(&r->birth.cfg.peer, &local, r->counting.root, r->counting.route);
	if (h != NULL)
		read_facts(r->serve, r->counting.route, h);
	(void)pace_session_tell(r->session, h);
	free(h);
}

static void *
run_session(void *arg)
{
	struct runner *r = arg;
	struct pace_serve *s = r->serve;
	int slot = r->birth.slot;
	struct pace_wake w;
	int64_t parting_ns;

	pace_clock_no_slack();
	if (s->cfg.cpu >= 0)
		(void)pace_affinity_pin(s->cfg.cpu);
	tell_host(r);
	for (;;) {
		parting_ns = atomic_load_explicit(&s->parting_ns, memory_order_relaxed);
		if (parting_ns != 0)
			pace_session_part(r->session, parting_ns);
		w = pace_session_step(r->session);
		if (w.done)
			break;
		rest(r, &w);
	}
	free_runner(r);
	pace_places_free(&s->responder.places, slot);
	return NULL;
}

/* Signals are for the main thread. */
static int
start_thread(struct runner *r)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, run_session, r);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* Between bind and connect anybody's datagrams could come in. */
static void
drop_strangers(struct pace_io *io)
{
	uint8_t room[1];
	struct pace_in in = { .buf = room, .size = sizeof(room) };

	for (int i = 0; i < 4096 && io->recv(io->ctx, &in, 1) > 0; i++)
		;
}

static int
open_session_socket(struct runner *r)
{
	struct pace_session_cfg *c = &r->birth.cfg;
	struct pace_sock_cfg cfg = { .local = r->birth.local, .peer = c->peer,
	    .share_port = true, .rcvbuf_bytes = c->open.rcvbuf_bytes };
	int rc;

	cfg.local.port = r->serve->port;
	if (cfg.rcvbuf_bytes > PACE_SERVE_RCVBUF_MAX)
		cfg.rcvbuf_bytes = PACE_SERVE_RCVBUF_MAX;
	rc = pace_sock_open(&r->sock, &cfg, NULL);
	if (rc < 0)
		return rc;
	r->counting = r->serve->counting;
	if (tells(r))
		r->sock.counting = &r->counting;
	c->io = pace_sock_io(&r->sock);
	drop_strangers(&c->io);
	c->rcvbuf_granted = r->sock.rcvbuf_granted;
	return 0;
}

static int
spawn(void *ctx, const struct pace_birth *b)
{
	struct runner *r = calloc(1, sizeof(*r));
	int rc;

	if (r == NULL)
		return -ENOMEM;
	r->serve = ctx;
	r->birth = *b;
	if (r->serve->cfg.watches != NULL)
		r->birth.cfg.watch = &r->serve->cfg.watches[b->slot];
	r->sock.fd = -1;
	rc = open_session_socket(r);
	if (rc == 0) {
		r->session = pace_session_new(&r->birth.cfg);
		rc = r->session == NULL ? -ENOMEM : start_thread(r);
	}
	if (rc != 0)
		free_runner(r);
	return rc;
}

int
pace_serve_open(struct pace_serve *s, const struct pace_serve_cfg *cfg,
    struct pace_err *err)
{
	struct pace_sock_cfg sock = { .local = cfg->bind, .share_port = true,
	    .first_of_port = true, .passed = cfg->passed, .rcvbuf_bytes = 1 << 20 };
	int rc;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	if (cfg->reload != NULL)
		pace_hup_catch();
	rc = pace_responder_init(&s->responder);
	if (rc < 0) {
		pace_responder_free(&s->responder);
		return pace_fail(err, -rc, "start");
	}
	rc = pace_sock_open(&s->sock, &sock, err);
	if (rc < 0) {
		pace_responder_free(&s->responder);
		return rc;
	}
	s->port = pace_sock_port(&s->sock);
	s->responder.io = pace_sock_io(&s->sock);
	s->responder.places.max = cfg->max_sessions;
	s->responder.shared.max_records = cfg->max_records;
	s->responder.shared.rules = cfg->rules;
	s->responder.shared.observer = cfg->observer;
	s->responder.shared.tap = cfg->tap;
	s->responder.shared.lacks_pcap = pace_pcap_lacks() != NULL;
	s->responder.spawn = spawn;
	s->responder.spawn_ctx = s;
	pthread_mutex_init(&s->facts_lock, NULL);
	s->counting.hide = true;
	s->counting.root = pace_root_default();
	return 0;
}

static bool
one_is_over(struct pace_serve *s)
{
	uint64_t ended;
	int active = pace_places_active(&s->responder.places, &ended);

	return s->cfg.one_off && ended > 0 && active == 0;
}

/* What the host counts, while a client that may know looks on; here, where nothing is late. */
static void
look_at_host(struct pace_serve *s)
{
	struct pace_host_counters_board *board = &s->responder.shared.sums;
	int64_t now = pace_clock_raw();
	struct pace_counters c = { .known = false };
	struct pace_host_counters sums;

	if (!pace_host_counters_wanted(board, now) || now - s->summed_ns < PACE_HOST_COUNTERS_NS)
		return;
	s->summed_ns = now;
	pace_counters_host_sample(&c, s->counting.root);
	pace_host_counters_of(&sums, &c);
	pace_counters_free(&c);
	pace_host_counters_post(board, &sums);
}

static void
turn(struct pace_serve *s, int64_t wait_ns)
{
	struct pace_io *io = &s->responder.io;

	if (pace_responder_step(&s->responder) <= 0)
		(void)io->wait(io->ctx, pace_clock_raw() + wait_ns);
	look_at_host(s);
	if (s->cfg.look != NULL)
		s->cfg.look(s->cfg.look_ctx, &s->responder);
}

/* Sessions end by themselves; who comes meanwhile is told why he gets none. */
static void
part(struct pace_serve *s)
{
	int64_t end = pace_clock_raw() + PARTING_NS;
	uint64_t ended;

	s->responder.closing = true;
	atomic_store_explicit(&s->parting_ns, end, memory_order_relaxed);
	while (pace_places_active(&s->responder.places, &ended) > 0 &&
	    pace_clock_raw() < end + THREAD_NS)
		turn(s, LOOK_NS / 10);
}

static void
reload(struct pace_serve *s)
{
	pace_hup = 0;			/* one that comes from now on counts again */
	if (s->cfg.notify != NULL)
		pace_notify_reloading(s->cfg.notify);
	if (s->cfg.reload != NULL)
		s->cfg.reload(s->cfg.reload_ctx);
	if (s->cfg.notify != NULL)
		pace_notify_ready(s->cfg.notify);
}

void
pace_serve_run(struct pace_serve *s)
{
	/* not earlier: it has a thread, and reads what its user may */
	s->counting.meter = pace_meter_new(s->counting.root);
	if (s->cfg.notify != NULL)
		pace_notify_ready(s->cfg.notify);
	while (!stopped(s) && !one_is_over(s)) {
		if (s->cfg.notify != NULL)
			pace_notify_alive(s->cfg.notify);
		if (pace_hup)
			reload(s);
		turn(s, LOOK_NS);
	}
	if (s->cfg.notify != NULL)
		pace_notify_stopping(s->cfg.notify);
	part(s);
}

bool
pace_serve_close(struct pace_serve *s)
{
	uint64_t ended;

	pace_sock_close(&s->sock);
	if (pace_places_active(&s->responder.places, &ended) > 0)
		return false;
	pace_responder_free(&s->responder);
	pace_meter_free(s->counting.meter);
	s->counting.meter = NULL;
	return true;
}
