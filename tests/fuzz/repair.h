/*
 * repair.h - corrects what no fuzzer guesses, when the input asks for it.
 *
 * Purpose    a check of the header, the other side's random numbers and a keyed hash
 *            protect all the code that is worth fuzzing.
 * Random     libsodium draws from a counter here, so that an input does the same
 *            every time.  Call repair_random first in each input.
 */
#ifndef FUZZ_REPAIR_H
#define FUZZ_REPAIR_H

#include <string.h>

#include "core/cursor.h"
#include "core/wire.h"
#include "fuzz.h"
#include "lib/counter.h"

static inline void
repair_random(void)
{
	MUST(counter_begin(1) == 0);
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

/* How many bytes of a datagram without a trailer the check covers; more than len: it has no
 * check. */
static inline size_t
repair_covered(const uint8_t *buf, size_t len)
{
	if (len < PACE_HDR_SIZE)
		return PACE_HDR_SIZE;
	if ((buf[3] & ~PACE_REPLY) == PACE_PING)
		return len >= PACE_PROOF_SIZE ? PACE_PROOF_SIZE : PACE_PING_SIZE;
	if (buf[3] == PACE_FRAME_DOWN && len >= PACE_DOWN_SIZE)
		return PACE_DOWN_SIZE;
	if ((buf[3] & ~PACE_REPLY) == PACE_DATA)
		return len >= PACE_DATA_SIZE ? PACE_DATA_SIZE : PACE_HDR_SIZE;
	return len <= PACE_CONTROL_ROOM ? len : len + 1;
}

/* Magic, version, flags and check, as wire.h has it; the other fields stay. */
static inline void
repair_header(uint8_t *buf, size_t len)
{
	size_t end = repair_covered(buf, len);
	struct pace_wr check = { .p = buf + 6, .left = 2 };
	uint64_t sum = 0;

	if (len < end)
		return;
	buf[0] = PACE_WIRE_MAGIC >> 8;
	buf[1] = PACE_WIRE_MAGIC & 0xff;
	buf[2] = PACE_WIRE_VERSION;
	buf[4] = buf[6] = buf[7] = 0;
	for (size_t i = 0; i < end; i++)
		sum += (i / 2 + 1) * (uint64_t)(i % 2 == 0 ? buf[i] << 8 : buf[i]);
	pace_wr_be(&check, 1 + sum % 65521, 2);
}

/* The time step of a byte: 0, or 1 ns to 68 s. */
static inline int64_t
repair_step_ns(uint64_t byte)
{
	return byte == 0 ? 0 : INT64_C(1) << byte % 37;
}

#endif
