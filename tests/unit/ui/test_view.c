/*
 * ui/view: the screens in tests/data/screens, which were inspected once, and screens of every
 * size of any status.
 *
 * UDPACE_SCREENS=write writes the files again: look at the differences.
 */
#include "lib/unit.h"
#include "lib/scenario.h"
#include "lib/screen.h"

#include <math.h>
#include <string.h>

#include "out/glyph.h"
#include "ui/chart.h"
#include "ui/sweep_grid.h"
#include "ui/line.h"

/* --- screens --------------------------------------------------------------- */

static const struct screen {
	const char	*name;
	int		cols, rows, last;	/* second of the scenario; -1: no line yet */
	struct pace_ui	ui;
} screens[] = {
	{ "overview_80x24", 80, 24, 85, { .bars = PACE_BARS_BLOCK } },
	{ "overview_80x24_ascii", 80, 24, 85, { .bars = PACE_BARS_ASCII } },
	{ "overview_120x40", 120, 40, 85, { .bars = PACE_BARS_BLOCK } },
	{ "overview_40x10", 40, 10, 61, { .bars = PACE_BARS_BLOCK } },
	{ "overview_20x3", 20, 3, 61, { .bars = PACE_BARS_ASCII } },
	{ "overview_20x3_gone", 20, 3, 61, { .bars = PACE_BARS_ASCII, .over = true } },
	{ "overview_1x1", 1, 1, 85, { .bars = PACE_BARS_ASCII } },
	{ "overview_300x100", 300, 100, 85, { .bars = PACE_BARS_BLOCK } },
	{ "overview_80x24_paused", 80, 24, 61, { .bars = PACE_BARS_ASCII, .paused = true } },
	{ "overview_80x24_nothing", 80, 24, -1, { .bars = PACE_BARS_ASCII } },
	{ "overview_80x24_nobody", 80, 24, 2, { .bars = PACE_BARS_ASCII } },
	{ "overview_80x24_braille", 80, 24, 85, { .bars = PACE_BARS_BRAILLE,
	    .unit = PACE_FIG_DATA } },
	{ "trains_80x24", 80, 24, STORY_TRAINS, { .bars = PACE_BARS_BLOCK } },
	{ "trains_120x40", 120, 40, STORY_TRAINS, { .bars = PACE_BARS_BLOCK } },
	{ "trains_40x10", 40, 10, STORY_TRAINS, { .bars = PACE_BARS_ASCII } },
	{ "trains_80x24_host", 80, 24, STORY_TRAINS, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_HOST } },
	{ "trains_40x10_host", 40, 10, STORY_TRAINS, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_HOST } },
	{ "rate_80x24", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_RATE } },
	{ "rate_80x24_linear", 80, 24, 85, { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_RATE,
	    .linear = true, .window = 1 } },
	{ "histogram_80x24", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "histogram_80x24_ascii", 80, 24, 85, { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HIST,
	    .dist_recent = true } },
	{ "histogram_80x24_delay", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST,
	    .dist = PACE_DIST_DELAY, .dist_linear = true } },
	{ "histogram_120x40", 120, 40, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST,
	    .dist_zoom = 1, .dist_pan = 1 } },
	{ "histogram_40x10", 40, 10, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "histogram_20x3", 20, 3, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "histogram_1x1", 1, 1, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "histogram_300x100", 300, 100, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "histogram_80x24_nobody", 80, 24, 2, { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HIST } },
	{ "sweep_80x24", 80, 24, STORY_SWEEP, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP,
	    .point = { 1472, 1000 } } },
	{ "sweep_80x24_ascii", 80, 24, STORY_SWEEP, { .bars = PACE_BARS_ASCII,
	    .page = PACE_PAGE_SWEEP, .metric = PACE_METRIC_RATE } },
	{ "sweep_80x24_none", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP } },
	{ "sweep_120x40", 120, 40, STORY_SWEEP, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP,
	    .metric = PACE_METRIC_ORDER } },
	{ "sweep_40x10", 40, 10, STORY_SWEEP, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP } },
	{ "sweep_80x24_campaign", 80, 24, STORY_CAMPAIGN, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_SWEEP, .point = { 8972, 20000 } } },
	{ "sweep_40x10_campaign", 40, 10, STORY_CAMPAIGN, { .bars = PACE_BARS_ASCII,
	    .page = PACE_PAGE_SWEEP } },
	{ "overview_80x24_campaign", 80, 24, STORY_CAMPAIGN, { .bars = PACE_BARS_BLOCK } },
	{ "overview_120x40_campaign", 120, 40, STORY_CAMPAIGN, { .bars = PACE_BARS_BLOCK } },
	{ "events_80x24_campaign", 80, 24, STORY_CAMPAIGN, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_EVENTS } },
	{ "sweep_20x3", 20, 3, STORY_SWEEP, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP } },
	{ "sweep_1x1", 1, 1, STORY_SWEEP, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP } },
	{ "sweep_300x100", 300, 100, STORY_SWEEP, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_SWEEP } },
	{ "host_80x24", 80, 24, 61, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "host_80x24_ascii", 80, 24, 85, { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_HOST,
	    .own_share = 0.004 } },
	{ "host_120x40", 120, 40, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "host_40x10", 40, 10, 61, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "host_20x3", 20, 3, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "host_1x1", 1, 1, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "host_300x100", 300, 100, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
	{ "streams_80x24", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_STREAMS } },
	{ "streams_40x10", 40, 10, 85, { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_STREAMS } },
	{ "events_80x24", 80, 24, 85, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_EVENTS } },
	{ "help_80x24", 80, 24, 85, { .bars = PACE_BARS_ASCII, .help = true } },
	{ "help_120x40_replay", 120, 40, 85, { .bars = PACE_BARS_BLOCK, .help = true,
	    .replay = true, .speed = 4 } },
};

static char *
file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (f != NULL) {
		ck_assert_uint_lt(fread(text, 1, (1 << 20) - 1, f), (1 << 20) - 1);
		fclose(f);
	}
	return text;
}

START_TEST(screens_are_as_they_were_looked_at)
{
	const struct screen *c = &screens[_i];
	struct pace_snap *s = story(c->last);
	char *text = drawn(s, &c->ui, c->cols, c->rows), *want, path[512];
	const char *top = getenv("top_srcdir"), *mode = getenv("UDPACE_SCREENS");

	snprintf(path, sizeof(path), "%s/tests/data/screens/%s.txt", top != NULL ? top : ".", c->name);
	if (mode != NULL && strcmp(mode, "write") == 0) {
		FILE *f = fopen(path, "w");

		fputs(text, f);
		fclose(f);
	}
	want = file_text(path);
	ck_assert_msg(strcmp(text, want) == 0, "%s is now\n%s", path, text);
	free(want);
	free(text);
	pace_snap_free(s);
}
END_TEST

