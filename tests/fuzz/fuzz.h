/*
 * fuzz.h - what every fuzz target needs.
 *
 * Purpose    a target is one function of bytes: libFuzzer invents the bytes,
 *            replay.c reads them from files.  Nothing else differs.
 * Sums       replay.c compares a sum of what the code under test makes of an input.
 * Errors     a failed check aborts, with its text on stderr.
 * Memory     a parser gets its input in a heap block of the exact size; bytes that a
 *            receive call did not fill are poisoned.  So the address sanitizer sees
 *            every read beyond the data that arrived.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(claim)	((claim) ? (void)0 : fuzz_broken(#claim, __FILE__, __LINE__))

static inline void
fuzz_broken(const char *claim, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, claim);
	abort();
}

/* replay.c's; libFuzzer has none. */
#pragma weak replay_sum
void	replay_sum(const char *what, const void *p, size_t size);

/* Add a result of the code under test to the sum of the input. */
static inline void
fuzz_sum(const char *what, const void *p, size_t size)
{
	if (replay_sum != NULL)
		replay_sum(what, p, size);
}

#if defined __SANITIZE_ADDRESS__
# define FUZZ_ASAN 1
#elif defined __has_feature
# if __has_feature(address_sanitizer)
#  define FUZZ_ASAN 1
# endif
#endif

#ifdef FUZZ_ASAN
# include <sanitizer/asan_interface.h>
# define FUZZ_HIDE(p, n)	__asan_poison_memory_region((p), (n))
# define FUZZ_SHOW(p, n)	__asan_unpoison_memory_region((p), (n))
#else
# define FUZZ_HIDE(p, n)	((void)(p), (void)(n))
# define FUZZ_SHOW(p, n)	((void)(p), (void)(n))
#endif

/* A copy at the very end of its memory block. */
static inline void *
fuzz_exact(const void *data, size_t size)
{
	void *copy = calloc(1, size > 0 ? size : 1);

	MUST(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

/* Text as in a document or a reply; takes j, never NULL. */
static inline char *
fuzz_text(json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12));

	MUST(text != NULL);
	json_decref(j);
	return text;
}

/* Figures as in sim/sums.c, which are the same with every compiler; takes j. */
static inline void
fuzz_sum_json(const char *what, json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));

	fuzz_sum(what, text, text != NULL ? strlen(text) : 0);
	free(text);
	json_decref(j);
}

static inline json_t *
fuzz_parse(const char *text)
{
	return json_loads(text, JSON_REJECT_DUPLICATES, NULL);
}

#endif
