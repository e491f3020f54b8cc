/*
 * ui/view: what is too long for its place neither touches nor hides what is beside it, and
 * is not cut where that would change what it says.
 */
#include "lib/unit.h"
#include "lib/scenario.h"
#include "lib/screen.h"

#include <math.h>
#include <string.h>

#include "ui/parts.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define S	INT64_C(1000000000)

/* The row with that word, terminated; NULL: there is none. */
static const char *
row_of(const char *text, const char *word, char row[1200])
{
	const char *at = strstr(text, word), *from = at;

	if (at == NULL)
		return NULL;
	while (from > text && from[-1] != '\n')
		from--;
	snprintf(row, 1200, "%.*s", (int)strcspn(from, "\n"), from);
	return row;
}

/* A session with these lines, one a second. */
static struct pace_snap *
told(struct tell_session *v, int lines)
{
	struct pace_snap *s = pace_snap_new();
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	tell_head(f, "hostb");
	for (int t = 0; t < lines; t++)
		tell_line(f, t, t == 0, &v[t], 1, 0);
	fclose(f);
	ck_assert_int_eq(feed_all(s, text), 0);
	free(text);
	return s;
}

static struct tell_session
stream(int64_t spacing_ns, uint64_t frames, double gap_ns, int64_t gap_max_ns)
{
	struct tell_session v = { .number = 1, .peer = "192.0.2.17", .label = "cam",
	    .state = "running", .size = 1472, .wire = 1538, .spacing_ns = (uint64_t)spacing_ns,
	    .has_interval = true, .gaps = frames, .gap_mean_ns = gap_ns, .gap_min_ns = 410,
	    .gap_max_ns = gap_max_ns, .jitter_ns = 450, .samples = 10, .above_mean_ns = 2400,
	    .above_max_ns = 121400 };

	tell_add(&v, frames, 0, 0, 0);
	v.all.frames += 10;		/* it ran before */
	return v;
}

/* --- columns of numbers ------------------------------------------------------ */

static const struct { int64_t spacing, longest; const char *row, *unit; } times[] = {
	{ 12 * US, 28 * MS, "12.00    12.00     0.41 28000.00", "\n" },
	{ 12 * US, 2400 * MS, "12.00    12.00     0.41  2400000", "us  asked 12.00\n" },
	{ MS, 999999999, "1000.00  1000.00     0.41  1000000", "us" },
	{ MS, S, "1000.00  1000.00     0.41  1000000", "us" },
	{ S, S, "1000.000 1000.000    0.000 1000.000", "ms  asked 1000.000\n" },
	{ S, 123456 * MS, "1000.000 1000.000    0.000 123456.0", "ms" },
	{ 2 * S, 59999 * S, "2.000    2.000    0.000 59999.00", "s  asked 2.000\n" },
};

START_TEST(times_have_the_unit_that_fits_them)
{
	struct tell_session v[3];
	struct pace_snap *s;
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char *text, row[1200];

	for (int t = 0; t < 3; t++)
		v[t] = stream(times[_i].spacing, 100, (double)times[_i].spacing, times[_i].longest);
	s = told(v, 3);
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(row_of(text, "Arrival spacing", row));
	ck_assert_msg(strstr(row, times[_i].row) != NULL, "not '%s': %s", times[_i].row, row);
	strcat(row, "\n");
	ck_assert_msg(strstr(row, times[_i].unit) != NULL, "not '%s': %s", times[_i].unit, row);
	free(text);
	pace_snap_free(s);
}
END_TEST

/* Where a table has numbers, by the screen's columns: first cell, cells of one, of them. */
static const struct { int cols, rows, first, width, n; } tables[] = {
	{ 40, 10, 12, 9, 2 }, { 50, 12, 16, 10, 2 }, { 80, 24, 16, 9, 4 }, { 120, 40, 17, 10, 4 },
	{ 300, 100, 17, 10, 4 },
};

