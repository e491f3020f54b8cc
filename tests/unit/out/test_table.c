/* Rows of all tables with the largest values there may be: 80 columns, no cell touches
 * the next one, and the legend has all letters that were used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "out/capacity_text.h"
#include "out/capture_text.h"
#include "out/clock_text.h"
#include "out/conclusions_text.h"
#include "out/sweep_text.h"
#include "out/table.h"

static char text[8192];
static struct pace_point *pt;
static struct pace_seen *seen;

static void
begin(void)
{
	pt = pace_point_new();
	seen = calloc(1, sizeof(*seen));
	ck_assert(pt != NULL && seen != NULL);
}

static void
end(void)
{
	pace_point_free(pt);
	free(seen);
}

static FILE *
open_text(void)
{
	FILE *f;

	memset(text, 0, sizeof(text));
	f = fmemopen(text, sizeof(text), "w");
	ck_assert_ptr_nonnull(f);
	return f;
}

static void
check_lines(size_t columns)
{
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80 && strlen(line) >= columns, "%zu: %s",
		    strlen(line), line);
}

static void
fill_long(void)
{
	static const char *const codes[] = { "spacing_not_kept", "sender_stalled", "frames_late",
		"frames_refused", "clock_stepped", "lease_lost", "above_max_loss" };

	pt->ask.size_bytes = 65507;
	pt->ask.spacing = pace_spacing_from_ns(PACE_SPACING_MAX_NS);
	pt->ask.dscp = 63;
	pt->verdict = PACE_DEGRADED;
	pt->has_rx = pt->interrupted = true;
	pt->tx.wire_rate_bps = pt->rx.wire_rate_bps = 987654321012;
	pt->tx.refused = pt->rx.lost = pt->rx.reordered = UINT64_C(98765432101234);
	pt->rx.unique = 1;
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&pt->rx.gap, INT64_C(1000000000000));
	for (size_t i = 0; i < PACE_COUNT_OF(codes); i++)
		pace_note(&pt->notes, codes[i], "text");
}

static void
fill_seen(void)
{
	memset(seen->source, 'f', sizeof(seen->source) - 1);
	memset(seen->destination, 'e', sizeof(seen->destination) - 1);
	seen->ip = 6;
	seen->source_port = seen->destination_port = 65535;
	seen->streams = 2;
	seen->numbered = true;
	strcpy(seen->stream, "123");
	strcpy(seen->format, "lofar");
	pace_rx_result_reset(&seen->rx);
	seen->rx.frames = seen->rx.reordered = seen->rx.duplicates = UINT64_C(98765432101234);
	seen->rx.wire_rate_bps = 987654321012;
	seen->rx.lost = seen->rx.unique = 1;
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&seen->rx.gap, INT64_C(1000000000000));
	pace_note(&seen->notes, "ambiguous", "text");
}

START_TEST(the_longest_row_of_a_sweep_fits_80_columns)
{
	struct pace_flags flags = { 0 };
	/* units chosen for small values, so that nothing else makes them shorter */
	struct pace_rows rows = { { "kbit/s", 1e3, 3 }, { "us", 1e3, 3 }, (size_t)_i + 1, 0, false, &flags };
	FILE *f = open_text();

	fill_long();
	pace_text_row_head(f, &rows, false);
	ck_assert_int_eq(pace_text_row(f, &rows, pt, false), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, " 98.8T"));
	ck_assert_ptr_nonnull(strstr(text, " Dsfl+\n"));
	check_lines(60);
	f = open_text();
	pace_text_row_foot(f, &flags, false);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "\n  D  degraded: "));
	ck_assert_ptr_nonnull(strstr(text, "\n  X  a limit"));
	ck_assert_ptr_null(strstr(text, "\n  N  "));
	check_lines(3);
}
END_TEST

START_TEST(the_longest_row_of_repeats_fits_80_columns)
{
	const struct pace_rows rows = { { "kbit/s", 1e3, 3 }, { "us", 1e3, 3 }, 2, 0, false, NULL };
	struct pace_repeats repeats = { .v = NULL };
	FILE *f = open_text();

	fill_long();
	pt->interrupted = false;
	ck_assert_int_eq(pace_repeats_add(&repeats, pt), 0);
	ck_assert_int_eq(pace_repeats_add(&repeats, pt), 0);
	ck_assert_int_eq(pace_repeats_text(f, &rows, &repeats, false), 0);
	fclose(f);
	pace_repeats_free(&repeats);
	ck_assert_ptr_nonnull(strstr(text, " 988M"));
	check_lines(40);
}
END_TEST

START_TEST(the_longest_row_of_clocks_and_trials_fits_80_columns)
{
	struct pace_capacity c = { .size_bytes = 1472, .wire_bytes = 1538 };
	FILE *f = open_text();

	pt->clock.exchanges = UINT64_MAX / 2;
	pt->clock.fit.segments = 2;
	pt->clock.fit.v[0].to_ns = pt->clock.fit.v[1].to_ns = INT64_MAX / 4;
	pt->clock.fit.v[0].line.offset_ns = INT64_MIN / 2;
	pt->clock.fit.bound_ns = pt->clock.fit.uncertainty_ns = 9e15;
	pt->clock.wall_offset_ns = INT64_MIN / 2;
	pt->clock.min_rtt_ns = INT64_MAX / 2;
	pt->clock.their_steps = 1;
	pace_clock_text_row_head(f, false);
	ck_assert_int_eq(pace_clock_text_row(f, &pt->clock, false), 0);
	fill_long();
	pt->interrupted = false;
	pt->ledger.asked = UINT64_C(98765432101234);
	c.search.cfg = (struct pace_search_cfg){ .low_bps = 1e3, .high_bps = 9e11 };
	c.search.best_bps = c.search.worst_bps = 9e11;
	pace_capacity_text_row_head(f, &c, false);
	ck_assert_int_eq(pace_capacity_text_row(f, &c, pt, false), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, " NS\n"));
	check_lines(40);
}
END_TEST

