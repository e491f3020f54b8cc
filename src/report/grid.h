/*
 * grid.h - histograms as panels of the same axes: plots/hist.gp.
 *
 * Purpose    one way to draw many distributions: arrival spacing, round trips,
 *            how late frames came.
 * Axes       linear values, equal bins, in one unit; logarithmic counts.
 *            Values beyond are counted, and told over the panel.
 * Memory     the histograms stay the caller's.
 */
#ifndef PACE_REPORT_GRID_H
#define PACE_REPORT_GRID_H

#include "report/axis.h"
#include "report/figure.h"
#include "report/shape.h"

#define PACE_PANELS	12

struct pace_panel {
	const struct pace_bins *bins;
	char		name[64];	/* "64 B"; markup of our own */
	double		mark;		/* line at this value, base units; NAN: none */
};

struct pace_panel_grid {
	size_t		n;
	struct pace_panel panel[PACE_PANELS];
	int		columns;
	int64_t		low, high;	/* what the axis shows, base units */
	struct pace_axis_unit unit;	/* "frames", 1: whole numbers */
	const char	*what;		/* "Time between arrivals" */
	const char	*things;	/* "Frames": on the y axis, per bin */
	const char	*mark;		/* "requested": what the lines are */
};

/* Table, variables, height. */
void	pace_panel_grid_put(struct pace_figure *s, const struct pace_panel_grid *g);

/* A height for the panels of n in so many columns. */
int	pace_panel_grid_height(size_t n, int across);

/* Columns that look well. */
int	pace_panel_grid_columns(size_t n);

#endif
