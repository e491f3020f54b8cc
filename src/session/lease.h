/*
 * lease.h - one measurement at a time.
 *
 * Purpose    two streams at once would spoil each other; a session takes the
 *            lease to stream, others are told who has it (a label, never an
 *            address) and for how long at most.
 * Line       who was refused has a place in line as long as it asks again every
 *            PACE_LEASE_ASK_NS; the lease is the first one's.  Its holder may take it
 *            anew, run after run, for PACE_LEASE_TURN_NS while somebody waits; then it
 *            goes to the end of the line.  Houses (pace_addr_same_house) take
 *            turns: many sessions of one are no more than one.
 * Expiry     PACE_LEASE_NS after the last renewal, by itself: a dead client
 *            cannot keep it.
 * Threads    any: a mutex inside.  Renew about once a second, not per frame.
 */
#ifndef PACE_LEASE_H
#define PACE_LEASE_H

#include <pthread.h>
#include <stdint.h>

#include "core/io.h"
#include "session/msg.h"

#define PACE_LEASE_NS		INT64_C(10000000000)
#define PACE_LEASE_ASK_NS	INT64_C(5000000000)
#define PACE_LEASE_TURN_NS	INT64_C(60000000000)
#define PACE_LEASE_LINE		64	/* one more waits without a place */

/* Who waits, or would. */
struct pace_waiter {
	uint64_t	session;
	struct pace_addr from;
	int64_t		asked_ns, at_most_ns;
	char		label[PACE_LABEL_SIZE];
};

struct pace_lease {
	pthread_mutex_t	lock;
	uint64_t	holder;		/* session, 0: free */
	int64_t		expires_ns;
	int64_t		planned_ns;	/* when the holder means to be done */
	int64_t		since_ns;	/* when the holder's turn began */
	struct pace_addr from;		/* of the holder, or the last one */
	uint64_t	granted;	/* how often, from 1 */
	char		label[PACE_LABEL_SIZE];
	struct pace_waiter line[PACE_LEASE_LINE];	/* the first comes first */
	int		waiting;
};

void	pace_lease_init(struct pace_lease *l);

/* 0: it is yours (again).  -EBUSY: *who is filled in. */
int	pace_lease_take(struct pace_lease *l, uint64_t session, const struct pace_addr *from,
	    int64_t now_ns, int64_t at_most_ns, const char *label, struct pace_msg_error *who);

/* Does anybody wait? */
bool	pace_lease_wanted(struct pace_lease *l, int64_t now_ns);

/* How often it was given so far, from 1; 0: somebody has it now. */
uint64_t	pace_lease_grants(struct pace_lease *l, int64_t now_ns);
/* The same, whoever has it. */
uint64_t	pace_lease_granted(struct pace_lease *l);

/* How long until it is free by itself; 0: it is. */
int64_t	pace_lease_left(struct pace_lease *l, int64_t now_ns);

/* Still yours?  Then it lasts from now on. */
bool	pace_lease_renew(struct pace_lease *l, uint64_t session, int64_t now_ns);

/* Not yours any more; a place in line stays. */
void	pace_lease_release(struct pace_lease *l, uint64_t session);

/* Not in line any more. */
void	pace_lease_leave(struct pace_lease *l, uint64_t session);

#endif
