/* latency_text.h, latency_csv.h: what a person and a spreadsheet see. */
#include "out/latency_text.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/fill.h"
#include "out/latency_csv.h"

#define US		"\xc2\xb5s"
#define PM		"\xc2\xb1"
#define TIMES		"\xc3\x97"
#define SQUARED		"\xc2\xb2"

static struct pace_latency *p;

static void
setup(void)
{
	p = pace_latency_new();
}

static void
teardown(void)
{
	free(p);
	free(text);
	text = NULL;
}

static void
say_point(bool detail, bool utf8)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_text_point(f, p, detail, utf8), 0);
	fclose(f);
}

static bool
has(const char *part)
{
	return strstr(text, part) != NULL;
}

/*
 * 10 000 requests, 3 not answered: 97 round trips of 30 µs, the first of 10 µs,
 * the last of 40 µs, all others of 20 µs.  By the kernel 5 µs less, and that
 * for all but the first 10; of every other one the residence is known, 1 to
 * 5 µs in turn, and so the network's share.
 */
static void
fill_known_latency(void)
{
	p->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 128,
	    .count = 10000, .interval_ns = 1000000, .timeout_ns = 500000000 };
	p->sent = 10000;
	p->received = 9997;
	p->timeouts = 3;
	p->late_replies = 1;
	p->duration_ns = INT64_C(9999000000);
	p->stalls = (struct pace_stalls){ 3, 40000, 30000 };
	for (int i = 0; i < 9997; i++) {
		int64_t residence = 1000 + i / 2 % 5 * 1000;
		int64_t ns = i == 0 ? 10000 : i == 9996 ? 40000 : i % 103 == 102 ? 30000 : 20000;

		pace_hist_add(&p->rtt, ns);
		if (i >= 10)
			pace_hist_add(&p->kernel, ns - 5000);
		if (i >= 10 && i % 2 == 0) {
			pace_hist_add(&p->network, ns - 5000 - residence);
			pace_hist_add(&p->residence, residence);
		}
	}
}

/* Read by a person, line by line, against the figures above: 20 µs fall into
 * the bin from 19 968 to 20 096 ns, 15 µs into 14 976 to 15 040. */
static const char golden[] =
	"64 B, replies of 128 B, every 1.00 ms: paced\n"
	"  requests sent           10 000   in 10.0 s\n"
	"  replies                  9 997\n"
	"  timed out                    3   0.0300 %   after 500 ms; 1 arrived later\n"
	"\n"
	"  round trip            min      p50      p90      p99    p99.9       max   unit\n"
	"  application         10.00    20.03    20.03    20.03        -     40.00   µs\n"
	"  kernel              15.00    15.01    15.01    15.01        -     35.00   µs\n"
	"  network             10.00    12.00    13.98    20.03        -     31.00   µs\n"
	"  residence            1.00     3.00     5.00     5.00        -      5.00   µs\n"
	"\n"
	"  round trips of the application, µs (log of the counts)\n"
	"       10.00 |▁               █                ▄               ▁| 40.00\n"
	"                              ^ p50 20.03\n";

START_TEST(a_point_looks_like_this)
{
	fill_known_latency();
	say_point(false, true);
	ck_assert_str_eq(text, golden);
}
END_TEST

START_TEST(the_detail_looks_like_this)
{
	fill_known_latency();
	say_point(true, true);
	ck_assert_int_eq(strncmp(text, golden, sizeof(golden) - 1), 0);
	ck_assert_str_eq(text + sizeof(golden) - 1,
	    "\n"
	    "  detail               mean  std dev       p1      p25      p75    p99.99   unit\n"
	    "  application         20.10     1.01    20.03    20.03    20.03         -   µs\n"
	    "  kernel              15.10     1.00    15.01    15.01    15.01         -   µs\n"
	    "  network             12.10     1.75    10.02    10.98    13.02         -   µs\n"
	    "  residence            3.00     1.41     1.00     2.00     4.01         -   µs\n"
	    "  kernel stamps            9 987   99.90 %   of the replies\n"
	    "  responder stamps         4 994   49.95 %   of the replies\n"
	    "  stalls                       3   longest 30.0 µs\n");
}
END_TEST

