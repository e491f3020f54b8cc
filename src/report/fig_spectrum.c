/*
 * Percentile spectra (P8): of round trips for several sizes; of arrival gaps and one-way delay
 * for several streams.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "report/axis.h"
#include "report/fig.h"
#include "report/pick.h"
#include "report/shape.h"
#include "report/sweep.h"
#include "report/words.h"

#define PANELS		2

static const struct pace_table_column columns[] = {
	{ "panel", "Panel", 0 }, { "line", "Line", 0 }, { "x", NULL, 0 },
	{ "percentile", "Percentile", 8 }, { "value", "Value, in the panel's unit", 5 },
};

/* One panel; all panels have the same lines. */
struct panel {
	const struct pace_bins *line[PACE_LINES];	/* NULL: too few values */
	const char	*what, *axis;
	double		low, high;	/* ns, range of all drawn values */
	struct pace_axis_unit unit;
};

struct fig_spectrum_view {
	size_t		lines, panels;
	char		label[PACE_LINES][64];
	struct panel	panel[PANELS];
	double		x_high;
};

static bool
has_spectrum(const struct pace_bins *b)
{
	return b->stats.n >= 20 && b->stats.max > 0;
}

/* --- extremes, then lines ------------------------------------------------------------- */

/* Find the range of the drawn values, up to the value that ten others exceed.  A logarithmic
 * axis cannot show values at or below 0: 1 ns replaces them. */
static void
find_range(struct fig_spectrum_view *v, struct panel *p)
{
	struct pace_spectrum_point at[PACE_SPECTRUM_MAX];

	p->low = INFINITY;
	p->high = 1;
	for (size_t k = 0; k < v->lines; k++) {
		size_t n = p->line[k] != NULL ? pace_spectrum(p->line[k], at) : 0;

		if (n == 0)
			continue;
		v->x_high = fmax(v->x_high, at[n - 1].x);
		for (size_t i = 0; i < n; i++)
			if (at[i].value > 0)
				p->low = fmin(p->low, (double)at[i].value);
		p->high = fmax(p->high, (double)at[n - 1].value);
	}
	p->low = fmax(fmin(p->low, p->high), p->high / 1e6);
	p->unit = pace_axis_time(p->high);
	if (p->unit.one < 1e3 && p->high > 100)
		p->unit = (struct pace_axis_unit){ "µs", 1e3 };
}

static void
put_line(struct pace_figure *s, struct pace_table *t, const struct panel *p, size_t panel,
    size_t line)
{
	struct pace_spectrum_point at[PACE_SPECTRUM_MAX];
	size_t n = p->line[line] != NULL ? pace_spectrum(p->line[line], at) : 0;

	pace_table_break(s, t);
	if (n == 0)				/* an empty row, to keep the block */
		pace_table_row(s, t, (double[]){ (double)panel + 1, (double)line + 1, 1, NAN,
		    NAN });
	for (size_t i = 0; i < n; i++)
		pace_table_row(s, t, (double[]){ (double)panel + 1, (double)line + 1, at[i].x,
		    100 * (1 - 1 / at[i].x), fmax((double)at[i].value, p->low) / p->unit.one });
}

static void
put_view(struct pace_figure *s, struct fig_spectrum_view *v)
{
	struct pace_table *t = pace_figure_table(s, "spectrum", "Percentiles",
	    PACE_COLUMNS(columns));
	struct pace_ticks *ticks = pace_ticks_begin("x");
	char name[32];

	for (size_t i = 0; i < v->panels; i++) {
		struct panel *p = &v->panel[i];

		find_range(v, p);
		for (size_t k = 0; k < v->lines; k++)
			put_line(s, t, p, i, k);
		snprintf(name, sizeof(name), "Y%zu", i + 1);
		pace_axis_log(s, name, "y", p->low / p->unit.one, p->high / p->unit.one, 12);
		snprintf(name, sizeof(name), "WHAT%zu", i + 1);
		pace_figure_markup(s, name, "%s", p->what);
		snprintf(name, sizeof(name), "AXIS%zu", i + 1);
		pace_figure_markup(s, name, "%s (%s)", p->axis, p->unit.name);
	}
	pace_tick(ticks, "0", 1);
	pace_tick(ticks, "50", 2);
	pace_tick(ticks, "90", 10);
	for (int e = 2; pow(10, e) <= v->x_high && e < 18; e++) {
		snprintf(name, sizeof(name), "%.*f", e - 2, 100 - pow(10, 2 - e));
		pace_tick(ticks, name, pow(10, e));
	}
	pace_ticks_end(s, "X", ticks);
	pace_figure_num(s, "X_HIGH", fmax(v->x_high, 10) * 1.1);
	pace_figure_strings(s, "LABEL", v->label[0], sizeof(v->label[0]), v->lines);
	pace_figure_int(s, "NS", (long)v->lines);
	pace_figure_int(s, "PANELS", (long)v->panels);
	pace_words_ramp(s, v->lines, 1);
	s->height = 180 - 46 + (int)v->panels * (330 + 46);
}

/* --- round trips ------------------------------------------------------------------------ */

