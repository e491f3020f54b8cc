/* Print the intervals of a point: part of pace_text_point. */
#include <math.h>

#include "doc/intervals.h"
#include "out/block.h"
#include "out/table.h"

enum { SECONDS, RATE, FRAMES, PERCENT, TIME, UNITS };

static const struct pace_column columns[] = {
	{ "from", 9, SECONDS }, { "to", 9, SECONDS }, { "sent", 10, FRAMES },
	{ "lost", 8, FRAMES }, { "lost", 9, PERCENT }, { "recv", 8, RATE },
	{ "gap max", 9, TIME }, { "pdv p50", 9, TIME }, { "pdv max", 9, TIME },
};

static double
known(int64_t figure)
{
	return figure != PACE_NO_FIGURE ? (double)figure : NAN;
}

void
pace_block_intervals(const struct pace_block *b)
{
	const struct pace_intervals *v = b->p->intervals;
	const struct pace_scale units[UNITS] = { [SECONDS] = { "s", 1e9, 3 },
	    [RATE] = b->rate, [FRAMES] = { "frames", 1, PACE_IN_GROUPS },
	    [PERCENT] = { "%    ", 1, PACE_AS_PERCENT }, [TIME] = { "µs", 1e3, 1 } };
	const struct pace_row_table t = { columns, PACE_COUNT_OF(columns), units, 0 };

	if (v == NULL || !b->p->has_rx)
		return;
	pace_say(&b->s, "\n");
	pace_say_heads(&b->s, &t);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct pace_interval *o = &v->v[i];

		pace_say_cells(&b->s, &t, (const double []){ (double)o->from_ns,
		    (double)o->to_ns, (double)o->sent, (double)o->lost,
		    o->sent > 0 ? (double)o->lost / (double)o->sent : NAN,
		    o->rx.user_rate_bps > 0 ? o->rx.user_rate_bps : NAN,
		    known(o->rx.gap.max), known(o->rx.pdv.p50), known(o->rx.pdv.max) });
		pace_say(&b->s, "\n");
	}
	pace_say(&b->s, "  recv: rate of data; pdv: delay above the lowest one of the point\n");
}
