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
	uint8_t		*buffers;
	struct pace_in	in[PACE_READER_BATCH];
	uint32_t	reading;	/* stream whose flow is being read */
	int64_t		now;
};

/* --- a part, in its thread --------------------------------------------------------- */

int
pace_session_down_part_init(struct down_part *p)
{
	return pace_echo_init(&p->echo);
}

void
pace_session_down_part_free(struct down_part *p)
{
	pace_echo_free(&p->echo);
}

void
pace_session_down_part_prepare(struct down_part *p)
{
	p->failed = pace_session_down_begin_part(p);
	atomic_fetch_add(&p->d->prepared, 1);
}

/* Answer a PING, if it may be answered; then a proof in it counts. */
static bool
answer(struct down_part *p, const struct pace_hdr *h, const struct pace_in *in, int64_t now)
{
	struct pace_session *s = p->s;
	struct pace_ping ping;
	uint64_t proof;

	pace_ping_decode(&ping, in->buf, in->len);
	if ((in->len > PACE_PING_FREE && in->len > s->run.ask.size_bytes) ||
	    !pace_echo_takes(&p->echo, in->len, &ping))
		return false;
	proof = pace_session_down_prove(&p->d->v[h->stream], ping.proof, now);
	return pace_echo_answer(&p->echo, &s->flow[h->stream]->at.io, s->id, h, in, proof);
}

void
pace_session_down_part_ping(struct down_part *p, const struct pace_hdr *h,
    const struct pace_in *in, int64_t now)
{
	/* A PING is counted once, by its reply or as unanswered: so there are never more replies
	 * than PINGs, whenever the session reads. */
	if (!answer(p, h, in, now))
		atomic_fetch_add_explicit(&p->unanswered, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->ping_bytes, in->len, memory_order_relaxed);
	atomic_store_explicit(&p->reply_bytes, p->echo.bytes, memory_order_relaxed);
	atomic_store_explicit(&p->replies, p->echo.replies, memory_order_relaxed);
}

static bool
is_halted(const struct down_part *p)
{
	return atomic_load_explicit(&p->d->halt, memory_order_relaxed);
}

void
pace_session_down_part_over(struct down_part *p)
{
	if (atomic_load_explicit(&p->over, memory_order_relaxed))
		return;
	pace_session_down_end_part(p);
	atomic_store(&p->rc, p->failed);
	atomic_store(&p->over, true);
}

void
pace_session_down_part_round(struct down_part *p, const struct pace_io *io)
{
	int64_t t0_ns;
	int rc = p->failed;

	if (atomic_load_explicit(&p->over, memory_order_relaxed))
		return;
	if (rc == 0 && !p->placed && (t0_ns = atomic_load(&p->d->t0_ns)) != 0) {
		pace_session_down_at(p, t0_ns);
		p->placed = true;
	}
	if (rc == 0 && p->placed && !is_halted(p))
		rc = pace_session_down_slice(p, io, io->now(io->ctx));
	p->failed = rc < 0 ? rc : 0;
	if (rc != 0 || is_halted(p))
		pace_session_down_part_over(p);
}

bool
pace_session_down_part_sends(const struct down_part *p)
{
	return p->placed && !atomic_load_explicit(&p->over, memory_order_relaxed);
}

/* --- a thread that only sends ------------------------------------------------------- */

static void
take(struct down_thread *t, const struct pace_in *in)
{
	struct pace_session *s = t->part->s;
	struct pace_session_flow *f = s->flow[t->reading];
	struct pace_hdr h = { .type = 0 };
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);
	bool theirs = in->from.family == 0 || pace_addr_same(&in->from, &f->at.peer);

	if (theirs && rc == 0 && h.type == PACE_PING && h.session == s->id &&
	    h.stream == t->reading)
		pace_session_down_part_ping(t->part, &h, in, t->now);
	else
		pace_session_stray(s);
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

/* Sleep until the part's next frame, or the next look at its sockets. */
static void
rest(const struct down_thread *t, const struct pace_io *io)
{
	int64_t now = io->now(io->ctx);
	int64_t most_ns = now + (t->part->placed ? WAIT_NS : TOGETHER_NS), wake_ns = most_ns;

	if (pace_session_down_part_sends(t->part))
		wake_ns = pace_session_down_part_wake(t->part, now);
	if (wake_ns > 0)
		(void)io->sleep_until(io->ctx, wake_ns < most_ns ? wake_ns : most_ns, NULL);
}

