/*
 * The other host's clock against ours (P21): what every estimate says of the offset, and
 * what is left of it beside one straight line.
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
	{ "equal_us", "Error, equal delays (µs)", 4 }, { "bound_us", "Error, any delays (µs)", 4 },
	{ "skew_ppm", "Rate (ppm)", 6 },
};
enum { ESTIMATE, AT, OFFSET, RESIDUAL, EQUAL, BOUND, SKEW, COLUMNS };

struct fig_clock_view {
	const struct pace_clock **v;
	size_t	n;
	int64_t	t0_ns, theta0_ns;
	struct pace_linefit line;	/* offsets less the first, ns, over s */
	double	from, to;		/* s */
	double	low, high, res_low, res_high;	/* ns */
	double	widest;			/* bound, ns */
	bool	wanders;
};

static double
minus(int64_t a, int64_t b)
{
	return (double)(int64_t)((uint64_t)a - (uint64_t)b);
}

static bool
is_known(const struct pace_clock *c)
{
	return c->exchanges > 0 && c->fit.segments > 0;
}

static size_t
known(const struct pace_run *r, const struct pace_clock **v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->clocks; i++)
		if (is_known(&r->clock[i]) && v != NULL)
			v[n++] = &r->clock[i];
		else
			n += is_known(&r->clock[i]);
	for (size_t i = 0; i < r->n; i++)
		if (is_known(&r->point[i].clock) && v != NULL)
			v[n++] = &r->point[i].clock;
		else
			n += is_known(&r->point[i].clock);
	return n;
}

static int
by_time(const void *a, const void *b)
{
	int64_t x = pace_clock_mid(*(const struct pace_clock *const *)a);
	int64_t y = pace_clock_mid(*(const struct pace_clock *const *)b);

	return (x > y) - (x < y);
}

static double
seconds(const struct fig_clock_view *v, int64_t t_ns)
{
	return minus(t_ns, v->t0_ns) / 1e9;
}

static double
offset(const struct fig_clock_view *v, int64_t theta_ns)
{
	return minus(theta_ns, v->theta0_ns);
}

/* Of one estimate its own rate; of several the line through their middles. */
static bool
fit(struct fig_clock_view *v)
{
	double *x = calloc(2 * v->n, sizeof(*x)), *y = x + v->n;

	if (x == NULL)
		return false;
	for (size_t i = 0; i < v->n; i++) {
		int64_t mid = pace_clock_mid(v->v[i]);

		x[i] = seconds(v, mid);
		y[i] = offset(v, pace_clock_at(&v->v[i]->fit, mid));
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

/* At our time t: a row of the estimate. */
static void
put_row(struct pace_figure *s, struct pace_table *t, struct fig_clock_view *v, size_t i, int64_t at_ns,
    double bound_ns)
{
	const struct pace_clock *c = v->v[i];
	const double x = seconds(v, at_ns), y = offset(v, pace_clock_at(&c->fit, at_ns));
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

static void
put_rows(struct pace_figure *s, struct fig_clock_view *v)
{
	struct pace_table *t = pace_figure_table(s, "clock", "Estimates of the offset", columns,
	    COLUMNS);
	struct pace_table *lines = pace_figure_table(s, "lines", NULL, columns, COLUMNS);

	for (size_t i = 0; i < v->n; i++)
		put_row(s, t, v, i, pace_clock_mid(v->v[i]), v->v[i]->fit.bound_ns);
	for (size_t i = 0; i < v->n; i++)
		for (int k = 0; k < v->v[i]->fit.segments; k++) {
			const struct pace_clock_segment *g = &v->v[i]->fit.v[k];

			pace_table_break(s, lines);
			put_row(s, lines, v, i, g->from_ns, g->bound_ns);
			put_row(s, lines, v, i, g->to_ns, g->bound_ns);
		}
}

/* --- the sheet ------------------------------------------------------------------------------- */

static void
put_axes(struct pace_figure *s, const struct fig_clock_view *v)
{
	const double span = fmax(v->to - v->from, 1e-6);
	const struct pace_axis_unit a = pace_axis_time(fmax(fmax(v->high, -v->low), 1000));
	const struct pace_axis_unit b = pace_axis_time(fmax(fmax(v->res_high, -v->res_low), 1000));

	pace_figure_num(s, "X_LOW", v->from - 0.02 * span);
	pace_figure_num(s, "X_HIGH", v->to + 0.02 * span);
	pace_figure_num(s, "X_STEP", pace_axis_step(span, 8));
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
	pace_figure_markup(s, "LINE_NOTE", "rate %+.4g ppm", v->line.slope / 1e3);
	pace_figure_markup(s, "WANDERS", v->wanders ? "the clocks did not keep to their lines" : "");
}

static void
make_clock(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct fig_clock_view v = { .n = known(r, NULL) };
	char what[80];

	(void)b;
	v.v = calloc(v.n > 0 ? v.n : 1, sizeof(*v.v));
	if (v.v == NULL) {
		s->failed = true;
		return;
	}
	known(r, v.v);
	qsort(v.v, v.n, sizeof(*v.v), by_time);
	v.t0_ns = v.v[0]->fit.v[0].from_ns;
	v.theta0_ns = pace_clock_at(&v.v[0]->fit, pace_clock_mid(v.v[0]));
	v.from = INFINITY;
	v.to = -INFINITY;
	for (size_t i = 0; i < v.n; i++)
		v.wanders |= v.v[i]->fit.wanders;
	s->failed |= !fit(&v);
	put_rows(s, &v);
	put_axes(s, &v);
	snprintf(what, sizeof(what), "%zu estimate%s", v.n, v.n > 1 ? "s" : "");
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "responder's probe clock less the client's");
	pace_figure_say(s, &s->caption, "Whether one-way delays can be believed: they are wrong by what "
	    "the offset is wrong by. Dark bars hold when the shortest delays there and back are equal, "
	    "pale ones whatever they are.");
	free(v.v);
}

static bool
wants_clock(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	return known(r, NULL) > (r->clocks > 0 ? 0 : 1);	/* one of a stream says little */
}

const struct pace_fig pace_fig_clock = {
	"P21", "clock", "clock.gp", "Offset of the clocks", 900, 690, wants_clock, make_clock,
};
