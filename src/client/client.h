/*
 * client.h - the client's side of a session: ask, send, collect.
 *
 * Purpose    a measurement is: open once, then a point for each spacing and
 *            size, or each size of round trips, then close.  Control requests
 *            are repeated with growing patience until their deadline; replies
 *            are matched by session, type and request number, everything else
 *            is counted and left.
 * Time-outs  first repeat after 100 ms, then half as long again each time,
 *            at most every 500 ms; deadline 5 s for HELLO, 10 s for all
 *            others.  A point waits for the measurement lease as long as
 *            the responder says that it is busy, unless no_wait and it has not
 *            measured yet: between two points it may have to let others in.
 * Errors     -errno with words in err: -ETIMEDOUT no answer, -ECONNREFUSED
 *            nobody at that port, -EBUSY another client measures (no_wait),
 *            -EACCES refused, -EKEYREJECTED refused for the key or for want of one,
 *            -EDQUOT refused by the responder's policy,
 *            -ESHUTDOWN the responder is being stopped,
 *            -EPROTONOSUPPORT other version, -EPROTO an
 *            answer that cannot be true, -EINTR told to stop.
 * Keys       with a key every request is tagged and only tagged answers are taken.
 *            What says without a proof, or could be had by sending an old
 *            request from elsewhere, that the session is gone or the key is not
 *            known, ends a request no sooner than PACE_CLIENT_HINT_NS
 *            later, when nothing else has been answered.
 * ICMP       anybody can write one: that nobody listens there is believed where a HELLO is not
 *            answered for PACE_CLIENT_HINT_NS; of all others it is the reason that is
 *            told when their time is over.
 * Clock      exchanges before, during and after every stream go into one fit
 *            for the session (clockfit.h); a point's own clock is what that
 *            gives for the time of its stream, from PACE_CLIENT_MEMORY_NS
 *            before it on.
 * Memory     about 100 KiB in the struct; the pinger's ring, results and
 *            records are allocated.
 * Threads    one.
 * Trust      replies are hostile until checked: sizes, then content.  Request numbers begin
 *            at a random one for each session: only one that saw a request, or its
 *            session's number, can answer it.
 */
#ifndef PACE_CLIENT_CLIENT_H
#define PACE_CLIENT_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/host.h"
#include "core/io.h"
#include "core/rates.h"
#include "doc/latency.h"
#include "doc/result.h"
#include "proto/msg.h"
#include "stream/pinger.h"
#include "stream/sender.h"

#define PACE_CLIENT_ROOM	2048	/* of one reply */
#define PACE_CLIENT_MEMORY_NS	INT64_C(60000000000)
#define PACE_CLIENT_HINT_NS	INT64_C(1500000000)
#define PACE_CLIENT_RESOLUTION	100.0	/* ns: two kernel stamps, each mapped from the wall clock */

struct pace_client {
	/* set by the caller */
	struct pace_io	io;
	char		label[PACE_LABEL_SIZE];
	uint32_t	rcvbuf_bytes;	/* wanted of the responder's socket */
	uint32_t	sndbuf_asked, sndbuf_granted;	/* for the document */
	struct pace_link link;
	const struct pace_key *key;	/* of the caller's; NULL: none is shown */
	bool		no_wait;
	bool		capture;	/* streams are to be captured at the responder, too */
	bool		had_turn;	/* private: it has measured */
	int64_t		rest_ns;	/* of all points that come after the next one */
	const volatile sig_atomic_t *stop;	/* may be NULL */
	const volatile sig_atomic_t *cut;	/* the same, while the caller wants one point to end */
	struct pace_progress *progress;	/* may be NULL */
	/* Called about once a second while another client measures. */
	void		(*on_busy)(void *ctx, const struct pace_msg_error *who);
	void		*busy_ctx;
	/* Called with every exchange that was answered; NULL: nobody is told. */
	void		(*on_exchange)(void *ctx, const struct pace_exchange *x);
	void		*exchange_ctx;
	/* found */
	struct pace_host responder;
	struct pace_clock_state their_clock;	/* when the session was opened */
	bool		reports;	/* the responder tells of a run while it goes on */
	int64_t		longest_ns;	/* of a run, as its policy said when it refused one; 0: it did not */
	struct pace_msg_error refused;	/* what its policy said last */
	enum pace_capture_answer captured;	/* what the responder said to that, of the last run */
	bool		has_idle;	/* from pace_client_idle */
	double		idle_watts;
	uint64_t	strays;		/* datagrams that answered nothing */
	struct pace_pinger pinger;
	struct pace_clockfit fit;
	/* private */
	uint64_t	session, nonce, request;
	struct pace_seal seal;		/* of the session, with a key */
	int64_t		tagged_ns;	/* the last request's tx_ns, with a key */
	int		hint;		/* errno that unproven answers mean; 0: none came */
	int64_t		hint_ns;	/* the first of them */
	int64_t		denied_ns;	/* since when ICMP says that nobody listens there; 0: it does not */
	uint8_t		stream;
	bool		open;
	size_t		reply_len;
	struct pace_clock *clock;	/* where exchanges are counted; NULL: nowhere */
	struct pace_clock base;		/* steps and slews when that began */
	uint8_t		out[PACE_CONTROL_ROOM];
	uint8_t		in[PACE_CLIENT_ROOM];
};

