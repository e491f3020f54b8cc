/* Lines of udpace-status/1: what only the sender of a stream knows. */
#include "config.h"

#include "ui/snap_read.h"

#include <math.h>

#include "doc/js.h"

/* Times of exchanges; false: there were none. */
static bool
read_span(const json_t *o, double *mean, int64_t *min, int64_t *max, uint64_t *n, bool *bad)
{
	struct pace_jr r = { .o = o };

	if (!json_is_object(o))
		return false;
	*n = pace_jr_count(&r, "count");
	*mean = pace_jr_real(&r, "mean");
	*min = pace_jr_int(&r, "min", -PACE_JS_MAX, PACE_JS_MAX);
	*max = pace_jr_int(&r, "max", -PACE_JS_MAX, PACE_JS_MAX);
	*bad |= r.bad || *n == 0 || *min > *max;
	return true;
}

void
pace_said_probe(struct pace_snap_probe *p, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	int64_t min, max;
	uint64_t n;

	if (!json_is_object(o))
		return;
	p->known = true;
	p->sent = pace_jr_count(&r, "sent");
	p->refused = pace_jr_count_or_0(&r, "refused");
	p->asked = pace_jr_count_or_0(&r, "round_trips_asked");
	if (!read_span(json_object_get(o, "round_trip_ns"), &p->trip_mean_ns, &p->trip_min_ns,
	    &p->trip_max_ns, &p->trips, bad))
		p->trips = 0;
	p->has_ways = read_span(json_object_get(o, "there_ns"), &p->there_ns, &min, &max, &n, bad) &&
	    read_span(json_object_get(o, "back_ns"), &p->back_ns, &min, &max, &n, bad);
	if (pace_jr_has(&r, "clock_bound_ns"))
		p->bound_ns = fabs(pace_jr_real(&r, "clock_bound_ns"));
	if (pace_jr_has(&r, "monitor_core"))
		p->core = fabs(pace_jr_real(&r, "monitor_core"));
	*bad |= r.bad;
}
