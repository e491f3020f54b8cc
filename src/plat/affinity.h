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

#endif
