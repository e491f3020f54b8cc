/*
 * client.h - the client's side of a session: request, send, collect.
 *
 * Purpose    a measurement opens a session once, measures a point for each spacing and size
 *            (or for each size of round trips), and closes.  Control requests are repeated
 *            at growing intervals until their deadline.  Replies are matched by session,
 *            type and request number; all other datagrams are counted and ignored.
 * Time-outs  the first repeat follows after 100 ms, each further interval is half as long
 *            again, at most 500 ms; deadline 5 s for HELLO, 10 s for all others.  A point
 *            waits for the measurement lease as long as the responder reports that it is
 *            busy.  With no_wait it does so only after its first measurement, because the
 *            responder may let other clients in between two points.
 * Light      a light session needs neither the lease nor a thread of the responder: clocks, and
 *            round trips of small requests at a low rate, ask for one.  The responder may give a
 *            full one instead.  It refuses a stream above its watch-rate: -EDQUOT, or a run that
 *            a light session does not have: -ENOLCK.
 * Errors     -errno with a text in err: -ETIMEDOUT no answer, -ECONNREFUSED no responder at
 *            that port, -EBUSY another client measures (no_wait), -EACCES refused,
 *            -EKEYREJECTED refused because the key is unknown or missing, -EDQUOT refused
 *            by the responder's policy, -ESHUTDOWN the responder stops, -EPROTONOSUPPORT
 *            another version, -EPROTO an invalid answer, -EINTR stopped.
 * Keys       with a key, every request is tagged and only tagged answers are accepted.  An
 *            untagged answer, or one that a replayed request can cause, may say that the
 *            session has ended or that the key is unknown.  Such a hint ends a request only
 *            if no other answer arrives within PACE_CLIENT_HINT_NS.
 * ICMP       anybody can forge an ICMP message.  "Port unreachable" ends a HELLO only after
 *            PACE_CLIENT_HINT_NS without an answer; for other requests it is only the
 *            reason given when their deadline has passed.
 * Clock      exchanges before, during and after every stream go into one fit per session
 *            (clockfit.h).  A point's clock is this fit for the time of its stream, with
 *            the exchanges of PACE_CLIENT_MEMORY_NS before it.
 * Alone      without a responder the client has no session and waits for nothing; points
 *            have the sender's half only.
 * Memory     about 100 KiB in the struct; the pinger's ring, results and records are
 *            allocated.
 * Threads    one; while several streams are sent or received, those of c->threads.
 * Trust      replies are untrusted: sizes are checked first, then content.  Request numbers
 *            begin at a random number for each session, so only a host that saw a request,
 *            or its session's number, can answer it.
 */
#ifndef PACE_CLIENT_CLIENT_H
#define PACE_CLIENT_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/framing.h"
#include "core/host.h"
#include "core/io.h"
#include "core/rates.h"
#include "core/tcp.h"
#include "core/threads.h"
#include "doc/latency.h"
#include "doc/result.h"
#include "doc/tcp.h"
#include "proto/msg.h"
#include "stream/capture_hook.h"
#include "stream/pinger.h"
#include "stream/receiver.h"
#include "stream/sender.h"

#define PACE_CLIENT_ROOM	2048	/* bytes of one reply */
#define PACE_CLIENT_MEMORY_NS	INT64_C(60000000000)
#define PACE_CLIENT_HINT_NS	INT64_C(1500000000)
#define PACE_CLIENT_STAMP_OPENING 168	/* octets of the largest request that opens a session with
					 * a STAMP reflector */
#define PACE_CLIENT_RESOLUTION	100.0	/* ns: two kernel stamps, each mapped from the wall clock */

/* A further flow: the socket of a stream. */
struct pace_client_flow {
	struct pace_io	io;
	uint64_t	session;	/* that it is open in; 0: none */
	struct pace_receiver *receiver;	/* of its stream, if the client received it; or NULL */
	struct pace_captured_stream *captured_rx;	/* of that; or NULL */
	uint32_t	drops;		/* of its socket, at the run's end */
	int		core;		/* whose thread read it; -1: one thread read all */
};

