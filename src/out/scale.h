/*
 * scale.h - choose one unit for a whole column, before its first row.
 *
 * Rule       a column never changes its unit from row to row and shows three or four
 *            significant digits.
 */
#ifndef PACE_OUT_SCALE_H
#define PACE_OUT_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include "doc/params.h"

struct pace_scale {
	const char	*unit;
	double		one;		/* base units in one of this unit */
	int		decimals;
};

struct pace_scale	pace_scale_rate(double low_bps, double high_bps);
/* For figures near ns. */
struct pace_scale	pace_scale_time(double ns);

/*
 * Return a quantile of the gap in ns; NAN: too few values.  gap_error has finer bins near the
 * spacing: a gap of 10 µs falls into a bin of 64 ns, its error of some ns into a bin of 1 ns.
 * error may be NULL.
 */
double	pace_gap_quantile(const struct pace_params *a, const struct pace_hist *gap,
	    const struct pace_hist *error, double q);

#endif
