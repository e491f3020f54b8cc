/* The points of a sweep as they end: which size and spacing works? */
#include "ui/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"
#include "ui/sweep_grid.h"

#define CELL	5	/* columns of a spacing */
#define LEFT	8	/* of the sizes */
#define BAR	50	/* of the whole sweep, at most */
#define POINTS	60	/* of the table of points */

/* --- cells ------------------------------------------------------------------ */

static char
mark_of(const struct pace_scene *c, const struct pace_sweep_grid *g,
    const struct pace_snap_point *p)
{
	double all;

	if (p->skipped)
		return 's';
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

static void
put_cell(const struct pace_scene *c, const struct pace_sweep_grid *g, int row, int col, int i,
    int k)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	const struct pace_snap_point *p = pace_sweep_grid_point(w, g->size[i], g->spacing[k]);
	enum pace_cell_kind place = pace_sweep_place(w, g->size[i], g->spacing[k]);
	bool now = place == PACE_CELL_NOW;
	char mark = now ? '#' : place == PACE_CELL_TO_DO ? '_' : place == PACE_CELL_NONE ? ' ' :
	    mark_of(c, g, p);
	bool tenths = c->ui->metric == PACE_METRIC_RATE;
	bool bad = mark == 'x' || (!tenths && (mark == 'X' || (mark >= '3' && mark <= '5')));
	enum pace_role role = bad ? PACE_ROLE_BAD : tenths ? PACE_ROLE_TEXT :
	    mark == '1' || mark == '2' ? PACE_ROLE_WARN : PACE_ROLE_FAINT;
	const struct pace_snap_point *chosen = pace_sweep_grid_chosen(w, &c->ui->point);
	bool here = chosen != NULL ? chosen->size_bytes == g->size[i] && !(chosen->spacing_ns <
	    g->spacing[k]) && !(chosen->spacing_ns > g->spacing[k]) :
	    c->ui->point.size_bytes == g->size[i] &&
	    !(c->ui->point.spacing_ns < g->spacing[k]) &&
	    !(c->ui->point.spacing_ns > g->spacing[k]);

	pace_canvas_put(c->g, row, col + CELL - 2, mark == '.' ? 0xb7 :
	    (uint32_t)(unsigned char)mark,
	    here ? PACE_ROLE_CHOSEN : now ? PACE_ROLE_NOW : role);
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
put_grid(const struct pace_scene *c, const struct pace_box *b, const struct pace_sweep_grid *g)
{
	const struct pace_snap_point *p =
	    pace_sweep_grid_chosen(pace_sweep_grid_shown(c->s), &c->ui->point);
	uint64_t size = p != NULL ? p->size_bytes : c->ui->point.size_bytes;
	double spacing = p != NULL ? p->spacing_ns : c->ui->point.spacing_ns;
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
		pace_canvas_say(c->g, b->row + 1 + i, b->col + 1, LEFT - 1, PACE_ROLE_TEXT,
		    "%5" PRIu64,
		    g->size[row + i]);
		for (int k = 0; k < cols && col + k < g->spacings; k++)
			put_cell(c, g, b->row + 1 + i, b->col + LEFT + k * CELL, row + i, col + k);
	}
}

/* --- words ------------------------------------------------------------------ */

/* "512 B every 100 us"; back to back where there is no spacing. */
static const char *
point_text(uint64_t size, double spacing_ns, char *buf, size_t room)
{
	char spacing[40];

	if (spacing_ns > 0)
		snprintf(buf, room, "%" PRIu64 " B every %s", size,
		    pace_print(PACE_UNIT_USEC, spacing_ns, spacing, sizeof(spacing)));
	else
		snprintf(buf, room, "%" PRIu64 " B back to back", size);
	return buf;
}

/* A point without figures. */
static void
put_bare(const struct pace_scene *c, const struct pace_box *b, int row, uint64_t size,
    double spacing_ns, const char *where)
{
	static const char *const words[] = { "not of this sweep", "to do", "being measured", "",
	    "failed, the responder's part is missing", "skipped, by key n" };
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	enum pace_cell_kind place = pace_sweep_place(w, size, spacing_ns);
	double share = pace_sweep_share(c->s);
	char text[64], percent[48] = "", every[40];

	if (place == PACE_CELL_NOW && !isnan(share))
		snprintf(percent, sizeof(percent), ", %.0f %% of its time is over", 100 * share);
	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, place == PACE_CELL_FAILED ?
	    PACE_ROLE_BAD : place == PACE_CELL_NOW ? PACE_ROLE_NOW : PACE_ROLE_TEXT, "%s  %s: %s%s",
	    where, point_text(size, spacing_ns, text, sizeof(text)), words[place], percent);
	if (w->train > 1 && spacing_ns > 0)
		pace_canvas_say(c->g, row + 1, b->col + 15, b->cols - 15, PACE_ROLE_TEXT,
		    "trains of %" PRIu64 " frames back to back, one train every %s", w->train,
		    pace_print(PACE_UNIT_USEC, spacing_ns * (double)w->train, every,
		    sizeof(every)));
}

