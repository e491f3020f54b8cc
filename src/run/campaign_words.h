/*
 * campaign_words.h - makes the command line of one step of a campaign.
 *
 * Shape      udpace COMMAND OPTION... -- HOST: first the step's keys, then those options of
 *            the campaign that the step's command also has, last the outputs.
 * Limits     PACE_WORDS_MAX words.
 * Errors     -1 after an error message with the step and its line.
 * Memory     words are malloced; pace_words_free also accepts an empty list.
 */
#ifndef PACE_RUN_CAMPAIGN_WORDS_H
#define PACE_RUN_CAMPAIGN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "opt/opt.h"
#include "run/campaign_file.h"

#define PACE_WORDS_MAX	128

struct pace_words {
	int	n;
	char	*v[PACE_WORDS_MAX + 1];
};

enum pace_words_for {
	PACE_WORDS_MEASURE,
	PACE_WORDS_PLAN,	/* print the plan of the step */
	PACE_WORDS_CHECK	/* print only its errors */
};

struct pace_words_cfg {
	enum pace_words_for what;
	const struct pace_cmd *cmd;	/* the campaign command, */
	const void	*given;		/* and its parsed options */
	const char	*file;		/* file that the steps were read from */
	const char	*host, *dir;
};

/* Find the command of a step; NULL: no such command, or not one for steps. */
const struct pace_cmd	*pace_words_command(const struct pace_step *s);

/* Make the command line of step i of c. */
int	pace_words_make(struct pace_words *w, const struct pace_words_cfg *cfg,
	    const struct pace_campaign *c, size_t i);

/* Make the command line that resumes the run of a document.  skipped: also measure the points
 * that were skipped. */
int	pace_words_resume(struct pace_words *w, const struct pace_cmd *step, const char *doc,
	    bool quiet, bool skipped);

void	pace_words_free(struct pace_words *w);

/* Run a command line (check: only parse it); return the exit status. */
int	pace_words_run(struct pace_words *w, const struct pace_cmd *step, bool check);

#endif
