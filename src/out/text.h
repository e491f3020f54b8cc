/*
 * text.h - the tables for people.
 *
 * Head       says what will be done, in the values as understood.
 * Point      one run as a block: asked, sent and received side by side,
 *            losses with their places, gaps with a picture of them, delays
 *            with what they may be off.
 * Rows       a sweep, one line a point, under a heading with the units.
 * Rule       what was not measured is "-", never 0; units in headings or a
 *            column of their own; a degraded point is marked '!'.
 * utf8       false: ASCII only (us for µs, bars of punctuation).
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_TEXT_H
#define PACE_OUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/rates.h"
#include "doc/result.h"
#include "out/scale.h"

/* link may be NULL: nothing is said of the wire. */
int	pace_text_head(FILE *f, const struct pace_result *r,
	    const struct pace_link *link, const struct pace_params *asks, size_t n,
	    bool utf8);

int	pace_text_point(FILE *f, const struct pace_point *p, bool detail, bool utf8);

/* The units of a sweep's rows. */
struct pace_rows {
	struct pace_scale rate, time;
	size_t		dscps;		/* a column of its own for several */
};
#define PACE_DSCP_WIDTH	5

struct pace_rows	pace_text_rows(const struct pace_params *asks, size_t n);
int	pace_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8);
int	pace_text_row(FILE *f, const struct pace_rows *rows,
	    const struct pace_point *p, bool utf8);

/* The last line of a run: how many things on the hosts may have spoiled it; nothing
 * when there are none. */
int	pace_text_tail(FILE *f, const struct pace_result *r, bool utf8);

#endif
