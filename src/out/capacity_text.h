/*
 * capacity_text.h - a search for capacity, for people: plan, trials, result.
 *
 * Rule       as in text.h; rates in one unit for the whole search, data and wire.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CAPACITY_TEXT_H
#define PACE_OUT_CAPACITY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/capacity.h"

int	pace_capacity_text_head(FILE *f, const struct pace_result *r,
	    const struct pace_capacity *c, bool utf8);
int	pace_capacity_text_row_head(FILE *f, const struct pace_capacity *c, bool utf8);
/* p: of the trial that c's search asks for, which has not been taken yet. */
int	pace_capacity_text_row(FILE *f, const struct pace_capacity *c,
	    const struct pace_point *p, bool utf8);
/* Nothing when there was no trial. */
int	pace_capacity_text(FILE *f, const struct pace_capacity *c, bool utf8);

#endif
