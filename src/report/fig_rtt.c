/*
 * Round trips: against size, with a fitted line (P6), and their histograms (P7).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/linefit.h"
#include "report/fig.h"
#include "report/grid.h"
#include "report/pick.h"
#include "report/words.h"

#define FIT_LEAST	3	/* sizes that a line needs */
#define STEEP		4.0	/* the band is cut at this multiple of the medians */

/* --- against size -------------------------------------------------------------------- */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Data (B)", 0 }, { "requests", "Requests", 0 },
	{ "replies", "Replies", 0 }, { "min_us", "min (µs)", 5 }, { "p50_us", "p50 (µs)", 5 },
	{ "p90_us", "p90 (µs)", 5 }, { "p99_us", "p99 (µs)", 5 }, { "max_us", "max (µs)", 5 },
	{ "residual_us", "min less fit (µs)", 3 },
};
enum { SIZE, REQUESTS, REPLIES, MIN, P50, P90, P99, MAX, RESIDUAL, COLUMNS };

struct fig_rtt_trips {
	const struct pace_rtt_point **v;
	size_t	n;
	struct pace_linefit fit;
	double	expected;		/* ns per byte; 0: not known */
	int	band;			/* column of the band's upper edge */
	double	most, median;		/* ns: maximum of the band, of the medians */
};

/* Fit the line as the document does: through every point with replies. */
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

/* The band ends at the highest quantile for which every size has enough replies. */
static void
put_band(struct pace_figure *s, struct fig_rtt_trips *t)
{
	static const char *const names[] = { [P90] = "p90", [P99] = "p99", [MAX] = "max" };
	char top[32];

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
	pace_figure_int(s, "BAND", t->band + 1);
	pace_figure_markup(s, "BAND_NAME", "min to %s", names[t->band]);
	pace_figure_text(s, "CUT_NOTE", "");
	if (t->most > STEEP * t->median)
		pace_figure_markup(s, "CUT_NOTE", "%s up to %s µs, cut", names[t->band],
		    pace_axis_say(t->most / 1e3, top, sizeof(top)));
	pace_axis_from_zero(s, "Y", (t->most > STEEP * t->median ? STEEP / 2 * t->median :
	    t->most) / 1e3, 6);
}

static void
put_trips(struct pace_figure *s, const struct fig_rtt_trips *t)
{
	struct pace_table *table = pace_figure_table(s, "trips", "Round trips",
	    PACE_COLUMNS(columns));
	double low = -0.01, high = 0.01;

	for (size_t i = 0; i < t->n; i++) {
		const struct pace_rtt_point *p = t->v[i];
		double row[COLUMNS] = { p->ask.size_bytes, (double)p->sent, (double)p->received };

		for (int c = MIN; c <= MAX; c++)
			row[c] = quantile(p, c) / 1e3;
		row[RESIDUAL] = t->fit.has_line ? (pace_bins_min(&p->rtt) - t->fit.intercept -
		    t->fit.slope * p->ask.size_bytes) / 1e3 : NAN;
		low = fmin(low, row[RESIDUAL]);
		high = fmax(high, row[RESIDUAL]);
		pace_table_row(s, table, row);
	}
	if (t->fit.has_line)
		pace_axis_between(s, "RES", low, high, 4);
}

static void
put_fit(struct pace_figure *s, const struct fig_rtt_trips *t)
{
	const struct pace_linefit *f = &t->fit;

	pace_figure_int(s, "FIT", f->has_line);
	pace_figure_num(s, "FIT_AT_0", f->intercept / 1e3);
	pace_figure_num(s, "FIT_SLOPE", f->slope / 1e3);
	pace_figure_num(s, "WIRE_SLOPE", t->expected / 1e3);
	pace_figure_int(s, "WIRE", f->has_line && t->expected > 0);
	pace_figure_markup(s, "FIT_LINE1", "%.4g µs %s %.3g ns/B × size", f->intercept / 1e3,
	    f->slope < 0 ? "−" : "+", fabs(f->slope));
	pace_figure_text(s, "FIT_LINE2", "");	/* replaced below if the fit has errors */
	pace_figure_text(s, "FIT_LINE3", "");
	if (f->has_errors) {
		pace_figure_markup(s, "FIT_LINE2", "± %.2g µs, ± %.2g ns/B",
		    f->intercept_stderr / 1e3, f->slope_stderr);
		pace_figure_markup(s, "FIT_LINE3", "R² %.4f, %zu sizes", f->r2, f->n);
	}
	pace_figure_markup(s, "WIRE_LINE", "%.3g ns/B", t->expected);
}