START_TEST(no_replies_are_dashes)
{
	p->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64,
	    .count = 5, .timeout_ns = 1000000000 };
	p->sent = p->timeouts = 5;
	say_point(true, true);
	ck_assert(has("64 B, replies of 64 B, ping-pong\n"));
	ck_assert(has("  replies                      0\n"));
	ck_assert(has("  timed out                    5   100 %   after 1.00 s\n"));
	ck_assert(has("\n  application             -        -        -        -        -"
	    "         -   " US "\n  kernel                  -"));
	ck_assert(has("\n  residence               -        -        -        -        -"
	    "         -   " US "\n\n  detail"));
	ck_assert(!has("0.00") && !has("|") && !has("^"));
}
END_TEST

START_TEST(the_far_end_has_lines_of_its_own)
{
	static const char *const want[] = { "\n  one-way there ", "\n  one-way back ",
	    "\n  lost            2 on the way to the responder, 1 on the way back\n",
	    "\n  reordered                    7   ", "\n  unanswered                   3   ",
	    "\n  clock           responder - client 1.50 ms, " };

	fill_known_latency();
	p->has_clock = p->has_requests = true;
	p->clock.fit.segments = 1;
	p->clock.fit.v[0].line.offset_ns = 1500000;
	p->requests = (struct pace_request_counts){ .reordered = 7, .unanswered = 3 };
	p->lost_there = 2;
	p->lost_back = 1;
	say_point(false, true);
	for (int i = 0; i < COUNT_OF(want); i++)
		ck_assert_msg(has(want[i]), "%s in\n%s", want[i], text);
}
END_TEST

START_TEST(trouble_has_lines_of_its_own)
{
	static const char *const want[] = { ": degraded, interrupted\n",
	    "\n  late requests               12   0.120 %   sent more than one interval late\n",
	    "\n  duplicates                   4   replies",
	    "\n  foreign                      5   replies to no",
	    "\n  not stamped              5 000   50.02 %   of the replies by",
	    "\n  not sent                    10   refused by this host: ", "\n\n  ! two\n" };

	fill_known_latency();
	p->late_requests = 12;
	p->duplicates = 4;
	p->foreign = 5;
	p->unstamped = 5000;
	p->refused = 10;
	p->refused_errno = ENOBUFS;
	p->verdict = PACE_DEGRADED;
	p->interrupted = true;
	pace_note(&p->notes, "one", "two");
	say_point(false, true);
	for (int i = 0; i < COUNT_OF(want); i++)
		ck_assert_msg(has(want[i]), "%s in\n%s", want[i], text);
}
END_TEST

START_TEST(only_open_loop_has_a_pace_to_keep)
{
	fill_known_latency();
	p->ask.interval_ns = 0;
	say_point(false, true);
	ck_assert(has("128 B, ping-pong\n") && !has("paced"));
	p->interrupted = true;
	say_point(false, true);
	ck_assert(has("128 B, ping-pong, interrupted\n"));
}
END_TEST

/* Left of its column when there is no room to the right: 200 ns a column, the
 * label with its mark takes 11 of 50; 17 984 ns are in a bin up to 18 048. */
static const struct { int64_t median_ns; const char *bars, *mark; } marks[] = {
	{ 10000, "#                                                .",
	    "              ^ p50 10.02\n" },
	{ 17984, ".                                      #+        .",
	    "                                                     ^ p50 17.98\n" },
	{ 18112, ".                                       #        .",
	    "                                            p50 18.11 ^\n" },
	{ 19999, ".                                                #",
	    "                                                     p50 20.00 ^\n" },
};

START_TEST(the_median_is_marked_where_it_is)
{
	char want[256];

	pace_hist_add(&p->rtt, 10000);
	pace_hist_add_n(&p->rtt, marks[_i].median_ns, 9);
	pace_hist_add(&p->rtt, 19999);
	say_point(false, false);
	snprintf(want, sizeof(want), "       10.00 |%s| 20.00\n%s", marks[_i].bars,
	    marks[_i].mark);
	ck_assert_msg(has(want), "%s in\n%s", want, text);
}
END_TEST

static void
fill_any(void)
{
	uint64_t n = fill_below(3) == 0 ? fill_below(3) : fill_below(3000);
	int64_t typical = 1000 + (int64_t)(unit_rnd_any_size() % 90000000);

	fill_known_latency();
	pace_hist_reset(&p->rtt);
	for (uint64_t i = 0; i < n; i++)
		pace_hist_add(&p->rtt, typical + (int64_t)fill_below((uint64_t)typical));
	p->received = n;
	p->sent = n + fill_below(10);
	p->timeouts = p->sent - n;
	p->late_replies = fill_below(p->timeouts + 1);
	p->foreign = fill_below(2) * UINT64_C(12345678901);
	p->unstamped = fill_below(n + 1);
	p->late_requests = fill_below(p->sent + 1);
	p->refused = fill_below(2);
	p->refused_errno = ENOBUFS;
}

