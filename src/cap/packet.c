#include "cap/packet.h"

#include <string.h>

#include "core/cursor.h"
#include "core/rates.h"

#define TYPE_IPV4	0x0800u
#define TYPE_IPV6	0x86ddu
#define TYPE_NONE	0u
#define TAGS_MAX	8
#define EXTENSIONS_MAX	16
#define FRAGMENT_HDR	8u
#define UDP_HDR		8u

enum { IP_HOP_BY_HOP = 0, IP_UDP = 17, IP_ROUTING = 43, IP_FRAGMENT = 44, IP_AH = 51,
	IP_OPTIONS = 60, IP_MOBILITY = 135 };

/* The bytes left: in memory, and in the packet as it was sent. */
struct rest {
	struct pace_rd	r;
	size_t		sent;		/* bytes from r.p on to the packet's end */
};

/* The contents of the IP headers. */
struct ip {
	unsigned	protocol;
	size_t		header;		/* bytes before the payload */
	bool		later;		/* a fragment, and not the first */
	bool		more;		/* fragments follow */
};

static bool
is_tag(uint64_t type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

static void
skip(struct rest *t, size_t n)
{
	if (n > t->r.left) {
		t->r.bad = true;
		n = t->r.left;
	}
	t->r.p += n;
	t->r.left -= n;
	t->sent = t->sent > n ? t->sent - n : 0;
}

static uint64_t
take(struct rest *t, size_t n)
{
	uint64_t v = pace_rd_be(&t->r, n);

	t->sent = t->sent > n ? t->sent - n : 0;
	return v;
}

/* The type behind all tags. */
static uint64_t
untag(struct pace_cap_packet *p, struct rest *t, uint64_t type)
{
	for (int i = 0; is_tag(type) && i < TAGS_MAX; i++) {
		p->vlan = (uint16_t)(take(t, 2) & 0xfff);
		p->tags++;
		type = take(t, 2);
	}
	return type;
}

static uint64_t
type_of_family(uint64_t family)
{
	switch (family) {
	case 2:
		return TYPE_IPV4;
	case 10: case 24: case 28: case 30:	/* Linux, NetBSD, FreeBSD, macOS */
		return TYPE_IPV6;
	default:
		return TYPE_NONE;
	}
}

/* Read the link layer's header, and move on to its payload. */
static uint64_t
link_type(struct pace_cap_packet *p, enum pace_cap_link link, struct rest *t)
{
	uint64_t v;

	switch (link) {
	case PACE_CAP_ETHERNET:
		skip(t, 12);
		return untag(p, t, take(t, 2));
	case PACE_CAP_SLL:
		skip(t, 14);
		return untag(p, t, take(t, 2));
	case PACE_CAP_SLL2:
		v = take(t, 2);
		skip(t, 18);
		return untag(p, t, v);
	case PACE_CAP_RAW:
		t->r.bad |= t->r.left == 0;
		v = t->r.bad ? 0 : t->r.p[0] >> 4;
		return v == 4 ? TYPE_IPV4 : v == 6 ? TYPE_IPV6 : TYPE_NONE;
	case PACE_CAP_NULL:
		v = take(t, 4);
		return type_of_family(v > 0xffff ? v >> 24 : v);	/* either byte order */
	case PACE_CAP_LOOP:
		return type_of_family(take(t, 4));
	}
	return TYPE_NONE;
}

/* The packet ends where its header says, not where the frame does (padding).  False: it
 * says that it is longer than the frame. */
static bool
cut(struct rest *t, size_t length)
{
	if (length > t->sent)
		return false;
	t->sent = length;
	if (t->r.left > length)
		t->r.left = length;
	return true;
}

static enum pace_cap_kind
read_ipv4(struct pace_cap_packet *p, struct rest *t, struct ip *ip)
{
	struct rest whole = *t;
	uint64_t first = take(t, 1), tos = take(t, 1), total = take(t, 2), fragment;
	size_t header = (first & 15) * 4;

	skip(t, 2);
	fragment = take(t, 2);
	skip(t, 1);
	ip->protocol = (unsigned)take(t, 1);
	skip(t, 2);
	for (int i = 0; i < 4; i++)
		p->source[i] = (uint8_t)take(t, 1);
	for (int i = 0; i < 4; i++)
		p->dest[i] = (uint8_t)take(t, 1);
	if (t->r.bad)
		return PACE_CAP_SHORT;
	if (first >> 4 != 4 || header < 20 || total < header || !cut(&whole, total))
		return PACE_CAP_BAD;
	skip(&whole, header);
	*t = whole;
	p->ip = 4;
	p->dscp = (uint8_t)(tos >> 2);
	ip->header = header;
	ip->later = (fragment & 0x1fff) != 0;
	ip->more = (fragment & 0x2000) != 0;
	return t->r.bad ? PACE_CAP_SHORT : PACE_CAP_UDP;
}

static bool
is_extension(unsigned next)
{
	return next == IP_HOP_BY_HOP || next == IP_ROUTING || next == IP_FRAGMENT ||
	    next == IP_AH || next == IP_OPTIONS || next == IP_MOBILITY;
}

static enum pace_cap_kind
read_extension(struct rest *t, struct ip *ip)
{
	const struct rest whole = *t;
	unsigned next = (unsigned)take(t, 1);
	size_t n = (size_t)take(t, 1), size = n * 8 + 8;

	if (ip->protocol == IP_FRAGMENT) {
		uint64_t at = take(t, 2);

		ip->later = (at & 0xfff8) != 0;
		ip->more = (at & 1) != 0;
		size = FRAGMENT_HDR;
	} else if (ip->protocol == IP_AH) {
		size = n * 4 + 8;
	}
	if (size > whole.sent)
		return PACE_CAP_BAD;
	*t = whole;
	skip(t, size);
	ip->protocol = next;
	ip->header += size;
	return t->r.bad ? PACE_CAP_SHORT : PACE_CAP_UDP;
}

static enum pace_cap_kind
read_ipv6(struct pace_cap_packet *p, struct rest *t, struct ip *ip)
{
	uint64_t first = take(t, 4), payload = take(t, 2);
	enum pace_cap_kind kind = PACE_CAP_UDP;

	ip->protocol = (unsigned)take(t, 1);
	skip(t, 1);
	for (int i = 0; i < 16; i++)
		p->source[i] = (uint8_t)take(t, 1);
	for (int i = 0; i < 16; i++)
		p->dest[i] = (uint8_t)take(t, 1);
	if (t->r.bad)
		return PACE_CAP_SHORT;
	if (first >> 28 != 6 || !cut(t, payload))
		return PACE_CAP_BAD;
	p->ip = 6;
	p->dscp = (uint8_t)(first >> 22 & 63);
	ip->header = 40;
	for (int i = 0; kind == PACE_CAP_UDP && !ip->later && is_extension(ip->protocol); i++)
		kind = i < EXTENSIONS_MAX ? read_extension(t, ip) : PACE_CAP_BAD;
	return kind;
}

/* The line bytes of all fragments of a datagram, from its first one: each but the last carries
 * as many bytes as the first. */
static uint32_t
line_bytes(const struct pace_cap_packet *p, const struct ip *ip, size_t carried)
{
	size_t base = p->ip == 6 ? 40 : 20;
	struct pace_link link = { .family = (int)p->ip, .vlan_tags = p->tags };

	if (p->fragmented)
		link.mtu = (uint32_t)(base + carried + (p->ip == 6 ? FRAGMENT_HDR : 0));
	else	/* options and extension headers stand for payload: the same on the line */
		return (uint32_t)pace_wire_bytes(&link,
		    (uint32_t)(p->datagram.length + ip->header - base));
	return (uint32_t)pace_wire_bytes(&link, (uint32_t)p->datagram.length);
}

static enum pace_cap_kind
read_udp(struct pace_cap_packet *p, struct rest *t, const struct ip *ip)
{
	size_t carried = t->sent, length;
	struct pace_cap_datagram *d = &p->datagram;

	if (carried < UDP_HDR)
		return PACE_CAP_BAD;
	d->source_port = (uint16_t)take(t, 2);
	d->dest_port = (uint16_t)take(t, 2);
	length = (size_t)take(t, 2);
	skip(t, 2);
	if (t->r.bad)
		return PACE_CAP_SHORT;
	if (length < UDP_HDR || (ip->more ? length <= carried : length > carried))
		return PACE_CAP_BAD;
	p->fragmented = ip->more;
	d->length = length - UDP_HDR;
	d->payload = t->r.p;
	d->captured = t->r.left < d->length ? t->r.left : d->length;
	p->line_bytes = line_bytes(p, ip, carried);
	return PACE_CAP_UDP;
}

enum pace_cap_kind
pace_cap_packet(struct pace_cap_packet *p, enum pace_cap_link link,
    const struct pace_cap_frame *f)
{
	struct rest t = { .r = { .p = f->data, .left = f->captured }, .sent = f->length };
	struct ip ip = { .protocol = 0 };
	enum pace_cap_kind kind;
	uint64_t type;

	memset(p, 0, sizeof(*p));
	if (f->captured > f->length)	/* the file lies */
		return PACE_CAP_BAD;
	type = link_type(p, link, &t);
	if (t.r.bad)
		return PACE_CAP_SHORT;
	if (type != TYPE_IPV4 && type != TYPE_IPV6)
		return PACE_CAP_OTHER;
	kind = type == TYPE_IPV4 ? read_ipv4(p, &t, &ip) : read_ipv6(p, &t, &ip);
	if (kind != PACE_CAP_UDP)
		return kind;
	if (ip.protocol != IP_UDP)
		return PACE_CAP_OTHER;
	return ip.later ? PACE_CAP_FRAGMENT : read_udp(p, &t, &ip);
}
