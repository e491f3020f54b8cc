/*
 * How it works.  The points are added to a marginfit in order of time.  A line that still fits
 * is kept, and only a point that contradicts it requires a new search.  This walk finds where
 * a segment must end at the latest; a walk from the end finds where it can begin at the
 * earliest.
 */
#include "core/clockfit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/marginfit.h"
#include "core/wide_time.h"

#define SLACK_NS	100	/* contradiction that is no step yet */
#define ROUNDING_NS	1	/* of points: noise is not below */
#define TENTHS		10
#define WANDERS		5	/* times the expected noise */
#define TENTHS_MIN	5	/* tenths needed to estimate the noise */

/* A place between points: how many of each kind are before it. */
struct clockfit_cut {
	int		at[2];
};

/* Fit the best line to the points of both kinds between two cuts. */
static void
fit_between(struct pace_marginfit *fit, const struct pace_clockfit *f, struct clockfit_cut a,
    struct clockfit_cut b)
{
	struct pace_clockfit_point first = f->side[0].v[a.at[0]];

	pace_marginfit_begin(fit, first.t_ns, first.v_ns, 1);
	for (int kind = 0; kind < 2; kind++)
		for (int i = a.at[kind]; i < b.at[kind]; i++)
			pace_marginfit_put(fit, kind, f->side[kind].v[i]);
	pace_marginfit_best(fit, f->rate);
}

static struct pace_clockfit_point
point_at(const struct pace_clockfit_side *s, int i, int dir)
{
	return s->v[dir > 0 ? i : s->n - 1 - i];
}

/* Return the kind of the next point in time; -1: no more points. */
static int
next_kind(const struct pace_clockfit *f, struct clockfit_cut c, int dir)
{
	const struct pace_clockfit_side *u = &f->side[0], *l = &f->side[1];

	if (c.at[1] == l->n)
		return c.at[0] == u->n ? -1 : 0;
	if (c.at[0] == u->n)
		return 1;
	if (dir > 0)
		return point_at(l, c.at[1], dir).t_ns < point_at(u, c.at[0], dir).t_ns;
	return point_at(l, c.at[1], dir).t_ns > point_at(u, c.at[0], dir).t_ns;
}

/* The fewest stretches that have lines of that margin, each as long as can be:
 * how many, and cuts[0..many].  One more than PACE_CLOCK_SEGMENTS: too many. */
static int
stretches(const struct pace_clockfit *f, int dir, double least, struct clockfit_cut *cuts)
{
	struct clockfit_cut c = { { 0, 0 } };
	struct pace_marginfit fit;
	int n = 0, kind = next_kind(f, c, dir);

	cuts[0] = c;
	while (kind >= 0 && n <= PACE_CLOCK_SEGMENTS) {
		struct pace_clockfit_point p = point_at(&f->side[kind], c.at[kind], dir);

		pace_marginfit_begin(&fit, p.t_ns, p.v_ns, dir);
		while (pace_marginfit_add(&fit, kind, p, least)) {
			c.at[kind]++;
			kind = next_kind(f, c, dir);
			if (kind < 0)
				break;
			p = point_at(&f->side[kind], c.at[kind], dir);
		}
		cuts[++n] = c;
	}
	return n;
}

/* Three quarters of the way to the largest margin that n stretches can have. */
static double
raised(const struct pace_clockfit *f, int n, double least)
{
	struct clockfit_cut cuts[PACE_CLOCK_SEGMENTS + 2];
	double lo = 0, hi = -least;

	while (hi < (double)PACE_WIDE && stretches(f, 1, least + hi, cuts) == n) {
		lo = hi;
		hi *= 2;
	}
	for (int i = 0; i < 4; i++) {
		double mid = (lo + hi) / 2;

		if (stretches(f, 1, least + mid, cuts) == n)
			lo = mid;
		else
			hi = mid;
	}
	return least + lo * 3 / 4;
}

/* The figures of a tenth of a segment: distances from the line, by kind. */
struct tenth {
	double		best[2], second[2];
};

static void
tenths(const struct pace_clockfit *f, const struct pace_marginfit *fit, struct clockfit_cut a,
    struct clockfit_cut b, double from, double to, struct tenth *w)
{
	double centre = (fit->reach[0] - fit->reach[1]) / 2;

