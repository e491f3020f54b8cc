#include "config.h"

#include "plat/passed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"

#define FIRST	3		/* SD_LISTEN_FDS_START */

static bool
number(const char *text, long *n)
{
	char *end;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*n = strtol(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static int
refuse(struct pace_err *err, const char *why)
{
	return pace_failf(err, EINVAL, "passed socket", "LISTEN_FDS: %s", why);
}

static int
option(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) == -1 ? -1 : value;
}

static int
check(int fd, struct pace_addr *local, struct pace_err *err)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);
	int domain = option(fd, SO_DOMAIN);

	if (domain == -1)
		return refuse(err, errno == EBADF ? "no such file is open" : "not a socket");
	if (domain != AF_INET && domain != AF_INET6)
		return refuse(err, "a socket, but not of IP");
	if (option(fd, SO_TYPE) != SOCK_DGRAM || option(fd, SO_PROTOCOL) != IPPROTO_UDP)
		return refuse(err, "a socket, but not of UDP (ListenDatagram= makes one)");
	memset(&sa, 0, sizeof(sa));
	if (getpeername(fd, (struct sockaddr *)&sa, &len) == 0)
		return refuse(err, "a socket that is connected");
	memset(&sa, 0, sizeof(sa));
	len = sizeof(sa);
	if (getsockname(fd, (struct sockaddr *)&sa, &len) == -1)
		return pace_fail(err, errno, "getsockname");
	pace_addr_from_sa(&sa, local);
	return local->port != 0 ? fd : refuse(err, "a socket without a port");
}

int
pace_passed(struct pace_addr *local, struct pace_err *err)
{
	long pid, n;
	int rc;

	if (!number(getenv("LISTEN_PID"), &pid) || pid != getpid() ||
	    !number(getenv("LISTEN_FDS"), &n) || n < 1)
		return 0;
	if (n > 1)
		return refuse(err, "several sockets; a responder serves one");
	rc = check(FIRST, local, err);
	if (rc > 0 && (fcntl(rc, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(rc, F_SETFL, fcntl(rc, F_GETFL) | O_NONBLOCK) == -1))
		return pace_fail(err, errno, "fcntl");
	return rc;
}
