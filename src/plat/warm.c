#include "config.h"

#include "plat/warm.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"

#define SIZE	1472		/* bytes */

struct pace_warm {
	int	fd4, fd6;	/* each connected to itself; -1: there is no such address */
};

static int
connected_to_itself(struct sockaddr *sa, socklen_t len)
{
	int fd = socket(sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return -1;
	if (bind(fd, sa, len) == 0 && getsockname(fd, sa, &len) == 0 && connect(fd, sa, len) == 0)
		return fd;
	close(fd);
	return -1;
}

struct pace_warm *
pace_warm_open(void)
{
	struct sockaddr_in sa4 = { .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 sa6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct pace_warm *w = malloc(sizeof(*w));

	if (w == NULL)
		return NULL;
	w->fd4 = connected_to_itself((struct sockaddr *)&sa4, sizeof(sa4));
	w->fd6 = connected_to_itself((struct sockaddr *)&sa6, sizeof(sa6));
	if (w->fd4 != -1 || w->fd6 != -1)
		return w;
	pace_warm_close(w);
	return NULL;
}

void
pace_warm_close(struct pace_warm *w)
{
	if (w != NULL && w->fd4 != -1)
		close(w->fd4);
	if (w != NULL && w->fd6 != -1)
		close(w->fd6);
	free(w);
}

/* The kernel binds a socket to addresses of this host, and to groups. */
static bool
is_own(const struct pace_addr *a)
{
	struct pace_addr any_port = *a;
	struct sockaddr_in6 sa;
	int fd = socket(a->family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool own;

	any_port.port = 0;
	own = fd != -1 && !pace_addr_is_group(a) && bind(fd, (struct sockaddr *)&sa,
	    pace_addr_to_sa(&any_port, a->family == 6, &sa)) == 0;
	if (fd != -1)
		close(fd);
	return own;
}

int
pace_warm_family(const struct pace_warm *w, int fd)
{
	struct sockaddr_in6 sa;
	struct pace_addr peer;
	socklen_t len = sizeof(sa);

	memset(&sa, 0, sizeof(sa));
	if (w == NULL || getpeername(fd, (struct sockaddr *)&sa, &len) == -1)
		return 0;
	pace_addr_from_sa(&sa, &peer);
	return (peer.family == 6 ? w->fd6 : w->fd4) == -1 || is_own(&peer) ? 0 : peer.family;
}

void
pace_warm_send(const struct pace_warm *w, int family)
{
	static const char data[SIZE];
	const int fd = family == 6 ? w->fd6 : w->fd4;
	char rest;

	(void)send(fd, data, sizeof(data), MSG_DONTWAIT);
	(void)recv(fd, &rest, sizeof(rest), MSG_DONTWAIT | MSG_TRUNC);
}
