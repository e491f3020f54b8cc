/*
 * operands.h - results named on a command line, one by one or by their folder.
 *
 * Purpose    a folder stands for the results and records in it, by name; also for the
 *            journal of one that was not finished.
 * Memory     malloced; pace_operands_free.
 * Errors     told: an exit status.
 */
#ifndef PACE_OPT_OPERANDS_H
#define PACE_OPT_OPERANDS_H

struct pace_operands {
	int	n;
	char	**v;
};

/* folder: the first one among them, NULL: none; points into argv. */
int	pace_operands_expand(struct pace_operands *o, int argc, char **argv,
	    const char **folder);
void	pace_operands_free(struct pace_operands *o);

#endif
