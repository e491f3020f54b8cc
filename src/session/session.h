/*
 * session.h - the responder's side of one client, from OPEN to CLOSE.
 *
 * Purpose    a state machine that is stepped: it reads what waits at its
 *            own connected socket, answers, and says when to step it again.
 *            It never blocks, so a thread can run it on sockets and a test
 *            on a virtual clock.
 * Idempotent every request may come twice, late or never: OPEN by nonce,
 *            START by run number, FINISH and FETCH by themselves.
 * Deadlines  PACE_SESSION_IDLE_NS without a frame of the client ends the
 *            session; a closed one stays PACE_SESSION_LINGER_NS to answer a
 *            repeated CLOSE.
 * Memory     pace_session_new allocates all of it; the receiver (6.5 MiB) and
 *            the records asked for only for who holds the lease.
 * Threads    one a session; gate and lease are shared.
 */
#ifndef PACE_SESSION_H
#define PACE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "core/io.h"
#include "session/gate.h"
#include "session/lease.h"
#include "session/msg.h"

#define PACE_SESSION_IDLE_NS	INT64_C(30000000000)
#define PACE_SESSION_LINGER_NS	INT64_C(1000000000)

/* What all sessions of a responder share. */
struct pace_shared {
	struct pace_gate gate;
	struct pace_lease lease;
	struct pace_host host;
	uint64_t	max_records;	/* frames that a run may have kept */
};

/* What a session is born with: a client that has proven its address. */
struct pace_session_cfg {
	struct pace_shared *shared;
	struct pace_addr peer;
	struct pace_io	io;
	uint32_t	rcvbuf_granted;
	struct pace_msg_open open;
	uint64_t	request;	/* number of the OPEN to answer */
};

#define PACE_RECORDS_DEFAULT	(UINT64_C(1) << 20)	/* 29 MiB */

/* When to step again. */
struct pace_wake {
	int64_t	at_ns;		/* 0: at once */
	bool	on_data;	/* or sooner, when a datagram waits */
	bool	done;		/* never: free it */
};

struct pace_session;

/* Its first step answers the OPEN.  NULL: no memory. */
struct pace_session	*pace_session_new(const struct pace_session_cfg *cfg);

/* Before that: what the client is told of this host, instead of shared->host; NULL:
 * nothing.  -ENOMEM: nothing either. */
int	pace_session_tell(struct pace_session *s, const struct pace_host *h);
void	pace_session_free(struct pace_session *s);

struct pace_wake	pace_session_step(struct pace_session *s);

/* One line for a log: runs, frames, how it ended. */
void	pace_session_summary(const struct pace_session *s, char *buf, size_t size);

/*
 * The answer to a HELLO, the same at the listener and at a session's socket
 * (a client may come again from the same port): its length, never above
 * len, or 0 for silence.
 */
int	pace_hello_reply(const struct pace_gate *g, const struct pace_addr *peer,
	    int64_t now_ns, const uint8_t *buf, size_t len, uint8_t *reply, size_t size);

#endif
