/*
 * The whole responder on an in-memory network and a virtual clock.  The
 * input is a list of records:
 *
 *   1  where   bits 0-1 the peer; bit 2 to a socket that is not the one the
 *              kernel would choose; bits 5-7 what: see enum what
 *   1  how     bits, see below
 *   2  length  of the bytes that follow
 *   n  bytes
 *   1  step    time that passes then
 *
 * Promises: one reply a request at most, none to what is not addressed to
 * who answers, none larger than its request before the cookie came back nor
 * ever to a PING, whose reply has the very times that the kernel told, a
 * bounded number of sessions, no session that wants to be stepped again
 * without time passing, all of them gone a while after the last datagram,
 * and a result and records that an honest client accepts, whatever frames
 * came.
 */
#include <errno.h>

#include "core/payload.h"
#include "doc/receipt_doc.h"
#include "fuzz.h"
#include "mutate_datagrams.h"
#include "repair.h"
#include "session/responder.h"

#define PEERS		4
#define SESSIONS	3		/* one less: full is reached */
#define QUEUE		40		/* more than a batch */
#define STEPS		64		/* of sessions in one time step */
#define FRAMES_MAX	48		/* of one record */
#define LARGE		9000		/* more than a buffer of the listener */
#define RECORDS		48		/* a run may have kept */
#define LEFT		256		/* departures remembered */
#define SECOND_NS	INT64_C(1000000000)

enum what { DATAGRAM, DATAGRAM_TOO, FRAMES, COLLECT, TROUBLE, PASS, ASK_TIMES };

/* how, of a datagram: what is put right */
#define HEADER		1		/* magic, version, flags, check */
#define SESSION		2		/* the number of the peer's session */
#define STREAM		4		/* its current run */
#define NEXT_STREAM	8		/* the run after that */
#define COOKIE		16		/* in the JSON of the body */
#define PADDED		32		/* to the size of a HELLO */
#define HUGE_ONE	64		/* padded to LARGE */
#define HOLD		128		/* nothing is read before the next one */
/* how, of frames */
#define DAMAGED		1
#define ODD_SIZE	2
#define USER_STAMP	4
#define EARLY_STAMP	8		/* the kernel's stamp lies before the last one */
#define ABSURD_TIME	16		/* of departure */
/* how, of trouble */
#define NO_SPAWN	1
#define NO_SEND		2
#define DROPS		4
#define NO_DEPARTURES	8		/* their stamps are lost */

struct datagram {
	uint8_t		*buf;
	size_t		len;
	struct pace_addr from;
	int64_t		stamp_ns;
	enum pace_stamp	stamp;
	bool		joins;		/* may be handed over in one piece with its like */
};

/* A PING that may be answered. */
struct asked {
	uint64_t	seq;
	size_t		len, reply_len;
	int64_t		stamp_ns;
	enum pace_stamp	stamp;
	bool		stamp_reply;
};

/* When a reply to one left. */
struct left {
	uint64_t	seq;
	int64_t		at_ns;
};

/* A socket: the listener's or a session's. */
struct port {
	int		peer;		/* -1: the listener */
	int		slot;
	struct pace_session *session;	/* NULL: closed */
	struct pace_wake wake;
	struct datagram	queue[QUEUE];
	int		queued;
	uint32_t	drops;
	bool		joins;		/* what arrives now */
	bool		fresh;		/* has not answered the OPEN that made it */
	int		allowed, replies;	/* in this step */
	struct pace_addr asked_by;	/* listener: the one request of this step */
	size_t		asked_len;
	struct asked	asked[QUEUE];	/* in this step */
	int		asks;
	struct left	left[LEFT];	/* newest departures, by their numbers */
	uint32_t	departed, told;
	uint64_t	pinged;		/* above all numbers that were answered */
};

/* What the client at an address knows. */
struct client {
	struct pace_addr addr;
	uint64_t	session;
	uint8_t		stream;
	bool		has_run;
	struct pace_msg_start run, offer;	/* offer: of a START not answered yet */
	int		offers;		/* in this step */
	uint64_t	next;		/* frame */
	uint64_t	request, pings;
	bool		finished;	/* this run */
	bool		odd_finish;	/* more than one FINISH was sent: who knows which one counts */
	size_t		reply_len;
	uint8_t		reply[PACE_CONTROL_ROOM];
};

static struct {
	int64_t		now;
	unsigned	trouble;
	struct pace_responder responder;
	uint64_t	replaced;	/* sessions that made way for their client's next one */
	struct port	listener, ports[SESSIONS];
	struct client	clients[PEERS];
	int		tapped;		/* runs that are captured */
} w;

static const struct pace_addr here = { .family = 4, .port = 14233, .ip = { 10, 0, 0, 1 } };

