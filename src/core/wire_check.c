#include "core/wire_check.h"

#include <string.h>

#include "core/sparse.h"

#define ABSURD_NS	(INT64_C(1) << 55)	/* a year */
#define APART_SHARE	0.1
#define FAR_SHARE	0.01
#define FAR_FEW		10

void
pace_wire_check_reset(struct pace_wire_check *w)
{
	pace_sparse_zero(w, sizeof(*w));
}

void
pace_wire_check_begin(struct pace_wire_checking *g, uint32_t streams, uint64_t limit, uint64_t train,
    uint64_t burst, void *mem)
{
	pace_wire_check_reset(&g->w);
	(void)pace_seq_init_lean(&g->seq, pace_seq_window(streams), limit, mem);
	g->train = train;
	g->untimed = false;
	g->burst = burst;
	g->next = 0;
	g->has_slot = false;
	g->slot_tx_ns = g->slot_wire_ns = 0;
	g->last_burst = 0;
	g->last_ns = 0;
	g->times = NULL;
	g->room = 0;
}

/* a - b.  Times that are absurd must neither overflow nor be more than a document holds. */
static int64_t
less(int64_t a, int64_t b)
{
	int64_t d;

	if (__builtin_sub_overflow(a, b, &d))
		d = a < b ? -ABSURD_NS : ABSURD_NS;
	return d < -ABSURD_NS ? -ABSURD_NS : d > ABSURD_NS ? ABSURD_NS : d;
}

static bool
differs(int64_t difference)
{
	return difference > PACE_WIRE_CHECK_NS || difference < -PACE_WIRE_CHECK_NS;
}

static void
add_gap(struct pace_wire_checking *g, int64_t tx_ns, int64_t wire_ns)
{
	int64_t gap = less(wire_ns, g->slot_wire_ns);
	int64_t difference = less(gap, less(tx_ns, g->slot_tx_ns));

	pace_hist_add(&g->w.gap, gap);
	if (g->untimed)
		return;
	pace_hist_add(&g->w.gap_difference, difference);
	g->w.gaps_differing += differs(difference);
}

/* One that went on from the last one.  All of a train have the time of its first. */
static void
follow(struct pace_wire_checking *g, uint64_t seq, int64_t tx_ns, int64_t wire_ns)
{
	uint64_t at = g->burst > 0 ? seq % g->burst : seq;	/* a burst begins with a train */
	bool hole = seq != g->next;

	if (!hole && seq > 0 && (g->untimed ? at % g->train != 0 : tx_ns == g->slot_tx_ns))
		return;
	if (!hole && g->has_slot && (g->burst == 0 || seq % g->burst != 0))
		add_gap(g, tx_ns, wire_ns);
	/* behind a hole the first of a train may be in the hole */
	g->has_slot = !hole || g->train == 1;
	g->slot_tx_ns = tx_ns;
	g->slot_wire_ns = wire_ns;
}

void
pace_wire_check_add(struct pace_wire_checking *g, uint64_t seq, uint64_t n, int64_t tx_ns,
    int64_t wire_ns)
{
	uint64_t before = g->seq.unique;

	if (seq >= g->seq.limit || n > g->seq.limit - seq)
		return;
	for (uint64_t i = 0; i < n; i++)
		(void)pace_seq_add(&g->seq, seq + i, wire_ns);
	g->w.packets++;
	g->w.frames = g->seq.unique;
	g->w.copies = g->seq.duplicates + g->seq.beyond;
	if (g->seq.unique == before || seq < g->next)
		return;			/* a copy, or overtaken: no departure of its own */
	follow(g, seq, tx_ns, wire_ns);
	g->next = seq + n;
}

/* --- arrivals ------------------------------------------------------------------------- */

void
pace_wire_check_times(struct pace_wire_checking *g, int64_t *times, uint64_t room)
{
	g->times = times;
	g->room = room;
}

/* A unique one, as the receiver takes it: of a train its first one ends a gap. */
static void
add_arrival(struct pace_wire_checking *g, uint64_t seq, int64_t tx_ns, int64_t wire_ns)
{
	uint64_t burst = g->burst > 0 ? seq / g->burst : 0;
	bool first = !g->has_slot;

	if (seq < g->room)
		g->times[seq] = wire_ns;
	if (g->train > 1 && !first && tx_ns <= g->slot_tx_ns)
		return;
	if (!first && burst == g->last_burst)
		pace_hist_add(&g->w.gap, less(wire_ns, g->last_ns));
	g->has_slot = true;
	g->last_burst = burst;
	g->slot_tx_ns = tx_ns;
	g->last_ns = wire_ns;
}

void
pace_wire_check_arrive(struct pace_wire_checking *g, uint64_t seq, uint64_t n, int64_t tx_ns,
    int64_t wire_ns)
{
	enum pace_seq_kind kind;

	if (seq >= g->seq.limit || n > g->seq.limit - seq)
		return;
	for (uint64_t i = 0; i < n; i++) {
		kind = pace_seq_add(&g->seq, seq + i, wire_ns);
		if (kind == PACE_SEQ_IN_ORDER || kind == PACE_SEQ_REORDERED)
			add_arrival(g, seq + i, tx_ns, wire_ns);
	}
	g->w.packets++;
	g->w.frames = g->seq.unique;
	g->w.copies = g->seq.duplicates + g->seq.beyond;
}

void
pace_wire_check_compare(struct pace_wire_checking *g, const int64_t *stamps, uint64_t n)
{
	const int64_t *wire = g->times;
	int64_t difference;

	n = n < g->room ? n : g->room;
	for (uint64_t i = 1; i < n; i++) {
		if (wire[i] == 0 || wire[i - 1] == 0 || stamps[i] == 0 || stamps[i - 1] == 0 ||
		    (g->burst > 0 && i % g->burst == 0))
			continue;
		difference = less(less(wire[i], wire[i - 1]), less(stamps[i], stamps[i - 1]));
		pace_hist_add(&g->w.gap_difference, difference);
		g->w.gaps_differing += differs(difference);
	}
}

void
pace_wire_check_merge(struct pace_wire_check *to, const struct pace_wire_check *w)
{
	to->frames += w->frames;
	to->copies += w->copies;
	to->packets += w->packets;
	to->gaps_differing += w->gaps_differing;
	to->complete &= w->complete;
	to->has_drops &= w->has_drops;
	to->dropped = w->dropped > to->dropped ? w->dropped : to->dropped;
	if (w->interface_dropped > to->interface_dropped)
		to->interface_dropped = w->interface_dropped;
	pace_hist_merge(&to->gap, &w->gap);
	pace_hist_merge(&to->gap_difference, &w->gap_difference);
}

bool
pace_wire_check_differs(const struct pace_wire_check *w)
{
	const double n = (double)w->gap_difference.stats.n;
	double far = 1 - pace_hist_share(&w->gap_difference, 0, PACE_WIRE_CHECK_FAR_NS);

	return n > 0 && ((double)w->gaps_differing > n * APART_SHARE ||
	    (far > FAR_SHARE && far * n >= FAR_FEW));
}
