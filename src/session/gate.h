/*
 * gate.h - prove an address before anything is kept for it.
 *
 * Purpose    the cookie: a keyed hash of the client's address and port and
 *            the time, which only who receives at that address can return.
 *            Nothing is stored for it, and it is only valid for this
 *            process and for 30 to 60 s.
 * Source     BLAKE2b, keyed (libsodium); compared in constant time.
 * Memory     fixed.   Threads  const after start.
 */
#ifndef PACE_GATE_H
#define PACE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "session/msg.h"

struct pace_gate {
	uint8_t	secret[32];
};

/* -EIO when libsodium cannot start. */
int	pace_gate_init(struct pace_gate *g);

void	pace_gate_cookie(const struct pace_gate *g, const struct pace_addr *peer,
	    int64_t now_ns, uint8_t cookie[PACE_COOKIE_SIZE]);
bool	pace_gate_opens(const struct pace_gate *g, const struct pace_addr *peer,
	    int64_t now_ns, const uint8_t cookie[PACE_COOKIE_SIZE]);

/* Random 64 bits, never 0. */
uint64_t	pace_gate_random(void);

#endif
