/* clockline.c - offset and rate of an estimate at a given time: clockfit.h. */
#include "core/clockfit.h"

#include <math.h>

#include "core/wide_time.h"

int64_t
pace_clock_line_at(const struct pace_clock_line *l, int64_t t_ns)
{
	double dt = (double)pace_minus(t_ns, l->t_ns);

	return pace_plus(l->offset_ns, llround(l->frac_ns + dt * l->rate));
}

/* The time from which the later of two segments applies: where their lines meet, else half way. */
static int64_t
change_ns(const struct pace_clock_segment *a, const struct pace_clock_segment *b)
{
	double gap = (double)pace_wide_difference(b->from_ns, a->to_ns), part = 0.5;
	double before = (double)pace_wide_difference(pace_clock_line_at(&b->line, a->to_ns),
	    pace_clock_line_at(&a->line, a->to_ns));
	double after = (double)pace_wide_difference(pace_clock_line_at(&b->line, b->from_ns),
	    pace_clock_line_at(&a->line, b->from_ns));

	if (before * after < 0)
		part = before / (before - after);
	return pace_plus(a->to_ns, llround(gap * part));
}

static const struct pace_clock_segment *
segment_for(const struct pace_clock_estimate *e, int64_t t_ns)
{
	int i = 0;

	while (i + 1 < e->segments && t_ns > e->v[i].to_ns &&
	    t_ns >= change_ns(&e->v[i], &e->v[i + 1]))
		i++;
	return &e->v[i];
}

int64_t
pace_clock_at(const struct pace_clock_estimate *e, int64_t t_ns)
{
	return e->segments == 0 ? 0 : pace_clock_line_at(&segment_for(e, t_ns)->line, t_ns);
}

double
pace_clock_rate_at(const struct pace_clock_estimate *e, int64_t t_ns)
{
	return e->segments == 0 ? 0 : segment_for(e, t_ns)->line.rate;
}

double
pace_clock_rate_bound_at(const struct pace_clock_estimate *e, int64_t t_ns)
{
	const struct pace_clock_segment *s;
	double span, most;

	if (e->segments == 0)
		return INFINITY;
	s = segment_for(e, t_ns);
	span = (double)pace_wide_difference(s->to_ns, s->from_ns);
	most = PACE_CLOCKFIT_PPM * 1e-6 + fabs(s->line.rate);
	return span > 0 ? fmin(2 * s->bound_ns / span, most) : most;
}
