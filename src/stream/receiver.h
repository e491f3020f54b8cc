/*
 * receiver.h - account the data frames of one run as they arrive.
 *
 * Purpose    one pass a frame: number, gap, delay, payload; the receiver's result at the
 *            end.
 * Gap        between arrivals of unique frames one after the other, across
 *            holes too (that is what arrived), not across a burst's gap.
 * Drops      the kernel's count for the socket, of datagrams of any kind, and how
 *            many lost frames it explains: likely, and at most (ledger.h).
 * Rates      frames 2 .. n over first to last arrival, unique frames.
 * Delay      of every unique frame (delay.h), of a train of its first one.
 * Memory     about 6.5 MiB from pace_receiver_new, what the run's records
 *            need from pace_receiver_start, and 8 MiB at most from pace_receiver_stamps;
 *            none per frame.
 * Threads    one.
 * Trust      the header has passed pace_hdr_decode and names this session
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

/* NULL: no memory.  Freed by pace_receiver_free, NULL is accepted. */
struct pace_receiver	*pace_receiver_new(void);
void	pace_receiver_free(struct pace_receiver *r);

/* A new run.  drops: the socket's drop count now.  whole: trains may come in
 * one piece; then the kernel counts a dropped piece as one.  -ENOMEM: no room
 * for the records asked for. */
int	pace_receiver_start(struct pace_receiver *r, const struct pace_msg_start *m,
	    uint32_t drops, bool whole);

/* Of the run that has begun keep the stamps, too, of as many frames as a capture compares
 * (wire_check.h).  -ENOMEM. */
int	pace_receiver_stamps(struct pace_receiver *r);
/* They and their number; 0: none was kept of that frame.  Until the next start. */
const int64_t	*pace_receiver_stamped(const struct pace_receiver *r, uint64_t *n);

/* The clock's rate is better known now (PING). */
void	pace_receiver_rate(struct pace_receiver *r, double rate);

/* One DATA frame of this run. */
void	pace_receiver_take(struct pace_receiver *r, const struct pace_hdr *h,
	    const struct pace_in *in);

/* A datagram of the session's address that is no frame of this run. */
void	pace_receiver_foreign(struct pace_receiver *r);

/* What came so far; gaps with its extremes since the last look in *recent, and there
 * the delay of the newest frame.  Costs about as much as a frame. */
struct pace_tally;
void	pace_receiver_look(struct pace_receiver *r, struct pace_tally *t,
	    struct pace_stats *gaps, int64_t *jitter_ns, struct pace_recent *recent);

/* The gaps so far, in few bins: about 2 us. */
struct pace_coarse_hist;
void	pace_receiver_shape(const struct pace_receiver *r, struct pace_coarse_hist *gaps);

/* Have all numbers below sent arrived? */
bool	pace_receiver_complete(const struct pace_receiver *r, uint64_t sent);

/* The end of the run: m->sent frames left the sender, and its clock is ours -
 * m->theta; drops as above.  The receiver's result belongs to the receiver and lives
 * until the next start. */
struct pace_rx_result	*pace_receiver_finish(struct pace_receiver *r,
	    const struct pace_msg_finish *m, uint32_t drops);

/* The frames that were kept, until the next start. */
const struct pace_records	*pace_receiver_records(const struct pace_receiver *r);

#endif
