#include "config.h"

#include "report/grid.h"

#include <math.h>
#include <stdlib.h>


#define BINS_WANTED	130
#define BINS_LEAST	20	/* fewer would be one bar as wide as the panel */
#define TOP_ROOM	2.0	/* the axis ends at this multiple of the highest count */

static const struct pace_table_column columns[] = {
	{ "panel", NULL, 0 }, { "x", NULL, 0 }, { "count", NULL, 0 },
};

static const struct pace_table_column summary[] = {
	{ "panel", "Panel", 0 }, { "values", "Values", 0 }, { "min", "min", 4 },
	{ "p1", "p1", 4 }, { "p50", "p50", 4 }, { "p99", "p99", 4 }, { "p999", "p99.9", 4 },
	{ "max", "max", 4 }, { "below", "left of the axis", 0 },
	{ "above", "right of the axis", 0 },
};

static double
in(const struct pace_panel_grid *g, double v)
{
	return v / g->unit.one;
}

/* Format a figure of the note with three significant digits. */
static const char *
say(const struct pace_panel_grid *g, double v, char *buf, size_t size)
{
	double x = in(g, v);
	int digits = g->unit.one <= 1 || fabs(x) >= 100 ? 0 : fabs(x) >= 10 ? 1 : 2;

	if (isnan(x))
		snprintf(buf, size, "-");
	else if (fabs(x) >= 1000)
		pace_axis_say(x, buf, size);
	else
		snprintf(buf, size, "%s%.*f", x < -0.005 ? "−" : "", digits, fabs(x));
	return buf;
}

/* "p50 5.25 · p99 13.2 µs · > 60: 39": the values outside the bins come last.  Parts that do
 * not fit are left out. */
static void
say_note(const struct pace_panel_grid *g, const struct pace_bins *b, const struct pace_shape *p,
    char *buf, size_t size)
{
	const bool tail = pace_hist_has_quantile(b->stats.n, 0.99);
	const double low = in(g, (double)p->low),
	    high = in(g, (double)(p->low + p->width * p->bins));
	char middle[48], far[32], outside[80] = "", edge[32], n[32];

	if (b->stats.n == 0) {
		snprintf(buf, size, "no values");
		return;
	}
	pace_axis_count((double)(p->below + p->above), n, sizeof(n));
	if (p->below > 0 && p->above > 0)
		snprintf(outside, sizeof(outside), " · %s outside", n);
	else if (p->below > 0 || p->above > 0)
		snprintf(outside, sizeof(outside), " · %s %s: %s", p->below > 0 ? "<" : ">",
		    pace_axis_say(p->below > 0 ? low : high, edge, sizeof(edge)), n);
	say(g, pace_bins_quantile(b, 0.5), far, sizeof(far));
	snprintf(middle, sizeof(middle), "p50 %s · ", far);
	say(g, tail ? pace_bins_quantile(b, 0.99) : pace_bins_max(b), far, sizeof(far));
	snprintf(buf, size, "%s%s %s %s%s", g->columns > 2 && outside[0] != '\0' ? "" : middle,
	    tail ? "p99" : "max", far, g->unit.name, outside);
}

/* Add counts and summary of a panel; return the highest count. */
static double
put_panel(struct pace_figure *s, struct pace_table *t, struct pace_table *sum,
    const struct pace_panel_grid *g, size_t i, const struct pace_shape *p)
{
	const struct pace_bins *b = g->panel[i].bins;
	double most = 0;

	pace_table_break(s, t);
	for (uint32_t k = 0; k < p->bins; k++) {
		/* a bin of one whole number is centred on it */
		double middle = (double)(p->low + p->width * k) +
		    (g->unit.one <= 1 ? (double)(p->width - 1) : (double)p->width) / 2;

		pace_table_row(s, t, (double[]){ (double)i + 1, in(g, middle),
		    (double)p->count[k] });
		most = fmax(most, (double)p->count[k]);
	}
	pace_table_row(s, sum, (double[]){ (double)i + 1, (double)b->stats.n,
	    in(g, pace_bins_min(b)), in(g, pace_bins_quantile(b, 0.01)),
	    in(g, pace_bins_quantile(b, 0.5)), in(g, pace_bins_quantile(b, 0.99)),
	    in(g, pace_bins_quantile(b, 0.999)), in(g, pace_bins_max(b)), (double)p->below,
	    (double)p->above });
	return most;
}

