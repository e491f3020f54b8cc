/*
 * cookie.h - prove an address before anything is kept for it.
 *
 * Purpose    the cookie: a keyed hash of the client's address and port, which
 *            only who receives at that address can return.  Nothing is stored
 *            for it, and it is only valid for this process and for 30 to 60 s.
 * Secret     a new one from the system's random numbers in every slot of 30 s
 *            in which one is needed; the one of the slot before is good, too.
 *            So there is no timer, and who learns one has it for a minute.
 * Session    a session gives cookies of its own, which the listener and other
 *            sessions of that client do not take: an OPEN that was seen on the
 *            wire and is sent again cannot end a session that came later.
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
	uint8_t		secret[2][32];	/* of that slot, of the one before */
};

/* -EIO when libsodium cannot start. */
int	pace_cookies_init(struct pace_cookies *g);

/* session: whose cookie it is, 0: the listener's. */
void	pace_cookie_make(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, uint8_t cookie[PACE_COOKIE_SIZE]);
bool	pace_cookie_check(struct pace_cookies *g, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, const uint8_t cookie[PACE_COOKIE_SIZE]);

#endif
