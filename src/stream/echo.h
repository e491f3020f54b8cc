/*
 * echo.h - the responder's side of a PING.
 *
 * Purpose    answer a PING at once with its arrival and the reply's departure; the kernel's
 *            departure stamp is known later and travels in a later reply.
 * Copies     a PING is answered even if its number is not above all earlier numbers; but the
 *            departure stamp of that answer is not sent, because the client could not know
 *            which answer it belongs to.
 * Frames     of a stream that leaves by the same socket request departure stamps as well.
 *            They share the numbering; their stamps go to stack.
 * Limit      a reply is never larger than its PING, except up to most bytes if the session's
 *            policy allows it.
 * Memory     one allocation in pace_echo_init.   Threads  one.
 */
#ifndef PACE_STREAM_ECHO_H
#define PACE_STREAM_ECHO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/io.h"
#include "core/wire.h"

#define PACE_ECHO_STAMPS	1024	/* departures requested or not yet sent */

struct pace_echo {
	uint64_t	next;		/* above all answered numbers */
	uint32_t	asked;		/* departure stamps requested, over the socket's life */
	uint32_t	back;		/* stamps that came back */
	uint32_t	known, told;	/* stamps of replies known; sent, in the same order */
	/* the reply that requested a stamp, or a frame with this departure (frame_ns not 0) */
	struct { uint64_t number; int64_t frame_ns; } by[PACE_ECHO_STAMPS];
	struct pace_hist *stack;	/* for frames' stamps; NULL: not wanted */
	uint64_t	proof;		/* for the client to return; 0: none */
	struct { uint64_t number; int64_t t_ns; } stamps[PACE_ECHO_STAMPS];
	uint32_t	most;		/* largest reply to a smaller PING; 0: none is larger */
	uint64_t	replies, bytes;	/* sent */
	uint8_t		*out;		/* PACE_FRAME_MAX bytes */
};

int	pace_echo_init(struct pace_echo *e);	/* -ENOMEM */
void	pace_echo_free(struct pace_echo *e);

/* True if this PING of len bytes may be answered. */
bool	pace_echo_takes(const struct pace_echo *e, size_t len, const struct pace_ping *asked);

/* Answer this PING of session id.  False: it may not be answered. */
bool	pace_echo_answer(struct pace_echo *e, const struct pace_io *io, uint64_t id,
	    const struct pace_hdr *h, const struct pace_in *in);

/* A frame is about to request a departure stamp / the kernel refused this frame. */
void	pace_echo_sample(struct pace_echo *e, int64_t t_ns);
void	pace_echo_unsample(struct pace_echo *e, const struct pace_io *io);

/* Read the departure stamps known by now. */
void	pace_echo_departures(struct pace_echo *e, const struct pace_io *io);

#endif
