/*
 * coarse_hist.h - a histogram with few bins, for a distribution that is shown live.
 *
 * Purpose    it is small: a thread can copy it while frames arrive, and a status
 *            line can carry it.
 * Bins       eight bins of hist.h make one: exact below 32, then 16 an octave (width
 *            <= 1/16 of the value), up to 2^40 - 1.  Larger values are counted in the
 *            last bin, values below 0 in below.
 * Lists      hold at most PACE_COARSE_HIST_LIST bins.  To get there, neighbours in
 *            an octave are joined into bins of twice the width or more, first where
 *            that loses least.  A list is fine where the values are and coarse in the
 *            tails.
 * Units      the caller's.   Memory  5 KiB in the struct.   Threads  none.
 */
#ifndef PACE_CORE_COARSE_HIST_H
#define PACE_CORE_COARSE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"

#define PACE_COARSE_HIST_SUBS		16	/* bins an octave */
#define PACE_COARSE_HIST_BINS		((40 - 4 + 1) * PACE_COARSE_HIST_SUBS)
/* at least 52: one bin an octave, and the bins below 16 */
#define PACE_COARSE_HIST_LIST		60

struct pace_coarse_hist {
	uint64_t	below;		/* 0 */
	uint64_t	n[PACE_COARSE_HIST_BINS];
};

void	pace_coarse_hist_reset(struct pace_coarse_hist *s);
void	pace_coarse_hist_add(struct pace_coarse_hist *s, int64_t v);
/* Convert all of h, in about 2 µs. */
void	pace_coarse_hist_of(struct pace_coarse_hist *s, const struct pace_hist *h);

/* Occupied bins, lowest first; low <= value < high.  A bin's width is a power of two, low a
 * multiple of it, and at least as much unless the width is 1. */
struct pace_coarse_hist_list {
	uint64_t	below;
	uint32_t	n;
	struct pace_bin	bin[PACE_COARSE_HIST_LIST];
};

void	pace_coarse_hist_list(const struct pace_coarse_hist *s, struct pace_coarse_hist_list *l);

/* Join bins until at most that many are left, or until no more can be joined. */
void	pace_coarse_cut(struct pace_coarse_hist_list *l, uint32_t most);

/* Add the counts of l.  Where the bins differ, the wider ones are used, and never more
 * than a list holds.  Counts stay below 2^64. */
void	pace_coarse_hist_join(struct pace_coarse_hist_list *to,
	    const struct pace_coarse_hist_list *l);

/* Is low to high a bin that a list can have? */
bool	pace_coarse_hist_is_bin(int64_t low, int64_t high);

/* The number of values, including those below 0. */
uint64_t	pace_coarse_hist_count(const struct pace_coarse_hist_list *l);

/* Subtract then from now.  Where the bins differ, the wider ones are used. */
void	pace_coarse_hist_since(struct pace_coarse_hist_list *now,
	    const struct pace_coarse_hist_list *then);

/* The value at quantile q: the middle of its bin; 0 when empty, or below 0. */
int64_t	pace_coarse_hist_quantile(const struct pace_coarse_hist_list *l, double q);

#endif
