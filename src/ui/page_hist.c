/* How spacing and delay are distributed. */
#include "ui/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "out/glyph.h"
#include "out/say.h"
#include "out/time_text.h"

#define BUNCHED		0.25	/* of the spacing: who follows so soon comes in a bunch */
#define TELL_BUNCHED	0.01	/* of the frames */
#define FAR		10	/* times the median */
#define LABELS_APART	10	/* columns */

/* The histogram shown, and its place. */
struct picture {
	const struct pace_scene *c;
	struct pace_coarse_hist_list l;
	uint64_t	n, beyond, before;	/* values: all; right and left of the columns */
	int64_t		span_ns;	/* of the newest lines; 0: the whole run */
	double		one;		/* ns in a unit */
	const char	*unit;
	double		start_ns, wide_ns;	/* of the first column; of each */
	int		cols;
};

/* A reflector has no arrivals of a stream. */
static enum pace_dist
dist_of(const struct pace_scene *c)
{
	return pace_part_is_stamp(c) ? PACE_DIST_DELAY : c->ui->dist;
}

/* --- columns ---------------------------------------------------------------- */

static double
asked(const struct picture *p)
{
	const struct pace_run_stats *r = &p->c->v->now.run;

	return dist_of(p->c) == PACE_DIST_GAP ? (double)r->spacing_ns *
	    (double)(r->train > 1 ? r->train : 1) : 0;
}

/* Choose a range with 99 % of the values and the requested one in the middle: a long tail must
 * not squeeze all others into one column. */
static void
fit(struct picture *p)
{
	double most = 1.05 * (double)pace_coarse_hist_quantile(&p->l, 0.99);
	double usual = fmax((double)pace_coarse_hist_quantile(&p->l, 0.5), asked(p));
	int cols = p->cols > 0 ? p->cols : 1;

	most = fmax(most, 2 * asked(p));
	if (usual > 0)
		most = fmin(most, FAR * usual);
	p->wide_ns = fmax(pace_round_step(fmax(most, 1) / cols), 1) *
	    pow(2, -(double)p->c->ui->dist_zoom);
	p->start_ns = floor((double)p->c->ui->dist_pan * p->cols / 2) * p->wide_ns;
	most = p->start_ns + p->cols * p->wide_ns;
	p->one = most >= 2e9 ? 1e9 : most >= 2e6 ? 1e6 : most >= 2e3 ? 1e3 : 1;
	p->unit = p->one > 1e6 ? "s" : p->one > 1e3 ? "ms" : p->one > 1 ? "\xc2\xb5s" : "ns";
}

/* A bin is shared out evenly. */
static void
share_out(struct picture *p, const struct pace_bin *b, double *v)
{
	double low = ((double)b->low - p->start_ns) / p->wide_ns;
	double high = ((double)b->high - p->start_ns) / p->wide_ns;
	double each = (double)b->count / (high - low);

	if (low >= p->cols)
		p->beyond += b->count;
	else if (high <= 0)
		p->before += b->count;
	for (double x = floor(fmax(low, 0)); x < p->cols && x < high; x++)
		v[(int)x] += each * (fmin(high, x + 1) - fmax(low, x));
}

static void
draw_bars(struct picture *p, const struct pace_box *b)
{
	enum pace_bars bars = p->c->ui->bars == PACE_BARS_BRAILLE ? PACE_BARS_BLOCK :
	    p->c->ui->bars;
	struct pace_chart chart = { .row = b->row, .col = b->col, .rows = b->rows, .cols = b->cols,
	    .bars = bars, .log = !p->c->ui->dist_linear, .one = 1, .most = 10 };
	double *v = calloc((size_t)p->cols + 1, sizeof(*v));

	for (uint32_t i = 0; v != NULL && i < p->l.n; i++)
		share_out(p, &p->l.bin[i], v);
	chart.v = v;
	if (v != NULL)
		pace_chart_draw(p->c->g, &chart);
	free(v);
}

/* The times below the axis, and the mark of the requested one. */
static void
draw_times(const struct picture *p, const struct pace_box *b, int row)
{
	struct pace_canvas *g = p->c->g;
	int left = b->col + PACE_CHART_MARGIN, at;
	double x = (asked(p) - p->start_ns) / p->wide_ns;
	char text[40];

	for (int i = 0; i + LABELS_APART / 2 < p->cols; i += LABELS_APART) {
		snprintf(text, sizeof(text), "%.4g", (p->start_ns + i * p->wide_ns) / p->one);
		pace_canvas_put(g, row - 1, left + i, 0x253c, PACE_ROLE_RULE);
		pace_canvas_text(g, row, left + i, b->col + b->cols - left - i, PACE_ROLE_FAINT,
		    text);
	}
	pace_canvas_right(g, row, b->col, b->cols, PACE_ROLE_FAINT, p->unit);
	if (asked(p) <= 0 || x < 0 || x >= p->cols)
		return;
	at = left + (int)x;
	pace_canvas_put(g, row - 1, at, g->utf8 ? 0x25bc : '^', PACE_ROLE_NOW);
}

