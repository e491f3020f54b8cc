/*
 * echo.h - the responder's side of a PING.
 *
 * Purpose    answer at once with arrival and departure; what the kernel says
 *            of the departure comes later and travels in a later reply.
 * Copies     a PING whose number is not above all before it is answered, but no departure
 *            of that answer is told: its client could not know which answer it was.
 * Rule       a reply is never larger than its PING, but up to most bytes where the
 *            session's policy lets it.
 * Memory     one allocation in pace_echo_init.   Threads  one.
 */
#ifndef PACE_STREAM_ECHO_H
#define PACE_STREAM_ECHO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "core/wire.h"

#define PACE_ECHO_STAMPS	1024	/* departures under way, or not told yet */

struct pace_echo {
	uint64_t	next;		/* above all numbers that were answered */
	uint32_t	asked;		/* departure stamps, over the socket's life */
	uint32_t	known, told;	/* of those that came back, in known's order */
	uint64_t	number[PACE_ECHO_STAMPS];	/* of the reply that asked */
	struct { uint64_t number; int64_t t_ns; } stamps[PACE_ECHO_STAMPS];
	uint32_t	most;		/* of a reply to a smaller PING; 0: none is larger */
	uint64_t	replies, bytes;	/* sent */
	uint8_t		*out;		/* PACE_FRAME_MAX bytes */
};

int	pace_echo_init(struct pace_echo *e);	/* -ENOMEM */
void	pace_echo_free(struct pace_echo *e);

/* Is this PING of len bytes one to answer? */
bool	pace_echo_takes(const struct pace_echo *e, size_t len, const struct pace_ping *asked);

/* Answer this PING of session id.  False: not one to answer. */
bool	pace_echo_answer(struct pace_echo *e, const struct pace_io *io, uint64_t id,
	    const struct pace_hdr *h, const struct pace_in *in);

/* Take the departures known by now. */
void	pace_echo_departures(struct pace_echo *e, const struct pace_io *io);

#endif
