/*
 * A run whose frames the client receives, with the same receiver as in the responder, one for each
 * stream; several threads receive several streams (client_down_threads.c).  PINGs prove to the
 * responder that the frames of each flow arrive, and FINISHs ask it whether all frames have left.
 * In a two-way run one thread sends and receives: between two of its own frames it reads as many
 * datagrams as fit, since the kernel has stamped them when they arrived.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_down_own.h"
#include "core/clockfit.h"
#include "doc/params.h"
#include "stream/receiver.h"

#define ROOM		2048			/* for a reply, and the head of a frame */
#define WHOLE		(PACE_FRAME_MAX + 1)
#define COALESCE_MAX	2048			/* larger frames cost more to copy */
#define ASK_NS		INT64_C(100000000)	/* between two FINISHs */
#define QUIET_NS	INT64_C(500000000)	/* without a frame the run may have ended early */
#define STOP_NS		INT64_C(3000000000)	/* deadline of a FINISH that stops the run */
#define MEET_NS		INT64_C(500000000)	/* own frames wait for the responder's this long */
#define NOTICE_NS	INT64_C(3000000)	/* other threads notice within this time when to send */
#define REFIT_NS	INT64_C(50000000)	/* the first time; then each time twice as late */
#define FLOWS_A_PING	64			/* that return a proof every PACE_SENDER_PING_NS; more take
						 * turns */

/* --- receiving ---------------------------------------------------------------- */

/* Read the reply to FINISH: have all frames left?  The grace time begins when this is known of all
 * streams. */
static void
on_finish(struct client_down *d, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	struct pace_client *c = d->c;
	struct down_flow *f = &d->flow[h->stream];
	size_t len = in->len;
	struct pace_msg_ready m;
	struct pace_msg_error e;
	bool all = true;
	json_t *body;

	if (h->seq < d->first || h->seq > c->request || in->len > in->size ||
	    (c->key != NULL ? !pace_client_genuine(c, h, in->buf, len) : h->sealed))
		return;
	body = pace_msg_body(in->buf, c->key != NULL ? len - PACE_SEAL_SIZE : len);
	d->flow[0].heard_ns = now;
	if (body != NULL && pace_msg_is_error(body, &e)) {
		d->refused = true;
	} else if (body != NULL && pace_msg_ready(body, &m) == 0 && m.ready && !f->known) {
		if (h->stream == 0)
			d->ask_ns = now;	/* ask the others as well */
		f->known = true;
		f->sent = m.sent;
	}
	json_decref(body);
	for (uint32_t i = 0; i < d->n; i++)
		all = all && d->flow[i].known;
	if (all && d->end_ns == INT64_MAX) {
		pace_client_down_threads_stop(d);	/* frames that still come are few */
		d->end_ns = now + d->ask->grace_ns;
	}
}

void
pace_client_down_frame(struct down_flow *f, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now)
{
	pace_receiver_take(f->rx, h, in);
	if (h->proof != 0)
		f->proof = h->proof;
	atomic_store_explicit(&f->heard_ns, now, memory_order_relaxed);
}

static void
on_frame(struct client_down *d, struct down_flow *f, const struct pace_hdr *h,
    const struct pace_in *in, int64_t now)
{
	pace_client_down_frame(f, h, in, now);
	if (h->proof != 0 && f->stream == 0)
		d->c->pinger.proof = h->proof;
	pace_polling_take(&d->polling, now);
	d->frame_ns = now;
	d->came = true;
}

static void
on_ping(struct client_down *d, struct down_flow *f, const struct pace_hdr *h,
    const struct pace_in *in, int64_t now)
{
	struct pace_ping p;

	if (f->stream == 0) {
		if (pace_pinger_take(&d->c->pinger, h, in, now))
			f->heard_ns = now;
		return;
	}
	pace_ping_decode(&p, in->buf, in->len);
	if (p.proof != 0)
		f->proof = p.proof;
	f->heard_ns = now;
}

bool
pace_client_down_is_late(const struct pace_client *c, const struct pace_hdr *h)
{
	return h->type == (PACE_HELLO | PACE_REPLY) || (h->session == c->session &&
	    (h->type & PACE_REPLY) != 0 && h->type != PACE_FRAME_DOWN &&
	    h->type != (PACE_PING | PACE_REPLY));
}

