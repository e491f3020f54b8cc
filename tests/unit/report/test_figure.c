/* figure.h, script.h, fig.h: what goes into gnuplot's hands. */
#include "report/script.h"

#include <math.h>
#include <string.h>

#include "lib/unit.h"
#include "report/fig.h"

static char *text;
static size_t size;

static const char *
written(const struct pace_figure *s)
{
	const struct pace_script c = { .base = "fig-01-x", .prolog = "PROLOG\n", .body = "BODY\n",
	    .width = 900, .height = 500 };
	FILE *f = open_memstream(&text, &size);

	ck_assert_int_eq(pace_script_write(f, &c, s), 0);
	fclose(f);
	return text;
}

static void
begin(struct pace_figure *s, const char *subtitle)
{
	pace_figure_begin(s);
	pace_figure_say(s, &s->title, "A title");
	pace_figure_say(s, &s->subtitle, "%s", subtitle);
	pace_figure_say(s, &s->footer, "foot");
}

static const struct { const char *from, *enhanced, *quoted; } cases[] = {
	{ "", "", "''" },
	{ "hostb", "hostb", "'hostb'" },
	{ "a_b^c", "a\\_b\\^c", "'a\\_b\\^c'" },
	{ "{/:Bold x}", "\\{/:Bold x\\}", "'\\{/:Bold x\\}'" },
	{ "@m ~ `id`", "\\@m \\~ `id`", "'\\@m \\~ `id`'" },
	{ "a&b", "a\\&b", "'a'.AMP.'b'" },
	{ "\\&", "\\\\\\&", "'\\\\'.AMP.''" },
	{ "it's", "it's", "'it'.QUOTE.'s'" },
	{ "''", "''", "''.QUOTE.''.QUOTE.''" },
	{ "<b>", "<b>", "'<b'.GT.''" },
	{ "\\", "\\\\", "'\\\\'" },
	{ "two\nlines", "two\nlines", "'two lines'" },
	{ "\xc3\xa4\xc2\xb5", "\xc3\xa4\xc2\xb5", "'\xc3\xa4\xc2\xb5'" },
};

START_TEST(anybodys_words_are_only_words)
{
	char buf[64], *quoted;
	size_t len;
	FILE *f = open_memstream(&quoted, &len);

	ck_assert_str_eq(pace_enhanced(cases[_i].from, buf, sizeof(buf)), cases[_i].enhanced);
	pace_quote(f, buf);
	fclose(f);
	ck_assert_str_eq(quoted, cases[_i].quoted);
	free(quoted);
}
END_TEST

START_TEST(what_does_not_fit_is_left_out_whole)
{
	char buf[6];

	ck_assert_str_eq(pace_enhanced("ab___", buf, 6), "ab\\_");
	ck_assert_str_eq(pace_enhanced("abc\xc3\xa4" "de", buf, 6), "abc");
	ck_assert_str_eq(pace_enhanced("ab\xc3\xa4", buf, 6), "ab\xc3\xa4");
}
END_TEST

START_TEST(numbers_are_never_integers_for_gnuplot)
{
	struct pace_figure s;

	begin(&s, "");
	pace_figure_num(&s, "A", 3);
	pace_figure_num(&s, "B", NAN);
	pace_figure_num(&s, "C", 1e300);
	pace_figure_num(&s, "D", INFINITY);
	pace_figure_int(&s, "E", -4);
	pace_figure_nums(&s, "NONE", NULL, 0);
	ck_assert_int_eq(pace_figure_end(&s), 0);
	written(&s);
	ck_assert_ptr_nonnull(strstr(text, "\nA = 3.0\nB = NaN\nC = 1e+300\nD = NaN\nE = -4\n"
	    "array NONE[1]\nNONE[1] = 0.0\n"));
	ck_assert_ptr_nonnull(strstr(text, "PROLOG\n"));
	ck_assert_str_eq(text + size - 5, "BODY\n");
	pace_figure_free(&s);
	pace_figure_free(&s);
	free(text);
}
END_TEST

static const struct pace_table_column columns[] = { { "x", NULL, 0 }, { "y_us", "Y (µs)", 3 } };