/* The number behind a word of a screen, blanks in it left out. */
static uint64_t
number_after(const char *text, const char *word)
{
	const char *p = strstr(text, word);
	uint64_t n = 0;

	ck_assert_msg(p != NULL, "no %s", word);
	for (p += strlen(word); *p == ' ' || *p == '~'; p++)
		;
	for (; (*p >= '0' && *p <= '9') || (*p == ' ' && p[1] >= '0' && p[1] <= '9'); p++)
		if (*p != ' ')
			n = 10 * n + (uint64_t)(*p - '0');
	return n;
}

START_TEST(what_a_screen_says_adds_up)
{
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char *text = drawn(s, &ui, 120, 40);
	uint64_t should = number_after(text, "should have come");
	uint64_t before = number_after(text, "lost before the socket");
	uint64_t socket = number_after(text, "dropped by socket buffer");
	uint64_t came = number_after(text, " received ");

	ck_assert_uint_eq(should, before + socket + came);
	ck_assert_uint_eq(before + socket, 6477);
	ck_assert_ptr_nonnull(strstr(text, "6 477 of 6 916 714"));
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_strip_has_a_mark_for_each_second)
{
	struct pace_snap *s = story(61);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char *text = drawn(s, &ui, 80, 24), *strip = strstr(text, "  lost|");

	ck_assert_ptr_nonnull(strip);
	ck_assert_int_eq(strip[7 + 58], '4');	/* the newest is the last */
	ck_assert_int_eq(strncmp(strip + 7 + 37, "33333................4", 22), 0);
	ck_assert_int_eq(strip[7], '.');
	free(text);
	pace_snap_free(s);
}
END_TEST

/* --- any screen ------------------------------------------------------------ */

