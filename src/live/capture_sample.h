/*
 * capture_sample.h - what a capture has seen so far, as the status of what goes on.
 *
 * Purpose    the thread that reads frames fills a struct pace_capture_sample at the end of an
 *            interval; another makes a status of that one and of the one before.
 * Sessions   number 1 is the sum of all streams, 2 and more are streams.  A place in stream[]
 *            is one stream's as long as its number stands there; 0: it is free.
 * Counts     since the beginning, so lines add up to them whatever was left out between.
 * Not known  to one who only watches: sockets, delays, round trips.
 * Memory     700 KiB in the struct.
 */
#ifndef PACE_LIVE_CAPTURE_SAMPLE_H
#define PACE_LIVE_CAPTURE_SAMPLE_H

#include "core/coarse_hist.h"
#include "core/stats.h"
#include "live/status.h"

#define PACE_CAPTURE_SAMPLE_STREAMS	128	/* told of at once */
#define PACE_CAPTURE_SAMPLE_QUIET_NS	INT64_C(3000000000)	/* so long without a frame is no stream any more */

struct pace_capture_sample_stream {
	uint64_t	number;
	struct pace_flow_status flow;
	uint32_t	size_bytes, wire_bytes;	/* of the largest frame */
	bool		ended;		/* its sender said so */
	int64_t		jitter_ns;	/* -1: not known */
	int64_t		first_ns, last_ns;	/* stamps, since 1970 */
	struct pace_tally n;
	struct pace_stats gaps;		/* ns */
	struct pace_coarse_hist gap;
};

struct pace_capture_sample {
	int64_t		at_ns, wall_ns;	/* the probe clock; since 1970 */
	struct pace_capture_status c;
	struct pace_tally n;	/* of all streams */
	struct pace_capture_sample_stream stream[PACE_CAPTURE_SAMPLE_STREAMS];
};

/* s->session has room for PACE_CAPTURE_SAMPLE_STREAMS + 1; the host is the caller's.  then: the one
 * before, or of the beginning. */
void	pace_capture_sample_status(struct pace_status *s, const struct pace_capture_sample *now,
	    const struct pace_capture_sample *then, int64_t began_ns);

#endif
