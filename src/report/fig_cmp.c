/*
 * Two runs and their ratio (P22): rate and loss against spacing, round trips against size.  A
 * is the run, B the run it is compared with.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/cmp.h"
#include "report/fig.h"
#include "report/pick.h"
#include "report/words.h"

/* Subtitle and number of points that only one run has; the title names A and B. */
static void
say_two(struct pace_figure *s, const struct pace_run *r, const struct pace_cmp *c)
{
	char alone[120] = "";

	if (c->only_a + c->only_b > 0)
		snprintf(alone, sizeof(alone), " · only in A: %zu, only in B: %zu", c->only_a, c->only_b);
	pace_figure_say(s, &s->subtitle, "A: %s · B: %s · %zu point%s in both%s", r->name,
	    r->other->name, c->both, c->both == 1 ? "" : "s", alone);
}

/* A range around 1 that includes all values and is at least 2 % wide. */
static void
put_ratio_axis(struct pace_figure *s, double low, double high)
{
	pace_axis_between(s, "RATIO", fmin(low, 0.99), fmin(fmax(high, 1.01), 50), 4);
}

/* --- streams --------------------------------------------------------------------------------- */

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "spacing_us", "Spacing (µs)", 6 }, { "x", NULL, 0 },
	{ "a_mbps", "A, wire (Mbit/s)", 6 }, { "b_mbps", "B, wire (Mbit/s)", 6 },
	{ "ratio", "B / A", 5 }, { "a_lost_percent", "A lost (%)", 4 },
	{ "b_lost_percent", "B lost (%)", 4 }, { "difference", "B less A (percentage points)", 4 },
	{ "a_degraded", "A degraded", 0 }, { "b_degraded", "B degraded", 0 },
	{ "streams", "Streams", 0 }, { "dscp", "DSCP", 0 },	/* only where they differ */
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

struct fig_cmp_extremes {
	double	rate, paced, least, ratio_low, ratio_high, loss_low, loss_high, frames;
};

/* Group the pairs into lines of one size, code point and number of streams: line k begins at
 * at[k].  Returns the number of lines. */
static size_t
put_pairs(struct pace_figure *s, const struct pace_cmp *c, const struct pace_axis_spacing *x,
    size_t *at, struct fig_cmp_extremes *e)
{
	struct pace_table *t = pace_figure_table(s, "pairs", "Both runs", columns,
	    pace_sweep_columns(c->a.mixed ? &c->a : &c->b, COLUMNS));
	size_t lines = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pace_pair *p = &c->pair[i];
		const double a = pace_cmp_rate(p->a), b = pace_cmp_rate(p->b);
		const double la = pace_cmp_lost(p->a), lb = pace_cmp_lost(p->b);
		const double ratio = pace_cmp_ratio(a, b);

		if (i == 0 || p->size_bytes != p[-1].size_bytes || p->dscp != p[-1].dscp ||
		    p->streams != p[-1].streams) {
			at[lines++] = i;
			pace_table_break(s, t);
		}
		pace_table_row(s, t, (double[]){ p->size_bytes, p->spacing_ns / 1e3,
		    pace_axis_place(x, p->spacing_ns / 1e3), a / 1e6, b / 1e6, ratio, la, lb,
		    lb - la, p->a != NULL && p->a->degraded, p->b != NULL && p->b->degraded,
		    p->streams > 0 ? (double)p->streams : NAN, p->dscp < 0 ? (double)NAN : p->dscp });
		e->rate = fmax(e->rate, fmax(a, b));
		e->paced = fmax(e->paced, p->spacing_ns > 0 ? fmax(a, b) : 0);
		e->least = a > 0 ? fmin(e->least, a) : e->least;
		e->least = b > 0 ? fmin(e->least, b) : e->least;
		e->ratio_low = fmin(e->ratio_low, ratio);
		e->ratio_high = fmax(e->ratio_high, ratio);
		e->loss_low = fmin(e->loss_low, lb - la);
		e->loss_high = fmax(e->loss_high, lb - la);
		e->frames = fmax(e->frames, fmax(p->a != NULL ? p->a->frames : 0,
		    p->b != NULL ? p->b->frames : 0));
	}
	return lines;
}

