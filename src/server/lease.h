/*
 * lease.h - one measurement at a time.
 *
 * Purpose    two streams at once would spoil each other; a session takes the lease to
 *            stream, others are told the label of its holder (never an address) and for
 *            how long at most.
 * Line       a session that was refused waits in line while it asks again every
 *            PACE_LEASE_ASK_NS.  When the lease is free the next in line gets it:
 *            - keys come first;
 *            - a run that is longer than a turn comes behind all that are not: it begins
 *              only when no shorter one waits;
 *            - networks take turns: the one that had no lease for the longest time comes
 *              first; among those that never had it the one with the fewest waiting
 *              sessions; within a network its sites, then its hosts in the same way
 *              (enum pace_prefix); then the session that waits longest.
 *            So a network with a hundred sessions has no more of the lease than one with
 *            a single session.
 * Turn       while others wait, a holder may take the lease anew, run after run, for
 *            PACE_LEASE_TURN_NS, as far as its next run ends in that time; then it is
 *            refused and goes to the end of the line.  A holder with a key does so only
 *            for others with a key.  A run that began while nobody waited is not spoilt by
 *            others that come: it may last as long as it announced.  A run that lasts
 *            longer, and longer than the turn, is overdue: while others wait the session
 *            has to end it.
 * Expiry     PACE_LEASE_NS after the last renewal, by itself: a dead client
 *            cannot keep it.
 * Memory     fixed: each session of a responder has room in the line; the last
 *            PACE_LEASE_SERVED holders are remembered.
 * Threads    any: a mutex inside.  Renew about once a second, not per frame.
 */
#ifndef PACE_SERVER_LEASE_H
#define PACE_SERVER_LEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "proto/msg.h"

#define PACE_LEASE_NS		INT64_C(10000000000)
#define PACE_LEASE_ASK_NS	INT64_C(3000000000)
#define PACE_LEASE_TURN_NS	INT64_C(12000000000)
#define PACE_LEASE_SLACK_NS	INT64_C(2000000000)	/* a run may begin and end late by so much */
#define PACE_LEASE_LINE		1024	/* PACE_SESSIONS_MAX */
#define PACE_LEASE_SERVED	64

/* A session that asks for the lease, or waits for it. */
struct pace_waiter {
	uint64_t	session;
	struct pace_addr from;
	bool		keyed;
	int64_t		asked_ns;	/* last: now */
	int64_t		run_ns;		/* announced length of this run; 0: not known */
	int64_t		longest_ns;	/* it may last so long if nobody waits when it begins */
	int64_t		at_most_ns;	/* with those that are to follow; others are told */
	char		label[PACE_LABEL_SIZE];
	/* private */
	int64_t		served_ns[PACE_PREFIXES];	/* when its prefixes had the lease last; 0: never */
	int		of_network;	/* so many of its network wait */
};

struct pace_lease {
	pthread_mutex_t	lock;
	uint64_t	holder;		/* session, 0: free */
	bool		keyed;		/* the holder */
	int64_t		expires_ns;
	int64_t		planned_ns;	/* when the holder means to be done */
	int64_t		since_ns;	/* when the holder's turn began */
	int64_t		due_ns;		/* when its run must be over if others wait */
	uint64_t	granted;	/* how often, from 1 */
	char		label[PACE_LABEL_SIZE];
	struct pace_waiter line[PACE_LEASE_LINE];	/* in the order in which they came */
	int		waiting;
	struct { struct pace_addr host; int64_t at_ns; } served[PACE_LEASE_SERVED];
};

void	pace_lease_init(struct pace_lease *l);

/* 0: it is yours (again).  -EBUSY: *who is filled in. */
int	pace_lease_take(struct pace_lease *l, const struct pace_waiter *w,
	    struct pace_msg_error *who);

/* Does anybody wait? */
bool	pace_lease_wanted(struct pace_lease *l, int64_t now_ns);

/* Do others wait, and should this holder's run be over? */
bool	pace_lease_overdue(struct pace_lease *l, uint64_t session, int64_t now_ns);

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
