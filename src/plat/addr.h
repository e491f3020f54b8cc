/*
 * addr.h - names, texts and socket addresses of struct pace_addr.
 *
 * Purpose    one place handles mapped addresses, zones and byte order.  A
 *            dual-stack socket gives IPv4 peers as mapped IPv6 addresses;
 *            struct pace_addr never holds these.
 */
#ifndef PACE_PLAT_ADDR_H
#define PACE_PLAT_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/err.h"
#include "core/io.h"

/* For plat.  as_v6: an IPv4 address becomes a mapped one.  Returns its length. */
socklen_t	pace_addr_to_sa(const struct pace_addr *a, bool as_v6,
		    struct sockaddr_in6 *out);
void	pace_addr_from_sa(const struct sockaddr_in6 *sa, struct pace_addr *a);
void	pace_addr_from_in6(const struct in6_addr *in, uint32_t scope, struct pace_addr *a);

/* Find the device that has this address.  False: none, and name is empty. */
bool	pace_addr_device(const struct pace_addr *local, char name[16]);

/*
 * Resolve a host name or literal (an IPv6 literal with or without brackets, with
 * zone).  family 4, 6 or 0: any.  Returns the number of addresses, at most max, in the
 * system's order; or -errno with a message.  -EAFNOSUPPORT: an address of the other
 * family.
 */
int	pace_resolve(const char *host, int family, uint16_t port,
	    struct pace_addr *v, int max, struct pace_err *err);

/* Read an address, with zone; false: it is none. */
bool	pace_addr_literal(const char *text, struct pace_addr *a);

/* The zone of an interface; 0: no such interface. */
uint32_t	pace_addr_zone(const char *interface);

/* The interface's MTU; 0: not known. */
uint32_t	pace_addr_mtu(const char *interface);

/* Print an address: "10.0.0.1" or "fe80::1%eth0". */
char	*pace_addr_text(const struct pace_addr *a, char *buf, size_t size);

#endif
