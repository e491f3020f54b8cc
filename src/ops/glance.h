/*
 * glance.h - what the host of a responder counts, for the lines of the status socket.
 *
 * Purpose    where frames may die before a session sees them, how busy the cores are,
 *            and what the responder itself costs; cheap enough for each second.
 * Counts     those of the kernel since its start: readers take differences.  Of the
 *            network namespace, but for softnet and cores, which are the machine's.
 * Busiest    of the time between two readings.
 */
#ifndef PACE_GLANCE_H
#define PACE_GLANCE_H

#include "core/counters.h"
#include "doc/js.h"
#include "session/sums.h"

#define PACE_GLANCE_CORES	8	/* told of: the busiest */
#define PACE_GLANCE_INTERFACES	16	/* those that received most */

struct pace_glance {
	struct pace_counters then, now;	/* then: of the reading before; known false: none */
	uint64_t	user_ns, system_ns;	/* of this process */
};

/* The object "counters"; null where nothing was read.  NULL: no memory. */
json_t	*pace_glance_put(const struct pace_glance *g);

/* The same of what a report told: all interfaces as one called "all", nothing of cores. */
json_t	*pace_glance_told(const struct pace_sums *s);

#endif
