/*
 * How it works.  Lowers are turned into uppers by changing the sign of their
 * values, so that one lower convex hull serves both kinds.  A hull answers
 * "the least v - rate t" in O(log n); the sum of both answers is the margin
 * at that rate, concave in it, and its slope is the difference of the times of
 * the two points that answered: the best rate is where that changes sign.
 *
 * Segments come from walking through the points in order of time, adding them
 * to the hulls and keeping a line that still fits: only a point that spoils it
 * makes a new search necessary.  The same walk from the end tells how early a
 * segment can begin.
 *
 * Each fit works in doubles relative to a point of its own, so that neither a
 * large offset nor a large step costs precision.
 */
#include "core/clockfit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define FAR		((INT64_C(1) << 62) - 1)	/* differences of two still fit */
#define RATE_MAX	(PACE_CLOCKFIT_PPM * 1e-6)
#define HALVINGS	50	/* of a search for a rate: 1e-18 is left */
#define SLACK_NS	100	/* contradiction that is no step yet */
#define ROUNDING_NS	1	/* of points: noise is not below */
#define TENTHS		10
#define WANDERS		5	/* times what is expected */
#define TENTHS_MIN	5	/* to tell what that is */

struct vertex {
	double		t, v;
};

/* Lower convex hull of points that come in order of time. */
struct hull {
	int		n;
	struct vertex	p[PACE_CLOCKFIT_POINTS];
};

struct fit {
	int64_t		t_ns, v_ns;	/* what the vertices are relative to */
	int		dir;		/* -1: time runs backwards */
	double		rate;		/* of a line, */
	double		reach[2];	/* and how far the points of a kind are from it */
	struct hull	hull[2];	/* of uppers, of lowers x -1 */
};

/* A place between points: how many of each kind are before it. */
struct cut {
	int		at[2];
};

static int64_t
plus(int64_t a, int64_t b)		/* wraps */
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t
relative(int64_t x, int64_t zero)
{
	uint64_t d = x >= zero ? (uint64_t)x - (uint64_t)zero :
	    (uint64_t)zero - (uint64_t)x;
	int64_t held = d > FAR ? FAR : (int64_t)d;

	return x >= zero ? held : -held;
}

static void
hull_add(struct hull *h, struct vertex p)
{
	if (h->n > 0 && h->p[h->n - 1].t == p.t) {
		if (h->p[h->n - 1].v <= p.v)
			return;
		h->n--;
	}
	for (; h->n >= 2; h->n--) {
		struct vertex a = h->p[h->n - 2], b = h->p[h->n - 1];

		if ((b.v - a.v) * (p.t - a.t) < (p.v - a.v) * (b.t - a.t))
			break;
	}
	h->p[h->n++] = p;
}

/* The point with the least v - rate t. */
static struct vertex
lowest(const struct hull *h, double rate)
{
	int lo = 0, hi = h->n - 1;

	while (lo < hi) {
		int mid = (lo + hi) / 2;
		struct vertex a = h->p[mid], b = h->p[mid + 1];

		if (b.v - a.v < rate * (b.t - a.t))
			lo = mid + 1;
		else
			hi = mid;
	}
	return h->p[lo];
}

/* What a line of that rate is for the points of a kind. */
static double
turned(int kind, double rate)
{
	return kind == 0 ? rate : -rate;
}

static double
reach(const struct fit *f, int kind, double rate)
{
	struct vertex p = lowest(&f->hull[kind], turned(kind, rate));

	return p.v - turned(kind, rate) * p.t;
}

static double
margin(const struct fit *f, double rate)
{
	return reach(f, 0, rate) + reach(f, 1, rate);
}

/* Below 0 when a higher rate has a larger margin, above 0 when a lower one. */
static double
tilt(const struct fit *f, double rate)
{
	return lowest(&f->hull[0], rate).t - lowest(&f->hull[1], -rate).t;
}

/* The rate with the largest margin; of several the nearest to the one given. */
static double
best_rate(const struct fit *f, double rate)
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
last_rate(const struct fit *f, double rate, double end, double least)
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

static void
fit_begin(struct fit *f, int64_t t_ns, int64_t v_ns, int dir)
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

static struct vertex
vertex_of(const struct fit *f, int kind, struct pace_clockfit_point p)
{
	return (struct vertex){
		.t = f->dir * (double)(p.t_ns - f->t_ns),
		.v = turned(kind, (double)(p.v_ns - f->v_ns)),
	};
}

