/*
 * light_receiver.h - account the frames of a low-rate stream in a few KiB.
 *
 * Purpose    the counts of receiver.h for a stream that has no result of its own, only reports:
 *            loss, order, copies (core/seq.h, lean), gaps and delays in few bins.
 * Window     a frame PACE_LIGHT_WINDOW numbers or more behind the highest looks like a
 *            copy.
 * Delay      above the lowest of the last 5 to 10 minutes, at the clocks' rate known now: a
 *            stream may last for days, in which an error of the rate adds up.
 * Drops      the socket is shared by all light sessions: of its drops only the sum is known, so
 *            they bound the loss at this socket from above.
 * Units      ns, bytes, frames.
 * Memory     15 KiB, the caller's; none per frame.
 * Threads    one.
 * Trust      as in receiver.h: length and number are checked here.  Any departure is accepted;
 *            a wrong one spoils only this stream's delays.
 */
#ifndef PACE_STREAM_LIGHT_RECEIVER_H
#define PACE_STREAM_LIGHT_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/coarse_hist.h"
#include "core/io.h"
#include "core/run_stats.h"
#include "core/tally.h"
#include "core/wire.h"
#include "proto/msg.h"

#define PACE_LIGHT_WINDOW	256	/* frames */

struct pace_light_receiver;

/* The bytes of memory that a receiver needs, aligned for uint64_t. */
size_t	pace_light_receiver_size(void);

/* Begin a run; the only way to make a receiver.  The clock's rate is kept if keep is set and this
 * receiver has had a run.  drops: the socket's drop count now. */
void	pace_light_receiver_start(struct pace_light_receiver *r, const struct pace_msg_start *m,
	    bool keep, uint32_t drops);

/* Set the clock's rate, which a PING reported. */
void	pace_light_receiver_rate(struct pace_light_receiver *r, double rate);

/* Take one DATA frame of this run. */
void	pace_light_receiver_take(struct pace_light_receiver *r, const struct pace_hdr *h,
	    const struct pace_in *in);

/* Count a datagram from the session's address that does not belong to this run. */
void	pace_light_receiver_foreign(struct pace_light_receiver *r);

/* True if all numbers below sent have arrived. */
bool	pace_light_receiver_complete(const struct pace_light_receiver *r, uint64_t sent);

/* End the run: the loss is final. */
void	pace_light_receiver_finish(struct pace_light_receiver *r, uint64_t sent);

/* Fill in the figures so far, as pace_receiver_look does. */
void	pace_light_receiver_look(struct pace_light_receiver *r, struct pace_tally *t,
	    struct pace_stats *gaps, int64_t *jitter_ns, struct pace_recent *recent);

/* The gaps, and the delays above the lowest, of all frames so far. */
const struct pace_coarse_hist	*pace_light_receiver_gaps(const struct pace_light_receiver *r);
const struct pace_coarse_hist	*pace_light_receiver_delays(const struct pace_light_receiver *r);

#endif
