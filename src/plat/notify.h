/*
 * notify.h - tell the service manager what this process does (sd_notify).
 *
 * Purpose    READY=1 and the like, to the socket that NOTIFY_SOCKET names, and
 *            WATCHDOG=1 as often as WATCHDOG_USEC wants it.  Without either
 *            nothing is done.
 * Errors     none: a service manager that does not listen is no reason not to serve.
 * Sandbox    to be opened before; its socket is kept.
 * Source     sd_notify(3), sd_watchdog_enabled(3).
 */
#ifndef PACE_PLAT_NOTIFY_H
#define PACE_PLAT_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct pace_notify {
	int		fd;		/* -1: nobody wants to know */
	struct sockaddr_un to;
	socklen_t	len;
	int64_t		every_ns;	/* WATCHDOG=1; 0: not wanted */
	int64_t		last_ns;
};

void	pace_notify_open(struct pace_notify *n);
void	pace_notify_close(struct pace_notify *n);

void	pace_notify_ready(struct pace_notify *n);
void	pace_notify_reloading(struct pace_notify *n);	/* then ready again */
void	pace_notify_stopping(struct pace_notify *n);

/* To be called often, at least ten times a second. */
void	pace_notify_alive(struct pace_notify *n);

#endif
