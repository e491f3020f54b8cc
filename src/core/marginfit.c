#include "core/marginfit.h"

#include <math.h>

#define RATE_MAX	(PACE_CLOCKFIT_PPM * 1e-6)
#define HALVINGS	50	/* steps of a search for a rate: its range shrinks to 1e-18 */

static void
hull_add(struct pace_hull *h, struct pace_vertex p)
{
	if (h->n > 0 && h->p[h->n - 1].t == p.t) {
		if (h->p[h->n - 1].v <= p.v)
			return;
		h->n--;
	}
	for (; h->n >= 2; h->n--) {
		struct pace_vertex a = h->p[h->n - 2], b = h->p[h->n - 1];

		if ((b.v - a.v) * (p.t - a.t) < (p.v - a.v) * (b.t - a.t))
			break;
	}
	h->p[h->n++] = p;
}

/* The point with the least v - rate t. */
static struct pace_vertex
lowest(const struct pace_hull *h, double rate)
{
	int lo = 0, hi = h->n - 1;

	while (lo < hi) {
		int mid = (lo + hi) / 2;
		struct pace_vertex a = h->p[mid], b = h->p[mid + 1];

		if (b.v - a.v < rate * (b.t - a.t))
			lo = mid + 1;
		else
			hi = mid;
	}
	return h->p[lo];
}

static double
reach(const struct pace_marginfit *f, int kind, double rate)
{
	struct pace_vertex p = lowest(&f->hull[kind], pace_marginfit_turned(kind, rate));

	return p.v - pace_marginfit_turned(kind, rate) * p.t;
}

static double
margin(const struct pace_marginfit *f, double rate)
{
	return reach(f, 0, rate) + reach(f, 1, rate);
}

/* Below 0 when a higher rate has a larger margin, above 0 when a lower one. */
static double
tilt(const struct pace_marginfit *f, double rate)
{
	return lowest(&f->hull[0], rate).t - lowest(&f->hull[1], -rate).t;
}

/* The rate with the largest margin; of several the nearest to the one given. */
static double
best_rate(const struct pace_marginfit *f, double rate)
{
	double slope = tilt(f, rate), end = slope < 0 ? RATE_MAX : -RATE_MAX;

	if (slope == 0)
		return rate;
	if (tilt(f, end) * slope > 0)
		return end;
	for (int i = 0; i < HALVINGS; i++) {
		double mid = (rate + end) / 2;

		if (tilt(f, mid) * slope > 0)
			rate = mid;
		else
			end = mid;
	}
	return end;
}

/* The rate furthest towards end, from one that does, whose margin is at
 * least so much, rounded outwards. */
static double
last_rate(const struct pace_marginfit *f, double rate, double end, double least)
{
	if (margin(f, end) >= least)
		return end;
	for (int i = 0; i < HALVINGS; i++) {
		double mid = (rate + end) / 2;

		if (margin(f, mid) >= least)
			rate = mid;
		else
			end = mid;
	}
	return end;
}

void
pace_marginfit_begin(struct pace_marginfit *f, int64_t t_ns, int64_t v_ns, int dir)
{
	f->t_ns = t_ns;
	f->v_ns = v_ns;
	f->dir = dir;
	f->rate = 0;
	for (int kind = 0; kind < 2; kind++) {
		f->reach[kind] = INFINITY;	/* no points, no obstacle */
		f->hull[kind].n = 0;
	}
}

struct pace_vertex
pace_marginfit_vertex(const struct pace_marginfit *f, int kind, struct pace_clockfit_point p)
{
	return (struct pace_vertex){
		.t = f->dir * (double)(p.t_ns - f->t_ns),
		.v = pace_marginfit_turned(kind, (double)(p.v_ns - f->v_ns)),
	};
}

void
pace_marginfit_put(struct pace_marginfit *f, int kind, struct pace_clockfit_point p)
{
	hull_add(&f->hull[kind], pace_marginfit_vertex(f, kind, p));
}

bool
pace_marginfit_add(struct pace_marginfit *f, int kind, struct pace_clockfit_point p, double least)
{
	struct pace_vertex x = pace_marginfit_vertex(f, kind, p);

	hull_add(&f->hull[kind], x);
	f->reach[kind] = fmin(f->reach[kind], x.v - pace_marginfit_turned(kind, f->rate) * x.t);
	if (f->reach[0] + f->reach[1] >= least)
		return true;
	f->rate = best_rate(f, f->rate);
	for (int k = 0; k < 2; k++)
		f->reach[k] = reach(f, k, f->rate);
	return f->reach[0] + f->reach[1] >= least;
}

void
pace_marginfit_best(struct pace_marginfit *f, double known)
{
	f->rate = best_rate(f, known);
	if (fabs(f->rate) >= RATE_MAX && margin(f, known) >= 0)
		f->rate = known;
	for (int kind = 0; kind < 2; kind++)
		f->reach[kind] = reach(f, kind, f->rate);
}

double
pace_marginfit_bound(const struct pace_marginfit *f, double from, double to, double resolution)
{
	double gap = f->reach[0] + f->reach[1], centre = (f->reach[0] - f->reach[1]) / 2;
	double off = resolution + fmax(0, -gap), bound = 0;
	double rates[2] = {
		last_rate(f, f->rate, -RATE_MAX, -2 * off),
		last_rate(f, f->rate, RATE_MAX, -2 * off),
	};

	for (int i = 0; i < 4; i++) {
		double t = i & 1 ? to : from, rate = rates[i >> 1];
		double turn = (rate - f->rate) * t;

		bound = fmax(bound, turn + reach(f, 0, rate) + off - centre);
		bound = fmax(bound, centre - turn + reach(f, 1, rate) + off);
	}
	return bound;
}
