/*
 * A watched path.  Each step of the session is a state with a request under way; the stream, the
 * exchanges and the reports share the socket.
 */
#include "config.h"

#include "client/watch_path.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "client/client_io.h"
#include "client/watch_path_own.h"
#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "proto/random.h"

#define PINGS		64			/* under way, at most */
#define FIRST_PINGS	8			/* of a session: these are closer together */
#define FIRST_PING_NS	INT64_C(100000000)
#define HELLO_NS	INT64_C(1500000000)	/* wait for the answer to one HELLO */
#define AGAIN_NS	INT64_C(250000000)	/* other requests are repeated */
#define PATIENCE_NS	INT64_C(3000000000)	/* for all repeats */
#define LAST_NS		INT64_C(1200000000)	/* for the last report */
#define LATE_NS		INT64_C(1000000000)	/* wait for the report of an interval */
#define GONE_NS		INT64_C(1500000000)	/* "no such session" must be said for so long */
#define LOOK_FIRST_NS	INT64_C(1000000)	/* after a request the socket is read soon, */
#define LOOK_NS		INT64_C(200000000)	/* then more and more seldom */
#define GRACE_NS	INT64_C(500000000)	/* for late frames at the run's end */
#define COOKIES_MAX	3
#define TAKE_MAX	64			/* datagrams at once */
#define REPLIES_MAX	32			/* that wait in the socket, by STAMP */

enum { RTT, UP, DOWN };

/* --- figures ---------------------------------------------------------------------- */

/* Frames that left in the run and are neither received nor lost yet. */
static uint64_t
unknown(const struct pace_watch_path *p)
{
	return p->run_sent - p->run.frames - (uint64_t)p->run.lost;
}

static void
add_run(struct pace_watch_counts *c, const struct pace_watch_path *p)
{
	const struct pace_tally *t = &p->run;

	c->sent += p->run_sent;
	c->refused += p->run_refused;
	c->skipped += p->run_skipped;
	c->received += t->frames;
	c->lost += t->lost;
	c->socket_lost_max += t->socket_lost_max;
	c->duplicates += t->duplicates;
	c->reordered += t->reordered;
	c->late += t->late;
	c->foreign += t->foreign;
	c->congestion_marks += t->congestion_marks;
	c->dscp_changed += t->dscp_changed;
	c->lost_there += p->run_there;
	c->lost_back += p->run_back;
}

void
pace_watch_path_counts(const struct pace_watch_path *p, int64_t now_ns, struct pace_watch_counts *c)
{
	*c = p->base;
	c->from_ns = 0;
	c->to_ns = now_ns - p->cfg.begin_ns;
	c->exchanges = p->c.pinger.answered;
	c->timeouts = p->c.pinger.timeouts;
	c->replies_reordered = p->c.pinger.reordered;
	add_run(c, p);
	c->in_flight = unknown(p);
	if (p->run_ns != 0 && p->heard_ns > p->run_ns)
		c->up_ns += p->heard_ns - p->run_ns;
}

/* The run is over: what its last report does not tell stays unreported. */
static void
close_run(struct pace_watch_path *p)
{
	if (watch_path_is_stamp(p))
		watch_stamp_count(p);
	add_run(&p->base, p);
	p->base.unreported += unknown(p);
	if (p->run_ns != 0 && p->heard_ns > p->run_ns)
		p->base.up_ns += p->heard_ns - p->run_ns;
	pace_coarse_hist_join(&p->gap, &p->run_gap);
	pace_coarse_hist_join(&p->above, &p->run_above);
	memset(&p->run, 0, sizeof(p->run));
	memset(&p->run_gap, 0, sizeof(p->run_gap));
	memset(&p->run_above, 0, sizeof(p->run_above));
	p->run_sent = p->run_refused = p->run_skipped = 0;
	p->run_there = p->run_back = 0;
	p->reported.asked = 0;
	p->run_ns = 0;
	p->seen = 0;
}

