/*
 * campaign_find.h - the campaigns that come with udpace, and those that do not.
 *
 * Errors     told; an exit status.
 */
#ifndef PACE_RUN_CAMPAIGN_FIND_H
#define PACE_RUN_CAMPAIGN_FIND_H

#include <limits.h>

/* Print those that come with it. */
int	pace_campaign_list(void);

/* A file, or the name of one of ours: the file.  path: room for its name. */
const char	*pace_campaign_find(const char *given, char path[PATH_MAX]);

#endif
