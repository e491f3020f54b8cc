/*
 * The client against a peer that the input plays, on a virtual clock.  The
 * input: HEAD bytes that say what is asked for and how the network treats
 * it (struct plan), the text of a receipt, then a list of records:
 *
 *   1  kind    bits 0-1: see enum kind; 2-4 which of the last requests it
 *              answers; 5 it comes twice; 6 and 7 see below
 *   2  length  of the bytes that follow
 *   n  bytes
 *   1  step    time since the record before
 *
 * An honest record waits until there is a request to answer; when the list
 * is at its end the peer falls silent, or stays honest (plan.good_end).
 *
 * Promises: it ends, in bounded time whatever the peer says; every frame
 * and request that it sends is well formed; a point, complete or not, keeps
 * the identities and can be read back from its document.
 */
#include <errno.h>

#include "core/payload.h"
#include "core/schedule.h"
#include "doc/ask.h"
#include "doc/point_doc.h"
#include "doc/receipt_doc.h"
#include "fuzz.h"
#include "repair.h"
#include "session/client.h"
#include "session/receiver.h"

#define SECOND_NS	INT64_C(1000000000)
#define REQUESTS	8
#define SESSION		UINT64_C(0x1122334455667788)
#define CALLS_MAX	2000000		/* of the io in one input */

enum kind {
	RAW,		/* the bytes as they are */
	MATCHED,	/* the bytes, their header made to answer the request */
	HONEST,		/* what a good responder says; bytes: 2 where, 1 to flip with */
	FAILURE		/* recv fails, or wait */
};
#define TWICE		0x20
#define LATER		0x40		/* honest FINISH: not ready, to wait 2^(first byte) ns */
#define LENGTH		0x40		/* honest FETCH: so many bytes more, or fewer */
#define CUT		0x80		/* raw, matched: longer than the client's room */
#define UNCHECKED	0x80		/* honest: the header is not put right after a flip */

struct plan {
	struct pace_ask	ask;
	int		points;
	bool		no_wait, ipv6, own_text, good_end;
	unsigned	refuse_every;	/* sends, 0: none, 1: all */
	int		refuse_errno;
	unsigned	stop_after;	/* calls, 0: never */
	unsigned	lost;		/* of 8 frames, as bits */
	int64_t		late_ns;	/* every eighth sleep is so late */
	char		*text;		/* a receipt, when own_text */
};

static struct {
	int64_t		now;
	unsigned long	calls, sends, busy, records;
	uint32_t	stamps_asked, stamps_given;
	int64_t		asked_ns;	/* when the last stamp was asked for */
	struct plan	plan;
	struct pace_rd	script;
	volatile sig_atomic_t stop;
	/* the record that comes next */
	bool		loaded;
	unsigned	kind;
	struct pace_rd	bytes;
	int64_t		due_ns;
	int		copies;
	/* the responder */
	struct pace_hdr	request[REQUESTS];	/* newest first */
	uint32_t	offset[REQUESTS];
	unsigned	unanswered;	/* of them, by honest records */
	uint64_t	opened;		/* number of the last OPEN */
	uint64_t	sent;		/* as FINISH says */
	uint64_t	next;		/* frame */
	uint8_t		stream;
	struct pace_msg_start run;
	bool		running;
	char		*result;
} w;

static struct pace_receiver *receiver;

static void
count_call(void)
{
	MUST(++w.calls < CALLS_MAX);
	if (w.plan.stop_after > 0 && w.calls > w.plan.stop_after)
		w.stop = 1;
}

/* --- the responder's mind ------------------------------------------------------ */

static void
forget_result(void)
{
	free(w.result);
	w.result = NULL;
}

static void
take_start(const struct pace_hdr *h, const json_t *body)
{
	struct pace_msg_start m;

	MUST(pace_msg_start(body, &m) == 0);
	if (w.running && h->stream == w.stream)
		return;
	w.stream = h->stream;
	w.run = m;
	w.running = true;
	w.next = 0;
	forget_result();
	pace_receiver_start(receiver, &w.run, 0, false);
}

