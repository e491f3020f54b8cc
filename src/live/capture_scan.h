/*
 * capture_scan.h - copies the state of a flow table for a display, while the capture runs.
 *
 * Purpose    called at the end of an interval: gives each stream an entry in a struct
 *            pace_capture_sample, which the stream keeps.
 * Entries    are assigned in the order in which streams appear.  If none is free, an active
 *            stream gets the entry of one that was silent for PACE_LOOK_STALE_NS.  A stream
 *            without an entry still counts in the sums, and the number of such streams is
 *            reported.
 * Cost       some us per stream with an entry, 0.1 us per other stream; no allocation, no lock.
 * Memory     fixed, in the struct.   Threads  the one that owns the table.
 */
#ifndef PACE_LIVE_CAPTURE_SCAN_H
#define PACE_LIVE_CAPTURE_SCAN_H

#include "cap/flow.h"
#include "live/capture_sample.h"

#define PACE_LOOK_STALE_NS	INT64_C(60000000000)

struct pace_capture_scan {
	uint64_t	numbers;	/* numbers assigned so far */
	int64_t		since_ns;	/* newest time stamp of the previous call */
	struct {
		uint64_t	number;	/* 0: free */
		struct pace_cap_stream *stream;
	} place[PACE_CAPTURE_SAMPLE_STREAMS];
};

/* Fill c from the table; the caller fills in clocks and drops.  A zeroed struct is a new scan. */
void	pace_capture_scan(struct pace_capture_scan *k, struct pace_capture_sample *c,
    const struct pace_cap_table *t);

#endif
