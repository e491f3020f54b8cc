/*
 * responder.h - the one port: strangers, and the birth of sessions.
 *
 * Keys       with keys_required a client without one is not answered at all, but for a
 *            HELLO where polite is set.  The tag of a keyed HELLO or OPEN is checked before
 *            anything else, so that it is counted for its key.
 * Cookie     that of an OPEN is checked before any limit is charged: no HELLO that somebody
 *            forges is counted for a client that has proved its address.
 * Purpose    answers HELLO with a cookie, turns an OPEN with a good cookie
 *            into a session on a socket of its own, tells a client of a
 *            session that is gone so, and counts everything else.  No state
 *            for an unproven address, no reply larger than its request, and no
 *            more replies than reply_limit.h allows.
 * Seam       spawn makes the session's socket and runs it (a thread in the
 *            program, an entry in the simulation's list in the tests); the
 *            runner calls pace_places_free when it is over.
 * Fairness   places.h.
 * Memory     fixed.
 * Threads    one; places: any.
 */
#ifndef PACE_SERVER_RESPONDER_H
#define PACE_SERVER_RESPONDER_H

#include <stdint.h>

#include "server/admission/places.h"
#include "server/admission/reply_limit.h"
#include "server/session.h"

/* What a new session needs; the runner adds io and rcvbuf_granted. */
struct pace_birth {
	int			slot;	/* for pace_places_free */
	struct pace_addr	local;	/* reply from here */
	struct pace_session_cfg	cfg;
};

struct pace_responder_counts {
	uint64_t	hellos, opened;
	uint64_t	refused;	/* no place, or no memory */
	uint64_t	resets;		/* for sessions that are gone */
	uint64_t	cookies;	/* OPEN with one that is not good */
	uint64_t	limited;	/* not answered: too many of that address, or key */
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
	struct pace_places places;	/* max is the caller's */
	int		(*spawn)(void *ctx, const struct pace_birth *b);	/* 0 or -errno */
	void		*spawn_ctx;
	struct pace_responder_counts counts;
	bool		closing;	/* it ends: nobody gets a session any more, and is told why */
	/* private */
	uint8_t		*buffers;
	struct pace_reply_limit *reply_limit;
};

/* io, places.max, spawn, spawn_ctx are set by the caller afterwards.  -ENOMEM, -EIO. */
int	pace_responder_init(struct pace_responder *r);
void	pace_responder_free(struct pace_responder *r);

/* Handle what waits at the listener.  How many datagrams, or -errno. */
int	pace_responder_step(struct pace_responder *r);

/* All counts so far; the same thread as step. */
struct pace_responder_counts	pace_responder_counted(struct pace_responder *r);

/* Of so many sessions: those that clients without a key may have, in all, where there are
 * keys. */
int	pace_responder_strangers(int max_sessions);

#endif
