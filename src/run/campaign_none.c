/* Built without inih. */
#include "config.h"

#include "run/campaign_file.h"

#include <errno.h>
#include <string.h>

int
pace_campaign_load(struct pace_campaign *c, const char *path, struct pace_err *err)
{
	memset(c, 0, sizeof(*c));
	return pace_failf(err, ENOSYS, "read campaign", "%s: this udpace was built without the "
	    "library that reads campaign files, inih", path);
}

void
pace_campaign_free(struct pace_campaign *c)
{
	(void)c;
}

const char *
pace_step_get(const struct pace_step *s, const char *key)
{
	(void)s;
	(void)key;
	return NULL;
}
