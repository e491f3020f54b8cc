/*
 * Threads that receive streams of a run beside the session's own, and in a two-way run also send those
 * of the same flows.  Of n threads, thread k reads the
 * flows k, k + n, k + 2n, and so on; thread 0 is the session's, which also has all messages.  From
 * the begin of a run until its last FINISH a flow, with its socket and receiver, belongs to its
 * thread alone: no lock is needed, and no count is shared.  What the session must know meanwhile
 * comes from a page of statistics (session_stats.h) and from atomic counts, posted after each round.
 * The threads read only those members of the session that do not change during a run.
 */
#include "config.h"

#include "server/session_down_own.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_NS		INT64_C(1000000)	/* for the first flow; then all are read */

struct rx_thread {
	struct pace_session *s;
	void		*handle;
	uint32_t	n;
	struct pace_session_flow *flow[PACE_STREAMS], *read;	/* the one that is being read */
	struct down_part *part;		/* of a two-way run: what it sends; or NULL */
	/* its own */
	uint32_t	turn;		/* the flow that it reads next */
	struct pace_polling polling;
	struct pace_session_stats view;
	struct pace_traffic load;	/* of all rounds */
	uint64_t	rate_seen;
	uint8_t		*buffers;
	struct pace_in	in[PACE_READER_BATCH];
	/* of both threads */
	_Atomic bool	stop;
	_Atomic uint64_t rate;		/* of the client's clock, the bits of a double */
	_Atomic uint64_t frames, bytes;	/* of load */
	struct pace_stats_page page;
	/* the session's */
	uint64_t	weighed_frames, weighed_bytes;
	struct pace_tally known;	/* from the page */
	struct pace_recent recent;	/* not yet added to a sum */
};

struct pace_session_threads {
	uint32_t	n;
	struct rx_thread *v[];
};

/* --- in the thread ------------------------------------------------------------- */

/* A request of another client life.  It would have no effect during the run, and is repeated. */
static bool
is_opening(const struct pace_hdr *h, int rc)
{
	return (rc == 0 && h->type == PACE_OPEN) ||
	    ((rc == 0 || rc == -EPROTONOSUPPORT) && h->type == PACE_HELLO);
}

static void
take(struct rx_thread *t, struct pace_session_flow *f, const struct pace_in *in, int64_t now)
{
	struct pace_hdr h = { .type = 0 };
	bool ours;
	int rc;

	if (in->from.family != 0 && !pace_addr_same(&in->from, &f->at.peer)) {
		pace_session_stray(t->s);
		return;
	}
	if (in->has_drops)
		f->drops = in->drops;
	rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	ours = rc == 0 && h.session == t->s->id && h.stream == f->at.stream;
	if (ours && h.type == PACE_PING && t->part != NULL) {
		pace_session_down_part_ping(t->part, &h, in, now);
		return;
	}
	if (ours && (h.type == PACE_DATA || h.type == PACE_PING)) {
		t->load.frames++;
		t->load.bytes += in->len;
	}
	if (ours && h.type == PACE_DATA && h.run == t->s->run_number) {
		t->view.heard_ns = now;
		pace_receiver_take(f->receiver, &h, in);
		pace_polling_take(&t->polling, now);
	} else if (!is_opening(&h, rc)) {
		pace_session_stray(t->s);
		pace_receiver_foreign(f->receiver);
	}
}

static void
take_batch(void *ctx, const struct pace_in *v, int n)
{
	struct rx_thread *t = ctx;
	const struct pace_io *io = &t->read->at.io;
	int64_t now = n > 0 ? io->now(io->ctx) : 0;
	const struct pace_in *piece;
	struct pace_in room;

	for (int i = 0; i < n; i++)
		for (size_t at = 0; (piece = pace_reader_piece(&v[i], &at, &room)) != NULL;)
			take(t, t->read, piece, now);
}

/* Return how many datagrams of a flow to read now: between own frames, as many as there is time for. */
static int64_t
reads_now(const struct rx_thread *t, bool sends)
{
	const struct pace_io *io = &t->read->at.io;
	int64_t most = sends ? pace_merged_reads(&t->part->sends, io->now(io->ctx)) :
	    PACE_READER_MOST;

	return most < PACE_READER_MOST ? most : PACE_READER_MOST;
}

/* Read what waits at the flows, in turn; between own frames until the next one is due, and at least
 * one.  True: something came. */
static bool
read_flows(struct rx_thread *t)
{
	bool sends = t->part != NULL && pace_session_down_part_sends(t->part), some = false;

	for (uint32_t k = 0; k < t->n; k++) {
		const struct pace_io *io;

		t->read = t->flow[t->turn];
		t->turn = (t->turn + 1) % t->n;
		io = &t->read->at.io;
		some = pace_reader_read(io, t->in, PACE_READER_BATCH, reads_now(t, sends),
		    &t->s->wanted, take_batch, t) || some;
		if (sends && pace_merged_due(&t->part->sends) < io->now(io->ctx) + PACE_READER_FLOW_NS)
			break;
	}
	return some;
}

