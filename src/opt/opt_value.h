/*
 * opt_value.h - values of options: their ranges and their meaning.
 *
 * Purpose    converts a text into the field of the config struct that its row
 *            names, and a row into the words "32 to 65507 bytes".
 * Errors     -1; why receives the text after "--name: ": the text given, what
 *            is wrong with it and the allowed values, as a user types them.
 * Printing   none: opt.c does it.
 */
#ifndef PACE_OPT_OPT_VALUE_H
#define PACE_OPT_OPT_VALUE_H

#include "opt/opt.h"

#define PACE_WHY_SIZE	320

/* Set the row's field in cfg; it may be half-set after a mistake. */
int	pace_opt_set(const struct pace_opt *o, void *cfg, const char *text,
	    char *why, size_t size);

/* Write the range: "32 to 65507 bytes", "1 or more"; "" if there is no range. */
void	pace_opt_range(const struct pace_opt *o, char *buf, size_t size);

#endif
