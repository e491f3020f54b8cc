/*
 * sum.h - sums of any numbers from a file, which saturate and never wrap.
 *
 * Trust      a size in a header may be any number, so that some thousand of them exceed the
 *            largest count of a document, PACE_CAP_SUM_MAX (js.h).
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
