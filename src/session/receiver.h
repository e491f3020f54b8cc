/*
 * receiver.h - account the data frames of one run as they arrive.
 *
 * Purpose    one pass a frame: number, gap, payload; the receipt at the end.
 * Gap        between arrivals of unique frames one after the other, across
 *            holes too (that is what arrived), not across a burst's gap.
 * Drops      the kernel's count for the socket; where pieces are dropped
 *            whole, the frames of every hole in which it rose.
 * Rates      frames 2 .. n over first to last arrival, unique frames.
 * Memory     about 3.5 MiB from pace_receiver_new, none per frame.
 * Threads    one.
 * Trust      the header has passed pace_hdr_decode and names this session
 *            and run; length and number are checked here.
 */
#ifndef PACE_RECEIVER_H
#define PACE_RECEIVER_H

#include <stdint.h>

#include "core/io.h"
#include "core/wire.h"
#include "doc/result.h"
#include "session/msg.h"

struct pace_receiver;

/* NULL: no memory.  Freed by pace_receiver_free, NULL is accepted. */
struct pace_receiver	*pace_receiver_new(void);
void	pace_receiver_free(struct pace_receiver *r);

/* A new run.  drops: the socket's drop count now.  whole: trains may come in
 * one piece; then the kernel counts a dropped piece as one. */
void	pace_receiver_start(struct pace_receiver *r, const struct pace_msg_start *m,
	    uint32_t drops, bool whole);

/* One DATA frame of this run. */
void	pace_receiver_take(struct pace_receiver *r, const struct pace_hdr *h,
	    const struct pace_in *in);

/* A datagram of the session's address that is no frame of this run. */
void	pace_receiver_foreign(struct pace_receiver *r);

/* Have all numbers below sent arrived? */
bool	pace_receiver_complete(const struct pace_receiver *r, uint64_t sent);

/* The end of the run: sent frames left the sender; drops as above.  The
 * receipt belongs to the receiver and lives until the next start. */
struct pace_receipt	*pace_receiver_finish(struct pace_receiver *r,
	    uint64_t sent, uint32_t drops);

#endif
