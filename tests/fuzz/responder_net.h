/*
 * responder_net.h - the network and clock of fuzz_responder: delivers datagrams to the responder,
 * and checks each datagram that the responder sends.
 *
 * Purpose    one queue for each socket: the listener's and each session's.  Datagrams to an
 *            address may carry the values that an honest client there would know.
 * Checks     each reply has a request and goes to its sender; it is no larger than the request
 *            if the address has not been proven.  The responder sends frames only with a
 *            proof that its client receives them, as proof.h says.
 * Time       stands still until pass_until; sending one frame takes FRAME_NS.
 */
#ifndef FUZZ_RESPONDER_NET_H
#define FUZZ_RESPONDER_NET_H

#include <errno.h>

#include "core/payload.h"
#include "doc/rx_result_doc.h"
#include "fuzz.h"
#include "keyed.h"
#include "mutate_datagrams.h"
#include "repair.h"
#include "server/admission/proof.h"
#include "server/responder.h"

#define PEERS		4
#define SESSIONS	3		/* one less: full is reached */
#define LIGHTS		3		/* light ones, apart from them */
#define QUEUE		40		/* more than a batch */
#define STEPS		64		/* of sessions in one time step */
#define FRAMES_MAX	48		/* of one record */
#define LARGE		9000		/* more than a buffer of the listener */
#define RECORDS		48		/* a run may have kept */
#define LEFT		256		/* departures remembered */
#define TIMES		512		/* of tagged requests that are remembered */
#define WIRE_MOST	86		/* bytes on the wire added to an IPv6 datagram */
#define SECOND_NS	INT64_C(1000000000)
#define FRAME_NS	10000
#define SLEEP_NS	INT64_C(10000000)	/* a sender sleeps no longer */
#define SHOWN		64		/* proof numbers that are remembered */

enum what { DATAGRAM, DATAGRAM_TOO, FRAMES, COLLECT, TROUBLE, PASS, ASK_TIMES, KEYS };

/* bits 3-4 of `where`, for a datagram: its tag */
enum tag {
	UNTAGGED,
	TAGGED,			/* with key A, and a later time than all before */
	TAGGED_AS_IT_IS,	/* with key A, and its own time: mostly an old one, or a copy */
	TAGGED_ODDLY		/* as the last KEYS record says: enum oddly */
};
enum oddly { FLIPPED_BIT, OTHER_KEY, OTHER_NONCE, CUT_TAG };
/* `how`, for keys: the responder's keys from now on; bits 4-5 enum oddly */
#define HAS_A		1
#define REQUIRED	2
#define POLITE		4
#define HAS_B		8
#define BUDGETED	64	/* runs have a budget that no client uses up */
/* `how`, for a datagram: which fields are corrected */
#define HEADER		1		/* magic, version, flags, check */
#define SESSION		2		/* the number of the peer's session */
#define STREAM		4		/* its current run */
#define NEXT_STREAM	8		/* the run after that */
#define COOKIE		16		/* in the JSON of the body */
#define PADDED		32		/* to the size of a HELLO */
#define HUGE_ONE	64		/* padded to LARGE */
#define HOLD		128		/* nothing is read before the next one arrives */
/* how, of frames */
#define DAMAGED		1
#define ODD_SIZE	2
#define USER_STAMP	4
#define EARLY_STAMP	8		/* the kernel's stamp is earlier than the last one */
#define ABSURD_TIME	16		/* of departure */
/* `how`, for time requests */
#define PROVES		16		/* with the newest number that was shown */
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
	bool		joins;		/* may be delivered in one piece with similar ones */
	int		key;		/* the key of its tag, with this nonce; KEY_NONE: no correct
					 * tag */
	uint64_t	nonce;
};

/* A PING that may get a reply. */
struct asked {
	uint64_t	seq;
	size_t		len, reply_len;
	int64_t		stamp_ns;
	enum pace_stamp	stamp;
	bool		stamp_reply;
};

