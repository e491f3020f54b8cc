/*
 * sweep.h - the streams of a run in order: lines of one size, places of one spacing.
 *
 * Purpose    repeated points become one cell with its median and its extremes; the
 *            order they were measured in does not matter.
 * Line       all points of a size and code point; ascending.
 * Cell       all points of a line at a spacing; ascending.  A cell whose points all
 *            failed has n 0 and failed set.
 * Units      in the names; ratios of frames.
 * Memory     pace_sweep_free; the leaves stay the run's.
 * Errors     -ENOMEM, nothing is left to free.
 */
#ifndef PACE_REPORT_SWEEP_H
#define PACE_REPORT_SWEEP_H

#include "doc/spread.h"
#include "report/figure.h"
#include "report/report_data.h"

#define PACE_LINES	7		/* that one panel shows */

struct pace_sweep_cell {
	double		spacing_ns;
	const struct pace_stream_point *const *point;
	size_t		n;		/* measured */
	size_t		failed;
	bool		degraded;	/* one of them */
	double		frames;		/* sent, on the average */
	/* of the repetitions that know it */
	struct pace_spread wire_bps, user_bps, sent_wire_bps;
	struct pace_spread loss;	/* of the frames sent; NAN: not told */
	struct pace_spread reordered;	/* frames */
};

struct pace_line {
	uint32_t	size_bytes;
	int		dscp;		/* -1: not told */
	char		label[32];	/* "1472", "1472 DSCP 46" */
	double		wire_bytes;	/* of a frame on the line */
	size_t		n;
	struct pace_sweep_cell *cell;
};

struct pace_sweep {
	size_t		n;
	struct pace_line *line;
	size_t		spacings;
	double		*spacing_ns;	/* all there are, ascending */
	double		most_bps, most_sent_bps;	/* of what was received, sent on the wire */
	bool		told;		/* a point has the responder's counts */
	double		most_frames, least_frames;	/* sent in one point */
	double		longest_ns;	/* spacing */
	bool		repeated;	/* a cell has more than one point */
	struct pace_sweep_cell *cells;	/* private */
	const struct pace_stream_point **leaves;
};

int	pace_sweep_make(struct pace_sweep *w, const struct pace_run *r);
void	pace_sweep_free(struct pace_sweep *w);

/* Which lines a panel shows, at most PACE_LINES, the first and last among them; how many. */
size_t	pace_sweep_shown(const struct pace_sweep *w, size_t at[PACE_LINES]);

/* Of one figure of cells; get gives NAN where a leaf does not know it. */
struct pace_spread	pace_sweep_cell_spread(const struct pace_sweep_cell *c,
	    double (*get)(const struct pace_stream_point *l));

/* Lost of sent, NAN when not told. */
double	pace_stream_point_loss(const struct pace_stream_point *l);

#endif
