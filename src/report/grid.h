/*
 * grid.h - histograms as panels with the same axes: plots/hist.gp.
 *
 * Purpose    one way to draw many distributions: arrival gaps, round trips,
 *            lateness of frames.
 * Axes       linear values, equal bins, in one unit; logarithmic counts.
 *            Values beyond the axis are counted, and the count is above the panel.
 * Memory     the caller keeps the histograms.
 */
#ifndef PACE_REPORT_GRID_H
#define PACE_REPORT_GRID_H

#include "report/axis.h"
#include "report/figure.h"
#include "report/shape.h"

#define PACE_PANELS	12

struct pace_panel {
	const struct pace_bins *bins;
	char		name[96];	/* "64 B" */
	double		mark;		/* a line at this value, base units; NAN: none */
};

struct pace_panel_grid {
	size_t		n;
	struct pace_panel panel[PACE_PANELS];
	int		columns;
	int64_t		low, high;	/* range of the axis, base units */
	struct pace_axis_unit unit;	/* "frames", 1: whole numbers */
	const char	*what;		/* "Time between arrivals" */
	const char	*things;	/* "Frames": on the y axis, per bin */
	const char	*mark;		/* "requested": name of the lines */
};

/* Set the figure's tables, variables and height. */
void	pace_panel_grid_put(struct pace_figure *s, const struct pace_panel_grid *g);

/* Return a number of columns that looks well for n panels. */
int	pace_panel_grid_columns(size_t n);

#endif