static const char *const labels[] = {
	"", "cam", "\\u001b]0;x\\u0007", "\\u202e\\u2066\\u200f\\u061c", "\\u4e2d\\u6587\\u4e2d\\u6587",
	("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	"\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2da\\u4e2d",
	"\\ud83d\\ude00\\u0301", "%s%n%d",
};

static uint64_t
any_count(void)
{
	return unit_between(0, 3) == 0 ? (UINT64_C(1) << 62) - 1 : unit_rnd_any_size() >> 2;
}

static void
any_counts(struct tell_count *n)
{
	*n = (struct tell_count){ any_count(), any_count(), any_count(), any_count(), any_count(),
	    any_count(), any_count(), (int64_t)unit_rnd_any_size(), 0, any_count() / 4,
	    unit_between(0, 1) };
	n->low = n->high / (uint64_t)unit_between(1, 3);
	if (unit_between(0, 1) == 0)
		n->lost = -n->lost / 2;
}

static void
any_session(struct tell_session *v, uint64_t number)
{
	static const char *const states[] = { "open", "running", "draining", "ready", "round_trips",
		"closed", "ended", "else" };

	*v = (struct tell_session){ .number = number, .peer = unit_between(0, 1) ? "2001:db8::1" :
	    "192.0.2.1", .label = labels[unit_between(0, COUNT_OF(labels) - 1)],
	    .state = states[unit_between(0, 7)], .trips = unit_between(0, 3) == 0,
	    .ended = unit_between(0, 1), .age = (int)unit_between(0, 100000), .size = any_count(),
	    .wire = any_count(), .spacing_ns = any_count(), .frames_asked = any_count(),
	    .train = unit_between(0, 1) ? any_count() : 0,
	    .duration_asked_ns = (int64_t)any_count(), .has_interval = unit_between(0, 4) > 0,
	    .gaps = any_count(), .gap_mean_ns = (double)unit_rnd_any_size(),
	    .gap_min_ns = -(int64_t)any_count(), .gap_max_ns = (int64_t)any_count(),
	    .jitter_ns = (int64_t)any_count(), .samples = any_count(),
	    .above_mean_ns = (double)unit_rnd_any_size(), .above_min_ns = (int64_t)any_count(),
	    .above_max_ns = (int64_t)any_count() };
	if (unit_between(0, 9) == 0)
		v->gap_mean_ns = 1e300;
	any_counts(&v->all);
	any_counts(&v->interval);
}

static struct pace_snap *
any_snapshot(void)
{
	struct pace_snap *s = pace_snap_new();
	int lines = (int)unit_between(0, 12), most = unit_between(0, 29) == 0 ? 1000 : 4;

	for (int t = 0; t < lines; t++) {
		size_t n = (size_t)unit_between(0, most), size;
		struct tell_session *v = calloc(n + 1, sizeof(*v));
		char *text;
		FILE *f = open_memstream(&text, &size);

		if (unit_between(0, 5) == 0)
			tell_sweep(f);
		if (unit_between(0, 9) == 0)
			tell_campaign(f);
		if (unit_between(0, 9) == 0)
			tell_head(f, labels[unit_between(0, COUNT_OF(labels) - 1)]);
		for (size_t i = 0; i < n; i++)
			any_session(&v[i], i + 1);
		tell_line(f, (int)unit_between(t, 3 * t), t == 0, v, n, (int)unit_between(0, 1));
		fclose(f);
		ck_assert_int_eq(feed_all(s, text), 0);
		free(text);
		free(v);
	}
	return s;
}

static struct pace_ui
any_ui(void)
{
	return (struct pace_ui){ .page = (enum pace_page)unit_between(0, PACE_PAGES - 1),
	    .help = unit_between(0, 5) == 0, .paused = unit_between(0, 3) == 0,
	    .unit = (enum pace_live_figure)unit_between(0, 2), .window = (int)unit_between(0, 5),
	    .linear = unit_between(0, 1), .held_bps = unit_between(0, 3) == 0 ? 1e9 : 0,
	    .bars = (enum pace_bars)unit_between(0, 2), .session = (uint64_t)unit_between(0, 5),
	    .cursor = (uint64_t)unit_between(0, 1001), .sort = (enum pace_sort)unit_between(0, 3),
	    .backwards = unit_between(0, 1), .scroll = (int)unit_between(0, 600),
	    .dist = (enum pace_dist)unit_between(0, 1), .dist_recent = unit_between(0, 1),
	    .dist_linear = unit_between(0, 1), .dist_zoom = (int)unit_between(-40, 40),
	    .dist_pan = (int)unit_between(0, 3) ? 0 : (int)unit_between(0, 100000),
	    .own_share = unit_between(0, 1) ? 0.01 : 0,
	    .metric = (enum pace_metric)unit_between(0, 2),
	    .replay = unit_between(0, 1), .held = unit_between(0, 3) == 0, .speed = 2,
	    .over = unit_between(0, 3) == 0, .record = unit_between(0, 1) ? "night.jsonl" : NULL };
}

/* Every cell may be given to a terminal, and wide ones have both halves. */
static void
check_cells(const struct pace_canvas *g)
{
	for (int r = 0; r < g->rows; r++)
		for (int c = 0; c < g->cols; c++) {
			const struct pace_screen_cell *x = &g->cell[r * g->cols + c];
			char text[5];
			const char *p = text;

			ck_assert_uint_lt(x->role, PACE_ROLES);
			if (x->glyph == 0) {
				ck_assert(c > 0 && pace_glyph_width(x[-1].glyph) == 2);
				continue;
			}
			pace_glyph_put(x->glyph, text);
			ck_assert_uint_eq(pace_glyph_next(&p), x->glyph);
			ck_assert(g->utf8 || (x->glyph >= ' ' && x->glyph < 0x7f));
			if (pace_glyph_width(x->glyph) == 2)
				ck_assert(c + 1 < g->cols && x[1].glyph == 0);
		}
}

START_TEST(any_screen_of_anything_can_be_drawn)
{
	struct pace_canvas g = { .rows = 0 };
	struct pace_snap *s;

	unit_state += (uint64_t)_i * 977;	/* each in a process of its own */
	s = any_snapshot();

	for (int i = 0; i < 8; i++) {
		struct pace_ui ui = any_ui();
		int rows = (int)unit_between(1, 120), cols = (int)unit_between(1, 300);

		if (unit_between(0, 2) == 0)
			rows = (int)unit_between(1, 14), cols = (int)unit_between(1, 50);
		if (s->n > 10)
			i += 3;
		for (int act = 0; act < 4; act++)
			(void)pace_ui_act(&ui, s, (enum pace_act)unit_between(0, PACE_ACTS - 1));
		if (unit_between(0, 3) == 0)
			pace_view_hold(&ui, s, cols);
		ck_assert_int_eq(pace_canvas_size(&g, rows, cols, ui.bars != PACE_BARS_ASCII), 0);
		pace_view_draw(&g, s, &ui);
		check_cells(&g);
	}
	pace_canvas_free(&g);
	pace_snap_free(s);
}
END_TEST

/* --- parts ----------------------------------------------------------------- */

static const struct { double v, step; } steps[] = {
	{ 1, 1 }, { 1.01, 2 }, { 2, 2 }, { 2.5, 3 }, { 3, 3 }, { 3.1, 5 }, { 5.1, 10 }, { 0.26, 0.3 },
	{ 1e9, 1e9 }, { 7e-9, 1e-8 },
};

START_TEST(movesare_round)
{
	ck_assert_double_eq_tol(pace_round_step(steps[_i].v) / steps[_i].step, 1, 1e-9);
}
END_TEST

START_TEST(a_gap_in_a_graph_is_a_gap)
{
	double v[] = { 1, NAN, 0, 1e-12, 2, NAN };
	struct pace_canvas g = { .rows = 0 };
	struct pace_chart c = { .rows = 3, .cols = PACE_CHART_MARGIN + 6, .one = 1, .v = v };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	pace_canvas_size(&g, 3, PACE_CHART_MARGIN + 6, false);
	pace_chart_draw(&g, &c);
	pace_canvas_dump(&g, f);
	fclose(f);
	ck_assert_str_eq(text, "    2 |    #\n    1 |#  .#\n    0 +- ---\n");
	free(text);
	pace_canvas_free(&g);
}
END_TEST

START_TEST(what_lies_outside_is_left_out)
{
	struct pace_canvas g = { .rows = 0 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	pace_canvas_size(&g, 3, 4, true);
	pace_canvas_text(&g, 0, 2, 99, PACE_ROLE_TEXT, "abcd");
	pace_canvas_text(&g, 1, -2, 99, PACE_ROLE_TEXT, "abc\xe4\xb8\xad\xe4\xb8\xad");
	pace_canvas_text(&g, 2, -1, 99, PACE_ROLE_TEXT, "\xe4\xb8\xad" "ab");
	pace_canvas_put(&g, 3, 0, 'x', PACE_ROLE_TEXT);
	pace_canvas_put(&g, -1, 0, 'x', PACE_ROLE_TEXT);
	pace_canvas_put(&g, 1, 2, 'x', PACE_ROLE_TEXT);	/* of a wide one, half is lost */
	pace_canvas_dump(&g, f);
	fclose(f);
	ck_assert_str_eq(text, "  ab\nc x\n ab\n");
	free(text);
	pace_canvas_free(&g);
}
END_TEST

START_TEST(the_text_of_a_long_event_goes_on_in_the_next_row)
{
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char *text;

	pace_snap_note(s, 1, PACE_MOOD_BAD, "a rule of the policy refused the run, because its rate "
	    "is above what the rule allows to clients without a key: \xc2\xb5 last");
	text = drawn(s, &ui, 120, 40);
	ck_assert_ptr_nonnull(strstr(text, "! 1: a rule of the policy refused the run, because its rate is\n"));
	ck_assert_ptr_nonnull(strstr(text, " above what the rule allows to clients without a key: u\n"));
	ck_assert_ptr_nonnull(strstr(text, " last\n"));
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_cursor_stays_in_sight)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_STREAMS, .cursor = 40 };
	struct tell_session v[60];
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; i < 60; i++)
		v[i] = (struct tell_session){ .number = (uint64_t)i + 1, .peer = "192.0.2.1", .label = "",
		    .state = "open" };
	tell_line(f, 1, false, v, 60, 0);
	fclose(f);
	ck_assert_int_eq(feed_all(s, text), 0);
	free(text);
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(strstr(text, "\n>  40 "));
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_long_number_of_a_session_is_shown_whole)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = PACE_PAGE_STREAMS };
	struct tell_session v[3] = { { .number = 9999, .label = "four" },
		{ .number = 10001, .label = "five" }, { .number = UINT64_C(1234567890123456), .label =
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; i < 3; i++) {
		v[i].peer = "192.0.2.1";
		v[i].state = "open";
	}
	tell_line(f, 1, false, v, 3, 0);
	fclose(f);
	ck_assert_int_eq(feed_all(s, text), 0);
	free(text);
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(strstr(text, " 9999 four"));
	ck_assert_ptr_nonnull(strstr(text, "10001 five"));
	ck_assert_ptr_nonnull(strstr(text, "1234567890123456 aaaaaaaaaaa open"));
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(what_the_responder_says_is_on_the_screen)
{
	static const char line[] = "{\"error\":\"as many\\u202e read\\u00db as may\"}";
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .bars = PACE_BARS_BLOCK };
	char *text;

	ck_assert_int_eq(pace_snap_feed(s, line, strlen(line)), 1);
	ui.record = "night.jsonl";
	text = drawn(s, &ui, 160, 40);
	ck_assert_ptr_nonnull(strstr(text, "recording night.jsonl"));
	free(text);
	ui.record_error = "No space left on device";
	text = drawn(s, &ui, 160, 40);
	ck_assert_ptr_null(strstr(text, "recording night.jsonl"));
	ck_assert_ptr_nonnull(strstr(text, "! nothing more is recorded: No space left"));
	free(text);
	ui.record_error = NULL;
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(strstr(text, "! the responder says: as many? read? as may"));
	free(text);
	ui.page = PACE_PAGE_EVENTS;
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(strstr(text, "the responder says: as many? read\xc3\x9b as may"));
	free(text);
	pace_snap_free(s);
}
END_TEST

