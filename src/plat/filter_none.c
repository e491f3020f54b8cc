/* Built without libseccomp. */
#include "config.h"

#include "plat/filter.h"

#include <errno.h>

const char *
pace_filter_lacks(void)
{
	return "built without libseccomp";
}

int
pace_filter_enter(bool unlinks, struct pace_err *err)
{
	(void)unlinks;
	return pace_failf(err, ENOSYS, "seccomp", "%s", pace_filter_lacks());
}
