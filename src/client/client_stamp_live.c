/*
 * Live exchanges with a STAMP reflector: requests leave on a schedule for as long as wanted,
 * whether replies come or not.
 */
#include "config.h"

#include <errno.h>

#include "client/client_io.h"

#define SKIP_NS		INT64_C(1000000000)	/* later requests are omitted, not sent at once */
#define LOOK_NS		INT64_C(100000000)	/* longest wait without a look whether to stop */
#define CLOCK_LEAST	3			/* replies that show a clock that jumped */

struct client_stamp_live {
	struct pace_client *c;
	const struct pace_stamp_watching *w;
	struct pace_stamp_live now;
	uint64_t	duplicates, foreign;	/* of the pinger at the begin */
	uint64_t	replies, unusable;	/* at the last report */
	int64_t		last_ns;	/* departure of the newest request */
	bool		too_large;	/* the kernel said so of the newest request */
};

static void
on_trip(void *ctx, const struct pace_exchange *x)
{
	struct pace_client *c = ctx;

	if ((x->flags & PACE_PING_ANSWERED) != 0 && c->on_exchange != NULL)
		c->on_exchange(c->exchange_ctx, x);
}

static void
send_one(struct client_stamp_live *l, int64_t due_ns, int64_t now_ns)
{
	const uint32_t size = l->w->size_bytes;
	int rc = pace_pinger_send(&l->c->pinger, size, size);

	l->too_large = rc == -EMSGSIZE;
	if (rc < 0) {
		l->now.refused++;
		return;
	}
	l->now.sent++;
	l->now.late += now_ns - due_ns > l->w->spacing_ns;
	l->last_ns = now_ns;
}

/* If the reflector's clock jumped, its times contradict all earlier ones: believe the new ones. */
static void
follow_clock(struct client_stamp_live *l)
{
	const struct pace_stamp_result *r = &l->c->pinger.stamp->result;
	uint64_t replies = r->replies - l->replies, unusable = r->unusable_times - l->unusable;

	if (replies >= CLOCK_LEAST && unusable == replies)
		l->c->pinger.has_theta = false;
	l->replies = r->replies;
	l->unusable = r->unusable_times;
}

static bool
report(struct client_stamp_live *l, int64_t now_ns)
{
	const struct pace_pinger *p = &l->c->pinger;

	l->now.now_ns = now_ns;
	l->now.lost = l->now.over ? l->now.sent - p->stamp->result.replies :
	    pace_stamp_session_missing(p->stamp);
	l->now.duplicates = p->duplicates - l->duplicates;
	l->now.foreign = p->foreign - l->foreign;
	pace_stamp_session_end(p->stamp, l->now.lost);
	return l->w->report(l->w->ctx, &l->now);
}

/* Take all replies that come until until_ns; returns the time. */
static int64_t
look(struct pace_client *c, int64_t until_ns)
{
	int64_t now = pace_client_now(c);

	if (now < until_ns)
		(void)c->io.wait(c->io.ctx, until_ns - now < LOOK_NS ? until_ns : now + LOOK_NS);
	if (pace_pinger_poll(&c->pinger) > 0 ||
	    pace_pinger_overdue(&c->pinger, pace_client_now(c)))
		pace_pinger_settle(&c->pinger, false);
	return pace_client_now(c);
}

/* 0: the planned end; -EINTR, -EMSGSIZE. */
static int
exchange(struct client_stamp_live *l)
{
	const struct pace_stamp_watching *w = l->w;
	int64_t now = pace_client_now(l->c), due = now, next = now + w->report_ns;
	int64_t end = w->duration_ns > 0 ? now + w->duration_ns : INT64_MAX;

	while (now < end && !pace_client_stopped(l->c)) {
		if (now - due > SKIP_NS)
			due += (now - due) / w->spacing_ns * w->spacing_ns;
		if (now >= due) {
			send_one(l, due, now);
			due += w->spacing_ns;
		}
		if (now >= next) {
			follow_clock(l);
			(void)report(l, now);
			next += (now - next) / w->report_ns * w->report_ns + w->report_ns;
		}
		if (l->c->pinger.answered == 0 && (l->too_large || l->c->pinger.too_long))
			return -EMSGSIZE;
		now = look(l->c, due < next ? due : next);
	}
	return now < end ? -EINTR : 0;
}

/* Wait for the replies under way: after its time-out a request is lost. */
static void
finish(struct client_stamp_live *l)
{
	struct pace_client *c = l->c;
	int64_t end = l->last_ns + c->pinger.timeout_ns;

	while (pace_pinger_open(&c->pinger) > 0 && pace_client_now(c) < end)
		(void)look(c, end);
	pace_pinger_settle(&c->pinger, true);
	l->now.over = true;
	while (!report(l, pace_client_now(c)) && !pace_client_stopped(c))
		(void)c->io.wait(c->io.ctx, pace_client_now(c) + LOOK_NS);
}

int
pace_client_stamp_live(struct pace_client *c, const struct pace_stamp_watching *w,
    struct pace_err *err)
{
	struct pace_pinger *p = &c->pinger;
	struct client_stamp_live l = { .c = c, .w = w, .duplicates = p->duplicates,
	    .foreign = p->foreign };
	int rc = pace_pinger_grow(p, (uint64_t)(p->timeout_ns / w->spacing_ns) + 1);

	if (rc < 0)
		return pace_fail(err, -rc, "start");
	pace_pinger_series(p);
	pace_stamp_session_series(p->stamp, p->first);
	p->done = on_trip;
	p->ctx = c;
	w->begun(w->ctx);
	rc = exchange(&l);
	finish(&l);
	p->done = NULL;
	if (rc == -EMSGSIZE)
		return pace_failf(err, EMSGSIZE, "send", "the requests are too large for the path: "
		    "use a smaller size");
	return rc < 0 ? pace_fail(err, -rc, "stopped") : 0;
}
