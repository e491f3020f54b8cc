/* The points of a sweep as they end: which size and spacing works? */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"
#include "ui/line.h"
#include "ui/sweep.h"

#define CELL	5	/* columns of a spacing */
#define LEFT	8	/* of the sizes */
#define BAR	50	/* of the whole sweep, at most */

/* --- cells ------------------------------------------------------------------ */

static char
mark_of(const struct pace_scene *c, const struct pace_grid *g, const struct pace_snap_point *p)
{
	double all;

	if (p == NULL)
		return c->s->sweep->ended ? ' ' : '_';
	if (isnan(p->loss))
		return 'x';
	if (c->ui->metric == PACE_METRIC_LOSS)
		return pace_mark_of(p->loss);
	all = (double)p->frames;
	if (c->ui->metric == PACE_METRIC_ORDER)
		return pace_mark_of(all > 0 ? fmin((double)p->reordered / all, 0.99) : NAN);
	if (isnan(p->wire_bps) || g->most_bps <= 0)
		return '-';
	return (char)('0' + (int)fmin(9, 10 * p->wire_bps / g->most_bps));
}

static enum pace_role
role_of(const struct pace_scene *c, char mark)
{
	if (c->ui->metric == PACE_METRIC_RATE)
		return mark == 'x' ? PACE_ROLE_BAD : PACE_ROLE_TEXT;
	return mark == 'x' || mark == 'X' || (mark >= '3' && mark <= '5') ? PACE_ROLE_BAD :
	    mark == '1' || mark == '2' ? PACE_ROLE_WARN : PACE_ROLE_FAINT;
}

static void
put_cell(const struct pace_scene *c, const struct pace_grid *g, int row, int col, int i, int k)
{
	const struct pace_snap_point *p = pace_grid_point(c->s->sweep, g->size[i], g->spacing[k]);
	bool now = pace_grid_is_now(c->s->sweep, g->size[i], g->spacing[k]);
	char mark = now ? '#' : mark_of(c, g, p);
	const struct pace_snap_point *chosen = pace_grid_chosen(c->s->sweep, c->ui);
	bool here = chosen != NULL ? chosen->size_bytes == g->size[i] && !(chosen->spacing_ns <
	    g->spacing[k]) && !(chosen->spacing_ns > g->spacing[k]) : c->ui->size_bytes == g->size[i] &&
	    !(c->ui->spacing_ns < g->spacing[k]) && !(c->ui->spacing_ns > g->spacing[k]);

	pace_canvas_put(c->g, row, col + CELL - 2, mark == '.' ? 0xb7 : (uint32_t)(unsigned char)mark,
	    here ? PACE_ROLE_CHOSEN : now ? PACE_ROLE_NOW :
	    role_of(c, mark));
	if (!here)
		return;
	pace_canvas_put(c->g, row, col + CELL - 3, '[', PACE_ROLE_CHOSEN);
	pace_canvas_put(c->g, row, col + CELL - 1, ']', PACE_ROLE_CHOSEN);
	c->g->cursor_row = row;
	c->g->cursor_col = col + CELL - 2;
}

static void
put_spacing(const struct pace_scene *c, int row, int col, double ns)
{
	char text[40];

	if (ns >= 1e7)
		snprintf(text, sizeof(text), "%.3gk", ns / 1e6);
	else
		snprintf(text, sizeof(text), ns < 1e5 ? "%.3g" : "%.4g", ns / 1e3);
	pace_canvas_right(c->g, row, col, CELL - 1, PACE_ROLE_FAINT, text);
}

/* First of those that are seen, so that the chosen one is. */
static int
first_of(int n, int room, int chosen)
{
	return chosen < room || room <= 0 ? 0 : chosen >= n ? 0 : chosen - room + 1;
}

