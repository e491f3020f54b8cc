/*
 * The cost of a frame size at the smallest spacing: rates against theory (P15), core time and
 * loss ratio (P16).
 */
#include "config.h"

#include <math.h>

#include "report/fig.h"
#include "report/words.h"

static const struct pace_table_column columns[] = {
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "received_mbps", "Received, data (Mbit/s)", 6 },
	{ "received_low_mbps", NULL, 6 },
	{ "received_high_mbps", NULL, 6 },
	{ "sent_mbps", "Sent, data (Mbit/s)", 6 },
	{ "theory_mbps", "Line allows, data (Mbit/s)", 6 },
	{ "received_fps", "Received (frames/s)", 6 },
	{ "theory_fps", "Line allows (frames/s)", 6 },
	{ "efficiency_percent", "Share of the line rate (%)", 4 },
	{ "lost_percent", "Lost (%)", 5 },
	{ "receive_core_percent", "Receiver's busiest core (%)", 4 },
	{ "send_core_percent", "Sender's busiest core (%)", 4 },
	{ "degraded", "Degraded", 0 },
};

/* The cell of a line's smallest measured spacing; NULL: none. */
static const struct pace_sweep_cell *
fastest(const struct pace_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->cell[i].n > 0)
			return &l->cell[i];
	return NULL;
}

/* Extremes of the drawn values: largest ones, and the smallest one above 0. */
struct fig_size_extremes { double mbps, line_mbps, fps, low_fps, percent; };

static struct fig_size_extremes
put_sizes(struct pace_figure *s, const struct pace_sweep *w, double line_bps)
{
	struct pace_table *t = pace_figure_table(s, "sizes", "Each size at its smallest spacing",
	    PACE_COLUMNS(columns));
	struct fig_size_extremes h = { .low_fps = NAN };

	for (size_t i = 0; i < w->n; i++) {
		const struct pace_line *l = &w->line[i];
		const struct pace_sweep_cell *c = fastest(l);
		const double bits = l->size_bytes * 8.0;
		const double fps = line_bps > 0 ? line_bps * l->streams / (l->wire_bytes * 8) : NAN;

		if (c == NULL)
			continue;
		const double row[] = { l->size_bytes, c->spacing_ns / 1e3,
		    c->user_bps.mid / 1e6, c->user_bps.low / 1e6, c->user_bps.high / 1e6,
		    pace_sweep_cell_spread(c, PACE_SENT_USER).mid / 1e6, fps * bits / 1e6,
		    c->user_bps.mid / bits, fps, 100 * c->user_bps.mid / (fps * bits),
		    c->loss.mid * 100, pace_sweep_cell_spread(c, PACE_RX_BUSY).mid,
		    pace_sweep_cell_spread(c, PACE_TX_BUSY).mid, c->degraded };

		pace_table_row(s, t, row);
		/* fmax ignores NAN */
		h.mbps = fmax(h.mbps, fmax(row[4], row[5]));
		h.line_mbps = fmax(h.line_mbps, row[6]);
		h.fps = fmax(h.fps, fmax(row[7], row[8]));
		h.percent = fmax(h.percent, row[9]);
		if (row[7] > 0)
			h.low_fps = fmin(h.low_fps, fmin(row[7], row[8]));
	}
	return h;
}

#define LOG_FROM	50	/* ratio of the largest to the smallest size from which the axis
				 * is logarithmic */
#define NEAR		4	/* the line's limit is drawn up to this multiple of the rate
				 * reached */