static void
take(struct client_down *d, struct down_flow *f, const struct pace_in *in, int64_t now)
{
	struct pace_client *c = d->c;
	struct pace_hdr h;
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	bool ours = rc == 0 && h.session == c->session && h.run == c->run;
	bool own = f->stream == 0, of_flow = ours && h.stream == f->stream;

	if (in->has_drops)
		f->drops = in->drops;
	if (of_flow && h.type == PACE_FRAME_DOWN) {
		on_frame(d, f, &h, in, now);
	} else if (of_flow && h.type == (PACE_PING | PACE_REPLY)) {
		on_ping(d, f, &h, in, now);
	} else if (own && rc == 0 && (h.type == (PACE_CLOSE | PACE_REPLY) ||
	    (h.type == (PACE_FINISH | PACE_REPLY) && h.seq == 0))) {
		pace_pinger_dismiss(&c->pinger, &h, in);
	} else if (own && ours && h.stream < d->n && h.type == (PACE_FINISH | PACE_REPLY)) {
		on_finish(d, &h, in, now);
	} else if (own && d->live != NULL && ours && h.type == (PACE_REPORT | PACE_REPLY)) {
		c->pinger.other(c->pinger.other_ctx, &h, in);
	} else {
		if (rc != 0 || !pace_client_down_is_late(c, &h))
			pace_receiver_foreign(f->rx);
		c->strays++;
	}
}

/* The flow that is being read. */
struct down_reading {
	struct client_down *d;
	struct down_flow *f;
};

static void
take_batch(void *ctx, const struct pace_in *v, int n)
{
	const struct down_reading *r = ctx;
	struct client_down *d = r->d;
	int64_t now = n > 0 ? pace_client_now(d->c) : 0;
	const struct pace_in *piece;
	struct pace_in room;

	for (int i = 0; i < n; i++)
		for (size_t at = 0; (piece = pace_reader_piece(&v[i], &at, &room)) != NULL;)
			take(d, r->f, piece, now);
	if (d->live != NULL && !d->live->counts_only && n > 0)
		pace_client_down_look(d->c, d->live);
}

/* Read what waits, about `most` datagrams. */
static void
receive(struct client_down *d, struct down_flow *f, int64_t most)
{
	struct down_reading r = { .d = d, .f = f };

	(void)pace_reader_read(f->io, d->in, PACE_READER_BATCH, most, &d->room, take_batch, &r);
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
	for (uint32_t i = 0; i < d->n; i++)	/* our rate, seen from theirs */
		if (!d->flow[i].lent)
			pace_receiver_rate(d->flow[i].rx, -p->rate / (1 + p->rate));
	pace_client_down_threads_rate(d, -p->rate / (1 + p->rate));
	d->refit_ns = now + (now - d->began_ns);
}

void
pace_client_down_prove(const struct client_down *d, struct down_flow *f, int64_t now)
{
	const struct pace_ping p = { .reply_bytes = PACE_PINGER_SIZE, .proof = f->proof };
	const struct pace_hdr h = { .type = PACE_PING, .run = d->c->run,
	    .stream = (uint8_t)f->stream, .session = d->c->session, .seq = ++f->pings,
	    .tx_ns = now };
	uint8_t buf[PACE_PINGER_SIZE] = { 0 };
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	f->ping_ns = now + d->prove_ns;
	if (pace_ping_encode(buf, sizeof(buf), &h, &p) >= 0)
		(void)f->io->send(f->io->ctx, &out, 1);	/* the next one follows soon */
}

/* Ask about stream 0, whose answer is that all streams are over, then about the others. */
static void
ask_end(struct client_down *d, int64_t now)
{
	struct pace_msg_finish m = { .stop = d->stop_ns != 0 };
	uint32_t n = d->flow[0].known ? d->n : 1;

	for (uint32_t i = 0; i < n; i++) {
		if (d->flow[i].known)
			continue;
		m.sent = d->up != NULL ? pace_client_up_tx(d->up, i)->frames : 0;
		(void)pace_client_send_stream(d->c, PACE_FINISH, (uint8_t)i, ++d->c->request,
		    pace_msg_finish_json(&m));
	}
	d->ask_ns = now + ASK_NS;
	d->frame_ns = now;
}