static void
pass_until(int64_t t_ns)
{
	MUST(t_ns >= w.now);
	w.now = t_ns;
}

/* --- the io of a port ------------------------------------------------------- */

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return w.now;
}

static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	(void)ctx, (void)t_ns, (void)st;
	fuzz_broken("a responder never blocks", __FILE__, __LINE__);
	return 0;
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	return (int)io_sleep_until(ctx, until_ns, NULL);
}

static uint32_t
io_drops(void *ctx)
{
	return ((struct port *)ctx)->drops;
}

/* The client learns from what it is sent, as far as it is a session's. */
static void
learn(struct client *c, const struct pace_out *out)
{
	struct pace_hdr h;
	struct pace_msg_error e;
	json_t *body = pace_msg_body(out->buf, out->len);

	MUST(pace_hdr_decode(&h, out->buf, out->len) == 0);
	memcpy(c->reply, out->buf, out->len);
	c->reply_len = out->len;
	if (h.type == (PACE_OPEN | PACE_REPLY)) {
		if (h.session != c->session)
			c->stream = 0, c->has_run = false;
		c->session = h.session;
	} else if (h.type == (PACE_START | PACE_REPLY) && h.stream != c->stream &&
	    !pace_msg_is_error(body, &e)) {
		c->has_run = c->offers == 1 && h.stream == (uint8_t)(c->stream + 1);
		c->stream = h.stream;
		c->run = c->offer;
		c->finished = false;
		c->next = 0;
	}
	json_decref(body);
}

/* --- times ------------------------------------------------------------------- */

static int64_t
io_wall(void *ctx)
{
	(void)ctx;
	return INT64_C(1795000000) * SECOND_NS;
}

/* Is this the departure of that reply? */
static bool
has_left(const struct port *p, uint64_t seq, int64_t at_ns)
{
	for (int i = 0; i < LEFT; i++)
		if (p->left[i].at_ns == at_ns && p->left[i].seq == seq)
			return true;
	return false;
}

static void
check_times(struct port *p, const struct pace_hdr *h, const struct pace_out *out)
{
	struct pace_ping body;
	int i = 0;

	MUST(p->peer >= 0 && out->to.family == 0 && h->session == w.clients[p->peer].session);
	MUST(h->tx_ns == w.now);
	pace_ping_decode(&body, out->buf);
	while (i < p->asks && (p->asked[i].seq != h->seq || p->asked[i].reply_len != out->len ||
	    p->asked[i].stamp_ns != body.arrival_ns || p->asked[i].stamp != body.stamp))
		i++;
	MUST(i < p->asks);		/* one was asked for that is just so */
	/* of the first answer to a number */
	MUST(out->len <= p->asked[i].len &&
	    out->stamp == (p->asked[i].stamp_reply && h->seq >= p->pinged));
	p->pinged = h->seq >= p->pinged ? h->seq + 1 : p->pinged;
	p->asked[i] = p->asked[--p->asks];
	MUST(body.wall_ns == io_wall(NULL));
	MUST(body.back == 0 || has_left(p, h->seq - body.back, body.departure_ns));
}

/* Numbers of departures are used up by refused ones too, now and then. */
static void
note_left(struct port *p, uint64_t seq)
{
	bool refused = (w.trouble & NO_SEND) != 0;

	if (refused && seq % 2 == 0)
		return;
	p->left[p->departed++ % LEFT] = (struct left){ seq, w.now + 1 + p->departed % 999 };
	if (refused || p->departed - p->told > LEFT)
		p->told = p->departed;
}

static int
io_departures(void *ctx, struct pace_departure *v, int n)
{
	struct port *p = ctx;
	int got = 0;

	if (w.trouble & NO_DEPARTURES)
		p->told = p->departed;
	for (; got < n && p->told != p->departed; got++, p->told++)
		v[got] = (struct pace_departure){ .n = p->told,
		    .stamp_ns = p->left[p->told % LEFT].at_ns };
	return got;
}

static void
io_renumber(void *ctx)
{
	struct port *p = ctx;

	p->departed = p->told = 0;
}

