/*
 * line.h - the monitor without a screen: one line an interval, and the summary.
 *
 * Form       every line is whole by itself, with the unit beside each number; no
 *            control characters, whatever the network calls itself.
 * Errors     stick to the FILE.
 */
#ifndef PACE_UI_LINE_H
#define PACE_UI_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "live/snap.h"

/* "12.3 Gbit/s wire": what a rate counts. */
const char	*pace_unit_name(enum pace_live_figure unit);	/* "wire" */

/* One for each session that has a stream or round trips now; one if there is none. */
void	pace_line_tick(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8);
/* What the sessions received, a row each; at most rows of them. */
void	pace_line_summary(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows,
	    bool utf8);

/* The same of a capture: one for each stream of which frames came, and one for their sum. */
void	pace_line_capture(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, bool utf8);
void	pace_line_capture_sum(FILE *f, const struct pace_snap *s, enum pace_live_figure unit, size_t rows,
	    bool utf8);

#endif
