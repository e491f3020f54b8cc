/*
 * sum.h - a sum of results, for comparison with one that was recorded.  The same bytes in another order,
 * or divided in another way, have another sum.
 */
#ifndef TESTS_SUM_H
#define TESTS_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
sum_add(uint64_t h, const void *buf, size_t len)
{
	const uint8_t *p = buf;
	uint64_t word = len;

	for (;;) {
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
		if (len == 0)
			return h;
		word = 0;
		memcpy(&word, p, len < sizeof(word) ? len : sizeof(word));
		p += len < sizeof(word) ? len : sizeof(word);
		len -= len < sizeof(word) ? len : sizeof(word);
	}
}

/* Elsewhere a compiler may multiply and add in one step, which rounds once. */
#ifdef __x86_64__
#define SUM_SAME_FIGURES	1
#else
#define SUM_SAME_FIGURES	0
#endif

#endif
