/*
 * client_peer.h - the peer of fuzz_client: the responder that the input plays.
 *
 * Purpose    checks what the client sends and builds the answers of a correct responder;
 *            decides the fate of each PING.
 */
#ifndef FUZZ_CLIENT_PEER_H
#define FUZZ_CLIENT_PEER_H

#include <errno.h>

#include "core/payload.h"
#include "core/schedule.h"
#include "doc/clock_doc.h"
#include "doc/latency_doc.h"
#include "doc/params.h"
#include "doc/point_doc.h"
#include "doc/rx_result_doc.h"
#include "fuzz.h"
#include "keyed.h"
#include "mutate_datagrams.h"
#include "repair.h"
#include "client/client.h"
#include "proto/report.h"
#include "stream/receiver.h"

#define SECOND_NS	INT64_C(1000000000)
#define REQUESTS	8
#define SESSION		UINT64_C(0x1122334455667788)
#define CALLS_MAX	2000000		/* of the io in one input */
#define ECHOES		128		/* replies to PINGs under way */
#define NUMBERS		8192		/* PINGs whose departure is remembered */
#define STAMPS		256		/* departure stamps not reported yet */
#define THETA_NS	(5 * SECOND_NS)	/* the clock of an honest peer, minus ours */
#define ONE_WAY_NS	20000
#define STAY_NS		5000

enum kind {
	RAW,		/* the bytes as they are */
	MATCHED,	/* the bytes, with a header that answers the request */
	HONEST,		/* a correct answer; bytes: 2 where, 1 to flip with */
	FAILURE		/* recv fails, or wait */
};
#define TWICE		0x20
#define LATER		0x40		/* honest FINISH: not ready, wait 2^(first byte) ns */
#define LENGTH		0x40		/* honest FETCH: so many bytes more, or fewer */
#define CUT		0x80		/* raw, matched: longer than the client's room */
#define UNCHECKED	0x80		/* honest: the header's check stays wrong after a flip */

/* The byte of grace, bits 2-4: with them the client and the peer have a key, and each answer is
 * tagged. Every eighth answer has a wrong tag if the bit says so. */
#define KEYS		4
#define ODD_TAGS	8	/* in turn: a flipped bit, another key, another nonce, no tag */
#define ODD_FIRST	16	/* the first of eight is wrong, otherwise the fifth */

/* The fate of a PING is a byte: bits 0-2 this enum, 3-4 the reply's stamp, 5 the reply has
 * another number, 6 a byte is flipped and the check stays wrong, 7 the kernel stamps no arrival.
 * The fate's arguments follow. After the last fate the list begins again; without any, all are
 * honest. */
