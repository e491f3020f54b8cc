/* markup.h: texts and cells of the page. */
#include "report/markup.h"

#include <math.h>
#include <stdlib.h>

#include "lib/unit.h"

static char *text;
static size_t size;
static FILE *f;

static void
setup(void)
{
	f = open_memstream(&text, &size);
}

static void
teardown(void)
{
	free(text);
}

static void
is(const char *wanted)
{
	fclose(f);
	ck_assert_str_eq(text, wanted);
}

START_TEST(text_is_escaped)
{
	pace_html_text(f, "<script>\"a\" & 'b' ]]> \xc3\xa4</script>");
	is("&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39; ]]&gt; \xc3\xa4&lt;/script&gt;");
}
END_TEST

START_TEST(words_and_heads_of_others_are_escaped)
{
	pace_cell_words(f, "<i>");
	HEADS(f, "Gbit/s", "a & b", "c (Mbit/s)", "");
	is("<td>&lt;i&gt;</td><tr><th>a &amp; b</th><th>c (Gbit/s)</th><th></th></tr>\n");
}
END_TEST

START_TEST(what_was_not_measured_is_a_dash)
{
	const struct pace_bins none = { .n = 0 };

	pace_cell_number(f, NAN, 3);
	pace_cell_frames(f, NAN);
	pace_cell_micros(f, NAN);
	pace_cell_quantiles(f, &none);
	is("<td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td>");
}
END_TEST

START_TEST(numbers_have_the_digits_that_tell)
{
	pace_cell_number(f, 1234.5678, 6);
	pace_cell_frames(f, 100000);
	pace_cell_micros(f, 1234);
	pace_cell_micros(f, 12340);
	pace_cell_micros(f, 123400);
	is("<td>1 234.57</td><td>100 000</td><td>1.23</td><td>12.3</td><td>123</td>");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("markup");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, text_is_escaped);
	tcase_add_test(tc, words_and_heads_of_others_are_escaped);
	tcase_add_test(tc, what_was_not_measured_is_a_dash);
	tcase_add_test(tc, numbers_have_the_digits_that_tell);
	return unit_run(tc, "markup");
}
