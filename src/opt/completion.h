/*
 * completion.h - what a shell can offer behind a word of udpace's command line.
 *
 * Purpose    one reading of the option tables for all shells; the scripts name the
 *            same things in each shell's own way.
 */
#ifndef PACE_OPT_COMPLETION_H
#define PACE_OPT_COMPLETION_H

#include <stdio.h>

#include "opt/opt.h"

enum pace_offer {
	PACE_OFFER_NOTHING,	/* a number, a text: nobody can guess it */
	PACE_OFFER_WORDS,	/* those of struct pace_offered */
	PACE_OFFER_FILES,
	PACE_OFFER_FOLDERS,
	PACE_OFFER_HOSTS,
	PACE_OFFER_USERS,
	PACE_OFFER_DEVICES,	/* network interfaces */
	PACE_OFFER_CAMPAIGNS	/* names of those that come with udpace, or files */
};

struct pace_offered {
	enum pace_offer	what;
	char		words[256];	/* with spaces between them; of FILES: besides them */
};

/* Behind an option that takes a value. */
struct pace_offered	pace_offer_value(const struct pace_opt *o);

/* For the operands of a command. */
struct pace_offered	pace_offer_operand(const struct pace_cmd *cmd);

/* Words that one operand is of, and what the next one is then. */
#define PACE_VERBS_MAX	4
struct pace_verb {
	char		name[16];
	enum pace_offer	behind;
};

/* How many; 0: the operands begin with no words. */
int	pace_offer_verbs(const struct pace_cmd *cmd, struct pace_verb v[PACE_VERBS_MAX]);

/* The scripts, from pace_cmds. */
void	pace_completion_bash(FILE *f);
void	pace_completion_zsh(FILE *f);
void	pace_completion_fish(FILE *f);

#endif
