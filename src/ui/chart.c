#include "ui/chart.h"

#include <math.h>
#include <stdio.h>


#define STEPS_MOST	6	/* labels at an axis */

int
pace_chart_values(int cols, enum pace_bars bars)
{
	int n = cols - PACE_CHART_MARGIN;

	return n <= 0 ? 0 : bars == PACE_BARS_BRAILLE ? 2 * n : n;
}

double
pace_round_step(double v)
{
	static const double steps[] = { 1, 2, 3, 5, 10 };
	double ten = pow(10, floor(log10(v)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * ten >= v * (1 - 1e-9))
			return steps[i] * ten;
	return 10 * ten;
}

/* --- the axis -------------------------------------------------------------- */

struct chart_axis {
	double	top;
	int	every;		/* rows from label to label */
	double	step;		/* of a label; log: the factor */
};

static double
largest(const struct pace_chart *c)
{
	double most = c->held > 0 ? c->held : c->most;

	for (int i = 0; i < pace_chart_values(c->cols, c->bars) && c->held <= 0; i++)
		if (isfinite(c->v[i]) && c->v[i] > most)
			most = c->v[i];
	return most / c->one;
}

/* The largest distance of labels in rows: three labels if they fit. */
static int
apart(int rows)
{
	return rows >= STEPS_MOST ? rows / 3 : rows;
}

/* The labels that leave the least room above. */
static struct chart_axis
linear_axis(const struct pace_chart *c, int rows)
{
	double most = largest(c);
	struct chart_axis best = { .top = 0, .every = rows, .step = 1 };

	if (!(most > 0) || !(most < 1e30))
		most = 1;
	for (int every = (rows + STEPS_MOST - 1) / STEPS_MOST; every <= apart(rows); every++) {
		int n = rows / every;
		double step = pace_round_step(most / ((double)rows / every));

		if (n < 1 || (best.top > 0 && step * rows / every >= best.top))
			continue;
		best = (struct chart_axis){ .top = step * rows / every, .every = every,
		    .step = step };
	}
	return best;
}

/* From 1 up, by halves of decades, whole ones or more. */
static struct chart_axis
log_axis(const struct pace_chart *c, int rows)
{
	static const double steps[] = { 0.5, 1, 2, 3, 6 };
	double most = largest(c), decades = most > 1 && most < 1e30 ? log10(most) : 1;
	struct chart_axis best = { .every = 1, .step = 30 };

	for (int every = (rows + STEPS_MOST - 1) / STEPS_MOST; every <= apart(rows); every++)
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			if (steps[i] * rows / every >= decades &&
			    steps[i] / every < best.step / best.every)
				best = (struct chart_axis){ .every = every, .step = steps[i] };
	return best;
}

static const char *
label_text(double v, char *buf, size_t size)
{
	static const char prefixes[] = "kMGTPE";
	int at = -1;

	for (; v >= 1000 && prefixes[at + 1] != '\0'; at++)
		v /= 1000;
	if (at < 0)
		snprintf(buf, size, "%.4g", v);
	else
		snprintf(buf, size, "%.3g%c", v, prefixes[at]);
	return buf;
}

static void
draw_axis(struct pace_canvas *g, const struct pace_chart *c, const struct chart_axis *a, int rows)
{
	char text[40];

	for (int i = 1; i <= rows; i++) {
		int row = c->row + rows - i;
		double n = i / (double)a->every;

		if (i % a->every == 0)
			pace_canvas_right(g, row, c->col, PACE_CHART_MARGIN - 2, PACE_ROLE_FAINT,
			    label_text(c->log ? floor(pow(10, n * a->step) / pow(10,
			    floor(n * a->step)) + 0.01) *
			    pow(10, floor(n * a->step)) : n * a->step, text, sizeof(text)));
		pace_canvas_put(g, row, c->col + PACE_CHART_MARGIN - 1, i % a->every == 0 ? 0x2524 :
		    0x2502, PACE_ROLE_RULE);
	}
	pace_canvas_right(g, c->row + rows, c->col, PACE_CHART_MARGIN - 2, PACE_ROLE_FAINT,
	    c->log ? "1" : "0");
	pace_canvas_put(g, c->row + rows, c->col + PACE_CHART_MARGIN - 1, g->utf8 ? 0x2514 : '+',
	    PACE_ROLE_RULE);
}

/* --- bars ------------------------------------------------------------------ */

/* 0 to levels; a gap is 0. */
static int
level(const struct pace_chart *c, const struct chart_axis *a, double v, int rows, int levels)
{
	double x = v / c->one, f;
	int n;

	if (!isfinite(x) || x <= 0)
		return 0;
	/* a row of decades is as high as its labels stand apart */
	f = c->log ? log10(x) / a->step * a->every / rows : x / a->top;
	n = (int)floor(fmin(fmax(f, 0), 1) * levels + 0.5);
	return n > 0 ? n : 1;
}

/* Dots of both halves, 0 to 4 from below. */
static uint32_t
braille(int left, int right)
{
	static const uint8_t lefts[] = { 0x40, 0x04, 0x02, 0x01 };
	static const uint8_t rights[] = { 0x80, 0x20, 0x10, 0x08 };
	uint32_t dots = 0;

	for (int i = 0; i < 4; i++)
		dots |= (i < left ? lefts[i] : 0U) | (i < right ? rights[i] : 0U);
	return dots == 0 ? ' ' : 0x2800 + dots;
}

static int
within(int n, int most)
{
	return n < 0 ? 0 : n > most ? most : n;
}

static void
draw_column(struct pace_canvas *g, const struct pace_chart *c, const struct chart_axis *a, int rows,
    int x)
{
	int per = c->bars == PACE_BARS_ASCII ? 3 : c->bars == PACE_BARS_BLOCK ? 8 : 4;
	bool two = c->bars == PACE_BARS_BRAILLE;
	const double *v = &c->v[two ? 2 * x : x];
	int n = level(c, a, v[0], rows, rows * per);
	int m = two ? level(c, a, v[1], rows, rows * per) : 0;
	int col = c->col + PACE_CHART_MARGIN + x;

	for (int i = 0; i < rows; i++) {
		int fill = within(n - i * per, per);
		uint32_t glyph = two ? braille(fill, within(m - i * per, per)) :
		    fill <= 0 ? ' ' : per == 8 ? 0x2580 + (uint32_t)fill :
		    (uint32_t)".:#"[fill - 1];

		pace_canvas_put(g, c->row + rows - 1 - i, col, glyph, PACE_ROLE_BAR);
	}
	if (isfinite(v[0]) || (two && isfinite(v[1])))
		pace_canvas_put(g, c->row + rows, col, 0x2500, PACE_ROLE_RULE);
}

void
pace_chart_draw(struct pace_canvas *g, const struct pace_chart *c)
{
	int rows = c->rows - 1, cols = c->cols - PACE_CHART_MARGIN;
	struct chart_axis a;

	if (rows < 1 || cols < 1)
		return;
	a = c->log ? log_axis(c, rows) : linear_axis(c, rows);
	draw_axis(g, c, &a, rows);
	for (int x = 0; x < cols; x++)
		draw_column(g, c, &a, rows, x);
}
