/*
 * The client against a peer that the input plays, on a virtual clock.  The
 * input: HEAD bytes that say what is asked for and how the network treats
 * it (struct plan), what becomes of PINGs (enum fate), the text of a
 * receipt, then a list of records:
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
 * the identities and can be read back from its document, and so can round
 * trips; no more records come than were asked for; the clock is where
 * exchanges that were accepted have it.
 */
#include <errno.h>

#include "core/payload.h"
#include "core/schedule.h"
#include "doc/ask.h"
#include "doc/clock_doc.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/receipt_doc.h"
#include "fuzz.h"
#include "mutate_datagrams.h"
#include "repair.h"
#include "session/client.h"
#include "session/receiver.h"
#include "session/report.h"

#define SECOND_NS	INT64_C(1000000000)
#define REQUESTS	8
#define SESSION		UINT64_C(0x1122334455667788)
#define CALLS_MAX	2000000		/* of the io in one input */
#define ECHOES		128		/* replies to PINGs under way */
#define NUMBERS		8192		/* PINGs whose departure is remembered */
#define STAMPS		256		/* departure stamps not told yet */
#define THETA_NS	(5 * SECOND_NS)	/* an honest peer's clock - ours */
#define ONE_WAY_NS	20000
#define STAY_NS		5000

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

/* Of a PING: a byte, bits 0-2 this, 3-4 the reply's stamp, 5 the reply has
 * another number, 6 a byte is flipped and the check not put right, 7 the
 * kernel stamps no arrival; then what the fate needs.  After the last one they
 * begin again; none at all: every fate is honest. */
enum fate {
	ANSWERED,
	LOST,
	AGAIN,		/* twice */
	LATE,		/* 1: how much */
	TIMES,		/* 8 8: added to arrival and departure */
	FOLLOW_UP,	/* 4 8: back, added to an honest departure */
	LONG,		/* 2: longer */
	WALL		/* 8: added to it */
};
#define OTHER_NUMBER	0x20
#define FLIPPED		0x40
#define USER_STAMP	0x80

/* What is called beside the points. */
#define CLOCK		1
#define TRIPS		2

struct plan {
	struct pace_ask	ask;
	struct pace_latency_ask trips;
	int		points;
	unsigned	calls;
	uint64_t	pings;		/* of a clock by itself */
	struct pace_rd	fates;
	bool		no_wait, ipv6, own_text, good_end, watched;	/* watched: no points, but reports */
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
	int64_t		asked_ns[STAMPS];	/* when each stamp was asked for */
	int64_t		idle_ns;	/* what the last look at an empty socket took */
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
	struct pace_msg_fetch fetch[REQUESTS];
	unsigned	unanswered;	/* of them, by honest records */
	uint64_t	opened;		/* number of the last OPEN */
	struct pace_msg_finish finish;
	uint64_t	next;		/* frame */
	uint8_t		stream;
	struct pace_msg_start run;
	bool		running;
	char		*result;
	struct pace_rd	fates;		/* to come */
	struct echo {
		int64_t	due_ns;
		size_t	len;
		bool	stamped;
		uint8_t	buf[PACE_PING_SIZE];
	} echoes[ECHOES];
	int		echoing;
	/* what replies say of the clock: those just handed over, all accepted */
	int64_t		sent_ns[NUMBERS];
	size_t		asked_len[NUMBERS];
	struct bounds {
		int64_t	t1_ns, upper_ns, lower_ns;
		bool	as_asked;	/* so long */
	} handed[ECHOES];
	int		hands;
	uint64_t	answered;
	int64_t		upper_ns, lower_ns;
	const struct pace_client *client;
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
	w.running = !m.pings;
	w.next = 0;
	forget_result();
	if (w.running)
		MUST(pace_receiver_start(receiver, &w.run, 0, false) == 0);
}

