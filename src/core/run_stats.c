#include "core/run_stats.h"

/* No sum is beyond most, whatever the other side says. */
static int64_t
plus(int64_t a, int64_t b, int64_t most)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? most : -most;
	return sum > most ? most : sum < -most ? -most : sum;
}

void
pace_recent_none(struct pace_recent *r)
{
	*r = (struct pace_recent){ .gap_min_ns = INT64_MAX, .gap_max_ns = INT64_MIN,
	    .above_min_ns = INT64_MAX, .above_max_ns = INT64_MIN };
}

void
pace_recent_add(struct pace_recent *to, const struct pace_recent *r)
{
	if (r->gap_min_ns < to->gap_min_ns)
		to->gap_min_ns = r->gap_min_ns;
	if (r->gap_max_ns > to->gap_max_ns)
		to->gap_max_ns = r->gap_max_ns;
	if (r->samples == 0)
		return;
	if (r->above_min_ns < to->above_min_ns)
		to->above_min_ns = r->above_min_ns;
	if (r->above_max_ns > to->above_max_ns)
		to->above_max_ns = r->above_max_ns;
	to->above_sum_ns = plus(to->above_sum_ns, r->above_sum_ns, PACE_RECENT_SUM_MOST);
	to->samples += r->samples;
}
