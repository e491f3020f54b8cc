/* The interface towards a peer: RTM_GETROUTE, or who has our own address. */
#include "config.h"

#include <errno.h>
#include <ifaddrs.h>
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

struct question {
	struct nlmsghdr	h;
	struct rtmsg	r;
	struct rtattr	a;
	uint8_t		ip[16];
};

static int
ask(int fd, const struct pace_addr *peer)
{
	unsigned short len = peer->family == 4 ? 4 : 16;
	struct question q = {
		.h = { .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = 1 },
		.r = { .rtm_family = peer->family == 4 ? AF_INET : AF_INET6,
		    .rtm_dst_len = (unsigned char)(8 * len) },
		.a = { .rta_type = RTA_DST, .rta_len = (unsigned short)RTA_LENGTH(len) },
	};

	memcpy(q.ip, peer->ip, len);
	q.h.nlmsg_len = (uint32_t)(offsetof(struct question, ip) + len);
	return send(fd, &q, q.h.nlmsg_len, 0) == (ssize_t)q.h.nlmsg_len ? 0 : -errno;
}

/* The number of the interface, 0: the kernel does not tell. */
static unsigned int
answer(int fd)
{
	_Alignas(struct nlmsghdr) char buf[4096];
	const size_t head = NLMSG_LENGTH(sizeof(struct rtmsg));
	const struct nlmsghdr *h = (const void *)buf;
	ssize_t got = recv(fd, buf, sizeof(buf), 0);
	struct rtattr *a;
	unsigned int index = 0;

	if (got < (ssize_t)head || h->nlmsg_len > (size_t)got || h->nlmsg_type != RTM_NEWROUTE)
		return 0;
	a = pace_netlink_attribute(buf + NLMSG_ALIGN(head), h->nlmsg_len - head, RTA_OIF);
	if (a != NULL && RTA_PAYLOAD(a) == sizeof(index))
		memcpy(&index, RTA_DATA(a), sizeof(index));
	return index;
}

static unsigned int
routed(const struct pace_addr *peer)
{
	unsigned int index;
	int fd;

	if (peer->family == 6 && peer->scope != 0)
		return peer->scope;		/* of this link alone */
	fd = pace_netlink_open();
	if (fd < 0)
		return 0;
	index = ask(fd, peer) == 0 ? answer(fd) : 0;
	close(fd);
	return index;
}

static void
owner(const struct pace_addr *local, char name[16])
{
	struct ifaddrs *list = NULL;
	struct pace_addr a;

	if (getifaddrs(&list) == -1)
		return;
	for (const struct ifaddrs *i = list; i != NULL && name[0] == '\0'; i = i->ifa_next) {
		struct sockaddr_in6 sa;

		if (i->ifa_addr == NULL || (i->ifa_addr->sa_family != AF_INET &&
		    i->ifa_addr->sa_family != AF_INET6))
			continue;
		memset(&sa, 0, sizeof(sa));
		memcpy(&sa, i->ifa_addr, i->ifa_addr->sa_family == AF_INET6 ?
		    sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
		pace_addr_from_sa(&sa, &a);
		if (a.family == local->family &&
		    memcmp(a.ip, local->ip, a.family == 4 ? 4 : 16) == 0)
			snprintf(name, 16, "%.15s", i->ifa_name);
	}
	freeifaddrs(list);
}

void
pace_route_to(const struct pace_addr *peer, const struct pace_addr *local, const char *root,
    char name[16])
{
	char found[IF_NAMESIZE] = "";
	unsigned int index;

	name[0] = '\0';
	if (!pace_root_is_real(root))
		return;
	index = routed(peer);
	if (index != 0 && if_indextoname(index, found) != NULL)
		snprintf(name, 16, "%.15s", found);
	else
		owner(local, name);
}
