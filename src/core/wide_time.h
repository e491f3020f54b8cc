/*
 * wide_time.h - times and offsets of clocks that may be anything.
 *
 * Purpose    sums and differences of 64-bit numbers off the network, without overflow.
 */
#ifndef PACE_CORE_WIDE_TIME_H
#define PACE_CORE_WIDE_TIME_H

#include <stdint.h>

#define PACE_WIDE	((INT64_C(1) << 62) - 1)	/* differences of two still fit */

/* These wrap, where the signed ones would be undefined. */
static inline int64_t
pace_plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t
pace_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* x - zero, held within PACE_WIDE. */
static inline int64_t
pace_wide_difference(int64_t x, int64_t zero)
{
	uint64_t d = x >= zero ? (uint64_t)x - (uint64_t)zero :
	    (uint64_t)zero - (uint64_t)x;
	int64_t held = d > PACE_WIDE ? PACE_WIDE : (int64_t)d;

	return x >= zero ? held : -held;
}

#endif
