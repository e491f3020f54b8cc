/*
 * threads.h - threads that share the work of a run, each on a core of its own.
 *
 * Purpose    client and server start threads only through struct pace_threads.  plat/thread.c
 *            implements it; the simulation has none, so one thread does everything there.
 * Memory     the implementation allocates a few bytes per thread, and frees them in join.
 * Threads    any; the struct does not change once it is made.
 */
#ifndef PACE_CORE_THREADS_H
#define PACE_CORE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#define PACE_CORES_MAX	64

struct pace_threads {
	uint32_t	n;			/* threads, the caller's included */
	int		core[PACE_CORES_MAX];	/* of each; core[0] is the caller's */
	/* Run work(arg) in a new thread on core[k]; *handle is for join.  0 or -errno. */
	int		(*start)(const struct pace_threads *t, uint32_t k, void (*work)(void *arg),
	    void *arg, void **handle);
	/* Wait until work has returned. */
	void		(*join)(void *handle);
};

/* Return how many threads share so many streams; t NULL: one. */
static inline uint32_t
pace_threads_of(const struct pace_threads *t, uint32_t streams)
{
	return t == NULL || t->n < 2 ? 1 : t->n < streams ? t->n : streams;
}

#endif
