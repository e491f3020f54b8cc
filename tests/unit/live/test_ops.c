/* daemon/ops, server/session_stats.h: each status is complete, one line, and consistent. */
#include "lib/unit.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "doc/tally_doc.h"
#include "doc/utc.h"
#include "live/event.h"
#include "live/metrics.h"
#include "live/status.h"

/* --- the log --- */

static json_t *
parsed(char *line)
{
	json_t *j = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_msg(j != NULL, "no JSON: %s", line);
	for (const char *p = line; *p != '\0'; p++)
		ck_assert_msg(*p >= ' ' && *p < 0x7f, "not plain ASCII: %s", line);
	free(line);
	return j;
}

static const char *
text_of(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

START_TEST(every_event_is_one_object_of_plain_ascii)
{
	struct pace_event e = { .kind = (enum pace_event_kind)_i, .peer = "2001:db8::1",
	    .port = 1, .wall_ns = INT64_C(1700000000123456789), .code = "code",
	    .text = "t\"e\nx\\t \xe2\x80\xae", .count = 2,
	    .view = { .number = 7, .label = "\xe2\x80\xae\"l\\ \x1b[31m", .runs = 3 } };
	json_t *j = parsed(pace_event_json(&e));

	ck_assert_str_eq(text_of(j, "time"), "2023-11-14T22:13:20.123Z");
	ck_assert_ptr_nonnull(text_of(j, "level"));
	ck_assert_ptr_nonnull(text_of(j, "event"));
	ck_assert_int_eq(json_integer_value(json_object_get(j, "session")), 7);
	ck_assert_str_eq(text_of(j, "label"), "\xe2\x80\xae\"l\\ ?[31m");
	json_decref(j);
}
END_TEST

/* Members by kind, as udpace-respond(1) has them; the event has the code
 * "c", the text "t", the count 2 and 3 s. */
static const struct { enum pace_event_kind kind; const char *text, *code, *count, *time; } own[] = {
	{ PACE_EVENT_LISTENING, "mode", "protocol", NULL, NULL },
	{ PACE_EVENT_WAITS, "for", NULL, "place", "at_most_ns" },
	{ PACE_EVENT_RUN, NULL, NULL, NULL, "waited_ns" },
	{ PACE_EVENT_RUN_OVER, NULL, "how", NULL, "duration_ns" },
	{ PACE_EVENT_CLOSED, NULL, "how", NULL, "duration_ns" },
	{ PACE_EVENT_REFUSED, "text", "code", "not_logged", NULL },
	{ PACE_EVENT_RELOAD, "text", NULL, NULL, NULL },
	{ PACE_EVENT_WARNING, "text", NULL, NULL, NULL },
	{ PACE_EVENT_ERROR, "text", NULL, NULL, NULL },
	{ PACE_EVENT_ABUSE, NULL, NULL, "seconds", NULL },
	{ PACE_EVENT_STOPPING, NULL, "signal", "sessions", NULL },
	{ PACE_EVENT_LOST, NULL, NULL, "events", NULL },
};

START_TEST(an_event_has_the_members_of_its_kind)
{
	struct pace_event e = { .kind = own[_i].kind, .peer = "192.0.2.1", .port = 1, .code = "c",
	    .text = "t", .count = 2, .duration_ns = INT64_C(3000000000), .has_rx_result = true,
	    .view = { .number = 7 } };
	json_t *j = parsed(pace_event_json(&e));

	if (own[_i].text != NULL)
		ck_assert_str_eq(text_of(j, own[_i].text), "t");
	if (own[_i].code != NULL)
		ck_assert_str_eq(text_of(j, own[_i].code), "c");
	if (own[_i].count != NULL)
		ck_assert_int_eq(json_integer_value(json_object_get(j, own[_i].count)), 2);
	if (own[_i].time != NULL)
		ck_assert_int_eq(json_integer_value(json_object_get(j, own[_i].time)), 3000000000);
	json_decref(j);
}
END_TEST

START_TEST(a_run_took_from_its_begin_to_its_end)
{
	struct pace_event e = { .kind = PACE_EVENT_RUN_OVER, .peer = "192.0.2.1", .port = 1,
	    .code = "complete", .view = { .number = 7, .run = { .number = 2, .began_ns = 5000,
	    .ended_ns = 25000, .sent = 9 }, .this_run = { .frames = 8 } } };
	json_t *j = parsed(pace_event_json(&e));

	ck_assert_int_eq(json_integer_value(json_object_get(j, "took_ns")), 20000);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "run")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "frames")), 8);
	json_decref(j);
}
END_TEST

START_TEST(text_is_one_line_that_does_nothing_to_a_terminal)
{
	struct pace_event e = { .kind = (enum pace_event_kind)_i, .peer = "192.0.2.1", .port = 1,
	    .code = "code", .text = "a\nb\x1b[31m\xc2\x85", .count = 2,
	    .view = { .number = 7, .label = "x\ny\x1b\xff", .key = "k\n" } };
	char *t = pace_event_text(&e);

	for (const char *p = t; *p != '\0'; p++)
		ck_assert_msg(*p >= ' ' && *p < 0x7f, "%s", t);
	free(t);
}
END_TEST

