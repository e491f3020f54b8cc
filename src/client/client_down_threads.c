/*
 * Threads that receive streams of a run beside the client's own (client_down_own.h).  Each reads
 * its flows, returns their proofs, and posts counts after a round.  The counts of a live run are copied
 * under a flag that neither side waits for: who finds it taken comes again.
 */
#include "config.h"

#include "client/client_down_own.h"

#include <stdlib.h>
#include <string.h>

#include "stream/receiver.h"

#define WAIT_NS		INT64_C(1000000)	/* for the first flow; then all are read */
#define POST_NS		INT64_C(10000000)	/* between two posts of a live run's counts */

struct client_rx_thread {
	struct client_down *d;
	void		*handle;
	uint32_t	n;
	struct down_flow *flow[PACE_STREAMS], *read;	/* the one that is being read */
	struct pace_polling polling;
	int64_t		post_ns;
	uint64_t	rate_seen, strays;
	bool		sends;		/* a two-way run: */
	struct pace_client_up up;	/* its streams */
	_Atomic int	sent;		/* 1: all have left, 0: not yet, -errno */
	uint32_t	turn;		/* flow that is read next */
	uint8_t		*buffers;
	struct pace_in	in[PACE_READER_BATCH];
	_Atomic bool	halt;
	_Atomic uint64_t rate;		/* of the clocks, the bits of a double */
	_Atomic bool	taken;		/* of this: */
	struct pace_tally posted;
	struct pace_tally known;	/* the client's, from posted */
};

struct pace_client_down_threads {
	uint32_t	n;
	struct client_rx_thread *v[];
};

/* --- in the thread ------------------------------------------------------------- */

static void
take(struct client_rx_thread *t, struct down_flow *f, const struct pace_in *in, int64_t now)
{
	const struct pace_client *c = t->d->c;
	struct pace_hdr h;
	struct pace_ping p;
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	bool ours = rc == 0 && h.session == c->session && h.run == c->run && h.stream == f->stream;

	if (in->has_drops)
		f->drops = in->drops;
	if (ours && h.type == PACE_FRAME_DOWN) {
		pace_client_down_frame(f, &h, in, now);
		pace_polling_take(&t->polling, now);
	} else if (ours && h.type == (PACE_PING | PACE_REPLY)) {
		pace_ping_decode(&p, in->buf, in->len);
		if (p.proof != 0)
			f->proof = p.proof;
		atomic_store_explicit(&f->heard_ns, now, memory_order_relaxed);
	} else {
		if (rc != 0 || !pace_client_down_is_late(c, &h))
			pace_receiver_foreign(f->rx);
		t->strays++;
	}
}

static void
take_batch(void *ctx, const struct pace_in *v, int n)
{
	struct client_rx_thread *t = ctx;
	const struct pace_io *io = t->read->io;
	int64_t now = n > 0 ? io->now(io->ctx) : 0;
	const struct pace_in *piece;
	struct pace_in room;

	for (int i = 0; i < n; i++)
		for (size_t at = 0; (piece = pace_reader_piece(&v[i], &at, &room)) != NULL;)
			take(t, t->read, piece, now);
}

/* Read the flows in turn; between own frames until the next one is due, and at least one. */
static void
read_flows(struct client_rx_thread *t)
{
	bool sends = t->sends && t->up.begun && !t->up.over;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct pace_io *io;
		int64_t most = PACE_READER_MOST;

		t->read = t->flow[t->turn];
		t->turn = (t->turn + 1) % t->n;
		io = t->read->io;
		if (sends)
			most = pace_merged_reads(&t->up.sends, io->now(io->ctx));
		(void)pace_reader_read(io, t->in, PACE_READER_BATCH,
		    most < PACE_READER_MOST ? most : PACE_READER_MOST, &t->d->room, take_batch, t);
		atomic_store_explicit(&t->read->unique, pace_receiver_unique(t->read->rx),
		    memory_order_relaxed);
		if (sends && pace_client_up_due(&t->up) < io->now(io->ctx) + PACE_READER_FLOW_NS)
			break;
	}
}

