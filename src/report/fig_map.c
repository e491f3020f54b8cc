/*
 * P4: the whole sweep at one look, a cell for each point.
 */
#include "config.h"

#include <math.h>

#include "report/fig.h"
#include "report/sweep_view.h"
#include "report/words.h"

#define PACE_MAP_ROWS	200

enum state { UNMEASURED, NONE_LOST, LOST, FAILED };

static const struct pace_table_column columns[] = {
	{ "x", NULL, 0 }, { "y", NULL, 0 },
	{ "size_bytes", "Payload (B)", 0 },
	{ "spacing_us", "Spacing (µs)", 6 },
	{ "state", NULL, 0 },		/* enum state */
	{ "lost_percent", "Lost (%)", 5 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

static enum state
state_of(const struct pace_sweep_cell *c)
{
	if (c == NULL)
		return UNMEASURED;
	if (c->loss.n == 0)
		return FAILED;	/* not measured for all that was tried */
	return c->loss.mid > 0 ? LOST : NONE_LOST;
}

static void
put_cell(struct pace_figure *s, struct pace_table *t, const struct pace_sweep_view *v, size_t row,
    size_t column, const struct pace_sweep_cell *c)
{
	pace_table_row(s, t, (double[COLUMNS]){ (double)column + 1, (double)row + 1,
	    v->w.line[row].size_bytes, v->w.spacing_ns[column] / 1e3, state_of(c),
	    c != NULL && c->loss.n > 0 ? c->loss.mid * 100 : NAN });
}

static void
put_cells(struct pace_figure *s, const struct pace_sweep_view *v)
{
	struct pace_table *t = pace_figure_table(s, "cells", "All cells", columns, COLUMNS);

	for (size_t i = 0; i < v->w.n; i++) {
		const struct pace_line *l = &v->w.line[i];
		size_t next = 0;

		for (size_t k = 0; k < v->w.spacings; k++) {
			bool here = next < l->n && l->cell[next].spacing_ns == v->w.spacing_ns[k];

			put_cell(s, t, v, i, k, here ? &l->cell[next] : NULL);
			next += here;
		}
	}
}

static void
put_rows(struct pace_figure *s, const struct pace_sweep_view *v)
{
	const size_t n = v->w.n, every = (n + 39) / 40;	/* that many labels fit */
	const int px = n <= 4 ? 48 : n <= 12 ? 34 : n <= 40 ? 20 : 10;
	const char *label[PACE_MAP_ROWS];

	for (size_t i = 0; i < n && i < PACE_MAP_ROWS; i++)
		label[i] = i % every == 0 ? v->w.line[i].label : "";
	pace_figure_texts(s, "ROW", label, n < PACE_MAP_ROWS ? n : PACE_MAP_ROWS);
	pace_figure_int(s, "ROWS", (long)n);
	pace_figure_int(s, "COLUMNS", (long)v->w.spacings);
	pace_figure_int(s, "ROW_PX", px);
	s->height = 80 + 58 + px * (int)n + 84;
}

static void
put_colours(struct pace_figure *s, const struct pace_sweep_view *v)
{
	char frames[80];

	/* of the loss axis the floor and the decades above it are wanted here */
	pace_axis_put_loss(s, "LOSS", v->w.most_frames);
	pace_axis_decades(s, "CB", "cb", 100 / fmax(v->w.most_frames, 10), 100);
	pace_figure_markup(s, "FLOOR_NOTE", "%s per point", pace_words_frames(&v->w, frames,
	    sizeof(frames)));
}

static void
make(const struct pace_report_data *b, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	(void)b;
	if (!pace_sweep_view_make(&v, r, s))
		return;
	pace_words_subtitle(s, r, v.w.repeated ? "median of repeated points" : "");
	pace_words_footer(s, r, "lost = (sent - unique frames received) / sent");
	pace_figure_say(s, &s->caption, "One cell for each point. A measured zero, a point that was not "
	    "measured and one that failed (no answer, or the responder's counts did not arrive) look "
	    "different.");
	pace_figure_text(s, "X_UNIT", v.time.name);
	pace_sweep_view_index_ticks(s, &v, 16);
	put_rows(s, &v);
	put_colours(s, &v);
	put_cells(s, &v);
	pace_sweep_view_free(&v);
}

/* A map of one row or column says no more than its line. */
static bool
wanted(const struct pace_report_data *b, const struct pace_run *r)
{
	struct pace_sweep w;
	bool is = false;

	(void)b;
	if (r->n + r->failures == 0 || pace_sweep_make(&w, r) != 0)
		return false;
	is = (w.n > 1 && w.spacings > 1 && w.n <= PACE_MAP_ROWS) || r->failures > 0;
	pace_sweep_free(&w);
	return is;
}

const struct pace_fig pace_fig_map = {
	"P4", "map", "map.gp", "Loss at every point of the sweep", 900, 500, wanted, make,
};