/* At any size, the first key up undoes the last key down. */
START_TEST(scrolling_ends_with_the_last_line)
{
	static const struct { int cols, rows; } sizes[] = { { 80, 24 }, { 120, 40 }, { 120, 20 },
		{ 40, 10 }, { 60, 12 }, { 115, 19 } };
	struct pace_snap *s = story(85);

	for (int i = 0; i < 2 * COUNT_OF(sizes); i++) {
		int cols = sizes[i / 2].cols, rows = sizes[i / 2].rows;
		struct pace_ui ui = { .bars = PACE_BARS_ASCII, .help = i % 2 == 0,
		    .page = PACE_PAGE_EVENTS };
		char *last, *before;

		ui.rows = pace_view_list_rows(&ui, rows, cols);
		for (int k = 0; k < 600; k++)
			pace_ui_act(&ui, s, PACE_ACT_DOWN);
		last = drawn(s, &ui, cols, rows);
		ck_assert_msg(strstr(last, ui.help ? "redraw the screen" : "session of 192.0.2.17") != NULL, "%s", last);
		if (ui.scroll > 0) {
			pace_ui_act(&ui, s, PACE_ACT_UP);
			before = drawn(s, &ui, cols, rows);
			ck_assert_str_ne(last, before);
			free(before);
		}
		free(last);
	}
	pace_snap_free(s);
}
END_TEST

START_TEST(no_key_does_two_things)
{
	for (size_t i = 0; i < pace_hotkeys_n; i++)
		for (size_t k = 0; k <= i; k++)
			for (int a = 0; a < 3; a++)
				for (int b = 0; b < 3; b++) {
					const struct pace_hotkey *x = &pace_hotkeys[i], *y = &pace_hotkeys[k];

					ck_assert_msg(x->code[a] == 0 || x->code[a] != y->code[b] ||
					    (x->pages & y->pages & PACE_IN_ALL) == 0 || (i == k && a == b),
					    "%s and %s", x->name, y->name);
				}
}
END_TEST

START_TEST(keys_do_what_they_say)
{
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };

	ck_assert_int_eq(pace_ui_act(&ui, s, pace_hotkey_act('6', &ui)), PACE_ACT_NONE);
	ck_assert_int_eq(ui.page, PACE_PAGE_STREAMS);
	pace_ui_act(&ui, s, pace_hotkey_act('j', &ui));	/* the cursor appears */
	ck_assert_uint_eq(ui.cursor, 1);
	pace_ui_act(&ui, s, pace_hotkey_act('j', &ui));
	pace_ui_act(&ui, s, pace_hotkey_act(PACE_HOTKEY_DOWN, &ui));
	pace_ui_act(&ui, s, pace_hotkey_act('j', &ui));
	ck_assert_uint_eq(ui.cursor, 3);
	pace_ui_act(&ui, s, pace_hotkey_act('\r', &ui));
	ck_assert_int_eq(ui.page, PACE_PAGE_OVERVIEW);
	ck_assert_uint_eq(ui.session, 3);
	pace_ui_act(&ui, s, pace_hotkey_act('k', &ui));
	ck_assert_uint_eq(ui.session, 2);
	pace_ui_act(&ui, s, pace_hotkey_act(27, &ui));
	ck_assert_uint_eq(ui.session, 0);
	pace_ui_act(&ui, s, pace_hotkey_act('3', &ui));
	pace_ui_act(&ui, s, pace_hotkey_act('l', &ui));
	ck_assert(ui.dist_linear && !ui.linear);
	pace_ui_act(&ui, s, pace_hotkey_act('>', &ui));
	pace_ui_act(&ui, s, pace_hotkey_act('+', &ui));
	ck_assert_int_eq(ui.dist_pan, 2);
	ck_assert_int_eq(ui.dist_zoom, 1);
	pace_ui_act(&ui, s, pace_hotkey_act('i', &ui));
	ck_assert_int_eq(ui.dist, PACE_DIST_DELAY);
	ck_assert_int_eq(ui.dist_pan, 0);
	pace_ui_act(&ui, s, pace_hotkey_act('1', &ui));
	pace_ui_act(&ui, s, pace_hotkey_act(PACE_HOTKEY_BACK_TAB, &ui));
	ck_assert_int_eq(ui.page, PACE_PAGE_EVENTS);
	pace_ui_act(&ui, s, pace_hotkey_act('\t', &ui));
	ck_assert_int_eq(ui.page, PACE_PAGE_OVERVIEW);
	for (int i = 0; i < 9; i++)
		pace_ui_act(&ui, s, pace_hotkey_act('+', &ui));
	ck_assert_int_eq(ui.window, PACE_WINDOWS - 1);
	pace_ui_act(&ui, s, pace_hotkey_act('u', &ui));
	ck_assert_int_eq(ui.unit, PACE_FIG_IP);
	ck_assert_int_eq(pace_hotkey_act('>', &ui), PACE_ACT_NONE);
	ui.replay = true;
	ck_assert_int_eq(pace_hotkey_act('>', &ui), PACE_ACT_FASTER);
	ck_assert_int_eq(pace_hotkey_act('s', &ui), PACE_ACT_NONE);
	ck_assert_int_eq(pace_hotkey_act(0, &ui), PACE_ACT_NONE);
	ck_assert_int_eq(pace_ui_act(&ui, s, pace_hotkey_act('q', &ui)), PACE_ACT_QUIT);
	pace_snap_free(s);
}
END_TEST

