/* clockfit.h: known clocks are found again, and the bound is never exceeded. */
#include "core/clockfit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "lib/unit.h"

#define MS		INT64_C(1000000)
#define SEC		INT64_C(1000000000)
#define START		(INT64_C(5000) * SEC)	/* our clock when a run begins */
#define STREAM		(START + SEC)
#define AFTER		(STREAM + 30 * SEC)
#define END		(AFTER + SEC)
#define MIDDLE		(START + 16 * SEC)
#define RUNS		200
#define FAR		(INT64_C(1) << 62)

/* The path and the clock of a test. */
struct world {
	double		there_ns, back_ns;	/* minimum delays */
	double		noise_ns;	/* mean of what comes on top */
	bool		gamma;		/* gamma(4), else exponential */
	double		stamp_ns;	/* sigma of the stamps' error */
	double		load_ns;	/* mean queue there during the stream */
	double		knee, step_ns;	/* at the middle */
	double		rate;
	int64_t		offset_ns;	/* theta at START */
	double		wave_ns;	/* sine, once in 32 s */
	double		back_s;		/* after the middle the knee is taken back */
};

static struct pace_clockfit fit;
static struct pace_clock_estimate est;

static double
uniform(double low, double high)
{
	return low + (high - low) * ((double)(unit_rnd() >> 11) * 0x1p-53);
}

static double
exponential(double mean)
{
	return -mean * log(uniform(0x1p-53, 1));
}

static double
gauss(double sigma)
{
	return sigma * sqrt(-2 * log(uniform(0x1p-53, 1))) * cos(uniform(0, 2 * M_PI));
}

static double
noise(const struct world *w)
{
	if (!w->gamma)
		return exponential(w->noise_ns);
	return exponential(w->noise_ns / 4) + exponential(w->noise_ns / 4) +
	    exponential(w->noise_ns / 4) + exponential(w->noise_ns / 4);
}

/* theta - offset_ns, which a double holds well. */
static double
gained(const struct world *w, double t)
{
	double more = t - (double)MIDDLE, wave = w->wave_ns * sin(more / 16e9 * M_PI);

	if (w->back_s > 0)
		more = fmin(more, w->back_s * 1e9);
	return w->rate * (t - (double)START) + wave +
	    (more >= 0 ? w->step_ns + w->knee * more : 0);
}

static int64_t
stamped(const struct world *w, double x)
{
	return w->offset_ns + llround(x + (w->stamp_ns > 0 ? gauss(w->stamp_ns) : 0));
}

/* They stamp the arrival at t + d, and a departure at t - d. */
static void
exchange(const struct world *w, int64_t t)
{
	double d = w->there_ns + noise(w), back;

	if (w->load_ns > 0 && t >= STREAM && t < AFTER)
		d += exponential(w->load_ns);
	pace_clockfit_upper(&fit, t, stamped(w, gained(w, (double)t + d) + d));
	back = w->back_ns + noise(w);
	t += llround(d + back);
	pace_clockfit_lower(&fit, t, stamped(w, gained(w, (double)t - back) - back));
}

static void
exchanges(const struct world *w, int64_t from, int64_t to, int n)
{
	for (int i = 0; i < n; i++)
		exchange(w, from + (int64_t)(((double)i + uniform(0, 1)) *
		    (double)(to - from) / n));
}

static void
run(struct world *w)
{
	w->rate = uniform(-30e-6, 30e-6);
	w->offset_ns = unit_between(-INT64_C(400000) * SEC, INT64_C(400000) * SEC);
	pace_clockfit_reset(&fit);
	exchanges(w, START, STREAM, 200);
	exchanges(w, STREAM, AFTER, 600);
	exchanges(w, AFTER, END, 200);
}

static double
error_of(const struct world *w, int64_t theta, int64_t t)
{
	return (double)(theta - w->offset_ns) - gained(w, (double)t);
}

static double
error_at(const struct world *w, int64_t t)
{
	return error_of(w, pace_clock_at(&est, t), t);
}

/* The answers are whole ns: 1 more than the bound.  A frame under way when
 * the clock steps tells at our time before of theirs after, or the reverse. */
static void
check_bounds(const struct world *w)
{
	for (int i = 0; i < est.segments; i++) {
		const struct pace_clock_segment *s = &est.v[i];

		for (int k = 0; k <= 4; k++) {
			int64_t t = s->from_ns + (s->to_ns - s->from_ns) / 4 * k;
			double e = error_of(w, pace_clock_line_at(&s->line, t), t);

			if (w->step_ns != 0 && llabs(t - MIDDLE) < MS)
				continue;
			if (fabs(e) > s->bound_ns + 1)
				ck_abort_msg("segment %d of %d, %d/4: error %.1f, bound %.1f",
				    i, est.segments, k, e, s->bound_ns);
		}
		ck_assert_double_le(s->bound_ns, est.bound_ns);
	}
	ck_assert_double_le(est.uncertainty_ns, est.bound_ns);
}

