#include "core/dispersion.h"

#include <math.h>
#include <string.h>

#include "core/linefit.h"

#define SURE	3	/* errors that the slope is away from 0 */

static double
mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

bool
pace_dispersion_held_up(double in_bps, double out_bps)
{
	return in_bps > 0 && out_bps > 0 && in_bps >= PACE_DISPERSION_RATIO * out_bps;
}

/* C = 1/m, A = (1 - b)/m of the line y = b + m x; cov(b, m) = -mean(x) var(m). */
static void
take_line(struct pace_dispersion *d, const struct pace_linefit *f, double x_mean)
{
	double m = f->slope, b = f->intercept;
	double vm = f->slope_stderr * f->slope_stderr;
	double vb = f->intercept_stderr * f->intercept_stderr;
	double by_m = -(1 - b) / (m * m), by_b = -1 / m;

	d->r2 = f->r2;
	d->capacity_bps = 1 / m;
	d->capacity_stderr_bps = f->slope_stderr / (m * m);
	d->available_bps = (1 - b) / m;
	d->available_stderr_bps = sqrt(fmax(0, by_m * by_m * vm + by_b * by_b * vb -
	    2 * by_m * by_b * x_mean * vm));
}

void
pace_dispersion(struct pace_dispersion *d, const double *in, const double *out, size_t n,
    double *work)
{
	double *x = work, *y;
	struct pace_linefit f;

	memset(d, 0, sizeof(*d));
	if (n == 0)
		return;		/* and there need be no work */
	y = work + n;
	for (size_t i = 0; i < n; i++) {
		if (!pace_dispersion_held_up(in[i], out[i]))
			continue;
		x[d->points] = in[i];
		y[d->points++] = in[i] / out[i];
	}
	if (d->points < PACE_DISPERSION_POINTS)
		return;
	pace_linefit(&f, x, y, d->points);
	d->known = f.has_errors && f.slope > SURE * f.slope_stderr;
	if (d->known)
		take_line(d, &f, mean_of(x, d->points));
}