static void
check_reply(const struct port *p, const struct pace_hdr *h, const struct pace_out *out)
{
	MUST(out->len <= sizeof(w.clients[0].reply));
	MUST((h->type & PACE_REPLY) != 0);
	if (p->peer < 0)
		MUST(out->len <= p->asked_len && pace_addr_same(&out->to, &p->asked_by) &&
		    pace_addr_same(&out->from, &here));
	else
		MUST(out->to.family == 0);
	if (h->type == (PACE_HELLO | PACE_REPLY))
		MUST(out->len <= PACE_HELLO_SIZE);
	else if (p->peer >= 0 && h->type != (PACE_OPEN | PACE_REPLY))
		MUST(h->session == w.clients[p->peer].session);
}

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	struct port *p = ctx;
	struct pace_hdr h;

	MUST(n == 1 && pace_hdr_decode(&h, v->buf, v->len) == 0);
	if (h.type == (PACE_PING | PACE_REPLY)) {
		check_times(p, &h, v);
		if (v->stamp)
			note_left(p, h.seq);
		return w.trouble & NO_SEND ? -105 : 1;
	}
	check_reply(p, &h, v);
	p->replies++;
	MUST(p->replies <= p->allowed);
	if (p->peer >= 0)
		learn(&w.clients[p->peer], v);
	return w.trouble & NO_SEND ? -105 : 1;
}

/* A START that the session may take: what its run would be. */
static void
note_offer(struct client *c, const struct pace_hdr *h, const struct datagram *d)
{
	json_t *body = pace_msg_body(d->buf, d->len);
	struct pace_msg_start m;

	memset(&m, 0, sizeof(m));
	if (h->session == c->session && pace_msg_start(body, &m) == 0) {
		c->offer = m;
		c->offers++;		/* above 1: who knows which is taken */
	}
	json_decref(body);
}

/* Is it for who sits at this port, so that it may answer? */
static bool
addressed(const struct port *p, const struct datagram *d)
{
	struct pace_hdr h;
	int rc = pace_hdr_decode(&h, d->buf, d->len);

	if (rc != 0)
		return rc == -EPROTONOSUPPORT && h.type == PACE_HELLO;
	if (h.type == PACE_DATA || h.type == PACE_PING || (h.type & PACE_REPLY) != 0)
		return false;
	if (p->peer < 0)
		return true;
	if (!pace_addr_same(&d->from, &w.clients[p->peer].addr))
		return false;
	if (h.type == PACE_START)
		note_offer(&w.clients[p->peer], &h, d);
	return h.type == PACE_HELLO || h.type == PACE_OPEN ||
	    h.session == w.clients[p->peer].session;
}

/* A PING that this session may answer, though it need not. */
static void
note_asked(struct port *p, const struct datagram *d)
{
	struct pace_ping body;
	struct pace_hdr h;

	if (p->peer < 0 || !pace_addr_same(&d->from, &w.clients[p->peer].addr) ||
	    pace_hdr_decode(&h, d->buf, d->len) != 0 || h.type != PACE_PING ||
	    h.session != w.clients[p->peer].session)
		return;
	pace_ping_decode(&body, d->buf);
	if (body.reply_bytes < PACE_PING_SIZE || body.reply_bytes > d->len)
		return;
	MUST(p->asks < QUEUE);
	p->asked[p->asks++] = (struct asked){ .seq = h.seq, .len = d->len,
	    .reply_len = body.reply_bytes, .stamp_ns = d->stamp_ns, .stamp = d->stamp,
	    .stamp_reply = body.stamp_reply };
}

/* How many of the queue, n at least 1, come in one piece: of the same length,
 * the last one perhaps shorter. */
static int
piece_of(const struct datagram *d, int n, size_t room)
{
	size_t all = d->len;
	int k = 1;

	while (d[0].joins && d[0].len > 0 && k < n && d[k].joins && d[k].len <= d[0].len &&
	    d[k - 1].len == d[0].len && all + d[k].len <= room &&
	    pace_addr_same(&d[k].from, &d[0].from))
		all += d[k++].len;
	return k;
}

/* Copy, as far as there is room; what was not filled is hidden. */
static void
fill(struct pace_in *in, size_t room, const struct datagram *d, int n)
{
	size_t at = 0;

	MUST(in->size <= room);
	FUZZ_SHOW(in->buf, room);
	in->len = 0;
	for (int i = 0; i < n; i++) {
		size_t left = in->size - at, part = d[i].len < left ? d[i].len : left;

		memcpy(in->buf + at, d[i].buf, part);
		at += part;
		in->len += d[i].len;
	}
	FUZZ_HIDE(in->buf + at, room - at);
	in->segment = n > 1 ? d[0].len : 0;
}

/* How many datagrams of the queue were handed over. */
static int
hand_over(struct pace_in *in, size_t room, struct datagram *d, int queued, uint32_t drops)
{
	int n = piece_of(d, queued, room);

	for (int i = 1; i < n; i++) {	/* one stamp for all */
		d[i].stamp_ns = d->stamp_ns;
		d[i].stamp = d->stamp;
	}
	fill(in, room, d, n);
	in->stamp_ns = d->stamp_ns;
	in->stamp = d->stamp;
	in->has_drops = true;
	in->drops = drops;
	in->from = d->from;
	in->local = here;
	return n;
}

