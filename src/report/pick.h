/*
 * pick.h - which of many a figure shows: evenly, the first and the last among them.
 *
 * Memory     the caller's.   Threads  none.
 */
#ifndef PACE_REPORT_PICK_H
#define PACE_REPORT_PICK_H

#include "report/report_data.h"

/* Indexes of at most `most` of n, ascending; how many. */
size_t	pace_pick(size_t n, size_t most, size_t *at);

/* Streams that arrived, at most `room`, by size, then by spacing; of several at the same
 * place the first.  How many there were, which may be more than room. */
size_t	pace_pick_streams(const struct pace_run *r,
	    bool (*has)(const struct pace_stream_point *l), const struct pace_stream_point **v, size_t room);

/* The same of round trips with replies, by size. */
size_t	pace_pick_rtt(const struct pace_run *r, const struct pace_rtt_point **v, size_t room);

/* Of n streams in that order: where those of one size begin and how many they are: the
 * size with the most spacings, of equals the largest. */
size_t	pace_pick_size(const struct pace_stream_point *const *v, size_t n, size_t *begin);

#endif
