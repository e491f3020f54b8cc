/*
 * hists.h - the histograms of a point by name, and their bins as rows.
 *
 * Names      those of the document without their unit, the sender's behind
 *            tx_, those of captures behind wire_tx_ and wire_rx_: gap, tx_gap, rtt ...;
 *            linear is the one with the user's bins.
 * Rows       point, size, spacing (interval of round trips), low, high, count:
 *            the occupied bins, low <= value < high; of linear all of them, with
 *            what was below in a row without low, above in one without high.
 * Not told   an empty cell in CSV and TSV, nan for gnuplot.
 * gnuplot    a comment a point, two empty lines between points.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_HISTS_H
#define PACE_OUT_HISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doc/capture.h"
#include "doc/latency.h"
#include "doc/result.h"
#include "out/columns.h"

/* Of a stream, of round trips, or a clock estimate: the others are NULL.  Of a capture: s,
 * and p with what arrived. */
struct pace_any_point {
	uint32_t	index;		/* in the result */
	const struct pace_point *p;
	const struct pace_latency *l;
	const struct pace_clock *k;	/* has no histograms */
	const struct pace_seen *s;
};

struct pace_hist_name {
	const char	*name;
	const char	*unit;		/* "ns", "frames" */
	bool		differences;	/* values below 0 are as usual as those above */
	bool		lens;		/* a linear one */
	bool		rx;		/* the responder's */
	size_t		has, at;	/* private */
};

/* NULL: there is no such, and none is the i-th. */
const struct pace_hist_name	*pace_hist_find(bool latency, const char *name);
const struct pace_hist_name	*pace_hist_ith(bool latency, size_t i);
/* The main one. */
const char	*pace_hist_default(bool latency);

/* NULL: was not measured.  The first is for those that are not linear, the
 * second for linear. */
const struct pace_hist	*pace_hist_of(const struct pace_hist_name *h,
	    const struct pace_any_point *p);
const struct pace_linear_hist	*pace_linear_hist_of(const struct pace_hist_name *h,
	    const struct pace_any_point *p);
bool	pace_hist_known(const struct pace_hist_name *h, const struct pace_any_point *p);

/* What a row begins with; spacing has decimals where it needs them, "" is none. */
uint32_t	pace_any_size(const struct pace_any_point *p);
char	*pace_any_spacing(const struct pace_any_point *p, char *buf, size_t size);

int	pace_hist_rows_head(FILE *f, enum pace_columns_format format, bool latency,
	    const struct pace_hist_name *h);
/* first: no point was written before. */
int	pace_hist_rows(FILE *f, enum pace_columns_format format,
	    const struct pace_hist_name *h, const struct pace_any_point *p, bool first);

#endif
