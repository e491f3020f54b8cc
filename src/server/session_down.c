/*
 * A run whose frames the responder sends.  The sender works in slices; between them the session
 * reads its client's messages.  The client's PINGs prove that the frames arrive (proof.h); without
 * proofs the sender stops.
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
#include "stream/sender.h"

#define SLICE_NS	INT64_C(500000)	/* of frames, then the socket is read */
#define EARLY_NS	INT64_C(300000)	/* the sender wakes this long before a frame is due */
#define REST_NS		INT64_C(1000000000)

struct pace_session_down {
	struct pace_proof proof;
	struct pace_sending *sending;	/* NULL: not begun, or over */
	struct pace_tx	tx;
	struct pace_tx_result result;
	struct pace_intervals *intervals;	/* NULL: none are requested */
	bool		over;
	int64_t		waiting_ns;	/* since when a frame waits for a proof; 0: none waits */
};

/* Set what the socket does with frames; what it sends otherwise has no mark and is whole. */
static void
mark(struct pace_session *s, uint32_t dscp, enum pace_ecn ecn, bool fragment)
{
	const struct pace_io *io = &s->cfg.io;

	if (io->mark != NULL)
		io->mark(io->ctx, dscp, ecn);
	if (io->fragment != NULL)
		io->fragment(io->ctx, fragment);
}

int
pace_session_down_begin(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return -ENOMEM;
	d->intervals = pace_intervals_new(&s->run.ask);
	if (d->intervals == NULL && s->run.ask.interval_ns > 0) {
		free(d);
		return -ENOMEM;
	}
	pace_session_down_free(s);
	pace_receiver_free(s->own.receiver);
	s->own.receiver = NULL;
	mark(s, s->run.ask.dscp, s->run.ask.ecn, s->run.fragment);
	pace_proof_begin(&d->proof, pace_random(), now);
	s->echo.proof = pace_proof_value(&d->proof);
	s->down = d;
	s->state = PACE_SENDING;
	return 0;
}

void
pace_session_down_free(struct pace_session *s)
{
	struct pace_session_down *d = s->down;

	if (d == NULL)
		return;
	(void)pace_sending_end(d->sending);
	free(d->intervals);
	free(d);
	s->down = NULL;
	s->echo.proof = 0;
	mark(s, 0, PACE_ECN_NOT_ECT, false);
}

/* --- proofs ------------------------------------------------------------------- */

/* If it is time, let frames and answers reveal a new value. */
static void
reveal(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;

	if (!pace_proof_due(&d->proof, now) || d->proof.proven == 0)
		return;
	pace_proof_renew(&d->proof, pace_random(), d->tx.frames, now);
	s->echo.proof = pace_proof_value(&d->proof);
	if (d->sending != NULL)
		pace_sending_proof(d->sending, s->echo.proof);
}

void
pace_session_down_heard(struct pace_session *s, uint64_t proof, int64_t now)
{
	pace_proof_take(&s->down->proof, proof, now);
	reveal(s, now);
}

/* --- frames ------------------------------------------------------------------- */

static bool
begin_sending(struct pace_session *s)
{
	struct pace_session_down *d = s->down;
	const struct pace_sender sender = { .io = &s->cfg.io, .ask = &s->run.ask,
	    .session = s->id, .run = s->run_number, .seed = s->run.seed,
	    .wire_bytes = s->run.wire_bytes, .echo = &s->echo,
	    .intervals = d->intervals };

	d->sending = pace_sending_begin(&sender, &d->tx);
	if (d->sending == NULL)
		return false;
	pace_sending_proof(d->sending, s->echo.proof);
	d->result.due_ns = pace_sending_due(d->sending);
	return true;
}

/* The run is over, because the last frame has left or it was stopped: make the result. */
static void
end(struct pace_session *s, int rc)
{
	struct pace_session_down *d = s->down;

	d->result.asked = pace_sending_end(d->sending);
	d->result.failed = rc < 0 ? -rc : 0;
	d->sending = NULL;
	d->over = true;
	s->echo.proof = 0;
	pace_session_down_ready(s, &d->result, &d->tx, d->intervals);
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

/* True if the next frame may leave.  Note since when a due frame has to wait; when it may leave
 * again, move the schedule. */
static bool
may_send(struct pace_session_down *d, int64_t until_ns, int64_t now)
{
	int64_t due_ns = pace_sending_due(d->sending);

	if (until_ns <= now) {
		if (d->waiting_ns == 0 && due_ns <= now)
			d->waiting_ns = due_ns;
		return false;
	}
	if (d->waiting_ns != 0) {
		d->tx.proof_waits++;
		d->tx.proof_waited_ns += now - d->waiting_ns;
		d->waiting_ns = 0;
		pace_sending_resume(d->sending, now);
	}
	return true;
}

void
pace_session_down_step(struct pace_session *s, int64_t now)
{
	struct pace_session_down *d = s->down;
	int64_t until_ns = pace_proof_until(&d->proof, d->tx.frames, now);
	uint64_t before = d->tx.frames;
	int rc;

	if (d->proof.proven == 0)
		return;
	if (d->sending == NULL && !begin_sending(s)) {
		end(s, -ENOMEM);
		return;
	}
	if (!may_send(d, until_ns, now))
		return;
	reveal(s, now);
	rc = pace_sending_step(d->sending, until_ns < now + SLICE_NS ? until_ns : now + SLICE_NS);
	if (pays(s, d->tx.frames - before, now) && rc <= 0)
		end(s, rc);
}

int64_t
pace_session_down_wake(const struct pace_session *s, int64_t now)
{
	const struct pace_session_down *d = s->down;
	int64_t due_ns;

	if (d->sending == NULL || d->waiting_ns != 0)
		return now + REST_NS;		/* a PING wakes it */
	due_ns = pace_sending_due(d->sending);
	/* a frame that is due when it may not leave is not waited for */
	if (due_ns < pace_proof_until(&d->proof, d->tx.frames, now))
		due_ns -= EARLY_NS;
	return due_ns > now ? due_ns : 0;
}

void
pace_session_down_show(const struct pace_session *s, struct pace_tally *t)
{
	const struct pace_tx *tx = &s->down->tx;

	*t = (struct pace_tally){ .sent_frames = tx->frames,
	    .sent_bytes = tx->frames * s->run.ask.size_bytes,
	    .sent_wire_bytes = tx->frames * s->run.wire_bytes };
}

/* --- its end -------------------------------------------------------------------- */

void
pace_session_down_finish(struct pace_session *s, bool stop, struct pace_msg_ready *m)
{
	struct pace_session_down *d = s->down;

	if (stop && !d->over)
		end(s, 0);
	m->ready = d->over;
	m->sent = d->tx.frames;
	if (!d->over)
		m->wait_ns = PACE_SESSION_ASK_NS < s->run.ask.grace_ns ? PACE_SESSION_ASK_NS :
		    s->run.ask.grace_ns;
}
