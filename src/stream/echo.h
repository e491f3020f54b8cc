/*
 * echo.h - the responder's side of a PING.
 *
 * Purpose    answer a PING at once with its arrival and the reply's departure; the kernel's
 *            departure stamp is known later and travels in a later reply.
 * Copies     a PING is answered even if its number is not above all earlier numbers; but the
 *            departure stamp of that answer is not sent, because the client could not know
 *            which answer it belongs to.
 * Frames     of a stream that leaves by the same socket request departure stamps as well.
 *            They share the numbering; their stamps go to frames.
 * Limit      a reply is never larger than its PING, except up to most bytes if the session's
 *            policy allows it.
 * Socket     several echoes may share one socket and its numbering of departure stamps.  Such an
 *            echo keeps few stamps that were not sent yet.
 * Memory     pace_echo_init allocates 128 KiB; an echo that shares allocates nothing.
 * Threads    one for all echoes at a socket.
 */
#ifndef PACE_STREAM_ECHO_H
#define PACE_STREAM_ECHO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/io.h"
#include "core/wire.h"
#include "stream/tx_stamps.h"

#define PACE_ECHO_STAMPS	1024	/* departures requested or not yet sent */
#define PACE_ECHO_FEW		128	/* not yet sent, of an echo that shares its socket */

/* The departure stamp of a reply. */
struct pace_echo_stamp {
	uint64_t	number;
	int64_t		t_ns;
};

/* The departure stamps that were requested at a socket, in order. */
struct pace_echo_socket {
	uint32_t	asked;		/* over the socket's life */
	uint32_t	back;		/* stamps that came back */
	/* the echo whose reply requested a stamp, NULL: it has ended; or a frame with this
	 * departure (frame_ns not 0) */
	struct { struct pace_echo *of; uint64_t number; int64_t frame_ns; } by[PACE_ECHO_STAMPS];
	uint8_t		out[PACE_FRAME_MAX];	/* the reply */
};

struct pace_echo {
	struct pace_echo_socket *at;
	bool		shares;		/* the socket is not ours alone */
	uint64_t	next;		/* above all answered numbers */
	uint32_t	known, reported;	/* stamps of replies; sent, in the same order */
	struct pace_tx_stamps frames;	/* stamps of a stream's frames */
	uint32_t	room;		/* of stamps, a power of two */
	struct pace_echo_stamp *stamps, few[PACE_ECHO_FEW];
	uint32_t	most;		/* largest reply to a smaller PING; 0: none is larger */
	uint64_t	replies, bytes;	/* sent */
};

/* A socket's departures; NULL: no memory. */
struct pace_echo_socket	*pace_echo_socket_new(void);

int	pace_echo_init(struct pace_echo *e);	/* -ENOMEM */
void	pace_echo_free(struct pace_echo *e);

/* Begin an echo at a socket that others share; it allocates nothing.  The socket lives longer. */
void	pace_echo_share(struct pace_echo *e, struct pace_echo_socket *at);

/* True if this PING of len bytes may be answered. */
bool	pace_echo_takes(const struct pace_echo *e, size_t len, const struct pace_ping *asked);

/* Answer this PING of session id.  proof: for the client to return; 0: none.  A PING of a stream
 * other than 0 comes from a socket of its own and has no departure stamps.  False: it may not be
 * answered. */
bool	pace_echo_answer(struct pace_echo *e, const struct pace_io *io, uint64_t id,
	    const struct pace_hdr *h, const struct pace_in *in, uint64_t proof);

/* Frame `number` is about to request a departure stamp / the kernel refused this frame. */
void	pace_echo_sample(struct pace_echo *e, uint64_t number, int64_t t_ns);
void	pace_echo_unsample(struct pace_echo *e, const struct pace_io *io);

/* True if departure stamps are still to come. */
bool	pace_echo_waits(const struct pace_echo_socket *at);

/* Read the departure stamps known by now, of all echoes at the socket. */
void	pace_echo_departures(struct pace_echo_socket *at, const struct pace_io *io);

#endif
