/*
 * sum.h - sums of what a file says: they stay where they are, and never begin anew.
 *
 * Trust      a size in a header may be any number: some thousand of them reach beyond what
 *            a document holds.  PACE_CAP_SUM_MAX is the largest count there (js.h).
 * Threads    any.
 */
#ifndef PACE_CAP_SUM_H
#define PACE_CAP_SUM_H

#include <stdint.h>

#define PACE_CAP_SUM_MAX	((UINT64_C(1) << 62) - 1)

/* *sum is at most PACE_CAP_SUM_MAX before and after. */
static inline void
pace_cap_sum(uint64_t *sum, uint64_t n)
{
	*sum = n > PACE_CAP_SUM_MAX - *sum ? PACE_CAP_SUM_MAX : *sum + n;
}

#endif
