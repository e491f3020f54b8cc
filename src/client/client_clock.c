/*
 * The clock of the client: collect exchanges, estimate offset and rate.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "proto/random.h"

#define REFIT_EVERY	16			/* exchanges between two fits of the rate */
#define STRAGGLE_NS	INT64_C(20000000)	/* wait for replies, at least */
#define STRAGGLE_RTTS	4			/* or this many shortest round trips */
#define SILENCE_NS	INT64_C(10000000000)	/* without an answer: the session may have ended */
#define SILENT_TRIES	3			/* exchanges in that time, at least */

/* --- exchanges --------------------------------------------------------------------- */

static void
least(int64_t *ns, int64_t v)
{
	if (v < *ns)
		*ns = v;
}

void
pace_client_clock_take(struct pace_client *c, const struct pace_exchange *x)
{
	struct pace_clock *k = c->clock;
	int64_t rtt = pace_exchange_rtt(x);
	uint8_t need = PACE_PING_T1_KERNEL | PACE_PING_T2_KERNEL | PACE_PING_T4_KERNEL;
	enum pace_stamp s = (x->flags & need) == need ? PACE_STAMP_KERNEL : PACE_STAMP_USER;

	if ((x->flags & PACE_PING_ANSWERED) == 0) {
		k->timeouts++;
		return;
	}
	k->exchanges++;
	if (c->on_exchange != NULL)
		c->on_exchange(c->exchange_ctx, x);
	if (c->pinger.stamp != NULL && (x->flags & PACE_PING_TIMES) == 0)
		return;
	least(&k->min_rtt_ns, rtt);
	least(x->t1_ns < k->from_ns ? &k->before_ns : x->t1_ns <= k->to_ns ? &k->during_ns :
	    &k->after_ns, rtt);
	if (k->stamp == PACE_STAMP_NONE || s < k->stamp)
		k->stamp = s;
	pace_clockfit_upper(&c->fit, pace_exchange_t1(x), x->t2_ns - pace_exchange_t1(x));
	pace_clockfit_lower(&c->fit, pace_exchange_t4(x),
	    pace_exchange_t3(x) - pace_exchange_t4(x));
}

static void
on_exchange(void *ctx, const struct pace_exchange *x)
{
	pace_client_clock_take(ctx, x);
}

/* The largest error of a stamp. */
static double
resolution(const struct pace_client *c)
{
	const struct pace_stamp_session *s = c->pinger.stamp;

	return PACE_CLIENT_RESOLUTION + (s != NULL && s->grain_ns > 1 ? (double)s->grain_ns : 0);
}

/* --- counting ------------------------------------------------------------------------ */

/* Add the steps and slews that both wall clocks have made. */
static void
read_walls(struct pace_client *c, struct pace_clock *k)
{
	struct pace_usage u;

	c->io.usage(c->io.ctx, &u);
	k->ours = u.clock;
	k->our_steps = u.clock_steps;
	k->our_slews = u.clock_slews;
	k->their_steps = c->pinger.wall.steps;
	k->their_slews = c->pinger.wall.slews;
}

void
pace_client_clock_begin(struct pace_client *c, struct pace_clock *clock)
{
	memset(clock, 0, sizeof(*clock));
	clock->by_stamp = c->pinger.stamp != NULL;
	clock->from_ns = clock->to_ns = INT64_MAX;
	clock->min_rtt_ns = clock->before_ns = PACE_NO_TIME;
	clock->during_ns = clock->after_ns = PACE_NO_TIME;
	pace_pinger_series(&c->pinger);
	if (c->pinger.stamp != NULL)
		pace_stamp_session_series(c->pinger.stamp, c->pinger.first);
	c->clock = clock;
	c->pinger.done = on_exchange;
	c->pinger.ctx = c;
	read_walls(c, &c->base);
	pace_clockfit_forget(&c->fit, pace_client_now(c) - PACE_CLIENT_MEMORY_NS);
}

/* Stop counting; exchanges still under way are not counted. */
void
pace_client_clock_end(struct pace_client *c)
{
	struct pace_clock *k = c->clock;

	read_walls(c, k);
	k->our_steps -= c->base.our_steps;
	k->our_slews -= c->base.our_slews;
	k->their_steps -= c->base.their_steps;
	k->their_slews -= c->base.their_slews;
	if (k->fit.segments > 0)
		k->wall_offset_ns = pace_clock_at(&k->fit, pace_client_now(c)) +
		    c->pinger.their_wall_ns - c->io.wall(c->io.ctx);
	c->clock = NULL;
	c->pinger.done = NULL;
}