/* Empty; the caller then sets what is his.  -EIO: no random numbers; -ENOMEM. */
int	pace_client_init(struct pace_client *c);
void	pace_client_free(struct pace_client *c);

/* Prove our address and get a session.  Again after -ESTALE. */
int	pace_client_open(struct pace_client *c, struct pace_err *err);

/* Do nothing for so long, so that both ends learn what their hosts use idle.  Before
 * the first point.  -EINTR: stopped. */
int	pace_client_idle(struct pace_client *c, int64_t ns);

/*
 * Measure one point: p->ask is asked for, the rest of *p is filled in.  0:
 * complete, or interrupted with the note "cut_short": the stream ended because
 * nothing was heard meanwhile, and its result is there all the same.  -EINTR: stopped, what was sent and collected is in *p.  Other
 * failures leave in *p what is known (has_rx says if the responder's part
 * is there).  -ESTALE: the responder has no such session any more.
 */
int	pace_client_point(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);

/*
 * The frames kept in the point just measured: *columns of PACE_RECORD_SIZE
 * times p->rx.records bytes (record.h), malloced; NULL when there are none.
 * Chunks are asked for again one by one until all are there.
 */
int	pace_client_records(struct pace_client *c, const struct pace_point *p,
	    uint8_t **columns, struct pace_err *err);

/*
 * Exchanges only: count of them interval_ns (above 0) apart (+-50 %), then the estimate
 * for the time of these into *clock.  No lease is asked for.  -ETIMEDOUT: none
 * was answered; -ESTALE: none for 10 s, the session may be gone: open again;
 * -EINTR: stopped, *clock holds what there is; -ENOMEM.
 */
int	pace_client_clock(struct pace_client *c, uint64_t count, int64_t interval_ns,
	    struct pace_clock *clock, struct pace_err *err);

/* Round trips of one size: p->ask is asked for, the rest of *p filled in.
 * Failures as pace_client_point's. */
int	pace_client_latency(struct pace_client *c, struct pace_latency *p,
	    struct pace_err *err);

/*
 * A run that is watched while it goes on: a stream as p->ask has it, with an exchange
 * every ping_ns and a report every report_ns, or as soon after as one comes.  What it
 * calls is called in the sending thread, behind a frame, and must neither wait nor
 * allocate.  There is no receiver's result: the last report, asked for when the responder has its
 * count, is the result.
 */
struct pace_watching {
	int64_t		report_ns;	/* PACE_REPORT_NS at least */
	int64_t		ping_ns;
	void		(*begun)(void *ctx);	/* the responder took it; NULL: nobody asks */
	/* A report's body, not read yet, whose tag was right where there is a key; p->tx is
	 * what was sent when it came.  Was it kept?  The extremes of one that was not are in
	 * the next one again. */
	bool		(*report)(void *ctx, const char *body, size_t len, int64_t now_ns);
	void		*ctx;
};

/* 0; -ENOTSUP: this responder tells nothing; other failures as pace_client_point's.
 * p->tx and p->clock are filled in. */
int	pace_client_live(struct pace_client *c, struct pace_point *p,
	    const struct pace_watching *w, struct pace_err *err);

/* Say good-bye; not heard is no failure. */
void	pace_client_close(struct pace_client *c);

#endif
