/* linefit.h: certified figures, exact lines, too few points, large offsets. */
#include "core/linefit.h"

#include <math.h>

#include "lib/unit.h"

/* NIST StRD "Norris": y, x.  Certified figures in the test below. */
static const double norris[][2] = {
	{ 0.1, 0.2 }, { 338.8, 337.4 }, { 118.1, 118.2 }, { 888.0, 884.6 },
	{ 9.2, 10.1 }, { 228.1, 226.5 }, { 668.5, 666.3 }, { 998.5, 996.3 },
	{ 449.1, 448.6 }, { 778.9, 777.0 }, { 559.2, 558.2 }, { 0.3, 0.4 },
	{ 0.1, 0.6 }, { 778.1, 775.5 }, { 668.8, 666.9 }, { 339.3, 338.0 },
	{ 448.9, 447.5 }, { 10.8, 11.6 }, { 557.7, 556.0 }, { 228.3, 228.1 },
	{ 998.0, 995.8 }, { 888.8, 887.6 }, { 119.6, 120.2 }, { 0.3, 0.3 },
	{ 0.6, 0.3 }, { 557.6, 556.8 }, { 339.3, 339.1 }, { 888.0, 887.2 },
	{ 998.5, 999.0 }, { 778.9, 779.0 }, { 10.2, 11.1 }, { 117.6, 118.3 },
	{ 228.9, 229.2 }, { 668.4, 669.1 }, { 449.2, 448.9 }, { 0.2, 0.5 },
};

#define POINTS_MAX	64
static double x[POINTS_MAX], y[POINTS_MAX];

static void
close_to(double found, double want, double relative)
{
	ck_assert_double_eq_tol(found, want, relative * fabs(want));
}

START_TEST(nist_certified_figures_come_out)
{
	struct pace_linefit f;

	for (int i = 0; i < COUNT_OF(norris); i++) {
		y[i] = norris[i][0];
		x[i] = norris[i][1];
	}
	pace_linefit(&f, x, y, COUNT_OF(norris));
	ck_assert_uint_eq(f.n, 36);
	ck_assert(f.has_line && f.has_errors);
	close_to(f.slope, 1.00211681802045, 1e-13);
	close_to(f.intercept, -0.262323073774029, 1e-11);
	close_to(f.slope_stderr, 0.429796848199937e-3, 1e-12);
	close_to(f.intercept_stderr, 0.232818234301152, 1e-12);
	close_to(f.r2, 0.999993745883712, 1e-14);
}
END_TEST

/*
 * By hand: x 1 2 3 4, y 3 5 4 8.  xbar 2.5, ybar 5, Sxx 5, Sxy 7, Syy 14:
 * slope 1.4, intercept 1.5, residuals 0.1 0.7 -1.7 0.9, SSres 4.2, s^2 2.1.
 */
START_TEST(four_points_by_hand)
{
	static const double hx[] = { 1, 2, 3, 4 }, hy[] = { 3, 5, 4, 8 };
	struct pace_linefit f;

	pace_linefit(&f, hx, hy, 4);
	close_to(f.slope, 1.4, 1e-14);
	close_to(f.intercept, 1.5, 1e-14);
	close_to(f.slope_stderr, sqrt(2.1 / 5), 1e-14);
	close_to(f.intercept_stderr, sqrt(2.1 * (0.25 + 6.25 / 5)), 1e-14);
	close_to(f.r2, 0.7, 1e-14);
	close_to(f.worst, -1.7, 1e-14);
	ck_assert_double_eq(f.worst_x, 3);
}
END_TEST