	for (int i = 0; i < TENTHS; i++)
		w[i] = (struct tenth){ { INFINITY, INFINITY }, { INFINITY, INFINITY } };
	for (int kind = 0; kind < 2; kind++)
		for (int i = a.at[kind]; i < b.at[kind]; i++) {
			struct pace_vertex x = pace_marginfit_vertex(fit, kind, f->side[kind].v[i]);
			double d = x.v - pace_marginfit_turned(kind, centre + fit->rate * x.t);
			int at = to > from ? (int)((x.t - from) / (to - from) * TENTHS) : 0;
			struct tenth *k = &w[at < TENTHS ? at : TENTHS - 1];

			if (d < k->best[kind]) {
				k->second[kind] = k->best[kind];
				k->best[kind] = d;
			} else if (d < k->second[kind])
				k->second[kind] = d;
		}
}

struct envelope {
	double		stray;		/* of a middle from the line; -1: no middle */
	double		turn;		/* of the middle from a tenth to the next */
	double		reach;		/* of a bound from the line */
	double		width;		/* least distance of the bounds of a tenth */
	double		noise;		/* of half of that; INFINITY: cannot tell */
};

static struct envelope
envelope_of(const struct tenth *w)
{
	struct envelope e = { -1, 0, 0, INFINITY, INFINITY };
	double sum = 0, last = INFINITY;
	int n = 0;

	for (int i = 0; i < TENTHS; i++) {
		const double *best = w[i].best, *second = w[i].second;

		for (int kind = 0; kind < 2; kind++)
			if (isfinite(best[kind]))
				e.reach = fmax(e.reach, best[kind]);
		if (isfinite(best[0] + best[1])) {
			double middle = (best[0] - best[1]) / 2;

			if (isfinite(last))
				e.turn = fmax(e.turn, fabs(middle - last));
			last = middle;
			e.stray = fmax(e.stray, fabs(middle));
			e.width = fmin(e.width, best[0] + best[1]);
		}
		if (isfinite(second[0] + second[1])) {
			sum += (second[0] - best[0] + second[1] - best[1]) / 2;
			n++;
		}
	}
	if (n >= TENTHS_MIN)
		e.noise = sum / n;
	return e;
}

static struct pace_clock_line
line_of(const struct pace_clockfit *f, const struct pace_marginfit *fit, int64_t t_ns)
{
	double x = (fit->reach[0] - fit->reach[1]) / 2 +
	    fit->rate * (double)(t_ns - fit->t_ns);
	double whole = floor(x);

	if (x - whole >= 1)			/* a hair below a whole one */
		whole += 1;
	return (struct pace_clock_line){
		.t_ns = pace_plus(f->t0_ns, t_ns),
		.offset_ns = pace_plus(pace_plus(f->v0_ns, fit->v_ns), llround(whole)),
		.frac_ns = fmax(0, x - whole),
		.rate = fit->rate,
	};
}

/* The line between two cuts, if there are so many points of each kind.
 * bent: no straight theta is to be expected there. */
static void
add_segment(const struct pace_clockfit *f, struct clockfit_cut a, struct clockfit_cut b, int points,
    double resolution, bool bent, struct pace_clock_estimate *e)
{
	struct pace_clock_segment *s = &e->v[e->segments];
	const struct pace_clockfit_point *u = f->side[0].v, *l = f->side[1].v;
	int64_t from, to;
	struct envelope env;
	struct tenth w[TENTHS];
	struct pace_marginfit fit;
	double t0, t1;

	if (b.at[0] - a.at[0] < points || b.at[1] - a.at[1] < points)
		return;
	from = u[a.at[0]].t_ns < l[a.at[1]].t_ns ? u[a.at[0]].t_ns : l[a.at[1]].t_ns;
	to = u[b.at[0] - 1].t_ns > l[b.at[1] - 1].t_ns ?
	    u[b.at[0] - 1].t_ns : l[b.at[1] - 1].t_ns;
	fit_between(&fit, f, a, b);
	t0 = (double)(from - fit.t_ns);
	t1 = (double)(to - fit.t_ns);
	tenths(f, &fit, a, b, t0, t1, w);
	env = envelope_of(w);
	/* a queue makes a tenth wider, a bent theta makes the margin smaller */
	bent = bent || env.width - fit.reach[0] - fit.reach[1] >
	    2 * WANDERS * (env.noise + resolution + ROUNDING_NS);

	s->from_ns = pace_plus(f->t0_ns, from);
	s->to_ns = pace_plus(f->t0_ns, to);
	s->line = line_of(f, &fit, from + (to - from) / 2);
	s->bound_ns = pace_marginfit_bound(&fit, t0, t1, resolution);
	if (bent)
		s->bound_ns = fmax(s->bound_ns, env.reach + env.turn + resolution);
	e->segments++;
	e->wanders = e->wanders || bent;
	e->bound_ns = fmax(e->bound_ns, s->bound_ns);
	e->uncertainty_ns = fmax(e->uncertainty_ns, env.stray < 0 ? s->bound_ns :
	    fmin(env.stray + resolution, s->bound_ns));
}