START_TEST(lines_for_people_read_as_they_did)
{
	struct pace_event e = { .kind = PACE_EVENT_LISTENING, .peer = "0.0.0.0", .port = 14233 };
	char *t = pace_event_text(&e);

	ck_assert_str_eq(t, "listening on 0.0.0.0 port 14233");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_CLOSED, .peer = "192.0.2.1", .port = 9,
	    .code = "client_gone", .view = { .number = 1, .runs = 1,
	    .all = { .frames = 10, .duplicates = 2, .lost = 5 } } };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: 1 run, 10 frames, 5 lost, client gone");
	free(t);
	e.view.run = (struct pace_run_stats){ .number = 2, .down = 1 };
	e.view.this_run = (struct pace_tally){ .sent_frames = 7 };
	e.view.all.sent_frames = 7;
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: 1 run, 10 frames, 5 lost, 7 sent, client gone");
	free(t);
	e.kind = PACE_EVENT_RUN_OVER;
	strcpy(e.code, "complete");
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 1 run 2 complete: 7 frames sent");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_REFUSED, .peer = "192.0.2.1", .port = 9,
	    .code = "policy", .text = "rule \"guests\"", .count = 3 };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: refused, policy: rule \"guests\"; "
	    "3 more were not logged");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_WAITS, .peer = "192.0.2.1", .port = 9,
	    .text = "cam-a", .duration_ns = INT64_C(12000000000), .count = 2, .view.number = 4 };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 waits: another client is measuring, \"cam-a\", "
	    "for at most 12.0 s; place 2 in the line of its host");
	free(t);
	e.count = 1;
	e.text[0] = '\0';
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 waits: another client is measuring, for at most "
	    "12.0 s");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_RUN, .peer = "192.0.2.1", .port = 9,
	    .duration_ns = INT64_C(3200000000), .view = { .number = 4, .run = { .number = 1,
	    .size_bytes = 64, .spacing_ns = 1000000, .frames_asked = 10 } } };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 run 1: 64 bytes every 1.00 ms, 10 frames, after "
	    "it waited 3.20 s");
	free(t);
	e.duration_ns = 0;
	e.view.run = (struct pace_run_stats){ .number = 2, .size_bytes = 64, .reply_bytes = 128,
	    .pings = true, .duration_asked_ns = INT64_C(5000000000) };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 run 2: 64 bytes, replies of 128 bytes for 5.00 s");
	free(t);
	e.view.run = (struct pace_run_stats){ .number = 3, .size_bytes = 64, .frames_asked = 7 };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 run 3: 64 bytes as fast as possible, 7 frames");
	free(t);
	e.view.run = (struct pace_run_stats){ .number = 4, .tcp = 2, .duration_asked_ns = 1000000 };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "192.0.2.1 port 9: session 4 run 4: TCP, 2 connections for 1.00 ms");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_ABUSE, .count = 60, .peer = "192.0.2.9",
	    .totals = { .at_port = { .keyless = 3, .strays = 5 } } };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "not of any session, in 60 s: 3 without a good key (the last in the name of "
	    "192.0.2.9), 5 in the name of clients");
	free(t);
	e = (struct pace_event){ .kind = PACE_EVENT_ABUSE, .count = 60,
	    .totals = { .opened = 4, .at_port = { .hellos = 9, .opened = 8, .junk = 4711,
	    .limited = 12, .refused = 2, .strays = 5 } } };
	t = pace_event_text(&e);
	ck_assert_str_eq(t, "not of any session, in 60 s: 4711 junk, 12 above the limit of their "
	    "address, 2 refused a session, 5 in the name of clients");
	free(t);
}
END_TEST

static const struct { int64_t ns; const char *text; } times[] = {
	{ 0, "1970-01-01T00:00:00.000Z" },
	{ 999999, "1970-01-01T00:00:00.000Z" },
	{ 1000000, "1970-01-01T00:00:00.001Z" },
	{ 999999999, "1970-01-01T00:00:00.999Z" },
	{ INT64_C(951782400000000000), "2000-02-29T00:00:00.000Z" },
	{ INT64_MAX, "2262-04-11T23:47:16.854Z" },
};

START_TEST(times_are_cut_to_milliseconds)
{
	char buf[32];

	ck_assert_str_eq(pace_utc_text(times[_i].ns, buf, sizeof(buf)), times[_i].text);
}
END_TEST

START_TEST(a_failed_reload_is_an_error)
{
	struct pace_event e = { .kind = PACE_EVENT_RELOAD };

	snprintf(e.text, sizeof(e.text), "read again");
	ck_assert_int_eq(pace_event_level(&e), PACE_LOG_NOTICE);
	e.count = 1;
	ck_assert_int_eq(pace_event_level(&e), PACE_LOG_ERR);
	e.count = 0;
	e.level = PACE_LOG_WARNING;
	ck_assert_int_eq(pace_event_level(&e), PACE_LOG_WARNING);
}
END_TEST

