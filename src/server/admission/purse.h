/*
 * purse.h - how much a session may send back.
 *
 * Purpose    a client that has proven its address and nothing else is no way to make
 *            a responder send: answers are paid with what came from it, and what is
 *            more than that from an allowance of its house (the IPv4 address, the IPv6
 *            network of 64 bits), whatever sessions it has or had.  An IPv6 /56 has twice
 *            that, a network (IPv4 /24, IPv6 /48) four times.
 * Units      bytes on the wire.
 * Numbers    PACE_TILL_PER_SECOND, and PACE_TILL_DEPTH after a rest: more than the
 *            result of a run that sent next to nothing, and than what a quick sweep
 *            of such runs fetches.  Records are paid by the frames they are of.
 * Memory     the till 1 MiB, whatever comes; a house that shares its places: sketch.h.
 * Threads    the till any: a mutex inside, once for PACE_TILL_PORTION; a purse one.
 */
#ifndef PACE_PURSE_H
#define PACE_PURSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/admission/sketch.h"

#define PACE_TILL_PER_SECOND	(512 << 10)
#define PACE_TILL_DEPTH		(1 << 20)
#define PACE_TILL_PORTION	4096

/* What houses may have, in portions. */
struct pace_till {
	pthread_mutex_t	lock;
	uint8_t		key[PACE_SKETCH_KEY];
	struct pace_sketch houses;
};

/* -EIO: no random numbers. */
int	pace_till_init(struct pace_till *t);

struct pace_purse {
	struct pace_till *till;		/* NULL: without limit */
	struct pace_sketch_source from;
	double		earned;		/* by what came */
	int64_t		drawn;		/* from the till, and not spent yet */
};

void	pace_purse_init(struct pace_purse *p, struct pace_till *till, const struct pace_addr *house);

void	pace_purse_earn(struct pace_purse *p, uint64_t bytes);

/* May so much be sent?  Then it is paid. */
bool	pace_purse_pay(struct pace_purse *p, uint64_t bytes, int64_t now_ns);

/* The same, from the allowance alone; never more than PACE_TILL_PORTION. */
bool	pace_purse_draw(struct pace_purse *p, uint64_t bytes, int64_t now_ns);

#endif