static void
check_ascii(void)
{
	for (size_t i = 0; i < text_size; i++)
		ck_assert_msg(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'),
		    "byte %d at %zu", text[i], i);
	ck_assert(!has("nan") && !has("inf"));
}

START_TEST(any_point_fits_80_columns_of_ascii)
{
	fill_salt(_i);
	fill_any();
	pace_note(&p->notes, "long", "%s", golden);
	say_point(true, false);
	check_ascii();
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80, "%s", line);
}
END_TEST

START_TEST(figures_that_are_too_wide_stay_apart)
{
	p->received = p->sent = 10;
	pace_hist_add_n(&p->rtt, 1000, 8);
	pace_hist_add_n(&p->rtt, INT64_C(99999999000), 2);
	say_point(false, true);
	ck_assert_msg(has("     1.000    1.002 99999999        -        -  99999999   " US),
	    "%s", text);
	ck_assert_msg(has("| 99999999.00\n"), "%s", text);
}
END_TEST

/* --- head --- */

static void
say_head(const struct pace_latency_params *asks, size_t n)
{
	const struct pace_result r = { .kind = "latency", .target = "hostB",
	    .address = "10.0.0.2", .port = 14233, .label = "nightly" };
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_text_head(f, &r, asks, n, true), 0);
	fclose(f);
}

#define HEAD	"udpace latency to hostB (10.0.0.2 port 14233), nightly\n"

START_TEST(the_head_says_what_was_understood)
{
	struct pace_latency_params a = { .size_bytes = 64, .reply_bytes = 1472,
	    .count = 10000, .interval_ns = 1000000, .timeout_ns = 1000000000 };

	say_head(&a, 1);
	ck_assert_str_eq(text, HEAD
	    "  size      64 B of data, replies of 1472 B\n"
	    "  requests  10 000, one every 1.00 ms, 10.0 s\n"
	    "  time-out  1.00 s\n");
	a.reply_bytes = 64;
	a.interval_ns = 0;
	a.busy_poll = true;
	say_head(&a, 1);
	ck_assert_str_eq(text, HEAD
	    "  size      64 B of data, replies of 64 B\n"
	    "  requests  10 000, ping-pong: each one after the reply to the previous one\n"
	    "  time-out  1.00 s; client and responder poll busily\n");
	say_head(&a, 0);
	ck_assert_str_eq(text, HEAD);
}
END_TEST

START_TEST(the_head_of_several_sizes_says_how_far_and_how_long)
{
	struct pace_latency_params a[3];

	for (int i = 0; i < 3; i++)
		a[i] = (struct pace_latency_params){ .count = 500, .interval_ns = 10000000,
		    .size_bytes = (uint32_t[]){ 512, 64, 1472 }[i], .reply_bytes = 100,
		    .timeout_ns = 500000000 };
	say_head(a, 3);
	ck_assert_str_eq(text, HEAD
	    "  sizes     3 from 64 B to 1472 B of data, replies of 100 B\n"
	    "  requests  500 of each, 1 500 in all, one every 10.0 ms, 15.0 s\n"
	    "  time-out  500 ms\n");
	a[1].reply_bytes = 64;
	say_head(a, 3);
	ck_assert(has(" of data, replies from 64 B to 100 B\n"));
	a[0].reply_bytes = 512;
	a[2].reply_bytes = 1472;
	say_head(a, 3);
	ck_assert(has(" of data, replies as large\n"));
	a[2].tcp = true;
	say_head(a, 3);
	ck_assert(has("udpace tcp --request to hostB "));
	ck_assert(has("1 from 64 B to 1472 B over TCP, 2 of them over UDP,"));
}
END_TEST

/* --- rows --- */

static const struct pace_latency_rows with_replies = { .replies = true };

#define ROW_HEAD \
	"  size reply   sent    timed     min     p50     p99     max  kernel network\n" \
	"     B     B         out %        " US "      " US "      " US "      " US \
	"  p50 " US "  p50 " US "\n"
