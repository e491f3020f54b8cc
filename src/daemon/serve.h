/*
 * serve.h - a responder on sockets and threads: for respond and for demo.
 *
 * Purpose    runs the listener's loop, with the light sessions in it, and one thread with
 *            its own socket for each other session.
 * Threads    pace_serve_run in any one thread; sessions in their own, with
 *            all signals blocked.
 * Memory     light sessions: light.h.  Another session is about 2 MiB of address space, plus
 *            3.5 MiB for the one that measures, plus its socket buffer in the kernel.
 */
#ifndef PACE_DAEMON_SERVE_H
#define PACE_DAEMON_SERVE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "daemon/reflect.h"
#include "plat/notify.h"
#include "plat/sock.h"
#include "server/responder.h"

#define PACE_SERVE_BUFFER_MAX	(64U << 20)	/* of a session's socket, either way */
#define PACE_SERVE_FLOWS	4096	/* further flows of all sessions */

struct pace_serve_cfg {
	struct pace_addr bind;		/* family 0: all addresses; port 0: any */
	int	max_sessions;
	int	max_light;		/* light sessions, at most PACE_LIGHT_MAX; 0: none */
	int	max_flows;		/* of all sessions, further ones only; at most
					 * PACE_SERVE_FLOWS */
	uint64_t max_records;	/* limit of the frame records of a run */
	struct pace_rules *rules;	/* the caller's, as long as sessions live; NULL: none */
	int	cpu;			/* core for the session threads, -1: any */
	const struct pace_threads *threads;	/* of each session; NULL: one */
	bool	once;		/* end after the first session */
	bool	private;		/* clients get no facts of this host */
	int	passed;			/* above 0: a bound socket, see pace_sock_cfg */
	struct pace_notify *notify;	/* service manager to notify; NULL: none */
	const volatile sig_atomic_t *stop;
	struct pace_observer observer;	/* receives events, in any thread */
	const struct pace_tcp_host *tcp;	/* accepts TCP; NULL: nobody does */
	const struct pace_reflect *reflect;	/* STAMP reflector beside it; NULL: none */
	const struct pace_capture_hook *tap;	/* captures runs; NULL: no captures */
	struct pace_stats_page *watches;	/* boards of max_sessions; NULL: none */
	/* Called in each turn of the loop, at least about 10 times a second, while a session sends
	 * frames once a second; may be NULL. */
	void	(*look)(void *ctx, struct pace_responder *r);
	void	*look_ctx;
	/* Called after a SIGHUP, by the thread of pace_serve_run; NULL: SIGHUP is not caught. */
	void	(*reload)(void *ctx);
	void	*reload_ctx;
};

struct pace_serve {
	struct pace_serve_cfg cfg;
	struct pace_sock sock;
	struct pace_responder responder;
	struct pace_counting counting;	/* for every session; each has its own route */
	/* private: the host's facts reported last, reused for a short time */
	pthread_mutex_t	facts_lock;
	struct pace_host facts;
	char		facts_of[16];	/* interface */
	int64_t		facts_ns;	/* time of reading; 0: never */
	struct pace_host_text *light_text;	/* the same for light sessions, as text; or NULL */
	char		light_text_of[16];
	int64_t		light_text_ns;
	int64_t		summed_ns;	/* time when the host's counters were read for reports */
	bool		busy;		/* light sessions send much */
	int64_t		busy_ns;	/* when that was judged, and their datagrams by then */
	uint64_t	busy_then;
	uint16_t	port;
	struct pace_warm *warm;
	int64_t		guard_ns;	/* a sending session spins this long before each frame */
	/* private: the sessions that accept further flows, by place */
	_Atomic int	flows;		/* open */
	pthread_mutex_t	runners_lock;
	struct runner	*runners[PACE_SESSIONS_MAX];
	_Atomic int64_t	parting_ns;	/* when sessions must end; 0: no limit */
};

int	pace_serve_open(struct pace_serve *s, const struct pace_serve_cfg *cfg,
	    struct pace_err *err);

/* Serve until *stop is set or, with once, the session ends.  Then tell the clients, and wait at
 * most 5 s for the sessions to end. */
void	pace_serve_run(struct pace_serve *s);

/* Close the server.  False: a session that did not end in time still uses *s, its rules, stats
 * pages and observer; they must exist until the program ends. */
bool	pace_serve_close(struct pace_serve *s);

#endif
