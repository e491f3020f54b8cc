#include "core/stats.h"

#include <math.h>
#include <string.h>

void
pace_stats_reset(struct pace_stats *s)
{
	memset(s, 0, sizeof(*s));
}

/* a - b; the integer difference is exact unless it does not fit. */
static double
difference(int64_t a, int64_t b)
{
	int64_t d = (int64_t)((uint64_t)a - (uint64_t)b);

	if (((a ^ b) & (a ^ d)) < 0)
		return (double)a - (double)b;
	return (double)d;
}

void
pace_stats_add(struct pace_stats *s, int64_t v)
{
	pace_stats_add_n(s, v, 1);
}

void
pace_stats_add_n(struct pace_stats *s, int64_t v, uint64_t n)
{
	double d;

	if (n == 0)
		return;
	if (s->n == 0)
		s->first = s->min = s->max = v;
	s->n += n;
	if (v < s->min)
		s->min = v;
	if (v > s->max)
		s->max = v;
	d = difference(v, s->first);
	s->sum += (double)n * d;
	s->sum2 += (double)n * d * d;
}

void
pace_stats_merge(struct pace_stats *to, const struct pace_stats *from)
{
	double shift, n = (double)from->n;

	if (from->n == 0)
		return;
	if (to->n == 0) {
		*to = *from;
		return;
	}
	/* (v - to.first) = (v - from.first) + shift */
	shift = difference(from->first, to->first);
	to->sum2 += from->sum2 + 2 * shift * from->sum + n * shift * shift;
	to->sum += from->sum + n * shift;
	to->n += from->n;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

double
pace_stats_mean(const struct pace_stats *s)
{
	if (s->n == 0)
		return 0;
	return (double)s->first + s->sum / (double)s->n;
}

double
pace_stats_stddev(const struct pace_stats *s)
{
	double n = (double)s->n, squares;

	if (s->n < 2)
		return 0;
	squares = s->sum2 - s->sum / n * s->sum;
	return squares > 0 ? sqrt(squares / (n - 1)) : 0;	/* rounding may leave -0.0001 */
}

struct pace_stats_part
pace_stats_since(const struct pace_stats *now, const struct pace_stats *then)
{
	struct pace_stats_part p = { .n = now->n - then->n };
	double n = (double)p.n, sum = now->sum - then->sum, sum2 = now->sum2 - then->sum2;

	if (p.n > 0)
		p.mean = (double)now->first + sum / n;
	if (p.n > 1)
		p.stddev = sqrt(fmax(0, (sum2 - sum * sum / n) / (n - 1)));
	return p;
}
