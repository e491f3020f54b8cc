/*
 * capture_text.h - what a capture holds: for people, and as CSV.
 *
 * Head       the whole capture: where from, how many frames of what, what it lost.
 * Block      one stream: counts, rates, loss and order, arrival gaps with a
 *            picture, variation of the delay, heaps.
 * Rows       one line a stream, the busiest first.
 * Rule       as text.h has it: what is not known is "-", in CSV an empty cell.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CAPTURE_TEXT_H
#define PACE_OUT_CAPTURE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/capture.h"
#include "out/scale.h"

/* busiest: the highest rate on the wire, which sets the unit of all rows. */
struct pace_capture_rows {
	const struct pace_capture *c;
	struct pace_scale rate, time;
};

struct pace_capture_rows	pace_capture_rows(const struct pace_capture *c,
	    double busiest_bps, double gap_ns);

int	pace_capture_text_head(FILE *f, const struct pace_capture_rows *r, bool utf8);
int	pace_capture_text_row_head(FILE *f, const struct pace_capture_rows *r, bool utf8);
int	pace_capture_text_row(FILE *f, const struct pace_capture_rows *r,
	    const struct pace_seen *s, bool utf8);
int	pace_capture_text_block(FILE *f, const struct pace_seen *s, bool detail, bool utf8);
/* What concerns all of it; nothing when that is nothing. */
int	pace_capture_text_tail(FILE *f, const struct pace_result *r, bool utf8);

int	pace_capture_csv_head(FILE *f);
int	pace_capture_csv_point(FILE *f, const struct pace_seen *s);

#endif
