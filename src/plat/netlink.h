/*
 * netlink.h - requests to the kernel's routing, by rtnetlink.
 *
 * Purpose    private to plat: functions that qdisc.c and route.c share.
 */
#ifndef PACE_PLAT_NETLINK_H
#define PACE_PLAT_NETLINK_H

#include <linux/rtnetlink.h>
#include <stddef.h>

/* Open a netlink socket that waits at most a second for an answer, or -errno. */
int	pace_netlink_open(void);

/* The first attribute of this type; NULL: none. */
struct rtattr	*pace_netlink_attribute(void *from, size_t left, unsigned short type);

#endif
