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
#include "plat/thread.h"
#include "plat/warm.h"
#include "run/stop.h"

#define LIGHT_RCVBUF	(8 << 20)		/* for the frames of 10,000 light sessions */
#define TEXT_NS		INT64_C(10000000000)	/* maximum age of a description for light sessions */
#define LOOK_NS		INT64_C(100000000)	/* interval of looking at stop and for flows, */
#define QUIET_NS	INT64_C(1000000000)	/* longer while a session sends frames, */
#define JOIN_LOOK_NS	INT64_C(5000000)	/* shorter for the flows of a new session */
#define JOIN_NS		INT64_C(2000000000)
#define FACTS_NS	INT64_C(300000000)	/* maximum age of the host's facts */
#define BUSY_NS		INT64_C(10000000)	/* the listener is busy if so many datagrams of */
#define BUSY_LEAST	50			/* light sessions come in this time; then it */
#define REST_NS		INT64_C(500000)		/* reads them this often, in batches */
#define PARTING_NS	INT64_C(4500000000)	/* time for sessions to end after a stop */
#define THREAD_NS	INT64_C(300000000)	/* and for their threads */

/* The socket of a further flow. */
struct flow_socket {
	struct pace_sock sock;
	struct runner	*of;
	struct pace_flow flow;
	struct flow_socket *next;	/* on its way to the session */
};

/* A session and its resources; owned by its thread. */
struct runner {
	struct pace_serve *serve;
	struct pace_birth birth;
	struct pace_sock sock;
	struct pace_counting counting;
	struct pace_session *session;
	int64_t		began_ns;
	struct pace_sock *socks[PACE_SOCK_WAIT_MAX];	/* its own, then those of its flows */
	int		n;
	/* runners_lock: flows that the listener's thread opened for it */
	struct flow_socket *_Atomic joining;
};

static uint32_t
buffer_of(uint32_t asked)
{
	return asked < PACE_SERVE_BUFFER_MAX ? asked : PACE_SERVE_BUFFER_MAX;
}

/* Open a socket of our port that is connected to the peer of f; fill in its io and buffers. */
static int
open_connected(struct pace_serve *s, struct pace_sock *sock, const struct pace_addr *local,
    struct pace_flow *f)
{
	struct pace_sock_cfg cfg = { .local = *local, .peer = f->peer, .share_port = true,
	    .rcvbuf_bytes = buffer_of(f->rcvbuf_asked), .sndbuf_bytes = buffer_of(f->sndbuf_asked),
	    .guard_ns = s->guard_ns };
	const struct pace_io *io = &f->io;
	uint8_t room[1];
	struct pace_in in = { .buf = room, .size = sizeof(room) };
	int rc;

	cfg.local.port = s->port;
	rc = pace_sock_open(sock, &cfg, NULL);
	if (rc < 0)
		return rc;
	sock->warm = s->warm;
	f->io = pace_sock_io(sock);
	f->rcvbuf_granted = sock->rcvbuf_granted;
	f->sndbuf_granted = sock->sndbuf_granted;
	for (int i = 0; i < 4096 && io->recv(io->ctx, &in, 1) > 0; i++)
		;		/* discard: between bind and connect any sender could reach it */
	return 0;
}

/* --- further flows of a session ------------------------------------------------ */

static void
free_flow(struct pace_serve *s, struct flow_socket *f)
{
	pace_sock_close(&f->sock);
	free(f);
	atomic_fetch_sub(&s->flows, 1);
}

static void
close_flow(void *owner)
{
	struct flow_socket *f = owner;
	struct runner *r = f->of;

	for (int i = 1; i < r->n; i++)
		if (r->socks[i] == &f->sock)
			r->socks[i--] = r->socks[--r->n];
	free_flow(r->serve, f);
}

/* Open the socket of a flow, in the listener's thread, and leave it for the session's thread.  A
 * session that has just ended does not get it. */