START_TEST(an_exact_line_has_no_errors_to_speak_of)
{
	struct pace_linefit f;

	for (int i = 0; i < 20; i++) {
		x[i] = 64 * (i + 1);
		y[i] = 12000 + 1.625 * x[i];	/* exact in binary */
	}
	pace_linefit(&f, x, y, 20);
	ck_assert_double_eq(f.slope, 1.625);
	ck_assert_double_eq(f.intercept, 12000);
	ck_assert_double_eq(f.slope_stderr, 0);
	ck_assert_double_eq(f.intercept_stderr, 0);
	ck_assert_double_eq(f.r2, 1);
	ck_assert_double_eq(f.worst, 0);
	ck_assert_double_eq(f.worst_x, 64);
}
END_TEST

static void
check_nothing(const struct pace_linefit *f, size_t n)
{
	ck_assert_uint_eq(f->n, n);
	ck_assert(!f->has_line && !f->has_errors);
	ck_assert(f->slope == 0 && f->intercept == 0 && f->slope_stderr == 0 &&
	    f->intercept_stderr == 0 && f->r2 == 0 && f->worst == 0 && f->worst_x == 0);
}

START_TEST(no_line_goes_through_one_point_or_none)
{
	static const double one = 64;
	struct pace_linefit f = { .has_line = true, .slope = 7, .worst_x = 3 };

	pace_linefit(&f, NULL, NULL, 0);
	check_nothing(&f, 0);
	f.has_errors = true;
	pace_linefit(&f, &one, &one, 1);
	check_nothing(&f, 1);
}
END_TEST

START_TEST(two_points_have_a_line_and_no_errors)
{
	static const double tx[] = { 64, 1472 }, ty[] = { 12000, 9184 };
	struct pace_linefit f;

	pace_linefit(&f, tx, ty, 2);
	ck_assert(f.has_line && !f.has_errors);
	ck_assert_double_eq(f.slope, -2);
	ck_assert_double_eq(f.intercept, 12128);
	ck_assert(f.slope_stderr == 0 && f.intercept_stderr == 0 && f.r2 == 0);
}
END_TEST

/* 0.1 added up ten times is not 1: a mean that is rounded makes Sxx above 0. */
START_TEST(points_of_one_x_have_no_line)
{
	struct pace_linefit f;

	for (int i = 0; i < 10; i++) {
		x[i] = 0.1;
		y[i] = i;
	}
	for (size_t n = 2; n <= 10; n++) {
		pace_linefit(&f, x, y, n);
		check_nothing(&f, n);
	}
}
END_TEST

START_TEST(two_sizes_are_enough_for_errors_when_one_comes_twice)
{
	static const double rx[] = { 100, 100, 300 }, ry[] = { 9, 11, 30 };
	struct pace_linefit f;

	pace_linefit(&f, rx, ry, 3);
	ck_assert(f.has_line && f.has_errors);
	close_to(f.slope, 0.1, 1e-14);		/* through (100, 10) and (300, 30) */
	close_to(f.slope_stderr, sqrt(2 / (80000.0 / 3)), 1e-13);
	close_to(fabs(f.worst), 1, 1e-13);
}
END_TEST

START_TEST(equal_y_are_met_by_a_flat_line)
{
	struct pace_linefit f;

	for (int i = 0; i < 7; i++) {
		x[i] = i * i;
		y[i] = 0.1;
	}
	pace_linefit(&f, x, y, 7);
	ck_assert_double_eq(f.slope, 0);
	ck_assert_double_eq(f.intercept, 0.1);
	ck_assert_double_eq(f.r2, 1);
}
END_TEST

START_TEST(y_that_x_says_nothing_of_has_an_r2_of_0)
{
	static const double ux[] = { 1, 2, 3 }, uy[] = { 5, 8, 5 };
	struct pace_linefit f;

	pace_linefit(&f, ux, uy, 3);
	ck_assert_double_eq_tol(f.slope, 0, 1e-15);
	ck_assert_double_ge(f.r2, 0);
	ck_assert_double_le(f.r2, 1e-15);
	close_to(f.worst, 2, 1e-14);
	ck_assert_double_eq(f.worst_x, 2);
}
END_TEST

