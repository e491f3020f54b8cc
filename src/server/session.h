/*
 * session.h - the responder's side of one client, from OPEN to CLOSE.
 *
 * Purpose    a state machine: each step reads what waits at the session's connected
 *            socket, answers, and returns when to step again.  A step never blocks, so a
 *            thread can run the session on sockets and a test on a virtual clock.
 * Keys       a session opened with a key accepts and sends only tagged control messages.
 *            It keeps this key to end its run and to deliver the result, even if the
 *            responder no longer has the key; but then no further run begins.
 * Idempotent a request may arrive twice, late or never.  A repeated OPEN is recognised by
 *            its nonce, START by its run number; FINISH and FETCH can be repeated freely.
 * Deadlines  the session ends after PACE_SESSION_IDLE_NS without a frame of the client.
 *            From PACE_SESSION_LIFE_NS after its begin, it ends as soon as no run goes on,
 *            and two days later in any case.  It ends if it must leave for another client
 *            (places.h).  A closed session stays for PACE_SESSION_LINGER_NS to answer a
 *            repeated CLOSE, unless its place is needed.
 * Turn       a run that is overdue (lease.h) is ended like one that breaks a rule: the
 *            client is instructed to stop, and FINISH gives the reason.
 * Again      a new OPEN from the same address and port ends the session, if the session
 *            is at least PACE_SESSION_LEAST_NS old; the listener then handles the client.
 * Flows      a client with several streams opens a socket for each.  The responder checks
 *            the address of each and hands it over.  A run uses the first of them; the session
 *            reads all, judges their sum, and counts frames of the wrong flow as foreign.
 * Memory     pace_session_new allocates everything except the receivers (receiver.h) and the
 *            requested records, which only the holder of the lease has.
 * Threads    one per session; cookies, keys and lease are shared.  With cfg.threads, a run of
 *            several streams that the client sends has more of them (session_threads.c).
 */
#ifndef PACE_SERVER_SESSION_H
#define PACE_SERVER_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "core/io.h"
#include "core/tcp.h"
#include "core/threads.h"
#include "proto/host_counters.h"
#include "proto/msg.h"
#include "server/admission/auth.h"
#include "server/admission/cookie.h"
#include "server/admission/places.h"
#include "server/admission/rules.h"
#include "server/admission/send_credit.h"
#include "server/lease.h"
#include "stream/capture_hook.h"
#include "server/session_stats.h"

#define PACE_SESSION_IDLE_NS	INT64_C(30000000000)
#define PACE_SESSION_LINGER_NS	INT64_C(1000000000)
#define PACE_SESSION_LEAST_NS	INT64_C(1000000000)
/* Log lines about sessions without a key: one per PACE_SESSION_LINE_NS, at most
 * PACE_SESSION_LINES in a burst. */
#define PACE_SESSION_LINE_NS	INT64_C(250000000)
#define PACE_SESSION_LINES	240
#define PACE_SESSION_LIFE_NS	(INT64_C(86400) * 1000000000)

/* The state that all sessions of a responder share. */
struct pace_shared {
	struct pace_cookies cookies;
	struct pace_auth auth;		/* the keys */
	_Atomic bool	keys_required;	/* clients without a key get no answer */
	_Atomic bool	explain_refusal;	/* but their HELLO gets a refusal */
	struct pace_lease lease;
	struct pace_credit_pool credit_pool;
	uint64_t	max_records;	/* limit of a run's frame records */
	_Atomic uint64_t strays;	/* foreign datagrams at sessions' sockets */
	_Atomic uint64_t leftovers;	/* frames that came after a rule had ended their run */
	struct pace_rules *rules;	/* NULL: no limits */
	const struct pace_capture_hook *tap;	/* captures runs; NULL: no capture */
	bool		lacks_pcap;	/* built without libpcap */
	struct pace_observer observer;	/* receives the sessions' events */
	_Atomic int64_t	logged_ns;	/* time up to which log lines about sessions without a key
					 * have used their rate (GCRA) */
	_Atomic uint64_t unlogged;	/* events that were not logged */
	_Atomic int	sending;	/* sessions that send frames: other threads disturb them */
	_Atomic uint64_t numbers;	/* sessions so far */
	struct pace_host_counters_board sums;	/* the host's counters, for reports; empty if
						 * no thread posts them */
};

/* True if clients at this address need a key; the policy may exempt some. */
bool	pace_keys_wanted(struct pace_shared *shared, const struct pace_addr *peer);

/* The parameters of a session, whose client has proven its address. */
struct pace_session_cfg {
	struct pace_shared *shared;
	struct pace_addr peer;
	struct pace_io	io;
	uint32_t	rcvbuf_granted, sndbuf_granted;
	struct pace_msg_open open;
	uint64_t	request;	/* number of the OPEN to answer */
	char		key[PACE_KEY_NAME_SIZE];	/* name of the proven key, "": none */
	struct pace_terms terms;	/* of the policy when the session was opened */
	uint64_t	id;		/* the session's number; 0: choose one */
	struct pace_seal seal;		/* of its messages; off without a key */
	int64_t		request_tx_ns;	/* tx_ns of that OPEN */
	struct pace_stats_page *watch;	/* its statistics page; NULL: none */
	struct pace_slot_state *place;	/* in the responder's table; NULL: no table */
	const struct pace_tcp_host *tcp;	/* accepts TCP connections; NULL: nobody does */
	const struct pace_threads *threads;	/* that receive a run of several streams; NULL:
						 * one thread does */
	struct pace_light_room *light;	/* what light sessions share; NULL: a full session */
	void		*memory;	/* of a light session, pace_session_light_size() bytes */
};