static void
put_axes(struct pace_figure *s, const struct pace_panel_grid *g, const struct pace_shape *p,
    double most)
{
	const double low = in(g, (double)p->low), width = in(g, (double)p->width);
	const double span = width * p->bins;
	char bin[32];

	pace_figure_num(s, "BW", width);
	pace_axis_even(s, "X", "x", low - (g->unit.one <= 1 ? width / 2 : 0), low + span,
	    pace_axis_step(span, g->columns == 1 ? 10 : g->columns == 2 ? 8 : 5));
	pace_figure_markup(s, "X_NAME", "%s (%s)", g->what, g->unit.name);
	pace_axis_decades(s, "Y", "y", 1, most * TOP_ROOM);
	pace_figure_num(s, "Y_TOP", fmax(most, 2) * TOP_ROOM);
	if (g->unit.one <= 1 && p->width == 1)
		pace_figure_markup(s, "Y_NAME", "%s", g->things);
	else
		pace_figure_markup(s, "Y_NAME", "%s per bin of %s %s", g->things,
		    pace_axis_say(width, bin, sizeof(bin)), g->unit.name);
}

int
pace_panel_grid_columns(size_t n)
{
	return n <= 3 ? 1 : n <= 8 ? 2 : 3;
}

#define BETWEEN		46	/* px between panels, vertically */

static void
put_words(struct pace_figure *s, const struct pace_panel_grid *g)
{
	const int rows = ((int)g->n + g->columns - 1) / g->columns;
	const int height = rows == 1 ? 300 : rows == 2 ? 220 : rows == 3 ? 165 : 125;
	double mark[PACE_PANELS];
	long first = 0;			/* first panel with a mark, from 1 */

	for (size_t i = g->n; i > 0; i--) {
		mark[i - 1] = in(g, g->panel[i - 1].mark);
		first = isnan(mark[i - 1]) ? first : (long)i;
	}
	pace_figure_nums(s, "MARK", mark, g->n);
	pace_figure_markup(s, "MARK_NAME", "%s", g->mark != NULL ? g->mark : "");
	pace_figure_int(s, "MARK_AT", first);
	pace_figure_int(s, "PANELS", (long)g->n);
	pace_figure_int(s, "COLS", g->columns);
	pace_figure_int(s, "PANEL_H", height);
	s->height = 180 - BETWEEN + rows * (height + BETWEEN);
}

void
pace_panel_grid_put(struct pace_figure *s, const struct pace_panel_grid *g)
{
	char note[PACE_PANELS][160];
	struct pace_table *t = pace_figure_table(s, "bins", NULL, PACE_COLUMNS(columns));
	struct pace_table *sum = pace_figure_table(s, "summary", "The distributions",
	    PACE_COLUMNS(summary));
	struct pace_shape *p = malloc(sizeof(*p));
	double most = 1;

	if (p == NULL) {
		s->failed = true;
		return;
	}
	p->width = pace_shape_width(g->low, g->high, BINS_WANTED);
	p->low = (int64_t)floor((double)g->low / (double)p->width) * p->width;
	p->bins = (uint32_t)((g->high - p->low) / p->width + 1);
	if (p->bins < BINS_LEAST) {		/* widen both sides, but not below time 0 */
		int64_t more = BINS_LEAST - p->bins, left = more / 2;

		if (p->low >= 0 && left > p->low / p->width)
			left = p->low / p->width;
		if (g->unit.one <= 1)
			left = 0;		/* counts keep their lower end */
		p->low -= left * p->width;
		p->bins += (uint32_t)more;
	}
	for (size_t i = 0; i < g->n; i++) {
		pace_shape_bins(g->panel[i].bins, p);
		most = fmax(most, put_panel(s, t, sum, g, i, p));
		say_note(g, g->panel[i].bins, p, note[i], sizeof(note[i]));
	}
	put_axes(s, g, p, most);
	pace_figure_strings(s, "NAME", g->panel[0].name, sizeof(g->panel[0]), g->n);
	pace_figure_strings(s, "NOTE", note[0], sizeof(note[0]), g->n);
	put_words(s, g);
	free(p);
}