/* Under the cursor nothing moves, whatever the rates do; new ones are at the end. */
START_TEST(the_order_is_held_under_the_cursor)
{
	for (int sort = 0; sort < PACE_SORTS; sort++) {
		struct pace_snap *s = story(55);
		struct pace_ui ui = { .sort = (enum pace_sort)sort, .page = PACE_PAGE_STREAMS };
		uint64_t was[3];
		size_t v[3];

		pace_ui_act(&ui, s, PACE_ACT_DOWN);
		pace_ui_order(&ui, s, v);
		for (int i = 0; i < 3; i++)
			was[i] = s->session[v[i]].now.number;
		s->session[1].now.all = s->session[0].now.all;	/* now the second has the loss and the rate, */
		s->session[1].of[PACE_FIG_WIRE] = s->session[0].of[PACE_FIG_WIRE];
		s->session[0].of[PACE_FIG_WIRE].known = false;
		memset(&s->session[0].now.all, 0, sizeof(s->session[0].now.all));
		strcpy(s->session[0].now.label, "zzz");	/* and the first another name */
		pace_ui_order(&ui, s, v);
		for (int i = 0; i < 3; i++)
			ck_assert_uint_eq(s->session[v[i]].now.number, was[i]);
		ui.order[0] = was[2];			/* as if the others had come since */
		ui.ordered = 1;
		pace_ui_order(&ui, s, v);
		ck_assert_uint_eq(s->session[v[0]].now.number, was[2]);
		pace_ui_act(&ui, s, PACE_ACT_CLOSE);
		ck_assert_uint_eq(ui.cursor, 0);
		pace_ui_order(&ui, s, v);
		if (sort == PACE_SORT_LOST)
			ck_assert_uint_eq(s->session[v[0]].now.number, 2);
		pace_snap_free(s);
	}
}
END_TEST

START_TEST(a_record_that_fails_is_told_of_on_every_view)
{
	struct pace_snap *s = story(85);

	for (int page = 0; page < PACE_PAGES; page++) {
		struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = (enum pace_page)page,
		    .record = "night.jsonl", .record_error = "No space left on device" };
		char *text = drawn(s, &ui, 80, 24);

		ck_assert_msg(strstr(text, "! nothing more is recorded: No space left") != NULL, "%s", text);
		ck_assert_ptr_nonnull(strstr(text, "unsaved!"));
		free(text);
	}
	pace_snap_free(s);
}
END_TEST

START_TEST(arrows_go_from_point_to_point)
{
	struct pace_snap *s = story(STORY_SWEEP);
	struct pace_ui ui = { .page = PACE_PAGE_SWEEP, .replay = true };
	static const struct { int key; uint64_t size; double spacing; } moves[] = {
		{ PACE_HOTKEY_UP, 1472, 2500.5 }, { PACE_HOTKEY_LEFT, 1472, 1000 },
		{ PACE_HOTKEY_UP, 64, 1000 }, { PACE_HOTKEY_UP, 64, 1000 }, { PACE_HOTKEY_LEFT, 64, 500 },
		{ PACE_HOTKEY_LEFT, 64, 500 },
	};

	ck_assert_ptr_eq(pace_sweep_grid_chosen(s->sweep, &ui.point), &s->sweep->point[12]);
	for (int i = 0; i < COUNT_OF(moves); i++) {
		pace_ui_act(&ui, s, pace_hotkey_act(moves[i].key, &ui));
		ck_assert_uint_eq(ui.point.size_bytes, moves[i].size);
		ck_assert_double_eq_tol(ui.point.spacing_ns, moves[i].spacing, 1e-9);
	}
	for (int i = 0; i < 9; i++)
		pace_ui_act(&ui, s, pace_hotkey_act(PACE_HOTKEY_RIGHT, &ui));
	pace_ui_act(&ui, s, PACE_ACT_DOWN);
	pace_ui_act(&ui, s, PACE_ACT_DOWN);
	ck_assert_uint_eq(ui.point.size_bytes, 8972);
	ck_assert_ptr_null(pace_sweep_grid_chosen(s->sweep, &ui.point));	/* to do */
	pace_ui_act(&ui, s, pace_hotkey_act('m', &ui));
	ck_assert_int_eq(ui.metric, PACE_METRIC_RATE);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_campaign_is_not_left_without_a_question)
{
	struct pace_snap *s = story(STORY_CAMPAIGN);
	struct pace_ui ui = { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_SWEEP };
	char *text;

	ck_assert_int_eq(pace_ui_act(&ui, s, pace_hotkey_act('q', &ui)), PACE_ACT_QUIT);
	ck_assert_int_eq(pace_hotkey_act('n', &ui), PACE_ACT_NONE);
	ui.campaign = true;
	ck_assert_int_eq(pace_ui_act(&ui, s, pace_hotkey_act('n', &ui)), PACE_ACT_SKIP);
	for (int i = 0; i < PACE_ANSWERS; i++) {
		ck_assert_int_eq(pace_ui_act(&ui, s, pace_hotkey_act(i % 2 ? 'Q' : 'q', &ui)),
		    PACE_ACT_NONE);
		ck_assert(ui.asking && ui.keeps == (i % 2 == 1));
		text = drawn(s, &ui, 80, 24);
		ck_assert_ptr_nonnull(strstr(text, "\n Stop?  s after this point   x now   l lines"));
		ck_assert_ptr_nonnull(strstr(text, "g go on\n"));
		free(text);
		ck_assert_int_eq(pace_ui_answer(&ui, 'q'), PACE_ACT_NONE);
		ck_assert(ui.asking);
		ck_assert_int_eq(pace_ui_answer(&ui, pace_answers[i].key), pace_answers[i].act);
		ck_assert(!ui.asking);
	}
	pace_ui_act(&ui, s, PACE_ACT_QUIT);
	ck_assert_int_eq(pace_ui_answer(&ui, 27), PACE_ACT_NONE);
	ck_assert(!ui.asking);
	ui.page = PACE_PAGE_RATE;
	ck_assert_int_eq(pace_hotkey_act('n', &ui), PACE_ACT_NONE);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_note_is_typed)
{
	struct pace_snap *s = story(20);
	struct pace_ui ui = { .bars = PACE_BARS_BLOCK };
	static const int keys[] = { 'q', 0x1b00, 0x4e2d, 0x202e, PACE_HOTKEY_UP, 0xb5, 0x7f, 0x7f, 0x7f,
		0x7f, 'x', ' ', 0xb5 };
	char *text;

	pace_ui_act(&ui, s, pace_hotkey_act('a', &ui));
	ck_assert(ui.typing);
	ck_assert(!pace_ui_type(&ui, '\r') && !ui.typing);	/* an empty one is none */
	pace_ui_act(&ui, s, PACE_ACT_NOTE);
	for (int i = 0; i < COUNT_OF(keys); i++)
		ck_assert(!pace_ui_type(&ui, keys[i]));
	ck_assert_str_eq(ui.note, "x \xc2\xb5");
	text = drawn(s, &ui, 80, 24);
	ck_assert_ptr_nonnull(strstr(text, "\n note: x \xc2\xb5"));
	free(text);
	for (int i = 0; i < 300; i++)
		pace_ui_type(&ui, 0x4e2d);
	ck_assert_uint_lt(strlen(ui.note), sizeof(ui.note));
	ck_assert(pace_ui_type(&ui, '\r') && !ui.typing);
	pace_ui_act(&ui, s, PACE_ACT_NOTE);
	pace_ui_type(&ui, 'y');
	ck_assert(!pace_ui_type(&ui, 27) && !ui.typing);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_list_can_be_sorted)
{
	struct pace_snap *s = story(85);
	struct pace_ui ui = { .sort = PACE_SORT_NAME };
	size_t v[3];

	pace_ui_order(&ui, s, v);
	ck_assert_uint_eq(s->session[v[0]].now.number, 2);	/* 2001:..., "?[2J", cam-a */
	ck_assert_uint_eq(s->session[v[2]].now.number, 1);
	ui.backwards = true;
	pace_ui_order(&ui, s, v);
	ck_assert_uint_eq(s->session[v[0]].now.number, 1);
	ui = (struct pace_ui){ .sort = PACE_SORT_LOST };
	pace_ui_order(&ui, s, v);
	ck_assert_uint_eq(s->session[v[0]].now.number, 1);
	ck_assert_uint_eq(s->session[v[1]].now.number, 2);
	pace_snap_free(s);
}
END_TEST

