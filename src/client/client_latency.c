/*
 * Round trips: requests leave on their own schedule, independent of replies (open loop), or each
 * after the reply to the one before (ping-pong).
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"

#define LEAD_NS		INT64_C(1000000)	/* from now to the first request */
#define GUARD_NS	INT64_C(200000)		/* no sleep this long before a request is due */
#define LATE_NS		INT64_C(10000)
#define ASLEEP_NS	1000000			/* waking up this late is a freeze */
/* a stamp costs a spinning client a tenth of a request's time */
#define STAMP_EVERY	8
#define DAY_NS		INT64_C(86400000000000)	/* longest announced run */
#define OTHER_NS	INT64_C(200000000)	/* time of the run besides the requests */

struct client_latency_trips {
	struct pace_client *c;
	struct pace_latency *p;
	uint64_t	asked;		/* requests that came due */
	int64_t		first_ns, last_ns;	/* departures */
	int64_t		seen_ns;	/* end of the last idle check of the clock; 0: work was
					 * done since */
	int64_t		began_ns;
	struct pace_client_delays *delays;
};

static bool
has(const struct pace_exchange *x, int flags)
{
	return (x->flags & flags) == flags;
}

static void
on_trip(void *ctx, const struct pace_exchange *x)
{
	struct client_latency_trips *t = ctx;
	struct pace_latency *p = t->p;
	int64_t rtt = x->t4_ns - x->t1_ns, there = pace_exchange_t3(x) - x->t2_ns;
	int64_t kernel = x->t4_kernel_ns - x->t1_kernel_ns;
	bool ends = has(x, PACE_PING_T1_KERNEL | PACE_PING_T4_KERNEL);
	bool stay = p->by_stamp ? has(x, PACE_PING_TIMES) :
	    has(x, PACE_PING_T2_KERNEL | PACE_PING_T3_KERNEL);

	if (!has(x, PACE_PING_ANSWERED) && pace_client_ends(t->c) &&
	    pace_client_now(t->c) - x->t1_ns <= p->ask.timeout_ns) {
		p->sent--;		/* stopped before it was answered or timed out */
		return;
	}
	pace_latency_list(p, x->t1_ns, has(x, PACE_PING_ANSWERED) ? rtt : PACE_NO_FIGURE);
	pace_client_clock_take(t->c, x);
	if (!has(x, PACE_PING_ANSWERED)) {
		p->timeouts++;
		return;
	}
	pace_latency_add(p, rtt);
	if (stay && (ends || p->by_stamp))
		pace_client_delays_keep(t->delays, x);
	p->unstamped += !has(x, PACE_PING_T4_KERNEL);
	if (ends)
		pace_hist_add(&p->kernel, kernel);
	if (stay)
		pace_hist_add(&p->residence, there);
	if (ends && stay)
		pace_hist_add(&p->network, kernel - there);
}

/* --- sending ------------------------------------------------------------------- */

/* 0, or -errno if the run cannot go on. */
static int
send_one(struct client_latency_trips *t, int64_t now)
{
	struct pace_latency *p = t->p;
	int rc = pace_pinger_send(&t->c->pinger, p->ask.size_bytes, p->ask.reply_bytes);

	t->asked++;
	t->seen_ns = 0;
	if (rc < 0) {
		p->refused++;
		p->refused_errno = -rc;
		return rc == -EMSGSIZE ? rc : 0;
	}
	if (p->sent++ == 0)
		t->first_ns = now;
	t->last_ns = now;
	if (t->c->progress != NULL)
		atomic_store_explicit(&t->c->progress->sent, p->sent, memory_order_relaxed);
	return 0;
}

/* Account for a time in which only the clock was read. */
static void
note_stall(struct client_latency_trips *t, int64_t since_ns, int64_t least_ns, int64_t now)
{
	if (now - since_ns > least_ns)
		pace_stalls_add(&t->p->stalls, now - since_ns);
}

/* Take all replies; sleep if the next request is far away.  Returns the time. */
static int64_t
look(struct client_latency_trips *t, int64_t due_ns)
{
	struct pace_client *c = t->c;
	int64_t now = pace_client_now(c);

	if (!t->p->ask.busy_poll && due_ns - now > GUARD_NS) {
		if (c->io.wait(c->io.ctx, due_ns - GUARD_NS) == 0)
			note_stall(t, due_ns - GUARD_NS, ASLEEP_NS, pace_client_now(c));
		t->seen_ns = 0;
	}
	if (pace_pinger_poll(&c->pinger) > 0 || pace_pinger_overdue(&c->pinger, now)) {
		pace_pinger_settle(&c->pinger, false);
		t->seen_ns = 0;
		return pace_client_now(c);
	}
	now = pace_client_now(c);
	if (t->seen_ns > 0)
		note_stall(t, t->seen_ns, PACE_STALL_NS, now);
	t->seen_ns = now;
	return now;
}

