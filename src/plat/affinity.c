#include "config.h"

#include "plat/affinity.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LESS_NICE	10	/* added */
#define LEAST_NICE	19

int
pace_affinity_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == -1 ? -errno : 0;
}

int
pace_affinity_try(int cpu)
{
	cpu_set_t before;
	int rc;

	if (sched_getaffinity(0, sizeof(before), &before) == -1)
		return -errno;
	rc = pace_affinity_pin(cpu);
	if (rc == 0 && sched_setaffinity(0, sizeof(before), &before) == -1)
		rc = -errno;
	return rc;
}

int
pace_affinity_here(int *tid)
{
	int cpu = sched_getcpu();

	if (tid != NULL)
		*tid = (int)syscall(SYS_gettid);
	return cpu < 0 ? -errno : cpu;
}

int
pace_affinity_keep_off(int tid, int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(tid, sizeof(set), &set) == -1)
		return -EINVAL;
	if (CPU_COUNT(&set) < 2 && sched_getaffinity(0, sizeof(set), &set) == -1)
		return -errno;
	CPU_CLR((size_t)cpu, &set);
	if (CPU_COUNT(&set) == 0)
		return -ENODEV;
	return sched_setaffinity(0, sizeof(set), &set) == -1 ? -errno : 0;
}

int
pace_affinity_yield(void)
{
	id_t tid = (id_t)syscall(SYS_gettid);
	int now;

	errno = 0;
	now = getpriority(PRIO_PROCESS, tid);
	if (now == -1 && errno != 0)
		return -errno;
	now = now + LESS_NICE < LEAST_NICE ? now + LESS_NICE : LEAST_NICE;
	return setpriority(PRIO_PROCESS, tid, now) == -1 ? -errno : 0;
}