static void
close_interval(struct pace_watch_path *p, int64_t now)
{
	struct pace_watch_counts all, span;

	watch_exchange_place(p);
	pace_watch_path_counts(p, now, &all);
	span = pace_watch_counts_since(&all, &p->then);
	p->then = all;
	p->of_last = p->of_now;
	p->of_now.total.n = p->of_now.rtt.n = p->of_now.up.n = p->of_now.down.n = 0;
	while (p->interval_ns <= now)
		p->interval_ns += p->cfg.interval_ns;
	if (p->interval != NULL)
		p->interval(p->ctx, p, &span);
}

static enum pace_watch_state
state_of(const struct pace_watch_path *p)
{
	return p->failures > 0 ? PACE_WATCH_DOWN : p->step == PACE_WATCH_STEP_OVER ? PACE_WATCH_ENDED :
	    p->step >= PACE_WATCH_STEP_RUN ? PACE_WATCH_UP : PACE_WATCH_OPENING;
}

void
pace_watch_path_figures(const struct pace_watch_path *p, int64_t now_ns, struct pace_watched *w)
{
	w->size_bytes = p->cfg.size_bytes;
	w->spacing_ns = p->cfg.spacing_ns;
	w->state = state_of(p);
	w->why[0] = '\0';
	if (w->state == PACE_WATCH_DOWN)
		snprintf(w->why, sizeof(w->why), "%s", pace_err_why(&p->err));
	pace_watch_path_counts(p, now_ns, &w->counts);
	pace_coarse_hist_list(&p->total, &w->total);
	pace_coarse_hist_list(&p->rtt, &w->rtt);
	pace_coarse_hist_list(&p->up, &w->up);
	pace_coarse_hist_list(&p->down, &w->down);
	pace_coarse_hist_list(&p->up_error, &w->up_error);
	pace_coarse_hist_list(&p->down_error, &w->down_error);
	pace_coarse_hist_list(&p->departure, &w->departure);
	w->gap = p->gap;
	w->above = p->above;
	pace_coarse_hist_join(&w->gap, &p->run_gap);
	pace_coarse_hist_join(&w->above, &p->run_above);
	w->by_stamp = watch_path_is_stamp(p);
	if (w->by_stamp) {
		pace_coarse_hist_list(&p->above_rtt, &w->above);
		w->stamp = p->c.pinger.stamp->result;
	}
	w->clock_known = p->has_clock;
	if (!p->has_clock)
		return;
	w->offset_ns = pace_clock_at(&p->clock, now_ns);
	if (w->by_stamp)		/* of the wall clocks */
		w->offset_ns += p->c.pinger.stamp->wall_ns - p->c.io.wall(p->c.io.ctx);
	w->skew_ppm = pace_clock_rate_at(&p->clock, now_ns) * 1e6;
	w->skew_error_ppm = pace_clock_rate_bound_at(&p->clock, now_ns) * 1e6;
	w->uncertainty_ns = p->clock.uncertainty_ns;
	w->bound_ns = p->clock.bound_ns;
}

/* --- requests ---------------------------------------------------------------------- */

static json_t *
start_body(const struct pace_watch_path *p)
{
	struct pace_msg_start m = { .limit = p->run_frames, .seed = 1,
	    .wire_bytes = (uint32_t)pace_wire_bytes(&p->c.link, p->cfg.size_bytes),
	    .at_most_ns = PACE_WATCH_RUN_NS + 2 * PATIENCE_NS,
	    .ask = { .size_bytes = p->cfg.size_bytes, .count = p->run_frames, .train = 1,
	    .spacing = pace_spacing_from_ns(p->cfg.spacing_ns), .bursts = 1, .streams = 1,
	    .grace_ns = GRACE_NS } };

	return pace_msg_start_json(&m);
}

static json_t *
open_body(const struct pace_watch_path *p)
{
	struct pace_msg_open m = { .light = true, .nonce = p->c.nonce };

	memcpy(m.cookie, p->cookie, sizeof(m.cookie));
	memcpy(m.label, p->c.label, sizeof(m.label));
	return pace_msg_open_json(&m);
}

