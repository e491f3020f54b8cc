/*
 * How it works.  An open heap is a sorted list of the parts that arrived, with holes between
 * them.  A piece is joined with the parts that it touches; the overlap counts as a copy.
 */
#include "cap/heaps.h"

#include <stddef.h>
#include <string.h>

#include "cap/sum.h"

#define FIELD_MAX	((UINT64_C(1) << 48) - 1)

void
pace_cap_heaps_init(struct pace_cap_heaps *h)
{
	memset(h, 0, sizeof(*h));
	pace_message_stats_reset(&h->stats);
}

/* --- the parts of a heap --------------------------------------------------------------- */

/* Take out n parts from at on. */
static void
remove_parts(struct pace_cap_heap *e, unsigned at, unsigned n)
{
	memmove(&e->part[at], &e->part[at + n], (e->parts - at - n) * sizeof(e->part[0]));
	e->parts -= n;
}

/* Add from..to; how many of its bytes were there already. */
static uint64_t
cover(struct pace_cap_heap *e, uint64_t from, uint64_t to)
{
	struct pace_cap_part all = { from, to };
	uint64_t twice = 0;
	unsigned first = 0, end;

	while (first < e->parts && e->part[first].to < from)
		first++;
	for (end = first; end < e->parts && e->part[end].from <= to; end++) {
		const struct pace_cap_part *p = &e->part[end];
		uint64_t low = p->from > from ? p->from : from, high = p->to < to ? p->to : to;

		twice += high - low;
		all.from = p->from < all.from ? p->from : all.from;
		all.to = p->to > all.to ? p->to : all.to;
	}
	remove_parts(e, first, end - first);
	memmove(&e->part[first + 1], &e->part[first], (e->parts - first) * sizeof(e->part[0]));
	e->part[first] = all;
	e->parts++;
	return twice;
}

/* Two neighbours become one; the bytes between them. */
static uint64_t
join_nearest(struct pace_cap_heap *e)
{
	uint64_t least = UINT64_MAX;
	unsigned at = 0;

	for (unsigned i = 0; i + 1 < e->parts; i++)
		if (e->part[i + 1].from - e->part[i].to < least) {
			least = e->part[i + 1].from - e->part[i].to;
			at = i;
		}
	e->part[at].to = e->part[at + 1].to;
	remove_parts(e, at + 1, 1);
	return least;
}

/* --- heaps that are open, and closed --------------------------------------------------------- */

/* At least 1 if a byte is missing. */
static uint64_t
missing_pieces(const struct pace_cap_heap *e)
{
	uint64_t missing = e->size - e->came, piece = e->largest > 0 ? e->largest : 1;

	return missing / piece + (missing % piece > 0);
}

static void
close_heap(struct pace_cap_heaps *h, unsigned i)
{
	struct pace_cap_heap *e = &h->open[i];
	bool complete = e->size != 0 && e->came == e->size;

	if (e->size == 0)
		h->size_unknown++;
	else
		pace_message_close(&h->stats, missing_pieces(e), e->first_ns, e->last_ns);
	if (complete)
		pace_cap_sum(&h->complete_bytes, e->size);
	else if (e->size != 0)
		pace_cap_sum(&h->missing_bytes, e->size - e->came);
	h->closed[h->closed_n % PACE_CAP_HEAPS_CLOSED].number = e->number;
	h->closed[h->closed_n % PACE_CAP_HEAPS_CLOSED].complete = complete;
	h->closed_n++;
	*e = h->open[--h->n];
	h->recent = 0;
}

static struct pace_cap_heap *
find_open(struct pace_cap_heaps *h, uint64_t number)
{
	if (h->recent < h->n && h->open[h->recent].number == number)
		return &h->open[h->recent];
	for (unsigned i = 0; i < h->n; i++)
		if (h->open[i].number == number) {
			h->recent = i;
			return &h->open[i];
		}
	return NULL;
}

/* Was it closed lately?  *complete: as what, the last time. */
static bool
was_closed(const struct pace_cap_heaps *h, uint64_t number, bool *complete)
{
	uint64_t n = h->closed_n < PACE_CAP_HEAPS_CLOSED ? h->closed_n : PACE_CAP_HEAPS_CLOSED;

	for (uint64_t i = 1; i <= n; i++) {
		unsigned at = (unsigned)((h->closed_n - i) % PACE_CAP_HEAPS_CLOSED);

		if (h->closed[at].number == number) {
			*complete = h->closed[at].complete;
			return true;
		}
	}
	return false;
}