/* True if ICMP reports the port unreachable and the silence is as long as ends a stream. */
static bool
deserted(const struct client_latency_trips *t)
{
	const struct pace_pinger *g = &t->c->pinger;
	int64_t since_ns = g->heard_ns > t->began_ns ? g->heard_ns : t->began_ns;

	return pace_pinger_denied(g) && pace_client_now(t->c) - since_ns >= PACE_SENDER_SILENT_NS;
}

static bool
more(const struct client_latency_trips *t)
{
	return t->asked < t->p->ask.count && !pace_client_ends(t->c) && !deserted(t);
}

static int
open_loop(struct client_latency_trips *t)
{
	struct pace_latency *p = t->p;
	int64_t late = p->ask.interval_ns > LATE_NS ? p->ask.interval_ns : LATE_NS;
	int64_t now = pace_client_now(t->c), due = now + LEAD_NS;
	uint64_t before;
	int rc = 0;

	p->due_wall_ns = due + t->c->io.wall(t->c->io.ctx);
	/* The schedule never moves: overdue requests follow back to back. */
	while (rc == 0 && more(t)) {
		if (now < due) {
			now = look(t, due);
			continue;
		}
		before = p->sent;
		rc = send_one(t, now);
		if (now - due > late)
			p->late_requests += p->sent - before;
		due += p->ask.interval_ns;
		now = look(t, now);
	}
	return rc;
}

static int
ping_pong(struct client_latency_trips *t)
{
	int rc = 0;

	t->p->due_wall_ns = pace_client_now(t->c) + t->c->io.wall(t->c->io.ctx);
	while (rc == 0 && more(t)) {
		struct pace_pinger *g = &t->c->pinger;
		int64_t end;

		rc = send_one(t, pace_client_now(t->c));
		/* Until the request is answered or timed out. */
		end = pace_client_now(t->c) + t->p->ask.timeout_ns;
		while (pace_pinger_open(g) > 0 && !pace_client_ends(t->c) && !deserted(t))
			if (look(t, end + GUARD_NS) > end)
				break;
		pace_pinger_settle(g, false);
	}
	return rc;
}

/* --- the run --------------------------------------------------------------------- */

static void
judge(struct pace_latency *p)
{
	p->verdict = PACE_PACED;
	if (p->late_requests * 100 > p->sent) {
		p->verdict = PACE_DEGRADED;
		pace_note(&p->notes, "requests_late", "%" PRIu64 " of %" PRIu64 " requests left "
		    "more than an interval late: this host cannot keep it", p->late_requests,
		    p->sent);
	}
	if (p->refused > 0) {
		p->verdict = PACE_DEGRADED;
		pace_note(&p->notes, "requests_refused", "the kernel refused %" PRIu64
		    " requests: %s", p->refused, strerror(p->refused_errno));
	}
	if (p->sent + p->refused < p->ask.count && !p->interrupted) {
		p->verdict = PACE_DEGRADED;
		pace_note(&p->notes, "responder_gone", "the responder went away; %" PRIu64
		    " requests were not sent", p->ask.count - p->sent - p->refused);
	}
	if (p->sent > 0 && p->received == 0)
		pace_note(&p->notes, "nothing_answered", "no reply came in time");
	if (p->by_stamp)
		pace_client_stamp_judge(p);
}

static int
run(struct client_latency_trips *t)
{
	struct pace_pinger *g = &t->c->pinger;
	struct pace_latency *p = t->p;
	uint64_t late = g->late, duplicates = g->duplicates, foreign = g->foreign;
	int64_t timeout = g->timeout_ns, end;
	int rc;

	pace_client_delays_begin(t->c, p);
	g->timeout_ns = p->ask.timeout_ns;
	g->stamp_every = p->ask.busy_poll ? STAMP_EVERY : 1;
	g->done = on_trip;
	g->ctx = t;
	t->began_ns = pace_client_now(t->c);
	rc = p->ask.interval_ns > 0 ? open_loop(t) : ping_pong(t);
	/* Replies under way may arrive until their time-out. */
	end = t->last_ns + t->p->ask.timeout_ns;
	while (pace_pinger_open(g) > 0 && pace_client_now(t->c) < end &&
	    !pace_client_ends(t->c) && !deserted(t)) {
		(void)look(t, end);
		pace_pinger_settle(g, false);
	}
	pace_pinger_settle(g, true);
	if (deserted(t))
		rc = -ECONNREFUSED;
	g->done = NULL;
	g->timeout_ns = timeout;
	g->stamp_every = 1;
	p->late_replies = g->late - late;
	p->duplicates = g->duplicates - duplicates;
	p->foreign = g->foreign - foreign;
	if (p->late_requests > p->sent)		/* a stop took back some of them */
		p->late_requests = p->sent;
	p->duration_ns = p->sent > 0 ? t->last_ns - t->first_ns : 0;
	pace_client_delays_end(t->c, p, t->delays);
	return rc;
}

/* Attribute the losses to a direction.  After a stop, requests that arrived are not counted as
 * sent. */