/* The rate of a straight clock lies within its bound. */
static void
check_rate(const struct world *w)
{
	double e = pace_clock_rate_at(&est, MIDDLE) - w->rate;

	ck_assert_int_eq(est.segments, 1);
	ck_assert_msg(fabs(e) <= pace_clock_rate_bound_at(&est, MIDDLE), "error %g, bound %g", e,
	    pace_clock_rate_bound_at(&est, MIDDLE));
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
upper(int64_t t_ns, int64_t v_ns)
{
	pace_clockfit_upper(&fit, START + t_ns, v_ns);
}

static void
lower(int64_t t_ns, int64_t v_ns)
{
	pace_clockfit_lower(&fit, START + t_ns, v_ns);
}

static void
solve(double resolution_ns)
{
	ck_assert_int_eq(pace_clockfit_solve(&fit, resolution_ns, &est), 0);
}

/*
 * Noise as in the comparison of methods that chose this one, scaled so that
 * the line through the two exchanges of least round trip errs as it did there
 * (LAN 0.06 us, WAN 8.6 us, gamma 0.39 and 63 us); then the same with much
 * more noise.  Limits: largest error over the stream, median and 95 % of the
 * runs; 1.4 times what was seen.
 */
static const struct {
	struct world w;
	double	resolution_ns, p50_ns, p95_ns;
} known[] = {
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 2.2e3 }, 0, 6, 20 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 2.2e3, .load_ns = 300e3 }, 0, 12, 40 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 280e3 }, 0, 550, 2000 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 280e3,
	    .load_ns = 5e6 }, 0, 1300, 4700 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3.84e3,
	    .gamma = true, .stamp_ns = 30 }, 100, 220, 510 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3.84e3,
	    .gamma = true, .stamp_ns = 30, .load_ns = 300e3 }, 100, 270, 580 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 580e3,
	    .gamma = true, .stamp_ns = 30 }, 100, 31e3, 75e3 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 580e3,
	    .gamma = true, .stamp_ns = 30, .load_ns = 5e6 }, 100, 42e3, 93e3 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3 }, 0, 60, 230 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3,
	    .load_ns = 300e3 }, 0, 150, 530 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 20e6 }, 0, 40e3, 140e3 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 20e6,
	    .load_ns = 5e6 }, 0, 90e3, 340e3 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3,
	    .gamma = true, .stamp_ns = 30 }, 100, 1600, 3700 },
	{ { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3,
	    .gamma = true, .stamp_ns = 30, .load_ns = 300e3 }, 100, 2100, 4700 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 20e6,
	    .gamma = true, .stamp_ns = 30 }, 100, 1030e3, 2600e3 },
	{ { .there_ns = 10e6, .back_ns = 10e6, .noise_ns = 20e6,
	    .gamma = true, .stamp_ns = 30, .load_ns = 5e6 }, 100, 1360e3, 3400e3 },
};

START_TEST(a_straight_clock_is_recovered_as_well_as_published)
{
	struct world w = known[_i].w;
	double worst[RUNS];

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(known[_i].resolution_ns);
		ck_assert_int_eq(est.segments, 1);
		ck_assert(!est.wanders);
		check_bounds(&w);
		check_rate(&w);
		worst[i] = 0;
		for (int64_t t = STREAM; t <= AFTER; t += 3 * SEC)
			worst[i] = fmax(worst[i], fabs(error_at(&w, t)));
	}
	qsort(worst, RUNS, sizeof(worst[0]), by_value);
	printf("%d: p50 %.3f p95 %.3f us\n", _i, worst[99] * 1e-3, worst[189] * 1e-3);
	ck_assert_double_le(worst[99], known[_i].p50_ns);
	ck_assert_double_le(worst[189], known[_i].p95_ns);
}
END_TEST

/* All delay in one direction: the offset is wrong by as much as can be, and
 * the bound says so.  Little noise, so that the bound is hardly above it. */
static const struct world lopsided[] = {
	{ .there_ns = 30e3, .noise_ns = 300 },
	{ .back_ns = 30e3, .noise_ns = 300 },
	{ .back_ns = 30e3, .noise_ns = 300, .load_ns = 300e3 },
	{ .there_ns = 20e6, .noise_ns = 20e3 },
	{ .there_ns = 1e3, .back_ns = 20e6, .noise_ns = 20e3, .gamma = true, .stamp_ns = 20 },
	{ .there_ns = 29e3, .back_ns = 1e3, .noise_ns = 30e3, .gamma = true, .stamp_ns = 20 },
};

START_TEST(the_bound_holds_when_delays_differ)
{
	struct world w = lopsided[_i];
	double half = (w.there_ns + w.back_ns) / 2;

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(w.stamp_ns > 0 ? 100 : 0);
		ck_assert_int_eq(est.segments, 1);
		check_bounds(&w);
		check_rate(&w);
		ck_assert_double_ge(est.bound_ns, half);
		ck_assert_double_le(est.bound_ns, half * 1.005 + w.noise_ns + 100);
	}
}
END_TEST

/* A few exchanges do not give the skew: the bound covers its possible values. */
START_TEST(the_bound_holds_when_the_rate_is_hardly_known)
{
	for (int i = 0; i < 5000; i++) {
		struct world w = { .there_ns = uniform(0, 50e3), .back_ns = uniform(0, 50e3),
			.noise_ns = uniform(10, 3e3), .offset_ns = unit_between(-SEC, SEC) };
		int n = (int)unit_between(1, 8);

		w.rate = uniform(-499e-6, 499e-6);
		pace_clockfit_reset(&fit);
		exchanges(&w, START, START + unit_between(MS, 3 * SEC), n);
		solve(0);
		check_rate(&w);
		check_bounds(&w);
	}
}
END_TEST