static void
take_request(const struct pace_hdr *h, const struct pace_out *out)
{
	json_t *body = pace_msg_body(out->buf, out->len);

	MUST(body != NULL && out->len <= PACE_CONTROL_ROOM && (h->type & PACE_REPLY) == 0);
	MUST(h->type != PACE_HELLO || out->len >= PACE_HELLO_SIZE);
	memmove(w.request + 1, w.request, sizeof(w.request) - sizeof(w.request[0]));
	memmove(w.offset + 1, w.offset, sizeof(w.offset) - sizeof(w.offset[0]));
	if (h->type == PACE_OPEN && h->seq != w.opened)
		w.running = false;	/* another session: no run yet */
	if (h->type == PACE_OPEN)
		w.opened = h->seq;
	w.request[0] = *h;
	if (w.unanswered < REQUESTS)
		w.unanswered++;
	if (h->type == PACE_START)
		take_start(h, body);
	else if (h->type == PACE_FINISH)
		MUST(pace_msg_finish(body, &w.sent) == 0);
	else if (h->type == PACE_FETCH)
		MUST(pace_msg_fetch(body, &w.offset[0]) == 0);
	json_decref(body);
}

static void
take_frame(const struct pace_hdr *h, const struct pace_out *out)
{
	static uint8_t copy[PACE_FRAME_MAX];
	struct pace_in in = { .buf = copy, .size = sizeof(copy), .len = out->len,
	    .stamp_ns = w.now + 50000, .stamp = PACE_STAMP_KERNEL };

	MUST(out->len == w.run.ask.size_bytes && h->seq == w.next);
	MUST(h->session != 0 && h->stream == w.stream && h->tx_ns <= w.now);
	memcpy(copy, out->buf, out->len);
	if (w.result == NULL && (w.plan.lost >> h->seq % 8 & 1) == 0)
		pace_receiver_take(receiver, h, &in);
}

static const char *
result(void)
{
	if (w.plan.own_text)
		return w.plan.text;
	if (w.result == NULL && w.running)
		w.result = fuzz_text(pace_receipt_to_json(
		    pace_receiver_finish(receiver, w.sent, 0), w.run.ask.verify));
	return w.result != NULL ? w.result : "";
}

static json_t *
honest_finish(unsigned byte)
{
	struct pace_msg_ready m = { .ready = (w.kind & LATER) == 0 };

	if (m.ready)
		m.size = (uint32_t)strlen(result());
	else
		m.wait_ns = repair_step_ns(byte);
	return pace_msg_ready_json(&m);
}

static json_t *
honest_body(const struct pace_hdr *h, unsigned byte)
{
	struct pace_host host = { .version = "fuzz", .cores = 2 };
	uint8_t cookie[PACE_COOKIE_SIZE] = { 1, 2, 3 };

	switch (h->type) {
	case PACE_HELLO:
		return pace_msg_cookie_json(cookie);
	case PACE_OPEN:
		return pace_msg_opened_json(&host);
	case PACE_FINISH:
		return honest_finish(byte);
	default:
		return NULL;
	}
}

static size_t
honest_chunk(uint8_t *buf, uint32_t offset, int8_t more)
{
	const char *text = result();
	size_t size = strlen(text), n = offset < size ? size - offset : 0;
	struct pace_wr wr = { .p = buf + PACE_HDR_SIZE, .left = 8 };

	if (n > PACE_CHUNK_MAX)
		n = PACE_CHUNK_MAX;
	pace_wr_be(&wr, offset, 4);
	pace_wr_be(&wr, size, 4);
	memset(wr.p, ' ', PACE_CLIENT_ROOM - PACE_HDR_SIZE - 8);
	memcpy(wr.p, text + (n > 0 ? offset : 0), n);
	n += 8;
	return PACE_HDR_SIZE + (more < 0 && n < (size_t)-more ? 0 : n + (size_t)more);
}

/* What a good responder says to a request, in buf of PACE_CLIENT_ROOM. */
static size_t
honest(uint8_t *buf, unsigned which)
{
	struct pace_hdr h = w.request[which];
	unsigned byte = w.bytes.left > 0 ? w.bytes.p[0] : 0;
	json_t *body = honest_body(&h, byte);
	size_t len;

	if (h.type == PACE_OPEN)
		h.session = SESSION;
	h.type |= PACE_REPLY;
	len = (size_t)pace_msg_put(buf, PACE_CLIENT_ROOM, &h, body, 0);
	if (h.type == (PACE_FETCH | PACE_REPLY))
		len = honest_chunk(buf, w.offset[which], w.kind & LENGTH ? (int8_t)byte : 0);
	if (w.kind & LATER)
		return len;
	while (w.bytes.left >= 3) {
		size_t at = (size_t)pace_rd_be(&w.bytes, 2) % len;

		buf[at] ^= (uint8_t)pace_rd_be(&w.bytes, 1);
	}
	if ((w.kind & UNCHECKED) == 0)
		repair_header(buf, len);
	return len;
}

