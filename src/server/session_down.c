/*
 * A run whose frames the responder sends, of one stream or several.  The sender works in slices;
 * between them the session reads its client's messages.  In a two-way run a slice is one frame or
 * one train, because the client's frames are read between them, of all streams in turn.  The
 * client's PINGs prove for each flow that its frames arrive (proof.h); without proofs its stream
 * stops.  Of several threads, each sends the streams of a part (session_down_threads.c); the
 * session's thread has part 0.
 */
#include "config.h"

#include "proto/random.h"
#include "server/session_down_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/intervals.h"
#include "doc/tx_result_doc.h"

#define SLICE_NS	INT64_C(500000)	/* of frames, then the socket is read */
#define EARLY_NS	INT64_C(300000)	/* the sender wakes this long before a frame is due */
#define REST_NS		INT64_C(1000000000)
#define NOTICE_NS	INT64_C(3000000)	/* threads that read notice within this time when to send */
#define FP32		4294967296.0	/* 2^32: one ns of a spacing */

/* Set what the sockets do with frames; what they send otherwise has no mark and is whole.  After a
 * run a flow may be gone. */
static void
mark(struct pace_session *s, uint32_t dscp, enum pace_ecn ecn, bool fragment)
{
	for (uint32_t i = 0; i < s->down->n; i++) {
		const struct pace_io *io;

		if (s->flow[i] == NULL)
			continue;
		io = &s->flow[i]->at.io;
		if (io->mark != NULL)
			io->mark(io->ctx, dscp, ecn);
		if (io->fragment != NULL)
			io->fragment(io->ctx, fragment);
	}
}

static void
free_down(struct pace_session_down *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		free(d->v[i].intervals);
	for (uint32_t k = 1; k < d->parts; k++)
		pace_session_down_part_free(&d->part[k]);
	free(d->part);
	free(d);
}