/* Send own frames that are due. */
static void
send_up(struct client_rx_thread *t, int64_t now)
{
	int64_t t0_ns;

	if (!t->sends || atomic_load_explicit(&t->sent, memory_order_relaxed) != 0)
		return;
	if (!t->up.begun && (t0_ns = atomic_load(&t->d->t0_ns)) != 0)
		pace_client_up_begin(&t->up, t0_ns);
	if (atomic_load_explicit(&t->d->halt, memory_order_relaxed))
		pace_client_up_end(&t->up, 0);
	else if (t->up.begun && !t->up.over)
		pace_client_up_step(&t->up, now);
	if (t->up.over)
		atomic_store(&t->sent, t->up.rc < 0 ? t->up.rc : 1);
}

static void
prove(struct client_rx_thread *t, int64_t now)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (now >= t->flow[i]->ping_ns)
			pace_client_down_prove(t->d, t->flow[i], now);
}

static void
apply_rate(struct client_rx_thread *t)
{
	uint64_t bits = atomic_load_explicit(&t->rate, memory_order_relaxed);
	double rate;

	if (bits == t->rate_seen)
		return;
	t->rate_seen = bits;
	memcpy(&rate, &bits, sizeof(rate));
	for (uint32_t i = 0; i < t->n; i++)
		pace_receiver_rate(t->flow[i]->rx, rate);
}

/* Post what came, for live reports. */
static void
post(struct client_rx_thread *t, int64_t now)
{
	struct pace_tally sum = { .frames = 0 };

	if (t->d->live == NULL || now < t->post_ns)
		return;
	t->post_ns = now + POST_NS;
	for (uint32_t i = 0; i < t->n; i++) {
		struct pace_recent recent;
		struct pace_stats gaps;
		struct pace_tally one;
		int64_t jitter_ns;

		pace_receiver_look(t->flow[i]->rx, &one, &gaps, &jitter_ns, &recent);
		pace_tally_add(&sum, &one);
	}
	if (atomic_exchange_explicit(&t->taken, true, memory_order_acquire))
		return;
	t->posted = sum;
	atomic_store_explicit(&t->taken, false, memory_order_release);
}

/* Rest until frames are expected, or an own one is due. */
static void
rest(struct client_rx_thread *t, const struct pace_io *io)
{
	int64_t now = io->now(io->ctx), look_ns = pace_polling_next(&t->polling, now);
	int64_t until_ns = look_ns == PACE_READER_WAKES ? now + WAIT_NS : look_ns;
	int64_t due_ns = t->sends ? pace_client_up_due(&t->up) - PACE_CLIENT_UP_EARLY_NS : INT64_MAX;

	if (due_ns < until_ns)
		until_ns = due_ns;
	if (until_ns <= now)
		return;
	if (look_ns == PACE_READER_WAKES)
		(void)io->wait(io->ctx, until_ns);
	else
		(void)io->sleep_until(io->ctx, until_ns, NULL);
}

static void
work(void *arg)
{
	struct client_rx_thread *t = arg;
	const struct pace_io *io = t->flow[0]->io;

	if (t->sends)
		pace_client_up_prepare(&t->up);
	while (!atomic_load_explicit(&t->halt, memory_order_relaxed)) {
		int64_t now = io->now(io->ctx);

		apply_rate(t);
		send_up(t, now);
		read_flows(t);
		prove(t, now);
		post(t, now);
		rest(t, io);
	}
	if (t->sends)
		pace_client_up_end(&t->up, 0);
}

/* --- in the client's thread ---------------------------------------------------- */

static void
free_thread(struct client_rx_thread *t)
{
	if (t != NULL)
		free(t->buffers);
	free(t);
}

