/*
 * pinger.h - exchanges of times with the responder, by number.
 *
 * Purpose    latency, clock and throughput probes share one function: send a PING, match
 *            its reply, find its kernel stamps, hand over the finished exchange.
 * Stamps     an exchange has the client's departure and arrival, by its clock and by its
 *            kernel, and the responder's arrival and departure.  Kernel departure stamps
 *            come later: ours from the error queue, the responder's in a later reply.
 * Order      exchanges are handed over in the order of sending, each once, answered or timed
 *            out, when no more is expected of them.
 * Late       a reply after its time-out is counted; the exchange stays lost.
 * Foreign    a reply that matches no request, has another length than requested, or has
 *            impossible times: before its request, a residence longer than the round trip,
 *            or a clock 10 s away from earlier exchanges.  It is counted and ignored.
 * STAMP      with a stamp session, requests and replies are those of RFC 8762.  A reply whose times
 *            are impossible then counts as a reply, without PACE_PING_TIMES: its round trip is
 *            measured here, and the reflector may be any router.
 * Sharing    departure stamps are numbered per socket, so the sender of a stream requests
 *            its stamps through the pinger (pace_pinger_sample).
 * Memory     one allocation in pace_pinger_init; none later.
 * Threads    one.
 * Trust      replies come off the network and are checked.
 */
#ifndef PACE_STREAM_PINGER_H
#define PACE_STREAM_PINGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clockfit.h"
#include "core/clockmap.h"
#include "core/hist.h"
#include "core/io.h"
#include "core/wire.h"
#include "proto/seal.h"
#include "stream/stamp_session.h"
#include "stream/tx_stamps.h"

#define PACE_PINGER_SIZE	96	/* bytes of a clock probe by PING, in both directions */
#define PACE_PINGER_ROOM	2048	/* bytes of a received datagram */
#define PACE_PINGER_STAMPS	1024	/* departure stamps requested and not yet read */

enum {
	PACE_PING_ANSWERED = 1,		/* in time */
	PACE_PING_LATE = 2,		/* answered after its time-out */
	PACE_PING_T1_KERNEL = 4,
	PACE_PING_T2_KERNEL = 8,
	PACE_PING_T3_KERNEL = 16,
	PACE_PING_T4_KERNEL = 32,
	PACE_PING_TIMES = 64		/* of STAMP: t2 and t3 are plausible */
};

/* t1, t4: our clock; t2, t3: the responder's.  A kernel time is valid if its flag is set; t2 is
 * the responder's figure, with any stamp. */
struct pace_exchange {
	uint64_t	number;
	uint16_t	reply_bytes;
	uint8_t		flags;
	int64_t		t1_ns, t1_kernel_ns;
	int64_t		t2_ns;
	int64_t		t3_ns, t3_kernel_ns;
	int64_t		t4_ns, t4_kernel_ns;
	uint64_t	t1_wire;	/* of STAMP: T1 as sent */
	uint32_t	their_seq;	/* of STAMP: the reflector's number of the first reply */
};

/* Return the best time known: the kernel's if there is one. */
int64_t	pace_exchange_t1(const struct pace_exchange *x);
int64_t	pace_exchange_t3(const struct pace_exchange *x);
int64_t	pace_exchange_t4(const struct pace_exchange *x);
/* Return the round-trip time without residence, from these times. */
int64_t	pace_exchange_rtt(const struct pace_exchange *x);