/* True if no stream misses a frame. */
static bool
is_complete(const struct client_down *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (!pace_receiver_complete(d->flow[i].rx, d->flow[i].sent))
			return false;
	return true;
}

/* True if a further flow is silent for so long that the run must end: nothing came, not even
 * answers. */
static bool
has_silent_flow(const struct client_down *d, int64_t now)
{
	for (uint32_t i = 1; i < d->n && !d->flow[0].known; i++)
		if (now - d->flow[i].heard_ns > PACE_SENDER_SILENT_NS)
			return true;
	return false;
}

/* Send own frames that are due.  They begin with the responder's first one, so that the streams of
 * both directions are there at the same time. */
static void
send_up(struct client_down *d, int64_t now)
{
	if (d->up == NULL)
		return;
	if (!d->up->begun && !d->up->over && (d->came || now - d->began_ns >= MEET_NS)) {
		int64_t t0_ns = pace_sender_begin_ns(&d->up->sender) +
		    (d->threads != NULL ? NOTICE_NS : 0);

		pace_client_up_begin(d->up, t0_ns);
		atomic_store(&d->t0_ns, t0_ns);
		d->ask_ns = INT64_MAX;		/* until all own frames have left */
	}
	pace_client_up_step(d->up, now);
}

/* Have all own frames left, or are there none?  *rc: 0, or -errno of a thread that failed. */
static bool
own_left(const struct client_down *d, int *rc)
{
	bool all;

	*rc = pace_client_down_threads_sent(d, &all);
	if (d->up == NULL)
		return true;
	if (d->up->rc < 0)
		*rc = d->up->rc;
	return all && d->up->over;
}

/* Send whatever is due. */
static void
act(struct client_down *d, int64_t now)
{
	struct pace_pinger *p = &d->c->pinger;
	int own;
	bool left = own_left(d, &own);

	if (d->live != NULL && now >= d->live->beside->due_ns)
		d->live->beside->act(d->live->beside->ctx, now);
	d->lost_flow = d->lost_flow || has_silent_flow(d, now);
	if (d->stop_ns == 0 && (pace_client_ends(d->c) || own < 0 || d->lost_flow)) {
		if (d->up != NULL)
			pace_client_up_end(d->up, 0);
		atomic_store_explicit(&d->halt, true, memory_order_relaxed);
		d->stop_ns = now;
		d->ask_ns = now;
	}
	if (left && d->ask_ns == INT64_MAX)
		d->ask_ns = now;
	if (d->end_ns == INT64_MAX && left &&
	    (now >= d->ask_ns || now - d->frame_ns > QUIET_NS))
		ask_end(d, now);
	if (now >= d->ping_ns)
		ping(d, now);
	for (uint32_t i = 1; i < d->n && !d->flow[0].known; i++)
		if (!d->flow[i].lent && now >= d->flow[i].ping_ns)
			pace_client_down_prove(d, &d->flow[i], now);
	if (now >= d->look_ns) {
		pace_pinger_departures(p);
		pace_pinger_settle(p, false);
		d->look_ns = d->ping_ns + 1;
	}
	if (d->end_ns != INT64_MAX && !d->complete && is_complete(d)) {
		d->complete = true;	/* only duplicates can still arrive */
		if (now + d->ask->grace_ns / 5 < d->end_ns)
			d->end_ns = now + d->ask->grace_ns / 5;
	}
}

/* --- a run ---------------------------------------------------------------------- */

/* Give a stream its receiver, which the client keeps. */
static int
prepare_flow(struct client_down *d, uint32_t i, const struct pace_msg_start *m, bool whole)
{
	struct pace_client *c = d->c;
	struct pace_receiver **kept = i == 0 ? &c->receiver : &c->flow[i].receiver;
	struct down_flow *f = &d->flow[i];

	f->io = pace_client_flow_io(c, i);
	f->stream = i;
	f->core = -1;
	f->heard_ns = d->began_ns;
	f->ping_ns = d->began_ns + d->prove_ns / d->n * i;
	f->drops = f->io->drops(f->io->ctx);
	pace_receiver_free(*kept);
	*kept = f->rx = pace_receiver_new();
	if (f->rx == NULL || pace_receiver_start(f->rx, m, f->drops, whole) < 0)
		return -ENOMEM;
	f->io->coalesce(f->io->ctx, whole);
	return 0;
}

