/*
 * rate_sketch.h - a limit for each of any number of sources, in fixed memory.
 *
 * Purpose    how often, or how much, somebody who has proven little is answered.
 * Sources    an address, by all its prefixes at once (enum pace_prefix): one answer is
 *            counted for the host, its site and its network, and each of the three
 *            must have room for it.  So the owner of an IPv6 /48 has no more than the
 *            limit of one network, whatever addresses he uses.  A key is a source as well.
 * Memory     fixed, 1 MiB, whatever comes; all of it is touched at the start.
 *            O(1): four columns for each prefix of a source.
 * Method     as count-min has it: PACE_RATE_SKETCH_ROWS rows of columns; a source has one
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
#ifndef PACE_SERVER_ADMISSION_RATE_SKETCH_H
#define PACE_SERVER_ADMISSION_RATE_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_RATE_SKETCH_ROWS	4
#define PACE_RATE_SKETCH_COLUMNS	32768	/* 4 times 15 bits fit into one hash */
#define PACE_RATE_SKETCH_KEY		16	/* bytes, random */

/* Of one prefix: one in every_ns, and burst at once after a rest. */
struct pace_rate_sketch_limit {
	int64_t	every_ns, burst;
};

struct pace_rate_sketch {
	struct pace_rate_sketch_limit limit[PACE_PREFIXES];
	int64_t	paid_ns[PACE_RATE_SKETCH_ROWS][PACE_RATE_SKETCH_COLUMNS];
};

/* The columns of a source, for each prefix. */
struct pace_rate_sketch_source {
	uint64_t columns[PACE_PREFIXES];
};

void	pace_rate_sketch_init(struct pace_rate_sketch *s,
	    const struct pace_rate_sketch_limit limit[PACE_PREFIXES]);

struct pace_rate_sketch_source	pace_rate_sketch_of(const uint8_t key[PACE_RATE_SKETCH_KEY],
	    const struct pace_addr *from);

/* The same for a key, by its fingerprint of 8 bytes: it has the limits of a host. */
struct pace_rate_sketch_source	pace_rate_sketch_of_key(const uint8_t key[PACE_RATE_SKETCH_KEY],
	    const uint8_t id[8]);

/* Has it room for one more?  Then that is counted for all its prefixes; what is refused
 * costs nothing, so a source that goes on asking is not silenced for ever. */
bool	pace_rate_sketch_take(struct pace_rate_sketch *s, const struct pace_rate_sketch_source *from,
	    int64_t now_ns);

#endif