static json_t *
body_of(const struct pace_watch_path *p)
{
	const struct pace_msg_finish f = { .sent = p->run_sent };

	switch (p->awaited) {
	case PACE_OPEN:
		return open_body(p);
	case PACE_START:
		return start_body(p);
	case PACE_FINISH:
		return pace_msg_finish_json(&f);
	default:
		return json_object();
	}
}

/* Send the request under way; a failure is repeated like a loss. */
static void
send_request(struct pace_watch_path *p, int64_t now)
{
	if (p->awaited == PACE_REPORT) {
		p->asked_pings = p->c.pinger.next - p->first_ping;
		(void)pace_client_ask_report(&p->c, 0, p->seen, PACE_WANT_SHAPES);
		if (p->asked == 0)
			p->first = p->c.request;
		p->asked++;
	} else {
		(void)pace_client_send(&p->c, p->awaited, p->first, body_of(p));
	}
	p->again_ns = now + AGAIN_NS;
	p->look_step_ns = LOOK_FIRST_NS;
	p->look_ns = now + LOOK_FIRST_NS;
}

static void
request(struct pace_watch_path *p, uint8_t type, int64_t now, int64_t patience_ns)
{
	p->awaited = type;
	p->asked = 0;
	if (type != PACE_REPORT) {
		p->first = ++p->c.request;
		p->asked = 1;
	}
	p->until_ns = now + patience_ns;
	send_request(p, now);
}

/* --- the session --------------------------------------------------------------------- */

/* Wait for the next try. */
static void
wait(struct pace_watch_path *p, int64_t now, int64_t ns)
{
	if (p->ending && p->step != PACE_WATCH_STEP_OVER)
		close_interval(p, now);		/* the last one is shorter */
	p->step = p->ending ? PACE_WATCH_STEP_OVER : PACE_WATCH_STEP_WAIT;
	p->awaited = 0;
	p->frame_ns = INT64_MAX;
	p->until_ns = now + ns;
	p->look_ns = INT64_MAX;
	p->c.open = false;
}

/* The session, or the try, failed. */
static void
fail(struct pace_watch_path *p, int64_t now, int64_t retry_ns)
{
	int64_t spread = (int64_t)(pace_random() % (uint64_t)(retry_ns / 2));

	close_run(p);
	p->failures++;
	wait(p, now, retry_ns * 3 / 4 + spread);
}

/* A reflector has no sessions of its own: one request shows whether it answers. */
static void
knock(struct pace_watch_path *p, int64_t now)
{
	struct pace_pinger *g = &p->c.pinger;

	pace_pinger_forget(g);
	pace_clockfit_reset(&p->c.fit);
	watch_exchange_begin(p);
	pace_stamp_session_begin(g->stamp, g->next, p->c.io.wall(p->c.io.ctx));
	(void)pace_pinger_send(g, p->cfg.size_bytes, p->cfg.size_bytes);
	p->awaited = PACE_HELLO;
	p->until_ns = now + HELLO_NS;
	p->look_step_ns = LOOK_FIRST_NS;
	p->look_ns = now + LOOK_FIRST_NS;
}

static void
say_hello(struct pace_watch_path *p, int64_t now)
{
	p->step = PACE_WATCH_STEP_HELLO;
	p->again_ns = INT64_MAX;	/* one datagram a try */
	if (watch_path_is_stamp(p)) {
		knock(p, now);
		return;
	}
	pace_client_opening(&p->c);
	p->c.nonce = pace_random();
	p->c.hint = 0;
	p->c.denied_ns = 0;
	pace_client_seal(&p->c, 0);
	request(p, PACE_HELLO, now, HELLO_NS);
	p->again_ns = INT64_MAX;
}

