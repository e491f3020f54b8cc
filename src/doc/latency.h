/*
 * latency.h - result of a latency probe, as structs.
 *
 * Purpose    one place for every figure between measuring and printing, as
 *            result.h is for streams.
 * Times      rtt      application to application: clock read before send,
 *                     clock read after the reply was received,
 *            kernel   from the kernel's departure stamp to its arrival stamp,
 *            network  kernel, minus the responder's residence (RFC 2681
 *                     without turn-round time, RFC 8762),
 *            residence between the responder's kernel stamps: request in,
 *                     reply out.
 *            Every request has a departure stamp; with busy_poll one in 8 has
 *            one, because a stamp would slow down the others.
 *            By STAMP, residence is T3 - T2, with T3 of Follow-Up Telemetry if it came.
 *            there and back are one-way delays, from the times of network and from clock.
 *            A histogram has the exchanges with both stamps known, so the counts
 *            of the histograms may differ.
 * Trust      nothing is checked here: latency_doc checks its input.
 * Memory     a point is about 450 KiB: pace_latency_new.
 */
#ifndef PACE_DOC_LATENCY_H
#define PACE_DOC_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/linefit.h"
#include "core/tcp.h"
#include "doc/intervals.h"
#include "doc/result.h"
#include "doc/stamp_result.h"

struct pace_latency_params {
	uint32_t	size_bytes;	/* of requests, UDP payload */
	uint32_t	reply_bytes;
	uint64_t	count;		/* requests */
	int64_t		interval_ns;	/* between requests; 0: ping-pong, the next request is
					 * sent after the reply or its timeout */
	int64_t		timeout_ns;
	bool		busy_poll;	/* client and responder poll continuously */
	bool		tcp;		/* over a TCP connection, ping-pong */
	struct { int64_t low, width; uint32_t bins; } linear;	/* of rtt; bins 0: none */
};

/* One of the first requests of a point, in the order of sending. */
#define PACE_LISTED_MAX	1000
struct pace_listed {
	int64_t		sent_ns;	/* after the first one */
	int64_t		rtt_ns;		/* PACE_NO_FIGURE: no reply in time */
};

/* What the responder counted of the requests. */
struct pace_request_counts {
	uint64_t	arrived;	/* different ones */
	uint64_t	duplicates, reordered;
	uint64_t	unanswered;	/* of arrived: it did not answer them, because of a limit */
};

struct pace_latency {
	struct pace_latency_params ask;
	enum pace_verdict verdict;	/* PACE_PACED, or PACE_DEGRADED: interval not kept */
	bool		interrupted;
	uint64_t	sent;
	uint64_t	refused;	/* by the kernel; not sent */
	int		refused_errno;	/* of the last one */
	uint64_t	received;	/* replies in time; sent = received + timeouts */
	uint64_t	timeouts;	/* requests without a reply within timeout_ns */
	uint64_t	late_replies;	/* timeouts whose reply came later */
	uint64_t	duplicates;	/* replies that arrived again */
	uint64_t	foreign;	/* datagrams that match no request, or have impossible
					 * times */
	uint64_t	late_requests;	/* left more than an interval (10 µs at least) after their
					 * scheduled time */
	int64_t		due_wall_ns;	/* scheduled wall-clock time of the first request; not in
					 * documents */
	char		started[40];	/* due_wall_ns as RFC 3339, UTC, ns; "": not known */
	int64_t		duration_ns;	/* first to last departure */
	struct pace_stalls stalls;	/* of the client while it waited */
	uint64_t	unstamped;	/* replies in time without a kernel stamp */
	struct pace_hist rtt, kernel, network, residence;	/* ns */
	bool		lists;		/* requested: listed, up to PACE_LISTED_MAX requests */
	struct pace_listed listed[PACE_LISTED_MAX];
	int		n_listed;	/* 0: not requested */
	int64_t		listed_ns;	/* departure of the first one; not in documents */
	struct pace_linear_hist linear;
	/* linear.count points here */
	uint64_t	linear_counts[PACE_LINEAR_HIST_MAX_BINS];
	struct pace_tcp_info tcp;	/* with ask.tcp: this host's end of the connection */
	bool		by_stamp;	/* the far end is a STAMP reflector: */
	struct pace_stamp_result stamp;
	bool		has_clock;
	struct pace_clock clock;	/* of the responder; by STAMP, of the reflector's wall clock
					 * - ours at the begin */
	struct pace_hist there, back;	/* ns, with the bound of clock */
	bool		has_requests;	/* the responder counted: */
	struct pace_request_counts requests;
	uint64_t	lost_there, lost_back;
	struct pace_notes notes;
};

/* Add the round trip of a request that was answered. */
void	pace_latency_add(struct pace_latency *p, int64_t rtt_ns);
/* List the next request if that is asked for; rtt_ns PACE_NO_FIGURE: no reply in time. */
void	pace_latency_list(struct pace_latency *p, int64_t sent_ns, int64_t rtt_ns);

/* Return a zeroed point with reset histograms and linear.count set; NULL: no memory.
 * Release it with free(). */
struct pace_latency	*pace_latency_new(void);

/*
 * Check the identities: sent = received + timeouts, late_replies <= timeouts,
 * late_requests <= sent, unstamped <= received; rtt and a requested linear
 * histogram hold `received` values, a list all requests; kernel, network and residence hold no
 * more; sent + refused <= count, equal unless interrupted or degraded (the
 * responder went away); by STAMP, or if the responder counted, the losses by direction sum to
 * timeouts - late_replies; there and back hold no more than received; the bins of a histogram sum
 * to its count; the
 * verdict is one of the two.  Return NULL if all hold, else the violated
 * one in words.
 */
const char	*pace_latency_broken(const struct pace_latency *p);

/* Round-trip time as a function of size, over all points with replies. */
struct pace_latency_fits {
	struct pace_linefit min, median;	/* y: the application's RTT in ns, x: bytes */
	double		expected_slope;	/* ns per byte at the given link rate; 0: none given */
	const char	*name;		/* for people; NULL: round trip */
};

/* Fit both lines to n points; expected_slope stays as the caller set it. */
void	pace_latency_fit(struct pace_latency_fits *f, const double *size_bytes,
	    const double *min_ns, const double *median_ns, size_t n);

#endif
