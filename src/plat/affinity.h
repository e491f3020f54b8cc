/*
 * affinity.h - which core a thread runs on.
 *
 * Errors     -errno.   Threads  the calling one.
 */
#ifndef PACE_PLAT_AFFINITY_H
#define PACE_PLAT_AFFINITY_H

/* Keep the calling thread on one core.  -EINVAL when there is no such core,
 * or it is not allowed to this process. */
int	pace_affinity_pin(int cpu);

/* Could it?  Nothing is changed: 0 or -errno. */
int	pace_affinity_try(int cpu);

/* The core that the calling thread is on now, and in *tid, which may be NULL, its number. */
int	pace_affinity_here(int *tid);

/* From now on the calling thread runs wherever the one of that number may, or where it may
 * itself if that is kept on one core, but not on this core.  -ENODEV: nothing would be left,
 * and nothing is changed. */
int	pace_affinity_keep_off(int tid, int cpu);

/* Others that want the core come first, those of the right it had until now, too. */
int	pace_affinity_yield(void);

#endif
