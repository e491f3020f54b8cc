/*
 * Life of a session: open -> (start -> running -> draining -> ready)* ->
 * closed.  A START with the next run number begins a run from any state; the
 * run that was there is forgotten.  While frames come fast nobody is woken
 * for each: the socket is emptied by the clock, the kernel's
 * stamps do not need a quick reader.
 */
#include "config.h"

#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/schedule.h"
#include "doc/receipt_doc.h"
#include "session/receiver.h"

#define BATCH		32
#define ROUNDS		64			/* batches a step */
#define DRAIN_NS	INT64_C(200000)
#define DRAIN_MIN_NS	INT64_C(20000)	/* never spin unasked */
#define RARE_NS		INT64_C(100000)		/* frames further apart wake us */
#define QUIET_NS	INT64_C(50000000)	/* no frame for so long: wait for one */
#define TICK_NS		INT64_C(1000000000)
#define RUN_ROOM	1024			/* any control message of a run fits */
#define FRAME_CHARGE	2304			/* kernel's charge for a frame of 1472 B */
#define COALESCE_MAX	2048			/* bytes; larger frames cost more to copy than to take one by one */

enum state { OPENED, RUNNING, DRAINING, READY, CLOSED };

struct pace_session {
	struct pace_session_cfg cfg;
	uint64_t	id;
	enum state	state;
	int64_t		heard_ns;	/* last valid frame of the client */
	int64_t		data_ns;	/* last frame of the run */
	bool		answered;	/* the OPEN */
	bool		lease_lost;	/* in mid run */
	struct pace_usage usage;	/* when the run began */
	int64_t		renewed_ns;	/* lease */
	int64_t		end_ns;		/* DRAINING: of the grace time; CLOSED: of lingering */
	uint8_t		stream;		/* current run, 0: none yet */
	struct pace_msg_start run;
	uint64_t	sent;		/* as FINISH said */
	struct pace_receiver *receiver;	/* while we hold the lease */
	uint32_t	drops;		/* newest count seen beside a frame */
	char		*result;	/* READY: JSON text */
	uint32_t	result_size;
	uint64_t	runs, frames;
	size_t		room;		/* of one buffer */
	size_t		wanted;		/* of it, from the next batch on */
	struct pace_in	in[BATCH];
	uint8_t		*buffers;
	uint8_t		reply[PACE_CONTROL_ROOM];
};

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

/* --- answers -------------------------------------------------------------- */

static void
send_reply(struct pace_session *s, int len)
{
	struct pace_out out = { .buf = s->reply, .len = (size_t)len };

	/* What does not leave now is asked for again. */
	if (len > 0)
		(void)s->cfg.io.send(s->cfg.io.ctx, &out, 1);
}

/* Reply to a request; body is released. */
static void
answer(struct pace_session *s, const struct pace_hdr *request, json_t *body)
{
	struct pace_hdr h = *request;

	h.type |= PACE_REPLY;
	h.session = s->id;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	send_reply(s, pace_msg_put(s->reply, sizeof(s->reply), &h, body, 0));
}

static void
refuse(struct pace_session *s, const struct pace_hdr *request, const char *code,
    const char *text)
{
	struct pace_msg_error e = { .wait_ns = 0 };

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	answer(s, request, pace_msg_error_json(&e));
}

static void
answer_open(struct pace_session *s, uint64_t request)
{
	struct pace_hdr h = { .type = PACE_OPEN, .seq = request };

	answer(s, &h, pace_msg_opened_json(&s->cfg.shared->host));
}

/* --- runs ------------------------------------------------------------------ */

static void
forget_run(struct pace_session *s)
{
	free(s->result);
	s->result = NULL;
	s->result_size = 0;
}

static void
give_up_lease(struct pace_session *s)
{
	pace_lease_release(&s->cfg.shared->lease, s->id);
	pace_receiver_free(s->receiver);
	s->receiver = NULL;
}

static uint32_t
drops_now(struct pace_session *s)
{
	uint32_t drops = s->cfg.io.drops(s->cfg.io.ctx);

	return drops != 0 ? drops : s->drops;
}

static void
begin_run(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	bool whole;			/* trains come in one piece */

	forget_run(s);
	s->run = *m;
	s->stream = h->stream;
	s->state = RUNNING;
	s->runs++;
	whole = m->ask.train > 1 && m->ask.size_bytes <= COALESCE_MAX;
	s->cfg.io.coalesce(s->cfg.io.ctx, whole);
	/* The kernel copies no more than what will be looked at. */
	s->wanted = m->ask.verify || whole ? s->room : RUN_ROOM;
	s->lease_lost = false;
	s->data_ns = s->heard_ns;
	s->cfg.io.usage(s->cfg.io.ctx, &s->usage);
	pace_receiver_start(s->receiver, m, drops_now(s), whole);
}