/* Knees and steps of either sign, either direction slower. */
static const struct world broken[] = {
	{ .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3, .knee = 20e-6 },
	{ .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3, .knee = -20e-6 },
	{ .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3, .step_ns = 1e6 },
	{ .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 30e3, .step_ns = -1e6 },
	{ .there_ns = 30e3, .noise_ns = 30e3, .knee = 20e-6 },
	{ .back_ns = 30e3, .noise_ns = 3e3, .knee = 20e-6 },
	{ .back_ns = 30e3, .noise_ns = 3e3, .knee = -20e-6 },
	{ .there_ns = 29e3, .back_ns = 1e3, .noise_ns = 30e3,
	    .gamma = true, .stamp_ns = 20, .step_ns = 1e6 },
};

START_TEST(a_knee_or_step_makes_two_segments_right_on_both_sides)
{
	struct world w = broken[_i];
	double tilted = fabs(w.there_ns - w.back_ns) / 2;
	double near[RUNS], beside[RUNS];

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(w.stamp_ns > 0 ? 100 : 0);
		ck_assert_int_eq(est.segments, 2);
		ck_assert_int_lt(est.v[0].to_ns, est.v[1].from_ns);
		ck_assert_int_le(est.v[0].from_ns, START + 50 * MS);
		ck_assert_int_ge(est.v[1].to_ns, END - 50 * MS);
		check_bounds(&w);
		near[i] = beside[i] = 0;
		for (int64_t t = START; t <= END; t += SEC / 4) {
			double e = fabs(fabs(error_at(&w, t)) - tilted);

			if (llabs(t - MIDDLE) > 2 * SEC)
				beside[i] = fmax(beside[i], e);
			else if (llabs(t - MIDDLE) > 150 * MS || w.step_ns == 0)
				near[i] = fmax(near[i], e);
		}
	}
	qsort(near, RUNS, sizeof(near[0]), by_value);
	qsort(beside, RUNS, sizeof(beside[0]), by_value);
	printf("%d: within 2 s p50 %.3f p95 %.3f, beside p50 %.3f p95 %.3f us\n", _i,
	    near[99] * 1e-3, near[189] * 1e-3, beside[99] * 1e-3, beside[189] * 1e-3);
	ck_assert_double_le(beside[99], w.gamma ? 5e3 : 400);
	ck_assert_double_le(beside[189], w.gamma ? 10e3 : 1500);
	ck_assert_double_le(near[189], w.gamma ? 10e3 : 1500);
}
END_TEST

/* A piece of 5 s: all of it is needed to find its line. */
START_TEST(two_knees_make_three_segments)
{
	struct world w = { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3e3,
		.knee = _i ? -20e-6 : 20e-6, .back_s = 5 };
	double worst[RUNS];

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(0);
		ck_assert_int_eq(est.segments, 3);
		ck_assert(!est.wanders);
		check_bounds(&w);
		worst[i] = 0;
		for (int64_t t = START; t <= END; t += SEC / 4)
			worst[i] = fmax(worst[i], fabs(error_at(&w, t)));
	}
	qsort(worst, RUNS, sizeof(worst[0]), by_value);
	ck_assert_double_le(worst[189], 600);
}
END_TEST

/* No piece of it is straight. */
START_TEST(a_wave_is_followed_by_lines_and_told)
{
	struct world w = { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3e3, .wave_ns = 100e3 };

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(0);
		ck_assert_int_eq(est.segments, 3);
		ck_assert(est.wanders);
		check_bounds(&w);
		for (int64_t t = START; t <= END; t += SEC / 4)
			ck_assert_double_le(fabs(error_at(&w, t)), 18e3);
	}
}
END_TEST

/* A bend smaller than the path allows to be sure of. */
START_TEST(a_clock_that_wanders_is_told_and_its_bound_is_wide)
{
	struct world w = { .there_ns = _i & 1 ? 30e3 : 0, .back_ns = _i & 1 ? 0 : 30e3,
		.noise_ns = 3e3, .knee = _i & 2 ? 1e-6 : -1e-6 };

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		solve(0);
		ck_assert_int_eq(est.segments, 1);
		ck_assert(est.wanders);
		check_bounds(&w);
		ck_assert_double_ge(est.uncertainty_ns, 2e3);
	}
}
END_TEST

/* Wrong are: arrival, departure, both, those of two exchanges. */
START_TEST(a_bad_exchange_does_not_make_a_segment)
{
	struct world w = { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3e3 };

	for (int i = 0; i < RUNS; i++) {
		run(&w);
		if (_i != 1)
			pace_clockfit_upper(&fit, MIDDLE, w.offset_ns - 5 * SEC);
		if (_i != 0)
			pace_clockfit_lower(&fit, MIDDLE + 30000,
			    w.offset_ns + (_i == 1 ? 5 : -5) * SEC - 30000);
		if (_i == 3) {
			pace_clockfit_upper(&fit, MIDDLE + 40000, w.offset_ns - 5 * SEC);
			pace_clockfit_lower(&fit, MIDDLE + 70000,
			    w.offset_ns - 5 * SEC - 30000);
		}
		solve(0);
		ck_assert_int_eq(est.segments, 2);
		check_bounds(&w);
		for (int64_t t = START; t <= END; t += SEC)
			ck_assert_double_le(fabs(error_at(&w, t)), 500);
	}
}
END_TEST