/* Set the lines that are drawn; return their number. */
static size_t
put_lines(struct pace_figure *s, const struct pace_cmp *c, const size_t *at, size_t lines)
{
	char label[PACE_LINES][PACE_SWEEP_LABEL];
	size_t shown[PACE_LINES], n = pace_pick(lines, PACE_LINES, shown);
	double index[PACE_LINES];

	for (size_t k = 0; k < n; k++) {
		const struct pace_pair *p = &c->pair[at[shown[k]]];

		pace_sweep_label(label[k], p->size_bytes, p->streams, p->dscp > 0 ? p->dscp : -1);
		index[k] = (double)shown[k];
	}
	pace_figure_strings(s, "LABEL", label[0], sizeof(label[0]), n);
	pace_figure_nums(s, "SHOWN", index, n);
	pace_figure_int(s, "NS", (long)n);
	pace_words_ramp(s, n, c->n / lines);
	return n;
}

static void
put_streams(struct pace_figure *s, const struct pace_cmp *c, double *place, size_t *at)
{
	struct fig_cmp_extremes e = { 0, 0, INFINITY, INFINITY,
	    -INFINITY, INFINITY, -INFINITY, 10 };
	struct pace_axis_spacing x;
	size_t lines;
	double wide;

	for (size_t i = 0; i < c->n; i++)
		place[i] = c->pair[i].spacing_ns / 1e3;
	pace_axis_spacings(&x, place, c->n);
	pace_axis_put_spacing(s, &x);
	lines = put_lines(s, c, at, put_pairs(s, c, &x, at, &e));
	pace_axis_put_rates(s, e.least, e.paced, e.rate, 5);
	put_ratio_axis(s, e.ratio_low, e.ratio_high);
	pace_axis_put_loss(s, "LOSS", e.frames, lines);
	wide = fmax(fmax(e.loss_high, -e.loss_low), 100 / e.frames);
	pace_axis_between(s, "DIFF", fmin(e.loss_low, -wide / 4), fmax(e.loss_high, wide / 4), 4);
}

static void
make_streams(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_cmp c;
	double *place;
	size_t *at;

	if (pace_cmp_make(&c, r, r->other) != 0) {
		s->failed = true;
		return;
	}
	place = calloc(c.n + 1, sizeof(*place));
	at = calloc(c.n + 1, sizeof(*at));
	if (place != NULL && at != NULL)
		put_streams(s, &c, place, at);
	else
		s->failed = true;
	say_two(s, r, &c);
	free(place);
	free(at);
	pace_cmp_free(&c);
}

static bool
wants_streams(const struct pace_run *r)
{
	return r->other != NULL && r->n > 0 && r->other->n > 0;
}

static const struct pace_fig fig_streams = {
	"P22", "compare", "compare.gp", "Two runs: rate and loss", 900, 1196,
	.marked = true, .wanted = wants_streams, .make = make_streams,
	.formula = "ratio and difference where both have a point",
	.caption = "Both runs, and the change from A to B. A ratio above 1: B received more. "
	    "A difference above 0: B lost more.",
};

/* --- round trips ---------------------------------------------------------------------------- */

static const struct pace_table_column trip_columns[] = {
	{ "size_bytes", "Payload (B)", 0 }, { "a_min_us", "A min (µs)", 5 },
	{ "b_min_us", "B min (µs)", 5 }, { "a_p50_us", "A p50 (µs)", 5 },
	{ "b_p50_us", "B p50 (µs)", 5 }, { "a_p99_us", "A p99 (µs)", 5 },
	{ "b_p99_us", "B p99 (µs)", 5 }, { "ratio_min", "min B / A", 4 },
	{ "ratio_p50", "p50 B / A", 4 }, { "ratio_p99", "p99 B / A", 4 },
};

static const double shares[] = { 0, 0.5, 0.99 };

static const struct pace_table_column line_columns[] = {
	{ "line", NULL, 0 }, { "size_bytes", NULL, 0 }, { "min", NULL, 5 }, { "p50", NULL, 5 },
	{ "p99", NULL, 5 },
};

static bool
wants_transports(const struct pace_run *r)
{
	return r->other != NULL && r->other->over_tcp &&
	    strcmp(r->file, r->other->file) == 0 && r->trips > 0;
}

