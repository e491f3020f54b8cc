/*
 * reflect.h - the STAMP reflector of a responder: its socket, its thread, its keys.
 *
 * Threads    one of its own, between pace_reflect_begin and pace_reflect_end.
 * Privilege  the socket is opened by pace_reflect_open: a port below 1024 needs nothing later.
 */
#ifndef PACE_DAEMON_REFLECT_H
#define PACE_DAEMON_REFLECT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/err.h"
#include "plat/sock.h"
#include "server/reflector.h"

struct pace_reflect {
	struct pace_reflector *reflector;	/* NULL: there is none */
	struct pace_sock sock;
	uint16_t	port;
	int		cpu;		/* core of the thread, -1: any */
	pthread_t	thread;
	bool		running;
	_Atomic bool	stop;
};

struct pace_reflect_cfg {
	struct pace_addr bind;		/* family 0: all addresses; port 0: any */
	struct pace_rules *rules;
	bool	stateful;
	int	cpu;
};

/* -errno; *f is then closed. */
int	pace_reflect_open(struct pace_reflect *f, const struct pace_reflect_cfg *cfg,
	    struct pace_err *err);

/* T2 by the device of the bound address from now on, if it stamps what it receives; else, and
 * bound to all addresses, by the kernel.  Before the begin. */
void	pace_reflect_use_nic(struct pace_reflect *f);

/* Start to answer.  -errno. */
int	pace_reflect_begin(struct pace_reflect *f);

/* Stop to answer; the counts stay.  Then free everything. */
void	pace_reflect_end(struct pace_reflect *f);
void	pace_reflect_close(struct pace_reflect *f);

#endif
