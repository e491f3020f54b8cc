/*
 * pick.h - choose which of many points a figure shows: evenly, with the first and last.
 *
 * Memory     the caller's; lists are malloced.   Threads  none.
 */
#ifndef PACE_REPORT_PICK_H
#define PACE_REPORT_PICK_H

#include "report/report_data.h"

/* Store at most `most` indexes below n in at, ascending; return their number. */
size_t	pace_pick(size_t n, size_t most, size_t *at);

/* Compare as qsort() does the lines of two streams: size, number of streams, code point. */
int	pace_pick_by_line(const struct pace_stream_point *x, const struct pace_stream_point *y);

/* Return the streams that arrived and for which has is true, sorted by line, then spacing;
 * the first one if several have the same line and spacing.  malloced; NULL: no memory, *n is
 * 0. */
const struct pace_stream_point	**pace_pick_all(const struct pace_run *r,
	    bool (*has)(const struct pace_stream_point *l), size_t *n);
bool	pace_pick_any(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l));

/* Return the round trips with replies, sorted by size, in the same way. */
const struct pace_rtt_point	**pace_pick_rtt(const struct pace_run *r, size_t *n);
bool	pace_pick_any_rtt(const struct pace_run *r);

/* Find the line with the most spacings among n streams in this order (the last if equal);
 * set *begin to its first stream, return their number. */
size_t	pace_pick_line(const struct pace_stream_point *const *v, size_t n, size_t *begin);

/* Compare two doubles for qsort(), ascending. */
int	pace_pick_by_number(const void *a, const void *b);

#endif