static void
take_request(const struct pace_hdr *h, const struct pace_out *out)
{
	json_t *body = pace_msg_body(out->buf, out->len);

	MUST(body != NULL && out->len <= PACE_CONTROL_ROOM && (h->type & PACE_REPLY) == 0);
	MUST(h->type != PACE_HELLO || out->len >= PACE_HELLO_SIZE);
	memmove(w.request + 1, w.request, sizeof(w.request) - sizeof(w.request[0]));
	memmove(w.fetch + 1, w.fetch, sizeof(w.fetch) - sizeof(w.fetch[0]));
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
		MUST(pace_msg_finish(body, &w.finish) == 0);
	else if (h->type == PACE_FETCH)
		MUST(pace_msg_fetch(body, &w.fetch[0]) == 0);
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
		    pace_receiver_finish(receiver, &w.finish, 0), &(struct pace_counters){ 0 },
		    w.run.ask.verify));
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
honest_report(void)
{
	struct pace_report r = { .at_ns = w.now, .state = PACE_RUNNING };

	pace_recent_none(&r.recent);
	if (w.running && w.result == NULL)
		pace_receiver_look(receiver, &r.run, &r.gaps, &r.jitter_ns, &r.recent);
	return pace_report_json(&r);
}

static json_t *
honest_body(const struct pace_hdr *h, unsigned byte)
{
	/* a peer that tells of its host is played by the input */
	const struct pace_msg_opened opened = { .clock = { .known = true,
	    .error_max_ns = 90000 }, .reports = true };
	uint8_t cookie[PACE_COOKIE_SIZE] = { 1, 2, 3 };

	switch (h->type) {
	case PACE_HELLO:
		return pace_msg_cookie_json(cookie);
	case PACE_OPEN:
		return pace_msg_opened_json(&opened);
	case PACE_FINISH:
		return honest_finish(byte);
	case PACE_REPORT:
		return honest_report();
	default:
		return NULL;
	}
}

#define HOST	"{\"version\":\"fuzz\",\"cores\":2,\"sysctl\":{\"net.core.rmem_max\":9}}"

/* Bytes of the host, of the result or of the records that are there from offset on, at most
 * a chunk, to to; *size: of all. */
static size_t
honest_bytes(uint8_t *to, const struct pace_msg_fetch *f, size_t *size)
{
	const char *text = f->part == PACE_PART_HOST ? HOST : result();
	bool records = f->part == PACE_PART_RECORDS && w.result != NULL;
	size_t n;

	*size = strlen(text);
	if (records)
		*size = (size_t)pace_receiver_records(receiver)->n * PACE_RECORD_SIZE;
	n = f->offset < *size ? *size - f->offset : 0;
	if (n > PACE_CHUNK_MAX)
		n = PACE_CHUNK_MAX;
	if (records)
		return pace_records_bytes(pace_receiver_records(receiver), f->offset, to, n);
	memcpy(to, text + (n > 0 ? f->offset : 0), n);
	return n;
}