static void
put_point(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_snap_point *p)
{
	bool mine = c->ui->point.size_bytes != 0 || c->ui->point.spacing_ns > 0;
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	const char *where = mine ? "Under cursor" : "Newest point";
	char text[64], rate[40], loss[40];

	if (p == NULL && !mine) {
		pace_canvas_text(c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    "Newest point  none has ended yet");
		return;
	}
	if (p == NULL || isnan(p->loss) ||
	    pace_sweep_grid_is_now(w, p->size_bytes, p->spacing_ns)) {
		put_bare(c, b, row, p != NULL ? p->size_bytes : c->ui->point.size_bytes,
		    p != NULL ? p->spacing_ns : c->ui->point.spacing_ns, where);
		return;
	}
	pace_canvas_say(c->g, row, b->col + 1, b->cols - 1, p->loss > 0 ?
	    PACE_ROLE_BAD : PACE_ROLE_TEXT, "%s  %s: received %s wire, lost %s", where,
	    point_text(p->size_bytes, p->spacing_ns, text, sizeof(text)),
	    pace_print(PACE_UNIT_BPS, p->wire_bps, rate, sizeof(rate)),
	    pace_print(PACE_UNIT_RATIO, p->loss, loss, sizeof(loss)));
	pace_canvas_text(c->g, row + 1, b->col + 15, b->cols - 15, PACE_ROLE_TEXT, p->diagnosis);
}

/* A progress bar of that width; returns the part that is done. */
static void
put_bar(const struct pace_scene *c, int row, int col, int wide, double share)
{
	for (int x = 0; x < wide; x++)
		pace_canvas_put(c->g, row, col + x, x + 0.5 < share * wide ? 0x2588 : 0x2591,
		    PACE_ROLE_BAR);
}

static void
put_whole(const struct pace_scene *c, const struct pace_box *b, int row,
    const struct pace_sweep_grid *g)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	int wide = b->cols - (w->skipped > 0 ? 44 : 34) < BAR ?
	    b->cols - (w->skipped > 0 ? 44 : 34) : BAR;
	double done = w->planned > 0 ? (double)w->n / (double)w->planned : w->ended ? 1 : NAN;
	char rate[40], text[64], skipped[48] = "", planned[48] = "";
	int col = b->col + 1;

	col += pace_canvas_text(c->g, row, col, b->cols, PACE_ROLE_TITLE, w == c->s->sweep ?
	    "Whole sweep" : "Last sweep") + 2;
	if (!isnan(done) && wide > 0) {
		put_bar(c, row, col, wide, done);
		col += wide + 1;
	}
	if (w->planned > 0)
		snprintf(planned, sizeof(planned), " of %" PRIu64, w->planned);
	if (w->skipped > 0)
		snprintf(skipped, sizeof(skipped), ", %zu skipped", w->skipped);
	pace_canvas_say(c->g, row, col, b->col + b->cols - col, PACE_ROLE_TEXT, "%zu%s points%s",
	    w->n,
	    planned, skipped);
	if (g->best != NULL)
		pace_canvas_say(c->g, row + 1, b->col + 1, b->cols - 1, PACE_ROLE_GOOD,
		    "No loss up to %s wire, with %s",
		    pace_print(PACE_UNIT_BPS, g->best->wire_bps, rate, sizeof(rate)),
		    point_text(g->best->size_bytes, g->best->spacing_ns, text, sizeof(text)));
	else if (w->n > w->skipped)
		pace_canvas_text(c->g, row + 1, b->col + 1, b->cols - 1, PACE_ROLE_WARN,
		    "! no point was without loss");
}

/* The step of a campaign, and when it and all the others will be over. */
static void
put_step(const struct pace_scene *c, const struct pace_box *b, int row)
{
	bool least;
	int64_t step_ns = pace_sweep_step_left(c->s), all_ns = pace_sweep_all_left(c->s, &least);
	char text[32], left[96] = "";
	int end = b->col + b->cols - 1, n;

	if (step_ns >= 0)
		snprintf(left, sizeof(left), "%s left of it",
		    pace_clock_text(step_ns, text, sizeof(text)));
	if (all_ns >= 0 && c->s->sweep->step.of > 1)
		snprintf(left + strlen(left), sizeof(left) - strlen(left), ", %s%s of all",
		    pace_clock_text(all_ns, text, sizeof(text)), least ? " or more" : "");
	n = pace_text_cells(left);
	pace_canvas_text(c->g, row, b->col + 1, end - n - b->col - 2, PACE_ROLE_TITLE,
	    c->s->sweep->step.text);
	pace_canvas_right(c->g, row, b->col, b->cols - 1, PACE_ROLE_TEXT, left);
}

