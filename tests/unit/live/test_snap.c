/* live/snap: lines are kept; lines that are not understood change nothing. */
#include "lib/unit.h"
#include "lib/scenario.h"

#include <inttypes.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "live/snap.h"
#include "live/snap_read.h"
#include "out/glyph.h"
#include "ui/line.h"
#include "ui/sweep_grid.h"

#define SEC	INT64_C(1000000000)

static const struct pace_snap_session *
session(const struct pace_snap *s, uint64_t number)
{
	int at = pace_snap_find(s, number);

	ck_assert_int_ge(at, 0);
	return &s->session[at];
}

START_TEST(a_story_is_kept)
{
	struct pace_snap *s = story(85);
	const struct pace_snap_session *v = session(s, 1);
	const struct pace_tick *t = pace_snap_tick(v, 85 - 61);

	ck_assert_str_eq(s->head.host, "hostb");
	ck_assert_uint_eq(s->lines, 86);
	ck_assert_int_eq(s->at_ns - s->first_ns, 85 * SEC);
	ck_assert_uint_eq(s->n, 3);
	ck_assert_uint_eq(s->totals.active, 2);
	ck_assert_uint_eq(pace_totals_refused(&s->totals), 3);
	ck_assert_uint_eq(v->ticks, 83);
	ck_assert_int_eq(v->now.all.lost, 5 * 833 + 2312);
	ck_assert_uint_eq(pace_count_socket(&v->now.all).low, 0);
	ck_assert_uint_eq(pace_count_socket(&v->now.all).n, 2298);
	ck_assert_uint_eq(pace_count_socket(&v->now.all).high, 2298);
	ck_assert_uint_eq(pace_count_elsewhere(&v->now.all).low, 5 * 833 + 14);
	ck_assert_uint_eq(pace_count_elsewhere(&v->now.all).n, 5 * 833 + 14);
	ck_assert_uint_eq(pace_count_elsewhere(&v->now.all).high, 5 * 833 + 2312);
	ck_assert_int_eq(t->n.lost, 2312);
	ck_assert_int_eq(t->above.max, 121400);
	ck_assert_ptr_null(pace_snap_tick(v, 83));
	ck_assert_int_eq(session(s, 2)->now.state, PACE_ENDED);
	ck_assert_int_eq(pace_snap_find(s, 0), 0);	/* the one with the stream */
	ck_assert_int_eq(pace_snap_find(s, 99), -1);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_first_interval_of_a_stream_says_nothing_of_the_least_rate)
{
	struct pace_snap *s = story(85);
	const struct pace_snap_session *v = session(s, 1);
	const struct pace_range *r = &v->of[PACE_FIG_WIRE];

	ck_assert_int_eq(pace_snap_tick(v, 82)->kind, PACE_TICK_PART);
	ck_assert_int_eq(pace_snap_tick(v, 81)->kind, PACE_TICK_WHOLE);
	ck_assert_uint_eq(r->n, 82);
	ck_assert_double_eq_tol(r->min, 8.0 * 1538 * (TELL_RATE - 2312), 8.0 * 1538 * 3);
	ck_assert_double_eq_tol(r->max, 8.0 * 1538 * TELL_RATE, 8.0 * 1538 * 3);
	ck_assert_double_eq_tol(v->of[PACE_FIG_GAP].max, 27700000, 0.5);
	ck_assert_double_eq_tol(v->of[PACE_FIG_LOSS].max, 2312.0 / TELL_RATE, 1e-4);
	ck_assert_double_eq_tol(pace_run_asked_bps(&v->now.run, PACE_FIG_WIRE, false), 8e9 * 1538 / 12000,
	    1);
	ck_assert_double_eq_tol(pace_run_asked_bps(&v->now.run, PACE_FIG_IP, false), 8e9 * 1500 / 12000,
	    1);
	ck_assert_double_eq_tol(pace_run_asked_bps(&v->now.run, PACE_FIG_IP, true), 8e9 * 1520 / 12000,
	    1);
	pace_snap_free(s);
}
END_TEST

/* Of ten lost frames the counters explain at most ten. */
START_TEST(bounds_are_within_what_was_lost)
{
	const struct pace_tally n = { .lost = 10, .socket_lost_likely = 4, .socket_lost_max = 25 };
	const struct pace_bounds here = pace_count_socket(&n), away = pace_count_elsewhere(&n);

	ck_assert(here.low == 0 && here.n == 4 && here.high == 10);
	ck_assert(away.low == 0 && away.n == 6 && away.high == 10);
}
END_TEST

/* Every 10 s eth0 receives a frame more than IP. */
START_TEST(frames_between_the_interface_and_ip_are_counted)
{
	struct pace_snap *s = story(85);
	const struct pace_snap_session *v = session(s, 1);
	const struct pace_tick *t;
	int64_t gap = 0;

	for (uint64_t i = 0; (t = pace_snap_tick(v, i)) != NULL; i++)
		gap += t->host_gap;
	ck_assert_int_eq(gap, 8);
	pace_snap_free(s);
}
END_TEST

/* 95 gaps of 10 ms between trains of 32 frames. */
START_TEST(the_rate_sent_counts_the_frames_of_trains)
{
	struct pace_snap_session v = { .now = { .run.train = 32, .probe = { .known = true,
	    .interval_sent = 3100, .leaving = { .n = 95, .mean = 1e7 } } } };
	const struct pace_tick t = { .kind = PACE_TICK_WHOLE, .span_ns = SEC, .active_ns = SEC };

	pace_tick_figures(&v, &t);
	ck_assert_double_eq_tol(v.of[PACE_FIG_SENT].now, 3100 / 0.95, 1e-6);
	v.now.probe.leaving.n = 80;		/* too few: the interval counts */
	pace_tick_figures(&v, &t);
	ck_assert_double_eq_tol(v.of[PACE_FIG_SENT].now, 3100, 1e-6);
}
END_TEST

static const struct { int at; char mark; } marks[] = {
	{ 2, ' ' }, { 39, '.' }, { 40, '3' }, { 44, '3' }, { 45, '.' }, { 61, '4' }, { 85, '.' },
};

START_TEST(the_strip_marks_loss_by_decades)
{
	struct pace_snap *s = story(85);
	const struct pace_snap_session *v = session(s, 1);

	ck_assert_int_eq(pace_loss_mark(v, (uint64_t)(85 - marks[_i].at), 1), marks[_i].mark);
	ck_assert_int_eq(pace_loss_mark(v, 0, 100), '2');	/* 6477 of 6.9 million */
	ck_assert_int_eq(pace_loss_mark(v, 1000, 1), ' ');
	pace_snap_free(s);
}
END_TEST

static struct tell_session
steady(int state_ended)
{
	return (struct tell_session){ .number = 7, .peer = "192.0.2.1", .label = "x",
	    .state = state_ended ? "ended" : "running", .size = 1472, .wire = 1538,
	    .spacing_ns = 1000000, .has_interval = true };
}

static void
feed(struct pace_snap *s, int second, const struct tell_session *v, size_t n, int want)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	tell_line(f, second, false, v, n, 0);
	fclose(f);
	ck_assert_int_eq(pace_snap_feed(s, text, size - 1), want);
	free(text);
}

START_TEST(a_stream_of_which_nothing_comes_is_all_lost)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	for (int t = 0; t < 3; t++) {
		tell_add(&v, 1000, 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	tell_add(&v, 0, 0, 0, 0);
	feed(s, 3, &v, 1, 0);
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), 'X');
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 4), '5');
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 40), '5');	/* of those that there are */
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 1, 3), '.');
	ck_assert_ptr_nonnull(strstr(pace_snap_event(s, 0)->text, "nothing comes"));
	v.state = "draining";
	tell_add(&v, 0, 1, 0, 0);
	feed(s, 4, &v, 1, 0);
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), 'X');
	pace_snap_free(s);
}
END_TEST

/* Frames of the last interval, and their spacing; the rate that is shown, frames a second. */
static const struct { uint64_t frames, gaps; double gap_ns, fps; } ends[] = {
	{ 300, 300, 1e6, 1000 }, { 11, 10, 1e6, 1000 }, { 10, 9, 1e6, 0 }, { 1, 0, 0, 0 },
	{ 500, 499, 4e6, 500 }, { 300, 300, 1e17, 300 }, { 300, 300, 1e300, 0 }, { 300, 300, 0, 0 },
};

