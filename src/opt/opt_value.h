/*
 * opt_value.h - what may stand behind an option, and what it means.
 *
 * Purpose    one row and one text to one field of the config struct; the
 *            same row to the words "32 to 65507 bytes".
 * Errors     -1 and, in why, what follows "--name: ": the text given, what
 *            is wrong with it and what is allowed, as one would type it.
 * Printing   none: opt.c does it.
 */
#ifndef PACE_OPT_OPT_VALUE_H
#define PACE_OPT_OPT_VALUE_H

#include "opt/opt.h"

#define PACE_WHY_SIZE	320

/* Set the row's field in cfg; it may be half-set after a mistake. */
int	pace_opt_set(const struct pace_opt *o, void *cfg, const char *text,
	    char *why, size_t size);

/* "32 to 65507 bytes", "1 or more"; "" for what has no range. */
void	pace_opt_range(const struct pace_opt *o, char *buf, size_t size);

/*
 * A value in base units as one would type it: 2s, 16M, 400G, 0.1%.  Exact:
 * pace_parse gives it back.
 */
char	*pace_opt_typed(enum pace_unit unit, int64_t v, char *buf, size_t size);

#endif
