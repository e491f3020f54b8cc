/* clock_text.h: an estimate as a person and a spreadsheet see it; say.h without UTF-8. */
#include "out/clock_text.h"

#include <check.h>
#include <string.h>

#include "lib/fill.h"
#include "lib/printed.h"
#include "out/say.h"

#define US		"\xc2\xb5s"
#define PM		"\xc2\xb1"

static struct pace_clock c;

static void
setup(void)
{
	memset(&c, 0, sizeof(c));
	fill_known_clock(&c);
}

static void
teardown(void)
{
	free(text);
	text = NULL;
}

static void
say_block(bool utf8)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_clock_text_block(f, &c, utf8), 0);
	fclose(f);
}

static void
say_row(void)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_clock_text_row(f, &c, true), 0);
	fclose(f);
}

static void
say_csv(void)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_clock_csv_head(f), 0);
	ck_assert_int_eq(pace_clock_csv_row(f, &c), 0);
	fclose(f);
}

static bool
has(const char *part)
{
	return strstr(text, part) != NULL;
}

/* Nothing is known but that two were sent. */
static void
nothing_known(void)
{
	memset(&c, 0, sizeof(c));
	c.timeouts = 2;
	c.from_ns = c.to_ns = PACE_NO_TIME;
	c.min_rtt_ns = c.before_ns = c.during_ns = c.after_ns = PACE_NO_TIME;
}

/* --- the block -------------------------------------------------------------------- */

/* Read by a person, line by line, against the figures of fill_known_clock. */
static const char golden[] =
	"  probe clock   responder - client -1.23 ms " PM " 177 ns, at any delays " PM " 356 ns\n"
	"                skew 2.5000 " PM " 1.1475 ppm\n"
	"  wall clock    responder's is 35.0 " US " behind client's, error as above\n"
	"    responder   not synchronised, according to its kernel\n"
	"    client      synchronised, error by its kernel " PM " 1.00 " US "; its rate was\n"
	"                changed 2 times\n"
	"  based on      179 exchanges (1 timed out), shortest round trip 23.4 " US ",\n"
	"                kernel stamps; the offset assumes symmetric minimum delays\n";

START_TEST(an_estimate_looks_like_this)
{
	say_block(true);
	ck_assert_str_eq(text, golden);
}
END_TEST

START_TEST(without_utf8_every_sign_is_ascii)
{
	say_block(false);
	ck_assert(has("responder - client -1.23 ms +- 177 ns, at any delays +- 356 ns\n"));
	ck_assert(has("synchronised, error by its kernel +- 1.00 us;"));
	ck_assert(!has("?"));
	for (const char *p = text; *p != '\0'; p++)
		ck_assert_int_ge(*p, 0);
}
END_TEST

START_TEST(a_reflector_is_no_responder)
{
	c.by_stamp = true;
	say_block(true);
	ck_assert(has("  probe clock   reflector - client -1.23 ms "));
	ck_assert(has("  wall clock    reflector's is 35.0 "));
	ck_assert(has("\n    reflector   not synchronised"));
	ck_assert(!has("responder"));
}
END_TEST

START_TEST(what_is_not_known_is_no_figure)
{
	nothing_known();
	say_block(true);
	ck_assert(has("  probe clock   not known: no exchange was answered\n"));
	ck_assert(has("  wall clock    -\n"));
	ck_assert(has("0 exchanges (2 timed out), shortest round trip -,\n"));
	ck_assert(has("no stamps;"));
}
END_TEST

START_TEST(several_lines_are_told_and_one_that_wanders)
{
	c.fit.wanders = true;
	say_block(true);
	ck_assert(has("\n                it wanders: "));
	c.fit.segments = 2;
	c.fit.v[1] = c.fit.v[0];
	say_block(true);
	ck_assert(has("\n                NOT LINEAR: 2 segments, each with its own line\n"));
	ck_assert(!has("wanders"));
}
END_TEST

/* --- rows --------------------------------------------------------------------------- */