/* 40 steps: more than are reported. */
START_TEST(more_steps_than_segments_are_marked)
{
	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i < 400; i++) {
		upper(i * 20 * MS, i / 10 % 2 * SEC + 1000);
		lower(i * 20 * MS + 5000, i / 10 % 2 * SEC - 1000);
	}
	solve(0);
	ck_assert_int_eq(est.segments, PACE_CLOCK_SEGMENTS);
	ck_assert(est.wanders);
	/* the upper of a step up could be of the segment before as well */
	for (int i = 0; i < PACE_CLOCK_SEGMENTS - 1; i++) {
		int64_t from = START + i * 200 * MS, to = from + 180 * MS + 5000;

		ck_assert_int_eq(est.v[i].from_ns, i & 1 ? from + 5000 : from);
		ck_assert_int_eq(est.v[i].to_ns, i & 1 ? to : START + (i + 1) * 200 * MS);
		ck_assert_int_le(llabs(pace_clock_at(&est, START + i * 200 * MS + 90 * MS) -
		    i % 2 * SEC), 1);
	}
	ck_assert_int_eq(est.v[15].from_ns, START + 15 * 200 * MS + 5000);
	ck_assert_int_eq(est.v[15].to_ns, START + 399 * 20 * MS + 5000);
	ck_assert_double_ge(est.v[15].bound_ns, 0.5e9);
}
END_TEST

static const struct { int64_t offset; double rate; } extremes[] = {
	{ FAR - 100 * SEC, 500e-6 * 0.99 }, { FAR - 100 * SEC, -30e-6 },
	{ -FAR + 100 * SEC, 30e-6 }, { -FAR + 100 * SEC, -500e-6 * 0.99 },
	{ FAR, 0 }, { -FAR, 0 }, { 0, 30e-6 }, { 0, -30e-6 },
};

/* Every ns counts at 2^62 too; line_at is exact at the points that touch. */
START_TEST(offset_and_rate_survive_at_the_ends_of_the_range)
{
	struct world w = { .offset_ns = extremes[_i].offset, .rate = extremes[_i].rate };

	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i <= 300; i++) {
		int64_t t = START + i * 100 * MS;

		pace_clockfit_upper(&fit, t, w.offset_ns + llround(gained(&w, (double)t)) + 20);
		pace_clockfit_lower(&fit, t, w.offset_ns + llround(gained(&w, (double)t)) - 20);
	}
	solve(0);
	ck_assert_int_eq(est.segments, 1);
	ck_assert(!est.wanders);
	ck_assert_double_eq_tol(est.v[0].line.rate, w.rate, 1e-10);
	ck_assert_double_ge(est.v[0].line.frac_ns, 0);
	ck_assert_double_lt(est.v[0].line.frac_ns, 1);
	ck_assert_int_eq(est.v[0].from_ns, START);
	ck_assert_int_eq(est.v[0].to_ns, START + 30 * SEC);
	for (int64_t t = START - 10 * SEC; t <= START + 40 * SEC; t += SEC)
		ck_assert_double_le(fabs(error_at(&w, t)), 1.5);
	ck_assert_double_ge(est.bound_ns, 19);
	ck_assert_double_le(est.bound_ns, 62);	/* +-40 at the ends: the rate may be off */
}
END_TEST

static int64_t
leaping(int64_t i)
{
	return i < 100 ? -FAR / 2 : i < 200 ? FAR / 2 - 1200 : FAR / 2 - 900;
}

/* From one end of the range to the other, and 300 ns on: doubles relative
 * to the first point would be off by hundreds of ns. */
START_TEST(a_step_across_the_whole_range_costs_no_precision)
{
	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i < 300; i++) {
		upper(i * 100 * MS, leaping(i) + 20 + i % 100);
		lower(i * 100 * MS, leaping(i) - 20 + i % 100);
	}
	solve(0);
	ck_assert_int_eq(est.segments, 3);
	for (int64_t i = 0; i < 300; i++)
		ck_assert_int_le(llabs(pace_clock_at(&est, START + i * 100 * MS) -
		    leaping(i) - i % 100), 1);
}
END_TEST

START_TEST(any_values_at_all_do_no_harm)
{
	for (int i = 0; i < 300; i++) {
		pace_clockfit_reset(&fit);
		for (int k = (int)unit_between(2, 300); k > 0; k--) {
			int64_t v = (int64_t)unit_rnd_any_size(), t = (int64_t)unit_rnd_any_size();

			pace_clockfit_upper(&fit, unit_rnd() & 1 ? t : -t,
			    unit_rnd() & 1 ? v : INT64_MIN);
			pace_clockfit_lower(&fit, t, unit_rnd() & 1 ? v : INT64_MAX);
		}
		solve(uniform(0, 1000));
		ck_assert_int_ge(est.segments, 1);
		ck_assert_int_le(est.segments, PACE_CLOCK_SEGMENTS);
		pace_clock_at(&est, INT64_MIN);
		pace_clock_at(&est, INT64_MAX);
		pace_clockfit_forget(&fit, (int64_t)unit_rnd_any_size());
		ck_assert_double_le(fabs(pace_clockfit_rate(&fit)), PACE_CLOCKFIT_PPM * 1e-6);
	}
}
END_TEST

/* The first 40 ms to 5 s of a run, with an exchange every 10 ms: the estimate never leaves the
 * range of usual clocks, and is the truth as soon as it can be known. */
