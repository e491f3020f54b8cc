/*
 * live_intervals.h - the intervals of a point while it runs, on a terminal and as events.
 *
 * Purpose    one row an interval (--interval): sent, received and lost frames, the rate, and the
 *            loss in the receiver's socket, of each direction; of several streams their sums.
 * Source     reports: of the responder if it receives, of our own receiver otherwise.  A row has
 *            the differences of two reports.  A report is requested when an interval ends, so
 *            rows differ a little from the intervals of the result, which are ranges of frame
 *            numbers.
 * Sent       not known while several threads send.
 * Lost       as known at that time: frames missing below the newest one.  A late frame is
 *            subtracted later, so a row may have fewer than none.
 * Shortest   100 ms (PACE_REPORT_NS); shorter intervals have no rows, nor has the rest of the run
 *            after the last whole interval.
 * Threads    the measuring thread hands reports over; that of progress.h reads and prints.
 *            set and begin are called while that one does not run.
 * Errors     of --jsonl go to the sink; rows on stderr have none.
 */
#ifndef PACE_RUN_LIVE_INTERVALS_H
#define PACE_RUN_LIVE_INTERVALS_H

#include "client/client.h"
#include "proto/report.h"
#include "run/progress.h"
#include "run/sink.h"

#define PACE_LIVE_REPORTS	16	/* a power of two */

/* A report as received, with the sender's state at that time. */
struct pace_live_report {
	int64_t		asked_ns, came_ns;	/* since the first frame that counts was due */
	uint64_t	sent;
	struct pace_tally own;		/* of our receiver */
	size_t		len;
	char		body[PACE_REPORT_MAX];
};

struct pace_live_intervals {
	struct pace_watching watching;	/* for the client */
	struct pace_sink *sink;
	bool		quiet;		/* no rows on stderr */
	/* private */
	const struct pace_point *point;
	struct pace_params ask;
	size_t		index;
	bool		counts_sent;	/* false: other threads send, and their counts are not read */
	struct pace_report own;
	int64_t		asked_ns;	/* the last request, and the frames sent by then */
	uint64_t	sent;
	_Atomic uint64_t put, got;
	struct pace_live_report ring[PACE_LIVE_REPORTS];
	/* of the thread that prints: */
	bool		headed;
	int64_t		theirs_ns;	/* the responder's clock at the begin; 0: not known yet */
	struct pace_live_sum { int64_t at_ns; uint64_t sent; struct pace_tally t; }
			last[PACE_DIRECTIONS];
};

/* Let the client and the progress of a point have rows, if there is somewhere to write them and the
 * interval is long enough; otherwise none. */
void	pace_live_intervals_set(struct pace_live_intervals *l, const struct pace_point *p,
	    size_t index, struct pace_client *c, struct pace_show *show);

#endif
