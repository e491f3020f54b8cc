#include "core/clockmap.h"

#include <math.h>
#include <stdbool.h>

/* NTP slews by at most 500 ppm; 100 more for the crystal it corrects. */
#define SLEW_PPM	600
#define STEP_NS		1000

void
pace_clockmap_reset(struct pace_clockmap *m)
{
	*m = (struct pace_clockmap){ 0 };
}

/* Most that an honest clock moves against the other in dt_ns. */
static int64_t
drift_limit_ns(int64_t dt_ns)
{
	int64_t dt = dt_ns < 0 ? 0 : dt_ns;

	/* in two parts: dt * SLEW_PPM would overflow for a dt of months */
	return STEP_NS + dt / 1000000 * SLEW_PPM +
	    dt % 1000000 * SLEW_PPM / 1000000;
}

void
pace_clockmap_pair(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns)
{
	int64_t dreal = real_ns - m->real1, draw = raw_ns - m->raw1;
	bool alone = m->pairs == 0;

	if (!alone) {
		int64_t jump = dreal - draw, limit = drift_limit_ns(draw);

		if (jump > limit || jump < -limit) {
			m->steps++;
			m->stepped_ns += jump;
			alone = true;
		}
		/* two readings at one moment give no slope */
		if (dreal <= 0 || draw <= 0)
			alone = true;
	}
	m->real0 = alone ? real_ns : m->real1;
	m->raw0 = alone ? raw_ns : m->raw1;
	m->real1 = real_ns;
	m->raw1 = raw_ns;
	m->pairs++;
}

/*
 * The slope is worked out as its difference from 1: that is small, so a
 * double keeps the product exact to far below a nanosecond, and rounding
 * gives back the very readings at both pairs.
 */
int64_t
pace_clockmap_raw(const struct pace_clockmap *m, int64_t real_ns)
{
	int64_t span = m->real1 - m->real0, from_real = m->real1, from_raw = m->raw1;
	double slope, most = SLEW_PPM * 1e-6;

	if (span == 0)
		return m->raw1 + (real_ns - m->real1);
	slope = (double)(m->raw1 - m->raw0 - span) / (double)span;
	if (real_ns < m->real0) {
		from_real = m->real0;
		from_raw = m->raw0;
	}
	/* Outside the pairs a steeper slope is the error of two readings close
	 * together, and carrying it on would magnify it. */
	if (real_ns < m->real0 || real_ns > m->real1)
		slope = fmin(fmax(slope, -most), most);
	return from_raw + (real_ns - from_real) +
	    (int64_t)round(slope * (double)(real_ns - from_real));
}