/* To the listener one at a time: so each reply has one request. */
static int
io_recv(void *ctx, struct pace_in *v, int n)
{
	struct port *p = ctx;
	size_t room = (size_t)(v[1].buf - v[0].buf);	/* they lie side by side */
	int taken = 0, got = 0;

	MUST(n > 1);
	if (p->peer < 0)
		n = 1;
	for (; got < n && taken < p->queued; got++)
		taken += hand_over(&v[got], room, &p->queue[taken], p->queued - taken, p->drops);
	for (int i = 0; i < taken; i++) {
		p->allowed += addressed(p, &p->queue[i]);
		note_asked(p, &p->queue[i]);
		p->asked_len = p->queue[i].len;
		p->asked_by = p->queue[i].from;
		free(p->queue[i].buf);
	}
	p->queued -= taken;
	memmove(p->queue, p->queue + taken, (size_t)p->queued * sizeof(p->queue[0]));
	return got;
}

static void
io_coalesce(void *ctx, bool on)
{
	((struct port *)ctx)->joins = on;
}

static void
io_usage(void *ctx, struct pace_usage *u)
{
	(void)ctx;
	memset(u, 0, sizeof(*u));
	u->clock = (struct pace_clock_state){ .known = w.now % 2 == 0, .synchronised = true,
	    .error_ns = 1200, .error_max_ns = 90000, .frequency_ppm = -12.25 };
}

static struct pace_io
io_of(struct port *p)
{
	return (struct pace_io){ .ctx = p, .send = io_send, .recv = io_recv, .now = io_now,
	    .sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	    .coalesce = io_coalesce, .usage = io_usage, .wall = io_wall,
	    .departures = io_departures, .renumber = io_renumber };
}

/* --- the runner: births, steps, deaths -------------------------------------- */

static struct port *
port_of(int peer)
{
	for (int i = 0; i < SESSIONS; i++)
		if (w.ports[i].session != NULL && (peer < 0 || w.ports[i].peer == peer))
			return &w.ports[i];
	return NULL;
}

/* A cookie of now or of half a minute ago. */
static bool
proven(const struct pace_session_cfg *cfg)
{
	return pace_gate_opens(&w.responder.shared.gate, &cfg->peer, 0, w.now, cfg->open.cookie);
}

/* --- a capture that sees nothing, of few at once ------------------------------------------ */

static enum pace_tap_said
tap_begin(void *ctx, const struct pace_tap_ask *a, struct pace_tapped **t)
{
	MUST(ctx == &w && a->size_bytes >= PACE_HDR_SIZE && a->limit > 0 && a->train > 0);
	if (w.tapped == 1)
		return PACE_CAPTURE_ROOM;
	w.tapped++;
	*t = malloc(1);
	MUST(*t != NULL);
	return PACE_CAPTURE_GRANTED;
}

static bool
tap_settled(void *ctx, struct pace_tapped *t, uint64_t sent, int64_t since_ns)
{
	(void)ctx; (void)t;
	MUST(since_ns <= w.now);
	return sent % 3 > 0;
}

static void
tap_end(void *ctx, struct pace_tapped *t, struct pace_witness *found, const int64_t *stamps,
    uint64_t n)
{
	static volatile int64_t last;

	MUST(ctx == &w && w.tapped == 1 && (found != NULL || n == 0));
	for (uint64_t i = 0; i < n; i++)
		last = stamps[i];	/* all of them are there */
	(void)last;
	if (found != NULL)
		pace_witness_reset(found);
	w.tapped--;
	free(t);
}

static const struct pace_tap a_tap = { .ctx = &w, .begin = tap_begin, .settled = tap_settled,
	.end = tap_end };

static int
spawn(void *ctx, const struct pace_birth *b)
{
	static const struct pace_host host = { .version = "fuzz" };
	struct pace_session_cfg cfg = b->cfg;
	struct port *p = w.ports;

	(void)ctx;
	MUST(proven(&cfg) && cfg.peer.family != 0);
	if (w.trouble & NO_SPAWN)
		return -EMFILE;
	while (p->session != NULL)
		MUST(++p < w.ports + SESSIONS);
	for (p->peer = 0; !pace_addr_same(&w.clients[p->peer].addr, &cfg.peer); p->peer++)
		MUST(p->peer < PEERS - 1);
	for (int i = 0; i < SESSIONS; i++)	/* an address has one session */
		MUST(&w.ports[i] == p || w.ports[i].session == NULL ||
		    w.ports[i].peer != p->peer);
	p->slot = b->slot;
	p->joins = false;
	p->fresh = true;
	p->departed = p->told = 0;
	cfg.io = io_of(p);
	cfg.rcvbuf_granted = cfg.open.rcvbuf_bytes % (1 << 24);
	p->session = pace_session_new(&cfg);
	if (p->session != NULL && cfg.terms.limits.host_facts)
		(void)pace_session_tell(p->session, &host);
	p->wake = (struct pace_wake){ .at_ns = w.now, .on_data = true };
	return p->session != NULL ? 0 : -ENOMEM;
}