static int
prepare(struct client_down *d, const struct pace_msg_start *m)
{
	bool whole = m->ask.train > 1 && m->ask.size_bytes <= COALESCE_MAX;
	size_t room = m->ask.verify || whole ? WHOLE : ROOM;
	int rc = 0;

	d->room = room;
	d->buffers = malloc(PACE_READER_BATCH * room);
	pace_polling_begin(&d->polling, &m->ask, d->c->own_rcvbuf_granted);
	for (uint32_t i = 0; rc == 0 && i < d->n; i++)
		rc = prepare_flow(d, i, m, whole);
	if (d->buffers == NULL || rc < 0)
		return -ENOMEM;
	for (int i = 0; i < PACE_READER_BATCH; i++)
		d->in[i] = (struct pace_in){ .buf = d->buffers + (size_t)i * room, .size = room };
	return 0;
}

/* Wait for datagrams, until something is due. */
static void
wait_for_frames(struct client_down *d, int64_t now)
{
	struct pace_io *io = &d->c->io;
	int64_t look_ns = pace_polling_next(&d->polling, now);
	int64_t until = d->end_ns < d->ping_ns ? d->end_ns : d->ping_ns;

	if (d->look_ns < until)
		until = d->look_ns;
	if (d->up != NULL && pace_client_up_due(d->up) - PACE_CLIENT_UP_EARLY_NS < until)
		until = pace_client_up_due(d->up) - PACE_CLIENT_UP_EARLY_NS;
	if (look_ns == PACE_READER_WAKES && d->n > 1)	/* a wait is for one socket */
		look_ns = now + d->polling.interval_ns;
	if (until <= now || look_ns <= now)
		return;
	if (look_ns == PACE_READER_WAKES)
		(void)io->wait(io->ctx, until);
	else
		(void)io->sleep_until(io->ctx, look_ns < until ? look_ns : until, NULL);
}

/* Read all flows; between own frames, in turn until the next one is due, and at least one. */
static void
receive_all(struct client_down *d)
{
	bool sends = d->up != NULL && d->up->begun && !d->up->over;
	int64_t now = pace_client_now(d->c);

	for (uint32_t k = 0; k < d->n; k++) {
		int64_t most = sends ? pace_merged_reads(&d->up->sends, now) : PACE_READER_MOST;

		if (!d->flow[d->turn].lent)
			receive(d, &d->flow[d->turn],
			    most < PACE_READER_MOST ? most : PACE_READER_MOST);
		d->turn = (d->turn + 1) % d->n;
		if (!sends)
			continue;
		now = pace_client_now(d->c);
		if (pace_client_up_due(d->up) < now + PACE_READER_FLOW_NS)
			break;
	}
}

/* Receive up to the end of the grace time. */
static int
follow(struct client_down *d)
{
	struct pace_client *c = d->c;
	int64_t now;

	while ((now = pace_client_now(c)) < d->end_ns && !d->refused &&
	    (d->live == NULL || !d->live->beside->over)) {
		uint64_t unique = 0;

		if (now - d->flow[0].heard_ns > PACE_SENDER_SILENT_NS ||
		    (d->stop_ns != 0 && d->end_ns == INT64_MAX && now - d->stop_ns > STOP_NS))
			return -ETIMEDOUT;
		act(d, now);
		send_up(d, now);
		wait_for_frames(d, pace_client_now(c));
		receive_all(d);
		for (uint32_t i = 0; i < d->n; i++)
			unique += d->flow[i].lent ? atomic_load_explicit(&d->flow[i].unique,
			    memory_order_relaxed) : pace_receiver_unique(d->flow[i].rx);
		if (c->progress != NULL && d->up == NULL)
			atomic_store_explicit(&c->progress->sent, unique, memory_order_relaxed);
	}
	return d->lost_flow ? -ETIMEDOUT : 0;
}

