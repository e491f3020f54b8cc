/*
 * rates.h - Ethernet arithmetic: what a UDP payload costs on the line.
 *
 * Units      bytes; rates in bit/s; times in ns.
 * Formula    frame = max(64, 14 + 4 tags + IP (20 | 40) + 8 + payload + 4),
 *            wire  = frame + 8 preamble + 12 inter-frame gap.  A payload
 *            that does not fit the MTU goes as fragments, each a frame of
 *            its own (IPv4: fragments of a multiple of 8 bytes; IPv6: 8
 *            bytes of fragment header in each).  An MTU without room for 8
 *            bytes of data in a fragment counts as one that has it.
 * Source     IEEE 802.3 (minimum frame 64, tagged or not), RFC 791, 8200.
 */
#ifndef PACE_CORE_RATES_H
#define PACE_CORE_RATES_H

#include <stdint.h>

struct pace_link {
	int		family;		/* 4 or 6 */
	uint32_t	vlan_tags;	/* 0, 1, 2 */
	uint32_t	mtu;		/* 0: never fragmented */
};

/* Layer-2 bytes of one datagram, FCS included, all fragments together. */
uint64_t	pace_frame_bytes(const struct pace_link *l, uint32_t payload);
/* Bytes of line time: the above plus 20 for each frame. */
uint64_t	pace_wire_bytes(const struct pace_link *l, uint32_t payload);
/* Frames that one datagram becomes. */
uint64_t	pace_fragments(const struct pace_link *l, uint32_t payload);
/* Largest payload that is not fragmented at this MTU. */
uint32_t	pace_payload_max(const struct pace_link *l);

/*
 * bytes over a time, in bit/s.  For n frames over n - 1 gaps give the bytes
 * of frames 2 .. n.  0 when ns <= 0.
 */
double	pace_rate_bps(uint64_t bytes, int64_t ns);

#endif