/* --- words ------------------------------------------------------------------ */

/* As much of the text as fits, first the number of values. */
static void
title(const struct picture *p, const struct pace_box *b)
{
	static const char *const names[PACE_DISTS] = { "Time between arrivals",
		"Delay above the quickest" };
	static const char *const brief[PACE_DISTS] = { "Spacing", "Delay +" };
	const char *name = pace_part_is_stamp(p->c) ? "Round trip above the shortest" :
	    names[dist_of(p->c)], *lin = p->c->ui->dist_linear ? "" :
	    "   log counts";
	int room = b->cols - 1, used;
	char n[40], one[40], text[200], of[80], span[40];

	pace_print_count(p->n, n);
	pace_print(PACE_UNIT_USEC, p->wide_ns, one, sizeof(one));
	if (p->span_ns > 0)
		snprintf(of, sizeof(of), "the last %s", pace_span_text(p->span_ns, span));
	else
		snprintf(of, sizeof(of), "whole run");
	for (int form = 0; form < 4; form++) {
		name = form < 2 ? name : pace_part_is_stamp(p->c) ? "Round trip +" :
		    brief[dist_of(p->c)];
		snprintf(text, sizeof(text), "   n %s%s%s%s%s%s", n, form < 3 ? ", " : "",
		    form < 3 ? of : "",
		    form < 1 ? "   column " : "", form < 1 ? one : "", form < 1 ? lin : "");
		if (pace_text_cells(name) + pace_text_cells(text) <= room)
			break;
	}
	used = pace_canvas_text(p->c->g, b->row, b->col + 1, room, PACE_ROLE_TITLE, name);
	pace_canvas_text(p->c->g, b->row, b->col + 1 + used, room - used, PACE_ROLE_TEXT, text);
}

/* A value in the unit of the axis; one above 0 is never printed as 0. */
static const char *
in_unit(const struct picture *p, double ns, char buf[40])
{
	double x = ns / p->one;

	if (!isfinite(x))
		snprintf(buf, 40, "-");
	else if (x >= 1e6 || (x > 0 && x < 1e-3))
		snprintf(buf, 40, "%.2g", x);
	else if (x > 0 && x < 0.1)
		pace_fixed(x, 4, buf, 40);
	else
		pace_fixed(x, p->one <= 1 || x >= 100 ? 0 : x >= 10 ? 1 : 2, buf, 40);
	return buf;
}

/* Figures in a row with their unit, as many as fit. */
struct page_hist_row {
	const struct picture *p;
	int	row, col, end, apart;
};

static struct page_hist_row
row_in(const struct picture *p, const struct pace_box *b, int row)
{
	return (struct page_hist_row){ .p = p, .row = row, .col = b->col + 1,
	    .apart = b->cols < 60 ? 2 : 3,
	    .end = b->col + b->cols - pace_text_cells(p->unit) - 1 };
}

static bool
say(struct page_hist_row *r, const char *name, const char *value)
{
	struct pace_canvas *g = r->p->c->g;

	if (r->col + pace_text_cells(name) + 1 + pace_text_cells(value) > r->end)
		return false;
	r->col += pace_canvas_text(g, r->row, r->col, r->end - r->col, PACE_ROLE_FAINT, name) + 1;
	r->col += pace_canvas_text(g, r->row, r->col, r->end - r->col, PACE_ROLE_NOW,
	    value) + r->apart;
	return true;
}

/* Of all before it. */
static void
say_unit(struct page_hist_row *r)
{
	r->col -= r->apart - 1;
	r->col += pace_canvas_text(r->p->c->g, r->row, r->col, 3, PACE_ROLE_TEXT,
	    r->p->unit) + r->apart;
}

