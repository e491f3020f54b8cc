#include "doc/tcp.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pace_tcp_point *
pace_tcp_point_new(void)
{
	return calloc(1, sizeof(struct pace_tcp_point));
}

void
pace_tcp_side_free(struct pace_tcp_side *s, uint32_t streams)
{
	for (int down = 0; down < 2; down++) {
		for (uint32_t i = 0; s->end[down] != NULL && i < streams; i++)
			free(s->end[down][i].row);
		free(s->end[down]);
	}
	memset(s, 0, sizeof(*s));
}

void
pace_tcp_point_free(struct pace_tcp_point *p)
{
	if (p == NULL)
		return;
	pace_tcp_side_free(&p->ours, p->ask.streams);
	pace_tcp_side_free(&p->theirs, p->ask.streams);
	pace_counters_free(&p->client);
	pace_counters_free(&p->responder);
	free(p);
}

int
pace_tcp_side_room(struct pace_tcp_side *s, bool down, uint32_t streams)
{
	s->end[down] = calloc(streams, sizeof(*s->end[down]));
	return s->end[down] != NULL ? 0 : -ENOMEM;
}

static int
copy_rows(struct pace_tcp_end *to, const struct pace_tcp_end *from)
{
	*to = *from;
	to->row = NULL;
	if (from->rows == 0)
		return 0;
	to->row = malloc(from->rows * sizeof(*to->row));
	if (to->row == NULL)
		return -ENOMEM;
	memcpy(to->row, from->row, from->rows * sizeof(*to->row));
	return 0;
}

int
pace_tcp_side_copy(struct pace_tcp_side *to, const struct pace_tcp_side *from, uint32_t streams)
{
	int rc = 0;

	*to = *from;
	to->end[0] = to->end[1] = NULL;
	for (int down = 0; down < 2 && rc == 0; down++) {
		if (from->end[down] == NULL)
			continue;
		rc = pace_tcp_side_room(to, down != 0, streams);
		for (uint32_t i = 0; rc == 0 && i < streams; i++)
			rc = copy_rows(&to->end[down][i], &from->end[down][i]);
	}
	return rc;
}

const struct pace_tcp_side *
pace_tcp_sender(const struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_side *s = down ? &p->theirs : &p->ours;

	return s->end[down] != NULL ? s : NULL;
}

const struct pace_tcp_side *
pace_tcp_receiver(const struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_side *s = down ? &p->ours : &p->theirs;

	return s->end[down] != NULL ? s : NULL;
}

static double
rate_of(uint64_t bytes, int64_t ns)
{
	return bytes > 0 && ns > 0 ? 8e9 * (double)bytes / (double)ns : NAN;
}

double
pace_tcp_goodput(const struct pace_tcp_end *e)
{
	return rate_of(e->bytes, e->last_ns - e->first_ns);
}

/* --- figures of a direction ------------------------------------------------------------- */

static void
add_receiver(struct pace_tcp_sums *s, const struct pace_tcp_side *side, bool down, uint32_t streams)
{
	int64_t first_ns = INT64_MAX, last_ns = 0;
	double goodput;

	for (uint32_t i = 0; i < streams; i++) {
		const struct pace_tcp_end *e = &side->end[down][i];

		s->received_bytes += e->bytes;
		if (e->bytes == 0)
			continue;
		first_ns = e->first_ns < first_ns ? e->first_ns : first_ns;
		last_ns = e->last_ns > last_ns ? e->last_ns : last_ns;
	}
	s->duration_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	goodput = rate_of(s->received_bytes, s->duration_ns);
	s->goodput_bps = isnan(goodput) ? 0 : goodput;
}

/* The mean round trip of a sender over its intervals, or the last one. */
static void
add_round_trips(const struct pace_tcp_end *e, double *sum, uint64_t *n, int64_t *least_ns)
{
	for (uint32_t k = 0; k < e->rows; k++)
		if (e->row[k].info.rtt_ns > 0) {
			*sum += (double)e->row[k].info.rtt_ns;
			++*n;
		}
	if (e->info.rtt_min_ns > 0 && (*least_ns == 0 || e->info.rtt_min_ns < *least_ns))
		*least_ns = e->info.rtt_min_ns;
}

