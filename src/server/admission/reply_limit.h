/*
 * reply_limit.h - how often a sender is answered that has no session.
 *
 * Purpose    the responder sends an address only so many answers, so that nobody can use
 *            it to flood a third host, and it does only so much work for one network.
 * HELLO      its source may be forged, so each limit is also a way to lock its victim out:
 *            whoever uses up the answers of an address silences it.  An answer is stateless,
 *            costs microseconds, and is a quarter of its request: an attacker who sends the
 *            HELLOs to the victim himself does four times the harm.  So the limit bounds the
 *            reflected volume alone, and is far above any flood that is worth while: 2000
 *            answers a second to a host (2.2 Mbit/s), 8000 to a network (9 Mbit/s).  1000
 *            forged HELLOs a second use up nothing; beside 10,000 a second one of five
 *            HELLOs is answered, and a client sends twelve in its 5 s.
 * OPEN       with a good cookie comes from its address, so nobody uses up what others have.
 *            It makes a thread and a socket: the limit bounds that work.  A HELLO or such
 *            an OPEN with the tag of a key is counted for the key, not for its address:
 *            no flood without the key touches that.
 * Rest       an OPEN with a bad cookie, and requests of sessions that are gone: an answer
 *            may be as long as its request, and no client depends on it, so the limit is low.
 * Memory     fixed, 3 MiB; O(1).  Senders that share columns with a flood: rate_sketch.h.
 * Invariant  no source is ever answered more often than its limits say, whoever else is
 *            there.
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
	PACE_REPLY_LIMIT_REST,
	PACE_REPLY_LIMIT_KINDS
};

extern const struct pace_rate_sketch_limit pace_reply_limit_limits[PACE_REPLY_LIMIT_KINDS][PACE_PREFIXES];

struct pace_reply_limit {
	uint8_t	key[PACE_RATE_SKETCH_KEY];
	struct pace_rate_sketch sketch[PACE_REPLY_LIMIT_KINDS];
};

/* NULL: no memory, or no random numbers. */
struct pace_reply_limit	*pace_reply_limit_new(void);
void	pace_reply_limit_free(struct pace_reply_limit *l);

/* May this one be answered now?  Then it is counted: for the key with that fingerprint, for
 * the address where id is NULL. */
bool	pace_reply_limit_take(struct pace_reply_limit *l, enum pace_reply_limit_kind kind,
	    const struct pace_addr *from, const uint8_t *id, int64_t now_ns);

#endif
