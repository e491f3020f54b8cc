/*
 * ui/parts_paths.c, ui/line_paths.c: what the monitor shows of a watcher, as the screens and lines
 * in tests/data/screens, which were inspected once.  Each status is written as a line and read back
 * before it is shown, so a recording shows the same.
 */
#include "lib/golden.h"
#include "lib/screen.h"

#include "live/snap.h"
#include "ui/line.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define WALL	(1763805600 * SEC)
#define PATHS	6
#define EVERY	10			/* seconds from one report of a path to the next */
#define LAST	75			/* second */

/* Path 1 loses frames until second 30, path 2 since second 50, path 3 is down since 41, path 4
 * reorders, path 5 joins at 20. */
static uint64_t
lost_at(int path, int second)
{
	return path == 1 ? (uint64_t)(second < 30 ? second : 30) : path == 2 && second > 50 ?
	    (uint64_t)(second - 50) : 0;
}

static const char *const names[PATHS] = { "cern", "jodrell-bank", "onsala", "dwingeloo", "medicina",
	"yebes-with-a-name-that-is-very-long" };

/* Does this path have a report in this second, and how much does that cover? */
static int64_t
span_of(int path, int second)
{
	return second % EVERY != path || (path == 3 && second > 40) ? 0 :
	    second > EVERY ? EVERY * SEC : second * SEC;
}

static void
fill_probe(struct pace_probe_status *p, int path, int second, bool report)
{
	static const int64_t mean[PACE_WAYS] = { [PACE_WAY_BOTH] = 9420, [PACE_WAY_THERE] = 5230,
	    [PACE_WAY_BACK] = 4190 };

	*p = (struct pace_probe_status){ .known = true, .has_bound = true, .bound_ns = 61234.5,
	    .sent = (uint64_t)second * 10, .interval_sent = report ? EVERY * 10 : 0, .asked = 10 };
	for (int w = 0; w < PACE_WAY_TOTAL && report; w++)
		p->way[w] = (struct pace_moments){ .n = 10, .min = (mean[w] - 20) * US,
		    .mean = (double)((mean[w] * (path + 1) + second % 5) * US),
		    .max = (mean[w] * (path + 1) + 300) * US };
	if (path == 3 && second > 40) {
		p->out = (struct pace_outages){ .n = 1, .now_ns = (second - 40) * SEC,
		    .all_ns = (second - 40) * SEC };
		snprintf(p->out.why, sizeof(p->out.why), "no program listens on that port");
	}
}

static void
fill_path(struct pace_status_session *to, struct pace_session_pair *p, int path, int second)
{
	int64_t span = span_of(path, second);
	uint64_t lost = lost_at(path, second), frames = (uint64_t)second * 10 - lost;

	if (p->now.number == 0)
		p->now = (struct pace_session_stats){ .number = (uint64_t)path + 1, .runs = 1,
		    .state = PACE_RUNNING, .jitter_ns = -1, .peer = { .family = 4, .port = 14233,
		    .ip = { 192, 0, 2, (uint8_t)(path + 1) } }, .run = { .number = 1,
		    .size_bytes = 100, .wire_bytes = 166, .spacing_ns = 100 * MS, .train = 1,
		    .bursts = 1 } };
	snprintf(p->now.label, sizeof(p->now.label), "%s", names[path]);
	if (span > 0) {
		p->then = p->now;
		p->now.all = p->now.this_run = (struct pace_tally){ .frames = frames,
		    .bytes = frames * 100, .wire_bytes = frames * 166, .lost = (int64_t)lost,
		    .socket_lost_max = lost / 2, .reordered = path == 4 ? (uint64_t)second : 0 };
	}
	p->recent = (struct pace_recent){ .gap_min_ns = INT64_MAX, .gap_max_ns = INT64_MIN,
	    .samples = span > 0 ? 100 : 0, .above_max_ns = (200 + second) * US,
	    .above_sum_ns = 5000 * US };
	pace_session_fill(to, p, second * SEC, span);
	to->interval.own_span = true;
	fill_probe(&to->now.probe, path, second, span > 0);
	to->dist[PACE_DIST_DELAY] = (struct pace_coarse_hist_list){ .n = 1,
	    .bin = { { 32768, 65536, 99 } } };
}

static void
feed(struct pace_snap *s, char *line)
{
	ck_assert_ptr_nonnull(line);
	ck_assert_int_ge(pace_snap_feed(s, line, strcspn(line, "\n")), 0);
	free(line);
}

