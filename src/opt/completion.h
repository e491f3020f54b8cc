/*
 * completion.h - candidates for the last word of a command line, for shells.
 *
 * Purpose    the candidates come from the option tables, so every shell offers the
 *            same; the scripts of `udpace completion` only call this.
 * Output     a line "LEFT WHAT".  LEFT: number of characters of the word that stay as they
 *            are (8 of --stamp=n).  WHAT: the list that the shell adds: file, directory,
 *            hostname, user, or nothing.  Then one line per candidate: the word, a tab,
 *            its meaning.  Candidates are not compared with the word.
 */
#ifndef PACE_OPT_COMPLETION_H
#define PACE_OPT_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "opt/opt.h"

/* Find a command by its name; NULL: no such command. */
const struct pace_cmd	*pace_cmd_find(const char *name);

/* Print the candidates.  argv: the words after "udpace" up to the cursor; the last may be empty.
 * Returns true if the name of a campaign is possible as well; the caller lists these. */
bool	pace_complete(FILE *f, int argc, char **argv);

#endif
