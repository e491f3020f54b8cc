/*
 * latency_text.h - print the tables of udpace latency, for people.
 *
 * Head       the parameters of the run; the points of a sweep differ only in size.
 * Point      one size as a block: requests and their outcome, the round trips of
 *            latency.h one below the other, a picture of the application's.
 * Rows       several sizes, one line each, always in µs, because no round trip
 *            is known before the first row.  Problems of a size are below its row.
 * Fit        after the rows: the lines through the sizes, with standard errors.
 * Width      80 columns; for rows, if round trips are below 10 s.
 * Rule       a value that was not measured is "-", never 0; units are in headings or
 *            in a column of their own; a degraded point is marked '!'.
 * utf8       false: ASCII only.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_LATENCY_TEXT_H
#define PACE_OUT_LATENCY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doc/flag.h"
#include "doc/latency.h"

int	pace_latency_text_head(FILE *f, const struct pace_result *r,
	    const struct pace_latency_params *asks, size_t n, bool utf8);
int	pace_latency_text_point(FILE *f, const struct pace_latency *p, bool detail, bool utf8);

/* replies: print a column of reply sizes, because one differs from its request. */
struct pace_latency_rows {
	bool	replies;
	bool	transports;		/* and one that says UDP or TCP */
	struct pace_flags *flags;	/* receives the flags of the rows; may be NULL */
};

struct pace_latency_rows	pace_latency_text_rows(const struct pace_latency_params *asks,
    size_t n);
int	pace_latency_text_row_head(FILE *f, const struct pace_latency_rows *rows, bool utf8);
int	pace_latency_text_row(FILE *f, const struct pace_latency_rows *rows,
	    const struct pace_latency *p, bool utf8);
/* Print below the rows what their flags mean. */
int	pace_latency_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8);

int	pace_latency_text_fit(FILE *f, const struct pace_latency_fits *fits, bool utf8);

#endif
