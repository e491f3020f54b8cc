/*
 * opt_meant.h - the intended value of a rejected one, if that is clear.
 *
 * Purpose    "1gbit" is rejected with "write 1G": only the strict spellings of core/units.h
 *            are accepted, and the user need not search for them.
 * Errors     NULL: the intended value is not clear.
 */
#ifndef PACE_OPT_OPT_MEANT_H
#define PACE_OPT_OPT_MEANT_H

#include "opt/opt.h"

/* For one quantity that pace_parse rejects: return the whole text to write, or NULL. */
const char	*pace_opt_meant(enum pace_unit unit, const char *text, char *buf, size_t size);

/* For a range of a list (it has a ':'): return what is wrong and what to write, or NULL. */
const char	*pace_opt_range_meant(enum pace_unit unit, const char *text, char *buf,
    size_t size);

#endif