START_TEST(a_rate_is_believed_as_far_as_it_is_told)
{
	static const struct { int n; double bare_ppm, believed_ppm; } of[] = {
		{ 5, 100, 25 }, { 20, 10, 25 }, { 100, 0, 2 }, { 500, 0, 0.2 },
	};
	double bare = 0, believed = 0;

	for (int i = 0; i < RUNS; i++) {
		struct world w = { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 20e3,
			.rate = uniform(-30e-6, 30e-6) };
		double rate;

		pace_clockfit_reset(&fit);
		exchanges(&w, START, START + of[_i].n * 10 * MS, of[_i].n);
		rate = pace_clockfit_rate(&fit);
		bare += pow(fit.rate - w.rate, 2) / RUNS;
		believed += pow(rate - w.rate, 2) / RUNS;
	}
	ck_assert_double_ge(sqrt(bare), of[_i].bare_ppm * 1e-6);
	ck_assert_double_le(sqrt(believed), of[_i].believed_ppm * 1e-6);
}
END_TEST

/* 100,000 of each kind, one in a thousand without a queue of 100 us: had these
 * been lost, the fit would not be so good. */
START_TEST(a_hundred_thousand_points_keep_truth_and_bound)
{
	struct world w = { .there_ns = _i ? 30e3 : 15e3, .back_ns = _i ? 0 : 15e3,
		.noise_ns = 100, .rate = _i ? 29e-6 : -29e-6, .offset_ns = -77 * SEC };
	double half = (w.there_ns - w.back_ns) / 2;

	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i < 100000; i++) {
		struct world queued = w;

		if (i % 1000 != 500) {
			queued.there_ns += 100e3;
			queued.back_ns += 100e3;
		}
		exchange(&queued, START + i * 300000 + unit_between(-MS, MS));
	}
	solve(0);
	ck_assert_uint_eq(est.uppers, 100000);
	ck_assert_uint_eq(est.lowers, 100000);
	ck_assert_int_eq(est.segments, 1);
	check_bounds(&w);
	ck_assert_double_le(est.bound_ns, 16e3);
	for (int64_t t = START; t <= AFTER; t += SEC)
		ck_assert_double_le(fabs(error_at(&w, t) - half), 100);
	for (int kind = 0; kind < 2; kind++)
		for (int i = 1; i < fit.side[kind].n; i++)
			ck_assert_int_le(fit.side[kind].v[i - 1].t_ns, fit.side[kind].v[i].t_ns);
}
END_TEST

/* Every second point has the tighter bound, which follows from the rate alone. */
START_TEST(neighbours_are_reduced_to_the_tighter_one)
{
	int64_t sign = _i ? -1 : 1;

	pace_clockfit_reset(&fit);
	(_i ? upper : lower)(0, -sign * 2000);	/* 400 ns a ms: the rate */
	(_i ? upper : lower)(2000 * MS, sign * (2000 * 400 - 2000));
	for (int64_t i = 0; i < PACE_CLOCKFIT_POINTS + 8; i++) {
		int64_t v = i * 400 - (i & 1 ? 200 : 0);

		(_i ? lower : upper)(i * MS, sign * v);
	}
	ck_assert_int_eq(fit.side[_i].level, 1);
	ck_assert_int_eq(fit.side[!_i].level, 0);
	ck_assert_int_eq(fit.side[_i].n, PACE_CLOCKFIT_POINTS / 2 + 4);
	for (int i = 0; i < fit.side[_i].n; i++)
		ck_assert_int_eq(fit.side[_i].v[i].t_ns, (2 * i + 1) * MS);
}
END_TEST

/* least of all distances to the points of a kind, below or above */
struct dots {
	int	n[2];
	int64_t	t[2][8], v[2][8];
};

static double
nearest(const struct dots *d, int kind, double rate, double offset)
{
	double least = INFINITY;

	for (int i = 0; i < d->n[kind]; i++) {
		double x = (double)d->v[kind][i] - rate * (double)d->t[kind][i] - offset;

		least = fmin(least, kind ? -x : x);
	}
	return least;
}

/* The largest margin is at the slope of two points of a kind, or the limit. */
static double
largest_margin(const struct dots *d)
{
	double most = -INFINITY, limit = PACE_CLOCKFIT_PPM * 1e-6;

	for (int kind = 0; kind < 2; kind++)
		for (int i = 0; i < d->n[kind]; i++)
			for (int k = 0; k <= i; k++) {
				double r = (double)(d->v[kind][i] - d->v[kind][k]) /
				    (double)(d->t[kind][i] - d->t[kind][k]);

				if (i == k)
					r = limit;
				if (isfinite(r) && fabs(r) <= limit)
					most = fmax(most, nearest(d, 0, r, 0) +
					    nearest(d, 1, r, 0));
			}
	return fmax(most, nearest(d, 0, -limit, 0) + nearest(d, 1, -limit, 0));
}

/* Among the lines of that rate that pass the points within off ns: the largest distance from the
 * reported line at t. */
static double
furthest(const struct dots *d, double rate, double off, double t, double told)
{
	double top = nearest(d, 0, rate, 0) + off, bottom = -nearest(d, 1, rate, 0) - off;

	if (top < bottom)
		return 0;
	return fmax(top + rate * t - told, told - bottom - rate * t);
}

