/*
 * multicast.h - membership of a multicast group.
 *
 * Purpose    a host whose socket is a member asks its network for the group's datagrams (IGMP,
 *            MLD), from any source or from one alone.
 * Ends       the host leaves when the socket is closed, at the latest with the process.
 * Errors     -errno; err->text is for a person.   Threads  any.
 * Source     RFC 3376, 3678, 3810, 4607.
 */
#ifndef PACE_PLAT_MULTICAST_H
#define PACE_PLAT_MULTICAST_H

#include "core/err.h"
#include "core/io.h"

struct pace_multicast {
	struct pace_addr addr;
	struct pace_addr source;	/* family 0: any */
};

/* "GROUP[,SOURCE]", addresses.  -EINVAL. */
int	pace_multicast_parse(const char *text, struct pace_multicast *g, struct pace_err *err);

/* Make the socket a member.  It then gets datagrams of no other group, and none from other
 * sources.  interface NULL or "any": the one of the route to the group. */
int	pace_multicast_join(int fd, const struct pace_multicast *g, const char *interface,
	    struct pace_err *err);

/* A socket that does nothing else than being a member; -errno. */
int	pace_multicast_hold(const struct pace_multicast *g, const char *interface,
	    struct pace_err *err);

#endif
