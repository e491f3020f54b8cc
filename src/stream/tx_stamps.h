/*
 * tx_stamps.h - the kernel's departure stamps of sampled frames.
 *
 * Purpose    what the clock readings before a send do not show: how long a frame took through the
 *            sending host's stack, and how far the gaps that left it scatter.
 * Samples    of every 256 frames the first eight are stamped.  The kernel's code for stamps is not
 *            in the caches at the first, which takes 0.8 us longer at a spacing of 10 us and 6 us
 *            longer at 100 us; the second is still slower.  So frames 2 to 7 count, and the
 *            differences of their stamps are gaps as they left.  No request stands in another
 *            frame, so that its way is as short as a plain send's.
 * Bias       a stamped frame is slower by a buffer for its stamp, so gaps between stamped frames
 *            scatter more: doc/departures.h.
 * Memory     none of its own; the histograms are the caller's.
 */
#ifndef PACE_STREAM_TX_STAMPS_H
#define PACE_STREAM_TX_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"

#define PACE_TX_STAMPS_EVERY	256
#define PACE_TX_STAMPS_RUN	8	/* frames stamped */
#define PACE_TX_STAMPS_WARM	2	/* of these do not count */

struct pace_tx_stamps {
	struct pace_hist *stack;	/* ns from the clock reading to the stamp; NULL: nothing is
					 * recorded */
	struct pace_hist *gap_error;	/* ns, gaps between stamps minus step_ns */
	int64_t		step_ns;	/* requested gap; 0: no gaps are recorded */
	uint64_t	burst;		/* frames of a burst; 0: one stream */
	/* private: the frame before */
	uint64_t	number;
	int64_t		stamp_ns;
};

/* True if a frame's departure is stamped. */
static inline bool
pace_tx_stamps_wants(uint64_t number)
{
	return number % PACE_TX_STAMPS_EVERY < PACE_TX_STAMPS_RUN;
}

/* True if the gap that ends with this frame counts; not across bursts. */
static inline bool
pace_tx_stamps_gap(uint64_t number)
{
	uint64_t at = number % PACE_TX_STAMPS_EVERY;

	return at > PACE_TX_STAMPS_WARM && at < PACE_TX_STAMPS_RUN;
}

/* True if a send after the clock reading t_ns can have this stamp. */
bool	pace_tx_stamps_plausible(int64_t t_ns, int64_t stamp_ns);

/* Record a stamp, if it is plausible; t_ns: the clock reading before that send. */
void	pace_tx_stamps_take(struct pace_tx_stamps *s, uint64_t number, int64_t t_ns,
	    int64_t stamp_ns);

#endif