static void
empty_queue(struct port *p)
{
	while (p->queued > 0)
		free(p->queue[--p->queued].buf);
}

static void
bury(struct port *p)
{
	pace_session_free(p->session);
	p->session = NULL;
	empty_queue(p);
	w.replaced += atomic_load(&w.responder.places.slot[p->slot].place.replaced);
	pace_places_free(&w.responder.places, p->slot);
}

static void
step(struct port *p)
{
	p->allowed = p->replies = p->asks = 0;
	if (p->fresh)
		p->allowed = 1;
	p->fresh = false;
	if (p->peer < 0) {
		MUST(pace_responder_step(&w.responder) <= 1);
		return;
	}
	p->wake = pace_session_step(p->session);
	w.clients[p->peer].offers = 0;
	MUST(p->wake.done || !p->wake.on_data || p->wake.at_ns > w.now);
	if (p->wake.done)
		bury(p);
}

static int64_t
due(const struct port *p)
{
	if (p->peer < 0)
		return p->queued > 0 ? w.now : INT64_MAX;
	if (p->session == NULL)
		return INT64_MAX;
	return p->queued > 0 && p->wake.on_data ? w.now : p->wake.at_ns;
}

static struct port *
next_due(void)
{
	struct port *first = &w.listener;

	for (int i = 0; i < SESSIONS; i++)
		if (due(&w.ports[i]) < due(first))
			first = &w.ports[i];
	return first;
}

/* Let time pass; after STEPS steps no more is done before the end of it. */
static void
run_until(int64_t t_ns)
{
	for (int n = 0; n < STEPS && due(next_due()) <= t_ns; n++) {
		struct port *p = next_due();

		if (due(p) > w.now)
			pass_until(due(p));
		step(p);
	}
	pass_until(t_ns);
	for (int i = 0; i < SESSIONS; i++)
		if (due(&w.ports[i]) <= w.now)
			step(&w.ports[i]);
}

/* --- what arrives ------------------------------------------------------------- */

/* buf is the queue's from here on. */
static void
put(struct port *p, const struct datagram *d)
{
	if (p->queued == QUEUE) {
		p->drops++;
		free(d->buf);
		return;
	}
	p->queue[p->queued] = *d;
	p->queue[p->queued++].joins = p->joins;
}

static void
deliver(int peer, bool astray, uint8_t *buf, size_t len, enum pace_stamp stamp,
    int64_t early_ns)
{
	struct datagram d = { .buf = buf, .len = len, .from = w.clients[peer].addr,
	    .stamp = stamp, .stamp_ns = w.now - early_ns };
	struct port *p = port_of(peer);

	if (astray)
		p = p != NULL ? NULL : port_of(-1);
	put(p != NULL ? p : &w.listener, &d);
}

static void
repair_cookie(const struct client *c, uint8_t *buf, size_t len)
{
	static const char before[] = "\"cookie\":\"";
	uint8_t cookie[PACE_COOKIE_SIZE], *at = memmem(buf, len, before, strlen(before));
	char hex[2 * PACE_COOKIE_SIZE + 1];
	size_t head;

	if (at == NULL)
		return;
	head = (size_t)(at - buf) + strlen(before);
	if (len - head < sizeof(hex) - 1)
		return;
	/* A session gives cookies of its own. */
	pace_gate_cookie(&w.responder.shared.gate, &c->addr,
	    port_of((int)(c - w.clients)) != NULL ? c->session : 0, w.now, cookie);
	sodium_bin2hex(hex, sizeof(hex), cookie, sizeof(cookie));
	memcpy(buf + head, hex, sizeof(hex) - 1);
}

static void
repair(const struct client *c, unsigned how, uint8_t *buf, size_t len)
{
	if (how & COOKIE)
		repair_cookie(c, buf, len);
	if (len < PACE_HDR_SIZE)
		return;
	if (how & SESSION)
		repair_be64(buf + 8, c->session);
	if (how & (STREAM | NEXT_STREAM))
		buf[5] = (uint8_t)(c->stream + (how & NEXT_STREAM ? 1 : 0));
	if (how & HEADER)
		repair_header(buf, len);
}