static size_t
matched(uint8_t *buf, size_t size, unsigned which)
{
	const struct pace_hdr *h = &w.request[which];
	size_t len = w.bytes.left < size ? w.bytes.left : size;

	memcpy(buf, w.bytes.p, len);
	if ((w.kind & 3) == RAW || len < PACE_HDR_SIZE)
		return len;
	buf[3] = h->type | PACE_REPLY;
	buf[5] = h->stream;
	if (h->type != PACE_OPEN)
		repair_be64(buf + 8, h->session);
	repair_be64(buf + 16, h->seq);
	repair_header(buf, len);
	return len;
}

/* --- the network ------------------------------------------------------------------- */

static void
load_good_end(void)
{
	w.kind = HONEST | (w.unanswered - 1) << 2;
	w.bytes = (struct pace_rd){ .left = 0 };
	w.due_ns = w.now + 50000;
	w.copies = 1;
	w.loaded = true;
}

/* Is there another record? */
static bool
load(void)
{
	size_t len;

	if (!w.loaded && (w.script.left == 0 || w.script.bad) && w.plan.good_end &&
	    w.unanswered > 0)
		load_good_end();
	if (w.loaded || w.script.left == 0 || w.script.bad)
		return w.loaded;
	w.kind = (unsigned)pace_rd_be(&w.script, 1);
	len = (size_t)pace_rd_be(&w.script, 2);
	w.bytes = (struct pace_rd){ .p = w.script.p,
	    .left = len < w.script.left ? len : w.script.left };
	w.script.p += w.bytes.left;
	w.script.left -= w.bytes.left;
	w.due_ns += repair_step_ns(pace_rd_be(&w.script, 1));
	if (w.due_ns < w.now)
		w.due_ns = w.now;
	w.copies = w.kind & TWICE ? 2 : 1;
	w.loaded = true;
	w.records++;
	return true;
}

static void
unload(void)
{
	if (--w.copies > 0)
		return;
	w.loaded = false;
	if ((w.kind & 3) == HONEST)
		w.unanswered--;
}

/* Does a datagram, or a failure, lie there by then? */
static bool
comes(int64_t by_ns)
{
	return load() && w.due_ns <= by_ns && ((w.kind & 3) != HONEST || w.unanswered > 0);
}

static int
io_recv(void *ctx, struct pace_in *v, int n)
{
	unsigned which;

	(void)ctx;
	MUST(n == 1 && v->size >= PACE_CLIENT_ROOM);
	count_call();
	if (!comes(w.now))
		return 0;
	which = w.kind >> 2 & 7;
	FUZZ_SHOW(v->buf, v->size);
	if ((w.kind & 3) == FAILURE) {
		unload();
		return which == 0 ? -ECONNREFUSED : which == 1 ? -EINTR : -EAGAIN;
	}
	if ((w.kind & 3) == HONEST) {
		struct pace_rd again = w.bytes;

		v->len = honest(v->buf, which);
		w.bytes = again;
	} else {
		v->len = matched(v->buf, v->size, which);
	}
	if ((w.kind & 3) <= MATCHED && (w.kind & CUT)) {
		memset(v->buf + v->len, ' ', v->size - v->len);
		v->len = v->size + 1;
	} else {
		FUZZ_HIDE(v->buf + v->len, v->size - v->len);
	}
	v->stamp_ns = w.due_ns;
	v->stamp = PACE_STAMP_KERNEL;
	unload();
	return 1;
}

/* Does the kernel refuse this one? */
static bool
refused(void)
{
	count_call();
	w.sends++;
	return w.plan.refuse_every > 0 && w.sends % w.plan.refuse_every == 0;
}

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	struct pace_hdr h;

	(void)ctx;
	MUST(n == 1 && v->to.family == 0);
	MUST(pace_hdr_decode(&h, v->buf, v->len) == 0);
	if (refused())
		return -w.plan.refuse_errno;
	if (v->stamp) {
		w.stamps_asked++;
		w.asked_ns = w.now;
	}
	if (h.type == PACE_DATA) {
		take_frame(&h, v);
		w.next++;
	} else if (h.type != PACE_KEEP) {
		take_request(&h, v);
	}
	return 1;
}

