/*
 * A run whose frames the client receives, with the same receiver as in the responder.  PINGs prove
 * to the responder that the frames arrive, and FINISHs ask it whether all frames have left.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "core/clockfit.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "doc/tx_result_doc.h"
#include "stream/receiver.h"

#define BATCH		32
#define ROUNDS		64			/* batches, then the time is read */
#define ROOM		2048			/* for a reply, and the head of a frame */
#define WHOLE		(PACE_FRAME_MAX + 1)
#define COALESCE_MAX	2048			/* larger frames cost more to copy */
#define ASK_NS		INT64_C(100000000)	/* between two FINISHs */
#define QUIET_NS	INT64_C(500000000)	/* without a frame the run may have ended early */
#define STOP_NS		INT64_C(3000000000)	/* deadline of a FINISH that stops the run */
#define REFIT_NS	INT64_C(2000000000)	/* the first time; then each time twice as late */

struct client_down {
	struct pace_client *c;
	struct pace_client_down_live *live;	/* NULL: it is no live run */
	const struct pace_params *ask;
	struct pace_receiver *rx;
	struct pace_in	in[BATCH];
	uint8_t		*buffers;
	uint32_t	drops;			/* newest drop count of the socket */
	uint64_t	first;			/* number of the first FINISH */
	int64_t		began_ns, ping_ns, look_ns, ask_ns, refit_ns;
	int64_t		heard_ns, frame_ns;	/* last datagram of the responder; last frame */
	int64_t		stop_ns;		/* when the run was stopped; 0: it was not */
	int64_t		end_ns;			/* of the grace time; INT64_MAX: not known yet */
	uint64_t	sent;			/* frames that left, when all have */
	bool		complete;		/* no frame is missing */
	bool		refused;		/* the responder has no such run, or ended it */
};

/* --- receiving ---------------------------------------------------------------- */

/* Read the reply to FINISH: have all frames left? */
static void
on_finish(struct client_down *d, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	struct pace_client *c = d->c;
	size_t len = in->len;
	struct pace_msg_ready m;
	struct pace_msg_error e;
	json_t *body;

	if (h->seq < d->first || h->seq > c->request || in->len > in->size ||
	    (c->key != NULL ? !pace_client_genuine(c, h, in->buf, len) : h->sealed))
		return;
	body = pace_msg_body(in->buf, c->key != NULL ? len - PACE_SEAL_SIZE : len);
	d->heard_ns = now;
	if (body != NULL && pace_msg_is_error(body, &e))
		d->refused = true;
	else if (body != NULL && pace_msg_ready(body, &m) == 0 && m.ready &&
	    d->end_ns == INT64_MAX) {
		d->sent = m.sent;
		d->end_ns = now + d->ask->grace_ns;
	}
	json_decref(body);
}

static void
on_frame(struct client_down *d, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	pace_receiver_take(d->rx, h, in);
	if (h->proof != 0)
		d->c->pinger.proof = h->proof;
	d->heard_ns = d->frame_ns = now;
}

static void
take(struct client_down *d, const struct pace_in *in, int64_t now)
{
	struct pace_client *c = d->c;
	struct pace_hdr h;
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	bool ours = rc == 0 && h.session == c->session && h.run == c->run && h.stream == 0;

	if (in->has_drops)
		d->drops = in->drops;
	if (ours && h.type == PACE_FRAME_DOWN) {
		on_frame(d, &h, in, now);
	} else if (ours && h.type == (PACE_PING | PACE_REPLY)) {
		if (pace_pinger_take(&c->pinger, &h, in, now))
			d->heard_ns = now;
	} else if (rc == 0 && (h.type == (PACE_CLOSE | PACE_REPLY) ||
	    (h.type == (PACE_FINISH | PACE_REPLY) && h.seq == 0))) {
		pace_pinger_dismiss(&c->pinger, &h, in);
	} else if (ours && h.type == (PACE_FINISH | PACE_REPLY)) {
		on_finish(d, &h, in, now);
	} else if (d->live != NULL && ours && h.type == (PACE_REPORT | PACE_REPLY)) {
		c->pinger.other(c->pinger.other_ctx, &h, in);
	} else {
		pace_receiver_foreign(d->rx);
		c->strays++;
	}
}

/* Split a datagram of several pieces (GRO) and take each piece. */
static void
take_all(struct client_down *d, const struct pace_in *in, int64_t now)
{
	size_t step = in->segment > 0 ? in->segment : in->len;
	struct pace_in one = *in;

	for (size_t at = 0; at < in->len && at < in->size; at += step) {
		one.buf = in->buf + at;
		one.len = in->len - at < step ? in->len - at : step;
		one.size = in->size - at < one.len ? in->size - at : one.len;
		take(d, &one, now);
	}
}

