/*
 * counter.h - in place of libsodium's random bytes, bytes that are the same in every run: what a test
 * or an input does, it does again.  Threads that draw at once may get the same bytes.
 */
#ifndef PACE_TEST_COUNTER_H
#define PACE_TEST_COUNTER_H

#include <sodium.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static _Atomic uint64_t counter_state;

static inline const char *
counter_name(void)
{
	return "counter";
}

static inline uint32_t
counter_32(void)
{
	uint64_t next = atomic_load(&counter_state) * UINT64_C(6364136223846793005) +
	    1442695040888963407;

	atomic_store(&counter_state, next);
	return (uint32_t)(next >> 32);
}

static inline void
counter_buf(void *buf, size_t size)
{
	uint8_t *p = buf;

	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)counter_32();
}

/* 0, or -1. */
static inline int
counter_begin(uint64_t seed)
{
	static struct randombytes_implementation counter = {
		.implementation_name = counter_name, .random = counter_32, .buf = counter_buf,
	};

	if (randombytes_set_implementation(&counter) != 0 || sodium_init() < 0)
		return -1;
	atomic_store(&counter_state, seed);	/* sodium_init draws, the first time */
	return 0;
}

#endif
