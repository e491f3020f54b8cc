/*
 * Arrival gaps: histograms, one for each requested spacing (P9), and their spread against
 * spacing (P10).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/params.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/pick.h"
#include "report/words.h"

static bool
has_gaps(const struct pace_stream_point *l)
{
	return l->rx.gap.n > 0;
}

/* Return whether the stream has a spacing to compare its gaps with. */
static bool
has_errors(const struct pace_stream_point *l)
{
	return l->rx.gap_error.n > 0 && l->ask.spacing > 0;
}

/* Group streams sorted by line: line k begins at at[k], at[lines] is n.  Returns the number
 * of lines. */
static size_t
lines_of(const struct pace_stream_point *const *v, size_t n, size_t *at)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || pace_pick_by_line(v[i], v[i - 1]) != 0)
			at[lines++] = i;
	at[lines] = n;
	return lines;
}

/* --- histograms ---------------------------------------------------------------------- */

#define WIDE		8.0	/* ratio of the largest to the smallest spacing from which gaps
				 * are shown relative to it */
#define BEYOND		6.0	/* limit of the axis, times the median of all panels' p99 */

/* The largest value, limited to BEYOND times the median. */
static double
tame(double *v, size_t n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), pace_pick_by_number);
	return fmin(v[n - 1], BEYOND * v[n / 2]);
}

static void
choose_range(struct pace_panel_grid *g, bool relative, double asked)
{
	double above[PACE_PANELS], below[PACE_PANELS];

	for (size_t i = 0; i < g->n; i++) {
		const struct pace_bins *b = g->panel[i].bins;

		above[i] = fmax(pace_bins_tail(b, relative ? 0.995 : 0.999), 1);
		below[i] = fmax(-pace_bins_tail(b, 0.005), 1);
	}
	g->high = (int64_t)tame(above, g->n);
	g->low = relative ? -(int64_t)tame(below, g->n) : 0;
	if (!relative && asked > 0)
		g->high = (int64_t)fmax(fmin((double)g->high, 3 * asked), 1.4 * asked);
	g->high += (g->high - g->low) / 20 + 1;
	g->low -= relative ? (g->high - g->low) / 20 : 0;
	g->unit = pace_axis_time(fmax((double)g->high, -(double)g->low));
}

/*
 * Choose the streams: for one line up to PACE_PANELS spacings; for several lines the first and
 * the last side by side, at spacings that both have.
 */
static size_t
choose(const struct pace_stream_point *const *v, size_t n, const struct pace_stream_point **shown,
    size_t *columns, size_t *all)
{
	size_t at[PACE_PANELS], *begin = calloc(n + 1, sizeof(*begin)), count = 0, k = 0;
	size_t lines = begin != NULL ? lines_of(v, n, begin) : 0, last;
	const struct pace_stream_point **pair = calloc(2 * n, sizeof(*pair));

	*columns = 1;
	*all = 0;
	last = lines > 0 ? begin[lines - 1] : 0;
	for (size_t i = 0; lines > 1 && pair != NULL && i < begin[1]; i++) {
		while (last + k < n && v[last + k]->ask.spacing < v[i]->ask.spacing)
			k++;
		if (last + k < n && v[last + k]->ask.spacing == v[i]->ask.spacing) {
			pair[2 * *all] = v[i];
			pair[2 * (*all)++ + 1] = v[last + k];
		}
	}
	if (*all > 0) {
		*columns = 2;
		count = pace_pick(*all, PACE_PANELS / 2, at);
		for (size_t i = 0; i < count; i++) {
			shown[2 * i] = pair[2 * at[i]];
			shown[2 * i + 1] = pair[2 * at[i] + 1];
		}
		count *= 2;
	} else if (lines > 0) {
		size_t from;

		*all = pace_pick_line(v, n, &from);
		count = pace_pick(*all, PACE_PANELS, at);
		for (size_t i = 0; i < count; i++)
			shown[i] = v[from + at[i]];
	}
	free(begin);
	free(pair);
	return count;
}

/* Gaps; if the spacings differ widely, gaps less the requested spacing. */
static void
put_panels(struct pace_figure *s, const struct pace_stream_point *const *shown, size_t n,
    size_t columns)
{
	struct pace_panel_grid g = { .n = n, .things = "Frames", .mark = "requested",
	    .columns = columns == 2 ? 2 : pace_panel_grid_columns(n) };
	double least = INFINITY, most = 0;
	bool relative;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, pace_params_gap_ns(&shown[i]->ask));
		most = fmax(most, pace_params_gap_ns(&shown[i]->ask));
	}
	/* all back to back: there is no spacing to compare with */
	relative = least > 0 && most / least > WIDE;
	g.what = relative ? "Arrival gap less requested spacing" :
	    "Arrival gap";
	for (size_t i = 0; i < n; i++) {
		const struct pace_stream_point *l = shown[i];
		const double gap = pace_params_gap_ns(&l->ask);
		struct pace_panel *p = &g.panel[i];

		p->bins = relative ? &l->rx.gap_error : &l->rx.gap;
		p->mark = relative ? 0 : gap > 0 ? gap : NAN;
		pace_words_stream(l, columns == 2, p->name, sizeof(p->name));
	}
	choose_range(&g, relative, most);
	pace_panel_grid_put(s, &g);
}