static void
receive(struct client_down *d)
{
	const struct pace_io *io = &d->c->io;
	size_t room = d->in[0].size;
	int n = BATCH;

	for (int round = 0; round < ROUNDS && n == BATCH; round++) {
		for (int i = 0; i < BATCH; i++)
			d->in[i].size = room;
		n = io->recv(io->ctx, d->in, BATCH);
		for (int i = 0; i < n; i++)
			take_all(d, &d->in[i], io->now(io->ctx));
		if (d->live != NULL && n > 0)
			pace_client_down_look(d->c, d->live);
	}
}

/* --- sending ------------------------------------------------------------------ */

/* Make exchanges, and fit the clock's rate now and then. */
static void
ping(struct client_down *d, int64_t now)
{
	struct pace_pinger *p = &d->c->pinger;
	int64_t every_ns = d->live != NULL && d->live->ping_ns < PACE_SENDER_PING_NS ?
	    d->live->ping_ns : PACE_SENDER_PING_NS;	/* proofs are due, too */

	(void)pace_pinger_send(p, PACE_PINGER_SIZE, PACE_PINGER_SIZE);
	d->ping_ns = now + every_ns;
	d->look_ns = now + every_ns / 2;
	if (now < d->refit_ns)
		return;
	p->rate = pace_clockfit_rate(&d->c->fit);
	pace_receiver_rate(d->rx, -p->rate / (1 + p->rate));	/* our rate, seen from theirs */
	d->refit_ns = now + (now - d->began_ns);
}

static void
ask_end(struct client_down *d, int64_t now)
{
	const struct pace_msg_finish m = { .stop = d->stop_ns != 0 };

	(void)pace_client_send(d->c, PACE_FINISH, ++d->c->request, pace_msg_finish_json(&m));
	d->ask_ns = now + ASK_NS;
	d->frame_ns = now;
}

/* Send whatever is due. */
static void
act(struct client_down *d, int64_t now)
{
	struct pace_pinger *p = &d->c->pinger;

	if (d->live != NULL && now >= d->live->beside->due_ns)
		d->live->beside->act(d->live->beside->ctx, now);
	if (d->stop_ns == 0 && pace_client_ends(d->c)) {
		d->stop_ns = now;
		d->ask_ns = now;
	}
	if (d->end_ns == INT64_MAX && (now >= d->ask_ns || now - d->frame_ns > QUIET_NS))
		ask_end(d, now);
	if (now >= d->ping_ns)
		ping(d, now);
	if (now >= d->look_ns) {
		pace_pinger_departures(p);
		pace_pinger_settle(p, false);
		d->look_ns = d->ping_ns + 1;
	}
	if (d->end_ns != INT64_MAX && !d->complete && pace_receiver_complete(d->rx, d->sent)) {
		d->complete = true;	/* only duplicates can still arrive */
		if (now + d->ask->grace_ns / 5 < d->end_ns)
			d->end_ns = now + d->ask->grace_ns / 5;
	}
}

/* --- a run ---------------------------------------------------------------------- */

static int
prepare(struct client_down *d, const struct pace_msg_start *m)
{
	struct pace_client *c = d->c;
	bool whole = m->ask.train > 1 && m->ask.size_bytes <= COALESCE_MAX;
	size_t room = m->ask.verify || whole ? WHOLE : ROOM;

	pace_receiver_free(c->receiver);
	c->receiver = d->rx = pace_receiver_new();
	d->buffers = malloc(BATCH * room);
	d->drops = c->io.drops(c->io.ctx);
	if (d->rx == NULL || d->buffers == NULL ||
	    pace_receiver_start(d->rx, m, d->drops, whole) < 0)
		return -ENOMEM;
	for (int i = 0; i < BATCH; i++)
		d->in[i] = (struct pace_in){ .buf = d->buffers + (size_t)i * room, .size = room };
	c->io.coalesce(c->io.ctx, whole);
	return 0;
}

