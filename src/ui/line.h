/*
 * line.h - the monitor without a screen: one line per interval, and the summary.
 *
 * Form       a row of at most PACE_LINE_WIDTH cells; each column keeps its place and unit.
 *            Heads stand above the first row and are repeated every 20 rows.  Names from
 *            the network never bring control characters.
 * Errors     are the FILE's (ferror).
 */
#ifndef PACE_UI_LINE_H
#define PACE_UI_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "live/snap.h"
#include "out/table.h"

#define PACE_LINE_WIDTH	100

/* The current heads; all 0: none yet. */
struct pace_line_head {
	const struct pace_column *of;
	unsigned	left_out, rows;	/* rows printed below them */
};

/* "12.3 Gbit/s wire": what a rate counts. */
const char	*pace_unit_name(enum pace_live_figure unit);	/* "wire" */

/* Print a line for each session with a stream or round trips now; one line if there is none. */
void	pace_line_tick(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8,
	    struct pace_line_head *h);
/* Print the totals of the sessions, a row each, at most `rows`. */
void	pace_line_summary(FILE *f, const struct pace_snap *s, enum pace_live_figure unit,
    size_t rows,
	    bool utf8);

/* Print the lines of a capture: one for each stream with new frames, and one for their sum. */
void	pace_line_capture(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8,
	    struct pace_line_head *h);
void	pace_line_capture_sum(FILE *f, const struct pace_snap *s, enum pace_live_figure unit,
    size_t rows,
	    bool utf8);

/* Print the lines of a watcher: one for each path with a new report, and events; the worst paths. */
void	pace_line_paths(FILE *f, const struct pace_snap *s, bool utf8, struct pace_line_head *h);
void	pace_line_paths_sum(FILE *f, const struct pace_snap *s, size_t rows, bool utf8);

/* Private to line*.c: print a row without its newline, after its heads if they are due; text:
 * the columns that are not numbers. */
void	pace_line_row(const struct pace_say *say, const struct pace_row_table *t,
	    struct pace_line_head *h, const char *const *text, const double *v);
/* Two blanks and a name from the network, in exactly width cells. */
const char	*pace_line_fit(const struct pace_say *say, const char *name, int width, char *buf,
		    size_t size);

#endif
