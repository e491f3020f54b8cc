/*
 * tx_stamps.h - the kernel's departure stamps of sampled frames.
 *
 * Purpose    what the clock readings before a send do not show: how long a frame took through the
 *            sending host's stack, and how far the gaps that left it scatter.
 * Samples    of every 256 frames, or of more where these come fast, the first eight are stamped.
 *            The kernel's code for stamps is not in the caches at the first, which takes 0.8 us
 *            longer at a spacing of 10 us and 6 us longer at 100 us; the second is still slower.
 *            So frames 2 to 7 count, and the differences of their stamps are gaps as they left.
 *            No request stands in another frame, so that its way is as short as a plain send's.
 *            The stamps are read right behind the last one: until then the kernel holds back these
 *            frames' memory, and frames in other memory scatter more (at 10 us 1 to 3 points of
 *            the gaps within 0.2 us, where the sample waited half of the way to the next one).
 * Cost       the gaps that begin and end a sample, and those beside the reading of its stamps, are
 *            seldom near the spacing: five a sample at 10 us.
 * Bias       a stamped frame is slower by a buffer for its stamp, so gaps between stamped frames
 *            scatter more: doc/departures.h.
 * Memory     none of its own; the histograms are the caller's.
 */
#ifndef PACE_STREAM_TX_STAMPS_H
#define PACE_STREAM_TX_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "doc/params.h"

#define PACE_TX_STAMPS_RUN	8	/* frames stamped */
#define PACE_TX_STAMPS_WARM	2	/* of these do not count */

struct pace_tx_stamps {
	struct pace_hist *stack;	/* ns from the clock reading to the stamp; NULL: nothing is
					 * recorded */
	struct pace_hist *gap_error;	/* ns, gaps between stamps minus step_ns */
	uint64_t	every;		/* frames from sample to sample */
	int64_t		step_ns;	/* requested gap; 0: no gaps are recorded */
	uint64_t	burst;		/* frames of a burst; 0: one stream */
	/* private: the frame before */
	uint64_t	number;
	int64_t		stamp_ns;
};

/* Return the frames from sample to sample of this run, at both ends: a power of two from 256 on, for
 * 10 ms, but so that the run has at least 40 samples. */
uint64_t	pace_tx_stamps_every(const struct pace_params *ask);

/* True if a frame's departure is stamped. */
static inline bool
pace_tx_stamps_wants(uint64_t number, uint64_t every)
{
	return (number & (every - 1)) < PACE_TX_STAMPS_RUN;
}

/* True if the gap that ends with this frame counts; not across bursts. */
static inline bool
pace_tx_stamps_gap(uint64_t number, uint64_t every)
{
	uint64_t at = number & (every - 1);

	return at > PACE_TX_STAMPS_WARM && at < PACE_TX_STAMPS_RUN;
}

/* True if a send after the clock reading t_ns can have this stamp. */
bool	pace_tx_stamps_plausible(int64_t t_ns, int64_t stamp_ns);

/* Record a stamp, if it is plausible; t_ns: the clock reading before that send. */
void	pace_tx_stamps_take(struct pace_tx_stamps *s, uint64_t number, int64_t t_ns,
	    int64_t stamp_ns);

#endif
