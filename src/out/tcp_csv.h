/*
 * tcp_csv.h - TCP runs as CSV: a row for each direction of a point.
 *
 * Cells      as in cells.h.   Errors  0 or -errno of the stream.
 */
#ifndef PACE_OUT_TCP_CSV_H
#define PACE_OUT_TCP_CSV_H

#include <stdio.h>

#include "doc/tcp.h"

int	pace_tcp_csv_head(FILE *f);
int	pace_tcp_csv_point(FILE *f, const struct pace_tcp_point *p);

#endif
