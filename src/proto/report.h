/*
 * report.h - a responder's report about a run in progress (REPORT).
 *
 * Purpose    a sender sees the receiver's figures before its stream ends.  Sums cover the
 *            whole run, so a lost report costs nothing: the next one has it all.
 * Newest     extremes of gaps and delays cover the time since an earlier report: the last
 *            one that the client received, as its request says; since is its number.
 * Limit      one per PACE_REPORT_NS, two in a burst: earlier requests are not answered.
 *            Answers are paid for like all others (send_credit.h).
 * Parts      a request may ask for more than the tallies (PACE_WANT_...).  To make it fit,
 *            the bins of distributions become wider.  A part is absent if the responder
 *            is older or does not disclose it.
 * Streams    of a run with several, a report has the sum.  A request with PACE_WANT_STREAMS that is
 *            about stream k also gets a slice for each stream from k on, as many as fit; next is
 *            the stream to request then, 0: these were the last.
 * Units      ns of the responder's probe clock, bytes, frames.
 * Errors     reading: -EPROTO if a member is missing or has a wrong type or range; the
 *            output is then unspecified.  Unknown members are ignored.
 * Trust      nothing that is read.
 * Memory     none is kept; pace_report_put, which a sending thread calls, allocates none.
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
#define PACE_REPORT_MAX		1400	/* bytes of a reply's body, at most */

#define PACE_WANT_SHAPES	1U	/* distributions of gaps and delays */
#define PACE_WANT_HOST		2U	/* the host's counters */
#define PACE_WANT_ALL		3U
#define PACE_WANT_STREAMS	4U	/* slices, without the above */
#define PACE_SLICES		32	/* most slices of a report */

struct pace_report_request {
	uint64_t	seen;		/* number of the newest report received, 0: none */
	uint32_t	want;
};

struct pace_report {
	int64_t		at_ns, began_ns;	/* now; the run's begin */
	enum pace_session_state state;
	struct pace_tally run;
	struct pace_stats gaps;		/* of the run, without extremes */
	int64_t		jitter_ns;
	uint64_t	since;		/* number of a report; 0: the run's begin */
	struct pace_recent recent;	/* since then; its turn is 0 */
	uint64_t	rcvbuf_bytes;	/* of the session's socket; 0: not reported */
	bool		has_shapes;
	struct pace_coarse_hist_list gap, delay;	/* as struct pace_shapes has them */
	struct pace_host_counters host;		/* since the session's first reading; at_ns 0:
						 * not reported */
};

/* The figures of one stream, of the run. */
struct pace_slice {
	struct pace_tally run;
	struct pace_stats gaps;
	int64_t		jitter_ns;
	struct pace_delay_sum delays;
};

struct pace_slices {
	uint32_t	first, n;	/* streams first .. first + n - 1 */
	struct pace_slice of[PACE_SLICES];
};

json_t	*pace_report_json(const struct pace_report *r);
int	pace_report_read(const json_t *j, struct pace_report *r);

/* Make a report with slices, of which as many are kept as fit; v->first + v->n may be below
 * streams. */
json_t	*pace_slices_json(const struct pace_report *r, const struct pace_slices *v,
	    uint32_t streams);
/* Read the slices of a report, whose run has that many streams of frames of these sizes.  n is 0
 * if it has none. */
int	pace_slices_read(const json_t *j, uint32_t streams, uint32_t size_bytes, uint32_t wire_bytes,
	    struct pace_slices *v);
/* Find next in the unread body of a report; -EPROTO: it has no slices. */
int	pace_slices_next(const char *body, size_t len);

/* Widen the bins until the report fits; drop the distributions if this is not enough. */
void	pace_report_fit(struct pace_report *r);

/* Read a request. */
int	pace_report_asked(const json_t *j, struct pace_report_request *a);

/* Write a request as a datagram; returns its length, or -ENOBUFS. */
int	pace_report_put(uint8_t *buf, size_t size, const struct pace_hdr *h,
	    const struct pace_report_request *a);

/* Parts of a report.  Bins are a list [below, code, count, code, count, ...]: the code of a bin
 * with low <= value < high is 32 * log2(width) + low / width, where low / width is below 32.
 * The reader returns false for any other list. */
json_t	*pace_bins_json(const struct pace_coarse_hist_list *l);
size_t	pace_bins_length(const struct pace_coarse_hist_list *l);	/* as compact text */
json_t	*pace_host_counters_json(const struct pace_host_counters *s);
bool	pace_host_counters_of_json(struct pace_host_counters *s, const json_t *o);

#endif