/* Add a point and tell whether there still is a line with that margin. */
static bool
fit_add(struct fit *f, int kind, struct pace_clockfit_point p, double least)
{
	struct vertex x = vertex_of(f, kind, p);

	hull_add(&f->hull[kind], x);
	f->reach[kind] = fmin(f->reach[kind], x.v - turned(kind, f->rate) * x.t);
	if (f->reach[0] + f->reach[1] >= least)
		return true;
	f->rate = best_rate(f, f->rate);
	for (int k = 0; k < 2; k++)
		f->reach[k] = reach(f, k, f->rate);
	return f->reach[0] + f->reach[1] >= least;
}

/* The best line through the points between two cuts, of both kinds. */
static void
fit_between(struct fit *fit, const struct pace_clockfit *f, struct cut a, struct cut b)
{
	struct pace_clockfit_point first = f->side[0].v[a.at[0]];
	double rate;

	fit_begin(fit, first.t_ns, first.v_ns, 1);
	for (int kind = 0; kind < 2; kind++)
		for (int i = a.at[kind]; i < b.at[kind]; i++)
			hull_add(&fit->hull[kind],
			    vertex_of(fit, kind, f->side[kind].v[i]));
	rate = best_rate(fit, f->rate);
	if (fabs(rate) >= RATE_MAX && margin(fit, f->rate) >= 0)
		rate = f->rate;
	fit->rate = rate;
	for (int kind = 0; kind < 2; kind++)
		fit->reach[kind] = reach(fit, kind, rate);
}

/* See Bound in the header; from and to relative to the fit's own time. */
static double
fit_bound(const struct fit *f, double from, double to, double resolution)
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

static struct pace_clockfit_point
point_at(const struct pace_clockfit_side *s, int i, int dir)
{
	return s->v[dir > 0 ? i : s->n - 1 - i];
}

