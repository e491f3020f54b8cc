/*
 * counters_cores.h - the part of a reading that is about cores.
 *
 * Purpose    private to counters*.c of plat.
 */
#ifndef PACE_PLAT_COUNTERS_CORES_H
#define PACE_PLAT_COUNTERS_CORES_H

#include "core/counters.h"

#define PACE_COUNT_MOST	((INT64_C(1) << 61) - 1)	/* what is above is no count */

void	pace_counters_cores(struct pace_counters *c, const char *root);
/* Without interrupts, which take long on hosts of many cores. */
void	pace_counters_cores_host_sample(struct pace_counters *c, const char *root);

/* Room for one more of an array of n, NULL: none.  It grows by doubling: n is a power
 * of two exactly when it is full. */
void	*pace_counters_grown(void *array, uint32_t n, size_t size);

#endif
