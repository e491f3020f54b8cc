/*
 * report_parts.h - private to report*.c: the parts of a report that are asked for.
 *
 * Bins       a list [below, code, count, code, count, ...]: of a bin with low <= value < high
 *            the code is 32 * log2(width) + low / width, which is below 32.
 * Errors     a reader returns false for what is not exactly that.
 * Memory     values are the caller's; NULL: no memory.
 */
#ifndef PACE_PROTO_REPORT_PARTS_H
#define PACE_PROTO_REPORT_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "core/coarse_hist.h"
#include "proto/host_counters.h"

json_t	*pace_bins_json(const struct pace_coarse_hist_list *l);
size_t	pace_bins_length(const struct pace_coarse_hist_list *l);	/* as compact text */
bool	pace_bins_of_json(struct pace_coarse_hist_list *l, const json_t *o);

/* NULL, null: nothing is told. */
json_t	*pace_host_counters_json(const struct pace_host_counters *s);
bool	pace_host_counters_of_json(struct pace_host_counters *s, const json_t *o);

#endif