struct pace_client {
	/* set by the caller */
	struct pace_io	io;
	/* Open the socket of a further flow, which the caller keeps; 0 or -errno.  NULL: the client
	 * sends one stream. */
	int		(*open_flow)(void *ctx, uint32_t stream, struct pace_io *io,
	    struct pace_err *err);
	void		*flow_ctx;
	const struct pace_tcp_engine *tcp;	/* NULL: no TCP */
	const struct pace_threads *threads;	/* that send or receive several streams; NULL: one
						 * does */
	char		label[PACE_LABEL_SIZE];
	uint32_t	rcvbuf_bytes;	/* requested for the responder's socket */
	uint32_t	sndbuf_asked;	/* of the own socket, and requested for the responder's */
	uint32_t	sndbuf_granted;	/* for the document */
	bool		qdisc_bypass;	/* as above: io sends whole frames */
	uint32_t	own_rcvbuf_asked, own_rcvbuf_granted;	/* if frames come to the client */
	struct pace_link link;
	const struct pace_key *key;	/* the caller's; NULL: no key */
	bool		light;		/* ask for a session without the lease; changes to false
					 * when a run of exchanges needs a full one */
	bool		no_wait;
	bool		alone;		/* there is no responder: points are only sent */
	bool		last_point;	/* no point follows the next one */
	const struct pace_framing *framing;	/* alone: makes the frames of each stream, by its
						 * number; NULL: they are udpace's */
	bool		capture;	/* request captures of streams at the responder */
	const struct pace_capture_hook *hook;	/* captures frames that arrive; NULL: nobody does */
	struct pace_addr peer;		/* the responder's, for it and for TCP */
	struct pace_addr source;	/* of TCP connections; family 0: any */
	const char	*interface;	/* that they use; NULL: by the route */
	bool		fragment;	/* it may fragment the frames that it sends */
	int64_t		awake_ns;	/* of the senders of points without busy_poll (sender.h) */
	bool		had_turn;	/* private: it has measured */
	int64_t		rest_ns;	/* planned time of all points after the next one */
	/* The next point begins at this time of our wall clock; 0: at once.  The lease is
	 * requested no longer than PACE_BEGIN_IN_MAX_NS before it. */
	int64_t		start_at_ns;
	char		group[PACE_GROUP_NAME];	/* that begins together; "": none */
	uint32_t	group_size;
	const volatile sig_atomic_t *stop;	/* may be NULL */
	const volatile sig_atomic_t *cut;	/* ends the current point only; may be NULL */
	struct pace_progress *progress;	/* may be NULL */
	/* Reports during a point, report_ns apart; NULL: none.  Their failure ends no point. */
	const struct pace_watching *watching;
	/* Called about once a second while another client measures, or while the group is
	 * incomplete: code "group". */
	void		(*on_busy)(void *ctx, const struct pace_msg_error *who);
	void		*busy_ctx;
	/* Called with every answered exchange; may be NULL. */
	void		(*on_exchange)(void *ctx, const struct pace_exchange *x);
	void		*exchange_ctx;
	/* found */
	struct pace_host responder;
	struct pace_clock_state their_clock;	/* when the session was opened */
	bool		reports;	/* the responder answers REPORT */
	bool		is_light;	/* the session has no lease */
	int64_t		longest_ns;	/* longest run that its policy allows, from a refusal;
					 * 0: not known */
	struct pace_msg_error refused;	/* the last refusal by its policy */
	enum pace_capture_answer captured;	/* its answer to the last request for a
						 * capture */
	enum pace_capture_answer captures;	/* of frames that arrived in the last run */
	int64_t		begin_ns;	/* when the group's run begins, the responder's clock; 0:
					 * no group */
	uint8_t		tcp_secret[PACE_TCP_SECRET];	/* from START of TCP */
	bool		has_idle;	/* from pace_client_idle */
	double		idle_watts;
	uint64_t	strays;		/* datagrams that match no request */
	struct pace_pinger pinger;
	struct pace_clockfit fit;
	/* private */
	uint64_t	session, nonce, request;
	struct pace_seal seal;		/* of the session, with a key */
	int64_t		tagged_ns;	/* the last request's tx_ns, with a key */
	int		hint;		/* errno that untagged answers mean; 0: no such answer */
	int64_t		hint_ns;	/* time of the first of them */
	int64_t		denied_ns;	/* since when ICMP reports the port unreachable; 0: it
					 * does not */
	uint8_t		run;
	bool		open;
	struct pace_client_flow *flow;	/* by stream, from 1; NULL: none */
	uint32_t	flows;		/* sockets, with the client's own */
	uint32_t	streams;	/* replies may be of streams below this; 0: of the first */
	struct pace_receiver *receiver;	/* of the last run that the client received; or NULL */
	struct pace_captured_stream *captured_rx;	/* of that run; or NULL */
	struct pace_usage usage;	/* when that run began */
	uint32_t	drops;		/* of the client's socket, at the run's end, */
	int		core;		/* and whose thread read it; -1: one thread read all */
	int		failed;		/* errno that ended the run; 0: none */
	size_t		reply_len;
	struct pace_clock *clock;	/* counts the exchanges; NULL: no count */
	struct pace_clock base;		/* steps and slews when the count began */
	uint8_t		out[PACE_CONTROL_ROOM];
	uint8_t		in[PACE_CLIENT_ROOM];
};

