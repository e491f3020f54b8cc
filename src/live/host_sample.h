/*
 * host_sample.h - samples a host's counters for the status.
 *
 * Purpose    shows where frames may be lost before a session receives them, the load of the
 *            cores, and the cost of the responder; cheap enough for one sample per second.
 * Counts     are the kernel's, since its start: readers use differences.  They belong to the
 *            network namespace, except softnet and cores, which belong to the machine.
 * Busiest    cores by their load between two samples.
 */
#ifndef PACE_LIVE_HOST_SAMPLE_H
#define PACE_LIVE_HOST_SAMPLE_H

#include "core/counters.h"
#include "doc/field.h"
#include "proto/host_counters.h"

#define PACE_HOST_SAMPLE_CORES	8	/* cores reported: the busiest */
#define PACE_HOST_SAMPLE_INTERFACES	16	/* interfaces reported: those that received most */

struct pace_host_sample {
	struct pace_counters then, now;	/* then: the previous sample; known false: none */
	uint64_t	user_ns, system_ns;	/* of this process */
	int64_t		at_ns;		/* time of the sample */
};

struct pace_host_status {
	bool		known;
	bool		reported;	/* from a report: one interface "all" for all, cores not
					 * known */
	struct pace_host_counters sums;		/* NIC and NIC_LOST: sums over the interfaces
						 * below */
	uint64_t	user_ns, system_ns;	/* CPU time of the responder */
	uint64_t	cores;
	int		busiest;	/* entries of core[] */
	struct pace_core_status {
		uint64_t	core;
		double		busy, softirq;	/* from 0 to 1; NAN: not known */
	} core[PACE_HOST_SAMPLE_CORES];
	int		interfaces;	/* entries of interface[] */
	struct pace_if_use interface[PACE_HOST_SAMPLE_INTERFACES];
};

/* Take a sample unless the last one is less than about a second old. */
const struct pace_host_sample	*pace_host_sample_at(struct pace_host_sample *g, const char *root,
    int64_t now_ns);
void	pace_host_sample_free(struct pace_host_sample *g);

void	pace_host_fill(struct pace_host_status *h, const struct pace_host_sample *g);
/* Fill h from the counters of a report. */
void	pace_host_reported(struct pace_host_status *h, const struct pace_host_counters *s);

extern const struct pace_fields pace_host_status_fields;	/* of the object "counters" */

#endif
