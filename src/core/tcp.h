/*
 * tcp.h - a run of TCP connections: parameters, figures, and the engine that moves the bytes.
 *
 * Purpose    client and responder run the same engine (plat/tcp_run.h): it writes or reads
 *            what the connections take, and keeps the kernel's TCP_INFO of each, per interval and
 *            at the end.  client and server reach it through struct pace_tcp_engine.
 * Units      in the names; times count from the moment when all connections were there, on the
 *            clock of the end that reports them.
 * Source     linux/tcp.h (struct tcp_info); RFC 9293, 9438, 4898.
 */
#ifndef PACE_CORE_TCP_H
#define PACE_CORE_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/io.h"

#define PACE_TCP_STREAMS	256		/* of each direction */
#define PACE_TCP_ROWS		4096		/* intervals of all connections of one end */
#define PACE_TCP_SEGMENT	1448		/* bytes of user data in most segments */
#define PACE_TCP_HELLO		48		/* bytes that prove a connection */
#define PACE_TCP_ALGORITHM	16		/* TCP_CA_NAME_MAX */
#define PACE_TCP_CONNECT_NS	INT64_C(5000000000)	/* from one connection to the next */
#define PACE_TCP_SILENT_NS	INT64_C(10000000000)	/* without an acknowledgement: the peer is dead */

struct pace_tcp_params {
	uint32_t	streams;	/* connections of each direction, 1 to PACE_TCP_STREAMS */
	bool		up, down;	/* directions; up: the client sends */
	int64_t		duration_ns;	/* how long to write; 0: length_bytes of each stream */
	uint64_t	length_bytes;
	uint32_t	write_bytes;	/* of each call */
	uint64_t	rate_bps;	/* of a stream's user data; 0: as fast as TCP allows */
	uint32_t	window_bytes;	/* requested buffers of both ends; 0: the kernels' tuning */
	uint32_t	mss_bytes;	/* 0: by the path */
	char		congestion[PACE_TCP_ALGORITHM];	/* "": the sender's default */
	bool		no_delay;	/* no Nagle algorithm */
	bool		zero_copy;	/* MSG_ZEROCOPY */
	uint32_t	dscp;
	int64_t		interval_ns;	/* of the rows; doubled while there would be too many */
	/* Instead of a stream: the data is requests of request_bytes, one after the reply to the
	 * other, each answered with reply_bytes; 0: a stream. */
	uint32_t	request_bytes, reply_bytes;
};
#define PACE_TCP_REQUEST	(1 << 24)	/* bytes of a request or a reply */

/* What the kernel says of a connection. */
struct pace_tcp_info {
	uint64_t	retransmits;		/* segments, since the connection began */
	uint64_t	retransmitted_bytes;
	uint64_t	segments_out;		/* with data */
	uint64_t	dsack_duplicates;	/* segments that arrived twice, by DSACK */
	uint64_t	reorder_events;
	uint32_t	reordering;		/* segments that it takes for reordered, not lost */
	uint32_t	mss_bytes, cwnd_segments;
	uint32_t	peer_window_bytes;	/* that the receiver offers */
	int64_t		rtt_ns, rtt_var_ns, rtt_min_ns;
	uint64_t	delivery_bps, pacing_bps;	/* 0: not known */
	int64_t		busy_ns;		/* with data to send */
	int64_t		window_limited_ns, buffer_limited_ns;	/* of this: by the receiver's
							 * window, by the own send buffer */
};

/* The end of an interval. */
struct pace_tcp_row {
	int64_t		at_ns;
	uint64_t	bytes;		/* so far, as of struct pace_tcp_end */
	struct pace_tcp_info info;
};

/* One end of a connection. */
struct pace_tcp_end {
	bool		connected;
	bool		complete;	/* sender: all was acknowledged; receiver: the sender's end
					 * came */
	int		failed;		/* errno that ended it; 0: none */
	uint64_t	bytes;		/* acknowledged; of a receiver, received */
	uint64_t	written;	/* by the sender; of a receiver 0 */
	int64_t		first_ns, last_ns;	/* first and last byte received; of a sender, first
					 * write and last acknowledgement */
	uint32_t	sndbuf_bytes, rcvbuf_bytes;	/* at the end */
	char		congestion[PACE_TCP_ALGORITHM];
	struct pace_tcp_info info;	/* the last */
	uint32_t	rows;
	struct pace_tcp_row *row;	/* NULL if there are none */
};

