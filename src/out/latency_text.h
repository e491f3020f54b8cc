/*
 * latency_text.h - the tables of a latency probe, for people.
 *
 * Head       says what will be done; the asks of a sweep differ in their
 *            sizes alone.
 * Point      one size as a block: requests and what became of them, the round
 *            trips of latency.h below each other, a picture of the
 *            application's.
 * Rows       several sizes, one line each, always in µs: nothing is known of
 *            the round trips before the first row.  What is wrong with a size
 *            is below its row.
 * Fit        the lines through the sizes, with standard errors: what follows
 *            the rows.
 * Width      80 columns; rows too, below 10 s.
 * Rule       what was not measured is "-", never 0; units in headings or a
 *            column of their own; a degraded point is marked '!'.
 * utf8       false: ASCII only.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_LATENCY_TEXT_H
#define PACE_OUT_LATENCY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doc/latency.h"

int	pace_latency_text_head(FILE *f, const struct pace_result *r,
	    const struct pace_latency_params *asks, size_t n, bool utf8);
int	pace_latency_text_point(FILE *f, const struct pace_latency *p, bool detail, bool utf8);

/* Is any reply of another size than its request?  Then they have a column. */
struct pace_latency_rows {
	bool	replies;
};

struct pace_latency_rows	pace_latency_text_rows(const struct pace_latency_params *asks, size_t n);
int	pace_latency_text_row_head(FILE *f, const struct pace_latency_rows *rows, bool utf8);
int	pace_latency_text_row(FILE *f, const struct pace_latency_rows *rows,
	    const struct pace_latency *p, bool utf8);

int	pace_latency_text_fit(FILE *f, const struct pace_latency_fits *fits, bool utf8);

#endif