/* Few dots with all that can happen: equal times, rates at the limit. */
START_TEST(line_and_bound_agree_with_all_lines_there_are)
{
	for (int i = 0; i < 3000; i++) {
		double slope = uniform(-450e-6, 450e-6), off = (double)unit_between(0, 30);
		double at, from, to, most, limit = PACE_CLOCKFIT_PPM * 1e-6, seen = 0;
		struct pace_clock_line *l = &est.v[0].line;
		struct dots d;

		pace_clockfit_reset(&fit);
		for (int kind = 0; kind < 2; kind++) {
			d.n[kind] = (int)unit_between(1, 8);
			for (int k = 0; k < d.n[kind]; k++) {
				d.t[kind][k] = unit_between(0, 12) * MS / 4;
				d.v[kind][k] = llround(slope * (double)d.t[kind][k]) +
				    (kind ? -unit_between(0, 800) : unit_between(0, 800));
				(kind ? lower : upper)(d.t[kind][k], d.v[kind][k]);
			}
		}
		solve(off);
		ck_assert_int_eq(est.segments, 1);
		at = (double)l->offset_ns + l->frac_ns - l->rate * (double)(l->t_ns - START);
		most = largest_margin(&d);
		/* half way, with the most there is unless that is at the limit */
		ck_assert_double_eq_tol(nearest(&d, 0, l->rate, at),
		    nearest(&d, 1, l->rate, at), 1e-6);
		if (l->rate != 0)
			ck_assert_double_eq_tol(2 * nearest(&d, 0, l->rate, at), most, 1e-6);
		else
			ck_assert_double_ge(nearest(&d, 0, 0, at), 0);
		from = (double)(est.v[0].from_ns - START);
		to = (double)(est.v[0].to_ns - START);
		for (int k = -500; k <= 500; k++) {
			double r = k * limit / 500;

			seen = fmax(seen, furthest(&d, r, off, from, at + l->rate * from));
			seen = fmax(seen, furthest(&d, r, off, to, at + l->rate * to));
			if (furthest(&d, r, off, from, at + l->rate * from) > 0)
				ck_assert_double_le(fabs(r - l->rate),
				    pace_clock_rate_bound_at(&est, START) + 1e-12);
		}
		/* a grid of 1 ppm misses less than that over 3 ms, each way */
		ck_assert_double_ge(est.v[0].bound_ns, seen - 1e-6);
		if (most >= 0)
			ck_assert_double_le(est.v[0].bound_ns, seen + 7);
		ck_assert_double_ge(est.v[0].bound_ns,
		    fabs(most) / 2 * (l->rate != 0) + off - 1e-6);
	}
}
END_TEST

START_TEST(without_points_of_both_kinds_there_is_no_line)
{
	pace_clockfit_reset(&fit);
	ck_assert_int_eq(pace_clockfit_solve(&fit, 0, &est), -ENODATA);
	ck_assert_int_eq(est.segments, 0);
	ck_assert_int_eq(pace_clock_at(&est, START), 0);
	ck_assert(isinf(pace_clock_rate_bound_at(&est, START)));
	ck_assert_double_eq(pace_clockfit_rate(&fit), 0);
	for (int i = 0; i < 3; i++) {
		pace_clockfit_reset(&fit);
		(_i ? lower : upper)(0, 5);
		(_i ? lower : upper)(i * MS, 7);
		ck_assert_int_eq(pace_clockfit_solve(&fit, 0, &est), -ENODATA);
		ck_assert_int_eq(est.segments, 0);
		ck_assert_uint_eq(est.uppers, _i ? 0 : 2);
		ck_assert_uint_eq(est.lowers, _i ? 2 : 0);
		fit.rate = 1e-6;
		fit.believed = 0.5e-6;
		ck_assert_double_eq(pace_clockfit_rate(&fit), 0.5e-6);
		ck_assert_double_eq(fit.rate, 1e-6);
	}
}
END_TEST

START_TEST(one_of_each_kind_makes_a_line_of_the_rate_known_before)
{
	pace_clockfit_reset(&fit);
	fit.rate = 20e-6;
	upper(0, 1100);
	lower(10 * MS, 900);
	fit.believed = 10e-6;		/* nothing new */
	ck_assert_double_eq(pace_clockfit_rate(&fit), 10e-6);
	ck_assert_double_eq(fit.rate, 20e-6);
	solve(7);
	ck_assert_int_eq(est.segments, 1);
	ck_assert_double_eq(est.v[0].line.rate, 20e-6);
	/* at 0 from 900 - 200 (20 ppm of 10 ms) to 1100, the middle is 900 */
	ck_assert_int_eq(pace_clock_at(&est, START), 900);
	ck_assert_int_eq(pace_clock_at(&est, START + 5 * MS), 1000);
	ck_assert_int_eq(est.v[0].line.t_ns, START + 5 * MS);
	ck_assert_int_eq(est.v[0].line.offset_ns, 1000);
	ck_assert_double_eq_tol(est.v[0].line.frac_ns, 0, 1e-9);
	/* with 500 ppm from 900 at 10 ms: -4100 at 0; 5000 below, and 7 */
	ck_assert_double_eq_tol(est.bound_ns, 5007, 1e-6);
	ck_assert_double_eq_tol(est.uncertainty_ns, 5007, 1e-6);
	ck_assert(!est.wanders);
}
END_TEST

START_TEST(two_points_at_one_time_give_the_middle)
{
	pace_clockfit_reset(&fit);
	lower(0, -41);
	upper(0, 100);
	solve(3);
	ck_assert_int_eq(est.segments, 1);
	ck_assert_double_eq(est.v[0].line.rate, 0);
	ck_assert_int_eq(est.v[0].line.offset_ns, 29);
	ck_assert_double_eq(est.v[0].line.frac_ns, 0.5);
	ck_assert_int_eq(est.v[0].from_ns, START);
	ck_assert_int_eq(est.v[0].to_ns, START);
	ck_assert_double_eq(est.bound_ns, 73.5);
	ck_assert_double_eq(est.uncertainty_ns, 3);	/* the middle is met */
	upper(0, 90);				/* the lower of two */
	upper(0, 95);
	solve(3);
	ck_assert_int_eq(est.v[0].line.offset_ns, 24);
	ck_assert_double_eq(est.bound_ns, 68.5);
}
END_TEST