static size_t
honest_chunk(uint8_t *buf, const struct pace_msg_fetch *f, int8_t more)
{
	struct pace_wr wr = { .p = buf + PACE_HDR_SIZE, .left = 8 };
	size_t size, n;

	memset(wr.p + 8, ' ', PACE_CLIENT_ROOM - PACE_HDR_SIZE - 8);
	n = 8 + honest_bytes(wr.p + 8, f, &size);
	pace_wr_be(&wr, f->offset, 4);
	pace_wr_be(&wr, size, 4);
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
		len = honest_chunk(buf, &w.fetch[which], w.kind & LENGTH ? (int8_t)byte : 0);
	while ((w.kind & LATER) == 0 && w.bytes.left >= 3) {
		size_t at = (size_t)pace_rd_be(&w.bytes, 2) % len;

		buf[at] ^= (uint8_t)pace_rd_be(&w.bytes, 1);
	}
	if ((w.kind & UNCHECKED) == 0 || (w.kind & LATER) != 0)
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

/* --- times ---------------------------------------------------------------------- */

static int64_t
io_wall(void *ctx)
{
	(void)ctx;
	return INT64_C(1795000000) * SECOND_NS;
}

static void
put_echo(const struct pace_hdr *h, const struct pace_ping *body, unsigned how,
    size_t len, int64_t due_ns)
{
	struct echo *e = &w.echoes[w.echoing];

	if (w.echoing == ECHOES)
		return;
	w.echoing++;
	e->due_ns = due_ns;
	e->len = len;
	e->stamped = (how & USER_STAMP) == 0;
	MUST(pace_ping_encode(e->buf, sizeof(e->buf), h, body) == PACE_PING_SIZE);
	if (how & FLIPPED)
		e->buf[h->seq % PACE_PING_SIZE] ^= (uint8_t)(1 + h->seq % 255);
}

/* A sum that may be anything. */
static int64_t
any(int64_t v, uint64_t more)
{
	return (int64_t)((uint64_t)v + more);
}

static unsigned
next_fate(void)
{
	if (w.fates.left == 0 || w.fates.bad)
		w.fates = w.plan.fates;
	return (unsigned)pace_rd_be(&w.fates, 1);
}

static void
echo(const struct pace_hdr *request, const struct pace_ping *asked)
{
	struct pace_hdr h = *request;
	unsigned how = next_fate();
	enum fate fate = how & 7;
	struct pace_ping body = { .arrival_ns = w.now + ONE_WAY_NS + THETA_NS, .back = 1,
	    .departure_ns = w.sent_ns[(h.seq - 1) % NUMBERS] + ONE_WAY_NS + THETA_NS + STAY_NS + 300,
	    .wall_ns = io_wall(NULL) - THETA_NS, .stamp = 3 & (how >> 3 ^ PACE_STAMP_KERNEL) };
	int64_t due = w.now + 2 * ONE_WAY_NS + STAY_NS;
	size_t len = asked->reply_bytes;

	h.type |= PACE_REPLY;
	h.tx_ns = body.arrival_ns + STAY_NS;
	if (fate == LATE)
		due += repair_step_ns(pace_rd_be(&w.fates, 1));
	if (fate == TIMES) {
		body.arrival_ns = any(body.arrival_ns, pace_rd_be(&w.fates, 8));
		h.tx_ns = any(h.tx_ns, pace_rd_be(&w.fates, 8));
	}
	if (fate == FOLLOW_UP) {
		body.back = (uint32_t)pace_rd_be(&w.fates, 4);
		body.departure_ns = any(body.departure_ns, pace_rd_be(&w.fates, 8));
	}
	if (fate == LONG)
		len += pace_rd_be(&w.fates, 2);
	if (fate == WALL)
		body.wall_ns = any(body.wall_ns, pace_rd_be(&w.fates, 8));
	if (how & OTHER_NUMBER)
		h.seq += pace_rd_be(&w.fates, 1) - 128;
	if (fate != LOST)
		put_echo(&h, &body, how, len, due);
	if (fate == AGAIN)
		put_echo(&h, &body, how, len, due + ONE_WAY_NS);
}

static void
take_ping(const struct pace_hdr *h, const struct pace_out *out)
{
	struct pace_ping body;

	pace_ping_decode(&body, out->buf);
	MUST(h->session != 0 && h->tx_ns <= w.now);
	MUST(body.reply_bytes >= PACE_PING_SIZE && body.reply_bytes <= out->len);
	if (w.running && w.result == NULL)
		pace_receiver_rate(receiver, pace_rate_of_ping(body.rate_2p40));
	w.sent_ns[h->seq % NUMBERS] = h->tx_ns;
	w.asked_len[h->seq % NUMBERS] = body.reply_bytes;
	echo(h, &body);
}

/* The first echo that is there by then, or NULL. */
static struct echo *
next_echo(int64_t by_ns)
{
	struct echo *first = NULL;

	for (int i = 0; i < w.echoing; i++)
		if (w.echoes[i].due_ns <= by_ns &&
		    (first == NULL || w.echoes[i].due_ns < first->due_ns))
			first = &w.echoes[i];
	return first;
}

/* Which of the replies handed over last did the client believe?  When they were
 * several it may be any. */
static void
note_accepted(void)
{
	const struct pace_pinger *p = &w.client->pinger;

	MUST(p->answered <= w.answered || w.hands > 1 || w.handed[0].as_asked);
	for (int i = 0; i < w.hands; i++) {
		const struct bounds *b = &w.handed[i];

		if (p->answered <= w.answered && p->theta_at_ns != b->t1_ns)
			continue;
		if (b->upper_ns > w.upper_ns)
			w.upper_ns = b->upper_ns;
		if (b->lower_ns < w.lower_ns)
			w.lower_ns = b->lower_ns;
	}
	w.hands = 0;
	w.answered = p->answered;
}

/* The clock's bounds by this reply. */
static void
note_handed(const struct echo *e)
{
	struct pace_ping body;
	struct pace_hdr h;
	int64_t t1;

	if (pace_hdr_decode(&h, e->buf, sizeof(e->buf)) != 0)
		return;
	pace_ping_decode(&body, e->buf);
	t1 = w.sent_ns[h.seq % NUMBERS];
	w.handed[w.hands++] = (struct bounds){ .t1_ns = t1,
	    .upper_ns = any(body.arrival_ns, 0 - (uint64_t)t1),
	    .lower_ns = any(h.tx_ns, 0 - (uint64_t)w.now),
	    .as_asked = e->len == w.asked_len[h.seq % NUMBERS] };
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

/* A datagram of told bytes, of which there are len; what was not filled is
 * hidden. */
static void
hand_over(struct pace_in *v, const uint8_t *buf, size_t len, size_t told)
{
	size_t n = len < v->size ? len : v->size;

	FUZZ_SHOW(v->buf, v->size);
	memcpy(v->buf, buf, n);
	if (told > n) {
		memset(v->buf + n, ' ', v->size - n);
		n = told < v->size ? told : v->size;
	}
	FUZZ_HIDE(v->buf + n, v->size - n);
	v->len = told;
	v->stamp = PACE_STAMP_KERNEL;
}

/* What the next record of the script says: 1, or -errno. */
static int
play(struct pace_in *v)
{
	static uint8_t buf[UINT16_MAX + 1];	/* more than any record */
	unsigned which = w.kind >> 2 & 7;
	struct pace_rd bytes = w.bytes;
	size_t len;

	if ((w.kind & 3) == FAILURE) {
		unload();
		return which == 0 ? -ECONNREFUSED : which == 1 ? -EINTR : -EAGAIN;
	}
	len = (w.kind & 3) == HONEST ? honest(buf, which) : matched(buf, sizeof(buf), which);
	w.bytes = bytes;
	hand_over(v, buf, len, (w.kind & 3) <= MATCHED && (w.kind & CUT) && len <= v->size ?
	    v->size + 1 : len);
	v->stamp_ns = w.due_ns;
	unload();
	return 1;
}

static void
play_echo(struct pace_in *v, struct echo *e)
{
	hand_over(v, e->buf, sizeof(e->buf), e->len);
	v->stamp = e->stamped ? PACE_STAMP_KERNEL : PACE_STAMP_USER;
	v->stamp_ns = e->stamped ? e->due_ns : w.now;
	note_handed(e);
	*e = w.echoes[--w.echoing];
}

/* Nothing is there: looking took a while, longer each time, so that who spins
 * comes to an end. */
static int
look_in_vain(void)
{
	w.idle_ns = w.idle_ns < 1000000 ? 2 * w.idle_ns + 100 : w.idle_ns;
	w.now += w.idle_ns;
	return 0;
}

/* Now and then several at once. */
static int
io_recv(void *ctx, struct pace_in *v, int n)
{
	struct echo *e;
	int got = 0;

	(void)ctx;
	MUST(n >= 1 && v->size >= (n == 1 ? PACE_CLIENT_ROOM : PACE_PING_SIZE));
	count_call();
	note_accepted();
	if (comes(w.now))
		return play(v);
	for (; got < (w.calls % 2 ? n : 1) && (e = next_echo(w.now)) != NULL; got++)
		play_echo(&v[got], e);
	if (got == 0)
		return look_in_vain();
	w.idle_ns = 0;
	return got;
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
	if (v->stamp)
		w.asked_ns[w.stamps_asked++ % STAMPS] = w.now;
	if (w.stamps_asked - w.stamps_given > STAMPS)
		w.stamps_given = w.stamps_asked - STAMPS;
	if (h.type == PACE_DATA) {
		take_frame(&h, v);
		w.next++;
	} else if (h.type == PACE_PING) {
		take_ping(&h, v);
	} else {
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

static void
io_renumber(void *ctx)
{
	(void)ctx;
	w.stamps_asked = w.stamps_given = 0;
}

/* The last stamp never comes. */
static int
io_departures(void *ctx, struct pace_departure *v, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && w.stamps_given + 1 < w.stamps_asked; got++, w.stamps_given++)
		v[got] = (struct pace_departure){ .n = w.stamps_given,
		    .stamp_ns = w.asked_ns[w.stamps_given % STAMPS] + 900 };
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
	u->clock = (struct pace_clock_state){ .known = true, .error_ns = 7 };
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
	w.idle_ns = 0;
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
	const struct echo *e = next_echo(until_ns);
	int64_t at_ns = e != NULL ? e->due_ns : until_ns;
	bool record = comes(at_ns);

	(void)ctx;
	count_call();
	w.idle_ns = 0;
	if (record)
		at_ns = w.due_ns;
	if (at_ns > w.now)
		w.now = at_ns;
	if (record && (w.kind & 3) == FAILURE && (w.kind >> 2 & 7) >= 6) {
		unload();
		return -EINTR;
	}
	return record || e != NULL;
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
read_trips(struct pace_latency_ask *a, struct pace_rd *r)
{
	static const uint32_t sizes[] = { 64, 65, 96, 97, 512, 1472, PACE_FRAME_MAX };
	static const int64_t intervals[] = { 0, 1, 1000, 100000, 1000000, SECOND_NS };
	static const int64_t timeouts[] = { 10000, 1000000, SECOND_NS };
	unsigned how;

	a->count = 1 + pace_rd_be(r, 1) % 64;
	how = (unsigned)pace_rd_be(r, 1);
	a->size_bytes = sizes[how % 7];
	a->reply_bytes = how / 7 % 2 ? 64 : a->size_bytes;
	a->busy_poll = how / 14 % 2 > 0;
	a->interval_ns = intervals[pace_rd_be(r, 1) % 6];
	a->timeout_ns = timeouts[pace_rd_be(r, 1) % 3];
	a->lens.bins = (uint32_t)pace_rd_be(r, 1) * 16;
	a->lens.width = a->lens.bins > 0;
}

/* What is called beside the points: a byte, bits 0-1 CLOCK and TRIPS, 2 only
 * frames at losses are kept, 3-7 for so many; then what these need, and fates. */
static void
read_calls(struct plan *p, struct pace_rd *r)
{
	unsigned how = (unsigned)pace_rd_be(r, 1);
	size_t len;

	p->calls = how;
	p->ask.record.lost_only = how & 4;
	p->ask.record.room = how >> 3;
	if (p->ask.record.room > 0)
		p->ask.record.skip = pace_rd_be(r, 1);
	if (how & CLOCK)
		p->pings = pace_rd_be(r, 1);
	if (how & TRIPS)
		read_trips(&p->trips, r);
	len = (size_t)pace_rd_be(r, 2);
	p->fates = (struct pace_rd){ .p = r->p, .left = len < r->left ? len : r->left };
	r->p += p->fates.left;
	r->left -= p->fates.left;
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
	p->watched = flags & 128;
	p->ask.duration_ns = flags & 32 && p->ask.spacing > 0 ?
	    pace_spacing_ns(p->ask.spacing) * (int64_t)p->ask.count : 0;
	refuse = (unsigned)pace_rd_be(r, 1);
	p->refuse_every = refuse >> 3 == 31 ? 1 : refuse >> 3 > 0 ? (refuse >> 3) + 1 : 0;
	p->refuse_errno = errors[refuse & 7];
	p->stop_after = (unsigned)pace_rd_be(r, 1) * 4;
	p->lost = (unsigned)pace_rd_be(r, 1);
	p->late_ns = INT64_C(1) << pace_rd_be(r, 1) % 25;
	read_calls(p, r);
	len = p->own_text ? (size_t)pace_rd_be(r, 2) : 0;
	if (len > r->left)
		len = r->left;
	p->text = strndup((const char *)r->p, len);
	MUST(p->text != NULL);
	r->p += len;
	r->left -= len;
}

/* --- the run --------------------------------------------------------------------------- */

/* Nothing of the clock that no accepted exchange said. */
static void
check_clock(const struct pace_client *c, const struct pace_clock *k)
{
	const struct pace_clock_estimate *e = &k->fit;

	note_accepted();
	MUST(e->uppers == e->lowers && e->uppers <= c->pinger.answered);
	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *g = &e->v[i];
		double slack = 1e-3 * (double)(g->to_ns - g->from_ns) + 2 * g->bound_ns + 1000;

		MUST(g->from_ns <= g->to_ns && g->to_ns <= w.now);
		for (int end = 0; end <= 1; end++) {
			double v = (double)pace_clock_line_at(&g->line, end ? g->to_ns : g->from_ns);

			MUST(v <= (double)w.upper_ns + slack && v >= (double)w.lower_ns - slack);
		}
	}
}

static void
check_pinger(const struct pace_pinger *p)
{
	MUST(p->next - p->tail <= p->room && p->answered + p->timeouts <= p->sent);
	MUST(w.plan.refuse_every > 0 || p->sent == p->next);
}

static void
check_point(const struct pace_client *c, const struct pace_point *p, int rc)
{
	static struct pace_point back;
	char *text;
	json_t *j;

	MUST(pace_point_broken(p) == NULL);
	MUST(rc != 0 || (p->has_rx && !p->interrupted));
	MUST(!p->has_rx || p->rx.records <= p->ask.record.room);
	if (p->clock.exchanges + p->clock.timeouts > 0)
		check_clock(c, &p->clock);
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

/* The frames that were kept, as far as the peer tells. */
static void
fetch_records(struct pace_client *c, const struct pace_point *p)
{
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	struct pace_record rec;
	uint8_t *columns;
	int rc = pace_client_records(c, p, &columns, &err);

	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= patience(&p->ask));
	MUST((columns != NULL) == (rc == 0 && p->has_rx && p->rx.records > 0));
	for (uint64_t i = 0; columns != NULL && i < p->rx.records; i++)
		(void)pace_record_read(columns, p->rx.records, i, &rec);
	free(columns);
}

/* What is handed over is of this run, and whole. */
static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	struct pace_report r;
	json_t *j;

	MUST(ctx == &w && now_ns == w.now && len <= PACE_CLIENT_ROOM - PACE_HDR_SIZE);
	j = json_loadb(body, strnlen(body, len), JSON_REJECT_DUPLICATES, NULL);
	if (j != NULL)
		(void)pace_report_read(j, &r);
	json_decref(j);
	return len % 4 != 0;
}

static int
one_watch(struct pace_client *c)
{
	static struct pace_point point;
	const struct pace_watching watching = { .report_ns = 2 * PACE_REPORT_NS, .ping_ns = 10000000,
	    .report = on_report, .ctx = &w };
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	memset(&point, 0, sizeof(point));
	point.ask = w.plan.ask;
	rc = pace_client_watch(c, &point, &watching, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= patience(&point.ask));
	MUST(c->reports || rc == -ENOTSUP);
	check_pinger(&c->pinger);
	return rc;
}

static int
one_point(struct pace_client *c)
{
	static struct pace_point point;		/* 1 MB: quicker than pace_point_new */
	struct pace_point *p = &point;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	memset(p, 0, sizeof(*p));
	pace_receipt_reset(&p->rx);
	p->ask = w.plan.ask;
	rc = pace_client_point(c, p, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= patience(&p->ask));
	check_point(c, p, rc);
	check_pinger(&c->pinger);
	fetch_records(c, p);
	return rc;
}

static void
one_clock(struct pace_client *c)
{
	static struct pace_clock clock, back;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc = pace_client_clock(c, w.plan.pings, 1000000, &clock, &err);
	char *text;
	json_t *j;

	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= 10 * SECOND_NS);
	MUST(rc != 0 || clock.exchanges > 0);
	MUST(clock.exchanges + clock.timeouts <= w.plan.pings);
	MUST(pace_pinger_open(&c->pinger) == 0);
	check_clock(c, &clock);
	check_pinger(&c->pinger);
	text = fuzz_text(pace_clock_to_json(&clock));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_clock_from_json(&back, j) == 0);
	MUST(back.fit.segments == clock.fit.segments && back.exchanges == clock.exchanges);
	json_decref(j);
	free(text);
}

