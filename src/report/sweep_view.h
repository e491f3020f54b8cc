/*
 * sweep_view.h - what all figures against spacing share: the sweep, its axis, its lines.
 *
 * Script     NS lines, LABEL, SHOWN (their index in the table of all points), COLOR, PT;
 *            X_LOW ..., XLOG, X_UNIT, PI_EVERY (a marker every so many points).
 * Memory     pace_sweep_view_free.
 */
#ifndef PACE_REPORT_SWEEP_VIEW_H
#define PACE_REPORT_SWEEP_VIEW_H

#include "report/axis.h"
#include "report/sweep.h"

struct pace_sweep_view {
	struct pace_sweep w;
	struct pace_axis_spacing x;
	struct pace_axis_unit time;	/* of the axis */
	size_t	shown[PACE_LINES], lines;
};

/* false: no memory, noted in the sheet. */
bool	pace_sweep_view_make(struct pace_sweep_view *v, const struct pace_run *r, struct pace_figure *s);
void	pace_sweep_view_free(struct pace_sweep_view *v);

/* Lines and axis. */
void	pace_view_lines(struct pace_figure *s, const struct pace_sweep_view *v);

/* Where a spacing stands on the axis. */
double	pace_sweep_view_place(const struct pace_sweep_view *v, double spacing_ns);

/* "b-to-b", "12.5": without the unit. */
char	*pace_sweep_view_say(const struct pace_sweep_view *v, double spacing_ns, char *buf, size_t size);

/* Spacings as places 1, 2, 3 ... of equal width: the place of one; and the labels of at
 * most max of them: X_TICKS and X_BARE. */
size_t	pace_sweep_view_index(const struct pace_sweep_view *v, double spacing_ns);
void	pace_sweep_view_index_ticks(struct pace_figure *s, const struct pace_sweep_view *v, size_t max);

#endif
