/*
 * counters_cores.h - the part of a reading that counts the cores' work.
 *
 * Purpose    private to counters*.c of plat.
 */
#ifndef PACE_PLAT_COUNTERS_CORES_H
#define PACE_PLAT_COUNTERS_CORES_H

#include "core/counters.h"

#define PACE_COUNT_MOST	((INT64_C(1) << 61) - 1)	/* what is above is no count */

void	pace_counters_cores(struct pace_counters *c, const char *root);
/* Read all of it except interrupts, which take long to read on hosts with many cores. */
void	pace_counters_cores_host_sample(struct pace_counters *c, const char *root);

/* Make room for one more element in an array of n; NULL: no memory.  The array doubles: it is
 * full exactly when n is a power of two. */
void	*pace_counters_grown(void *array, uint32_t n, size_t size);

#endif