/* Initialise *c; the caller then sets its own members.  -EIO: no random numbers; -ENOMEM. */
int	pace_client_init(struct pace_client *c);
/* The same for a *c that is zero, with room for that many exchanges under way, a power of two, and
 * for requests of most bytes: pages of *c that are not needed stay unused. */
int	pace_client_init_room(struct pace_client *c, uint64_t pings, uint32_t most);
void	pace_client_free(struct pace_client *c);

/* Prove the client's address and open a session; also after -ESTALE. */
int	pace_client_open(struct pace_client *c, struct pace_err *err);

/*
 * With c->pinger.stamp: HOST is a STAMP reflector.  pace_client_open then makes exchanges until two
 * were answered, for at most 5 s, and succeeds if one was: -ETIMEDOUT, -ECONNREFUSED, or
 * -EKEYREJECTED if all replies had a wrong HMAC.  pace_client_clock and pace_client_latency work
 * as with a responder, and pace_client_stamp_live; everything else needs a responder.
 */

/* Stay idle for ns, so that both hosts measure their idle consumption.  Call it before the first
 * point.  -EINTR: stopped. */
int	pace_client_idle(struct pace_client *c, int64_t ns);

/*
 * Measure one point: p->ask is the request, the rest of *p is filled in.  0: complete, or cut
 * short with the note "cut_short" (the stream ended because no answer came, but its result was
 * fetched later).  -EINTR: stopped; *p has what was sent and collected.  After other failures *p
 * has what is known; has_rx tells whether this includes the responder's part.  -ESTALE: the
 * responder no longer has this session.
 */
int	pace_client_point(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);

/*
 * Fetch the frame records of the last point, or of one of its streams: *columns gets
 * PACE_RECORD_SIZE times p->rx.records bytes (record.h), malloced; NULL if there are no records.
 * Each chunk is requested again until all have arrived.
 */
int	pace_client_records(struct pace_client *c, const struct pace_point *p,
	    uint8_t **columns, struct pace_err *err);

/*
 * Make exchanges only: count of them, interval_ns (above 0) apart (+-50 %); *clock gets the
 * estimate for their time.  This needs no lease.  -ETIMEDOUT: no exchange was answered;
 * -ESTALE: no answer for 10 s, the session may have ended: open again; -EINTR: stopped, *clock
 * has the estimate so far; -ENOMEM.
 */
int	pace_client_clock(struct pace_client *c, uint64_t count, int64_t interval_ns,
	    struct pace_clock *clock, struct pace_err *err);

/* Measure round trips of one size: p->ask is the request, the rest of *p is filled in.  Fails as
 * pace_client_point does. */
int	pace_client_latency(struct pace_client *c, struct pace_latency *p,
	    struct pace_err *err);

/* Run TCP connections: p->ask is the request, the rest of *p is filled in, also after -EINTR.  Other
 * failures as in pace_client_point; -ECONNREFUSED, -ETIMEDOUT, -ECONNRESET of step "connect": TCP did
 * not get through; -ENOTSUP: an earlier responder. */
