/*
 * responder.h - the listening port: answers HELLO, opens sessions.
 *
 * Purpose    answers HELLO with a cookie; turns an OPEN with a valid cookie into a session
 *            on a socket of its own; answers clients of ended sessions with "no such
 *            session"; counts everything else.  It keeps no state for an unproven address
 *            and sends no reply larger than its request, and no more replies than
 *            reply_limit.h allows.
 * Keys       with keys_required, a client without a key gets no answer, except to a HELLO
 *            if explain_refusal is set.  The tag of a keyed HELLO or OPEN is checked first,
 *            so that the limits count the request for its key.
 * Cookie     the cookie of an OPEN is checked before any limit counts it, so forged
 *            HELLOs cannot use up the limit of a client that has proved its address.
 * Spawn      spawn makes the session's socket and runs the session: a thread in the
 *            program, an entry in the simulation's list in the tests.  The runner calls
 *            pace_places_free when the session ends.
 * Flows      an OPEN with the number of a session opens a further flow of it: join makes its
 *            socket and hands it to the session, which answers.  Such an OPEN needs a cookie for
 *            its own port, and the host and the key of the session.
 * Light      an OPEN that asks for it begins a light session, at the listener's socket (light.h),
 *            if the responder has any; else a full one.  It has passed the same checks.
 * Fairness   places.h.
 * Memory     fixed.
 * Threads    one; places: any.
 */
#ifndef PACE_SERVER_RESPONDER_H
#define PACE_SERVER_RESPONDER_H

#include <stdint.h>

#include "server/admission/places.h"
#include "server/admission/reply_limit.h"
#include "server/light.h"
#include "server/reflector.h"
#include "server/session.h"

/* The parameters of a new session; the runner adds io and the granted buffers. */
struct pace_birth {
	int			slot;	/* for pace_places_free */
	struct pace_addr	local;	/* source address of replies */
	struct pace_session_cfg	cfg;
};

/* The parameters of a further flow of a session; the runner adds io, the granted buffers and close, and
 * hands it to the session. */
struct pace_flow_birth {
	int			slot;	/* of the session */
	struct pace_addr	local;	/* source address of replies */
	struct pace_flow	flow;
};

struct pace_responder_counts {
	uint64_t	hellos, opened;
	uint64_t	flows;		/* further ones of sessions */
	uint64_t	refused;	/* no place, or no memory */
	uint64_t	resets;		/* requests for sessions that have ended */
	uint64_t	cookies;	/* OPENs without a valid cookie */
	uint64_t	limited;	/* not answered: limit of the address or key reached */
	uint64_t	keyless;	/* no key that this responder knows, although required */
	uint64_t	junk;
	/* filled in by pace_responder_counted only */
	uint64_t	strays;		/* foreign datagrams at sessions' sockets */
	uint64_t	leftovers;	/* frames that came after a rule had ended their run */
	uint64_t	unlogged;		/* sessions' events that were not logged */
	struct pace_light_counts light;	/* of light sessions */
	struct pace_reflector_counts stamp;	/* of the STAMP reflector; 0: there is none */
};

struct pace_responder {
	struct pace_shared shared;
	struct pace_io	io;		/* the listener's */
	struct pace_places places;	/* of full sessions */
	struct pace_lights lights;	/* the caller sets host and host_ctx */
	int		(*spawn)(void *ctx, const struct pace_birth *b);	/* 0 or -errno */
	int		(*join)(void *ctx, const struct pace_flow_birth *b);	/* 0 or -errno */
	void		*spawn_ctx;	/* of both */
	struct pace_responder_counts counts;
	struct pace_addr keyless_from;	/* sender last counted in keyless; address not proven */
	const struct pace_reflector *reflector;	/* counted with the rest; NULL: none */
	bool		closing;	/* the responder stops: it refuses new sessions and
					 * gives the reason */
	/* private */
	uint8_t		*buffers;
	struct pace_reply_limit reply_limit;
};

/* Initialise *r for so many sessions and so many light ones; the caller then sets io, spawn, join
 * and spawn_ctx.  -ENOMEM; -EIO: no random numbers.  pace_responder_free accepts one that failed. */
int	pace_responder_init(struct pace_responder *r, int sessions, int lights);
void	pace_responder_free(struct pace_responder *r);

/* Refuse new sessions, and end the light ones by that time. */
void	pace_responder_close(struct pace_responder *r, int64_t until_ns);

/* Return the number of open sessions of both kinds, and in *ended how many have ended, as
 * pace_places_active does. */
int	pace_responder_active(struct pace_responder *r, uint64_t *ended);

/* Handle datagrams that wait at the listener; returns their number or -errno. */
#define PACE_RESPONDER_BATCH	32	/* at most so many */
int	pace_responder_step(struct pace_responder *r);

/* Return all counts so far; call it in the thread of step. */
struct pace_responder_counts	pace_responder_counted(struct pace_responder *r);

/* Return how many of max_sessions clients without a key may have together, if the responder
 * has keys. */
int	pace_responder_strangers(int max_sessions);

#endif
