/*
 * affinity.h - which core a thread runs on.
 *
 * Errors     -errno.   Threads  the calling one.
 */
#ifndef PACE_AFFINITY_H
#define PACE_AFFINITY_H

/* Keep the calling thread on one core.  -EINVAL when there is no such core,
 * or it is not allowed to this process. */
int	pace_affinity_pin(int cpu);

/* Could it?  Nothing is changed: 0 or -errno. */
int	pace_affinity_try(int cpu);

/* A core that the calling thread may run on, other than this one (-1: than any); -ENODEV:
 * there is none, or only one in all.  Nothing is changed. */
int	pace_affinity_other(int cpu);

/* Anywhere but there.  -EINVAL: nothing would be left. */
int	pace_affinity_avoid(int cpu);

/* Others that want the core come first. */
int	pace_affinity_yield(void);

#endif
