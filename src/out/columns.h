/*
 * columns.h - frame records as rows, one a record, for plots and arrays.
 *
 * Columns    point, seq; scheduled_ns, departure_ns, arrival_ns, owd_ns;
 *            stamp; reordered, duplicate; missing_before.
 * Times      of the sender's clock, from the first record's departure in its
 *            run; absolute: as the probe clock gives them.  When the clocks'
 *            relation is not known arrival_ns is of the receiver's clock,
 *            from the first record's arrival, and owd_ns is not told.
 * Not told   an empty cell in CSV and TSV, nan for gnuplot: what was not known, and
 *            reordered and duplicate of a frame that is one of them, too old
 *            to say which.
 * CSV        a header row, then the rows of all runs; TSV with tabs.
 * gnuplot    comments with # (the file, each run, the columns), cells between
 *            blanks, two empty lines between runs (gnuplot's index).
 * Absurd     times of a forged file are taken modulo 2^64.
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
	bool		one;		/* only this point's run */
	uint32_t	point;
};

/* Runs that are left out leave no trace; one of a point that is not there:
 * no rows. */
int	pace_columns_write(FILE *f, const struct pace_record_file *file,
	    const struct pace_columns_cfg *cfg);

/* Of one record: on the probe clocks, arrival on the sender's if that is known. */
struct pace_record_times {
	bool		has_arrival, has_owd;
	int64_t		departure_ns, arrival_ns, owd_ns;
};

void	pace_record_times(const struct pace_record_run *run, const struct pace_record *rec,
	    struct pace_record_times *t);

#endif
