#include "config.h"

#include "report/grid.h"

#include <math.h>
#include <stdlib.h>

#include "core/units.h"

#define BINS_WANTED	130
#define BINS_LEAST	20	/* else all is one bar as wide as the panel */
#define TOP_ROOM	3.0	/* the highest count times this is the axis' end at least */

static const struct pace_table_column columns[] = {
	{ "panel", NULL, 0 }, { "x", NULL, 0 }, { "count", NULL, 0 },
};

static const struct pace_table_column summary[] = {
	{ "panel", "Panel", 0 }, { "values", "Values", 0 }, { "min", "min", 4 },
	{ "p1", "p1", 4 }, { "p50", "p50", 4 }, { "p99", "p99", 4 }, { "p999", "p99.9", 4 },
	{ "max", "max", 4 }, { "below", "left of the axis", 0 }, { "above", "right of it", 0 },
};

static double
in(const struct pace_panel_grid *g, double v)
{
	return v / g->unit.one;
}

/* Digits of a figure of a note: three that tell. */
static const char *
say(const struct pace_panel_grid *g, double v, char *buf, size_t size)
{
	double x = in(g, v);
	int digits = g->unit.one <= 1 || fabs(x) >= 100 ? 0 : fabs(x) >= 10 ? 1 : 2;

	if (isnan(x))
		snprintf(buf, size, "-");
	else	/* no "-0.00" */
		snprintf(buf, size, "%.*f", digits, fabs(x) < 0.005 ? 0 : x);
	return buf;
}

/* What no bin has: "> 60: 39". */
static void
say_outside(const struct pace_panel_grid *g, const struct pace_shape *p, char *buf, size_t size)
{
	char edge[32], n[32];
	double high = (double)(p->low + p->width * p->bins);

	buf[0] = '\0';
	pace_axis_count((double)(p->below + p->above), n, sizeof(n));
	if (p->below > 0 && p->above > 0)
		snprintf(buf, size, " · %s outside", n);
	else if (p->below > 0)
		snprintf(buf, size, " · < %s: %s", pace_axis_say(in(g, (double)p->low), edge,
		    sizeof(edge)), n);
	else if (p->above > 0)
		snprintf(buf, size, " · > %s: %s", pace_axis_say(in(g, high), edge,
		    sizeof(edge)), n);
}

/* "p50 5.25 · p99 13.2 µs · > 60: 39", as far as there is room for it. */
static void
say_note(const struct pace_panel_grid *g, const struct pace_bins *b, const struct pace_shape *p,
    char *buf, size_t size)
{
	const bool tail = pace_hist_has_quantile(b->stats.n, 0.99);
	char middle[48], far[32], outside[80];

	if (b->stats.n == 0) {
		snprintf(buf, size, "no values");
		return;
	}
	say_outside(g, p, outside, sizeof(outside));
	say(g, pace_bins_quantile(b, 0.5), far, sizeof(far));
	snprintf(middle, sizeof(middle), "p50 %s · ", far);
	say(g, tail ? pace_bins_quantile(b, 0.99) : pace_bins_max(b), far, sizeof(far));
	snprintf(buf, size, "%s%s %s %s%s", g->columns > 2 && outside[0] != '\0' ? "" : middle,
	    tail ? "p99" : "max", far, g->unit.name, outside);
}

static void
put_summary(struct pace_figure *s, struct pace_table *t, const struct pace_panel_grid *g, size_t i,
    const struct pace_shape *p)
{
	const struct pace_bins *b = g->panel[i].bins;
	const double row[] = { (double)i + 1, (double)b->stats.n, in(g, pace_bins_min(b)),
	    in(g, pace_bins_quantile(b, 0.01)), in(g, pace_bins_quantile(b, 0.5)),
	    in(g, pace_bins_quantile(b, 0.99)), in(g, pace_bins_quantile(b, 0.999)),
	    in(g, pace_bins_max(b)), (double)p->below, (double)p->above };

	pace_table_row(s, t, row);
}

/* The counts of a panel; the highest of them. */
static double
put_counts(struct pace_figure *s, struct pace_table *t, const struct pace_panel_grid *g, size_t i,
    const struct pace_shape *p)
{
	double most = 0;

	pace_table_break(s, t);
	for (uint32_t k = 0; k < p->bins; k++) {
		/* of whole numbers a bin one wide stands on its number */
		double middle = (double)(p->low + p->width * k) +
		    (g->unit.one <= 1 ? (double)(p->width - 1) : (double)p->width) / 2;

		pace_table_row(s, t, (double[]){ (double)i + 1, in(g, middle),
		    (double)p->count[k] });
		most = fmax(most, (double)p->count[k]);
	}
	return most;
}