/* The point being measured, and its progress. */
static void
put_now(const struct pace_scene *c, const struct pace_box *b, int row)
{
	const struct pace_snap_sweep *w = c->s->sweep;
	double share = pace_sweep_share(c->s);
	int col = b->col + 1, wide = b->cols - 57 < 24 ? b->cols - 57 : 24;
	char text[64];

	if (!w->is_now) {
		pace_canvas_text(c->g, row, col, b->cols - 1, PACE_ROLE_FAINT, w->ended ?
		    "Now running  no point: the sweep is over" : w->planned > 0 ?
		    "Now running  no point yet" : "Now running  a step without points of a sweep");
		return;
	}
	col += pace_canvas_say(c->g, row, col, b->cols - 1, PACE_ROLE_NOW, "Now running  %s",
	    point_text(w->now_bytes, w->now_spacing_ns, text, sizeof(text))) + 2;
	if (isnan(share))
		return;
	if (col < b->col + 44)
		col = b->col + 44;
	if (wide >= 8) {
		put_bar(c, row, col, wide, share);
		col += wide + 1;
	}
	pace_canvas_say(c->g, row, col, b->col + b->cols - col, PACE_ROLE_TEXT, "%3.0f %%",
	    100 * share);
}

/* --- points --------------------------------------------------------------- */

/* The newest points of the sweep, one a row: the rate and the loss of each. */
static void
put_points(const struct pace_scene *c, const struct pace_box *b)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	bool giga = false;
	int at = b->col, row = b->row;
	char text[40];

	if (b->rows < 2)
		return;
	for (size_t i = 0; w != NULL && i < w->n; i++)
		giga |= w->point[i].wire_bps >= 1e9;
	pace_canvas_text(c->g, row, at + 1, b->cols - 1, PACE_ROLE_TITLE, "Newest points");
	pace_canvas_right(c->g, row, at + 14, 9, PACE_ROLE_FAINT, "bytes");
	pace_canvas_right(c->g, row, at + 23, 12, PACE_ROLE_FAINT, "spacing, \xc2\xb5s");
	pace_canvas_right(c->g, row, at + 35, 14, PACE_ROLE_FAINT, giga ? "Gbit/s wire" :
	    "Mbit/s wire");
	pace_canvas_right(c->g, row++, at + 49, 9, PACE_ROLE_FAINT, "lost, %");
	for (size_t i = w != NULL ? w->n : 0; i > 0 && row < b->row + b->rows; i--, row++) {
		const struct pace_snap_point *p = &w->point[i - 1];
		enum pace_role role = p->loss > 0 || (isnan(p->loss) && !p->skipped) ?
		    PACE_ROLE_BAD :
		    PACE_ROLE_TEXT;

		pace_canvas_say(c->g, row, at + 15, 8, role, "%8" PRIu64, p->size_bytes);
		pace_part_number(c->g, row, at + 24, 11, role, p->spacing_ns / 1e3, 2);
		if (isnan(p->loss))
			pace_canvas_right(c->g, row, at + 36, 13, role, p->skipped ? "skipped" :
			    "failed");
		else
			pace_part_number(c->g, row, at + 36, 13, role,
			    p->wire_bps / (giga ? 1e9 : 1e6), 3);
		pace_canvas_right(c->g, row, at + 49, 9, role,
		    pace_percent(p->loss, text, sizeof(text)));
	}
}

/* --- the page --------------------------------------------------------------- */

/* Marks that are there only now and then. */
static void
more_legend(const struct pace_scene *c, const struct pace_box *b, int row)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);

	int col = b->col + LEFT, end = b->col + b->cols;

	col += pace_canvas_text(c->g, row, col, end - col, PACE_ROLE_FAINT,
	    "spacing, \xc2\xb5s") + 2;
	if (b->cols >= 60 && w->is_now)
		col += pace_canvas_text(c->g, row, col, end - col, PACE_ROLE_TITLE,
		    "# being measured") + 2;
	if (b->cols >= 60 && w->skipped > 0)
		col += pace_canvas_text(c->g, row, col, end - col, PACE_ROLE_TITLE,
		    "s skipped") + 2;
	if (b->cols >= 60 && w->train > 1)
		pace_canvas_say(c->g, row, col, end - col, PACE_ROLE_FAINT,
		    "in trains of %" PRIu64, w->train);
}

