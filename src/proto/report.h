/*
 * report.h - what a responder tells of a run while it goes on (REPORT).
 *
 * Purpose    who sends a stream sees what becomes of it before its end.  Sums are of
 *            the whole run, so that a report that gets lost costs nothing: the next
 *            has it all.
 * Newest     extremes of gaps and delays are of what came since an earlier report, the
 *            last one that the request says to have come; that one's number is since.
 * Limit      PACE_REPORT_NS from one to the next, two at once: what is asked sooner is
 *            not answered.  An answer is paid for as all are (send_credit.h).
 * Parts      what is asked for beside the tallies (PACE_WANT_...), as far as it fits: of
 *            distributions bins become wider until it does.  What is not told, as by a
 *            responder that is older or keeps it to itself, is not there.
 * Units      ns of the responder's probe clock, bytes, frames.
 * Errors     reading: -EPROTO for what is not exactly what is wanted; the output is
 *            then unspecified.  Unknown members are ignored.
 * Trust      nothing that is read.
 * Memory     none is kept; pace_report_put, of a thread that sends, allocates none.
 */
#ifndef PACE_PROTO_REPORT_H
#define PACE_PROTO_REPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/coarse_hist.h"
#include "core/run_stats.h"
#include "core/session_state.h"
#include "core/tally.h"
#include "core/wire.h"
#include "proto/host_counters.h"

#define PACE_REPORT_NS		INT64_C(100000000)
#define PACE_REPORT_PAD		160	/* bytes of a request, at least */
#define PACE_REPORT_MAX		1400	/* bytes of an answer's body */

#define PACE_WANT_SHAPES	1U	/* distributions of gaps and delays */
#define PACE_WANT_HOST		2U	/* what the host counts */
#define PACE_WANT_ALL		3U

struct pace_report_request {
	uint64_t	seen;		/* number of the newest report that came, 0: none did */
	uint32_t	want;
};

struct pace_report {
	int64_t		at_ns, began_ns;	/* now; the run's begin */
	enum pace_session_state state;
	struct pace_tally run;
	struct pace_stats gaps;		/* of the run; without extremes */
	int64_t		jitter_ns;
	uint64_t	since;		/* number of a report; 0: the run's begin */
	struct pace_recent recent;	/* since then; its turn is 0 */
	uint64_t	rcvbuf_bytes;	/* of the session's socket; 0: not told */
	bool		has_shapes;
	struct pace_coarse_hist_list gap, delay;	/* as struct pace_shapes has them */
	struct pace_host_counters host;		/* since the session first looked; at_ns 0: not told */
};

json_t	*pace_report_json(const struct pace_report *r);
int	pace_report_read(const json_t *j, struct pace_report *r);

/* Bins become wider until it fits; without distributions where it cannot. */
void	pace_report_fit(struct pace_report *r);

/* The request. */
json_t	*pace_report_request_json(const struct pace_report_request *a);
int	pace_report_asked(const json_t *j, struct pace_report_request *a);

/* The same as a datagram: its length, or -ENOBUFS. */
int	pace_report_put(uint8_t *buf, size_t size, const struct pace_hdr *h,
	    const struct pace_report_request *a);

#endif