/* When a reply to a PING left. */
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
	bool		fresh;		/* has not yet answered the OPEN that created it */
	int		allowed, replies;	/* in this step */
	struct pace_addr asked_by;	/* listener: the only request of this step */
	size_t		asked_len;
	bool		light;		/* listener: it is for a light session */
	int		asked_key;
	uint64_t	asked_nonce;
	int		key;		/* the session's; KEY_NONE: it has none */
	uint64_t	nonce;
	int64_t		heard_ns;	/* when it last read a message of its client */
	int64_t		times[TIMES];	/* of tagged requests that were read */
	unsigned	times_n;
	struct asked	asked[QUEUE];	/* in this step */
	int		asks;
	struct left	left[LEFT];	/* newest departures, by their numbers */
	uint32_t	departed, told;
	uint64_t	pinged;		/* higher than all numbers that were answered */
	/* numbers that frames and replies carried, and the number of frames before each */
	struct shown {
		uint64_t	value, frames;
		int64_t		at_ns;
	} shown[SHOWN];
	unsigned	shown_n, proven;	/* proven: the newest that the client returned; 0:
						 * none */
	uint64_t	frames;		/* that left */
};

/* State that the client at an address knows. */
struct client {
	struct pace_addr addr;
	uint64_t	session;
	uint8_t		run_number;
	bool		has_run;
	struct pace_msg_start run, offer;	/* offer: of a START that is not answered yet */
	int		offers;		/* in this step */
	uint32_t	offered_reply;	/* the largest reply to a PING that they allow */
	uint32_t	reply_max;	/* as the run's START allows */
	uint64_t	next;		/* frame */
	uint64_t	request, pings;
	uint64_t	nonce;		/* of its last tagged HELLO */
	int64_t		tagged_ns;	/* time of the last tagged message */
	bool		finished;	/* this run */
	bool		odd_finish;	/* more than one FINISH was sent: either may count */
	size_t		reply_len;
	uint8_t		reply[PACE_CONTROL_ROOM];
};

static struct world {
	int64_t		now;
	unsigned	trouble;
	uint64_t	replaced;	/* sessions that were replaced by their client's next one */
	struct port	listener, ports[SESSIONS];
	struct client	clients[PEERS];
	int		rx_captured;		/* runs that are captured */
	int64_t		turned_ns;	/* the listener's last step */
	bool		known[KEYED];	/* at the responder */
	bool		required, explain_refusal, budgeted;
	enum oddly	oddly;
	double		owed;		/* bytes on the wire that may be charged to the budget */
	double		used;		/* of it, before this input */
	struct pace_responder responder;	/* last, as it is large: it clears itself */
} w;

static struct pace_rules *rules;

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

/* Only a sender sleeps, between two frames. */
static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	const struct port *p = ctx;

	(void)st;
	MUST(p->peer >= 0 && p->proven > 0 && t_ns - w.now <= SLEEP_NS);
	if (t_ns > w.now)
		pass_until(t_ns);
	return w.now;
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	(void)ctx, (void)until_ns;
	fuzz_broken("a responder never blocks", __FILE__, __LINE__);
	return 0;
}

static uint32_t
io_drops(void *ctx)
{
	return ((struct port *)ctx)->drops;
}

static struct client *
client_at(const struct pace_addr *a)
{
	int i = 0;

	while (!pace_addr_same(&w.clients[i].addr, a))
		MUST(++i < PEERS);
	return &w.clients[i];
}

/* Has this address a light session? */
static bool
is_light(const struct pace_addr *a)
{
	const struct pace_places *l = &w.responder.lights.places;

	for (int i = 0; i < l->max; i++)
		if (l->slot[i].peer.family != 0 && pace_addr_same(&l->slot[i].peer, a))
			return true;
	return false;
}

/* The client learns the session's values from what it receives. */
static void
learn_from(struct client *c, const struct pace_out *out)
{
	struct pace_hdr h;
	struct pace_msg_error e;
	json_t *body;

	MUST(pace_hdr_decode(&h, out->buf, out->len) == 0);
	c->reply_len = out->len - (h.sealed ? PACE_SEAL_SIZE : 0);
	body = pace_msg_body(out->buf, c->reply_len);
	memcpy(c->reply, out->buf, out->len);
	if (h.type == (PACE_OPEN | PACE_REPLY)) {
		if (h.session != c->session)
			c->run_number = 0, c->has_run = false;
		c->session = h.session;
	} else if (h.type == (PACE_START | PACE_REPLY) && h.run != c->run_number &&
	    !pace_msg_is_error(body, &e)) {
		c->has_run = c->offers == 1 && h.run == (uint8_t)(c->run_number + 1);
		c->run_number = h.run;
		c->run = c->offer;
		c->reply_max = c->offered_reply;
		c->finished = false;
		c->next = 0;
	}
	json_decref(body);
}