static struct pace_stream_page *
page_of(struct rx_thread *t, uint32_t stream)
{
	return &(t->s->cfg.watch != NULL ? t->s->cfg.watch : &t->page)->stream[stream];
}

/* Post what came; costs about as much as a frame of each flow. */
static void
post(struct rx_thread *t)
{
	struct pace_stream_stats one = { .number = t->s->seen.number, .run = t->s->runs };
	struct pace_recent batch;

	pace_recent_none(&batch);
	memset(&t->view.this_run, 0, sizeof(t->view.this_run));
	for (uint32_t i = 0; i < t->n; i++) {
		pace_session_look_at(t->flow[i], &one.now, &batch);
		pace_tally_add(&t->view.this_run, &one.now.run);
		one.port = t->flow[i]->at.peer.port;
		pace_stream_page_post(page_of(t, t->flow[i]->at.stream), &one);
	}
	pace_stats_page_add(&t->page, &t->view, &batch);
	atomic_store_explicit(&t->frames, t->load.frames, memory_order_relaxed);
	atomic_store_explicit(&t->bytes, t->load.bytes, memory_order_relaxed);
}

static void
apply_rate(struct rx_thread *t)
{
	uint64_t bits = atomic_load_explicit(&t->rate, memory_order_relaxed);
	double rate;

	if (bits == t->rate_seen)
		return;
	t->rate_seen = bits;
	memcpy(&rate, &bits, sizeof(rate));
	for (uint32_t i = 0; i < t->n; i++)
		pace_receiver_rate(t->flow[i]->receiver, rate);
}

/* Rest until frames are expected, or an own one is due. */
static void
rest(struct rx_thread *t, const struct pace_io *io)
{
	int64_t now = io->now(io->ctx), look_ns = pace_polling_next(&t->polling, now);
	int64_t until_ns = look_ns == PACE_READER_WAKES ? now + WAIT_NS : look_ns, due_ns;

	if (t->part != NULL && pace_session_down_part_sends(t->part)) {
		due_ns = pace_session_down_part_wake(t->part, now);	/* 0: at once */
		until_ns = due_ns < until_ns ? due_ns : until_ns;
	}
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
	struct rx_thread *t = arg;
	const struct pace_io *io = &t->flow[0]->at.io;

	if (t->part != NULL)
		pace_session_down_part_prepare(t->part);
	while (!atomic_load_explicit(&t->stop, memory_order_relaxed)) {
		apply_rate(t);
		if (t->part != NULL)
			pace_session_down_part_round(t->part, io);
		if (read_flows(t))
			post(t);
		rest(t, io);
	}
	if (t->part != NULL)
		pace_session_down_part_over(t->part);
}

/* --- in the session's thread --------------------------------------------------- */

static void
free_thread(struct rx_thread *t)
{
	if (t != NULL)
		free(t->buffers);
	free(t);
}

/* Lend the flows k, k + n, ... to a new thread; NULL: the session keeps them. */
static struct rx_thread *
start_thread(struct pace_session *s, uint32_t k, uint32_t n)
{
	const struct pace_threads *threads = s->cfg.threads;
	struct rx_thread *t = calloc(1, sizeof(*t));

	if (t == NULL || (t->buffers = malloc(PACE_READER_BATCH * s->room)) == NULL) {
		free_thread(t);
		return NULL;
	}
	t->s = s;
	t->part = s->down != NULL ? &s->down->part[k] : NULL;
	if (t->part != NULL && pace_session_down_part_init(t->part) < 0) {
		free_thread(t);
		return NULL;
	}
	t->polling = s->polling;
	pace_recent_none(&t->view.recent);
	pace_recent_none(&t->recent);
	for (int i = 0; i < PACE_READER_BATCH; i++)
		t->in[i].buf = t->buffers + (size_t)i * s->room;
	for (uint32_t i = k; i < pace_session_streams(s); i += n)
		t->flow[t->n++] = s->flow[i];
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
pace_session_threads_start(struct pace_session *s)
{
	uint32_t n = pace_threads_of(s->cfg.threads, pace_session_streams(s));
	struct pace_session_threads *v;

	v = n > 1 ? calloc(1, sizeof(*v) + (n - 1) * sizeof(v->v[0])) : NULL;
	if (v == NULL)
		return;
	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		s->flow[i]->core = s->cfg.threads->core[0];
	for (uint32_t k = 1; k < n; k++) {
		struct rx_thread *t = start_thread(s, k, n);

		if (t != NULL)
			v->v[v->n++] = t;
	}
	s->threads = v;
	if (s->down == NULL || v->n == n - 1)
		return;
	pace_session_threads_stop(s);	/* a part that nobody sends */
	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		s->flow[i]->core = -1;
	pace_session_down_alone(s);
}

/* Read the thread's page; recent is counted once, because the thread begins a new one after it. */
static void
read_page(struct pace_session *s, struct rx_thread *t)
{
	uint64_t turn = atomic_load_explicit(&t->page.turn, memory_order_relaxed);
	struct pace_session_stats v;

	if (!pace_stats_page_read(&t->page, &v) || v.heard_ns == 0)
		return;
	t->known = v.this_run;
	if (v.heard_ns > s->heard_ns)
		s->heard_ns = v.heard_ns;
	if (v.heard_ns > s->active_ns)
		s->active_ns = v.heard_ns;
	if (v.recent.turn != turn)
		return;
	pace_recent_add(&t->recent, &v.recent);
	pace_stats_page_turn(&t->page);
}

/* Take in what the threads posted; *frames and *bytes get what came since the last time. */
static void
collect(struct pace_session *s, struct pace_session_threads *v, uint64_t *frames, uint64_t *bytes)
{
	*frames = *bytes = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		struct rx_thread *t = v->v[i];
		uint64_t f = atomic_load_explicit(&t->frames, memory_order_relaxed);
		uint64_t b = atomic_load_explicit(&t->bytes, memory_order_relaxed);

		*frames += f - t->weighed_frames;
		*bytes += b - t->weighed_bytes;
		t->weighed_frames = f;
		t->weighed_bytes = b;
		read_page(s, t);
	}
}

