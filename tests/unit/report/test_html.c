/* html.h: what is put into the page. */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static char *text;
static size_t size;

static void
teardown(void)
{
	free(text);
	text = NULL;
}

START_TEST(ids_get_the_prefix_and_nothing_else_does)
{
	static const char svg[] = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n"
	    "<svg width='3' id=\"a\">\n<g\nid='b' grid=\"c\" fill=\"url(#d)\"/>"
	    "<use xlink:href='#e' href=\"#f\"/><text>id=\"no\" url(#no)</text></svg>\n";
	FILE *f = open_memstream(&text, &size);

	pace_html_svg(f, svg, "f7-", "A <title>");
	fclose(f);
	ck_assert_str_eq(text, "<svg width='3' id=\"f7-a\" role=\"img\"><title>A &lt;title&gt;</title>"
	    "\n<g\nid='f7-b' grid=\"c\" fill=\"url(#f7-d)\"/>"
	    "<use xlink:href='#f7-e' href=\"#f7-f\"/><text>id=\"no\" url(#no)</text></svg>\n");
}
END_TEST

static const char *const cut[] = { "", "no picture", "<svg", "<svg id=\"", "<svg><g" };

START_TEST(a_picture_cut_off_does_no_harm)
{
	FILE *f = open_memstream(&text, &size);

	pace_html_svg(f, cut[_i], "x", "t");
	fclose(f);
	ck_assert_uint_lt(size, 100);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("html");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, ids_get_the_prefix_and_nothing_else_does);
	tcase_add_loop_test(tc, a_picture_cut_off_does_no_harm, 0, COUNT_OF(cut));
	return unit_run(tc, "html");
}