/* Far from both zeros: what sums of squares would have lost. */
START_TEST(large_offsets_leave_the_slope_alone)
{
	static const double far = 1e15;
	struct pace_linefit f;

	for (int i = 0; i < 9; i++) {
		x[i] = far + 8 * i;
		y[i] = far + 24 * i + (i % 3 == 1 ? 3 : 0);
	}
	pace_linefit(&f, x, y, 9);
	/* the same without the offsets: three points 3 too high, at 1, 4 and 7 */
	close_to(f.slope, 3, 1e-14);
	close_to(f.worst, 2, 1e-12);
	ck_assert_double_eq(f.worst_x, x[1]);
	close_to(f.slope_stderr, sqrt(18.0 / 7 / (60 * 64)), 1e-12);
	close_to(f.r2, 1 - 18.0 / (576 * 60 + 18), 1e-14);
}
END_TEST

/* The normal equations, as a book has them, with more digits. */
static struct pace_linefit
model(size_t n)
{
	long double sx = 0, sy = 0, sxx = 0, sxy = 0, ss = 0, det, m = (long double)n;
	struct pace_linefit f = { .n = n };

	for (size_t i = 0; i < n; i++) {
		sx += x[i];
		sy += y[i];
		sxx += (long double)x[i] * x[i];
		sxy += (long double)x[i] * y[i];
	}
	det = m * sxx - sx * sx;
	f.slope = (double)((m * sxy - sx * sy) / det);
	f.intercept = (double)((sxx * sy - sx * sxy) / det);
	for (size_t i = 0; i < n; i++) {
		double r = y[i] - f.intercept - f.slope * x[i];

		ss += (long double)r * r;
		if (fabs(r) > fabs(f.worst)) {
			f.worst = r;
			f.worst_x = x[i];
		}
	}
	f.slope_stderr = (double)sqrtl(ss / (m - 2) * m / det);
	f.intercept_stderr = (double)sqrtl(ss / (m - 2) * sxx / det);
	return f;
}

START_TEST(any_points_agree_with_the_normal_equations)
{
	size_t n = 3 + (size_t)_i % (POINTS_MAX - 2);
	struct pace_linefit f, m;

	unit_state += (uint64_t)_i * 977;
	for (size_t i = 0; i < n; i++) {
		x[i] = 64 + 16 * (double)i + (double)unit_between(0, 9);
		y[i] = 12000 + 1.6 * x[i] + (double)unit_between(-1000, 1000);
	}
	pace_linefit(&f, x, y, n);
	m = model(n);
	close_to(f.slope, m.slope, 1e-9);
	close_to(f.intercept, m.intercept, 1e-9);
	close_to(f.slope_stderr, m.slope_stderr, 1e-9);
	close_to(f.intercept_stderr, m.intercept_stderr, 1e-9);
	close_to(f.worst, m.worst, 1e-6);
	ck_assert_double_eq(f.worst_x, m.worst_x);
	ck_assert(f.r2 >= 0 && f.r2 <= 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("linefit");

	unit_seed(tc);
	tcase_add_test(tc, nist_certified_figures_come_out);
	tcase_add_test(tc, four_points_by_hand);
	tcase_add_test(tc, an_exact_line_has_no_errors_to_speak_of);
	tcase_add_test(tc, no_line_goes_through_one_point_or_none);
	tcase_add_test(tc, two_points_have_a_line_and_no_errors);
	tcase_add_test(tc, points_of_one_x_have_no_line);
	tcase_add_test(tc, two_sizes_are_enough_for_errors_when_one_comes_twice);
	tcase_add_test(tc, equal_y_are_met_by_a_flat_line);
	tcase_add_test(tc, y_that_x_says_nothing_of_has_an_r2_of_0);
	tcase_add_test(tc, large_offsets_leave_the_slope_alone);
	tcase_add_loop_test(tc, any_points_agree_with_the_normal_equations, 0, 100);
	return unit_run(tc, "linefit");
}
