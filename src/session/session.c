/*
 * Life of a session: open -> (start -> running -> draining -> ready, or
 * start -> pinging)* -> closed.  A START with the next run number begins a run from any state; the
 * run that was there is forgotten.  While frames come fast nobody is woken
 * for each: the socket is emptied by the clock, the kernel's
 * stamps do not need a quick reader.
 */
#include "config.h"

#include "session/session_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/schedule.h"
#include "doc/host_doc.h"

#define ROUNDS		64			/* batches a step */
#define DRAIN_NS	INT64_C(200000)
#define DRAIN_MIN_NS	INT64_C(20000)	/* never spin unasked */
#define RARE_NS		INT64_C(100000)		/* frames further apart wake us */
#define QUIET_NS	INT64_C(50000000)	/* no frame for so long: wait for one */
#define PING_QUIET_NS	INT64_C(1000000000)	/* the same for a PING */
#define PING_BATCH	4			/* a spin is quicker with few */
#define PING_FREE	128			/* bytes; larger ones need the lease */
#define TICK_NS		INT64_C(1000000000)
#define FRAME_CHARGE	2304			/* kernel's charge for a frame of 1472 B */

int
pace_hello_reply(const struct pace_gate *g, const struct pace_addr *peer,
    int64_t now_ns, const uint8_t *buf, size_t len, uint8_t *reply, size_t size)
{
	struct pace_msg_error e = { .code = "version",
	    .text = "this responder speaks udpace protocol 1" };
	struct pace_rd number;
	struct pace_hdr h;
	uint8_t cookie[PACE_COOKIE_SIZE];
	int rc, n;

	rc = pace_hdr_decode(&h, buf, len);
	if (len < PACE_HELLO_SIZE || (rc != 0 && rc != -EPROTONOSUPPORT) ||
	    h.type != PACE_HELLO)
		return 0;
	if (rc == 0) {
		pace_gate_cookie(g, peer, now_ns, cookie);
		h.type |= PACE_REPLY;
		n = pace_msg_put(reply, size, &h, pace_msg_cookie_json(cookie), 0);
	} else {
		h = (struct pace_hdr){ .type = PACE_HELLO | PACE_REPLY };
		number = (struct pace_rd){ .p = buf + 16, .left = 8 };
		h.seq = pace_rd_be(&number, 8);
		n = pace_msg_put(reply, size, &h, pace_msg_error_json(&e), 0);
	}
	return n > 0 && (size_t)n <= len ? n : 0;
}

/* --- opening and closing ------------------------------------------------------ */

/* What this host uses from now on until the first run is what it uses idle. */
static void
begin_idle(struct pace_session *s)
{
	memset(&s->born, 0, sizeof(s->born));
	s->born_ns = s->cfg.io.energy != NULL ? s->cfg.io.energy(s->cfg.io.ctx, &s->born) : 0;
	s->born_grants = pace_lease_grants(&s->cfg.shared->lease, s->cfg.io.now(s->cfg.io.ctx));
	s->has_idle = false;
}

static void
answer_open(struct pace_session *s, uint64_t request)
{
	struct pace_hdr h = { .type = PACE_OPEN, .seq = request };
	struct pace_msg_opened m = { .host_bytes = s->host_size };
	struct pace_usage now;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	m.clock = now.clock;
	pace_session_answer(s, &h, pace_msg_opened_json(&m));
}

static void
on_close(struct pace_session *s, const struct pace_hdr *h, int64_t now)
{
	if (s->state != PACE_CLOSED) {
		s->state = PACE_CLOSED;
		s->end_ns = now + PACE_SESSION_LINGER_NS;
		pace_session_forget(s);
		pace_session_give_up(s);
	}
	pace_session_answer(s, h, NULL);
}

/* --- a client that comes again from the same port ------------------------- */

static void
on_hello(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	pace_session_send(s, pace_hello_reply(&s->cfg.shared->gate, &s->cfg.peer, now, in->buf,
	    in->len < in->size ? in->len : in->size, s->reply, sizeof(s->reply)));
}

