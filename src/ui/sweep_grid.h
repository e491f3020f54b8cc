/*
 * sweep_grid.h - the points of a sweep as a grid: sizes down, spacings across.
 *
 * Points     the newest of a size and spacing counts.  Cells to come are included if the plan is
 *            known.
 * Memory     none: at most PACE_GRID sizes and spacings, what is more is left out.
 */
#ifndef PACE_UI_SWEEP_GRID_H
#define PACE_UI_SWEEP_GRID_H

#include "live/snap.h"

#define PACE_GRID	512

struct pace_sweep_grid {
	int		sizes, spacings;	/* so many */
	uint64_t	size[PACE_GRID];	/* both ascending */
	double		spacing[PACE_GRID];
	double		most_bps;		/* of all points; 0: none has a rate */
	const struct pace_snap_point *best;	/* without loss, of the highest rate; NULL: none */
};

enum pace_cell_kind { PACE_CELL_NONE, PACE_CELL_TO_DO, PACE_CELL_NOW, PACE_CELL_DONE,
	PACE_CELL_FAILED, PACE_CELL_SKIPPED };

/* The sweep to show: the newest one. In a campaign, the previous one stays until a point of the
 * next one is being measured.  NULL: there is none. */
const struct pace_snap_sweep	*pace_sweep_grid_shown(const struct pace_snap *s);
/* The state of the cell of a size and spacing. */
enum pace_cell_kind	pace_sweep_place(const struct pace_snap_sweep *w, uint64_t size,
    double spacing_ns);
/* Elapsed part of the point being measured, 0 to 1; NAN: not known. */
double	pace_sweep_share(const struct pace_snap *s);
/* Until the step ends, or the campaign; -1: not known.  *least: it may be more. */
int64_t	pace_sweep_step_left(const struct pace_snap *s);
int64_t	pace_sweep_all_left(const struct pace_snap *s, bool *least);

/* Of nothing there is nothing. */
void	pace_sweep_grid_of(struct pace_sweep_grid *g, const struct pace_snap_sweep *w);
/* NULL: it was not measured. */
const struct pace_snap_point	*pace_sweep_grid_point(const struct pace_snap_sweep *w,
    uint64_t size,
				    double spacing_ns);
/* Is it being measured? */
bool	pace_sweep_grid_is_now(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns);
/* Under the cursor, or the newest; NULL: there is none. */
const struct pace_snap_point	*pace_sweep_grid_chosen(const struct pace_snap_sweep *w,
				    const struct pace_snap_cell *cursor);
/* The cursor by so many sizes and spacings; at the ends it stays. */
void	pace_sweep_move(struct pace_snap_cell *cursor, const struct pace_snap *s, int sizes,
	    int spacings);

#endif
