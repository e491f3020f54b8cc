/*
 * stream.h - the streams of a flow; private to cap, used by flow.c.
 *
 * Memory     part of the table's cfg.memory, allocated for a new stream and for its first
 *            number, stamp or heap.  Without room, the flow counts the datagram as
 *            untracked.
 */
#ifndef PACE_CAP_STREAM_H
#define PACE_CAP_STREAM_H

#include "cap/flow.h"

struct pace_cap_arrival {
	int64_t		now_ns;
	uint32_t	line_bytes;
};

/* Add the next datagram of a flow whose format is known. */
void	pace_cap_stream_add(struct pace_cap_table *t, struct pace_cap_flow *f,
	    const struct pace_cap_datagram *d, const struct pace_cap_arrival *a);

/* End the capture. */
void	pace_cap_stream_finish(struct pace_cap_stream *s);

void	pace_cap_stream_free(struct pace_cap_stream *s);

#endif
