/*
 * responder.h - the one port: strangers, and the birth of sessions.
 *
 * Purpose    answers HELLO with a cookie, turns an OPEN with a good cookie
 *            into a session on a socket of its own, tells a client of a
 *            session that is gone so, and counts everything else.  No state
 *            for an unproven address, no reply larger than its request.
 * Seam       spawn makes the session's socket and runs it (a thread in the
 *            program, an entry in the simulation's list in the tests); the
 *            runner calls pace_responder_ended when it is over.
 * Fairness   one host (one IPv6 /64) gets at most a quarter of the sessions,
 *            where there are 8 or more.
 * Memory     fixed: max_sessions entries.
 * Threads    step: one; pace_responder_ended: any.
 */
#ifndef PACE_RESPONDER_H
#define PACE_RESPONDER_H

#include <pthread.h>
#include <stdint.h>

#include "session/session.h"

#define PACE_SESSIONS_MAX	1024

/* What a new session needs; the runner adds io and rcvbuf_granted. */
struct pace_birth {
	int			slot;	/* for pace_responder_ended */
	struct pace_addr	local;	/* reply from here */
	struct pace_session_cfg	cfg;
};

/* A session's two ends; peer.family 0: free. */
struct pace_slot {
	struct pace_addr peer, local;
};

struct pace_responder_counts {
	uint64_t	hellos, opened, refused, resets, junk;
};

struct pace_responder {
	struct pace_shared shared;
	struct pace_io	io;		/* of the listener */
	int		max_sessions;
	int		(*spawn)(void *ctx, const struct pace_birth *b);	/* 0 or -errno */
	void		*spawn_ctx;
	struct pace_responder_counts counts;
	/* private */
	pthread_mutex_t	lock;
	struct pace_slot slots[PACE_SESSIONS_MAX];
	int		active;
	uint64_t	ended;
	uint8_t		*buffers;
};

/* io, max_sessions, spawn, spawn_ctx and shared.host are set by the caller
 * afterwards.  -ENOMEM, -EIO. */
int	pace_responder_init(struct pace_responder *r);
void	pace_responder_free(struct pace_responder *r);

/* Handle what waits at the listener.  How many datagrams, or -errno. */
int	pace_responder_step(struct pace_responder *r);

/* The session in that slot is over. */
void	pace_responder_ended(struct pace_responder *r, int slot);

/* Sessions alive, and how many ended since the start. */
int	pace_responder_active(struct pace_responder *r, uint64_t *ended);

#endif
