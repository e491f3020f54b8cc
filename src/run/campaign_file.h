/*
 * campaign_file.h - a campaign: steps, each a command with its options, from a file.
 *
 * Shape      INI.  [campaign] has title and about; every other section is a step, in
 *            the order of the file, its name that of the section (letters, digits, '-',
 *            '_').  In a step `command` names a command of udpace (throughput, when it
 *            is missing) and every other key is one of its long options; a flag is
 *            `yes` or `no`.  A line that begins with a blank goes on with the value
 *            before it; ';' and '#' begin comments.
 * Parser     inih; without it no file can be read, and the message says so.
 * Errors     -errno, words with the line in err.
 * Memory     malloced; pace_campaign_free accepts what was never loaded.
 * Trust      a file from elsewhere may hold anything: names become names of files.
 */
#ifndef PACE_RUN_CAMPAIGN_FILE_H
#define PACE_RUN_CAMPAIGN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

#define PACE_STEPS_MAX	99
#define PACE_STEP_NAME	40

struct pace_setting {
	char	*key, *value;
};

struct pace_step {
	char	name[PACE_STEP_NAME];
	char	*command;	/* NULL: throughput */
	int	line;		/* where it begins */
	size_t	n;
	struct pace_setting *v;
};

struct pace_campaign {
	char	*title, *about;	/* NULL: not given */
	size_t	n;
	struct pace_step *steps;
};

int	pace_campaign_load(struct pace_campaign *c, const char *path, struct pace_err *err);
void	pace_campaign_free(struct pace_campaign *c);

/* NULL: it is not in the step. */
const char	*pace_step_get(const struct pace_step *s, const char *key);

#endif
