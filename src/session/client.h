/*
 * client.h - the client's side of a session: ask, send, collect.
 *
 * Purpose    a measurement is: open once, then a point for each spacing and
 *            size, then close.  Control requests are repeated with growing
 *            patience until their deadline; replies are matched by session,
 *            type and request number, everything else is counted and left.
 * Time-outs  first repeat after 100 ms, then half as long again each time,
 *            at most every 500 ms; deadline 5 s for HELLO, 10 s for all
 *            others.  A point waits for the measurement lease as long as
 *            the responder says that it is busy, unless no_wait.
 * Errors     -errno with words in err: -ETIMEDOUT no answer, -ECONNREFUSED
 *            nobody at that port, -EBUSY another client measures (no_wait),
 *            -EACCES refused, -EPROTONOSUPPORT other version, -EPROTO an
 *            answer that cannot be true, -EINTR told to stop.
 * Memory     about 20 KiB in the struct; results are allocated.
 * Threads    one.
 * Trust      replies are hostile until checked: sizes, then content.
 */
#ifndef PACE_CLIENT_H
#define PACE_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/host.h"
#include "core/io.h"
#include "core/rates.h"
#include "doc/result.h"
#include "session/msg.h"
#include "session/sender.h"

#define PACE_CLIENT_ROOM	2048	/* of one reply */

struct pace_client {
	/* set by the caller */
	struct pace_io	io;
	char		label[PACE_LABEL_SIZE];
	uint32_t	rcvbuf_bytes;	/* wanted of the responder's socket */
	uint32_t	sndbuf_asked, sndbuf_granted;	/* for the document */
	struct pace_link link;
	bool		no_wait;
	int64_t		rest_ns;	/* of all points that come after the next one */
	const volatile sig_atomic_t *stop;	/* may be NULL */
	struct pace_progress *progress;	/* may be NULL */
	/* Called about once a second while another client measures. */
	void		(*on_busy)(void *ctx, const struct pace_msg_error *who);
	void		*busy_ctx;
	/* found */
	struct pace_host responder;
	uint64_t	strays;		/* datagrams that answered nothing */
	/* private */
	uint64_t	session, nonce, request;
	uint8_t		stream;
	uint32_t	departures;
	bool		open;
	size_t		reply_len;
	uint8_t		out[PACE_CONTROL_ROOM];
	uint8_t		in[PACE_CLIENT_ROOM];
};

/* Empty; the caller then sets what is his.  -EIO: no random numbers. */
int	pace_client_init(struct pace_client *c);

/* Prove our address and get a session.  Again after -ESTALE. */
int	pace_client_open(struct pace_client *c, struct pace_err *err);

/*
 * Measure one point: p->ask is asked for, the rest of *p is filled in.  0:
 * complete.  -EINTR: stopped, what was sent and collected is in *p.  Other
 * failures leave in *p what is known (has_rx says if the responder's part
 * is there).  -ESTALE: the responder has no such session any more.
 */
int	pace_client_point(struct pace_client *c, struct pace_point *p,
	    struct pace_err *err);

/* Say good-bye; not heard is no failure. */
void	pace_client_close(struct pace_client *c);

#endif
