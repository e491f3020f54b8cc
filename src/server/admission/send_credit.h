/*
 * send_credit.h - limit the bytes that a session sends to its client.
 *
 * Purpose    a client that has proven only its address must not be able to make a responder
 *            send much.  Bytes received from the client pay for answers; any excess is paid
 *            from the allowance of its host (the IPv4 address, the IPv6 /64), shared by all
 *            present and past sessions of that host.  An IPv6 /56 has twice this allowance,
 *            a network (IPv4 /24, IPv6 /48) four times.
 * Units      bytes on the wire.
 * Numbers    PACE_CREDIT_POOL_PER_SECOND, and PACE_CREDIT_POOL_DEPTH after a rest.  This
 *            exceeds the result of a run that sent almost nothing, and what a quick sweep
 *            of such runs fetches.  Frame records are paid for by their frames.
 * Memory     the pool is 1 MiB for any traffic; hosts that share columns: rate_sketch.h.
 * Threads    the pool any: a mutex inside, taken once per PACE_CREDIT_POOL_PORTION; a
 *            session's credit one.
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

/* The allowances of all hosts, in portions. */
struct pace_credit_pool {
	pthread_mutex_t	lock;
	uint8_t		key[PACE_RATE_SKETCH_KEY];
	struct pace_rate_sketch prefixes;
};

/* -EIO: no random numbers. */
int	pace_credit_pool_init(struct pace_credit_pool *t);

struct pace_send_credit {
	struct pace_credit_pool *credit_pool;		/* NULL: no limit */
	struct pace_rate_sketch_source from;
	double		earned;		/* by bytes received */
	int64_t		drawn;		/* taken from the pool, not spent yet */
};

void	pace_send_credit_init(struct pace_send_credit *p, struct pace_credit_pool *credit_pool,
	    const struct pace_addr *house);

void	pace_send_credit_earn(struct pace_send_credit *p, uint64_t bytes);

/* If these bytes may be sent, pay for them and return true. */
bool	pace_send_credit_pay(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns);

/* Pay from the allowance only; bytes is at most PACE_CREDIT_POOL_PORTION. */
bool	pace_send_credit_draw(struct pace_send_credit *p, uint64_t bytes, int64_t now_ns);

#endif
