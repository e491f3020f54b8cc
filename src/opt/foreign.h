/*
 * foreign.h - options and commands of other tools, and their counterparts here.
 *
 * Purpose    a user who types -R or --parallel by habit learns the option that does the same,
 *            or why there is no such option.  Similar letters do not count: -P is not --size,
 *            although -p is.
 * Source     iperf3(1), iperf(1), nuttcp(8), netperf(1), sockperf(3), owping(1), ping(8).
 */
#ifndef PACE_OPT_FOREIGN_H
#define PACE_OPT_FOREIGN_H

#include "opt/opt.h"

struct pace_foreign {
	const struct pace_opt *ours;	/* the command's option that does the same; NULL: none */
	const char	*text;		/* hint on ours, or why there is no such option; or NULL */
};

/* Look up word, "-R" or "--reverse", of len bytes; cmd NULL: it stands before the command.
 * False: no other tool is known to have it, or there is no hint for cmd. */
bool	pace_foreign_option(const struct pace_cmd *cmd, const char *word, size_t len,
	    struct pace_foreign *f);

/* Return our command for the name of another tool or of its command; NULL: none. */
const char	*pace_foreign_command(const char *word);

#endif
