/*
 * call.h - run a command with the words of its command line.
 *
 * Purpose    does the work of main for commands that run others: demo, campaign.
 * Words      argv[0] is the command's name; all_argv is the whole command line as
 *            documents record it.
 * Errors     printed; returns the exit status.
 */
#ifndef PACE_OPT_CALL_H
#define PACE_OPT_CALL_H

#include "opt/opt.h"

/* Run cmd; permutes argv.  all_argv NULL: only check the words and print what is wrong, run
 * nothing. */
int	pace_call(const struct pace_cmd *cmd, int argc, char **argv, int all_argc,
	    char **all_argv);

#endif
