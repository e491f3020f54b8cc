/* Built without inih. */
#include "config.h"

#include "daemon/policy_file.h"

#include <errno.h>

int
pace_policy_load(struct pace_policy *p, const char *path, struct pace_err *err)
{
	pace_policy_built_in(p);
	return pace_failf(err, ENOSYS, "read policy", "%s: this udpace was built without the "
	    "library that reads policy files, inih", path);
}