/* At two times by 2 resolution + 100 ns, which no rate mends, or 1 more. */
START_TEST(a_contradiction_beyond_the_stamps_error_is_no_line)
{
	pace_clockfit_reset(&fit);
	for (int64_t t = 0; t <= 2 * SEC; t += 2 * SEC) {
		upper(t, 0);
		lower(t, 160 + _i);
	}
	solve(30);
	ck_assert_int_eq(est.segments, 1);
	ck_assert_int_eq(est.wanders, _i);	/* a line that does not fit */
	ck_assert_int_eq(est.v[0].line.offset_ns, 80);
	/* 30 + 160 may be wrong with each, less half the contradiction; and the
	 * rate by as much at either end */
	if (_i == 0)
		ck_assert_double_eq_tol(est.bound_ns, 110, 1e-6);
	ck_assert_double_ge(est.bound_ns, 110);
}
END_TEST

START_TEST(what_is_forgotten_does_not_count)
{
	struct world w = { .there_ns = 15e3, .back_ns = 15e3, .noise_ns = 3e3 };
	struct pace_clockfit_side *u = &fit.side[0];
	double rate;

	w.step_ns = 1e6;
	run(&w);
	(void)pace_clockfit_rate(&fit);
	rate = fit.rate;
	pace_clockfit_forget(&fit, MIDDLE);
	ck_assert_double_eq(fit.rate, rate);
	solve(0);
	ck_assert_int_eq(est.segments, 1);
	ck_assert_int_ge(est.v[0].from_ns, MIDDLE);
	ck_assert_uint_eq(est.uppers, 1000);
	check_bounds(&w);
	/* the limit itself stays */
	pace_clockfit_forget(&fit, fit.t0_ns + u->v[u->n - 1].t_ns);
	ck_assert_int_eq(u->n, 1);
	pace_clockfit_forget(&fit, fit.t0_ns + u->v[0].t_ns + 1);
	ck_assert_int_eq(u->n, 0);
	pace_clockfit_forget(&fit, END + SEC);
	ck_assert_int_eq(pace_clockfit_solve(&fit, 0, &est), -ENODATA);
	exchange(&w, END + 2 * SEC);
	solve(0);
	ck_assert_int_eq(est.segments, 1);
	check_bounds(&w);
}
END_TEST

/* A group's best that lies before the point of the group before. */
START_TEST(points_out_of_order_keep_groups_apart)
{
	struct pace_clockfit_side *u = &fit.side[0];

	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i < PACE_CLOCKFIT_POINTS; i++)
		upper(i, 1000);
	upper(9000, 960);
	upper(9001, 950);			/* one group, */
	upper(8990, 940);			/* and another */
	ck_assert_int_eq(u->level, 1);
	ck_assert_int_eq(u->n, PACE_CLOCKFIT_POINTS / 2 + 2);
	if (_i == 0)
		upper(9010, 930);
	else {
		pace_clockfit_forget(&fit, START + 8995);	/* gone, and the group with it */
		ck_assert_int_eq(u->n, 1);
		upper(9010, 970);
	}
	ck_assert_int_eq(u->v[u->n - 2].t_ns, 9001);
	ck_assert_int_eq(u->v[u->n - 2].v_ns, -50);
	ck_assert_int_eq(u->v[u->n - 1].t_ns, 9010);
	ck_assert_int_eq(u->v[u->n - 1].v_ns, _i ? -30 : -70);
}
END_TEST

/* In the middle of a group whose best point leaves or stays. */
START_TEST(forgetting_in_a_group_begins_another)
{
	struct pace_clockfit_side *u = &fit.side[0];

	pace_clockfit_reset(&fit);
	for (int64_t i = 0; i < 4 * PACE_CLOCKFIT_POINTS + 1; i++)
		upper(i, 1000);
	ck_assert_int_eq(u->level, 3);
	upper(5 * PACE_CLOCKFIT_POINTS, 900);
	ck_assert_int_eq(u->n, PACE_CLOCKFIT_POINTS / 2 + 1);
	pace_clockfit_forget(&fit, START + 5 * PACE_CLOCKFIT_POINTS);
	ck_assert_int_eq(u->n, 1);
	upper(6 * PACE_CLOCKFIT_POINTS - 2, 950);	/* same group, not tighter */
	ck_assert_int_eq(u->n, 1);
	ck_assert_int_eq(u->v[0].v_ns, -100);
	upper(6 * PACE_CLOCKFIT_POINTS - 1, 890);	/* and tighter */
	ck_assert_int_eq(u->n, 1);
	ck_assert_int_eq(u->v[0].v_ns, -110);
	pace_clockfit_forget(&fit, START + 6 * PACE_CLOCKFIT_POINTS);
	ck_assert_int_eq(u->n, 0);
	upper(6 * PACE_CLOCKFIT_POINTS, 950);
	upper(6 * PACE_CLOCKFIT_POINTS + 1, 960);
	ck_assert_int_eq(u->n, 2);
}
END_TEST

