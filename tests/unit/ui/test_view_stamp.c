/*
 * ui/parts_stamp.c and ui/line.c: what the monitor shows of a STAMP reflector, as the screens and
 * lines in tests/data/screens, which were inspected once.  Each status is written as a line and
 * read back before it is shown, so a recording shows the same.
 */
#include "lib/golden.h"
#include "lib/screen.h"

#include <string.h>

#include "live/snap.h"
#include "ui/line.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define WALL	(1763805600 * SEC)
#define LAST	75			/* second */

/* A reflector that counts: losses, a longer route from second 30 on, no reply from 50 to 59. */
static struct pace_stamp_result
result_at(int second, uint64_t replies)
{
	return (struct pace_stamp_result){ .ssid = 4711, .replies = replies,
	    .reply_bytes = { 84, 84 }, .synchronised = replies, .error_ns = 3 * MS,
	    .counter = PACE_COUNTER_OWN, .lost_there = second >= 10 ? 3 : 0,
	    .lost_back = second >= 60 ? 101 : second >= 20 ? 1 : 0, .ttl_sent = 255,
	    .ttl_there = { second >= 30 ? 249 : 251, 251 }, .ttl_back = { 251, 251 },
	    .dscp_sent = 46, .dscp_there = second >= 40 ? 0 : 46, .dscp_back = 46,
	    .marks_there = replies, .marks_back = replies,
	    .changed_there = second >= 40 ? (uint64_t)(second - 39) * 10 : 0, .reordered = 1 };
}

static void
fill_probe(struct pace_probe_status *p, int second, uint64_t replies)
{
	static const int64_t mean[PACE_WAYS] = { [PACE_WAY_BOTH] = 420, [PACE_WAY_THERE] = 230,
	    [PACE_WAY_BACK] = 190, [PACE_WAY_TOTAL] = 1400 };

	*p = (struct pace_probe_status){ .known = true, .has_stamp = true, .has_bound = true,
	    .sent = (uint64_t)second * 10, .interval_sent = 10, .asked = 10,
	    .bound_ns = 61234.5, .offset_ns = -1234567.8, .offset_error_ns = 4321.9,
	    .skew_ppm = -1.25, .skew_error_ppm = 0.00412, .core = 0.002 };
	p->stamp = result_at(second, replies);
	for (int w = 0; w < PACE_WAYS && (second < 50 || second >= 60); w++)
		p->way[w] = (struct pace_moments){ .n = 10, .min = (mean[w] - 20) * US,
		    .mean = (double)((mean[w] + second % 5) * US), .max = (mean[w] + 300) * US };
	if (second >= 53 && second < 60)
		p->out = (struct pace_outages){ .n = 1, .now_ns = (second - 50) * SEC,
		    .all_ns = (second - 50) * SEC };
	else if (second >= 60)
		p->out = (struct pace_outages){ .n = 1, .all_ns = 10 * SEC, .lost = 100 };
}

