/*
 * stall.h - find the causes that kept a thread from running: /proc before and after.
 *
 * Purpose    fills struct pace_stall_causes: run delay, quota, steal and interrupts of the
 *            core, and the processes that ran there.
 * Cost       each reading opens one small file a process: 2 ms on a host with 100 of them.
 * Root       see root.h.
 * Memory     one entry a process, freed by pace_stall_free; without memory no process is
 *            named.
 * Threads    the observed thread itself calls begin and end.
 */
#ifndef PACE_PLAT_STALL_H
#define PACE_PLAT_STALL_H

#include <stddef.h>

#include "core/counters.h"
#include "core/stall.h"

struct pace_seen_task {
	uint64_t	pid, start, cpu_ns;	/* since its start */
	int64_t		core;
	char		comm[16];
};

struct pace_stall_look {
	int		core;
	int64_t		waited_ns, throttled_ns;
	struct pace_counters cores;
	size_t		n;
	struct pace_seen_task *v;
};

/* root NULL: no figures of other processes or of the host. */
void	pace_stall_begin(struct pace_stall_look *l, const char *root);

/* Compute the causes since begin, and free begin's memory. */
void	pace_stall_end(struct pace_stall_look *l, const char *root, struct pace_stall_causes *c);

/* Idempotent. */
void	pace_stall_free(struct pace_stall_look *l);

#endif
