/*
 * cookie.h - prove a client's address before the responder stores any state.
 *
 * Purpose    a cookie is a keyed hash of the client's address and port.  Only a host that
 *            receives at this address can return it.  The responder stores nothing for it;
 *            it is valid only in this process and for 30 to 60 s.
 * Secret     time is divided into slots of 30 s.  Each slot that needs a secret gets a new
 *            one from the system's random numbers; the previous slot's secret stays valid.
 *            There is no timer, and a leaked secret is useful for a minute at most.
 * Session    a session issues cookies of its own, which the listener and the client's other
 *            sessions reject: a replayed OPEN cannot end a later session.
 * Source     BLAKE2b, keyed (libsodium); compared in constant time.
 * Memory     fixed.   Threads  any: a mutex inside.
 */
#ifndef PACE_SERVER_ADMISSION_COOKIE_H
#define PACE_SERVER_ADMISSION_COOKIE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "proto/msg.h"

struct pace_cookies {
	pthread_mutex_t	lock;
	int64_t		slot;		/* of the newer secret */
	uint8_t		secret[2][32];	/* of that slot and of the slot before */
};

/* -EIO: libsodium cannot start. */
int	pace_cookies_init(struct pace_cookies *g);

/* Make a cookie, or check one.  session: the session that issues it; 0: the listener. */
void	pace_cookie_make(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, uint8_t cookie[PACE_COOKIE_SIZE]);
bool	pace_cookie_check(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, const uint8_t cookie[PACE_COOKIE_SIZE]);

#endif