static void
learn(const struct port *p, const struct pace_out *out)
{
	struct pace_hdr h;

	MUST(pace_hdr_decode(&h, out->buf, out->len) == 0);
	if (h.type != (PACE_HELLO | PACE_REPLY))
		MUST(p->key == KEY_NONE ? !h.sealed :
		    keyed_is_tagged(p->key, p->nonce, &h, out->buf, out->len));
	learn_from(&w.clients[p->peer], out);
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
	pace_ping_decode(&body, out->buf, out->len);
	while (i < p->asks && (p->asked[i].seq != h->seq || p->asked[i].reply_len != out->len ||
	    p->asked[i].stamp_ns != body.arrival_ns || p->asked[i].stamp != body.stamp))
		i++;
	MUST(i < p->asks);		/* exactly this one was requested */
	/* a rule with reverse = yes allows larger replies, as far as START requested */
	MUST(out->len <= p->asked[i].len || out->len <= w.clients[p->peer].reply_max);
	/* of the first answer to a number */
	MUST(out->stamp == (p->asked[i].stamp_reply && h->seq >= p->pinged));
	p->pinged = h->seq >= p->pinged ? h->seq + 1 : p->pinged;
	p->asked[i] = p->asked[--p->asks];
	MUST(body.wall_ns == io_wall(NULL));
	MUST(body.back == 0 || has_left(p, h->seq - body.back, body.departure_ns));
}

/* Sometimes refused departures also use up numbers. */
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

/* --- proofs ------------------------------------------------------------------ */

static void
note_shown(struct port *p, uint64_t value)
{
	if (value == 0 || (p->shown_n > 0 && p->shown[(p->shown_n - 1) % SHOWN].value == value))
		return;
	p->shown[p->shown_n++ % SHOWN] = (struct shown){ value, p->frames, w.now };
}

static void
note_proven(struct port *p, uint64_t value)
{
	for (unsigned i = p->shown_n; i > p->proven && i + SHOWN > p->shown_n; i--)
		if (p->shown[(i - 1) % SHOWN].value == value)
			p->proven = i;
}

/* A frame leaves: not before the first number was returned, and neither long nor many frames after
 * the newest one. */
static void
check_frame(struct port *p, const struct pace_hdr *h, const struct pace_out *out)
{
	const struct shown *s = &p->shown[(p->proven - 1) % SHOWN];

	MUST(p->peer >= 0 && out->to.family == 0 && h->session == w.clients[p->peer].session);
	MUST(p->proven > 0 && p->proven + SHOWN > p->shown_n);
	MUST(w.now <= s->at_ns + PACE_PROOF_MOST_NS + FRAME_NS ||
	    p->frames < s->frames + PACE_PROOF_FRAMES);
	p->frames++;
	note_shown(p, h->proof);
	w.owed += (double)out->len + WIRE_MOST;
}

static int
send_frames_down(struct port *p, const struct pace_out *v, int n)
{
	struct pace_hdr h;

	for (int i = 0; i < n; i++) {
		MUST(pace_hdr_decode(&h, v[i].buf, v[i].len) == 0 && h.type == PACE_FRAME_DOWN);
		if (v[i].stamp)
			note_left(p, h.seq);
		if ((w.trouble & NO_SEND) == 0)
			check_frame(p, &h, &v[i]);
		pass_until(w.now + FRAME_NS);
	}
	return w.trouble & NO_SEND ? -105 : n;
}

/* From a light session: at most one reply to the one datagram of this step, to its address; to a
 * PING never a larger one.  A rule that ends a run tells it once more. */
