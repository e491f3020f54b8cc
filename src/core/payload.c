#include "core/payload.h"

#include "core/splitmix.h"

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
		put_be(buf, pace_splitmix64(&seed), 8);
	if (size > 0)
		put_be(buf, pace_splitmix64(&seed), size);
}
