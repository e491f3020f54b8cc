/*
 * hist_doc.h - write and read HIST and its "linear" member.
 *
 * Shape      { "unit", "count", "min", "max", "mean", "stddev",
 *              "percentiles": { "1": x ... "99.99": x },
 *              "clipped": n,      only when values were beyond the last bin
 *              "bins": [[low, high, count] ...] }    low <= value < high
 *            A histogram without bins (--no-bins) is read as its figures alone.
 *            The members from min to percentiles are absent if count is 0.  A
 *            percentile is present if there are enough values for it.
 * Trust      input may be forged: bins must have the limits of struct pace_hist,
 *            ascend, and sum to count; min and max must lie in the first and last
 *            bin; mean and stddev must be possible between them.  percentiles
 *            follow from the bins; they are read only if there are no bins, and
 *            must then ascend between min and max.
 * Errors     -EPROTO: the histogram is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_HIST_DOC_H
#define PACE_DOC_HIST_DOC_H

#include <jansson.h>

#include "core/hist.h"

struct pace_fields;

json_t	*pace_hist_to_json(const struct pace_hist *h, const char *unit);
int	pace_hist_from_json(struct pace_hist *h, const json_t *j, const char *unit);

/* Return the number of bins of all histograms in *j, at any depth. */
size_t	pace_hist_count_bins(const json_t *j);
/* Remove the bins from every histogram in *j, at any depth. */
void	pace_hist_strip_bins(json_t *j);

/* { "low", "width", "counts": [n ...], "underflow", "overflow" } */
json_t	*pace_linear_hist_to_json(const struct pace_linear_hist *l);
/* l->count is the caller's array of PACE_LINEAR_HIST_MAX_BINS. */
int	pace_linear_hist_from_json(struct pace_linear_hist *l, const json_t *j);
/* Return the number of all values, in range or not. */
uint64_t	pace_linear_hist_total(const struct pace_linear_hist *l);

/* Do the bins hold as many values as the statistics say?  True without bins. */
bool	pace_hist_sums(const struct pace_hist *h);

/* For the schema. */
extern const struct pace_fields pace_hist_fields, pace_hist_ns_fields, pace_hist_frames_fields;

#endif