static void
check_trips(const struct pace_latency *p)
{
	static struct pace_latency back;
	char *text;
	json_t *j;

	MUST(pace_latency_broken(p) == NULL);
	text = fuzz_text(pace_latency_to_json(p));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_latency_from_json(&back, j) == 0);
	MUST(back.received == p->received && back.sent == p->sent);
	json_decref(j);
	free(text);
}

/* As pace_latency_new has it. */
static void
reset_trips(struct pace_latency *p)
{
	memset(p, 0, sizeof(*p));
	pace_hist_reset(&p->rtt);
	pace_hist_reset(&p->kernel);
	pace_hist_reset(&p->network);
	pace_hist_reset(&p->residence);
	p->ask = w.plan.trips;
	p->lens = (struct pace_lens){ .low = p->ask.lens.low, .width = p->ask.lens.width,
	    .bins = p->ask.lens.bins, .count = p->lens_count };
}

static void
one_latency(struct pace_client *c)
{
	static struct pace_latency trips;
	struct pace_latency *p = &trips;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	reset_trips(p);
	rc = pace_client_latency(c, p, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	MUST(w.now - start <= patience(&(struct pace_ask){ .bursts = 1 }) +
	    (int64_t)(p->ask.count + 1) * (p->ask.interval_ns + 2 * p->ask.timeout_ns));
	MUST(p->sent == p->received + p->timeouts && p->sent + p->refused <= p->ask.count);
	if (rc == 0 || p->interrupted)
		check_trips(p);
	check_pinger(&c->pinger);
}

/* It may be another host then. */
static int
open_session(struct pace_client *c, struct pace_err *err)
{
	w.upper_ns = INT64_MIN;
	w.lower_ns = INT64_MAX;
	return pace_client_open(c, err);
}

static void
measure(struct pace_client *c)
{
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc = open_session(c, &err);

	MUST(w.now - start <= 20 * SECOND_NS);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	if (rc == 0 && (w.plan.calls & CLOCK))
		one_clock(c);
	if (rc == 0 && (w.plan.calls & TRIPS))
		one_latency(c);
	for (int i = 0; rc == 0 && i < w.plan.points; i++) {
		rc = w.plan.watched ? one_watch(c) : one_point(c);
		if (rc == -ESTALE)
			rc = open_session(c, &err);
	}
	if (rc == 0 && (w.plan.calls & TRIPS))
		one_latency(c);
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
	    .train = io_train, .departures = io_departures, .renumber = io_renumber, .coalesce = io_coalesce,
	    .usage = io_usage, .wall = io_wall };
	snprintf(c->label, sizeof(c->label), "fuzz");
	c->rcvbuf_bytes = 1 << 20;
	c->link = (struct pace_link){ .family = w.plan.ipv6 ? 6 : 4, .mtu = 1500 };
	c->no_wait = w.plan.no_wait;
	c->stop = &w.stop;
	c->on_busy = on_busy;
	c->busy_ctx = &w;
	w.client = c;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_client *c = malloc(sizeof(*c));

	MUST(c != NULL);
	if (receiver == NULL)
		receiver = pace_receiver_new();		/* 6.5 MiB: once */
	MUST(receiver != NULL);
	repair_random();
	memset(&w, 0, sizeof(w));
	w.now = w.due_ns = SECOND_NS * 1000;
	w.script = (struct pace_rd){ .p = data, .left = size };
	read_plan(&w.plan, &w.script);
	w.fates = w.plan.fates;
	set_up(c);
	measure(c);
	FUZZ_SHOW(c->in, sizeof(c->in));
	FUZZ_SHOW(c->pinger.in, sizeof(c->pinger.in));
	pace_client_free(c);
	free(c);
	free(w.plan.text);
	forget_result();
	return 0;
}

