/*
 * A run: START takes the lease and begins it, FINISH lets it drain, FETCH
 * hands out its result and its records as often as it is asked.
 */
#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"

#define RUN_ROOM	(1024 + PACE_SEAL_SIZE)	/* most control messages of a run fit */
#define ENERGY_LEAST_NS	INT64_C(1000000000)
#define COALESCE_MAX	2048			/* bytes; larger frames cost more to copy than to take one by one */

_Static_assert(PACE_LEASE_LINE >= PACE_SESSIONS_MAX, "each session can wait in line");

/* --- answers -------------------------------------------------------------- */

void
pace_session_send(struct pace_session *s, int len)
{
	struct pace_out out = { .buf = s->reply, .len = (size_t)len };

	/* What does not leave now is asked for again. */
	if (len <= 0 || !pace_send_credit_pay(&s->credit, out.len + s->limiter.overhead,
	    s->cfg.io.now(s->cfg.io.ctx)))
		return;
	s->answers++;
	s->answer_bytes += out.len;
	(void)s->cfg.io.send(s->cfg.io.ctx, &out, 1);
}

/* Reply to a request; body is released. */
void
pace_session_answer(struct pace_session *s, const struct pace_hdr *request, json_t *body)
{
	struct pace_hdr h = *request;

	h.type |= PACE_REPLY;
	h.session = s->id;
	h.sealed = s->cfg.seal.on;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_session_send(s, pace_seal_put(&s->cfg.seal, s->reply, sizeof(s->reply),
	    pace_msg_put(s->reply, sizeof(s->reply), &h, body, 0)));
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
	free(s->result);
	s->result = NULL;
	s->result_size = 0;
}

void
pace_session_give_up(struct pace_session *s)
{
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	pace_session_capture_end(s, NULL);
	(void)pace_io_stamps(&s->cfg.io, false, NULL);
	pace_receiver_free(s->receiver);
	s->receiver = NULL;
	s->leased = false;
	s->echo.most = 0;		/* larger replies were for that run */
	pace_session_post(s);		/* before another board can say so, too */
	pace_lease_release(&s->cfg.shared->lease, s->id);
}

static uint32_t
drops_now(struct pace_session *s)
{
	uint32_t drops = s->cfg.io.drops(s->cfg.io.ctx);

	return drops != 0 ? drops : s->drops;
}

/* -ENOMEM: as it was. */
static int
begin_stream(struct pace_session *s, const struct pace_msg_start *m)
{
	bool whole;			/* trains come in one piece */

	if (s->receiver == NULL && (s->receiver = pace_receiver_new()) == NULL)
		return -ENOMEM;
	whole = m->ask.train > 1 && m->ask.size_bytes <= COALESCE_MAX;
	if (pace_receiver_start(s->receiver, m, drops_now(s), whole) < 0)
		return -ENOMEM;
	s->cfg.io.coalesce(s->cfg.io.ctx, whole);
	/* The kernel copies no more than what will be looked at. */
	s->wanted = m->ask.verify || whole ? s->room : RUN_ROOM;
	s->state = PACE_RUNNING;
	return 0;
}

/* Has nobody measured between the session's begin and its first run, which begins? */
static bool
was_idle(const struct pace_session *s)
{
	return s->runs == 1 && s->born_grants != 0 &&
	    pace_lease_granted(&s->cfg.shared->lease) == s->born_grants + 1;
}

static int
begin_run(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	pace_session_forget(s);
	pace_session_capture_end(s, NULL);
	pace_session_run_ended(s, "abandoned", NULL);
	if (!m->pings && begin_stream(s, m) < 0)
		return -ENOMEM;
	if (m->pings) {
		s->cfg.io.coalesce(s->cfg.io.ctx, false);
		s->wanted = RUN_ROOM;
		s->state = PACE_PINGING;
	}
	s->echo.most = m->pings && m->reply_bytes > m->ask.size_bytes ? m->reply_bytes : 0;
	pace_run_limiter_begin(&s->limiter, m, s->cfg.io.now(s->cfg.io.ctx));
	s->run = *m;
	s->stream = h->stream;
	s->start_request = h->seq;
	s->runs++;
	s->lease_lost = false;
	pace_session_capture(s);
	if (!m->pings) {
		pace_io_counters(&s->cfg.io, &s->counters, PACE_BEFORE);
		if (was_idle(s))
			s->has_idle = pace_energy_idle(&s->counters.energy, &s->born,
			    s->counters.at_ns - s->born_ns, &s->idle_watts);
	}
	s->cfg.io.usage(s->cfg.io.ctx, &s->usage);
	pace_session_run_began(s);
	return 0;
}