/* Set subtitle and axis.  The subtitle has the spacing if there is only one. */
static void
begin(struct pace_figure *s, const struct pace_run *r, const struct pace_sweep_view *v)
{
	const double low = v->w.line[0].size_bytes, high = v->w.line[v->w.n - 1].size_bytes;
	const bool is_log = high / low >= LOG_FROM;
	const struct pace_sweep_cell *first = NULL;
	char what[192], spacing[96] = "b-to-b", frames[80], text[40];
	bool one = true;

	for (size_t i = 0; i < v->w.n && one; i++) {
		const struct pace_sweep_cell *c = fastest(&v->w.line[i]);

		one = c == NULL || first == NULL || c->spacing_ns == first->spacing_ns;
		first = c != NULL ? c : first;
	}
	if (!one)
		snprintf(spacing, sizeof(spacing), "each size at its smallest spacing");
	else if (first != NULL && first->spacing_ns > 0)
		snprintf(spacing, sizeof(spacing), "one frame every %s %s", pace_sweep_view_say(v,
		    first->spacing_ns, text, sizeof(text)), v->time.name);
	snprintf(what, sizeof(what), "%s · %s per point", spacing,
	    pace_words_frames(&v->w, frames, sizeof(frames)));
	pace_words_subtitle(s, r, what);
	pace_axis_put_spacing(s, &(struct pace_axis_spacing){ .log = is_log,
	    .low = is_log ? low / 1.15 : 0, .high = high * (is_log ? 1.1 : 1.04), .least = low });
}

static void
make_rates(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	const double line = pace_run_line_bps(r);
	struct fig_size_extremes h;
	struct pace_axis_unit fps;
	bool shown;

	begin(s, r, v);
	if (line > 0)
		pace_words_footer(s, r, "line allows = line rate × payload / bytes on the line");
	h = put_sizes(s, &v->w, line);
	shown = line > 0 && h.line_mbps <= NEAR * h.mbps;
	pace_axis_put_rate(s, 1e6 * (shown ? fmax(h.mbps, h.line_mbps) : h.mbps), 6);
	pace_figure_int(s, "LINE_SHOWN", shown);
	pace_figure_text(s, "LINE_NOTE", line > 0 && !shown ?
	    "what the line allows: above this panel" : "");
	fps = pace_axis_frames(h.fps);
	pace_axis_log(s, "FPS", "y", (h.low_fps > 0 ? h.low_fps : 1) / fps.one,
	    fmax(h.fps, 1) / fps.one, 8);
	pace_figure_num(s, "FPS_ONE", fps.one);
	pace_figure_text(s, "FPS_UNIT", fps.name);
	pace_axis_from_zero(s, "PERCENT", h.percent, 5);	/* virtual links may exceed 100 % */
	pace_figure_int(s, "HAS_LINE", line > 0);
	s->height = line > 0 ? 0 : 662;
}

static void
make_price(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	begin(s, r, v);
	put_sizes(s, &v->w, pace_run_line_bps(r));
	pace_axis_put_loss(s, "LOSS", v->w.most_frames, 1);
}

static bool
has_sizes(const struct pace_run *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (r->point[i].ask.size_bytes != r->point[0].ask.size_bytes)
			return true;
	return false;
}

static bool
has_sizes_and_cores(const struct pace_run *r)
{
	struct pace_sweep w;
	bool known = false;

	if (!has_sizes(r) || pace_sweep_make(&w, r) != 0)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		const struct pace_sweep_cell *c = fastest(&w.line[i]);

		known |= c != NULL && (pace_sweep_cell_spread(c, PACE_RX_BUSY).n > 0 ||
		    pace_sweep_cell_spread(c, PACE_TX_BUSY).n > 0);
	}
	pace_sweep_free(&w);
	return known;
}

const struct pace_fig pace_fig_size = {
	"P15", "size", "size.gp", "Rates against frame size, at the smallest spacing", 900, 862,
	.marked = true,
	.wanted = has_sizes, .make_view = make_rates,
	.formula = "",
	.caption = "If the rate of data rises with the size while the rate of frames is "
	    "constant, the cost of a frame is the limit; if it follows the upper curve, the "
	    "line is. A point above the line's limit: frames left a queue and arrived closer "
	    "together than they were sent.",
};

const struct pace_fig pace_fig_price = {
	"P16", "price", "price.gp", "Core time and loss against frame size", 900, 662,
	.marked = true,
	.wanted = has_sizes_and_cores, .make_view = make_price,
	.formula = "core time: of the busiest core of each host, all but idle and iowait",
	.caption = "The cost of small frames: time of the busiest core of each host, and the "
	    "share of lost frames. A measured zero has a separate place.",
};
