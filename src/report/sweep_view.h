/*
 * sweep_view.h - the sweep, axis and lines that all figures against spacing share.
 *
 * Script     NS lines, LABEL, SHOWN (their index in the table of all points), COLOR, PT;
 *            X_LOW ..., XLOG, X_UNIT, PI_EVERY (draw every PI_EVERYth marker).
 * Memory     pace_sweep_view_free.
 */
#ifndef PACE_REPORT_SWEEP_VIEW_H
#define PACE_REPORT_SWEEP_VIEW_H

#include "report/axis.h"
#include "report/sweep.h"

struct pace_sweep_view {
	struct pace_sweep w;
	struct pace_axis_spacing x;
	struct pace_axis_unit time;	/* unit of the axis */
	size_t	shown[PACE_LINES], lines;
};

/* Prepare the view of a run; false: no memory, which s keeps as an error. */
bool	pace_sweep_view_make(struct pace_sweep_view *v, const struct pace_run *r,
	    struct pace_figure *s);
void	pace_sweep_view_free(struct pace_sweep_view *v);

/* Set the script's variables of lines and axis. */
void	pace_view_lines(struct pace_figure *s, const struct pace_sweep_view *v);

/* Return the place of a spacing on the axis. */
double	pace_sweep_view_place(const struct pace_sweep_view *v, double spacing_ns);

/* Format a spacing without its unit: "b-to-b", "12.5". */
char	*pace_sweep_view_say(const struct pace_sweep_view *v, double spacing_ns, char *buf,
	    size_t size);

/* For an axis with spacings at equal distances 1, 2, 3 ...: return the place of a spacing;
 * set X_TICKS and X_BARE with at most max labels. */
size_t	pace_sweep_view_index(const struct pace_sweep_view *v, double spacing_ns);
void	pace_sweep_view_index_ticks(struct pace_figure *s, const struct pace_sweep_view *v,
	    size_t max);

#endif