/* Keep the drop counts and cores for the results. */
static void
end_flows(struct client_down *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct pace_io *io = pace_client_flow_io(d->c, i);
		uint32_t *kept = i == 0 ? &d->c->drops : &d->c->flow[i].drops;
		int *core = i == 0 ? &d->c->core : &d->c->flow[i].core;
		uint32_t drops = io->drops(io->ctx);

		io->coalesce(io->ctx, false);
		*kept = drops != 0 ? drops : d->flow[i].drops;
		*core = d->flow[i].core;
	}
}

int
pace_client_down_run(struct pace_client *c, const struct pace_msg_start *m,
    struct pace_client_up *up, struct pace_client_down_live *live)
{
	int64_t now = pace_client_now(c);
	struct pace_msg_start run = *m;
	uint32_t n = pace_params_streams(&m->ask);
	struct client_down *d = calloc(1, sizeof(*d) + n * sizeof(d->flow[0]));
	int rc;

	if (d == NULL)
		return -ENOMEM;
	run.ask.direction = PACE_DOWN;
	*d = (struct client_down){ .c = c, .up = up, .live = live, .ask = &run.ask,
	    .first = c->request + 1,
	    .began_ns = now, .ping_ns = now, .look_ns = now, .frame_ns = now,
	    .ask_ns = now + pace_params_duration_ns(&m->ask) + m->ask.omit_ns + ASK_NS,
	    .refit_ns = now + REFIT_NS, .end_ns = INT64_MAX, .n = n };
	d->prove_ns = n <= FLOWS_A_PING ? PACE_SENDER_PING_NS :
	    PACE_SENDER_PING_NS / FLOWS_A_PING * n;
	rc = prepare(d, &run);
	if (rc == 0)
		pace_client_down_captures_begin(d, &run);
	c->pinger.prove = true;
	if (rc == 0)
		pace_client_down_threads_start(d);
	if (live != NULL) {
		live->streams = n;
		live->run = d;
	}
	if (rc == 0)
		rc = follow(d);
	pace_client_down_threads_stop(d);
	if (rc == 0 || rc == -ETIMEDOUT)
		pace_client_down_captures_wait(d);
	if (live != NULL)
		live->run = NULL;
	if (up != NULL)
		pace_client_up_end(up, 0);
	c->pinger.prove = false;
	end_flows(d);
	if (up != NULL && up->rc < 0)
		rc = up->rc;
	free(d->buffers);
	free(d);
	return rc;
}

void
pace_client_down_look(struct pace_client *c, struct pace_client_down_live *live)
{
	struct pace_report *own = live->own;
	struct pace_recent batch, other;

	pace_recent_none(&batch);
	pace_receiver_look(c->receiver, &own->run, &own->gaps, &own->jitter_ns, &batch);
	if (live->run != NULL)
		pace_client_down_threads_look(live->run, &own->run);
	for (uint32_t i = 1; i < live->streams; i++) {
		struct pace_stats gaps;
		struct pace_tally one;
		int64_t jitter_ns;

		if (live->run != NULL && live->run->flow[i].lent)
			continue;
		pace_receiver_look(c->flow[i].receiver, &one, &gaps, &jitter_ns, &other);
		pace_tally_add(&own->run, &one);
	}
	pace_recent_add(&own->recent, &batch);
	if (batch.samples > 0)
		pace_coarse_hist_add(&live->delay, batch.above_max_ns);
}

void
pace_client_down_slices(struct pace_client *c, const struct pace_client_down_live *live,
    uint32_t first, struct pace_slice *v)
{
	for (uint32_t k = 0; k < PACE_SLICES && first + k < live->streams; k++) {
		uint32_t i = first + k;
		struct pace_recent known;	/* the sum has them */
		struct pace_receiver *rx = i == 0 ? c->receiver : c->flow[i].receiver;

		memset(&v[k], 0, sizeof(v[k]));
		if (live->run != NULL && live->run->flow[i].lent)	/* no live run lends any */
			continue;
		pace_receiver_look(rx, &v[k].run, &v[k].gaps, &v[k].jitter_ns, &known);
		v[k].delays = pace_receiver_delays_seen(rx);
	}
}
