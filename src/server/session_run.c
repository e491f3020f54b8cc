/* What the parts of a session share: answers, refusals, and the end of a run without a result. */
#include "config.h"

#include "server/session_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- answers -------------------------------------------------------------- */

static void
send_at(struct pace_session *s, const struct pace_io *io, int len)
{
	struct pace_out out = { .buf = s->reply, .len = (size_t)len };

	/* An answer that cannot be sent now is requested again. */
	if (len <= 0 || !pace_send_credit_pay(&s->credit, out.len + s->limiter.overhead,
	    s->cfg.io.now(s->cfg.io.ctx)))
		return;
	s->answers++;
	s->answer_bytes += out.len;
	(void)io->send(io->ctx, &out, 1);
}

void
pace_session_send(struct pace_session *s, int len)
{
	send_at(s, &s->cfg.io, len);
}

/* Reply to a request; body is released. */
void
pace_session_answer(struct pace_session *s, const struct pace_hdr *request, json_t *body)
{
	pace_session_answer_at(s, &s->cfg.io, request, body);
}

void
pace_session_answer_at(struct pace_session *s, const struct pace_io *io,
    const struct pace_hdr *request, json_t *body)
{
	struct pace_hdr h = *request;

	h.type |= PACE_REPLY;
	h.session = s->id;
	h.sealed = s->cfg.seal.on;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	send_at(s, io, pace_seal_put(&s->cfg.seal, s->reply, PACE_CONTROL_ROOM,
	    pace_msg_put(s->reply, PACE_CONTROL_ROOM, &h, body, 0)));
}

void
pace_session_refuse(struct pace_session *s, const struct pace_hdr *request, const char *code,
    const char *text)
{
	struct pace_msg_error e = { .wait_ns = 0 };

	snprintf(e.code, sizeof(e.code), "%s", code);
	snprintf(e.text, sizeof(e.text), "%s", text);
	pace_session_answer(s, request, pace_msg_error_json(&e));
	pace_session_refused(s, &e);
}

int64_t
pace_session_wall(const struct pace_session *s)
{
	return s->cfg.io.now(s->cfg.io.ctx) + s->cfg.io.wall(s->cfg.io.ctx);
}

bool
pace_session_streaming(const struct pace_session *s)
{
	return s->state == PACE_RUNNING || s->state == PACE_DRAINING;
}

/* --- runs ------------------------------------------------------------------ */

void
pace_session_forget(struct pace_session *s)
{
	for (uint32_t i = 0; i < s->flows; i++) {
		struct pace_session_flow *f = s->flow[i];

		if (f == NULL)
			continue;
		free(f->result);
		f->result = NULL;
		f->result_size = 0;
		f->finished = false;
		f->last = (struct pace_slice){ .jitter_ns = 0 };
	}
}

void
pace_session_give_up(struct pace_session *s)
{
	pace_session_threads_stop(s);
	pace_session_down_stop(s);
	pace_session_tcp_free(s);
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	pace_session_drop_captures(s);
	for (uint32_t i = 0; i < s->flows; i++) {
		struct pace_session_flow *f = s->flow[i];

		if (f == NULL)
			continue;
		(void)pace_io_stamps(&f->at.io, false, NULL);
		pace_receiver_free(f->receiver);
		f->receiver = NULL;
	}
	pace_session_down_free(s);
	s->leased = false;
	s->echo.most = 0;		/* larger replies were for that run */
	pace_session_post(s);		/* before another session's page shows the lease */
	pace_lease_release(&s->cfg.shared->lease, s->id);
}

/* Send the answer to a FINISH that the client did not send: stop, and send FINISH. */
void
pace_session_tell_cut(struct pace_session *s, int64_t now)
{
	struct pace_hdr h = { .type = PACE_FINISH, .run = s->run_number };

	s->cut_reported_ns = now;
	s->leftovers = 0;
	pace_session_answer(s, &h, NULL);
}

/* End the run and report the reason now: a client that ignores it never sends FINISH. */
void
pace_session_cut(struct pace_session *s)
{
	struct pace_msg_error e = { .code = "policy" };

	if (s->state == PACE_CLOSED)
		return;			/* closed in the same batch: it stays closed */
	snprintf(e.text, sizeof(e.text), "%s", s->limiter.why);
	pace_session_refused(s, &e);
	pace_session_forget(s);
	s->state = PACE_OPENED;
	pace_session_run_ended(s, "abandoned", NULL);
	pace_session_give_up(s);
	pace_session_tell_cut(s, s->cfg.io.now(s->cfg.io.ctx));
}

bool
pace_session_was_cut(const struct pace_session *s)
{
	return s->limiter.why[0] != '\0' && s->state != PACE_CLOSED;
}

void
pace_session_let_go(struct pace_session *s)
{
	if (!s->leased)
		return;
	pace_session_run_ended(s, "abandoned", NULL);
	if (s->state != PACE_READY)	/* a result can still be fetched */
		s->state = PACE_OPENED;
	pace_session_give_up(s);
}

uint32_t
pace_session_drops(const struct pace_session_flow *f)
{
	uint32_t drops = f->at.io.drops(f->at.io.ctx);

	return drops != 0 ? drops : f->drops;
}

struct pace_msg_error
pace_session_refuse_by_policy(struct pace_session *s, const struct pace_hdr *h, const char *text)
{
	struct pace_msg_error e = { .code = "policy" };

	snprintf(e.text, sizeof(e.text), "%s", text);
	pace_run_limiter_allows(&s->limiter, &e);
	pace_session_answer(s, h, pace_msg_error_json(&e));
	return e;
}
