/*
 * thread.h - start threads that block all signals.
 */
#ifndef PACE_PLAT_THREAD_H
#define PACE_PLAT_THREAD_H

#include <pthread.h>

#include "core/threads.h"

/*
 * Starts run(arg) with every signal blocked.  Returns 0 or -errno (then *thread is
 * undefined).
 */
int	pace_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

/* Set the functions of *t, whose cores the caller has set: its threads are such threads, each
 * pinned to its core. */
void	pace_threads_init(struct pace_threads *t);

/* Use no huge pages in this process: they would make memory resident that is mostly untouched
 * (core/sparse.h). */
void	pace_thread_small_pages(void);

#endif