/* One end of a run; by direction [0] up, [1] down. */
struct pace_tcp_side {
	int64_t		interval_ns;	/* of the rows */
	int64_t		duration_ns;	/* until the last connection ended */
	int64_t		cpu_ns;		/* processor time of the engine's thread */
	struct pace_tcp_end *end[2];	/* of each stream; NULL: no such direction */
};

/* A run as far as it got. */
struct pace_tcp_counts {
	uint32_t	connections;	/* that are there */
	uint64_t	in_bytes, out_bytes;	/* user data received; written to sockets */
	/* of the ends that send, at the last interval: segments sent again; the mean round trip, 0:
	 * none sends or it is not known */
	uint64_t	retransmits;
	int64_t		rtt_ns;
	bool		begun, over;
};

struct pace_tcp_run;

/* How a client connects. */
struct pace_tcp_dial {
	struct pace_addr peer, local;	/* local: family 0: any */
	const char	*interface;	/* "": by the route */
	/* Fill in what proves the connection. */
	void		(*hello)(void *ctx, bool down, uint32_t stream, uint8_t to[PACE_TCP_HELLO]);
	void		*ctx;
	const volatile int *stop;	/* may be NULL */
};

/* The engine.  All but stop and look are for one thread at a time. */
struct pace_tcp_engine {
	/* NULL: no memory. */
	struct pace_tcp_run *(*create)(const struct pace_tcp_params *p, bool client);
	/* Open all connections: 0 or -errno with a text. */
	int	(*dial)(struct pace_tcp_run *r, const struct pace_tcp_dial *d, struct pace_err *err);
	/* Move bytes until until_ns at the latest.  False: the run is over. */
	bool	(*step)(struct pace_tcp_run *r, int64_t until_ns);
	/* Of a client with request_bytes: send a request and await the reply, or go on with it.
	 * 1: *rtt_ns is set; 0: not until until_ns; -errno: the connection ended.  *sent_ns: when
	 * the request left. */
	int	(*request)(struct pace_tcp_run *r, int64_t until_ns, int64_t *sent_ns,
		    int64_t *rtt_ns);
	/* Write no more; what is under way is still delivered. */
	void	(*stop)(struct pace_tcp_run *r);
	void	(*look)(struct pace_tcp_run *r, struct pace_tcp_counts *c);
	/* The figures of the run, until it is destroyed. */
	const struct pace_tcp_side *(*side)(struct pace_tcp_run *r);
	void	(*destroy)(struct pace_tcp_run *r);	/* NULL is accepted */
};

/* The responder's host: it accepts connections whose proof the key makes, and runs them in a thread of
 * its own. */
#define PACE_TCP_SECRET	32
struct pace_tcp_host {
	const struct pace_tcp_engine *engine;	/* stop and look only */
	/* -ENOMEM; -errno of the thread.  The run is over when its connections are, or when none
	 * comes for PACE_TCP_CONNECT_NS. */
	int	(*begin)(void *ctx, const struct pace_tcp_params *p, const struct pace_addr *peer,
		    uint64_t session, uint8_t run, const uint8_t key[PACE_TCP_SECRET],
		    struct pace_tcp_run **r);
	/* The figures of a run, which is ended if it goes on. */
	const struct pace_tcp_side	*(*side)(void *ctx, struct pace_tcp_run *r);
	/* End it at once, and free it. */
	void	(*end)(void *ctx, struct pace_tcp_run *r);
	void	*ctx;
};

/* Return the bytes that the larger direction of all requests has; 0: a stream. */
static inline double
pace_tcp_exchanged(const struct pace_tcp_params *p)
{
	double n = p->request_bytes > 0 ? (double)p->length_bytes / p->request_bytes : 0;

	return n * (p->reply_bytes > p->request_bytes ? p->reply_bytes : p->request_bytes);
}

/* Return the user data of most segments, of the sender or of replies: what a count of bytes is divided
 * by for a count of frames. */
static inline uint32_t
pace_tcp_segment(const struct pace_tcp_params *p, bool reply)
{
	uint32_t n = PACE_TCP_SEGMENT, whole = reply ? p->reply_bytes : p->request_bytes;

	if (p->mss_bytes > 0 && p->mss_bytes < n)
		n = p->mss_bytes;
	return whole > 0 && whole < n ? whole : n;
}

/* Return the connections of a run. */
static inline uint32_t
pace_tcp_connections(const struct pace_tcp_params *p)
{
	return p->streams * ((uint32_t)p->up + (uint32_t)p->down);
}

#endif
