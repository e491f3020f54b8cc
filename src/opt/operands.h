/*
 * operands.h - results named on a command line, one by one or by their folder.
 *
 * Purpose    replaces a folder by the results and records in it, sorted by name; an
 *            unfinished run counts by its journal.
 * Memory     malloced; pace_operands_free.
 * Errors     printed; returns an exit status.
 */
#ifndef PACE_OPT_OPERANDS_H
#define PACE_OPT_OPERANDS_H

struct pace_operands {
	int	n;
	char	**v;
};

/* Expand argv into o.  folder: the first folder in argv, NULL: none. */
int	pace_operands_expand(struct pace_operands *o, int argc, char **argv,
	    const char **folder);
void	pace_operands_free(struct pace_operands *o);

#endif
