/*
 * session.h - the responder's side of one client, from OPEN to CLOSE.
 *
 * Purpose    a state machine that is stepped: it reads what waits at its
 *            own connected socket, answers, and says when to step it again.
 *            It never blocks, so a thread can run it on sockets and a test
 *            on a virtual clock.
 * Keys       a session that was opened with a key takes and sends tagged control
 *            messages only; it keeps the key it was opened with, to end its run and to
 *            fetch the result.  No run begins with a key that the responder does not have
 *            any more.
 * Idempotent every request may come twice, late or never: OPEN by nonce,
 *            START by run number, FINISH and FETCH by themselves.
 * Deadlines  PACE_SESSION_IDLE_NS without a frame of the client ends the
 *            session, PACE_SESSION_LIFE_NS after its begin the end of its run does, two
 *            days more end that, too.  One that is asked to leave for another client
 *            (places.h) ends.  A closed one stays PACE_SESSION_LINGER_NS to answer a
 *            repeated CLOSE, where its place is not wanted.
 * Turn       a run that is overdue (lease.h) is ended like one that breaks a rule: its client
 *            is told to stop, and FINISH says why.
 * Again      a client that comes anew from the same address and port ends its session, not
 *            before it is PACE_SESSION_LEAST_NS old, and is then the listener's.
 * Memory     pace_session_new allocates all of it; the receiver (6.5 MiB) and
 *            the records asked for only for who holds the lease.
 * Threads    one a session; cookies, keys and lease are shared.
 */
#ifndef PACE_SERVER_SESSION_H
#define PACE_SERVER_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "core/io.h"
#include "proto/host_counters.h"
#include "proto/msg.h"
#include "server/admission/auth.h"
#include "server/admission/cookie.h"
#include "server/admission/places.h"
#include "server/admission/rules.h"
#include "server/admission/send_credit.h"
#include "server/lease.h"
#include "server/rx_capture_hook.h"
#include "server/session_stats.h"

#define PACE_SESSION_IDLE_NS	INT64_C(30000000000)
#define PACE_SESSION_LINGER_NS	INT64_C(1000000000)
#define PACE_SESSION_LEAST_NS	INT64_C(1000000000)
/* Lines of a log that sessions without a key are worth: one in so long, and so many at once. */
#define PACE_SESSION_LINE_NS	INT64_C(250000000)
#define PACE_SESSION_LINES	240
#define PACE_SESSION_LIFE_NS	(INT64_C(86400) * 1000000000)

/* What all sessions of a responder share. */
struct pace_shared {
	struct pace_cookies cookies;
	struct pace_auth auth;		/* the keys */
	_Atomic bool	keys_required;	/* who has none is not answered */
	_Atomic bool	polite;		/* but told so */
	struct pace_lease lease;
	struct pace_credit_pool credit_pool;
	uint64_t	max_records;	/* frames that a run may have kept */
	_Atomic uint64_t strays;	/* datagrams at sessions' sockets that belong to none */
	_Atomic uint64_t leftovers;	/* frames of runs that a rule had ended */
	struct pace_rules *rules;	/* NULL: none */
	const struct pace_rx_capture_hook *tap;	/* captures runs; NULL: nothing does */
	bool		lacks_pcap;	/* nothing could */
	struct pace_observer observer;	/* is told what happens */
	_Atomic int64_t	told_ns;	/* what was told of sessions without a key is paid for then */
	_Atomic uint64_t untold;	/* news of those that were silent */
	_Atomic uint64_t numbers;	/* sessions so far */
	struct pace_host_counters_board sums;	/* of the host, for reports; who has none posts nothing */
};

/* Is who has no key not answered?  The policy may invite some. */
bool	pace_keys_wanted(struct pace_shared *shared, const struct pace_addr *peer);

/* What a session is born with: a client that has proven its address. */
struct pace_session_cfg {
	struct pace_shared *shared;
	struct pace_addr peer;
	struct pace_io	io;
	uint32_t	rcvbuf_granted;
	struct pace_msg_open open;
	uint64_t	request;	/* number of the OPEN to answer */
	char		key[PACE_KEY_NAME_SIZE];	/* name of the proven key, "": none */
	struct pace_terms terms;	/* of the policy at its birth */
	uint64_t	id;		/* the session's number; 0: any */
	struct pace_seal seal;		/* of its messages; not on without a key */
	int64_t		request_tx_ns;	/* of that OPEN */
	struct pace_stats_page *watch;	/* its board; NULL: nobody looks */
	struct pace_slot_state *place;	/* of the responder's table; NULL: there is none */
};


/* When to step again. */
struct pace_wake {
	int64_t	at_ns;		/* 0: at once */
	bool	on_data;	/* or sooner, when a datagram waits */
	bool	done;		/* never: free it */
};

struct pace_session;

/* Its first step answers the OPEN.  NULL: no memory. */
struct pace_session	*pace_session_new(const struct pace_session_cfg *cfg);

/* Before that: what the client is told of this host; NULL, or never called: nothing.
 * -ENOMEM: nothing either. */
int	pace_session_tell(struct pace_session *s, const struct pace_host *h);
void	pace_session_free(struct pace_session *s);

struct pace_wake	pace_session_step(struct pace_session *s);

/*
 * The responder ends, and with it this session at until_ns at the latest: no
 * run begins any more, one that goes on may end and its result be fetched; a
 * stream that will not end in time is told, so that its client can end it
 * and have what there is.  Again: nothing happens.
 */
void	pace_session_part(struct pace_session *s, int64_t until_ns);

/* How a HELLO is answered. */
enum pace_hello_answer {
	PACE_HELLO_NONE,	/* it is none that is answered */
	PACE_HELLO_NO_KEY,	/* nor this: it showed no key that is good here, and had to */
	PACE_HELLO_KEY,		/* it is told so */
	PACE_HELLO_VERSION,
	PACE_HELLO_COOKIE
};

struct pace_hello {
	enum pace_hello_answer answer;
	struct pace_hdr h;
	struct pace_auth_peer auth_peer;	/* the key that it showed; wipe it */
	size_t		len;
};

/* A HELLO of len bytes, at the listener or at a session's socket: a client may come again
 * from the same port. */
void	pace_hello_judge(struct pace_shared *shared, const struct pace_addr *peer,
	    const uint8_t *buf, size_t len, struct pace_hello *m);

/* Its answer, of the listener (session 0) or a session: the length, never above that of the
 * HELLO, or 0 for silence. */
int	pace_hello_reply(struct pace_shared *shared, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, const struct pace_hello *m, uint8_t *reply, size_t size);

#endif
