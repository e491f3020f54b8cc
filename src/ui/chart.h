/*
 * chart.h - values over time as bars, with an axis in round steps.
 *
 * Gaps       a NAN value is a gap: neither bar nor axis is drawn.
 * Bars       every value above 0 is visible, if only as the smallest bar.
 * Top        grows at once with the largest value, and shrinks after that value has left.
 */
#ifndef PACE_UI_CHART_H
#define PACE_UI_CHART_H

#include "ui/canvas.h"
#include "ui/hotkeys.h"

#define PACE_CHART_MARGIN	7	/* cells left of the bars: labels and the axis */

struct pace_chart {
	int		row, col, rows, cols;	/* includes the row of the axis */
	enum pace_bars	bars;
	bool		log;		/* from 1 unit on, by decades */
	double		most;		/* the least top of the axis; 0: no limit */
	double		held;		/* the fixed top of the axis; 0: not fixed */
	double		one;		/* base units in one unit of the labels */
	const double	*v;		/* pace_chart_values() values, oldest first */
};

/* The number of values that a chart of this width shows. */
int	pace_chart_values(int cols, enum pace_bars bars);
void	pace_chart_draw(struct pace_canvas *g, const struct pace_chart *c);

/* The smallest of 1, 2, 3 or 5 times a power of ten that is not below v > 0. */
double	pace_round_step(double v);

#endif
