/*
 * Rate, loss and order against spacing: P1, P2, P3 on one page, P2n and P4.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/fig.h"
#include "report/sweep_view.h"
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
	{ "reordered", "Out of order", 0 },
	{ "frames", "Frames sent", 0 },
	{ "points", "Points", 0 },
	{ "failed", "Failed", 0 },
	{ "degraded", "Spacing not kept", 0 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

static void
put_cell(struct pace_figure *s, struct pace_table *t, const struct pace_line *l,
    const struct pace_sweep_cell *c, double x)
{
	const double row[COLUMNS] = {
		l->size_bytes, c->spacing_ns / 1e3, x,
		c->wire_bps.mid / 1e6, c->wire_bps.low / 1e6, c->wire_bps.high / 1e6,
		c->sent_wire_bps.mid / 1e6,
		c->loss.mid * 100, c->loss.low * 100, c->loss.high * 100, c->reordered.mid,
		c->n > 0 ? c->frames : NAN, (double)c->n, (double)c->failed, c->degraded,
	};

	pace_table_row(s, t, row);
}

/* Points whose sender did not keep the spacing are hollow: they stand where nobody was. */
static void
put_points(struct pace_figure *s, const struct pace_sweep_view *v)
{
	struct pace_table *t = pace_figure_table(s, "points", "All points", columns, COLUMNS);
	bool degraded = false;

	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (size_t k = 0; k < l->n; k++)
			put_cell(s, t, l, &l->cell[k],
			    pace_sweep_view_place(v, l->cell[k].spacing_ns));
		for (size_t k = 0; k < l->n; k++)
			degraded |= l->cell[k].degraded;
	}
	pace_figure_int(s, "DEGRADED", degraded);
}

/* --- what was offered -------------------------------------------------------------- */

#define CURVE	160	/* places */

static const struct pace_table_column curve[] = {
	{ "x", NULL, 0 }, { "offered", NULL, 0 },
};

static double
curve_x(const struct pace_sweep_view *v, int i)
{
	const double share = (double)i / (CURVE - 1), low = fmax(v->x.low, 0);

	if (!v->x.log)		/* not 0 itself, where it is infinite */
		return low + (v->x.high - low) * (i + 0.5) / CURVE;
	return v->x.least * pow(v->x.high / v->x.least, share);
}