static void
make_gaps(const struct pace_run *r, struct pace_figure *s)
{
	const struct pace_stream_point *shown[PACE_PANELS];
	size_t n, count, columns, all;
	const struct pace_stream_point **v = pace_pick_all(r, has_gaps, &n);
	size_t *begin = calloc(n + 1, sizeof(*begin));
	const char *lines = pace_words_lines(r);
	char what[160], line[60], some[80] = "";

	if (n == 0 || begin == NULL) {
		free(v);
		free(begin);
		s->failed = true;
		return;
	}
	count = choose(v, n, shown, &columns, &all);
	put_panels(s, shown, count, columns);
	if (count / columns < all)
		snprintf(some, sizeof(some), " · %zu of %zu spacings, evenly chosen",
		    count / columns, all);
	all = lines_of(v, n, begin);
	if (columns == 1)
		snprintf(what, sizeof(what), "%s%s", pace_words_line(shown[0], line, sizeof(line)), some);
	else if (all == 2)
		snprintf(what, sizeof(what), "both %s%s", lines, some);
	else if (strcmp(lines, "sizes") == 0)
		snprintf(what, sizeof(what), "smallest and largest size%s", some);
	else
		snprintf(what, sizeof(what), "2 of %zu %s%s", all, lines, some);
	pace_words_subtitle(s, r, what);
	free(begin);
	free(v);
}

const struct pace_fig pace_fig_gaps = {
	"P9", "gaps", "hist.gp", "Histograms of arrival gaps", 900, 600,
	.marked = true,
	.has = has_gaps, .make = make_gaps,
	.formula = "gaps of unique frames in order of arrival",
	.caption = "The spacing after the path. Frames left of the requested spacing arrived "
	    "in groups, frames right of it after a pause. Several peaks are batches: "
	    "interrupt coalescing, or a core that slept.",
};

/* --- spread against spacing ---------------------------------------------------------- */

#define LINES_SHOWN	6
#define LINEAR_US	0.1	/* the axis is linear up to this value, logarithmic beyond */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "x", NULL, 0 }, { "spacing_us", "Spacing (µs)", 6 },
	{ "frames", "Gaps", 0 }, { "p1_us", "p1 (µs)", 4 }, { "p50_us", "p50 (µs)", 4 },
	{ "p99_us", "p99 (µs)", 4 }, { "max_us", "max (µs)", 4 },
	{ "sent_p1_us", "sent p1 (µs)", 4 }, { "sent_p99_us", "sent p99 (µs)", 4 },
	{ "degraded", "Degraded", 0 },
	{ "left_p1_us", "left p1 (µs)", 4 }, { "left_p99_us", "left p99 (µs)", 4 },
};

/* The gaps as they left the host, of those that the kernel stamped; NAN: too few. */
static double
left_us(const struct pace_stream_point *l, double q)
{
	return isnan(l->departed_near) ? NAN : pace_bins_tail(&l->tx.left_error, q) / 1e3;
}

/* Ticks at 0 and at whole decades on both sides; the axis is asinh(v / LINEAR_US). */
static void
put_spread_ticks(struct pace_figure *s, const char *name, bool labels, double low, double high)
{
	char text[768], label[32];
	int n = snprintf(text, sizeof(text), "set ytics (\"%s\" 0", labels ? "0" : "");

	for (int sign = -1; sign <= 1; sign += 2)
		for (double v = LINEAR_US; v <= 1e8 && n < (int)sizeof(text) - 64; v *= 10) {
			if (sign * v < low * 1.5 || sign * v > high * 1.5)
				continue;
			pace_axis_say(v, label, sizeof(label));
			/* labels of the first decades would overlap */
			n += snprintf(text + n, sizeof(text) - (size_t)n, ", \"%s%s\" place(%g)",
			    !labels || v <= LINEAR_US ? "" : sign < 0 ? "−" : "+",
			    labels && v > LINEAR_US ? label : "", sign * v);
		}
	pace_figure_markup(s, name, "%s)", text);
}

