/*
 * Two runs beside each other and their ratio (P22): rate and loss against spacing, round trips
 * against size.  The runs are the book's first two, A and B.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/cmp.h"
#include "report/fig.h"
#include "report/pick.h"
#include "report/words.h"

static bool
is_first_of_two(const struct pace_report_data *b, const struct pace_run *r)
{
	return b->n == 2 && r == b->run[0];
}

/* What only one of them has is said; the title says who is who. */
static void
say_two(struct pace_figure *s, const struct pace_report_data *b, const struct pace_cmp *c, const char *what)
{
	char alone[120] = "";

	if (c->only_a + c->only_b > 0)
		snprintf(alone, sizeof(alone), " · %zu points only in A, %zu only in B", c->only_a,
		    c->only_b);
	pace_figure_say(s, &s->subtitle, "A: %s · B: %s · %zu points in both%s", b->run[0]->name,
	    b->run[1]->name, c->both, alone);
	pace_words_footer(s, b->run[0], what);
}

/* Around 1, wide enough for all and never narrower than 2 %. */
static void
put_ratio_axis(struct pace_figure *s, const char *name, double low, double high)
{
	low = fmin(low, 0.99);
	high = fmax(high, 1.01);
	pace_axis_between(s, name, low, fmin(high, 50), 4);
}

/* --- streams --------------------------------------------------------------------------------- */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "spacing_us", "Spacing (µs)", 6 }, { "x", NULL, 0 },
	{ "a_mbps", "A, wire (Mbit/s)", 6 }, { "b_mbps", "B, wire (Mbit/s)", 6 },
	{ "ratio", "B / A", 5 }, { "a_lost_percent", "A lost (%)", 4 },
	{ "b_lost_percent", "B lost (%)", 4 }, { "difference", "B less A (percentage points)", 4 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

struct fig_cmp_extremes {
	double	rate, ratio_low, ratio_high, loss_low, loss_high, frames;
};

static double
rate_of(const struct pace_sweep_cell *c)
{
	return c != NULL && c->n > 0 ? c->wire_bps.mid : NAN;
}

static double
loss_of(const struct pace_sweep_cell *c)
{
	return c != NULL && c->n > 0 ? c->loss.mid * 100 : NAN;
}

static void
put_pair(struct pace_figure *s, struct pace_table *t, const struct pace_pair *p, double x,
    struct fig_cmp_extremes *e)
{
	const double a = rate_of(p->a), b = rate_of(p->b), ratio = pace_cmp_ratio(a, b);
	const double la = loss_of(p->a), lb = loss_of(p->b);
	const double row[COLUMNS] = { p->size_bytes, p->spacing_ns / 1e3, x, a / 1e6, b / 1e6,
	    ratio, la, lb, lb - la };

	pace_table_row(s, t, row);
	e->rate = fmax(e->rate, fmax(a, b));
	e->ratio_low = fmin(e->ratio_low, ratio);
	e->ratio_high = fmax(e->ratio_high, ratio);
	e->loss_low = fmin(e->loss_low, lb - la);
	e->loss_high = fmax(e->loss_high, lb - la);
	e->frames = fmax(e->frames, fmax(p->a != NULL ? p->a->frames : 0,
	    p->b != NULL ? p->b->frames : 0));
}

/* Where lines, pairs of one size and code point, begin; at[lines] is n. */
static size_t
lines_of(const struct pace_cmp *c, size_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || c->pair[i].size_bytes != c->pair[i - 1].size_bytes ||
		    c->pair[i].dscp != c->pair[i - 1].dscp)
			at[n++] = i;
	at[n] = c->n;
	return n;
}

static void
put_lines(struct pace_figure *s, const struct pace_cmp *c, const size_t *at, size_t lines)
{
	char text[PACE_LINES][40];
	const char *label[PACE_LINES];
	size_t shown[PACE_LINES], n = pace_pick(lines, PACE_LINES, shown);
	double index[PACE_LINES];

	for (size_t k = 0; k < n; k++) {
		const struct pace_pair *p = &c->pair[at[shown[k]]];

		if (p->dscp > 0)
			snprintf(text[k], sizeof(text[k]), "%u DSCP %d", p->size_bytes, p->dscp);
		else
			snprintf(text[k], sizeof(text[k]), "%u", p->size_bytes);
		label[k] = text[k];
		index[k] = (double)shown[k];
	}
	pace_figure_texts(s, "LABEL", label, n);
	pace_figure_nums(s, "SHOWN", index, n);
	pace_figure_int(s, "NS", (long)n);
	pace_words_ramp(s, n);
}

static void
put_places(struct pace_figure *s, const struct pace_cmp *c, struct pace_axis_spacing *x)
{
	double *place = calloc(c->n + 1, sizeof(*place));

	for (size_t i = 0; place != NULL && i < c->n; i++)
		place[i] = c->pair[i].spacing_ns / 1e3;
	if (place == NULL) {
		s->failed = true;
		return;
	}
	pace_axis_spacings(x, place, c->n);
	pace_axis_put_spacing(s, x);
	free(place);
}

