#include "config.h"

#include "plat/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/ethtool.h"
#include "plat/route.h"
#include "plat/sock.h"

#define BATCH		32		/* frames of one call */
#define GSO_UDP_L4	5		/* VIRTIO_NET_HDR_GSO_UDP_L4, of Linux 6.2 */
#define HEAD_MAX	(sizeof(struct virtio_net_hdr) + ETH_HLEN + sizeof(struct ip6_hdr) + \
			    sizeof(struct udphdr))

struct pace_packet {
	int		fd;
	bool		aimed;
	bool		checksums;	/* the device makes them: without, the kernel divides a train
					 * into frames with wrong ones */
	unsigned int	index;		/* of the interface */
	struct pace_addr from, to;
	struct pace_addr hop;
	uint8_t		mac[ETH_ALEN];	/* our own */
	struct sockaddr_ll name;
	/* what stands before the data of a datagram of `len` bytes, divided into `segment` */
	uint8_t		head[HEAD_MAX];
	size_t		head_len, len, segment;
	struct mmsghdr	msg[BATCH];
	struct iovec	iov[2 * BATCH];
};

/* --- the headers -------------------------------------------------------------------- */

static uint8_t *
ip_of(struct pace_packet *p)
{
	return p->head + sizeof(struct virtio_net_hdr) + ETH_HLEN;
}

static size_t
ip_len(const struct pace_packet *p)
{
	return p->from.family == 4 ? sizeof(struct iphdr) : sizeof(struct ip6_hdr);
}

static void
put16(uint8_t *to, size_t v)
{
	to[0] = (uint8_t)(v >> 8);
	to[1] = (uint8_t)v;
}

static uint32_t
sum_of(const uint8_t *from, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)from[i] << 8 | from[i + 1];
	return sum;
}

static size_t
fold(uint32_t sum)
{
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Write lengths and checksums; that of UDP covers only the pseudo header: the device, or the
 * kernel, adds the rest. */
static void
measure(struct pace_packet *p, size_t len, size_t segment)
{
	struct virtio_net_hdr v = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
	    .hdr_len = (uint16_t)(p->head_len - sizeof(v)),
	    .csum_start = (uint16_t)(ETH_HLEN + ip_len(p)),
	    .csum_offset = offsetof(struct udphdr, uh_sum) };
	size_t udp = sizeof(struct udphdr) + len, addrs = p->from.family == 4 ? 8 : 32;
	uint8_t *ip = ip_of(p), *to = ip + ip_len(p);

	if (segment < len) {
		v.gso_type = GSO_UDP_L4;
		v.gso_size = (uint16_t)segment;
	}
	memcpy(p->head, &v, sizeof(v));
	if (p->from.family == 4) {
		put16(ip + offsetof(struct iphdr, tot_len), ip_len(p) + udp);
		put16(ip + offsetof(struct iphdr, check), 0);
		put16(ip + offsetof(struct iphdr, check), ~fold(sum_of(ip, ip_len(p))));
	} else {
		put16(ip + offsetof(struct ip6_hdr, ip6_plen), udp);
	}
	put16(to + offsetof(struct udphdr, uh_ulen), udp);
	put16(to + offsetof(struct udphdr, uh_sum), fold(sum_of(to - addrs, addrs) + IPPROTO_UDP +
	    (uint32_t)udp));
	p->len = len;
	p->segment = segment;
}

static void
put_ip(struct pace_packet *p, uint8_t ttl)
{
	uint8_t *ip = ip_of(p);

	if (p->from.family == 4) {
		ip[0] = 0x45;
		ip[6] = 0x40;			/* do not fragment */
		ip[8] = ttl;
		ip[9] = IPPROTO_UDP;
		memcpy(ip + 12, p->from.ip, 4);
		memcpy(ip + 16, p->to.ip, 4);
		return;
	}
	ip[0] = 0x60;
	ip[6] = IPPROTO_UDP;
	ip[7] = ttl;
	memcpy(ip + 8, p->from.ip, 16);
	memcpy(ip + 24, p->to.ip, 16);
}

void
pace_packet_mark(struct pace_packet *p, uint8_t tos)
{
	uint8_t *ip = ip_of(p);

	if (p->from.family == 4) {
		ip[1] = tos;
	} else {
		ip[0] = (uint8_t)(0x60 | tos >> 4);
		ip[1] = (uint8_t)(tos << 4 | (ip[1] & 0x0f));
	}
	p->len = 0;			/* the sum changes */
}

