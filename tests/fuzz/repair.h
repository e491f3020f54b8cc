/*
 * repair.h - what no fuzzer guesses, put right when the input asks for it.
 *
 * Purpose    a check over the header, numbers that the other side drew and
 *            a keyed hash stand before all that is worth fuzzing.
 * Random     libsodium draws from a counter here, so that an input does the
 *            same every time.  Call repair_random first in each input.
 */
#ifndef FUZZ_REPAIR_H
#define FUZZ_REPAIR_H

#include <sodium.h>
#include <string.h>

#include "core/cursor.h"
#include "core/wire.h"
#include "fuzz.h"

static uint64_t repair_state;

static inline const char *
repair_random_name(void)
{
	return "counter";
}

static inline uint32_t
repair_random_32(void)
{
	repair_state = repair_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(repair_state >> 32);
}

static inline void
repair_random_buf(void *buf, size_t size)
{
	uint8_t *p = buf;

	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)repair_random_32();
}

static inline void
repair_random(void)
{
	static struct randombytes_implementation counter = {
		.implementation_name = repair_random_name,
		.random = repair_random_32, .buf = repair_random_buf,
	};

	repair_state = 1;
	MUST(randombytes_set_implementation(&counter) == 0);
	MUST(sodium_init() >= 0);
}

static inline void
repair_be64(uint8_t *p, uint64_t v)
{
	struct pace_wr w = { .p = p, .left = 8 };

	pace_wr_be(&w, v, 8);
}

static inline uint64_t
repair_get_be64(const uint8_t *p)
{
	struct pace_rd r = { .p = p, .left = 8 };

	return pace_rd_be(&r, 8);
}

/* Magic, version, flags and check; the other fields stay. */
static inline void
repair_header(uint8_t *buf, size_t len)
{
	struct pace_hdr h;

	if (len < PACE_HDR_SIZE)
		return;
	h = (struct pace_hdr){ .type = buf[3], .stream = buf[5],
	    .session = repair_get_be64(buf + 8), .seq = repair_get_be64(buf + 16),
	    .tx_ns = (int64_t)repair_get_be64(buf + 24) };
	MUST(pace_hdr_encode(buf, len, &h) == PACE_HDR_SIZE);
}

/* Time steps of a byte: 0, or 1 ns to 68 s. */
static inline int64_t
repair_step_ns(uint64_t byte)
{
	return byte == 0 ? 0 : INT64_C(1) << byte % 37;
}

#endif