static void
attribute(struct pace_latency *p, const struct pace_msg_ready *m)
{
	const struct pace_request_counts *c = &m->requests;
	uint64_t lost = p->timeouts - p->late_replies, there = p->sent - c->arrived;

	if (!m->has_requests || p->interrupted)
		return;
	if (c->arrived > p->sent || c->unanswered > lost || there > lost - c->unanswered) {
		pace_note(&p->notes, "request_counts", "the responder counted %" PRIu64 " requests "
		    "and did not answer %" PRIu64 " of them, which the replies contradict: losses "
		    "have no direction", c->arrived, c->unanswered);
		return;
	}
	p->has_requests = true;
	p->requests = *c;
	p->lost_there = there;
	p->lost_back = lost - there - c->unanswered;
}

/* Check that the session still exists and that no other client measured; see what it counted. */
static int
ask_how_it_went(struct pace_client *c, struct pace_latency *p, struct pace_err *err)
{
	const struct pace_msg_finish f = { .sent = 0 };
	struct pace_msg_ready m = { .ready = false };
	struct pace_msg_error e;
	json_t *reply;
	int rc;

	rc = pace_client_control(c, PACE_FINISH, "finish", pace_msg_finish_json(&f),
	    PACE_CONTROL_NS, &reply, &e, err);
	if (rc == 0 && pace_msg_ready(reply, &m) != 0)
		rc = pace_failf(err, EPROTO, "finish", "the responder's answer is invalid");
	json_decref(reply);
	if (rc == 0)
		attribute(p, &m);
	if (rc == -ESTALE) {
		p->verdict = PACE_DEGRADED;
		pace_note(&p->notes, "session_lost", "the responder was restarted, or forgot this "
		    "client, while requests were under way");
	}
	if (m.lease_lost) {
		p->verdict = PACE_DEGRADED;
		pace_note(&p->notes, "lease_lost", "for more than 10 s nothing reached the "
		    "responder: another client may have measured meanwhile");
	}
	return rc;
}

/* A responder must agree; a reflector is not asked. */
static int
begin_run(struct client_latency_trips *t, const struct pace_msg_start *m, struct pace_err *err)
{
	int rc;

	t->p->by_stamp = t->c->pinger.stamp != NULL;
	rc = t->p->by_stamp ? 0 : pace_client_start(t->c, m, err);
	if (rc < 0)
		return rc;
	t->delays = pace_client_delays_new();
	return t->delays != NULL ? 0 : pace_fail(err, ENOMEM, "start");
}

int
pace_client_latency(struct pace_client *c, struct pace_latency *p, struct pace_err *err)
{
	const struct pace_latency_params *a = &p->ask;
	struct pace_msg_start m = { .pings = true, .reply_bytes = a->reply_bytes, .limit = 1,
	    .at_most_ns = DAY_NS, .ask = { .size_bytes = a->size_bytes, .busy_poll = a->busy_poll,
	    .count = a->count, .train = 1, .bursts = 1, .streams = 1 } };
	struct client_latency_trips t = { .c = c, .p = p };
	int64_t each = a->interval_ns > 0 ? a->interval_ns : a->timeout_ns;
	uint64_t at_once = a->interval_ns == 0 ? 1 : (uint64_t)(a->timeout_ns / a->interval_ns);
	bool within_day = (int64_t)a->count <= DAY_NS / each;
	int rc;

	if (within_day)
		m.at_most_ns = (int64_t)a->count * each + a->timeout_ns + OTHER_NS + c->rest_ns;
	if (a->interval_ns > 0)		/* otherwise the requests' time is not known */
		m.ask.duration_ns = within_day ? (int64_t)a->count * each : DAY_NS;

	p->linear.low = a->linear.low;
	p->linear.width = a->linear.width;
	p->linear.bins = a->linear.bins;
	rc = pace_pinger_grow(&c->pinger, at_once < a->count ? at_once : a->count);
	if (rc < 0)
		return pace_fail(err, -rc, "start");
	rc = begin_run(&t, &m, err);
	if (rc < 0)
		return rc;
	rc = run(&t);
	free(t.delays);
	p->interrupted = pace_client_ends(c);
	judge(p);
	if (rc == 0 && !p->by_stamp)
		rc = ask_how_it_went(c, p, err);
	if (rc == 0 && p->received == 0 && p->late_replies == 0 && c->pinger.too_long)
		rc = -EMSGSIZE;
	if (rc == -ECONNREFUSED)
		return pace_client_tell_send(c, -ETIMEDOUT, err);
	if (rc == -EMSGSIZE)
		return pace_failf(err, EMSGSIZE, "send",
		    "the requests are too large for the path: use a smaller size");
	if (rc < 0)
		return rc;
	if (p->interrupted && !pace_client_stopped(c))
		return pace_client_dismissed(c, err);
	return p->interrupted ? pace_fail(err, EINTR, "stopped") : 0;
}