static void
put_flow_label(struct pace_packet *p, const struct sockaddr_in6 *sa)
{
	uint8_t *ip = ip_of(p);
	uint32_t label = ntohl(sa->sin6_flowinfo) & 0xfffff;

	ip[1] = (uint8_t)((ip[1] & 0xf0) | label >> 16);
	put16(ip + 2, label & 0xffff);
}

/* --- opening ------------------------------------------------------------------------- */

static void
look_at(void *ctx, const char *feature, bool on)
{
	struct pace_packet *p = ctx;

	if (on && (strcmp(feature, "tx-checksum-ip-generic") == 0 || strcmp(feature,
	    p->from.family == 4 ? "tx-checksum-ipv4" : "tx-checksum-ipv6") == 0))
		p->checksums = true;
}

/* The name and own address of the interface, which must be Ethernet. */
static int
read_interface(struct pace_packet *p, char name[IF_NAMESIZE], struct pace_err *err)
{
	struct ifreq r = { .ifr_name = "" };
	char has[16];

	if (if_indextoname(p->index, name) == NULL)
		return pace_fail(err, errno, "engine");
	memcpy(r.ifr_name, name, IF_NAMESIZE);
	if (ioctl(p->fd, SIOCGIFHWADDR, &r) == -1)
		return pace_fail(err, errno, "engine");
	if (r.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK)
		return pace_failf(err, EOPNOTSUPP, "engine", "%s is a loopback interface, whose kernel "
		    "takes no such frames", name);
	if (r.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return pace_failf(err, EOPNOTSUPP, "engine", "%s is not an Ethernet interface", name);
	memcpy(p->mac, r.ifr_hwaddr.sa_data, ETH_ALEN);
	pace_ethtool_features(name, look_at, p);
	if (!pace_addr_device(&p->from, has) || strncmp(has, name, sizeof(has)) != 0)
		return pace_failf(err, EADDRNOTAVAIL, "engine", "the source address is not one of %s, "
		    "where the frames would leave", name);
	return 0;
}

void
pace_packet_fact(struct pace_host *h)
{
	struct ifreq r = { .ifr_name = "" };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	bool may = fd != -1;

	if (!may)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", h->interface);
	if (fd == -1)
		return;
	h->has[PACE_FACT_PACKET_ENGINE] = ioctl(fd, SIOCGIFHWADDR, &r) == 0 &&
	    r.ifr_hwaddr.sa_family == ARPHRD_ETHER;
	h->fact[PACE_FACT_PACKET_ENGINE] = may;
	close(fd);
}

static int
prepare(struct pace_packet *p, const struct pace_sock *s, const char *interface,
    uint32_t sndbuf_bytes, struct pace_err *err)
{
	const int one = 1, bytes = (int)sndbuf_bytes;
	char name[IF_NAMESIZE];
	int rc = pace_route_hop(&p->to, interface, &p->index, &p->hop);

	if (rc < 0)
		return pace_failf(err, -rc, "engine", "no route through an interface is known");
	p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fd == -1)
		return errno == EPERM ? pace_failf(err, EPERM, "engine",
		    "this needs the capability CAP_NET_RAW") : pace_fail(err, errno, "engine");
	rc = read_interface(p, name, err);
	if (rc < 0)
		return rc;
	p->name = (struct sockaddr_ll){ .sll_family = AF_PACKET, .sll_ifindex = (int)p->index,
	    .sll_protocol = htons(p->from.family == 4 ? ETH_P_IP : ETH_P_IPV6),
	    .sll_halen = ETH_ALEN };
	if (setsockopt(p->fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) == -1 ||
	    setsockopt(p->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) == -1)
		return pace_fail(err, errno, "engine");
	if (bytes > 0 && setsockopt(p->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) == -1)
		(void)setsockopt(p->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (s->prioritise && setsockopt(p->fd, SOL_SOCKET, SO_PRIORITY, &s->priority,
	    sizeof(s->priority)) == -1)
		return pace_fail(err, errno, "engine");
	return 0;
}

int
pace_packet_open(struct pace_packet **to, const struct pace_sock *s, const char *interface,
    uint32_t sndbuf_bytes, struct pace_err *err)
{
	struct pace_packet *p = calloc(1, sizeof(*p));
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);
	int rc;

	*to = NULL;
	if (p == NULL)
		return pace_fail(err, ENOMEM, "engine");
	p->fd = -1;
	p->from = pace_sock_local(s);
	memset(&sa, 0, sizeof(sa));
	if (getpeername(s->fd, (struct sockaddr *)&sa, &len) == -1)
		rc = pace_fail(err, errno, "engine");
	else {
		pace_addr_from_sa(&sa, &p->to);
		p->head_len = sizeof(struct virtio_net_hdr) + ETH_HLEN + ip_len(p) +
		    sizeof(struct udphdr);
		if (p->to.family == 6)
			put_flow_label(p, &sa);
		rc = prepare(p, s, interface, sndbuf_bytes, err);
	}
	if (rc < 0) {
		pace_packet_close(p);
		return rc;
	}
	for (int i = 0; i < BATCH; i++) {
		p->iov[2 * i] = (struct iovec){ .iov_base = p->head, .iov_len = p->head_len };
		p->msg[i].msg_hdr = (struct msghdr){ .msg_name = &p->name,
		    .msg_namelen = sizeof(p->name), .msg_iov = &p->iov[2 * i], .msg_iovlen = 2 };
	}
	*to = p;
	return 0;
}

