/*
 * packet.h - from a captured frame to the UDP datagram in it.
 *
 * Purpose    addresses, ports, DSCP and payload of a frame as a capture has it:
 *            Ethernet with any VLAN tags, Linux cooked (1 and 2), raw IP, the
 *            loopback of the BSDs; IPv4 with options, IPv6 with extension headers.
 * Lengths    captured is what lies in memory, length what was on the wire: a
 *            snap length makes the first smaller.  datagram.length is the whole
 *            payload that was sent, datagram.captured never reaches beyond the frame,
 *            the IP packet, or the datagram (Ethernet pads short frames).
 * Fragments  the first one of a datagram has its ports and is that datagram; the
 *            others are PACE_CAP_FRAGMENT and not taken for anything else.
 * Line       line_bytes is the line time of the datagram as Ethernet would spend
 *            it (rates.h: preamble, gap, FCS, the frame's own tags, 64 at least); all its
 *            fragments, as many as the first one's size makes, in that of the
 *            first one.
 * Trust      every byte is hostile: length before content, always.  Headers
 *            that contradict each other are PACE_CAP_BAD, the output is then not to
 *            be used; checksums are not checked, for offloads leave them open.
 * Memory     nothing is copied but addresses: payload points into the frame.
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
	PACE_CAP_RAW,		/* IPv4 or IPv6, as the first four bits say */
	PACE_CAP_NULL,		/* BSD loopback, family in the writer's byte order */
	PACE_CAP_LOOP		/* the same, big-endian */
};

struct pace_cap_frame {
	const uint8_t	*data;
	size_t		captured;	/* bytes at data */
	size_t		length;		/* of the frame, without FCS */
};

enum pace_cap_kind {
	PACE_CAP_UDP,
	PACE_CAP_FRAGMENT,	/* not the first one, of a UDP datagram */
	PACE_CAP_OTHER,		/* whole, and no UDP */
	PACE_CAP_SHORT,		/* captured too short to tell, or for the ports */
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
