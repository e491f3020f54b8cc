/*
 * report_parts.h - private to report*.c: the parts of a report that are asked for.
 *
 * Bins       a list [below, code, count, code, count, ...]: of a bin with low <= value < high
 *            the code is 32 * log2(width) + low / width, which is below 32.
 * Errors     a reader returns false for what is not exactly that.
 * Memory     values are the caller's; NULL: no memory.
 */
#ifndef PACE_REPORT_PARTS_H
#define PACE_REPORT_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "core/coarse.h"
#include "proto/sums.h"

json_t	*pace_bins_json(const struct pace_coarse_list *l);
size_t	pace_bins_length(const struct pace_coarse_list *l);	/* as compact text */
bool	pace_bins_of_json(struct pace_coarse_list *l, const json_t *o);

/* NULL, null: nothing is told. */
json_t	*pace_sums_json(const struct pace_sums *s);
bool	pace_sums_of_json(struct pace_sums *s, const json_t *o);

#endif
