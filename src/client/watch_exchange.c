/*
 * The exchanges of a watched path: delays, the clock, and the direction of losses.
 */
#include "config.h"

#include "client/watch_path_own.h"

#include <stdlib.h>

#define MEMORY_NS	INT64_C(600000000000)	/* exchanges older than this are forgotten */
#define LOW_NS		INT64_C(300000000000)	/* the lowest round trip is of two such times */
#define CLOCK_LEAST	3			/* replies that show a clock that jumped */

/* --- delays -------------------------------------------------------------------------- */

static void
add_delay(struct pace_watch_delays *d, struct pace_coarse_hist *h, int64_t ns)
{
	d->min_ns = d->n == 0 || ns < d->min_ns ? ns : d->min_ns;
	d->max_ns = d->n == 0 || ns > d->max_ns ? ns : d->max_ns;
	d->sum_ns = d->n == 0 ? ns : d->sum_ns + ns;
	d->n++;
	pace_coarse_hist_add(h, ns);
}

static bool
is_timed(const struct pace_watch_path *p, const struct pace_exchange *x)
{
	return !watch_path_is_stamp(p) || (x->flags & PACE_PING_TIMES) != 0;
}

/* The changes of two gaps on their ways. */
static void
add_errors(struct pace_watch_path *p, const struct pace_exchange *x)
{
	const struct pace_exchange *b = &p->last;

	if (p->has_last && x->number == b->number + 1) {
		pace_coarse_hist_add(&p->up_error, llabs((x->t2_ns - b->t2_ns) -
		    (pace_exchange_t1(x) - pace_exchange_t1(b))));
		pace_coarse_hist_add(&p->down_error, llabs((pace_exchange_t4(x) - pace_exchange_t4(b)) -
		    (pace_exchange_t3(x) - pace_exchange_t3(b))));
	}
	p->last = *x;
	p->has_last = true;
}

/* A round trip above the shortest one of the last 5 to 10 minutes. */
static void
add_above(struct pace_watch_path *p, int64_t t1, int64_t rtt_ns)
{
	int64_t low;

	if (p->low_ns == 0 || t1 - p->low_at_ns >= LOW_NS) {
		p->low_before_ns = p->low_ns;
		p->low_ns = rtt_ns;
		p->low_at_ns = t1;
	}
	if (rtt_ns < p->low_ns)
		p->low_ns = rtt_ns;
	low = p->low_before_ns != 0 && p->low_before_ns < p->low_ns ? p->low_before_ns : p->low_ns;
	pace_coarse_hist_add(&p->above_rtt, rtt_ns > low ? rtt_ns - low : 0);
}

static void
place(struct pace_watch_path *p, const struct pace_exchange *x)
{
	int64_t t1 = pace_exchange_t1(x), t4 = pace_exchange_t4(x), rtt = pace_exchange_rtt(x);

	add_delay(&p->of_now.total, &p->total, t4 - t1);
	if (!is_timed(p, x))
		return;
	add_delay(&p->of_now.rtt, &p->rtt, rtt);
	add_errors(p, x);
	if (watch_path_is_stamp(p))
		add_above(p, t1, rtt);
	if (!p->has_clock)
		return;
	add_delay(&p->of_now.up, &p->up, x->t2_ns - t1 - pace_clock_at(&p->clock, t1));
	add_delay(&p->of_now.down, &p->down, t4 + pace_clock_at(&p->clock, t4) - pace_exchange_t3(x));
}

void
watch_exchange_place(struct pace_watch_path *p)
{
	double coarse_ns = watch_path_is_stamp(p) ?
	    (double)p->c.pinger.stamp->result.granularity_ns : 0;
	struct pace_clock_estimate e;

	if (p->kept == 0)
		return;
	pace_clockfit_forget(&p->c.fit, p->c.io.now(p->c.io.ctx) - MEMORY_NS);
	if (pace_clockfit_solve(&p->c.fit, PACE_CLIENT_RESOLUTION + coarse_ns, &e) == 0) {
		p->clock = e;
		p->has_clock = true;
		p->c.pinger.rate = pace_clockfit_rate(&p->c.fit);
	}
	for (int i = 0; i < p->kept; i++)
		place(p, &p->keep[i]);
	p->kept = 0;
}

