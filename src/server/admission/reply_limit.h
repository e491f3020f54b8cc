/*
 * reply_limit.h - how often a sender without a session is answered.
 *
 * Purpose    the responder limits its answers to each address.  An attacker cannot use it
 *            to flood a third host, and the work for one network is bounded.
 * HELLO      its source may be forged, so each limit is also a way to lock the victim out:
 *            an attacker that uses up the answers of an address silences it.  An answer is
 *            stateless, costs microseconds and is a quarter of its request; an attacker
 *            that sends the HELLOs directly to the victim does four times the harm.  The
 *            limit therefore only bounds the reflected volume, and is far above any flood
 *            that is worth its cost: 2000 answers a second to a host (2.2 Mbit/s), 8000 to
 *            a network (9 Mbit/s).  1000 forged HELLOs a second do not reach it; during
 *            10,000 a second one of five HELLOs is answered, and a client sends twelve in
 *            its 5 s.
 * OPEN       with a valid cookie comes from its address, so no other client can use up its
 *            limit.  It makes a thread and a socket; the limit bounds this work.  A HELLO
 *            or OPEN with the tag of a key counts for the key, not for its address; a
 *            flood without the key does not affect it.
 * Flow       an OPEN of a further flow of a session, with a valid cookie, and with the address
 *            and the key of the session.  It makes a socket; a client opens up to 255 at once,
 *            and its rule limits how many stay open.
 * Rest       an OPEN with an invalid cookie, and requests of ended sessions.  An answer may
 *            be as long as its request, and no client depends on it, so the limit is low.
 * Memory     fixed, 4 MiB; O(1).  Senders that share columns with a flood: rate_sketch.h.
 * Invariant  no source is ever answered more often than its limits allow, whatever other
 *            sources do.
 * Threads    one.
 */
#ifndef PACE_SERVER_ADMISSION_REPLY_LIMIT_H
#define PACE_SERVER_ADMISSION_REPLY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/admission/rate_sketch.h"

enum pace_reply_limit_kind {
	PACE_REPLY_LIMIT_HELLO,
	PACE_REPLY_LIMIT_OPEN,
	PACE_REPLY_LIMIT_FLOW,
	PACE_REPLY_LIMIT_REST,
	PACE_REPLY_LIMIT_KINDS
};

extern const struct pace_rate_sketch_limit pace_reply_limit_limits[PACE_REPLY_LIMIT_KINDS]
	    [PACE_PREFIXES];

struct pace_reply_limit {
	uint8_t	key[PACE_RATE_SKETCH_KEY];
	struct pace_rate_sketch sketch[PACE_REPLY_LIMIT_KINDS];
};

/* -EIO: no random numbers. */
int	pace_reply_limit_init(struct pace_reply_limit *l);

/* If the limit allows an answer now, count it and return true.  It counts for the key with
 * fingerprint id; with id NULL, for the address. */
bool	pace_reply_limit_take(struct pace_reply_limit *l, enum pace_reply_limit_kind kind,
	    const struct pace_addr *from, const uint8_t *id, int64_t now_ns);

#endif
