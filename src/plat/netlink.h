/*
 * netlink.h - questions to the kernel's routing, by rtnetlink.
 *
 * Purpose    private to plat: what qdisc.c and route.c share.
 */
#ifndef PACE_PLAT_NETLINK_H
#define PACE_PLAT_NETLINK_H

#include <linux/rtnetlink.h>
#include <stddef.h>

/* A socket that asks and waits a second at most, or -errno. */
int	pace_netlink_open(void);

/* The first of this type among attributes, NULL: none. */
struct rtattr	*pace_netlink_attribute(void *from, size_t left, unsigned short type);

#endif