static void
reads(const struct pace_event *e, const char *words)
{
	char *t = pace_event_text(e);

	ck_assert_msg(strstr(t, words) != NULL, "no '%s' in '%s'", words, t);
	free(t);
}

START_TEST(one_is_not_many)
{
	struct pace_event e = { .kind = PACE_EVENT_STOPPING, .code = "SIGTERM" };
	char *t = pace_event_text(&e);

	ck_assert_str_eq(t, "stopping for SIGTERM");
	free(t);
	e.count = 1;
	reads(&e, ", 1 session has 5 s");
	e.count = 2;
	reads(&e, ", 2 sessions have 5 s");
	e = (struct pace_event){ .kind = PACE_EVENT_SUMMARY, .totals = { .opened = 1, .streams = 1,
	    .tally = { .frames = 1 }, .at_port = { .hellos = 1 } } };
	reads(&e, ": 1 session, 0 of them now, 1 run, 1 frame, 0 lost; at the port: hellos 1, ");
	e.totals.round_trips = e.totals.tcp = 1;
	reads(&e, ", 3 runs, 1 frame, ");
	e = (struct pace_event){ .kind = PACE_EVENT_SESSION, .view = { .number = 1, .runs = 1 } };
	reads(&e, " 1 run, 0 frames, ");
	e = (struct pace_event){ .kind = PACE_EVENT_REFUSED, .count = 1 };
	reads(&e, "; 1 more was not logged");
	e = (struct pace_event){ .kind = PACE_EVENT_LOST, .count = 1 };
	reads(&e, "1 event could not");
}
END_TEST

/* Of a run of round trips; of streams, the exchanges of the clock are not told. */
START_TEST(a_session_without_frames_has_round_trips)
{
	struct pace_event e = { .kind = PACE_EVENT_CLOSED, .code = "client_gone", .view = { .number = 1,
	    .runs = 1, .all = { .round_trips = 59 } } };

	reads(&e, ": 1 run, 59 round trips, client gone");
	e.view.all.round_trips = 1;
	reads(&e, ": 1 run, 1 round trip, client gone");
	e.view.all.lost = 3;
	reads(&e, ": 1 run, 0 frames, 3 lost, client gone");
	e.view.all.lost = 0;
	e.view.all.sent_frames = 7;
	reads(&e, ": 1 run, 0 frames, 0 lost, 7 sent, client gone");
}
END_TEST

START_TEST(codes_are_counted_by_their_names)
{
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		ck_assert_int_eq(pace_refused_of(pace_refused_name((enum pace_refused)i)), i);
	ck_assert_int_eq(pace_refused_of("something new"), PACE_REFUSED_OTHER);
	ck_assert_int_eq(pace_refused_of(""), PACE_REFUSED_OTHER);
}
END_TEST

/* --- status --- */

static const struct { const char *line; int rc; int64_t ms; } requests[] = {
	{ "{\"interval_ms\":100}", 0, 100 },
	{ "{\"interval_ms\":99}", -EINVAL, 0 },
	{ "{\"interval_ms\":3600000}", 0, 3600000 },
	{ "{\"interval_ms\":3600001}", -EINVAL, 0 },
	{ "{\"interval_ms\":-1}", -EINVAL, 0 },
	{ "{\"interval_ms\":9223372036854775807}", -EINVAL, 0 },
	{ "{\"interval_ms\":\"200\"}", -EINVAL, 0 },
	{ "{\"interval_ms\":200.5}", -EINVAL, 0 },
	{ "{\"interval_ms\":200,\"interval_ms\":300}", -EINVAL, 0 },
	{ "{\"more\":[1],\"interval_ms\":250}", 0, 250 },
	{ "[200]", -EINVAL, 0 }, { "", -EINVAL, 0 }, { "{", -EINVAL, 0 },
};

START_TEST(requests_are_taken_within_their_bounds)
{
	int64_t ns = 1;

	ck_assert_int_eq(pace_status_request(requests[_i].line, strlen(requests[_i].line), &ns),
	    requests[_i].rc);
	ck_assert_int_eq(ns, requests[_i].rc == 0 ? requests[_i].ms * 1000000 : 1);
}
END_TEST

static struct pace_shapes shapes;

static json_t *
session_line(const struct pace_session_pair *pair, int64_t interval_ns)
{
	struct pace_status_session session;
	struct pace_status s = { .interval_ns = interval_ns, .session = &session, .n = 1 };
	json_t *whole, *j;
	char *line;

	pace_session_fill(&session, pair, 0, interval_ns);
	pace_session_fill_shapes(&session, &shapes);
	line = pace_status_line(&s);
	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(line[strlen(line) - 1], '\n');
	line[strlen(line) - 1] = '\0';
	whole = parsed(line);
	j = json_incref(json_array_get(json_object_get(whole, "sessions"), 0));
	ck_assert_ptr_nonnull(j);
	json_decref(whole);
	return j;
}

