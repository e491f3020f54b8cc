/*
 * params.h - what follows from what was asked for.
 *
 * Units      in the names.   Memory  none.   Threads  any.
 */
#ifndef PACE_DOC_PARAMS_H
#define PACE_DOC_PARAMS_H

#include <stdint.h>

#include "doc/result.h"

double	pace_params_spacing_ns(const struct pace_params *a);

/* From one departure to the next: of frames, or of trains. */
double	pace_params_gap_ns(const struct pace_params *a);

/* User data, bit/s; 0: as fast as possible. */
double	pace_params_rate_bps(const struct pace_params *a);

/* Slots of the run: frames due before its end; 0 when only the sender's speed
 * decides (a duration at spacing 0). */
uint64_t	pace_params_frames(const struct pace_params *a);

/* Of the slots of a run by time those that never came due: the schedule was moved past
 * its end.  asked: slots that did; skipped: those left out to catch up. */
uint64_t	pace_params_not_due(const struct pace_params *a, uint64_t asked, uint64_t skipped);

/* A size above `most` becomes that; the rate, if there is one, stays as it was asked for:
 * then the spacing is less, and there are more frames. */
void	pace_params_fit(struct pace_params *a, uint32_t most);

/* Room for the records of all frames, but for no more than a responder keeps unasked. */
uint64_t	pace_params_records(const struct pace_params *a);

/* From the first slot to the end of the last one, pauses between bursts with
 * it; 0 when only the sender's speed decides. */
int64_t	pace_params_duration_ns(const struct pace_params *a);

/* Frames at most in what a kernel may count as one: of trains, a piece. */
uint64_t	pace_params_piece(const struct pace_params *a);

/* What it will take about, with its beginning and end. */
int64_t	pace_params_cost_ns(const struct pace_params *a);

#endif