static void
feed(struct pace_snap *s, char *line)
{
	ck_assert_ptr_nonnull(line);
	ck_assert_int_ge(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
	free(line);
}

static void
feed_second(struct pace_snap *s, struct pace_session_pair *p, int second)
{
	struct pace_status_session session;
	struct pace_status st = { .wall_ns = WALL + second * SEC, .interval_ns = SEC,
	    .session = &session, .n = 1 };
	const bool silent = second >= 50 && second < 60;
	uint64_t lost, replies;

	memset(&session, 0, sizeof(session));
	p->then = p->now;
	lost = second < 10 ? 0 : second < 20 ? 3 : second < 60 ? 4 : 104;
	replies = (uint64_t)(silent ? 500 : second * 10) - lost;
	p->now.this_run = (struct pace_tally){ .frames = replies, .bytes = replies * 84,
	    .wire_bytes = replies * 150, .lost = (int64_t)lost, .reordered = 1 };
	p->now.all = p->now.this_run;
	p->now.heard_ns = second * SEC;
	p->recent = (struct pace_recent){ .gap_min_ns = INT64_MAX, .gap_max_ns = INT64_MIN,
	    .samples = silent ? 0 : 10, .above_min_ns = 0, .above_max_ns = (20 + second) * US,
	    .above_sum_ns = 100 * US };
	pace_session_fill(&session, p, second * SEC, SEC);
	fill_probe(&session.now.probe, second, replies);
	session.dist[PACE_DIST_DELAY] = (struct pace_coarse_hist_list){ .n = 2,
	    .bin = { { 4096, 8192, replies - 5 }, { 16384, 32768, 5 } } };
	st.totals = (struct pace_totals){ .now_ns = second * SEC, .opened = 1, .active = 1,
	    .streams = 1, .tally = p->now.all };
	feed(s, pace_status_line(&st));
}

static struct pace_snap *
story(int last, FILE *lines)
{
	struct pace_status_head h = { .version = "0", .port = 862, .address = "192.0.2.9",
	    .host = "router1", .started = "2025-11-22T10:00:00.000Z", .interval_ns = SEC };
	struct pace_session_pair p = { .now = { .number = 1, .state = PACE_RUNNING, .runs = 1,
	    .jitter_ns = -1, .peer = { .family = 4, .port = 50000, .ip = { 192, 0, 2, 1 } },
	    .run = { .number = 1, .stamp = 1, .size_bytes = 84, .wire_bytes = 150,
	    .spacing_ns = 100 * MS, .train = 1, .bursts = 1 } } };
	struct pace_snap *s = pace_snap_new();
	struct pace_line_head head = { 0 };

	ck_assert_ptr_nonnull(s);
	feed(s, pace_status_first(&h));
	for (int second = 1; second <= last; second++) {
		feed_second(s, &p, second);
		if (lines != NULL)
			pace_line_tick(lines, s, PACE_FIG_WIRE, true, &head);
	}
	if (lines != NULL)
		pace_line_summary(lines, s, PACE_FIG_WIRE, 10, true);
	return s;
}

/* --- against the files ---------------------------------------------------------------- */

static const struct screen {
	const char	*name;
	int		cols, rows, last;
	struct pace_ui	ui;
} screens[] = {
	{ "stamp_overview_80x24", 80, 24, LAST, { .bars = PACE_BARS_BLOCK } },
	{ "stamp_overview_80x24_ascii", 80, 24, 45, { .bars = PACE_BARS_ASCII } },
	{ "stamp_overview_80x24_outage", 80, 24, 58, { .bars = PACE_BARS_ASCII } },
	{ "stamp_overview_120x40", 120, 40, LAST, { .bars = PACE_BARS_BLOCK } },
	{ "stamp_overview_40x10", 40, 10, LAST, { .bars = PACE_BARS_ASCII } },
	{ "stamp_overview_20x3", 20, 3, LAST, { .bars = PACE_BARS_ASCII } },
	{ "stamp_rate_80x24", 80, 24, LAST, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_RATE } },
	{ "stamp_histogram_80x24", 80, 24, LAST, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HIST } },
	{ "stamp_events_80x24", 80, 24, LAST, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_EVENTS } },
};

START_TEST(screens_of_a_reflector)
{
	const struct screen *c = &screens[_i];
	struct pace_snap *s = story(c->last, NULL);
	char *text = drawn(s, &c->ui, c->cols, c->rows);

	golden_compare(c->name, text);
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(lines_of_a_reflector)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct pace_snap *s = story(LAST, f);

	fclose(f);
	golden_compare("stamp_lines", text);
	free(text);
	pace_snap_free(s);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("view_stamp");

	tcase_add_loop_test(tc, screens_of_a_reflector, 0, COUNT_OF(screens));
	tcase_add_test(tc, lines_of_a_reflector);
	return unit_run(tc, "view_stamp");
}