/* Now and then only the first frames are taken. */
static int
io_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct pace_out one = { .len = size };
	struct pace_hdr h;

	(void)ctx;
	MUST(n > 0 && size <= PACE_FRAME_MAX && (size_t)n * size <= PACE_FRAME_MAX);
	if (refused())
		return -w.plan.refuse_errno;
	if (w.sends % 3 == 0)
		n = (n + 1) / 2;
	for (int i = 0; i < n; i++) {
		one.buf = frames + (size_t)i * size;
		MUST(pace_hdr_decode(&h, one.buf, size) == 0 && h.type == PACE_DATA);
		take_frame(&h, &one);
		w.next++;
	}
	*segmented = w.sends % 2 == 0;
	return n;
}

/* The last stamp never comes. */
static int
io_departures(void *ctx, struct pace_departure *v, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && w.stamps_given + 1 < w.stamps_asked; got++)
		v[got] = (struct pace_departure){ .n = w.stamps_given++,
		    .stamp_ns = w.asked_ns + 900 };
	return got;
}

static void
io_coalesce(void *ctx, bool on)
{
	(void)ctx, (void)on;
}

static void
io_usage(void *ctx, struct pace_usage *u)
{
	(void)ctx;
	memset(u, 0, sizeof(*u));
	u->preempted = w.calls;
	u->steal_ns = w.now / 100;
}

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return w.now;
}

/* Always a little late. */
static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	(void)ctx;
	count_call();
	MUST(t_ns - w.now < 100000 * SECOND_NS);
	if (t_ns > w.now)
		w.now = t_ns;
	w.now += w.calls % 8 == 0 ? w.plan.late_ns : 20;
	if (st != NULL && w.calls % 8 == 0 && w.plan.late_ns > PACE_STALL_NS) {
		st->count++;
		st->total_ns += w.plan.late_ns;
		st->max_ns = w.plan.late_ns;
	}
	return w.now;
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	(void)ctx;
	count_call();
	if (!comes(until_ns)) {
		if (until_ns > w.now)
			w.now = until_ns;
		return 0;
	}
	if (w.due_ns > w.now)
		w.now = w.due_ns;
	if ((w.kind & 3) == FAILURE && (w.kind >> 2 & 7) >= 6) {
		unload();
		return -EINTR;
	}
	return 1;
}

static uint32_t
io_drops(void *ctx)
{
	(void)ctx;
	return 0;
}

static void
on_busy(void *ctx, const struct pace_msg_error *who)
{
	MUST(ctx == &w && strlen(who->label) < sizeof(who->label) && who->wait_ns >= 0);
	if (++w.busy >= 6)
		w.stop = 1;
}

/* --- what is asked for -------------------------------------------------------------- */

static void
read_ask(struct pace_ask *a, struct pace_rd *r)
{
	static const uint32_t sizes[] = { 32, 33, 64, 512, 1472, 9000, PACE_FRAME_MAX };
	static const int64_t spacings[] = { 0, 1, 700, 10000, 1000000, PACE_SPACING_MAX_NS };
	static const int64_t gaps[] = { 0, 1000000, 5 * SECOND_NS };
	static const uint64_t trains[] = { 1, 1, 1, 2, 7, 64 };
	static const int64_t graces[] = { 0, 1000000, SECOND_NS, 60 * SECOND_NS };
	unsigned how;

	a->count = 1 + pace_rd_be(r, 1) % 64;
	a->size_bytes = sizes[pace_rd_be(r, 1) % 7];
	a->spacing = pace_spacing_from_ns(spacings[pace_rd_be(r, 1) % 6]);
	a->bursts = 1 + pace_rd_be(r, 1) % 3;
	a->burst_gap_ns = a->bursts > 1 ? gaps[pace_rd_be(r, 1) % 3] : 0;
	a->grace_ns = graces[pace_rd_be(r, 1) % 4];
	a->lens.bins = (uint32_t)pace_rd_be(r, 1) * 16;
	a->lens.width = a->lens.bins > 0;
	how = (unsigned)pace_rd_be(r, 1);
	a->train = trains[how % 6];
	a->catch_up = (enum pace_catch_up)(how / 6 % 4);
	a->busy_poll = how / 24 % 2 > 0;
}

