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
	NULL
};
