/*
 * What a size costs, as fast as it was sent: P15 rates against theory, P16 core time and
 * error ratio.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fig.h"
#include "report/load.h"
#include "report/sweep_view.h"
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
	{ "efficiency_percent", "Of what the line allows (%)", 4 },
	{ "lost_percent", "Lost (%)", 5 },
	{ "receive_core_percent", "Receiver's busiest core (%)", 4 },
	{ "send_core_percent", "Sender's busiest core (%)", 4 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

static double
sent_user(const struct pace_stream_point *l)
{
	return l->tx.user_rate_bps > 0 ? l->tx.user_rate_bps : NAN;
}

static double
our_busy(const struct pace_stream_point *l)
{
	return pace_load_busy(&l->ours);
}

static double
their_busy(const struct pace_stream_point *l)
{
	return pace_load_busy(&l->theirs);
}

/* The smallest spacing of a line that was measured; NULL: none. */
static const struct pace_sweep_cell *
fastest(const struct pace_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->cell[i].n > 0)
			return &l->cell[i];
	return NULL;
}

/* Of what is drawn: the largest, and the smallest above 0. */
struct fig_size_extremes { double mbps, fps, low_fps, percent; };

static void
put_line(struct pace_figure *s, struct pace_table *t, const struct pace_line *l,
    double line_bps, struct fig_size_extremes *h)
{
	const struct pace_sweep_cell *c = fastest(l);
	const double bits = l->size_bytes * 8.0;
	const double fps = line_bps > 0 ? line_bps / (l->wire_bytes * 8) : NAN;
	double row[COLUMNS];

	if (c == NULL)
		return;
	memcpy(row, (double[COLUMNS]){ l->size_bytes, c->spacing_ns / 1e3,
	    c->user_bps.mid / 1e6, c->user_bps.low / 1e6, c->user_bps.high / 1e6,
	    pace_sweep_cell_spread(c, sent_user).mid / 1e6, fps * bits / 1e6,
	    c->user_bps.mid / bits, fps, 100 * c->user_bps.mid / (fps * bits),
	    c->loss.mid * 100, pace_sweep_cell_spread(c, their_busy).mid,
	    pace_sweep_cell_spread(c, our_busy).mid }, sizeof(row));
	pace_table_row(s, t, row);
	h->mbps = fmax(h->mbps, fmax(fmax(row[4], row[5]), row[6]));	/* NAN is passed over */
	h->fps = fmax(h->fps, fmax(row[7], row[8]));
	h->percent = fmax(h->percent, row[9]);
	if (row[7] > 0)
		h->low_fps = fmin(h->low_fps, row[7]);
}

static struct fig_size_extremes
put_sizes(struct pace_figure *s, const struct pace_sweep *w, double line_bps)
{
	struct pace_table *t = pace_figure_table(s, "sizes", "Each size at its smallest spacing",
	    columns, COLUMNS);
	struct fig_size_extremes h = { 0, 0, NAN, 100 };

	for (size_t i = 0; i < w->n; i++)
		put_line(s, t, &w->line[i], line_bps, &h);
	return h;
}

/* "back to back", "at 10 µs", "at the smallest spacing of each size" */
static void
say_spacing(const struct pace_sweep_view *v, char *buf, size_t size)
{
	const struct pace_sweep_cell *first = NULL;
	char text[40];

	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_sweep_cell *c = fastest(&v->w.line[i]);

		if (c != NULL && first != NULL && c->spacing_ns != first->spacing_ns) {
			snprintf(buf, size, "each size at its smallest spacing");
			return;
		}
		first = c != NULL ? c : first;
	}
	if (first == NULL || first->spacing_ns <= 0)
		snprintf(buf, size, "back to back");
	else
		snprintf(buf, size, "one frame every %s %s", pace_sweep_view_say(v, first->spacing_ns,
		    text, sizeof(text)), v->time.name);
}

#define LOG_FROM	50	/* largest size to smallest */

static void
put_size_axis(struct pace_figure *s, const struct pace_sweep *w)
{
	const double low = w->line[0].size_bytes, high = w->line[w->n - 1].size_bytes;
	const bool is_log = high / low >= LOG_FROM;

	pace_axis_put_spacing(s, &(struct pace_axis_spacing){ .log = is_log,
	    .low = is_log ? low / 1.15 : 0, .high = high * (is_log ? 1.1 : 1.04), .least = low });
}

static void
begin(struct pace_figure *s, const struct pace_run *r, const struct pace_sweep_view *v,
    const char *formula)
{
	char what[192], spacing[96], frames[80];

	say_spacing(v, spacing, sizeof(spacing));
	snprintf(what, sizeof(what), "%s · %s per point", spacing,
	    pace_words_frames(&v->w, frames, sizeof(frames)));
	pace_words_subtitle(s, r, what);
	pace_words_footer(s, r, formula);
	put_size_axis(s, &v->w);
}

static void
make_rates(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	const double line = pace_run_line_bps(r);
	struct pace_axis_unit rate;
	struct pace_sweep_view v;
	struct fig_size_extremes h;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	begin(s, r, &v, line > 0 ? "line allows = line rate × payload / bytes on the line" : "");
	h = put_sizes(s, &v.w, line);
	rate = pace_axis_rate(h.mbps * 1e6);
	pace_axis_from_zero(s, "RATE", h.mbps * 1e6 / rate.one, 6);
	pace_figure_num(s, "RATE_ONE", rate.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", rate.name);
	pace_axis_decades(s, "FPS", "y", h.low_fps > 0 ? h.low_fps : 1, h.fps > 0 ? h.fps : 1);
	pace_axis_from_zero(s, "PERCENT", h.percent, 5);	/* a virtual link may carry more */
	pace_figure_int(s, "HAS_LINE", line > 0);
	pace_figure_say(s, &s->caption, "A rate of data that rises with the size at a constant rate of "
	    "frames is limited by the cost of a frame; one that follows what the line allows, by the "
	    "line.");
	s->height = line > 0 ? 0 : 662;
	pace_sweep_view_free(&v);
}

static void
make_price(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	begin(s, r, &v, "core time: of the busiest core of each host, all but idle and iowait");
	put_sizes(s, &v.w, pace_run_line_bps(r));
	pace_axis_put_loss(s, "LOSS", v.w.most_frames);
	pace_figure_say(s, &s->caption, "What small frames cost: time of the busiest core of each "
	    "host, and the share of frames that was lost, with a place of its own for a measured "
	    "zero.");
	pace_sweep_view_free(&v);
}

static bool
has_sizes(const struct pace_report_data *b, const struct pace_run *r)
{
	(void)b;
	for (size_t i = 1; i < r->n; i++)
		if (r->point[i].ask.size_bytes != r->point[0].ask.size_bytes)
			return true;
	return false;
}

static bool
has_load(const struct pace_report_data *b, const struct pace_run *r)
{
	if (!has_sizes(b, r))
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].ours.has_busiest || r->point[i].theirs.has_busiest)
			return true;
	return false;
}

const struct pace_fig pace_fig_size = {
	"P15", "size", "size.gp", "Rates against frame size, at the smallest spacing", 900, 862,
	has_sizes, make_rates,
};

const struct pace_fig pace_fig_price = {
	"P16", "price", "price.gp", "Core time and loss against frame size", 900, 662,
	has_load, make_price,
};
