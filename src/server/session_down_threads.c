/*
 * Threads that send streams of a run beside the session's own.  Each has its part of the streams
 * (session_down_own.h) and reads the sockets of their flows between two slices, where only PINGs of
 * the client have a meaning: they return proofs.  The session has all other messages, on its own
 * socket.
 */
#include "config.h"

#include "server/session_down_own.h"

#include <errno.h>
#include <stdlib.h>

#define WAIT_NS		INT64_C(1000000)	/* between two looks at the sockets, at most */
#define TOGETHER_NS	INT64_C(20000)		/* and whether all are prepared */
#define ROOM		2048

struct down_thread {
	struct down_part *part;		/* NULL: it was not started */
	void		*handle;
	struct pace_echo echo;
	uint8_t		*buffers;
	struct pace_in	in[PACE_READER_BATCH];
	uint32_t	reading;	/* stream whose flow is being read */
	int64_t		now;
	_Atomic int	rc;		/* when over: 0 or -errno */
	_Atomic bool	over;		/* its frames have left */
	_Atomic uint64_t pings, ping_bytes;	/* that came */
	_Atomic uint64_t replies, reply_bytes;	/* to some of them */
	struct pace_traffic weighed;	/* the session's */
};

/* --- in the thread ------------------------------------------------------------- */

static void
answer(struct down_thread *t, const struct pace_hdr *h, const struct pace_in *in)
{
	struct pace_session *s = t->part->s;
	struct pace_session_flow *f = s->flow[t->reading];
	struct pace_ping p;
	uint64_t proof;

	pace_ping_decode(&p, in->buf, in->len);
	if ((in->len > PACE_PING_FREE && in->len > s->run.ask.size_bytes) ||
	    !pace_echo_takes(&t->echo, in->len, &p))
		return;
	proof = pace_session_down_prove(&t->part->d->v[t->reading], p.proof, t->now);
	if (!pace_echo_answer(&t->echo, &f->at.io, s->id, h, in, proof))
		return;
	atomic_store_explicit(&t->replies, t->echo.replies, memory_order_relaxed);
	atomic_store_explicit(&t->reply_bytes, t->echo.bytes, memory_order_relaxed);
}

/* Count a PING, whether it is answered or not. */
static void
count(struct down_thread *t, size_t len)
{
	atomic_fetch_add_explicit(&t->pings, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->ping_bytes, len, memory_order_relaxed);
}

static void
take(struct down_thread *t, const struct pace_in *in)
{
	struct pace_session *s = t->part->s;
	struct pace_session_flow *f = s->flow[t->reading];
	struct pace_hdr h = { .type = 0 };
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	bool theirs = in->from.family == 0 || pace_addr_same(&in->from, &f->at.peer);

	if (theirs && rc == 0 && h.type == PACE_PING && h.session == s->id &&
	    h.stream == t->reading) {
		count(t, in->len);
		answer(t, &h, in);
	} else {
		pace_session_stray(s);
	}
}

static void
take_batch(void *ctx, const struct pace_in *v, int n)
{
	for (int i = 0; i < n; i++)
		take(ctx, &v[i]);
}

static void
read_flows(struct down_thread *t)
{
	const size_t room = ROOM;
	const struct down_part *p = t->part;

	for (uint32_t i = 0; i < p->sends.n; i++) {
		const struct pace_io *io;

		t->reading = pace_merged_stream(&p->sends, i);
		io = &p->s->flow[t->reading]->at.io;
		t->now = io->now(io->ctx);
		(void)pace_reader_read(io, t->in, PACE_READER_BATCH, PACE_READER_BATCH, &room,
		    take_batch, t);
	}
}

static bool
is_halted(const struct down_thread *t)
{
	return atomic_load_explicit(&t->part->d->halt, memory_order_relaxed);
}

/* Sleep until the part's next frame, or the next look at its sockets. */
static void
rest(const struct down_thread *t, const struct pace_io *io)
{
	int64_t now = io->now(io->ctx), wake_ns = pace_session_down_part_wake(t->part, now);

	if (wake_ns > 0)
		(void)io->sleep_until(io->ctx, wake_ns < now + WAIT_NS ? wake_ns : now + WAIT_NS,
		    NULL);
}