/* Powers of ten, and a little less than these: what is longest. */
START_TEST(numbers_never_touch)
{
	static const char *const labels[] = { "Received ", "Frames ", "pacing ", "itter ", "elay + " };
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char row[1200];

	for (int64_t ns = 1; ns < 1000000 * S; ns *= 10)
		for (int less = 0; less < 2; less++) {
			struct tell_session v[3];
			struct pace_snap *s;
			char *text;

			for (int t = 0; t < 3; t++) {
				v[t] = stream(12 * US, 83333, (double)(ns - less), 7 * ns - less);
				v[t].jitter_ns = ns - less;
				v[t].above_mean_ns = (double)(ns - less);
				v[t].above_max_ns = 9 * ns - less;
				v[t].interval.frames = (uint64_t)ns;
				v[t].interval.wire_bytes = 1538 * (uint64_t)ns;
			}
			s = told(v, 3);
			text = drawn(s, &ui, tables[_i].cols, tables[_i].rows);
			for (int l = 0; l < COUNT_OF(labels); l++)
				for (int k = 0; k <= tables[_i].n && row_of(text, labels[l], row) != NULL; k++)
					ck_assert_msg(row[tables[_i].first + k * tables[_i].width] == ' ',
					    "column %d of '%s'", k, row);
			free(text);
			pace_snap_free(s);
		}
}
END_TEST

static const struct { uint64_t n; int width; const char *text; } counts[] = {
	{ 0, 1, "0" }, { 99999999, 10, "99 999 999" }, { 99999999, 9, "100.0M" },
	{ 12345678, 9, "12.3M" }, { 1234567, 8, "1.23M" }, { 1234567, 9, "1 234 567" },
	{ UINT64_C(1234567890123456), 9, "1.23P" },
};

START_TEST(a_count_without_room_is_rounded_not_cut)
{
	char buf[40];

	ck_assert_str_eq(pace_part_count_in(counts[_i].n, counts[_i].width, buf), counts[_i].text);
}
END_TEST

/* --- ways ---------------------------------------------------------------------- */

#define PROBE(there, back, bound) "{\"sent\":300,\"refused\":0,\"interval_sent\":100," \
	"\"round_trips_asked\":9,\"round_trip_ns\":{\"count\":9,\"min\":480,\"mean\":1310,\"max\":" \
	"39570},\"there_ns\":{\"count\":9,\"min\":1,\"mean\":" #there ",\"max\":123456789},\"back_ns\":" \
	"{\"count\":9,\"min\":1,\"mean\":" #back ",\"max\":123456789},\"clock_bound_ns\":" #bound "}"

static const struct { const char *probe; int cols; bool ascii; const char *note; } ways[] = {
	{ PROBE(610, 490, 460), 80, false, "ways 0.6 + 0.5 \xc2\xb1" "0.5\n" },
	{ PROBE(610, 490, 460), 80, true, "ways 0.6 + 0.5 +-0.5\n" },
	{ PROBE(610, 490, 460), 120, true, "there 0.6, back 0.5, +-0.5\n" },
	{ PROBE(51234, 48765, 12345), 80, false, "there 51 back 49 \xc2\xb1" "12\n" },
	{ PROBE(51234, 48765, 12345), 80, true, "there 51 back 49 +-12\n" },
	{ PROBE(8123456, 7654321, 123456), 80, true, "ways 8123 + 7654 +-123\n" },
	{ PROBE(8123456, 7654321, 123456), 120, true, "there 8123.5, back 7654.3, +-123.5\n" },
};

START_TEST(a_bound_is_never_cut)
{
	struct tell_session v[3];
	struct pace_ui ui = { .bars = ways[_i].ascii ? PACE_BARS_ASCII : PACE_BARS_BLOCK };
	struct pace_snap *s;
	char *text;

	for (int t = 0; t < 3; t++) {
		v[t] = stream(12 * US, 83333, 12000, 28000);
		v[t].probe = ways[_i].probe;
	}
	s = told(v, 3);
	text = drawn(s, &ui, ways[_i].cols, ways[_i].cols / 3);
	ck_assert_msg(strstr(text, ways[_i].note) != NULL, "not '%s' in\n%s", ways[_i].note, text);
	free(text);
	pace_snap_free(s);
}
END_TEST

/* --- the sender's values -------------------------------------------------------- */

#define SENT(n, gaps, mean) "{\"sent\":3000,\"refused\":0,\"interval_sent\":" #n ",\"spacing_ns\":{" \
	"\"count\":" #gaps ",\"mean\":" #mean ",\"stddev\":1},\"round_trips_asked\":0}"

/* 1000 frames a second requested and 800 received, of 1538 bytes on the wire. */
static const struct { const char *probe, *now; bool ends; } sent[] = {
	{ SENT(1000, 1000, 1000000), "12.304", false },
	{ SENT(1010, 1010, 1000000), "12.304", false },	/* the report came a little later */
	{ SENT(1000, 100, 1000000), "12.304", false },	/* another run began */
	{ SENT(400, 400, 1000000), "12.304", false },	/* two reports came nearly at once, */
	{ "{\"sent\":3000,\"refused\":0,\"interval_sent\":0,\"spacing_ns\":null,"
	    "\"round_trips_asked\":0}", "- ", false },	/* or quite */
	{ SENT(3, 3, 1000000), "12.304", false },
	{ SENT(250, 250, 1000000), "12.304", true },
	{ SENT(5, 4, 1000000), "0.062", true },
	{ "{\"sent\":3000,\"refused\":0,\"interval_sent\":900,\"spacing_ns\":null,"
	    "\"round_trips_asked\":0}", "11.074", false },
};

