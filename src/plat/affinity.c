#include "config.h"

#include "plat/affinity.h"

#include <errno.h>
#include <sched.h>

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
