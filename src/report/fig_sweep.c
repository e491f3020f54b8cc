/*
 * Rate, loss and order against spacing: on one page (P1, P2, P3), and P2n.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/words.h"

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "x", NULL, 0 },
	{ "received_wire_mbps", "Received, wire (Mbit/s)", 6 },
	{ "received_low_mbps", NULL, 6 },
	{ "received_high_mbps", NULL, 6 },
	{ "sent_wire_mbps", "Sent, wire (Mbit/s)", 6 },
	{ "lost_percent", "Lost (%)", 5 },
	{ "lost_low_percent", NULL, 5 },
	{ "lost_high_percent", NULL, 5 },
	{ "reordered", "Reordered", 0 },
	{ "frames", "Frames sent", 0 },
	{ "points", "Points", 0 },
	{ "failed", "Failed", 0 },
	{ "degraded", "Degraded", 0 },
	{ "streams", "Streams", 0 }, { "dscp", "DSCP", 0 },
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* --- what was offered -------------------------------------------------------------- */

#define CURVE	160	/* points of the curve */
#define STEPS	16	/* segments from one point to the next */

static const struct pace_table_column curve[] = {
	{ "x", NULL, 0 }, { "rate", NULL, 0 },
};

/* Draw the offered curve up to top. */
static void
put_offered(struct pace_figure *s, const struct pace_sweep_view *v, double one_bps, double top)
{
	struct pace_table *t = pace_figure_table(s, "offered", NULL, PACE_COLUMNS(curve));
	const double low = fmax(v->x.low, 0);

	for (size_t i = 0; i < v->lines; i++) {
		const double bits = v->w.line[v->shown[i]].wire_bytes * 8;

		pace_table_break(s, t);
		for (int k = 0; k < CURVE; k++) {
			double x = NAN, y;

			if (v->x.log)
				x = v->x.least * pow(v->x.high / v->x.least,
				    (double)k / (CURVE - 1));
			else if (!isnan(v->x.least))	/* not at 0, where the rate is infinite */
				x = low + (v->x.high - low) * (k + 0.5) / CURVE;
			y = bits / (x * v->time.one) * 1e9 / one_bps;
			pace_table_row(s, t, (double[]){ isnan(x) ? 0 : x, y <= top ? y : NAN });
		}
	}
}

/*
 * The offered curve is convex, so a straight line between two spacings would lie
 * above it. Where the interpolated share of the possible rate (at most cap_bps) is lower, it
 * is drawn instead.
 */
static void
put_between(struct pace_figure *s, struct pace_table *t, const struct pace_sweep_view *v,
    const struct pace_sweep_cell *const end[2], double wire_bytes, double cap_bps, double one_bps)
{
	const double from = end[0]->spacing_ns, to = end[1]->spacing_ns;
	const double bit_ns = wire_bytes * 8 * 1e9;
	const double first = end[0]->wire_bps.mid / fmin(cap_bps, bit_ns / from);
	const double last = end[1]->wire_bps.mid / fmin(cap_bps, bit_ns / to);

	for (int k = 1; k < STEPS; k++) {
		const double u = (double)k / STEPS;
		const double ns = v->x.log ? from * pow(to / from, u) : from + u * (to - from);
		const double share = first + u * (last - first);
		const double straight = end[0]->wire_bps.mid +
		    u * (end[1]->wire_bps.mid - end[0]->wire_bps.mid);

		pace_table_row(s, t, (double[]){ ns / v->time.one,
		    fmin(straight, share * fmin(cap_bps, bit_ns / ns)) / one_bps });
	}
}

/* Lines through the rates of the sizes shown.  No line leads to spacing 0, whose offered
 * rate is infinite. */
static void
put_rate_lines(struct pace_figure *s, const struct pace_sweep_view *v, double line_bps,
    double one_bps)
{
	struct pace_table *t = pace_figure_table(s, "lines", NULL, PACE_COLUMNS(curve));

	for (size_t i = 0; i < v->lines; i++) {
		const struct pace_line *l = &v->w.line[v->shown[i]];
		const struct pace_sweep_cell *end[2] = { NULL, NULL };
		double cap_bps = line_bps;

		for (size_t k = 0; k < l->n && !(line_bps > 0); k++)
			if (l->cell[k].spacing_ns > 0 && l->cell[k].wire_bps.n > 0)
				cap_bps = fmax(cap_bps, l->cell[k].wire_bps.mid);
		pace_table_break(s, t);
		for (size_t k = 0; k < l->n; k++) {
			const struct pace_sweep_cell *c = &l->cell[k];
			const bool known = c->spacing_ns > 0 && c->wire_bps.n > 0;

			end[0] = end[1];
			end[1] = known ? c : NULL;
			if (known && end[0] != NULL && cap_bps > 0)
				put_between(s, t, v, end, l->wire_bytes, cap_bps, one_bps);
			pace_table_row(s, t, (double[]){ pace_sweep_view_place(v, c->spacing_ns),
			    known ? c->wire_bps.mid / one_bps : NAN });
		}
	}
}

