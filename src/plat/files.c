#include "config.h"

#include "plat/files.h"

#include <sys/resource.h>

uint64_t
pace_files_allow(uint64_t wanted)
{
	struct rlimit l = { 0, 0 }, more;

	if (getrlimit(RLIMIT_NOFILE, &l) == -1 || l.rlim_cur >= wanted)
		return l.rlim_cur;
	more = (struct rlimit){ wanted, wanted > l.rlim_max ? wanted : l.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &more) == 0)
		return wanted;
	more.rlim_cur = more.rlim_max = l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &more) == 0 ? l.rlim_max : l.rlim_cur;
}
