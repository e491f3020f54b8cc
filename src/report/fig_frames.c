/*
 * Single frames from a record file: one-way delay above its lowest (P11) and arrival less
 * expected (P12) against frame number, losses below.
 */
#include "config.h"

#include <math.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/trace.h"
#include "report/words.h"

#define LEAST_NS	100.0	/* and not lower than that */
#define TALL		8.0	/* an axis no higher than that many p99.9 */

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

/* The run that lost most, of equals the longest. */
static const struct pace_record_run *
choose_run(const struct pace_record_file *f)
{
	const struct pace_record_run *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; f != NULL && i < f->n; i++) {
		const struct pace_record_run *r = &f->runs[i];
		uint64_t lost = r->missed == 0 && !r->lost_only && r->sent > r->skip &&
		    r->sent - r->skip > r->n ? r->sent - r->skip - r->n : 0;

		if ((r->n > 0 || lost > 0) && (best == NULL || lost > most || (lost == most && r->n > best->n))) {
			best = r;
			most = lost;
		}
	}
	return best;
}

static bool
wants_frames(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	return choose_run(r->records) != NULL;
}

/* --- one panel ------------------------------------------------------------------------- */

/* from: what counts as 0, ns. */
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

/* Where the axis ends: at the highest, unless that leaves nothing of the rest. */
static double
top_of(const struct pace_trace *t, double from)
{
	double high = t->highest - from, usual = isnan(t->p999) ? high : t->p999 - from;

	if (!(high > 0))
		return 1;
	return usual > 0 && high > TALL * usual ? TALL * usual : high;
}

static size_t
above(const struct pace_trace *t, double limit)
{
	size_t n = 0;

	for (size_t k = 0; k < t->bins; k++)
		n += t->v[k].n > 0 && t->v[k].max > limit;
	return n;
}

static void
put_delay(struct pace_figure *s, struct pace_table *t, const struct pace_trace *trace)
{
	const double top = fmax(top_of(trace, trace->lowest), LEAST_NS);
	const struct pace_axis_unit unit = pace_axis_time(fmax(top, 1000));
	char high[32];

	put_trace(s, t, trace, 1, trace->lowest, unit.one);
	pace_axis_from_zero(s, "OWD", top / unit.one, 6);
	pace_figure_markup(s, "OWD_AXIS", "Delay above lowest (%s)", unit.name);
	pace_figure_text(s, "OWD_NOTE", "");
	if (above(trace, trace->lowest + top * 1.08) > 0)
		pace_figure_markup(s, "OWD_NOTE", "up to %s %s, cut", pace_axis_say(
		    (trace->highest - trace->lowest) / unit.one, high, sizeof(high)), unit.name);
}

static void
put_expected(struct pace_figure *s, struct pace_table *t, const struct pace_trace *trace)
{
	const struct pace_axis_unit unit = pace_axis_time(fmax(fmax(trace->highest,
	    -trace->lowest), 1000));

	put_trace(s, t, trace, 2, 0, unit.one);
	pace_axis_between(s, "LATE", fmin(trace->lowest, 0) / unit.one,
	    fmax(trace->highest, 0) / unit.one, 5);
	pace_figure_markup(s, "LATE_AXIS", "Arrival less expected (%s)", unit.name);
}

/* --- the sheet --------------------------------------------------------------------------- */

static void
put_summary(struct pace_figure *s, const struct pace_record_run *run, const struct pace_trace *t)
{
	struct pace_table *sum = pace_figure_table(s, "summary", "The recorded frames", summary,
	    sizeof(summary) / sizeof(summary[0]));
	const double row[] = { run->point, (double)run->sent, (double)t->frames, (double)t->lost,
	    t->width, (t->p50 - t->lowest) / 1e3, (t->p99 - t->lowest) / 1e3,
	    (t->p999 - t->lowest) / 1e3, (t->highest - t->lowest) / 1e3 };

	pace_table_row(s, sum, row);
}

static void
put_scale(struct pace_figure *s, const struct pace_record_run *run, const struct pace_trace *t)
{
	char lost[40];

	const double room = fmax(0.005 * (t->to - t->from), 0.5);

	pace_figure_num(s, "X_LOW", t->from - room);
	pace_figure_num(s, "X_HIGH", t->to + room);
	pace_figure_num(s, "X_STEP", fmax(pace_axis_step(t->to - t->from, 8), 1));
	pace_figure_markup(s, "X_FORMAT", t->to < 1e7 ? "%%.0f" : "%%.3g");
	pace_figure_int(s, "SINGLE", t->width <= 1 || run->lost_only);
	pace_axis_count((double)t->lost, lost, sizeof(lost));
	if (t->lost > 1000000000)		/* of a forged file */
		snprintf(lost, sizeof(lost), "%.3g", (double)t->lost);
	pace_figure_markup(s, "LOST_NAME", t->lost == 0 ? "none lost" : "%s lost", lost);
	pace_figure_int(s, "HAS_LOSS", t->lost > 0);
}

static void
say_frames(struct pace_figure *s, const struct pace_run *r, const struct pace_record_run *run,
    double width)
{
	char what[320], spacing[32] = "back to back", which[64] = "", some[80] = "", bin[40];
	char bins[64] = "";

	if (run->spacing > 0)
		pace_print(PACE_UNIT_USEC, (double)run->spacing / 4294967296.0, spacing,
		    sizeof(spacing));
	if (r->records->n > 1)
		snprintf(which, sizeof(which), " · point %u, of %zu recorded", run->point,
		    r->records->n);
	if (run->missed > 0)
		snprintf(some, sizeof(some), " · no room for %llu frames more",
		    (unsigned long long)run->missed);
	if (width > 1)
		snprintf(bins, sizeof(bins), " · bins of %s frames", pace_axis_count(width, bin,
		    sizeof(bin)));
	snprintf(what, sizeof(what), "%u B%s%s%s%s%s%s", run->size_bytes,
	    run->spacing > 0 ? " every " : " ", spacing, which, bins, some, run->lost_only ? " · only frames beside losses were recorded" : "");
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, run->clock.segments > 0 ? "clocks' offset and rate taken out" :
	    "clocks' relation not known: a slope may be theirs");
	pace_figure_say(s, &s->caption, "What happened to frame after frame. A queue fills on a rising "
	    "delay and is lost from where it is full; lost frames are marked below 0, they have no "
	    "delay. In the lower panel a slope is a rate that differs from the one asked for, a step "
	    "is a pause.");
}

static void
make_frames(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_record_run *run = choose_run(r->records);
	struct pace_trace delay, late = { .bins = 0 };
	struct pace_table *t;
	bool expected = run->spacing > 0;

	(void)b;
	if (pace_trace_by_number(&delay, run, PACE_TRACE_DELAY) != 0 ||
	    (expected && pace_trace_by_number(&late, run, PACE_TRACE_EXPECTED) != 0)) {
		pace_trace_free(&delay);
		s->failed = true;
		return;
	}
	put_summary(s, run, &delay);
	t = pace_figure_table(s, "frames", NULL, columns, COLUMNS);
	put_delay(s, t, &delay);
	expected &= delay.frames > 0;	/* all lost: the rug alone */
	if (expected)
		put_expected(s, t, &late);
	pace_figure_int(s, "PANELS", expected ? 2 : 1);
	put_scale(s, run, &delay);
	say_frames(s, r, run, delay.width);
	s->height = expected ? 808 : 540;
	pace_trace_free(&delay);
	pace_trace_free(&late);
}

const struct pace_fig pace_fig_frames = {
	"P11", "frames", "frames.gp", "Frame after frame", 900, 808, wants_frames, make_frames,
};