static int
send_light(struct port *p, const struct pace_hdr *h, const struct pace_out *out)
{
	struct client *c = client_at(&out->to);

	MUST(pace_addr_same(&out->to, &p->asked_by) && pace_addr_same(&out->from, &here));
	MUST((h->type & PACE_REPLY) != 0 && h->type != PACE_FRAME_DOWN);
	if (h->type != (PACE_HELLO | PACE_REPLY) && h->type != (PACE_OPEN | PACE_REPLY))
		MUST(h->session == c->session);
	if (h->type == (PACE_PING | PACE_REPLY))
		MUST(out->len <= p->asked_len && out->len <= PACE_PING_FREE);
	if (!w.budgeted || h->type != (PACE_FINISH | PACE_REPLY) || h->seq != 0)
		MUST(++p->replies <= 1);
	if (out->stamp)
		note_left(p, h->seq);
	w.owed += (double)out->len + WIRE_MOST;
	if (h->type != (PACE_PING | PACE_REPLY))
		learn_from(c, out);
	return w.trouble & NO_SEND ? -105 : 1;
}

/* The time, the socket, the address and the bytes of each datagram. */
static void
sum_sent(const struct port *p, const struct pace_out *v, int n)
{
	for (int i = 0; replay_sum != NULL && i < n; i++) {
		fuzz_sum("now", &w.now, sizeof(w.now));
		fuzz_sum("from", &p->peer, sizeof(p->peer));
		fuzz_sum("to", &v[i].to.port, sizeof(v[i].to.port));
		fuzz_sum("sent", v[i].buf, v[i].len);
	}
}

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	struct port *p = ctx;
	struct pace_ping ping;
	struct pace_hdr h;

	sum_sent(p, v, n);
	MUST(n > 0 && pace_hdr_decode(&h, v->buf, v->len) == 0);
	if (h.type == PACE_FRAME_DOWN)
		return send_frames_down(p, v, n);
	MUST(n == 1);
	if (p->peer < 0 && (p->light || (h.session != 0 && is_light(&v->to))))
		return send_light(p, &h, v);
	if (h.type == (PACE_PING | PACE_REPLY)) {
		pace_ping_decode(&ping, v->buf, v->len);
		note_shown(p, ping.proof);
		check_times(p, &h, v);
		w.owed += (double)v->len + WIRE_MOST;
		if (v->stamp)
			note_left(p, h.seq);
		return w.trouble & NO_SEND ? -105 : 1;
	}
	check_reply(p, &h, v);
	if (!w.budgeted || h.type != (PACE_FINISH | PACE_REPLY) || h.seq != 0)
		p->replies++;		/* otherwise a rule has ended the run */
	MUST(p->replies <= p->allowed);
	w.owed += (double)v->len + WIRE_MOST;
	if (p->peer >= 0)
		learn(p, v);
	return w.trouble & NO_SEND ? -105 : 1;
}

/* A START that the session may accept: the parameters of its run. */
static void
note_offer(struct client *c, const struct pace_hdr *h, const struct datagram *d)
{
	json_t *body = pace_request_body(h, d->buf, d->len);
	struct pace_msg_start m;

	memset(&m, 0, sizeof(m));
	if (h->session == c->session && pace_msg_start(body, &m) == 0) {
		c->offer = m;
		c->offers++;		/* above 1: either may be accepted */
		if (m.pings && m.reply_bytes > c->offered_reply)
			c->offered_reply = m.reply_bytes;
	}
	json_decref(body);
}

/* Is its tag correct, at the listener and for a HELLO? */
static bool
admissible(const struct datagram *d, const struct pace_hdr *h)
{
	if (d->key != KEY_NONE)
		return w.known[d->key];
	return !h->sealed && !w.required;
}

/* May the listener answer? */
static bool
for_listener(const struct datagram *d, const struct pace_hdr *h, bool spoken)
{
	if (h->type == PACE_HELLO)
		return !w.required || w.explain_refusal || (spoken && admissible(d, h));
	return spoken && h->type != PACE_DATA && h->type != PACE_PING &&
	    (h->type & PACE_REPLY) == 0 && admissible(d, h);
}

/* Does the session's client send this? With a key the tag decides. */
static bool
is_clients(const struct port *p, const struct datagram *d, const struct pace_hdr *h)
{
	if (!pace_addr_same(&d->from, &w.clients[p->peer].addr))
		return false;
	if (h->type == PACE_OPEN)
		return p->key == KEY_NONE ? d->key != KEY_NONE || !h->sealed : d->key == p->key;
	if (h->session != w.clients[p->peer].session)
		return false;
	if (h->type == PACE_DATA || h->type == PACE_PING)
		return true;
	if (p->key == KEY_NONE)
		return !h->sealed;
	return (h->type & PACE_REPLY) == 0 && d->key == p->key && d->nonce == p->nonce;
}

