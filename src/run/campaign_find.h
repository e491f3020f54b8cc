/*
 * campaign_find.h - finds campaigns, those installed with udpace and the user's own.
 *
 * Errors     an exit status after an error message.
 */
#ifndef PACE_RUN_CAMPAIGN_FIND_H
#define PACE_RUN_CAMPAIGN_FIND_H

#include <limits.h>
#include <stdbool.h>

/* Print the installed campaigns.  bare: name, tab, title, for shell completion. */
int	pace_campaign_list(bool bare);

/* Find a campaign, given as a file or as the name of an installed one; return its file.  path:
 * room for the name.  NULL: there is none; the error message names the folder that was searched
 * and its campaigns. */
const char	*pace_campaign_find(const char *given, char path[PATH_MAX]);

#endif
