/* Figures over time: graphs, strips. */
#include "ui/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "out/glyph.h"
#include "out/time_text.h"
#include "ui/line.h"
#include "ui/view.h"

typedef double	(*figure_fn)(const struct pace_scene *c, const struct pace_tick *t);

static double
rate_of(const struct pace_scene *c, const struct pace_tick *t)
{
	return pace_tick_bps(t, c->ui->unit, c->v->now.ipv6);
}

static double
delay_of(const struct pace_scene *c, const struct pace_tick *t)
{
	(void)c;
	return t->above.n == 0 ? NAN :
	    t->above.has_extremes ? (double)t->above.max : t->above.mean;
}

/* Ticks in a column. */
static uint64_t
window_of(const struct pace_scene *c)
{
	int i = c->ui->window;

	return (uint64_t)pace_windows[i < 0 ? 0 : i >= PACE_WINDOWS ? PACE_WINDOWS - 1 : i];
}

/* The ticks of column x of n, the last being the newest: the mean, or the largest. */
static double
column(const struct pace_scene *c, figure_fn f, bool largest, int x, int n)
{
	uint64_t per = window_of(c), age = (uint64_t)(n - 1 - x) * per;
	double sum = 0, most = NAN;
	int count = 0;

	for (uint64_t i = age; c->v != NULL && i < age + per; i++) {
		const struct pace_tick *t = pace_snap_tick(c->v, i);
		double v = t != NULL ? f(c, t) : NAN;

		if (isnan(v))
			continue;
		sum += v;
		count++;
		most = fmax(most, v);
	}
	return count == 0 ? NAN : largest ? most : sum / count;
}

static void
title(const struct pace_scene *c, const struct pace_box *b, const char *name)
{
	int64_t one = (int64_t)window_of(c) *
	    (c->s->interval_ns > 0 ? c->s->interval_ns : PACE_SEC);
	int64_t per = c->ui->bars == PACE_BARS_BRAILLE ? 2 : 1;
	char span[120], width[40], all[40];
	int used = pace_canvas_text(c->g, b->row, b->col + 1, b->cols - 1, PACE_ROLE_TITLE, name);

	pace_span_text(one * per, width);
	pace_span_text(one * pace_chart_values(b->cols, c->ui->bars), all);
	snprintf(span, sizeof(span), "one column = %s, the last %s", width, all);
	if (used + 3 + pace_text_cells(span) > b->cols)
		snprintf(span, sizeof(span), "%s a column", width);
	if (used + 3 + pace_text_cells(span) <= b->cols)
		pace_canvas_right(c->g, b->row, b->col, b->cols - 1, PACE_ROLE_FAINT, span);
}

/* Columns that have only their share of a longer time have another axis. */
static void
mark_shared(const struct pace_scene *c, const struct pace_chart *chart)
{
	int n = chart->cols - PACE_CHART_MARGIN, per = c->ui->bars == PACE_BARS_BRAILLE ? 2 : 1;
	uint64_t ticks = window_of(c) * (uint64_t)per;

	for (int x = 0; c->v != NULL && x < n && chart->rows > 1; x++) {
		bool shared = false;

		for (uint64_t i = 0; i < ticks; i++) {
			const struct pace_tick *t =
			    pace_snap_tick(c->v, (uint64_t)(n - 1 - x) * ticks + i);

			shared |= t != NULL && t->shared;
		}
		if (shared)
			pace_canvas_put(c->g, chart->row + chart->rows - 1,
			    chart->col + PACE_CHART_MARGIN + x,
			    0x2026, PACE_ROLE_WARN);
	}
}

static void
graph(const struct pace_scene *c, const struct pace_box *b, struct pace_chart *chart, figure_fn f,
    const char *name)
{
	int n = pace_chart_values(b->cols, c->ui->bars);
	double *v = malloc(((size_t)n + 1) * sizeof(*v));

	chart->row = b->row + 1;
	chart->col = b->col;
	chart->rows = b->rows - 1;
	chart->cols = b->cols;
	chart->bars = c->ui->bars;
	for (int x = 0; v != NULL && x < n; x++)
		v[x] = column(c, f, f == delay_of, x, n);
	chart->v = v;
	if (v != NULL)
		pace_chart_draw(c->g, chart);
	free(v);
	mark_shared(c, chart);
	title(c, b, name);
}

void
pace_part_rate(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_measure m = pace_measure_rate(c);
	struct pace_chart chart = { .one = m.one, .held = c->ui->held_bps, .most = c->v != NULL ?
	    pace_run_asked_bps(&c->v->now.run, c->ui->unit, c->v->now.ipv6) : 0 };
	char name[80];

	snprintf(name, sizeof(name), "%s, %s%s%s%s", pace_part_way(c), m.name,
	    pace_part_is_tcp(c) ? "" : " ", pace_part_is_tcp(c) ? "" : pace_unit_name(c->ui->unit),
	    c->ui->held_bps > 0 ? " (scale held)" : "");
	graph(c, b, &chart, rate_of, name);
}