#define KNOWN_ROW \
	"    64   128  10000   0.0300   10.00   20.03   20.03   40.00   15.01   12.00\n"
#define EMPTY_ROW \
	"  1472    64      0    -           -       -       -       -       -       -"

static struct pace_flags flags;

static void
say_row(bool replies, bool utf8)
{
	const struct pace_latency_rows rows = { .replies = replies, .flags = &flags };
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_text_row(f, &rows, p, utf8), 0);
	fclose(f);
}

START_TEST(each_size_is_one_row)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_text_row_head(f, &with_replies, true), 0);
	fill_known_latency();
	ck_assert_int_eq(pace_latency_text_row(f, &with_replies, p, true), 0);
	free(p);
	p = pace_latency_new();
	p->ask.size_bytes = 1472;
	p->ask.reply_bytes = 64;
	ck_assert_int_eq(pace_latency_text_row(f, &with_replies, p, true), 0);
	fclose(f);
	ck_assert_str_eq(text, ROW_HEAD KNOWN_ROW EMPTY_ROW "\n");
}
END_TEST

START_TEST(behind_a_row_are_letters_of_what_is_wrong_with_it)
{
	p->ask.size_bytes = 1472;
	p->ask.reply_bytes = 64;
	p->interrupted = true;
	say_row(true, true);
	ck_assert_str_eq(text, EMPTY_ROW " I\n");
	p->verdict = PACE_DEGRADED;
	say_row(true, true);
	ck_assert_str_eq(text, EMPTY_ROW " DI\n");
	p->interrupted = false;
	p->verdict = PACE_PACED;
	pace_note(&p->notes, "nothing_answered", "text");
	pace_note(&p->notes, "above_max_loss", "text");
	say_row(true, true);
	ck_assert_str_eq(text, EMPTY_ROW " NX\n");
	p->verdict = PACE_DEGRADED;
	say_row(true, true);
	ck_assert_str_eq(text, EMPTY_ROW " DNX\n");
	pace_note(&p->notes, "requests_late", "text");
	say_row(true, true);
	ck_assert_str_eq(text, EMPTY_ROW " Dl+\n");
}
END_TEST

START_TEST(replies_as_large_as_requests_have_no_column)
{
	const struct pace_latency_rows rows = { .replies = false };
	FILE *f = begin();

	fill_known_latency();
	ck_assert_int_eq(pace_latency_text_row_head(f, &rows, true), 0);
	ck_assert_int_eq(pace_latency_text_row(f, &rows, p, true), 0);
	fclose(f);
	ck_assert_str_eq(text,
	    "  size   sent    timed     min     p50     p99     max  kernel network\n"
	    "     B         out %        µs      µs      µs      µs  p50 µs  p50 µs\n"
	    "    64  10000   0.0300   10.00   20.03   20.03   40.00   15.01   12.00\n");
}
END_TEST

/* By STAMP a row has the medians of both directions below it, and the directions of losses. */
START_TEST(below_a_row_are_the_directions_of_a_reflector)
{
	fill_known_latency();
	p->by_stamp = true;
	say_row(true, true);
	ck_assert_str_eq(text, KNOWN_ROW "        one way: p50 not known\n"
	    "        lost:    in a direction that is not known\n");
	for (int i = 0; i < 3; i++) {
		pace_hist_add(&p->there, 20);
		pace_hist_add(&p->back, 30);
	}
	p->clock.fit.segments = 1;
	p->clock.fit.bound_ns = 4500;
	p->stamp.counter = PACE_COUNTER_OWN;
	p->stamp.lost_there = 2;
	p->stamp.lost_back = 1;
	say_row(true, true);
	ck_assert_str_eq(text, KNOWN_ROW
	    "        one way: p50 20.0 ns there, 30.0 ns back, \xc2\xb1 4.50 \xc2\xb5s at any delays\n"
	    "        lost:    2 there, 1 back\n");
	p->stamp.lost_back = 0;
	p->stamp.lost_unknown = 1;
	p->timeouts = 3;
	say_row(true, true);
	ck_assert_ptr_nonnull(strstr(text, "lost:    2 there, 0 back, not known 1\n"));
	p->timeouts = 0;
	say_row(true, true);
	ck_assert_ptr_null(strstr(text, "lost:"));
}
END_TEST