static unsigned
oldest(const struct pace_cap_heaps *h)
{
	unsigned at = 0;

	for (unsigned i = 1; i < h->n; i++)
		if (h->open[i].order < h->open[at].order)
			at = i;
	return at;
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static struct pace_cap_heap *
open_heap(struct pace_cap_heaps *h, uint64_t number, int64_t now_ns)
{
	struct pace_cap_heap *e;

	if (h->n == PACE_CAP_HEAPS_OPEN)
		close_heap(h, oldest(h));
	if (h->heaps == 0)
		h->first = h->low = h->high = number;
	h->low = number < h->low ? number : h->low;
	h->high = number > h->high ? number : h->high;
	h->step = common_divisor(h->step, number > h->first ? number - h->first :
	    h->first - number);
	h->heaps++;
	h->recent = h->n++;
	e = &h->open[h->recent];
	memset(e, 0, offsetof(struct pace_cap_heap, part));
	e->number = number;
	e->order = h->heaps;
	e->first_ns = now_ns;
	return e;
}

/* --- pieces --- */

static bool
field_is_absurd(const struct pace_cap_mark *m)
{
	return m->heap_size > FIELD_MAX || m->heap_offset > FIELD_MAX || m->heap_bytes > FIELD_MAX;
}

/* Does the piece contradict the heap (NULL: a new one)? */
static bool
is_absurd(const struct pace_cap_heap *e, const struct pace_cap_mark *m)
{
	uint64_t end = m->heap_offset + m->heap_bytes, size = m->heap_size;

	if (e != NULL && e->size != 0 && size != 0 && size != e->size)
		return true;
	if (size == 0 && e != NULL)
		size = e->size;
	return size != 0 && (end > size || (e != NULL && e->end > size));
}

static void
add_piece(struct pace_cap_heaps *h, struct pace_cap_heap *e, const struct pace_cap_mark *m,
    int64_t now_ns)
{
	uint64_t end = m->heap_offset + m->heap_bytes, twice = 0;

	if (m->heap_size != 0)
		e->size = m->heap_size;
	e->end = end > e->end ? end : e->end;
	e->largest = m->heap_bytes > e->largest ? m->heap_bytes : e->largest;
	if (m->heap_bytes > 0)
		twice = cover(e, m->heap_offset, end);
	e->came += m->heap_bytes - twice;
	pace_cap_sum(&h->bytes, m->heap_bytes - twice);
	pace_cap_sum(&h->duplicate_bytes, twice);
	if (twice > 0 && twice == m->heap_bytes) {
		h->duplicates++;
	} else {
		h->used++;
		e->last_ns = now_ns;
	}
	if (e->parts > PACE_CAP_HEAPS_PARTS)
		pace_cap_sum(&h->unknown_bytes, join_nearest(e));
	if (e->size != 0 && e->came == e->size)
		close_heap(h, (unsigned)(e - h->open));
}

/* Count a piece of a closed heap; false: the heap is not among the last closed ones. */
static bool
add_behind_its_end(struct pace_cap_heaps *h, const struct pace_cap_mark *m)
{
	bool complete;

	if (!was_closed(h, m->heap, &complete))
		return false;
	if (complete) {
		h->duplicates++;
		pace_cap_sum(&h->duplicate_bytes, m->heap_bytes);
	} else {
		h->late++;
	}
	return true;
}

void
pace_cap_heaps_add(struct pace_cap_heaps *h, const struct pace_cap_mark *m, int64_t now_ns)
{
	struct pace_cap_heap *e;

	if (!m->has_heap)
		return;
	h->pieces++;
	e = field_is_absurd(m) ? NULL : find_open(h, m->heap);
	if (field_is_absurd(m) || is_absurd(e, m)) {
		h->absurd++;
		return;
	}
	if (e == NULL && add_behind_its_end(h, m))
		return;
	add_piece(h, e != NULL ? e : open_heap(h, m->heap, now_ns), m, now_ns);
}

void
pace_cap_heaps_finish(struct pace_cap_heaps *h)
{
	while (h->n > 0)
		close_heap(h, oldest(h));
	h->stats.lost = pace_cap_heaps_lost(h);
}

/* --- figures --- */

uint64_t
pace_cap_heaps_lost(const struct pace_cap_heaps *h)
{
	uint64_t span;

	if (h->heaps == 0 || h->step == 0)
		return 0;
	span = (h->high - h->low) / h->step;
	if (span / PACE_CAP_HEAPS_TRUST > h->heaps || span + 1 <= h->heaps)
		return 0;
	return span + 1 - h->heaps;
}

double
pace_cap_heaps_missing(const struct pace_cap_heaps *h)
{
	double piece, heap = 0;

	if (h->used == 0 || h->bytes == 0)
		return 0;
	piece = (double)h->bytes / (double)h->used;
	if (h->stats.complete > 0)
		heap = (double)h->complete_bytes / (double)h->stats.complete;
	else if (h->stats.incomplete > 0)
		heap = ((double)h->bytes + (double)h->missing_bytes) / (double)h->heaps;
	return ((double)h->missing_bytes + (double)pace_cap_heaps_lost(h) * heap) / piece;
}

double
pace_cap_heaps_datagram_loss(const struct pace_cap_heaps *h)
{
	double missing = pace_cap_heaps_missing(h);

	return missing > 0 ? missing / (missing + (double)h->used) : 0;
}
