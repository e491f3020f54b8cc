#include "config.h"

#include "plat/multicast.h"

#include <errno.h>
#include <linux/in6.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"

#define TEXT_MAX	96

/* --- reading ------------------------------------------------------------------------ */

int
pace_multicast_parse(const char *text, struct pace_multicast *g, struct pace_err *err)
{
	const char *comma = strchr(text, ',');
	size_t n = comma != NULL ? (size_t)(comma - text) : strlen(text);
	char group[TEXT_MAX];

	memset(g, 0, sizeof(*g));
	if (n >= sizeof(group))
		return pace_failf(err, EINVAL, "group", "is too long");
	memcpy(group, text, n);
	group[n] = '\0';
	if (!pace_addr_literal(group, &g->addr))
		return pace_failf(err, EINVAL, "group", "'%s' is not an address", group);
	if (!pace_addr_is_group(&g->addr))
		return pace_failf(err, EINVAL, "group", "'%s' is not the address of a multicast "
		    "group: those are 224.0.0.0 to 239.255.255.255, and ff00::/8", group);
	if (comma == NULL)
		return 0;
	if (strlen(comma + 1) >= TEXT_MAX || !pace_addr_literal(comma + 1, &g->source))
		return pace_failf(err, EINVAL, "group", "the source '%.*s' is not an address",
		    TEXT_MAX, comma + 1);
	if (g->source.family != g->addr.family)
		return pace_failf(err, EINVAL, "group", "the group is an IPv%u address, but its "
		    "source is an IPv%u address", g->addr.family, g->source.family);
	if (pace_addr_is_group(&g->source))
		return pace_failf(err, EINVAL, "group", "the source '%s' is itself a group: write "
		    "GROUP,SOURCE", comma + 1);
	return 0;
}

/* --- joining ------------------------------------------------------------------------ */

/* Only what this socket joined: Linux otherwise delivers groups that others on this host joined. */
static void
take_no_others(int fd, int family)
{
	int off = 0;

	if (family == 4)
		(void)setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off));
#ifdef IPV6_MULTICAST_ALL
	else
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, &off, sizeof(off));
#endif
}

static void
fill(struct sockaddr_storage *to, const struct pace_addr *a)
{
	struct sockaddr_in6 sa;
	socklen_t n = pace_addr_to_sa(a, false, &sa);

	memcpy(to, &sa, n);
}

static int
fail(const struct pace_multicast *g, const char *interface, int code, struct pace_err *err)
{
	char text[TEXT_MAX];

	pace_addr_text(&g->addr, text, sizeof(text));
	if (code == ENODEV && interface == NULL)
		return pace_failf(err, code, "join", "%s: no route to this group: name the "
		    "interface", text);
	if (code == ENOBUFS || code == ENOMEM)
		return pace_failf(err, code, "join", "%s: this host allows no more groups or "
		    "sources", text);
	return pace_failf(err, code, "join", "%s%s%s: %s", text, interface != NULL ? " on " : "",
	    interface != NULL ? interface : "", strerror(code));
}

int
pace_multicast_join(int fd, const struct pace_multicast *g, const char *interface,
    struct pace_err *err)
{
	const int level = g->addr.family == 4 ? IPPROTO_IP : IPPROTO_IPV6;
	struct group_req any;
	struct group_source_req one;
	uint32_t index = g->addr.scope;
	int rc;

	if (interface != NULL && strcmp(interface, "any") == 0)
		interface = NULL;
	if (interface != NULL && (index = pace_addr_zone(interface)) == 0)
		return pace_failf(err, ENODEV, "join", "%s: there is no such interface", interface);
	take_no_others(fd, g->addr.family);
	memset(&any, 0, sizeof(any));
	memset(&one, 0, sizeof(one));
	any.gr_interface = one.gsr_interface = index;
	fill(&any.gr_group, &g->addr);
	fill(&one.gsr_group, &g->addr);
	fill(&one.gsr_source, &g->source);
	if (g->source.family != 0)
		rc = setsockopt(fd, level, MCAST_JOIN_SOURCE_GROUP, &one, sizeof(one));
	else
		rc = setsockopt(fd, level, MCAST_JOIN_GROUP, &any, sizeof(any));
	return rc == 0 ? 0 : fail(g, interface, errno, err);
}

int
pace_multicast_hold(const struct pace_multicast *g, const char *interface, struct pace_err *err)
{
	int fd = socket(g->addr.family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd == -1)
		return pace_fail(err, errno, "socket");
	rc = pace_multicast_join(fd, g, interface, err);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}
