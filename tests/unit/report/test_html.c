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

/* Of several results: the hosts that all have. */
static const struct {
	const char	*to[3], *title;
} pages[] = {
	{ { "b", "b", "b" }, "3 results a to b</title>" },
	{ { "b", "c", "b" }, "3 results</title>" },
	{ { "b", "b", "c" }, "3 results</title>" },
};

START_TEST(the_title_names_hosts_that_all_results_have)
{
	struct pace_run run[3] = { { .n = 0 } }, *runs[3];
	const struct pace_report_data book = { .n = 3, .run = runs };
	const struct pace_page page = { .book = &book };
	char name[] = "file";
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; i < 3; i++) {
		runs[i] = &run[i];
		run[i].name = run[i].file = name;
		run[i].head.r.kind = "throughput";
		snprintf(run[i].head.r.host, sizeof(run[i].head.r.host), "a");
		snprintf(run[i].head.r.target, sizeof(run[i].head.r.target), "%s", pages[_i].to[i]);
	}
	pace_html_write(f, &page);
	fclose(f);
	ck_assert_msg(strstr(text, pages[_i].title) != NULL, "%.400s", text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("html");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, ids_get_the_prefix_and_nothing_else_does);
	tcase_add_loop_test(tc, a_picture_cut_off_does_no_harm, 0, COUNT_OF(cut));
	tcase_add_loop_test(tc, the_title_names_hosts_that_all_results_have, 0, COUNT_OF(pages));
	return unit_run(tc, "html");
}