void
pace_packet_close(struct pace_packet *p)
{
	if (p == NULL)
		return;
	if (p->fd != -1)
		close(p->fd);
	free(p);
}

/* The Ethernet address of a group is made of its own. */
static void
group_mac(const struct pace_addr *group, uint8_t mac[ETH_ALEN])
{
	const uint8_t v4[] = { 0x01, 0x00, 0x5e }, v6[] = { 0x33, 0x33 };

	if (group->family == 6) {
		memcpy(mac, v6, 2);
		memcpy(mac + 2, group->ip + 12, 4);
		return;
	}
	memcpy(mac, v4, 3);
	memcpy(mac + 3, group->ip + 1, 3);
	mac[3] &= 0x7f;
}

static int
option(const struct pace_sock *s, bool v4, int name4, int name6)
{
	int value = 0;
	socklen_t len = sizeof(value);

	(void)getsockopt(s->fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? name4 : name6, &value, &len);
	return value;
}

int
pace_packet_aim(struct pace_packet *p, const struct pace_sock *s, struct pace_err *err)
{
	bool v4 = p->from.family == 4, group = pace_addr_is_group(&p->to);
	uint8_t *eth = p->head + sizeof(struct virtio_net_hdr);
	uint8_t *udp = ip_of(p) + ip_len(p);
	int ttl = group ? option(s, v4, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS) :
	    option(s, v4, IP_TTL, IPV6_UNICAST_HOPS), rc = 0;

	if (group)
		group_mac(&p->to, eth);
	else
		rc = pace_route_neighbour(p->index, &p->hop, eth);
	if (rc < 0)
		return pace_failf(err, EHOSTUNREACH, "engine", "the kernel does not know the Ethernet "
		    "address of the first hop");
	memcpy(eth + ETH_ALEN, p->mac, ETH_ALEN);
	put16(eth + 2 * (size_t)ETH_ALEN, v4 ? ETH_P_IP : ETH_P_IPV6);
	put_ip(p, (uint8_t)ttl);
	put16(udp + offsetof(struct udphdr, uh_sport), p->from.port);
	put16(udp + offsetof(struct udphdr, uh_dport), p->to.port);
	pace_packet_mark(p, (uint8_t)option(s, v4, IP_TOS, IPV6_TCLASS));
	p->aimed = true;
	return 0;
}

int
pace_packet_fd(const struct pace_packet *p)
{
	return p != NULL && p->aimed ? p->fd : -1;
}

/* --- sending --------------------------------------------------------------------------- */

static struct iovec
data_of(const uint8_t *data, size_t len)
{
	union { const uint8_t *in; uint8_t *out; } u = { .in = data };

	return (struct iovec){ .iov_base = u.out, .iov_len = len };
}

int
pace_packet_send(struct pace_packet *p, const uint8_t *data, size_t len)
{
	if (p->len != len || p->segment != len)
		measure(p, len, len);
	p->iov[1] = data_of(data, len);
	return sendmsg(p->fd, &p->msg[0].msg_hdr, MSG_DONTWAIT) == -1 ? -errno : 1;
}

int
pace_packet_train(struct pace_packet *p, const uint8_t *data, size_t size, int n, bool segment)
{
	int rc;

	if (segment && !p->checksums)
		return -EOPNOTSUPP;
	if (segment) {
		if (p->len != size * (size_t)n || p->segment != size)
			measure(p, size * (size_t)n, size);
		p->iov[1] = data_of(data, p->len);
		return sendmsg(p->fd, &p->msg[0].msg_hdr, MSG_DONTWAIT) == -1 ? -errno : n;
	}
	if (p->len != size || p->segment != size)
		measure(p, size, size);
	if (n > BATCH)
		n = BATCH;
	for (int i = 0; i < n; i++)
		p->iov[2 * i + 1] = data_of(data + (size_t)i * size, size);
	rc = sendmmsg(p->fd, p->msg, (unsigned int)n, MSG_DONTWAIT);
	return rc == -1 ? -errno : rc;
}