int
pace_session_down_begin(struct pace_session *s, int64_t now)
{
	uint32_t n = pace_session_streams(s);
	uint32_t parts = pace_threads_of(s->cfg.threads, n);
	struct pace_session_down *d = calloc(1, sizeof(*d) + n * sizeof(d->v[0]));

	if (d != NULL)
		d->part = calloc(parts, sizeof(*d->part));
	if (d == NULL || d->part == NULL) {
		free(d);
		return -ENOMEM;
	}
	d->n = n;
	d->parts = parts;
	for (uint32_t k = 0; k < parts; k++)
		d->part[k] = (struct down_part){ .s = s, .d = d, .sends.first = k,
		    .sends.step = parts };
	d->ask = s->run.ask;
	d->ask.direction = PACE_DOWN;
	for (uint32_t i = 0; i < n; i++) {
		d->v[i].intervals = pace_intervals_new(&s->run.ask);
		if (d->v[i].intervals == NULL && s->run.ask.interval_ns > 0) {
			free_down(d);
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		pace_proof_begin(&d->v[i].proof, pace_random(), now);
		if (s->run.ask.two_way)
			continue;
		pace_receiver_free(s->flow[i]->receiver);
		s->flow[i]->receiver = NULL;
	}
	s->down = d;
	mark(s, s->run.ask.dscp, s->run.ask.ecn, s->run.fragment);
	if (!s->run.ask.two_way)
		s->state = PACE_SENDING;
	return 0;
}

static void
stop_counting(struct pace_session *s)
{
	if (s->down->counted)
		atomic_fetch_sub_explicit(&s->cfg.shared->sending, 1, memory_order_relaxed);
	s->down->counted = false;
}

void
pace_session_down_free(struct pace_session *s)
{
	struct pace_session_down *d = s->down;

	if (d == NULL)
		return;
	pace_session_down_stop(s);
	pace_session_down_end_part(&d->part[0]);
	mark(s, 0, PACE_ECN_NOT_ECT, false);
	stop_counting(s);
	for (uint32_t i = 0; i < d->n; i++)	/* the last figures of each stream stay */
		if (s->flow[i] != NULL)
			pace_session_down_show_stream(s, i, &s->flow[i]->last.run);
	free_down(d);
	s->down = NULL;
}

bool
pace_session_down_sends(const struct pace_session *s)
{
	return s->down != NULL && !s->down->over &&
	    (s->state == PACE_SENDING || pace_session_streaming(s));
}

/* --- proofs ------------------------------------------------------------------- */

/* If it is time, let the stream's frames and answers reveal a new value. */
static void
reveal(struct down_stream *v, int64_t now)
{
	if (!pace_proof_due(&v->proof, now) || v->proof.proven == 0)
		return;
	pace_proof_renew(&v->proof, pace_random(), v->run != NULL ? pace_sending_left(v->run) : 0,
	    now);
	if (v->run != NULL)
		pace_sending_proof(v->run, pace_proof_value(&v->proof));
}

uint64_t
pace_session_down_prove(struct down_stream *v, uint64_t proof, int64_t now)
{
	pace_proof_take(&v->proof, proof, now);
	if (v->proof.proven != 0)
		atomic_store_explicit(&v->proven, true, memory_order_relaxed);
	reveal(v, now);
	return pace_proof_value(&v->proof);
}

uint64_t
pace_session_down_heard(struct pace_session *s, uint32_t stream, uint64_t proof, int64_t now)
{
	struct pace_session_down *d = s->down;

	if (d == NULL || d->over || stream >= d->n)
		return 0;
	return pace_session_down_prove(&d->v[stream], proof, now);
}

static bool
all_are_proven(const struct pace_session_down *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (!atomic_load_explicit(&d->v[i].proven, memory_order_relaxed))
			return false;
	return true;
}

/* --- the streams of a part -------------------------------------------------------- */

static struct down_stream *
stream_of(const struct down_part *p, uint32_t i)
{
	return &p->d->v[pace_merged_stream(&p->sends, i)];
}

int
pace_session_down_begin_part(struct down_part *p)
{
	struct pace_session *s = p->s;
	struct pace_session_down *d = p->d;
	struct pace_sender sender = { .ask = &d->ask, .session = s->id, .run = s->run_number,
	    .seed = s->run.seed, .wire_bytes = s->run.wire_bytes,
	    /* a freeze of the thread stops all its streams and is counted once */
	    .stalls = &d->v[p->sends.first].tx.stalls };

	for (uint32_t i = p->sends.first; i < d->n; i += d->parts) {
		struct down_stream *v = &d->v[i];

		sender.io = &s->flow[i]->at.io;
		sender.stream = (uint8_t)i;
		sender.intervals = v->intervals;
		/* departure stamps are those of the session's socket */
		sender.echo = i == 0 ? &s->echo : NULL;
		v->run = pace_sending_begin(&sender, &v->tx);
		if (v->run == NULL)
			return -ENOMEM;
		p->sends.run[p->sends.n++] = v->run;
		v->tx.sndbuf_asked = s->flow[i]->at.sndbuf_asked;
		v->tx.sndbuf_granted = s->flow[i]->at.sndbuf_granted;
		v->tx.has_core = d->parts > 1;
		if (v->tx.has_core)
			v->tx.core = (uint32_t)s->cfg.threads->core[p->sends.first];
		pace_sending_proof(v->run, pace_proof_value(&v->proof));
	}
	return 0;
}

void
pace_session_down_at(struct down_part *p, int64_t t0_ns)
{
	pace_merged_begin(&p->sends, &p->d->ask, t0_ns);
	for (uint32_t i = 0; i < p->sends.n; i++)
		stream_of(p, i)->result.due_ns = p->sends.due_ns[i];
}

void
pace_session_down_end_part(struct down_part *p)
{
	for (uint32_t i = 0; i < p->sends.n; i++) {
		struct down_stream *v = stream_of(p, i);

		if (v->run == NULL)
			continue;
		atomic_store_explicit(&v->left, pace_sending_left(v->run), memory_order_relaxed);
		v->result.asked = pace_sending_end(v->run);
		v->run = NULL;
		if (i > 0)
			pace_merged_share(&v->tx, &stream_of(p, 0)->tx);
	}
}

/* --- frames ------------------------------------------------------------------- */

static int
begin_sending(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	const struct pace_sender sender = { .io = &s->cfg.io };
	int rc = pace_session_down_begin_part(&d->part[0]);
	int64_t lead_ns = d->ask.two_way && d->parts > 1 ? NOTICE_NS : 0;

	d->begun = true;
	d->counted = true;
	atomic_fetch_add_explicit(&s->cfg.shared->sending, 1, memory_order_relaxed);
	if (rc == 0 && d->parts > 1 && !d->ask.two_way)
		rc = pace_session_down_start(s);
	if (rc == 0)
		pace_session_down_at(&d->part[0], pace_sender_begin_ns(&sender) + lead_ns);
	if (rc == 0)
		atomic_store(&d->t0_ns, d->v[0].result.due_ns);
	return rc;
}

/* The run is over, because all frames have left or it was stopped: make the results. */
static void
end(struct pace_session *s, int rc)
{
	struct pace_session_down *d = s->down;

	if (!d->begun && rc == 0) {	/* a result without frames is complete as well */
		(void)pace_session_down_begin_part(&d->part[0]);
		for (uint32_t k = 1; k < d->parts && !d->ask.two_way; k++) {
			(void)pace_session_down_begin_part(&d->part[k]);
			pace_session_down_end_part(&d->part[k]);
		}
	}
	pace_session_down_stop(s);
	pace_session_down_end_part(&d->part[0]);
	for (uint32_t i = 0; i < d->n; i++)
		d->v[i].result.failed = rc < 0 ? -rc : 0;
	d->over = true;
	stop_counting(s);
	if (!pace_session_is_two_way(s))
		pace_session_drain(s, s->cfg.io.now(s->cfg.io.ctx));
}

bool
pace_session_down_over(const struct pace_session *s)
{
	return s->down != NULL && s->down->over;
}

uint64_t
pace_session_down_sent(const struct pace_session *s, uint32_t stream)
{
	return s->down->v[stream].tx.frames;
}

struct pace_tx_result *
pace_session_down_result(struct pace_session *s, uint32_t stream, const struct pace_tx **tx,
    const struct pace_intervals **v)
{
	*tx = &s->down->v[stream].tx;
	*v = s->down->v[stream].intervals;
	return &s->down->v[stream].result;
}

/* Return how many frames of all streams have left. */
static uint64_t
sent(const struct pace_session_down *d)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		n += atomic_load_explicit(&d->v[i].left, memory_order_relaxed);
	return n;
}