/* --- without a line between ----------------------------------------------------------- */

/* A second more of a stream of our own, with losses at times. */
static void
pass_second(struct pace_session_pair *p, struct pace_status_session *to, int second)
{
	struct pace_session_stats *v = &p->now;
	struct pace_tally t = { .frames = 1000, .bytes = 1472000, .wire_bytes = 1538000,
	    .lost = second % 4 == 3 ? 25 : 0, .socket_drops = 3, .socket_lost_likely = 2, .socket_lost_max = 5,
	    .reordered = 1, .duplicates = 2 };
	struct pace_probe_status probe = { .known = true, .sent = (uint64_t)second * 1025, .refused = 3,
	    .interval_sent = 1025, .leaving = { .n = 1024, .mean = 976562.25 }, .asked = 100,
	    .has_bound = true, .bound_ns = 345.6, .core = 0.0125 };

	p->then = p->now;
	pace_tally_add(&v->this_run, &t);
	v->all = v->this_run;
	pace_stats_add_n(&v->gaps, 1000000 + second, 1000);
	v->heard_ns = second * INT64_C(1000000000);
	v->jitter_ns = 123 * second;
	p->recent = (struct pace_recent){ .gap_min_ns = 900000, .gap_max_ns = 1100000 + second,
	    .samples = 10, .above_min_ns = 5, .above_max_ns = 70000, .above_sum_ns = 90000 };
	pace_session_fill(to, p, v->heard_ns, INT64_C(1000000000));
	for (int i = 0; i < PACE_WAYS; i++)
		probe.way[i] = (struct pace_moments){ .n = 99, .has_extremes = true, .min = 20000 + i,
		    .mean = 25000.5 + i, .max = 91000 };
	to->now.probe = probe;
	to->dist[PACE_DIST_GAP] = (struct pace_coarse_hist_list){ .n = 1,
	    .bin = { { 983040, 1048576, (uint64_t)second * 1000 } } };
}

static struct pace_status
status_of(struct pace_session_pair *p, struct pace_status_session *session, int second)
{
	struct pace_host_counters sums = { .at_ns = second * INT64_C(1000000000) + 1, .has = 0x7ff };
	struct pace_status st = { .wall_ns = (1763805600 + second) * INT64_C(1000000000),
	    .interval_ns = INT64_C(1000000000), .session = session, .n = 1 };

	pass_second(p, session, second);
	st.totals = (struct pace_totals){ .now_ns = second * INT64_C(1000000000), .opened = 1, .active = 1,
	    .streams = 1, .tally = session->now.all, .refused = { [PACE_REFUSED_POLICY] = 2 } };
	st.added.refused[PACE_REFUSED_POLICY] = second == 2 ? 2 : 0;
	for (int i = 0; i < PACE_HOST_COUNTERS; i++)
		sums.n[i] = (uint64_t)(second * (i + 1));
	pace_host_reported(&st.host, &sums);
	return st;
}

/* A status that was taken draws the same pages as its line. */
START_TEST(a_status_is_what_its_line_tells)
{
	struct pace_session_pair pair = { .now = { .number = 1, .state = PACE_RUNNING, .leased = 1,
	    .label = "cam\x1b \xc3\xa9", .runs = 1, .rcvbuf_bytes = 4096, .peer = { .family = 4,
	    .ip = { 192, 0, 2, 7 } }, .run = { .number = 1, .size_bytes = 1472, .wire_bytes = 1538,
	    .spacing_ns = 1000000, .train = 1, .bursts = 1, .duration_asked_ns = INT64_C(9000000000) } } };
	struct pace_snap *told = pace_snap_new(), *direct = pace_snap_new();
	struct pace_status_session session;
	struct pace_status_head h;
	char *line;

	pace_head_fill(&h, "hostb", 1763805600 * INT64_C(1000000000), INT64_C(1000000000));
	line = pace_status_first(&h);
	ck_assert_int_eq(pace_snap_feed(told, line, strcspn(line, "\n")), 1);
	free(line);
	pace_snap_begin(direct, &h);
	for (int second = 1; second <= 20; second++) {
		struct pace_status st = status_of(&pair, &session, second);

		line = pace_status_line(&st);
		ck_assert_int_eq(pace_snap_feed(told, line, strcspn(line, "\n")), 0);
		free(line);
		ck_assert_int_eq(pace_snap_take(direct, &st), 0);
	}
	for (int page = 0; page < PACE_PAGES; page++) {
		struct pace_ui ui = { .page = (enum pace_page)page, .bars = PACE_BARS_BLOCK };
		char *a = drawn(told, &ui, 132, 50), *b = drawn(direct, &ui, 132, 50);

		ck_assert_str_eq(a, b);
		ck_assert(page != PACE_PAGE_OVERVIEW || strstr(a, "cam? \xc3\xa9") != NULL);
		free(a);
		free(b);
	}
	pace_snap_free(told);
	pace_snap_free(direct);
}
END_TEST

