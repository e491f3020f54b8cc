#include "core/linefit.h"

#include <math.h>

/* Points as distances from their mean, kept apart from the first for digits. */
struct linefit_axis {
	const double	*v;
	double		mean;		/* of v[i] - v[0] */
};

static struct linefit_axis
axis_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i] - v[0];
	return (struct linefit_axis){ v, sum / (double)n };
}

static double
from_mean(const struct linefit_axis *a, size_t i)
{
	return a->v[i] - a->v[0] - a->mean;
}

/* Sum of the products of the distances: Sxx, Sxy or Syy. */
static double
products(const struct linefit_axis *a, const struct linefit_axis *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += from_mean(a, i) * from_mean(b, i);
	return sum;
}

/* Sum of squared residuals; the furthest one is noted. */
static double
residuals(struct pace_linefit *f, const struct linefit_axis *x, const struct linefit_axis *y)
{
	double sum = 0;

	f->worst_x = x->v[0];
	for (size_t i = 0; i < f->n; i++) {
		double r = from_mean(y, i) - f->slope * from_mean(x, i);

		sum += r * r;
		if (fabs(r) > fabs(f->worst)) {
			f->worst = r;
			f->worst_x = x->v[i];
		}
	}
	return sum;
}

static void
errors(struct pace_linefit *f, double xbar, double sxx, double syy, double ssres)
{
	double n = (double)f->n, s = sqrt(ssres / (n - 2));

	f->slope_stderr = s / sqrt(sxx);
	f->intercept_stderr = s * sqrt(1 / n + xbar * xbar / sxx);
	f->r2 = syy > 0 ? fmax(1 - ssres / syy, 0) : 1;
	f->has_errors = true;
}

void
pace_linefit(struct pace_linefit *f, const double *x, const double *y, size_t n)
{
	struct linefit_axis ax, ay;
	double sxx, xbar, ssres;

	*f = (struct pace_linefit){ .n = n };
	if (n < 2)
		return;
	ax = axis_of(x, n);
	ay = axis_of(y, n);
	sxx = products(&ax, &ax, n);
	if (!(sxx > 0))				/* one x only */
		return;
	xbar = x[0] + ax.mean;
	f->slope = products(&ax, &ay, n) / sxx;
	f->intercept = y[0] + ay.mean - f->slope * xbar;
	f->has_line = true;
	ssres = residuals(f, &ax, &ay);
	if (n > 2)
		errors(f, xbar, sxx, products(&ay, &ay, n), ssres);
}
