/*
 * sock.h - a UDP socket that stamps, counts its drops and says what it got.
 *
 * Purpose    the real struct pace_io: batches in and out, kernel receive
 *            stamps mapped to the probe clock, SO_RXQ_OVFL.
 * Stamps     SO_TIMESTAMPING alone (with SO_TIMESTAMPNS beside it the kernel
 *            would make up stamps that are missing).  A frame without a
 *            stamp is timed by the clock and says PACE_STAMP_USER.
 * Device     on request its stamps instead: mapped by readings of its clock (PHC)
 *            beside the wall clock's, at first 5 ms apart, then as far as they
 *            reach back already, up to 100 ms.
 * Errors     -errno with the failed step; closed on every failure.
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
#include "plat/counters.h"
#include "plat/nic.h"
#include "plat/stall.h"

#define PACE_SOCK_BATCH	32
#define PACE_SOCK_STASH	1024	/* the newest are kept */
#define PACE_SEGMENTS	64	/* the kernel's most in one UDP_SEGMENT */
#define PACE_SEGMENT_BYTES	65507

struct pace_sock_cfg {
	struct pace_addr local;		/* family 0: any address, both families */
	struct pace_addr peer;		/* family 0: not connected */
	bool		share_port;	/* SO_REUSEPORT: responder's sockets */
	bool		first_of_port;	/* the listener: what is for nobody comes here; -EADDRINUSE
					 * when somebody else has the port */
	int		passed;		/* above 0: not a new socket but this one, which is bound; it
					 * is closed with ours.  Others of its port must be possible */
	bool		tell_refusals;	/* send fails with ENOBUFS where this host's queue drops */
	uint32_t	rcvbuf_bytes, sndbuf_bytes;	/* wanted; 0: leave */
	int		dscp;		/* 0..63 */
	int		ttl;		/* 1..255; 0: leave */
	bool		fragment;	/* let the sender's IP fragment */
	int64_t		guard_ns;	/* of sleep_until; 0: never spin */
	const volatile sig_atomic_t *stop;	/* ends sleep_until; may be NULL */
};

struct pace_sock {
	int		fd;		/* -1: closed */
	bool		connected;
	uint32_t	rcvbuf_granted, sndbuf_granted;
	int64_t		guard_ns;
	const volatile sig_atomic_t *stop;
	const struct pace_counting *counting;	/* set by who opened it; NULL: nothing is counted */
	bool		segment;	/* UDP_SEGMENT was not refused yet */
	struct pace_clockmap map;
	struct pace_stall_look stalls;	/* private: the beginning of a run */
	/* private: of a step of the wall clock */
	struct pace_clockmap before;	/* the map that was good until it */
	bool		stepped;	/* stamps from before it may still wait */
	int64_t		last_ns;	/* stamp of the last arrival */
	int64_t		looked_ns;	/* no step up to here */
	int64_t		doubt_ns;	/* departures up to here may be of either side */
	/* private: stamps of the device */
	struct pace_nic	*nic;		/* NULL: those of the kernel are wanted */
	struct pace_clockmap phc;	/* its clock in place of the wall clock */
	int64_t		phc_from_ns;	/* the first pair of that */
	bool		phc_lost;	/* it could not be read the last time */
	/* private: departures that were read while nobody asked for them */
	struct pace_departure stash[PACE_SOCK_STASH];
	uint32_t	stashed, taken;
	bool		refused;	/* ICMP said that nobody listens there */
	bool		too_long;	/* ICMP said that a datagram is too long for the path */
	bool		whole;		/* datagrams are not sent in fragments */
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

/* The seam; s must outlive it. */
struct pace_io	pace_sock_io(struct pace_sock *s);

/* Have the device stamp that frames to this peer leave from; *n is dropped by
 * pace_nic_drop.  Nothing is sent. */
int	pace_sock_take_nic(struct pace_nic **n, const struct pace_addr *peer,
	    struct pace_err *err);

/* Path MTU as the kernel knows it for a connected socket, or -errno. */
int	pace_sock_mtu(const struct pace_sock *s, int family);

/* Code point of what is sent from now on; -errno. */
int	pace_sock_dscp(const struct pace_sock *s, int family, uint32_t dscp);

/* Its own address; family 0: not known. */
struct pace_addr	pace_sock_local(const struct pace_sock *s);

/* Port the socket is bound to. */
uint16_t	pace_sock_port(const struct pace_sock *s);

/*
 * Addresses of a host name or literal (an IPv6 literal with or without
 * brackets, with zone).  family 4, 6 or 0: any.  How many (at most max, the
 * system's order), or what is wrong, negative
 * and told in err: -EAFNOSUPPORT is an address of the other family.
 */
int	pace_resolve(const char *host, int family, uint16_t port,
	    struct pace_addr *v, int max, struct pace_err *err);

/* "10.0.0.1" or "fe80::1%eth0". */
char	*pace_addr_text(const struct pace_addr *a, char *buf, size_t size);

#endif
