/*
 * random.h - numbers that an attacker cannot guess: for sessions, requests and nonces.
 */
#ifndef PACE_PROTO_RANDOM_H
#define PACE_PROTO_RANDOM_H

#include <stdint.h>

/* Return 64 random bits, never 0. */
uint64_t	pace_random(void);

#endif
