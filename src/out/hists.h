/*
 * hists.h - find the histograms of a point by name, and print their bins as rows.
 *
 * Names      the document's names without the unit: gap, rtt ...; those of the sender
 *            begin with tx_, those of captures with wire_tx_ and wire_rx_; linear is
 *            the histogram with the user's bins.
 * Rows       point, stream if that is wanted, size, spacing (interval of round trips), low,
 *            high, count:
 *            the occupied bins, low <= value < high.  linear prints all bins, and
 *            counts the values below them in a row without low, those above in a row
 *            without high.
 * Unknown    an empty cell in CSV and TSV, nan for gnuplot.
 * gnuplot    one comment a point, two empty lines between points.
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

/* A point: a stream (p), round trips (l) or a clock estimate (k), the other pointers NULL. A
 * stream of a capture has s, and p with its arrivals. */
struct pace_any_point {
	uint32_t	index;		/* in the result */
	const struct pace_point *p;
	const struct pace_latency *l;
	const struct pace_clock *k;	/* has no histograms, nor has: */
	const struct pace_watched *w;
	const struct pace_seen *s;
	bool		per_stream;	/* rows say of which stream they are; none: of all */
};

struct pace_hist_name {
	const char	*name;
	const char	*unit;		/* "ns", "frames" */
	bool		differences;	/* negative values are normal */
	bool		linear;		/* struct pace_linear_hist */
	bool		rx;		/* measured by the responder */
	size_t		has, at;	/* private */
};

/* Find a histogram by name, or the i-th; NULL: there is no such histogram. */
const struct pace_hist_name	*pace_hist_find(bool latency, const char *name);
const struct pace_hist_name	*pace_hist_ith(bool latency, size_t i);
/* Return the name of the main histogram. */
const char	*pace_hist_default(bool latency);

/* Return the histogram of p, not for those that are linear; NULL: not measured. */
const struct pace_hist	*pace_hist_of(const struct pace_hist_name *h,
	    const struct pace_any_point *p);
bool	pace_hist_known(const struct pace_hist_name *h, const struct pace_any_point *p);

/* The first cells of a row; spacing has decimals if it needs them, "" if there is none. */
uint32_t	pace_any_size(const struct pace_any_point *p);
char	*pace_any_spacing(const struct pace_any_point *p, char *buf, size_t size);

/* Write what is not usual of a stream, each after `before`: "down", "3 streams"; "": nothing. */
char	*pace_any_which(const struct pace_any_point *p, const char *before, char *buf, size_t size);

int	pace_hist_rows_head(FILE *f, enum pace_columns_format format, bool latency,
	    const struct pace_hist_name *h, bool per_stream);
/* Print the bins of a point; first: no other point was written before. */
int	pace_hist_rows(FILE *f, enum pace_columns_format format,
	    const struct pace_hist_name *h, const struct pace_any_point *p, bool first);

#endif