START_TEST(a_stream_that_ends_makes_no_dip)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	const struct pace_tick *t;

	for (int i = 0; i < 4; i++) {
		if (i == 3) {
			v.state = "ready";
			v.ended = true;
			v.gap_mean_ns = ends[_i].gap_ns;
		}
		tell_add(&v, i < 3 ? 1000 : ends[_i].frames, 0, 0, 0);
		v.gaps = i < 3 ? 1000 : ends[_i].gaps;
		feed(s, i, &v, 1, 0);
	}
	t = pace_snap_tick(session(s, 7), 0);
	ck_assert_int_eq(t->kind, PACE_TICK_PART);
	ck_assert_double_eq_tol(pace_tick_fps(pace_snap_tick(session(s, 7), 1)), 1000, 1e-6);
	if (ends[_i].fps > 0) {
		ck_assert_double_eq_tol(pace_tick_fps(t), ends[_i].fps, 1e-3);
		ck_assert_double_eq_tol(pace_tick_bps(t, PACE_FIG_DATA, false), 8 * 1472 * ends[_i].fps, 20);
		ck_assert_double_eq_tol(session(s, 7)->of[PACE_FIG_FRAMES].now, ends[_i].fps, 1e-3);
	} else {
		ck_assert(isnan(pace_tick_fps(t)) && isnan(pace_tick_bps(t, PACE_FIG_WIRE, false)));
		ck_assert(!session(s, 7)->of[PACE_FIG_WIRE].known);
	}
	ck_assert_uint_eq(session(s, 7)->of[PACE_FIG_WIRE].n, 2);
	pace_snap_free(s);
}
END_TEST

/* 300 frames of two streams, a frame of each every 1 ms. */
START_TEST(streams_that_begin_together_ran_at_the_same_time)
{
	const struct pace_session_status was = { .state = PACE_READY }, is = { .state = PACE_RUNNING,
	    .run = { .number = 1, .streams = 2 } };
	struct pace_tick t = { .span_ns = SEC, .n.frames = 300, .gaps = { .n = 298, .mean = 1e6 } };

	pace_tick_judge(&t, &was, &is);
	ck_assert_int_eq(t.kind, PACE_TICK_PART);
	ck_assert_int_eq(t.active_ns, 150000000);
}
END_TEST

START_TEST(a_stream_that_has_not_begun_is_not_dead)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	for (int t = 0; t < 3; t++) {
		tell_add(&v, 0, 0, 0, 0);
		feed(s, t, &v, 1, 0);
		ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), ' ');
	}
	pace_snap_free(s);
}
END_TEST

/* Twenty missing trains are an outage; twenty missing frames of one train are not. */
START_TEST(a_stream_between_two_trains_is_not_dead)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	v.train = 100;
	for (int t = 0; t < 4; t++) {
		tell_add(&v, t < 3 ? 1000 : 0, 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), ' ');
	pace_snap_free(s);
}
END_TEST

static const struct { uint64_t frames, lost; char mark; } decades[] = {
	{ 1000000, 0, '.' }, { 1000000, 1, '1' }, { 999901, 99, '1' }, { 999900, 100, '2' },
	{ 999001, 999, '2' }, { 999000, 1000, '3' }, { 990001, 9999, '3' }, { 990000, 10000, '4' },
	{ 900001, 99999, '4' }, { 900000, 100000, '5' }, { 1, 999999, '5' }, { 0, 1, 'X' },
	{ 0, 0, ' ' },
};

START_TEST(the_marks_are_those_of_the_decades)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	tell_add(&v, decades[_i].frames, decades[_i].lost, 0, 0);
	feed(s, 0, &v, 1, 0);
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), decades[_i].mark);
	pace_snap_free(s);
}
END_TEST

START_TEST(frames_that_come_late_take_back_a_loss)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	tell_add(&v, 1000, 10, 0, 0);
	feed(s, 0, &v, 1, 0);
	tell_add(&v, 1000, (uint64_t)-4, 0, 0);
	feed(s, 1, &v, 1, 0);
	ck_assert_int_eq(session(s, 7)->now.all.lost, 6);
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 0, 1), '.');
	ck_assert_double_eq_tol(session(s, 7)->of[PACE_FIG_LOSS].now, 0, 1e-12);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_session_that_is_gone_has_no_current_figures)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	tell_add(&v, 1000, 10, 0, 0);
	feed(s, 0, &v, 1, 0);
	ck_assert(session(s, 7)->of[PACE_FIG_LOSS].known);
	feed(s, 1, &v, 0, 0);
	ck_assert_int_eq(session(s, 7)->now.state, PACE_ENDED);
	for (int f = 0; f < PACE_FIGURES; f++)
		ck_assert(!session(s, 7)->of[f].known);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_mean_loss_is_of_all_frames)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	const struct pace_range *f;

	tell_add(&v, 1000, 0, 0, 0);
	feed(s, 0, &v, 1, 0);
	tell_add(&v, 10, 990, 0, 0);
	feed(s, 1, &v, 1, 0);
	f = &session(s, 7)->of[PACE_FIG_LOSS];
	ck_assert_double_eq_tol(f->now, 0.99, 1e-12);
	ck_assert_double_eq_tol(f->sum / f->weight, 0.495, 1e-12);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_hole_between_lines_is_a_gap)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	for (int t = 0; t < 20; t += t == 1 ? 10 : 1) {
		tell_add(&v, 1000, 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	ck_assert_uint_eq(session(s, 7)->ticks, 2 + 9 + 9);
	for (uint64_t age = 9; age < 18; age++)
		ck_assert_int_eq(pace_snap_tick(session(s, 7), age)->kind, PACE_TICK_NONE);
	ck_assert_int_eq(pace_loss_mark(session(s, 7), 9, 9), ' ');
	ck_assert_int_eq(pace_snap_tick(session(s, 7), 8)->kind, PACE_TICK_WHOLE);
	ck_assert_int_eq(pace_snap_tick(session(s, 7), 18)->kind, PACE_TICK_WHOLE);
	tell_add(&v, 1000, 0, 0, 0);
	feed(s, 10 * 3600, &v, 1, 0);
	ck_assert_uint_eq(session(s, 7)->ticks, 2 + 9 + 9 + PACE_BLANKS + 1);
	pace_snap_free(s);
}
END_TEST

/* A line like that of tell_line, with other times. */
static void
feed_at(struct pace_snap *s, const struct tell_session *v, int second, int span, int up)
{
	char *text, *line, *at;
	size_t size, len;
	FILE *f = open_memstream(&text, &size), *g = open_memstream(&line, &len);

	tell_line(f, second, false, v, 1, 0);
	fclose(f);
	at = strstr(text, "\"interval_ns\":1000000000");
	ck_assert_ptr_nonnull(at);
	fprintf(g, "%.*s\"interval_ns\":%d000000000%s", (int)(at - text), text, span,
	    at + strlen("\"interval_ns\":1000000000"));
	fclose(g);
	at = strstr(line, "\"uptime_ns\":");
	snprintf(text, size, "%.*s\"uptime_ns\":%d000000000%s", (int)(at - line), line, up,
	    strchr(at, ','));
	ck_assert_int_eq(pace_snap_feed(s, text, strlen(text) - 1), 0);	/* its end */
	free(text);
	free(line);
}

START_TEST(a_clock_that_is_set_makes_no_hole)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	for (int t = 0; t < 4; t++) {
		tell_add(&v, 1000, 0, 0, 0);
		feed_at(s, &v, t < 2 ? t : 3600 + t, 1, 100 + t);
	}
	ck_assert_uint_eq(session(s, 7)->ticks, 4);
	tell_add(&v, 1000, 0, 0, 0);
	feed_at(s, &v, 4, 1, 104);	/* and back */
	ck_assert_uint_eq(session(s, 7)->ticks, 5);
	tell_add(&v, 1000, 0, 0, 0);
	feed_at(s, &v, 5, 1, 109);	/* 4 s without a line */
	ck_assert_uint_eq(session(s, 7)->ticks, 5 + 4 + 1);
	ck_assert_int_eq(pace_snap_tick(session(s, 7), 1)->kind, PACE_TICK_NONE);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_line_of_a_longer_time_is_shared_out)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	struct pace_tally sum = { .frames = 0 };
	char *text;
	size_t size;
	FILE *f;

	tell_add(&v, 1000, 0, 0, 0);
	feed_at(s, &v, 0, 3, 100);	/* one line alone has no usual interval */
	ck_assert_uint_eq(session(s, 7)->ticks, 1);
	for (int t = 4; t < 6; t++) {
		tell_add(&v, 1000, 0, 0, 0);
		feed_at(s, &v, t, 1, 100 + t);
	}
	tell_add(&v, 6985, 17, 5, 0);
	feed_at(s, &v, 12, 7, 112);
	for (uint64_t age = 0; age < 7; age++) {
		const struct pace_tick *t = pace_snap_tick(session(s, 7), age);

		ck_assert(t->shared && t->kind == PACE_TICK_WHOLE);
		ck_assert_int_eq(t->span_ns, SEC);
		ck_assert_double_eq_tol(pace_tick_bps(t, PACE_FIG_WIRE, false), 8.0 * 1538 * 998, 1e5);
		ck_assert_int_eq(pace_loss_mark(session(s, 7), age, 1), '3');
		pace_tally_add(&sum, &t->n);
	}
	ck_assert_uint_eq(sum.frames, 6985);
	ck_assert_int_eq(sum.lost, 17);
	ck_assert_uint_eq(sum.socket_drops, 5);
	ck_assert(!pace_snap_tick(session(s, 7), 7)->shared);
	f = open_memstream(&text, &size);
	pace_line_tick(f, s, PACE_FIG_WIRE, false, &(struct pace_line_head){ .rows = 0 });
	fclose(f);
	ck_assert_msg(strstr(text, "      ~5     ~12      0") != NULL, "%s", text);
	free(text);
	tell_add(&v, 1000, 0, 0, 0);
	feed_at(s, &v, 13, 1, 113);
	ck_assert(!pace_snap_tick(session(s, 7), 0)->shared);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_interval_is_that_of_the_lines)
{
	static const struct { int64_t ms, is; } spans[] = {
		{ 1000, 1000 }, { 201, 1000 }, { 199, 200 }, { 600, 200 }, { 200, 200 }, { 202, 200 },
	};
	struct pace_snap *s = pace_snap_new();
	char text[256];

	s->interval_ns = SEC;
	for (int i = 0; i < COUNT_OF(spans); i++) {
		snprintf(text, sizeof(text), "{\"time\":\"2026-11-20T10:00:0%d.000Z\",\"interval_ns\":%lld,"
		    "\"sessions\":[]}", i, (long long)spans[i].ms * 1000000);
		ck_assert_int_eq(pace_snap_feed(s, text, strlen(text)), 0);
		ck_assert_int_eq(s->interval_ns, spans[i].is * 1000000);
	}
	pace_snap_free(s);
}
END_TEST

