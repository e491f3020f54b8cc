/* route.c - the interface towards a peer: by RTM_GETROUTE, or the one with our own address. */
#include "config.h"

#include <errno.h>
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

/* The index of the interface; 0: the kernel gives none. */
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

void
pace_route_to(const struct pace_addr *peer, const struct pace_addr *local, const char *root,
    char name[16])
{
	char found[IF_NAMESIZE] = "";
	unsigned int index = 0;
	int fd;

	name[0] = '\0';
	if (!pace_root_is_real(root))
		return;
	if (peer->family == 6 && peer->scope != 0) {
		index = peer->scope;		/* of this link alone */
	} else if ((fd = pace_netlink_open()) >= 0) {
		index = ask(fd, peer) == 0 ? answer(fd) : 0;
		close(fd);
	}
	if (index != 0 && if_indextoname(index, found) != NULL)
		snprintf(name, 16, "%.15s", found);
	else
		(void)pace_addr_device(local, name);
}
