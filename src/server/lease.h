/*
 * lease.h - one measurement at a time.
 *
 * Purpose    two streams at the same time would disturb each other.  A session takes the
 *            lease before it streams.  Other sessions learn the holder's label (never its
 *            address) and the longest time until the lease is free.
 * Line       a refused session waits in line while it repeats its request every
 *            PACE_LEASE_ASK_NS.  When the lease is free, the next in line gets it:
 *            - sessions with a key come first;
 *            - a run longer than a turn begins only if no shorter run waits;
 *            - networks take turns: first the network whose last lease is longest ago;
 *              among networks that never had the lease, the one with the fewest waiting
 *              sessions.  Sites within a network, and hosts within a site, take turns by
 *              the same rules (enum pace_prefix); then the session that waits longest.
 *            A network with a hundred sessions therefore gets no larger share of the lease
 *            than a network with one session.
 * Turn       while others wait, a holder may keep the lease for further runs if they end
 *            within PACE_LEASE_TURN_NS of the turn's begin.  After that it is refused and
 *            goes to the end of the line.  A holder with a key gives way only to other
 *            sessions with a key.  A run that began while no session waited may last as
 *            long as announced.  A run is overdue if it lasts longer than announced and
 *            longer than the turn; if others wait, its session must end it.
 * Group      sessions of one group share the lease.  Each of them waits in line until the group
 *            is complete; until then none of them delays anybody.  A complete group has one
 *            place in line, that of its member that comes first, and gets the lease as one.
 *            All its runs begin at the same time, PACE_LEASE_LEAD_NS later, so that each
 *            member can learn of it.  A member that asks for the first time after that gets the
 *            begin that has passed, as long as its share lasts.  Then each member keeps its own share: it expires and is
 *            released like a lease.  A member that begins another run waits for its group
 *            again.  A group that stays incomplete for PACE_LEASE_GATHER_NS is refused.
 * Expiry     the lease expires PACE_LEASE_NS after its last renewal, so a dead client
 *            cannot keep it.
 * Memory     fixed: the line has room for every session of a responder; the last
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
/* a run may begin and end this much later than planned */
#define PACE_LEASE_SLACK_NS	INT64_C(2000000000)
#define PACE_LEASE_LINE		1024	/* PACE_SESSIONS_MAX */
#define PACE_LEASE_SERVED	64
#define PACE_LEASE_GROUP	128	/* bytes of a group's identity */
#define PACE_LEASE_GATHER_NS	PACE_GATHER_NS
#define PACE_LEASE_LEAD_NS	INT64_C(3000000000)

/* A session that requests the lease or waits for it. */
struct pace_waiter {
	uint64_t	session;
	struct pace_addr from;
	bool		keyed;
	int64_t		asked_ns;	/* time of the last request: now */
	int64_t		run_ns;		/* announced length of this run; 0: not known */
	int64_t		longest_ns;	/* limit of a run that begins while no session waits */
	int64_t		at_most_ns;	/* this run and those to follow; others see this time */
	char		label[PACE_LABEL_SIZE];
	/* Identity of its group: its name, and the key or network that all members have; "": the
	 * session is alone. */
	char		group[PACE_LEASE_GROUP];
	int		group_size;
	int64_t		begin_ns;	/* of a group: the run shall not begin before this */
	/* private */
	int64_t		served_ns[PACE_PREFIXES];	/* when each of its prefixes last had the
							 * lease; 0: never */
	int		of_network;	/* sessions of its network that wait */
	int		of_group;	/* sessions of its group that wait, at most its size */
	int64_t		gather_ns;	/* since when its group is incomplete */
};

struct pace_lease {
	pthread_mutex_t	lock;
	/* The sessions that hold it: one, or the members of a group. */
	struct {
		uint64_t session;
		int64_t	expires_ns, begin_ns;
		bool	heard;		/* it knows the begin */
	} holder[PACE_GROUP_MAX];
	int		holders;
	bool		keyed;		/* the holder */
	int64_t		planned_ns;	/* when the holder plans to end */
	int64_t		since_ns;	/* when the holder's turn began */
	int64_t		due_ns;		/* when its run must end if others wait */
	uint64_t	granted;	/* number of grants, from 1 */
	char		label[PACE_LABEL_SIZE];
	struct pace_waiter line[PACE_LEASE_LINE];	/* in order of arrival */
	int		waiting;
	struct { struct pace_addr host; int64_t at_ns; } served[PACE_LEASE_SERVED];
};

void	pace_lease_init(struct pace_lease *l);

/* Take or keep the lease.  0: the session holds it; -EBUSY: *who describes the holder, or what the
 * group still lacks; -ETIMEDOUT: its group remained incomplete, *who says so. */
int	pace_lease_take(struct pace_lease *l, const struct pace_waiter *w,
	    struct pace_msg_error *who);

/* Return when the run of this holder shall begin; 0: at once. */
int64_t	pace_lease_begin(struct pace_lease *l, uint64_t session);

/* True if a session waits for the lease. */
bool	pace_lease_wanted(struct pace_lease *l, int64_t now_ns);

/* True if other sessions wait and the run of this holder is overdue. */
bool	pace_lease_overdue(struct pace_lease *l, uint64_t session, int64_t now_ns);

/* Number of grants so far, counted from 1; 0: a session holds the lease at now_ns.  now_ns
 * INT64_MAX: the number, whether or not a session holds the lease. */
uint64_t	pace_lease_grants(struct pace_lease *l, int64_t now_ns);

/* Time until the lease expires unless renewed; 0: it is free. */
int64_t	pace_lease_left(struct pace_lease *l, int64_t now_ns);

/* If this session still holds the lease, renew it from now_ns and return true. */
bool	pace_lease_renew(struct pace_lease *l, uint64_t session, int64_t now_ns);

/* Release the lease if this session holds it; its place in line stays. */
void	pace_lease_release(struct pace_lease *l, uint64_t session);

/* Remove this session from the line. */
void	pace_lease_leave(struct pace_lease *l, uint64_t session);

#endif
