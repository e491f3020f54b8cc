/*
 * A run: START takes the lease and begins the run, FINISH lets it drain, FETCH delivers its result
 * and its records, any number of times.  A capture is requested when the run begins; after the
 * grace time the session waits briefly for it and adds it to the result.
 */
#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "doc/intervals_doc.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "doc/tx_result_doc.h"

#define RUN_ROOM	(1024 + PACE_SEAL_SIZE)	/* most control messages of a run fit */
#define ENERGY_LEAST_NS	INT64_C(1000000000)
#define LOOK_NS		INT64_C(10000000)	/* check the capture this often, */
#define LATEST_NS	INT64_C(2000000000)	/* but not for longer than this */
/* bytes; larger frames cost more to copy than to take one by one */
#define COALESCE_MAX	2048

_Static_assert(PACE_LEASE_LINE >= PACE_SESSIONS_MAX, "each session can wait in line");

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

/* --- a run that its client wants captured at the responder --------------------- */

/* True if the client sends a stream / receives one. */
static bool
is_up(const struct pace_msg_start *m)
{
	return !m->pings && pace_params_goes_up(&m->ask);
}

static bool
is_down(const struct pace_msg_start *m)
{
	return !m->pings && pace_params_goes_down(&m->ask);
}

/* Begin the capture of a flow's stream, for which its receiver keeps stamps. */
static enum pace_capture_answer
begin_stream_capture(struct pace_session *s, struct pace_session_flow *f)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const struct pace_params *a = &s->run.ask;
	const struct pace_rx_capture_params ask = { .session = s->id, .run = s->run_number,
	    .stream = f->at.stream, .streams = pace_session_streams(s),
	    .from = f->at.peer, .size_bytes = a->size_bytes, .limit = s->run.limit,
	    .train = a->train, .burst = a->bursts > 1 ? a->count : 0 };

	if (pace_receiver_stamps(f->receiver) < 0)
		return PACE_CAPTURE_ROOM;
	return tap->begin(tap->ctx, &ask, &f->rx_captured);
}

void
pace_session_end_capture(struct pace_session *s, struct pace_session_flow *f,
    struct pace_rx_result *rx)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const int64_t *stamps = NULL;
	uint64_t n = 0;

	if (f->rx_captured == NULL)
		return;
	if (rx != NULL)
		stamps = pace_receiver_stamped(f->receiver, &n);
	tap->end(tap->ctx, f->rx_captured, rx != NULL ? &rx->wire : NULL, stamps, n);
	f->rx_captured = NULL;
	if (rx != NULL)
		rx->has_wire = true;
}

/* End the captures of all streams, whose results are not needed. */
static void
drop_captures(struct pace_session *s)
{
	s->tap_ns = 0;
	for (uint32_t i = 0; i < s->flows; i++)
		if (s->flow[i] != NULL)
			pace_session_end_capture(s, s->flow[i], NULL);
}

/* All streams are captured, or none. */
static void
begin_captures(struct pace_session *s)
{
	s->capture = PACE_CAPTURE_NONE;
	if (!s->run.capture || !is_up(&s->run))
		return;
	s->capture = s->cfg.shared->lacks_pcap ? PACE_CAPTURE_BUILD :
	    s->cfg.shared->tap == NULL ? PACE_CAPTURE_NONE :
	    s->cfg.terms.limits.capture ? PACE_CAPTURE_GRANTED : PACE_CAPTURE_RULE;
	for (uint32_t i = 0; s->capture == PACE_CAPTURE_GRANTED && i < pace_session_streams(s); i++)
		s->capture = begin_stream_capture(s, s->flow[i]);
	if (s->capture != PACE_CAPTURE_GRANTED)
		drop_captures(s);
}

/* True if the captures have seen all that arrived. */
static bool
captures_settled(const struct pace_session *s)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;

	for (uint32_t i = 0; i < pace_session_streams(s); i++) {
		const struct pace_session_flow *f = s->flow[i];

		if (f->rx_captured != NULL &&
		    !tap->settled(tap->ctx, f->rx_captured, f->sent, s->tap_ns))
			return false;
	}
	return true;
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
	}
}