static int
join_session(void *ctx, const struct pace_flow_birth *b)
{
	struct pace_serve *s = ctx;
	struct flow_socket *f;
	struct runner *r;
	int rc;

	if (atomic_load(&s->flows) >= s->cfg.max_flows ||
	    (f = calloc(1, sizeof(*f))) == NULL)
		return -ENOMEM;
	atomic_fetch_add(&s->flows, 1);
	f->flow = b->flow;
	rc = open_connected(s, &f->sock, &b->local, &f->flow);
	if (rc < 0) {
		f->sock.fd = -1;
		free_flow(s, f);
		return rc;
	}
	f->flow.close = close_flow;
	f->flow.owner = f;
	pthread_mutex_lock(&s->runners_lock);
	r = s->runners[b->slot];
	if (r != NULL) {
		f->of = r;
		f->next = r->joining;
		r->joining = f;
	}
	pthread_mutex_unlock(&s->runners_lock);
	if (r == NULL)
		free_flow(s, f);
	return 0;
}

/* Hand the session what the listener's thread left for it; last: it gets nothing more. */
static void
take_flows(struct runner *r, bool last)
{
	struct pace_serve *s = r->serve;
	struct flow_socket *f, *next;

	if (r->joining == NULL && !last)
		return;
	pthread_mutex_lock(&s->runners_lock);
	f = r->joining;
	r->joining = NULL;
	if (last)
		s->runners[r->birth.slot] = NULL;
	pthread_mutex_unlock(&s->runners_lock);
	for (; f != NULL; f = next) {
		next = f->next;
		if (last || r->n == PACE_SOCK_WAIT_MAX) {
			close_flow(f);
			continue;
		}
		r->socks[r->n++] = &f->sock;
		pace_session_join(r->session, &f->flow);
	}
}

/* --- sessions ------------------------------------------------------------------- */

static void
free_runner(struct runner *r)
{
	pace_session_free(r->session);
	pace_sock_close(&r->sock);
	free(r);
}

/* Sleep as the session requests, but look at stop from time to time. */
static void
rest(struct runner *r, const struct pace_wake *w)
{
	struct pace_io *io = &r->birth.cfg.io;
	int64_t look, until;

	if (w->at_ns == 0)
		return;
	look = pace_clock_raw();
	look += look - r->began_ns < JOIN_NS ? JOIN_LOOK_NS : LOOK_NS;
	until = w->at_ns < look ? w->at_ns : look;
	if (w->on_data)
		(void)pace_sock_wait(r->socks, w->shares ? 1 : r->n, until);
	else
		(void)io->sleep_until(io->ctx, until, NULL);
}

/* Read the host's facts.  This takes a while, so sessions opened in quick succession share them. */
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

/* Does this client get facts of the host? */
static bool
tells(const struct runner *r)
{
	return !r->serve->cfg.private && r->birth.cfg.terms.limits.host_facts;
}

/* Give the session the interface of its route and, if permitted, the facts of the host. */
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
		take_flows(r, false);
		parting_ns = atomic_load_explicit(&s->parting_ns, memory_order_relaxed);
		if (parting_ns != 0)
			pace_session_part(r->session, parting_ns);
		w = pace_session_step(r->session);
		if (w.done)
			break;
		rest(r, &w);
	}
	take_flows(r, true);
	free_runner(r);
	pace_places_free(&s->responder.places, slot);
	return NULL;
}

static int
open_session_socket(struct runner *r)
{
	struct pace_session_cfg *c = &r->birth.cfg;
	struct pace_flow f = { .peer = c->peer, .rcvbuf_asked = c->open.rcvbuf_bytes,
	    .sndbuf_asked = c->open.sndbuf_bytes };
	int rc = open_connected(r->serve, &r->sock, &r->birth.local, &f);

	if (rc < 0)
		return rc;
	r->counting = r->serve->counting;
	if (tells(r))
		r->sock.counting = &r->counting;
	c->io = f.io;
	c->rcvbuf_granted = f.rcvbuf_granted;
	c->sndbuf_granted = f.sndbuf_granted;
	return 0;
}