static void
on_open(struct pace_session *s, const struct pace_hdr *h, const json_t *body, int64_t now)
{
	struct pace_msg_open m;

	if (pace_msg_open(body, &m) != 0 ||
	    !pace_gate_opens(&s->cfg.shared->gate, &s->cfg.peer, now, m.cookie))
		return;
	if (m.nonce != s->cfg.open.nonce) {
		/* Another client life: the one that was here is gone. */
		pace_session_forget(s);
		pace_session_give_up(s);
		s->cfg.open = m;
		s->id = pace_gate_random();
		s->state = PACE_OPENED;
		s->stream = 0;
		s->runs = 0;
		begin_idle(s);
	}
	s->heard_ns = now;
	if (s->state != PACE_CLOSED)
		answer_open(s, h->seq);
}

/* --- a datagram ------------------------------------------------------------ */

static void
on_ping(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	struct pace_ping p;

	if (s->state == PACE_CLOSED || (!s->leased && in->len > PING_FREE) ||
	    !pace_echo_answer(&s->echo, &s->cfg.io, s->id, h, in))
		return;
	s->heard_ns = now;
	if (s->state == PACE_PINGING)
		s->data_ns = now;
	pace_ping_decode(&p, in->buf);
	if (s->state == PACE_RUNNING)
		pace_receiver_rate(s->receiver, pace_rate_of_ping(p.rate_2p40));
}

static void
foreign(struct pace_session *s)
{
	if (pace_session_streaming(s))
		pace_receiver_foreign(s->receiver);
}

static void
on_control(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	json_t *body = in->len <= in->size ? pace_msg_body(in->buf, in->len) : NULL;

	if (h->type == PACE_OPEN)
		on_open(s, h, body, now);
	else if (h->session != s->id || (s->state == PACE_CLOSED && h->type != PACE_CLOSE))
		foreign(s);
	else if (h->type == PACE_START)
		pace_session_start(s, h, body, now);
	else if (h->type == PACE_FINISH)
		pace_session_finish(s, h, body, now);
	else if (h->type == PACE_FETCH)
		pace_session_fetch(s, h, body);
	else if (h->type == PACE_CLOSE)
		on_close(s, h, now);
	json_decref(body);
}

static void
take(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h;
	int rc;

	if (in->from.family != 0 && !pace_addr_same(&in->from, &s->cfg.peer))
		return;
	if (in->has_drops)
		s->drops = in->drops;
	rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	if (rc == 0 && h.type == PACE_DATA && h.session == s->id &&
	    h.stream == s->stream && pace_session_streaming(s)) {
		pace_receiver_take(s->receiver, &h, in);
		s->heard_ns = s->data_ns = now;
	} else if (rc == 0 && h.type == PACE_PING && h.session == s->id) {
		on_ping(s, &h, in, now);
	} else if (rc == 0 && h.type == PACE_HELLO) {
		on_hello(s, in, now);
	} else if (rc == 0 && h.type != PACE_DATA) {
		if (h.session == s->id)
			s->heard_ns = now;
		on_control(s, &h, in, now);
	} else if (rc == -EPROTONOSUPPORT && h.type == PACE_HELLO) {
		on_hello(s, in, now);
	} else {
		foreign(s);
	}
}

/* Datagrams that came in one piece are taken one by one. */
static void
take_all(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	struct pace_in one = *in;

	if (in->segment == 0 || in->len <= in->segment) {
		take(s, in, now);
		return;
	}
	for (size_t at = 0; at < in->len && at < in->size; at += in->segment) {
		one.buf = in->buf + at;
		one.len = in->len - at < in->segment ? in->len - at : in->segment;
		one.size = in->size - at < one.len ? in->size - at : one.len;
		take(s, &one, now);
	}
}

/* --- stepping -------------------------------------------------------------- */

/* Is a run going on that another client must not disturb? */
static bool
measuring(const struct pace_session *s)
{
	return pace_session_streaming(s) || s->state == PACE_PINGING;
}

static void
keep_house(struct pace_session *s, int64_t now)
{
	if (s->state == PACE_DRAINING && now >= s->end_ns)
		pace_session_result(s);
	if (!s->leased || now - s->renewed_ns < TICK_NS)
		return;
	s->renewed_ns = now;
	if (now - s->heard_ns < PACE_LEASE_NS) {
		/* heard since the last look: the lease goes on from then */
		if (!pace_lease_renew(&s->cfg.shared->lease, s->id, s->heard_ns))
			s->lease_lost = true;
	} else if (!measuring(s)) {
		pace_session_give_up(s);
	}
}

