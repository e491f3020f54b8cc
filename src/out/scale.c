#include "out/scale.h"

#include <math.h>

struct pace_scale
pace_scale_rate(double low_bps, double high_bps)
{
	struct pace_scale s = { "kbit/s", 1e3, 0 };

	if (low_bps >= 1e9 || (low_bps >= 1e8 && high_bps >= 1e9))
		s = (struct pace_scale){ "Gbit/s", 1e9, 0 };
	else if (high_bps >= 1e6)
		s = (struct pace_scale){ "Mbit/s", 1e6, 0 };
	s.decimals = high_bps < 10 * s.one ? 3 : high_bps < 100 * s.one ? 2 : 1;
	if (low_bps < s.one && s.decimals < 3)	/* small and large values in one column */
		s.decimals++;
	if (s.one == 1e9)
		s.decimals = high_bps < 100 * s.one ? 3 : 2;
	return s;
}

struct pace_scale
pace_scale_time(double ns)
{
	if (fabs(ns) < 10e3)
		return (struct pace_scale){ "\xc2\xb5s", 1e3, 3 };
	if (fabs(ns) < 10e6)
		return (struct pace_scale){ "\xc2\xb5s", 1e3, 2 };
	if (fabs(ns) < 10e9)
		return (struct pace_scale){ "ms", 1e6, 3 };
	return (struct pace_scale){ "s", 1e9, 3 };
}

double
pace_gap_quantile(const struct pace_params *a, const struct pace_hist *gap,
    const struct pace_hist *error, double q)
{
	double spacing = round(pace_params_gap_ns(a)), fine;

	if (!pace_hist_has_quantile(gap->stats.n, q))
		return NAN;
	if (a->spacing == 0 || error == NULL || error->stats.n != gap->stats.n)
		return (double)pace_hist_quantile(gap, q);
	fine = spacing + (double)pace_hist_quantile(error, q);
	if (fine < spacing / 2)			/* closer to 0 than to the spacing */
		return (double)pace_hist_quantile(gap, q);
	return fmin(fmax(fine, (double)gap->stats.min), (double)gap->stats.max);
}
