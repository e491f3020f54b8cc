/*
 * opt_typed.h - print a quantity as a user types it.
 *
 * Units      base units of core/units.h.   Memory  none.   Threads  any.
 */
#ifndef PACE_OPT_OPT_TYPED_H
#define PACE_OPT_OPT_TYPED_H

#include "core/units.h"

/*
 * Write a value in base units as a user types it: 2s, 16M, 400G, 0.1%.  Exact:
 * pace_parse gives the value back.
 */
char	*pace_opt_typed(enum pace_unit unit, int64_t v, char *buf, size_t size);

#endif
