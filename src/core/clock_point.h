/*
 * clock_point.h - a bound of a clock's offset: what clockfit.h and marginfit.h share.
 *
 * Units      ns.
 */
#ifndef PACE_CORE_CLOCK_POINT_H
#define PACE_CORE_CLOCK_POINT_H

#include <stdint.h>

#define PACE_CLOCKFIT_POINTS	2048	/* of each kind */
#define PACE_CLOCKFIT_PPM	500

struct pace_clockfit_point {
	int64_t		t_ns, v_ns;	/* both relative to the first point of all */
};

#endif