START_TEST(one_reply_of_another_size_makes_a_column)
{
	struct pace_latency_params a[3];

	for (int i = 0; i < 3; i++)
		a[i] = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64 };
	ck_assert(!pace_latency_text_rows(a, 3).replies);
	a[2].reply_bytes = 65;
	ck_assert(pace_latency_text_rows(a, 3).replies);
	ck_assert(!pace_latency_text_rows(a, 2).replies);
	a[0].size_bytes = 65;
	ck_assert(pace_latency_text_rows(a, 1).replies);
	ck_assert(pace_latency_text_rows(a, 2).replies);
	a[1].size_bytes = a[1].reply_bytes = 1472;
	a[0].reply_bytes = a[2].size_bytes = 65;
	ck_assert(!pace_latency_text_rows(a, 3).replies);
}
END_TEST

/* At the edges of what two, one and no decimals have room for; the lowest, and
 * no median of none: what is too long for any gets a prefix. */
static const struct { int64_t ns; const char *row; } long_times[] = {
	{ 9999990, "1   0      9999.99 " }, { 9999996, "1   0      10000.0 " },
	{ 99999940, "1   0      99999.9 " }, { 99999960, "1   0       100000 " },
	{ INT64_C(9999999000), "1   0      9999999 " },
	{ INT64_C(59999999000), "1   0        60.0M " },
};

START_TEST(a_long_time_loses_decimals_not_its_column)
{
	p->sent = p->received = 1;
	pace_hist_add(&p->rtt, long_times[_i].ns);
	say_row(false, true);
	ck_assert_msg(has(long_times[_i].row), "no '%s' in %s", long_times[_i].row, text);
}
END_TEST

START_TEST(any_row_fits_80_columns_of_ascii)
{
	fill_salt(_i);
	fill_any();
	p->ask.size_bytes = p->ask.reply_bytes = 65507;
	p->sent = 12345678;
	p->verdict = PACE_DEGRADED;
	p->interrupted = true;
	pace_note(&p->notes, "responder_gone", "text");
	pace_note(&p->notes, "requests_late", "text");
	pace_note(&p->notes, "above_max_p99", "text");
	say_row(true, false);
	check_ascii();
	ck_assert(has(" Dl+\n"));
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80, "%s", line);
}
END_TEST

/* --- fit --- */

static void
say_fit(const struct pace_latency_fits *fits, bool utf8)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_text_fit(f, fits, utf8), 0);
	fclose(f);
}

static struct pace_latency_fits
known_fits(void)
{
	return (struct pace_latency_fits){
		.min = { .n = 20, .has_line = true, .has_errors = true, .slope = 1.6312,
		    .slope_stderr = 0.0204, .intercept = 12412.3, .intercept_stderr = 51.2,
		    .r2 = 0.99812, .worst = 401.3, .worst_x = 1024 },
		.median = { .n = 20, .has_line = true, .has_errors = true, .slope = -1.53,
		    .slope_stderr = 1.234, .intercept = 150.6e6, .intercept_stderr = 2.21e6,
		    .r2 = 0.99997, .worst = -2.5e6, .worst_x = 64 },
		.expected_slope = 16,
	};
}

START_TEST(the_fit_is_an_equation_with_its_errors)
{
	struct pace_latency_fits f = known_fits();

	say_fit(&f, true);
	ck_assert_str_eq(text, "\n"
	    "round trip = (12.412 " PM " 0.051) " US " + (1.631 " PM " 0.020) ns/byte "
	    TIMES " size\n"
	    "             minimum, 20 sizes, R" SQUARED " 0.9981, furthest +401 ns at 1024 B\n"
	    "           = (150.6 " PM " 2.2) ms + (-1.5 " PM " 1.2) ns/byte " TIMES " size\n"
	    "             median, 20 sizes, R" SQUARED " > 0.9999, furthest -2.50 ms at 64 B\n"
	    "  the link alone: 16.0 ns/byte; the minimum's slope is 0.10 times that\n");
	say_fit(&f, false);
	check_ascii();
	ck_assert(has("(12.412 +- 0.051) us + (1.631 +- 0.020) ns/byte x size\n"));
	ck_assert(has(", R^2 0.9981, "));
	f.expected_slope = 0;
	say_fit(&f, true);
	ck_assert(!has("alone"));
}
END_TEST

