/*
 * The exchanges of a stream: the clock of the responder, round trips and one-way delays.
 */
#include "config.h"

#include "live/live_run_own.h"

#include <string.h>

#define FIT_NS		INT64_C(60000000000)	/* age of the exchanges used to estimate the
						 * clock */

static void
add(struct pace_moments *m, int64_t ns)
{
	m->min = m->n == 0 || ns < m->min ? ns : m->min;
	m->max = m->n == 0 || ns > m->max ? ns : m->max;
	m->n++;
	m->mean += ((double)ns - m->mean) / (double)m->n;
}

static const struct pace_live_time *
time_at(const struct pace_live *l, uint64_t i)
{
	return &l->time[i % PACE_LIVE_TIMES];
}

/* Estimate the clock.  One that jumped is another one. */
static void
fit_clock(struct pace_live *l, uint64_t got, uint64_t put)
{
	struct pace_live_scenario *s = &l->story;
	double coarse_ns = (double)s->session.now.probe.stamp.granularity_ns;

	for (uint64_t i = got; i < put; i++) {
		const struct pace_live_time *x = time_at(l, i);

		if (x->untimed)
			continue;
		if (x->clock != s->clock)
			pace_clockfit_reset(&s->fit);
		s->clock = x->clock;
		pace_clockfit_upper(&s->fit, x->t1_ns, x->t2_ns - x->t1_ns);
		pace_clockfit_lower(&s->fit, x->t4_ns, x->t3_ns - x->t4_ns);
	}
	if (put == got)
		return;
	pace_clockfit_forget(&s->fit, time_at(l, put - 1)->t1_ns - FIT_NS);
	if (pace_clockfit_solve(&s->fit, PACE_CLIENT_RESOLUTION + coarse_ns, &s->theta) < 0)
		s->theta.segments = 0;
}

/* Round trips above the shortest one so far. */
static void
add_above(struct pace_live_scenario *s, int64_t rtt_ns)
{
	struct pace_recent one = { .samples = 1, .gap_min_ns = INT64_MAX, .gap_max_ns = INT64_MIN };
	int64_t above_ns;

	s->shortest_ns = rtt_ns < s->shortest_ns ? rtt_ns : s->shortest_ns;
	above_ns = rtt_ns - s->shortest_ns;
	if (above_ns > PACE_ABOVE_MOST)
		above_ns = PACE_ABOVE_MOST;
	one.above_min_ns = one.above_max_ns = one.above_sum_ns = above_ns;
	pace_recent_add(&s->above, &one);
	pace_coarse_hist_add(&s->rtt, above_ns);
}

static void
add_trip(struct pace_live_scenario *s, const struct pace_live_time *x)
{
	int64_t total_ns = x->t4_ns - x->t1_ns, rtt_ns = total_ns - (x->t3_ns - x->t2_ns);

	add(&s->way[PACE_WAY_TOTAL], total_ns);
	if (x->untimed)
		return;
	add(&s->way[PACE_WAY_BOTH], rtt_ns);
	add_above(s, rtt_ns);
	if (s->theta.segments == 0)
		return;
	add(&s->way[PACE_WAY_THERE], x->t2_ns - x->t1_ns - pace_clock_at(&s->theta, x->t1_ns));
	add(&s->way[PACE_WAY_BACK], x->t4_ns - x->t3_ns + pace_clock_at(&s->theta, x->t4_ns));
}

void
pace_live_take_trips(struct pace_live *l)
{
	struct pace_live_scenario *s = &l->story;
	uint64_t got = atomic_load_explicit(&l->times.got, memory_order_relaxed);
	uint64_t put = atomic_load_explicit(&l->times.put, memory_order_acquire);

	memset(s->way, 0, sizeof(s->way));
	fit_clock(l, got, put);
	for (uint64_t i = got; i < put; i++)
		add_trip(s, time_at(l, i));
	atomic_store_explicit(&l->times.got, put, memory_order_release);
}
