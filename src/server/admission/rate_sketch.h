/*
 * rate_sketch.h - a rate limit for each of any number of sources, in fixed memory.
 *
 * Purpose    limit how often, or with how many bytes, a weakly authenticated sender is
 *            answered.
 * Sources    an address, with all its prefixes (enum pace_prefix): one answer counts for
 *            the host, its site and its network, and all three must have room for it.  The
 *            owner of an IPv6 /48 therefore gets the limit of one network, whatever
 *            addresses it uses.  A key is a source as well.
 * Memory     fixed, 1 MiB, for any traffic; all of it is touched at the start.
 *            O(1): four columns for each prefix of a source.
 * Method     count-min: PACE_RATE_SKETCH_ROWS rows of columns.  A keyed hash gives a source
 *            one column in each row; the least used of them counts.  A source that shares
 *            columns is harmed only if it shares all of them with sources that flood; with
 *            10,000 flooding sources this is 1 in 200.  The key is random, so an attacker
 *            cannot choose a victim.  A column is a leaky bucket, stored as one number: the
 *            time when everything granted is paid for (GCRA, ITU-T I.371).
 * Invariant  no source ever gets more than its limit, whatever other sources do.
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

/* The limit of one prefix: one per every_ns, and a burst after a rest. */
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

/* Return the columns of a key with this 8-byte fingerprint; it has the limits of a host. */
struct pace_rate_sketch_source	pace_rate_sketch_of_key(const uint8_t key[PACE_RATE_SKETCH_KEY],
	    const uint8_t id[8]);

/* If all prefixes of the source have room for one more, count it and return true.  A refusal
 * costs nothing, so a source that repeats its request is not locked out forever. */
bool	pace_rate_sketch_take(struct pace_rate_sketch *s,
	    const struct pace_rate_sketch_source *from, int64_t now_ns);

/* Count an answer that costs so much time for these columns alone, if they owe at most credit_ns
 * afterwards: a rate that the caller sets for each answer, with a burst of credit_ns. */
bool	pace_rate_sketch_pay(struct pace_rate_sketch *s, uint64_t columns, int64_t cost_ns,
	    int64_t credit_ns, int64_t now_ns);

#endif
