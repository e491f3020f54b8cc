/*
 * csv.h - one row a point, for spreadsheets and plots.
 *
 * Header     name_unit of every column, the same for every file.
 * Cells      an empty one was not measured; times in ns, rates in bit/s,
 *            ratios of 1, booleans 0 or 1; no thousands marks.
 * notes      the codes, separated by blanks.
 * Order      new columns come last: those before stay where they are.
 * Delays     owd_ columns are empty where the delay is only relative; offset
 *            and skew are those in the middle of the run.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CSV_H
#define PACE_OUT_CSV_H

#include <stdio.h>

#include "doc/result.h"

int	pace_csv_head(FILE *f);
int	pace_csv_point(FILE *f, const struct pace_point *p);

#endif
