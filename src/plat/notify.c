#include "config.h"

#include "plat/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plat/clock.h"

/* A path, or with @ in the first place an abstract name. */
static socklen_t
address(struct sockaddr_un *to, const char *name)
{
	size_t len = strlen(name);

	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof(to->sun_path))
		return 0;
	memcpy(to->sun_path, name, len);
	if (name[0] == '@')
		to->sun_path[0] = '\0';
	/* of an abstract name every byte counts */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (name[0] == '/'));
}

static uint64_t
number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	uint64_t n;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return 0;
	n = strtoull(text, &end, 10);
	return *end == '\0' ? n : 0;
}

/* Half of what the manager waits. */
static int64_t
watchdog_ns(void)
{
	uint64_t usec = number_of("WATCHDOG_USEC");

	if (getenv("WATCHDOG_PID") != NULL && number_of("WATCHDOG_PID") != (uint64_t)getpid())
		return 0;
	return usec > INT64_MAX / 1000 ? 0 : (int64_t)usec * 1000 / 2;
}

void
pace_notify_open(struct pace_notify *n)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*n = (struct pace_notify){ .fd = -1 };
	if (name == NULL || (n->len = address(&n->to, name)) == 0)
		return;
	n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	n->every_ns = n->fd != -1 ? watchdog_ns() : 0;
}

void
pace_notify_close(struct pace_notify *n)
{
	if (n->fd != -1)
		close(n->fd);
	n->fd = -1;
}

/* A manager that does not read must not hold us. */
static void
say(struct pace_notify *n, const char *state)
{
	if (n->fd != -1)
		(void)sendto(n->fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
		    (const struct sockaddr *)&n->to, n->len);
}

void
pace_notify_ready(struct pace_notify *n)
{
	say(n, "READY=1\nSTATUS=Serving");
}

/* Type=notify-reload compares this time with that of its signal. */
void
pace_notify_reloading(struct pace_notify *n)
{
	struct timespec ts;
	char text[96];

	clock_gettime(CLOCK_MONOTONIC, &ts);
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
	    (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
	say(n, text);
}

void
pace_notify_stopping(struct pace_notify *n)
{
	say(n, "STOPPING=1\nSTATUS=Sessions end");
}

void
pace_notify_alive(struct pace_notify *n)
{
	int64_t now;

	if (n->every_ns == 0)
		return;
	now = pace_clock_raw();
	if (n->last_ns != 0 && now - n->last_ns < n->every_ns)
		return;
	n->last_ns = now;
	say(n, "WATCHDOG=1");
}
