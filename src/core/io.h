/*
 * io.h - the interface between measurement and the operating system.
 *
 * Purpose    client, server and stream send, receive, read the clock and wait only
 *            through struct pace_io.  plat/ implements it with sockets, the
 *            tests with a simulated network on a virtual clock.
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

/* The ECN field (RFC 3168): its low two bits of the byte with the DSCP. */
enum pace_ecn { PACE_ECN_NOT_ECT, PACE_ECN_ECT1, PACE_ECN_ECT0, PACE_ECN_CE, PACE_ECNS };

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
	uint8_t		*buf;		/* the caller's buffer */
	size_t		size;		/* of the buffer */
	size_t		len;		/* of the datagram; above size: the rest is missing */
	size_t		segment;	/* above 0: buf holds several datagrams of this length,
					 * the last one perhaps shorter; one stamp for all */
	int64_t		stamp_ns;	/* arrival, probe clock */
	enum pace_stamp	stamp;
	uint32_t	drops;		/* socket's drop count (32 bits, wraps) when this was
					 * queued */
	bool		has_drops;
	bool		has_mark;
	uint8_t		mark;		/* DSCP << 2 | ECN, the TOS or traffic class byte */
	uint8_t		ttl;		/* as it arrived, if the socket was opened for that; 0:
					 * not known */
	struct pace_addr from;
	struct pace_addr local;		/* address it was sent to; family 0: not known */
};

struct pace_out {
	const uint8_t	*buf;
	size_t		len;
	bool		stamp;		/* request the departure time */
	uint8_t		tos;		/* with `to`: traffic class of this datagram alone, 0: the
					 * socket's */
	struct pace_addr to;		/* family 0: the connected peer */
	struct pace_addr from;		/* send from this address; family 0: the socket's */
};

/* Interruptions of this thread during a busy wait: two successive clock readings more
 * than PACE_STALL_NS apart. */
#define PACE_STALL_NS	5000
struct pace_stalls {
	uint64_t	count;
	int64_t		total_ns, max_ns;
};

static inline void
pace_stalls_add(struct pace_stalls *st, int64_t ns)
{
	st->count++;
	st->total_ns += ns;
	if (ns > st->max_ns)
		st->max_ns = ns;
}

/* The departure time of a datagram sent with stamp. */
struct pace_departure {
	uint32_t	n;		/* counts datagrams sent with stamp, from 0 */
	int64_t		stamp_ns;	/* probe clock */
};

/* The kernel's state of its wall clock (adjtimex). */
struct pace_clock_state {
	bool		known;
	bool		synchronised;	/* to an outside source, in the kernel's view */
	int64_t		error_ns, error_max_ns;	/* estimate; upper bound */
	double		frequency_ppm;	/* the applied correction */
};

/* Events on this machine; only differences of the counts have a meaning. */
struct pace_usage {
	struct pace_clock_state clock;
	uint64_t	clock_slews;	/* times the wall clock's rate changed by more than 1 ppm */
	uint64_t	preempted;	/* involuntary context switches of the thread */
	int64_t		steal_ns;	/* taken by the hypervisor, all cores */
	uint64_t	clock_steps;	/* times the wall clock was set */
	uint64_t	bad_checksums;	/* UDP datagrams dropped for their checksum, all sockets */
};

struct pace_io {
	void	*ctx;

	/* While sleep_until waits for a frame, keep the code and data of a send in the processor's
	 * caches (warm), and do not sleep (awake); both false: not any more.  NULL: nothing can. */
	void	(*ready)(void *ctx, bool warm, bool awake);

	/* Send up to n datagrams; returns the number accepted, or -errno if none.  An error
	 * reported by ICMP does not fail send: the datagram leaves. */
	int	(*send)(void *ctx, const struct pace_out *v, int n);

	/*
	 * Send n contiguous frames of size bytes as fast as the kernel can; returns
	 * the number accepted, from the front, or -errno if none.  *segmented: the
	 * kernel divided the train (UDP_SEGMENT).
	 */
	int	(*train)(void *ctx, const uint8_t *frames, size_t size, int n,
		    bool *segmented);

	/* Fetch the departures known so far, at most n; 0: none. */
	int	(*departures)(void *ctx, struct pace_departure *v, int n);

	/* Drop outstanding departures; the next datagram sent with stamp is number 0.
	 * Needed after a refused send, which may or may not have used a number. */
	void	(*renumber)(void *ctx);

