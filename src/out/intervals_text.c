/* Print the intervals of a point: part of pace_text_point; and those of a run that goes on. */
#include <math.h>

#include "doc/intervals.h"
#include "out/block.h"
#include "out/table.h"
#include "out/text.h"

enum { SECONDS, RATE, FRAMES, PERCENT, TIME, WAY, UNITS };

static const struct pace_column columns[] = {
	{ "from", 9, SECONDS }, { "to", 9, SECONDS }, { "sent", 10, FRAMES },
	{ "lost", 8, FRAMES }, { "lost", 9, PERCENT }, { "recv", 8, RATE },
	{ "socket", 9, FRAMES }, { "gap max", 9, TIME }, { "pdv max", 9, TIME },
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
		    (double)o->socket_lost, known(o->rx.gap.max), known(o->rx.pdv.max) });
		pace_say(&b->s, "\n");
	}
	pace_say(&b->s, "  recv: rate of data; socket: lost there, all others before it; pdv: delay "
	    "above the\n  lowest one of the point\n");
}

static const struct pace_column live_columns[] = {
	{ "from", 9, SECONDS }, { "to", 9, SECONDS }, { "way", 6, WAY }, { "sent", 10, FRAMES },
	{ "recv", 10, FRAMES }, { "lost", 8, FRAMES }, { "lost", 9, PERCENT },
	{ "recv", 8, RATE }, { "socket", 9, FRAMES },
};

int
pace_text_interval(FILE *f, const struct pace_params *a, const struct pace_live_interval *v,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const double bps = pace_params_spacing_ns(a) > 0 ? a->size_bytes * 8e9 /
	    pace_params_spacing_ns(a) * pace_params_streams(a) : 1e9;
	const struct pace_scale units[UNITS] = { [SECONDS] = { "s", 1e9, 3 },
	    [RATE] = pace_scale_rate(bps, bps), [FRAMES] = { "frames", 1, PACE_IN_GROUPS },
	    [PERCENT] = { "%    ", 1, PACE_AS_PERCENT }, [WAY] = { "", 1, PACE_AS_DIRECTION } };
	const struct pace_row_table t = { live_columns, PACE_COUNT_OF(live_columns), units, 0 };
	const double known = v != NULL ? (double)v->received + (double)v->lost : 0;

	if (v == NULL) {
		pace_say_heads(&s, &t);
		return pace_say_end(&s);
	}
	pace_say_cells(&s, &t, (const double []){ (double)v->from_ns, (double)v->to_ns,
	    v->direction, v->sent != UINT64_MAX ? (double)v->sent : NAN, (double)v->received, (double)v->lost,
	    known > 0 && v->lost >= 0 ? (double)v->lost / known : NAN, v->user_rate_bps,
	    (double)v->socket_lost });
	pace_say(&s, "\n");
	return pace_say_end(&s);
}