START_TEST(a_captured_stream_with_long_addresses_fits_80_columns)
{
	struct pace_flags flags = { 0 };
	struct pace_capture_rows rows = { .rate = { "kbit/s", 1e3, 3 }, .time = { "us", 1e3, 3 },
	    .flags = &flags };
	FILE *f = open_text();

	fill_seen();
	ck_assert_int_eq(pace_capture_text_row(f, &rows, seen, false), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "\n123\n"));
	ck_assert_ptr_nonnull(strstr(text, " A\n"));
	check_lines(3);
}
END_TEST

START_TEST(conclusions_say_what_was_measured_and_no_more)
{
	struct pace_conclusions c;
	struct pace_point_facts facts;
	FILE *f = open_text();

	pace_conclusions_begin(&c);
	pt->clock.min_rtt_ns = PACE_NO_TIME;
	fill_long();
	pace_point_facts(&facts, pt);
	pace_conclusions_add(&c, &facts);
	pace_conclusions_close(&c);
	ck_assert_int_eq(pace_conclusions_text(f, &c, "conclusions", false), 0);
	fclose(f);
	pace_conclusions_free(&c);
	ck_assert_ptr_nonnull(strstr(text, "no loss     at no point with a known rate\n"));
	ck_assert_ptr_nonnull(strstr(text, "one way     relative only"));
	ck_assert_ptr_nonnull(strstr(text, "doubtful    1 of 1 points was interrupted: "));
	ck_assert_ptr_nonnull(strstr(text, "\n              1 of 1 points is degraded: "));
	ck_assert_ptr_null(strstr(text, "RTT"));
	ck_assert_ptr_null(strstr(text, "nan"));
	check_lines(3);
}
END_TEST

START_TEST(conclusions_of_a_campaign_name_its_steps)
{
	struct pace_conclusions *c = calloc(1, sizeof(*c));
	struct pace_point_facts facts;
	FILE *f = open_text();

	ck_assert_ptr_nonnull(c);
	pace_conclusions_begin(c);
	c->where = "sweep";
	pt->clock.min_rtt_ns = PACE_NO_TIME;
	pt->ask.size_bytes = 1000;
	pt->has_rx = true;
	pt->tx.user_rate_bps = pt->rx.user_rate_bps = pt->rx.wire_rate_bps = 1e9;
	pt->rx.unique = 100;
	pace_point_facts(&facts, pt);
	pace_conclusions_add(c, &facts);
	pace_conclusions_close(c);
	c->search[c->searches++] = (struct pace_searched){ 1472, 9e8, 9.4e8, "path", "search",
	    PACE_UP };
	c->search[c->searches++] = (struct pace_searched){ 1472, 9e8, 9.4e8, "sender", "again",
	    PACE_DOWN };
	c->search[c->searches++] = (struct pace_searched){ 1472, 0, 0, "", "none", PACE_UP };
	c->trips = c->answered_trips = 2;
	c->requests = 1000;
	c->timeouts = 5;
	c->smallest = (struct pace_tripped){ 64, 20000, 25000, 9000, 11000, 120, 9500 };
	c->largest = (struct pace_tripped){ 1472, 30000, 35000, NAN, NAN, 0, 0 };
	c->unmeasured = c->unread = c->skipped = 1;
	ck_assert_int_eq(pace_conclusions_text(f, c, "conclusions of all 5 steps", false), 0);
	fclose(f);
	ck_assert_str_eq(text, "\nconclusions of all 5 steps\n"
	    "  no loss     up to 1.00 Gbit/s of data, 1.00 Gbit/s on the wire: 1000 B as\n"
	    "              fast as possible, 100 frames, in step sweep; no point lost\n"
	    "              frames, so the limit was not reached\n"
	    "  capacity    900 Mbit/s of data, 940 Mbit/s on the wire, frames of 1472 B, in\n"
	    "              step search; limit: the path\n"
	    "  capacity    at least 900 Mbit/s of data from the responder, 940 Mbit/s on the\n"
	    "              wire, frames of 1472 B, in step again; limit: the responder's\n"
	    "              host\n"
	    "  capacity    not found, in step none; limit: not known\n"
	    "  one way     relative only: the clock error is too large\n"
	    "  round trip  of 64 B: 20.0 us at least, median 25.0 us, between applications\n"
	    "              of 1472 B: 30.0 us at least, median 35.0 us, between applications\n"
	    "  one way     of 64 B: medians 9.00 us there, 11.0 us back; error +- 120 ns for\n"
	    "              symmetric minimum delays, +- 9.50 us in any case\n"
	    "  timed out   5 of 1 000 requests (0.500 %)\n"
	    "  doubtful    1 step was not measured: there is no document\n"
	    "              the document of 1 step cannot be read\n"
	    "              1 point was skipped: there is no result\n");
	pace_conclusions_free(c);
	free(c);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_loop_test(tc, the_longest_row_of_a_sweep_fits_80_columns, 0, 2);
	tcase_add_test(tc, the_longest_row_of_repeats_fits_80_columns);
	tcase_add_test(tc, the_longest_row_of_clocks_and_trials_fits_80_columns);
	tcase_add_test(tc, a_captured_stream_with_long_addresses_fits_80_columns);
	tcase_add_test(tc, conclusions_say_what_was_measured_and_no_more);
	tcase_add_test(tc, conclusions_of_a_campaign_name_its_steps);
	return unit_run(tc, "table");
}