static void
put_grid(const struct pace_scene *c, const struct pace_box *b, const struct pace_grid *g)
{
	const struct pace_snap_point *p = pace_grid_chosen(c->s->sweep, c->ui);
	uint64_t size = p != NULL ? p->size_bytes : c->ui->size_bytes;
	double spacing = p != NULL ? p->spacing_ns : c->ui->spacing_ns;
	int cols = (b->cols - LEFT) / CELL, rows = b->rows - 1, row = 0, col = 0;

	while (row < g->sizes && g->size[row] < size)
		row++;
	while (col < g->spacings && g->spacing[col] < spacing)
		col++;
	row = first_of(g->sizes, rows, row);
	col = first_of(g->spacings, cols, col);
	pace_canvas_text(c->g, b->row, b->col + 1, LEFT - 1, PACE_ROLE_FAINT, "bytes");
	for (int k = 0; k < cols && col + k < g->spacings; k++)
		put_spacing(c, b->row, b->col + LEFT + k * CELL, g->spacing[col + k]);
	for (int i = 0; i < rows && row + i < g->sizes; i++) {
		pace_canvas_say(c->g, b->row + 1 + i, b->col + 1, LEFT - 1, PACE_ROLE_TEXT, "%5" PRIu64,
		    g->size[row + i]);
		for (int k = 0; k < cols && col + k < g->spacings; k++)
			put_cell(c, g, b->row + 1 + i, b->col + LEFT + k * CELL, row + i, col + k);
	}
}

/* --- words ------------------------------------------------------------------ */

static void
legend(const struct pace_scene *c, const struct pace_box *b)
{
	static const char *const names[PACE_METRICS] = {
		"Loss: . none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10% X all _ to do x failed",
		"Rate received: 0 to 9, tenths of the highest  _ to do  x failed",
		"Out of order: . none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10% _ to do x failed" };

	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE,
	    names[c->ui->metric % PACE_METRICS]);
}

static void
put_point(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_point *p)
{
	bool mine = c->ui->size_bytes != 0 || c->ui->spacing_ns > 0;
	char spacing[40], rate[40], loss[40];

	if (p == NULL) {
		pace_canvas_text(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    "Under cursor  not measured");
		return;
	}
	if (isnan(p->loss)) {
		pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_BAD, "%s  %" PRIu64
		    " B every %s: failed, the responder's part is missing",
		    mine ? "Under cursor" : "Newest point", p->size_bytes,
		    pace_print(PACE_UNIT_USEC, p->spacing_ns, spacing, sizeof(spacing)));
		return;
	}
	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, p->loss > 0 ?
	    PACE_ROLE_BAD : PACE_ROLE_TEXT, "%s  %" PRIu64 " B every %s: received %s wire, lost %s",
	    mine ? "Under cursor" : "Newest point", p->size_bytes,
	    pace_print(PACE_UNIT_USEC, p->spacing_ns, spacing, sizeof(spacing)),
	    pace_print(PACE_UNIT_BPS, p->wire_bps, rate, sizeof(rate)),
	    pace_print(PACE_UNIT_RATIO, p->loss, loss, sizeof(loss)));
	pace_canvas_text(c->g, row + 1, b->col + 15, b->cols - 15, PACE_ROLE_TEXT, p->diagnosis);
}

