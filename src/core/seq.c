/*
 * How it works.  Numbers base .. next-1 have a slot each, number mod window:
 * a bit that says whether it came, one that says whether it came again, and
 * who jumped over it (arrival index and time).  The earliest arrival with a
 * larger number than a late one is always the arrival that made the hole it
 * falls into, so extent and late time are two look-ups.
 *
 * A number that leaves the window is final and drives the loss periods, in
 * sequence order.  A hole reaching further back than the new window never
 * gets slots: it is one run of losses.
 */
#include "core/seq.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

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
	if (s->run > 0)
		pace_hist_add(&s->runs, frames(s->run));
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
	if (s->any_lost) {
		pace_hist_add(&s->good_runs, frames(s->good_run));
		pace_hist_add(&s->distances, frames(first - s->last_lost));
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
	pace_hist_add_n(&s->distances, 1, inside);
	s->lost += n;
	s->run += n;
	s->last_lost = first + n - 1;
}

/* Numbers of the window that share the fate of q, within one word. */
static uint64_t
same_fate(const struct pace_seq *s, uint64_t q, bool *came)
{
	uint64_t word = s->bitmap[(q & s->mask) / 64] >> (q % 64);
	uint64_t others, n = 64 - q % 64;

	*came = word & 1;
	others = *came ? ~word : word;
	if (others != 0 && (uint64_t)__builtin_ctzll(others) < n)
		n = (uint64_t)__builtin_ctzll(others);
	return n;
}

/* Everything below end is final. */
static void
finalise_below(struct pace_seq *s, uint64_t end)
{
	uint64_t stop = end < s->next ? end : s->next;

	while (s->base < stop) {
		bool came;
		uint64_t n = same_fate(s, s->base, &came);

		if (n > stop - s->base)
			n = stop - s->base;
		if (came)
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

/* Open the slots that seq jumped over. */
static void
open_hole(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	uint64_t q = s->next > s->base ? s->next : s->base;

	for (; q < seq; q++) {
		uint64_t slot = q & s->mask, bit = UINT64_C(1) << (q % 64);

		s->bitmap[slot / 64] &= ~bit;
		s->again[slot / 64] &= ~bit;
		s->jump_index[slot] = s->index;
		s->jump_ns[slot] = now_ns;
	}
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
	s->free_runs++;
	s->free_sum += s->free_run;
	s->free_sumsq += s->free_run * s->free_run;
	s->free_run = 0;
}

static enum pace_seq_kind
add_late(struct pace_seq *s, uint64_t seq, int64_t now_ns)
{
	uint64_t slot = seq & s->mask, bit = UINT64_C(1) << (seq % 64);
	uint64_t late_ns;

	if (s->bitmap[slot / 64] & bit)
		return add_copy(s, slot / 64, bit);
	s->bitmap[slot / 64] |= bit;
	late_ns = (uint64_t)now_ns - (uint64_t)s->jump_ns[slot];
	pace_hist_add(&s->late_ns, (int64_t)late_ns);
	pace_hist_add(&s->extent, frames(s->index - s->jump_index[slot]));
	s->degree[degree_of(s, seq)]++;
	end_free_run(s);
	s->reordered++;
	count_unique(s, seq);
	return PACE_SEQ_REORDERED;
}

size_t
pace_seq_memory(uint32_t window)
{
	if (!window_ok(window))
		return 0;
	return (2 * (size_t)window / 64 + 2 * (size_t)window +
	    PACE_SEQ_DEGREES) * sizeof(uint64_t);
}

int
pace_seq_init(struct pace_seq *s, uint32_t window, uint64_t limit, void *mem)
{
	uint64_t *p = mem;

	if (!window_ok(window))
		return -EINVAL;
	/* All of it, so that no page is touched first by a frame. */
	memset(mem, 0, pace_seq_memory(window));
	memset(s, 0, sizeof(*s));
	s->window = window;
	s->mask = window - 1;
	s->limit = limit;
	s->bitmap = p;
	s->again = s->bitmap + window / 64;
	s->jump_index = s->again + window / 64;
	s->ring = s->jump_index + window;
	s->jump_ns = (int64_t *)(s->ring + PACE_SEQ_DEGREES);
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
