/*
 * campaign_words.h - a step of a campaign as the command line of its command.
 *
 * Shape      udpace COMMAND OPTION... -- HOST: the step's keys, then what was given for the
 *            whole campaign and its command knows, last where its results go.
 * Limits     PACE_WORDS_MAX words.
 * Errors     told, with the step and its line; -1.
 * Memory     words are malloced; pace_words_free accepts none.
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
	PACE_WORDS_PLAN,	/* say what would be measured */
	PACE_WORDS_CHECK	/* not even that: say only what is wrong */
};

struct pace_words_cfg {
	enum pace_words_for what;
	const struct pace_cmd *cmd;	/* that of the campaign itself, */
	const void	*given;		/* and its config */
	const char	*file;		/* the steps are from this one */
	const char	*host, *dir;
};

/* The command of a step; NULL: none for a step. */
const struct pace_cmd	*pace_words_command(const struct pace_step *s);

/* Step i of c. */
int	pace_words_make(struct pace_words *w, const struct pace_words_cfg *cfg,
	    const struct pace_campaign *c, size_t i);

/* The one that goes on with a document; skipped: with what was skipped, too. */
int	pace_words_resume(struct pace_words *w, const struct pace_cmd *step, const char *doc,
	    bool quiet, bool skipped);

void	pace_words_free(struct pace_words *w);

/* Run them, or only see that they can be parsed: the exit status. */
int	pace_words_run(struct pace_words *w, const struct pace_cmd *step);
int	pace_words_parse(const struct pace_words *w, const struct pace_cmd *step);

#endif
