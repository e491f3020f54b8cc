#include "config.h"

#include "plat/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#define PATIENCE_S	1

int
pace_netlink_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	const struct timeval patience = { .tv_sec = PATIENCE_S };

	if (fd == -1)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

struct rtattr *
pace_netlink_attribute(void *from, size_t left, unsigned short type)
{
	char *p = from;

	while (left >= sizeof(struct rtattr)) {
		struct rtattr *a = (void *)p;

		if (a->rta_len < sizeof(*a) || a->rta_len > left)
			return NULL;
		if (a->rta_type == type)
			return a;
		if (RTA_ALIGN(a->rta_len) >= left)
			return NULL;
		p += RTA_ALIGN(a->rta_len);
		left -= RTA_ALIGN(a->rta_len);
	}
	return NULL;
}
