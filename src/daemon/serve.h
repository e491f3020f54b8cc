/*
 * serve.h - a responder on sockets and threads: for respond and for demo.
 *
 * Purpose    the listener's loop, and a thread with a socket of its own for
 *            each session.
 * Threads    pace_serve_run in any one thread; sessions in their own, with
 *            all signals blocked.
 * Memory     a session is about 2 MiB of address space, 3.5 MiB more for
 *            the one that measures, and its socket buffer in the kernel.
 */
#ifndef PACE_DAEMON_SERVE_H
#define PACE_DAEMON_SERVE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "plat/notify.h"
#include "plat/sock.h"
#include "server/responder.h"

#define PACE_SERVE_RCVBUF_MAX	(64U << 20)

struct pace_serve_cfg {
	struct pace_addr bind;		/* family 0: all addresses; port 0: any */
	int	max_sessions;
	uint64_t max_records;	/* frames that a run may have kept */
	struct pace_rules *rules;	/* the caller's, for as long as sessions live; NULL: none */
	int	cpu;			/* core for the session threads, -1: any */
	bool	one_off;		/* end after the first session */
	bool	private;		/* clients are told nothing of this host */
	int	passed;			/* above 0: bound already, see pace_sock_cfg */
	struct pace_notify *notify;	/* who is told how it goes; NULL: nobody */
	const volatile sig_atomic_t *stop;
	struct pace_observer observer;	/* is told what happens, in any thread */
	const struct pace_rx_capture_hook *tap;	/* captures runs; NULL: nothing does */
	struct pace_stats_page *watches;	/* boards of max_sessions; NULL: nobody looks */
	/* Every turn of the loop, about 10 times a second or more; may be NULL. */
	void	(*look)(void *ctx, struct pace_responder *r);
	void	*look_ctx;
	/* After a SIGHUP, in the thread of pace_serve_run; NULL: SIGHUP is not caught. */
	void	(*reload)(void *ctx);
	void	*reload_ctx;
};

struct pace_serve {
	struct pace_serve_cfg cfg;
	struct pace_sock sock;
	struct pace_responder responder;
	struct pace_counting counting;	/* of every session; its route is its own */
	/* private: what was told last, for who comes soon after */
	pthread_mutex_t	facts_lock;
	struct pace_host facts;
	char		facts_of[16];	/* interface */
	int64_t		facts_ns;	/* when; 0: never */
	int64_t		summed_ns;	/* when the host's counters were read for reports */
	uint16_t	port;
	_Atomic int64_t	parting_ns;	/* by then sessions are gone; 0: they may stay */
};

int	pace_serve_open(struct pace_serve *s, const struct pace_serve_cfg *cfg,
	    struct pace_err *err);

/* Until *stop (or one_off's end), then until the sessions have gone, 5 s at most;
 * clients are told. */
void	pace_serve_run(struct pace_serve *s);

/* False: a session that did not end in time still uses *s, its rules, stats pages and observer;
 * they are to be there until the program ends. */
bool	pace_serve_close(struct pace_serve *s);

#endif