static int
spawn(void *ctx, const struct pace_birth *b)
{
	struct runner *r = calloc(1, sizeof(*r));
	pthread_t thread;
	int rc;

	if (r == NULL)
		return -ENOMEM;
	r->serve = ctx;
	r->birth = *b;
	if (r->serve->cfg.watches != NULL)
		r->birth.cfg.watch = &r->serve->cfg.watches[b->slot];
	r->birth.cfg.threads = r->serve->cfg.threads;
	r->birth.cfg.tcp = r->serve->cfg.tcp;
	r->sock.fd = -1;
	r->socks[0] = &r->sock;
	r->n = 1;
	r->began_ns = pace_clock_raw();
	rc = open_session_socket(r);
	if (rc == 0) {
		r->session = pace_session_new(&r->birth.cfg);
		r->serve->runners[b->slot] = r;	/* only this thread hands over flows */
		rc = r->session == NULL ? -ENOMEM : pace_thread_start(&thread, run_session, r);
	}
	if (rc < 0)
		r->serve->runners[b->slot] = NULL;
	if (rc == 0)
		pthread_detach(thread);
	else
		free_runner(r);
	return rc;
}

/* The description for a light session's client: many share one, so that the listener is not delayed
 * by each. */
static struct pace_host_text *
light_host(void *ctx, const struct pace_session_cfg *c, const struct pace_addr *local)
{
	struct pace_serve *s = ctx;
	char route[sizeof(s->facts_of)] = "";
	struct pace_host *h;

	if (s->cfg.private || !c->terms.limits.host_facts)
		return NULL;
	pace_route_to(&c->peer, local, s->counting.root, route);
	if (s->light_text == NULL || pace_clock_raw() - s->light_text_ns > TEXT_NS ||
	    strcmp(route, s->light_text_of) != 0) {
		h = malloc(sizeof(*h));
		if (h == NULL)
			return NULL;
		pace_host_text_drop(s->light_text);
		read_facts(s, route, h);
		s->light_text = pace_host_text_new(h);
		s->light_text_ns = pace_clock_raw();
		snprintf(s->light_text_of, sizeof(s->light_text_of), "%s", route);
		free(h);
	}
	if (s->light_text != NULL)
		s->light_text->users++;
	return s->light_text;
}

int
pace_serve_open(struct pace_serve *s, const struct pace_serve_cfg *cfg,
    struct pace_err *err)
{
	struct pace_sock_cfg sock = { .local = cfg->bind, .share_port = true,
	    .first_of_port = true, .passed = cfg->passed, .headers = cfg->max_light > 0,
	    .rcvbuf_bytes = cfg->max_light > 0 ? LIGHT_RCVBUF : 1 << 20 };
	int rc;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	if (cfg->reload != NULL)
		pace_hup_catch();
	rc = pace_responder_init(&s->responder, cfg->max_sessions, cfg->max_light);
	if (rc < 0) {
		pace_responder_free(&s->responder);
		return pace_fail(err, -rc, "start");
	}
	rc = pace_sock_open(&s->sock, &sock, err);
	if (rc < 0) {
		pace_responder_free(&s->responder);
		return rc;
	}
	s->port = pace_sock_local(&s->sock).port;
	s->guard_ns = pace_clock_guard();
	s->warm = pace_warm_open();
	s->responder.io = pace_sock_io(&s->sock);
	s->responder.lights.host = light_host;
	s->responder.lights.host_ctx = s;
	s->responder.shared.max_records = cfg->max_records;
	s->responder.shared.rules = cfg->rules;
	s->responder.shared.observer = cfg->observer;
	s->responder.shared.tap = cfg->tap;
	s->responder.shared.lacks_pcap = pace_pcap_lacks() != NULL;
	s->responder.reflector = cfg->reflect != NULL ? cfg->reflect->reflector : NULL;
	s->responder.spawn = spawn;
	s->responder.join = join_session;
	s->responder.spawn_ctx = s;
	pthread_mutex_init(&s->facts_lock, NULL);
	pthread_mutex_init(&s->runners_lock, NULL);
	s->counting.hide = true;
	s->counting.root = pace_root_default();
	return 0;
}

