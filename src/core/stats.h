/*
 * stats.h - count, extremes, mean and standard deviation of a stream of
 * values, in constant memory.
 *
 * Units      whatever the caller's int64 values are (ns, frames).
 * Formula    sums are kept of v - first, so that a small spread around a
 *            large value does not cancel; mean = first + sum/n;
 *            stddev = sqrt((sum2 - sum^2/n) / (n - 1)), 0 for n = 1.
 * Memory     fixed, no allocation.   Threads  none; merge.
 */
#ifndef PACE_CORE_STATS_H
#define PACE_CORE_STATS_H

#include <stdint.h>

struct pace_stats {
	uint64_t	n;
	int64_t		min, max;	/* valid when n > 0 */
	int64_t		first;		/* the value the sums are relative to */
	double		sum, sum2;
};

void	pace_stats_reset(struct pace_stats *s);
void	pace_stats_add(struct pace_stats *s, int64_t v);
/* Add the same value n times. */
void	pace_stats_add_n(struct pace_stats *s, int64_t v, uint64_t n);
void	pace_stats_merge(struct pace_stats *to, const struct pace_stats *from);
/* 0 for an empty sample: check n first. */
double	pace_stats_mean(const struct pace_stats *s);
double	pace_stats_stddev(const struct pace_stats *s);
/* The values added after `then`, an earlier copy of `now`: count, mean and standard
 * deviation; all 0 if none were added.  Their extremes are not known. */
struct pace_stats_part {
	uint64_t	n;
	double		mean, stddev;
};
struct pace_stats_part	pace_stats_since(const struct pace_stats *now,
			    const struct pace_stats *then);

#endif
