/*
 * socket_source.h - datagrams of a UDP socket as the frames of a capture.
 *
 * Purpose    udpace receive: the arrivals of one port, each with the kernel's stamp, for the same
 *            table that frames of libpcap go into.  A group's datagrams come to one that joins it.
 * Reading    in batches of recvmmsg.  Below the highest rates it waits a little before it reads,
 *            because a wake-up costs more than a frame, and the kernel has stamped the frames
 *            already; never so long that the socket's buffer could fill at 10 Gbit/s.
 * Frames     sizes are those of an Ethernet without VLAN tags.  A datagram that came in fragments
 *            is one frame; the fragments are in its bytes on the wire if the interface, and so its
 *            MTU, is known.
 * Dropped    datagrams that the kernel dropped at the socket, because its buffer was full or their
 *            checksum was wrong (SO_RXQ_OVFL), exactly.
 * Memory     allocated when it opens.   Threads  one.
 * Trust      payloads are hostile: only their first cfg.head_bytes are kept, lengths are checked.
 */
#ifndef PACE_CAPTURE_SOCKET_SOURCE_H
#define PACE_CAPTURE_SOCKET_SOURCE_H

#include <signal.h>
#include <stdint.h>

#include "cap/packet.h"
#include "core/err.h"
#include "plat/multicast.h"
#include "plat/pcap.h"

struct pace_socket_source_cfg {
	struct pace_addr local;		/* family 0: all addresses; a group is joined */
	struct pace_addr source;	/* family 0: any; of the group's datagrams */
	const char	*interface;	/* NULL: any */
	uint32_t	rcvbuf_bytes;
	size_t		head_bytes;	/* bytes read of each payload */
	const volatile sig_atomic_t *stop;
};

struct pace_socket_source;

/* -errno; *to is NULL after a failure. */
int	pace_socket_source_open(struct pace_socket_source **to,
	    const struct pace_socket_source_cfg *cfg, struct pace_err *err);
void	pace_socket_source_close(struct pace_socket_source *s);	/* NULL is accepted */

uint32_t	pace_socket_source_rcvbuf(const struct pace_socket_source *s);	/* granted */

/* Call take for at least the datagrams that have come, about max at most; p is valid only during
 * the call, frame_bytes is the frame's size without FCS, now_ns since 1970.  Returns their number;
 * 0: none within a tenth of a second, or a signal.  -errno. */
int	pace_socket_source_read(struct pace_socket_source *s, int max,
	    void (*take)(void *ctx, const struct pace_cap_packet *p, size_t frame_bytes,
	    int64_t now_ns), void *ctx, struct pace_err *err);

void	pace_socket_source_drops(struct pace_socket_source *s, struct pace_pcap_drops *d);

#endif