/* How long the socket may fill before it is emptied: an eighth of it. */
static int64_t
drain_interval(const struct pace_session *s)
{
	int64_t spacing = pace_spacing_ns(s->run.ask.spacing);
	int64_t frames = (int64_t)s->cfg.rcvbuf_granted * 2 / FRAME_CHARGE;
	int64_t charge = s->run.ask.size_bytes / 1472 + 1;
	int64_t interval = frames / charge * spacing / 8;

	if (interval < DRAIN_MIN_NS)
		return DRAIN_MIN_NS;
	return interval < DRAIN_NS ? interval : DRAIN_NS;
}

static struct pace_wake
next_wake(const struct pace_session *s, int64_t now)
{
	struct pace_wake w = { .at_ns = now + TICK_NS, .on_data = true };
	int64_t idle_ns = s->heard_ns + PACE_SESSION_IDLE_NS;

	if (s->state == PACE_CLOSED || s->state == PACE_DRAINING)
		w.at_ns = s->end_ns;
	if (idle_ns < w.at_ns)
		w.at_ns = idle_ns;
	w.done = now >= idle_ns || (s->state == PACE_CLOSED && now >= s->end_ns);
	if (s->state == PACE_PINGING && s->run.ask.busy_poll && now - s->data_ns < PING_QUIET_NS) {
		w.at_ns = 0;
		w.on_data = false;
	}
	if (s->state != PACE_RUNNING || now - s->data_ns >= QUIET_NS)
		return w;
	if (s->run.ask.busy_poll) {
		w.at_ns = 0;
		w.on_data = false;
	} else if (pace_spacing_ns(s->run.ask.spacing * s->run.ask.train) < RARE_NS) {
		w.at_ns = now + drain_interval(s);
		w.on_data = false;
	}
	return w;
}

struct pace_wake
pace_session_step(struct pace_session *s)
{
	const struct pace_io *io = &s->cfg.io;
	int64_t now = io->now(io->ctx);
	int n, batch = s->state == PACE_PINGING ? PING_BATCH : PACE_SESSION_BATCH;

	if (!s->answered) {
		begin_idle(s);
		answer_open(s, s->cfg.request);
	}
	s->answered = true;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < batch; i++)
			s->in[i].size = s->wanted;
		n = io->recv(io->ctx, s->in, batch);
		for (int i = 0; i < n; i++)
			take_all(s, &s->in[i], now);
		if (n < batch)
			break;
	}
	if (s->echo.known != s->echo.asked)
		pace_echo_departures(&s->echo, io);
	now = io->now(io->ctx);
	keep_house(s, now);
	return next_wake(s, now);
}

struct pace_session *
pace_session_new(const struct pace_session_cfg *cfg)
{
	struct pace_session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->cfg = *cfg;
	s->room = PACE_FRAME_MAX + 1;
	s->buffers = malloc(PACE_SESSION_BATCH * s->room);
	if (s->buffers == NULL || pace_echo_init(&s->echo) < 0) {
		free(s->buffers);
		free(s);
		return NULL;
	}
	for (int i = 0; i < PACE_SESSION_BATCH; i++)
		s->in[i].buf = s->buffers + (size_t)i * s->room;
	s->wanted = PACE_CONTROL_ROOM;
	s->id = pace_gate_random();
	s->heard_ns = cfg->io.now(cfg->io.ctx);
	(void)pace_session_tell(s, &cfg->shared->host);
	return s;
}

int
pace_session_tell(struct pace_session *s, const struct pace_host *h)
{
	json_t *j = h != NULL ? pace_host_to_json(h) : NULL;

	free(s->host);
	s->host = j != NULL ? json_dumps(j, JSON_COMPACT) : NULL;
	json_decref(j);
	if (s->host != NULL && strlen(s->host) > PACE_HOST_MAX) {
		free(s->host);
		s->host = NULL;
	}
	s->host_size = s->host != NULL ? (uint32_t)strlen(s->host) : 0;
	return s->host != NULL || h == NULL ? 0 : -ENOMEM;
}

void
pace_session_free(struct pace_session *s)
{
	if (s == NULL)
		return;
	pace_session_forget(s);
	pace_session_give_up(s);
	pace_echo_free(&s->echo);
	pace_counters_free(&s->counters);
	free(s->host);
	free(s->buffers);
	free(s);
}

void
pace_session_summary(const struct pace_session *s, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu64 " run%s, %" PRIu64 " frames, %s", s->runs,
	    s->runs == 1 ? "" : "s", s->frames,
	    s->state == PACE_CLOSED ? "closed" : "client gone");
}
