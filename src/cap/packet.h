/*
 * packet.h - find the UDP datagram in a captured frame.
 *
 * Purpose    read addresses, ports, DSCP and payload from a captured frame:
 *            Ethernet with any VLAN tags, Linux cooked (1 and 2), raw IP, the
 *            loopback of the BSDs; IPv4 with options, IPv6 with extension headers.
 * Lengths    captured counts bytes in memory, length bytes on the wire: a snap
 *            length makes captured smaller.  datagram.length is the whole payload
 *            that was sent.  datagram.captured ends with the frame, the IP packet and
 *            the datagram (Ethernet pads short frames).
 * Fragments  the first fragment has the ports and stands for the datagram; the
 *            others are PACE_CAP_FRAGMENT.
 * Line       line_bytes is the size of the datagram on an Ethernet (rates.h:
 *            preamble, gap, FCS, the frame's own tags, 64 at least).  The first
 *            fragment has the sum over all fragments, whose number follows from its
 *            size.
 * Trust      every byte is hostile: length is checked before content.  If headers
 *            contradict each other, the result is PACE_CAP_BAD and the output is
 *            undefined.  Checksums are not checked, because offloads leave them open.
 * Memory     only addresses are copied: payload points into the frame.
 * Threads    any.   Source  RFC 791, 768, 8200, 4302; tcpdump.org's link types.
 */
#ifndef PACE_CAP_PACKET_H
#define PACE_CAP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/format.h"

enum pace_cap_link {
	PACE_CAP_ETHERNET,
	PACE_CAP_SLL,		/* Linux cooked, of the interface "any" */
	PACE_CAP_SLL2,
	PACE_CAP_RAW,		/* IPv4 or IPv6, given by the first four bits */
	PACE_CAP_NULL,		/* BSD loopback, family in the writer's byte order */
	PACE_CAP_LOOP		/* BSD loopback, family big-endian */
};

struct pace_cap_frame {
	const uint8_t	*data;
	size_t		captured;	/* bytes at data */
	size_t		length;		/* of the frame, without FCS */
};

enum pace_cap_kind {
	PACE_CAP_UDP,
	PACE_CAP_FRAGMENT,	/* a later fragment of a UDP datagram */
	PACE_CAP_OTHER,		/* complete, and not UDP */
	PACE_CAP_SHORT,		/* truncated before the protocol or the ports */
	PACE_CAP_BAD		/* its headers contradict each other */
};
#define PACE_CAP_KINDS	5

struct pace_cap_packet {
	unsigned	ip;		/* 4 or 6 */
	uint8_t		source[16], dest[16];	/* IPv4: the first 4, then zeros */
	uint8_t		dscp;
	uint8_t		tags;		/* VLAN tags before the IP header */
	uint16_t	vlan;		/* number of the innermost one; 0: none */
	bool		fragmented;	/* the first of several */
	uint32_t	line_bytes;
	struct pace_cap_datagram datagram;
};

enum pace_cap_kind	pace_cap_packet(struct pace_cap_packet *p, enum pace_cap_link link,
	    const struct pace_cap_frame *f);

#endif
