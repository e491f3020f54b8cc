/*
 * capture_text.h - print the streams of a capture: for people, and as CSV.
 *
 * Head       the whole capture: source, number of frames of each kind, its own losses.
 * Block      one stream: counts, rates, loss and order, arrival gaps with a
 *            picture, delay variation, heaps.
 * Rows       one line a stream, highest rate first.
 * Rule       as in text.h: an unknown value is "-", in CSV an empty cell.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CAPTURE_TEXT_H
#define PACE_OUT_CAPTURE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/capture.h"
#include "doc/flag.h"
#include "out/scale.h"

/* Units and flags of the rows.  pace_capture_rows: busiest_bps is the highest rate on the
 * wire, gap_ns a typical gap; they set the units of all rows. */
struct pace_capture_rows {
	const struct pace_capture *c;
	struct pace_scale rate, time;
	struct pace_flags *flags;	/* receives the flags of the rows; may be NULL */
};

struct pace_capture_rows	pace_capture_rows(const struct pace_capture *c,
	    double busiest_bps, double gap_ns);

int	pace_capture_text_head(FILE *f, const struct pace_capture_rows *r, bool utf8);
int	pace_capture_text_row_head(FILE *f, const struct pace_capture_rows *r, bool utf8);
int	pace_capture_text_row(FILE *f, const struct pace_capture_rows *r,
	    const struct pace_seen *s, bool utf8);
int	pace_capture_text_block(FILE *f, const struct pace_seen *s, bool detail, bool utf8);
/* Print the lines about the whole capture, if there are any, and explain the flags used. */
int	pace_capture_text_tail(FILE *f, const struct pace_result *r,
	    const struct pace_flags *used, bool utf8);

extern const char pace_capture_csv_short[];	/* names of the short form, comma separated */
int	pace_capture_csv_head(FILE *f);
int	pace_capture_csv_point(FILE *f, const struct pace_seen *s);

#endif