/* Add the rows and the name of each line shown. */
static void
put_lines(struct pace_figure *s, const struct pace_axis_spacing *x,
    const struct pace_stream_point *const *v, const size_t *begin, const size_t *at, size_t shown)
{
	struct pace_table *t = pace_figure_table(s, "spread", "Arrival gap less requested spacing",
	    PACE_COLUMNS(columns));
	double low = -LINEAR_US, high = LINEAR_US;
	bool left = false;
	char name[LINES_SHOWN][60];

	for (size_t k = 0; k < shown; k++) {
		pace_words_line(v[begin[at[k]]], name[k], sizeof(name[k]));
		pace_table_break(s, t);
		for (size_t i = begin[at[k]]; i < begin[at[k] + 1]; i++) {
			const struct pace_bins *g = &v[i]->rx.gap_error,
			    *sent = &v[i]->tx.gap_error;
			const double spacing = pace_params_spacing_ns(&v[i]->ask) / 1e3;
			const double row[] = { v[i]->ask.size_bytes, pace_axis_place(x, spacing),
			    spacing, (double)g->stats.n, pace_bins_tail(g, 0.01) / 1e3,
			    pace_bins_quantile(g, 0.5) / 1e3, pace_bins_tail(g, 0.99) / 1e3,
			    pace_bins_max(g) / 1e3, pace_bins_tail(sent, 0.01) / 1e3,
			    pace_bins_tail(sent, 0.99) / 1e3, v[i]->verdict == PACE_DEGRADED,
			    left_us(v[i], 0.01), left_us(v[i], 0.99) };

			low = fmin(low, fmin(fmin(row[4], row[8]), row[11]));
			high = fmax(high, fmax(fmax(row[6], row[9]), row[12]));
			left |= !isnan(row[11]);
			pace_table_row(s, t, row);
		}
	}
	put_spread_ticks(s, "Y_TICKS", true, low, high);
	put_spread_ticks(s, "Y_BARE", false, low, high);
	pace_figure_num(s, "Y_LOW", low * 1.6);
	pace_figure_num(s, "Y_HIGH", high * 1.6);
	pace_figure_int(s, "LEFT_HOST", left);
	pace_figure_num(s, "LINEAR", LINEAR_US);
	pace_figure_strings(s, "NAME", name[0], sizeof(name[0]), shown);
}

static void
make_spread(const struct pace_run *r, struct pace_figure *s)
{
	size_t n, at[LINES_SHOWN], lines, shown;
	const struct pace_stream_point **v = pace_pick_all(r, has_errors, &n);
	size_t *begin = calloc(n + 1, sizeof(*begin));
	double *place = calloc(n + 1, sizeof(*place));
	struct pace_axis_spacing x;
	char what[80];
	int across, rows, height;

	if (n == 0 || begin == NULL || place == NULL) {
		s->failed = true;
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		place[i] = pace_params_spacing_ns(&v[i]->ask) / 1e3;
	pace_axis_spacings(&x, place, n);
	pace_axis_put_spacing(s, &x);
	lines = lines_of(v, n, begin);
	shown = pace_pick(lines, LINES_SHOWN, at);
	put_lines(s, &x, v, begin, at, shown);
	across = shown > 3 ? 2 : 1;
	rows = ((int)shown + across - 1) / across;
	height = rows == 1 ? 360 : rows == 2 ? 240 : 180;
	pace_figure_int(s, "PANELS", (long)shown);
	pace_figure_int(s, "COLS", across);
	pace_figure_int(s, "PANEL_H", height);
	s->height = 180 - 46 + rows * (height + 46);
	if (shown < lines) {
		snprintf(what, sizeof(what), "%zu of %zu %s, evenly chosen", shown, lines,
		    pace_words_lines(r));
		pace_words_subtitle(s, r, what);
	}
out:
	free(begin);
	free(place);
	free(v);
}

static bool
wants_spread(const struct pace_run *r)
{
	size_t n, from, most;
	const struct pace_stream_point **v = pace_pick_all(r, has_errors, &n);

	most = pace_pick_line(v, n, &from);
	free(v);
	return most >= 2;
}

const struct pace_fig pace_fig_spread = {
	"P10", "spread", "spread.gp", "Spread of arrival gaps", 900, 600,
	.marked = true,
	.wanted = wants_spread, .make = make_spread,
	.formula = "axis linear within ± 0.1 µs; extremes if there are too few gaps",
	.caption = "Difference between gaps and the requested spacing. The dashed lines are "
	    "the gaps between the sender's clock readings, the dotted lines the gaps as they left "
	    "its host, by the kernel's stamps; the band outside comes from the path and the "
	    "receiver. For trains, gaps are measured from train to train.",
};
