/*
 * intervals_csv.h - the intervals of points as CSV, one a row.
 *
 * Cells      as in cells.h: empty if not known or not measured.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_INTERVALS_CSV_H
#define PACE_OUT_INTERVALS_CSV_H

#include <stdio.h>

#include "doc/intervals.h"

struct pace_interval_row {
	uint64_t	point;		/* its index */
	uint32_t	size_bytes;
	double		spacing_ns;
	enum pace_direction direction;
	uint32_t	streams;	/* whose sum it is */
	struct pace_interval v;
};

int	pace_intervals_csv_head(FILE *f);
int	pace_intervals_csv_row(FILE *f, const struct pace_interval_row *r);

#endif
