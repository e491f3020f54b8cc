/*
 * A run whose frames the responder sends, of one stream or several.  The sender works in slices;
 * between them the session reads its client's messages.  In a two-way run a slice is one frame or
 * one train, because the client's frames are read between them.  The client's PINGs prove for each
 * flow that its frames arrive (proof.h); without proofs its stream stops.
 */
#include "config.h"

#include "proto/random.h"
#include "server/session_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/intervals.h"
#include "doc/tx_result_doc.h"
#include "server/admission/proof.h"
#include "stream/merged.h"

#define SLICE_NS	INT64_C(500000)	/* of frames, then the socket is read */
#define EARLY_NS	INT64_C(300000)	/* the sender wakes this long before a frame is due */
#define REST_NS		INT64_C(1000000000)

struct down_stream {
	struct pace_proof proof;
	struct pace_tx	tx;
	struct pace_tx_result result;
	struct pace_intervals *intervals;	/* NULL: none are requested */
	uint64_t	left;		/* frames that left, when it is over */
	bool		complete;
	int64_t		waiting_ns;	/* since when a frame waits for a proof; 0: none waits */
};

struct pace_session_down {
	struct pace_merged sends;	/* a run NULL: not begun, or over */
	struct pace_params ask;		/* the run's, in the direction of the responder's frames */
	bool		begun, over;
	bool		counted;	/* in the responder's count of sending sessions */
	struct down_stream v[];		/* sends.n */
};

/* Set what the sockets do with frames; what they send otherwise has no mark and is whole.  After a
 * run a flow may be gone. */