START_TEST(two_sizes_have_a_line_without_errors)
{
	struct pace_latency_fits f = { .expected_slope = 0 };

	pace_latency_fit(&f, (double[]){ 100, 200 }, (double[]){ 12000, 11850 },
	    (double[]){ 500, 516 }, 2);
	say_fit(&f, true);
	ck_assert_str_eq(text, "\n"
	    "round trip = 12.2 " US " - 1.50 ns/byte " TIMES " size\n"
	    "             minimum, 2 sizes\n"
	    "           = 0.484 " US " + 0.160 ns/byte " TIMES " size\n"
	    "             median, 2 sizes\n");
}
END_TEST

START_TEST(an_exact_line_has_errors_of_0)
{
	struct pace_latency_fits f = { .expected_slope = 1.5 };
	static const double size[] = { 100, 200, 400 }, flat[] = { 7000, 7000, 7000 };

	pace_latency_fit(&f, size, (double[]){ 10150, 10300, 10600 }, flat, 3);
	say_fit(&f, true);
	ck_assert_str_eq(text, "\n"
	    "round trip = (10.0 " PM " 0.0) " US " + (1.50 " PM " 0.00) ns/byte " TIMES " size\n"
	    "             minimum, 3 sizes, R" SQUARED " 1.0000\n"
	    "           = (7.00 " PM " 0.00) " US " + (0 " PM " 0) ns/byte " TIMES " size\n"
	    "             median, 3 sizes, R" SQUARED " 1.0000\n"
	    "  the link alone: 1.50 ns/byte; the minimum's slope is 1.00 times that\n");
}
END_TEST

START_TEST(without_a_line_there_is_a_dash)
{
	struct pace_latency_fits f = { .expected_slope = 0.8 };

	say_fit(&f, true);
	ck_assert_str_eq(text, "\nround trip = -   a line needs replies at two sizes\n"
	    "  the link alone: 0.800 ns/byte\n");
}
END_TEST

/* --- csv --- */

/* The header in row 0, p in row 1. */
static void
write_csv(void)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_latency_csv_head(f), 0);
	fclose(f);
	split(0, text);
	f = begin();
	ck_assert_int_eq(pace_latency_csv_point(f, p), 0);
	fclose(f);
	split(1, text);
	ck_assert_int_eq(cells[0], cells[1]);
}

START_TEST(no_two_columns_have_one_name)
{
	write_csv();
	no_column_twice();
	ck_assert_int_eq(cells[0], 23 + 6 * 10 + 5 + 1);
}
END_TEST

static const struct { const char *name, *value; } known[] = {
	{ "size_bytes", "64" }, { "reply_bytes", "128" }, { "count", "10000" },
	{ "mode", "open-loop" }, { "interval_ns", "1000000" }, { "timeout_ns", "500000000" },
	{ "busy_poll", "1" }, { "verdict", "degraded" }, { "interrupted", "0" },
	{ "sent_frames", "10000" }, { "refused_frames", "8" }, { "received_frames", "9997" },
	{ "timeouts_frames", "3" }, { "timeouts_ratio", "0.000300000000" },
	{ "late_replies_frames", "1" }, { "duplicates_frames", "4" },
	{ "foreign_frames", "5" }, { "late_requests_frames", "6" },
	{ "unstamped_frames", "7" }, { "duration_ns", "9999000000" }, { "stalls", "3" },
	{ "stall_max_ns", "30000" }, { "rtt_frames", "9997" }, { "rtt_min_ns", "10000" },
	{ "rtt_mean_ns", "20098.029" }, { "rtt_p1_ns", "20032" }, { "rtt_p50_ns", "20032" },
	{ "rtt_p90_ns", "20032" }, { "rtt_p99_ns", "20032" }, { "rtt_p99_9_ns", "" },
	{ "rtt_max_ns", "40000" }, { "rtt_kernel_frames", "9987" },
	{ "rtt_kernel_min_ns", "15000" }, { "rtt_kernel_p50_ns", "15008" },
	{ "rtt_network_frames", "4994" }, { "rtt_network_max_ns", "31000" },
	{ "residence_frames", "4994" }, { "residence_mean_ns", "2999.600" },
	{ "residence_max_ns", "5000" }, { "notes", "one a?b??c?" },
};