static void
put_whole(const struct pace_scene *c, const struct pace_box *b, int row, const struct pace_grid *g)
{
	const struct pace_snap_sweep *w = c->s->sweep;
	int wide = b->cols - 34 < BAR ? b->cols - 34 : BAR;
	double done = w->planned > 0 ? (double)w->n / (double)w->planned : w->ended ? 1 : NAN;
	char rate[40], spacing[40];
	int col = b->col + 1;

	col += pace_canvas_text(c->g, row, col, b->cols, PACE_ROLE_TITLE, "Whole sweep") + 2;
	for (int x = 0; wide > 0 && !isnan(done) && x < wide; x++)
		pace_canvas_put(c->g, row, col + x, x + 0.5 < done * wide ? 0x2588 : 0x2591, PACE_ROLE_BAR);
	if (!isnan(done) && wide > 0)
		col += wide + 1;
	if (w->planned > 0)
		pace_canvas_say(c->g, row, col, b->cols - col, PACE_ROLE_TEXT, "%zu of %" PRIu64 " points",
		    w->n, w->planned);
	else
		pace_canvas_say(c->g, row, col, b->cols - col, PACE_ROLE_TEXT, "%zu points", w->n);
	if (g->best != NULL)
		pace_canvas_say(c->g, row + 1, b->col + 1, b->cols - 1, PACE_ROLE_GOOD,
		    "No loss up to %s wire, with %" PRIu64 " B every %s",
		    pace_print(PACE_UNIT_BPS, g->best->wire_bps, rate, sizeof(rate)), g->best->size_bytes,
		    pace_print(PACE_UNIT_USEC, g->best->spacing_ns, spacing, sizeof(spacing)));
	else
		pace_canvas_text(c->g, row + 1, b->col + 1, b->cols - 1, PACE_ROLE_WARN,
		    "! no point was without loss");
}

/* What is measured now, and when all will be. */
static void
put_now(const struct pace_scene *c, const struct pace_box *b, int row)
{
	const struct pace_snap_sweep *w = c->s->sweep;
	char spacing[40], left[32];
	int col = b->col + 1;

	if (w->step[0] != '\0')
		col += pace_canvas_text(c->g, row, col, b->cols - col, PACE_ROLE_TITLE, w->step) + 2;
	if (w->is_now)
		pace_canvas_say(c->g, row, col, b->cols - col, PACE_ROLE_NOW,
		    "# now %" PRIu64 " B every %s, %s left", w->now_bytes,
		    pace_print(PACE_UNIT_USEC, w->now_spacing_ns, spacing, sizeof(spacing)),
		    pace_clock_text(w->left_ns, left, sizeof(left)));
}

/* --- the page --------------------------------------------------------------- */

static void
nothing(const struct pace_scene *c, const struct pace_box *b)
{
	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Sweep");
	if (b->rows > 1)
		pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
		    c->s->sweep != NULL ? "no point has ended yet" :
		    "none: --replay of a journal, or of throughput's --jsonl, has one");
	if (b->rows > 2 && c->s->sweep != NULL)
		put_now(c, b, b->row + 2);
}

void
pace_page_sweep(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_box grid = *b;
	struct pace_grid g;
	bool words = b->rows >= 9, rules = b->rows >= 14, now;

	if (b->rows < 1)
		return;
	if (c->s->sweep == NULL || c->s->sweep->n == 0) {
		nothing(c, b);
		return;
	}
	now = words && (c->s->sweep->is_now || c->s->sweep->step[0] != '\0');
	pace_grid_of(&g, c->s->sweep);
	legend(c, b);
	grid.row++;
	grid.rows--;
	if (b->rows >= 5)
		pace_canvas_text(c->g, grid.row++, b->col + LEFT, b->cols - LEFT, PACE_ROLE_FAINT,
		    "spacing, \xc2\xb5s");
	grid.rows -= now + (b->rows >= 5) + (words ? 4 : b->rows >= 5 ? 1 : 0) + 2 * rules;
	put_grid(c, &grid, &g);
	grid.row += grid.rows;
	if (rules)
		pace_canvas_rule(c->g, grid.row++, b->col, b->cols);
	if (words) {
		put_point(c, b, grid.row, pace_grid_chosen(c->s->sweep, c->ui));
		grid.row += 2;
	}
	if (rules)
		pace_canvas_rule(c->g, grid.row++, b->col, b->cols);
	if (now)
		put_now(c, b, grid.row++);
	if (words)
		put_whole(c, b, grid.row, &g);
	else if (b->rows >= 5)
		put_point(c, &(struct pace_box){ .row = grid.row, .col = b->col, .rows = 1,
		    .cols = b->cols }, grid.row, pace_grid_chosen(c->s->sweep, c->ui));
}
