/* Built without libmicrohttpd. */
#include "config.h"

#include "daemon/scrape.h"

#include <errno.h>

int
pace_scrape_check(const char *where, struct pace_err *err)
{
	(void)where;
	return pace_failf(err, ENOSYS, "metrics", "this udpace was built without the library that "
	    "serves them, libmicrohttpd");
}

int
pace_scrape_open(struct pace_scrape **s, const char *where, const struct pace_scrape_cfg *cfg,
    struct pace_err *err)
{
	(void)cfg;
	*s = NULL;
	return pace_scrape_check(where, err);
}

int
pace_scrape_begin(struct pace_scrape *s)
{
	(void)s;
	return 0;
}

void
pace_scrape_close(struct pace_scrape *s)
{
	(void)s;
}