void
pace_part_delay(const struct pace_scene *c, const struct pace_box *b)
{
	struct pace_chart chart = { .one = 1e3, .log = !c->ui->linear, .held = c->ui->held_ns };
	char name[80];

	snprintf(name, sizeof(name), "Longest %s, \xc2\xb5s%s%s", pace_part_is_stamp(c) ?
	    "round trip above the shortest" : "delay above the quickest",
	    c->ui->linear ? "" : " (log)", c->ui->held_ns > 0 ? " (scale held)" : "");
	graph(c, b, &chart, delay_of, name);
}

/* --- strips ---------------------------------------------------------------- */

static enum pace_role
role_of_mark(char mark)
{
	return mark == 'X' || mark == 'O' || mark >= '3' ? PACE_ROLE_BAD : mark >= '1' ?
	    PACE_ROLE_WARN :
	    PACE_ROLE_FAINT;
}

static const char *
meaning(char mark)
{
	return mark == 'X' ? "X: all" : mark == 'O' ? "O: no report" : mark == '5' ? "5: >=10 %" :
	    mark == '4' ? "4: <10 %" : mark == '3' ? "3: <1 %" : mark == '2' ? "2: <0.1 %" :
	    mark == '1' ? "1: <0.01 %" :
	    mark == '.' ? ".: none" : "";
}

void
pace_part_strip(const struct pace_scene *c, int row, int col, int cols, bool legend)
{
	int n = cols - PACE_CHART_MARGIN, per = c->ui->bars == PACE_BARS_BRAILLE ? 2 : 1;
	uint64_t ticks = window_of(c) * (uint64_t)per;
	char worst = ' ';

	pace_canvas_right(c->g, row, col, PACE_CHART_MARGIN - 1, PACE_ROLE_TITLE, "lost");
	pace_canvas_put(c->g, row, col + PACE_CHART_MARGIN - 1, 0x2502, PACE_ROLE_RULE);
	for (int x = 0; c->v != NULL && x < n; x++) {
		char mark = pace_loss_mark(c->v, (uint64_t)(n - 1 - x) * ticks, ticks);

		worst = mark > worst ? mark : worst;
		pace_canvas_put(c->g, row, col + PACE_CHART_MARGIN + x, mark == '.' ? 0xb7 :
		    (uint32_t)(unsigned char)mark, role_of_mark(mark));
	}
	if (legend)
		pace_canvas_text(c->g, row, col + cols + 1, c->g->cols, role_of_mark(worst),
		    meaning(worst));
}

void
pace_part_order_strip(const struct pace_scene *c, int row, int col, int cols)
{
	int n = cols - PACE_CHART_MARGIN, per = c->ui->bars == PACE_BARS_BRAILLE ? 2 : 1;
	uint64_t ticks = window_of(c) * (uint64_t)per;

	pace_canvas_right(c->g, row, col, PACE_CHART_MARGIN - 1, PACE_ROLE_TITLE, "order");
	pace_canvas_put(c->g, row, col + PACE_CHART_MARGIN - 1, 0x2502, PACE_ROLE_RULE);
	for (int x = 0; c->v != NULL && x < n; x++) {
		uint64_t age = (uint64_t)(n - 1 - x) * ticks, behind = 0;
		bool any = false;

		for (uint64_t i = age; i < age + ticks; i++) {
			const struct pace_tick *t = pace_snap_tick(c->v, i);

			any |= t != NULL && t->kind != PACE_TICK_NONE && !pace_part_is_tcp(c);
			behind += t != NULL ? t->n.reordered : 0;
		}
		if (any)
			pace_canvas_put(c->g, row, col + PACE_CHART_MARGIN + x, behind == 0 ? 0xb7 :
			    behind < 10 ? '0' + (uint32_t)behind : '+', behind > 0 ?
			    PACE_ROLE_WARN :
			    PACE_ROLE_FAINT);
	}
}

/* --- scales ---------------------------------------------------------------- */

static double
peak(const struct pace_scene *c, figure_fn f, int cols)
{
	int n = pace_chart_values(cols, c->ui->bars);
	double most = 0;

	for (int x = 0; x < n; x++)
		most = fmax(most, column(c, f, f == delay_of, x, n));
	return most;
}

void
pace_view_hold(struct pace_ui *ui, const struct pace_snap *s, int cols)
{
	int at = pace_snap_find(s, ui->session);
	struct pace_scene c = { .s = s, .ui = ui, .v = at >= 0 ? &s->session[at] : NULL };

	if (ui->held_bps > 0 || ui->held_ns > 0) {
		ui->held_bps = ui->held_ns = 0;
		snprintf(ui->notice, sizeof(ui->notice), "scales as they fit");
	} else if (c.v != NULL) {
		ui->held_bps = fmax(peak(&c, rate_of, cols),
		    pace_run_asked_bps(&c.v->now.run, ui->unit, c.v->now.ipv6));
		ui->held_ns = peak(&c, delay_of, cols);
		snprintf(ui->notice, sizeof(ui->notice), "scales held, z lets them go");
	}
}
