/*
 * Percentile spectra (P8): round trips of several sizes; arrival gaps and one-way delay of
 * several streams.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "doc/params.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/logaxis.h"
#include "report/pick.h"
#include "report/shape.h"
#include "report/sweep.h"
#include "report/words.h"

#define STREAMS_MAX	8192
#define TRIPS_MAX	2048
#define PANELS		2

static const struct pace_table_column columns[] = {
	{ "panel", "Panel", 0 }, { "line", "Line", 0 }, { "x", NULL, 0 },
	{ "percentile", "Percentile", 8 }, { "value", "Value, in the panel's unit", 5 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

/* One panel: the same lines in each. */
struct panel {
	const struct pace_bins *line[PACE_LINES];	/* NULL: too few values */
	const char	*what, *axis;
	double		low, high;	/* ns, of everything drawn */
	struct pace_axis_unit unit;
};

struct fig_spectrum_view {
	size_t		lines, panels;
	char		label[PACE_LINES][40];
	struct panel	panel[PANELS];
	double		x_high;
};

static bool
has_spectrum(const struct pace_bins *b)
{
	return b->stats.n >= 20 && b->stats.max > 0;
}

/* --- extremes, then lines ------------------------------------------------------------- */

/* Of what is drawn: ends at the value that ten are beyond.  At or below 0 a logarithmic
 * axis shows nothing: 1 ns stands for it. */
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
	if (n == 0)				/* keeps its place */
		pace_table_row(s, t, (double[]){ (double)panel + 1, (double)line + 1, 1, NAN,
		    NAN });
	for (size_t i = 0; i < n; i++)
		pace_table_row(s, t, (double[]){ (double)panel + 1, (double)line + 1, at[i].x,
		    100 * (1 - 1 / at[i].x), fmax((double)at[i].value, p->low) / p->unit.one });
}

static void
put_percentiles(struct pace_figure *s, double high)
{
	char text[512], bare[512];
	int n = snprintf(text, sizeof(text), "set xtics (\"0\" 1, \"50\" 2, \"90\" 10");
	int m = snprintf(bare, sizeof(bare), "set xtics (\"\" 1, \"\" 2, \"\" 10");

	for (int e = 2; pow(10, e) <= high && e < 18; e++) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", \"%.*f\" %g", e - 2,
		    100 - pow(10, 2 - e), pow(10, e));
		m += snprintf(bare + m, sizeof(bare) - (size_t)m, ", \"\" %g", pow(10, e));
	}
	pace_figure_markup(s, "X_TICKS", "%s)", text);
	pace_figure_markup(s, "X_BARE", "%s)", bare);
	pace_figure_num(s, "X_HIGH", fmax(high, 10) * 1.1);
}

static void
put_view(struct pace_figure *s, struct fig_spectrum_view *v)
{
	const char *label[PACE_LINES];
	struct pace_table *t = pace_figure_table(s, "spectrum", "Percentiles", columns, COLUMNS);
	char name[32];

	for (size_t i = 0; i < v->panels; i++) {
		struct panel *p = &v->panel[i];

		find_range(v, p);
		for (size_t k = 0; k < v->lines; k++)
			put_line(s, t, p, i, k);
		snprintf(name, sizeof(name), "Y%zu", i + 1);
		pace_logaxis_put(s, name, "y", p->low / p->unit.one, p->high / p->unit.one, 12);
		snprintf(name, sizeof(name), "WHAT%zu", i + 1);
		pace_figure_markup(s, name, "%s", p->what);
		snprintf(name, sizeof(name), "AXIS%zu", i + 1);
		pace_figure_markup(s, name, "%s (%s)", p->axis, p->unit.name);
	}
	put_percentiles(s, v->x_high);
	for (size_t k = 0; k < v->lines; k++)
		label[k] = v->label[k];
	pace_figure_texts(s, "LABEL", label, v->lines);
	pace_figure_int(s, "NS", (long)v->lines);
	pace_figure_int(s, "PANELS", (long)v->panels);
	pace_words_ramp(s, v->lines);
	s->height = 180 - 46 + (int)v->panels * (330 + 46);
}

static void
say_view(struct pace_figure *s, const struct pace_run *r, const char *what)
{
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "each line ends where fewer than 10 values are beyond");
	pace_figure_say(s, &s->caption, "Percentiles on an axis that gives every nine the same room: "
	    "what happens to one in a hundred, a thousand, a million.");
}