/* As the sender of the stream tells it: silent is since when, 0: it is over, or there was none. */
static void
feed_outage(struct pace_snap *s, struct pace_session_pair *pair, int second, int64_t silent_s,
    const struct pace_outages *out, uint64_t unreported)
{
	struct pace_status_session session;
	struct pace_status st;
	char *line;

	if (silent_s > 0) {
		pair->then = pair->now;
		pace_session_fill(&session, pair, second * INT64_C(1000000000), 0);
		st = (struct pace_status){ .wall_ns = (1763805600 + second) * INT64_C(1000000000),
		    .session = &session, .n = 1, .totals.now_ns = second * INT64_C(1000000000) };
		session.now.probe.known = true;
	} else {
		st = status_of(pair, &session, second);
	}
	session.now.probe.out = *out;
	session.now.probe.out.now_ns = silent_s * INT64_C(1000000000);
	session.now.probe.unreported = unreported;
	if (out->lost > 0 && silent_s == 0 && pair->now.all.lost < (int64_t)out->lost) {
		session.now.all.lost += (int64_t)out->lost;
		session.now.this_run = pair->now.this_run = pair->now.all = session.now.all;
		session.interval.n.lost += (int64_t)out->lost;
		session.interval.span_ns = st.interval_ns = INT64_C(6000000000);
	}
	line = pace_status_line(&st);
	ck_assert_int_eq(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
	free(line);
}

static void
says(const struct pace_snap *s, bool sum, const char *words)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (sum)
		pace_line_summary(f, s, PACE_FIG_WIRE, 10, false);
	else
		pace_line_tick(f, s, PACE_FIG_WIRE, false, &(struct pace_line_head){ .rows = 0 });
	fclose(f);
	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
	free(text);
}

static void
has(const struct pace_snap *s, int cols, int rows, enum pace_page page, const char *words)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII, .page = page };
	char *text = drawn(s, &ui, cols, rows);

	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
	free(text);
}

/* An outage is a state with a duration; the strips advance, begin and end are events, and the
 * sum has its losses. */
START_TEST(an_outage_is_a_state_of_its_own)
{
	struct pace_session_pair pair = { .now = { .number = 1, .state = PACE_RUNNING, .leased = 1,
	    .label = "cam", .runs = 1, .peer = { .family = 4, .ip = { 192, 0, 2, 7 } },
	    .run = { .number = 1, .size_bytes = 1472, .wire_bytes = 1538, .spacing_ns = 1000000,
	    .train = 1, .bursts = 1 } } };
	struct pace_outages none = { .n = 0 }, one = { .n = 1, .all_ns = INT64_C(5000000000) };
	struct pace_snap *s = pace_snap_new();

	for (int second = 1; second <= 10; second++)
		feed_outage(s, &pair, second, 0, &none, 0);
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "RUNNING  0:10");
	for (int second = 11; second <= 15; second++) {
		strcpy(one.why, second > 13 ? "Network is unreachable" : "");
		feed_outage(s, &pair, second, second - 10, &one, second == 15 ? 70 : 0);
	}
	says(s, false, "  OUTAGE for 5.00 s: Network is unreachable\n");
	says(s, true, "  1 outage, 5.00 s in all (it was not over), lost in it 0 frames\n"
	    "  70 more frames were received or lost: no report tells which\n");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "Network is unreachable: udpace asks until the responder answers");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "OUTAGE  0:05");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, ".OOOOO ");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "silent!");
	has(s, 20, 3, PACE_PAGE_OVERVIEW, "OUT -");
	has(s, 80, 24, PACE_PAGE_EVENTS, "outage: nothing is heard of the responder");
	one.lost = 5000;
	one.all_ns = INT64_C(6000000000);
	one.why[0] = '\0';
	feed_outage(s, &pair, 16, 0, &one, 70);
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "RUNNING  0:16");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, ".OOOOO5 ");
	has(s, 80, 24, PACE_PAGE_EVENTS, "the outage is over after 6 s: lost 5 000, not known 70");
	says(s, true, "  1 outage, 6.00 s in all, lost in it 5 000 frames\n");
	pace_snap_free(s);
}
END_TEST