/* A session that grows, and whose losses come and go; lines are left out. */
START_TEST(intervals_of_a_reader_add_up_to_what_arrived)
{
	static const char *const keys[] = { "frames", "bytes", "wire_bytes", "lost",
		"socket_drops", "socket_lost_likely", "socket_lost_max", "duplicates", "reordered", "late", "foreign", "corrupt",
		"round_trips" };
	struct pace_session_pair s = { .now = { .number = 5 } };
	int64_t sums[COUNT_OF(keys)] = { 0 };
	uint64_t words[PACE_TALLY_COUNTS];

	memset(words, 0, sizeof(words));
	for (int i = 0; i < 200; i++) {
		json_t *j, *v;

		for (int k = 0; k < COUNT_OF(words); k++)
			words[k] += (uint64_t)unit_between(0, 1000000);
		memcpy(&s.now.all, words, sizeof(words));
		s.now.all.lost = unit_between(0, 100000);
		if (unit_between(0, 2) == 0)
			continue;
		j = session_line(&s, 1000);
		v = json_object_get(j, "received");
		ck_assert_int_eq(json_integer_value(json_object_get(v, "socket_lost_likely")),
		    (int64_t)s.now.all.socket_lost_likely);
		ck_assert_int_eq(json_integer_value(json_object_get(v, "socket_lost_max")),
		    (int64_t)s.now.all.socket_lost_max);
		v = json_object_get(j, "interval");
		for (int k = 0; k < COUNT_OF(keys); k++) {
			sums[k] += json_integer_value(json_object_get(v, keys[k]));
			ck_assert_int_eq(sums[k], json_integer_value(json_object_get(
			    json_object_get(j, "received"), keys[k])));
		}
		json_decref(j);
		s.then = s.now;
	}
}
END_TEST

/* A session may send as well as receive. */
START_TEST(rates_are_of_what_came_and_of_what_was_sent)
{
	struct pace_session_pair s = { .now = { .number = 5,
	    .all = { .bytes = 700, .wire_bytes = 800 } } };
	json_t *j;

	s.then = s.now;
	s.now.all.bytes += 1000;
	s.now.all.wire_bytes += 1100;
	s.now.all.sent_bytes = 2000;
	s.now.all.sent_wire_bytes = 2300;
	j = session_line(&s, 1000);
	ck_assert_double_eq(json_number_value(json_object_get(json_object_get(j, "interval"),
	    "user_rate_bps")), 24e9);
	ck_assert_double_eq(json_number_value(json_object_get(json_object_get(j, "interval"),
	    "wire_rate_bps")), 27.2e9);
	json_decref(j);
}
END_TEST

/* One row of the table a member of the struct, and both ways alike. */
START_TEST(a_count_is_told_under_its_own_name)
{
	const struct pace_tally t = { .frames = 20, .bytes = 21, .wire_bytes = 22, .lost = -4,
	    .socket_drops = 6, .socket_lost_likely = 2, .socket_lost_max = 3, .duplicates = 9, .reordered = 10,
	    .late = 11, .foreign = 12, .corrupt = 13, .round_trips = 14,
	    .congestion_marks = 15, .dscp_changed = 16, .ecn_changed = 17,
	    .sent_frames = 18, .sent_bytes = 19, .sent_wire_bytes = 23 };
	static const struct { const char *name; int n; } want[] = { { "frames", 20 }, { "bytes", 21 },
		{ "wire_bytes", 22 }, { "lost", -4 }, { "socket_drops", 6 }, { "socket_lost_likely", 2 },
		{ "socket_lost_max", 3 }, { "duplicates", 9 }, { "reordered", 10 }, { "late", 11 },
		{ "foreign", 12 }, { "corrupt", 13 }, { "round_trips", 14 }, { "congestion_marks", 15 },
		{ "dscp_changed", 16 }, { "ecn_changed", 17 },
		{ "sent_frames", 18 }, { "sent_bytes", 19 }, { "sent_wire_bytes", 23 } };
	struct pace_jw w = pace_jw_begin();
	struct pace_tally back;
	struct pace_jr r;

	pace_tally_put(&w, &t);
	ck_assert_uint_eq(json_object_size(w.o), COUNT_OF(want));
	for (int i = 0; i < COUNT_OF(want); i++)
		ck_assert_int_eq(json_integer_value(json_object_get(w.o, want[i].name)), want[i].n);
	r = (struct pace_jr){ .o = w.o };
	pace_tally_read(&r, &back, false);
	ck_assert(!r.bad);
	ck_assert_mem_eq(&back, &t, sizeof(t));
	json_decref(w.o);
}
END_TEST

/* A smaller count belongs to a restarted responder; only lost frames can be found again. */
START_TEST(an_interval_adds_no_count_below_0)
{
	const struct pace_tally then = { .frames = 9, .lost = 5, .unnumbered = 9 };
	struct pace_tally t = pace_tally_since(&(struct pace_tally){ .frames = 4, .lost = 2 }, &then);

	ck_assert_uint_eq(t.frames, 0);
	ck_assert_uint_eq(t.unnumbered, 0);
	ck_assert_int_eq(t.lost, -3);
}
END_TEST

