#include "config.h"

#include "report/fig.h"

#include <stddef.h>

const struct pace_fig *const pace_figs[] = {
	&pace_fig_streams, &pace_fig_delays,
	&pace_fig_spacing,
	&pace_fig_map,
	&pace_fig_network,
	&pace_fig_size,
	&pace_fig_price,
	&pace_fig_cpu,
	&pace_fig_where,
	&pace_fig_counters,
	&pace_fig_latency, &pace_fig_rtt_hist, &pace_fig_spectrum, &pace_fig_gaps,
	&pace_fig_spread, &pace_fig_frames, &pace_fig_losses, &pace_fig_distance,
	&pace_fig_time, &pace_fig_clock,
	NULL
};

static const struct pace_fig *const of_arrivals[] = {
	&pace_fig_streams, &pace_fig_delays, &pace_fig_losses, &pace_fig_distance,
};

static bool
is_of_arrivals(const struct pace_fig *f)
{
	for (size_t i = 0; i < sizeof(of_arrivals) / sizeof(of_arrivals[0]); i++)
		if (of_arrivals[i] == f)
			return true;
	return false;
}

bool
pace_fig_wanted(const struct pace_fig *f, const struct pace_report_data *b, const struct pace_run *r)
{
	return (!r->seen || is_of_arrivals(f)) && f->wanted(b, r);
}