START_TEST(each_figure_is_in_its_column)
{
	fill_known_latency();
	p->ask.busy_poll = true;
	p->verdict = PACE_DEGRADED;
	p->refused = 8;
	p->duplicates = 4;
	p->foreign = 5;
	p->late_requests = 6;
	p->unstamped = 7;
	pace_note(&p->notes, "one", "text, with \"quotes\"");
	pace_note(&p->notes, "a,b \"c\"", "text");
	write_csv();
	for (int i = 0; i < COUNT_OF(known); i++)
		ck_assert_msg(strcmp(column(known[i].name), known[i].value) == 0,
		    "%s is %s, not %s", known[i].name, column(known[i].name),
		    known[i].value);
}
END_TEST

START_TEST(what_was_not_measured_is_an_empty_cell)
{
	static const char *const empty[] = { "interval_ns", "timeouts_ratio", "duration_ns",
	    "rtt_min_ns", "rtt_mean_ns", "rtt_stddev_ns", "rtt_p1_ns", "rtt_p50_ns",
	    "rtt_max_ns", "rtt_kernel_p90_ns", "rtt_network_p99_ns", "residence_p99_9_ns",
	    "notes" };

	write_csv();
	for (int i = 0; i < COUNT_OF(empty); i++)
		ck_assert_msg(column(empty[i])[0] == '\0', "%s", empty[i]);
	ck_assert_str_eq(column("mode"), "ping-pong");
	ck_assert_str_eq(column("rtt_frames"), "0");
	ck_assert_str_eq(column("interrupted"), "0");
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
	const struct pace_result r = { .kind = "latency", .target = "hostB" };
	struct pace_latency_fits fits = known_fits();
	FILE *f = fopen("/dev/full", "w");
	int rc;

	fill_known_latency();
	rc = _i == 0 ? pace_latency_text_head(f, &r, &p->ask, 1, true) :
	    _i == 1 ? pace_latency_text_point(f, p, true, true) :
	    _i == 2 ? pace_latency_text_row_head(f, &with_replies, true) :
	    _i == 3 ? pace_latency_text_row(f, &with_replies, p, true) :
	    _i == 4 ? pace_latency_text_fit(f, &fits, true) :
	    _i == 5 ? pace_latency_csv_head(f) : pace_latency_csv_point(f, p);
	ck_assert_int_eq(rc, -ENOSPC);
	fclose(f);
}
END_TEST

static void
add_text_tests(TCase *tc)
{
	tcase_add_test(tc, a_point_looks_like_this);
	tcase_add_test(tc, the_detail_looks_like_this);
	tcase_add_test(tc, no_replies_are_dashes);
	tcase_add_test(tc, the_far_end_has_lines_of_its_own);
	tcase_add_test(tc, trouble_has_lines_of_its_own);
	tcase_add_test(tc, only_open_loop_has_a_pace_to_keep);
	tcase_add_loop_test(tc, the_median_is_marked_where_it_is, 0, COUNT_OF(marks));
	tcase_add_loop_test(tc, any_point_fits_80_columns_of_ascii, 0, 60);
	tcase_add_test(tc, figures_that_are_too_wide_stay_apart);
	tcase_add_test(tc, the_head_says_what_was_understood);
	tcase_add_test(tc, the_head_of_several_sizes_says_how_far_and_how_long);
	tcase_add_test(tc, each_size_is_one_row);
	tcase_add_test(tc, behind_a_row_are_letters_of_what_is_wrong_with_it);
	tcase_add_test(tc, replies_as_large_as_requests_have_no_column);
	tcase_add_test(tc, below_a_row_are_the_directions_of_a_reflector);
	tcase_add_test(tc, one_reply_of_another_size_makes_a_column);
	tcase_add_loop_test(tc, a_long_time_loses_decimals_not_its_column, 0, COUNT_OF(long_times));
	tcase_add_loop_test(tc, any_row_fits_80_columns_of_ascii, 0, 60);
	tcase_add_test(tc, the_fit_is_an_equation_with_its_errors);
	tcase_add_test(tc, two_sizes_have_a_line_without_errors);
	tcase_add_test(tc, an_exact_line_has_errors_of_0);
	tcase_add_test(tc, without_a_line_there_is_a_dash);
}

int
main(void)
{
	TCase *tc = tcase_create("latency_text");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	add_text_tests(tc);
	tcase_add_test(tc, no_two_columns_have_one_name);
	tcase_add_test(tc, each_figure_is_in_its_column);
	tcase_add_test(tc, what_was_not_measured_is_an_empty_cell);
	tcase_add_loop_test(tc, a_full_disk_is_noticed, 0, 7);
	return unit_run(tc, "latency_text");
}