/* When to step again. */
struct pace_wake {
	int64_t	at_ns;		/* 0: at once */
	bool	on_data;	/* also as soon as a datagram waits */
	bool	shares;		/* other threads read flows: look only at the session's own socket */
	bool	done;		/* never: free the session */
};

struct pace_session;

/* A further flow of a session's client, with a connected socket of its own. */
struct pace_flow {
	uint64_t	session;	/* the number of its session */
	uint8_t		stream;		/* its own number, 1 .. PACE_STREAMS - 1 */
	uint64_t	request;	/* number of the OPEN to answer */
	struct pace_addr peer;
	struct pace_io	io;
	uint32_t	rcvbuf_asked, rcvbuf_granted;
	uint32_t	sndbuf_asked, sndbuf_granted;
	void		(*close)(void *owner);	/* the session needs it no longer */
	void		*owner;
};

/* Hand a flow to its session, which closes it at its end, or at once if it does not accept it; in
 * the session's thread, between two steps. */
void	pace_session_join(struct pace_session *s, const struct pace_flow *f);

/* Make a session; its first step answers the OPEN.  NULL: no memory.  A light one allocates none. */
struct pace_session	*pace_session_new(const struct pace_session_cfg *cfg);

/* Set what the client learns about this host, before the first step.  NULL, or no call: nothing.
 * -ENOMEM: nothing. */
int	pace_session_tell(struct pace_session *s, const struct pace_host *h);

/* The same text for many light sessions, which share it; counted, all in one thread. */
struct pace_host_text {
	uint32_t	users, size;
	char		text[];
};
struct pace_host_text	*pace_host_text_new(const struct pace_host *h);	/* NULL: no memory */
void	pace_host_text_drop(struct pace_host_text *t);	/* NULL is accepted */
void	pace_session_share(struct pace_session *s, struct pace_host_text *t);
void	pace_session_free(struct pace_session *s);

struct pace_wake	pace_session_step(struct pace_session *s);

/*
 * Light sessions share a socket, a thread, and this room: the buffer of answers, and the echo with
 * the departure stamps of the socket.  The listener hands each of them its datagrams with
 * pace_session_take; a step then reads nothing.  It keeps to a run without the lease: small
 * exchanges at least PACE_LIGHT_PING_NS apart, or one stream below the policy's watch-rate, whose
 * frames above it are dropped and counted.
 */
struct pace_echo_socket;
struct pace_light_room {
	struct pace_echo_socket *departures;
	uint8_t		*reply;		/* PACE_CONTROL_ROOM bytes */
	uint64_t	dropped;	/* frames and exchanges above a rate */
};

struct pace_tally;
const struct pace_tally	*pace_session_counts(const struct pace_session *s);	/* all runs so far */
/* True: step the session now.  False: it only counted a frame; its figures and limits are up to date
 * after the next step. */
bool	pace_session_take(struct pace_session *s, const struct pace_in *in);
size_t	pace_session_light_size(void);

/*
 * Prepare to end the session because the responder stops; it ends at until_ns at the latest.
 * No further run begins; a current run may end and its result be fetched.  If a stream will
 * not end in time, its client is notified, so that it can end the stream and fetch the result
 * so far.  A second call has no effect.
 */
void	pace_session_part(struct pace_session *s, int64_t until_ns);

/* The answer to a HELLO. */
enum pace_hello_answer {
	PACE_HELLO_NONE,	/* no answer: not a valid HELLO */
	PACE_HELLO_NO_KEY,	/* no answer: a known key is required and was not shown */
	PACE_HELLO_KEY,		/* the same case, but the client gets a refusal */
	PACE_HELLO_VERSION,
	PACE_HELLO_COOKIE
};

struct pace_hello {
	enum pace_hello_answer answer;
	struct pace_hdr h;
	struct pace_auth_peer auth_peer;	/* the key that was shown; the caller wipes it */
	size_t		len;
};

/* Decide how to answer a HELLO of len bytes, received at the listener or at a session's socket
 * (a client may reconnect from the same port). */
void	pace_hello_judge(struct pace_shared *shared, const struct pace_addr *peer,
	    const uint8_t *buf, size_t len, struct pace_hello *m);

/* Write the answer of the listener (session 0) or of a session; returns its length, at most that
 * of the HELLO, or 0: no answer. */
int	pace_hello_reply(struct pace_shared *shared, const struct pace_addr *peer, uint64_t session,
	    int64_t now_ns, const struct pace_hello *m, uint8_t *reply, size_t size);

#endif