	/*
	 * Use the device's stamps from now on, or the kernel's again: 0, or -errno
	 * with nothing changed and the reason in err.  An arrival that the device
	 * does not stamp keeps the kernel's stamp; such a departure is missing.
	 * NULL: no device can stamp.
	 */
	int	(*stamps)(void *ctx, bool nic, struct pace_err *err);

	/* Set the code points (DSCP, ECN) of what is sent from now on; -errno.  A NULL member: they
	 * cannot be changed. */
	int	(*mark)(void *ctx, uint32_t dscp, enum pace_ecn ecn);

	/* Allow this host to fragment what is sent from now on; -errno.  A NULL member: it cannot
	 * be changed. */
	int	(*fragment)(void *ctx, bool allow);

	/* Allow the kernel to deliver a train in one piece, or not. */
	void	(*coalesce)(void *ctx, bool on);

	void	(*usage)(void *ctx, struct pace_usage *u);

	/* Measure what takes the core from this thread: c NULL starts, the next call gives the
	 * amounts since then; takes ms.  A NULL member: not available. */
	void	(*causes)(void *ctx, struct pace_stall_causes *c);

	/* Read this host's counters before or after a stream; takes ms.  A NULL member: not
	 * available. */
	void	(*counters)(void *ctx, struct pace_counters *c, enum pace_side side);

	/* Read only the energy, quickly; returns the time of the reading.  A NULL member: not
	 * available. */
	int64_t	(*energy)(void *ctx, struct pace_energy *e);

	/* Receive up to n waiting datagrams without waiting; 0: none.  -ECONNREFUSED: none, and
	 * an ICMP message says that the port is closed; anybody can forge it.  -EMSGSIZE: none,
	 * and an ICMP message says that a datagram is too long for the path. */
	int	(*recv)(void *ctx, struct pace_in *v, int n);

	int64_t	(*now)(void *ctx);

	/* Wall clock - probe clock, at most a few ms old. */
	int64_t	(*wall)(void *ctx);

	/* Wait until t_ns, whether data arrive or not, and return the clock's reading.  st NULL: no
	 * frame is due then; a wait of more than a tenth of a ms may end as late as the kernel wakes
	 * a thread.  Returns early only if the process was asked to stop. */
	int64_t	(*sleep_until)(void *ctx, int64_t t_ns, struct pace_stalls *st);

	/* Wait for a datagram or a departure: 1; 0 at until_ns; or -EINTR. */
	int	(*wait)(void *ctx, int64_t until_ns);

	/* The socket's drop count now (32 bits, wraps). */
	uint32_t (*drops)(void *ctx);
};

/* Call io->stamps, if it is there. */
static inline int
pace_io_stamps(const struct pace_io *io, bool nic, struct pace_err *err)
{
	if (io->stamps != NULL)
		return io->stamps(io->ctx, nic, err);
	return nic ? pace_failf(err, EOPNOTSUPP, "stamp", "no device that stamps") : 0;
}

/* Call io->counters, if it is there; *c is freed first. */
static inline void
pace_io_counters(const struct pace_io *io, struct pace_counters *c, enum pace_side side)
{
	pace_counters_free(c);
	if (io->counters != NULL)
		io->counters(io->ctx, c, side);
}

/* Are address and port equal? */
bool	pace_addr_same(const struct pace_addr *a, const struct pace_addr *b);

/* Is it a multicast group? */
bool	pace_addr_is_group(const struct pace_addr *a);

/* Is it an address of one host that may be anywhere in the Internet?  Not so: loopback, link-local,
 * private (RFC 1918, RFC 6598, RFC 4193), documentation (RFC 5737, RFC 3849) and benchmarks
 * (RFC 2544). */
bool	pace_addr_is_public(const struct pace_addr *a);

/* Limits are counted by these prefixes of an address, the longest first.  A network is an
 * IPv4 /24 or an IPv6 /48, usually the most that one customer of a provider has. */
enum pace_prefix {
	PACE_PREFIX_HOST,	/* IPv4 /32, IPv6 /64 */
	PACE_PREFIX_SITE,	/* IPv4 /32, IPv6 /56 */
	PACE_PREFIX_NETWORK,	/* IPv4 /24, IPv6 /48 */
	PACE_PREFIXES
};

/* The prefix of an address: all later bits, port and zone are 0. */
struct pace_addr	pace_addr_prefix(const struct pace_addr *a, enum pace_prefix p);

/* Do two addresses share that prefix?  Port and zone do not matter. */
bool	pace_addr_same_prefix(const struct pace_addr *a, const struct pace_addr *b,
	    enum pace_prefix p);

#endif
