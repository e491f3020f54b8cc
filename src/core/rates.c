#include "core/rates.h"

#include <stdbool.h>

#define ETHERNET	18u	/* addresses, type, FCS */
#define VLAN_TAG	4u
#define UDP		8u
#define FRAGMENT_HDR	8u	/* IPv6 only */
#define FRAME_MIN	64u
#define PREAMBLE_GAP	20u	/* 8 preamble and delimiter, 12 gap */

/* How one datagram lies in frames: full ones and the last. */
struct rates_cut {
	uint64_t	full;		/* frames but the last */
	uint64_t	full_bytes;	/* of IP payload in each of them */
	uint64_t	last_bytes;	/* of IP payload in the last */
	uint64_t	header_bytes;	/* of IP in every frame */
};

static uint32_t
ip_header(const struct pace_link *l)
{
	return l->family == 6 ? 40 : 20;
}

/* As the kernel cuts: every fragment but the last is a multiple of 8 bytes,
 * the last takes all the room there is. */
static struct rates_cut
cut(const struct pace_link *l, uint32_t payload)
{
	uint64_t left = (uint64_t)UDP + payload, room;
	struct rates_cut c = { .last_bytes = left, .header_bytes = ip_header(l) };

	if (l->mtu == 0 || c.header_bytes + left <= l->mtu)
		return c;
	if (l->family == 6)
		c.header_bytes += FRAGMENT_HDR;
	room = l->mtu < c.header_bytes + 8 ? 8 : l->mtu - c.header_bytes;
	c.full_bytes = room & ~UINT64_C(7);
	c.full = (left - room + c.full_bytes - 1) / c.full_bytes;
	c.last_bytes = left - c.full * c.full_bytes;
	return c;
}

static uint64_t
frame(const struct pace_link *l, uint64_t ip_bytes)
{
	uint64_t n = ETHERNET + (uint64_t)VLAN_TAG * l->vlan_tags + ip_bytes;

	return n < FRAME_MIN ? FRAME_MIN : n;
}

uint64_t
pace_frame_bytes(const struct pace_link *l, uint32_t payload)
{
	struct rates_cut c = cut(l, payload);

	return c.full * frame(l, c.header_bytes + c.full_bytes) +
	    frame(l, c.header_bytes + c.last_bytes);
}

uint64_t
pace_wire_bytes(const struct pace_link *l, uint32_t payload)
{
	return pace_frame_bytes(l, payload) +
	    PREAMBLE_GAP * pace_fragments(l, payload);
}

uint64_t
pace_fragments(const struct pace_link *l, uint32_t payload)
{
	return cut(l, payload).full + 1;
}

uint32_t
pace_payload_max(const struct pace_link *l)
{
	/* the length field covers IPv4's own header, but not IPv6's */
	uint32_t most = 65535 - UDP - (l->family == 6 ? 0 : ip_header(l));
	uint32_t headers = ip_header(l) + UDP;

	if (l->mtu == 0 || l->mtu >= headers + most)
		return most;
	return l->mtu < headers ? 0 : l->mtu - headers;
}

double
pace_rate_bps(uint64_t bytes, int64_t ns)
{
	if (ns <= 0)
		return 0;
	return (double)bytes * 8e9 / (double)ns;
}