/* Below the grid: the chosen point, the running step of a campaign, and the whole. */
static void
put_words(const struct pace_scene *c, const struct pace_box *b, int row, bool rules,
    const struct pace_sweep_grid *g)
{
	bool step = c->s->sweep->step.text[0] != '\0';

	if (rules)
		pace_canvas_rule(c->g, row++, b->col, b->cols);
	put_point(c, b, row, pace_sweep_grid_chosen(pace_sweep_grid_shown(c->s), &c->ui->point));
	row += 2;
	if (step || c->s->sweep->is_now)
		put_now(c, b, row++);
	if (rules)
		pace_canvas_rule(c->g, row++, b->col, b->cols);
	if (step)
		put_step(c, b, row++);
	put_whole(c, b, row, g);
}

void
pace_page_sweep(const struct pace_scene *c, const struct pace_box *b)
{
	const struct pace_snap_sweep *w = pace_sweep_grid_shown(c->s);
	static const char *const legends[PACE_METRICS] = {
		"Loss: . none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10% X all _ to do x failed",
		"Rate received: 0 to 9, tenths of the highest  _ to do  x failed",
		"Out of order: . none 1 <0.01% 2 <0.1% 3 <1% 4 <10% 5 >=10% _ to do x failed" };
	struct pace_box grid = *b;
	struct pace_sweep_grid g;
	static const char *const how[] = {
		"udpace throughput HOST --size 64,512,1472 --jsonl sweep.jsonl",
		"udpace monitor --replay sweep.jsonl --view sweep" };
	bool words = b->rows >= 9, rules = b->rows >= 14;
	bool step = c->s->sweep != NULL && c->s->sweep->step.text[0] != '\0';

	if (b->rows < 1)
		return;
	pace_sweep_grid_of(&g, w);
	if (g.sizes == 0) {
		pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, "Sweep");
		if (b->rows > 1)
			pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
			    c->s->sweep != NULL ? "no point has ended yet" :
			    "There is none here. To measure one, and to show it:");
		for (int i = 0; c->s->sweep == NULL && i < 2 && b->rows > i + 2; i++)
			pace_canvas_text(c->g, b->row + i + 2, b->col + 5, b->cols - 5,
			    PACE_ROLE_TEXT, how[i]);
		if (b->rows > 3 && step)
			put_step(c, b, b->row + 3);
		if (b->rows > 4 && step)
			put_now(c, b, b->row + 4);
		return;
	}
	pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE,
	    legends[c->ui->metric % PACE_METRICS]);
	grid.row++;
	grid.rows--;
	if (b->rows >= 5)
		more_legend(c, b, grid.row++);
	grid.rows -= (b->rows >= 5) + (words ? 4 : b->rows >= 5 ? 1 : 0) + 2 * rules;
	if (words)
		grid.rows -= step + (step || c->s->sweep->is_now);
	put_grid(c, &grid, &g);
	if (LEFT + g.spacings * CELL + POINTS <= b->cols)
		put_points(c, &(struct pace_box){ grid.row, b->col + b->cols - POINTS, grid.rows,
		    POINTS });
	grid.row += grid.rows;
	if (words)
		put_words(c, b, grid.row, rules, &g);
	else if (b->rows >= 5)
		put_point(c, &(struct pace_box){ .row = grid.row, .col = b->col, .rows = 1,
		    .cols = b->cols }, grid.row, pace_sweep_grid_chosen(w, &c->ui->point));
}

/* --- a campaign, where a view has nothing else to show ----------------------------- */

/* The points and the events, side by side if both fit. */
static void
put_course(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_box left = *b, right = *b;

	if (b->rows < 3)
		return;
	pace_canvas_rule(c->g, b->row, b->col, b->cols);
	left.row = right.row = b->row + 1;
	left.rows = right.rows = b->rows - 1;
	if (b->cols >= POINTS + 50) {
		right.col += POINTS + 1;
		right.cols -= POINTS + 1;
		pace_canvas_put(c->g, b->row, b->col + POINTS, 0x252c, PACE_ROLE_RULE);
		for (int i = 0; i < left.rows; i++)
			pace_canvas_put(c->g, left.row + i, b->col + POINTS, 0x2502,
			    PACE_ROLE_RULE);
		left.cols = POINTS;
		put_points(c, &left);
	}
	pace_part_news(c, &right);
}

void
pace_page_campaign(const struct pace_scene *c, const struct pace_box *b)
{
	int row = b->row + (b->rows > 6), end = b->row + b->rows;

	pace_canvas_text(c->g, row++, b->col + 1, b->cols - 1, PACE_ROLE_TITLE,
	    "A campaign is measured: its points are in view 4, Sweep");
	if (b->rows > 1)
		pace_canvas_text(c->g, row++, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    "key 4 shows them as a grid, key 7 shows the events");
	if (b->rows > 6)
		row++;
	if (b->rows > 3 && c->s->sweep != NULL) {
		put_step(c, b, row++);
		put_now(c, b, row++);
	}
	put_course(c, &(struct pace_box){ row + 1, b->col, end - row - 1, b->cols });
}
