/* START: check what the client requests, take the lease and begin the run. */
#include "config.h"

#include "server/session_run.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "doc/params.h"

#define RUN_ROOM	(1024 + PACE_SEAL_SIZE)	/* most control messages of a run fit */
/* bytes; larger frames cost more to copy than to take one by one */
#define COALESCE_MAX	2048

_Static_assert(PACE_LEASE_LINE >= PACE_SESSIONS_MAX, "each session can wait in line");
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

/* --- runs of a light session --- */

/* True if the run needs no lease, whatever its rate. */
static bool
needs_no_lease(const struct pace_msg_start *m)
{
	const struct pace_params *a = &m->ask;

	if (a->busy_poll || a->nic || m->capture || m->group_size > 0 || m->tcp.streams > 0)
		return false;
	if (m->pings)
		return a->size_bytes <= PACE_PING_FREE && m->reply_bytes <= a->size_bytes &&
		    a->count > 0 && a->duration_ns / PACE_LIGHT_PING_NS >= (int64_t)a->count;
	return !pace_params_goes_down(a) && a->streams <= 1 && a->train == 1 && a->bursts <= 1 &&
	    a->spacing > 0 && !a->verify && a->record.room == 0 && a->linear.bins == 0 &&
	    a->interval_ns == 0 && a->omit_ns == 0 && a->message == 0;
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
		if (pace_receiver_start(f->receiver, m, pace_session_drops(f), whole) < 0)
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
	pace_session_drop_captures(s);
	pace_session_run_ended(s, "abandoned", NULL);
	pace_session_down_free(s);
	pace_session_forget(s);
	pace_session_tcp_free(s);
	if (m->pings && pace_session_pings_begin(s, m) < 0)
		return -ENOMEM;
	if (is_up(m) && begin_stream(s, m) < 0)
		return -ENOMEM;
	if (!is_up(m)) {
		for (uint32_t i = 0; i < s->flows; i++)
			if (s->flow[i] != NULL)
				s->flow[i]->at.io.coalesce(s->flow[i]->at.io.ctx, false);
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
	if (m->tcp.streams > 0 && pace_session_tcp_begin(s, m) < 0)
		return -ENOMEM;
	s->start_request = h->seq;
	s->runs++;
	s->lease_lost = false;
	pace_session_begin_captures(s);
	if (!m->pings || m->tcp.streams > 0) {
		pace_io_counters(&s->cfg.io, &s->counters, PACE_BEFORE);
		/* no session measured between this session's begin and its first run */
		if (s->runs == 1 && s->born_grants != 0 &&
		    pace_lease_grants(&s->cfg.shared->lease, INT64_MAX) == s->born_grants + 1)
			s->has_idle = pace_energy_idle(&s->counters.energy, &s->born,
			    s->counters.at_ns - s->born_ns, &s->idle_watts);
	}
	s->cfg.io.usage(s->cfg.io.ctx, &s->usage);
	pace_session_run_began(s);
	if (s->state == PACE_RUNNING)
		pace_session_threads_start(s);
	return 0;
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
	bool tcp = m->tcp.request_bytes > 0;
	uint32_t reply = tcp ? m->tcp.reply_bytes : m->pings ? m->reply_bytes : 0;
	uint32_t size = tcp ? m->tcp.request_bytes : m->ask.size_bytes;
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
		const struct pace_msg_error e = pace_session_refuse_by_policy(s, h, text);

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
	if (m->tcp.streams > 0 && s->cfg.tcp == NULL) {
		pace_session_refuse(s, h, "request", "this responder accepts no TCP connections: its "
		    "log says why");
		return false;
	}
	if ((is_down(m) || m->tcp.down) && !s->cfg.terms.limits.reverse) {
		pace_session_refuse(s, h, "policy", "this responder sends no streams");
		return false;
	}
	if (m->ask.streams > 1 && !can_have_streams(s, m)) {
		pace_session_refuse(s, h, "request", "several streams need a flow for each");
		return false;
	}
	if (reply > size && !s->cfg.terms.limits.reverse) {
		snprintf(text, sizeof(text), "replies of %u bytes are larger than their "
		    "requests: at most %u", reply, size);
		pace_session_refuse(s, h, "request", text);
		return false;
	}
	return true;
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

/* Answer START: without capture, group and TCP the answer is as in earlier versions. */
static void
answer_start(struct pace_session *s, const struct pace_hdr *h)
{
	struct pace_msg_started m = { .capture = s->capture, .begin_ns = s->begin_ns,
	    .tcp = s->tcp != NULL };

	if (m.tcp)
		memcpy(m.secret, pace_session_tcp_secret(s), sizeof(m.secret));
	pace_session_answer(s, h, s->run.capture || s->begin_ns != 0 || m.tcp ?
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
