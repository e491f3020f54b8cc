/* Lines of udpace-status/1: what only the sender of a stream knows. */
#include "config.h"

#include "ui/snap_read.h"

#include <math.h>

#include "doc/js.h"

/* Times of exchanges; false: there were none. */
static bool
read_span(const json_t *o, struct pace_snap_way *w, double *mean, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return false;
	w->n = pace_jr_count(&r, "count");
	*mean = pace_jr_real(&r, "mean");
	w->sum_ns = *mean * (double)w->n;
	w->min_ns = pace_jr_int(&r, "min", -PACE_JS_MAX, PACE_JS_MAX);
	w->max_ns = pace_jr_int(&r, "max", -PACE_JS_MAX, PACE_JS_MAX);
	*bad |= r.bad || w->n == 0 || w->min_ns > w->max_ns || !isfinite(w->sum_ns);
	return true;
}

/* How long frames took to leave. */
static void
read_leaving(struct pace_snap_probe *p, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	double ns;

	if (!json_is_object(o))
		return;
	p->leavings = pace_jr_count(&r, "count");
	ns = (double)p->leavings * pace_jr_real(&r, "mean");
	p->leaving_ns = isfinite(ns) && ns > 0 ? ns : 0;
	*bad |= r.bad;
}

void
pace_way_add(struct pace_snap_way *to, const struct pace_snap_way *w)
{
	uint64_t left = (uint64_t)PACE_JS_MAX - to->n;

	if (w->n == 0)
		return;
	to->min_ns = to->n == 0 || w->min_ns < to->min_ns ? w->min_ns : to->min_ns;
	to->max_ns = to->n == 0 || w->max_ns > to->max_ns ? w->max_ns : to->max_ns;
	to->sum_ns += w->sum_ns;
	to->n += w->n < left ? w->n : left;
}

void
pace_said_probe(struct pace_snap_probe *p, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	struct pace_snap_way *w = p->newest;

	if (!json_is_object(o))
		return;
	p->known = true;
	p->sent = pace_jr_count(&r, "sent");
	p->refused = pace_jr_count_or_0(&r, "refused");
	p->sent_now = pace_jr_count_or_0(&r, "interval_sent");
	read_leaving(p, json_object_get(o, "spacing_ns"), bad);
	p->asked = pace_jr_count_or_0(&r, "round_trips_asked");
	if (read_span(json_object_get(o, "round_trip_ns"), &w[PACE_WAY_BOTH], &p->trip_mean_ns, bad)) {
		p->trips = w[PACE_WAY_BOTH].n;
		p->trip_min_ns = w[PACE_WAY_BOTH].min_ns;
		p->trip_max_ns = w[PACE_WAY_BOTH].max_ns;
	}
	p->has_ways = read_span(json_object_get(o, "there_ns"), &w[PACE_WAY_THERE], &p->there_ns, bad) &&
	    read_span(json_object_get(o, "back_ns"), &w[PACE_WAY_BACK], &p->back_ns, bad);
	if (pace_jr_has(&r, "clock_bound_ns"))
		p->bound_ns = fabs(pace_jr_real(&r, "clock_bound_ns"));
	if (pace_jr_has(&r, "monitor_core"))
		p->core = fabs(pace_jr_real(&r, "monitor_core"));
	*bad |= r.bad;
}
