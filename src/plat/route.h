/*
 * route.h - the first hop of a route, by rtnetlink.
 *
 * Purpose    private to plat: what a frame with headers of our own needs to know.
 * Errors     -errno.
 */
#ifndef PACE_PLAT_ROUTE_H
#define PACE_PLAT_ROUTE_H

#include <stdint.h>

#include "core/io.h"

/* The interface towards the peer, and the host to which frames go there: a router, or the peer.
 * interface: only through this one; NULL: any. */
int	pace_route_hop(const struct pace_addr *peer, const char *interface, unsigned int *index,
	    struct pace_addr *hop);

/* The Ethernet address of a host at that interface, if the kernel knows it: else -ENOENT. */
int	pace_route_neighbour(unsigned int index, const struct pace_addr *hop, uint8_t mac[6]);

#endif
