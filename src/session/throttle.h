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
 * Memory     fixed, 2 MiB, whatever comes; all of it is touched at the start.
 *            O(1): four places for each of the two.
 * Method     a sketch as count-min has it: PACE_LIMIT_ROWS rows of columns; a
 *            source has one column in each row, by a keyed hash, and the least
 *            used of them counts.  So who shares a column is harmed only if he
 *            shares all of them with sources that flood: with 10,000 of those
 *            1 in 200 is.  The key is random, so nobody can choose whom.
 *            A column is a leaky bucket, one number: the time when all that
 *            was answered is paid for (GCRA, ITU-T I.371).
 * Invariant  no source is ever answered more often than its limits say,
 *            whoever else is there.
 * Source     Cormode, Muthukrishnan 2005; conservative update: Estan, Varghese
 *            2002; SipHash-2-4 (libsodium).
 * Threads    one.
 */
#ifndef PACE_THROTTLE_H
#define PACE_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_LIMIT_ROWS		4
#define PACE_LIMIT_COLUMNS	32768	/* 4 times 15 bits fit into one hash */
#define PACE_LIMIT_FLOW		1
#define PACE_LIMIT_FLOW_BURST	10
#define PACE_LIMIT_HOUSE	20
#define PACE_LIMIT_HOUSE_BURST	50

/* One limit. */
struct pace_sketch {
	int64_t	every_ns;		/* one answer is worth so much time */
	int64_t	burst;
	int64_t	paid_ns[PACE_LIMIT_ROWS][PACE_LIMIT_COLUMNS];
};

struct pace_throttle {
	uint8_t	key[16];
	struct pace_sketch flows, houses;
};

/* NULL: no memory, or no random numbers. */
struct pace_throttle	*pace_throttle_new(void);
void	pace_throttle_free(struct pace_throttle *l);

/* May this one be answered now?  Then it is counted. */
bool	pace_throttle_take(struct pace_throttle *l, const struct pace_addr *from, int64_t now_ns);

#endif
