/*
 * latency_csv.h - print round trips as CSV, one row a size, for spreadsheets and
 * plots.
 *
 * Header     name_unit of every column, the same for every file; frames are
 *            requests or replies.
 * Cells      an empty cell was not measured or does not apply; times in ns,
 *            ratios from 0 to 1, booleans 0 or 1; no thousands separators.
 * notes      the codes, separated by blanks.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_LATENCY_CSV_H
#define PACE_OUT_LATENCY_CSV_H

#include <stdio.h>

#include "doc/latency.h"

extern const char pace_latency_csv_short[];	/* names of the short form, comma separated */

int	pace_latency_csv_head(FILE *f);
int	pace_latency_csv_point(FILE *f, const struct pace_latency *p);

#endif