static void
make_trips(const struct pace_run *r, struct pace_figure *s)
{
	size_t n, at[PACE_LINES];
	const struct pace_rtt_point **all = pace_pick_rtt(r, &n);
	struct fig_spectrum_view v = { .panels = 1 };
	char what[80];

	s->failed |= all == NULL;
	v.lines = pace_pick(n, PACE_LINES, at);
	v.panel[0].what = "round trip";
	v.panel[0].axis = "Round-trip time";
	for (size_t k = 0; k < v.lines; k++) {
		const struct pace_rtt_point *p = all[at[k]];

		snprintf(v.label[k], sizeof(v.label[k]), "%u B", p->ask.size_bytes);
		v.panel[0].line[k] = has_spectrum(&p->rtt) ? &p->rtt : NULL;
	}
	put_view(s, &v);
	if (v.lines < n) {
		snprintf(what, sizeof(what), "%zu of %zu sizes, evenly chosen", v.lines, n);
		pace_words_subtitle(s, r, what);
	}
	free(all);
}

/* --- streams ------------------------------------------------------------------------------ */

static bool
has_stream(const struct pace_stream_point *l)
{
	return has_spectrum(&l->rx.gap);
}

/* Delays are absolute if all of them are known and above 0, else above the minimum. */
static void
choose_delay(struct fig_spectrum_view *v, const struct pace_stream_point *const *shown)
{
	struct panel *p = &v->panel[v->panels];
	bool absolute = true, any = false;

	for (size_t k = 0; k < v->lines; k++) {
		const struct pace_stream_point *l = shown[k];

		absolute &= l->rx.has_owd && !l->owd_relative && l->rx.owd.stats.n > 0 &&
		    l->rx.owd.stats.min > 0;
		any |= has_spectrum(&l->rx.pdv);
	}
	for (size_t k = 0; k < v->lines; k++) {
		const struct pace_bins *b = absolute ? &shown[k]->rx.owd : &shown[k]->rx.pdv;

		p->line[k] = has_spectrum(b) ? b : NULL;
	}
	p->what = absolute ? "one-way delay" : "one-way delay above its lowest";
	p->axis = absolute ? "One-way delay" : "Delay above lowest";
	v->panels += any;
}

/* Choose spacings of one line, and return one of them; if each has only one spacing, choose
 * lines: NULL. */
static const struct pace_stream_point *
choose_streams(const struct pace_stream_point *const *all, size_t n,
    const struct pace_stream_point **shown, struct fig_spectrum_view *v, size_t *from_all)
{
	size_t begin, most = pace_pick_line(all, n, &begin), at[PACE_LINES];
	const bool by_line = most < 2;
	char line[60];

	*from_all = by_line ? n : most;
	v->lines = pace_pick(*from_all, PACE_LINES, at);
	for (size_t k = 0; k < v->lines; k++) {
		shown[k] = all[(by_line ? 0 : begin) + at[k]];
		if (by_line)
			snprintf(v->label[k], sizeof(v->label[k]), "%s%s",
			    pace_words_line(shown[k], line, sizeof(line)),
			    shown[k]->verdict == PACE_DEGRADED ? " ○" : "");
		else
			pace_words_stream(shown[k], false, v->label[k], sizeof(v->label[k]));
	}
	return by_line || n == 0 ? NULL : shown[0];
}

static void
make_streams(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_stream_point *shown[PACE_LINES] = { NULL };
	struct fig_spectrum_view v = { .panels = 1 };
	char what[160], line[60] = "", some[80] = "";
	const struct pace_stream_point *one;
	size_t n, of;
	const struct pace_stream_point **all = pace_pick_all(r, has_stream, &n);

	if (n == 0) {
		s->failed = true;
		free(all);
		return;
	}
	one = choose_streams(all, n, shown, &v, &of);
	v.panel[0].what = "arrival gaps";
	v.panel[0].axis = "Arrival gap";
	for (size_t k = 0; k < v.lines; k++)
		v.panel[0].line[k] = &shown[k]->rx.gap;
	choose_delay(&v, shown);
	put_view(s, &v);
	if (one != NULL)
		pace_words_line(one, line, sizeof(line));
	if (v.lines < of)
		snprintf(some, sizeof(some), "%s%zu of %zu %s, evenly chosen", one != NULL ? " · " : "",
		    v.lines, of, one != NULL ? "spacings" : pace_words_lines(r));
	snprintf(what, sizeof(what), "%s%s", line, some);
	pace_words_subtitle(s, r, what);
	free(all);
}

static void
make_spectrum(const struct pace_run *r, struct pace_figure *s)
{
	if (r->trips > 0)
		make_trips(r, s);
	else
		make_streams(r, s);
}

static bool
wants_spectrum(const struct pace_run *r)
{
	for (size_t i = 0; i < r->trips; i++)
		if (has_spectrum(&r->trip[i].rtt))
			return true;
	return pace_pick_any(r, has_stream);
}

const struct pace_fig pace_fig_spectrum = {
	"P8", "percentiles", "spectrum.gp", "Percentile spectrum", 900, 900,
	.marked = true,
	.wanted = wants_spectrum, .make = make_spectrum,
	.formula = "each line ends where fewer than 10 values are beyond",
	.caption = "Percentiles on an axis that gives each further nine (99 %, 99.9 %, 99.99 "
	    "%) the same width: it shows the rare, large values.",
};