static void
refused(struct pace_watch_path *p, const struct pace_msg_error *e, int64_t now)
{
	static const char *const lasting[] = { "policy", "key", "version", "lease" };
	const char *step = p->awaited == PACE_START ? "start" : "open";
	int64_t retry_ns = PACE_WATCH_RETRY_NS;

	if (strcmp(e->code, "cookie") == 0 && ++p->cookies < COOKIES_MAX) {
		say_hello(p, now);
		return;
	}
	for (size_t i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++)
		if (strcmp(e->code, lasting[i]) == 0)
			retry_ns = PACE_WATCH_REFUSED_NS;
	(void)pace_client_refusal(&p->c, e, step, &p->err);
	fail(p, now, retry_ns);
}

static void
invalid(struct pace_watch_path *p, const char *step, int64_t now)
{
	(void)pace_failf(&p->err, EPROTO, step, "the responder's answer is invalid");
	fail(p, now, PACE_WATCH_RETRY_NS);
}

static void
take_cookie(struct pace_watch_path *p, const json_t *body, int64_t now)
{
	if (pace_msg_cookie(body, p->cookie) != 0) {
		invalid(p, "hello", now);
		return;
	}
	p->step = PACE_WATCH_STEP_OPEN;
	request(p, PACE_OPEN, now, PATIENCE_NS);
}

static void
take_opened(struct pace_watch_path *p, const json_t *body, int64_t now)
{
	uint32_t host_bytes;

	if (pace_client_opened(&p->c, body, &host_bytes) < 0) {
		invalid(p, "open", now);
		return;
	}
	watch_exchange_begin(p);
	p->cookies = 0;
	if (!p->c.is_light || !p->c.reports) {
		(void)pace_client_send(&p->c, PACE_CLOSE, ++p->c.request, json_object());
		(void)pace_failf(&p->err, ENOTSUP, "open", "this responder has no light sessions: "
		    "update it, or start it with --max-light-sessions above 0");
		fail(p, now, PACE_WATCH_REFUSED_NS);
		return;
	}
	p->base.sessions++;
	p->run_frames = (uint64_t)(PACE_WATCH_RUN_NS / p->cfg.spacing_ns) + 1;
	p->c.run++;
	pace_pinger_run(&p->c.pinger, p->c.run);
	p->step = PACE_WATCH_STEP_START;
	request(p, PACE_START, now, PATIENCE_NS);
}

/* The first slot after now, or after a slot that was used. */
static int64_t
next_slot(const struct pace_watch_path *p, int64_t now)
{
	int64_t since = now - p->cfg.phase_ns, step = p->cfg.spacing_ns;
	int64_t k = since >= 0 ? since / step + 1 : -(-since / step);

	return p->cfg.phase_ns + k * step;
}

static void
take_started(struct pace_watch_path *p, int64_t now)
{
	p->awaited = 0;
	p->step = PACE_WATCH_STEP_RUN;
	p->failures = 0;
	p->run_ns = p->heard_ns = now;
	p->refused_ns = 0;
	p->ping_ns = watch_path_is_stamp(p) ? INT64_MAX : now;
	p->frame_ns = next_slot(p, now);
	if (p->ending)
		pace_watch_path_end(p, now);
}

/* --- reports ----------------------------------------------------------------------------- */

/* Could the responder have seen this of what was sent? */
static bool
is_possible(const struct pace_watch_path *p, const struct pace_report *r)
{
	const struct pace_tally *t = &r->run;

	return t->lost >= 0 && t->frames <= p->run_sent &&
	    (uint64_t)t->lost <= p->run_sent - t->frames && t->frames >= p->run.frames &&
	    t->duplicates >= p->run.duplicates && t->reordered <= t->frames &&
	    t->socket_lost_max <= (uint64_t)t->lost;
}

static bool
take_report(struct pace_watch_path *p, const json_t *body, uint64_t number,
    enum pace_session_state *state)
{
	struct pace_report r;

	if (pace_report_read(body, &r) != 0 || !is_possible(p, &r)) {
		p->c.strays++;
		return false;
	}
	p->run = r.run;
	if (number == p->c.request)
		watch_exchange_reported(p, p->asked_pings, r.run.round_trips);
	if (r.has_shapes) {
		p->run_gap = r.gap;
		p->run_above = r.delay;
	}
	*state = r.state;
	return true;
}

