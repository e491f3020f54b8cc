#include "config.h"

#include "stream/merged.h"

#include "core/schedule.h"
#include "proto/random.h"

/* Return how much later a stream begins than stream 0. */
static int64_t
phase_of(const struct pace_params *a, uint32_t stream)
{
	int64_t step_ns = pace_spacing_ns(a->spacing * a->train);

	if (stream == 0 || step_ns == 0 || a->stagger == PACE_STAGGER_NONE)
		return 0;
	if (a->stagger == PACE_STAGGER_RANDOM)
		return (int64_t)(pace_random() % (uint64_t)step_ns);
	return (int64_t)((double)step_ns * stream / a->streams);
}

void
pace_merged_begin(struct pace_merged *m, const struct pace_params *ask, int64_t t0_ns)
{
	for (uint32_t i = 0; i < m->n; i++) {
		m->due_ns[i] = t0_ns + phase_of(ask, pace_merged_stream(m, i));
		pace_sending_at(m->run[i], m->due_ns[i]);
	}
}

/* Find the stream that is due first, and when the next other one is. */
static uint32_t
first_due(const struct pace_merged *m, int64_t *next_ns)
{
	uint32_t first = 0;

	*next_ns = INT64_MAX;
	for (uint32_t i = 1; i < m->n; i++) {
		if (m->due_ns[i] < m->due_ns[first]) {
			*next_ns = m->due_ns[first];
			first = i;
		} else if (m->due_ns[i] < *next_ns) {
			*next_ns = m->due_ns[i];
		}
	}
	return first;
}

/* Stream i moved its schedule by moved_ns, to now.  The others that are overdue as well move with it:
 * the streams keep their distances. */
static void
move_others(struct pace_merged *m, uint32_t i, int64_t moved_ns)
{
	int64_t now_ns = m->due_ns[i] + moved_ns;

	for (uint32_t k = 0; k < m->n; k++) {
		if (k == i || m->due_ns[k] >= now_ns)
			continue;
		m->due_ns[k] += moved_ns;
		pace_sending_resume(m->run[k], m->due_ns[k]);
	}
}

int
pace_merged_step(struct pace_merged *m, int64_t until_ns, uint32_t *stream)
{
	int64_t next_ns, shifted_ns;
	uint32_t i = *stream = first_due(m, &next_ns);
	int rc;

	if (m->due_ns[i] >= until_ns)
		return -ENOENT;
	shifted_ns = pace_sending_shifted(m->run[i]);
	rc = pace_sending_step(m->run[i], next_ns < until_ns ? next_ns + 1 : until_ns);
	shifted_ns = pace_sending_shifted(m->run[i]) - shifted_ns;
	if (shifted_ns > 0)
		move_others(m, i, shifted_ns);
	m->due_ns[i] = rc > 0 ? pace_sending_due(m->run[i]) : INT64_MAX;
	return rc;
}

int64_t
pace_merged_due(const struct pace_merged *m)
{
	int64_t next_ns;

	return m->due_ns[first_due(m, &next_ns)];
}

int64_t
pace_merged_reads(const struct pace_merged *m, int64_t now_ns)
{
	int64_t next_ns;
	uint32_t i = first_due(m, &next_ns);

	return m->due_ns[i] != INT64_MAX ? pace_sending_reads(m->run[i], now_ns) : INT64_MAX;
}

void
pace_merged_share(struct pace_tx *to, const struct pace_tx *first)
{
	to->stalls = first->stalls;
	to->causes = first->causes;
	to->preempted = first->preempted;
	to->steal_ns = first->steal_ns;
}
