/*
 * sketch.h - a limit for each of any number of sources, in fixed memory.
 *
 * Purpose    how often, or how much, somebody who has proven little is answered.
 * Sources    an address and port, or its house: the IPv4 address, the IPv6 network
 *            of 64 bits.
 * Memory     fixed, 1 MiB, whatever comes; all of it is touched at the start.
 *            O(1): four places for each source.
 * Method     as count-min has it: PACE_SKETCH_ROWS rows of columns; a source has one
 *            column in each row, by a keyed hash, and the least used of them counts.
 *            So who shares a column is harmed only if he shares all of them with
 *            sources that flood: with 10,000 of those 1 in 200 is.  The key is
 *            random, so nobody can choose whom.  A column is a leaky bucket, one
 *            number: the time when all that was given is paid for (GCRA, ITU-T I.371).
 * Invariant  no source is ever given more than the limit says, whoever else is there.
 * Source     Cormode, Muthukrishnan 2005; conservative update: Estan, Varghese
 *            2002; SipHash-2-4 (libsodium).
 * Threads    one at a time.
 */
#ifndef PACE_SKETCH_H
#define PACE_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_SKETCH_ROWS	4
#define PACE_SKETCH_COLUMNS	32768	/* 4 times 15 bits fit into one hash */
#define PACE_SKETCH_KEY		16	/* bytes, random */

struct pace_sketch {
	int64_t	every_ns;		/* one answer is worth so much time */
	int64_t	burst;			/* so many at once, after a rest */
	int64_t	paid_ns[PACE_SKETCH_ROWS][PACE_SKETCH_COLUMNS];
};

void	pace_sketch_init(struct pace_sketch *s, int64_t every_ns, int64_t burst);

/* The places of a source: of its house, or, with flow, of its address and port. */
uint64_t	pace_sketch_places(const uint8_t key[PACE_SKETCH_KEY],
	    const struct pace_addr *from, bool flow);

/* Has it room for one more? */
bool	pace_sketch_has(struct pace_sketch *s, uint64_t places, int64_t now_ns);

/* Count one more. */
void	pace_sketch_charge(struct pace_sketch *s, uint64_t places, int64_t now_ns);

#endif
