/*
 * stall.h - what kept the sending thread from running, in amounts.
 *
 * Purpose    the figures that tell a process on the same core from a hypervisor.
 * Exact      the time that the thread was ready and had no core (the kernel's run
 *            delay), and the quota of its control group.
 * Bounds     steal and interrupts are those of the core: some of that time the thread
 *            slept.  A thread that changed its core has those of all cores.
 * Processes  those with the most time of a core among those last seen on the thread's.
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
	int64_t		pid, cpu_ns;	/* 0: there is no more */
};

struct pace_stall_causes {
	bool		known;		/* else nothing was asked for */
	int		core;		/* -1: the thread changed it */
	int64_t		waited_ns, throttled_ns, steal_ns, irq_ns;
	struct pace_task task[PACE_TASKS];	/* largest first */
};

#endif