/* With what there may be, so that the client can do with it. */
static void
refuse_by_policy(struct pace_session *s, const struct pace_hdr *h, const char *text)
{
	struct pace_msg_error e = { .code = "policy" };

	snprintf(e.text, sizeof(e.text), "%s", text);
	pace_run_limiter_allows(&s->limiter, &e);
	pace_session_answer(s, h, pace_msg_error_json(&e));
	pace_session_refused(s, &e);
}

/* What a client may not have: false after a refusal that names what it may. */
static bool
allowed(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	char text[160];

	if (m->ask.record.room > s->cfg.shared->max_records) {
		snprintf(text, sizeof(text), "records of %" PRIu64 " frames are more than this "
		    "responder keeps: at most %" PRIu64, m->ask.record.room,
		    s->cfg.shared->max_records);
		pace_session_refuse(s, h, "records", text);
		return false;
	}
	if (pace_run_limiter_refuses(&s->limiter, m, pace_session_wall(s), text, sizeof(text))) {
		refuse_by_policy(s, h, text);
		return false;
	}
	if (m->pings && m->reply_bytes > m->ask.size_bytes && !s->cfg.terms.limits.reverse) {
		snprintf(text, sizeof(text), "replies of %u bytes are larger than their "
		    "requests: at most %u", m->reply_bytes, m->ask.size_bytes);
		pace_session_refuse(s, h, "request", text);
		return false;
	}
	return true;
}

/* The answer to a FINISH that was never sent: stop, and ask. */
void
pace_session_tell_cut(struct pace_session *s, int64_t now)
{
	struct pace_hdr h = { .type = PACE_FINISH, .stream = s->stream };

	s->cut_told_ns = now;
	s->leftovers = 0;
	pace_session_answer(s, &h, NULL);
}