/* --- the page of three ------------------------------------------------------------------ */

static void
put_rate_axis(struct pace_figure *s, const struct pace_sweep_view *v, const struct pace_run *r)
{
	const double line = pace_run_line_bps(r);
	const double most = v->w.most_bps > 0 ? v->w.most_bps : v->w.most_sent_bps;
	const bool shown = line > 0 && line <= 1.6 * most;
	const double high = shown ? fmax(line, most) : most;
	double paced = 0, least = INFINITY;
	struct pace_axis_unit unit;
	char rate[32], note[80] = "";

	for (const struct pace_line *l = v->w.line; l < v->w.line + v->w.n; l++)
		for (const struct pace_sweep_cell *c = l->cell; c < l->cell + l->n; c++) {
			paced = fmax(paced, c->spacing_ns > 0 ? c->wire_bps.high : 0);
			least = c->wire_bps.low > 0 ? fmin(least, c->wire_bps.low) : least;
		}
	unit = pace_axis_put_rates(s, least, paced, high, 6);
	pace_figure_int(s, "LINE_SHOWN", shown);
	pace_figure_num(s, "LINE", line / unit.one);
	if (line > 0 && !shown)
		snprintf(note, sizeof(note), "line rate %s: above this panel",
		    pace_print(PACE_UNIT_BPS, line, rate, sizeof(rate)));
	pace_figure_text(s, "LINE_NOTE", note);
	pace_figure_text(s, "EMPTY", v->w.has_rx ? "" :
	    "no data: the responder's counts of these points did not arrive");
	put_rate_lines(s, v, line, unit.one);
	put_offered(s, v, unit.one, shown ? line / unit.one : high / unit.one * 1.08);
}

static void
put_order(struct pace_figure *s, const struct pace_sweep_view *v)
{
	double most = 0, key[3];
	char text[3][32];
	size_t n = 0;

	for (size_t i = 0; i < v->w.n; i++)
		for (size_t k = 0; k < v->w.line[i].n; k++)
			most = fmax(most, v->w.line[i].cell[k].reordered.n > 0 ?
			    v->w.line[i].cell[k].reordered.mid : 0);
	if (most > 0)
		key[n++] = 1;
	if (most >= 4)
		key[n++] = pace_axis_nice(most * 0.3);
	if (most > 1)
		key[n++] = most;
	for (size_t i = 0; i < n; i++)
		pace_axis_count(key[i], text[i], sizeof(text[i]));
	pace_figure_num(s, "ORDER_MOST", most);
	pace_figure_int(s, "ORDER_KEYS", (long)n);
	pace_figure_nums(s, "ORDER_KEY", key, n);
	pace_figure_strings(s, "ORDER_NAME", text[0], sizeof(text[0]), n);
	s->height = most > 0 ? 0 : 784;		/* without the panel */
}

static void
make_spacing(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	char what[160], frames[80], lines[64] = "";
	struct pace_table *t;

	if (v->lines < v->w.n) {
		snprintf(lines, sizeof(lines), " · %zu of %zu %s", v->lines, v->w.n,
		    pace_words_lines(r));
		pace_figure_say(s, &s->caption, "%s All %s are in the table and in the map of "
		    "loss.", pace_fig_spacing.caption, pace_words_lines(r));
	}
	pace_words_frames(&v->w, frames, sizeof(frames));
	snprintf(what, sizeof(what), "%s per point%s%s", frames, lines,
	    v->w.repeated ? " · median, bars: lowest and highest" : "");
	pace_words_subtitle(s, r, what);
	if (pace_run_line_bps(r) > 0)
		pace_words_footer(s, r, "offered = min(bits on the line / spacing, line rate)");
	pace_view_lines(s, v);
	put_rate_axis(s, v, r);
	pace_axis_put_loss(s, "LOSS", v->w.most_frames, v->lines);
	pace_figure_markup(s, "FLOOR_NOTE", "smallest visible loss: 1 of %s", frames);
	put_order(s, v);
	t = pace_figure_table(s, "points", "All points", columns, pace_sweep_columns(&v->w, COLUMNS));
	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (const struct pace_sweep_cell *c = l->cell; c < l->cell + l->n; c++) {
			pace_table_row(s, t, (double[]){ l->size_bytes, c->spacing_ns / 1e3,
			    pace_sweep_view_place(v, c->spacing_ns),
			    c->wire_bps.mid / 1e6, c->wire_bps.low / 1e6, c->wire_bps.high / 1e6,
			    c->sent_wire_bps.mid / 1e6,
			    c->loss.mid * 100, c->loss.low * 100, c->loss.high * 100,
			    c->reordered.mid, c->n > 0 ? c->frames : NAN, (double)c->n,
			    (double)c->failed, c->degraded, l->streams, pace_line_dscp(l) });
		}
	}
}