START_TEST(a_new_session_in_the_slot_begins_at_nothing)
{
	struct pace_session_pair s = { .then = { .number = 5, .all = { .frames = 100 } },
	    .now = { .number = 6, .all = { .frames = 30 } } };
	json_t *j = session_line(&s, 1000);

	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(j, "interval"),
	    "frames")), 30);
	json_decref(j);
}
END_TEST

START_TEST(the_first_line_has_no_interval)
{
	struct pace_session_pair s = { .now = { .number = 6, .all = { .frames = 30 } } };
	json_t *j = session_line(&s, 0);

	ck_assert(json_is_null(json_object_get(j, "interval")));
	json_decref(j);
}
END_TEST

START_TEST(gaps_are_those_of_the_interval)
{
	struct pace_session_pair s = { .now = { .number = 1, .run = { .number = 1 } } };
	struct pace_stats all;
	json_t *j, *g;

	pace_stats_reset(&all);
	for (int i = 0; i < 1000; i++)
		pace_stats_add(&all, 1000000 + i);
	s.then = s.now;
	s.then.gaps = all;
	for (int i = 0; i < 4; i++)
		pace_stats_add(&all, 10 + 2 * i);	/* 10 12 14 16 */
	s.now.gaps = all;
	pace_recent_none(&s.recent);
	s.recent.gap_min_ns = 10;
	s.recent.gap_max_ns = 16;
	j = session_line(&s, 1000);
	g = json_object_get(json_object_get(j, "interval"), "gap_ns");
	ck_assert_int_eq(json_integer_value(json_object_get(g, "count")), 4);
	ck_assert_double_eq_tol(json_real_value(json_object_get(g, "mean")), 13, 1e-3);
	ck_assert_double_eq_tol(json_real_value(json_object_get(g, "stddev")), 2.58199, 0.1);
	ck_assert_int_eq(json_integer_value(json_object_get(g, "max")), 16);
	json_decref(j);
	/* another run: only its own */
	s.then.run.number = 0;
	j = session_line(&s, 1000);
	g = json_object_get(json_object_get(j, "interval"), "gap_ns");
	ck_assert_int_eq(json_integer_value(json_object_get(g, "count")), 1004);
	json_decref(j);
}
END_TEST

/* --- recent moments --- */

START_TEST(recent_moments_merge_in_any_order)
{
	struct pace_recent a, b = { .gap_min_ns = 3, .gap_max_ns = 9, .samples = 2,
	    .above_min_ns = -1, .above_max_ns = 4, .above_sum_ns = 3 }, none;

	pace_recent_none(&a);
	pace_recent_none(&none);
	pace_recent_add(&a, &none);
	ck_assert_uint_eq(a.samples, 0);
	ck_assert_int_gt(a.gap_min_ns, a.gap_max_ns);
	pace_recent_add(&a, &b);
	pace_recent_add(&a, &none);
	pace_recent_add(&a, &b);
	ck_assert_int_eq(a.gap_min_ns, 3);
	ck_assert_int_eq(a.gap_max_ns, 9);
	ck_assert_uint_eq(a.samples, 4);
	ck_assert_int_eq(a.above_min_ns, -1);
	ck_assert_int_eq(a.above_max_ns, 4);
	ck_assert_int_eq(a.above_sum_ns, 6);
}
END_TEST

/* --- the board --- */

#define POSTS	200000

static struct pace_stats_page board;

static void *
post_many(void *arg)
{
	struct pace_session_stats v;

	(void)arg;
	for (uint64_t i = 1; i <= POSTS; i++) {
		memset(&v, 0, sizeof(v));
		v.all.frames = v.this_run.round_trips = v.recent.samples = i;
		v.number = v.run.sent = i - i % 10;	/* posted whole every tenth time */
		pace_stats_page_post(&board, &v, i % 10 == 0);
	}
	return NULL;
}

START_TEST(a_copy_is_always_one_that_was_posted)
{
	struct pace_session_stats v = { .number = 0 };
	pthread_t thread;
	uint64_t last = 0, copies = 0;

	ck_assert_int_eq(pthread_create(&thread, NULL, post_many, NULL), 0);
	while (last < POSTS) {
		if (!pace_stats_page_read(&board, &v))
			continue;
		copies++;
		ck_assert_uint_ge(v.all.frames, last);
		ck_assert_uint_eq(v.this_run.round_trips, v.all.frames);
		ck_assert_uint_eq(v.recent.samples, v.all.frames);
		ck_assert_uint_eq(v.number, v.all.frames - v.all.frames % 10);
		ck_assert_uint_eq(v.run.sent, v.number);
		last = v.all.frames;
	}
	pthread_join(thread, NULL);
	ck_assert_uint_gt(copies, 0);
}
END_TEST

START_TEST(a_board_in_the_middle_of_a_post_is_not_copied)
{
	struct pace_session_stats v = { .number = 3 }, was = v;

	atomic_store(&board.edition, 5);
	ck_assert(!pace_stats_page_read(&board, &v));
	ck_assert_mem_eq(&v, &was, sizeof(v));
	atomic_store(&board.edition, 6);
	ck_assert(pace_stats_page_read(&board, &v));
}
END_TEST

