/*
 * The responder's clock against the client's (P21): the offset by each estimate, and its
 * difference from one straight line.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/linefit.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/words.h"

static const struct pace_table_column columns[] = {
	{ "estimate", "Estimate", 0 }, { "x", "Time (s)", 6 },
	{ "offset_us", "Offset, less the first (µs)", 6 },
	{ "residual_us", "Offset less the line (µs)", 4 },
	{ "equal_us", "Error, equal minimum delays (µs)", 4 },
	{ "bound_us", "Error, any delays (µs)", 4 },
	{ "skew_ppm", "Skew (ppm)", 6 },
};
enum { ESTIMATE, AT, OFFSET, RESIDUAL, EQUAL, BOUND, SKEW, COLUMNS };

struct fig_clock_view {
	const struct pace_clock **v;
	size_t	n;
	int64_t	t0_ns, theta0_ns;
	struct pace_linefit line;	/* offset less the first offset, ns, over s */
	double	from, to;		/* s */
	double	low, high, res_low, res_high;	/* ns */
	double	widest;			/* largest bound, ns */
	bool	wanders;
};

static double
minus(int64_t a, int64_t b)
{
	return (double)(int64_t)((uint64_t)a - (uint64_t)b);
}

static void
add_known(struct fig_clock_view *v, const struct pace_clock *c)
{
	if (c->exchanges == 0 || c->fit.segments == 0)
		return;
	if (v->v != NULL)
		v->v[v->n] = c;
	v->n++;
}

/* Store the run's known estimates in v->v unless it is NULL; return their number. */
static size_t
find_known(struct fig_clock_view *v, const struct pace_run *r)
{
	v->n = 0;
	for (size_t i = 0; i < r->clocks; i++)
		add_known(v, &r->clock[i]);
	for (size_t i = 0; i < r->n; i++)
		add_known(v, &r->point[i].clock);
	return v->n;
}

static int
by_time(const void *a, const void *b)
{
	int64_t x = pace_clock_mid(*(const struct pace_clock *const *)a);
	int64_t y = pace_clock_mid(*(const struct pace_clock *const *)b);

	return (x > y) - (x < y);
}