/* Lines of a day each are taken, but no column is as long. */
START_TEST(long_intervals_are_no_usual_ones)
{
	struct pace_snap *s = pace_snap_new();
	char text[256];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "{\"time\":\"2026-11-2%dT10:00:00.000Z\",\"interval_ns\":"
		    "86400000000000,\"sessions\":[]}", i);
		ck_assert_int_eq(pace_snap_feed(s, text, strlen(text)), 0);
	}
	ck_assert_int_eq(s->last_span_ns, 86400 * SEC);
	ck_assert_int_eq(s->interval_ns, 0);
	pace_snap_free(s);
}
END_TEST

START_TEST(history_is_bounded_and_its_newest_is_kept)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	for (int t = 0; t < PACE_TICKS + 100; t++) {
		tell_add(&v, (uint64_t)t + 1, 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	ck_assert_uint_eq(session(s, 7)->room, PACE_TICKS);
	ck_assert_uint_eq(pace_snap_tick(session(s, 7), 0)->n.frames, PACE_TICKS + 100);
	ck_assert_uint_eq(pace_snap_tick(session(s, 7), PACE_TICKS - 1)->n.frames, 101);
	ck_assert_ptr_null(pace_snap_tick(session(s, 7), PACE_TICKS));
	pace_snap_free(s);
}
END_TEST

START_TEST(sessions_are_bounded_and_ended_ones_go_first)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session *v = calloc(PACE_SNAP_SESSIONS + 1, sizeof(*v));

	for (int i = 0; i <= PACE_SNAP_SESSIONS; i++) {
		v[i] = steady(0);
		v[i].number = (uint64_t)i + 1;
	}
	feed(s, 0, v, PACE_SNAP_SESSIONS, 0);
	ck_assert_uint_eq(s->n, PACE_SNAP_SESSIONS);
	feed(s, 1, v + 1, PACE_SNAP_SESSIONS - 1, 0);	/* 1 is over */
	ck_assert_int_eq(session(s, 1)->now.state, PACE_ENDED);
	feed(s, 2, v + 1, PACE_SNAP_SESSIONS, 0);
	ck_assert_int_eq(pace_snap_find(s, 1), -1);
	ck_assert_int_eq(pace_snap_find(s, PACE_SNAP_SESSIONS + 1), PACE_SNAP_SESSIONS - 1);
	ck_assert_uint_eq(s->left_out, 0);
	v[0].number = PACE_SNAP_SESSIONS + 2;
	feed(s, 3, v, PACE_SNAP_SESSIONS + 1, 0);
	ck_assert_uint_eq(s->left_out, 1);
	pace_snap_free(s);
	free(v);
}
END_TEST

START_TEST(reset_begins_the_counters_anew_and_keeps_history)
{
	struct pace_snap *s = story(70);
	const struct pace_snap_session *v = session(s, 1);
	const double sum = v->of[PACE_FIG_WIRE].sum;
	struct pace_tally since;

	pace_snap_reset(s);
	ck_assert_int_eq(s->reset_ns, s->at_ns);
	since = pace_tally_since(&v->now.all, &v->base);
	ck_assert_int_eq(since.lost, 0);
	ck_assert_uint_eq(v->of[PACE_FIG_WIRE].n, 0);
	ck_assert_uint_eq(v->ticks, 68);
	pace_snap_reset(s);
	ck_assert_double_gt(sum, 0);
	ck_assert_double_eq(v->past[PACE_FIG_WIRE].sum, sum);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_copy_is_its_own)
{
	struct pace_snap *s = story(70), *c = pace_snap_copy(s);
	struct tell_session v = steady(0);

	feed(s, 71, &v, 1, 0);
	ck_assert_uint_eq(c->lines, 71);
	ck_assert_uint_eq(c->n, 3);
	ck_assert_uint_eq(session(c, 1)->ticks, 68);
	ck_assert_int_eq(session(c, 1)->now.state, PACE_RUNNING);
	ck_assert_int_eq(session(s, 1)->now.state, PACE_ENDED);
	pace_snap_free(s);
	ck_assert_int_eq(pace_snap_tick(session(c, 1), 9)->n.lost, 2312);
	pace_snap_free(c);
}
END_TEST

START_TEST(loss_that_goes_on_is_one_event)
{
	struct pace_snap *s = story(85);
	int losses = 0;

	for (uint64_t i = 0; pace_snap_event(s, i) != NULL; i++)
		losses += strncmp(pace_snap_event(s, i)->text, "lost ", 5) == 0;
	ck_assert_int_eq(losses, 2);
	for (uint64_t i = 0; pace_snap_event(s, i) != NULL; i++)
		if (strncmp(pace_snap_event(s, i)->text, "lost 4 165 of ", 14) == 0)
			losses = -1;
	ck_assert_int_eq(losses, -1);
	pace_snap_free(s);
}
END_TEST

START_TEST(an_outage_tells_of_its_own_frames)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_snap_session is = { .now.probe = { .known = true, .unreported = 7,
	    .out.n = 1 } };
	struct pace_session_status was = { .probe = { .known = true,
	    .out = { .n = 1, .now_ns = 5 * SEC, .all_ns = 5 * SEC } } };

	is.now.probe.out.all_ns = 5 * SEC;
	pace_change_tell(s, &(struct pace_change){ .was = &was, .is = &is });
	ck_assert_str_eq(pace_snap_event(s, 0)->text,
	    "the outage is over after 5 s: lost 0, not known 7");
	was.probe.unreported = 7;
	was.probe.out = (struct pace_outages){ .n = 2, .now_ns = 2 * SEC, .all_ns = 7 * SEC };
	is.now.probe.unreported = 10;
	is.now.probe.out = (struct pace_outages){ .n = 2, .all_ns = 8 * SEC, .lost = 4 };
	pace_change_tell(s, &(struct pace_change){ .was = &was, .is = &is });
	ck_assert_str_eq(pace_snap_event(s, 0)->text,
	    "the outage is over after 3 s: lost 4, not known 3");
	pace_snap_free(s);
}
END_TEST

START_TEST(a_changed_marking_is_told_for_its_direction)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_session_status was = { .probe.has_stamp = true };
	struct pace_snap_session is = { .now.probe = { .has_stamp = true, .stamp = {
	    .dscp_sent = 46, .dscp_there = 10, .dscp_back = 8, .changed_there = 1,
	    .changed_back = 1 } } };

	pace_change_tell(s, &(struct pace_change){ .was = &was, .is = &is });
	ck_assert_str_eq(pace_snap_event(s, 1)->text,
	    "requests with DSCP 46 reach the reflector with 10");
	ck_assert_str_eq(pace_snap_event(s, 0)->text, "replies to DSCP 46 come with 8");
	pace_snap_free(s);
}
END_TEST

START_TEST(doubt_of_a_capture_is_of_its_last_drops)
{
	struct pace_snap *s = pace_snap_new();

	pace_capture_take(s, &(struct pace_capture_status){ .just_dropped = 3 }, SEC);
	pace_capture_take(s, &(struct pace_capture_status){ .just_dropped = 1 }, SEC);
	ck_assert_uint_eq(s->capture.doubt, 4);
	pace_capture_take(s, &(struct pace_capture_status){ .just_dropped = 0 }, 6 * SEC);
	pace_capture_take(s, &(struct pace_capture_status){ .just_dropped = 2 }, SEC);
	ck_assert_uint_eq(s->capture.doubt, 2);
	pace_snap_free(s);
}
END_TEST