START_TEST(what_was_sent_stands_above_what_came)
{
	struct tell_session v[4];
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 300, 100 }, { 60, 24 } };
	struct pace_snap *s;
	char *text, row[1200];

	for (int t = 0; t < 4; t++) {
		v[t] = stream(MS, 800, 1250000, 2 * MS);
		v[t].probe = t < 3 ? SENT(1000, 1000, 1000000) : sent[_i].probe;
	}
	v[3].state = sent[_i].ends ? "ready" : "running";
	s = told(v, 4);
	for (int i = 0; i < COUNT_OF(sizes); i++) {
		text = drawn(s, &ui, sizes[i][0], sizes[i][1]);
		ck_assert_ptr_nonnull(row_of(text, "\n Sent ", row));
		ck_assert_ptr_nonnull(strstr(text, "Mbit/s wire"));
		ck_assert_ptr_nonnull(strstr(strstr(text, "\n Sent "), "\n Received "));
		ck_assert_msg(strncmp(strstr(text, "\n Sent ") + 7 + strspn(strstr(text, "\n Sent ") + 7, " "),
		    sent[_i].now, strlen(sent[_i].now)) == 0, "not %s:\n%s", sent[_i].now, text);
		free(text);
	}
	ui.unit = PACE_FIG_DATA;
	text = drawn(s, &ui, 80, 24);
	ck_assert(_i > 0 || strstr(text, "11.776   11.776") != NULL);
	free(text);
	pace_snap_free(s);
	s = story(10);			/* a responder does not know */
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_null(strstr(text, " Sent "));
	free(text);
	pace_snap_free(s);
}
END_TEST

/* Names of 15 and 15 letters are cut; the mistake is not. */
START_TEST(a_head_has_whole_words)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_RATE };
	struct tell_session v[4];
	struct pace_snap *s;

	for (int t = 0; t < 4; t++) {
		v[t] = stream(12 * US, 83333, 12000, 28000);
		v[t].label = "abcdefghijklmnop";
	}
	v[3].interval.lost = 833;
	s = told(v, 4);
	for (int cols = 40; cols <= 200; cols++) {
		char *text = drawn(s, &ui, cols, 11), row[1200], *tail;

		ck_assert_ptr_nonnull(row_of(text, "RUNNING", row));
		if (cols < 60)
			ck_assert_msg(strstr(row, " loss! ") != NULL, "'%s'", row);
		tail = strstr(row, "hostb ");
		if (cols >= 60 && tail != NULL)
			ck_assert_msg(strstr(tail, "  stream 1472 B every 12.0 us ") != NULL ||
			    strstr(tail, "  1472 B every 12.0 us ") != NULL ||
			    strncmp(tail + 5 + strspn(tail + 5, " "), "RUNNING", 7) == 0, "'%s'", row);
		if (cols >= 80)
			ck_assert_msg(strstr(row, " 1472 B every 12.0 us ") != NULL, "'%s'", row);
		ck_assert_ptr_nonnull(row_of(text, "1 <", row));
		ck_assert_msg(strlen(row) <= (size_t)cols && (strstr(row, "5 >=10%") != NULL ||
		    strstr(row, "5 more, %") != NULL), "'%s'", row);
		free(text);
	}
	pace_snap_free(s);
}
END_TEST

/* --- histograms, help, lists --------------------------------------------------- */

START_TEST(a_histogram_has_its_count_its_tail_and_its_unit)
{
	struct pace_snap *s = story(85);
	char row[1200];

	for (int recent = 0; recent < 2; recent++)
		for (int cols = 40; cols <= 300; cols++)
			for (int rows = 10; rows <= 40; rows += 7) {
				struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HIST,
				    .dist_recent = recent == 1 };
				char *text = drawn(s, &ui, cols, rows);

				ck_assert_ptr_nonnull(row_of(text, recent ? " n 840 000" : " n 6 910 001", row));
				ck_assert_msg(strlen(row) <= (size_t)cols, "'%s'", row);
				ck_assert_ptr_nonnull(row_of(text, "p50 12.0 ", row));
				ck_assert_ptr_nonnull(strstr(row, " p99 14.6 "));
				ck_assert_ptr_nonnull(strstr(row, recent ? "most < 36.9 us" : "most 27700 us"));
				if (!recent)
					ck_assert_ptr_nonnull(row_of(text, "std dev 32.5 us", row));
				free(text);
			}
	pace_snap_free(s);
}
END_TEST

