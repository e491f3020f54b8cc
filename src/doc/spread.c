#include "doc/spread.h"

#include <math.h>
#include <stdlib.h>

static int
rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct pace_spread
pace_spread_of(double *v, size_t n)
{
	struct pace_spread s = { NAN, NAN, NAN, 0 };

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[s.n++] = v[i];
	if (s.n == 0)
		return s;
	qsort(v, s.n, sizeof(*v), rising);
	s.mid = v[(s.n - 1) / 2] / 2 + v[s.n / 2] / 2;
	s.low = v[0];
	s.high = v[s.n - 1];
	return s;
}
