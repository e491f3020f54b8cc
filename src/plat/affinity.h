/*
 * affinity.h - choose the core that a thread runs on.
 *
 * Errors     -errno.   Threads  the calling one.
 */
#ifndef PACE_PLAT_AFFINITY_H
#define PACE_PLAT_AFFINITY_H

/* Pin the calling thread to one core.  -EINVAL: there is no such core, or this process may
 * not use it. */
int	pace_affinity_pin(int cpu);

/* Check whether pinning would succeed, without a change: 0 or -errno. */
int	pace_affinity_try(int cpu);

/* The core of the calling thread now; stores its thread id in *tid, if tid is not NULL. */
int	pace_affinity_here(int *tid);

/* Keep the calling thread off a core: it may run on the cores of thread tid, or on its own if
 * tid is pinned, except this one.  -ENODEV: no core would be left; nothing changes. */
int	pace_affinity_keep_off(int tid, int cpu);

/* Lower the thread's priority, so that all other threads come first, including those that had
 * the same priority. */
int	pace_affinity_yield(void);

#endif
