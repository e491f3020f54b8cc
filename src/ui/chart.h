/*
 * chart.h - figures over time as bars on a grid, with an axis that has round steps.
 *
 * Gaps       a value that is not a number is a gap: neither bar nor axis is drawn.
 * Bars       every value above 0 is seen: the smallest has the least bar there is.
 * Top        grows at once with the largest value and shrinks when that has left.
 */
#ifndef PACE_UI_CHART_H
#define PACE_UI_CHART_H

#include "ui/canvas.h"
#include "ui/hotkeys.h"

#define PACE_CHART_MARGIN	7	/* cells left of the bars: labels and the axis */

struct pace_chart {
	int		row, col, rows, cols;	/* all of it: rows of bars and that of the axis */
	enum pace_bars	bars;
	bool		log;		/* from 1 unit on, by decades */
	double		most;		/* the top is not below this; 0: as it fits */
	double		held;		/* the top is this; 0: it is not held */
	double		one;		/* base units in one of the label's */
	const double	*v;		/* pace_chart_values of them, oldest first */
};

/* How many values a chart of so many cells shows. */
int	pace_chart_values(int cols, enum pace_bars bars);
void	pace_chart_draw(struct pace_canvas *g, const struct pace_chart *c);

/* 1, 2, 3 or 5 times a power of ten: the least that is not below v > 0. */
double	pace_round_step(double v);

#endif
