/* axis.h: how numbers of axes and of the page are written, and where ticks stand. */
#include "report/axis.h"

#include <string.h>

#include "lib/unit.h"

static const struct { double v; int digits; const char *text; } numbers[] = {
	{ 0, 4, "0" },
	{ -0.0, 4, "0" },
	{ 0.5, 4, "0.5" },
	{ 0.0001, 4, "0.0001" },
	{ 999.96, 4, "1 000" },
	{ 1472, 4, "1 472" },
	{ 1472.5, 6, "1 472.5" },
	{ 10000, 4, "10 000" },
	{ 12345.678, 4, "12 346" },
	{ 1234567, 4, "1 234 567" },
	{ 100, 1, "100" },
	{ -60, 4, "−60" },
	{ -10000.25, 7, "−10 000.25" },
	{ -0.00004, 1, "−0.00004" },
	{ 1e-16, 4, "1e-16" },
};

/* _i is a row of the table. */
START_TEST(numbers_are_written_alike)
{
	char text[64];

	ck_assert_str_eq(pace_axis_digits(numbers[_i].v, numbers[_i].digits, text, sizeof(text)),
	    numbers[_i].text);
}
END_TEST

static const struct { double low, high, step; const char *ticks; } even[] = {
	{ 0, 21600, 5000, "\"0\" 0, \"5 000\" 5000, \"10 000\" 10000, \"15 000\" 15000, "
	    "\"20 000\" 20000" },
	{ -66, 70, 50, "\"−50\" -50, \"0\" 0, \"50\" 50" },
	{ 12345.6, 12345.78, 0.05, "\"12 345.6\" 12345.6, \"12 345.65\" 12345.65, "
	    "\"12 345.7\" 12345.7, \"12 345.75\" 12345.75" },
};

START_TEST(even_ticks_are_told_apart)
{
	char want[400];
	struct pace_figure s;

	pace_figure_begin(&s);
	pace_axis_even(&s, "Y", "y", even[_i].low, even[_i].high, even[_i].step);
	ck_assert_int_eq(pace_figure_end(&s), 0);
	snprintf(want, sizeof(want), "Y_TICKS = 'set ytics (%s)'\n", even[_i].ticks);
	ck_assert_msg(strstr(s.var_text, want) != NULL, "not %s: %s", want, s.var_text);
	pace_figure_free(&s);
}
END_TEST

/* The loop ends even if the step is too small for the axis' numbers. */
START_TEST(a_step_below_the_last_digit_ends)
{
	struct pace_figure s;

	pace_figure_begin(&s);
	pace_axis_even(&s, "Y", "y", 1e18, 1e18 + 1000, 1e-3);
	ck_assert_int_eq(pace_figure_end(&s), 0);
	pace_figure_free(&s);
}
END_TEST

static const struct { double low, high; bool powers; } logs[] = {
	{ 1, 200000, false }, { 1, 3e6, false }, { 1, 2e7, true },
	{ 0.0002, 1, false }, { 0.00002, 1, true },
};

START_TEST(powers_are_all_labels_of_an_axis_or_none)
{
	struct pace_figure s;
	const char *at;
	int powers = 0, labels = 0;

	pace_figure_begin(&s);
	pace_axis_log(&s, "X", "x", logs[_i].low, logs[_i].high, 8);
	ck_assert_int_eq(pace_figure_end(&s), 0);
	at = strstr(s.var_text, "X_TICKS");
	ck_assert_ptr_nonnull(at);
	for (at = strchr(at, '('); *at != '\n'; at++) {
		labels += *at == '"' && at[1] != '"' && (at[-1] == '(' || at[-1] == ' ');
		powers += strncmp(at, "\"10^{", 5) == 0;
	}
	ck_assert_int_gt(labels, 1);
	ck_assert_int_eq(powers, logs[_i].powers ? labels : 0);
	pace_figure_free(&s);
}
END_TEST

int
main(void)
{
	TCase *t = tcase_create("axis");

	tcase_add_loop_test(t, numbers_are_written_alike, 0, COUNT_OF(numbers));
	tcase_add_loop_test(t, even_ticks_are_told_apart, 0, COUNT_OF(even));
	tcase_add_test(t, a_step_below_the_last_digit_ends);
	tcase_add_loop_test(t, powers_are_all_labels_of_an_axis_or_none, 0, COUNT_OF(logs));
	return unit_run(t, "axis");
}
