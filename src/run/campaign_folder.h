/*
 * campaign_folder.h - where the documents of a campaign are.
 *
 * Shape      of every step 01-NAME.json, with .journal behind it while a run of it is not
 *            complete, and 01-NAME.records; campaign.ini, a copy of the file; and
 *            campaign.command, the first command line: --resume depends on nothing else.
 * Errors     told; an exit status.
 * Trust      a folder may come from elsewhere: what is no command line of ours is refused.
 */
#ifndef PACE_RUN_CAMPAIGN_FOLDER_H
#define PACE_RUN_CAMPAIGN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/campaign_file.h"

#define PACE_FOLDER_PATH	(PATH_MAX + 128)	/* of a file in it */

/* When none is given: after the campaign's file, the host and the time. */
void	pace_folder_name(char dir[PATH_MAX], const char *file, const char *host);

/* A file of step i of c, by its end: ".json". */
void	pace_folder_step(char path[PACE_FOLDER_PATH], const char *dir,
	    const struct pace_campaign *c, size_t i, const char *suffix);

/* The copy of the campaign's file. */
void	pace_folder_copy(char path[PACE_FOLDER_PATH], const char *dir);

struct pace_folder {
	const char	*dir, *file;	/* to be made; the campaign */
	bool		force;		/* it may be there: then its steps are removed */
	int		argc;		/* the whole command line */
	char		*const *argv;
};

int	pace_folder_make(const struct pace_folder *f);

/* The first command line, ended by NULL, and each word malloced; NULL: told. */
char	**pace_folder_command(const char *dir, int *argc);
void	pace_folder_command_free(char **argv);

#endif
