/*
 * energy.h - the energy that a host used.
 *
 * Domains    the sum includes packages and their memory.  Cores and uncore are
 *            parts of a package, and the platform domain (psys) overlaps with all;
 *            these are reported but not added.
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
	char		why[96];	/* if not known, the reason; "": not requested */
	int		domains;
	struct pace_energy_domain v[PACE_ENERGY_DOMAINS];
	bool		has_idle;
	double		idle_watts;	/* before the run */
};

/* Replace *now by the energy used from *then to *now. */
void	pace_energy_since(struct pace_energy *now, const struct pace_energy *then);

/* The idle power between two readings, the reference for a run; false: the readings
 * are closer than PACE_IDLE_LEAST_NS, or one is not known. */
#define PACE_IDLE_LEAST_NS	INT64_C(4000000000)
bool	pace_energy_idle(const struct pace_energy *now, const struct pace_energy *then,
	    int64_t span_ns, double *watts);

/* The sum over the counted domains. */
double	pace_energy_joules(const struct pace_energy *e);

#endif
