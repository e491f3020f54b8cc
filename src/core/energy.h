/*
 * energy.h - the energy a host used; the shape, and what follows from it.
 *
 * Domains    packages and their memory are counted; cores and uncore lie within
 *            a package, the platform's (psys) overlaps with all: these are told,
 *            not added.
 * Units      joules, ns, watts.   Memory  none.   Threads  any.
 * Source     Documentation/power/powercap of the kernel (RAPL).
 */
#ifndef PACE_CORE_ENERGY_H
#define PACE_CORE_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_ENERGY_DOMAINS	32

struct pace_energy_domain {
	char	name[24];
	bool	counted;
	double	joules;
};

struct pace_energy {
	bool		known;
	char		why[96];	/* not known: the reason; "": nobody asked */
	int		domains;
	struct pace_energy_domain v[PACE_ENERGY_DOMAINS];
	bool		has_idle;
	double		idle_watts;	/* before the run */
};

/* *now becomes what was used since *then. */
void	pace_energy_since(struct pace_energy *now, const struct pace_energy *then);

/* The power between two readings, which a run is compared with; false: they are
 * closer than PACE_IDLE_LEAST_NS, or one is not known. */
#define PACE_IDLE_LEAST_NS	INT64_C(4000000000)
bool	pace_energy_idle(const struct pace_energy *now, const struct pace_energy *then,
	    int64_t span_ns, double *watts);

/* Of the domains that count. */
double	pace_energy_joules(const struct pace_energy *e);

#endif