/* Most lost; if that is equal, fewest received. */
START_TEST(the_worst_stream_is_the_one_with_most_loss)
{
	static const struct { int64_t lost; uint64_t frames; } n[] = {
		{ 9, 1 }, { 2, 50 }, { 3, 40 }, { 3, 30 }, { 3, 35 },
	};
	struct pace_snap_session v[COUNT_OF(n)];
	struct pace_snap *s = pace_snap_new();

	memset(v, 0, sizeof(v));
	for (int i = 0; i < COUNT_OF(n); i++) {
		v[i].now.number = 7;
		v[i].now.stream = (uint32_t)i;
		v[i].seen = true;
		v[i].newest.n.lost = n[i].lost;
		v[i].newest.n.frames = n[i].frames;
	}
	s->session = v;
	s->n = COUNT_OF(n);
	ck_assert_ptr_eq(pace_snap_worst(s, v), &v[3]);
	s->session = NULL;
	s->n = 0;
	pace_snap_free(s);
}
END_TEST

/* --- where frames were lost --------------------------------------------------- */

static const struct { uint64_t low, high, n; int cells; const char *text; } bounds[] = {
	{ 7, 7, 7, 1, "7" }, { 0, 0, 0, 9, "0" }, { 2, 7, 5, 11, "~5 (2 to 7)" }, { 2, 7, 5, 10, "~5" },
	{ 0, 70, 70, 13, "~70 (0 to 70)" }, { 0, 70, 70, 3, "~70" },
	{ 1, 1234567, 4711, 99, "~4 711 (1 to 1 234 567)" },
};

START_TEST(bounds_are_told_as_the_room_allows)
{
	char text[PACE_BOUNDS_SIZE];
	struct pace_bounds b = { bounds[_i].low, bounds[_i].high, bounds[_i].n };

	pace_bounds_text(&b, bounds[_i].cells, text);
	ck_assert_str_eq(text, bounds[_i].text);
}
END_TEST

static char *
told(const struct pace_snap *s, bool summary)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (summary)
		pace_line_summary(f, s, PACE_FIG_WIRE, 10, false);
	else
		pace_line_tick(f, s, PACE_FIG_WIRE, false, &(struct pace_line_head){ .rows = 0 });
	fclose(f);
	return text;
}

/* One line of a stream with a loss of 100 and three drops at the socket. */
static struct pace_snap *
lossy(uint64_t train, uint64_t low, uint64_t high)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	v.train = train;
	for (int t = 0; t < 2; t++) {
		tell_add(&v, 1000, t > 0 ? 100 : 0, t > 0 ? 3 : 0, 0);
		v.all.bounds = v.interval.bounds = high > 0;
		v.all.low = v.interval.low = t > 0 ? low : 0;
		v.all.high = v.interval.high = t > 0 ? high : 0;
		feed(s, t, &v, 1, 0);
	}
	return s;
}

static const struct {
	uint64_t	train, low, high;	/* high 0: an older line */
	const char	*tick, *event;
} parted[] = {
	{ 32, 3, 90, "      ~3     ~97      0", "socket ~3 (0 to 90), before it ~97" },
	{ 32, 3, 100, "      ~3     ~97      0", "before it ~97" },
	{ 32, 3, 3, "      ~3     ~97      0", "socket ~3 (0 to 3), before it ~97" },
	{ 32, 120, 400, "    ~100      ~0      0", "socket ~100, before it ~0" },
	{ 32, 0, 0, "      ~3     ~97      0", "socket ~3, before it ~97" },
	{ 1, 0, 0, "      ~3     ~97      0", "socket ~3 (0 to 3), before it ~97" },
};

START_TEST(of_trains_the_socket_has_at_least_and_at_most)
{
	struct pace_snap *s = lossy(parted[_i].train, parted[_i].low, parted[_i].high);
	char *text = told(s, false);

	ck_assert_msg(strstr(text, parted[_i].tick) != NULL, "%s", text);
	ck_assert_msg(strstr(pace_snap_event(s, 0)->text, parted[_i].event) != NULL, "%s",
	    pace_snap_event(s, 0)->text);
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(bounds_the_wrong_way_round_are_refused)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);

	tell_add(&v, 1000, 10, 0, 0);
	v.interval.bounds = true;
	v.interval.low = 5;
	v.interval.high = 4;
	feed(s, 0, &v, 1, -EINVAL);
	pace_snap_free(s);
}
END_TEST

/* The host reports the drops of its filter; the rest is attributed to the network. */
START_TEST(what_the_host_counted_is_not_the_network_for_sure)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	struct pace_loss_locations p;
	char *text;

	for (int t = 0; t < 9; t++) {
		uint64_t lost = t == 3 ? 50 : t == 5 ? 8 : 0;

		tell_filtered = t >= 3 ? 47 : 0;
		tell_add(&v, 1000, lost, t == 5 ? 2 : 0, 0);
		feed(s, t, &v, 1, 0);
		pace_snap_places(s, session(s, 7), false, &p);
		if (t == 3)		/* this loss may still be counted by the host */
			ck_assert_uint_eq(p.network.low, 0);
		if (t == 5)
			ck_assert_uint_eq(p.network.low, 3);
	}
	ck_assert(p.host && !p.pieces);
	ck_assert_uint_eq(p.ip, 47);
	ck_assert_uint_eq(p.nic, 0);
	ck_assert_uint_eq(p.before.low, 56);
	ck_assert_uint_eq(p.network.low, 9);
	ck_assert_uint_eq(p.network.n, 9);
	ck_assert_uint_eq(p.network.high, 58);
	text = told(s, true);
	ck_assert_msg(strstr(text, "lost at its socket ~2 (0 to 2), before it ~56 (56 to 58), of these\n"
	    "    in the network, or counted nowhere: ~9 (9 to 58)\n"
	    "    its host counted of them at most: NIC or backlog 0, firewall or IP 47\n") != NULL, "%s",
	    text);
	free(text);
	v.train = 32;				/* each of them may be a piece of 32 frames or more */
	feed(s, 9, &v, 1, 0);
	pace_snap_places(s, session(s, 7), false, &p);
	ck_assert(p.pieces);
	ck_assert_uint_eq(p.network.low, 0);
	tell_filtered = 9999;			/* of others: no place has more than what was lost */
	feed(s, 10, &v, 1, 0);
	pace_snap_places(s, session(s, 7), false, &p);
	ck_assert_uint_eq(p.ip, p.before.high);
	pace_snap_free(s);
}
END_TEST

START_TEST(drops_of_a_card_and_of_a_backlog_are_one_place)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	struct pace_loss_locations p;

	for (int t = 0; t < 3; t++) {
		tell_nic_lost = t > 0 ? 5 : 0;
		tell_backlog_lost = t > 0 ? 2 : 0;
		tell_add(&v, 1000, t > 0 ? 30 : 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	pace_snap_places(s, session(s, 7), false, &p);
	ck_assert_uint_eq(p.nic, 7);
	ck_assert_uint_eq(p.ip, 0);
	ck_assert_uint_eq(p.network.low, 23);	/* the newest loss is not settled */
	ck_assert_uint_eq(p.network.n, 53);
	ck_assert_uint_eq(p.network.high, 60);
	pace_snap_free(s);
}
END_TEST

/* What the host dropped before the counts began anew is of no loss since. */
START_TEST(what_the_host_dropped_before_a_reset_is_forgotten)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	struct pace_loss_locations p;

	for (int t = 0; t < 8; t++) {
		tell_filtered = t < 2 ? 0 : t < 5 ? 47 : 51;
		tell_nic_lost = t < 2 ? 0 : t < 6 ? 6 : 9;
		tell_add(&v, 1000, t == 2 ? 60 : t == 5 ? 20 : 0, 0, 0);
		feed(s, t, &v, 1, 0);
		if (t == 3)
			pace_snap_reset(s);
	}
	pace_snap_places(s, session(s, 7), false, &p);
	ck_assert_uint_eq(p.before.high, 20);
	ck_assert_uint_eq(p.ip, 4);
	ck_assert_uint_eq(p.nic, 3);
	ck_assert_uint_eq(p.network.low, 13);
	pace_snap_places(s, session(s, 7), true, &p);
	ck_assert_uint_eq(p.before.high, 80);
	ck_assert_uint_eq(p.ip, 51);
	ck_assert_uint_eq(p.nic, 9);
	ck_assert_uint_eq(p.network.low, 20);
	pace_snap_free(s);
}
END_TEST

START_TEST(what_was_lost_before_the_first_look_may_be_the_hosts)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	struct pace_loss_locations p;

	tell_filtered = 47;
	tell_add(&v, 1000, 50, 0, 0);
	for (int t = 0; t < 4; t++) {
		feed(s, t, &v, 1, 0);
		tell_add(&v, 1000, 3, 0, 0);
	}
	pace_snap_places(s, session(s, 7), true, &p);
	ck_assert_uint_eq(p.ip, 0);
	ck_assert_uint_eq(p.network.low, 6);	/* the newest is not settled */
	ck_assert_uint_eq(p.network.high, 59);
	pace_snap_free(s);
}
END_TEST

