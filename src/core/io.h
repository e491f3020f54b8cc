/*
 * io.h - the seam between measuring and the world.
 *
 * Purpose    everything in session/ sends, receives, reads the clock and
 *            waits through struct pace_io; plat/ fills it with sockets, the
 *            tests with a network on a virtual clock.
 * Units      ns of the probe clock (CLOCK_MONOTONIC_RAW on Linux), bytes.
 * Errors     -errno; nothing is printed.
 * Threads    one pace_io belongs to one thread.
 */
#ifndef PACE_CORE_IO_H
#define PACE_CORE_IO_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/counters.h"
#include "core/err.h"
#include "core/stall.h"

/* Where a time was taken. */
enum pace_stamp {
	PACE_STAMP_NONE,	/* no time is known */
	PACE_STAMP_USER,	/* clock read in user space */
	PACE_STAMP_KERNEL,	/* software stamp of the kernel */
	PACE_STAMP_NIC		/* stamp of the device */
};

/* A peer.  IPv4 uses the first four bytes of ip. */
struct pace_addr {
	uint8_t		family;		/* 4, 6, or 0: none */
	uint16_t	port;		/* host byte order */
	uint32_t	scope;		/* IPv6 zone, else 0 */
	uint8_t		ip[16];
};

struct pace_in {
	uint8_t		*buf;		/* caller's room */
	size_t		size;		/* bytes of room */
	size_t		len;		/* length of the datagram; above size: the rest was cut off */
	size_t		segment;	/* above 0: datagrams of this length, one behind the other,
					 * the last one may be shorter; one stamp for all */
	int64_t		stamp_ns;	/* arrival, probe clock */
	enum pace_stamp	stamp;
	uint32_t	drops;		/* socket's drop count (32 bits, wraps) when this was queued */
	bool		has_drops;
	struct pace_addr from;
	struct pace_addr local;		/* address it was sent to; family 0: not known */
};

struct pace_out {
	const uint8_t	*buf;
	size_t		len;
	bool		alike;		/* take the way of those with stamp, so that these are no slower */
	bool		stamp;		/* ask for the time of departure */
	struct pace_addr to;		/* family 0: the connected peer */
	struct pace_addr from;		/* send from this address; family 0: the socket's */
};

/* Freezes of this thread seen while it waited for a moment: two clock reads
 * in a row more than PACE_STALL_NS apart. */
#define PACE_STALL_NS	5000
struct pace_stalls {
	uint64_t	count;
	int64_t		total_ns, max_ns;
};

/* When a datagram that asked for it left, in the order of asking. */
struct pace_departure {
	uint32_t	n;		/* which, from 0 */
	int64_t		stamp_ns;	/* probe clock */
};

/* What the kernel says of its wall clock (adjtimex). */
struct pace_clock_state {
	bool		known;
	bool		synchronised;	/* to something outside, as far as it knows */
	int64_t		error_ns, error_max_ns;	/* estimated; not above */
	double		frequency_ppm;	/* the correction that is applied */
};

/* What the machine did; of counts, differences count. */
struct pace_usage {
	struct pace_clock_state clock;
	uint64_t	clock_slews;	/* times the wall clock's rate changed by more than 1 ppm */
	uint64_t	preempted;	/* involuntary context switches of the thread */
	int64_t		steal_ns;	/* taken by the hypervisor, all cores */
	uint64_t	clock_steps;	/* times the wall clock was seen to be set */
	uint64_t	bad_checksums;	/* UDP datagrams so dropped, all sockets */
};

struct pace_io {
	void	*ctx;

	/* Send up to n datagrams; how many were taken, or -errno if none.  What ICMP messages
	 * say is no failure of send: the datagram leaves. */
	int	(*send)(void *ctx, const struct pace_out *v, int n);

	/*
	 * Send n frames of size bytes that lie one behind the other, as fast as
	 * the kernel can; how many it took from the front, or -errno if none.
	 * *segmented: it cut them apart itself (UDP_SEGMENT).
	 */
	int	(*train)(void *ctx, const uint8_t *frames, size_t size, int n,
		    bool *segmented);

