/*
 * stall.h - how long the sending thread was kept from running, by cause.
 *
 * Purpose    distinguish another process on the same core from the hypervisor.
 * Exact      the time that the thread was ready but had no core (the kernel's run
 *            delay), and the throttling by its control group.
 * Bounds     steal and interrupts are the core's: the thread may have slept during
 *            some of that time.  If the thread changed its core, they are the sums
 *            over all cores.
 * Processes  the ones with the most CPU time among those last seen on the thread's core.
 * Units      ns; -1: not known.   Memory  fixed.
 * Source     proc_pid_stat(5), Documentation/scheduler/sched-stats.rst of the kernel.
 */
#ifndef PACE_CORE_STALL_H
#define PACE_CORE_STALL_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_TASKS	3

struct pace_task {
	char		comm[16];
	int64_t		pid, cpu_ns;	/* 0: end of the list */
};

struct pace_stall_causes {
	bool		known;		/* false: not measured */
	int		core;		/* -1: the thread changed it */
	int64_t		waited_ns, throttled_ns, steal_ns, irq_ns;
	struct pace_task task[PACE_TASKS];	/* largest first */
};

#endif