static void
send_datagram(int peer, bool astray, unsigned how, const struct pace_rd *bytes)
{
	size_t len = bytes->left;
	uint8_t *buf;

	if ((how & PADDED) && len < PACE_HELLO_SIZE)
		len = PACE_HELLO_SIZE;
	if ((how & HUGE_ONE) && len < LARGE)
		len = LARGE;
	buf = calloc(1, len > 0 ? len : 1);
	MUST(buf != NULL);
	if (bytes->left > 0)
		memcpy(buf, bytes->p, bytes->left);
	repair(&w.clients[peer], how, buf, len);
	w.clients[peer].odd_finish |= len >= PACE_HDR_SIZE && buf[3] == PACE_FINISH;
	deliver(peer, astray, buf, len, PACE_STAMP_KERNEL, 0);
}

static void
send_frame(int peer, unsigned how, uint64_t seq)
{
	struct client *c = &w.clients[peer];
	struct pace_hdr h = { .type = PACE_DATA, .stream = c->stream, .session = c->session,
	    .seq = seq, .tx_ns = w.now,
	    .late_ns = seq % 5 == 4 ? PACE_LATE_UNKNOWN : (uint32_t)seq * 300 };
	size_t len = c->run.ask.size_bytes + (how & ODD_SIZE ? 1 : 0);
	uint8_t *buf = calloc(1, len);

	MUST(buf != NULL);
	pace_payload_fill(buf + PACE_HDR_SIZE, len - PACE_HDR_SIZE, c->run.seed);
	if (how & ABSURD_TIME)
		h.tx_ns = (int64_t)((uint64_t)repair_random_32() << 32 | repair_random_32());
	MUST(pace_hdr_encode(buf, len, &h) > 0);
	if (how & DAMAGED)
		buf[len - 1] ^= 1;
	deliver(peer, false, buf, len, how & USER_STAMP ? PACE_STAMP_USER : PACE_STAMP_KERNEL,
	    how & EARLY_STAMP ? 1000 : 0);
}

/* A frame for each byte, which says how far from the next number it is. */
static void
send_frames(int peer, unsigned how, struct pace_rd *bytes, int64_t step_ns)
{
	struct client *c = &w.clients[peer];

	for (int i = 0; i < FRAMES_MAX && bytes->left > 0 && c->has_run; i++) {
		int8_t far = (int8_t)pace_rd_be(bytes, 1);

		send_frame(peer, how, c->next + (uint64_t)(int64_t)far * (i % 8 == 7 ? 5000 : 1));
		if (far >= 0)
			c->next += (uint64_t)far + 1;
		run_until(w.now + step_ns);
	}
}

/* Ask for times, five bytes each: 2 the request's length above the least, 2
 * the reply's, 1 the upper byte of the rate. */
static void
ask_times(int peer, unsigned how, struct pace_rd *bytes, int64_t step_ns)
{
	struct client *c = &w.clients[peer];

	for (int i = 0; i < FRAMES_MAX && bytes->left >= 5; i++) {
		struct pace_hdr h = { .type = PACE_PING, .stream = c->stream,
		    .session = c->session, .seq = c->pings++, .tx_ns = w.now };
		size_t len = PACE_PING_SIZE + pace_rd_be(bytes, 2) % (LARGE - PACE_PING_SIZE);
		struct pace_ping body = { .reply_bytes = (uint16_t)pace_rd_be(bytes, 2) };
		uint8_t *buf = calloc(1, len);

		body.rate_2p40 = (int32_t)((uint32_t)pace_rd_be(bytes, 1) << 24);
		body.stamp_reply = len % 8 != 7;
		MUST(buf != NULL && pace_ping_encode(buf, len, &h, &body) == PACE_PING_SIZE);
		deliver(peer, false, buf, len, how & USER_STAMP ? PACE_STAMP_USER :
		    PACE_STAMP_KERNEL, how & EARLY_STAMP ? 1000 : 0);
		if ((how & HOLD) == 0)
			run_until(w.now + step_ns);
	}
}

/* --- an honest client that collects what there is -------------------------------- */

/* Ask the session: the length of its answer's body, 0 when there is none. */
static size_t
ask(int peer, uint8_t type, json_t *body)
{
	struct client *c = &w.clients[peer];
	struct pace_hdr h = { .type = type, .stream = c->stream, .session = c->session,
	    .seq = ++c->request }, reply;
	uint8_t *buf = malloc(PACE_CONTROL_ROOM);
	int len;

	MUST(buf != NULL);
	len = pace_msg_put(buf, PACE_CONTROL_ROOM, &h, body, 160);
	MUST(len > 0);
	c->reply_len = 0;
	deliver(peer, false, buf, (size_t)len, PACE_STAMP_KERNEL, 0);
	run_until(w.now + SECOND_NS / 1000);
	if (c->reply_len == 0 || pace_hdr_decode(&reply, c->reply, c->reply_len) != 0 ||
	    reply.type != (type | PACE_REPLY) || reply.seq != h.seq)
		return 0;
	return c->reply_len - PACE_HDR_SIZE;
}