/* Was a tagged request with this time read before? Remember it. */
static bool
is_copy(struct port *p, int64_t tx_ns)
{
	for (unsigned i = 0; i < TIMES && i < p->times_n; i++)
		if (p->times[i] == tx_ns)
			return true;
	p->times[p->times_n++ % TIMES] = tx_ns;
	return false;
}

/* Is it addressed to this port, so that it may be answered? */
static bool
addressed(struct port *p, const struct datagram *d)
{
	struct pace_hdr h;
	int rc = pace_hdr_decode(&h, d->buf, d->len);

	if (rc != 0 && (rc != -EPROTONOSUPPORT || h.type != PACE_HELLO))
		return false;
	if (p->peer < 0)
		return for_listener(d, &h, rc == 0);
	if (h.type == PACE_HELLO)
		return pace_addr_same(&d->from, &w.clients[p->peer].addr) &&
		    for_listener(d, &h, rc == 0);
	if (!is_clients(p, d, &h))
		return false;
	w.owed += (double)d->len + WIRE_MOST;
	if (p->key != KEY_NONE && d->key == p->key && d->nonce == p->nonce && is_copy(p, h.tx_ns))
		return false;
	p->heard_ns = w.now;
	if (h.type == PACE_START)
		note_offer(&w.clients[p->peer], &h, d);
	return h.type != PACE_DATA && h.type != PACE_PING && (h.type & PACE_REPLY) == 0;
}

/* The listener's only datagram of this step is for the light session of its address. */
static void
note_light(struct port *p, const struct datagram *d)
{
	struct pace_hdr h;

	w.owed += (double)d->len + WIRE_MOST;
	if (pace_hdr_decode(&h, d->buf, d->len) == 0 && h.type == PACE_START)
		note_offer(client_at(&d->from), &h, d);
	p->light = true;
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
	pace_ping_decode(&body, d->buf, d->len);
	note_proven(p, body.proof);
	if (body.reply_bytes < PACE_PING_SIZE)
		return;
	MUST(p->asks < QUEUE);
	p->asked[p->asks++] = (struct asked){ .seq = h.seq, .len = d->len,
	    .reply_len = body.reply_bytes, .stamp_ns = d->stamp_ns, .stamp = d->stamp,
	    .stamp_reply = body.stamp_reply };
}

/* How many datagrams of the queue, n at least 1, arrive in one piece: all of the same length,
 * except that the last one may be shorter. */
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

/* Copy as much as fits; unfilled bytes are poisoned. */
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

/* Return how many datagrams of the queue were delivered. */
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
	in->has_mark = true;
	in->mark = (uint8_t)d->len;
	in->from = d->from;
	in->local = here;
	return n;
}

/* The listener gets one at a time: so each reply has one request. */
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
		if (p->peer < 0 && is_light(&p->queue[i].from))
			note_light(p, &p->queue[i]);
		else
			p->allowed += addressed(p, &p->queue[i]);
		note_asked(p, &p->queue[i]);
		p->asked_len = p->queue[i].len;
		p->asked_by = p->queue[i].from;
		p->asked_key = p->queue[i].key;
		p->asked_nonce = p->queue[i].nonce;
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

/* Frames of equal size in one buffer. */
static int
io_train(void *ctx, const uint8_t *buf, size_t size, int n, bool *segmented)
{
	struct pace_out out = { .buf = buf, .len = size };
	int sent = 0;

	*segmented = n > 1;
	for (; sent < n && send_frames_down(ctx, &out, 1) == 1; sent++)
		out.buf += size;
	return sent > 0 ? sent : -105;
}

static struct pace_io
io_of(struct port *p)
{
	return (struct pace_io){ .ctx = p, .send = io_send, .train = io_train, .recv = io_recv, .now = io_now,
	    .sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	    .coalesce = io_coalesce, .usage = io_usage, .wall = io_wall,
	    .departures = io_departures, .renumber = io_renumber };
}

#endif