/* Lines of a silence continue until a report comes, even if the stream continued before. */
START_TEST(a_rate_behind_an_outage_is_not_above_the_sent_one)
{
	struct pace_session_pair pair = { .now = { .number = 1, .state = PACE_RUNNING, .leased = 1,
	    .runs = 1, .peer = { .family = 4, .ip = { 192, 0, 2, 7 } }, .run = { .number = 1,
	    .size_bytes = 1472, .wire_bytes = 1538, .spacing_ns = 1000000, .train = 1, .bursts = 1 } } };
	struct pace_outages out = { .n = 1, .all_ns = INT64_C(5000000000) };
	struct pace_snap *s = pace_snap_new();
	struct pace_status_session session;
	struct pace_status st;
	char *line;

	for (int second = 1; second <= 8; second++)
		feed_outage(s, &pair, second, second > 3 ? second - 3 : 0, &out, 0);
	st = status_of(&pair, &session, 9);
	session.interval.span_ns = st.interval_ns = INT64_C(5200000000);
	session.now.probe = (struct pace_probe_status){ .known = true, .out = out };
	line = pace_status_line(&st);
	ck_assert_int_eq(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
	free(line);
	ck_assert(pair.now.all.frames == 4000);
	says(s, false, "    12.304     1000 ");
	pace_snap_free(s);
}
END_TEST

/* A run whose frames the responder sends: its own figures say nothing of loss, order or gaps. */
START_TEST(what_a_responder_sends_is_shown_as_sent)
{
	struct pace_session_pair pair = { .now = { .number = 1, .state = PACE_SENDING, .leased = 1,
	    .runs = 1, .peer = { .family = 4, .ip = { 192, 0, 2, 7 } }, .run = { .number = 1,
	    .size_bytes = 1472, .wire_bytes = 1538, .spacing_ns = 1000000, .train = 1, .bursts = 1,
	    .down = 1 } } };
	struct pace_host_counters sums = { .has = 0x7ff };
	struct pace_snap *s = pace_snap_new();
	struct pace_status_session session;
	struct pace_status st;
	char *line;

	for (int second = 1; second <= 4; second++) {
		pair.then = pair.now;
		pair.now.this_run = pair.now.all = (struct pace_tally){
		    .sent_frames = 1000 * (uint64_t)second, .sent_bytes = 1472000 * (uint64_t)second,
		    .sent_wire_bytes = 1538000 * (uint64_t)second };
		pace_session_fill(&session, &pair, second * INT64_C(1000000000),
		    second > 1 ? INT64_C(1000000000) : 0);
		st = (struct pace_status){ .wall_ns = (1763805600 + second) * INT64_C(1000000000),
		    .interval_ns = second > 1 ? INT64_C(1000000000) : 0, .session = &session, .n = 1,
		    .totals.now_ns = second * INT64_C(1000000000) };
		sums.at_ns = second;
		pace_host_reported(&st.host, &sums);
		line = pace_status_line(&st);
		ck_assert_int_eq(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
		free(line);
	}
	ck_assert_uint_eq(s->session[0].of[PACE_FIG_FRAMES].n, 3);
	for (enum pace_live_figure f = PACE_FIG_LOSS; f <= PACE_FIG_DELAY; f++)
		ck_assert_uint_eq(s->session[0].of[f].n, 0);
	says(s, false, "    12.304     1000    sent       -       -      -        -        -\n");
	says(s, true, "  4 000     sent   -            -        - ");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "SENDING");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, "\n Sent              12.304 ");
	has(s, 80, 24, PACE_PAGE_OVERVIEW, " Sent, Mbit/s wire ");
	has(s, 120, 40, PACE_PAGE_OVERVIEW, "sent 4 000");
	has(s, 120, 40, PACE_PAGE_STREAMS, " sent ");
	has(s, 120, 40, PACE_PAGE_HOST, "this session: sent");
	pair.now.state = PACE_READY;
	pair.now.run.ended_ns = INT64_C(5000000000);
	pair.then = pair.now;
	pace_session_fill(&session, &pair, INT64_C(5000000000), INT64_C(1000000000));
	st.wall_ns += INT64_C(1000000000);
	line = pace_status_line(&st);
	ck_assert_int_eq(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
	free(line);
	ck_assert_str_eq(pace_snap_event(s, 0)->text, "the stream ended: 4 000 frames sent");
	pace_snap_free(s);
}
END_TEST

/* TCP: data of both directions, round trip and segments sent again; nothing about frames. */
START_TEST(tcp_is_shown_by_its_data)
{
	struct pace_session_pair pair = { .now = { .number = 1, .state = PACE_PINGING, .leased = 1,
	    .runs = 1, .peer = { .family = 4, .ip = { 192, 0, 2, 7 } }, .tcp_rtt_ns = 2500000,
	    .run = { .number = 1, .size_bytes = 64, .pings = 1, .tcp = 8 } } };
	struct pace_snap *s = pace_snap_new();
	struct pace_status_session session;
	struct pace_status st;
	char *line;

	for (int second = 1; second <= 5; second++) {
		pair.then = pair.now;
		pair.now.this_run = pair.now.all = (struct pace_tally){ .round_trips = 4,
		    .tcp_bytes = 125000000 * (uint64_t)second, .tcp_sent_bytes = 250000000 * (uint64_t)second,
		    .tcp_retransmits = 7 };
		if (second == 5)
			pair.now.run.ended_ns = INT64_C(5000000000);
		pace_session_fill(&session, &pair, second * INT64_C(1000000000),
		    second > 1 ? INT64_C(1000000000) : 0);
		st = (struct pace_status){ .wall_ns = (1763805600 + second) * INT64_C(1000000000),
		    .interval_ns = second > 1 ? INT64_C(1000000000) : 0, .session = &session, .n = 1,
		    .totals.now_ns = second * INT64_C(1000000000) };
		line = pace_status_line(&st);
		ck_assert_int_eq(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
		free(line);
		if (second < 4)
			continue;
		has(s, 80, 24, PACE_PAGE_OVERVIEW, "TCP, 8 connections");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, second < 5 ? "RUNNING" : "DONE");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, second == 5 ? "\n Received               -    1.000" :
		    "\n Received           1.000    1.000    1.000    1.000"
		    "  Gbit/s  ");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, second == 5 ? "\n Sent                   -    2.000" :
		    "\n Sent               2.000    2.000    2.000    2.000"
		    "  Gbit/s  ");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, "\n Round trip       2500.00 ");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, "segments sent again: 7");
		has(s, 80, 24, PACE_PAGE_OVERVIEW, " Data of TCP, Gbit/s ");
	}
	ck_assert_uint_eq(s->session[0].of[PACE_FIG_FRAMES].n, 0);
	ck_assert_str_eq(pace_snap_event(s, 0)->text, "the run of TCP ended: 625 000 000 bytes came, "
	    "1 250 000 000 were sent");
	pace_snap_free(s);
}
END_TEST

/* Screens with the longest names, numbers and bounds. */
START_TEST(a_summary_fits_80_columns)
{
	struct pace_session_pair pair = { .now = { .number = 9876, .state = PACE_RUNNING, .leased = 1,
	    .label = "a camera on the roof", .runs = 1, .run = { .number = 1, .size_bytes = 1472,
	    .wire_bytes = 1538, .spacing_ns = 1000000, .train = 1, .bursts = 1 }, .all = {
	    .frames = 1234567890, .lost = 98765432 } } };
	struct pace_outages none = { .n = 0 };
	struct pace_snap *s = pace_snap_new();
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int second = 1; second <= 3; second++)
		feed_outage(s, &pair, second, 0, &none, 0);
	pace_line_summary(f, s, PACE_FIG_WIRE, 10, false);
	fclose(f);
	ck_assert_msg(strstr(text, "9876  a camera on the") != NULL, "%s", text);
	for (const char *p = text; *p != '\0'; p += strcspn(p, "\n") + 1)
		ck_assert_msg(strcspn(p, "\n") <= 80, "%.*s", (int)strcspn(p, "\n"), p);
	free(text);
	pace_snap_free(s);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("view");

	unit_seed(tc);
	tcase_add_loop_test(tc, screens_are_as_they_were_looked_at, 0, COUNT_OF(screens));
	tcase_add_test(tc, what_a_screen_says_adds_up);
	tcase_add_test(tc, what_a_responder_sends_is_shown_as_sent);
	tcase_add_test(tc, tcp_is_shown_by_its_data);
	tcase_add_test(tc, a_strip_has_a_mark_for_each_second);
	tcase_add_loop_test(tc, any_screen_of_anything_can_be_drawn, 0, 40);
	tcase_add_loop_test(tc, movesare_round, 0, COUNT_OF(steps));
	tcase_add_test(tc, a_gap_in_a_graph_is_a_gap);
	tcase_add_test(tc, what_lies_outside_is_left_out);
	tcase_add_test(tc, the_cursor_stays_in_sight);
	tcase_add_test(tc, a_long_number_of_a_session_is_shown_whole);
	tcase_add_test(tc, what_the_responder_says_is_on_the_screen);
	tcase_add_test(tc, scrolling_ends_with_the_last_line);
	tcase_add_test(tc, no_key_does_two_things);
	tcase_add_test(tc, keys_do_what_they_say);
	tcase_add_test(tc, arrows_go_from_point_to_point);
	tcase_add_test(tc, a_campaign_is_not_left_without_a_question);
	tcase_add_test(tc, a_note_is_typed);
	tcase_add_test(tc, the_list_can_be_sorted);
	tcase_add_test(tc, the_order_is_held_under_the_cursor);
	tcase_add_test(tc, the_text_of_a_long_event_goes_on_in_the_next_row);
	tcase_add_test(tc, a_status_is_what_its_line_tells);
	tcase_add_test(tc, an_outage_is_a_state_of_its_own);
	tcase_add_test(tc, a_rate_behind_an_outage_is_not_above_the_sent_one);
	tcase_add_test(tc, a_summary_fits_80_columns);
	tcase_add_test(tc, a_record_that_fails_is_told_of_on_every_view);
	return unit_run(tc, "view");
}
