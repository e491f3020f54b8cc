/*
 * throttle.h - how often somebody who has proven nothing is answered.
 *
 * Purpose    a responder answers an unproven address so often and no more, so
 *            that it is no mirror for who writes another's address on his
 *            datagrams, and no work for itself.
 * Two limits one for an address and port, one for its house: the IPv4 address,
 *            the IPv6 network of 64 bits.  The first is the smaller one, so
 *            that a few sockets that flood do not silence their neighbours
 *            behind the same address.
 * Numbers    PACE_LIMIT_FLOW and PACE_LIMIT_HOUSE: answers a second, and as
 *            many at once as PACE_LIMIT_*_BURST after a rest.
 * Memory     fixed, 2 MiB, whatever comes; O(1).  Who shares places with a flood: sketch.h.
 * Invariant  no source is ever answered more often than its limits say,
 *            whoever else is there.
 * Threads    one.
 */
#ifndef PACE_THROTTLE_H
#define PACE_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/sketch.h"

#define PACE_LIMIT_FLOW		1
#define PACE_LIMIT_FLOW_BURST	10
#define PACE_LIMIT_HOUSE	20
#define PACE_LIMIT_HOUSE_BURST	50

struct pace_throttle {
	uint8_t	key[PACE_SKETCH_KEY];
	struct pace_sketch flows, houses;
};

/* NULL: no memory, or no random numbers. */
struct pace_throttle	*pace_throttle_new(void);
void	pace_throttle_free(struct pace_throttle *l);

/* May this one be answered now?  Then it is counted. */
bool	pace_throttle_take(struct pace_throttle *l, const struct pace_addr *from, int64_t now_ns);

#endif