	/* Departures known by now, at most n; 0: none. */
	int	(*departures)(void *ctx, struct pace_departure *v, int n);

	/* Forget departures that are still to come; the next that is asked for
	 * is number 0 again.  After a refusal nobody knows if it took a number. */
	void	(*renumber)(void *ctx);

	/*
	 * From now on stamps of the device, or those of the kernel again: 0, or
	 * -errno and all is as it was, err has the reason in words.  A frame that
	 * the device did not stamp then has the kernel's stamp; a departure that it
	 * did not stamp is not told.  NULL: there is no device that could.
	 */
	int	(*stamps)(void *ctx, bool nic, struct pace_err *err);

	/* Let the kernel hand over trains in one piece, or not. */
	void	(*coalesce)(void *ctx, bool on);

	void	(*usage)(void *ctx, struct pace_usage *u);

	/* What takes the core from this thread: NULL begins to look, then the amounts since
	 * are told; takes ms.  NULL: nothing is told. */
	void	(*causes)(void *ctx, struct pace_stall_causes *c);

	/* What this host has counted so far, before or after a stream; takes ms.
	 * NULL: nothing is told. */
	void	(*counters)(void *ctx, struct pace_counters *c, enum pace_side side);

	/* Energy alone, and when; quick.  NULL: nothing is told. */
	int64_t	(*energy)(void *ctx, struct pace_energy *e);

	/* Take up to n waiting datagrams, never wait; 0: none; -ECONNREFUSED: none, and
	 * an ICMP message said that nobody listens there, which anybody can say; -EMSGSIZE:
	 * none, and one said that a datagram is too long for the path. */
	int	(*recv)(void *ctx, struct pace_in *v, int n);

	int64_t	(*now)(void *ctx);

	/* Wall clock - probe clock, as of the last few ms. */
	int64_t	(*wall)(void *ctx);

	/* Return at t_ns or as soon after it as possible, data or not; the
	 * clock's reading then.  st may be NULL.  Ends early only when the
	 * process was told to stop. */
	int64_t	(*sleep_until)(void *ctx, int64_t t_ns, struct pace_stalls *st);

	/* Return when a datagram or a departure waits (1), at until_ns (0), or
	 * -EINTR. */
	int	(*wait)(void *ctx, int64_t until_ns);

	/* The socket's drop count now (32 bits, wraps). */
	uint32_t (*drops)(void *ctx);
};

/* io->stamps, where there is one. */
static inline int
pace_io_stamps(const struct pace_io *io, bool nic, struct pace_err *err)
{
	if (io->stamps != NULL)
		return io->stamps(io->ctx, nic, err);
	return nic ? pace_failf(err, EOPNOTSUPP, "stamp", "no device that stamps") : 0;
}

/* io->counters, where there is one; *c as pace_counters_free leaves it, or read
 * before. */
static inline void
pace_io_counters(const struct pace_io *io, struct pace_counters *c, enum pace_side side)
{
	pace_counters_free(c);
	if (io->counters != NULL)
		io->counters(io->ctx, c, side);
}

/* Same address and port? */
bool	pace_addr_same(const struct pace_addr *a, const struct pace_addr *b);

/* The prefixes of an address that limits are counted by, the longest first.  A network is
 * an IPv4 /24 or an IPv6 /48: what one customer of a provider usually has at most. */
enum pace_prefix {
	PACE_PREFIX_HOST,	/* IPv4 /32, IPv6 /64 */
	PACE_PREFIX_SITE,	/* IPv4 /32, IPv6 /56 */
	PACE_PREFIX_NETWORK,	/* IPv4 /24, IPv6 /48 */
	PACE_PREFIXES
};

/* The prefix of an address as an address: all later bits, port and zone are 0. */
struct pace_addr	pace_addr_prefix(const struct pace_addr *a, enum pace_prefix p);

/* Is that prefix of two addresses the same?  Port and zone do not matter. */
bool	pace_addr_same_prefix(const struct pace_addr *a, const struct pace_addr *b,
	    enum pace_prefix p);

/* PACE_PREFIX_HOST is the same. */
bool	pace_addr_same_host(const struct pace_addr *a, const struct pace_addr *b);

#endif