static bool
is_over(struct pace_serve *s)
{
	uint64_t ended;

	return (s->cfg.stop != NULL && *s->cfg.stop) || (s->cfg.once &&
	    pace_responder_active(&s->responder, &ended) == 0 && ended > 0);
}

/* Post the host's counters while a permitted client wants them.  In the listener's thread this
 * delays no frame. */
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

/* True while light sessions send much.  To wake for each of their frames would cost more than to
 * read it, and the kernel has stamped it on arrival. */
static bool
is_busy(struct pace_serve *s, int64_t now)
{
	uint64_t n = s->responder.lights.counts.datagrams;

	if (now - s->busy_ns >= BUSY_NS) {
		s->busy = n - s->busy_then >= BUSY_LEAST && now - s->busy_ns < 2 * BUSY_NS;
		s->busy_then = n;
		s->busy_ns = now;
	}
	return s->busy;
}

static void
turn(struct pace_serve *s, int64_t wait_ns)
{
	struct pace_io *io = &s->responder.io;
	int n = pace_responder_step(&s->responder);
	int64_t now = pace_clock_raw();

	if (is_busy(s, now) && n < PACE_RESPONDER_BATCH)
		(void)pace_clock_wait_until(now + REST_NS, 0, NULL, NULL);
	else if (n <= 0)
		(void)io->wait(io->ctx, now + wait_ns);
	look_at_host(s);
	if (s->cfg.look != NULL)
		s->cfg.look(s->cfg.look_ctx, &s->responder);
}

static void
reload(struct pace_serve *s)
{
	pace_hup = 0;			/* a new SIGHUP from here on counts */
	if (s->cfg.notify != NULL)
		pace_notify_reloading(s->cfg.notify);
	if (s->cfg.reload != NULL)
		s->cfg.reload(s->cfg.reload_ctx);
	if (s->cfg.notify != NULL)
		pace_notify_ready(s->cfg.notify);
}

/* A session that sends frames may be on this core: do not disturb it.  Signals and clients end the
 * wait. */
static int64_t
next_look_ns(struct pace_serve *s)
{
	struct pace_shared *shared = &s->responder.shared;

	return atomic_load_explicit(&shared->sending, memory_order_relaxed) > 0 &&
	    !pace_host_counters_wanted(&shared->sums, pace_clock_raw()) ? QUIET_NS : LOOK_NS;
}

void
pace_serve_run(struct pace_serve *s)
{
	int64_t end;
	uint64_t ended;

	/* not earlier: it has a thread, and reads with the rights of the final user */
	s->counting.meter = pace_meter_new(s->counting.root);
	if (s->cfg.notify != NULL)
		pace_notify_ready(s->cfg.notify);
	while (!is_over(s)) {
		if (s->cfg.notify != NULL)
			pace_notify_alive(s->cfg.notify);
		if (pace_hup)
			reload(s);
		turn(s, next_look_ns(s));
	}
	if (s->cfg.notify != NULL)
		pace_notify_stopping(s->cfg.notify);
	/* Sessions end by themselves; new clients are refused with the reason. */
	end = pace_clock_raw() + PARTING_NS;
	pace_responder_close(&s->responder, end);
	atomic_store_explicit(&s->parting_ns, end, memory_order_relaxed);
	while (pace_responder_active(&s->responder, &ended) > 0 &&
	    pace_clock_raw() < end + THREAD_NS)
		turn(s, LOOK_NS / 10);
	pace_lights_done(&s->responder.lights);	/* as long as there is an observer */
}

bool
pace_serve_close(struct pace_serve *s)
{
	uint64_t ended;

	pace_sock_close(&s->sock);
	if (pace_places_active(&s->responder.places, &ended) > 0)
		return false;
	pace_responder_free(&s->responder);
	pace_warm_close(s->warm);
	s->warm = NULL;
	pace_host_text_drop(s->light_text);
	pace_meter_free(s->counting.meter);
	s->counting.meter = NULL;
	return true;
}