/* Parts of the fit that belong to n segments, wherever these are cut. */
static void
add_segments(const struct pace_clockfit *f, int n, double resolution, bool bent,
    struct pace_clock_estimate *e)
{
	struct clockfit_cut ahead[PACE_CLOCK_SEGMENTS + 2], back[PACE_CLOCK_SEGMENTS + 2];
	double least = raised(f, n, -2 * resolution - SLACK_NS);

	if (stretches(f, 1, least, ahead) != n || stretches(f, -1, least, back) != n)
		return;
	for (int i = 0; i < n; i++) {
		struct clockfit_cut end;

		for (int kind = 0; kind < 2; kind++)
			end.at[kind] = f->side[kind].n - back[n - 1 - i].at[kind];
		add_segment(f, ahead[i], end, 2, resolution, bent, e);
	}
}

static void
estimate(const struct pace_clockfit *f, double resolution, bool bent,
    struct pace_clock_estimate *e)
{
	struct clockfit_cut cuts[PACE_CLOCK_SEGMENTS + 2], all = { { f->side[0].n, f->side[1].n } };
	int n = stretches(f, 1, -2 * resolution - SLACK_NS, cuts);

	*e = (struct pace_clock_estimate){ .uppers = f->uppers, .lowers = f->lowers };
	if (n == 1)
		add_segment(f, cuts[0], all, 1, resolution, bent, e);
	else if (n <= PACE_CLOCK_SEGMENTS)
		add_segments(f, n, resolution, bent, e);
	else {
		cuts[PACE_CLOCK_SEGMENTS] = all;
		for (int i = 0; i < PACE_CLOCK_SEGMENTS; i++)
			add_segment(f, cuts[i], cuts[i + 1], 2, resolution, true, e);
	}
	if (e->segments == 0)
		add_segment(f, cuts[0], all, 1, resolution, true, e);
}

int
pace_clockfit_solve(const struct pace_clockfit *f, double resolution_ns,
    struct pace_clock_estimate *e)
{
	double resolution = fmax(0, resolution_ns);

	if (f->side[0].n == 0 || f->side[1].n == 0) {
		*e = (struct pace_clock_estimate){ .uppers = f->uppers, .lowers = f->lowers };
		return -ENODATA;
	}
	estimate(f, resolution, false, e);
	/* one that wanders here is not to be trusted to be straight there */
	if (e->wanders && e->segments > 1)
		estimate(f, resolution, true, e);
	return 0;
}

/* Error of a line's rate from the points of one side: infinite if there are hardly more points
 * than a line needs. */
static double
doubt_of(const struct pace_marginfit *fit, const struct pace_clockfit_side *s, int kind)
{
	double above = 0, slope = pace_marginfit_turned(kind, fit->rate);
	double span = (double)(s->v[s->n - 1].t_ns - s->v[0].t_ns);

	if (s->n < 3 || span <= 0)
		return INFINITY;
	for (int i = 0; i < s->n; i++) {
		struct pace_vertex p = pace_marginfit_vertex(fit, kind, s->v[i]);

		above += p.v - slope * p.t - fit->reach[kind];
	}
	return 4 * above / (s->n - 2) / (s->n * span);
}