/* 520 ns are not 0.00 ms. */
START_TEST(the_least_does_not_become_nothing)
{
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HIST, .dist_zoom = -9 };
	char *text = drawn(s, &ui, 80, 24), row[1200];

	ck_assert_ptr_nonnull(row_of(text, "least ", row));
	ck_assert_msg(strstr(row, "least 0.00052 ") != NULL && strstr(row, " ms") != NULL, "%s", row);
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(no_line_of_the_help_is_cut)
{
	struct pace_snap *s = story(10);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .help = true, .theme = PACE_THEME_REDFREE };

	for (int cols = 78; cols <= 300; cols++) {
		char *text = drawn(s, &ui, cols, 24);

		ck_assert_ptr_nonnull(strstr(text, "O no report\n"));
		ck_assert_ptr_nonnull(strstr(text, "no clocks are compared\n"));
		ck_assert_ptr_nonnull(strstr(text, "graphs: ASCII, theme: red-free\n"));
		free(text);
	}
	pace_snap_free(s);
}
END_TEST

/* --- tabs, and how it goes ------------------------------------------------------- */

static const struct { bool dead, lossy; const char *brief, *full; } moods[] = {
	{ true, false, "no data!", "nothing comes!" }, { false, true, "loss!", "loss!" },
	{ false, false, "ok", "ok" },
};

/* All tabs, then a blank, then all of the word: whatever the width, and however many events
 * are unread. */
START_TEST(how_it_goes_has_room_beside_the_tabs)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	struct tell_session v[4];
	struct pace_snap *s;

	for (int t = 0; t < 4; t++)
		v[t] = stream(12 * US, t == 3 && moods[_i].dead ? 0 : 83333, 12000, 28000);
	if (moods[_i].lossy)
		v[3].interval.lost = 833;
	s = told(v, 4);
	ui.page = _i == 0 ? PACE_PAGE_EVENTS : PACE_PAGE_OVERVIEW;
	for (int unread = 0; unread < 2000; unread += unread < 20 ? 10 : 1980) {
		for (int cols = 40; cols <= 300; cols++) {
			char *text = drawn(s, &ui, cols, 24), row[1200], want[20];
			const char *at = row_of(text, ui.page == PACE_PAGE_EVENTS ? "[7" : "[1", row);
			const char *end;

			ck_assert_ptr_nonnull(at);
			at = row;
			for (int i = 1; i <= PACE_PAGES; i++) {
				snprintf(want, sizeof(want), "%c%d", i == (int)ui.page + 1 ? '[' : ' ', i);
				at = strstr(at, want);
				ck_assert_msg(at != NULL, "no tab %d in '%s'", i, row);
			}
			end = row + strlen(row);
			ck_assert_int_eq(end - row, cols - 1);
			ck_assert_msg(strcmp(end - strlen(moods[_i].brief), moods[_i].brief) == 0 ?
			    end[-1 - (int)strlen(moods[_i].brief)] == ' ' :
			    strcmp(end - strlen(moods[_i].full), moods[_i].full) == 0 &&
			    end[-1 - (int)strlen(moods[_i].full)] == ' ', "'%s'", row);
			if (cols >= 110)
				ck_assert_ptr_nonnull(strstr(row, moods[_i].full));
			if (cols >= 80)
				ck_assert_msg(strstr(row, "6 Streams ") != NULL && strstr(row, "7 Events") != NULL, "'%s'", row);
			free(text);
		}
		for (int i = 0; i < (unread < 10 ? 10 : 1980); i++)
			pace_snap_note(s, 0, PACE_MOOD_PLAIN, "so it is");
	}
	pace_snap_free(s);
}
END_TEST

START_TEST(the_host_says_that_it_has_no_cores_beside_its_interfaces)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HOST };
	struct pace_snap *s;
	char row[1200];

	tell_no_cores = true;
	s = story(85);
	for (int cols = 80; cols <= 300; cols++) {
		char *text = drawn(s, &ui, cols, cols % 2 == 0 ? 40 : 24);

		ck_assert_ptr_nonnull(row_of(text, "on that host, udpace monitor --attach", row));
		if (cols >= 120)
			ck_assert_msg(strstr(row, " | cores: on that host") != NULL &&
			    strstr(text, "\n Interfaces ") != NULL, "%s", text);
		free(text);
	}
	pace_snap_free(s);
}
END_TEST

