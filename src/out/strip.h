/*
 * strip.h - a histogram as one line of bars.
 *
 * Bars       height is the logarithm of the count: a single value among a
 *            million is seen.  An empty column is blank.
 * Axis       linear, or logarithmic when the largest value is more than 8
 *            times the smallest; the caller says which it is.
 * Wide bins  are spread over the columns they cover, so that the picture
 *            is no comb.
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
	int64_t	low, high;	/* values at the left and right edge, both inside */
	bool	log;		/* axis */
	double	count[PACE_STRIP_COLUMNS];
};

/* An empty strip from low to high, low <= high. */
void	pace_strip_reset(struct pace_strip *s, int64_t low, int64_t high);
/* Add the values of h, each moved by shift; those outside are left out. */
void	pace_strip_add(struct pace_strip *s, const struct pace_hist *h, int64_t shift);
/* The column of a value, held inside. */
int	pace_strip_column(const struct pace_strip *s, int64_t v);
/* PACE_STRIP_COLUMNS characters; buf has room for PACE_STRIP_TEXT bytes. */
void	pace_strip_draw(const struct pace_strip *s, bool utf8, char *buf);

#endif