/* Batches add up until the reader took them; the next one begins anew. */
START_TEST(recent_is_what_came_since_the_reader_took_it)
{
	static const struct { bool taken; int64_t gap_ns; uint64_t turn; int64_t least_ns, most_ns; } v[] = {
		{ false, 300, 0, 300, 300 }, { true, 100, 1, 100, 100 }, { false, 200, 1, 100, 200 },
		{ true, 700, 2, 700, 700 }, { false, 600, 2, 600, 700 }, { false, 650, 2, 600, 700 },
	};
	struct pace_session_stats mine = { .number = 0 }, seen;

	pace_recent_none(&mine.recent);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct pace_recent batch;

		pace_recent_none(&batch);
		batch.gap_min_ns = batch.gap_max_ns = v[i].gap_ns;
		if (v[i].taken)
			pace_stats_page_turn(&board);
		pace_stats_page_add(&board, &mine, &batch);
		ck_assert(pace_stats_page_read(&board, &seen));
		ck_assert_uint_eq(seen.recent.turn, v[i].turn);
		ck_assert_int_eq(seen.recent.gap_min_ns, v[i].least_ns);
		ck_assert_int_eq(seen.recent.gap_max_ns, v[i].most_ns);
	}
}
END_TEST

static struct pace_shapes copied;

static void *
post_shapes(void *arg)
{
	static struct pace_shapes s;

	(void)arg;
	for (uint64_t i = 1; i <= POSTS / 20; i++) {
		s.number = s.gap.n[0] = s.gap.n[PACE_COARSE_HIST_BINS - 1] = s.delay.n[7] = i;
		pace_stats_page_post_shapes(&board, &s);
	}
	return NULL;
}

START_TEST(shapes_are_copied_whole)
{
	pthread_t thread;

	ck_assert(!pace_stats_page_wanted(&board));
	pace_stats_page_want(&board, true);
	ck_assert(pace_stats_page_wanted(&board));
	ck_assert_int_eq(pthread_create(&thread, NULL, post_shapes, NULL), 0);
	while (copied.number < POSTS / 20) {
		if (!pace_stats_page_read_shapes(&board, &copied))
			continue;
		ck_assert_uint_eq(copied.gap.n[0], copied.number);
		ck_assert_uint_eq(copied.gap.n[PACE_COARSE_HIST_BINS - 1], copied.number);
		ck_assert_uint_eq(copied.delay.n[7], copied.number);
	}
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_line_has_the_distributions_of_its_run)
{
	struct pace_session_pair s = { .now = { .number = 4, .rcvbuf_bytes = 212992,
	    .run = { .number = 2 } } };
	json_t *j, *h, *bins;

	memset(&shapes, 0, sizeof(shapes));
	shapes.number = 4;
	shapes.run = 2;
	shapes.gap.below = 1;
	for (int i = 0; i < 30; i++)
		pace_coarse_hist_add(&shapes.gap, 10000 + i);
	pace_coarse_hist_add(&shapes.gap, 5);
	j = session_line(&s, 1000);
	h = json_object_get(json_object_get(j, "run"), "gap_histogram_ns");
	bins = json_object_get(h, "bins");
	ck_assert_int_eq(json_integer_value(json_object_get(j, "rcvbuf_bytes")), 212992);
	ck_assert_int_eq(json_integer_value(json_object_get(h, "below")), 1);
	ck_assert_uint_eq(json_array_size(bins), 2);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(bins, 1), 0)), 9728);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(bins, 1), 1)), 10240);
	ck_assert_int_eq(json_integer_value(json_array_get(json_array_get(bins, 1), 2)), 30);
	ck_assert(json_is_null(json_object_get(json_object_get(j, "run"),
	    "delay_above_min_histogram_ns")));
	json_decref(j);
	shapes.run = 1;		/* of the run before */
	j = session_line(&s, 1000);
	ck_assert(json_is_null(json_object_get(json_object_get(j, "run"), "gap_histogram_ns")));
	json_decref(j);
}
END_TEST