/* The line: for one estimate its own rate, for several the line through their middles. */
static bool
fit(struct fig_clock_view *v)
{
	double *x = calloc(2 * v->n, sizeof(*x)), *y = x + v->n;

	if (x == NULL)
		return false;
	for (size_t i = 0; i < v->n; i++) {
		int64_t mid = pace_clock_mid(v->v[i]);

		x[i] = minus(mid, v->t0_ns) / 1e9;
		y[i] = minus(pace_clock_at(&v->v[i]->fit, mid), v->theta0_ns);
	}
	pace_linefit(&v->line, x, y, v->n);
	if (!v->line.has_line) {
		v->line.slope = pace_clock_rate_at(&v->v[0]->fit, v->t0_ns) * 1e9;
		v->line.intercept = y[0] - v->line.slope * x[0];
	}
	free(x);
	return true;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* Add a row of the estimate at our time t. */
static void
put_row(struct pace_figure *s, struct pace_table *t, struct fig_clock_view *v, size_t i,
    int64_t at_ns, double bound_ns)
{
	const struct pace_clock *c = v->v[i];
	const double x = minus(at_ns, v->t0_ns) / 1e9;
	const double y = minus(pace_clock_at(&c->fit, at_ns), v->theta0_ns);
	const double left = y - v->line.intercept - v->line.slope * x;
	const double equal = fmin(c->fit.uncertainty_ns, bound_ns);
	const double row[COLUMNS] = { (double)i + 1, x, y / 1e3, left / 1e3, equal / 1e3,
	    bound_ns / 1e3, pace_clock_rate_at(&c->fit, at_ns) * 1e6 };

	pace_table_row(s, t, row);
	v->from = fmin(v->from, x);
	v->to = fmax(v->to, x);
	v->low = fmin(v->low, y);
	v->high = fmax(v->high, y);
	v->res_low = fmin(v->res_low, left - bound_ns);
	v->res_high = fmax(v->res_high, left + bound_ns);
	v->widest = fmax(v->widest, bound_ns);
}

/* --- the sheet ------------------------------------------------------------------------------- */

static void
put_axes(struct pace_figure *s, const struct fig_clock_view *v)
{
	const double span = fmax(v->to - v->from, 1e-6);
	const struct pace_axis_unit a = pace_axis_time(fmax(fmax(v->high, -v->low), 1000));
	const struct pace_axis_unit b = pace_axis_time(fmax(fmax(v->res_high, -v->res_low), 1000));

	pace_axis_even(s, "X", "x", v->from - 0.02 * span, v->to + 0.02 * span,
	    pace_axis_step(span, 8));
	pace_axis_between(s, "OFF", fmin(v->low, -v->widest) / a.one,
	    fmax(v->high, v->widest) / a.one, 6);
	pace_axis_between(s, "RES", v->res_low / b.one, v->res_high / b.one, 5);
	pace_figure_num(s, "OFF_ONE", a.one / 1e3);
	pace_figure_num(s, "RES_ONE", b.one / 1e3);
	pace_figure_text(s, "OFF_UNIT", a.name);
	pace_figure_text(s, "RES_UNIT", b.name);
	pace_figure_num(s, "LINE_AT_0", v->line.intercept / a.one);
	pace_figure_num(s, "LINE_SLOPE", v->line.slope / a.one);
	pace_figure_int(s, "MANY", v->n > 1);
	pace_figure_markup(s, "LINE_NOTE", "skew %+.4g ppm", v->line.slope / 1e3);
	pace_figure_markup(s, "WANDERS", v->wanders ?
	    "the clocks wander: lines do not fit them" : "");
}

static void
make_clock(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "clock", "Estimates of the offset",
	    PACE_COLUMNS(columns));
	struct pace_table *lines = pace_figure_table(s, "lines", NULL, PACE_COLUMNS(columns));
	struct fig_clock_view v = { .from = INFINITY, .to = -INFINITY };
	char what[80];

	v.v = calloc(find_known(&v, r), sizeof(*v.v));
	if (v.v == NULL) {
		s->failed = true;
		return;
	}
	find_known(&v, r);
	qsort(v.v, v.n, sizeof(*v.v), by_time);
	v.t0_ns = v.v[0]->fit.v[0].from_ns;
	v.theta0_ns = pace_clock_at(&v.v[0]->fit, pace_clock_mid(v.v[0]));
	for (size_t i = 0; i < v.n; i++)
		v.wanders |= v.v[i]->fit.wanders;
	s->failed |= !fit(&v);
	for (size_t i = 0; i < v.n; i++)
		put_row(s, t, &v, i, pace_clock_mid(v.v[i]), v.v[i]->fit.bound_ns);
	for (size_t i = 0; i < v.n; i++)
		for (int k = 0; k < v.v[i]->fit.segments; k++) {
			const struct pace_clock_segment *g = &v.v[i]->fit.v[k];

			pace_table_break(s, lines);
			put_row(s, lines, &v, i, g->from_ns, g->bound_ns);
			put_row(s, lines, &v, i, g->to_ns, g->bound_ns);
		}
	put_axes(s, &v);
	snprintf(what, sizeof(what), "%zu estimate%s", v.n, v.n > 1 ? "s" : "");
	pace_words_subtitle(s, r, what);
	free(v.v);
}

/*
 * A single line has no residuals to show. The user of a stream did not request clocks, so the
 * figure is drawn only if the offset moved by more than its error.
 */
static bool
wants_clock(const struct pace_run *r)
{
	struct fig_clock_view v = { .n = 0 };
	const size_t n = find_known(&v, r);
	int64_t first;
	bool wants;

	v.v = calloc(n + 1, sizeof(*v.v));
	if (n == 0 || v.v == NULL) {
		free(v.v);
		return false;
	}
	find_known(&v, r);
	wants = n > 1 && r->clocks > 0;
	first = pace_clock_at(&v.v[0]->fit, pace_clock_mid(v.v[0]));
	for (size_t i = 0; i < n; i++) {
		const struct pace_clock_estimate *e = &v.v[i]->fit;
		const double y = minus(pace_clock_at(e, pace_clock_mid(v.v[i])), first);

		v.low = fmin(v.low, y);
		v.high = fmax(v.high, y);
		v.widest = fmax(v.widest, e->bound_ns);
		wants |= e->wanders || (n == 1 && e->segments > 1);
	}
	free(v.v);
	return wants || v.high - v.low > v.widest;
}

const struct pace_fig pace_fig_clock = {
	"P21", "clock", "clock.gp", "Offset of the clocks", 900, 690,
	.wanted = wants_clock, .make = make_clock,
	.formula = "responder's probe clock less the client's",
	.caption = "The error of the offset is the error of one-way delays. Dark bars: error "
	    "if the minimum delays are equal in both directions. Pale bars: error for any "
	    "delays.",
};
