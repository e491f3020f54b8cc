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
#include <string.h>
#include <unistd.h>

#include "plat/instrumented.h"

/* Check sends a message from the process of the test for each assertion that holds.  That takes half
 * of the time of some tests, and more with sanitizers. */
#define _mark_point(file, line)	((void)0)

#define COUNT_OF(a)	((int)(sizeof(a) / sizeof((a)[0])))

static uint64_t unit_first = 1, unit_state = 1;

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

/* Of a loop test: a turn in a process of its own begins with the same numbers as all others. */
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
unit_begin(void)
{
	unit_state = unit_first;
}

/* Each test begins with the seed, also where all share one process.  Before other fixtures. */
static inline void
unit_seed(TCase *tc)
{
	const char *env = getenv("UDPACE_SEED");

	if (env != NULL)
		unit_first = strtoull(env, NULL, 0);
	printf("UDPACE_SEED=%llu\n", (unsigned long long)unit_first);
	fflush(stdout);
	if (unit_first == 0)
		unit_first = UINT64_MAX;	/* 0 would stay 0 */
	unit_begin();
	tcase_add_checked_fixture(tc, unit_begin, NULL);
}

/* A new file, empty; the last six letters of path become its own. */
static inline void
unit_file(char *path)
{
	int fd;

	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static inline int
unit_run_how(TCase *tc, const char *name, enum fork_status how)
{
	Suite *s = suite_create(name);
	SRunner *sr;
	int failed;

	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_set_fork_status(sr, how);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}

/* Run the tests, each in a process of its own: for those that leave something behind.  Returns the
 * exit status of the test program. */
static inline int
unit_run_apart(TCase *tc, const char *name)
{
	return unit_run_how(tc, name, CK_FORK_GETENV);
}

/* As unit_run_apart; but with sanitizers all in one process, as a process of its own costs more
 * there than most tests. */
static inline int
unit_run(TCase *tc, const char *name)
{
#ifdef PACE_INSTRUMENTED
	return unit_run_how(tc, name, getenv("CK_FORK") != NULL ? CK_FORK_GETENV : CK_NOFORK);
#else
	return unit_run_apart(tc, name);
#endif
}

#endif