START_TEST(a_row_looks_like_this)
{
	say_row();
	ck_assert_str_eq(text, "    -1234.566     0.177     0.356    2.500       -35.000"
	    "    23.400      179\n");
	c.their_steps = 1;
	c.fit.wanders = true;
	say_row();
	ck_assert(has("      179 WS\n"));
	nothing_known();
	say_row();
	ck_assert_str_eq(text, "            -         -         -        -             -"
	    "         -        0\n");
}
END_TEST

/* Columns are counted by programs: a new one comes behind all others. */
#define CSV_HEAD	"exchanges,timeouts,offset_ns,skew_ppm,uncertainty_ns,bound_ns," \
	"min_rtt_ns,wall_offset_ns,segments,wanders,stamp,our_steps,their_steps," \
	"our_slews,their_slews,from_ns,to_ns,skew_error_max_ppm\n"

START_TEST(csv_ends_with_the_error_of_the_skew)
{
	say_csv();
	ck_assert_str_eq(text, CSV_HEAD "179,1,-1234566,2.500000,176.8,355.7,23400,-35000,"
	    "1,0,kernel,0,0,2,0,5000000000,5500000000,1.147420\n");
}
END_TEST

START_TEST(csv_of_nothing_has_empty_cells)
{
	nothing_known();
	say_csv();
	ck_assert_str_eq(text, CSV_HEAD "0,2,,,,,,,0,0,,0,0,0,0,,,\n");
}
END_TEST

/* --- signs outside ASCII -------------------------------------------------------------- */

static const struct { int width; const char *text, *utf8, *ascii; } cells[] = {
	{ 6, "1 " US, "  1 " US, "  1 us" },
	{ 6, PM " 2", "   " PM " 2", "  +- 2" },
	{ 4, PM " 2", " " PM " 2", "+- 2" },	/* as wide as its column, in ASCII */
	{ 3, PM " 2", PM " 2", "+- 2" },		/* wider */
	{ 4, "\xe2\x96\x88|", "  \xe2\x96\x88|", "  ?|" },
	{ 3, "\xc2\xb2", "  \xc2\xb2", "  ?" },	/* no sign of ours, first byte the same */
};

START_TEST(a_cell_is_as_wide_as_what_is_printed)
{
	for (int utf8 = 0; utf8 < 2; utf8++) {
		const struct pace_say s = { begin(), utf8 };

		pace_say_cell(&s, cells[_i].width, cells[_i].text);
		fclose(s.f);
		ck_assert_str_eq(text, utf8 ? cells[_i].utf8 : cells[_i].ascii);
	}
}
END_TEST

/* 40 words of one sign behind two letters; a line has 79 columns. */
START_TEST(lines_are_broken_by_the_width_that_is_printed)
{
	char words[40 * 3 + 1] = "";

	for (int i = 0; i < 40; i++)
		strcat(words, PM " ");
	for (int utf8 = 0; utf8 < 2; utf8++) {
		const struct pace_say s = { begin(), utf8 };

		pace_say_wrapped(&s, "xx", words);
		fclose(s.f);
		/* bytes: 39 signs and 38 blanks; in ASCII 26 and 25, another is one too wide */
		ck_assert_int_eq((int)strcspn(text, "\n"), utf8 ? 2 + 39 * 2 + 38 : 2 + 26 * 2 + 25);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("clock_text");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_estimate_looks_like_this);
	tcase_add_test(tc, without_utf8_every_sign_is_ascii);
	tcase_add_test(tc, a_reflector_is_no_responder);
	tcase_add_test(tc, what_is_not_known_is_no_figure);
	tcase_add_test(tc, several_lines_are_told_and_one_that_wanders);
	tcase_add_test(tc, a_row_looks_like_this);
	tcase_add_test(tc, csv_ends_with_the_error_of_the_skew);
	tcase_add_test(tc, csv_of_nothing_has_empty_cells);
	tcase_add_loop_test(tc, a_cell_is_as_wide_as_what_is_printed, 0, COUNT_OF(cells));
	tcase_add_test(tc, lines_are_broken_by_the_width_that_is_printed);
	return unit_run(tc, "clock_text");
}
