/*
 * params.h - figures that follow from the parameters of a point.
 *
 * Units      in the names.   Memory  none.   Threads  any.
 */
#ifndef PACE_DOC_PARAMS_H
#define PACE_DOC_PARAMS_H

#include <stdint.h>

#include "doc/result.h"

double	pace_params_spacing_ns(const struct pace_params *a);

/* Return the number of streams; rate and frames of this file are those of each one. */
static inline uint32_t
pace_params_streams(const struct pace_params *a)
{
	return a->streams > 1 ? a->streams : 1;
}

/* True if the responder sends frames / receives frames. */
static inline bool
pace_params_goes_down(const struct pace_params *a)
{
	return a->direction == PACE_DOWN || a->two_way;
}

static inline bool
pace_params_goes_up(const struct pace_params *a)
{
	return a->direction == PACE_UP || a->two_way;
}

/* Return the scheduled time between two departures: of frames, or of trains. */
double	pace_params_gap_ns(const struct pace_params *a);

/* Return the rate of user data in bit/s; 0: as fast as possible. */
double	pace_params_rate_bps(const struct pace_params *a);

/* Return the slots of the run: the frames scheduled before its end.  0: only the sender's
 * speed decides (a duration with spacing 0). */
uint64_t	pace_params_frames(const struct pace_params *a);

/* Return how many slots come before the first frame that counts: whole trains of omit_ns.  Frames
 * on the wire have numbers from 0; figures count from this one. */
uint64_t	pace_params_omitted(const struct pace_params *a);

/* Return how many slots of a run with a duration never came due, because the schedule was
 * moved past the end.  asked: slots that came due; skipped: slots left out to catch up. */
uint64_t	pace_params_not_due(const struct pace_params *a, uint64_t asked, uint64_t skipped);

/* Reduce a size above `most` to `most`.  A requested rate is kept: the spacing becomes
 * shorter, and the run has more frames. */
void	pace_params_fit(struct pace_params *a, uint32_t most);

/* Return the room for the records of all frames of each stream, together at most a responder's
 * default. */
uint64_t	pace_params_records(const struct pace_params *a);

/* Return the time from the first slot to the end of the last one, with the pauses between
 * bursts; 0: only the sender's speed decides. */
int64_t	pace_params_duration_ns(const struct pace_params *a);

/* Return when a frame is due, counted from the first one: by its number, on a schedule that never
 * moved and with no frame refused.  0 at spacing 0; at most PACE_SLOT_MAX_NS. */
#define PACE_SLOT_MAX_NS	(INT64_C(1) << 62)
int64_t	pace_params_slot_ns(const struct pace_params *a, uint64_t seq);

/* Return the most frames that a kernel may count as one: of trains, a piece. */
uint64_t	pace_params_piece(const struct pace_params *a);

/* Return about how long the run takes, with its start and end. */
int64_t	pace_params_cost_ns(const struct pace_params *a);

#endif