/* Send all frames of the part; then only answer, until the session ends the run. */
static void
work(void *arg)
{
	struct down_thread *t = arg;
	struct down_part *p = t->part;
	const struct pace_io *io = &p->s->flow[p->sends.first]->at.io;
	int rc = pace_session_down_begin_part(p);
	int64_t t0_ns;

	atomic_fetch_add(&p->d->prepared, 1);
	while ((t0_ns = atomic_load(&p->d->t0_ns)) == 0 && !is_halted(t))
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + TOGETHER_NS, NULL);
	if (rc == 0 && t0_ns != 0)
		pace_session_down_at(p, t0_ns);
	while (rc == 0 && !is_halted(t)) {
		rc = pace_session_down_slice(p, io, io->now(io->ctx));
		read_flows(t);
		rest(t, io);
	}
	pace_session_down_end_part(p);
	atomic_store(&t->rc, rc < 0 ? rc : 0);
	atomic_store(&t->over, true);
	while (!is_halted(t)) {
		read_flows(t);
		rest(t, io);
	}
}

/* --- in the session's thread --------------------------------------------------- */

/* Lend the flows of part k to a new thread. */
static int
start_thread(struct pace_session *s, struct down_thread *t, uint32_t k)
{
	const struct pace_threads *threads = s->cfg.threads;
	struct pace_session_down *d = s->down;
	int rc = pace_echo_init(&t->echo);

	t->buffers = malloc((size_t)PACE_READER_BATCH * ROOM);
	if (rc < 0 || t->buffers == NULL)
		return -ENOMEM;
	for (int i = 0; i < PACE_READER_BATCH; i++)
		t->in[i].buf = t->buffers + (size_t)i * ROOM;
	t->part = &d->part[k];
	rc = threads->start(threads, k, work, t, &t->handle);
	if (rc < 0) {
		t->part = NULL;
		return rc;
	}
	for (uint32_t i = k; i < d->n; i += d->parts)
		s->flow[i]->lent = true;
	return 0;
}

int
pace_session_down_start(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	const struct pace_io *io = &s->cfg.io;
	int rc = 0;

	d->thread = calloc(d->parts - 1, sizeof(*d->thread));
	if (d->thread == NULL)
		return -ENOMEM;
	for (uint32_t k = 1; k < d->parts && rc == 0; k++)
		rc = start_thread(s, &d->thread[k - 1], k);
	while (rc == 0 && atomic_load(&d->prepared) < d->parts - 1)
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + TOGETHER_NS, NULL);
	return rc;
}

static uint64_t
rise(const _Atomic uint64_t *count, uint64_t *known)
{
	uint64_t n = atomic_load_explicit(count, memory_order_relaxed), before = *known;

	*known = n;
	return n - before;
}

/* Add up what came and was answered since the last time. */
static void
collect(struct pace_session_down *d, struct pace_traffic *sum)
{
	*sum = (struct pace_traffic){ .frames = 0 };
	for (uint32_t k = 0; k + 1 < d->parts; k++) {
		struct down_thread *t = &d->thread[k];

		sum->frames += rise(&t->pings, &t->weighed.frames);
		sum->bytes += rise(&t->ping_bytes, &t->weighed.bytes);
		sum->out_frames += rise(&t->replies, &t->weighed.out_frames);
		sum->out_bytes += rise(&t->reply_bytes, &t->weighed.out_bytes);
	}
}

int
pace_session_down_look(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	struct pace_traffic pings;
	int rc = 1;

	for (uint32_t k = 0; k + 1 < d->parts; k++) {
		struct down_thread *t = &d->thread[k];
		bool over = atomic_load(&t->over);
		int one = !over ? 0 : atomic_load(&t->rc) < 0 ? atomic_load(&t->rc) : 1;

		rc = one < rc ? one : rc;
	}
	collect(d, &pings);
	if (pings.frames > 0 || pings.out_frames > 0 || pings.out_bytes > 0)
		pace_session_count_pings(s, &pings, now);
	return rc;
}

bool
pace_session_down_shares(const struct pace_session *s)
{
	return s->down != NULL && s->down->thread != NULL;
}

void
pace_session_down_stop(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	struct pace_traffic last;

	if (d == NULL || d->thread == NULL)
		return;
	atomic_store(&d->halt, true);
	for (uint32_t k = 1; k < d->parts; k++) {
		struct down_thread *t = &d->thread[k - 1];

		if (t->part != NULL)
			s->cfg.threads->join(t->handle);
		else	/* it never ran: its streams are complete results without frames */
			(void)pace_session_down_begin_part(&d->part[k]);
		pace_session_down_end_part(&d->part[k]);
		for (uint32_t i = k; i < d->n; i += d->parts)
			s->flow[i]->lent = false;
		pace_echo_free(&t->echo);
		free(t->buffers);
	}
	collect(d, &last);
	free(d->thread);
	d->thread = NULL;
	pace_session_down_settle(s, &last);
}