/* "No such session": true after some time without another answer. */
static bool
is_gone(struct pace_watch_path *p, int64_t now)
{
	if (p->refused_ns == 0 || p->heard_ns > p->refused_ns)
		p->refused_ns = now;
	return now - p->refused_ns >= GONE_NS;
}

static void
gone(struct pace_watch_path *p, int64_t now)
{
	(void)pace_failf(&p->err, ESTALE, "report", "the responder has forgotten this session");
	fail(p, now, PACE_WATCH_RETRY_NS);
}

static void
say_goodbye(struct pace_watch_path *p, int64_t now)
{
	if (watch_path_is_stamp(p))
		pace_pinger_settle(&p->c.pinger, true);
	else
		(void)pace_client_send(&p->c, PACE_CLOSE, ++p->c.request, json_object());
	close_run(p);
	p->failures = 0;
	wait(p, now, 0);
}

static void
take_ready(struct pace_watch_path *p, const json_t *body, int64_t now)
{
	struct pace_msg_ready m;

	if (pace_msg_ready(body, &m) != 0) {
		say_goodbye(p, now);
	} else if (m.ready) {
		p->step = PACE_WATCH_STEP_LAST;
		request(p, PACE_REPORT, now, LAST_NS);
	} else {
		p->awaited = 0;		/* another FINISH follows, with another number */
		p->again_ns = now + (m.wait_ns < GRACE_NS ? m.wait_ns : GRACE_NS) + LOOK_FIRST_NS;
	}
}

/* The reply to a request for a report. */
static void
take_reported(struct pace_watch_path *p, const json_t *body, uint64_t number, int64_t now)
{
	enum pace_session_state state;

	if (!take_report(p, body, number, &state))
		return;
	p->seen = number;
	p->reports++;
	p->heard_ns = now;
	p->c.pinger.heard_ns = now;
	p->refused_ns = 0;
	p->c.hint = 0;
	if (p->step == PACE_WATCH_STEP_LAST) {
		if (state == PACE_READY)
			say_goodbye(p, now);
		return;
	}
	p->awaited = 0;
	close_interval(p, now);
}

/* --- datagrams ------------------------------------------------------------------------------ */

static void
take_error(struct pace_watch_path *p, const struct pace_msg_error *e, int64_t now)
{
	if (p->step < PACE_WATCH_STEP_RUN)
		refused(p, e, now);
	else if (strcmp(e->code, "session") != 0)
		return;
	else if (p->step >= PACE_WATCH_STEP_FINISH)
		say_goodbye(p, now);
	else if (is_gone(p, now))
		gone(p, now);
}

static void
answered(struct pace_watch_path *p, uint64_t number, int64_t now)
{
	struct pace_msg_error e;
	json_t *body = pace_msg_body(p->c.in, p->c.reply_len);

	if (body != NULL && pace_msg_is_error(body, &e))
		take_error(p, &e, now);
	else if (p->awaited == PACE_HELLO)
		take_cookie(p, body, now);
	else if (p->awaited == PACE_OPEN)
		take_opened(p, body, now);
	else if (p->awaited == PACE_START)
		take_started(p, now);
	else if (p->awaited == PACE_FINISH)
		take_ready(p, body, now);
	else if (p->awaited == PACE_REPORT)
		take_reported(p, body, number, now);
	json_decref(body);
}

