/*
 * latency_doc.h - write and read a point of a latency document, and "fit".
 *
 * Shape      the members of a latency point in udpace-result(5): the
 *            request, the counts, four histograms in ns ("rtt_ns",
 *            "rtt_kernel_ns", "rtt_network_ns", "residence_ns"), "notes".
 * Ping-pong  has no "interval_ns".
 * Linear     "linear" in "rtt_ns"; the requested bins are read from it.
 * Trust      a document may be damaged or forged: reading checks every
 *            member, and every identity of pace_latency_broken.
 * Errors     -EPROTO: the point is then unspecified.  NULL: no memory.
 */
#ifndef PACE_DOC_LATENCY_DOC_H
#define PACE_DOC_LATENCY_DOC_H

#include <jansson.h>

#include "doc/field.h"
#include "doc/latency.h"

extern const struct pace_fields pace_latency_fields, pace_latency_fit_fields;
extern const struct pace_fields pace_request_counts_fields;

json_t	*pace_latency_to_json(const struct pace_latency *p);
/* p need not come from pace_latency_new. */
int	pace_latency_from_json(struct pace_latency *p, const json_t *j);

/*
 * Return the document's "fit": { "points", the members of the minimum's line,
 * "median": { the members of the median's line }, "expected_slope_ns_per_byte"
 * if known }.  A line is { "slope_ns_per_byte", "intercept_ns", "slope_stderr",
 * "intercept_stderr", "r2", "worst_residual_ns", "worst_residual_bytes" };
 * null: too few points for a line.
 */
json_t	*pace_latency_fits_to_json(const struct pace_latency_fits *f);

/* Return [[bytes, ns above the line] ...] of the line's n points; null: no line. */
json_t	*pace_latency_residuals_to_json(const struct pace_linefit *f, const double *bytes,
	    const double *ns, size_t n);

#endif
