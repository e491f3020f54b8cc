#include "core/clockmap.h"

#include <math.h>
#include <string.h>

/* NTP slews by at most 500 ppm; 100 more for the crystal it corrects. */
#define SLEW_PPM	600
#define STEP_NS		1000
#define SLEW_NS		INT64_C(1000000000)	/* look at the rate this often */
#define SLEW_CHANGE	1e-6
#define SLOPE_NS	INT64_C(20000000)
#define SLOPE_LEAST_NS	INT64_C(2000000)

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

/* No step lies between this pair and the last. */
static void
look_for_slew(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns)
{
	int64_t draw = raw_ns - m->raw_s;
	double rate;

	if (draw < SLEW_NS)
		return;
	rate = (double)(real_ns - m->real_s - draw) / (double)draw;
	if (m->has_rate && fabs(rate - m->rate) > SLEW_CHANGE)
		m->slews++;
	m->rate = rate;
	m->has_rate = true;
	m->real_s = real_ns;
	m->raw_s = raw_ns;
}

/* Into the list, in place of the newest where that is young. */
static void
keep(struct pace_clockmap *m, int64_t real_ns, int64_t raw_ns, bool alone)
{
	if (alone)
		m->n = 0;
	else if (m->n >= 2 && raw_ns - m->kept[m->n - 2].raw < PACE_CLOCKMAP_KEEP_NS)
		m->n--;
	if (m->n == PACE_CLOCKMAP_PAIRS) {
		memmove(m->kept, m->kept + 1, sizeof(m->kept) - sizeof(m->kept[0]));
		m->n--;
	}
	m->kept[m->n].real = real_ns;
	m->kept[m->n++].raw = raw_ns;
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
	if (alone) {
		m->real_s = real_ns;
		m->raw_s = raw_ns;
	} else {
		look_for_slew(m, real_ns, raw_ns);
	}
	keep(m, real_ns, raw_ns, alone);
	m->real1 = real_ns;
	m->raw1 = raw_ns;
	m->pairs++;
}

/* The slope from pair i to pair j, as its difference from 1. */
static double
slope(const struct pace_clockmap *m, int i, int j)
{
	int64_t span = m->kept[j].real - m->kept[i].real;

	return (double)(m->kept[j].raw - m->kept[i].raw - span) / (double)span;
}

/* The one to carry on with outside the pairs. */
static double
slope_outside(const struct pace_clockmap *m)
{
	int last = m->n - 1, i = last;
	int64_t span;

	while (i > 0 && m->kept[last].real - m->kept[i].real < SLOPE_NS)
		i--;
	span = m->kept[last].real - m->kept[i].real;
	if (span < SLOPE_LEAST_NS)
		return 0;
	return fmin(fmax(slope(m, i, last), -SLEW_PPM * 1e-6), SLEW_PPM * 1e-6);
}

/*
 * The slope is worked out as its difference from 1: that is small, so a
 * double keeps the product exact to far below a nanosecond, and rounding
 * gives back the very readings at both pairs.
 */
int64_t
pace_clockmap_raw(const struct pace_clockmap *m, int64_t real_ns)
{
	int from = m->n - 1;
	int64_t dt;
	double by;

	if (m->n < 2)
		return m->raw1 + (real_ns - m->real1);
	while (from > 0 && real_ns < m->kept[from].real)
		from--;
	dt = real_ns - m->kept[from].real;
	by = from == m->n - 1 || dt < 0 ? slope_outside(m) : slope(m, from, from + 1);
	return m->kept[from].raw + dt + (int64_t)round(by * (double)dt);
}
