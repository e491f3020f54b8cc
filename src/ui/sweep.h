/*
 * sweep.h - the points of a sweep as a grid: sizes down, spacings across.
 *
 * Points     the newest of a size and spacing counts.
 * Memory     none: at most PACE_GRID sizes and spacings, what is more is left out.
 */
#ifndef PACE_SWEEP_H
#define PACE_SWEEP_H

#include "ui/hotkeys.h"
#include "ui/snap.h"

#define PACE_GRID	128

struct pace_grid {
	int		sizes, spacings;	/* so many */
	uint64_t	size[PACE_GRID];	/* both ascending */
	double		spacing[PACE_GRID];
	double		most_bps;		/* of all points; 0: none has a rate */
	const struct pace_snap_point *best;	/* without loss, of the highest rate; NULL: none */
};

/* Of nothing there is nothing. */
void	pace_grid_of(struct pace_grid *g, const struct pace_snap_sweep *w);
/* NULL: it was not measured. */
const struct pace_snap_point	*pace_grid_point(const struct pace_snap_sweep *w, uint64_t size,
				    double spacing_ns);
/* Is it being measured? */
bool	pace_grid_is_now(const struct pace_snap_sweep *w, uint64_t size, double spacing_ns);
/* Under the cursor, or the newest; NULL: there is none. */
const struct pace_snap_point	*pace_grid_chosen(const struct pace_snap_sweep *w,
				    const struct pace_ui *ui);
/* The cursor by so many sizes and spacings; at the ends it stays. */
void	pace_sweep_move(struct pace_ui *ui, const struct pace_snap *s, int sizes, int spacings);

#endif
