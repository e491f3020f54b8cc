/*
 * pinger.h - exchanges of times with the responder, by number.
 *
 * Purpose    latency, clock and throughput probes all ask "what time is it?":
 *            send a PING, match its reply, find its kernel stamps, hand the
 *            finished exchange over.
 * Stamps     of one exchange: departure and arrival here, by our clock and by
 *            the kernel; arrival and departure there.  The kernel's departure
 *            stamps come later: ours from the error queue, theirs in a later
 *            reply.
 * Order      exchanges are handed over in the order of sending, each once,
 *            answered or timed out, when nothing more is expected of it.
 * Late       a reply behind its time-out is counted; the exchange stays lost.
 * Foreign    a reply to nothing that was asked, of another length than was
 *            asked for, or with times that cannot be true: before its request,
 *            a residence longer than the round trip, a clock 10 s away from
 *            where the exchanges before had it.  It changes nothing.
 * Sharing    the socket's departure stamps are numbered for all who ask: the
 *            sender of a stream asks here too (pace_pinger_sample).
 * Memory     one allocation in pace_pinger_init; none later.
 * Threads    one.
 * Trust      replies come off the network.
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

#define PACE_PINGER_SIZE	96	/* bytes, both ways, of a clock probe */
#define PACE_PINGER_ROOM	2048	/* of a datagram that comes */
#define PACE_PINGER_STAMPS	1024	/* departure stamps under way */

enum {
	PACE_PING_ANSWERED = 1,		/* in time */
	PACE_PING_LATE = 2,		/* answered after its time-out */
	PACE_PING_T1_KERNEL = 4,
	PACE_PING_T2_KERNEL = 8,
	PACE_PING_T3_KERNEL = 16,
	PACE_PING_T4_KERNEL = 32
};

/* t1, t4: our clock; t2, t3: theirs.  A kernel's time is there when its flag
 * says so; t2 is what their reply had, whatever its stamp. */
struct pace_exchange {
	uint64_t	number;
	uint16_t	reply_bytes;
	uint8_t		flags;
	int64_t		t1_ns, t1_kernel_ns;
	int64_t		t2_ns;
	int64_t		t3_ns, t3_kernel_ns;
	int64_t		t4_ns, t4_kernel_ns;
};

/* Times of the tightest kind known. */
int64_t	pace_exchange_t1(const struct pace_exchange *x);
int64_t	pace_exchange_t3(const struct pace_exchange *x);
int64_t	pace_exchange_t4(const struct pace_exchange *x);
/* Round trip without residence, by those. */
int64_t	pace_exchange_rtt(const struct pace_exchange *x);

struct pace_pinger {
	/* set by the caller, may change between two exchanges */
	struct pace_io	io;
	uint64_t	session;
	uint8_t		stream;
	const struct pace_seal *seal;	/* of the session's messages; NULL: none */
	int64_t		timeout_ns;
	double		rate;		/* of their clock, told in every PING */
	uint32_t	stamp_every;	/* departures are stamped, at both ends, of one in so many */
	struct pace_hist *stack;	/* where a stream's departure samples go; NULL: nowhere */
	void		(*done)(void *ctx, const struct pace_exchange *x);
	void		*ctx;
	/* What came and is neither of ours nor a dismissal; NULL: it is nobody's. */
	void		(*other)(void *ctx, const struct pace_hdr *h, const struct pace_in *in);
	void		*other_ctx;
	/* found */
	uint64_t	sent, answered, timeouts, late, duplicates, foreign;
	int64_t		denied_ns;	/* ICMP said then that nobody listens there; 0: never */
	bool		too_long;	/* ICMP said that a datagram is too long for the path */
	int64_t		heard_ns;	/* arrival of the last reply in this session; 0: none */
	bool		dismissed;	/* the responder ends: it answered a CLOSE that nobody sent */
	bool		cut;		/* it ended this run: the same of a FINISH, which says why */
	struct pace_clockmap wall;	/* theirs against their probe clock */
	int64_t		their_wall_ns;	/* wall - probe clock, newest */
	enum pace_stamp	arrivals;	/* the least good stamp of requests and replies in time,
					 * of this series; NIC: there was none */
	/* private */
	uint64_t	first, next, tail, newest;	/* numbers: of the series, to send, to hand over, answered last */
	uint64_t	followed;	/* highest whose departure there was told later; 0: none yet */
	uint64_t	room;		/* of ring, a power of two */
	struct pace_exchange *ring;
	bool		has_theta, sure;
	int64_t		theta_ns, theta_at_ns;
	uint32_t	asked;		/* departure stamps, over the socket's life */
	struct { uint64_t number; int64_t t_ns; bool ping; } stamps[PACE_PINGER_STAMPS];
	uint8_t		*out;		/* PACE_FRAME_MAX bytes */
	uint8_t		in[4][PACE_PINGER_ROOM];
};

/* room: exchanges under way at most, a power of two.  -ENOMEM. */
int	pace_pinger_init(struct pace_pinger *p, uint64_t room);
void	pace_pinger_free(struct pace_pinger *p);

/* Room for n under way at once, when nothing is; never smaller than before.
 * -ENOMEM: as it was. */
int	pace_pinger_grow(struct pace_pinger *p, uint64_t n);

/* A new series: what was asked before is handed over, and late replies to it
 * are nobody's. */
void	pace_pinger_series(struct pace_pinger *p);

/* A new run. */
void	pace_pinger_run(struct pace_pinger *p, uint8_t stream);

/* A new session: nothing of before is expected any more, numbers go on. */
void	pace_pinger_forget(struct pace_pinger *p);

/* Can another one go under way? */
bool	pace_pinger_has_room(const struct pace_pinger *p);

/* Send one of size bytes and ask for a reply of so many.  0; -errno: not sent. */
int	pace_pinger_send(struct pace_pinger *p, uint32_t size, uint32_t reply_bytes);

/* Take what came, never waits: how many of it answered. */
int	pace_pinger_poll(struct pace_pinger *p);

/* A datagram that somebody else received: was it a reply to us? */
bool	pace_pinger_take(struct pace_pinger *p, const struct pace_hdr *h,
	    const struct pace_in *in, int64_t now_ns);

/* The answer to a CLOSE or a FINISH, and nobody sent one. */
void	pace_pinger_dismiss(struct pace_pinger *p, const struct pace_hdr *h,
	    const struct pace_in *in);

/* Take departure stamps: ours into their exchanges, a stream's to stack. */
void	pace_pinger_departures(struct pace_pinger *p);

/* A frame that is no PING is about to ask for its departure stamp / it was
 * refused and did not. */
void	pace_pinger_sample(struct pace_pinger *p, int64_t t_ns);
void	pace_pinger_unsample(struct pace_pinger *p);

/* Has the oldest one waited longer than its time-out?  Then settle. */
bool	pace_pinger_overdue(const struct pace_pinger *p, int64_t now_ns);

/* Hand over what is finished; all: also what could still get more stamps, and
 * what was not answered up to now counts as timed out. */
void	pace_pinger_settle(struct pace_pinger *p, bool all);

/* Says ICMP that nobody listens there, and has nothing been heard since?  A hint: anybody can
 * say so. */
bool	pace_pinger_denied(const struct pace_pinger *p);

/* Exchanges under way: sent, neither answered nor timed out. */
uint64_t	pace_pinger_open(const struct pace_pinger *p);

#endif
