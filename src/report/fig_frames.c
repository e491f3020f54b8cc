/*
 * Single frames from a record file: one-way delay above its minimum (P11) and arrival less
 * expected arrival (P12) against frame number, losses below.
 */
#include "config.h"

#include <math.h>

#include "report/axis.h"
#include "report/fig.h"
#include "report/trace.h"
#include "report/words.h"

#define LEAST_NS	100.0	/* smallest height of the axis */
#define TALL		8.0	/* largest height of the axis, times p99.9 */

static const struct pace_table_column columns[] = {
	{ "panel", NULL, 0 }, { "number", "First frame", 0 }, { "frames", "Frames", 0 },
	{ "min", "min", 4 }, { "p50", "p50", 4 }, { "max", "max", 4 }, { "lost", "Lost", 0 },
	{ "x", NULL, 0 },
};
enum { PANEL, NUMBER, FRAMES, MIN, P50, MAX, LOST, X, COLUMNS };

static const struct pace_table_column summary[] = {
	{ "point", "Point", 0 }, { "sent", "Sent", 0 }, { "shown", "Arrived, shown", 0 },
	{ "lost", "Lost", 0 }, { "bin", "Frames of a bin", 0 },
	{ "p50_us", "Delay above lowest: p50 (µs)", 4 }, { "p99_us", "p99 (µs)", 4 },
	{ "p999_us", "p99.9 (µs)", 4 }, { "max_us", "max (µs)", 4 },
};

/* The run with the most lost frames, the longest one if equal. */
static const struct pace_record_run *
choose_run(const struct pace_run *of)
{
	const struct pace_record_file *f = of->records;
	const struct pace_record_run *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; f != NULL && i < f->n; i++) {
		const struct pace_record_run *r = &f->runs[i];
		uint64_t lost = r->missed == 0 && !r->lost_only && r->sent > r->skip &&
		    r->sent - r->skip > r->n ? r->sent - r->skip - r->n : 0;

		if (pace_run_has_records(of, r) && (r->n > 0 || lost > 0) && (best == NULL ||
		    lost > most || (lost == most && r->n > best->n))) {
			best = r;
			most = lost;
		}
	}
	return best;
}

static bool
wants_frames(const struct pace_run *r)
{
	return choose_run(r) != NULL;
}

/* --- one panel ------------------------------------------------------------------------- */

/* from: the value that counts as 0, ns. */
static void
put_trace(struct pace_figure *s, struct pace_table *t, const struct pace_trace *trace, int panel,
    double from, double one)
{
	pace_table_break(s, t);
	for (size_t k = 0; k < trace->bins; k++) {
		const struct pace_trace_bin *b = &trace->v[k];
		double row[COLUMNS] = { panel, b->x, (double)b->n, (b->min - from) / one,
		    (b->p50 - from) / one, (b->max - from) / one, (double)b->lost,
		    b->x + (trace->width - 1) / 2 };

		pace_table_row(s, t, row);
	}
}

/* The axis ends at the maximum, unless the other values would then be invisible. */
static void
put_delay(struct pace_figure *s, struct pace_table *t, const struct pace_trace *trace)
{
	const double highest = trace->highest - trace->lowest;
	const double usual = isnan(trace->p999) ? highest : trace->p999 - trace->lowest;
	double top = highest > 0 ? highest : 1;
	struct pace_axis_unit unit;
	char high[32];

	if (usual > 0 && top > TALL * usual)
		top = TALL * usual;
	top = fmax(top, LEAST_NS);
	unit = pace_axis_time(fmax(top, 1000));
	put_trace(s, t, trace, 1, trace->lowest, unit.one);
	pace_axis_from_zero(s, "OWD", top / unit.one, 6);
	pace_figure_markup(s, "OWD_AXIS", "Delay above lowest (%s)", unit.name);
	pace_figure_text(s, "OWD_NOTE", "");
	if (trace->highest > trace->lowest + top * 1.08)
		pace_figure_markup(s, "OWD_NOTE", "up to %s %s, cut",
		    pace_axis_say(highest / unit.one, high, sizeof(high)), unit.name);
}

/* --- the sheet --------------------------------------------------------------------------- */

