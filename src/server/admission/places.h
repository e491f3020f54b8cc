/*
 * places.h - which clients have the sessions of a responder.
 *
 * Purpose    a table of the sessions' clients; which place a new one gets, and which
 *            session ends for it where all are taken.
 * Host       one host (an IPv4 address, an IPv6 /64) gets at most a quarter of the places,
 *            where there are 8 or more.
 * Keys       come first.  Where there are keys a quarter of the places is for clients with
 *            one.  A client with a key takes the place of one without; never the other
 *            way round.
 * Networks   share the places.  Where all are taken a client gets the place of a session
 *            of the network that has most, if its own network then still has fewer; in
 *            the same way among the sites of its network, and the hosts of its site (enum
 *            pace_prefix).  So one with few sessions always finds a place, and nobody takes
 *            one to and fro.  Otherwise it gets the place of a session that has neither
 *            measured nor asked for the lease for PACE_PLACE_UNUSED_NS, if its own network
 *            (site, host) has fewer.  If there is none the responder is full.
 * Order      a session that its client has closed leaves first, one that measures last:
 *            only where no other may leave.
 * Heir       the session is asked to leave and does so within a second.  The place is kept
 *            for the client that it left for, for PACE_PLACE_KEPT_NS after its last OPEN:
 *            no other can snatch it.
 * Closed     a session that its client has closed has its place for another second
 *            (PACE_SESSION_LINGER_NS): it counts for no rule and not for that quarter, but a
 *            host that has two quarters with those waits until they are gone.
 * Memory     fixed: PACE_SESSIONS_MAX entries.
 * Threads    any: a mutex inside.
 */
#ifndef PACE_SERVER_ADMISSION_PLACES_H
#define PACE_SERVER_ADMISSION_PLACES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "proto/keys.h"

#define PACE_SESSIONS_MAX	1024
#define PACE_PLACE_UNUSED_NS	INT64_C(60000000000)
#define PACE_PLACE_KEPT_NS	INT64_C(3000000000)

/* What a session and the responder let each other know. */
struct pace_slot_state {
	_Atomic bool	closed;		/* by its client: it lingers */
	_Atomic bool	replaced;	/* it ends for one that its client begins anew */
	_Atomic bool	leave;		/* it has to end for another client */
	_Atomic bool	measures;	/* it has the lease, and a run goes on */
	_Atomic int64_t	used_ns;	/* when it last measured, or asked to */
};

/* A session's client; peer.family 0: free. */
struct pace_slot {
	struct pace_addr peer, local;
	char		key[PACE_KEY_NAME_SIZE];
	struct pace_slot_state place;
	int		same[PACE_PREFIXES];	/* so many share its prefix, itself included */
	bool		counted;		/* in those */
	struct pace_addr heir;			/* it is kept for this client; family 0: for none */
	bool		heir_keyed;
	int64_t		kept_ns;		/* until then */
};

struct pace_places {
	pthread_mutex_t	lock;
	int		max;		/* places, set by the caller */
	int		active;
	uint64_t	ended;
	struct pace_slot slot[PACE_SESSIONS_MAX];
};

/* A client that wants one. */
struct pace_comer {
	struct pace_addr peer, local;
	const char	*key;		/* its name, "": none */
	int		keyless_max;	/* places for clients without a key */
	int64_t		own_max;	/* those that its rule lets it have */
	int64_t		now_ns;
};

void	pace_places_init(struct pace_places *p);

/* Its place, which it has now, or -EEXIST: it has a session, -EAGAIN: there will be one soon,
 * -EUSERS: all are taken that it may have, -EDQUOT: a quarter of them by this one host;
 * -EPERM: its rule lets it have no more. */
int	pace_places_claim(struct pace_places *p, const struct pace_comer *c);

/* The session at that place is over. */
void	pace_places_free(struct pace_places *p, int slot);

/* Sessions alive, and how many ended since the start; not those that their client began
 * anew. */
int	pace_places_active(struct pace_places *p, uint64_t *ended);

#endif
