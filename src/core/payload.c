#include "core/payload.h"

static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The first n <= 8 bytes of z, big-endian. */
static void
put_be(uint8_t *p, uint64_t z, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(z >> (56 - 8 * i));
}

void
pace_payload_fill(uint8_t *buf, size_t size, uint64_t seed)
{
	for (; size >= 8; buf += 8, size -= 8)
		put_be(buf, splitmix64(&seed), 8);
	if (size > 0)
		put_be(buf, splitmix64(&seed), size);
}