/* Lend the flows k, k + n, ... to a new thread; NULL: the client keeps them. */
static struct client_rx_thread *
start_thread(struct client_down *d, uint32_t k, uint32_t n)
{
	const struct pace_threads *threads = d->c->threads;
	struct client_rx_thread *t = calloc(1, sizeof(*t));

	if (t == NULL || (t->buffers = malloc(PACE_READER_BATCH * d->room)) == NULL) {
		free_thread(t);
		return NULL;
	}
	t->d = d;
	t->polling = d->polling;
	for (int i = 0; i < PACE_READER_BATCH; i++)
		t->in[i].buf = t->buffers + (size_t)i * d->room;
	for (uint32_t i = k; i < d->n; i += n)
		t->flow[t->n++] = &d->flow[i];
	t->sends = d->up != NULL;
	if (t->sends) {
		t->up = *d->up;
		t->up.sends.first = k;
		t->up.sends.step = n;
		t->up.sender.stop = t->up.sender.cut = NULL;	/* the client's thread looks */
		t->up.sender.halt = &d->halt;
	}
	if (threads->start(threads, k, work, t, &t->handle) < 0) {
		free_thread(t);
		return NULL;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		t->flow[i]->lent = true;
		t->flow[i]->core = threads->core[k];
	}
	return t;
}

void
pace_client_down_threads_start(struct client_down *d)
{
	uint32_t n = pace_threads_of(d->c->threads, d->n);
	struct pace_client_down_threads *v;

	v = n > 1 ? calloc(1, sizeof(*v) + (n - 1) * sizeof(v->v[0])) : NULL;
	if (v == NULL)
		return;
	for (uint32_t i = 0; i < d->n; i++)
		d->flow[i].core = d->c->threads->core[0];
	for (uint32_t k = 1; k < n; k++) {
		struct client_rx_thread *t = start_thread(d, k, n);

		if (t != NULL)
			v->v[v->n++] = t;
	}
	d->threads = v;
	if (d->up == NULL)
		return;
	d->up->sends.step = n;
	if (v->n == n - 1)
		return;
	pace_client_down_threads_stop(d);	/* streams that nobody sends */
	d->up->sends.step = 0;
}

int
pace_client_down_threads_sent(const struct client_down *d, bool *all)
{
	const struct pace_client_down_threads *v = d->threads;
	int rc = 0;

	*all = true;
	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		int one = v->v[i]->sends ? atomic_load(&v->v[i]->sent) : 1;

		*all = *all && one != 0;
		rc = one < rc ? one : rc;
	}
	return rc;
}

void
pace_client_down_threads_stop(struct client_down *d)
{
	struct pace_client_down_threads *v = d->threads;

	if (v == NULL)
		return;
	for (uint32_t i = 0; i < v->n; i++)
		atomic_store_explicit(&v->v[i]->halt, true, memory_order_relaxed);
	for (uint32_t i = 0; i < v->n; i++) {
		struct client_rx_thread *t = v->v[i];

		d->c->threads->join(t->handle);
		d->c->strays += t->strays;
		if (t->sends && d->up->rc == 0)
			d->up->rc = t->up.rc;
		for (uint32_t k = 0; k < t->n; k++)
			t->flow[k]->lent = false;
		free_thread(t);
	}
	free(v);
	d->threads = NULL;
}

void
pace_client_down_threads_rate(struct client_down *d, double rate)
{
	struct pace_client_down_threads *v = d->threads;
	uint64_t bits;

	memcpy(&bits, &rate, sizeof(bits));
	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		atomic_store_explicit(&v->v[i]->rate, bits, memory_order_relaxed);
}

void
pace_client_down_threads_look(struct client_down *d, struct pace_tally *sum)
{
	struct pace_client_down_threads *v = d->threads;

	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		struct client_rx_thread *t = v->v[i];

		if (!atomic_exchange_explicit(&t->taken, true, memory_order_acquire)) {
			t->known = t->posted;
			atomic_store_explicit(&t->taken, false, memory_order_release);
		}
		pace_tally_add(sum, &t->known);
	}
}
