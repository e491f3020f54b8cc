/*
 * clock_text.h - print a clock estimate alone: for people, and as CSV.
 *
 * Block      offset and skew of the probe clocks with their error, the offset of
 *            the wall clocks, and the exchanges used.
 * Rows       the same over time, one line an estimate; offsets in ns or µs, chosen by
 *            the first one.
 * Rule       an unknown value is "-", in CSV an empty cell.
 * CSV        new columns are added at the end; from_ns and to_ns limit the time of the
 *            exchanges, on the client's probe clock; skew_error_max_ppm is rounded up.
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
