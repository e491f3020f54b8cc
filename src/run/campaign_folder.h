/*
 * campaign_folder.h - the folder with the documents of a campaign.
 *
 * Shape      each step has 01-NAME.json, 01-NAME.json.journal while its run is incomplete,
 *            and 01-NAME.records.  campaign.ini is a copy of the campaign's file;
 *            campaign.command is the first command line.  --resume needs nothing else.
 * Errors     an exit status after an error message.
 * Trust      a folder may come from elsewhere: a command line that is not udpace's is
 *            rejected.
 */
#ifndef PACE_RUN_CAMPAIGN_FOLDER_H
#define PACE_RUN_CAMPAIGN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/campaign_file.h"

#define PACE_FOLDER_PATH	(PATH_MAX + 128)	/* length of a path in the folder */

/* Make the default name: the campaign's file, the host and the time. */
void	pace_folder_name(char dir[PATH_MAX], const char *file, const char *host);

/* Make the path of a file of step i of c; suffix: ".json". */
void	pace_folder_step(char path[PACE_FOLDER_PATH], const char *dir,
	    const struct pace_campaign *c, size_t i, const char *suffix);

/* Make the path of a file that belongs to all steps. */
#define PACE_FOLDER_COPY	"campaign.ini"	/* copy of the campaign's file */
void	pace_folder_file(char path[PACE_FOLDER_PATH], const char *dir, const char *name);

struct pace_folder {
	const char	*dir, *file;	/* folder to make; the campaign's file */
	bool		force;		/* an existing folder is accepted, and its steps are
					 * removed */
	int		argc;		/* the whole command line */
	char		*const *argv;
};

int	pace_folder_make(const struct pace_folder *f);

/* Read the first command line: malloced words, NULL at the end.  NULL: an error was printed. */
char	**pace_folder_command(const char *dir, int *argc);
void	pace_folder_command_free(char **argv);

#endif
