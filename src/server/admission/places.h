/*
 * places.h - which clients get the places (sessions) of a responder.
 *
 * Purpose    a table of the sessions' clients.  It decides which place a new client gets,
 *            and which session must end for it if all places are taken.
 * Host       if there are 8 or more places, one host (an IPv4 address, an IPv6 /64) gets at
 *            most a quarter of them.
 * Keys       clients with a key come first.  If the responder has keys, a quarter of the
 *            places is reserved for them.  A client with a key can take the place of a
 *            client without one; the reverse never happens.
 * Networks   share the places.  If all are taken, a new client gets a place of the network
 *            with the most sessions, if its own network then still has fewer.  The sites
 *            of a network and the hosts of a site share in the same way (enum
 *            pace_prefix).  A network with few sessions therefore always finds a place,
 *            and two networks never take a place from each other in turn.  Otherwise the
 *            client gets the place of a session that neither measured nor requested the
 *            lease for PACE_PLACE_UNUSED_NS, if its own network (site, host) has fewer.
 *            Without such a session the responder is full.
 * Order      a closed session leaves first; a session that measures leaves last, only if
 *            no other session may leave.
 * Heir       a session that must leave does so within a second.  Its place is reserved for
 *            the client that it leaves for, for PACE_PLACE_KEPT_NS after the last OPEN of
 *            that client; no other client gets it.
 * Closed     a closed session keeps its place for another second (PACE_SESSION_LINGER_NS).
 *            It counts neither for a rule nor for its host's quarter.  But a host that
 *            has two quarters including its closed sessions waits until they are gone.
 * Cost       of a claim: that of the sessions of the client's network, found by a hash; of all
 *            places if none is free, a place is reserved, or a rule limits the sessions of a key.
 * Memory     180 bytes a place, from pace_places_init.
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

/* Flags that a session and the responder share. */
struct pace_slot_state {
	_Atomic bool	closed;		/* closed by its client; it lingers */
	_Atomic bool	replaced;	/* it ends because its client opens a new one */
	_Atomic bool	leave;		/* it must end for another client */
	_Atomic uint64_t session;	/* its number; 0: not known yet */
	_Atomic bool	measures;	/* it has the lease, and a run goes on */
	_Atomic int64_t	used_ns;	/* last time it measured or requested the lease */
};

/* A session's client; peer.family 0: free. */
struct pace_slot {
	struct pace_addr peer, local;
	char		key[PACE_KEY_NAME_SIZE];
	struct pace_slot_state place;
	int		same[PACE_PREFIXES];	/* sessions with the same prefix, itself included */
	bool		counted;		/* included in those counts */
	struct pace_addr heir;			/* reserved for this client; family 0: free */
	bool		heir_keyed;
	int64_t		kept_ns;		/* reserved until then */
	int32_t		next;			/* private: taken, with the same hash; -1: none */
};

struct pace_places {
	pthread_mutex_t	lock;
	int		max;		/* places */
	int		active;
	uint64_t	ended;
	struct pace_slot *slot;
	/* private */
	int		keyless;	/* taken by clients without a key */
	int		first_free;	/* all places before this are taken */
	int64_t		kept_ns;	/* no place is reserved from then on */
	uint8_t		secret[16];	/* of the hash */
	int32_t		*heads;		/* by hash of the network: places; -1: none */
	uint32_t	mask;
};

/* A client that wants a place. */
struct pace_comer {
	struct pace_addr peer, local;
	const char	*key;		/* its name, "": none */
	int		keyless_max;	/* places for all clients without a key */
	int64_t		own_max;	/* sessions that its rule allows it */
	int64_t		now_ns;
	int		leaver;		/* out: -EAGAIN because of this place, whose session must
					 * leave; -1: because of none */
};

/* -ENOMEM.  pace_places_done accepts one that failed. */
int	pace_places_init(struct pace_places *p, int max);
void	pace_places_done(struct pace_places *p);

/* Claim a place: returns its index, or -EEXIST: the client has a session; -EAGAIN: a place is
 * free soon; -EUSERS: all places it may have are taken; -EDQUOT: its host has a quarter of them;
 * -EPERM: its rule allows no further session. */
int	pace_places_claim(struct pace_places *p, struct pace_comer *c);

/* Return the place of the open session with this number, of this host and key; -ENOENT: there is
 * none. */
int	pace_places_find(struct pace_places *p, uint64_t session, const struct pace_addr *peer,
	    const char *key);

/* Free this place: its session has ended. */
void	pace_places_free(struct pace_places *p, int slot);

/* Return the number of open sessions, and in *ended how many have ended; without sessions that
 * their client replaced by a new one. */
int	pace_places_active(struct pace_places *p, uint64_t *ended);

#endif