void
watch_exchange_begin(struct pace_watch_path *p)
{
	p->has_clock = false;		/* the host may be another one */
	p->has_last = false;
	p->kept = 0;
	p->reported.asked = 0;
	p->first_ping = p->c.pinger.next;
	p->before.timeouts = p->c.pinger.timeouts;
	p->before.late = p->c.pinger.late;
	p->before.duplicates = p->c.pinger.duplicates;
	p->before.foreign = p->c.pinger.foreign;
	p->before.replies = p->before.unusable = 0;
}

/* --- directions ------------------------------------------------------------------------ */

/* Requests of this run that are settled and have no reply. */
static int64_t
unanswered(const struct pace_watch_path *p)
{
	const struct pace_pinger *g = &p->c.pinger;

	return (int64_t)(g->timeouts - p->before.timeouts) - (int64_t)(g->late - p->before.late);
}

void
watch_exchange_reported(struct pace_watch_path *p, uint64_t asked, uint64_t answered)
{
	if (p->reported.asked != 0 || asked == 0 || answered > asked || answered == 0)
		return;
	p->reported.asked = asked;
	p->reported.there = (int64_t)(asked - answered);
}

/* All requests that the report covers are settled. */
static void
settle_reported(struct pace_watch_path *p)
{
	int64_t back = unanswered(p) - p->reported.there;

	p->reported.asked = 0;
	if (back < 0 || p->c.pinger.duplicates != p->before.duplicates)
		return;
	p->run_there = p->reported.there;
	p->run_back = back;
}

void
watch_exchange_take(void *ctx, const struct pace_exchange *x)
{
	struct pace_watch_path *p = ctx;

	if (p->reported.asked != 0 && x->number + 1 - p->first_ping == p->reported.asked)
		settle_reported(p);
	else if (x->number + 1 - p->first_ping > p->reported.asked)
		p->reported.asked = 0;	/* too late: the next report says it */
	if ((x->flags & PACE_PING_ANSWERED) == 0)
		return;
	if (x->t4_ns > p->heard_ns)
		p->heard_ns = x->t4_ns;
	if ((x->flags & PACE_PING_T4_KERNEL) == 0)
		return;			/* t4 is when the socket was read */
	if (is_timed(p, x)) {
		pace_clockfit_upper(&p->c.fit, pace_exchange_t1(x), x->t2_ns - pace_exchange_t1(x));
		pace_clockfit_lower(&p->c.fit, pace_exchange_t4(x),
		    pace_exchange_t3(x) - pace_exchange_t4(x));
	}
	p->keep[p->kept++] = *x;
	if (p->kept == PACE_WATCH_KEPT)
		watch_exchange_place(p);
}

/* --- STAMP ------------------------------------------------------------------------------ */

void
watch_stamp_begin(struct pace_watch_path *p)
{
	struct pace_pinger *g = &p->c.pinger;
	struct pace_usage u;

	p->c.io.usage(p->c.io.ctx, &u);
	g->stamp->clock = u.clock;
	pace_pinger_series(g);
	pace_stamp_session_series(g->stamp, g->first);
	p->before.timeouts = g->timeouts;
	p->before.late = g->late;
	p->before.duplicates = g->duplicates;
	p->before.foreign = g->foreign;
}

/* Lost are requests without a reply if one to a later request came, or after their time-out. */
void
watch_stamp_count(struct pace_watch_path *p)
{
	const struct pace_pinger *g = &p->c.pinger;
	struct pace_stamp_session *s = g->stamp;
	int64_t lost = (int64_t)pace_stamp_session_missing(s);

	if (p->run_ns == 0)
		return;
	if (lost < unanswered(p))
		lost = unanswered(p);
	pace_stamp_session_end(s, (uint64_t)lost);
	p->run = (struct pace_tally){ .frames = s->result.replies, .lost = lost,
	    .duplicates = g->duplicates - p->before.duplicates, .reordered = s->result.reordered,
	    .foreign = g->foreign - p->before.foreign, .dscp_changed = s->result.changed_there };
	p->run_there = (int64_t)s->result.lost_there;
	p->run_back = (int64_t)s->result.lost_back;
}

/* If the reflector's clock jumped, its times contradict all earlier ones: believe the new ones. */
void
watch_stamp_interval(struct pace_watch_path *p)
{
	const struct pace_stamp_result *r = &p->c.pinger.stamp->result;
	uint64_t replies = r->replies - p->before.replies;

	if (replies >= CLOCK_LEAST && r->unusable_times - p->before.unusable == replies) {
		p->c.pinger.has_theta = false;
		pace_clockfit_reset(&p->c.fit);
		p->has_clock = false;
	}
	p->before.replies = r->replies;
	p->before.unusable = r->unusable_times;
}
