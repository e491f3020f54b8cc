/*
 * host_sample.h - what a host counts, for the status of what goes on there.
 *
 * Purpose    where frames may die before a session sees them, how busy the cores are,
 *            and what the responder itself costs; cheap enough for each second.
 * Counts     those of the kernel since its start: readers take differences.  Of the
 *            network namespace, but for softnet and cores, which are the machine's.
 * Busiest    of the time between two readings.
 */
#ifndef PACE_LIVE_HOST_SAMPLE_H
#define PACE_LIVE_HOST_SAMPLE_H

#include "core/counters.h"
#include "doc/js.h"
#include "proto/host_counters.h"

#define PACE_HOST_SAMPLE_CORES	8	/* told of: the busiest */
#define PACE_HOST_SAMPLE_INTERFACES	16	/* those that received most */

struct pace_host_sample {
	struct pace_counters then, now;	/* then: of the reading before; known false: none */
	uint64_t	user_ns, system_ns;	/* of this process */
	int64_t		at_ns;		/* when it was looked at */
};

struct pace_host_status {
	bool		known;
	bool		reported;	/* all interfaces are one called "all", cores are not known */
	struct pace_host_counters sums;		/* NIC and NIC_LOST: of the interfaces below */
	uint64_t	user_ns, system_ns;	/* CPU time of the responder */
	uint64_t	cores;
	int		busiest;	/* so many */
	struct { uint64_t core; double busy, softirq; } core[PACE_HOST_SAMPLE_CORES];	/* of 1, NAN: not known */
	int		interfaces;	/* so many */
	struct pace_if_use interface[PACE_HOST_SAMPLE_INTERFACES];
};

/* Look again, unless that was done within a second. */
const struct pace_host_sample	*pace_host_sample_at(struct pace_host_sample *g, const char *root, int64_t now_ns);
void	pace_host_sample_free(struct pace_host_sample *g);

void	pace_host_fill(struct pace_host_status *h, const struct pace_host_sample *g);
/* Of what a report has. */
void	pace_host_reported(struct pace_host_status *h, const struct pace_host_counters *s);

/* The errors count those for want of room in the ring again, in most drivers. */
uint64_t	pace_if_rx_lost(const struct pace_if_use *u);

/* The object "counters", null: not known.  NULL: no memory. */
json_t	*pace_host_json(const struct pace_host_status *h);
/* False: it is no such object. */
bool	pace_host_read(struct pace_host_status *h, const json_t *o);

#endif
