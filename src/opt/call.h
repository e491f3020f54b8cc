/*
 * call.h - run a command with the words of its command line.
 *
 * Purpose    what main does, for commands that run others: demo, campaign.
 * Words      argv[0] is the command's name; all_argv is the whole command line as it is
 *            to stand in documents.
 * Errors     told; the exit status.
 */
#ifndef PACE_OPT_CALL_H
#define PACE_OPT_CALL_H

#include "opt/opt.h"

/* argv is put in another order. */
int	pace_call(const struct pace_cmd *cmd, int argc, char **argv, int all_argc,
	    char **all_argv);

/* Is there anything wrong with them?  Nothing is run. */
int	pace_call_check(const struct pace_cmd *cmd, int argc, char **argv);

#endif