/* Bytes of the result, 0: there is none. */
static uint32_t
finish(int peer, const struct pace_msg_finish *f)
{
	struct client *c = &w.clients[peer];
	struct pace_msg_ready m;

	c->odd_finish |= c->finished;
	c->finished = true;
	for (int i = 0; i < 3; i++) {
		size_t len = ask(peer, PACE_FINISH, pace_msg_finish_json(f));
		json_t *body = len > 0 ? pace_msg_body(c->reply, c->reply_len) : NULL;
		int rc = pace_msg_ready(body, &m);

		json_decref(body);
		if (rc != 0 || m.ready)
			return rc == 0 ? m.size : 0;
		if (m.wait_ns > 20 * SECOND_NS)
			return 0;
		run_until(w.now + m.wait_ns + 1);
	}
	return 0;
}

/* Of what a FINISH says: 2 bytes, how many more were sent than are known here;
 * then lines, each of 1 when it begins, 1 how long it is, 8 offset, 2 rate. */
static void
read_finish(struct pace_msg_finish *f, const struct client *c, struct pace_rd *r)
{
	int64_t t = w.now - SECOND_NS;

	memset(f, 0, sizeof(*f));
	f->sent = c->next + pace_rd_be(r, 2);
	for (int i = 0; i < PACE_CLOCK_SEGMENTS && r->left >= 12; i++) {
		struct pace_clock_segment *s = &f->theta.v[i];

		s->from_ns = s->line.t_ns = t + repair_step_ns(pace_rd_be(r, 1));
		s->to_ns = t = s->from_ns + repair_step_ns(pace_rd_be(r, 1));
		s->line.offset_ns = (int64_t)pace_rd_be(r, 8) / 8;
		s->line.rate = (int16_t)pace_rd_be(r, 2) * (1e-3 / 32768);
		f->theta.segments++;
	}
}

/* Figures that an honest client would ask for. */
static bool
is_sane(const struct client *c)
{
	const struct pace_msg_start *m = &c->run;

	return c->has_run && m->limit < UINT64_C(1) << 60 && m->ask.lens.width < 1 << 30 &&
	    m->ask.lens.low < 1 << 30 && m->ask.lens.low > -(1 << 30);
}

/* All of the result or of the records: how many bytes came. */
static uint32_t
fetch(int peer, uint8_t *to, uint32_t size, enum pace_part part)
{
	struct client *c = &w.clients[peer];
	uint32_t at = 0;

	while (at < size) {
		const struct pace_msg_fetch m = { .offset = at, .part = part };
		size_t len = ask(peer, PACE_FETCH, pace_msg_fetch_json(&m));
		struct pace_rd r = { .p = c->reply + PACE_HDR_SIZE, .left = len };

		if (len == 0 || repair_get_be64(r.p) != ((uint64_t)at << 32 | size))
			break;
		r.p += 8;
		r.left -= 8;
		MUST(r.left > 0 && r.left <= PACE_CHUNK_MAX && r.left <= size - at);
		memcpy(to + at, r.p, r.left);
		at += (uint32_t)r.left;
	}
	return at;
}

/* What is lost follows from the records too, when none was left out: see
 * record.h. */
static void
check_records(const struct client *c, const struct pace_receipt *rx,
    const struct pace_msg_finish *f, const uint8_t *columns)
{
	uint64_t next = 0, holes = 0, late = 0;
	uint64_t sent = c->odd_finish ? rx->unique + rx->lost : f->sent;

	for (uint64_t i = 0; i < rx->records; i++) {
		struct pace_record rec;

		MUST(pace_record_read(columns, rx->records, i, &rec) == 0);
		MUST(rec.seq >= c->run.ask.record.skip && rec.seq < c->run.limit);
		MUST((rec.flags & PACE_RECORD_STAMP) != PACE_STAMP_NONE);
		holes += pace_record_missing(&rec, &next);
		late += (rec.flags & PACE_RECORD_REORDERED) != 0;
	}
	if (rx->records_missed > 0 || c->run.ask.record.skip > 0)
		return;
	if (sent < next)
		sent = next;
	MUST(rx->lost == holes - late + sent - next);
}

static void
collect_records(int peer, const struct pace_receipt *rx, const struct pace_msg_finish *f)
{
	const struct client *c = &w.clients[peer];
	uint32_t size = (uint32_t)(rx->records * PACE_RECORD_SIZE);
	uint8_t *columns = malloc(size + 1);

	MUST(columns != NULL && rx->records <= c->run.ask.record.room);
	MUST(c->run.ask.record.room <= RECORDS);
	if (c->run.ask.record.room > 0 && fetch(peer, columns, size, PACE_PART_RECORDS) == size)
		check_records(c, rx, f, columns);
	free(columns);
}