/* On a narrow screen the tail is worth more than the middle. */
static void
draw_quantiles(const struct picture *p, const struct pace_box *b, int row)
{
	static const struct { double q; const char *name; bool always; } shown[] =
	    { { 0.5, "p50", true },
		{ 0.9, "p90", false }, { 0.99, "p99", true }, { 0.999, "p99.9", false } };
	const struct pace_moments *r = &p->c->v->now.gaps;
	bool whole = dist_of(p->c) == PACE_DIST_GAP && p->span_ns == 0 && r->n > 0;
	bool wide = b->cols >= 78;
	const struct pace_bin *last = p->l.n > 0 ? &p->l.bin[p->l.n - 1] : NULL;
	struct page_hist_row w = row_in(p, b, row);
	char text[40];

	if (whole && wide)
		say(&w, "least", in_unit(p, (double)r->min, text));
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (wide || shown[i].always)
			say(&w, shown[i].name, in_unit(p, p->n > 0 &&
			    pace_hist_has_quantile(p->n, shown[i].q) ?
			    (double)pace_coarse_hist_quantile(&p->l, shown[i].q) : NAN, text));
	if (whole || last != NULL)
		say(&w, whole ? "most" : "most <", in_unit(p, whole ? (double)r->max :
		    (double)last->high, text));
	say_unit(&w);
}

static void
draw_rest(const struct picture *p, const struct pace_box *b, int row)
{
	const struct pace_moments *r = &p->c->v->now.gaps;
	struct page_hist_row w = row_in(p, b, row);
	char text[40];

	if (dist_of(p->c) == PACE_DIST_GAP && p->span_ns == 0 && r->n > 0) {
		say(&w, "mean", in_unit(p, r->mean, text));
		say(&w, "std dev", in_unit(p, r->stddev, text));
		say_unit(&w);
	}
	w.end = b->col + b->cols;
	if (p->l.below > 0)
		say(&w, "below 0:", pace_print_count(p->l.below, text));
	if (p->before > 0)
		say(&w, "left of the picture:", pace_print_count(p->before, text));
	if (!say(&w, "beyond the picture:", pace_print_count(p->beyond, text)))
		say(&w, "beyond:", pace_print_count(p->beyond, text));
	if (p->beyond > 0 && w.end - w.col > 12)
		pace_canvas_text(p->c->g, row, w.col - 2, w.end - w.col + 2, PACE_ROLE_FAINT,
		    "(- or > to see)");
}

/* A sentence about the shape. */
static void
draw_sense(const struct picture *p, const struct pace_box *b, int row)
{
	double soon = BUNCHED * asked(p), n = 0;
	char text[40];

	if (dist_of(p->c) == PACE_DIST_DELAY) {
		pace_canvas_text(p->c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_FAINT,
		    pace_part_is_stamp(p->c) ? "of round trips without the residence time" :
		    "of one frame of every batch that was taken together; no clocks are compared");
		return;
	}
	for (uint32_t i = 0; i < p->l.n && (double)p->l.bin[i].high <= soon; i++)
		n += (double)p->l.bin[i].count;
	n += soon > 0 ? (double)p->l.below : 0;
	if (p->n > 0 && n >= TELL_BUNCHED * (double)p->n)
		pace_canvas_say(p->c->g, row, b->col + 1, b->cols - 1, PACE_ROLE_WARN,
		    "! %.2g %% of frames follow the one before within %s: they come in bunches",
		    100 * n / (double)p->n, pace_print(PACE_UNIT_USEC, soon, text, sizeof(text)));
}

/* --- the page --------------------------------------------------------------- */

/* Title, bars, axis and times, and as many figures as fit. */
void
pace_page_hist(const struct pace_scene *c, const struct pace_box *b)
{
	struct picture p = { .c = c, .cols = b->cols - PACE_CHART_MARGIN };
	struct pace_box bars = *b;
	int words = b->rows >= 12 ? 3 : b->rows >= 7 ? 2 : 1, row;
	bool rule = b->rows >= 14;

	if (b->rows < 1)
		return;
	if (c->v == NULL || !pace_snap_dist(c->v, dist_of(c), c->ui->dist_recent, &p.l,
	    &p.span_ns)) {
		pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE,
		    "Distributions");
		if (b->rows > 1)
			pace_canvas_text(c->g, b->row + 1, b->col + 3, b->cols - 3, PACE_ROLE_FAINT,
			    c->v == NULL || c->v->now.run.number == 0 ?
			    "none yet: nothing was measured" :
			    c->v->now.run.pings ? "none: the client has the round trips" :
			    "none: the responder reports none, or none so far");
		return;
	}
	p.n = pace_coarse_hist_count(&p.l);
	fit(&p);
	title(&p, b);
	bars.row++;
	bars.rows = b->rows - 2 - words - rule;
	row = bars.row + bars.rows;
	if (bars.rows >= 3) {
		draw_bars(&p, &bars);
		draw_times(&p, b, row++);
	}
	if (rule)
		pace_canvas_rule(c->g, row++, b->col, b->cols);
	draw_quantiles(&p, b, row++);
	if (words > 1)
		draw_rest(&p, b, row++);
	if (words > 2)
		draw_sense(&p, b, row);
}