/* --- where: network or hosts ---------------------------------------------------------------- */

static const struct pace_table_column network_columns[] = {
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "x", NULL, 0 },
	{ "network_percent", "Lost in the network (%)", 5 },
	{ "network_least_percent", "at least (%)", 5 },
	{ "network_most_percent", "at most (%)", 5 },
	{ "hosts_percent", "Lost in the hosts (%)", 5 },
	{ "hosts_least_percent", "at least (%)", 5 },
	{ "hosts_most_percent", "at most (%)", 5 },
	{ "degraded", "Degraded", 0 },
	{ "streams", "Streams", 0 }, { "dscp", "DSCP", 0 },
};
#define NETWORK_COLUMNS	(sizeof(network_columns) / sizeof(network_columns[0]))

static void
make_network(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	struct pace_table *t = pace_figure_table(s, "points", "All points",
	    network_columns, pace_sweep_columns(&v->w, NETWORK_COLUMNS));
	char what[128], frames[80];

	snprintf(what, sizeof(what), "%s per point", pace_words_frames(&v->w, frames,
	    sizeof(frames)));
	pace_words_subtitle(s, r, what);
	pace_view_lines(s, v);
	pace_axis_put_loss(s, "LOSS", v->w.most_frames, v->lines);
	pace_figure_markup(s, "FLOOR_NOTE", "smallest visible loss: 1 of %s", frames);
	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (size_t k = 0; k < l->n; k++) {
			const struct pace_sweep_cell *c = &l->cell[k];

			pace_table_row(s, t, (double[]){ l->size_bytes, c->spacing_ns / 1e3,
			    pace_sweep_view_place(v, c->spacing_ns),
			    pace_sweep_cell_spread(c, PACE_LOST_NETWORK).mid,
			    pace_sweep_cell_spread(c, PACE_LOST_NETWORK_LOW).mid,
			    pace_sweep_cell_spread(c, PACE_LOST_NETWORK_HIGH).mid,
			    pace_sweep_cell_spread(c, PACE_LOST_HOSTS).mid,
			    pace_sweep_cell_spread(c, PACE_LOST_HOSTS_LOW).mid,
			    pace_sweep_cell_spread(c, PACE_LOST_HOSTS_HIGH).mid, c->degraded,
			    l->streams, pace_line_dscp(l) });
		}
	}
}

static bool
has_streams(const struct pace_run *r)
{
	return r->n > 0;
}

static bool
has_losses(const struct pace_stream_point *l)
{
	return l->rx.lost > 0;
}

const struct pace_fig pace_fig_spacing = {
	"P1", "spacing", "spacing.gp", "Received rate, loss and order against spacing",
	900, 990, .marked = true, .of_sweep = true, .wanted = has_streams,
	.make_view = make_spacing,
	.formula = "offered = bits on the line / spacing",
	.caption = "Received rate for each requested spacing. The dashed curves are the offered "
	    "rate; where a line leaves its curve, the sender, the path or the receiver can no "
	    "longer keep up. No line leads to b-to-b (back to back), which has no offered rate. A "
	    "point without loss stands below the dotted line, in the row of its size.",
};

const struct pace_fig pace_fig_network = {
	"P2n", "network", "network.gp", "Loss in the network, and loss in the hosts",
	900, 662, .marked = true, .of_sweep = true, .has = has_losses, .make_view = make_network,
	.formula = "of the frames sent; bars: at least, at most",
	.caption = "Frames that no counter of either host claims were lost in the network. A "
	    "point without a bar is exact. A bar shows the range of the loss if a counter of "
	    "a host also counts other traffic.",
};
