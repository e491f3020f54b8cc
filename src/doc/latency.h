/*
 * latency.h - what a latency probe found, as structs.
 *
 * Purpose    one place for every figure between measuring and printing, as
 *            result.h is for streams.
 * Times      rtt      application to application: clock read before send,
 *                     clock read after the reply was taken,
 *            kernel   the kernel's stamps of the same two moments,
 *            network  kernel, with the responder's residence taken out
 *                     (RFC 2681 without its turn-round, RFC 8762),
 *            residence between the responder's kernel stamps: request in,
 *                     reply out.
 *            Departures are stamped of every request, of one in 8 with
 *            busy_poll: a stamp would make the others slower.
 *            Each histogram has the exchanges for which both its stamps are
 *            known; their counts may differ.
 * Trust      nothing here is checked: latency_doc checks what it reads.
 * Memory     a point is about 300 KiB: pace_latency_new.
 */
#ifndef PACE_DOC_LATENCY_H
#define PACE_DOC_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/linefit.h"
#include "doc/result.h"

struct pace_latency_params {
	uint32_t	size_bytes;	/* of requests, UDP payload */
	uint32_t	reply_bytes;
	uint64_t	count;		/* requests */
	int64_t		interval_ns;	/* from request to request; 0: ping-pong, the next one
					 * when the reply is there or timed out */
	int64_t		timeout_ns;
	bool		busy_poll;	/* both ends spin */
	struct { int64_t low, width; uint32_t bins; } lens;	/* of rtt; bins 0: none */
};

struct pace_latency {
	struct pace_latency_params ask;
	enum pace_verdict verdict;	/* PACE_PACED, or PACE_DEGRADED: interval not kept */
	bool		interrupted;
	uint64_t	sent;
	uint64_t	refused;	/* by the kernel; not sent */
	int		refused_errno;	/* of the last one */
	uint64_t	received;	/* replies in time; sent = received + timeouts */
	uint64_t	timeouts;	/* not by timeout_ns */
	uint64_t	late_replies;	/* of those, came after all */
	uint64_t	duplicates;	/* replies that came again */
	uint64_t	foreign;	/* datagrams that answered nothing, or with absurd times */
	uint64_t	late_requests;	/* left more than an interval (10 µs at least) after their time */
	int64_t		due_wall_ns;	/* wall clock when the first request was due; not in documents */
	char		started[40];	/* the same: RFC 3339, UTC, ns; "": not known */
	int64_t		duration_ns;	/* first to last departure */
	struct pace_stalls stalls;	/* of the client while it waited */
	uint64_t	unstamped;	/* replies in time without a kernel stamp */
	struct pace_hist rtt, kernel, network, residence;	/* ns */
	struct pace_linear_hist lens;
	uint64_t	lens_count[PACE_LINEAR_HIST_MAX_BINS];	/* lens.count points here */
	struct pace_notes notes;
};

/* Zeroed, histograms reset, lens.count in its place; NULL: no memory.  free(). */
struct pace_latency	*pace_latency_new(void);

/*
 * Identities: sent = received + timeouts, late_replies <= timeouts,
 * late_requests <= sent, unstamped <= received; rtt holds received values,
 * and so does the lens when asked for; kernel, network and residence hold no
 * more; sent + refused <= count, equal unless interrupted
 * or degraded (the responder went away); every histogram's
 * bins sum to its count; the verdict is one of the two.  NULL: all hold; else
 * which does not, in words.
 */
const char	*pace_latency_broken(const struct pace_latency *p);

/* Round trip against size, over all points with replies. */
struct pace_latency_fits {
	struct pace_linefit min, median;	/* y: ns of the application's round trip, x: bytes */
	double		expected_slope;	/* ns per byte of the link rate given; 0: none was */
};

/* Both lines through n points; expected_slope is the caller's and stays. */
void	pace_latency_fit(struct pace_latency_fits *f, const double *size_bytes,
	    const double *min_ns, const double *median_ns, size_t n);

#endif