void
pace_session_give_up(struct pace_session *s)
{
	pace_session_threads_stop(s);
	pace_session_down_stop(s);
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	drop_captures(s);
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

static uint32_t
drops_now(const struct pace_session_flow *f)
{
	uint32_t drops = f->at.io.drops(f->at.io.ctx);

	return drops != 0 ? drops : f->drops;
}

/* --- runs of a light session --- */

/* True if the run needs no lease, whatever its rate. */
static bool
needs_no_lease(const struct pace_msg_start *m)
{
	const struct pace_params *a = &m->ask;

	if (a->busy_poll || a->nic || m->capture || m->group_size > 0)
		return false;
	if (m->pings)
		return a->size_bytes <= PACE_PING_FREE && m->reply_bytes <= a->size_bytes &&
		    a->count > 0 && a->duration_ns / PACE_LIGHT_PING_NS >= (int64_t)a->count;
	return !pace_params_goes_down(a) && a->streams <= 1 && a->train == 1 && a->bursts <= 1 &&
	    a->spacing > 0 && !a->verify && a->record.room == 0 && a->linear.bins == 0 &&
	    a->interval_ns == 0;
}

/* The terms of a light stream: below the watch-rate, however long. */
static void
make_watch_terms(struct pace_session *s)
{
	int64_t *most = s->watch.limits.most;

	s->watch = s->cfg.terms;
	if (most[PACE_LIMIT_WATCH_RATE] < most[PACE_LIMIT_RATE])
		most[PACE_LIMIT_RATE] = most[PACE_LIMIT_WATCH_RATE];
	if (most[PACE_LIMIT_WATCH_FRAMES] < most[PACE_LIMIT_FRAMES])
		most[PACE_LIMIT_FRAMES] = most[PACE_LIMIT_WATCH_FRAMES];
	most[PACE_LIMIT_DURATION] = PACE_NO_LIMIT;
}

/* False: refused, because the run needs a full session. */
static bool
fits_light(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	if (!needs_no_lease(m)) {
		pace_session_refuse(s, h, "lease", "a light session has only exchanges of up to 128 "
		    "bytes, at most 1000 a second, and one low-rate stream");
		return false;
	}
	make_watch_terms(s);
	pace_run_limiter_terms(&s->limiter, m->pings ? &s->cfg.terms : &s->watch, !m->pings);
	return true;
}

static void
begin_light(struct pace_session *s, const struct pace_msg_start *m)
{
	bool again = s->light != NULL;

	s->light = (void *)(s + 1);
	pace_light_receiver_start(s->light, m, again, s->cfg.io.drops(s->cfg.io.ctx));
	s->state = PACE_RUNNING;
}

/* -ENOMEM: unchanged. */
static int
begin_stream(struct pace_session *s, const struct pace_msg_start *m)
{
	bool whole;			/* trains come in one piece */

	if (pace_session_is_light(s)) {
		begin_light(s, m);
		return 0;
	}
	whole = m->ask.train > 1 && m->ask.size_bytes <= COALESCE_MAX;
	for (uint32_t i = 0; i < m->ask.streams; i++) {
		struct pace_session_flow *f = s->flow[i];

		if (f->receiver == NULL && (f->receiver = pace_receiver_new()) == NULL)
			return -ENOMEM;
		if (pace_receiver_start(f->receiver, m, drops_now(f), whole) < 0)
			return -ENOMEM;
		f->at.io.coalesce(f->at.io.ctx, whole);
		f->core = -1;
	}
	/* The kernel copies only the bytes that are read. */
	s->wanted = m->ask.verify || whole ? s->room : RUN_ROOM;
	s->state = PACE_RUNNING;
	return 0;
}

static int
begin_run(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	pace_session_threads_stop(s);
	pace_session_forget(s);
	drop_captures(s);
	pace_session_run_ended(s, "abandoned", NULL);
	pace_session_down_free(s);
	if (m->pings && pace_session_pings_begin(s, m) < 0)
		return -ENOMEM;
	if (is_up(m) && begin_stream(s, m) < 0)
		return -ENOMEM;
	if (!is_up(m)) {
		s->cfg.io.coalesce(s->cfg.io.ctx, false);
		s->wanted = RUN_ROOM;
		s->state = PACE_PINGING;
	}
	s->run = *m;
	if (is_up(m))
		pace_polling_begin(&s->polling, &m->ask,
		    s->flow[pace_session_streams(s) - 1]->at.rcvbuf_granted);
	else
		pace_polling_begin_pings(&s->polling, &m->ask);
	s->collects = s->grace_over = false;
	if (is_down(m) && pace_session_down_begin(s, s->cfg.io.now(s->cfg.io.ctx)) < 0)
		return -ENOMEM;
	s->echo.most = m->pings && m->reply_bytes > m->ask.size_bytes ? m->reply_bytes : 0;
	pace_run_limiter_begin(&s->limiter, m, s->cfg.io.now(s->cfg.io.ctx));
	s->run_number = h->run;
	s->start_request = h->seq;
	s->runs++;
	s->lease_lost = false;
	begin_captures(s);
	if (!m->pings) {
		pace_io_counters(&s->cfg.io, &s->counters, PACE_BEFORE);
		/* no session measured between this session's begin and its first run */
		if (s->runs == 1 && s->born_grants != 0 &&
		    pace_lease_grants(&s->cfg.shared->lease, INT64_MAX) == s->born_grants + 1)
			s->has_idle = pace_energy_idle(&s->counters.energy, &s->born,
			    s->counters.at_ns - s->born_ns, &s->idle_watts);
	}
	s->cfg.io.usage(s->cfg.io.ctx, &s->usage);
	pace_session_run_began(s);
	if (s->state == PACE_RUNNING && s->down == NULL)
		pace_session_threads_start(s);
	return 0;
}

/* Make a refusal that contains the limits, so that the client can adapt. */
static struct pace_msg_error
refuse_by_policy(struct pace_session *s, const struct pace_hdr *h, const char *text)
{
	struct pace_msg_error e = { .code = "policy" };

	snprintf(e.text, sizeof(e.text), "%s", text);
	pace_run_limiter_allows(&s->limiter, &e);
	pace_session_answer(s, h, pace_msg_error_json(&e));
	return e;
}

/* True if every stream has its flow. */
static bool
can_have_streams(const struct pace_session *s, const struct pace_msg_start *m)
{
	bool all = !m->pings && m->ask.streams <= s->flows;

	for (uint32_t i = 0; all && i < m->ask.streams; i++)
		all = s->flow[i] != NULL;
	return all;
}

/* True if the client's rule lets it share the lease. */
static bool
may_share(const struct pace_session *s)
{
	enum pace_group_rule may = s->cfg.terms.limits.group;

	return may == PACE_GROUP_PRIVATE || (may == PACE_GROUP_KEY && s->cfg.seal.on);
}

/* Check what the client requests; false: refused, with the limits in the refusal. */
static bool
allowed(struct pace_session *s, const struct pace_hdr *h, const struct pace_msg_start *m)
{
	char text[160];

	/* of all streams together; the message has the most for each */
	if (m->ask.record.room > s->cfg.shared->max_records / pace_params_streams(&m->ask)) {
		snprintf(text, sizeof(text), "records of %" PRIu64 " frames are more than this "
		    "responder keeps: at most %" PRIu64 "%s", m->ask.record.room,
		    s->cfg.shared->max_records / pace_params_streams(&m->ask),
		    m->ask.streams > 1 ? " of each stream" : "");
		pace_session_refuse(s, h, "records", text);
		return false;
	}
	if (pace_run_limiter_refuses(&s->limiter, m, pace_session_wall(s), text, sizeof(text))) {
		const struct pace_msg_error e = refuse_by_policy(s, h, text);

		pace_session_refused(s, &e);
		return false;
	}
	if (m->group_size > 0 && !may_share(s)) {
		snprintf(text, sizeof(text), "rule '%s': it lets no client%s share a measurement "
		    "(group)", s->cfg.terms.limits.rule,
		    s->cfg.terms.limits.group == PACE_GROUP_NO ? "" : " without a key");
		pace_session_refuse(s, h, "policy", text);
		return false;
	}
	if (is_down(m) && !s->cfg.terms.limits.reverse) {
		pace_session_refuse(s, h, "policy", "this responder sends no streams");
		return false;
	}
	if (m->ask.streams > 1 && !can_have_streams(s, m)) {
		pace_session_refuse(s, h, "request", "several streams need a flow for each");
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

/* Send the answer to a FINISH that the client did not send: stop, and send FINISH. */
void
pace_session_tell_cut(struct pace_session *s, int64_t now)
{
	struct pace_hdr h = { .type = PACE_FINISH, .run = s->run_number };

	s->cut_told_ns = now;
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

/* Undo a START that was refused late; the run before has lost its receiver as well. */
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
	if (s->state != PACE_READY)	/* a result can still be fetched */
		s->state = PACE_OPENED;
	pace_session_give_up(s);
}

/* Return how long a run may last that begins while no session waits: as announced, and at most
 * slightly longer than the rule allows. */
static int64_t
longest_run(const struct pace_session *s, const struct pace_msg_start *m, int64_t run_ns)
{
	int64_t most = s->cfg.terms.limits.most[PACE_LIMIT_DURATION];
	int64_t announced = run_ns > 0 ? run_ns : m->at_most_ns;

	if (most == PACE_NO_LIMIT || announced <= most)
		return announced;
	return announced - most < PACE_LEASE_TURN_NS ? announced : most + PACE_LEASE_TURN_NS;
}

/* Write the identity of the client's group: a client without its key, or from another network,
 * cannot join it. */
static void
name_group(const struct pace_session *s, const struct pace_msg_start *m, struct pace_waiter *w)
{
	char key[2 * PACE_KEY_ID_SIZE + 1];

	if (m->group_size == 0)
		return;
	w->group_size = (int)m->group_size;
	if (s->cfg.seal.on)
		snprintf(w->group, sizeof(w->group), "key %s %s", sodium_bin2hex(key, sizeof(key),
		    s->cfg.seal.id, PACE_KEY_ID_SIZE), m->group);
	else
		snprintf(w->group, sizeof(w->group), "rule %s %s %s", s->cfg.terms.limits.rule,
		    s->cfg.terms.subject, m->group);
	if (m->begin_in_ns > 0)
		w->begin_ns = w->asked_ns + m->begin_in_ns;
}

/* Take the lease, or send an answer that lets the client wait. */
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
	name_group(s, m, &w);
	if (m->group_size == 0) {	/* it holds the lease before the run begins */
		w.at_most_ns += m->begin_in_ns;
		w.longest_ns += m->begin_in_ns;
		w.run_ns += w.run_ns > 0 ? m->begin_in_ns : 0;
	}
	snprintf(w.label, sizeof(w.label), "%s", s->cfg.open.label);
	s->used_ns = now;
	if (pace_lease_take(&s->cfg.shared->lease, &w, &who) != 0) {
		pace_session_let_go(s);
		pace_session_answer(s, h, pace_msg_error_json(&who));
		if (strcmp(who.code, "busy") == 0)
			pace_session_waits(s, &who, now);
		else if (strcmp(who.code, "group") != 0)
			pace_session_refused(s, &who);
		return false;
	}
	s->begin_ns = pace_lease_begin(&s->cfg.shared->lease, s->id);
	s->renewed_ns = now;
	s->leased = true;
	return true;
}

/* Answer START: without capture and group the answer is as in earlier versions. */
static void
answer_start(struct pace_session *s, const struct pace_hdr *h)
{
	const struct pace_msg_started m = { .capture = s->capture, .begin_ns = s->begin_ns };

	pace_session_answer(s, h, s->run.capture || s->begin_ns != 0 ?
	    pace_msg_started_json(&m) : NULL);
}

static int
use_stamps(struct pace_session *s, const struct pace_msg_start *m, struct pace_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < m->ask.streams; i++)
		rc = pace_io_stamps(&s->flow[i]->at.io, m->ask.nic, err);
	return rc;
}

void
pace_session_start(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	struct pace_msg_start m;
	struct pace_err err;

	bool same = s->runs > 0 && h->run == s->run_number;

	if (same && h->seq <= s->start_request) {
		answer_start(s, h);	/* repeated: the run has begun */
		return;
	}
	if (same && s->begin_ns != 0 && s->leased) {	/* its client has missed the answer */
		s->start_request = h->seq;
		answer_start(s, h);
		return;
	}
	/* A new request for the same run: its client does not know that the run began. */
	if (!same && h->run != (uint8_t)(s->run_number + 1))
		return;			/* an old request, late */
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
	if (pace_session_is_light(s) ? !fits_light(s, h, &m) || !allowed(s, h, &m) :
	    !allowed(s, h, &m) || !take_lease(s, h, &m, now))
		return;
	if (s->begin_ns != 0)
		m.begin_in_ns = s->begin_ns > now ? s->begin_ns - now : 0;
	if (use_stamps(s, &m, &err) < 0)
		take_back(s, h, "stamp", pace_err_why(&err));
	else if (begin_run(s, h, &m) < 0)
		take_back(s, h, "memory", "the responder is out of memory");
	else
		answer_start(s, h);
}

/* Add the increase of the host's counters during the run. */
static void
count_host(struct pace_session *s, struct pace_counters *counters)
{
	struct pace_energy *e = &counters->energy;

	counters->known = false;
	pace_io_counters(&s->cfg.io, counters, PACE_AFTER);
	pace_counters_since(counters, &s->counters);
	/* Fine-grained energy readings reveal what a processor computes (PLATYPUS, CVE-2020-8694):
	 * clients get no less than a second, in millijoules. */
	if (e->known && counters->at_ns < ENERGY_LEAST_NS) {
		e->known = false;
		snprintf(e->why, sizeof(e->why), "only an energy reading over at least one second is reported");
	}
	for (int i = 0; i < e->domains; i++)
		e->v[i].joules = round(e->v[i].joules * 1e3) / 1e3;
	counters->energy.has_idle = counters->energy.known && s->has_idle;
	counters->energy.idle_watts = s->idle_watts;
}

/* The result of this flow is j, which is released. */
static void
set_result(struct pace_session_flow *f, json_t *j)
{
	f->result = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(j);
	f->result_size = f->result != NULL ? (uint32_t)strlen(f->result) : 0;
}

/* The results can be fetched without a time limit of their own. */
static void
set_ready(struct pace_session *s, const struct pace_rx_result *rx)
{
	s->state = PACE_READY;
	s->ready_ns = s->cfg.io.now(s->cfg.io.ctx);
	pace_run_limiter_end(&s->limiter, pace_session_wall(s));
	pace_session_run_ended(s, "complete", rx);
}

json_t *
pace_session_with_intervals(json_t *j, const struct pace_intervals *v,
    enum pace_interval_part part)
{
	struct pace_jw w = { .o = j };

	if (v != NULL)
		pace_jw_put(&w, "intervals", pace_interval_rows(v, part));
	return w.o;
}

/* Fill in what the session knows of the sender's result. */
void
pace_session_down_close(struct pace_session *s, struct pace_tx_result *r)
{
	struct pace_usage now;

	s->cfg.io.usage(s->cfg.io.ctx, &now);
	r->clock = now.clock;
	r->lease_lost = s->lease_lost;
}

/* Only the first result has the counters of the host. */
void
pace_session_down_ready(struct pace_session *s)
{
	struct pace_counters counters = { .known = false };

	count_host(s, &counters);
	pace_session_show(s);
	for (uint32_t i = 0; i < pace_session_streams(s); i++) {
		const struct pace_intervals *v;
		const struct pace_tx *tx;
		struct pace_tx_result *r = pace_session_down_result(s, i, &tx, &v);

		pace_session_down_close(s, r);
		set_result(s->flow[i], pace_session_with_intervals(pace_tx_result_to_json(r, tx, &counters), v,
		    PACE_INTERVAL_TX));
		pace_counters_free(&counters);
		counters.known = false;
	}
	set_ready(s, NULL);
}

/* Make the result of a flow's stream.  The counters of the host are reported once. */
static struct pace_rx_result *
make_stream_result(struct pace_session *s, struct pace_session_flow *f,
    const struct pace_usage *now, const struct pace_counters *counters)
{
	struct pace_msg_finish finish = s->finish;
	struct pace_rx_result *rx;
	json_t *j;

	finish.sent = f->sent;
	rx = pace_receiver_finish(f->receiver, &finish, drops_now(f));
	rx->clock_steps = now->clock_steps - s->usage.clock_steps;
	rx->clock = now->clock;
	rx->bad_checksums = now->bad_checksums - s->usage.bad_checksums;
	pace_session_end_capture(s, f, rx);
	rx->lease_lost = s->lease_lost;
	rx->rcvbuf_asked = f->at.rcvbuf_asked;
	rx->rcvbuf_granted = f->at.rcvbuf_granted;
	rx->has_core = f->core >= 0;
	rx->core = rx->has_core ? (uint32_t)f->core : 0;
	f->last = (struct pace_slice){ .run = pace_session_tally_of(s, rx), .gaps = rx->gap.stats,
	    .jitter_ns = (int64_t)rx->jitter_ns };
	j = pace_session_with_intervals(pace_rx_result_to_json(rx, counters, s->run.ask.verify),
	    pace_receiver_intervals(f->receiver), PACE_INTERVAL_RX);
	if (pace_session_is_two_way(s))
		pace_session_down_put(s, f->at.stream, j);
	set_result(f, j);
	return rx;
}

/* Add a stream's counts for the observers; its result is text already. */
static void
add_counts(struct pace_rx_result *sum, const struct pace_rx_result *rx)
{
	sum->frames += rx->frames;
	sum->unique += rx->unique;
	sum->bytes += rx->bytes;
	sum->lost += rx->lost;
	sum->duplicates += rx->duplicates;
	sum->reordered += rx->reordered;
	sum->beyond_window += rx->beyond_window;
	sum->foreign += rx->foreign;
	sum->corrupt += rx->corrupt;
	sum->socket_drops += rx->socket_drops;
	sum->socket_lost_likely += rx->socket_lost_likely;
	sum->socket_lost_max += rx->socket_lost_max;
}

static void
end_light(struct pace_session *s)
{
	pace_light_receiver_finish(s->light, s->finish.sent);
	pace_session_show(s);
	set_ready(s, NULL);
}

static void
make_result(struct pace_session *s)
{
	const struct pace_counters none = { .known = false };
	struct pace_counters counters = { .known = false };
	struct pace_rx_result *sum;
	struct pace_usage now;

	count_host(s, &counters);
	s->cfg.io.usage(s->cfg.io.ctx, &now);
	sum = make_stream_result(s, &s->own, &now, &counters);
	pace_counters_free(&counters);
	for (uint32_t i = 1; i < pace_session_streams(s); i++) {
		struct pace_session_flow *f = s->flow[i];

		add_counts(sum, make_stream_result(s, f, &now, &none));
		s->finish.sent += f->sent;
		if (pace_receiver_records(f->receiver)->n > 0)
			continue;	/* they can be fetched */
		pace_receiver_free(f->receiver);
		f->receiver = NULL;
	}
	set_ready(s, sum);
}

void
pace_session_drain(struct pace_session *s, int64_t now)
{
	bool captured = s->own.rx_captured != NULL;

	if (s->state != PACE_DRAINING || now < s->end_ns)
		return;
	s->grace_over = pace_session_is_two_way(s);
	if (s->grace_over && !s->collects)
		return;			/* the down stream, or the client's clock, is not complete */
	if (captured && s->tap_ns == 0)
		s->tap_ns = now;
	if (captured && now - s->tap_ns < LATEST_NS && !captures_settled(s))
		s->end_ns = now + LOOK_NS;
	else if (s->light != NULL)
		end_light(s);
	else
		make_result(s);
}

/* The grace time begins when it is known how many frames of each stream were sent. */
static void
begin_drain(struct pace_session *s, int64_t now)
{
	bool complete = true;

	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		if (!s->flow[i]->finished)
			return;
	pace_session_threads_stop(s);		/* frames that still come are few */
	for (uint32_t i = 0; i < pace_session_streams(s); i++)
		complete = complete && (s->light != NULL ?
		    pace_light_receiver_complete(s->light, s->flow[i]->sent) :
		    pace_receiver_complete(s->flow[i]->receiver, s->flow[i]->sent));
	s->state = PACE_DRAINING;
	/* No frame is missing: only duplicates can still arrive. */
	s->end_ns = now + (complete ? s->run.ask.grace_ns / 5 : s->run.ask.grace_ns);
}

void
pace_session_finish(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	struct pace_msg_ready m = { .ready = false };
	struct pace_session_flow *flow = h->stream < pace_session_streams(s) ?
	    s->flow[h->stream] : NULL;
	struct pace_msg_finish f;

	if (s->limiter.why[0] != '\0' && h->run == s->run_number) {
		(void)refuse_by_policy(s, h, s->limiter.why);
		return;
	}
	if (h->run != s->run_number || s->runs == 0 || s->state == PACE_OPENED || flow == NULL ||
	    pace_msg_finish(body, &f) != 0 || f.sent > s->run.limit) {
		pace_session_refuse(s, h, "request", "FINISH of a run that is not there");
		return;
	}
	if (s->state == PACE_RUNNING) {
		if (flow == &s->own)
			s->finish = f;
		flow->finished = true;
		flow->sent = f.sent;
		begin_drain(s, now);
	}
	if (pace_session_is_two_way(s) && f.collect && flow == &s->own &&
	    s->state == PACE_DRAINING) {
		s->finish.theta = f.theta;
		s->collects = true;
	}
	if (s->down != NULL)
		pace_session_down_finish(s, h->stream, f.stop || f.collect, &m);
	pace_session_drain(s, now);
	if (s->state == PACE_PINGING && s->seen.run.ended_ns == 0) {
		pace_session_run_ended(s, "complete", NULL);
		s->ready_ns = now;
	}
	m.lease_lost = s->lease_lost;
	pace_session_pings_tell(s, &m);
	if (s->down == NULL || (pace_session_is_two_way(s) && f.collect)) {
		m.ready = s->state == PACE_READY || s->state == PACE_PINGING;
		m.wait_ns = s->state == PACE_DRAINING && s->end_ns > now ? s->end_ns - now : 0;
	}
	if (m.wait_ns > s->run.ask.grace_ns)	/* it waits for the capture; clients expect no
						 * longer time */
		m.wait_ns = s->run.ask.grace_ns;
	m.size = flow->result_size;
	if (s->state == PACE_READY && m.size == 0 && s->light == NULL)
		pace_session_refuse(s, h, "memory", "the responder is out of memory");
	else
		pace_session_answer(s, h, pace_msg_ready_json(&m));
}

/* Return the size of the records; the receiver is freed with the lease. */
static uint32_t
records_size(const struct pace_session_flow *f)
{
	return f->receiver == NULL ? 0 :
	    (uint32_t)(pace_receiver_records(f->receiver)->n * PACE_RECORD_SIZE);
}

uint64_t
pace_session_fetchable(const struct pace_session *s)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < s->flows; i++)
		size += s->flow[i] != NULL ? s->flow[i]->result_size +
		    (uint64_t)records_size(s->flow[i]) : 0;
	return size;
}

/* Return the size of a part, and its text; NULL for records. */
static uint32_t
part_size(const struct pace_session *s, const struct pace_hdr *h, enum pace_part part,
    const char **text)
{
	const struct pace_session_flow *f = h->stream < s->flows ? s->flow[h->stream] : NULL;
	bool ready = s->state == PACE_READY && h->run == s->run_number && f != NULL &&
	    f->result != NULL;

	*text = part == PACE_PART_HOST ? s->host : part == PACE_PART_RESULT && ready ? f->result :
	    NULL;
	if (part == PACE_PART_HOST)
		return s->host_size;
	if (!ready)
		return 0;
	return part == PACE_PART_RECORDS ? records_size(f) : f->result_size;
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
		pace_records_bytes(pace_receiver_records(s->flow[h.stream]->receiver), f.offset,
		    s->reply + PACE_HDR_SIZE + 8, n);
	else
		memcpy(s->reply + PACE_HDR_SIZE + 8, text + f.offset, n);
	pace_hdr_encode(s->reply, PACE_HDR_SIZE + 8 + n, &h);
	pace_session_send(s, pace_seal_put(&s->cfg.seal, s->reply, PACE_CONTROL_ROOM,
	    (int)(PACE_HDR_SIZE + 8 + n)));
}
