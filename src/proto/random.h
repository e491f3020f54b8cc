/*
 * random.h - numbers that nobody can guess: of sessions, requests and nonces.
 */
#ifndef PACE_PROTO_RANDOM_H
#define PACE_PROTO_RANDOM_H

#include <stdint.h>

/* Random 64 bits, never 0. */
uint64_t	pace_random(void);

#endif
