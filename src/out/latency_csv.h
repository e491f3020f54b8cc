/*
 * latency_csv.h - one row a size of a latency probe, for spreadsheets and
 * plots.
 *
 * Header     name_unit of every column, the same for every file; frames are
 *            requests or replies.
 * Cells      an empty one was not measured or does not apply; times in ns,
 *            ratios of 1, booleans 0 or 1; no thousands marks.
 * notes      the codes, separated by blanks.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_LATENCY_CSV_H
#define PACE_OUT_LATENCY_CSV_H

#include <stdio.h>

#include "doc/latency.h"

int	pace_latency_csv_head(FILE *f);
int	pace_latency_csv_point(FILE *f, const struct pace_latency *p);

#endif
