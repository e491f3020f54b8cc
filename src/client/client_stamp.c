/*
 * A session with a STAMP reflector begins without a handshake: a few exchanges show that it
 * answers, and whether it counts the requests.  One-way delays, to a reflector or to a responder, are
 * calculated at the end of a series, when the other clock is known.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "client/client_io.h"

#define OPEN_NS		INT64_C(5000000000)	/* for the first replies */
#define FIRST_NS	INT64_C(100000000)	/* from one request to the next, at first */
#define LAST_NS		INT64_C(500000000)	/* and at most */
#define ENOUGH		2			/* replies: one is to another number than 0 */

#define DELAYS		65536			/* exchanges kept for one-way delays */

/* Every 2^level-th exchange, so that they fit. */
struct pace_client_delays {
	struct { int64_t t1_ns, t2_ns, t3_ns, t4_ns; } v[DELAYS];
	size_t		n;
	int		level;
	uint64_t	seen;
};

/* Why no reply came; 0: keep trying. */
static int
why(const struct pace_client *c, int64_t now_ns, int64_t since_ns)
{
	if (pace_client_stopped(c))
		return -EINTR;
	if (pace_pinger_denied(&c->pinger) && now_ns - since_ns >= PACE_CLIENT_HINT_NS)
		return -ECONNREFUSED;
	if (now_ns - since_ns < OPEN_NS)
		return 0;
	return c->pinger.stamp->result.unverified > 0 ? -EKEYREJECTED : -ETIMEDOUT;
}

/* Make exchanges until enough were answered: 0, or why there are none. */
static int
knock(struct pace_client *c, uint64_t enough)
{
	const uint32_t size = pace_pinger_size(&c->pinger);
	int64_t begin = pace_client_now(c), pause = FIRST_NS, due = begin, now = begin;
	uint64_t answered = c->pinger.answered;
	int rc = 0;

	while (rc == 0 && c->pinger.answered - answered < enough) {
		if (now >= due) {
			rc = pace_pinger_send(&c->pinger, size, size);
			if (rc < 0 && !pace_client_may_pass(rc))
				return rc;
			due = now + pause;
			pause = pause * 3 / 2 < LAST_NS ? pause * 3 / 2 : LAST_NS;
		}
		(void)c->io.wait(c->io.ctx, due);
		if (pace_pinger_poll(&c->pinger) > 0)
			due = pace_client_now(c);	/* no need to wait with the next one */
		now = pace_client_now(c);
		rc = why(c, now, begin);
	}
	return c->pinger.answered > answered && rc != -EINTR ? 0 : rc;
}

/* Why the opening failed; foreign: datagrams that came and were no replies. */
static int
tell_opening(const struct pace_client *c, int rc, uint64_t foreign, struct pace_err *err)
{
	const uint64_t wrong = c->pinger.stamp->result.unverified;
	const int sec = (int)(OPEN_NS / 1000000000);

	if (rc == -EKEYREJECTED)
		return pace_failf(err, EKEYREJECTED, "hello", "%" PRIu64 " repl%s came in %d s, but the "
		    "HMAC of %s is wrong: the reflector has another key", wrong,
		    wrong == 1 ? "y" : "ies", sec, wrong == 1 ? "it" : "all");
	if (rc == -ETIMEDOUT && foreign > 0)
		return pace_failf(err, ETIMEDOUT, "hello", "%" PRIu64 " datagram%s came in %d s, but "
		    "none is a reply to a request of this session", foreign, foreign == 1 ? "" : "s",
		    sec);
	if (rc == -EINTR)
		return pace_fail(err, EINTR, "stopped");
	return pace_client_tell(rc, "hello", OPEN_NS, err);
}

int
pace_client_stamp_open(struct pace_client *c, struct pace_err *err)
{
	struct pace_pinger *p = &c->pinger;
	uint64_t foreign = p->foreign;
	struct pace_usage u;
	int rc;

	p->io = c->io;
	pace_pinger_forget(p);
	pace_clockfit_reset(&c->fit);
	c->io.usage(c->io.ctx, &u);
	p->stamp->clock = u.clock;
	p->their_wall_ns = c->io.wall(c->io.ctx);
	pace_stamp_session_begin(p->stamp, p->next, p->their_wall_ns);
	rc = knock(c, ENOUGH);
	pace_pinger_settle(p, true);
	return rc < 0 ? tell_opening(c, rc, p->foreign - foreign, err) : 0;
}

/* --- a series ------------------------------------------------------------------------ */

struct pace_client_delays *
pace_client_delays_new(void)
{
	return calloc(1, sizeof(struct pace_client_delays));
}

