/*
 * The whole sweep at a glance (P4), one cell a point.
 */
#include "config.h"

#include <math.h>

#include "report/fig.h"
#include "report/words.h"

#define PACE_MAP_ROWS	200	/* more have no room: no map */

enum state { UNMEASURED, NONE_LOST, LOST, FAILED };

static const struct pace_table_column columns[] = {
	{ "x", NULL, 0 }, { "y", NULL, 0 },
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "state", NULL, 0 },		/* enum state */
	{ "lost_percent", "Lost (%)", 5 },
	{ "degraded", "Degraded", 0 },
	{ "streams", "Streams", 0 }, { "dscp", "DSCP", 0 },
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static void
make(const struct pace_run *r, const struct pace_sweep_view *v, struct pace_figure *s)
{
	const size_t n = v->w.n, every = (n + 39) / 40;	/* 40 labels fit */
	const int px = n <= 4 ? 48 : n <= 12 ? 34 : n <= 40 ? 20 : 10;
	struct pace_table *t = pace_figure_table(s, "cells", "All cells", columns,
	    pace_sweep_columns(&v->w, COLUMNS));
	const char *label[PACE_MAP_ROWS];
	char frames[80];

	if (v->w.repeated)
		pace_words_subtitle(s, r, "median of repeated points");
	pace_figure_text(s, "X_UNIT", v->time.name);
	pace_sweep_view_index_ticks(s, v, 16);
	for (size_t i = 0; i < n; i++)
		label[i] = i % every == 0 ? v->w.line[i].label : "";
	pace_figure_texts(s, "ROW", label, n);
	pace_figure_int(s, "ROWS", (long)n);
	pace_figure_int(s, "COLUMNS", (long)v->w.spacings);
	pace_figure_int(s, "ROW_PX", px);
	s->height = 80 + 58 + px * (int)n + 84;
	/* only the floor and the decades of the loss axis are used here */
	pace_axis_put_loss(s, "LOSS", v->w.most_frames, 1);
	pace_axis_decades(s, "CB", "cb", 100 / fmax(v->w.most_frames, 10), 100);
	pace_figure_markup(s, "FLOOR_NOTE", "%s per point", pace_words_frames(&v->w, frames,
	    sizeof(frames)));
	for (size_t i = 0; i < n; i++) {
		const struct pace_line *l = &v->w.line[i];
		size_t next = 0;

		for (size_t k = 0; k < v->w.spacings; k++) {
			enum state state = UNMEASURED;
			double lost = NAN, degraded = 0;

			if (next < l->n && l->cell[next].spacing_ns == v->w.spacing_ns[k]) {
				const struct pace_spread *loss = &l->cell[next].loss;

				/* no value: every attempt failed */
				state = loss->n == 0 ? FAILED : loss->mid > 0 ? LOST : NONE_LOST;
				lost = loss->n > 0 ? loss->mid * 100 : NAN;
				degraded = l->cell[next++].degraded;
			}
			pace_table_row(s, t, (double[]){ (double)k + 1, (double)i + 1,
			    l->size_bytes, v->w.spacing_ns[k] / 1e3, state, lost, degraded,
			    l->streams, pace_line_dscp(l) });
		}
	}
}

/* A map of one row or column shows no more than its line, but for points that failed. */
static bool
wanted(const struct pace_run *r)
{
	struct pace_sweep w;
	bool is = false;

	if (r->n + r->failures == 0 || pace_sweep_make(&w, r) != 0)
		return false;
	is = w.n <= PACE_MAP_ROWS && ((w.n > 1 && w.spacings > 1) || r->failures > 0);
	pace_sweep_free(&w);
	return is;
}

const struct pace_fig pace_fig_map = {
	"P4", "map", "map.gp", "Loss at every point of the sweep", 900, 500,
	.marked = true,
	.wanted = wanted, .make_view = make,
	.formula = "lost = (sent - unique frames received) / sent",
	.caption = "One cell a point. The map distinguishes a measured zero, a point that was "
	    "not measured, and a point that failed (no answer, or the responder's counts did "
	    "not arrive).",
};