bool
pace_session_threads_look(struct pace_session *s, int64_t now)
{
	struct pace_traffic pings;
	uint64_t frames, bytes;

	if (s->threads == NULL)
		return false;
	collect(s, s->threads, &frames, &bytes);
	if (frames > 0)
		pace_session_count(s, frames, bytes, now);	/* may stop the threads */
	if (s->threads != NULL && s->down != NULL) {
		pace_session_down_pings(s, &pings);
		if (pings.frames > 0)
			pace_session_count_pings(s, &pings, now);
	}
	return frames > 0;
}

static void
add_last_pings(struct pace_session *s)
{
	struct pace_traffic pings;

	pace_session_down_pings(s, &pings);
	s->load.frames += pings.frames;
	s->load.bytes += pings.bytes;
	s->pings += pings.out_frames;
	s->echo.replies += pings.out_frames;
	s->echo.bytes += pings.out_bytes;
}

void
pace_session_threads_stop(struct pace_session *s)
{
	struct pace_session_threads *v = s->threads;
	uint64_t frames, bytes;

	if (v == NULL)
		return;
	for (uint32_t i = 0; i < v->n; i++)
		atomic_store_explicit(&v->v[i]->stop, true, memory_order_relaxed);
	for (uint32_t i = 0; i < v->n; i++)
		s->cfg.threads->join(v->v[i]->handle);
	collect(s, v, &frames, &bytes);
	s->load.frames += frames;	/* weighed with the batch that stops them */
	s->load.bytes += bytes;
	if (s->down != NULL)
		add_last_pings(s);
	s->threads = NULL;
	for (uint32_t i = 0; i < v->n; i++) {
		struct rx_thread *t = v->v[i];

		pace_recent_add(&s->report.fresh, &t->recent);
		pace_recent_add(&s->seen.recent, &t->recent);
		for (uint32_t k = 0; k < t->n; k++)
			t->flow[k]->lent = false;
		free_thread(t);
	}
	free(v);
}

void
pace_session_threads_sum(struct pace_session *s, struct pace_tally *sum,
    struct pace_recent *batch)
{
	struct pace_session_threads *v = s->threads;

	for (uint32_t i = 0; v != NULL && i < v->n; i++) {
		pace_tally_add(sum, &v->v[i]->known);
		pace_recent_add(batch, &v->v[i]->recent);
		pace_recent_none(&v->v[i]->recent);
	}
}

void
pace_session_threads_slice(const struct pace_session *s, uint32_t stream, struct pace_slice *v)
{
	struct pace_session_threads *all = s->threads;
	struct pace_stream_stats one;

	memset(v, 0, sizeof(*v));
	for (uint32_t k = 0; all != NULL && k < all->n; k++)
		for (uint32_t i = 0; i < all->v[k]->n; i++)
			if (all->v[k]->flow[i]->at.stream == stream &&
			    pace_stream_page_read(page_of(all->v[k], stream), &one) &&
			    one.number == s->seen.number && one.run == s->runs)
				*v = one.now;
}

void
pace_session_threads_rate(struct pace_session *s, double rate)
{
	struct pace_session_threads *v = s->threads;
	uint64_t bits;

	memcpy(&bits, &rate, sizeof(bits));
	for (uint32_t i = 0; v != NULL && i < v->n; i++)
		atomic_store_explicit(&v->v[i]->rate, bits, memory_order_relaxed);
}