/* By STAMP: read what waits in the socket. */
static void
look_for_replies(struct pace_watch_path *p, int64_t now)
{
	struct pace_pinger *g = &p->c.pinger;
	int64_t step = REPLIES_MAX * p->cfg.spacing_ns;

	(void)pace_pinger_poll(g);
	if (p->step == PACE_WATCH_STEP_HELLO && g->heard_ns != 0) {
		watch_stamp_begin(p);
		p->base.sessions++;
		p->run_frames = UINT64_MAX;
		take_started(p, now);
	}
	pace_pinger_settle(g, false);
	if (g->heard_ns > p->heard_ns)
		p->heard_ns = g->heard_ns;
	watch_stamp_count(p);
	p->look_step_ns = 2 * p->look_step_ns;
	if (p->look_step_ns > LOOK_NS || p->step >= PACE_WATCH_STEP_RUN)
		p->look_step_ns = step < LOOK_NS ? step : LOOK_NS;
	p->look_ns = now + p->look_step_ns;
	if (p->step == PACE_WATCH_STEP_FINISH && pace_pinger_open(g) == 0)
		say_goodbye(p, now);
}

/* Read what waits in the socket. */
static void
look(struct pace_watch_path *p, int64_t now)
{
	struct pace_client *c = &p->c;
	struct pace_in in = { .buf = c->in, .size = sizeof(c->in) };
	int rc = 0;

	if (watch_path_is_stamp(p)) {
		look_for_replies(p, now);
		return;
	}
	for (int i = 0; i < TAKE_MAX && (rc = c->io.recv(c->io.ctx, &in, 1)) > 0; i++) {
		uint64_t first = p->first;

		rc = pace_client_match(c, p->awaited, first, p->awaited != 0 ? p->asked : 0, &in);
		if (rc >= 0)
			answered(p, first + (uint64_t)rc, now);
	}
	if (rc == -ECONNREFUSED && c->denied_ns == 0)
		c->denied_ns = now;
	if (c->pinger.heard_ns > p->heard_ns)
		p->heard_ns = c->pinger.heard_ns;
	pace_pinger_settle(&c->pinger, false);
	p->look_step_ns = p->look_step_ns < LOOK_NS ? 2 * p->look_step_ns : LOOK_NS;
	p->look_ns = p->awaited != 0 || pace_pinger_open(&c->pinger) > 0 ? now + p->look_step_ns :
	    INT64_MAX;
}

/* --- what is due ------------------------------------------------------------------------------ */

/* The time of a request is over. */
static void
give_up(struct pace_watch_path *p, int64_t now)
{
	static const char *const steps[] = { [PACE_WATCH_STEP_HELLO] = "hello",
	    [PACE_WATCH_STEP_OPEN] = "open", [PACE_WATCH_STEP_START] = "start" };
	bool unverified = watch_path_is_stamp(p) && p->c.pinger.stamp->result.unverified > 0;
	int hint = p->c.hint != 0 ? p->c.hint : p->c.denied_ns != 0 || p->c.pinger.denied_ns != 0 ?
	    ECONNREFUSED : ETIMEDOUT;

	if (p->step == PACE_WATCH_STEP_RUN) {
		p->awaited = 0;
		close_interval(p, now);		/* without a report */
	} else if (p->step >= PACE_WATCH_STEP_FINISH) {
		say_goodbye(p, now);
	} else if (unverified) {
		(void)pace_failf(&p->err, EKEYREJECTED, "hello", "the HMAC of its replies is wrong: the "
		    "reflector has another key");
		fail(p, now, PACE_WATCH_REFUSED_NS);
	} else {
		(void)pace_client_tell(-hint, steps[p->step], p->until_ns - now + HELLO_NS, &p->err);
		p->c.denied_ns = 0;
		fail(p, now, hint == EKEYREJECTED || hint == EPROTONOSUPPORT ?
		    PACE_WATCH_REFUSED_NS : PACE_WATCH_RETRY_NS);
	}
}

static void
ping(struct pace_watch_path *p, int64_t now)
{
	struct pace_pinger *g = &p->c.pinger;

	if (pace_pinger_has_room(g))
		(void)pace_pinger_send(g, PACE_PINGER_SIZE, PACE_PINGER_SIZE);
	p->ping_ns = now + (g->next - g->first < FIRST_PINGS && p->cfg.ping_ns > FIRST_PING_NS ?
	    FIRST_PING_NS : p->cfg.ping_ns);
	p->look_step_ns = LOOK_NS / 4;
	if (p->look_ns > now + LOOK_NS)
		p->look_ns = now + LOOK_NS;
}

