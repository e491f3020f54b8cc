/*
 * notify.h - report this process's state to the service manager (sd_notify).
 *
 * Purpose    send READY=1 and other states to the socket in NOTIFY_SOCKET, and
 *            WATCHDOG=1 as often as WATCHDOG_USEC requires.  Without these variables
 *            nothing is sent.
 * Errors     none: the responder serves even if the service manager does not listen.
 * Sandbox    open it first; the socket stays open.
 * Source     sd_notify(3), sd_watchdog_enabled(3).
 */
#ifndef PACE_PLAT_NOTIFY_H
#define PACE_PLAT_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct pace_notify {
	int		fd;		/* -1: no service manager */
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

/* Call this often, at least ten times a second. */
void	pace_notify_alive(struct pace_notify *n);

#endif
