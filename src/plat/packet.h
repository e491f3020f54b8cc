/*
 * packet.h - sends datagrams as whole frames: the engine "packet".
 *
 * Purpose    a socket of AF_PACKET with PACKET_QDISC_BYPASS hands frames with Ethernet, IP and UDP
 *            headers of its own to the driver.  Routing, firewall and queue disciplines of this
 *            host do not see them.  They have the addresses, ports, marks and TTL of a UDP socket,
 *            which makes them frames of its stream for the receiver; replies come to that socket.
 * Limits     Ethernet interfaces, a source address that the interface has, no fragments.
 * Checksums  are left to the device, or to the kernel where the device makes none, as those of a
 *            UDP socket (PACKET_VNET_HDR).
 * First hop  is asked for once, by pace_packet_aim: a route that changes later is not followed.
 * Captures   on this host do not see the frames.
 * Errors     -errno; reasons in err.   Memory  one allocation.   Threads  one.
 */
#ifndef PACE_PLAT_PACKET_H
#define PACE_PLAT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/host.h"
#include "core/io.h"

struct pace_packet;
struct pace_sock;

/* Note whether this process may open one at the interface of h: PACE_FACT_PACKET_ENGINE. */
void	pace_packet_fact(struct pace_host *h);

/* Open it for a connected UDP socket; interface: what that is bound to, or NULL.  EPERM: the
 * capability CAP_NET_RAW is missing; EADDRNOTAVAIL, EOPNOTSUPP: see Limits. */
int	pace_packet_open(struct pace_packet **p, const struct pace_sock *s, const char *interface,
	    uint32_t sndbuf_bytes, struct pace_err *err);
void	pace_packet_close(struct pace_packet *p);		/* NULL: does nothing */

/* Find the first hop, which must have answered already, and take marks and TTL of the socket. */
int	pace_packet_aim(struct pace_packet *p, const struct pace_sock *s, struct pace_err *err);

/* Its descriptor: departure stamps come there; -1: it has no first hop yet. */
int	pace_packet_fd(const struct pace_packet *p);

/* Change the byte with DSCP and ECN. */
void	pace_packet_mark(struct pace_packet *p, uint8_t tos);

/* Send one datagram: 1 or -errno. */
int	pace_packet_send(struct pace_packet *p, const uint8_t *data, size_t len);

/* Send n contiguous datagrams: how many were taken, or -errno.  segment: the kernel divides them;
 * else each is a frame. */
int	pace_packet_train(struct pace_packet *p, const uint8_t *data, size_t size, int n, bool segment);

#endif
