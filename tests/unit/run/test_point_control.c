/* point_control.h: a point is cut once, by its number; a report is taken once. */
#include "run/point_control.h"

#include "lib/unit.h"

START_TEST(a_report_is_of_one_run)
{
	bool alone = false;

	pace_point_control_report(3, true);
	ck_assert_uint_eq(pace_point_control_reported(&alone), 3);
	ck_assert(alone);
	ck_assert_uint_eq(pace_point_control_reported(&alone), 0);	/* of a run without points */
}
END_TEST

START_TEST(only_the_point_that_runs_is_cut)
{
	ck_assert(!pace_point_control_point(2));
	pace_point_control_begin(2);
	ck_assert(!pace_point_control_point(1));
	ck_assert(pace_point_control_point(2));
	ck_assert(pace_point_control_end());
	pace_point_control_begin(3);
	ck_assert(!pace_point_control_end());
	ck_assert(!pace_point_control_point(3));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("point_control");

	tcase_add_test(tc, a_report_is_of_one_run);
	tcase_add_test(tc, only_the_point_that_runs_is_cut);
	return unit_run_apart(tc, "point_control");
}