/* Its own run's text: what an honest client makes of it. */
static void
check_result(int peer, const struct pace_msg_finish *f, const char *text)
{
	static struct pace_receipt rx;
	static struct pace_counters counters;
	json_t *j = fuzz_parse(text);

	MUST(j != NULL);
	if (is_sane(&w.clients[peer])) {
		MUST(pace_receipt_from_json(&rx, &counters, j, w.clients[peer].run.ask.verify) == 0);
		collect_records(peer, &rx, f);
	}
	json_decref(j);
}

static void
collect(int peer, struct pace_rd *bytes)
{
	struct pace_msg_finish f;
	uint32_t size;
	char *text;

	read_finish(&f, &w.clients[peer], bytes);
	size = finish(peer, &f);
	MUST(size <= PACE_RESULT_MAX);
	text = calloc(1, (size_t)size + 1);
	MUST(text != NULL);
	if (fetch(peer, (uint8_t *)text, size, PACE_PART_RESULT) == size && size > 0)
		check_result(peer, &f, text);
	free(text);
}

/* --- the run ------------------------------------------------------------------------ */

static void
set_up(void)
{
	repair_random();
	memset(&w, 0, sizeof(w));
	w.now = SECOND_NS * 1000;
	MUST(pace_responder_init(&w.responder) == 0);
	w.listener.peer = -1;
	w.responder.io = io_of(&w.listener);
	w.responder.places.max = SESSIONS;
	w.responder.spawn = spawn;
	w.responder.shared.max_records = RECORDS;
	w.responder.shared.tap = &a_tap;
	for (int i = 0; i < PEERS; i++)
		w.clients[i].addr = (struct pace_addr){ .family = i == 3 ? 6 : 4,
		    .port = (uint16_t)(4000 + i % 2), .ip = { 10, 0, 1, (uint8_t)(i / 2) } };
}

/* Everybody falls silent: every session ends by itself. */
static void
wind_up(void)
{
	uint64_t ended;

	w.trouble = 0;
	for (int i = 0; i < 20; i++)
		run_until(w.now + SECOND_NS / 100);
	for (int i = 0; i < 40 && port_of(-1) != NULL; i++)
		run_until(w.now + SECOND_NS);
	MUST(port_of(-1) == NULL && w.listener.queued == 0);
	MUST(pace_places_active(&w.responder.places, &ended) == 0);
	MUST(w.tapped == 0);
	MUST(w.responder.shared.lease.holder == 0);
	MUST(ended + w.replaced >= w.responder.counts.opened);
	pace_responder_free(&w.responder);
}

static void
one_record(struct pace_rd *r)
{
	unsigned where = (unsigned)pace_rd_be(r, 1), how = (unsigned)pace_rd_be(r, 1);
	size_t len = (size_t)pace_rd_be(r, 2);
	struct pace_rd bytes = { .p = r->p, .left = len < r->left ? len : r->left };
	int peer = where % PEERS;
	bool astray = (where & 4) != 0, hold = false;
	int64_t step_ns;

	r->p += bytes.left;
	r->left -= bytes.left;
	step_ns = repair_step_ns(pace_rd_be(r, 1));
	switch ((enum what)(where >> 5)) {
	case FRAMES:
		send_frames(peer, how, &bytes, step_ns);
		break;
	case COLLECT:
		collect(peer, &bytes);
		break;
	case ASK_TIMES:
		ask_times(peer, how, &bytes, step_ns);
		break;
	case TROUBLE:
		w.trouble = how;
		for (int i = 0; i < SESSIONS && (how & DROPS); i++)
			w.ports[i].drops += (uint32_t)len;
		break;
	case PASS:
		break;
	case DATAGRAM:
	case DATAGRAM_TOO:
	default:
		send_datagram(peer, astray, how, &bytes);
		hold = (how & HOLD) != 0;
	}
	if (!hold)
		run_until(w.now + step_ns);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };

	set_up();
	while (r.left > 0 && !r.bad)
		one_record(&r);
	wind_up();
	return 0;
}

/* --- mutations --------------------------------------------------------------------- */

static struct records found, found_too;

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	if (chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	records_find(&found, 2, data, size, 0);
	return mutate_records(&c, data, size, max, &found, 0);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	records_find(&found, 2, a, asize, 0);
	records_find(&found_too, 2, b, bsize, 0);
	return cross_records(&c, a, asize, &found, b, bsize, &found_too, out, max);
}