/* Send all frames of the part; then only answer, until the session ends the run. */
static void
work(void *arg)
{
	struct down_thread *t = arg;
	struct down_part *p = t->part;
	const struct pace_io *io = &p->s->flow[p->sends.first]->at.io;

	pace_session_down_part_prepare(p);
	while (!is_halted(p)) {
		pace_session_down_part_round(p, io);
		read_flows(t);
		rest(t, io);
	}
	pace_session_down_part_over(p);
}

/* --- in the session's thread --------------------------------------------------- */

/* Lend the flows of part k to a new thread. */
static int
start_thread(struct pace_session *s, struct down_thread *t, uint32_t k)
{
	const struct pace_threads *threads = s->cfg.threads;
	struct pace_session_down *d = s->down;
	int rc = pace_session_down_part_init(&d->part[k]);

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

void
pace_session_down_pings(struct pace_session *s, struct pace_traffic *sum)
{
	struct pace_session_down *d = s->down;

	*sum = (struct pace_traffic){ .frames = 0 };
	for (uint32_t k = 1; k < d->parts; k++) {
		struct down_part *p = &d->part[k];

		sum->frames += rise(&p->unanswered, &p->weighed.frames);
		sum->bytes += rise(&p->ping_bytes, &p->weighed.bytes);
		sum->out_frames += rise(&p->replies, &p->weighed.out_frames);
		sum->out_bytes += rise(&p->reply_bytes, &p->weighed.out_bytes);
	}
	sum->frames += sum->out_frames;
}

int
pace_session_down_look(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	struct pace_traffic pings;
	int rc = 1;

	for (uint32_t k = 1; k < d->parts; k++) {
		bool over = atomic_load(&d->part[k].over);
		int failed = over ? atomic_load(&d->part[k].rc) : 0;
		int one = !over ? 0 : failed < 0 ? failed : 1;

		rc = one < rc ? one : rc;
	}
	if (d->ask.two_way)		/* session_threads.c looks at the PINGs */
		return rc;
	pace_session_down_pings(s, &pings);
	if (pings.frames > 0)
		pace_session_count_pings(s, &pings, now);
	return rc;
}

bool
pace_session_down_shares(const struct pace_session *s)
{
	return s->down != NULL && s->down->thread != NULL;
}

void
pace_session_down_alone(struct pace_session *s)
{
	struct pace_session_down *d = s->down;

	for (uint32_t k = 1; k < d->parts; k++)
		pace_session_down_part_free(&d->part[k]);
	for (uint32_t i = 0; i < d->n; i++) {	/* a thread may have begun some */
		(void)pace_sending_end(d->v[i].run);
		d->v[i].run = NULL;
	}
	d->parts = 1;
	atomic_store(&d->halt, false);
	d->part[0].sends.step = 1;
}

/* The threads of a two-way run read flows until the session ends them: wait until their own frames
 * are over. */
static void
wait_for_parts(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	const struct pace_io *io = &s->cfg.io;

	for (uint32_t k = 1; k < d->parts; k++)
		while (!atomic_load(&d->part[k].over))
			(void)io->sleep_until(io->ctx, io->now(io->ctx) + TOGETHER_NS, NULL);
}

static void
join_threads(struct pace_session *s)
{
	struct pace_session_down *d = s->down;

	for (uint32_t k = 1; k < d->parts; k++) {
		struct down_thread *t = &d->thread[k - 1];

		if (t->part != NULL)
			s->cfg.threads->join(t->handle);
		else	/* it never ran: its streams are complete results without frames */
			(void)pace_session_down_begin_part(&d->part[k]);
		pace_session_down_end_part(&d->part[k]);
		for (uint32_t i = k; i < d->n; i += d->parts)
			s->flow[i]->lent = false;
		free(t->buffers);
	}
	free(d->thread);
	d->thread = NULL;
}

void
pace_session_down_stop(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	struct pace_traffic last = { .frames = 0 };

	if (d == NULL || d->parts == 1 || (d->thread == NULL && !d->ask.two_way))
		return;
	atomic_store(&d->halt, true);
	if (d->thread != NULL) {
		join_threads(s);
		pace_session_down_pings(s, &last);
	} else {
		wait_for_parts(s);
	}
	pace_session_down_settle(s, &last);
}
