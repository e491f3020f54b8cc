/*
 * splitmix.h - numbers that look random, the same ones from the same seed.
 *
 * Purpose    the pattern of payloads, the order of a shuffled plan.
 * Trust      nothing secret may come from here.
 * Source     splitmix64 (Steele, Lea, Flood 2014).
 */
#ifndef PACE_CORE_SPLITMIX_H
#define PACE_CORE_SPLITMIX_H

#include <stdint.h>

static inline uint64_t
pace_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