/* --- round trips ------------------------------------------------------------------------ */

static void
make_trips(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_rtt_point *all[TRIPS_MAX];
	size_t n = pace_pick_rtt(r, all, TRIPS_MAX), at[PACE_LINES];
	struct fig_spectrum_view v = { .panels = 1 };
	char what[80] = "";

	n = n < TRIPS_MAX ? n : TRIPS_MAX;
	v.lines = pace_pick(n, PACE_LINES, at);
	v.panel[0].what = "round trip";
	v.panel[0].axis = "Round-trip time";
	for (size_t k = 0; k < v.lines; k++) {
		const struct pace_rtt_point *p = all[at[k]];

		snprintf(v.label[k], sizeof(v.label[k]), "%u B", p->ask.size_bytes);
		v.panel[0].line[k] = has_spectrum(&p->rtt) ? &p->rtt : NULL;
	}
	put_view(s, &v);
	if (v.lines < n)
		snprintf(what, sizeof(what), "%zu of %zu sizes, evenly chosen", v.lines, n);
	say_view(s, r, what);
}

/* --- streams ------------------------------------------------------------------------------ */

static bool
has_stream(const struct pace_stream_point *l)
{
	return has_spectrum(&l->rx.gap);
}

/* Absolute where all of them are known and above 0, else above the lowest. */
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

/* Spacings of one size, or if there is but one spacing of each, sizes. */
static size_t
choose_streams(const struct pace_stream_point *const *all, size_t n, const struct pace_stream_point **shown,
    struct fig_spectrum_view *v, size_t *from_all)
{
	size_t begin, most = pace_pick_size(all, n, &begin), at[PACE_LINES];
	const bool by_size = most < 2;

	*from_all = by_size ? n : most;
	v->lines = pace_pick(*from_all, PACE_LINES, at);
	for (size_t k = 0; k < v->lines; k++) {
		char spacing[32] = "back to back";

		shown[k] = all[(by_size ? 0 : begin) + at[k]];
		if (shown[k]->ask.spacing > 0)
			pace_print(PACE_UNIT_USEC, pace_params_gap_ns(&shown[k]->ask), spacing,
			    sizeof(spacing));
		if (by_size)
			snprintf(v->label[k], sizeof(v->label[k]), "%u B",
			    shown[k]->ask.size_bytes);
		else
			snprintf(v->label[k], sizeof(v->label[k]), "%s", spacing);
	}
	return by_size || n == 0 ? 0 : shown[0]->ask.size_bytes;
}

static void
make_streams(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_stream_point **all = calloc(STREAMS_MAX, sizeof(*all));
	const struct pace_stream_point *shown[PACE_LINES] = { NULL };
	struct fig_spectrum_view v = { .panels = 1 };
	char what[120] = "", size[40] = "", some[80] = "";
	size_t n, of, bytes;

	if (all == NULL) {
		s->failed = true;
		return;
	}
	n = pace_pick_streams(r, has_stream, all, STREAMS_MAX);
	bytes = choose_streams(all, n < STREAMS_MAX ? n : STREAMS_MAX, shown, &v, &of);
	v.panel[0].what = "time between arrivals";
	v.panel[0].axis = "Arrival gap";
	for (size_t k = 0; k < v.lines; k++)
		v.panel[0].line[k] = &shown[k]->rx.gap;
	choose_delay(&v, shown);
	put_view(s, &v);
	if (bytes > 0)
		snprintf(size, sizeof(size), "%zu B of data", bytes);
	if (v.lines < of)
		snprintf(some, sizeof(some), "%s%zu of %zu %s, evenly chosen",
		    bytes > 0 ? " · " : "", v.lines, of, bytes > 0 ? "spacings" : "sizes");
	snprintf(what, sizeof(what), "%s%s", size, some);
	say_view(s, r, what);
	free(all);
}

static void
make_spectrum(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	(void)b;
	if (r->trips > 0)
		make_trips(r, s);
	else
		make_streams(r, s);
}

static bool
wants_spectrum(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_stream_point *v[1];

	(void)b;
	for (size_t i = 0; i < r->trips; i++)
		if (has_spectrum(&r->trip[i].rtt))
			return true;
	return pace_pick_streams(r, has_stream, v, 1) > 0;
}

const struct pace_fig pace_fig_spectrum = {
	"P8", "percentiles", "spectrum.gp", "Percentile spectrum", 900, 900, wants_spectrum,
	make_spectrum,
};
