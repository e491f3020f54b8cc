/*
 * suggest.h - find the name that a user probably meant.
 *
 * Purpose    "did you mean" for options and commands.
 * Rule       fewest edits (insert, delete, replace, swap two neighbours),
 *            case ignored, at most a third of the longer name; the beginning
 *            of a name counts as one edit, another part of it as two.  On a
 *            tie the name tried first wins.
 * Memory     fixed; best is a name that was tried.
 */
#ifndef PACE_OPT_SUGGEST_H
#define PACE_OPT_SUGGEST_H

#include <stddef.h>

struct pace_nearest {
	const char	*text;		/* as given, its first len bytes */
	size_t		len;
	const char	*best;		/* NULL: no name is near */
	size_t		edits;		/* of best */
};

void	pace_nearest_start(struct pace_nearest *n, const char *text, size_t len);
void	pace_nearest_try(struct pace_nearest *n, const char *name);

#endif
