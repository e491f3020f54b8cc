/*
 * stream.h - the streams of a flow; private to cap, what flow.c needs of stream.c.
 *
 * Memory     of the table's cfg.memory, when a stream, its first number, stamp or heap
 *            is met.  What finds no room is counted as unfollowed in the flow.
 */
#ifndef PACE_CAP_STREAM_H
#define PACE_CAP_STREAM_H

#include "cap/flow.h"

struct pace_cap_arrival {
	int64_t		now_ns;
	uint32_t	line_bytes;
};

/* The next datagram of a flow whose format is known. */
void	pace_cap_stream_add(struct pace_cap_table *t, struct pace_cap_flow *f,
	    const struct pace_cap_datagram *d, const struct pace_cap_arrival *a);

/* The capture has ended. */
void	pace_cap_stream_finish(struct pace_cap_stream *s);

void	pace_cap_stream_free(struct pace_cap_stream *s);

#endif
