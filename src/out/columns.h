/*
 * columns.h - print frame records as rows, one a record, for plots and arrays.
 *
 * Columns    point, seq; scheduled_ns, departure_ns, arrival_ns, owd_ns;
 *            stamp; reordered, duplicate; missing_before.
 * Times      on the sender's clock, relative to the departure of the run's first
 *            record; with absolute, the plain value of the probe clock.  If the offset
 *            between the clocks is not known, arrival_ns is on the receiver's clock,
 *            relative to the first record's arrival, and owd_ns is unknown.
 * Unknown    an empty cell in CSV and TSV, nan for gnuplot.  reordered and duplicate
 *            are unknown if the frame is one of the two but arrived too late to tell
 *            which.
 * CSV        a header row, then the rows of all runs; TSV is the same with tabs.
 * gnuplot    comments with # (the file, each run, the columns), cells separated by
 *            blanks, two empty lines between runs (gnuplot's index).
 * Overflow   times of a forged file wrap modulo 2^64.
 * Errors     0 or -errno of the stream; -ENOMEM.
 */
#ifndef PACE_OUT_COLUMNS_H
#define PACE_OUT_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/record_file.h"

enum pace_columns_format { PACE_COLUMNS_CSV, PACE_COLUMNS_TSV, PACE_COLUMNS_GNUPLOT };

struct pace_columns_cfg {
	enum pace_columns_format format;
	bool		absolute;
	bool		one;		/* only the run of `point` */
	uint32_t	point;
};

/* Print the rows of the selected runs.  A run that is not selected leaves no empty lines; if
 * one is set and there is no such point, there are no rows. */
int	pace_columns_write(FILE *f, const struct pace_record_file *file,
	    const struct pace_columns_cfg *cfg);

/* Times of one record: the departure on the sender's probe clock, the arrival on the same
 * clock if the offset is known, else on the receiver's. */
struct pace_record_times {
	bool		has_arrival, has_owd;
	int64_t		departure_ns, arrival_ns, owd_ns;
};

void	pace_record_times(const struct pace_record_run *run, const struct pace_record *rec,
	    struct pace_record_times *t);

#endif
