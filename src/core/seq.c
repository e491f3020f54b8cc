/*
 * How it works.  Numbers base .. next-1 have a slot each, number mod window:
 * a bit that says whether it came, and one that says whether it came again.
 * Each hole keeps the arrival that made it (number, arrival index and time).
 * The earliest arrival with a larger number than a late one is always the
 * arrival that made the hole it falls into, so extent and late time are one
 * search.  Between the ends of two holes lies at least one number, so a window
 * has at most window / 2 holes.
 *
 * A number that leaves the window is final and drives the loss periods, in
 * sequence order.  A hole reaching further back than the new window never
 * gets slots: it is one run of losses.
 */
#include "core/seq.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "core/sparse.h"

#define WINDOW_MIN	64	/* one word of the bitmaps */
#define WINDOW_MAX	(UINT32_C(1) << 20)

/* A count for a histogram; more than INT64_MAX frames is only ever a lie. */
static int64_t
frames(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static bool
window_ok(uint32_t window)
{
	return window >= WINDOW_MIN && window <= WINDOW_MAX &&
	    (window & (window - 1)) == 0;
}

/* First number of the window when next is the one expected. */
static uint64_t
base_for(const struct pace_seq *s, uint64_t next)
{
	return next > s->window ? next - s->window : 0;
}

static void
end_loss_period(struct pace_seq *s)
{
	if (s->run > 0 && s->figures != NULL)
		pace_hist_add(&s->figures->runs, frames(s->run));
	s->run = 0;
}

/* n numbers in a row came. */
static void
finalise_received(struct pace_seq *s, uint64_t n)
{
	if (s->run > 0)
		end_loss_period(s);
	s->good_run += n;
}

static void
begin_loss_period(struct pace_seq *s, uint64_t first)
{
	if (s->any_lost && s->figures != NULL) {
		pace_hist_add(&s->figures->loss_free_runs, frames(s->good_run));
		pace_hist_add(&s->figures->loss_distances, frames(first - s->last_lost));
	}
	s->any_lost = 1;
	s->good_run = 0;
}

/* n numbers in a row from first on, n > 0, did not come. */
static void
finalise_lost(struct pace_seq *s, uint64_t first, uint64_t n)
{
	uint64_t inside = n;		/* losses with a loss just before */

	if (s->run == 0) {
		begin_loss_period(s, first);
		inside--;
	}
	if (s->figures != NULL)
		pace_hist_add_n(&s->figures->loss_distances, 1, inside);
	s->lost += n;
	s->run += n;
	s->last_lost = first + n - 1;
}

static uint64_t
bits_from(const struct pace_seq *s, uint64_t q)
{
	return s->bitmap[(q & s->mask) / 64] >> (q % 64);
}

/* In a row, from the lowest bit on. */
static uint64_t
ones(uint64_t bits)
{
	return bits == UINT64_MAX ? 64 : (uint64_t)__builtin_ctzll(~bits);
}

/* Numbers in a row from the base on, below stop, that did not come. */
static uint64_t
missing_at_base(const struct pace_seq *s, uint64_t stop)
{
	uint64_t q = s->base, bits = bits_from(s, q);

	while (bits == 0 && q < stop) {
		q += 64 - q % 64;
		bits = bits_from(s, q);
	}
	return q + (bits != 0 ? (uint64_t)__builtin_ctzll(bits) : 0) - s->base;
}

/* Everything below end is final. */
static void
finalise_below(struct pace_seq *s, uint64_t end)
{
	uint64_t stop = end < s->next ? end : s->next, n, bits;

	while (s->base < stop) {
		bits = bits_from(s, s->base);
		n = bits & 1 ? ones(bits) : missing_at_base(s, stop);
		if (n > stop - s->base)
			n = stop - s->base;
		if (bits & 1)
			finalise_received(s, n);
		else
			finalise_lost(s, s->base, n);
		s->base += n;
	}
	if (s->base < end) {
		finalise_lost(s, s->base, end - s->base);
		s->base = end;
	}
}

/* The bits of numbers q .. end-1, whole words at once. */
static void
clear_bits(const struct pace_seq *s, uint64_t *bitmap, uint64_t q, uint64_t end)
{
	uint64_t at, n;

	for (; q < end && q % 64 != 0; q++)
		bitmap[(q & s->mask) / 64] &= ~(UINT64_C(1) << (q % 64));
	for (; end - q >= 64; q += n) {
		at = q & s->mask;
		n = (end - q < s->window - at ? end - q : s->window - at) & ~UINT64_C(63);
		memset(bitmap + at / 64, 0, n / 8);
	}
	for (; q < end; q++)
		bitmap[(q & s->mask) / 64] &= ~(UINT64_C(1) << (q % 64));
}

/* The numbers that seq jumped over get their slots. */
static void
open_hole(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	uint64_t q = s->next > s->base ? s->next : s->base;

	clear_bits(s, s->bitmap, q, seq);
	clear_bits(s, s->again, q, seq);
	s->holes[s->holes_met++ & s->mask / 2] = (struct pace_seq_hole){ seq, s->index, now_ns };
}

static const struct pace_seq_hole *
hole_at(const struct pace_seq *s, uint64_t i)
{
	return &s->holes[i & s->mask / 2];
}

/* The hole that a number of the window is missing in: the first that ends above it, most
 * often one of the newest. */
static const struct pace_seq_hole *
hole_of(const struct pace_seq *s, uint64_t seq)
{
	uint64_t high = s->holes_met - 1, step = 1, low;
	uint64_t oldest = high > s->mask / 2 ? high - s->mask / 2 : 0;

	for (; high - oldest >= step && hole_at(s, high - step)->end > seq; step *= 2)
		high -= step;
	low = high - oldest >= step ? high - step + 1 : oldest;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (hole_at(s, mid)->end > seq)
			high = mid;
		else
			low = mid + 1;
	}
	return hole_at(s, low);
}