START_TEST(a_small_table_is_a_block)
{
	struct pace_figure s;
	struct pace_table *t;

	begin(&s, "");
	t = pace_figure_table(&s, "points", "All", columns, 2);
	pace_table_break(&s, t);
	pace_table_row(&s, t, (double[]){ 1, 0.1 });
	pace_table_row(&s, t, (double[]){ 2, NAN });
	pace_table_break(&s, t);
	pace_table_row(&s, t, (double[]){ 3, 1e-9 });
	ck_assert_int_eq(pace_figure_end(&s), 0);
	ck_assert_ptr_nonnull(strstr(written(&s), "POINTS_ROWS = 3\nPOINTS = '$points'\n"
	    "POINTS_AT = 0\n$points << EOD\n# x y_us\n1 0.1\n2 NaN\n\n\n3 1e-09\nEOD\n"));
	pace_figure_free(&s);
	free(text);
}
END_TEST

START_TEST(a_large_table_is_read_from_the_data)
{
	struct pace_figure s;
	struct pace_table *t;
	FILE *f;

	begin(&s, "");
	t = pace_figure_table(&s, "few", NULL, columns, 2);
	pace_table_row(&s, t, (double[]){ 1, 2 });
	pace_table_break(&s, t);
	pace_table_row(&s, t, (double[]){ 1, 2 });
	pace_figure_table(&s, "none", NULL, columns, 2);
	t = pace_figure_table(&s, "many", NULL, columns, 2);
	for (int i = 0; i <= PACE_BLOCK_ROWS; i++)
		pace_table_row(&s, t, (double[]){ i, 2 });
	ck_assert_int_eq(pace_figure_end(&s), 0);
	ck_assert_ptr_nonnull(strstr(written(&s), "MANY = '\"fig-01-x.dat\"'\nMANY_AT = 2\n"));
	free(text);
	f = open_memstream(&text, &size);
	ck_assert_int_eq(pace_script_data(f, &s), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "# table few\n# x y_us\n1 2\n\n\n1 2\n\n\n# table none"));
	pace_figure_free(&s);
	free(text);
}
END_TEST

START_TEST(a_long_subtitle_has_two_lines)
{
	char words[400];
	struct pace_figure s;

	memset(words, 'a', 100);
	strcpy(words + 100, " \302\267 second \302\267 third ");
	memset(words + strlen(words), 'b', 200);
	words[399] = '\0';
	begin(&s, words);
	ck_assert_int_eq(pace_figure_end(&s), 0);
	written(&s);
	ck_assert_ptr_nonnull(strstr(text, "SUB2 = 'third bbb"));
	ck_assert_ptr_nonnull(strstr(text, "H = 519.0\n"));
	ck_assert_ptr_nonnull(strstr(text, "TOP = 99.0\n"));
	pace_figure_free(&s);
	free(text);
}
END_TEST

START_TEST(one_table_too_many_sticks)
{
	struct pace_figure s;

	pace_figure_begin(&s);
	for (int i = 0; i < PACE_TABLES; i++)
		ck_assert_ptr_nonnull(pace_figure_table(&s, "t", NULL, columns, 2));
	ck_assert_ptr_null(pace_figure_table(&s, "t", NULL, columns, 2));
	pace_table_row(&s, NULL, NULL);
	ck_assert_int_ne(pace_figure_end(&s), 0);
	pace_figure_free(&s);
}
END_TEST

/* The map of 200 sizes, one of which failed, is drawn; there is no room for one more. */
START_TEST(a_map_with_more_sizes_than_rows_is_not_drawn)
{
	static struct pace_failed failed[201];
	struct pace_run r = { .failed = failed, .failures = 200 };

	for (uint32_t i = 0; i < 201; i++)
		failed[i] = (struct pace_failed){ .size_bytes = 64 + i, .streams = 1, .dscp = -1,
		    .spacing_ns = 1000 };
	ck_assert(pace_fig_map.wanted(&r));
	r.failures++;
	ck_assert(!pace_fig_map.wanted(&r));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sheet");

	tcase_add_loop_test(tc, anybodys_words_are_only_words, 0, COUNT_OF(cases));
	tcase_add_test(tc, what_does_not_fit_is_left_out_whole);
	tcase_add_test(tc, numbers_are_never_integers_for_gnuplot);
	tcase_add_test(tc, a_small_table_is_a_block);
	tcase_add_test(tc, a_large_table_is_read_from_the_data);
	tcase_add_test(tc, a_long_subtitle_has_two_lines);
	tcase_add_test(tc, one_table_too_many_sticks);
	tcase_add_test(tc, a_map_with_more_sizes_than_rows_is_not_drawn);
	return unit_run(tc, "sheet");
}