/* Add the frames that left since the last time. */
static void
add_sent(struct pace_session *s, struct pace_traffic *load)
{
	uint64_t frames = sent(s->down) - s->down->paid;

	s->down->paid += frames;
	load->out_frames += frames;
	load->out_bytes += frames * s->run.ask.size_bytes;
}

/* Pay for what was sent and check it against the rule; false: the run was ended for it. */
static bool
pays(struct pace_session *s, int64_t now)
{
	struct pace_traffic load = { .out_frames = 0 };

	add_sent(s, &load);
	if (load.out_frames == 0 ||
	    pace_run_limiter_count(&s->limiter, &load, now, pace_session_wall(s)))
		return true;
	pace_session_cut(s);
	return false;
}

void
pace_session_down_settle(struct pace_session *s, const struct pace_traffic *pings)
{
	struct pace_traffic load = *pings;
	int64_t now = s->cfg.io.now(s->cfg.io.ctx), wall_ns = pace_session_wall(s);

	add_sent(s, &load);
	s->pings += pings->out_frames;
	if (!s->down->ask.two_way)	/* else frames of the client may still come */
		pace_run_limiter_end(&s->limiter, wall_ns);
	(void)pace_run_limiter_count(&s->limiter, &load, now, wall_ns);
}

/* Return when a stream that waited continues.  Of several, each skips whole slots: their proofs come
 * one after the other, but their distances stay. */