struct pace_pinger {
	/* set by the caller, may change between two exchanges */
	struct pace_io	io;
	uint64_t	session;
	uint8_t		run;
	const struct pace_seal *seal;	/* of the session's messages; NULL: none */
	struct pace_stamp_session *stamp;	/* exchanges by STAMP; NULL: by PING */
	int64_t		timeout_ns;
	double		rate;		/* of the responder's clock, sent in every PING */
	bool		prove;		/* return the values that prove arrival of frames */
	uint64_t	proof;		/* the newest one; a receiver of frames sets it too */
	uint32_t	stamp_every;	/* one of this many PINGs is stamped at departure, at
					 * both ends */
	struct pace_tx_stamps frames;	/* stamps of a stream's frames */
	void		(*done)(void *ctx, const struct pace_exchange *x);
	void		*ctx;
	/* Called with any other datagram; NULL: it is foreign. */
	void		(*other)(void *ctx, const struct pace_hdr *h, const struct pace_in *in);
	void		*other_ctx;
	/* found */
	uint64_t	sent, answered, timeouts, late, duplicates, foreign;
	uint64_t	reordered;	/* replies that came after the reply to a later request */
	int64_t		denied_ns;	/* when ICMP reported the port unreachable; 0: never */
	bool		too_long;	/* ICMP reported a datagram too long for the path */
	int64_t		heard_ns;	/* arrival of the last reply in this session; 0: none */
	bool		dismissed;	/* the responder stops: it sent an answer to a CLOSE
					 * that the client had not sent */
	bool		cut;		/* the responder ended this run: the same with FINISH,
					 * whose answer gives the reason */
	struct pace_clockmap wall;	/* the responder's wall clock by its probe clock */
	int64_t		their_wall_ns;	/* wall - probe clock, newest */
	enum pace_stamp	arrivals;	/* the worst stamp of timely requests and replies of
					 * this series; NIC: none yet */
	/* private */
	uint64_t	first, next, tail, newest;	/* numbers: of the series, to send, to
							 * hand over, answered last */
	uint64_t	followed;	/* highest number whose departure stamp came later; 0:
					 * none yet */
	uint64_t	room;		/* of ring, a power of two */
	struct pace_exchange *ring;
	bool		has_theta, sure;
	int64_t		theta_ns, theta_at_ns;
	uint32_t	asked;		/* departure stamps requested, over the socket's life */
	struct { uint64_t number; int64_t t_ns; bool ping; } stamps[PACE_PINGER_STAMPS];
	uint32_t	most;		/* bytes of a request */
	uint8_t		*out;
	uint8_t		in[4][PACE_PINGER_ROOM];
};

/* *p is zero.  room: the most exchanges under way, a power of two; most: bytes of the largest
 * request.  -ENOMEM. */
int	pace_pinger_init(struct pace_pinger *p, uint64_t room, uint32_t most);
void	pace_pinger_free(struct pace_pinger *p);

/* Make room for n exchanges under way; call it when none is.  The room never shrinks.  -ENOMEM:
 * unchanged. */
int	pace_pinger_grow(struct pace_pinger *p, uint64_t n);

/* Begin a series: hand over earlier exchanges; late replies to them are foreign. */
void	pace_pinger_series(struct pace_pinger *p);

/* Begin a run. */
void	pace_pinger_run(struct pace_pinger *p, uint8_t run);

/* Begin a session: expect no earlier replies; the numbers continue. */
void	pace_pinger_forget(struct pace_pinger *p);

/* The size of a clock probe. */
uint32_t	pace_pinger_size(const struct pace_pinger *p);

/* True if one more exchange can be under way. */
bool	pace_pinger_has_room(const struct pace_pinger *p);

/* Send a PING of size bytes that requests a reply of reply_bytes.  0; -errno: not sent. */
int	pace_pinger_send(struct pace_pinger *p, uint32_t size, uint32_t reply_bytes);

/* Take all datagrams that wait; returns how many were replies. */
int	pace_pinger_poll(struct pace_pinger *p);

/* Take a datagram that the caller received; true if it was a reply to a PING. */
bool	pace_pinger_take(struct pace_pinger *p, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now_ns);

/* Take the answer to a CLOSE or FINISH that the client did not send. */
void	pace_pinger_dismiss(struct pace_pinger *p, const struct pace_hdr *h,
	    const struct pace_in *in);

/* Read departure stamps: of PINGs into their exchanges, of a stream to frames. */
void	pace_pinger_departures(struct pace_pinger *p);

/* Frame `number`, which is no PING, is about to request a departure stamp / the kernel refused
 * this frame: the stamps before it are read, later ones start from 0. */
void	pace_pinger_sample(struct pace_pinger *p, uint64_t number, int64_t t_ns);
void	pace_pinger_unsample(struct pace_pinger *p);

/* True if the oldest exchange has passed its time-out; then call settle. */
bool	pace_pinger_overdue(const struct pace_pinger *p, int64_t now_ns);

/* Hand over finished exchanges.  all: also those that may still get stamps; exchanges without an
 * answer count as timed out. */
void	pace_pinger_settle(struct pace_pinger *p, bool all);

/* True if ICMP reported the port unreachable and no reply has come since.  Only a hint: anybody
 * can forge it. */
bool	pace_pinger_denied(const struct pace_pinger *p);

/* Return the number of exchanges under way: neither answered nor timed out. */
uint64_t	pace_pinger_open(const struct pace_pinger *p);

#endif
