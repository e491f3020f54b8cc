/*
 * hist_doc.h - HIST and its "linear" member, both ways.
 *
 * Shape      { "unit", "count", "min", "max", "mean", "stddev",
 *              "percentiles": { "1": x ... "99.99": x },
 *              "clipped": n,      only when values were beyond the last bin
 *              "bins": [[low, high, count] ...] }    low <= value < high
 *            min to percentiles are absent when count is 0; a percentile is
 *            there when there are enough values to speak of it.
 * Trust      what is read may be forged: bins must be ours, ascending, and
 *            sum to count; min and max must lie in the first and last bin;
 *            mean and stddev must be possible between them.  percentiles
 *            follow from the bins and are not read.
 * Errors     -EPROTO, the histogram is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_HIST_DOC_H
#define PACE_DOC_HIST_DOC_H

#include <jansson.h>

#include "core/hist.h"
#include "doc/field.h"

json_t	*pace_hist_to_json(const struct pace_hist *h, const char *unit);
int	pace_hist_from_json(struct pace_hist *h, const json_t *j, const char *unit);

/* { "low", "width", "counts": [n ...], "underflow", "overflow" } */
json_t	*pace_linear_hist_to_json(const struct pace_linear_hist *l);
/* l->count is the caller's array of PACE_LINEAR_HIST_MAX_BINS. */
int	pace_linear_hist_from_json(struct pace_linear_hist *l, const json_t *j);
/* All values counted, in range or not. */
uint64_t	pace_linear_hist_total(const struct pace_linear_hist *l);

/* The bins hold as many values as the statistics say. */
bool	pace_hist_sums(const struct pace_hist *h);

/* For the schema. */
extern const struct pace_fields pace_hist_fields, pace_hist_ns_fields, pace_hist_frames_fields;

#endif