static void
make_latency(const struct pace_run *r, struct pace_figure *s)
{
	struct fig_rtt_trips t = { .n = 0 };
	char count[40], what[120];
	double most;

	t.v = pace_pick_rtt(r, &t.n);
	if (t.n == 0) {
		s->failed = true;
		free(t.v);
		return;
	}
	fit_line(&t, r, s);
	put_fit(s, &t);
	put_trips(s, &t);
	most = t.v[t.n - 1]->ask.size_bytes;
	pace_figure_text(s, "PAYLOAD", t.v[0]->ask.tcp ? "Data of a request (B)" :
	    "UDP payload (B)");
	pace_axis_even(s, "X", "x", 0, most * 1.03, most > 1000 && most < 1600 ? 200 :
	    pace_axis_step(most, 8));
	put_band(s, &t);
	s->height = t.fit.has_line ? 736 : 570;
	snprintf(what, sizeof(what), "%s requests of each size%s", pace_axis_count(
	    (double)t.v[0]->ask.count, count, sizeof(count)), t.v[0]->ask.interval_ns == 0 ?
	    ", ping-pong" : "");
	pace_words_subtitle(s, r, what);
	free(t.v);
}

const struct pace_fig pace_fig_latency = {
	"P6", "latency", "latency.gp", "Round trip against size", 900, 736,
	.wanted = pace_pick_any_rtt, .make = make_latency,
	.formula = "round trip of the application, clock read before send() and after receive()",
	.caption = "The line's value at size 0 is the cost of a frame, its slope the cost of "
	    "a byte. A step in the lower panel is the size at which one more page, buffer or "
	    "fragment is needed.",
};

/* --- histograms ---------------------------------------------------------------------- */

#define TAIL		7.0	/* the axis ends at most this multiple of (median - minimum)
				 * above the minimum */

static void
make_trip_hist(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_panel_grid g = { .what = "Round-trip time", .things = "Replies" };
	size_t at[PACE_PANELS], n;
	const struct pace_rtt_point **v = pace_pick_rtt(r, &n);
	double low = INFINITY, middle = 0, high = 0, body = 0;
	char what[80];

	s->failed |= v == NULL;
	g.n = pace_pick(n, PACE_PANELS, at);
	for (size_t i = 0; i < g.n; i++) {
		const struct pace_bins *b = &v[at[i]]->rtt;

		g.panel[i] = (struct pace_panel){ .bins = b, .mark = NAN };
		snprintf(g.panel[i].name, sizeof(g.panel[i].name), "%u B",
		    v[at[i]]->ask.size_bytes);
		low = fmin(low, pace_bins_min(b));
		middle = fmax(middle, pace_bins_quantile(b, 0.5));
		high = fmax(high, pace_bins_tail(b, 0.999));
		body = fmax(body, pace_bins_tail(b, 0.9));
	}
	/* from the minimum to p99.9, limited to keep the body visible */
	high = fmin(high, fmax(low + TAIL * (middle - low), 1.1 * body));
	g.low = (int64_t)fmax(low - 0.05 * (high - low), 0);
	g.high = (int64_t)(high + 0.02 * (high - low)) + 1;
	g.columns = pace_panel_grid_columns(g.n);
	g.unit = pace_axis_time((double)g.high);
	if (g.n > 0)
		pace_panel_grid_put(s, &g);
	if (g.n < n) {
		snprintf(what, sizeof(what), "%zu of %zu sizes, evenly chosen", g.n, n);
		pace_words_subtitle(s, r, what);
	}
	free(v);
}

const struct pace_fig pace_fig_rtt_hist = {
	"P7", "roundtrips", "hist.gp", "Histograms of the round trip", 900, 600,
	.wanted = pace_pick_any_rtt, .make = make_trip_hist, .formula = "",
	.caption = "Distribution of round-trip times, counts on a logarithmic axis. Several "
	    "peaks are several paths through a host (sleep states, interrupt coalescing); a "
	    "long tail is waiting.",
};
