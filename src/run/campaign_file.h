/*
 * campaign_file.h - reads a campaign from a file: steps, each a command with its options.
 *
 * Shape      INI.  [campaign] has title and about.  Each other section is a step, in the
 *            order of the file; the section's name (letters, digits, '-', '_') is the
 *            step's.  In a step, `command` names a command of udpace (default: throughput)
 *            and each other key is one of its long options; a flag is `yes` or `no`.  A
 *            line that begins with a blank continues the value before it; ';' and '#'
 *            begin comments.
 * Parser     inih; without it no file can be read, and the error message says so.
 * Errors     -errno, with a message and its line number in err.
 * Memory     malloced; pace_campaign_free also accepts a campaign that was never loaded.
 * Trust      the file may come from elsewhere and contain anything.  Step names become
 *            file names.
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
	int	line;		/* of the file, where the step begins */
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

/* Return the value of a key; NULL: the step does not have it. */
const char	*pace_step_get(const struct pace_step *s, const char *key);

#endif