static void
on_start(struct pace_session *s, const struct pace_hdr *h, const json_t *body, int64_t now)
{
	struct pace_msg_start m;
	struct pace_msg_error who;

	if (h->stream == s->stream && s->runs > 0) {
		answer(s, h, NULL);	/* repeated: it has begun */
		return;
	}
	if (h->stream != (uint8_t)(s->stream + 1))
		return;			/* an old one, late */
	if (pace_msg_start(body, &m) != 0) {
		refuse(s, h, "request", "START was not understood");
		return;
	}
	if (pace_lease_take(&s->cfg.shared->lease, s->id, now, m.at_most_ns,
	    s->cfg.open.label, &who) != 0) {
		answer(s, h, pace_msg_error_json(&who));
		return;
	}
	s->renewed_ns = now;
	if (s->receiver == NULL && (s->receiver = pace_receiver_new()) == NULL) {
		give_up_lease(s);
		refuse(s, h, "memory", "the responder is out of memory");
		return;
	}
	begin_run(s, h, &m);
	answer(s, h, NULL);
}

static void
make_result(struct pace_session *s)
{
	struct pace_receipt *rx = pace_receiver_finish(s->receiver, s->sent, drops_now(s));
	struct pace_usage now;
	json_t *j;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	rx->clock_steps = now.clock_steps - s->usage.clock_steps;
	rx->bad_checksums = now.bad_checksums - s->usage.bad_checksums;
	rx->lease_lost = s->lease_lost;
	rx->rcvbuf_asked = s->cfg.open.rcvbuf_bytes;
	rx->rcvbuf_granted = s->cfg.rcvbuf_granted;
	j = pace_receipt_to_json(rx, s->run.ask.verify);
	s->result = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(j);
	s->result_size = s->result != NULL ? (uint32_t)strlen(s->result) : 0;
	s->frames += rx->frames;
	s->state = READY;
}

static void
on_finish(struct pace_session *s, const struct pace_hdr *h, const json_t *body, int64_t now)
{
	struct pace_msg_ready m = { .ready = false };
	uint64_t sent;

	if (h->stream != s->stream || s->runs == 0 || s->state == OPENED ||
	    pace_msg_finish(body, &sent) != 0 || sent > s->run.limit) {
		refuse(s, h, "request", "FINISH of a run that is not there");
		return;
	}
	if (s->state == RUNNING) {
		s->sent = sent;
		s->state = DRAINING;
		s->end_ns = now + s->run.ask.grace_ns;
		/* Nothing is missing: only copies can still come. */
		if (pace_receiver_complete(s->receiver, sent))
			s->end_ns = now + s->run.ask.grace_ns / 5;
	}
	if (s->state == DRAINING && now >= s->end_ns)
		make_result(s);
	m.ready = s->state == READY;
	m.wait_ns = m.ready ? 0 : s->end_ns - now;
	m.size = s->result_size;
	if (m.ready && m.size == 0)
		refuse(s, h, "memory", "the responder is out of memory");
	else
		answer(s, h, pace_msg_ready_json(&m));
}

static void
on_fetch(struct pace_session *s, const struct pace_hdr *request, const json_t *body)
{
	struct pace_hdr h = *request;
	struct pace_wr w = { .p = s->reply + PACE_HDR_SIZE, .left = 8 };
	uint32_t offset, n;

	if (s->state != READY || h.stream != s->stream || s->result == NULL ||
	    pace_msg_fetch(body, &offset) != 0 || offset >= s->result_size) {
		refuse(s, request, "request", "FETCH of bytes that are not there");
		return;
	}
	n = s->result_size - offset < PACE_CHUNK_MAX ? s->result_size - offset : PACE_CHUNK_MAX;
	h.type |= PACE_REPLY;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_hdr_encode(s->reply, sizeof(s->reply), &h);
	pace_wr_be(&w, offset, 4);
	pace_wr_be(&w, s->result_size, 4);
	memcpy(s->reply + PACE_HDR_SIZE + 8, s->result + offset, n);
	send_reply(s, (int)(PACE_HDR_SIZE + 8 + n));
}