void
pace_session_cut(struct pace_session *s)
{
	if (s->state == PACE_CLOSED)
		return;			/* in the same batch: it stays closed */
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

/* Refused after all: the run before has no receiver any more either. */
static void
take_back(struct pace_session *s, const struct pace_hdr *h, const char *code, const char *text)
{
	s->state = PACE_OPENED;
	pace_session_run_ended(s, "abandoned", NULL);
	pace_session_give_up(s);
	pace_session_refuse(s, h, code, text);
}

void
pace_session_let_go(struct pace_session *s)
{
	if (!s->leased)
		return;
	pace_session_run_ended(s, "abandoned", NULL);
	if (s->state != PACE_READY)	/* a result can be fetched all the same */
		s->state = PACE_OPENED;
	pace_session_give_up(s);
}

/* How long a run may last that begins while nobody waits: as announced, and not much longer
 * than the rule lets it. */
static int64_t
longest_run(const struct pace_session *s, const struct pace_msg_start *m, int64_t run_ns)
{
	int64_t most = s->cfg.terms.limits.most[PACE_LIMIT_DURATION];
	int64_t announced = run_ns > 0 ? run_ns : m->at_most_ns;

	if (most == PACE_NO_LIMIT || announced <= most)
		return announced;
	return announced - most < PACE_LEASE_TURN_NS ? announced : most + PACE_LEASE_TURN_NS;
}

/* The lease, or an answer that tells the client to wait. */
static bool
take_lease(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m,
    int64_t now)
{
	struct pace_waiter w = { .session = s->id, .from = s->cfg.peer,
	    .keyed = s->cfg.key[0] != '\0', .asked_ns = now, .at_most_ns = m->at_most_ns };
	struct pace_msg_error who;

	if (pace_params_duration_ns(&m->ask) > 0)
		w.run_ns = pace_params_cost_ns(&m->ask);
	w.longest_ns = longest_run(s, m, w.run_ns);
	snprintf(w.label, sizeof(w.label), "%s", s->cfg.open.label);
	s->used_ns = now;
	if (pace_lease_take(&s->cfg.shared->lease, &w, &who) != 0) {
		pace_session_let_go(s);
		pace_session_answer(s, h, pace_msg_error_json(&who));
		pace_session_refused(s, &who);
		return false;
	}
	s->renewed_ns = now;
	s->leased = true;
	return true;
}

/* Who asked for no capture, or does not know that one can, gets what there always was. */
static void
answer_start(struct pace_session *s, const struct pace_hdr *h)
{
	const struct pace_msg_started m = { .capture = s->capture };

	pace_session_answer(s, h, s->run.capture ? pace_msg_started_json(&m) : NULL);
}

void
pace_session_start(struct pace_session *s, const struct pace_hdr *h, const json_t *body, int64_t now)
{
	struct pace_msg_start m;
	struct pace_err err;

	bool same = s->runs > 0 && h->stream == s->stream;

	if (same && h->seq <= s->start_request) {
		answer_start(s, h);	/* repeated: it has begun */
		return;
	}
	/* A new request for the same run: its client has never heard that it began. */
	if (!same && h->stream != (uint8_t)(s->stream + 1))
		return;			/* an old one, late */
	if (pace_msg_start(body, &m) != 0) {
		pace_session_refuse(s, h, "request", "START was not understood");
		return;
	}
	if (s->part_ns != 0) {
		pace_session_refuse(s, h, "closing", PACE_CLOSING_TEXT);
		return;
	}
	if (s->cfg.seal.on && !pace_auth_knows(&s->cfg.shared->auth, s->cfg.seal.id)) {
		pace_session_refuse(s, h, "key", "this responder does not know that key any more");
		return;
	}
	if (!allowed(s, h, &m) || !take_lease(s, h, &m, now))
		return;
	if (pace_io_stamps(&s->cfg.io, m.ask.nic, &err) < 0)
		take_back(s, h, "stamp", pace_err_why(&err));
	else if (begin_run(s, h, &m) < 0)
		take_back(s, h, "memory", "the responder is out of memory");
	else
		answer_start(s, h);
}

/* Energy in fine steps tells what a processor computes (PLATYPUS, CVE-2020-8694): others
 * are told of no less than a second, in millijoules. */
static void
tell_coarsely(struct pace_counters *c)
{
	struct pace_energy *e = &c->energy;

	if (e->known && c->at_ns < ENERGY_LEAST_NS) {
		e->known = false;
		snprintf(e->why, sizeof(e->why), "it is told of a second at least");
	}
	for (int i = 0; i < e->domains; i++)
		e->v[i].joules = round(e->v[i].joules * 1e3) / 1e3;
}

void
pace_session_result(struct pace_session *s)
{
	struct pace_rx_result *rx = pace_receiver_finish(s->receiver, &s->finish, drops_now(s));
	struct pace_counters counters = { .known = false };
	struct pace_usage now;
	json_t *j;

	pace_io_counters(&s->cfg.io, &counters, PACE_AFTER);
	pace_counters_since(&counters, &s->counters);
	tell_coarsely(&counters);
	counters.energy.has_idle = counters.energy.known && s->has_idle;
	counters.energy.idle_watts = s->idle_watts;
	s->cfg.io.usage(s->cfg.io.ctx, &now);
	rx->clock_steps = now.clock_steps - s->usage.clock_steps;
	rx->clock = now.clock;
	rx->bad_checksums = now.bad_checksums - s->usage.bad_checksums;
	pace_session_capture_end(s, rx);
	rx->lease_lost = s->lease_lost;
	rx->rcvbuf_asked = s->cfg.open.rcvbuf_bytes;
	rx->rcvbuf_granted = s->cfg.rcvbuf_granted;
	j = pace_rx_result_to_json(rx, &counters, s->run.ask.verify);
	pace_counters_free(&counters);
	s->result = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(j);
	s->result_size = s->result != NULL ? (uint32_t)strlen(s->result) : 0;
	s->state = PACE_READY;
	s->ready_ns = s->cfg.io.now(s->cfg.io.ctx);
	/* What has been measured may be fetched, however long that takes. */
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	pace_session_run_ended(s, "complete", rx);
}

void
pace_session_finish(struct pace_session *s, const struct pace_hdr *h, const json_t *body, int64_t now)
{
	struct pace_msg_ready m = { .ready = false };
	struct pace_msg_finish f;

	if (s->limiter.why[0] != '\0' && h->stream == s->stream) {
		refuse_by_policy(s, h, s->limiter.why);
		return;
	}
	if (h->stream != s->stream || s->runs == 0 || s->state == PACE_OPENED ||
	    pace_msg_finish(body, &f) != 0 || f.sent > s->run.limit) {
		pace_session_refuse(s, h, "request", "FINISH of a run that is not there");
		return;
	}
	if (s->state == PACE_RUNNING) {
		s->finish = f;
		s->state = PACE_DRAINING;
		s->end_ns = now + s->run.ask.grace_ns;
		/* Nothing is missing: only copies can still come. */
		if (pace_receiver_complete(s->receiver, f.sent))
			s->end_ns = now + s->run.ask.grace_ns / 5;
	}
	if (s->state == PACE_DRAINING && pace_session_drained(s, now))
		pace_session_result(s);
	if (s->state == PACE_PINGING && s->seen.run.ended_ns == 0) {
		pace_session_run_ended(s, "complete", NULL);
		s->ready_ns = now;
	}
	m.ready = s->state == PACE_READY || s->state == PACE_PINGING;
	m.lease_lost = s->lease_lost;
	m.wait_ns = m.ready ? 0 : s->end_ns - now;
	if (m.wait_ns > s->run.ask.grace_ns)	/* for the capture: no client wants to hear of more */
		m.wait_ns = s->run.ask.grace_ns;
	m.size = s->result_size;
	if (s->state == PACE_READY && m.size == 0)
		pace_session_refuse(s, h, "memory", "the responder is out of memory");
	else
		pace_session_answer(s, h, pace_msg_ready_json(&m));
}

/* The receiver is gone when the lease went by. */
static uint32_t
records_size(const struct pace_session *s)
{
	return s->receiver == NULL ? 0 :
	    (uint32_t)(pace_receiver_records(s->receiver)->n * PACE_RECORD_SIZE);
}

uint64_t
pace_session_fetchable(const struct pace_session *s)
{
	return (uint64_t)s->result_size + records_size(s);
}

/* How much there is of a part; its text, NULL for records. */
static uint32_t
part_size(const struct pace_session *s, const struct pace_hdr *h, enum pace_part part,
    const char **text)
{
	bool ready = s->state == PACE_READY && h->stream == s->stream && s->result != NULL;

	*text = part == PACE_PART_HOST ? s->host : part == PACE_PART_RESULT ? s->result : NULL;
	if (part == PACE_PART_HOST)
		return s->host_size;
	if (!ready)
		return 0;
	return part == PACE_PART_RECORDS ? records_size(s) : s->result_size;
}

void
pace_session_fetch(struct pace_session *s, const struct pace_hdr *request, const json_t *body)
{
	struct pace_hdr h = *request;
	struct pace_wr w = { .p = s->reply + PACE_HDR_SIZE, .left = 8 };
	struct pace_msg_fetch f = { .offset = 0 };
	uint32_t n, size = 0;
	const char *text = NULL;

	if (pace_msg_fetch(body, &f) == 0)
		size = part_size(s, &h, f.part, &text);
	if (f.offset >= size) {
		pace_session_refuse(s, request, "request", "FETCH of bytes that are not there");
		return;
	}
	n = size - f.offset < PACE_CHUNK_MAX ? size - f.offset : PACE_CHUNK_MAX;
	h.type |= PACE_REPLY;
	h.tx_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_wr_be(&w, f.offset, 4);
	pace_wr_be(&w, size, 4);
	if (text == NULL)
		pace_records_bytes(pace_receiver_records(s->receiver), f.offset,
		    s->reply + PACE_HDR_SIZE + 8, n);
	else
		memcpy(s->reply + PACE_HDR_SIZE + 8, text + f.offset, n);
	pace_hdr_encode(s->reply, PACE_HDR_SIZE + 8 + n, &h);
	pace_session_send(s, pace_seal_put(&s->cfg.seal, s->reply, sizeof(s->reply),
	    (int)(PACE_HDR_SIZE + 8 + n)));
}
