/*
 * strip.h - draw a histogram as one line of bars.
 *
 * Bars       the height is the logarithm of the count, so a single value among a
 *            million is visible.  An empty column is blank.
 * Axis       linear; logarithmic if the largest value is more than 8 times the
 *            smallest.  The caller labels the axis.
 * Wide bins  are spread over the columns they cover, to leave no false holes.
 */
#ifndef PACE_OUT_STRIP_H
#define PACE_OUT_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"

#define PACE_STRIP_COLUMNS	50
#define PACE_STRIP_TEXT		(3 * PACE_STRIP_COLUMNS + 1)

struct pace_strip {
	int64_t	low, high;	/* values at the left and right edge, inclusive */
	bool	log;		/* axis */
	double	count[PACE_STRIP_COLUMNS];
};

/* Start an empty strip from low to high, low <= high. */
void	pace_strip_reset(struct pace_strip *s, int64_t low, int64_t high);
/* Add the values of h, each shifted by shift; values outside the strip are ignored. */
void	pace_strip_add(struct pace_strip *s, const struct pace_hist *h, int64_t shift);
/* Return the column of a value; values outside belong to the first or last column. */
int	pace_strip_column(const struct pace_strip *s, int64_t v);
/* Draw the strip in PACE_STRIP_COLUMNS characters; buf has PACE_STRIP_TEXT bytes. */
void	pace_strip_draw(const struct pace_strip *s, bool utf8, char *buf);

#endif
