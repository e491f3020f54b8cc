/*
 * capture_sample.h - a capture's results so far, as a status.
 *
 * Purpose    at the end of an interval the reading thread fills a struct
 *            pace_capture_sample; another thread makes a status from it and the one before.
 * Sessions   number 1 is the sum of all streams; 2 and higher are streams.  An entry of
 *            stream[] belongs to one stream as long as it has that stream's number; 0: free.
 * Counts     are totals since the start, so the differences between lines add up to them
 *            even if lines were omitted.
 * Not known  to an observer: sockets, delays, round trips.
 * Memory     700 KiB in the struct.
 */
#ifndef PACE_LIVE_CAPTURE_SAMPLE_H
#define PACE_LIVE_CAPTURE_SAMPLE_H

#include "core/coarse_hist.h"
#include "core/stats.h"
#include "live/status.h"

#define PACE_CAPTURE_SAMPLE_STREAMS	128	/* streams reported at a time */
#define PACE_CAPTURE_SAMPLE_QUIET_NS	INT64_C(3000000000)	/* a stream has ended after this
								 * time without a frame */

struct pace_capture_sample_stream {
	uint64_t	number;
	struct pace_flow_status flow;
	uint32_t	size_bytes, wire_bytes;	/* of the largest frame */
	bool		ended;		/* the sender reported its end */
	int64_t		jitter_ns;	/* -1: not known */
	int64_t		first_ns, last_ns;	/* time stamps, since 1970 */
	struct pace_tally n;
	struct pace_stats gaps;		/* ns */
	struct pace_coarse_hist gap;
};

struct pace_capture_sample {
	int64_t		at_ns, wall_ns;	/* on the probe clock; since 1970 */
	struct pace_capture_status c;
	struct pace_tally n;	/* of all streams */
	struct pace_capture_sample_stream stream[PACE_CAPTURE_SAMPLE_STREAMS];
};

/* Make the status from two samples; then: the one before, or an empty one at the start.
 * s->session has room for PACE_CAPTURE_SAMPLE_STREAMS + 1; the caller fills in the host. */
void	pace_capture_sample_status(struct pace_status *s, const struct pace_capture_sample *now,
	    const struct pace_capture_sample *then, int64_t began_ns);

#endif
