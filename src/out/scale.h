/*
 * scale.h - one unit for a whole column, chosen before its first row.
 *
 * Rule       a column never changes its unit from row to row; three or four
 *            digits that tell.
 */
#ifndef PACE_OUT_SCALE_H
#define PACE_OUT_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include "doc/params.h"

struct pace_scale {
	const char	*unit;
	double		one;		/* base units in one of it */
	int		decimals;
};

struct pace_scale	pace_scale_rate(double low_bps, double high_bps);
/* For figures around ns. */
struct pace_scale	pace_scale_time(double ns);

/*
 * Quantile of a gap in ns, NAN when there are too few.  The bins of
 * gap_error are the finer ones near the spacing: 10 µs falls into a bin of
 * gap 64 ns wide, its error of some ns into one of 1 ns.
 */
double	pace_gap_quantile(const struct pace_params *a, const struct pace_hist *gap,
	    const struct pace_hist *error, double q);

#endif