static void
feed_second(struct pace_snap *s, struct pace_session_pair *pairs, int second)
{
	struct pace_status_session list[PATHS];
	struct pace_status st = { .wall_ns = WALL + second * SEC, .interval_ns = SEC,
	    .session = list };

	memset(list, 0, sizeof(list));
	for (int i = 0; i < PATHS; i++)
		if (i < 5 || second >= 20)
			fill_path(&list[st.n++], &pairs[i], i, second);
	st.totals = (struct pace_totals){ .now_ns = second * SEC, .opened = st.n, .active = st.n };
	feed(s, pace_status_line(&st));
}

static struct pace_snap *
story(FILE *lines)
{
	struct pace_status_head h = { .watch = true, .version = "0", .host = "hub",
	    .started = "2025-11-22T10:00:00.000Z", .interval_ns = SEC };
	struct pace_session_pair pairs[PATHS];
	struct pace_snap *s = pace_snap_new();
	struct pace_line_head head = { 0 };

	memset(pairs, 0, sizeof(pairs));
	ck_assert_ptr_nonnull(s);
	feed(s, pace_status_first(&h));
	for (int second = 1; second <= LAST; second++) {
		feed_second(s, pairs, second);
		if (lines != NULL)
			pace_line_tick(lines, s, PACE_FIG_WIRE, true, &head);
	}
	if (lines != NULL)
		pace_line_summary(lines, s, PACE_FIG_WIRE, 5, true);
	return s;
}

static const struct screen {
	const char	*name;
	int		cols, rows;
	struct pace_ui	ui;
} screens[] = {
	{ "paths_streams_80x24", 80, 24, { .page = PACE_PAGE_STREAMS, .sort = PACE_SORT_TROUBLE } },
	{ "paths_streams_80x24_name", 80, 24, { .page = PACE_PAGE_STREAMS, .sort = PACE_SORT_NAME,
	    .cursor = 5 } },
	{ "paths_streams_40x10", 40, 10, { .page = PACE_PAGE_STREAMS, .sort = PACE_SORT_TROUBLE } },
	{ "paths_streams_120x40", 120, 40, { .page = PACE_PAGE_STREAMS, .sort = PACE_SORT_TROUBLE,
	    .bars = PACE_BARS_BLOCK } },
	{ "paths_overview_80x24", 80, 24, { .bars = PACE_BARS_BLOCK, .session = 3 } },
	{ "paths_overview_80x24_down", 80, 24, { .bars = PACE_BARS_BLOCK, .session = 4 } },
	{ "paths_rate_80x24", 80, 24, { .page = PACE_PAGE_RATE, .session = 2 } },
	{ "paths_events_80x24", 80, 24, { .page = PACE_PAGE_EVENTS } },
};

START_TEST(screens_of_a_watcher)
{
	const struct screen *c = &screens[_i];
	struct pace_snap *s = story(NULL);
	char *text = drawn(s, &c->ui, c->cols, c->rows);

	golden_compare(c->name, text);
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(lines_of_a_watcher)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	pace_snap_free(story(f));
	fclose(f);
	golden_compare("paths_lines", text);
	free(text);
}
END_TEST

/* The counts of the intervals add up to those of the path, however many lines had none; and the
 * time between two reports is no hole. */
START_TEST(ticks_add_up)
{
	struct pace_snap *s = story(NULL);
	int at = pace_snap_find(s, 3);
	const struct pace_snap_session *v = &s->session[at];
	const struct pace_tick *t;
	struct pace_tally sum = { .frames = 0 };
	uint64_t blank = 0;
	int64_t span = 0;

	ck_assert_int_ge(at, 0);
	for (uint64_t i = 0; (t = pace_snap_tick(v, i)) != NULL; i++) {
		pace_tally_add(&sum, &t->n);
		span += t->span_ns;
		blank += t->kind == PACE_TICK_NONE || t->dead || t->out;
	}
	ck_assert_uint_eq(sum.frames, 720 - lost_at(2, 72));
	ck_assert_int_eq(sum.lost, (int64_t)lost_at(2, 72));
	ck_assert_int_eq(span, 72 * SEC);
	ck_assert_uint_eq(blank, 0);
	pace_snap_free(s);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("view_paths");

	tcase_add_loop_test(tc, screens_of_a_watcher, 0, COUNT_OF(screens));
	tcase_add_test(tc, lines_of_a_watcher);
	tcase_add_test(tc, ticks_add_up);
	return unit_run(tc, "view_paths");
}
