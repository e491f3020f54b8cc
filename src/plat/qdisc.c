/* Drops of queue disciplines, by RTM_GETQDISC: all of this network namespace. */
#include "config.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/counters.h"
#include "plat/netlink.h"

#define ROOM		32768

/* A discipline counts frames that its children refused, but not those they dropped later. */
static int
take(struct nlmsghdr *h, struct pace_qdisc_drops *v, int n, int most)
{
	const size_t head = NLMSG_LENGTH(sizeof(struct tcmsg));
	const struct tcmsg *t = NLMSG_DATA(h);
	struct rtattr *stats, *queue = NULL;
	struct gnet_stats_queue q = { .drops = 0 };

	if (h->nlmsg_type != RTM_NEWQDISC || h->nlmsg_len < head || n == most)
		return n;
	stats = pace_netlink_attribute((char *)h + NLMSG_ALIGN(head), h->nlmsg_len - head,
	    TCA_STATS2);
	if (stats != NULL)
		queue = pace_netlink_attribute(RTA_DATA(stats), RTA_PAYLOAD(stats),
		    TCA_STATS_QUEUE);
	if (queue == NULL || RTA_PAYLOAD(queue) < sizeof(q))
		return n;
	memcpy(&q, RTA_DATA(queue), sizeof(q));
	v[n] = (struct pace_qdisc_drops){ .index = t->tcm_ifindex,
	    .root = t->tcm_parent == TC_H_ROOT, .drops = q.drops };
	return n + 1;
}

static int
read_all(int fd, struct pace_qdisc_drops *v, int most)
{
	_Alignas(struct nlmsghdr) char buf[ROOM];
	int n = 0;

	for (;;) {
		ssize_t got = recv(fd, buf, sizeof(buf), 0);
		size_t left = got > 0 ? (size_t)got : 0;

		if (got <= 0)
			return got == 0 ? n : -errno;
		for (struct nlmsghdr *h = (struct nlmsghdr *)buf; NLMSG_OK(h, left);
		    h = NLMSG_NEXT(h, left)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return n;
			if (h->nlmsg_type == NLMSG_ERROR)
				return -EIO;
			n = take(h, v, n, most);
		}
	}
}

int
pace_qdisc_read(struct pace_qdisc_drops *v, int most)
{
	int fd = pace_netlink_open(), rc;

	if (fd < 0)
		return fd;
	struct { struct nlmsghdr h; struct tcmsg t; } q = {
		.h = { .nlmsg_len = sizeof(q), .nlmsg_type = RTM_GETQDISC,
		    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = 1 },
		.t = { .tcm_family = AF_UNSPEC },
	};

	rc = send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) ? 0 : -errno;
	if (rc == 0)
		rc = read_all(fd, v, most);
	close(fd);
	return rc;
}