void
pace_client_delays_keep(struct pace_client_delays *d, const struct pace_exchange *x)
{
	if (d->n == DELAYS) {
		for (size_t i = 0; i < DELAYS / 2; i++)
			d->v[i] = d->v[2 * i];
		d->n = DELAYS / 2;
		d->level++;
	}
	if (d->seen++ % (UINT64_C(1) << d->level) != 0)
		return;
	d->v[d->n].t1_ns = pace_exchange_t1(x);
	d->v[d->n].t2_ns = x->t2_ns;
	d->v[d->n].t3_ns = pace_exchange_t3(x);
	d->v[d->n++].t4_ns = pace_exchange_t4(x);
}

/* The one-way delays, now that the clock is known. */
static void
add_delays(const struct pace_client_delays *d, struct pace_latency *p)
{
	if (p->clock.fit.segments == 0)
		return;
	for (size_t i = 0; i < d->n; i++) {
		pace_hist_add(&p->there, d->v[i].t2_ns - d->v[i].t1_ns -
		    pace_clock_at(&p->clock.fit, d->v[i].t1_ns));
		pace_hist_add(&p->back, d->v[i].t4_ns - d->v[i].t3_ns +
		    pace_clock_at(&p->clock.fit, d->v[i].t4_ns));
	}
}

void
pace_client_delays_begin(struct pace_client *c, struct pace_latency *p)
{
	p->has_clock = true;
	pace_client_clock_begin(c, &p->clock);
	p->clock.from_ns = pace_client_now(c);
}

void
pace_client_delays_end(struct pace_client *c, struct pace_latency *p,
    const struct pace_client_delays *d)
{
	p->clock.to_ns = pace_client_now(c);
	pace_client_settle(c);
	pace_client_clock_end(c);
	p->clock.theirs = c->their_clock;
	add_delays(d, p);
	if (!p->by_stamp)
		return;
	pace_stamp_session_end(c->pinger.stamp, p->timeouts - p->late_replies);
	p->stamp = c->pinger.stamp->result;
}

static void
judge_times(struct pace_latency *p)
{
	const struct pace_stamp_result *r = &p->stamp;

	if (r->unusable_times > 0)
		pace_note(&p->notes, "reflector_times_unusable", "%" PRIu64 " of %" PRIu64 " replies "
		    "have times that are impossible, or of a clock that jumped; only their round "
		    "trips are used", r->unusable_times, r->replies);
	if (r->reversed_times > 0)
		pace_note(&p->notes, "reflector_times_reversed", "in %" PRIu64 " of %" PRIu64
		    " replies the reflector's departure (T3) is before its arrival (T2)",
		    r->reversed_times, r->replies);
	if (r->equal_times > 0 && r->equal_times == r->replies)
		pace_note(&p->notes, "residence_not_known", "T3 = T2 in all replies: the "
		    "reflector's residence time is part of the round trip");
	if (r->granularity_ns > 0)
		pace_note(&p->notes, "reflector_times_coarse", "all times of the reflector are "
		    "multiples of %g ms: its residence time and the clock are no better known",
		    (double)r->granularity_ns / 1e6);
}

static void
judge_marks(struct pace_latency *p)
{
	const struct pace_stamp_result *r = &p->stamp;

	if (r->changed_there > 0)
		pace_note(&p->notes, "dscp_changed", "%" PRIu64 " requests with DSCP %u reached the "
		    "reflector with another one, the last with %u", r->changed_there, r->dscp_sent,
		    r->dscp_there);
	if (r->changed_back > 0)
		pace_note(&p->notes, "dscp_changed", "%" PRIu64 " replies to DSCP %u came with "
		    "another one, the last with %u", r->changed_back, r->dscp_sent, r->dscp_back);
	if (r->cos_refused > 0)
		pace_note(&p->notes, "dscp_refused", "the reflector refused to send %" PRIu64
		    " replies with DSCP %u", r->cos_refused, r->dscp_sent);
	if (r->tlvs_malformed > 0 || r->tlvs_unverified > 0)
		pace_note(&p->notes, "extensions_rejected", "the reflector rejected the extensions "
		    "of requests: %" PRIu64 " as malformed, %" PRIu64 " as not verified",
		    r->tlvs_malformed, r->tlvs_unverified);
	if (r->counter == PACE_COUNTER_CONTRADICTS)
		pace_note(&p->notes, "reflector_counter", "the reflector's sequence numbers do not "
		    "match the replies: losses have no direction");
	if (r->unverified > 0)
		pace_note(&p->notes, "replies_unverified", "the HMAC of %" PRIu64 " replies is wrong; "
		    "they were ignored", r->unverified);
}

/* The session was opened with small requests. */
static void
judge_size(struct pace_latency *p)
{
	if (p->sent > 0 && p->stamp.replies + p->stamp.unverified == 0 &&
	    p->ask.size_bytes > PACE_CLIENT_STAMP_OPENING)
		pace_note(&p->notes, "requests_too_large", "smaller requests were answered before: "
		    "the reflector or the path may not allow %u bytes; try a smaller --size",
		    p->ask.size_bytes);
}

void
pace_client_stamp_judge(struct pace_latency *p)
{
	judge_size(p);
	judge_times(p);
	judge_marks(p);
}