double
pace_clockfit_rate(struct pace_clockfit *f)
{
	const double usual = PACE_CLOCKFIT_USUAL_PPM * 1e-6;
	struct clockfit_cut none = { { 0, 0 } }, all = { { f->side[0].n, f->side[1].n } };
	struct pace_marginfit fit;
	double doubt;

	if (all.at[0] == 0 || all.at[1] == 0)
		return f->believed;
	fit_between(&fit, f, none, all);
	f->rate = fit.rate;
	doubt = fmax(doubt_of(&fit, &f->side[0], 0), doubt_of(&fit, &f->side[1], 1));
	if (doubt < INFINITY)
		f->believed = f->rate / (1 + doubt * doubt / (usual * usual));
	return f->believed;
}

void
pace_clockfit_reset(struct pace_clockfit *f)
{
	f->uppers = f->lowers = 0;
	f->t0_ns = f->v0_ns = 0;
	f->rate = f->believed = 0;
	for (int k = 0; k < 2; k++) {		/* not the points: their pages stay unused */
		f->side[k].n = f->side[k].level = f->side[k].open = 0;
		f->side[k].run = 0;
	}
}

/* Whether b bounds theta more than a does, as seen with that rate. */
static bool
tighter(int kind, struct pace_clockfit_point a, struct pace_clockfit_point b, double rate)
{
	double d = (double)(b.v_ns - a.v_ns) - rate * (double)(b.t_ns - a.t_ns);

	return pace_marginfit_turned(kind, d) < 0;
}

static void
halve(struct pace_clockfit_side *s, int kind, double rate)
{
	for (int i = 0; i < PACE_CLOCKFIT_POINTS / 2; i++) {
		struct pace_clockfit_point a = s->v[2 * i], b = s->v[2 * i + 1];

		s->v[i] = tighter(kind, a, b, rate) ? b : a;
	}
	s->n = PACE_CLOCKFIT_POINTS / 2;
	s->level++;
}

/* In order of time: mostly at the end. */
static void
insert(struct pace_clockfit_side *s, struct pace_clockfit_point p)
{
	int i = s->n++;

	for (; i > 0 && s->v[i - 1].t_ns > p.t_ns; i--)
		s->v[i] = s->v[i - 1];
	s->v[i] = p;
	s->open = i;
}

static void
take_out(struct pace_clockfit_side *s, int i)
{
	memmove(&s->v[i], &s->v[i + 1], (size_t)(s->n - i - 1) * sizeof(s->v[0]));
	s->n--;
}

static void
add(struct pace_clockfit *f, int kind, int64_t t_ns, int64_t v_ns)
{
	struct pace_clockfit_side *s = &f->side[kind];
	struct pace_clockfit_point p;

	if (f->uppers + f->lowers == 0) {
		f->t0_ns = t_ns;
		f->v0_ns = v_ns;
	}
	p.t_ns = pace_wide_difference(t_ns, f->t0_ns);
	p.v_ns = pace_wide_difference(v_ns, f->v0_ns);
	if (s->run > 0 && s->run < UINT64_C(1) << s->level) {
		s->run++;
		if (!tighter(kind, s->v[s->open], p, f->rate))
			return;
		take_out(s, s->open);
	} else {
		if (s->n == PACE_CLOCKFIT_POINTS) {
			(void)pace_clockfit_rate(f);
			halve(s, kind, f->rate);
		}
		s->run = 1;
	}
	insert(s, p);
}

void
pace_clockfit_upper(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns)
{
	add(f, 0, t_ns, v_ns);
	f->uppers++;
}

void
pace_clockfit_lower(struct pace_clockfit *f, int64_t t_ns, int64_t v_ns)
{
	add(f, 1, t_ns, v_ns);
	f->lowers++;
}

void
pace_clockfit_forget(struct pace_clockfit *f, int64_t t_ns)
{
	int64_t t = pace_wide_difference(t_ns, f->t0_ns);

	for (int kind = 0; kind < 2; kind++) {
		struct pace_clockfit_side *s = &f->side[kind];
		int gone = 0;

		while (gone < s->n && s->v[gone].t_ns < t)
			gone++;
		memmove(s->v, s->v + gone, (size_t)(s->n - gone) * sizeof(s->v[0]));
		s->n -= gone;
		s->open -= gone;
		if (s->open < 0)
			s->run = 0;
		if (s->n == 0)
			s->level = 0;
	}
}
