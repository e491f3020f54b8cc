/* The interface towards a peer: by RTM_GETROUTE, or the one with our own address. */
#include "config.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/counters.h"
#include "plat/netlink.h"
#include "plat/root.h"
#include "plat/route.h"

struct question {
	struct nlmsghdr	h;
	struct rtmsg	r;
	char		attributes[64];
};

static void
add(struct nlmsghdr *h, unsigned short type, const void *data, size_t len)
{
	struct rtattr *a = (void *)((char *)h + NLMSG_ALIGN(h->nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(a), data, len);
	h->nlmsg_len = (uint32_t)(NLMSG_ALIGN(h->nlmsg_len) + RTA_ALIGN(a->rta_len));
}

static unsigned short
bytes_of(const struct pace_addr *a)
{
	return a->family == 4 ? 4 : 16;
}

static unsigned char
family_of(const struct pace_addr *a)
{
	return a->family == 4 ? AF_INET : AF_INET6;
}

/* Ask the kernel: the bytes of its answer, of the type `wanted`, or -errno. */
static ssize_t
answer_to(const struct nlmsghdr *h, unsigned short wanted, size_t least, char *buf, size_t room)
{
	int fd = pace_netlink_open();
	const struct nlmsghdr *got = (const void *)buf;
	ssize_t n = -EIO;

	if (fd < 0)
		return fd;
	if (send(fd, h, h->nlmsg_len, 0) == (ssize_t)h->nlmsg_len)
		n = recv(fd, buf, room, 0);
	close(fd);
	if (n < (ssize_t)NLMSG_LENGTH(least) || got->nlmsg_len > (size_t)n ||
	    got->nlmsg_type != wanted)
		return -ENOENT;
	return (ssize_t)got->nlmsg_len;
}

/* Copy an attribute of an answer, whose fixed part has `fixed` bytes: false if there is none of
 * this length. */
static bool
attribute(char *buf, ssize_t n, size_t fixed, unsigned short type, void *to, size_t len)
{
	const size_t head = NLMSG_LENGTH(fixed);
	struct rtattr *a = (size_t)n > NLMSG_ALIGN(head) ? pace_netlink_attribute(buf +
	    NLMSG_ALIGN(head), (size_t)n - NLMSG_ALIGN(head), type) : NULL;

	if (a == NULL || RTA_PAYLOAD(a) != len)
		return false;
	memcpy(to, RTA_DATA(a), len);
	return true;
}

int
pace_route_hop(const struct pace_addr *peer, const char *interface, unsigned int *index,
    struct pace_addr *hop)
{
	_Alignas(struct nlmsghdr) char buf[4096];
	unsigned short len = bytes_of(peer);
	uint32_t only = interface != NULL ? if_nametoindex(interface) : peer->scope;
	struct question q = {
		.h = { .nlmsg_len = NLMSG_LENGTH(sizeof(q.r)), .nlmsg_type = RTM_GETROUTE,
		    .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = 1 },
		.r = { .rtm_family = family_of(peer), .rtm_dst_len = (unsigned char)(8 * len) },
	};
	ssize_t n;

	add(&q.h, RTA_DST, peer->ip, len);
	if (only != 0)
		add(&q.h, RTA_OIF, &only, sizeof(only));
	n = answer_to(&q.h, RTM_NEWROUTE, sizeof(struct rtmsg), buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	*hop = *peer;
	if (!attribute(buf, n, sizeof(struct rtmsg), RTA_OIF, index, sizeof(*index)))
		return -ENOENT;
	(void)attribute(buf, n, sizeof(struct rtmsg), RTA_GATEWAY, hop->ip, len);
	return 0;
}

int
pace_route_neighbour(unsigned int index, const struct pace_addr *hop, uint8_t mac[6])
{
	_Alignas(struct nlmsghdr) char buf[4096];
	const struct ndmsg *d = (const void *)(buf + NLMSG_ALIGN(sizeof(struct nlmsghdr)));
	struct { struct nlmsghdr h; struct ndmsg d; char attributes[32]; } q = {
		.h = { .nlmsg_len = NLMSG_LENGTH(sizeof(q.d)), .nlmsg_type = RTM_GETNEIGH,
		    .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = 1 },
		.d = { .ndm_family = family_of(hop), .ndm_ifindex = (int)index },
	};
	ssize_t n;

	add(&q.h, NDA_DST, hop->ip, bytes_of(hop));
	n = answer_to(&q.h, RTM_NEWNEIGH, sizeof(struct ndmsg), buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	if ((d->ndm_state & (NUD_INCOMPLETE | NUD_FAILED)) != 0 ||
	    !attribute(buf, n, sizeof(struct ndmsg), NDA_LLADDR, mac, 6))
		return -ENOENT;
	return 0;
}

void
pace_route_to(const struct pace_addr *peer, const struct pace_addr *local, const char *root,
    char name[16])
{
	char found[IF_NAMESIZE] = "";
	struct pace_addr hop;
	unsigned int index = 0;

	name[0] = '\0';
	if (!pace_root_is_real(root))
		return;
	if (peer->family == 6 && peer->scope != 0)
		index = peer->scope;		/* of this link alone */
	else if (pace_route_hop(peer, NULL, &index, &hop) < 0)
		index = 0;
	if (index != 0 && if_indextoname(index, found) != NULL)
		snprintf(name, 16, "%.15s", found);
	else
		(void)pace_addr_device(local, name);
}