static int64_t
resume_ns(const struct pace_session_down *d, int64_t waiting_ns, int64_t now)
{
	double step_ns = (double)d->ask.spacing * (double)d->ask.train / FP32;

	if (d->n == 1 || step_ns <= 0)
		return now;
	return waiting_ns + (int64_t)(ceil((double)(now - waiting_ns) / step_ns) * step_ns);
}

/* True if the stream's next frame may leave.  Note since when a due frame has to wait; when it may
 * leave again, move the schedule. */
static bool
may_send(const struct pace_session_down *d, struct down_stream *v, int64_t until_ns, int64_t now)
{
	struct pace_sending *run = v->run;
	int64_t due_ns = pace_sending_due(run), from_ns;

	if (until_ns <= now) {
		if (v->waiting_ns == 0 && due_ns <= now)
			v->waiting_ns = due_ns;
		return false;
	}
	if (v->waiting_ns != 0) {
		from_ns = resume_ns(d, v->waiting_ns, now);
		v->tx.proof_waits++;
		v->tx.proof_waited_ns += from_ns - v->waiting_ns;
		v->waiting_ns = 0;
		pace_sending_resume(run, from_ns);
	}
	return true;
}

/* Return until when frames leave before the sockets are read again. */
static int64_t
slice_end(const struct down_part *p, int64_t now)
{
	int64_t due_ns = pace_merged_due(&p->sends);

	if (!p->d->ask.two_way)
		return now + SLICE_NS;
	return due_ns > now + EARLY_NS ? now : due_ns > now ? due_ns + 1 : now + 1;
}

/* Prepare stream i for a slice: hold it if it has no valid proof.  A stream whose proof is old may
 * send its overdue frame now, so that it does not shorten the slice of the others.  Returns until
 * when it may send; -errno in *rc. */
static int64_t
prepare_stream(struct down_part *p, uint32_t i, int64_t now, int *rc)
{
	struct down_stream *v = stream_of(p, i);
	struct pace_sending *run = v->run;
	int64_t until_ns = pace_proof_until(&v->proof, pace_sending_left(run), now);

	p->sends.due_ns[i] = INT64_MAX;
	if (v->complete || !may_send(p->d, v, until_ns, now))
		return INT64_MAX;
	reveal(v, now);
	if (until_ns > now + 1) {
		if (pace_sending_due(run) >= until_ns)	/* it does not limit the slice of the others */
			return INT64_MAX;
		p->sends.due_ns[i] = pace_sending_due(run);
		return until_ns;
	}
	if (pace_sending_due(run) <= now) {
		*rc = pace_sending_step(run, until_ns);
		v->complete = *rc == 0;
	}
	return INT64_MAX;
}

/* Post how many frames have left, for the session. */
static void
post_left(struct down_part *p)
{
	for (uint32_t i = 0; i < p->sends.n; i++) {
		struct down_stream *v = stream_of(p, i);

		atomic_store_explicit(&v->left, pace_sending_left(v->run), memory_order_relaxed);
	}
}

int
pace_session_down_slice(struct down_part *p, const struct pace_io *io, int64_t now)
{
	int64_t until_ns = INT64_MAX, end_ns;
	uint32_t i, open = 0;
	int rc = 0;

	for (i = 0; i < p->sends.n && rc >= 0; i++) {
		int64_t may_ns = prepare_stream(p, i, now, &rc);

		until_ns = may_ns < until_ns ? may_ns : until_ns;
	}
	end_ns = slice_end(p, now);
	until_ns = end_ns < until_ns ? end_ns : until_ns;
	while (rc >= 0) {
		rc = pace_merged_step(&p->sends, until_ns, &i);
		if (rc == 0)
			stream_of(p, i)->complete = true;
		if (rc >= 0 && io->now(io->ctx) >= until_ns - 1)
			break;
	}
	for (i = 0; i < p->sends.n; i++)
		open += !stream_of(p, i)->complete;
	post_left(p);
	return rc < 0 && rc != -ENOENT ? rc : open == 0;
}