/* --- mutations --------------------------------------------------------------------- */

/* Where in an input what lies; a part that is not there is at 0. */
struct layout {
	size_t	fates, fates_len, text, text_len, records;
};

static struct records found, found_too;

static void
find_parts(struct layout *l, const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };
	struct plan p;

	memset(&p, 0, sizeof(p));
	memset(l, 0, sizeof(*l));
	read_plan(&p, &r);
	l->records = size - r.left;
	if (!r.bad) {
		l->fates = (size_t)(p.fates.p - data);
		l->fates_len = p.fates.left;
	}
	if (!r.bad && p.own_text) {
		l->text = l->fates + l->fates_len + 2;
		l->text_len = l->records - l->text;
	}
	free(p.text);
}

/* Another fate, with numbers for whatever it needs. */
static size_t
new_fate(struct chance *c, uint8_t *data, size_t size, size_t max, const struct layout *l)
{
	uint8_t fate[17] = { (uint8_t)chance_of(c, 256) };
	uint8_t all[UINT16_MAX];
	size_t at = chance_of(c, l->fates_len + 1), n = 1 + 8 * chance_of(c, 3);

	if (l->fates_len + n > sizeof(all))
		return size;
	repair_be64(fate + 1, (uint64_t)chance_number(c));
	repair_be64(fate + 9, (uint64_t)chance_number(c));
	memcpy(all, data + l->fates, l->fates_len);
	return counted_put(data, size, max, l->fates, l->fates_len, all,
	    put_bytes(all, l->fates_len, sizeof(all), at, 0, fate, n));
}