enum attribution {
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

/* The calls beside the points. */
#define CLOCK		1
#define TRIPS		2

struct plan {
	struct pace_params	ask;
	struct pace_latency_params trips;
	int		points;
	unsigned	calls;
	uint64_t	pings;		/* of a clock by itself */
	struct pace_rd	attributions;
	bool		no_wait, ipv6, own_text, good_end, watched;	/* watched: reports without
									 * points */
	unsigned	refuse_every;	/* sends, 0: none, 1: all */
	int		refuse_errno;
	unsigned	stop_after;	/* calls, 0: never */
	unsigned	lost;		/* of 8 frames, as bits */
	int64_t		late_ns;	/* every eighth sleep is late by this */
	char		*text;		/* an rx_result, when own_text */
	unsigned	keys;		/* KEYS and the bits after it */
};

static struct {
	int64_t		now;
	unsigned long	calls, sends, busy, records;
	uint32_t	stamps_asked, stamps_given;
	int64_t		asked_ns[STAMPS];	/* when each stamp was requested */
	int64_t		idle_ns;	/* how long the last look at an empty socket took */
	struct plan	plan;
	struct pace_rd	script;
	volatile sig_atomic_t stop;
	/* the next record */
	bool		loaded;
	unsigned	kind;
	struct pace_rd	bytes;
	int64_t		due_ns;
	int		copies;
	/* the responder */
	unsigned long	answers;	/* that could be tagged */
	int64_t		tagged_ns;	/* time of the client's last request */
	struct pace_hdr	request[REQUESTS];	/* newest first */
	struct pace_msg_fetch fetch[REQUESTS];
	unsigned	unanswered;	/* of them, in honest records */
	uint64_t	opened;		/* number of the last OPEN */
	struct pace_msg_finish finish;
	uint64_t	next;		/* frame */
	uint8_t		run_number;
	struct pace_msg_start run;
	bool		running;
	char		*result;
	struct pace_rd	attributions;		/* to come */
	struct echo {
		int64_t	due_ns;
		size_t	len;
		bool	stamped;
		uint8_t	buf[PACE_PING_SIZE];
	} echoes[ECHOES];
	int		echoing;
	/* the clock by the last replies that were delivered and accepted */
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
	if (w.running && h->run == w.run_number)
		return;
	w.run_number = h->run;
	w.run = m;
	w.running = !m.pings;
	w.next = 0;
	forget_result();
	if (w.running)
		MUST(pace_receiver_start(receiver, &w.run, 0, false) == 0);
}

/* With a key every request has a tag, and a later time than the one before. */
static void
check_tag(const struct pace_hdr *h, const struct pace_out *out)
{
	uint8_t id[PACE_KEY_ID_SIZE];
	uint64_t nonce;

	MUST(h->sealed == ((w.plan.keys & KEYS) != 0));
	if (!h->sealed)
		return;
	MUST(pace_seal_peek(out->buf, out->len, id, &nonce) && nonce == w.client->nonce);
	MUST(keyed_is_tagged(KEY_A, nonce, h, out->buf, out->len));
	MUST(h->tx_ns > w.tagged_ns);
	w.tagged_ns = h->tx_ns;
}

static void
take_request(const struct pace_hdr *h, const struct pace_out *out)
{
	json_t *body = pace_request_body(h, out->buf, out->len);

	check_tag(h, out);
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
	MUST(h->session != 0 && h->run == w.run_number && h->tx_ns <= w.now);
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
		w.result = fuzz_text(pace_rx_result_to_json(
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
	/* the input plays a peer that reports its host */
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

/* Write the bytes of the host, of the result or of the records from offset on, at most a chunk,
 * to `to`. *size: of all. */
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

/* Tag an answer of the peer, as the input says; the buffer has room for the tag. Return true if the
 * tag is correct. */
static bool
tag(uint8_t *buf, size_t *len)
{
	unsigned odd = w.plan.keys & ODD_TAGS ? 1 + (unsigned)(w.answers / 8 % 4) : 0;
	uint64_t nonce = w.client->nonce;
	size_t n;

	if ((w.plan.keys & KEYS) == 0)
		return true;
	if (w.answers++ % 8 != (w.plan.keys & ODD_FIRST ? 0 : 4))
		odd = 0;
	if (odd == 4)
		return false;
	n = keyed_tag(odd == 2 ? KEY_B : KEY_A, odd == 3 ? nonce + 1 : nonce, buf, *len);
	if (n > 0)
		*len = n;
	if (odd == 1 && n > 0)
		buf[*len - 1 - w.answers % PACE_SEAL_SIZE] ^= 1;
	return n > 0 && odd == 0;
}

/* A correct responder's answer to a request, in buf of PACE_CLIENT_ROOM. */
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
	buf[5] = h->run;
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

/* A sum with any value. */
static int64_t
any(int64_t v, uint64_t more)
{
	return (int64_t)((uint64_t)v + more);
}

static unsigned
next_fate(void)
{
	if (w.attributions.left == 0 || w.attributions.bad)
		w.attributions = w.plan.attributions;
	return (unsigned)pace_rd_be(&w.attributions, 1);
}

static void
echo(const struct pace_hdr *request, const struct pace_ping *asked)
{
	struct pace_hdr h = *request;
	unsigned how = next_fate();
	enum attribution attribution = how & 7;
	struct pace_ping body = { .arrival_ns = w.now + ONE_WAY_NS + THETA_NS, .back = 1,
	    .departure_ns = w.sent_ns[(h.seq - 1) % NUMBERS] + ONE_WAY_NS + THETA_NS + STAY_NS + 300,
	    .wall_ns = io_wall(NULL) - THETA_NS, .stamp = 3 & (how >> 3 ^ PACE_STAMP_KERNEL) };
	int64_t due = w.now + 2 * ONE_WAY_NS + STAY_NS;
	size_t len = asked->reply_bytes;

	h.type |= PACE_REPLY;
	h.tx_ns = body.arrival_ns + STAY_NS;
	if (attribution == LATE)
		due += repair_step_ns(pace_rd_be(&w.attributions, 1));
	if (attribution == TIMES) {
		body.arrival_ns = any(body.arrival_ns, pace_rd_be(&w.attributions, 8));
		h.tx_ns = any(h.tx_ns, pace_rd_be(&w.attributions, 8));
	}
	if (attribution == FOLLOW_UP) {
		body.back = (uint32_t)pace_rd_be(&w.attributions, 4);
		body.departure_ns = any(body.departure_ns, pace_rd_be(&w.attributions, 8));
	}
	if (attribution == LONG)
		len += pace_rd_be(&w.attributions, 2);
	if (attribution == WALL)
		body.wall_ns = any(body.wall_ns, pace_rd_be(&w.attributions, 8));
	if (how & OTHER_NUMBER)
		h.seq += pace_rd_be(&w.attributions, 1) - 128;
	if (attribution != LOST)
		put_echo(&h, &body, how, len, due);
	if (attribution == AGAIN)
		put_echo(&h, &body, how, len, due + ONE_WAY_NS);
}

static void
take_ping(const struct pace_hdr *h, const struct pace_out *out)
{
	struct pace_ping body;

	pace_ping_decode(&body, out->buf, out->len);
	MUST(h->session != 0 && h->tx_ns <= w.now);
	MUST(body.reply_bytes >= PACE_PING_SIZE && body.reply_bytes <= out->len);
	if (w.running && w.result == NULL)
		pace_receiver_rate(receiver, pace_rate_of_ping(body.rate_2p40));
	w.sent_ns[h->seq % NUMBERS] = h->tx_ns;
	w.asked_len[h->seq % NUMBERS] = body.reply_bytes;
	echo(h, &body);
}

/* The first echo that has arrived by then, or NULL. */
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

/* Which of the last replies did the client accept? If there were several, any of them. */
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

/* The bounds of the clock by this reply. */
static void
note_handed(const struct echo *e)
{
	struct pace_ping body;
	struct pace_hdr h;
	int64_t t1;

	if (pace_hdr_decode(&h, e->buf, sizeof(e->buf)) != 0)
		return;
	pace_ping_decode(&body, e->buf, PACE_PING_SIZE);
	t1 = w.sent_ns[h.seq % NUMBERS];
	w.handed[w.hands++] = (struct bounds){ .t1_ns = t1,
	    .upper_ns = any(body.arrival_ns, 0 - (uint64_t)t1),
	    .lower_ns = any(h.tx_ns, 0 - (uint64_t)w.now),
	    .as_asked = e->len == w.asked_len[h.seq % NUMBERS] };
}

#endif
