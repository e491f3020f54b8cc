/*
 * addr.h - convert struct pace_addr to socket addresses and back; private to plat.
 *
 * Purpose    one place handles mapped addresses, zones and byte order.  A
 *            dual-stack socket gives IPv4 peers as mapped IPv6 addresses;
 *            struct pace_addr never holds these.
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

/* Find the device that has this address.  False: none, and name is empty. */
bool	pace_addr_device(const struct pace_addr *local, char name[16]);

#endif