/* The loss of an outage is known when a frame comes again, and took all of it. */
START_TEST(a_loss_took_as_long_as_nothing_came)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v = steady(0);
	int losses = 0;

	for (int t = 0; t < 12; t++) {
		bool dead = t >= 3 && t < 8;

		tell_add(&v, dead ? 0 : 1000, t == 8 ? 5000 : 0, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	for (uint64_t i = 0; pace_snap_event(s, i) != NULL; i++)
		losses += strncmp(pace_snap_event(s, i)->text, "lost 5 000 of 6 000 in 6 s: ", 28) == 0;
	ck_assert_int_eq(losses, 1);
	/* and with a loss before and behind it, it is one */
	for (int t = 12; t < 20; t++) {
		tell_add(&v, t == 14 ? 0 : 900, t == 14 || t > 16 ? 0 : t == 15 ? 1100 : 100, 0, 0);
		feed(s, t, &v, 1, 0);
	}
	losses = 0;
	for (uint64_t i = 0; pace_snap_event(s, i) != NULL; i++)
		losses += strncmp(pace_snap_event(s, i)->text, "lost 1 400 of 5 000 in 5 s: ", 28) == 0;
	ck_assert_int_eq(losses, 1);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_sum_is_of_all_whatever_was_reset)
{
	struct pace_snap *s = story(85);
	char *all = told(s, true), *again, *since;

	ck_assert_ptr_null(strstr(all, "key r"));
	pace_snap_free(s);
	s = story(70);
	pace_snap_reset(s);
	again = told(s, true);
	since = strstr(again, "  the screen counted since 10:01:10Z (key r), this is all that was seen\n");
	ck_assert_msg(since != NULL && strstr(again, "    6 477") != NULL && strstr(again,
	    "1.02 Gbit/s") != NULL && strstr(again, "socket ~2 298 (0 to 2 298), before it ~4 179") != NULL, "%s", again);
	free(all);
	free(again);
	pace_snap_free(s);
}
END_TEST

/* --- distributions, the host ------------------------------------------------ */

START_TEST(distributions_are_of_the_run_or_of_the_newest_lines)
{
	struct pace_snap *s = story(85), *c;
	const struct pace_snap_session *v = session(s, 1);
	struct pace_coarse_hist_list l;
	int64_t span_ns;
	uint64_t before;

	ck_assert(pace_snap_dist(v, PACE_DIST_GAP, false, &l, &span_ns));
	ck_assert_int_eq(span_ns, 0);
	ck_assert_uint_eq(pace_coarse_hist_count(&l), v->now.all.frames / 10000 * 10000 + 1);
	ck_assert_int_eq(l.bin[l.n - 1].low, 27262976);
	c = story(75);
	ck_assert(pace_snap_dist(session(c, 1), PACE_DIST_GAP, false, &l, &span_ns));
	before = pace_coarse_hist_count(&l);
	ck_assert(pace_snap_dist(v, PACE_DIST_GAP, true, &l, &span_ns));
	ck_assert_int_eq(span_ns, 10 * SEC);
	ck_assert_uint_eq(pace_coarse_hist_count(&l), v->now.all.frames / 10000 * 10000 + 1 - before);
	ck_assert(!pace_snap_dist(session(s, 2), PACE_DIST_GAP, false, &l, &span_ns));
	ck_assert_uint_eq(v->now.rcvbuf_bytes, 212992);
	ck_assert_int_eq(v->now.gaps.max, 27700000);
	pace_snap_free(c);
	c = pace_snap_copy(s);
	pace_snap_free(s);
	ck_assert(pace_snap_dist(session(c, 1), PACE_DIST_DELAY, false, &l, &span_ns));
	ck_assert_int_eq(l.bin[0].low, 0);
	pace_snap_free(c);
}
END_TEST

START_TEST(another_run_has_distributions_of_its_own)
{
	struct pace_snap *s = story(85);
	struct tell_session v = steady(0);
	struct pace_coarse_hist_list l;
	int64_t span_ns;
	int at;

	v.number = 1;
	v.all.frames = 20000;
	feed(s, 86, &v, 1, 0);
	at = pace_snap_find(s, 1);
	s->session[at].now.run.number = 2;		/* and now the story's run 1 again */
	s->session[at].dists->run = 2;
	feed(s, 87, &v, 1, 0);
	ck_assert(pace_snap_dist(session(s, 1), PACE_DIST_GAP, true, &l, &span_ns));
	ck_assert_uint_eq(pace_coarse_hist_count(&l), 20000);
	ck_assert_int_eq(span_ns, 0);
	pace_snap_free(s);
}
END_TEST

START_TEST(the_host_has_rates_and_counts_since_it_was_seen)
{
	struct pace_snap *s = story(61);

	ck_assert_double_eq_tol(pace_host_rate(s, PACE_SUM_BUFFER_FULL), 2298, 1e-9);
	ck_assert_uint_eq(pace_host_since(s, PACE_SUM_BUFFER_FULL), 2298);
	ck_assert_double_eq_tol(pace_host_rate(s, PACE_SUM_NIC_LOST), 0, 1e-9);
	ck_assert_double_eq_tol(pace_host_own(s), 0.18, 1e-9);
	ck_assert_int_eq(s->host.busiest, 3);
	ck_assert_double_eq_tol(s->host.core[0].softirq, 0.221, 1e-9);
	pace_snap_reset(s);
	ck_assert_uint_eq(pace_host_since(s, PACE_SUM_BUFFER_FULL), 0);
	pace_snap_free(s);
}
END_TEST

START_TEST(lines_without_these_are_as_good)
{
	struct pace_snap *s;
	struct pace_coarse_hist_list l;
	int64_t span_ns;

	tell_as_before = true;
	s = story(85);
	ck_assert_uint_eq(s->lines, 86);
	ck_assert(!s->host.known);
	ck_assert(!pace_snap_dist(session(s, 1), PACE_DIST_GAP, false, &l, &span_ns));
	ck_assert(isnan(pace_host_rate(s, PACE_SUM_NIC)));
	ck_assert(isnan(pace_host_own(s)));
	pace_snap_free(s);
}
END_TEST

static const struct { const char *of, *is; } spoilt[] = {
	{ "[512,544,", "[512,545," }, { "[512,544,", "[-512,544," }, { "[512,544,", "[544,512," },
	{ "[512,544,", "[576,608," }, { "[512,544,", "[544,576," }, { "[512,544,", "[512,544,0],[512,544," },
	{ "[512,544,", "[512,544,-" }, { "[512,544,", "[512,544,99999999999999999],[544,560," },
	{ "[512,544,", "[512,544]" ",[544,560," }, { "[512,544,", "[512.0,544," },
	{ "[512,544,", "[9223372036854775807,544," }, { "\"below\":0", "\"below\":-1" },
	{ "\"bins\":[[", "\"bins\":{\"a\":[[" }, { "\"at_ns\":5", "\"at_ns\":-5" },
	{ "\"counters\":{", "\"counters\":7,\"x\":{" }, { "\"rx_frames\":", "\"rx_frames\":-1" },
	{ "\"name\":\"eth0\"", "\"name\":5" },
};

START_TEST(spoilt_distributions_and_counters_are_refused)
{
	struct pace_snap *s = story(30);
	char *text, *at, *line;
	size_t size, len;
	FILE *f = open_memstream(&text, &size), *g;
	struct tell_session v = steady(0);

	v.all.frames = 20000;
	tell_line(f, 31, false, &v, 1, 0);
	fclose(f);
	at = strstr(text, spoilt[_i].of);
	ck_assert_ptr_nonnull(at);
	g = open_memstream(&line, &len);
	fprintf(g, "%.*s%s%s", (int)(at - text), text, spoilt[_i].is, at + strlen(spoilt[_i].of));
	fclose(g);
	ck_assert_int_eq(pace_snap_feed(s, line, len - 1), -EINVAL);
	ck_assert_uint_eq(s->lines, 31);
	ck_assert_int_eq(pace_snap_feed(s, text, size - 1), 0);
	free(line);
	free(text);
	pace_snap_free(s);
}
END_TEST

START_TEST(points_of_a_sweep_are_kept)
{
	struct pace_snap *s = story(STORY_SWEEP), *c;
	struct pace_snap_sweep *w = s->sweep;

	ck_assert_ptr_nonnull(w);
	ck_assert_uint_eq(w->n, 13);
	ck_assert_uint_eq(w->planned, 15);
	ck_assert(!w->ended && s->line_has_point);
	ck_assert(isnan(w->point[12].loss) && isnan(w->point[12].wire_bps));
	ck_assert_double_eq_tol(w->point[2].spacing_ns, 2500.5, 1e-9);
	ck_assert_uint_eq(w->point[0].lost, 31000);
	c = pace_snap_copy(s);
	pace_snap_free(s);
	ck_assert_str_eq(c->sweep->target, "hostb");
	ck_assert_int_eq(pace_snap_feed(c, "{\"event\":\"end\"}", 15), 1);
	ck_assert(c->sweep->ended);
	pace_snap_free(c);
}
END_TEST

static int
feed_text(struct pace_snap *s, const char *line)
{
	return pace_snap_feed(s, line, strlen(line));
}

START_TEST(a_campaign_tells_its_step_and_point)
{
	struct pace_snap *s = pace_snap_new();
	struct pace_sweep_grid g;
	struct pace_snap_cell cursor = { .size_bytes = 0 };
	static const char now[] = "{\"event\":\"now\",\"size_bytes\":64,\"spacing_ns\":1.5,\"left_ns\":9}";

	ck_assert_int_eq(feed_text(s, now), -EINVAL);
	ck_assert_int_eq(feed_text(s, "{\"event\":\"step\",\"number\":2,\"of\":3,\"name\":\"noon\","
	    "\"command\":\"throughput\"}"), 1);
	ck_assert_int_eq(feed_text(s, "{\"event\":\"start\",\"schema\":\"udpace-result/1\","
	    "\"kind\":\"throughput\",\"target\":\"hostb\",\"planned\":7}"), 1);
	ck_assert_str_eq(s->sweep->step.text, "step 2 of 3: noon, throughput");
	ck_assert_int_eq(feed_text(s, now), 1);
	ck_assert(s->sweep->is_now && s->sweep->now_bytes == 64 && s->sweep->left_ns == 9);
	pace_sweep_grid_of(&g, s->sweep);
	ck_assert_int_eq(g.sizes, 1);
	ck_assert(pace_sweep_grid_is_now(s->sweep, 64, g.spacing[0]));
	pace_sweep_move(&cursor, s, 1, 0);		/* to the one that is measured */
	ck_assert_uint_eq(cursor.size_bytes, 64);
	ck_assert_int_eq(feed_text(s, "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":1.5}"), 0);
	ck_assert(!s->sweep->is_now && s->sweep->n == 1);
	/* another sweep, of no campaign */
	ck_assert_int_eq(feed_text(s, "{\"event\":\"start\",\"schema\":\"udpace-result/1\","
	    "\"kind\":\"throughput\",\"target\":\"hostb\",\"planned\":7}"), 1);
	ck_assert_str_eq(s->sweep->step.text, "");
	/* a step without a sweep, and the next one: the points stay in sight */
	for (int step = 3; step <= 4; step++) {
		ck_assert_int_eq(feed_text(s, step == 3 ? "{\"event\":\"step\",\"number\":3,"
		    "\"of\":4,\"name\":\"c\",\"command\":\"clock\"}" : "{\"event\":\"step\","
		    "\"number\":4,\"of\":4,\"name\":\"d\",\"command\":\"latency\"}"), 1);
		ck_assert_ptr_nonnull(s->last_sweep);
		ck_assert_uint_eq(s->last_sweep->n, 1);
		ck_assert_uint_eq(s->last_sweep->point[0].size_bytes, 64);
		ck_assert_uint_eq(s->sweep->n, 0);
	}
	pace_snap_free(s);
}
END_TEST

/* The remaining time is the reported one less the time since. */
START_TEST(a_campaign_tells_its_plan_and_time)
{
	struct pace_snap *s = story(STORY_CAMPAIGN), *c;
	const struct pace_snap_sweep *w = s->sweep;
	struct pace_sweep_grid g;
	bool least;
	char line[128];

	ck_assert_uint_eq(w->plans, 6);
	ck_assert_uint_eq(w->train, 50);
	ck_assert_uint_eq(w->skipped, 1);
	pace_sweep_grid_of(&g, w);
	ck_assert_int_eq(g.sizes, 3);
	ck_assert_int_eq(g.spacings, 3);
	ck_assert_int_eq(pace_sweep_place(w, 64, 10000), PACE_CELL_DONE);
	ck_assert_int_eq(pace_sweep_place(w, 64, 20000), PACE_CELL_SKIPPED);
	ck_assert_int_eq(pace_sweep_place(w, 1472, 10000), PACE_CELL_NOW);
	ck_assert_int_eq(pace_sweep_place(w, 1472, 0), PACE_CELL_TO_DO);
	ck_assert_int_eq(pace_sweep_place(w, 8972, 0), PACE_CELL_NONE);
	ck_assert_double_eq_tol(pace_sweep_share(s), 0.5, 1e-9);
	ck_assert_int_eq(pace_sweep_step_left(s), INT64_C(35000000000));
	ck_assert_int_eq(pace_sweep_all_left(s, &least), INT64_C(96000000000));
	ck_assert(least);
	/* it takes longer than was thought */
	snprintf(line, sizeof(line), "{\"event\":\"time\",\"at_ns\":%" PRId64 "}", s->at_ns +
	    INT64_C(100000000000));
	ck_assert_int_eq(feed_text(s, line), 1);
	ck_assert_int_eq(pace_sweep_step_left(s), 0);
	ck_assert_double_eq(pace_sweep_share(s), 1);
	/* the last sweep stays until there is a point of the next */
	ck_assert_int_eq(feed_text(s, "{\"event\":\"end\"}"), 1);
	ck_assert_int_eq(feed_text(s, "{\"event\":\"step\",\"number\":3,\"of\":3,\"name\":\"c\","
	    "\"command\":\"clock\"}"), 1);
	ck_assert_int_eq(pace_sweep_step_left(s), -1);
	c = pace_snap_copy(s);
	pace_snap_free(s);
	ck_assert_uint_eq(pace_sweep_grid_shown(c)->plans, 6);
	ck_assert_int_eq(feed_text(c, "{\"event\":\"start\",\"schema\":\"udpace-result/1\","
	    "\"kind\":\"throughput\",\"target\":\"hostb\",\"planned\":7}"), 1);
	ck_assert_ptr_eq(pace_sweep_grid_shown(c), c->last_sweep);
	ck_assert_int_eq(feed_text(c, "{\"event\":\"now\",\"size_bytes\":64,\"spacing_ns\":1.5,"
	    "\"left_ns\":9}"), 1);
	ck_assert_ptr_eq(pace_sweep_grid_shown(c), c->sweep);
	ck_assert_str_eq(c->sweep->step.text, "step 3 of 3: c, clock");
	pace_snap_free(c);
}
END_TEST

START_TEST(a_plan_may_be_too_long)
{
	struct pace_snap *s = story(STORY_CAMPAIGN);

	for (int i = 0; i < PACE_POINTS; i++)
		ck_assert_int_eq(feed_text(s, "{\"event\":\"plan\",\"points\":[[9,9.0]]}"), 1);
	ck_assert_uint_eq(s->sweep->plans, PACE_POINTS);
	pace_snap_free(s);
}
END_TEST

static const struct { const char *line; int rc; } points[] = {
	{ "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":1.5}", 0 },
	{ "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":-1}", -EINVAL },
	{ "{\"event\":\"point\",\"size_bytes\":64}", -EINVAL },
	{ "{\"event\":\"point\",\"size_bytes\":-64,\"spacing_ns\":1}", -EINVAL },
	{ "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":1,\"loss\":{\"ratio\":2}}", -EINVAL },
	{ "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":1,\"x\":\"\xc2\xb5\"}", 0 },
	{ "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":1,\"x\":\"\x1b\"}", -EINVAL },
	{ "{\"event\":\"start\",\"schema\":\"udpace-result/2\",\"kind\":\"throughput\"}", -EINVAL },
	{ "{\"event\":\"start\",\"schema\":\"udpace-result/1\",\"kind\":\"latency\"}", -EINVAL },
	{ "{\"event\":\"now\",\"size_bytes\":64,\"spacing_ns\":1,\"left_ns\":-1}", -EINVAL },
	{ "{\"event\":\"now\",\"size_bytes\":64,\"left_ns\":1}", -EINVAL },
	{ "{\"event\":\"step\",\"number\":0,\"of\":2,\"name\":\"a\",\"command\":\"b\"}", -EINVAL },
	{ "{\"event\":\"step\",\"number\":1,\"of\":2,\"name\":\"a\"}", -EINVAL },
	{ "{\"event\":\"plan\"}", -EINVAL },
	{ "{\"event\":\"plan\",\"points\":[[-1,2]]}", -EINVAL },
	{ "{\"event\":\"plan\",\"points\":[[1]]}", -EINVAL },
	{ "{\"event\":\"plan\",\"points\":[[1,-2.0]]}", -EINVAL },
	{ "{\"event\":\"plan\",\"points\":[1]}", -EINVAL },
	{ "{\"event\":\"notice\"}", -EINVAL },
	{ "{\"event\":\"time\",\"at_ns\":0}", -EINVAL },
	{ "{\"event\":\"time\",\"at_ns\":\"x\"}", -EINVAL },
	{ "{\"event\":\"skipped\",\"size_bytes\":64}", -EINVAL },
	{ "{\"event\":\"skipped\",\"size_bytes\":64,\"spacing_ns\":1,\"loss\":{\"ratio\":0,"
	    "\"frames\":0}}", -EINVAL },
	{ "{\"event\":7}", -EINVAL }, { "{\"event\":\"else\"}", -EINVAL },
	{ "{\"x\":\"\xc2\xb5 \\\"event\\\"\"}", -EINVAL },
};

START_TEST(points_are_checked)
{
	struct pace_snap *s = story(STORY_SWEEP), *none = pace_snap_new();

	ck_assert_int_eq(pace_snap_feed(s, points[_i].line, strlen(points[_i].line)), points[_i].rc);
	ck_assert_uint_eq(s->sweep->n, 13U + (points[_i].rc == 0));
	ck_assert_int_eq(pace_snap_feed(none, points[_i].line, strlen(points[_i].line)), -EINVAL);
	ck_assert_ptr_null(none->sweep);
	pace_snap_free(none);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_note_is_an_event)
{
	static const char line[] = "{\"time\":\"2026-11-20T10:00:31.000Z\",\"note\":\"cable\\u001b moved\"}";
	struct pace_snap *s = story(30);

	ck_assert_int_eq(pace_snap_feed(s, line, strlen(line)), 1);
	ck_assert_str_eq(pace_snap_event(s, 0)->text, "note: cable? moved");
	pace_snap_free(s);
}
END_TEST

START_TEST(another_responder_begins_anew)
{
	struct pace_snap *s = story(20);
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	tell_head(f, "hostc");
	fclose(f);
	ck_assert_int_eq(pace_snap_feed(s, text, size - 1), 1);
	ck_assert_uint_eq(s->n, 0);
	ck_assert_str_eq(s->head.host, "hostc");
	free(text);
	pace_snap_free(s);
}
END_TEST

static const char *const bad[] = {
	"", "x", "{}", "[]", "null", "{\"time\":\"2026-11-20T10:00:00.000Z\"}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":{}}",
	"{\"time\":\"2026-13-20T10:00:00.000Z\",\"sessions\":[]}",
	"{\"time\":\"1969-11-20T10:00:00.000Z\",\"sessions\":[]}",
	"{\"time\":\"2026-11-20T10:00:00.000Zx\",\"sessions\":[]}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[{}]}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[7]}",
	"{\"time\":\"2201-01-01T00:00:00.000Z\",\"sessions\":[]}",
	"{\"time\":\"9999-12-31T23:59:60.999Z\",\"sessions\":[]}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[],\"interval_ns\":86400000000001}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[],\"interval_ns\":9223372036854775807}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[],\"interval_ns\":-1}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[],\"interval_ns\":1.5}",
	"{\"time\":7,\"sessions\":[]}",
	("{\"schema\":\"udpace-status/2\",\"version\":\"\",\"host\":\"\",\"started\":\"\",\"port\":1,"
	    "\"interval_ms\":1000}"),
	"{\"schema\":\"udpace-status/1\"}", "{\"error\":7}", "{\"note\":\"x\"}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"note\":7}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[],\"x\":\"\xc3\xa9\"}",
	"{\"time\":\"2026-11-20T10:00:00.000Z\",\"sessions\":[]}\t",
};

START_TEST(what_is_not_understood_changes_nothing)
{
	struct pace_snap *s = story(30), *before = pace_snap_copy(s);
	size_t len = strlen(bad[_i]);
	char *exact = malloc(len + 1);

	memcpy(exact, bad[_i], len);
	ck_assert_int_eq(pace_snap_feed(s, exact, len), -EINVAL);
	ck_assert_uint_eq(s->lines, before->lines);
	ck_assert_uint_eq(s->n, before->n);
	ck_assert_uint_eq(s->events, before->events);
	free(exact);
	pace_snap_free(before);
	pace_snap_free(s);
}
END_TEST

START_TEST(a_session_that_is_told_twice_is_refused)
{
	struct pace_snap *s = pace_snap_new();
	struct tell_session v[3] = { steady(0), steady(0), steady(0) };

	v[1].number = 2;
	feed(s, 0, v, 3, -EINVAL);
	ck_assert_uint_eq(s->n, 0);
	pace_snap_free(s);
}
END_TEST

START_TEST(times_are_those_of_the_calendar)
{
	static const struct { const char *text; int64_t s; } days[] = {
		{ "{\"time\":\"1970-01-01T00:00:01.000Z\"}", 1 },
		{ "{\"time\":\"2000-02-29T12:00:00.000Z\"}", 951825600 },
		{ "{\"time\":\"2000-03-01T00:00:00.000Z\"}", 951868800 },
		{ "{\"time\":\"2026-11-20T10:00:00.000Z\"}", 1795168800 },
		{ "{\"time\":\"2100-03-01T00:00:00.000Z\"}", INT64_C(4107542400) },
		{ "{\"time\": \"2001-01-01T00:00:00.000Z\"}", 978307200 },
		{ "{\"time\":\"2200-12-31T23:59:59.000Z\"}", INT64_C(7289654399) },
		{ "{\"time\":\"2201-01-01T00:00:00.000Z\"}", 0 },
		{ "{\"time\":\"9999-01-01T00:00:00.000Z\"}", 0 }, { "{\"t\":1}", 0 }, { "{\"time\":\"2001", 0 }, { "\"time\":", 0 },
	};

	for (int i = 0; i < COUNT_OF(days); i++)
		ck_assert_int_eq(pace_snap_time(days[i].text, strlen(days[i].text)), days[i].s * SEC);
}
END_TEST

/* The longest line, in cells. */
static int
longest(const char *text)
{
	int most = 0;

	for (const char *next; *text != '\0'; text = next) {
		char line[512];

		next = strchr(text, '\n') + 1;
		snprintf(line, sizeof(line), "%.*s", (int)(next - text) - 1, text);
		most = pace_text_cells(line) > most ? pace_text_cells(line) : most;
	}
	return most;
}

#define MOST	UINT64_MAX

/* A session whose values are all as large as possible (1) or usual (0). */
static struct pace_snap_session
extreme(bool most, bool own)
{
	static const char name[] = "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad-a-name-of-many-letters";
	struct pace_snap_session v = { .seen = true, .now = { .number = most ? MOST : 7,
	    .state = PACE_RUNNING, .all.frames = 1 }, .newest = { .kind = PACE_TICK_WHOLE, .at_ns = SEC,
	    .span_ns = SEC, .active_ns = SEC, .n = { .frames = most ? MOST : 83334,
	    .wire_bytes = most ? MOST : 128000000, .lost = most ? INT64_MAX : 12, .socket_drops = 2,
	    .socket_lost_likely = 2, .socket_lost_max = most ? MOST : 2,
	    .reordered = most ? MOST : 3, .duplicates = most ? MOST : 0, .corrupt = most ? MOST : 0 },
	    .above = { .n = 1, .has_extremes = true, .mean = most ? 9e18 : 2400, .max = most ? INT64_MAX : 121400 } } };

	snprintf(v.now.label, sizeof(v.now.label), "%s", most ? name : "cam-a");
	v.now.probe.known = own;
	v.now.probe.way[PACE_WAY_BOTH] = v.newest.above;
	return v;
}

static char *
rows_of(const struct pace_snap_session *v, int n, bool utf8)
{
	struct pace_snap s = { .n = 1, .at_ns = SEC };
	struct pace_snap_session one = *v;
	struct pace_line_head head = { .rows = 0 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	s.session = &one;
	for (int i = 0; i < n; i++)
		pace_line_tick(f, &s, PACE_FIG_WIRE, utf8, &head);
	fclose(f);
	return text;
}

/* Bit 0: every figure as large as it may be; 1: of a stream of our own; 2: with UTF-8. */
START_TEST(a_line_has_a_hundred_cells_at_most)
{
	struct pace_snap_session v = extreme(_i & 1, _i & 2);
	char *text = rows_of(&v, 1, _i & 4);
	int cells = longest(text);

	ck_assert_msg(cells == PACE_LINE_WIDTH - (_i & 2 ? 5 : 0), "%d cells:\n%s", cells, text);
	free(text);
}
END_TEST

START_TEST(columns_keep_their_unit_and_their_place)
{
	struct pace_snap_session v = extreme(false, false);
	char *text = rows_of(&v, 1, false);

	ck_assert_str_eq(text,
	    "     time   no.  client             Mbit/s frames/s    lost lost in    lost out of   delay+      max\n"
	    "      UTC                             wire                %  socket  before  order       us       us\n"
	    "00:00:01Z     7  cam-a            1024.000    83334  0.0144      ~2     ~10      3     2.40   121.40\n");
	free(text);
	v = extreme(false, true);
	text = rows_of(&v, 1, false);
	ck_assert_str_eq(text,
	    "     time    Mbit/s frames/s    lost lost in    lost out of   delay+      max      RTT      max\n"
	    "      UTC      wire                %  socket  before  order       us       us       us       us\n"
	    "00:00:01Z  1024.000    83334  0.0144      ~2     ~10      3     2.40   121.40     2.40   121.40\n");
	free(text);
}
END_TEST

START_TEST(heads_come_again_every_twenty_rows)
{
	struct pace_snap_session v = extreme(false, false);
	char *text = rows_of(&v, 41, false);
	int rows = 0, heads = 0;

	for (const char *p = text; *p != '\0'; p = strchr(p, '\n') + 1)
		if (strncmp(p, "     time", 9) == 0) {
			ck_assert_int_eq(rows, 20 * heads++);
			p = strchr(p, '\n') + 1;
		} else {
			rows++;
		}
	ck_assert_int_eq(rows, 41);
	ck_assert_int_eq(heads, 3);
	free(text);
}
END_TEST

START_TEST(a_point_of_a_sweep_is_a_row_with_its_words_below)
{
	static struct pace_snap_sweep w = { .n = 1, .point = { { .size_bytes = 65507,
	    .spacing_ns = 2e9, .wire_bps = 4e11, .loss = 0.0277, .reordered = MOST,
	    .diagnosis = "the first of many words, of which a line has no room for all, as they are a "
	    "hundred cells and more" } } };
	struct pace_snap s = { .line_has_point = true, .sweep = &w };
	char *text = told(&s, false);

	ck_assert_msg(longest(text) <= PACE_LINE_WIDTH && strstr(text, " and more\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "65507  2000000.00  400000.000   2.77     18.4E\n") != NULL, "%s", text);
	free(text);
	w.point[0].loss = w.point[0].wire_bps = NAN;
	w.point[0].diagnosis[0] = '\0';
	text = told(&s, false);
	ck_assert_msg(strstr(text, "           -    -           -  failed\n") != NULL, "%s", text);
	free(text);
}
END_TEST

/* Nothing that such texts hold may reach a terminal. */
START_TEST(lines_do_nothing_to_a_terminal)
{
	struct pace_snap *s = story(85);
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	pace_line_tick(f, s, PACE_FIG_WIRE, _i, &(struct pace_line_head){ .rows = 0 });
	pace_line_summary(f, s, PACE_FIG_WIRE, 10, _i);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "?[2J?evil?"));
	ck_assert_ptr_nonnull(strstr(text, "  1025.3"));
	for (const char *p = text; *p != '\0'; p++)
		ck_assert_msg(*p == '\n' || (unsigned char)*p >= ' ', "control character");
	if (!_i)
		for (const char *p = text; *p != '\0'; p++)
			ck_assert_msg((unsigned char)*p < 0x7f, "not ASCII: %s", text);
	ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
	free(text);
	pace_snap_free(s);
}
END_TEST

static const struct { const char *in, *utf8, *ascii; } texts[] = {
	{ "plain ~", "plain ~", "plain ~" },
	{ "a\x1b[31m\x7f\n", "a?[31m??", "a?[31m??" },
	{ "\xc2\x9b", "?", "?" },			/* CSI of C1 */
	{ "\xe2\x80\xae" "x", "?x", "?x" },		/* right-to-left override */
	{ "\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf", "???", "???" },
	{ "\xd7\x90", "?", "?" },			/* written from right to left */
	{ "e\xcc\x81", "e?", "e?" },			/* combining */
	{ "\xe2\x80\x8b\xc2\xad", "??", "??" },		/* zero width, soft hyphen */
	{ "\xc3\xa9 \xc2\xb5s", "\xc3\xa9 \xc2\xb5s", "? us" },
	{ "\xe4\xb8\xad", "\xe4\xb8\xad", "?" },
	{ "\xf0\x9f\x98\x80", "?", "?" },		/* its width is anybody's guess */
	{ "\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf8\xff", "??????????", "??????????" },
	{ "\xe4\xb8", "??", "??" },
};

START_TEST(texts_are_clean)
{
	char out[64];

	ck_assert_str_eq(pace_glyph_clean(texts[_i].in, true, out, sizeof(out)), texts[_i].utf8);
	ck_assert_str_eq(pace_glyph_clean(texts[_i].in, false, out, sizeof(out)), texts[_i].ascii);
}
END_TEST

START_TEST(texts_are_cut_between_characters)
{
	char out[4];

	ck_assert_str_eq(pace_glyph_clean("a\xe4\xb8\xad", true, out, sizeof(out)), "a");
	ck_assert_str_eq(pace_glyph_clean("abcd", true, out, sizeof(out)), "abc");
	ck_assert_str_eq(pace_glyph_clean("abcd", true, out, 1), "");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("snap");

	unit_seed(tc);
	tcase_add_test(tc, bounds_are_within_what_was_lost);
	tcase_add_test(tc, frames_between_the_interface_and_ip_are_counted);
	tcase_add_test(tc, the_rate_sent_counts_the_frames_of_trains);
	tcase_add_test(tc, a_story_is_kept);
	tcase_add_test(tc, the_first_interval_of_a_stream_says_nothing_of_the_least_rate);
	tcase_add_loop_test(tc, the_strip_marks_loss_by_decades, 0, COUNT_OF(marks));
	tcase_add_test(tc, a_stream_of_which_nothing_comes_is_all_lost);
	tcase_add_loop_test(tc, a_stream_that_ends_makes_no_dip, 0, COUNT_OF(ends));
	tcase_add_test(tc, streams_that_begin_together_ran_at_the_same_time);
	tcase_add_test(tc, a_stream_that_has_not_begun_is_not_dead);
	tcase_add_test(tc, a_stream_between_two_trains_is_not_dead);
	tcase_add_loop_test(tc, the_marks_are_those_of_the_decades, 0, COUNT_OF(decades));
	tcase_add_test(tc, frames_that_come_late_take_back_a_loss);
	tcase_add_test(tc, a_session_that_is_gone_has_no_current_figures);
	tcase_add_test(tc, the_mean_loss_is_of_all_frames);
	tcase_add_test(tc, a_hole_between_lines_is_a_gap);
	tcase_add_test(tc, a_clock_that_is_set_makes_no_hole);
	tcase_add_test(tc, a_line_of_a_longer_time_is_shared_out);
	tcase_add_test(tc, the_interval_is_that_of_the_lines);
	tcase_add_test(tc, long_intervals_are_no_usual_ones);
	tcase_add_test(tc, history_is_bounded_and_its_newest_is_kept);
	tcase_add_test(tc, sessions_are_bounded_and_ended_ones_go_first);
	tcase_add_test(tc, reset_begins_the_counters_anew_and_keeps_history);
	tcase_add_test(tc, a_copy_is_its_own);
	tcase_add_test(tc, loss_that_goes_on_is_one_event);
	tcase_add_test(tc, an_outage_tells_of_its_own_frames);
	tcase_add_test(tc, a_changed_marking_is_told_for_its_direction);
	tcase_add_test(tc, doubt_of_a_capture_is_of_its_last_drops);
	tcase_add_test(tc, the_worst_stream_is_the_one_with_most_loss);
	tcase_add_loop_test(tc, bounds_are_told_as_the_room_allows, 0, COUNT_OF(bounds));
	tcase_add_loop_test(tc, of_trains_the_socket_has_at_least_and_at_most, 0, COUNT_OF(parted));
	tcase_add_test(tc, bounds_the_wrong_way_round_are_refused);
	tcase_add_test(tc, what_the_host_counted_is_not_the_network_for_sure);
	tcase_add_test(tc, drops_of_a_card_and_of_a_backlog_are_one_place);
	tcase_add_test(tc, what_the_host_dropped_before_a_reset_is_forgotten);
	tcase_add_test(tc, what_was_lost_before_the_first_look_may_be_the_hosts);
	tcase_add_test(tc, a_loss_took_as_long_as_nothing_came);
	tcase_add_test(tc, the_sum_is_of_all_whatever_was_reset);
	tcase_add_test(tc, distributions_are_of_the_run_or_of_the_newest_lines);
	tcase_add_test(tc, another_run_has_distributions_of_its_own);
	tcase_add_test(tc, the_host_has_rates_and_counts_since_it_was_seen);
	tcase_add_test(tc, lines_without_these_are_as_good);
	tcase_add_loop_test(tc, spoilt_distributions_and_counters_are_refused, 0, COUNT_OF(spoilt));
	tcase_add_test(tc, points_of_a_sweep_are_kept);
	tcase_add_test(tc, a_campaign_tells_its_plan_and_time);
	tcase_add_test(tc, a_plan_may_be_too_long);
	tcase_add_test(tc, a_campaign_tells_its_step_and_point);
	tcase_add_loop_test(tc, points_are_checked, 0, COUNT_OF(points));
	tcase_add_test(tc, a_note_is_an_event);
	tcase_add_test(tc, another_responder_begins_anew);
	tcase_add_loop_test(tc, what_is_not_understood_changes_nothing, 0, COUNT_OF(bad));
	tcase_add_test(tc, a_session_that_is_told_twice_is_refused);
	tcase_add_test(tc, times_are_those_of_the_calendar);
	tcase_add_loop_test(tc, a_line_has_a_hundred_cells_at_most, 0, 8);
	tcase_add_test(tc, columns_keep_their_unit_and_their_place);
	tcase_add_test(tc, heads_come_again_every_twenty_rows);
	tcase_add_test(tc, a_point_of_a_sweep_is_a_row_with_its_words_below);
	tcase_add_loop_test(tc, lines_do_nothing_to_a_terminal, 0, 2);
	tcase_add_loop_test(tc, texts_are_clean, 0, COUNT_OF(texts));
	tcase_add_test(tc, texts_are_cut_between_characters);
	return unit_run_apart(tc, "snap");
}