/* Receive up to the end of the grace time. */
static int
follow(struct client_down *d)
{
	struct pace_client *c = d->c;
	int64_t now, until;

	while ((now = pace_client_now(c)) < d->end_ns && !d->refused &&
	    (d->live == NULL || !d->live->beside->over)) {
		if (now - d->heard_ns > PACE_SENDER_SILENT_NS ||
		    (d->stop_ns != 0 && d->end_ns == INT64_MAX && now - d->stop_ns > STOP_NS))
			return -ETIMEDOUT;
		act(d, now);
		until = d->end_ns < d->ping_ns ? d->end_ns : d->ping_ns;
		if (d->look_ns < until)
			until = d->look_ns;
		if (!d->ask->busy_poll)
			(void)c->io.wait(c->io.ctx, until);
		receive(d);
		if (c->progress != NULL)
			atomic_store_explicit(&c->progress->sent, pace_receiver_unique(d->rx),
			    memory_order_relaxed);
	}
	return 0;
}

int
pace_client_down_run(struct pace_client *c, const struct pace_msg_start *m,
    struct pace_client_down_live *live)
{
	int64_t now = pace_client_now(c);
	struct client_down d = { .c = c, .live = live, .ask = &m->ask, .first = c->request + 1,
	    .began_ns = now, .ping_ns = now, .look_ns = now, .heard_ns = now,
	    .frame_ns = now,
	    .ask_ns = now + pace_params_duration_ns(&m->ask) + ASK_NS,
	    .refit_ns = now + REFIT_NS, .end_ns = INT64_MAX };
	int rc = prepare(&d, m);

	c->pinger.prove = true;
	if (rc == 0)
		rc = follow(&d);
	c->pinger.prove = false;
	c->io.coalesce(c->io.ctx, false);
	c->drops = c->io.drops(c->io.ctx) != 0 ? c->io.drops(c->io.ctx) : d.drops;
	free(d.buffers);
	return rc;
}

void
pace_client_down_look(struct pace_client *c, struct pace_client_down_live *live)
{
	struct pace_report *own = live->own;
	struct pace_recent batch;

	pace_recent_none(&batch);
	pace_receiver_look(c->receiver, &own->run, &own->gaps, &own->jitter_ns, &batch);
	pace_recent_add(&own->recent, &batch);
	if (batch.samples > 0)
		pace_coarse_hist_add(&live->delay, batch.above_max_ns);
}

/* --- its result ----------------------------------------------------------------- */

/* theta as the receiver needs it: our clock - the sender's clock, at the sender's time. */
static void
turn_round(const struct pace_clock_estimate *e, struct pace_clock_estimate *out)
{
	*out = *e;
	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *s = &e->v[i];
		struct pace_clock_segment *o = &out->v[i];
		double rest;

		o->from_ns = s->from_ns + pace_clock_line_at(&s->line, s->from_ns);
		o->to_ns = s->to_ns + pace_clock_line_at(&s->line, s->to_ns);
		o->line.t_ns = s->line.t_ns + s->line.offset_ns;
		o->line.rate = -s->line.rate / (1 + s->line.rate);
		/* the line is frac_ns later than that time */
		rest = -s->line.frac_ns * (1 + o->line.rate);
		o->line.offset_ns = -s->line.offset_ns - (rest < 0);
		o->line.frac_ns = rest < 0 ? 1 + rest : 0;
	}
}

int
pace_client_down_result(struct pace_client *c, struct pace_point *p, const json_t *j)
{
	struct pace_msg_finish f = { .sent = 0 };
	struct pace_tx_result r;
	struct pace_rx_result *rx;
	struct pace_usage now;
	int rc = pace_tx_result_from_json(&r, &p->tx, &p->theirs, j);

	if (rc < 0 || c->receiver == NULL)
		return rc < 0 ? rc : -EPROTO;
	f.sent = p->tx.frames;
	turn_round(&p->clock.fit, &f.theta);
	rx = pace_receiver_finish(c->receiver, &f, c->drops);
	c->io.usage(c->io.ctx, &now);
	rx->clock = now.clock;
	rx->clock_steps = now.clock_steps - c->usage.clock_steps;
	rx->bad_checksums = now.bad_checksums - c->usage.bad_checksums;
	rx->rcvbuf_asked = c->own_rcvbuf_asked;
	rx->rcvbuf_granted = c->own_rcvbuf_granted;
	rx->lease_lost = r.lease_lost;
	p->rx = *rx;
	p->rx.linear.count = p->rx.linear_counts;
	p->clock.theirs = r.clock;
	p->ledger.asked = r.asked;
	if (r.due_ns != 0)
		p->tx.due_wall_ns = r.due_ns - pace_clock_at(&p->clock.fit, p->clock.from_ns) +
		    c->io.wall(c->io.ctx);
	c->failed = r.failed;
	return pace_rx_result_holds(&p->rx) ? 0 : -EPROTO;
}
