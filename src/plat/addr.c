#include "config.h"

#include "plat/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plat/names.h"

socklen_t
pace_addr_to_sa(const struct pace_addr *a, bool as_v6, struct sockaddr_in6 *out)
{
	memset(out, 0, sizeof(*out));
	if (a->family == 4 && !as_v6) {
		struct sockaddr_in *in = (struct sockaddr_in *)(void *)out;

		in->sin_family = AF_INET;
		in->sin_port = htons(a->port);
		memcpy(&in->sin_addr, a->ip, 4);
		return sizeof(*in);
	}
	out->sin6_family = AF_INET6;
	out->sin6_port = htons(a->port);
	out->sin6_scope_id = a->scope;
	if (a->family == 4) {
		out->sin6_addr.s6_addr[10] = out->sin6_addr.s6_addr[11] = 0xff;
		memcpy(&out->sin6_addr.s6_addr[12], a->ip, 4);
	} else if (a->family == 6) {
		memcpy(&out->sin6_addr, a->ip, 16);
	}
	return sizeof(*out);
}

void
pace_addr_from_in6(const struct in6_addr *in, uint32_t scope, struct pace_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (IN6_IS_ADDR_V4MAPPED(in)) {
		a->family = 4;
		memcpy(a->ip, &in->s6_addr[12], 4);
		return;
	}
	a->family = 6;
	a->scope = IN6_IS_ADDR_LINKLOCAL(in) || IN6_IS_ADDR_MC_LINKLOCAL(in) ? scope : 0;
	memcpy(a->ip, in, 16);
}

void
pace_addr_from_sa(const struct sockaddr_in6 *sa, struct pace_addr *a)
{
	if (sa->sin6_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;

		memset(a, 0, sizeof(*a));
		a->family = 4;
		a->port = ntohs(in->sin_port);
		memcpy(a->ip, &in->sin_addr, 4);
		return;
	}
	pace_addr_from_in6(&sa->sin6_addr, sa->sin6_scope_id, a);
	a->port = ntohs(sa->sin6_port);
}

char *
pace_addr_text(const struct pace_addr *a, char *buf, size_t size)
{
	char zone[IF_NAMESIZE];
	size_t len;

	if (size == 0)
		return buf;
	buf[0] = '\0';
	if (a->family == 0 || inet_ntop(a->family == 4 ? AF_INET : AF_INET6,
	    a->ip, buf, (socklen_t)size) == NULL)
		return buf;
	len = strlen(buf);
	if (a->scope != 0 && if_indextoname(a->scope, zone) != NULL)
		snprintf(buf + len, size - len, "%%%s", zone);
	return buf;
}

bool
pace_addr_device(const struct pace_addr *local, char name[16])
{
	struct ifaddrs *list;
	struct sockaddr_in6 sa;
	struct pace_addr a;

	name[0] = '\0';
	if (getifaddrs(&list) == -1)
		return false;
	for (const struct ifaddrs *i = list; i != NULL && name[0] == '\0'; i = i->ifa_next) {
		if (i->ifa_addr == NULL || (i->ifa_addr->sa_family != AF_INET &&
		    i->ifa_addr->sa_family != AF_INET6))
			continue;
		memset(&sa, 0, sizeof(sa));
		memcpy(&sa, i->ifa_addr, i->ifa_addr->sa_family == AF_INET6 ?
		    sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
		pace_addr_from_sa(&sa, &a);
		if (a.family == local->family && a.scope == local->scope &&
		    memcmp(a.ip, local->ip, a.family == 4 ? 4 : 16) == 0)
			/* "eth0:1" is a label of eth0 */
			snprintf(name, 16, "%.*s", (int)strcspn(i->ifa_name, ":"), i->ifa_name);
	}
	freeifaddrs(list);
	return name[0] != '\0';
}

/* Take the brackets off an IPv6 literal. */
static int
bare_host(const char *host, char *buf, size_t size)
{
	size_t len = strlen(host);

	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, host, len);
	buf[len] = '\0';
	return 0;
}

bool
pace_addr_literal(const char *text, struct pace_addr *a)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *list;
	struct sockaddr_in6 sa;
	char name[256];

	if (bare_host(text, name, sizeof(name)) != 0 || getaddrinfo(name, NULL, &hints, &list) != 0)
		return false;
	memset(&sa, 0, sizeof(sa));
	memcpy(&sa, list->ai_addr, list->ai_addrlen < sizeof(sa) ? list->ai_addrlen : sizeof(sa));
	pace_addr_from_sa(&sa, a);
	freeaddrinfo(list);
	return true;
}

uint32_t
pace_addr_zone(const char *interface)
{
	return if_nametoindex(interface);
}

uint32_t
pace_addr_mtu(const char *interface)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r;
	bool known;

	memset(&r, 0, sizeof(r));
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", interface);
	known = fd != -1 && ioctl(fd, SIOCGIFMTU, &r) == 0 && r.ifr_mtu > 0;
	if (fd != -1)
		close(fd);
	return known ? (uint32_t)r.ifr_mtu : 0;
}

/* Is it an address of the other family than is wanted? */
static bool
is_of_other(const char *name, int family)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *list;

	hints.ai_family = family == 4 ? AF_INET6 : AF_INET;
	if (family == 0 || getaddrinfo(name, NULL, &hints, &list) != 0)
		return false;
	freeaddrinfo(list);
	return true;
}

int
pace_resolve(const char *host, int family, uint16_t port, struct pace_addr *v,
    int max, struct pace_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *list, *ai;
	char name[256];
	int rc, n = 0;

	if (bare_host(host, name, sizeof(name)) != 0)
		return pace_failf(err, ENAMETOOLONG, "resolve", "the name is too long");
	hints.ai_family = family == 4 ? AF_INET : family == 6 ? AF_INET6 : AF_UNSPEC;
	rc = getaddrinfo(name, NULL, &hints, &list);
	if (rc == EAI_NONAME || rc == EAI_ADDRFAMILY) {
		/* AI_ADDRCONFIG hides ::1 on a host with only loopback. */
		hints.ai_flags = 0;
		rc = getaddrinfo(name, NULL, &hints, &list);
	}
	if (rc != 0 && is_of_other(name, family))
		return pace_failf(err, EAFNOSUPPORT, "resolve",
		    "it is an IPv%d address, but IPv%d was requested", family == 4 ? 6 : 4, family);
	if (rc != 0)
		return pace_failf(err, EHOSTUNREACH, "resolve", "%s" PACE_STATIC_HOSTS,
		    gai_strerror(rc));
	for (ai = list; ai != NULL && n < max; ai = ai->ai_next) {
		struct sockaddr_in6 sa;

		if (ai->ai_addrlen > sizeof(sa) ||
		    (ai->ai_family != AF_INET && ai->ai_family != AF_INET6))
			continue;
		memset(&sa, 0, sizeof(sa));
		memcpy(&sa, ai->ai_addr, ai->ai_addrlen);
		pace_addr_from_sa(&sa, &v[n]);
		v[n++].port = port;
	}
	freeaddrinfo(list);
	if (n == 0)
		return pace_failf(err, EHOSTUNREACH, "resolve", "it has no IP address");
	return n;
}
