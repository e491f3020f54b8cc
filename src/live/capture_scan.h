/*
 * capture_scan.h - what a table of flows has come to, for who shows it meanwhile.
 *
 * Purpose    at the end of an interval: the streams there are get places in a struct
 *            pace_capture_sample, which they keep.
 * Places     in the order in which streams are met.  Where there are no more, one whose stream
 *            was silent for PACE_LOOK_STALE_NS is given to one of which frames come; a
 *            stream without a place is in the sums all the same, and counted.
 * Cost       some us a stream with a place, 0.1 us each other; no allocation, no lock.
 * Memory     fixed, in the struct.   Threads  the one that owns the table.
 */
#ifndef PACE_LIVE_CAPTURE_SCAN_H
#define PACE_LIVE_CAPTURE_SCAN_H

#include "cap/flow.h"
#include "live/capture_sample.h"

#define PACE_LOOK_STALE_NS	INT64_C(60000000000)

struct pace_capture_scan {
	uint64_t	numbers;	/* given away so far */
	int64_t		since_ns;	/* newest stamp of the look before */
	struct {
		uint64_t	number;	/* 0: free */
		struct pace_cap_stream *stream;
	} place[PACE_CAPTURE_SAMPLE_STREAMS];
};

/* Zeroed it is new.  Fills what is of the table; its clocks and drops are the caller's. */
void	pace_capture_scan(struct pace_capture_scan *k, struct pace_capture_sample *c, const struct pace_cap_table *t);

#endif