static void
mark(struct pace_session *s, uint32_t dscp, enum pace_ecn ecn, bool fragment)
{
	for (uint32_t i = 0; i < s->down->sends.n; i++) {
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
	for (uint32_t i = 0; i < d->sends.n; i++) {
		(void)pace_sending_end(d->sends.run[i]);
		free(d->v[i].intervals);
	}
	free(d);
}

int
pace_session_down_begin(struct pace_session *s, int64_t now)
{
	uint32_t n = pace_session_streams(s);
	struct pace_session_down *d = calloc(1, sizeof(*d) + n * sizeof(d->v[0]));

	if (d == NULL)
		return -ENOMEM;
	d->sends.n = n;
	d->ask = s->run.ask;
	d->ask.direction = PACE_DOWN;
	for (uint32_t i = 0; i < n; i++) {
		d->v[i].intervals = pace_intervals_new(&s->run.ask);
		if (d->v[i].intervals == NULL && s->run.ask.interval_ns > 0) {
			free_down(d);
			return -ENOMEM;
		}
	}
	pace_session_down_free(s);
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
	mark(s, 0, PACE_ECN_NOT_ECT, false);
	stop_counting(s);
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

/* Return how many frames of stream i have left. */
static uint64_t
left(const struct pace_session_down *d, uint32_t i)
{
	return d->sends.run[i] != NULL ? pace_sending_left(d->sends.run[i]) : d->v[i].left;
}

/* If it is time, let the stream's frames and answers reveal a new value. */
static void
reveal(struct pace_session_down *d, uint32_t i, int64_t now)
{
	struct down_stream *v = &d->v[i];

	if (!pace_proof_due(&v->proof, now) || v->proof.proven == 0)
		return;
	pace_proof_renew(&v->proof, pace_random(), left(d, i), now);
	if (d->sends.run[i] != NULL)
		pace_sending_proof(d->sends.run[i], pace_proof_value(&v->proof));
}

uint64_t
pace_session_down_heard(struct pace_session *s, uint32_t stream, uint64_t proof, int64_t now)
{
	struct pace_session_down *d = s->down;

	if (d == NULL || d->over || stream >= d->sends.n)
		return 0;
	pace_proof_take(&d->v[stream].proof, proof, now);
	reveal(d, stream, now);
	return pace_proof_value(&d->v[stream].proof);
}

static bool
all_are_proven(const struct pace_session_down *d)
{
	for (uint32_t i = 0; i < d->sends.n; i++)
		if (d->v[i].proof.proven == 0)
			return false;
	return true;
}

/* --- frames ------------------------------------------------------------------- */

static bool
begin_sending(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	struct pace_sender sender = { .ask = &d->ask, .session = s->id, .run = s->run_number,
	    .seed = s->run.seed, .wire_bytes = s->run.wire_bytes };

	d->begun = true;
	d->counted = true;
	atomic_fetch_add_explicit(&s->cfg.shared->sending, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < d->sends.n; i++) {
		sender.io = &s->flow[i]->at.io;
		sender.stream = (uint8_t)i;
		sender.intervals = d->v[i].intervals;
		/* departure stamps are those of the session's socket; a freeze of the thread
		 * stops all streams and is counted once */
		sender.echo = i == 0 ? &s->echo : NULL;
		sender.stalls = &d->v[0].tx.stalls;
		d->sends.run[i] = pace_sending_begin(&sender, &d->v[i].tx);
		if (d->sends.run[i] == NULL)
			return false;
		d->v[i].tx.sndbuf_asked = s->flow[i]->at.sndbuf_asked;
		d->v[i].tx.sndbuf_granted = s->flow[i]->at.sndbuf_granted;
		pace_sending_proof(d->sends.run[i], pace_proof_value(&d->v[i].proof));
	}
	sender.io = &s->cfg.io;
	pace_merged_begin(&d->sends, &d->ask, pace_sender_begin_ns(&sender));
	for (uint32_t i = 0; i < d->sends.n; i++)
		d->v[i].result.due_ns = pace_sending_due(d->sends.run[i]);
	return true;
}

/* The run is over, because all frames have left or it was stopped: make the results. */
static void
end(struct pace_session *s, int rc)
{
	struct pace_session_down *d = s->down;

	if (!d->begun && rc == 0)
		(void)begin_sending(s);	/* a result without frames is complete as well */
	for (uint32_t i = 0; i < d->sends.n; i++) {
		d->v[i].left = left(d, i);
		d->v[i].result.asked = pace_sending_end(d->sends.run[i]);
		if (i > 0)
			pace_merged_share(&d->v[i].tx, &d->v[0].tx);
		d->v[i].result.failed = rc < 0 ? -rc : 0;
		d->sends.run[i] = NULL;
	}
	d->over = true;
	stop_counting(s);
	if (!pace_session_is_two_way(s))
		pace_session_down_ready(s);
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

	for (uint32_t i = 0; i < d->sends.n; i++)
		n += left(d, i);
	return n;
}

/* Pay for what was sent and check it against the rule; false: the run was ended for it. */
static bool
pays(struct pace_session *s, uint64_t frames, int64_t now)
{
	const struct pace_traffic load = { .out_frames = frames,
	    .out_bytes = frames * s->run.ask.size_bytes };

	if (frames == 0 || pace_run_limiter_count(&s->limiter, &load, now, pace_session_wall(s)))
		return true;
	pace_session_cut(s);
	return false;
}

/* True if the stream's next frame may leave.  Note since when a due frame has to wait; when it may
 * leave again, move the schedule. */
static bool
may_send(struct down_stream *v, struct pace_sending *run, int64_t until_ns, int64_t now)
{
	int64_t due_ns = pace_sending_due(run);

	if (until_ns <= now) {
		if (v->waiting_ns == 0 && due_ns <= now)
			v->waiting_ns = due_ns;
		return false;
	}
	if (v->waiting_ns != 0) {
		v->tx.proof_waits++;
		v->tx.proof_waited_ns += now - v->waiting_ns;
		v->waiting_ns = 0;
		pace_sending_resume(run, now);
	}
	return true;
}

/* Return until when frames leave before the socket is read again. */
static int64_t
slice_end(const struct pace_session *s, int64_t now)
{
	int64_t due_ns = pace_sending_due(s->down->sends.run[0]);

	if (!pace_session_is_two_way(s))
		return now + SLICE_NS;
	return due_ns > now + EARLY_NS ? now : due_ns > now ? due_ns + 1 : now + 1;
}

/* Prepare stream i for a slice: hold it if it has no valid proof.  A stream whose proof is old may
 * send its overdue frame now, so that it does not shorten the slice of the others.  Returns until
 * when it may send; -errno in *rc. */
static int64_t
prepare_stream(struct pace_session_down *d, uint32_t i, int64_t now, int *rc)
{
	struct down_stream *v = &d->v[i];
	struct pace_sending *run = d->sends.run[i];
	int64_t until_ns = pace_proof_until(&v->proof, left(d, i), now);

	d->sends.due_ns[i] = INT64_MAX;
	if (v->complete || !may_send(v, run, until_ns, now))
		return INT64_MAX;
	reveal(d, i, now);
	if (until_ns > now + 1) {
		d->sends.due_ns[i] = pace_sending_due(run);
		return until_ns;
	}
	if (pace_sending_due(run) <= now) {
		*rc = pace_sending_step(run, until_ns);
		v->complete = *rc == 0;
	}
	return INT64_MAX;
}

/* Send the frames of a slice, also overdue ones, but none after its end.  0: more follow; 1: all
 * have left; -errno: the run must end. */
static int
send_slice(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	const struct pace_io *io = &s->cfg.io;
	int64_t until_ns = slice_end(s, now);
	uint32_t i, open = 0;
	int rc = 0;

	for (i = 0; i < d->sends.n && rc >= 0; i++) {
		int64_t may_ns = prepare_stream(d, i, now, &rc);

		until_ns = may_ns < until_ns ? may_ns : until_ns;
	}
	while (rc >= 0) {
		rc = pace_merged_step(&d->sends, until_ns, &i);
		if (rc == 0)
			d->v[i].complete = true;
		if (rc >= 0 && io->now(io->ctx) >= until_ns - 1)
			break;
	}
	for (i = 0; i < d->sends.n; i++)
		open += !d->v[i].complete;
	return rc < 0 && rc != -ENOENT ? rc : open == 0;
}

void
pace_session_down_step(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	uint64_t before = sent(d);
	int rc;

	if (d->over || (!d->begun && !all_are_proven(d)))
		return;
	if (!d->begun && !begin_sending(s)) {
		end(s, -ENOMEM);
		return;
	}
	rc = send_slice(s, now);
	if (pays(s, sent(d) - before, now) && rc != 0)
		end(s, rc);
}

int64_t
pace_session_down_wake(const struct pace_session *s, int64_t now)
{
	const struct pace_session_down *d = s->down;
	int64_t wake_ns = now + REST_NS;		/* a PING wakes it */

	for (uint32_t i = 0; i < d->sends.n; i++) {
		const struct down_stream *v = &d->v[i];
		int64_t due_ns;

		if (d->sends.run[i] == NULL || v->complete || v->waiting_ns != 0)
			continue;
		due_ns = pace_sending_due(d->sends.run[i]);
		/* a frame that is due when it may not leave is not waited for */
		if (due_ns < pace_proof_until(&v->proof, left(d, i), now))
			due_ns -= EARLY_NS;
		wake_ns = due_ns < wake_ns ? due_ns : wake_ns;
	}
	return wake_ns > now ? wake_ns : 0;
}

int64_t
pace_session_down_reads(const struct pace_session *s, int64_t now)
{
	const struct pace_sending *run = s->down->sends.run[0];

	return run != NULL ? pace_sending_reads(run, now) : INT64_MAX;
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
	show(s, s->down->v[stream].tx.frames, t);
}

/* --- its end -------------------------------------------------------------------- */

void
pace_session_down_put(struct pace_session *s, json_t *result)
{
	const struct pace_counters none = { .known = false };	/* they stand in the other part */
	struct pace_session_down *d = s->down;

	pace_session_down_close(s, &d->v[0].result);
	json_object_set_new(result, "down", pace_session_with_intervals(
	    pace_tx_result_to_json(&d->v[0].result, &d->v[0].tx, &none), d->v[0].intervals, PACE_INTERVAL_TX));
}

void
pace_session_down_finish(struct pace_session *s, uint32_t stream, bool stop,
    struct pace_msg_ready *m)
{
	struct pace_session_down *d = s->down;

	if (stop && !d->over)
		end(s, 0);
	m->ready = d->over;
	m->sent = d->v[stream].tx.frames;
	if (!d->over)
		m->wait_ns = PACE_SESSION_ASK_NS < s->run.ask.grace_ns ? PACE_SESSION_ASK_NS :
		    s->run.ask.grace_ns;
}