/* --- the exchanges of an idle phase ---------------------------------------------------- */

void
pace_client_pings(struct pace_client *c, uint64_t n, int64_t interval_ns)
{
	const uint32_t size = pace_pinger_size(&c->pinger);
	int64_t due = pace_client_now(c);

	for (uint64_t i = 0; i < n; i++) {
		(void)pace_pinger_send(&c->pinger, size, size);
		due += interval_ns / 2 + (int64_t)(pace_random() % (uint64_t)interval_ns);
		while (pace_client_now(c) < due) {
			if (c->io.wait(c->io.ctx, due) < 0 && pace_client_stopped(c))
				break;
			(void)pace_pinger_poll(&c->pinger);
		}
		pace_pinger_settle(&c->pinger, false);
		if (i % REFIT_EVERY == REFIT_EVERY - 1 || i + 2 == n)
			c->pinger.rate = pace_clockfit_rate(&c->fit);
	}
}

void
pace_client_settle(struct pace_client *c)
{
	struct pace_clock *k = c->clock;
	int64_t patience = STRAGGLE_NS, now = pace_client_now(c), end;

	if (k->min_rtt_ns != PACE_NO_TIME && k->min_rtt_ns * STRAGGLE_RTTS > patience)
		patience = k->min_rtt_ns * STRAGGLE_RTTS;
	if (patience > c->pinger.timeout_ns)
		patience = c->pinger.timeout_ns;
	for (end = now + patience; now < end && pace_pinger_open(&c->pinger) > 0;
	    now = pace_client_now(c)) {
		(void)c->io.wait(c->io.ctx, end);
		(void)pace_pinger_poll(&c->pinger);
	}
	pace_pinger_settle(&c->pinger, true);
	/* earlier exchanges alone give no estimate for this time */
	if (k->exchanges == 0 ||
	    pace_clockfit_solve(&c->fit, resolution(c), &k->fit) < 0)
		k->fit.segments = 0;
}

/* --- a clock by itself ------------------------------------------------------------------- */

/* Make count exchanges, fewer after a stop.  False: no answer for too long. */
static bool
exchange_times(struct pace_client *c, uint64_t count, int64_t interval_ns)
{
	const struct pace_pinger *p = &c->pinger;
	uint64_t answered = p->answered, tries = 0;
	int64_t since = pace_client_now(c);

	for (uint64_t i = 0; i < count && !pace_client_ends(c); i++) {
		pace_client_pings(c, 1, interval_ns);
		tries++;
		if (p->answered != answered) {
			answered = p->answered;
			since = pace_client_now(c);
			tries = 0;
		}
		if (tries >= SILENT_TRIES && pace_client_now(c) - since >= SILENCE_NS)
			return i + 1 == count;
	}
	return true;
}

int
pace_client_clock(struct pace_client *c, uint64_t count, int64_t interval_ns,
    struct pace_clock *clock, struct pace_err *err)
{
	uint64_t at_once = (uint64_t)(c->pinger.timeout_ns / interval_ns);
	bool heard;
	int rc;

	memset(clock, 0, sizeof(*clock));
	/* Make room also for unanswered exchanges; otherwise one of them would delay all later
	 * ones until its time-out. */
	rc = pace_pinger_grow(&c->pinger, at_once < count ? at_once : count);
	if (rc < 0)
		return pace_fail(err, -rc, "clock");
	pace_client_clock_begin(c, clock);
	clock->from_ns = pace_client_now(c);
	heard = exchange_times(c, count, interval_ns);
	clock->to_ns = pace_client_now(c);
	pace_client_settle(c);
	pace_client_clock_end(c);
	clock->theirs = c->their_clock;
	if (pace_client_stopped(c))
		return pace_fail(err, EINTR, "stopped");
	if (c->pinger.dismissed)
		return pace_client_dismissed(c, err);
	if (!heard)
		return pace_failf(err, ESTALE, "clock", "nothing was answered for %d s",
		    (int)(SILENCE_NS / 1000000000));
	return clock->exchanges > 0 ? 0 : pace_client_tell(-ETIMEDOUT, "clock",
	    (int64_t)count * interval_ns + c->pinger.timeout_ns, err);
}
