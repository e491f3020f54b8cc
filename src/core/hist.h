/*
 * hist.h - log-linear histogram of signed 64-bit values.
 *
 * Purpose    the whole distribution of gaps, delays and run lengths in fixed
 *            memory, with a known relative error, mergeable without loss.
 * Units      the caller's (ns or frames); the bins are in the same unit.
 * Bins       7 sub-bucket bits: exact below 256, then 128 bins an octave
 *            (width/value <= 1/128, midpoint within 0.4 %), up to 2^40 - 1
 *            (18 min in ns).  Same edges as HdrHistogram with 2 digits and
 *            lowest value 1.  A negative value v is kept in a mirror at
 *            -v - 1, so that -1 is the first bin below zero and no bin
 *            holds both signs.
 * Range      a value beyond the last bin is counted in the last bin and in
 *            clipped; stats has its true size.  Nothing is dropped.
 * Memory     68 KiB in the struct; no allocation.   Threads  none; merge.
 * Invariant  the bins sum to stats.n;  min <= any quantile <= max.
 * Bare       a histogram read from a document without bins has its figures and the quantiles in
 *            the document, and no bins; values cannot be added to it, nor merged.
 * Source     HdrHistogram's index arithmetic (G. Tene).
 */
#ifndef PACE_CORE_HIST_H
#define PACE_CORE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stats.h"

#define PACE_HIST_BITS	7
#define PACE_HIST_BINS	4352
#define PACE_HIST_MAX	((INT64_C(1) << 40) - 1)

#define PACE_HIST_LISTED	9	/* the quantiles in documents, ascending */
extern const double pace_hist_listed[PACE_HIST_LISTED];

struct pace_hist {
	struct pace_stats stats;
	uint64_t	clipped;
	bool		bare;
	int64_t		listed[PACE_HIST_LISTED];	/* of a bare one, where it has enough values */
	uint64_t	pos[PACE_HIST_BINS];
	uint64_t	neg[PACE_HIST_BINS];
};

/* low <= value < high */
struct pace_bin {
	int64_t		low, high;
	uint64_t	count;
};

void	pace_hist_reset(struct pace_hist *h);
void	pace_hist_add(struct pace_hist *h, int64_t v);
void	pace_hist_add_n(struct pace_hist *h, int64_t v, uint64_t n);
void	pace_hist_merge(struct pace_hist *to, const struct pace_hist *from);

/*
 * Merge with every value shifted by `by`.  The stats shift exactly.  Bins shift by
 * their midpoint, clipped to the shifted min..max: this adds up to half a bin's
 * old width to a value's error, or nothing if by is 0.  Values that leave int64
 * saturate.  to and from must differ.
 */
void	pace_hist_add_shifted(struct pace_hist *to, const struct pace_hist *from, int64_t by);

/*
 * Occupied bins in ascending order.  Start with *iter = 0; true while there
 * was one more.
 */
bool	pace_hist_next(const struct pace_hist *h, int *iter, struct pace_bin *bin);

/*
 * Restore a bin from a document; the stats do not change.  -EINVAL if low..high is
 * not exactly one of our bins, if count is 0, or if the bin is occupied.
 */
int	pace_hist_put(struct pace_hist *h, const struct pace_bin *bin);

/*
 * The value at quantile q in (0, 1): midpoint of the smallest bin whose
 * cumulative count reaches ceil(q n), clipped into [min, max].  0 when empty.
 * A bare histogram returns the quantile of pace_hist_listed at or next above q, or max.
 */
int64_t	pace_hist_quantile(const struct pace_hist *h, double q);

/* Are there enough values to speak of quantile q?  A tail quantile (outside
 * 0.1 .. 0.9) wants ten values beyond it, any other one value. */
bool	pace_hist_has_quantile(uint64_t n, double q);

/* Share of values v with |v - centre| <= within, bins counted whole by their
 * midpoint; 0 when empty, NAN when bare. */
double	pace_hist_share(const struct pace_hist *h, int64_t centre, int64_t within);

/*
 * Linear histogram with the user's low edge, bin width and bin count, kept
 * beside the other when asked for (UDPmon's picture).  count is the caller's
 * array of bins zeros.
 */
struct pace_linear_hist {
	int64_t		low, width;	/* width >= 1 */
	uint32_t	bins;		/* 0: no linear histogram */
	uint64_t	underflow, overflow;
	uint64_t	*count;
};
#define PACE_LINEAR_HIST_MAX_BINS	4096

void	pace_linear_hist_add(struct pace_linear_hist *l, int64_t v);

#endif