int64_t
pace_session_down_part_wake(const struct down_part *p, int64_t now)
{
	int64_t wake_ns = now + REST_NS;		/* a PING wakes it */

	for (uint32_t i = 0; i < p->sends.n; i++) {
		const struct down_stream *v = stream_of(p, i);
		int64_t due_ns;

		if (v->run == NULL || v->complete || v->waiting_ns != 0)
			continue;
		due_ns = pace_sending_due(v->run);
		/* a frame that is due when it may not leave is not waited for */
		if (due_ns < pace_proof_until(&v->proof, pace_sending_left(v->run), now))
			due_ns -= EARLY_NS;
		wake_ns = due_ns < wake_ns ? due_ns : wake_ns;
	}
	return wake_ns > now ? wake_ns : 0;
}

/* Send a slice of the session's own part.  As pace_session_down_slice, of all parts. */
static int
send_slice(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	int own = pace_session_down_slice(&d->part[0], &s->cfg.io, now);
	int others = d->parts > 1 ? pace_session_down_look(s, now) : 1;

	return own < 0 ? own : others < 0 ? others : own == 1 && others == 1;
}

void
pace_session_down_step(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	int rc;

	if (d->over || (!d->begun && !all_are_proven(d)))
		return;
	rc = d->begun ? 0 : begin_sending(s);
	if (rc < 0) {
		end(s, rc);
		return;
	}
	rc = send_slice(s, now);
	/* a rule may have ended the run for the PINGs, or for this slice */
	if (s->down != NULL && pays(s, now) && rc != 0)
		end(s, rc);
}

int64_t
pace_session_down_wake(const struct pace_session *s, int64_t now)
{
	return pace_session_down_part_wake(&s->down->part[0], now);
}

int64_t
pace_session_down_reads(const struct pace_session *s, int64_t now)
{
	return s->down->begun ? pace_merged_reads(&s->down->part[0].sends, now) : INT64_MAX;
}

int64_t
pace_session_down_due(const struct pace_session *s)
{
	return s->down->begun ? pace_merged_due(&s->down->part[0].sends) : INT64_MAX;
}

static void
show(const struct pace_session *s, uint64_t frames, struct pace_tally *t)
{
	t->sent_frames = frames;
	t->sent_bytes = frames * s->run.ask.size_bytes;
	t->sent_wire_bytes = frames * s->run.wire_bytes;
}

void
pace_session_down_show(const struct pace_session *s, struct pace_tally *t)
{
	show(s, sent(s->down), t);
}

void
pace_session_down_show_stream(const struct pace_session *s, uint32_t stream, struct pace_tally *t)
{
	show(s, atomic_load_explicit(&s->down->v[stream].left, memory_order_relaxed), t);
}

/* --- its end -------------------------------------------------------------------- */

void
pace_session_down_put(struct pace_session *s, uint32_t stream, json_t *result)
{
	const struct pace_counters none = { .known = false };	/* they stand in the other part */
	struct down_stream *v = &s->down->v[stream];

	pace_session_down_close(s, s->flow[stream], &v->result);
	json_object_set_new(result, "down", pace_session_with_intervals(
	    pace_tx_result_to_json(&v->result, &v->tx, &none), v->intervals, PACE_INTERVAL_TX));
}

void
pace_session_down_finish(struct pace_session *s, uint32_t stream, bool stop,
    struct pace_msg_ready *m)
{
	struct pace_session_down *d = s->down;

	if (stop && !d->over)
		end(s, 0);
	/* the result waits for its captures */
	m->ready = d->over && s->state != PACE_SENDING;
	m->sent = m->ready ? d->v[stream].tx.frames : 0;
	if (!m->ready)
		m->wait_ns = PACE_SESSION_ASK_NS < s->run.ask.grace_ns ? PACE_SESSION_ASK_NS :
		    s->run.ask.grace_ns;
}