/* The kind of the next point in time, -1 at the end. */
static int
next_kind(const struct pace_clockfit *f, struct cut c, int dir)
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
stretches(const struct pace_clockfit *f, int dir, double least, struct cut *cuts)
{
	struct cut c = { { 0, 0 } };
	struct fit fit;
	int n = 0, kind = next_kind(f, c, dir);

	cuts[0] = c;
	while (kind >= 0 && n <= PACE_CLOCK_SEGMENTS) {
		struct pace_clockfit_point p = point_at(&f->side[kind], c.at[kind], dir);

		fit_begin(&fit, p.t_ns, p.v_ns, dir);
		while (fit_add(&fit, kind, p, least)) {
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
	struct cut cuts[PACE_CLOCK_SEGMENTS + 2];
	double lo = 0, hi = -least;

	while (hi < (double)FAR && stretches(f, 1, least + hi, cuts) == n) {
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

/* What a tenth of a segment knows: distances from the line, by kind. */
struct tenth {
	double		best[2], second[2];
};

static void
tenths(const struct pace_clockfit *f, const struct fit *fit, struct cut a, struct cut b,
    double from, double to, struct tenth *w)
{
	double centre = (fit->reach[0] - fit->reach[1]) / 2;

	for (int i = 0; i < TENTHS; i++)
		w[i] = (struct tenth){ { INFINITY, INFINITY }, { INFINITY, INFINITY } };
	for (int kind = 0; kind < 2; kind++)
		for (int i = a.at[kind]; i < b.at[kind]; i++) {
			struct vertex x = vertex_of(fit, kind, f->side[kind].v[i]);
			double d = x.v - turned(kind, centre + fit->rate * x.t);
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
line_of(const struct pace_clockfit *f, const struct fit *fit, int64_t t_ns)
{
	double x = (fit->reach[0] - fit->reach[1]) / 2 +
	    fit->rate * (double)(t_ns - fit->t_ns);
	double whole = floor(x);

	if (x - whole >= 1)			/* a hair below a whole one */
		whole += 1;
	return (struct pace_clock_line){
		.t_ns = plus(f->t0_ns, t_ns),
		.offset_ns = plus(plus(f->v0_ns, fit->v_ns), llround(whole)),
		.frac_ns = fmax(0, x - whole),
		.rate = fit->rate,
	};
}

/* The line between two cuts, if there are so many points of each kind.
 * bent: no straight theta is to be expected there. */
static void
add_segment(const struct pace_clockfit *f, struct cut a, struct cut b, int points,
    double resolution, bool bent, struct pace_clock_estimate *e)
{
	struct pace_clock_segment *s = &e->v[e->segments];
	const struct pace_clockfit_point *u = f->side[0].v, *l = f->side[1].v;
	int64_t from, to;
	struct envelope env;
	struct tenth w[TENTHS];
	struct fit fit;
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

	s->from_ns = plus(f->t0_ns, from);
	s->to_ns = plus(f->t0_ns, to);
	s->line = line_of(f, &fit, from + (to - from) / 2);
	s->bound_ns = fit_bound(&fit, t0, t1, resolution);
	if (bent)
		s->bound_ns = fmax(s->bound_ns, env.reach + env.turn + resolution);
	e->segments++;
	e->wanders = e->wanders || bent;
	e->bound_ns = fmax(e->bound_ns, s->bound_ns);
	e->uncertainty_ns = fmax(e->uncertainty_ns, env.stray < 0 ? s->bound_ns :
	    fmin(env.stray + resolution, s->bound_ns));
}

/* The segments of n stretches: what belongs to them wherever they are cut. */
static void
add_segments(const struct pace_clockfit *f, int n, double resolution, bool bent,
    struct pace_clock_estimate *e)
{
	struct cut ahead[PACE_CLOCK_SEGMENTS + 2], back[PACE_CLOCK_SEGMENTS + 2];
	double least = raised(f, n, -2 * resolution - SLACK_NS);

	if (stretches(f, 1, least, ahead) != n || stretches(f, -1, least, back) != n)
		return;
	for (int i = 0; i < n; i++) {
		struct cut end;

		for (int kind = 0; kind < 2; kind++)
			end.at[kind] = f->side[kind].n - back[n - 1 - i].at[kind];
		add_segment(f, ahead[i], end, 2, resolution, bent, e);
	}
}

static void
estimate(const struct pace_clockfit *f, double resolution, bool bent,
    struct pace_clock_estimate *e)
{
	struct cut cuts[PACE_CLOCK_SEGMENTS + 2], all = { { f->side[0].n, f->side[1].n } };
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

/* How far the rate of a line may be off, by one side: infinitely, where it has
 * hardly more points than a line needs. */
static double
doubt_of(const struct fit *fit, const struct pace_clockfit_side *s, int kind)
{
	double above = 0, slope = turned(kind, fit->rate);
	double span = (double)(s->v[s->n - 1].t_ns - s->v[0].t_ns);

	if (s->n < 3 || span <= 0)
		return INFINITY;
	for (int i = 0; i < s->n; i++) {
		struct vertex p = vertex_of(fit, kind, s->v[i]);

		above += p.v - slope * p.t - fit->reach[kind];
	}
	return 4 * above / (s->n - 2) / (s->n * span);
}

double
pace_clockfit_rate(struct pace_clockfit *f)
{
	const double usual = PACE_CLOCKFIT_USUAL_PPM * 1e-6;
	struct cut none = { { 0, 0 } }, all = { { f->side[0].n, f->side[1].n } };
	struct fit fit;
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
	memset(f, 0, sizeof(*f));
}

/* Whether b bounds theta more than a does, as seen with that rate. */
static bool
tighter(int kind, struct pace_clockfit_point a, struct pace_clockfit_point b, double rate)
{
	double d = (double)(b.v_ns - a.v_ns) - rate * (double)(b.t_ns - a.t_ns);

	return turned(kind, d) < 0;
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
	p.t_ns = relative(t_ns, f->t0_ns);
	p.v_ns = relative(v_ns, f->v0_ns);
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
	int64_t t = relative(t_ns, f->t0_ns);

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

int64_t
pace_clock_line_at(const struct pace_clock_line *l, int64_t t_ns)
{
	double dt = (double)plus(t_ns, (int64_t)(0 - (uint64_t)l->t_ns));

	return plus(l->offset_ns, llround(l->frac_ns + dt * l->rate));
}

/* From when on the later one of two holds: where they meet, else half way. */
static int64_t
change_ns(const struct pace_clock_segment *a, const struct pace_clock_segment *b)
{
	double gap = (double)relative(b->from_ns, a->to_ns), part = 0.5;
	double before = (double)relative(pace_clock_line_at(&b->line, a->to_ns),
	    pace_clock_line_at(&a->line, a->to_ns));
	double after = (double)relative(pace_clock_line_at(&b->line, b->from_ns),
	    pace_clock_line_at(&a->line, b->from_ns));

	if (before * after < 0)
		part = before / (before - after);
	return plus(a->to_ns, llround(gap * part));
}

static const struct pace_clock_line *
line_for(const struct pace_clock_estimate *e, int64_t t_ns)
{
	int i = 0;

	while (i + 1 < e->segments && t_ns > e->v[i].to_ns &&
	    t_ns >= change_ns(&e->v[i], &e->v[i + 1]))
		i++;
	return &e->v[i].line;
}

int64_t
pace_clock_at(const struct pace_clock_estimate *e, int64_t t_ns)
{
	return e->segments == 0 ? 0 : pace_clock_line_at(line_for(e, t_ns), t_ns);
}

double
pace_clock_rate_at(const struct pace_clock_estimate *e, int64_t t_ns)
{
	return e->segments == 0 ? 0 : line_for(e, t_ns)->rate;
}
