/*
 * coarse_hist.h - a distribution in few bins, to be looked at while it grows.
 *
 * Purpose    small enough to be copied while frames come, and to be told in a line.
 * Bins       those of hist.h, 8 together: exact below 32, then 16 an octave (width
 *            <= 1/16 of the value), up to 2^40 - 1.  What is longer is in the last one,
 *            what is below 0 is in below.
 * Lists      of at most PACE_COARSE_HIST_LIST bins: neighbours of one octave become one bin of
 *            twice the width, and more, where that blurs least.  So a list is fine
 *            where the values are and wide in the tails.
 * Units      the caller's.   Memory  5 KiB in the struct.   Threads  none.
 */
#ifndef PACE_CORE_COARSE_HIST_H
#define PACE_CORE_COARSE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"

#define PACE_COARSE_HIST_SUBS		16	/* bins an octave */
#define PACE_COARSE_HIST_BINS		((40 - 4 + 1) * PACE_COARSE_HIST_SUBS)
#define PACE_COARSE_HIST_LIST		60	/* at least 52: a bin an octave, and those below 16 */

struct pace_coarse_hist {
	uint64_t	below;		/* 0 */
	uint64_t	n[PACE_COARSE_HIST_BINS];
};

void	pace_coarse_hist_reset(struct pace_coarse_hist *s);
void	pace_coarse_hist_add(struct pace_coarse_hist *s, int64_t v);
/* All of h.  It costs about 2 µs. */
void	pace_coarse_hist_of(struct pace_coarse_hist *s, const struct pace_hist *h);

/* Occupied bins, lowest first; low <= value < high.  A bin's width is a power of two, low a
 * multiple of it, and at least as much unless the width is 1. */
struct pace_coarse_hist_list {
	uint64_t	below;
	uint32_t	n;
	struct pace_bin	bin[PACE_COARSE_HIST_LIST];
};

void	pace_coarse_hist_list(const struct pace_coarse_hist *s, struct pace_coarse_hist_list *l);

/* At most so many bins; where it cannot be that few, all that can be spared are gone. */
void	pace_coarse_cut(struct pace_coarse_hist_list *l, uint32_t most);

/* Those of l, too, in the wider bins of either, and in no more than a list has.  Counts
 * stay below 2^64. */
void	pace_coarse_hist_join(struct pace_coarse_hist_list *to, const struct pace_coarse_hist_list *l);

/* Is there such a bin? */
bool	pace_coarse_hist_is_bin(int64_t low, int64_t high);

/* Values in it, those below 0 too. */
uint64_t	pace_coarse_hist_count(const struct pace_coarse_hist_list *l);

/* What now has more than then had, in the wider bins of either. */
void	pace_coarse_hist_since(struct pace_coarse_hist_list *now, const struct pace_coarse_hist_list *then);

/* The value at quantile q: the middle of its bin; 0 when empty, or below 0. */
int64_t	pace_coarse_hist_quantile(const struct pace_coarse_hist_list *l, double q);

#endif