static void
count_unique(struct pace_seq *s, uint64_t seq)
{
	s->ring[s->index % PACE_SEQ_DEGREES] = seq;
	s->index++;
	s->unique++;
}

static enum pace_seq_kind
add_in_order(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	uint64_t word = (seq & s->mask) / 64, bit = UINT64_C(1) << (seq % 64);

	if (seq - s->base >= s->window)
		finalise_below(s, base_for(s, seq + 1));
	if (seq > s->next)
		open_hole(s, seq, now_ns);
	s->bitmap[word] |= bit;
	s->again[word] &= ~bit;
	s->next = seq + 1;
	s->in_order++;
	s->free_run++;
	count_unique(s, seq);
	return PACE_SEQ_IN_ORDER;
}

static enum pace_seq_kind
add_copy(struct pace_seq *s, uint64_t word, uint64_t bit)
{
	s->duplicates++;
	if ((s->again[word] & bit) == 0)
		s->replicated++;
	s->again[word] |= bit;
	return PACE_SEQ_DUPLICATE;
}

/* Larger numbers without a break just before this arrival. */
static unsigned
degree_of(const struct pace_seq *s, uint64_t seq)
{
	unsigned n = 0;

	while (n < PACE_SEQ_DEGREES && n < s->index &&
	    s->ring[(s->index - 1 - n) % PACE_SEQ_DEGREES] > seq)
		n++;
	return n;
}

static void
end_free_run(struct pace_seq *s)
{
	s->reordering_free_runs++;
	s->free_sum += s->free_run;
	s->free_sumsq += s->free_run * s->free_run;
	s->free_run = 0;
}

static enum pace_seq_kind
add_late(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	uint64_t word = (seq & s->mask) / 64, bit = UINT64_C(1) << (seq % 64);
	const struct pace_seq_hole *hole;

	if (s->bitmap[word] & bit)
		return add_copy(s, word, bit);
	s->bitmap[word] |= bit;
	hole = hole_of(s, seq);
	if (s->figures != NULL) {
		pace_hist_add(&s->figures->late_ns,
		    (int64_t)((uint64_t)now_ns - (uint64_t)hole->at_ns));
		pace_hist_add(&s->figures->extent, frames(s->index - hole->index));
	}
	s->degree[degree_of(s, seq)]++;
	end_free_run(s);
	s->reordered++;
	count_unique(s, seq);
	return PACE_SEQ_REORDERED;
}

size_t
pace_seq_lean_memory(uint32_t window)
{
	if (!window_ok(window))
		return 0;
	return (2 * (size_t)window / 64 + PACE_SEQ_DEGREES) * sizeof(uint64_t) +
	    (size_t)window / 2 * sizeof(struct pace_seq_hole);
}

uint32_t
pace_seq_window(uint32_t streams)
{
	uint32_t window = PACE_SEQ_WINDOW;

	while (streams > 1 && window > PACE_SEQ_WINDOW_LEAST && window > PACE_SEQ_WINDOW / streams)
		window /= 2;
	return window;
}

size_t
pace_seq_memory(uint32_t window)
{
	size_t lean = pace_seq_lean_memory(window);

	return lean > 0 ? lean + sizeof(struct pace_seq_figures) : 0;
}

int
pace_seq_init_lean(struct pace_seq *s, uint32_t window, uint64_t limit, void *mem)
{
	uint64_t *p = mem;

	if (!window_ok(window))
		return -EINVAL;
	/* All of it, so that no page is touched first by a frame. */
	memset(mem, 0, pace_seq_lean_memory(window));
	memset(s, 0, sizeof(*s));
	s->window = window;
	s->mask = window - 1;
	s->limit = limit;
	s->bitmap = p;
	s->again = s->bitmap + window / 64;
	s->ring = s->again + window / 64;
	s->holes = (struct pace_seq_hole *)(s->ring + PACE_SEQ_DEGREES);
	return 0;
}

int
pace_seq_init(struct pace_seq *s, uint32_t window, uint64_t limit, void *mem)
{
	int rc = pace_seq_init_lean(s, window, limit, mem);

	if (rc < 0)
		return rc;
	s->figures = (struct pace_seq_figures *)(s->holes + window / 2);
	pace_sparse_zero(s->figures, sizeof(*s->figures));
	return 0;
}

enum pace_seq_kind
pace_seq_add(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	if (seq >= s->limit) {
		s->refused++;
		return PACE_SEQ_REFUSED;
	}
	if (seq >= s->next)
		return add_in_order(s, seq, now_ns);
	if (seq < s->base) {
		s->beyond++;
		return PACE_SEQ_BEYOND;
	}
	return add_late(s, seq, now_ns);
}

int
pace_seq_finish(struct pace_seq *s, uint64_t sent)
{
	int rc = sent < s->next ? -EPROTO : 0;

	if (sent < s->next)
		sent = s->next;
	finalise_below(s, sent);
	s->next = sent;
	end_loss_period(s);
	return rc;
}