int	pace_client_tcp(struct pace_client *c, struct pace_tcp_point *p, struct pace_err *err);

/* Measure round trips of one size over a TCP connection, ping-pong: p->ask is the request, how has the
 * options of the connection.  Fails as pace_client_tcp does. */
int	pace_client_tcp_requests(struct pace_client *c, const struct pace_tcp_params *how,
	    struct pace_latency *p, struct pace_err *err);

struct pace_report;
struct pace_slice;

/*
 * Parameters of a live run: a stream as in p->ask, with an exchange every ping_ns and a report
 * every report_ns, or as soon after as one arrives.  The callbacks run in the measuring thread
 * after a frame; they must neither wait nor allocate.  There is no receiver's result; the last
 * report, requested when the responder's count is final, replaces it.
 */
struct pace_watching {
	int64_t		report_ns;	/* at least PACE_REPORT_NS */
	int64_t		ping_ns;
	bool		counts_only;	/* no distributions, no counters of hosts */
	void		(*begun)(void *ctx);	/* the responder accepted the run; may be NULL */
	void		(*asked)(void *ctx, int64_t now_ns);	/* a report was requested; may be NULL */
	void		(*ended)(void *ctx);	/* the last report was kept; may be NULL */
	/* Called with the unparsed body of a report, whose tag was valid if there is a key;
	 * p->tx has what was sent before it came.  Return true if the report was kept; the
	 * next report repeats the extremes of one that was not. */
	bool		(*report)(void *ctx, const char *body, size_t len, int64_t now_ns);
	/* If the responder sends, the report only tells what it sent; before each call of report
	 * this receives the client's own figures as its receiver. */
	struct pace_report *own;
	/* If the client receives several streams: NULL, or this receives the figures of PACE_SLICES
	 * of them, beginning with the stream that *turn names. */
	struct pace_slice *own_of;
	/* Several streams: NULL, or before each call of report this receives 0 for a report of the
	 * sum, or 1 + the stream from which on a report has slices.  The reports take turns. */
	uint32_t	*turn;
	void		*ctx;
};

/* Measure a live run; fills in p->tx and p->clock.  0; -ENOTSUP: this responder sends no
 * reports; other failures as in pace_client_point. */
int	pace_client_live(struct pace_client *c, struct pace_point *p,
	    const struct pace_watching *w, struct pace_err *err);

/* If pace_client_live ended without the last report, request it again for up to patience_ns.
 * 0: it was kept; -ESTALE, or a refusal: the responder no longer has it. */
int	pace_client_live_end(struct pace_client *c, const struct pace_point *p,
	    const struct pace_watching *w, int64_t patience_ns, struct pace_err *err);

/*
 * Parameters of live exchanges with a STAMP reflector: requests of size_bytes, one every
 * spacing_ns, until the client is stopped or duration_ns (0: no end) is over.  report is called
 * every report_ns in the measuring thread, and must neither wait nor allocate; it returns true if
 * it kept what c->pinger and its stamp session have then.  A failure to send ends nothing.
 */
struct pace_stamp_live;
struct pace_stamp_watching {
	uint32_t	size_bytes;
	int64_t		spacing_ns, duration_ns, report_ns;
	void		(*begun)(void *ctx);
	bool		(*report)(void *ctx, const struct pace_stamp_live *now);
	void		*ctx;
};

/* What was counted since the begin. */
struct pace_stamp_live {
	int64_t		now_ns;
	uint64_t	sent, refused;
	uint64_t	late;		/* requests that left more than a spacing late */
	uint64_t	lost;		/* requests without a reply that are older than one with a
					 * reply; at the end all without a reply */
	uint64_t	duplicates, foreign;
	bool		over;		/* no more will come */
};

/* Make live exchanges in the open session.  0: the planned end; -EINTR: stopped; -EMSGSIZE: requests
 * are too large for the path; -ENOMEM. */
int	pace_client_stamp_live(struct pace_client *c, const struct pace_stamp_watching *w,
	    struct pace_err *err);

/* Send CLOSE; a missing answer is no error. */
void	pace_client_close(struct pace_client *c);

#endif
