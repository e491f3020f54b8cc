/*
 * Arrival spacing: histograms, one for each spacing asked for (P9), and its
 * spread against spacing (P10).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "doc/params.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/pick.h"
#include "report/words.h"

#define STREAMS_MAX	8192	/* looked at */

static bool
has_gaps(const struct pace_stream_point *l)
{
	return l->rx.gap.n > 0;
}

/* Streams with a spacing, whose gaps can be compared with it. */
static bool
has_errors(const struct pace_stream_point *l)
{
	return l->rx.gap_error.n > 0 && l->ask.spacing > 0;
}

/* malloced; NULL: none. */
static const struct pace_stream_point **
streams(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l), size_t *n)
{
	const struct pace_stream_point **v = calloc(STREAMS_MAX, sizeof(*v));

	*n = v != NULL ? pace_pick_streams(r, has, v, STREAMS_MAX) : 0;
	*n = *n < STREAMS_MAX ? *n : STREAMS_MAX;
	if (*n > 0)
		return v;
	free(v);
	return NULL;
}

static bool
any(const struct pace_run *r, bool (*has)(const struct pace_stream_point *l))
{
	const struct pace_stream_point *v[1];

	return pace_pick_streams(r, has, v, 1) > 0;
}

/* Sizes among streams that are in order of size; at[k] is where the k-th begins, at[sizes] n. */
static size_t
sizes_of(const struct pace_stream_point *const *v, size_t n, size_t *at)
{
	size_t sizes = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || v[i]->ask.size_bytes != v[i - 1]->ask.size_bytes)
			at[sizes++] = i;
	at[sizes] = n;
	return sizes;
}

/* --- histograms ---------------------------------------------------------------------- */

#define WIDE		8.0	/* largest asked for to smallest: then relative to it */
#define BEYOND		6.0	/* times the middle one of all p99: no tail is shown further */

/* What is drawn: gaps, or gaps less what was asked for. */
static bool
is_relative(const struct pace_stream_point *const *v, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		double gap = pace_params_gap_ns(&v[i]->ask);

		if (gap <= 0)
			return false;	/* back to back: nothing to compare with */
		least = fmin(least, gap);
		most = fmax(most, gap);
	}
	return most / least > WIDE;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The widest of all, but not much wider than the middle one. */
static double
tame(double *v, size_t n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return fmin(v[n - 1], BEYOND * v[n / 2]);
}

static double
upper(const struct pace_bins *b, double q)
{
	double v = pace_bins_quantile(b, q);

	return isnan(v) ? pace_bins_max(b) : v;
}

static double
lower(const struct pace_bins *b, double q)
{
	double v = pace_bins_quantile(b, q);

	return isnan(v) ? pace_bins_min(b) : v;
}

static void
choose_range(struct pace_panel_grid *g, bool relative, double asked)
{
	double above[PACE_PANELS], below[PACE_PANELS];

	for (size_t i = 0; i < g->n; i++) {
		const struct pace_bins *b = g->panel[i].bins;

		above[i] = fmax(upper(b, relative ? 0.995 : 0.999), 1);
		below[i] = fmax(-lower(b, 0.005), 1);
	}
	g->high = (int64_t)tame(above, g->n);
	g->low = relative ? -(int64_t)tame(below, g->n) : 0;
	if (!relative && asked > 0)
		g->high = (int64_t)fmax(fmin((double)g->high, 3 * asked), 1.4 * asked);
	g->high += (g->high - g->low) / 20 + 1;
	g->low -= relative ? (g->high - g->low) / 20 : 0;
}

static void
name_panel(struct pace_panel *p, const struct pace_stream_point *l, bool with_size)
{
	char spacing[32], size[32] = "";

	if (with_size)
		snprintf(size, sizeof(size), "%u B, ", l->ask.size_bytes);
	if (l->ask.spacing == 0)
		snprintf(spacing, sizeof(spacing), "back to back");
	else
		pace_print(PACE_UNIT_USEC, pace_params_gap_ns(&l->ask), spacing, sizeof(spacing));
	snprintf(p->name, sizeof(p->name), "%s%s", size, spacing);
}

/*
 * Which streams: of one size up to PACE_PANELS spacings; of several the smallest and
 * the largest beside each other, at spacings that both have.
 */
