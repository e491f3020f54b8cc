#include "config.h"

#include "plot/fig.h"

#include <stddef.h>

const struct pace_fig *const pace_figs[] = {
	&pace_fig_spacing,
	&pace_fig_map,
	&pace_fig_network,
	&pace_fig_size,
	&pace_fig_price,
	&pace_fig_cpu,
	&pace_fig_where,
	&pace_fig_counters,
	&pace_fig_latency, &pace_fig_trip_hist, &pace_fig_spectrum, &pace_fig_gaps,
	&pace_fig_spread, &pace_fig_frames, &pace_fig_losses, &pace_fig_distance,
	&pace_fig_time, &pace_fig_clock,
	NULL
};