static size_t
new_text(struct chance *c, uint8_t *data, size_t size, size_t max, const struct layout *l)
{
	static uint8_t text[UINT16_MAX];
	size_t room = max - size + l->text_len;

	memcpy(text, data + l->text, l->text_len);
	return counted_put(data, size, max, l->text, l->text_len, text, mutate_json(text,
	    l->text_len, room < sizeof(text) ? room : sizeof(text), 0, c));
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	struct layout l;
	size_t what = chance_of(&c, 8);

	if (size == 0 || chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	find_parts(&l, data, size);
	if (what == 0 && l.records > 0)
		data[chance_of(&c, l.fates > 0 ? l.fates : l.records)] = (uint8_t)chance_of(&c, 256);
	else if (what == 1 && l.fates > 0)
		return new_fate(&c, data, size, max, &l);
	else if (what <= 3 && l.text_len > 0)
		return new_text(&c, data, size, max, &l);
	else {
		records_find(&found, 1, data, size, l.records);
		return mutate_records(&c, data, size, max, &found, l.records);
	}
	return size;
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };
	struct layout l;

	find_parts(&l, a, asize);
	records_find(&found, 1, a, asize, l.records);
	find_parts(&l, b, bsize);
	records_find(&found_too, 1, b, bsize, l.records);
	return cross_records(&c, a, asize, &found, b, bsize, &found_too, out, max);
}
