#include "config.h"

#include "report/load.h"

#include <math.h>

static double
total(const struct pace_core_use *u)
{
	double ns = 0;

	for (int i = 0; i < PACE_CPUS; i++)
		ns += (double)u->ns[i];
	return ns;
}

double
pace_load_part(const struct pace_host_load *l, enum pace_load_part part)
{
	static const enum pace_cpu of[PACE_LOAD_PARTS][2] = {
		{ PACE_CPU_SOFTIRQ, PACE_CPU_IRQ },
		{ PACE_CPU_SYSTEM, PACE_CPU_SYSTEM },
		{ PACE_CPU_USER, PACE_CPU_NICE },
	};
	const uint64_t *ns = l->busiest.ns;
	double sum;

	if (!l->has_busiest || !(total(&l->busiest) > 0))
		return NAN;
	sum = (double)ns[of[part][0]];
	if (of[part][1] != of[part][0])
		sum += (double)ns[of[part][1]];
	return 100 * sum / total(&l->busiest);
}

double
pace_load_busy(const struct pace_host_load *l)
{
	const double all = total(&l->busiest);

	if (!l->has_busiest || !(all > 0))
		return NAN;
	return 100 * (all - (double)l->busiest.ns[PACE_CPU_IDLE] -
	    (double)l->busiest.ns[PACE_CPU_IOWAIT]) / all;
}
