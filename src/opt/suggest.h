/*
 * suggest.h - the name that somebody probably meant.
 *
 * Purpose    "did you mean" for options and commands.
 * Rule       fewest edits (insert, delete, replace, swap two neighbours),
 *            upper and lower case alike, at most a third of the longer
 *            name; a beginning of a name counts as one edit, another part
 *            of it as two.  Ties go to the name tried first.
 * Memory     fixed; best is a name that was tried.
 */
#ifndef PACE_OPT_SUGGEST_H
#define PACE_OPT_SUGGEST_H

#include <stddef.h>

struct pace_nearest {
	const char	*text;		/* as given, len bytes of it */
	size_t		len;
	const char	*best;		/* NULL: nothing is near */
	size_t		edits;		/* of best */
};

void	pace_nearest_start(struct pace_nearest *n, const char *text, size_t len);
void	pace_nearest_try(struct pace_nearest *n, const char *name);

#endif