/* The points that the lines connect: A, B, then their ratio.  A size that only the other run
 * has does not interrupt a line. */
static void
put_trip_lines(struct pace_figure *s, const struct pace_cmp *c, bool transports)
{
	struct pace_table *t = pace_figure_table(s, "lines", NULL, PACE_COLUMNS(line_columns));

	for (int k = 0; k < 3; k++) {
		pace_table_break(s, t);
		for (size_t i = 0; i < c->trips; i++) {
			const struct pace_rtt_point_pair *p = &c->trip[i];
			double row[5] = { k + 1, p->size_bytes };

			if ((p->a == NULL && (k != 1 || transports)) ||
			    (p->b == NULL && k != 0))
				continue;
			for (int m = 0; m < 3; m++)
				row[2 + m] = k < 2 ? pace_cmp_rtt(k == 0 ? p->a : p->b, shares[m]) :
				    pace_cmp_ratio(pace_cmp_rtt(p->a, shares[m]),
				    pace_cmp_rtt(p->b, shares[m]));
			pace_table_row(s, t, row);
		}
		if (k == 2 && c->both == 0)	/* an empty row, to keep the block */
			pace_table_row(s, t, (double[]){ k + 1, 0, NAN, NAN, NAN });
	}
}

static void
make_trips(const struct pace_run *r, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "trips", "Both runs",
	    PACE_COLUMNS(trip_columns));
	const bool transports = wants_transports(r);
	double high = 0, most = 1, low = INFINITY, up = -INFINITY;
	struct pace_cmp c;

	if (pace_cmp_make(&c, r, r->other) != 0) {
		s->failed = true;
		return;
	}
	pace_figure_text(s, "A", transports ? "UDP" : "A");
	pace_figure_text(s, "B", transports ? "TCP" : "B");
	pace_figure_text(s, "PAYLOAD", r->other->over_tcp ? "Data of a request (B)" :
	    "UDP payload (B)");
	for (size_t i = 0; i < c.trips; i++) {
		const struct pace_rtt_point_pair *p = &c.trip[i];
		double row[sizeof(trip_columns) / sizeof(trip_columns[0])] = { p->size_bytes };

		if (transports && p->a == NULL)
			continue;	/* beyond a datagram: the figure of TCP has it */
		for (int k = 0; k < 3; k++) {
			row[1 + 2 * k] = pace_cmp_rtt(p->a, shares[k]);
			row[2 + 2 * k] = pace_cmp_rtt(p->b, shares[k]);
			row[7 + k] = pace_cmp_ratio(row[1 + 2 * k], row[2 + 2 * k]);
			low = fmin(low, row[7 + k]);
			up = fmax(up, row[7 + k]);
		}
		high = fmax(high, fmax(row[3], row[4]));
		most = fmax(most, p->size_bytes);
		pace_table_row(s, t, row);
	}
	put_trip_lines(s, &c, transports);
	pace_axis_from_zero(s, "Y", high, 6);
	put_ratio_axis(s, low, up);
	pace_axis_even(s, "X", "x", 0, most * 1.03, pace_axis_step(most, 8));
	say_two(s, r, &c);
	pace_cmp_free(&c);
}

static bool
wants_trips(const struct pace_run *r)
{
	return r->other != NULL && r->trips > 0 && r->other->trips > 0;
}

static const struct pace_fig fig_rtt = {
	"P22", "compare-latency", "compare-latency.gp", "Two runs: round trips", 900, 736,
	.wanted = wants_trips, .make = make_trips,
	.formula = "ratio where both have a size",
	.caption = "Both runs, and the change from A to B. A ratio above 1: round trips of B "
	    "took longer.",
};

const struct pace_fig pace_fig_transports = {
	"P26", "transports", "compare-latency.gp", "Round trips over UDP and over TCP", 900, 736,
	.wanted = wants_transports, .make = make_trips,
	.formula = "ratio where both have a size",
	.caption = "The same requests over UDP and over TCP, size by size in turn. A ratio above 1: "
	    "TCP took longer. Sizes that need several datagrams are left out.",
};

const struct pace_fig *const pace_figs_of_two[] = {
	&fig_streams, &fig_rtt, NULL
};