/* Above top it is not drawn. */
static void
put_offered(struct pace_figure *s, const struct pace_sweep_view *v, double one_bps, double top)
{
	struct pace_table *t = pace_figure_table(s, "offered", NULL, curve, 2);

	for (size_t i = 0; i < v->lines; i++) {
		const double bits = v->w.line[v->shown[i]].wire_bytes * 8;

		pace_table_break(s, t);
		for (int k = 0; k < CURVE; k++) {
			const double x = isnan(v->x.least) ? NAN : curve_x(v, k);
			const double y = bits / (x * v->time.one) * 1e9 / one_bps;

			pace_table_row(s, t, (double[]){ isnan(x) ? 0 : x, y <= top ? y : NAN });
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
	const struct pace_axis_unit unit = pace_axis_rate(high);
	char rate[32], note[80] = "";

	pace_axis_from_zero(s, "RATE", high / unit.one, 6);
	pace_figure_num(s, "RATE_ONE", unit.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", unit.name);
	pace_figure_int(s, "LINE_SHOWN", shown);
	pace_figure_num(s, "LINE", line / unit.one);
	if (line > 0 && !shown)
		snprintf(note, sizeof(note), "line rate %s: above this panel",
		    pace_print(PACE_UNIT_BPS, line, rate, sizeof(rate)));
	pace_figure_text(s, "LINE_NOTE", note);
	pace_figure_text(s, "EMPTY", v->w.told ? "" :
	    "no data: the responder's counts of these points did not arrive");
	put_offered(s, v, unit.one, shown ? line / unit.one : high / unit.one * 1.08);
}

static void
put_order(struct pace_figure *s, const struct pace_sweep_view *v)
{
	double most = 0, key[3];
	char text[3][32];
	const char *name[3];
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
		name[i] = pace_axis_count(key[i], text[i], sizeof(text[i]));
	pace_figure_num(s, "ORDER_MOST", most > 0 ? most : 1);
	pace_figure_int(s, "ORDER_KEYS", (long)n);
	pace_figure_nums(s, "ORDER_KEY", key, n);
	pace_figure_texts(s, "ORDER_NAME", name, n);
	pace_figure_text(s, "ORDER_TITLE", most > 0 ? "frames out of order (area of the dot)" :
	    "frames out of order: none");
}

static void
say_floor(struct pace_figure *s, const struct pace_sweep_view *v)
{
	char low[40], high[40];

	pace_axis_count(v->w.least_frames, low, sizeof(low));
	pace_axis_count(v->w.most_frames, high, sizeof(high));
	if (strcmp(low, high) == 0)
		pace_figure_markup(s, "FLOOR_NOTE", "smallest visible loss: 1 frame in %s", high);
	else
		pace_figure_markup(s, "FLOOR_NOTE",
		    "smallest visible loss: 1 frame in %s to %s", low, high);
}

static void
say_spacing(struct pace_figure *s, const struct pace_sweep_view *v, const struct pace_run *r)
{
	char what[128], frames[80], sizes[64] = "";

	if (v->lines < v->w.n)
		snprintf(sizes, sizeof(sizes), " · %zu of %zu sizes", v->lines, v->w.n);
	snprintf(what, sizeof(what), "%s per point%s%s",
	    pace_words_frames(&v->w, frames, sizeof(frames)), sizes,
	    v->w.repeated ? " · median, bars: lowest and highest" : "");
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, pace_run_line_bps(r) > 0 ?
	    "offered = min(bits on the line / spacing, line rate)" :
	    "offered = bits on the line / spacing");
	pace_figure_say(s, &s->caption, "What arrived for each spacing asked for. The dashed curves are "
	    "what was offered; where a line leaves its curve, the sender, the path or the receiver "
	    "stopped to follow. Loss has a place of its own for a measured zero.%s",
	    v->lines < v->w.n ? " Every size is in the table and in the map of loss." : "");
}

static void
make_spacing(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	say_spacing(s, &v, r);
	pace_view_lines(s, &v);
	put_rate_axis(s, &v, r);
	pace_axis_put_loss(s, "LOSS", v.w.most_frames);
	say_floor(s, &v);
	put_order(s, &v);
	put_points(s, &v);
	pace_sweep_view_free(&v);
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
};

static double
of_sent(const struct pace_stream_point *l, double frames)
{
	return l->has_rx && l->tx.frames > 0 ? 100 * frames / (double)l->tx.frames : NAN;
}

static double
network(const struct pace_stream_point *l)
{
	return of_sent(l, (double)l->ledger.place[PACE_NETWORK].n);
}

static double
network_least(const struct pace_stream_point *l)
{
	return of_sent(l, (double)l->ledger.place[PACE_NETWORK].low);
}

static double
network_most(const struct pace_stream_point *l)
{
	return of_sent(l, (double)l->ledger.place[PACE_NETWORK].high);
}

static double
hosts(const struct pace_stream_point *l)
{
	return of_sent(l, (double)(l->rx.lost - l->ledger.place[PACE_NETWORK].n));
}

static void
put_network(struct pace_figure *s, const struct pace_sweep_view *v)
{
	struct pace_table *t = pace_figure_table(s, "points", "All points", network_columns, 7);

	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];

		pace_table_break(s, t);
		for (size_t k = 0; k < l->n; k++) {
			const struct pace_sweep_cell *c = &l->cell[k];

			pace_table_row(s, t, (double[]){ l->size_bytes, c->spacing_ns / 1e3,
			    pace_sweep_view_place(v, c->spacing_ns),
			    pace_sweep_cell_spread(c, network).mid,
			    pace_sweep_cell_spread(c, network_least).mid,
			    pace_sweep_cell_spread(c, network_most).mid,
			    pace_sweep_cell_spread(c, hosts).mid });
		}
	}
}

static void
make_network(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	char what[128], frames[80];
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	snprintf(what, sizeof(what), "%s per point", pace_words_frames(&v.w, frames,
	    sizeof(frames)));
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, "of the frames sent; bars: at least, at most");
	pace_figure_say(s, &s->caption, "Frames that no counter of either host claims were lost in the "
	    "network; where a host's counters are not the stream's alone, bars show between which "
	    "two numbers the truth lies.");
	pace_view_lines(s, &v);
	pace_axis_put_loss(s, "LOSS", v.w.most_frames);
	say_floor(s, &v);
	put_network(s, &v);
	pace_sweep_view_free(&v);
}

static bool
has_streams(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	return r->n > 0;
}

static bool
has_losses(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].has_rx && r->point[i].rx.lost > 0)
			return true;
	return false;
}

const struct pace_fig pace_fig_spacing = {
	"P1", "spacing", "spacing.gp", "Received rate, loss and order against spacing",
	900, 990, has_streams, make_spacing,
};

const struct pace_fig pace_fig_network = {
	"P2n", "network", "network.gp", "Loss in the network, and loss in the hosts",
	900, 662, has_losses, make_network,
};