START_TEST(the_rate_alone_is_that_of_the_line)
{
	for (int i = 0; i < RUNS; i++) {
		struct world w = { .there_ns = 15e3, .back_ns = 1e3, .noise_ns = 30e3 };
		double rate;

		run(&w);
		solve(0);
		ck_assert_double_eq(fit.rate, 0);
		rate = pace_clockfit_rate(&fit);
		ck_assert_double_eq_tol(fit.rate, est.v[0].line.rate, 1e-15);
		ck_assert_double_eq_tol(rate, fit.rate, 1e-9);	/* so many: no doubt */
		ck_assert_double_eq_tol(rate, w.rate, 0.2e-6);
	}
}
END_TEST

/* Lines 0 + 0 t and -100 + 10 ppm t meet at 10 ms; with an offset they do not. */
START_TEST(between_segments_the_nearer_line_holds_or_where_they_meet)
{
	struct pace_clock_estimate e = { .segments = 2, .v = {
		{ .from_ns = 0, .to_ns = 4 * MS, .line = { 0, 0, 0, 0 } },
		{ .from_ns = 12 * MS, .to_ns = 40 * MS, .line = { 0, -100, 0, 10e-6 } },
	} };

	ck_assert_int_eq(pace_clock_at(&e, -MS), 0);
	ck_assert_int_eq(pace_clock_at(&e, 9 * MS), 0);
	ck_assert_int_eq(pace_clock_at(&e, 11 * MS), 10);
	ck_assert_int_eq(pace_clock_at(&e, 50 * MS), 400);
	/* 2 bound / span of the segment that applies, at most 500 ppm + the rate */
	e.v[0].bound_ns = 100;
	e.v[1].bound_ns = 7;
	ck_assert_double_eq_tol(pace_clock_rate_bound_at(&e, 9 * MS), 200.0 / 4e6, 1e-15);
	ck_assert_double_eq_tol(pace_clock_rate_bound_at(&e, 11 * MS), 14.0 / 28e6, 1e-15);
	e.v[1].bound_ns = 1e6;
	ck_assert_double_eq_tol(pace_clock_rate_bound_at(&e, 11 * MS), 510e-6, 1e-15);
	e.v[0].to_ns = 0;
	ck_assert_double_eq_tol(pace_clock_rate_bound_at(&e, -MS), 500e-6, 1e-15);
	e.v[0].to_ns = 4 * MS;
	e.v[1].line.offset_ns = 1000;
	ck_assert_int_eq(pace_clock_at(&e, 8 * MS - 1), 0);
	ck_assert_int_eq(pace_clock_at(&e, 8 * MS), 1080);
	e.v[1].line = (struct pace_clock_line){ 0, -1, 0.75, 0 };
	ck_assert_int_eq(pace_clock_at(&e, 20 * MS), 0);	/* -0.25 */
	e.v[1].line.frac_ns = 0.25;
	ck_assert_int_eq(pace_clock_at(&e, 20 * MS), -1);	/* -0.75 */
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("clockfit");

	unit_seed(tc);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_straight_clock_is_recovered_as_well_as_published,
	    0, COUNT_OF(known));
	tcase_add_loop_test(tc, the_bound_holds_when_delays_differ, 0, COUNT_OF(lopsided));
	tcase_add_test(tc, the_bound_holds_when_the_rate_is_hardly_known);
	tcase_add_loop_test(tc, a_knee_or_step_makes_two_segments_right_on_both_sides,
	    0, COUNT_OF(broken));
	tcase_add_loop_test(tc, two_knees_make_three_segments, 0, 2);
	tcase_add_test(tc, a_wave_is_followed_by_lines_and_told);
	tcase_add_loop_test(tc, a_clock_that_wanders_is_told_and_its_bound_is_wide, 0, 4);
	tcase_add_loop_test(tc, a_bad_exchange_does_not_make_a_segment, 0, 4);
	tcase_add_test(tc, more_steps_than_segments_are_marked);
	tcase_add_loop_test(tc, offset_and_rate_survive_at_the_ends_of_the_range,
	    0, COUNT_OF(extremes));
	tcase_add_test(tc, a_step_across_the_whole_range_costs_no_precision);
	tcase_add_test(tc, any_values_at_all_do_no_harm);
	tcase_add_loop_test(tc, a_hundred_thousand_points_keep_truth_and_bound, 0, 2);
	tcase_add_loop_test(tc, a_rate_is_believed_as_far_as_it_is_told, 0, 4);
	tcase_add_loop_test(tc, neighbours_are_reduced_to_the_tighter_one, 0, 2);
	tcase_add_test(tc, line_and_bound_agree_with_all_lines_there_are);
	tcase_add_loop_test(tc, without_points_of_both_kinds_there_is_no_line, 0, 2);
	tcase_add_test(tc, one_of_each_kind_makes_a_line_of_the_rate_known_before);
	tcase_add_test(tc, two_points_at_one_time_give_the_middle);
	tcase_add_loop_test(tc, a_contradiction_beyond_the_stamps_error_is_no_line, 0, 2);
	tcase_add_test(tc, what_is_forgotten_does_not_count);
	tcase_add_loop_test(tc, points_out_of_order_keep_groups_apart, 0, 2);
	tcase_add_test(tc, forgetting_in_a_group_begins_another);
	tcase_add_test(tc, the_rate_alone_is_that_of_the_line);
	tcase_add_test(tc, between_segments_the_nearer_line_holds_or_where_they_meet);
	return unit_run(tc, "clockfit");
}
