/*
 * csv.h - print points as CSV, one row a point, for spreadsheets and plots.
 *
 * Header     name_unit of every column, the same for every file.
 * Cells      an empty cell was not measured; times in ns, rates in bit/s,
 *            ratios from 0 to 1, booleans 0 or 1; no thousands separators.
 * notes      the codes, separated by blanks.
 * Streams    a point with streams is their aggregate, with their number and Jain's index of
 *            fairness; a row of one stream has its number in the column stream.
 * Order      new columns are added at the end: existing columns keep their place.
 * Delays     owd_ columns are empty if the delay is only relative; offset
 *            and skew are those in the middle of the run.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CSV_H
#define PACE_OUT_CSV_H

#include <stdio.h>

#include "doc/result.h"

extern const char pace_csv_short[];	/* names of the short form, comma separated */

int	pace_csv_head(FILE *f);
int	pace_csv_point(FILE *f, const struct pace_point *p);

#endif
