#include "config.h"

#include "stream/tx_stamps.h"

#include <stddef.h>

#include "core/schedule.h"

#define MOST_NS		INT64_C(1000000000)	/* longest time from a departure to its stamp */
#define SLACK_NS	10000			/* largest error of a mapped stamp */
#define LEAST		256			/* frames from sample to sample */
#define PAUSE_NS	INT64_C(10000000)
#define SAMPLES_LEAST	40			/* in a run */

uint64_t
pace_tx_stamps_every(const struct pace_params *ask)
{
	const int64_t step_ns = pace_spacing_ns(ask->spacing * ask->train);
	const uint64_t frames = pace_params_frames(ask);
	uint64_t every = LEAST;

	while ((int64_t)every * step_ns < PAUSE_NS && 2 * every * SAMPLES_LEAST <= frames)
		every *= 2;
	return every;
}

bool
pace_tx_stamps_plausible(int64_t t_ns, int64_t stamp_ns)
{
	return stamp_ns - t_ns >= -SLACK_NS && stamp_ns - t_ns <= MOST_NS;
}

void
pace_tx_stamps_take(struct pace_tx_stamps *s, uint64_t number, int64_t t_ns, int64_t stamp_ns)
{
	if (s->stack == NULL || (number & (s->every - 1)) < PACE_TX_STAMPS_WARM ||
	    !pace_tx_stamps_plausible(t_ns, stamp_ns))
		return;
	pace_hist_add(s->stack, stamp_ns - t_ns);
	if (s->step_ns > 0 && pace_tx_stamps_gap(number, s->every) && number == s->number + 1 &&
	    (s->burst == 0 || number % s->burst != 0))
		pace_hist_add(s->gap_error, stamp_ns - s->stamp_ns - s->step_ns);
	s->number = number;
	s->stamp_ns = stamp_ns;
}