static void
on_close(struct pace_session *s, const struct pace_hdr *h, int64_t now)
{
	if (s->state != CLOSED) {
		s->state = CLOSED;
		s->end_ns = now + PACE_SESSION_LINGER_NS;
		forget_run(s);
		give_up_lease(s);
	}
	answer(s, h, NULL);
}

/* --- a client that comes again from the same port ------------------------- */

static void
on_hello(struct pace_session *s, const struct pace_in *in, int64_t now)
{
	send_reply(s, pace_hello_reply(&s->cfg.shared->gate, &s->cfg.peer, now, in->buf,
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
		forget_run(s);
		give_up_lease(s);
		s->cfg.open = m;
		s->id = pace_gate_random();
		s->state = OPENED;
		s->stream = 0;
		s->runs = 0;
	}
	s->heard_ns = now;
	if (s->state != CLOSED)
		answer_open(s, h->seq);
}

/* --- a datagram ------------------------------------------------------------ */

static bool
streaming(const struct pace_session *s)
{
	return s->state == RUNNING || s->state == DRAINING;
}

static void
foreign(struct pace_session *s)
{
	if (streaming(s))
		pace_receiver_foreign(s->receiver);
}

static void
on_control(struct pace_session *s, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	json_t *body = in->len <= in->size ? pace_msg_body(in->buf, in->len) : NULL;

	if (h->type == PACE_OPEN)
		on_open(s, h, body, now);
	else if (h->session != s->id || (s->state == CLOSED && h->type != PACE_CLOSE))
		foreign(s);
	else if (h->type == PACE_START)
		on_start(s, h, body, now);
	else if (h->type == PACE_FINISH)
		on_finish(s, h, body, now);
	else if (h->type == PACE_FETCH)
		on_fetch(s, h, body);
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
	    h.stream == s->stream && streaming(s)) {
		pace_receiver_take(s->receiver, &h, in);
		s->heard_ns = s->data_ns = now;
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

	if (in->segment == 0 || in->len <= in->segment || in->len > in->size) {
		take(s, in, now);
		return;
	}
	for (size_t at = 0; at < in->len; at += in->segment) {
		one.buf = in->buf + at;
		one.size = one.len = in->len - at < in->segment ? in->len - at : in->segment;
		take(s, &one, now);
	}
}

/* --- stepping -------------------------------------------------------------- */

static void
keep_house(struct pace_session *s, int64_t now)
{
	if (s->state == DRAINING && now >= s->end_ns)
		make_result(s);
	if (s->receiver == NULL || now - s->renewed_ns < TICK_NS)
		return;
	s->renewed_ns = now;
	if (now - s->heard_ns < PACE_LEASE_NS) {
		/* heard since the last look: the lease goes on from then */
		if (!pace_lease_renew(&s->cfg.shared->lease, s->id, s->heard_ns) && streaming(s))
			s->lease_lost = true;
	} else if (!streaming(s)) {
		give_up_lease(s);
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

	if (s->state == CLOSED || s->state == DRAINING)
		w.at_ns = s->end_ns;
	if (idle_ns < w.at_ns)
		w.at_ns = idle_ns;
	w.done = now >= idle_ns || (s->state == CLOSED && now >= s->end_ns);
	if (s->state != RUNNING || now - s->data_ns >= QUIET_NS)
		return w;
	if (s->run.ask.busy_poll) {
		w.at_ns = now;
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
	int n;

	if (!s->answered)
		answer_open(s, s->cfg.request);
	s->answered = true;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < BATCH; i++)
			s->in[i].size = s->wanted;
		n = io->recv(io->ctx, s->in, BATCH);
		for (int i = 0; i < n; i++)
			take_all(s, &s->in[i], now);
		if (n < BATCH)
			break;
	}
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
	s->buffers = malloc(BATCH * s->room);
	if (s->buffers == NULL) {
		free(s);
		return NULL;
	}
	for (int i = 0; i < BATCH; i++)
		s->in[i].buf = s->buffers + (size_t)i * s->room;
	s->wanted = PACE_CONTROL_ROOM;
	s->id = pace_gate_random();
	s->heard_ns = cfg->io.now(cfg->io.ctx);
	return s;
}

void
pace_session_free(struct pace_session *s)
{
	if (s == NULL)
		return;
	forget_run(s);
	give_up_lease(s);
	free(s->buffers);
	free(s);
}

void
pace_session_summary(const struct pace_session *s, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu64 " run%s, %" PRIu64 " frames, %s", s->runs,
	    s->runs == 1 ? "" : "s", s->frames,
	    s->state == CLOSED ? "closed" : "client gone");
}