static size_t
choose(const struct pace_stream_point *const *v, size_t n, const struct pace_stream_point **shown,
    size_t *columns, size_t *all)
{
	size_t at[PACE_PANELS], *begin = calloc(n + 1, sizeof(*begin)), count = 0, k = 0;
	size_t sizes = begin != NULL ? sizes_of(v, n, begin) : 0, last;
	const struct pace_stream_point **pair = calloc(2 * n, sizeof(*pair));

	*columns = 1;
	*all = 0;
	last = sizes > 0 ? begin[sizes - 1] : 0;
	for (size_t i = 0; sizes > 1 && pair != NULL && i < begin[1]; i++) {
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
	} else if (sizes > 0) {
		size_t from;

		*all = pace_pick_size(v, n, &from);
		count = pace_pick(*all, PACE_PANELS, at);
		for (size_t i = 0; i < count; i++)
			shown[i] = v[from + at[i]];
	}
	free(begin);
	free(pair);
	return count;
}

static void
say_gaps(struct pace_figure *s, const struct pace_run *r, const struct pace_stream_point *const *shown,
    size_t n, size_t columns, size_t all, size_t sizes)
{
	char what[160], some[80] = "";

	if (n / columns < all)
		snprintf(some, sizeof(some), " · %zu of %zu spacings, evenly chosen", n / columns,
		    all);
	if (columns == 2)
		snprintf(what, sizeof(what), "%s%s", sizes > 2 ?
		    "smallest and largest size" : "both sizes", some);
	else
		snprintf(what, sizeof(what), "%u B of data%s", shown[0]->ask.size_bytes, some);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "gaps of unique frames in order of arrival");
	pace_figure_say(s, &s->caption, "What became of an even spacing on its way. Frames left of the "
	    "requested spacing came in groups, those right of it after a pause; several peaks "
	    "are batches: interrupt coalescing, or a core that slept.");
}

static void
make_gaps(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_panel_grid g = { .things = "Frames", .mark = "requested" };
	const struct pace_stream_point *shown[PACE_PANELS];
	size_t n, columns, all, *begin;
	const struct pace_stream_point **v = streams(r, has_gaps, &n);
	double most = 0;
	bool relative;

	(void)b;
	begin = v != NULL ? calloc(n + 1, sizeof(*begin)) : NULL;
	if (begin == NULL) {
		free(v);
		s->failed = true;
		return;
	}
	g.n = choose(v, n, shown, &columns, &all);
	relative = is_relative(shown, g.n);
	for (size_t i = 0; i < g.n; i++) {
		double gap = pace_params_gap_ns(&shown[i]->ask);

		g.panel[i].bins = relative ? &shown[i]->rx.gap_error : &shown[i]->rx.gap;
		g.panel[i].mark = relative ? 0 : gap > 0 ? gap : NAN;
		name_panel(&g.panel[i], shown[i], columns == 2);
		most = fmax(most, gap);
	}
	g.what = relative ? "Time between arrivals less requested spacing" :
	    "Time between arrivals";
	choose_range(&g, relative, most);
	g.columns = columns == 2 ? 2 : pace_panel_grid_columns(g.n);
	g.unit = pace_axis_time(fmax((double)g.high, -(double)g.low));
	pace_panel_grid_put(s, &g);
	say_gaps(s, r, shown, g.n, columns, all, sizes_of(v, n, begin));
	free(begin);
	free(v);
}

static bool
wants_gaps(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	return any(r, has_gaps);
}

const struct pace_fig pace_fig_gaps = {
	"P9", "gaps", "hist.gp", "Histograms of arrival spacing", 900, 600,
	wants_gaps, make_gaps,
};

/* --- spread against spacing ---------------------------------------------------------- */

#define SIZES_SHOWN	6
#define LINEAR_US	0.1	/* the axis is linear within, logarithmic beyond */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "x", NULL, 0 }, { "spacing_us", "Spacing (µs)", 6 },
	{ "frames", "Gaps", 0 }, { "p1_us", "p1 (µs)", 4 }, { "p50_us", "p50 (µs)", 4 },
	{ "p99_us", "p99 (µs)", 4 }, { "max_us", "max (µs)", 4 },
	{ "sent_p1_us", "sent p1 (µs)", 4 }, { "sent_p99_us", "sent p99 (µs)", 4 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

/* Ticks at 0 and whole decades on both sides of it; the axis is asinh(v / LINEAR_US). */
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
			/* the first ones would stand in each other's way */
			n += snprintf(text + n, sizeof(text) - (size_t)n, ", \"%s%s\" place(%g)",
			    !labels || v <= LINEAR_US ? "" : sign < 0 ? "−" : "+",
			    labels && v > LINEAR_US ? label : "", sign * v);
		}
	pace_figure_markup(s, name, "%s)", text);
}

static void
put_spread_axis(struct pace_figure *s, double low, double high)
{
	low = fmin(low, -LINEAR_US);
	high = fmax(high, LINEAR_US);
	put_spread_ticks(s, "Y_TICKS", true, low, high);
	put_spread_ticks(s, "Y_BARE", false, low, high);
	pace_figure_num(s, "Y_LOW", low * 1.6);
	pace_figure_num(s, "Y_HIGH", high * 1.6);
	pace_figure_num(s, "LINEAR", LINEAR_US);
}

