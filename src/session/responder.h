/*
 * responder.h - the one port: strangers, and the birth of sessions.
 *
 * Keys       with keys_required who shows none is not answered at all, but for a
 *            HELLO where polite is set.
 * Purpose    answers HELLO with a cookie, turns an OPEN with a good cookie
 *            into a session on a socket of its own, tells a client of a
 *            session that is gone so, and counts everything else.  No state
 *            for an unproven address, no reply larger than its request, and no
 *            more replies than limit.h allows.
 * Seam       spawn makes the session's socket and runs it (a thread in the
 *            program, an entry in the simulation's list in the tests); the
 *            runner calls pace_responder_ended when it is over.
 * Fairness   one host (one IPv6 /64) gets at most a quarter of the sessions,
 *            where there are 8 or more.  Where there are keys a quarter is for who has
 *            one.  When all are taken, one that does not
 *            measure is asked to leave (session.h) before anybody is refused.
 *            A session that its client has closed has its place for another second
 *            (PACE_SESSION_LINGER_NS): it counts for no rule and not for that quarter, but who has
 *            two quarters with those waits until they are gone, and where a place is wanted
 *            it leaves at once.
 * Memory     fixed: max_sessions entries.
 * Threads    step: one; pace_responder_ended: any.
 */
#ifndef PACE_RESPONDER_H
#define PACE_RESPONDER_H

#include <pthread.h>
#include <stdint.h>

#include "session/throttle.h"
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
	char		key[PACE_KEY_NAME_SIZE];
	_Atomic bool	closed;		/* by its client: it lingers */
	_Atomic bool	replaced;	/* it ends for one that its client begins anew */
};

struct pace_responder_counts {
	uint64_t	hellos, opened;
	uint64_t	refused;	/* no place, or no memory */
	uint64_t	resets;		/* for sessions that are gone */
	uint64_t	cookies;	/* OPEN with one that is not good */
	uint64_t	limited;	/* not answered: too many from there */
	uint64_t	keyless;	/* without a key that is known here, where one is wanted */
	uint64_t	junk;
	/* of pace_responder_counted only */
	uint64_t	strays;		/* at sessions' sockets */
	uint64_t	leftovers;	/* frames of runs that a rule had ended */
	uint64_t	untold;		/* of sessions: news without a line */
};

struct pace_responder {
	struct pace_shared shared;
	struct pace_io	io;		/* of the listener */
	int		max_sessions;
	int		(*spawn)(void *ctx, const struct pace_birth *b);	/* 0 or -errno */
	void		*spawn_ctx;
	struct pace_responder_counts counts;
	bool		closing;	/* it ends: nobody gets a session any more, and is told why */
	/* private */
	pthread_mutex_t	lock;
	struct pace_slot slots[PACE_SESSIONS_MAX];
	int		active;
	uint64_t	ended;
	uint8_t		*buffers;
	struct pace_throttle *limit;	/* of HELLO and OPEN */
	struct pace_throttle *reset_limit;	/* of the others: who forges those keeps no HELLO out */
	int64_t		full_ns;	/* since when there is no place, 0: there is */
};

/* io, max_sessions, spawn, spawn_ctx are set by the caller afterwards.  -ENOMEM, -EIO. */
int	pace_responder_init(struct pace_responder *r);
void	pace_responder_free(struct pace_responder *r);

/* Handle what waits at the listener.  How many datagrams, or -errno. */
int	pace_responder_step(struct pace_responder *r);

/* The session in that slot is over. */
void	pace_responder_ended(struct pace_responder *r, int slot);

/* All counts so far; the same thread as step. */
struct pace_responder_counts	pace_responder_counted(struct pace_responder *r);

/* Of so many sessions: those that clients without a key may have, in all, where there are
 * keys. */
int	pace_responder_strangers(int max_sessions);

/* Sessions alive, and how many ended since the start; not those that their client began
 * anew. */
int	pace_responder_active(struct pace_responder *r, uint64_t *ended);

#endif