/* The columns of a graph have the same scale, whatever time they stand for. */
START_TEST(a_column_of_several_lines_is_their_mean)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_RATE };
	struct tell_session v[60];
	struct pace_snap *s;
	char *one, *five, *row, *rest = NULL;
	int rows = 0;

	for (int t = 0; t < 60; t++)
		v[t] = stream(12 * US, 83333, 12000, 28000);
	s = told(v, 60);
	one = drawn(s, &ui, 80, 24);
	ui.window = 2;
	five = drawn(s, &ui, 80, 24);
	for (row = strtok_r(one, "\n", &rest); row != NULL; row = strtok_r(NULL, "\n", &rest)) {
		char axis[20];

		if (strcspn(row, "|") >= sizeof(axis) - 2 || strchr(row, '|') == NULL)
			continue;
		snprintf(axis, sizeof(axis), "%.*s", (int)strcspn(row, "|") + 1, row);
		ck_assert_msg(strstr(five, axis) != NULL, "no '%s' in\n%s", axis, five);
		rows++;
	}
	ck_assert_int_gt(rows, 3);
	ck_assert_ptr_nonnull(strstr(five, "5 s"));
	free(one);
	free(five);
	pace_snap_free(s);
}
END_TEST

/* Return the column at which the row contains the text; -1: it does not. */
static int
column_of(const struct pace_canvas *g, int row, const char *text)
{
	for (int col = 0; col + (int)strlen(text) <= g->cols; col++) {
		size_t n = 0;

		while (n < strlen(text) && g->cell[row * g->cols + col + (int)n].glyph ==
		    (unsigned char)text[n])
			n++;
		if (n == strlen(text))
			return col;
	}
	return -1;
}

START_TEST(a_core_without_time_is_marked)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HOST };
	struct pace_snap *s = story(85);
	struct pace_canvas g = { .rows = 0 };
	int cores = 0;

	ck_assert_int_gt(s->host.busiest, 1);
	for (int i = 0; i < s->host.busiest; i++)
		s->host.core[i].busy = i == 0 ? 0.951 : 0.949;
	ck_assert_int_eq(pace_canvas_size(&g, 40, 120, false), 0);
	pace_view_draw(&g, s, &ui);
	for (int row = 0; row < g.rows; row++)
		for (int i = 0; i < s->host.busiest; i++) {
			char name[40];
			int col;

			snprintf(name, sizeof(name), "core %d ", (int)s->host.core[i].core);
			col = column_of(&g, row, name);
			if (col < 0)
				continue;
			cores++;
			ck_assert_int_eq(g.cell[row * g.cols + col].role,
			    i == 0 ? PACE_ROLE_WARN : PACE_ROLE_TEXT);
			ck_assert_int_eq(column_of(&g, row, "! no time left") >= 0, i == 0);
		}
	ck_assert_int_eq(cores, s->host.busiest);
	pace_canvas_free(&g);
	pace_snap_free(s);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("room");

	tcase_add_loop_test(tc, times_have_the_unit_that_fits_them, 0, COUNT_OF(times));
	tcase_add_loop_test(tc, numbers_never_touch, 0, COUNT_OF(tables));
	tcase_add_loop_test(tc, a_count_without_room_is_rounded_not_cut, 0, COUNT_OF(counts));
	tcase_add_loop_test(tc, a_bound_is_never_cut, 0, COUNT_OF(ways));
	tcase_add_loop_test(tc, how_it_goes_has_room_beside_the_tabs, 0, COUNT_OF(moods));
	tcase_add_test(tc, the_host_says_that_it_has_no_cores_beside_its_interfaces);
	tcase_add_loop_test(tc, what_was_sent_stands_above_what_came, 0, COUNT_OF(sent));
	tcase_add_test(tc, a_histogram_has_its_count_its_tail_and_its_unit);
	tcase_add_test(tc, a_head_has_whole_words);
	tcase_add_test(tc, the_least_does_not_become_nothing);
	tcase_add_test(tc, no_line_of_the_help_is_cut);
	tcase_add_test(tc, a_column_of_several_lines_is_their_mean);
	tcase_add_test(tc, a_core_without_time_is_marked);
	return unit_run_apart(tc, "view_room");
}