static void
read_plan(struct plan *p, struct pace_rd *r)
{
	static const int errors[] = { ENOBUFS, EAGAIN, ECONNREFUSED, EMSGSIZE, EPERM, EINTR,
	    ENETUNREACH, EIO };
	unsigned flags = (unsigned)pace_rd_be(r, 1), refuse;
	size_t len;

	read_ask(&p->ask, r);
	p->ask.verify = flags & 1;
	p->no_wait = flags & 2;
	p->ipv6 = flags & 4;
	p->own_text = flags & 8;
	p->points = flags & 16 ? 2 : 1;
	p->good_end = flags & 64;
	p->ask.duration_ns = flags & 32 && p->ask.spacing > 0 ?
	    pace_spacing_ns(p->ask.spacing) * (int64_t)p->ask.count : 0;
	refuse = (unsigned)pace_rd_be(r, 1);
	p->refuse_every = refuse >> 3 == 31 ? 1 : refuse >> 3 > 0 ? (refuse >> 3) + 1 : 0;
	p->refuse_errno = errors[refuse & 7];
	p->stop_after = (unsigned)pace_rd_be(r, 1) * 4;
	p->lost = (unsigned)pace_rd_be(r, 1);
	p->late_ns = INT64_C(1) << pace_rd_be(r, 1) % 25;
	len = p->own_text ? (size_t)pace_rd_be(r, 2) : 0;
	if (len > r->left)
		len = r->left;
	p->text = strndup((const char *)r->p, len);
	MUST(p->text != NULL);
	r->p += len;
	r->left -= len;
}

/* --- the run --------------------------------------------------------------------------- */

static void
check_point(const struct pace_point *p, int rc)
{
	static struct pace_point back;
	char *text;
	json_t *j;

	MUST(pace_point_broken(p) == NULL);
	MUST(rc != 0 || (p->has_rx && !p->interrupted));
	if (w.calls % 4 != 0)		/* the rest is slow */
		return;
	text = fuzz_text(pace_point_to_json(p));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_point_from_json(&back, j) == 0);
	MUST(back.has_rx == p->has_rx && back.tx.frames == p->tx.frames);
	json_decref(j);
	free(text);
}

/* A peer may make it wait for each of its lies, but not without an end. */
static int64_t
patience(const struct pace_ask *a)
{
	return 120 * SECOND_NS + pace_ask_duration_ns(a) + 2 * a->grace_ns +
	    12 * SECOND_NS * (int64_t)(w.records + w.busy);
}

static int
one_point(struct pace_client *c)
{
	static struct pace_point point;		/* 1 MB: quicker than pace_point_new */
	struct pace_point *p = &point;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	memset(p, 0, sizeof(*p));
	pace_receipt_reset(&p->rx);
	p->ask = w.plan.ask;
	rc = pace_client_point(c, p, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= patience(&p->ask));
	check_point(p, rc);
	return rc;
}

static void
measure(struct pace_client *c)
{
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc = pace_client_open(c, &err);

	MUST(w.now - start <= 20 * SECOND_NS);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	for (int i = 0; rc == 0 && i < w.plan.points; i++) {
		rc = one_point(c);
		if (rc == -ESTALE)
			rc = pace_client_open(c, &err);
	}
	start = w.now;
	pace_client_close(c);
	MUST(w.now - start <= 2 * SECOND_NS);
}

static void
set_up(struct pace_client *c)
{
	MUST(pace_client_init(c) == 0);
	c->io = (struct pace_io){ .ctx = &w, .send = io_send, .recv = io_recv, .now = io_now,
	    .sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	    .train = io_train, .departures = io_departures, .coalesce = io_coalesce,
	    .usage = io_usage };
	snprintf(c->label, sizeof(c->label), "fuzz");
	c->rcvbuf_bytes = 1 << 20;
	c->link = (struct pace_link){ .family = w.plan.ipv6 ? 6 : 4, .mtu = 1500 };
	c->no_wait = w.plan.no_wait;
	c->stop = &w.stop;
	c->on_busy = on_busy;
	c->busy_ctx = &w;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_client *c = malloc(sizeof(*c));

	MUST(c != NULL);
	if (receiver == NULL)
		receiver = pace_receiver_new();		/* 3.5 MiB: once */
	MUST(receiver != NULL);
	repair_random();
	memset(&w, 0, sizeof(w));
	w.now = w.due_ns = SECOND_NS * 1000;
	w.script = (struct pace_rd){ .p = data, .left = size };
	read_plan(&w.plan, &w.script);
	set_up(c);
	measure(c);
	FUZZ_SHOW(c->in, sizeof(c->in));
	free(c);
	free(w.plan.text);
	forget_result();
	return 0;
}
