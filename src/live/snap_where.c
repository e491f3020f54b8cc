/* Finds where frames of a session were lost, as far as the reports show it. */
#include "config.h"

#include "core/arith.h"
#include "live/snap.h"

#include <stdio.h>

#include "core/units.h"
#include "out/glyph.h"

#define PIECE_FRAMES	64	/* the kernel's maximum in one piece of a train */
#define PIECE_BYTES	65507

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* --- a session ------------------------------------------------------------- */

/* The socket's drops may be duplicates or requests, so the lower bound is 0. */
struct pace_bounds
pace_count_socket(const struct pace_tally *n)
{
	uint64_t lost = pace_tally_lost(n), high = n->socket_lost_max > n->socket_lost_likely ?
	    n->socket_lost_max :
	    n->socket_lost_likely;

	return (struct pace_bounds){ 0, pace_least(high, lost),
	    pace_least(n->socket_lost_likely, lost) };
}

struct pace_bounds
pace_count_elsewhere(const struct pace_tally *n)
{
	struct pace_bounds b = pace_count_socket(n);

	return (struct pace_bounds){ pace_tally_lost(n) - b.high, pace_tally_lost(n) - b.low,
	    pace_tally_lost(n) - b.n };
}

/* --- its host --------------------------------------------------------------- */

/* Most frames that a counter of the host may count as one. */
static uint64_t
piece_of(const struct pace_run_stats *r)
{
	uint64_t most = r->size_bytes > 0 ? PIECE_BYTES / r->size_bytes : 1;

	if (r->train <= 1)
		return 1;
	return most > PIECE_FRAMES ? PIECE_FRAMES : most > 0 ? most : 1;
}

uint64_t
pace_host_risen(const struct pace_host_status *now, const struct pace_host_status *then,
    enum pace_host_counter c)
{
	return pace_host_counters_has(&now->sums, c) && pace_host_counters_has(&then->sums, c) ?
	    pace_less(now->sums.n[c], then->sums.n[c]) : 0;
}

/*
 * The host's counters may be read later than the loss they belong to, so the lower bound
 * uses only the loss up to the sample before the last one.  Loss before the first sample
 * may already be in that sample.
 */
static struct pace_bounds
rest_of(const struct pace_snap_session *v, const struct pace_tally *base, uint64_t before_first,
    const struct pace_loss_locations *p)
{
	struct pace_tally settled = pace_tally_since(&v->settled, base);
	uint64_t theirs = sum(before_first, times(sum(p->nic, p->ip), piece_of(&v->now.run)));
	uint64_t low = pace_least(pace_less(pace_count_elsewhere(&settled).low, theirs),
	    p->before.high);
	uint64_t n = pace_less(p->before.n, theirs);

	return (struct pace_bounds){ low, p->before.high, n > low ? n : low };
}

void
pace_snap_places(const struct pace_snap *s, const struct pace_snap_session *v, bool whole,
    struct pace_loss_locations *p)
{
	static const struct pace_tally none;
	bool anew = s->reset_ns != 0 && !whole;
	const struct pace_tally *base = anew ? &v->base : &none;
	const struct pace_host_status *then = anew ? &s->host_first : &s->host_begin;
	struct pace_tally n = pace_tally_since(&v->now.all, base);

	*p = (struct pace_loss_locations){ .lost = pace_tally_lost(&n), .socket = pace_count_socket(&n),
	    .before = pace_count_elsewhere(&n), .pieces = v->now.run.train > 1,
	    .host = s->host.known };
	if (!p->host)
		return;
	p->nic = sum(pace_host_risen(&s->host, then, PACE_SUM_NIC_LOST),
	    pace_host_risen(&s->host, then, PACE_SUM_BACKLOG_LOST));
	p->ip = pace_host_risen(&s->host, then, PACE_SUM_UNDELIVERED);
	p->network = rest_of(v, base, anew ? 0 : pace_count_elsewhere(&v->unseen).high, p);
	/* the host counts all traffic: at most the lost frames can belong to this session */
	p->nic = pace_least(p->nic, p->before.high);
	p->ip = pace_least(p->ip, p->before.high);
}

/* --- words ------------------------------------------------------------------ */

const char *
pace_bounds_text(const struct pace_bounds *b, int cells, char buf[PACE_BOUNDS_SIZE])
{
	char low[28], high[28], n[28];	/* 20 digits with separators */

	pace_print(PACE_UNIT_COUNT, (double)b->low, low, sizeof(low));
	pace_print(PACE_UNIT_COUNT, (double)b->high, high, sizeof(high));
	if (b->low == b->high) {
		snprintf(buf, PACE_BOUNDS_SIZE, "%s", high);
		return buf;
	}
	pace_print(PACE_UNIT_COUNT, (double)b->n, n, sizeof(n));
	snprintf(buf, PACE_BOUNDS_SIZE, "~%s (%s to %s)", n, low, high);
	if (pace_text_cells(buf) > cells)
		snprintf(buf, PACE_BOUNDS_SIZE, "~%s", n);
	return buf;
}
