/*
 * send_credit.h - how much a session may send back.
 *
 * Purpose    a client that has proven its address and nothing else is no way to make
 *            a responder send: answers are paid with what came from it, and what is
 *            more than that from an allowance of its house (the IPv4 address, the IPv6
 *            network of 64 bits), whatever sessions it has or had.  An IPv6 /56 has twice
 *            that, a network (IPv4 /24, IPv6 /48) four times.
 * Units      bytes on the wire.
 * Numbers    PACE_CREDIT_POOL_PER_SECOND, and PACE_CREDIT_POOL_DEPTH after a rest: more than the
 *            result of a run that sent next to nothing, and than what a quick sweep
 *            of such runs fetches.  Records are paid by the frames they are of.
 * Memory     the till 1 MiB, whatever comes; a house that shares its places: rate_sketch.h.
 * Threads    the pool any: a mutex inside, once for PACE_CREDIT_POOL_PORTION; a session's credit one.
 */
#ifndef PACE_SERVER_ADMISSION_SEND_CREDIT_H
#define PACE_SERVER_ADMISSION_SEND_CREDIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/admission/rate_sketch.h"

#define PACE_CREDIT_POOL_PER_SECOND	(512 << 10)
#define PACE_CREDIT_POOL_DEPTH		(1 << 20)
#define PACE_CREDIT_POOL_PORTION	4096

/* What houses may have, in portions. */
struct pace_credit_pool {
	pthread_mutex_t	lock;
	uint8_t		key[PACE_RATE_SKETCH_KEY];
	struct pace_rate_sketch prefixes;
};

/* -EIO: no random numbers. */
int	pace_credit_pool_init(struct pace_credit_pool *t);

struct pace_send_credit {
	struct pace_credit_pool *credit_pool;		/* NULL: without limit */
	struct pace_rate_sketch_source from;
	double		earned;		/* by what came */
	int64_t		drawn;		/* from the till, and not spent yet */
};

void	pace_send_credit_init(struct pace_send_credit *p, struct pace_credit_pool *credit_pool, const struct pace_addr *house);

void	pace_send_credit_earn(struct pace_send_credit *p, uint64_t bytes);

/* May so much be sent?  Then it is paid. */
bool	pace_send_credit_pay(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns);

/* The same, from the allowance alone; never more than PACE_CREDIT_POOL_PORTION. */
bool	pace_send_credit_draw(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns);

#endif