/* Silence that ends a session. */
static int64_t
silence(const struct pace_watch_path *p)
{
	int64_t step = watch_path_is_stamp(p) ? p->cfg.spacing_ns : p->cfg.ping_ns;
	int64_t ns = 3 * step + WATCH_TIMEOUT_NS;

	return ns > PACE_WATCH_SILENT_NS ? ns : PACE_WATCH_SILENT_NS;
}

/* The last frame has left: STAMP waits for replies under way. */
static void
finish(struct pace_watch_path *p, int64_t now)
{
	p->frame_ns = INT64_MAX;
	p->step = PACE_WATCH_STEP_FINISH;
	p->again_ns = INT64_MAX;
	p->until_ns = now + WATCH_TIMEOUT_NS;
	if (!watch_path_is_stamp(p))
		request(p, PACE_FINISH, now, PATIENCE_NS);
}

static void
be_silent(struct pace_watch_path *p, int64_t now)
{
	(void)pace_failf(&p->err, ETIMEDOUT, "run", "no answer in %d s",
	    (int)((now - p->heard_ns) / 1000000000));
	fail(p, now, PACE_WATCH_RETRY_NS);
}

static void
run_stamp(struct pace_watch_path *p, int64_t now)
{
	if (now - p->heard_ns > silence(p)) {
		be_silent(p, now);
	} else if (now >= p->interval_ns) {
		p->reports++;
		close_interval(p, now);
		watch_stamp_interval(p);
	}
}

/* In a run: exchanges, the interval's report, death, the end. */
static void
run(struct pace_watch_path *p, int64_t now)
{
	struct pace_client *c = &p->c;

	if (c->pinger.dismissed || c->pinger.cut) {
		(void)pace_client_dismissed(c, &p->err);
		fail(p, now, PACE_WATCH_RETRY_NS);
	} else if (pace_client_hinted(c, p->heard_ns) < 0) {
		gone(p, now);
	} else if (now - p->heard_ns > silence(p)) {
		be_silent(p, now);
	} else if (p->run_sent >= p->run_frames) {
		finish(p, now);
	} else if (p->awaited == 0 && now >= p->interval_ns) {
		request(p, PACE_REPORT, now, LATE_NS);
	} else if (now >= p->ping_ns) {
		ping(p, now);
	}
}