static void
add_sender(struct pace_tcp_way *w, const struct pace_tcp_side *side, bool down, uint32_t streams)
{
	struct pace_tcp_sums *s = &w->sums;
	double sum = 0;
	uint64_t n = 0;

	for (uint32_t i = 0; i < streams; i++) {
		const struct pace_tcp_end *e = &side->end[down][i];

		w->acknowledged_bytes += e->bytes;
		s->retransmits += e->info.retransmits;
		s->dsack_duplicates += e->info.dsack_duplicates;
		s->retransmitted_bytes += e->info.retransmitted_bytes;
		s->busy_ns += e->info.busy_ns;
		s->window_limited_ns += e->info.window_limited_ns;
		s->buffer_limited_ns += e->info.buffer_limited_ns;
		add_round_trips(e, &sum, &n, &s->rtt_min_ns);
	}
	s->rtt_ns = n > 0 ? (int64_t)(sum / (double)n) : 0;
}

/* Return the largest share that the kernel took of a core.  Time of other programs does not count:
 * those at low priority give way. */
static double
busiest(const struct pace_counters *c)
{
	double most = NAN;

	for (uint32_t i = 0; c->known && c->has_cpu && i < c->cores; i++) {
		const uint64_t *ns = c->core[i].ns;
		uint64_t all = 0, busy = ns[PACE_CPU_SYSTEM] + ns[PACE_CPU_IRQ] +
		    ns[PACE_CPU_SOFTIRQ];

		for (int k = 0; k < PACE_CPUS; k++)
			all += ns[k];
		if (all > 0)
			most = fmax(most, (double)busy / (double)all);
	}
	return most;
}

static double
core_share(const struct pace_tcp_side *s)
{
	/* the kernel counts in ticks, which may be longer than a short run */
	return s->duration_ns > 0 ? fmin((double)s->cpu_ns / (double)s->duration_ns, 1) : 0;
}

static void
close_way(struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_side *tx = pace_tcp_sender(p, down), *rx = pace_tcp_receiver(p, down);
	struct pace_tcp_way *w = &p->way[down];

	*w = (struct pace_tcp_way){ .known = rx != NULL };
	w->sums.sender_core = w->sums.receiver_core = NAN;
	w->sums.asked_bps = (double)p->ask.rate_bps * p->ask.streams;
	if (tx != NULL)
		add_sender(w, tx, down, p->ask.streams);
	if (rx != NULL)
		add_receiver(&w->sums, rx, down, p->ask.streams);
	if (tx == NULL || rx == NULL)
		return;
	w->sums.sender_cpu = core_share(tx);
	w->sums.receiver_cpu = core_share(rx);
	w->sums.sender_core = busiest(down ? &p->responder : &p->client);
	w->sums.receiver_core = busiest(down ? &p->client : &p->responder);
	w->limit = pace_tcp_limit_of(&w->sums);
}

bool
pace_tcp_agrees(const struct pace_tcp_point *p)
{
	for (uint32_t i = 0; i < p->ask.streams; i++) {
		if (p->ask.up && p->theirs.end[0][i].bytes > p->ours.end[0][i].written)
			return false;
		if (p->ask.down && p->ours.end[1][i].bytes > p->theirs.end[1][i].written)
			return false;
	}
	return true;
}

double
pace_tcp_needs(const struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_way *w = &p->way[down];

	return w->udp_bps > 0 && w->sums.rtt_min_ns > 0 ? w->udp_bps / 8e9 *
	    (double)w->sums.rtt_min_ns / p->ask.streams : NAN;
}

/* Note the connections of one side that failed. */
static void
note_failures(struct pace_tcp_point *p, const struct pace_tcp_side *s, const char *whose)
{
	uint32_t n = 0;
	int code = 0;

	for (int down = 0; down < 2; down++)
		for (uint32_t i = 0; s->end[down] != NULL && i < p->ask.streams; i++) {
			n += s->end[down][i].failed != 0;
			code = code != 0 ? code : s->end[down][i].failed;
		}
	if (n > 0)
		pace_note(&p->notes, "connections_failed", "%u of %u connections failed at the "
		    "%s's end: %s", n, pace_tcp_connections(&p->ask), whose, strerror(code));
}

void
pace_tcp_close(struct pace_tcp_point *p)
{
	if (p->ask.up)
		close_way(p, false);
	if (p->ask.down)
		close_way(p, true);
	note_failures(p, &p->ours, "client");
	if (p->has_theirs)
		note_failures(p, &p->theirs, "responder");
}
