/*
 * arith.h - counts: the smaller of two, and differences that do not go below 0.
 *
 * Purpose    counters are read at different moments and by several hosts, so that a part may
 *            exceed its whole.  Times of clocks are those of wide_time.h.
 */
#ifndef PACE_CORE_ARITH_H
#define PACE_CORE_ARITH_H

#include <stdint.h>

static inline uint64_t
pace_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* a - b, or 0 if b is larger. */
static inline uint64_t
pace_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

#endif