static void
put_scale(struct pace_figure *s, const struct pace_record_run *run, const struct pace_trace *t)
{
	char lost[40];
	const double room = fmax(0.005 * (t->to - t->from), 0.5);
	const double step = fmax(pace_axis_step(t->to - t->from, 8), 1);
	struct pace_ticks *ticks = pace_ticks_begin("x");

	pace_figure_num(s, "X_LOW", t->from - room);
	pace_figure_num(s, "X_HIGH", t->to + room);
	for (double at = ceil(t->from / step) * step; at <= t->to; at += step)
		pace_tick(ticks, pace_axis_say(at, lost, sizeof(lost)), at);
	pace_ticks_end(s, "X", ticks);
	pace_figure_int(s, "SINGLE", t->width <= 1 || run->lost_only);
	pace_axis_count((double)t->lost, lost, sizeof(lost));
	if (t->lost > 1000000000)		/* from a forged file */
		snprintf(lost, sizeof(lost), "%.3g", (double)t->lost);
	pace_figure_text(s, "LOST_NAME", "");
	if (t->lost > 0)
		pace_figure_markup(s, "LOST_NAME", "%s lost", lost);
	pace_figure_int(s, "HAS_LOSS", t->lost > 0);
}

static void
say_frames(struct pace_figure *s, const struct pace_run *r, const struct pace_record_run *run,
    double width)
{
	char what[320], spacing[32], which[96] = "", some[80] = "", bin[40];
	char bins[64] = "";
	bool degraded = false;
	size_t all = 0;

	pace_axis_say_spacing((double)run->spacing / 4294967296.0, spacing, sizeof(spacing));
	for (size_t i = 0; i < r->records->n; i++)
		all += pace_run_has_records(r, &r->records->runs[i]);
	if (all > 1 && run->stream > 0)
		snprintf(which, sizeof(which), " · point %u, stream %u, of %zu recorded",
		    run->point, run->stream - 1, all);
	else if (all > 1)
		snprintf(which, sizeof(which), " · point %u, of %zu recorded", run->point, all);
	if (run->missed > 0)
		snprintf(some, sizeof(some), " · no room for %llu frames more",
		    (unsigned long long)run->missed);
	for (size_t i = 0; i < r->n; i++)
		degraded |= r->point[i].index == run->point && r->point[i].verdict == PACE_DEGRADED;
	if (width > 1)
		snprintf(bins, sizeof(bins), " · bins of %s frames", pace_axis_count(width, bin,
		    sizeof(bin)));
	snprintf(what, sizeof(what), "%u B, %s%s%s%s%s%s", run->size_bytes, spacing,
	    degraded ? " · degraded" : "", which, bins, some,
	    run->lost_only ? " · only frames next to losses were recorded" : "");
	pace_words_subtitle(s, r, what);
	if (run->clock.segments > 0)
		pace_words_footer(s, r, "corrected for the clocks' offset and skew");
}

static void
make_frames(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_record_run *run = choose_run(r);
	struct pace_trace delay, late = { .bins = 0 };
	struct pace_table *sum = pace_figure_table(s, "summary", "The recorded frames",
	    PACE_COLUMNS(summary));
	struct pace_table *t = pace_figure_table(s, "frames", NULL, PACE_COLUMNS(columns));
	struct pace_axis_unit unit;
	bool expected = run->spacing > 0;

	if (pace_trace_by_number(&delay, run, PACE_TRACE_DELAY) != 0 ||
	    (expected && pace_trace_by_number(&late, run, PACE_TRACE_EXPECTED) != 0)) {
		pace_trace_free(&delay);
		s->failed = true;
		return;
	}
	pace_table_row(s, sum, (double[]){ run->point, (double)run->sent, (double)delay.frames,
	    (double)delay.lost, delay.width, (delay.p50 - delay.lowest) / 1e3,
	    (delay.p99 - delay.lowest) / 1e3, (delay.p999 - delay.lowest) / 1e3,
	    (delay.highest - delay.lowest) / 1e3 });
	put_delay(s, t, &delay);
	expected &= delay.frames > 0;	/* all frames lost: draw only the marks of lost frames */
	if (expected) {
		unit = pace_axis_time(fmax(fmax(late.highest, -late.lowest), 1000));
		put_trace(s, t, &late, 2, 0, unit.one);
		pace_axis_between(s, "LATE", fmin(late.lowest, 0) / unit.one,
		    fmax(late.highest, 0) / unit.one, 5);
		pace_figure_markup(s, "LATE_AXIS", "Arrival less expected (%s)", unit.name);
	}
	pace_figure_int(s, "PANELS", expected ? 2 : 1);
	put_scale(s, run, &delay);
	say_frames(s, r, run, delay.width);
	s->height = expected ? 808 : 540;
	pace_trace_free(&delay);
	pace_trace_free(&late);
}

const struct pace_fig pace_fig_frames = {
	"P11", "frames", "frames.gp", "Frame after frame", 900, 808,
	.wanted = wants_frames, .make = make_frames,
	.formula = "clocks' offset not known: a slope may be their skew",
	.caption = "Delay and arrival of each frame. A delay that rises is a queue that "
	    "fills; losses begin where it is full. Lost frames have no delay and are marked "
	    "below 0. In the lower panel, a slope is a rate that differs from the requested "
	    "one; a step is a pause.",
};
