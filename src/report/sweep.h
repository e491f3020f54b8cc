/*
 * sweep.h - sort the streams of a run into lines (one size) and cells (one spacing).
 *
 * Purpose    combine repeated points into one cell with median and extremes; the
 *            order of the measurements does not matter.
 * Line       all points of one size, number of streams and code point; ascending.
 * Cell       all points of a line at one spacing; ascending.  A cell in which all
 *            points failed has n 0 and failed set.
 * Units      in the names; ratios of frames.
 * Memory     pace_sweep_free; the run keeps its streams.
 * Errors     -ENOMEM; nothing is left to release.
 */
#ifndef PACE_REPORT_SWEEP_H
#define PACE_REPORT_SWEEP_H

#include <math.h>

#include "doc/spread.h"
#include "report/figure.h"
#include "report/value.h"

#define PACE_LINES	7		/* lines in one panel */

struct pace_sweep_cell {
	double		spacing_ns;
	const struct pace_stream_point *const *point;
	size_t		n;		/* measured points */
	size_t		failed;
	bool		degraded;	/* one of the points is degraded */
	double		frames;		/* sent, on average */
	/* over the repetitions that have the value */
	struct pace_spread wire_bps, user_bps, sent_wire_bps;
	struct pace_spread loss;	/* ratio of the frames sent; NAN: not known */
	struct pace_spread reordered;	/* frames */
};

#define PACE_SWEEP_LABEL	32

struct pace_line {
	uint32_t	size_bytes;
	int		dscp;		/* -1: not known */
	uint32_t	streams;
	char		label[PACE_SWEEP_LABEL];
	double		wire_bytes;	/* bytes on the line of a frame of each stream */
	size_t		n;
	struct pace_sweep_cell *cell;
};

/* Return the line's code point; NAN: not known. */
static inline double
pace_line_dscp(const struct pace_line *l)
{
	return l->dscp < 0 ? (double)NAN : (double)l->dscp;
}

struct pace_sweep {
	size_t		n;
	struct pace_line *line;
	size_t		spacings;
	double		*spacing_ns;	/* all spacings, ascending */
	double		most_bps, most_sent_bps;	/* highest ones on the wire */
	bool		has_rx;		/* some point has the responder's counts */
	double		most_frames, least_frames;	/* frames sent in one point */
	double		longest_ns;	/* longest spacing */
	bool		repeated;	/* a cell has more than one point */
	bool		mixed;		/* lines differ in more than their size */
	struct pace_sweep_cell *cells;	/* private */
	const struct pace_stream_point **streams;
};

/* "1472", "1472 DSCP 46", "1472 × 4": four streams.  dscp below 0: none is written. */
void	pace_sweep_label(char label[PACE_SWEEP_LABEL], uint32_t size_bytes, uint32_t streams,
	    int dscp);

int	pace_sweep_make(struct pace_sweep *w, const struct pace_run *r);
/* Of a table's columns, the last two of which are the number of streams and the code point, return
 * how many say something. */
size_t	pace_sweep_columns(const struct pace_sweep *w, size_t all);
void	pace_sweep_free(struct pace_sweep *w);

/* Return the spread of a value over the cell's points that have it. */
struct pace_spread	pace_sweep_cell_spread(const struct pace_sweep_cell *c, enum pace_value v);

#endif