static void
put_extremes(struct pace_figure *s, const struct fig_cmp_extremes *e)
{
	const struct pace_axis_unit unit = pace_axis_rate(e->rate);
	const double wide = fmax(fmax(e->loss_high, -e->loss_low), 0.001);

	pace_axis_from_zero(s, "RATE", e->rate / unit.one, 5);
	pace_figure_num(s, "RATE_ONE", unit.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", unit.name);
	put_ratio_axis(s, "RATIO", e->ratio_low, e->ratio_high);
	pace_axis_put_loss(s, "LOSS", fmax(e->frames, 10));
	pace_axis_between(s, "DIFF", fmin(e->loss_low, -wide / 4), fmax(e->loss_high, wide / 4), 4);
}

static void
make_streams(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct fig_cmp_extremes e = { 0, INFINITY, -INFINITY, INFINITY, -INFINITY, 0 };
	struct pace_axis_spacing x = { .log = false };
	struct pace_cmp c;
	size_t *at, lines;
	struct pace_table *t = pace_figure_table(s, "pairs", "Both runs", columns, COLUMNS);

	(void)r;
	if (pace_cmp_make(&c, b->run[0], b->run[1]) != 0) {
		s->failed = true;
		return;
	}
	at = calloc(c.n + 2, sizeof(*at));
	if (at != NULL) {
		lines = lines_of(&c, at);
		put_places(s, &c, &x);
		for (size_t i = 0; i < lines; i++) {
			pace_table_break(s, t);
			for (size_t k = at[i]; k < at[i + 1]; k++)
				put_pair(s, t, &c.pair[k], pace_axis_place(&x,
				    c.pair[k].spacing_ns / 1e3), &e);
		}
		put_lines(s, &c, at, lines);
		put_extremes(s, &e);
		say_two(s, b, &c, "ratio and difference where both have a point");
		pace_figure_say(s, &s->caption, "Both runs in one frame, and what changed from A to B. "
		    "Above 1 the second one received more, above 0 it lost more.");
	} else {
		s->failed = true;
	}
	free(at);
	pace_cmp_free(&c);
}

static bool
wants_streams(const struct pace_report_data *b, const struct pace_run *r)
{
	return is_first_of_two(b, r) && b->run[0]->n > 0 && b->run[1]->n > 0;
}

const struct pace_fig pace_fig_cmp_streams = {
	"P22", "compare", "compare.gp", "Two runs: rate and loss", 900, 1196, wants_streams,
	make_streams,
};

/* --- round trips ---------------------------------------------------------------------------- */

static const struct pace_table_column trip_columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "a_min_us", "A min (µs)", 5 },
	{ "b_min_us", "B min (µs)", 5 }, { "a_p50_us", "A p50 (µs)", 5 },
	{ "b_p50_us", "B p50 (µs)", 5 }, { "a_p99_us", "A p99 (µs)", 5 },
	{ "b_p99_us", "B p99 (µs)", 5 }, { "ratio_min", "min B / A", 4 },
	{ "ratio_p50", "p50 B / A", 4 }, { "ratio_p99", "p99 B / A", 4 },
};
#define TRIP_COLUMNS	(sizeof(trip_columns) / sizeof(trip_columns[0]))

static double
trip(const struct pace_rtt_point *p, double q)
{
	if (p == NULL || p->rtt.n == 0)
		return NAN;
	return (q > 0 ? pace_bins_quantile(&p->rtt, q) : pace_bins_min(&p->rtt)) / 1e3;
}

static void
put_trips(struct pace_figure *s, const struct pace_cmp *c)
{
	static const double q[] = { 0, 0.5, 0.99 };
	struct pace_table *t = pace_figure_table(s, "trips", "Both runs", trip_columns, TRIP_COLUMNS);
	double high = 0, most = 1, low = INFINITY, up = -INFINITY;

	for (size_t i = 0; i < c->trips; i++) {
		const struct pace_rtt_point_pair *p = &c->trip[i];
		double row[TRIP_COLUMNS] = { p->size_bytes };

		for (int k = 0; k < 3; k++) {
			row[1 + 2 * k] = trip(p->a, q[k]);
			row[2 + 2 * k] = trip(p->b, q[k]);
			row[7 + k] = pace_cmp_ratio(row[1 + 2 * k], row[2 + 2 * k]);
			low = fmin(low, row[7 + k]);
			up = fmax(up, row[7 + k]);
		}
		high = fmax(high, fmax(row[3], row[4]));
		most = fmax(most, p->size_bytes);
		pace_table_row(s, t, row);
	}
	pace_axis_from_zero(s, "Y", high, 6);
	put_ratio_axis(s, "RATIO", low, up);
	pace_figure_num(s, "X_LOW", 0);
	pace_figure_num(s, "X_HIGH", most * 1.03);
	pace_figure_num(s, "X_STEP", pace_axis_step(most, 8));
}

static void
make_trips(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_cmp c;

	(void)r;
	if (pace_cmp_make(&c, b->run[0], b->run[1]) != 0) {
		s->failed = true;
		return;
	}
	put_trips(s, &c);
	say_two(s, b, &c, "ratio where both have a size");
	pace_figure_say(s, &s->caption, "Both runs in one frame, and what changed from A to B: above 1 the "
	    "second one took longer.");
	pace_cmp_free(&c);
}

static bool
wants_trips(const struct pace_report_data *b, const struct pace_run *r)
{
	return is_first_of_two(b, r) && b->run[0]->trips > 0 && b->run[1]->trips > 0;
}

const struct pace_fig pace_fig_cmp_rtt = {
	"P22", "compare-latency", "compare-latency.gp", "Two runs: round trips", 900, 736,
	wants_trips, make_trips,
};

const struct pace_fig *const pace_figs_of_two[] = {
	&pace_fig_cmp_streams, &pace_fig_cmp_rtt, NULL
};
