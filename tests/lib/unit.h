/*
 * unit.h - what the unit tests share: random numbers from a printed seed,
 * and running one test case.  UDPACE_SEED in the environment sets the seed.
 */
#ifndef PACE_TEST_UNIT_H
#define PACE_TEST_UNIT_H

#include <check.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(a)	((int)(sizeof(a) / sizeof((a)[0])))

static uint64_t unit_state = 1;

/* Not the generator of payload.c, which is under test. */
static inline uint64_t
unit_rnd(void)				/* xorshift64* */
{
	unit_state ^= unit_state >> 12;
	unit_state ^= unit_state << 25;
	unit_state ^= unit_state >> 27;
	return unit_state * UINT64_C(0x2545f4914f6cdd1d);
}

/* From low to high, both included. */
static inline int64_t
unit_between(int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;

	return (int64_t)((uint64_t)low + (span ? unit_rnd() % span : unit_rnd()));
}

/* Numbers of every magnitude. */
static inline uint64_t
unit_rnd_any_size(void)
{
	return unit_rnd() >> (unit_rnd() & 63);
}

/* Of a loop test: each turn runs in a process of its own, and begins with the same numbers. */
static inline void
unit_turn(int i)
{
	unit_state += (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
	unit_state += unit_state == 0;
	unit_rnd();
}

/* Bytes that malloc gave out; 0: not known. */
static inline size_t
unit_allocated(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

static inline void
unit_seed(void)
{
	const char *env = getenv("UDPACE_SEED");

	if (env != NULL)
		unit_state = strtoull(env, NULL, 0);
	printf("UDPACE_SEED=%llu\n", (unsigned long long)unit_state);
	fflush(stdout);
	if (unit_state == 0)
		unit_state = UINT64_MAX;	/* 0 would stay 0 */
}

/* The exit status of the test program. */
static inline int
unit_run(TCase *tc, const char *name)
{
	Suite *s = suite_create(name);
	SRunner *sr;
	int failed;

	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}

#endif
