/*
 * Round trips: against size with the line through them (P6), and their
 * histograms (P7).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/linefit.h"
#include "core/units.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/pick.h"
#include "report/words.h"

#define TRIPS_MAX	2048	/* sizes of a figure */
#define FIT_LEAST	3	/* sizes for a line */
#define STEEP		4.0	/* a band higher than that many medians is cut */

static bool
has_trips(const struct pace_report_data *b, const struct pace_run *r)
{
	const struct pace_rtt_point *v[1];

	(void)b;
	return pace_pick_rtt(r, v, 1) > 0;
}

/* --- against size -------------------------------------------------------------------- */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "requests", "Requests", 0 },
	{ "replies", "Replies", 0 }, { "min_us", "min (µs)", 5 }, { "p50_us", "p50 (µs)", 5 },
	{ "p90_us", "p90 (µs)", 5 }, { "p99_us", "p99 (µs)", 5 }, { "max_us", "max (µs)", 5 },
	{ "residual_us", "min less fit (µs)", 3 },
};
enum { SIZE, REQUESTS, REPLIES, MIN, P50, P90, P99, MAX, RESIDUAL, COLUMNS };

struct fig_rtt_trips {
	const struct pace_rtt_point *v[TRIPS_MAX];
	size_t	n;
	struct pace_linefit fit;
	double	expected;		/* ns per byte; 0: not told */
	struct pace_axis_unit unit;
	int	band;			/* column that the band goes up to */
	double	most, median, lowest;	/* ns: of the band; of the medians; of residuals' size */
};

/* As the document has it: through every point with replies. */
static void
fit_line(struct fig_rtt_trips *t, const struct pace_run *r, struct pace_figure *s)
{
	double *x = calloc(2 * r->trips, sizeof(*x)), *y = x + r->trips;
	size_t n = 0;

	if (x == NULL) {
		s->failed = true;
		return;
	}
	for (size_t i = 0; i < r->trips; i++)
		if (r->trip[i].received > 0) {
			x[n] = r->trip[i].ask.size_bytes;
			y[n++] = (double)r->trip[i].rtt.stats.min;
		}
	if (t->n >= FIT_LEAST)
		pace_linefit(&t->fit, x, y, n);
	t->expected = json_number_value(json_object_get(json_object_get(r->extra, "fit"),
	    "expected_slope_ns_per_byte"));
	free(x);
}

static double
quantile(const struct pace_rtt_point *p, int column)
{
	switch (column) {
	case MIN:	return pace_bins_min(&p->rtt);
	case P50:	return pace_bins_quantile(&p->rtt, 0.5);
	case P90:	return pace_bins_quantile(&p->rtt, 0.9);
	case P99:	return pace_bins_quantile(&p->rtt, 0.99);
	default:	return pace_bins_max(&p->rtt);
	}
}

/* The highest that every size has enough replies for. */
static void
choose_band(struct fig_rtt_trips *t)
{
	t->band = P99;
	for (size_t i = 0; i < t->n; i++) {
		while (t->band > P50 && isnan(quantile(t->v[i], t->band)))
			t->band--;
		t->median = fmax(t->median, quantile(t->v[i], P50));
	}
	if (t->band == P50)
		t->band = MAX;
	for (size_t i = 0; i < t->n; i++)
		t->most = fmax(t->most, quantile(t->v[i], t->band));
}

static double
residual(const struct fig_rtt_trips *t, const struct pace_rtt_point *p)
{
	return pace_bins_min(&p->rtt) - t->fit.intercept - t->fit.slope * p->ask.size_bytes;
}

static void
put_trips(struct pace_figure *s, const struct fig_rtt_trips *t)
{
	struct pace_table *table = pace_figure_table(s, "trips", "Round trips", columns, COLUMNS);

	for (size_t i = 0; i < t->n; i++) {
		const struct pace_rtt_point *p = t->v[i];
		double row[COLUMNS] = { p->ask.size_bytes, (double)p->sent, (double)p->received };

		for (int c = MIN; c <= MAX; c++)
			row[c] = quantile(p, c) / 1e3;
		row[RESIDUAL] = t->fit.has_line ? residual(t, p) / 1e3 : NAN;
		pace_table_row(s, table, row);
	}
}

static void
put_fit(struct pace_figure *s, const struct fig_rtt_trips *t)
{
	const struct pace_linefit *f = &t->fit;
	double low = INFINITY, high = -INFINITY;

	pace_figure_int(s, "FIT", f->has_line);
	pace_figure_num(s, "FIT_AT_0", f->intercept / 1e3);
	pace_figure_num(s, "FIT_SLOPE", f->slope / 1e3);
	pace_figure_num(s, "WIRE_SLOPE", t->expected / 1e3);
	pace_figure_int(s, "WIRE", f->has_line && t->expected > 0);
	pace_figure_markup(s, "FIT_LINE1", "%.4g µs %s %.3g ns/B × size", f->intercept / 1e3,
	    f->slope < 0 ? "−" : "+", fabs(f->slope));
	pace_figure_text(s, "FIT_LINE2", "");	/* unless it has errors */
	pace_figure_text(s, "FIT_LINE3", "");
	if (f->has_errors) {
		pace_figure_markup(s, "FIT_LINE2", "± %.2g µs, ± %.2g ns/B",
		    f->intercept_stderr / 1e3, f->slope_stderr);
		pace_figure_markup(s, "FIT_LINE3", "R² %.4f, %zu sizes", f->r2, f->n);
	}
	pace_figure_markup(s, "WIRE_LINE", "%.3g ns/B", t->expected);
	for (size_t i = 0; i < t->n && f->has_line; i++) {
		low = fmin(low, residual(t, t->v[i]) / 1e3);
		high = fmax(high, residual(t, t->v[i]) / 1e3);
	}
	if (f->has_line)
		pace_axis_between(s, "RES", fmin(low, -0.01), fmax(high, 0.01), 4);
}