struct extent {
	double low, high;	/* µs, of everything drawn */
};

static void
put_stream(struct pace_figure *s, struct pace_table *t, const struct pace_axis_spacing *x,
    const struct pace_stream_point *l, struct extent *e)
{
	const struct pace_bins *g = &l->rx.gap_error, *sent = &l->tx.gap_error;
	const double spacing = pace_params_gap_ns(&l->ask) / 1e3;
	const double row[COLUMNS] = { l->ask.size_bytes, pace_axis_place(x, spacing), spacing,
	    (double)g->stats.n, lower(g, 0.01) / 1e3, pace_bins_quantile(g, 0.5) / 1e3,
	    upper(g, 0.99) / 1e3, pace_bins_max(g) / 1e3,
	    sent->n > 0 ? lower(sent, 0.01) / 1e3 : NAN,
	    sent->n > 0 ? upper(sent, 0.99) / 1e3 : NAN };

	e->low = fmin(e->low, fmin(row[4], row[8]));
	e->high = fmax(e->high, fmax(row[6], row[9]));
	pace_table_row(s, t, row);
}

static void
put_spacings(struct pace_figure *s, struct pace_axis_spacing *x,
    const struct pace_stream_point *const *v, size_t n)
{
	double *place = calloc(n, sizeof(*place));

	for (size_t i = 0; place != NULL && i < n; i++)
		place[i] = pace_params_gap_ns(&v[i]->ask) / 1e3;
	if (place == NULL)
		s->failed = true;
	else
		pace_axis_spacings(x, place, n);
	free(place);
	if (!s->failed)
		pace_axis_put_spacing(s, x);
}

static void
put_panels(struct pace_figure *s, size_t n)
{
	const int across = n > 3 ? 2 : 1, rows = ((int)n + across - 1) / across;
	const int height = rows == 1 ? 360 : rows == 2 ? 240 : 180;

	pace_figure_int(s, "PANELS", (long)n);
	pace_figure_int(s, "COLS", across);
	pace_figure_int(s, "PANEL_H", height);
	s->height = 180 - 46 + rows * (height + 46);
}

static void
say_spread(struct pace_figure *s, const struct pace_run *r, size_t shown, size_t sizes)
{
	char what[80] = "";

	if (shown < sizes)
		snprintf(what, sizeof(what), "%zu of %zu sizes, evenly chosen", shown, sizes);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "axis linear within ± 0.1 µs; of too few gaps the extremes");
	pace_figure_say(s, &s->caption, "How far gaps were from the spacing asked for. What the path and "
	    "the receiver did is the band outside the dashed lines, which are the gaps that "
	    "the sender left.");
}

static void
make_spread(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	size_t n, at[SIZES_SHOWN], *begin, sizes, shown;
	const struct pace_stream_point **v = streams(r, has_errors, &n);
	char name[SIZES_SHOWN][32];
	const char *names[SIZES_SHOWN];
	struct extent e = { 0, 0 };
	struct pace_axis_spacing x = { .log = false };
	struct pace_table *t;

	(void)b;
	begin = v != NULL ? calloc(n + 1, sizeof(*begin)) : NULL;
	if (begin == NULL) {
		free(v);
		s->failed = true;
		return;
	}
	put_spacings(s, &x, v, n);
	sizes = sizes_of(v, n, begin);
	shown = pace_pick(sizes, SIZES_SHOWN, at);
	t = pace_figure_table(s, "spread", "Arrival gap less requested spacing", columns, COLUMNS);
	for (size_t k = 0; k < shown; k++) {
		names[k] = name[k];
		snprintf(name[k], sizeof(name[k]), "%u B", v[begin[at[k]]]->ask.size_bytes);
		pace_table_break(s, t);
		for (size_t i = begin[at[k]]; i < begin[at[k] + 1]; i++)
			put_stream(s, t, &x, v[i], &e);
	}
	put_spread_axis(s, e.low, e.high);
	pace_figure_texts(s, "NAME", names, shown);
	put_panels(s, shown);
	say_spread(s, r, shown, sizes);
	free(begin);
	free(v);
}

static bool
wants_spread(const struct pace_report_data *b, const struct pace_run *r)
{
	size_t n, from, most;
	const struct pace_stream_point **v = streams(r, has_errors, &n);

	(void)b;
	most = v != NULL ? pace_pick_size(v, n, &from) : 0;
	free(v);
	return most >= 2;
}

const struct pace_fig pace_fig_spread = {
	"P10", "spread", "spread.gp", "Spread of arrival spacing", 900, 600, wants_spread,
	make_spread,
};
