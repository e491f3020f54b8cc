/*
 * capacity_text.h - tables of a capacity search, for people: plan, trials, result.
 *
 * Rule       as in text.h; all rates of a search, of data and on the wire, have one unit.
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
/* Print a row for the trial p, which the search of c requested and has not judged yet. */
int	pace_capacity_text_row(FILE *f, const struct pace_capacity *c,
	    const struct pace_point *p, bool utf8);
/* Print the result; prints nothing if there was no trial. */
int	pace_capacity_text(FILE *f, const struct pace_capacity *c, bool utf8);

#endif