static void
put_size_axis(struct pace_figure *s, const struct fig_rtt_trips *t)
{
	const double most = t->v[t->n - 1]->ask.size_bytes;

	pace_figure_num(s, "X_LOW", 0);
	pace_figure_num(s, "X_HIGH", most * 1.03);
	pace_figure_num(s, "X_STEP", most > 1000 && most < 1600 ? 200 : pace_axis_step(most, 8));
}

static void
make_latency(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	static const char *const names[] = { [P90] = "p90", [P99] = "p99", [MAX] = "max" };
	struct fig_rtt_trips *t = calloc(1, sizeof(*t));
	char count[40], what[120], top[32];
	size_t all;

	(void)b;
	if (t == NULL) {
		s->failed = true;
		return;
	}
	all = pace_pick_rtt(r, t->v, TRIPS_MAX);
	t->n = all < TRIPS_MAX ? all : TRIPS_MAX;
	fit_line(t, r, s);
	choose_band(t);
	put_trips(s, t);
	put_fit(s, t);
	put_size_axis(s, t);
	pace_figure_int(s, "BAND", t->band + 1);
	pace_figure_markup(s, "BAND_NAME", "min to %s", names[t->band]);
	pace_figure_text(s, "CUT_NOTE", "");
	if (t->most > STEEP * t->median)
		pace_figure_markup(s, "CUT_NOTE", "%s up to %s µs, cut", names[t->band],
		    pace_axis_say(t->most / 1e3, top, sizeof(top)));
	pace_axis_from_zero(s, "Y", (t->most > STEEP * t->median ? STEEP / 2 * t->median :
	    t->most) / 1e3, 6);
	s->height = t->fit.has_line ? 736 : 570;
	snprintf(what, sizeof(what), "%s requests of each size%s", pace_axis_count(
	    (double)t->v[0]->ask.count, count, sizeof(count)), t->v[0]->ask.interval_ns == 0 ?
	    ", ping-pong" : "");
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "round trip of the application, clock read before send "
	    "and behind receive");
	pace_figure_say(s, &s->caption, "What every frame costs is where the "
	    "line meets 0, what every byte costs is its slope; steps in the lower panel are where "
	    "a page, a buffer or a fragment more is needed.");
	free(t);
}

const struct pace_fig pace_fig_latency = {
	"P6", "latency", "latency.gp", "Round trip against size", 900, 736, has_trips,
	make_latency,
};

/* --- histograms ---------------------------------------------------------------------- */

#define TAIL		7.0	/* the axis ends so many (median - lowest) above the lowest */

/* From the lowest to p99.9, held so that the body can be seen. */
static void
choose_range(struct pace_panel_grid *g)
{
	double low = INFINITY, middle = 0, high = 0, body = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct pace_bins *h = g->panel[i].bins;
		double p999 = pace_bins_quantile(h, 0.999), p90 = pace_bins_quantile(h, 0.9);

		low = fmin(low, pace_bins_min(h));
		middle = fmax(middle, pace_bins_quantile(h, 0.5));
		high = fmax(high, isnan(p999) ? pace_bins_max(h) : p999);
		body = fmax(body, isnan(p90) ? pace_bins_max(h) : p90);
	}
	high = fmin(high, fmax(low + TAIL * (middle - low), 1.1 * body));
	g->low = (int64_t)fmax(low - 0.05 * (high - low), 0);
	g->high = (int64_t)(high + 0.02 * (high - low)) + 1;
}

static void
make_trip_hist(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_panel_grid g = { .what = "Round-trip time", .things = "Replies" };
	const struct pace_rtt_point *v[TRIPS_MAX];
	size_t at[PACE_PANELS], n = pace_pick_rtt(r, v, TRIPS_MAX);
	char what[80] = "";

	(void)b;
	g.n = pace_pick(n < TRIPS_MAX ? n : TRIPS_MAX, PACE_PANELS, at);
	for (size_t i = 0; i < g.n; i++) {
		g.panel[i] = (struct pace_panel){ .bins = &v[at[i]]->rtt, .mark = NAN };
		snprintf(g.panel[i].name, sizeof(g.panel[i].name), "%u B",
		    v[at[i]]->ask.size_bytes);
	}
	choose_range(&g);
	g.columns = pace_panel_grid_columns(g.n);
	g.unit = pace_axis_time((double)g.high);
	pace_panel_grid_put(s, &g);
	if (g.n < n)
		snprintf(what, sizeof(what), "%zu of %zu sizes, evenly chosen", g.n, n);
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "");
	pace_figure_say(s, &s->caption, "How round trips were spread, counts on a logarithmic axis: "
	    "several peaks are several paths through a host (sleep states, interrupt "
	    "coalescing), a long foot is waiting.");
}

const struct pace_fig pace_fig_rtt_hist = {
	"P7", "roundtrips", "hist.gp", "Histograms of the round trip", 900, 600,
	has_trips, make_trip_hist,
};