/* A request that is repeated, or given up. */
static void
repeat(struct pace_watch_path *p, int64_t now)
{
	if (now >= p->until_ns)
		give_up(p, now);
	else if (now >= p->again_ns && p->awaited != 0)
		send_request(p, now);
	else if (now >= p->again_ns && p->step == PACE_WATCH_STEP_FINISH)
		request(p, PACE_FINISH, now, p->until_ns - now);
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
next_work(const struct pace_watch_path *p)
{
	int64_t at = least(p->look_ns, p->interval_ns);

	if (p->step == PACE_WATCH_STEP_OVER)
		return INT64_MAX;
	if (p->awaited != 0 || p->step == PACE_WATCH_STEP_FINISH)
		at = least(p->look_ns, least(p->again_ns, p->until_ns));
	else if (p->step == PACE_WATCH_STEP_WAIT)
		at = least(at, p->until_ns);
	if (p->step == PACE_WATCH_STEP_RUN)
		at = least(at, least(p->ping_ns, p->heard_ns + silence(p) + 1));
	return at;
}

void
pace_watch_path_act(struct pace_watch_path *p, int64_t now)
{
	if (now >= p->look_ns && p->step != PACE_WATCH_STEP_OVER)
		look(p, now);
	if (p->awaited != 0 || p->step == PACE_WATCH_STEP_FINISH)
		repeat(p, now);
	if (p->step == PACE_WATCH_STEP_RUN && watch_path_is_stamp(p))
		run_stamp(p, now);
	else if (p->step == PACE_WATCH_STEP_RUN)
		run(p, now);
	else if (p->step != PACE_WATCH_STEP_OVER && now >= p->interval_ns)
		close_interval(p, now);
	if (p->step == PACE_WATCH_STEP_WAIT && now >= p->until_ns)
		say_hello(p, now);
	p->work_ns = next_work(p);
}

static bool
send_frame(struct pace_watch_path *p, int64_t now, int64_t late)
{
	struct pace_hdr h = { .type = PACE_DATA, .run = p->c.run, .session = p->c.session,
	    .seq = p->run_sent, .tx_ns = now };
	struct pace_out out = { .buf = p->frame, .len = p->cfg.size_bytes };

	if (watch_path_is_stamp(p))
		return pace_pinger_send(&p->c.pinger, p->cfg.size_bytes, p->cfg.size_bytes) == 0;
	h.late_ns = late < 0 ? 0 : late < PACE_LATE_UNKNOWN ? (uint32_t)late : PACE_LATE_UNKNOWN;
	pace_hdr_encode(p->frame, out.len, &h);
	return p->c.io.send(p->c.io.ctx, &out, 1) == 1;
}

void
pace_watch_path_frame(struct pace_watch_path *p, int64_t now)
{
	int64_t late = now - p->frame_ns, next;

	if (send_frame(p, now, late)) {
		p->run_sent++;
		pace_coarse_hist_add(&p->departure, late);
	} else {
		p->run_refused++;
	}
	next = next_slot(p, now);
	p->run_skipped += (uint64_t)((next - p->frame_ns) / p->cfg.spacing_ns - 1);
	p->frame_ns = p->run_sent < p->run_frames ? next : INT64_MAX;
	if (p->frame_ns == INT64_MAX)
		p->work_ns = now;
}

/* --- begin and end ---------------------------------------------------------------------------- */

int
pace_watch_path_init(struct pace_watch_path *p, struct pace_stamp_session *stamp, int64_t spacing_ns)
{
	uint64_t room = PINGS;
	int rc;

	/* an exchange is settled a time-out after its reply, which may take as long */
	while (stamp != NULL && room < PINGS + (uint64_t)(2 * WATCH_TIMEOUT_NS / spacing_ns))
		room *= 2;
	rc = pace_client_init_room(&p->c, room, stamp != NULL ? PACE_WATCH_SIZE_MAX :
	    PACE_PINGER_SIZE);
	p->c.pinger.stamp = stamp;
	return rc;
}

void
pace_watch_path_free(struct pace_watch_path *p)
{
	pace_client_free(&p->c);
}

static void
set_io(struct pace_watch_path *p, const struct pace_io *io)
{
	p->c.io = p->c.pinger.io = *io;
	p->c.pinger.timeout_ns = WATCH_TIMEOUT_NS;
	p->c.pinger.done = watch_exchange_take;
	p->c.pinger.ctx = p;
}

void
pace_watch_path_begin(struct pace_watch_path *p, const struct pace_watch_cfg *cfg, int64_t at_ns)
{
	p->cfg = *cfg;
	set_io(p, &p->c.io);
	pace_payload_fill(p->frame, sizeof(p->frame), 1);
	wait(p, at_ns, 0);
	p->interval_ns = cfg->begin_ns + cfg->interval_ns + cfg->report_ns;
	p->work_ns = at_ns;
}

void
pace_watch_path_move(struct pace_watch_path *p, const struct pace_io *io, int64_t now)
{
	close_run(p);
	pace_pinger_series(&p->c.pinger);	/* departure stamps are numbered by socket */
	p->c.pinger.asked = 0;
	set_io(p, io);
	p->failures = 0;
	wait(p, now, 0);
	p->work_ns = now;
}

void
pace_watch_path_end(struct pace_watch_path *p, int64_t now)
{
	p->ending = true;
	if (p->step == PACE_WATCH_STEP_RUN) {
		finish(p, now);
	} else if (p->step < PACE_WATCH_STEP_RUN) {
		wait(p, now, 0);
	}
	p->work_ns = now;
}
