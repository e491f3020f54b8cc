/*
 * receiver.h - account the data frames of one run as they arrive.
 *
 * Purpose    process each frame once: number, gap, delay, payload; make the receiver's
 *            result at the end.
 * Gap        between the arrivals of successive unique frames, also across lost frames, but
 *            not across the pause between two bursts.
 * Drops      the kernel's count for the socket, of all datagrams, and how many lost frames
 *            it explains: likely, and at most (ledger.h).
 * Rates      frames 2 .. n over the time from first to last arrival, unique frames.
 * Messages   of ask.message frames each, by their numbers, if requested (messages.h).
 * Delay      of every unique frame (delay.h); of a train, of its first frame.
 * Memory     at most 6.5 MiB from pace_receiver_new, of which only the pages with occupied
 *            bins are used; the window, the run's records and intervals (rx_intervals.h) from pace_receiver_start, and at
 *            most 8 MiB from pace_receiver_stamps; none per frame.  Each of several streams
 *            has a shorter window for late frames, so that it stays below 1 MiB.
 * Threads    one.
 * Trust      the caller has decoded the header with pace_hdr_decode and checked its session
 *            and run; length and number are checked here.
 */
#ifndef PACE_STREAM_RECEIVER_H
#define PACE_STREAM_RECEIVER_H

#include <stdint.h>

#include "core/io.h"
#include "core/run_stats.h"
#include "core/wire.h"
#include "doc/result.h"
#include "proto/msg.h"

struct pace_receiver;

/* Make a receiver.  NULL: no memory.  pace_receiver_free accepts NULL. */
struct pace_receiver	*pace_receiver_new(void);
void	pace_receiver_free(struct pace_receiver *r);

/* Begin a run.  drops: the socket's drop count now.  whole: trains may arrive in one piece; the
 * kernel then counts a dropped piece as one drop.  -ENOMEM: no memory for the requested
 * records. */
int	pace_receiver_start(struct pace_receiver *r, const struct pace_msg_start *m,
	    uint32_t drops, bool whole);

/* Keep also the stamps of this run's frames, as many as a capture compares (wire_check.h); call it
 * after start.  -ENOMEM. */
int	pace_receiver_stamps(struct pace_receiver *r);
/* Return these stamps and their number, valid until the next start; 0: no stamp of that frame. */
const int64_t	*pace_receiver_stamped(const struct pace_receiver *r, uint64_t *n);

/* Set the clock's rate, which a PING reported more exactly. */
void	pace_receiver_rate(struct pace_receiver *r, double rate);

/* Take one DATA frame of this run. */
void	pace_receiver_take(struct pace_receiver *r, const struct pace_hdr *h,
	    const struct pace_in *in);

/* Count a datagram from the session's address that does not belong to this run. */
void	pace_receiver_foreign(struct pace_receiver *r);

/* Fill in the figures so far; *recent gets the gaps' extremes since the last call and the delay of
 * the newest frame.  Costs about as much as a frame. */
struct pace_tally;
void	pace_receiver_look(struct pace_receiver *r, struct pace_tally *t,
	    struct pace_stats *gaps, int64_t *jitter_ns, struct pace_recent *recent);

/* Return the delays that the looks so far found. */
struct pace_delay_sum	pace_receiver_delays_seen(const struct pace_receiver *r);

/* Copy the gaps so far into few bins: about 2 us. */
struct pace_coarse_hist;
void	pace_receiver_shape(const struct pace_receiver *r, struct pace_coarse_hist *gaps);

/* Return the number of unique frames so far. */
uint64_t	pace_receiver_unique(const struct pace_receiver *r);

/* True if all numbers below sent have arrived. */
bool	pace_receiver_complete(const struct pace_receiver *r, uint64_t sent);

/* End the run: m->sent frames left the sender, whose clock is ours - m->theta; drops as in
 * start.  The receiver owns the result, which is valid until the next start. */
struct pace_rx_result	*pace_receiver_finish(struct pace_receiver *r,
	    const struct pace_msg_finish *m, uint32_t drops);

/* Return the receiver's part of the intervals after finish, valid until the next start; NULL: none
 * were requested. */
struct pace_intervals;
const struct pace_intervals	*pace_receiver_intervals(const struct pace_receiver *r);

/* Fill in parts of a result, also for streams that other programs received: loss and order,
 * except unique; delays. */
struct pace_seq;
struct pace_delays;
void	pace_receiver_order(struct pace_rx_result *rx, const struct pace_seq *s);
void	pace_receiver_delays(struct pace_rx_result *rx, const struct pace_delays *d);

/* Return the frame records, valid until the next start. */
const struct pace_records	*pace_receiver_records(const struct pace_receiver *r);

#endif
