/*
 * mutator.h - the common part of the targets' own mutators.
 *
 * Purpose    nearly all random changes of bytes are caught by the outermost check:
 *            JSON's grammar, a header's check, a length.  A mutator parses the
 *            input, changes one part of it and reassembles it, so that the code
 *            behind these checks is reached.
 * Seed       the same input and seed give the same mutation, with every compiler: no two draws in
 *            one expression whose order is open.
 * Size       never more than max bytes; a change that needs more is skipped.
 * Bytes      one mutation in eight is left to libFuzzer's own changes.  With
 *            UDPACE_FUZZ_BYTES in the environment all are, for comparison.
 * Without    libFuzzer, replay.c calls the mutators and makes its own changes of bytes.
 */
#ifndef FUZZ_MUTATOR_H
#define FUZZ_MUTATOR_H

#include "core/splitmix.h"
#include "fuzz.h"

/* libFuzzer's. */
size_t	LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The target's. */
size_t	LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t	LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b,
	    size_t bsize, uint8_t *out, size_t max, unsigned seed);

struct chance {
	uint64_t	state;
};

/* 0 to n - 1; n is not 0. */
static inline size_t
chance_of(struct chance *c, size_t n)
{
	return (size_t)(pace_splitmix64(&c->state) % n);
}

static inline bool
chance_one_in(struct chance *c, size_t n)
{
	return chance_of(c, n) == 0;
}

/* Does libFuzzer make this mutation? */
static inline bool
chance_bytes(struct chance *c)
{
	static int always = -1;

	if (always < 0)
		always = getenv("UDPACE_FUZZ_BYTES") != NULL;
	return always || chance_one_in(c, 8);
}

/* A number where behaviour may change, one beside it, or any. */
static inline int64_t
chance_number(struct chance *c)
{
	static const int64_t ends[] = { 0, 1, 8, 16, 32, 40, 64, 100, 128, 255, 1000, 1472,
	    1500, 9000, 65507, 65535, 1000000, INT32_MAX, UINT32_MAX, 1000000000,
	    INT64_C(60000000000), INT64_C(1) << 40, INT64_C(86400000000000),
	    INT64_C(1) << 53, INT64_C(1) << 60, INT64_C(1) << 62, INT64_MAX };
	uint64_t v = (uint64_t)ends[chance_of(c, sizeof(ends) / sizeof(ends[0]))];

	if (chance_one_in(c, 4))
		v = pace_splitmix64(&c->state) >> chance_of(c, 64);
	v += chance_of(c, 3) - 1;
	return (int64_t)(chance_one_in(c, 4) ? 0 - v : v);
}

/* Near v, or any. */
static inline int64_t
chance_near(struct chance *c, int64_t v)
{
	switch (chance_of(c, 6)) {
	case 0: return (int64_t)((uint64_t)v + 1);
	case 1: return (int64_t)((uint64_t)v - 1);
	case 2: return (int64_t)((uint64_t)v * 2);
	case 3: return v / 2;
	case 4: return (int64_t)(0 - (uint64_t)v);
	default: return chance_number(c);
	}
}

/* Replace the old bytes from at on by n others. Return the new size; without room nothing
 * changes. */
static inline size_t
put_bytes(uint8_t *data, size_t size, size_t max, size_t at, size_t old, const void *bytes, size_t n)
{
	MUST(at <= size && old <= size - at);
	if (size - old + n > max)
		return size;
	memmove(data + at + n, data + at + old, size - at - old);
	if (n > 0)
		memcpy(data + at, bytes, n);
	return size - old + n;
}

#endif
