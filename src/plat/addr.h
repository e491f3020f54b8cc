/*
 * addr.h - struct pace_addr to socket addresses and back, for plat itself.
 *
 * Purpose    one place that knows mapped addresses, zones and byte orders.
 *            A dual-stack socket speaks of IPv4 peers as mapped IPv6
 *            addresses; struct pace_addr never does.
 */
#ifndef PACE_PLAT_ADDR_H
#define PACE_PLAT_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/io.h"

/* as_v6: an IPv4 address becomes a mapped one.  Returns its length. */
socklen_t	pace_addr_to_sa(const struct pace_addr *a, bool as_v6,
		    struct sockaddr_in6 *out);
void	pace_addr_from_sa(const struct sockaddr_in6 *sa, struct pace_addr *a);
void	pace_addr_from_in6(const struct in6_addr *in, uint32_t scope, struct pace_addr *a);

#endif
