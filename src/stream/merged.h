/*
 * merged.h - several streams that one thread sends from one schedule.
 *
 * Purpose    find the stream whose frame is due first and send it, up to the time of the next
 *            other one.  Of frames that are due together one leaves after the other.
 * Phases     stream 0 begins at t0, the others as ask.stagger says, within one spacing.
 * Shifts     if a stream that was too late moves its schedule (schedule.h), the others that are
 *            overdue move by the same time: a freeze does not bring the streams together.
 * Held       a stream with due_ns INT64_MAX is complete, or its caller holds it.
 * Threads    one; of n threads, thread k sends the streams k, k + n, k + 2n, ... from a schedule
 *            of its own: share first, step.
 * Memory     the caller's.
 */
#ifndef PACE_STREAM_MERGED_H
#define PACE_STREAM_MERGED_H

#include "stream/sender.h"

struct pace_merged {
	uint32_t	n;
	uint32_t	first, step;	/* run[i] is that of stream first + i step; step 0: of i */
	struct pace_sending *run[PACE_STREAMS];
	int64_t		due_ns[PACE_STREAMS];
};

/* Return the number of the stream of run[i]. */
static inline uint32_t
pace_merged_stream(const struct pace_merged *m, uint32_t i)
{
	return m->step > 0 ? m->first + i * m->step : i;
}

/* Set when the first frame of each stream is due; m->n, m->run, m->first and m->step are the
 * caller's. */
void	pace_merged_begin(struct pace_merged *m, const struct pace_params *ask, int64_t t0_ns);

/* Send frames of the stream that is due first, up to the time of the next one and before until_ns.
 * 1: sent; 0: this stream is complete, or stopped; -ENOENT: nothing is due before until_ns; other
 * -errno of pace_sending_step.  *stream: its place in run. */
int	pace_merged_step(struct pace_merged *m, int64_t until_ns, uint32_t *stream);

/* Return when the next frame of any stream is due that is not held; INT64_MAX: none. */
int64_t	pace_merged_due(const struct pace_merged *m);

/* pace_sending_reads, of the stream that is due first; INT64_MAX: none is. */
int64_t	pace_merged_reads(const struct pace_merged *m, int64_t now_ns);

/* Copy what befell the thread, and so every stream: freezes with their causes, context switches,
 * time taken by the hypervisor.  After pace_sending_end of both. */
void	pace_merged_share(struct pace_tx *to, const struct pace_tx *first);

#endif