static void
put_axes(struct pace_figure *s, const struct pace_panel_grid *g, const struct pace_shape *p, double most)
{
	const double low = in(g, (double)p->low), width = in(g, (double)p->width);
	const double span = width * p->bins;
	char bin[32];

	pace_figure_num(s, "BW", width);
	pace_figure_num(s, "X_LOW", low - (g->unit.one <= 1 ? width / 2 : 0));
	pace_figure_num(s, "X_HIGH", low + span);
	pace_figure_num(s, "X_STEP", pace_axis_step(span, g->columns == 1 ? 10 :
	    g->columns == 2 ? 8 : 5));
	pace_figure_markup(s, "X_NAME", "%s (%s)", g->what, g->unit.name);
	pace_axis_decades(s, "Y", "y", 1, most * TOP_ROOM);
	if (g->unit.one <= 1 && p->width == 1)
		pace_figure_markup(s, "Y_NAME", "%s", g->things);
	else
		pace_figure_markup(s, "Y_NAME", "%s per bin of %s %s", g->things,
		    pace_axis_say(width, bin, sizeof(bin)), g->unit.name);
}

static int
rows_of(size_t n, int across)
{
	return ((int)n + across - 1) / across;
}

int
pace_panel_grid_columns(size_t n)
{
	return n <= 3 ? 1 : n <= 8 ? 2 : 3;
}

static int
panel_height(size_t n, int across)
{
	int rows = rows_of(n, across);

	return rows == 1 ? 300 : rows == 2 ? 220 : rows == 3 ? 165 : 125;
}

#define BETWEEN		46	/* px from panel to panel, down */

int
pace_panel_grid_height(size_t n, int across)
{
	return 180 - BETWEEN + rows_of(n, across) * (panel_height(n, across) + BETWEEN);
}

static void
put_words(struct pace_figure *s, const struct pace_panel_grid *g, char note[][160])
{
	const char *text[PACE_PANELS];
	double mark[PACE_PANELS];
	long first = 0;			/* that has a mark, from 1 */

	for (size_t i = 0; i < g->n; i++)
		text[i] = g->panel[i].name;
	pace_figure_texts(s, "NAME", text, g->n);
	for (size_t i = 0; i < g->n; i++)
		text[i] = note[i];
	pace_figure_texts(s, "NOTE", text, g->n);
	for (size_t i = 0; i < g->n; i++)
		mark[i] = in(g, g->panel[i].mark);
	for (size_t i = g->n; i > 0; i--)
		first = isnan(mark[i - 1]) ? first : (long)i;
	pace_figure_nums(s, "MARK", mark, g->n);
	pace_figure_markup(s, "MARK_NAME", "%s", g->mark != NULL ? g->mark : "");
	pace_figure_int(s, "MARK_AT", first);
	pace_figure_int(s, "PANELS", (long)g->n);
	pace_figure_int(s, "COLS", g->columns);
	pace_figure_int(s, "PANEL_H", panel_height(g->n, g->columns));
	s->height = pace_panel_grid_height(g->n, g->columns);
}

void
pace_panel_grid_put(struct pace_figure *s, const struct pace_panel_grid *g)
{
	char note[PACE_PANELS][160];
	struct pace_table *t = pace_figure_table(s, "bins", NULL, columns, 3);
	struct pace_table *sum = pace_figure_table(s, "summary", "The distributions", summary,
	    sizeof(summary) / sizeof(summary[0]));
	struct pace_shape *p = malloc(sizeof(*p));
	double most = 1;

	if (p == NULL) {
		s->failed = true;
		return;
	}
	p->width = pace_shape_width(g->low, g->high, BINS_WANTED);
	p->low = (int64_t)floor((double)g->low / (double)p->width) * p->width;
	p->bins = (uint32_t)((g->high - p->low) / p->width + 1);
	if (p->bins < BINS_LEAST) {		/* more of both sides, but no time below 0 */
		int64_t more = BINS_LEAST - p->bins, left = more / 2;

		if (p->low >= 0 && left > p->low / p->width)
			left = p->low / p->width;
		if (g->unit.one <= 1)
			left = 0;		/* counts begin where they do */
		p->low -= left * p->width;
		p->bins += (uint32_t)more;
	}
	for (size_t i = 0; i < g->n; i++) {
		pace_shape_bins(g->panel[i].bins, p);
		most = fmax(most, put_counts(s, t, g, i, p));
		put_summary(s, sum, g, i, p);
		say_note(g, g->panel[i].bins, p, note[i], sizeof(note[i]));
	}
	put_axes(s, g, p, most);
	put_words(s, g, note);
	free(p);
}
