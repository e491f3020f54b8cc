/*
 * tcp_limit.h - what limited the rate of a TCP run, from figures of both ends.
 *
 * Purpose    one verdict for the streams of one direction, with the figures that prove it.
 * Method     the kernel says for how long a sender with data was held back by the receiver's
 *            window or by its own send buffer (RFC 4898, TCP_INFO); the rest of its busy time the
 *            congestion window or the pacing rate did.  The checks, in this order:
 *            short            it took less than 10 ms
 *            pacing           the rate that was requested was reached
 *            receiver_cpu     held back by the window, and the receiver was busy: its thread, or
 *                             the kernel on a core of its host
 *            receive_window   held back by the window, and it was not
 *            send_buffer      held back by the own buffer, of which most was in flight
 *            sender_cpu       the sender was busy, or the receiver
 *            path             round trips grew: a queue before a slower link was full
 *            loss             segments were lost although round trips had not grown: errors, a
 *                             policer, or a queue that is short compared with them.  Lost: sent
 *                             again and not reported as duplicates (DSACK, RFC 2883)
 *            reordering       segments were sent again of which most were not lost
 *            short            it ended before the window could grow
 *            path             else
 * Units      in the names.   Memory  none.   Threads  any.
 * Source     RFC 4898, 2883; the thresholds were measured between namespaces (tests/net/tcp_limits.sh).
 */
#ifndef PACE_CORE_TCP_LIMIT_H
#define PACE_CORE_TCP_LIMIT_H

#include <stdint.h>

enum pace_tcp_limit {
	PACE_TCP_UNKNOWN,	/* nothing was received, or an end's figures are missing */
	PACE_TCP_PACING, PACE_TCP_RECEIVER_CPU, PACE_TCP_RECEIVE_WINDOW, PACE_TCP_SEND_BUFFER,
	PACE_TCP_SENDER_CPU, PACE_TCP_PATH, PACE_TCP_LOSS, PACE_TCP_REORDERING, PACE_TCP_SHORT,
	PACE_TCP_LIMITS
};
extern const char *const pace_tcp_limit_names[PACE_TCP_LIMITS];

/* Sums over the streams of a direction. */
struct pace_tcp_sums {
	double		goodput_bps;
	double		asked_bps;		/* --rate of all streams; 0: none */
	uint64_t	received_bytes, retransmitted_bytes;
	int64_t		busy_ns, window_limited_ns, buffer_limited_ns;
	int64_t		duration_ns;		/* of the transfer */
	double		sender_cpu, receiver_cpu;	/* of the thread: share of one core */
	double		sender_core, receiver_core;	/* of a core of the host, in the kernel; NAN:
						 * not known */
	int64_t		rtt_ns, rtt_min_ns;	/* mean over the intervals; least */
	uint64_t	retransmits, dsack_duplicates;	/* segments sent again; of these, needlessly */
};

/* Return the bytes that were lost: sent again, less those that had arrived. */
double	pace_tcp_lost_bytes(const struct pace_tcp_sums *s);
enum pace_tcp_limit	pace_tcp_limit_of(const struct pace_tcp_sums *s);

#endif
