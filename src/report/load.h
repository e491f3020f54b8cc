/*
 * load.h - what a host's counters say of one point, as rates and shares.
 *
 * Units      per cent of one core's time; 1/s.   NAN: not known.
 */
#ifndef PACE_REPORT_LOAD_H
#define PACE_REPORT_LOAD_H

#include "report/report_data.h"

enum pace_load_part { PACE_LOAD_SOFTIRQ, PACE_LOAD_SYSTEM, PACE_LOAD_USER, PACE_LOAD_PARTS };

/* Of the busiest core: interrupts count as softirq's, nice as user's; steal is nobody's. */
double	pace_load_part(const struct pace_host_load *l, enum pace_load_part part);

/* All but idle and iowait. */
double	pace_load_busy(const struct pace_host_load *l);

#endif
