#include "core/order.h"

#include <string.h>

#include "core/splitmix.h"

/* 0 .. n - 1 */
static uint64_t
below(uint64_t n, uint64_t *state)
{
	uint64_t most = UINT64_MAX - UINT64_MAX % n, z;

	do
		z = pace_splitmix64(state);
	while (z >= most);
	return z % n;
}

static void
swap(unsigned char *a, unsigned char *b, size_t size)
{
	unsigned char t[PACE_SHUFFLE_SIZE];

	memcpy(t, a, size);
	memcpy(a, b, size);
	memcpy(b, t, size);
}

void
pace_shuffle(void *v, size_t n, size_t size, uint64_t seed)
{
	unsigned char *base = v;

	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)below(i, &seed);

		if (k != i - 1)
			swap(base + k * size, base + (i - 1) * size, size);
	}
}