START_TEST(a_host_is_told_of_by_what_matters)
{
	struct pace_core_use was[2] = { { .core = 0, .ns = { [PACE_CPU_IDLE] = 100 } },
	    { .core = 5, .ns = { [PACE_CPU_IDLE] = 100 } } };
	struct pace_core_use is[2] = { { .core = 0, .ns = { [PACE_CPU_USER] = 10,
	    [PACE_CPU_IDLE] = 190 }, .n = { [PACE_CORE_SOFTNET_DROPPED] = 3 } },
	    { .core = 5, .ns = { [PACE_CPU_SOFTIRQ] = 25, [PACE_CPU_USER] = 50,
	    [PACE_CPU_IDLE] = 110, [PACE_CPU_IOWAIT] = 15 },
	    .n = { [PACE_CORE_SOFTNET_DROPPED] = 4 } } };
	struct pace_if_use ifs[3] = { { .name = "idle" }, { .name = "lo",
	    .n = { [PACE_IF_RX_FRAMES] = 7 } }, { .name = "eth0",
	    .n = { [PACE_IF_RX_FRAMES] = 90, [PACE_IF_RX_DROPPED] = 2 } } };
	struct pace_host_sample g = { .then = { .known = true, .has_cpu = true, .cores = 2, .core = was },
	    .now = { .known = true, .has_cpu = true, .cores = 2, .core = is, .interfaces = 3,
	    .interface = ifs, .has_core = { [PACE_CORE_SOFTNET_DROPPED] = true } }, .user_ns = 12 };
	struct pace_host_status h;
	json_t *j, *v;

	g.now.has_snmp[0][PACE_UDP_RCVBUF_ERRORS] = g.now.has_snmp[1][PACE_UDP_RCVBUF_ERRORS] = true;
	g.now.snmp[0][PACE_UDP_RCVBUF_ERRORS] = 30;
	g.now.snmp[1][PACE_UDP_RCVBUF_ERRORS] = 8;
	pace_host_fill(&h, &g);
	j = pace_fields_to_json(&pace_host_status_fields, &h);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "softnet_dropped")), 7);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "udp_buffer_full")), 38);
	ck_assert(json_is_null(json_object_get(j, "udp_no_port")));
	ck_assert(json_is_null(json_object_get(j, "softnet_squeezed")));
	ck_assert_int_eq(json_integer_value(json_object_get(j, "process_user_ns")), 12);
	v = json_object_get(j, "interfaces");
	ck_assert_uint_eq(json_array_size(v), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(v, 0), "name")), "eth0");
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(v, 0), "rx_dropped")), 2);
	v = json_object_get(json_object_get(j, "processors"), "busiest");
	ck_assert_uint_eq(json_array_size(v), 2);
	v = json_array_get(v, 0);
	ck_assert_int_eq(json_integer_value(json_object_get(v, "core")), 5);
	ck_assert_double_eq_tol(json_real_value(json_object_get(v, "busy")), 0.75, 1e-9);
	ck_assert_double_eq_tol(json_real_value(json_object_get(v, "softirq")), 0.25, 1e-9);
	json_decref(j);
	g.now.known = false;
	pace_host_fill(&h, &g);
	ck_assert(!h.known);
}
END_TEST

/* Its writer was stopped in the middle of a post: what was counted stays. */
START_TEST(a_board_that_cannot_be_read_takes_nothing_from_the_sums)
{
	static struct pace_stats_page boards[3];
	static struct pace_session_stats last[3];
	uint64_t counted[3] = { 0, 0, 9 };
	struct pace_session_stats v = { .number = 1, .leased = 1, .all = { .frames = 100, .lost = 3 } };
	struct pace_totals t = { .tally = { .frames = 1000 } };

	pace_stats_page_post(&boards[0], &v, true);
	v = (struct pace_session_stats){ .number = 2, .all = { .frames = 10, .sent_frames = 5 } };
	pace_stats_page_post(&boards[1], &v, true);
	v.number = 9;			/* in the sums already */
	pace_stats_page_post(&boards[2], &v, true);
	pace_totals_add_boards(&t, boards, last, counted, 3);
	ck_assert_uint_eq(t.tally.frames, 1110);
	ck_assert_uint_eq(t.tally.sent_frames, 5);
	ck_assert_uint_eq(t.lease_number, 1);
	for (int i = 0; i < 3; i++)
		atomic_fetch_add(&boards[i].edition, 1);
	t = (struct pace_totals){ .tally = { .frames = 1000 } };
	pace_totals_add_boards(&t, boards, last, counted, 3);
	ck_assert_uint_eq(t.tally.frames, 1110);
	ck_assert_int_eq(t.tally.lost, 3);
	ck_assert_uint_eq(t.lease_number, 1);
	counted[0] = 4;			/* it ended, and so did one after it */
	t = (struct pace_totals){ .tally = { .frames = 1100 } };
	pace_totals_add_boards(&t, boards, last, counted, 3);
	ck_assert_uint_eq(t.tally.frames, 1110);
}
END_TEST

/* --- metrics --- */

