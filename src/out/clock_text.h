/*
 * clock_text.h - a clock estimate by itself: for people, and as CSV.
 *
 * Block      offset and rate of the probe clocks with their error, what the
 *            wall clocks say, what it rests on.
 * Rows       the same over time, a line each; offsets in ns or µs, what the
 *            first one needs.
 * Rule       what is not known is "-", in CSV an empty cell.
 * CSV        new columns come at the end; from_ns and to_ns are the times of our
 *            probe clock between which the exchanges were.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CLOCK_TEXT_H
#define PACE_OUT_CLOCK_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/result.h"

int	pace_clock_text_head(FILE *f, const struct pace_result *r, uint64_t count,
	    int64_t interval_ns, bool live, bool utf8);
int	pace_clock_text_block(FILE *f, const struct pace_clock *k, bool utf8);
int	pace_clock_text_row_head(FILE *f, bool utf8);
int	pace_clock_text_row(FILE *f, const struct pace_clock *k, bool utf8);

int	pace_clock_csv_head(FILE *f);
int	pace_clock_csv_row(FILE *f, const struct pace_clock *k);

#endif
