/*
 * sock.h - a UDP socket with stamps, drop counts and known buffer sizes.
 *
 * Purpose    implements struct pace_io: batches in and out, kernel stamps mapped to
 *            the probe clock, SO_RXQ_OVFL.
 * Stamps     SO_TIMESTAMPING only: with SO_TIMESTAMPNS in addition, the kernel would
 *            invent missing stamps.  A frame without a stamp is stamped by the clock,
 *            with PACE_STAMP_USER.
 *            cfg.wall_stamps leaves arrivals on the wall clock, as captures have them.
 * Device     its stamps are used on request.  They are mapped by paired readings of
 *            its clock (PHC) and the wall clock, at first 5 ms apart; the distance
 *            grows with the time covered, up to 100 ms.
 * Errors     -errno with the failed step; every failure closes the socket.
 * Memory     about 20 KiB in the struct.   Threads  one.
 */
#ifndef PACE_PLAT_SOCK_H
#define PACE_PLAT_SOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "core/clockmap.h"
#include "core/err.h"
#include "core/io.h"
#include "plat/addr.h"
#include "plat/counters.h"
#include "plat/nic.h"
#include "plat/stall.h"

#define PACE_SOCK_BATCH	32
#define PACE_SOCK_STASH	1024	/* the newest are kept */
#define PACE_SEGMENTS	64	/* the kernel's most in one UDP_SEGMENT */
#define PACE_SEGMENT_BYTES	65507

/* Steps of the opening that an option of the command line asks for. */
#define PACE_SOCK_INTERFACE	"setsockopt(SO_BINDTODEVICE)"
#define PACE_SOCK_PRIORITY	"setsockopt(SO_PRIORITY)"
#define PACE_SOCK_FLOW_LABEL	"setsockopt(IPV6_FLOWLABEL_MGR)"

struct pace_sock_cfg {
	struct pace_addr local;		/* family 0: any address, both families */
	struct pace_addr peer;		/* family 0: not connected */
	bool		share_port;	/* SO_REUSEPORT: responder's sockets */
	bool		share_group;	/* others on this host may bind to the same group and port */
	bool		wall_stamps;	/* arrivals are stamped by the wall clock, ns since 1970 */
	bool		first_of_port;	/* the listener: gets datagrams of no session; -EADDRINUSE
					 * if another program has the port */
	int		passed;		/* above 0: use this bound socket, closed with ours; its
					 * port must allow sharing */
	bool		tell_refusals;	/* send fails with ENOBUFS where this host's queue drops */
	uint32_t	rcvbuf_bytes, sndbuf_bytes;	/* requested; 0: the default */
	int		dscp;		/* 0..63 */
	enum pace_ecn	ecn;
	uint32_t	flow_label;	/* IPv6, 20 bits; 0: the kernel's choice */
	bool		prioritise;	/* SO_PRIORITY is priority; else the kernel derives it */
	int		priority;
	const char	*interface;	/* send and receive there only; NULL: any */
	int		ttl;		/* 1..255; 0: the default, which is 1 to a group */
	bool		loop;		/* to a group: also to its members on this host */
	bool		headers;	/* arrivals have their TTL and traffic class */
	bool		fragment;	/* allow this host to fragment datagrams */
	int64_t		guard_ns;	/* of sleep_until; 0: never spin */
	const volatile sig_atomic_t *stop;	/* ends sleep_until; may be NULL */
};

struct pace_sock {
	int		fd;		/* -1: closed */
	bool		connected;
	uint32_t	rcvbuf_granted, sndbuf_granted;
	int64_t		guard_ns;
	const volatile sig_atomic_t *stop;
	struct pace_packet *packet;	/* set after the opening, closed with it: sends what goes to
					 * the connected peer, once it has a first hop; NULL: the
					 * socket does */
	const struct pace_warm *warm;	/* set after the opening, lent; NULL: none */
	int		keeps_warm;	/* private: before frames, with that address family; 0: no */
	int64_t		awake_ns;	/* private: before frames, it does not sleep */
	const struct pace_counting *counting;	/* set after the opening; NULL: no counters */
	bool		v6;		/* an IPv6 socket, perhaps for both families */
	bool		segment;	/* UDP_SEGMENT was not refused yet */
	bool		wall_stamps;	/* as in the configuration */
	struct pace_clockmap map;
	struct pace_stall_look stalls;	/* private: the beginning of a run */
	/* private: a step of the wall clock */
	struct pace_clockmap before;	/* the map before the step */
	bool		stepped;	/* stamps from before the step may still arrive */
	int64_t		last_ns;	/* stamp of the last arrival */
	int64_t		looked_ns;	/* no step up to here */
	int64_t		doubt_ns;	/* departures up to here may be from before or after */
	/* private: stamps of the device */
	struct pace_nic	*nic;		/* NULL: the kernel stamps */
	struct pace_clockmap phc;	/* maps the device's clock instead of the wall clock */
	int64_t		phc_from_ns;	/* its first pair */
	bool		phc_lost;	/* the last reading failed */
	bool		stamps_all;	/* departures without a request are stamped as well */
	/* private: departures read before the caller requested them */
	struct pace_departure stash[PACE_SOCK_STASH];
	uint32_t	stashed, taken;
	bool		refused;	/* ICMP: the port is closed */
	bool		too_long;	/* ICMP: a datagram is too long for the path */
	bool		whole;		/* datagrams are not fragmented */
	bool		prioritise;	/* as in the configuration, with priority */
	int		priority;
	/* private: the batch */
	struct mmsghdr	msg[PACE_SOCK_BATCH];
	struct iovec	iov[PACE_SOCK_BATCH];
	struct sockaddr_in6 name[PACE_SOCK_BATCH];	/* room for either family */
	_Alignas(8) char control[PACE_SOCK_BATCH][192];
	int64_t		nic_ns[PACE_SOCK_BATCH];	/* by the device's clock, 0: no stamp */
};

int	pace_sock_open(struct pace_sock *s, const struct pace_sock_cfg *cfg,
	    struct pace_err *err);
void	pace_sock_close(struct pace_sock *s);

/* The socket as a struct pace_io; s must outlive it. */
struct pace_io	pace_sock_io(struct pace_sock *s);

/* Wait for a datagram or a departure at any of n sockets, at most PACE_SOCK_WAIT_MAX: as
 * pace_io.wait. */
#define PACE_SOCK_WAIT_MAX	256
int	pace_sock_wait(struct pace_sock *const *v, int n, int64_t until_ns);

/* Make the device of the route to this peer stamp; release *n with pace_nic_drop.  Nothing is
 * sent. */
int	pace_sock_take_nic(struct pace_nic **n, const struct pace_addr *peer,
	    struct pace_err *err);

/* The kernel's path MTU for a connected socket, or -errno. */
int	pace_sock_mtu(const struct pace_sock *s, int family);

/* Set DSCP and ECN of later datagrams; -errno. */
int	pace_sock_mark(const struct pace_sock *s, int family, uint32_t dscp, enum pace_ecn ecn);

/* Allow this host to fragment later datagrams, or not; -errno. */
int	pace_sock_fragment(struct pace_sock *s, int family, bool allow);

/* The socket's own address; family 0: not known. */
struct pace_addr	pace_sock_local(const struct pace_sock *s);

#endif