START_TEST(metrics_are_exposed_as_counted)
{
	struct pace_totals t = { .at_port = { .junk = 7, .keyless = 8, .strays = 6, .leftovers = 4 }, .opened = 2, .streams = 3,
	    .started_wall_ns = INT64_C(1700000000050000000), .lost_late = 11, .lease_ns = 1,
	    .tally = { .frames = UINT64_MAX / 2, .bytes = 5, .sent_frames = 9,
	    .sent_bytes = 12, .sent_wire_bytes = 13 } };
	static const char *const lines[] = { "\nudpace_port_junk_total 7\n", "\nudpace_port_strays_total 6\n", "\nudpace_port_leftovers_total 4\n",
		"\nudpace_port_keyless_total 8\n",
		"\nudpace_sessions_opened_total 2\n", "\nudpace_runs_total{kind=\"stream\"} 3\n",
		"\nudpace_frames_lost_total{place=\"rx_late\"} 11\n", "\nudpace_lease_held 1\n",
		"\nudpace_frames_received_total 9223372036854775807\n",
		"\nudpace_received_bytes_total 5\n", "\nudpace_frames_sent_total 9\n",
		"\nudpace_sent_bytes_total 12\n", "\nudpace_sent_wire_bytes_total 13\n",
		"\nudpace_start_time_seconds 1700000000.050\n",
		"\nudpace_run_stream_received_frames{stream=\"0\"} 70\n"
		"udpace_run_stream_received_frames{stream=\"2\"} 90\n",
		"\nudpace_run_stream_lost_frames{stream=\"0\"} 4\n"
		"udpace_run_stream_lost_frames{stream=\"2\"} -1\n",
		"\nudpace_run_stream_duplicates{stream=\"0\"} 5\n",
		"\nudpace_run_stream_reordered_frames{stream=\"0\"} 6\n",
		"\nudpace_run_stream_sent_frames{stream=\"2\"} 7\n" };
	/* nothing is known of the second one */
	static const struct pace_stream_stats streams[3] = {
		{ .number = 5, .run = 1, .now.run = { .frames = 70, .lost = 4, .duplicates = 5,
		    .reordered = 6 } }, { .number = 0 },
		{ .number = 5, .run = 1, .now.run = { .frames = 90, .lost = -1,
		    .sent_frames = 7 } } };
	size_t size;
	char *text = pace_metrics_text(&t, streams, 3, &size);

	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(size, strlen(text));
	for (int i = 0; i < COUNT_OF(lines); i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "no %s in:\n%.3000s", lines[i] + 1, text);
	ck_assert_str_eq(text + size - 6, "# EOF\n");
	free(text);
	text = pace_metrics_text(&t, NULL, 0, &size);
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_null(strstr(text, "run_stream"));
	free(text);
}
END_TEST

START_TEST(totals_since_are_differences)
{
	struct pace_totals then = { .now_ns = 5, .opened = 1, .at_port = { .hellos = 2 },
	    .refused = { [PACE_REFUSED_FULL] = 3 }, .tally = { .lost = 9 }, .events_lost = 4 };
	struct pace_totals now = { .now_ns = 25, .opened = 4, .at_port = { .hellos = 9 },
	    .refused = { [PACE_REFUSED_FULL] = 5 }, .tally = { .lost = 2 }, .active = 3,
	    .events_lost = 6 };
	struct pace_totals d = pace_totals_since(&now, &then);

	ck_assert_uint_eq(d.opened, 3);
	ck_assert_uint_eq(d.at_port.hellos, 7);
	ck_assert_uint_eq(d.events_lost, 2);
	ck_assert_uint_eq(d.refused[PACE_REFUSED_FULL], 2);
	ck_assert_int_eq(d.tally.lost, -7);
	ck_assert_uint_eq(d.active, 3);
	ck_assert_int_eq(d.now_ns - d.started_ns, 20);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ops");

	unit_seed(tc);
	tcase_add_loop_test(tc, every_event_is_one_object_of_plain_ascii, 0, PACE_EVENTS);
	tcase_add_loop_test(tc, an_event_has_the_members_of_its_kind, 0, COUNT_OF(own));
	tcase_add_test(tc, a_run_took_from_its_begin_to_its_end);
	tcase_add_loop_test(tc, text_is_one_line_that_does_nothing_to_a_terminal, 0, PACE_EVENTS);
	tcase_add_test(tc, lines_for_people_read_as_they_did);
	tcase_add_loop_test(tc, times_are_cut_to_milliseconds, 0, COUNT_OF(times));
	tcase_add_test(tc, a_failed_reload_is_an_error);
	tcase_add_test(tc, one_is_not_many);
	tcase_add_test(tc, a_session_without_frames_has_round_trips);
	tcase_add_test(tc, codes_are_counted_by_their_names);
	tcase_add_loop_test(tc, requests_are_taken_within_their_bounds, 0, COUNT_OF(requests));
	tcase_add_test(tc, intervals_of_a_reader_add_up_to_what_arrived);
	tcase_add_test(tc, rates_are_of_what_came_and_of_what_was_sent);
	tcase_add_test(tc, a_count_is_told_under_its_own_name);
	tcase_add_test(tc, an_interval_adds_no_count_below_0);
	tcase_add_test(tc, a_new_session_in_the_slot_begins_at_nothing);
	tcase_add_test(tc, the_first_line_has_no_interval);
	tcase_add_test(tc, gaps_are_those_of_the_interval);
	tcase_add_test(tc, recent_moments_merge_in_any_order);
	tcase_add_test(tc, a_copy_is_always_one_that_was_posted);
	tcase_add_test(tc, recent_is_what_came_since_the_reader_took_it);
	tcase_add_test(tc, a_board_in_the_middle_of_a_post_is_not_copied);
	tcase_add_test(tc, shapes_are_copied_whole);
	tcase_add_test(tc, a_line_has_the_distributions_of_its_run);
	tcase_add_test(tc, a_host_is_told_of_by_what_matters);
	tcase_add_test(tc, a_board_that_cannot_be_read_takes_nothing_from_the_sums);
	tcase_add_test(tc, metrics_are_exposed_as_counted);
	tcase_add_test(tc, totals_since_are_differences);
	return unit_run(tc, "ops");
}
