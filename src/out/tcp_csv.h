/*
 * tcp_csv.h - TCP runs as CSV: a row for each direction of a point, or for each interval of each
 *             end of each connection.
 *
 * Cells      as in cells.h.   Errors  0 or -errno of the stream.
 */
#ifndef PACE_OUT_TCP_CSV_H
#define PACE_OUT_TCP_CSV_H

#include <stdio.h>

#include "doc/tcp.h"

int	pace_tcp_csv_head(FILE *f);
int	pace_tcp_csv_point(FILE *f, const struct pace_tcp_point *p);
int	pace_tcp_csv_way(FILE *f, const struct pace_tcp_point *p, bool down);

/* Interval k of an end. */
struct pace_tcp_csv_interval {
	uint64_t	point;		/* its number in the result */
	enum pace_direction direction;
	bool		receiver;
	uint32_t	stream;
	struct pace_tcp_row row;
};
int	pace_tcp_csv_intervals_head(FILE *f);
int	pace_tcp_csv_interval(FILE *f, const struct pace_tcp_csv_interval *i);

#endif
