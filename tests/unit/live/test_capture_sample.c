/*
 * From frames to the monitor's screen: what a table of flows has come to (cli/capture_look),
 * its lines (ops/caught), and what is read of them (ui/snap); screens as they were looked at
 * once (tests/data/screens).
 */
#include "live/capture_scan.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "lib/unit.h"
#include "lib/screen.h"
#include "live/snap.h"
#include "ui/line.h"

#define HEADERS	28
#define SEC	INT64_C(1000000000)
#define BEGIN	(INT64_C(1763805600) * SEC)	/* 2025-11-22, 10:00 UTC */

static struct pace_cap_table *t;
static struct pace_capture_scan *k;
static struct pace_capture_sample *now, *then;
static struct pace_snap *s, *direct;	/* fed with lines; the same without them */

static void
setup(void)
{
	t = pace_cap_table_new(&(struct pace_cap_cfg){ .format = NULL });
	k = calloc(1, sizeof(*k));
	now = calloc(1, sizeof(*now));
	then = calloc(1, sizeof(*then));
	s = pace_snap_new();
	direct = pace_snap_new();
	ck_assert(t != NULL && k != NULL && now != NULL && then != NULL && s != NULL && direct != NULL);
	now->wall_ns = then->wall_ns = BEGIN;
}

static void
teardown(void)
{
	pace_cap_table_free(t);
	pace_snap_free(s);
	pace_snap_free(direct);
	free(k);
	free(now);
	free(then);
}

/* A datagram of IPv4 from that port, as an RTP packet of that source. */
static void
add_of(uint8_t source, uint16_t from, unsigned seq, int64_t at_ns)
{
	uint8_t p[HEADERS + 200] = { 0x45, 0, 0, HEADERS + 200, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10,
	    0, 0, 2, (uint8_t)(from >> 8), (uint8_t)from, 0x17, 0x70, 0, 208, 0, 0, 0x80, 96,
	    (uint8_t)(seq >> 8), (uint8_t)seq, 0, 0, (uint8_t)(seq >> 4), (uint8_t)(seq << 4), 0, 0, 0, source };

	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, sizeof(p), sizeof(p) }, at_ns);
}

static void
add(uint16_t from, unsigned seq, int64_t at_ns)
{
	add_of(7, from, seq, at_ns);
}

/* One that no format knows. */
static void
add_plain(uint16_t from, int64_t at_ns)
{
	uint8_t p[HEADERS + 10] = { 0x45, 0, 0, HEADERS + 10, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10,
	    0, 0, 2, (uint8_t)(from >> 8), (uint8_t)from, 0x17, 0x71, 0, 18, 0, 0, 'h', 'e', 'l', 'l', 'o' };

	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, sizeof(p), sizeof(p) }, at_ns);
}

static int
feed(char *line)
{
	int rc;

	ck_assert_ptr_nonnull(line);
	rc = pace_snap_feed(s, line, strcspn(line, "\n"));
	free(line);
	return rc;
}

static struct pace_status *
status(void)
{
	static struct pace_status_session session[PACE_CAPTURE_SAMPLE_STREAMS + 1];
	static struct pace_status st;

	memset(&st, 0, sizeof(st));
	st.session = session;
	pace_capture_sample_status(&st, now, then, 0);
	return &st;
}

static char *
line_of(void)
{
	return pace_status_line(status());
}

static void
feed_head(void)
{
	struct pace_status_head h;

	pace_head_fill(&h, "hostb", BEGIN, SEC);
	h.capture = true;
	memcpy(h.interface, "eth0", sizeof("eth0"));
	memcpy(h.filter, "udp", sizeof("udp"));
	memcpy(h.version, "0.1.0", sizeof("0.1.0"));
	ck_assert_int_eq(feed(pace_status_first(&h)), 1);
	pace_snap_begin(direct, &h);
}

/* The next second ends: it has a line. */
static void
tell(void)
{
	ck_assert_int_eq(feed(line_of()), 0);
	ck_assert_int_eq(pace_snap_take(direct, status()), 0);
	*then = *now;
}

static void
look(void)
{
	now->at_ns += SEC;
	now->wall_ns += SEC;
	pace_capture_scan(k, now, t);
	tell();
}

static const struct pace_snap_session *
row(uint64_t number)
{
	int at = pace_snap_find(s, number);

	ck_assert_int_ge(at, 0);
	return &s->session[at];
}

/* --- lines ------------------------------------------------------------------ */

START_TEST(what_is_read_back_is_what_came)
{
	const struct pace_snap_session *v;

	feed_head();
	for (unsigned i = 0; i < 100; i++) {
		if (i % 10 != 3)
			add(5000, i, BEGIN + i * 5000000);
		if (i == 50)
			add(5000, i, BEGIN + i * 5000000 + 1);
		add(5002, i ^ (i / 2 % 20 == 7), BEGIN + i * 5000000);
	}
	look();
	ck_assert(s->capture.now.known && s->has_head);
	ck_assert_str_eq(s->head.interface, "eth0");
	ck_assert_uint_eq(s->n, 3);
	v = row(2);
	ck_assert_str_eq(v->now.label, "10.0.0.1:5000 > 10.0.0.2:6000");
	ck_assert_str_eq(v->now.flow.format, "rtp");
	ck_assert_uint_eq(v->now.all.frames, 90);
	ck_assert_int_eq(v->now.all.lost, 10);
	ck_assert_uint_eq(v->now.all.duplicates, 1);
	ck_assert_uint_eq(v->now.all.bytes, 90 * 200);
	ck_assert_uint_eq(v->now.gaps.n, 90);
	ck_assert_int_eq(v->now.gaps.max, 10000000);
	ck_assert_int_eq(v->now.state, PACE_RUNNING);
	ck_assert_double_eq_tol(pace_tally_loss(&v->now.all), 0.1, 1e-9);
	ck_assert_uint_eq(row(3)->now.all.frames, 100);
	ck_assert_int_eq(row(3)->now.all.lost, 0);
	ck_assert_uint_eq(row(3)->now.all.reordered, t->flow[1].first->seq->reordered);
	ck_assert_uint_gt(row(3)->now.all.reordered, 0);
	ck_assert(row(1)->now.flow.sum);
	ck_assert_uint_eq(row(1)->now.all.frames, 190);
	ck_assert_int_eq(row(1)->now.all.lost, 10);
	ck_assert_int_eq(pace_snap_find(s, 0), pace_snap_find(s, 1));	/* the sum is shown first */
}
END_TEST

/* It may be a copy: it is late, and stays lost. */
START_TEST(a_frame_behind_the_window_is_late)
{
	feed_head();
	for (unsigned i = 0; i < 10000; i++)
		if (i != 3)
			add(5000, i, BEGIN + i * 10000);
	add(5000, 3, BEGIN + 100000000);
	look();
	ck_assert_uint_eq(row(2)->now.all.late, 1);
	ck_assert_int_eq(row(2)->now.all.lost, 1);
	ck_assert_uint_eq(row(2)->now.all.reordered, 0);
	ck_assert_uint_eq(row(1)->now.all.late, 1);
}
END_TEST

START_TEST(streams_of_one_flow_are_told_apart)
{
	feed_head();
	for (unsigned i = 0; i < 100; i++) {
		add_of(7, 5000, i, BEGIN + i * 5000000);
		if (i != 50)
			add_of(8, 5000, i, BEGIN + i * 5000000 + 1);
	}
	look();
	ck_assert_uint_eq(s->n, 3);
	ck_assert_uint_eq(s->capture.now.flows, 1);
	for (uint64_t i = 2; i <= 3; i++) {
		const struct pace_snap_session *v = row(i);

		ck_assert_str_eq(v->now.label, strcmp(v->now.flow.stream, "8") == 0 ?
		    "10.0.0.1:5000 > 10.0.0.2:6000 #8" : "10.0.0.1:5000 > 10.0.0.2:6000 #7");
		ck_assert_int_eq(v->now.all.lost, strcmp(v->now.flow.stream, "8") == 0);
	}
	ck_assert_str_ne(row(2)->now.flow.stream, row(3)->now.flow.stream);
	ck_assert_uint_eq(row(1)->now.all.frames, 199);
}
END_TEST

START_TEST(intervals_add_up_also_where_losses_are_taken_back)
{
	int64_t lost[4] = { 0 };
	uint64_t frames = 0;

	feed_head();
	for (unsigned i = 0; i < 400; i++) {
		if (i != 150 && i % 40 != 39)
			add(5000, i, BEGIN + i * 10000000);
		if (i == 250)
			add(5000, 150, BEGIN + i * 10000000 + 5);
		if (i % 100 == 99) {
			look();
			lost[i / 100] = row(2)->newest.n.lost;
			frames += row(2)->newest.n.frames;
		}
	}
	ck_assert_int_eq(lost[0], 2);
	ck_assert_int_eq(lost[1], 3);		/* 119, 150, 159; 199 is not missing yet */
	ck_assert_int_eq(lost[2], 3 - 1);	/* 199, 239, 279; 150 came */
	ck_assert_int_eq(lost[3], 2);
	ck_assert_uint_eq(frames, row(2)->now.all.frames);
	ck_assert_int_eq(pace_cap_table_finish(t), 0);
	now->c.over = true;
	look();
	ck_assert_int_eq(row(2)->now.all.lost, (int64_t)t->stream[0]->seq->lost);
	ck_assert_int_eq(row(1)->now.all.lost, (int64_t)t->stream[0]->seq->lost);
	ck_assert(s->capture.now.over);
	ck_assert_int_eq(row(1)->now.state, PACE_READY);
}
END_TEST

START_TEST(of_what_has_no_numbers_no_loss_is_known)
{
	json_t *j;
	char *line;

	feed_head();
	for (int i = 0; i < 40; i++)
		add_plain(7000, BEGIN + i * 1000000);
	look();
	ck_assert_str_eq(row(2)->now.flow.format, "plain");
	ck_assert(!row(2)->now.flow.numbered);
	ck_assert(isnan(pace_tally_loss(&row(2)->now.all)));
	ck_assert_int_eq(pace_loss_mark(row(2), 0, 1), ' ');
	line = line_of();
	j = json_loads(line, 0, NULL);
	for (size_t i = 0; i < 2; i++) {
		const json_t *n = json_object_get(json_array_get(json_object_get(j, "sessions"), i),
		    "received");

		ck_assert(json_is_null(json_object_get(n, "socket_drops")));
		ck_assert(json_is_null(json_object_get(n, "lost")) == (i == 1));
	}
	json_decref(j);
	free(line);
	for (unsigned i = 0; i < 100; i++)	/* in the sum the share is of numbered ones alone */
		if (i % 4 != 1)
			add(5000, i, BEGIN + SEC + i * 1000000);
	look();
	ck_assert_uint_eq(row(1)->now.all.frames, 115);
	ck_assert_double_eq_tol(pace_tally_loss(&row(1)->now.all), 0.25, 1e-9);
}
END_TEST

START_TEST(a_loss_while_the_capture_drops_may_be_its_own)
{
	feed_head();
	now->c.has_drops = true;
	for (unsigned i = 0; i < 100; i++)
		if (i % 10 != 5)
			add(5000, i, BEGIN + i * 1000000);
	look();
	ck_assert_int_eq(row(2)->doubtful, 0);
	now->c.dropped = 3;
	now->c.interface_dropped = 4;
	look();
	ck_assert_uint_eq(s->capture.now.just_dropped, 7);
	for (unsigned i = 100; i < 200; i++)
		if (i % 50 != 5)
			add(5000, i, BEGIN + 2 * SEC + i * 1000000);
	look();
	ck_assert_int_eq(row(2)->doubtful, 2);	/* not those from before */
	ck_assert_uint_eq(s->capture.doubt, 7);
	for (int i = 0; i < 6; i++)
		look();
	for (unsigned i = 200; i < 300; i++)
		if (i % 50 != 5)
			add(5000, i, BEGIN + 12 * SEC + i * 1000000);
	look();
	ck_assert_int_eq(row(2)->now.all.lost, 14);
	ck_assert_int_eq(row(2)->doubtful, 2);	/* that was long ago */
	ck_assert_uint_eq(pace_capture_dropped(s), 7);
	pace_snap_reset(s);
	ck_assert_uint_eq(pace_capture_dropped(s), 0);
	ck_assert_int_eq(row(2)->doubtful, 0);
}
END_TEST

START_TEST(events_say_when_a_loss_begins_and_ends)
{
	static const char *const want[] = { "frames come again", "nothing comes any more",
	    "no loss any more", "lost 6 of 240 in 4 s, by number", "rtp: 10.0.0.1:5000 > 10.0.0.2:6000" };
	unsigned seq = 0;

	feed_head();
	for (int sec = 0; sec < 11; sec++) {
		for (unsigned i = 0; i < (sec == 6 || sec == 7 || sec == 8 || sec == 9 ? 0u : 60u); i++, seq++)
			if (sec > 1 || seq % 20 != 10)
				add(5000, seq, BEGIN + sec * SEC + i * 10000000);
		look();
	}
	ck_assert_uint_eq(s->events, COUNT_OF(want));
	for (uint64_t i = 0; i < COUNT_OF(want); i++)
		ck_assert_str_eq(pace_snap_event(s, i)->text, want[i]);
}
END_TEST

START_TEST(streams_without_a_place_are_in_the_sum_and_counted)
{
	feed_head();
	for (unsigned f = 0; f < PACE_CAPTURE_SAMPLE_STREAMS + 10; f++)
		for (unsigned i = 0; i < 40; i++)
			add((uint16_t)(5000 + f), i, BEGIN + i * 1000000 + f);
	look();
	ck_assert_uint_eq(s->n, PACE_CAPTURE_SAMPLE_STREAMS + 1);
	ck_assert_uint_eq(s->capture.now.unlisted, 10);
	ck_assert_uint_eq(row(1)->now.all.frames, (PACE_CAPTURE_SAMPLE_STREAMS + 10) * 40);
	/* one is quiet for long: a stream with frames gets its place */
	for (unsigned f = 1; f < PACE_CAPTURE_SAMPLE_STREAMS + 1; f++)
		add((uint16_t)(5000 + f), 40, BEGIN + 70 * SEC + f);
	look();
	ck_assert_uint_eq(s->capture.now.unlisted, 10);
	ck_assert_str_eq(row(PACE_CAPTURE_SAMPLE_STREAMS + 2)->now.label, "10.0.0.1:5128 > 10.0.0.2:6000");
	ck_assert_uint_eq(row(PACE_CAPTURE_SAMPLE_STREAMS + 2)->now.all.frames, 41);
	ck_assert_uint_eq(row(PACE_CAPTURE_SAMPLE_STREAMS + 2)->newest.n.frames, 41);	/* none of them told yet */
	ck_assert_int_eq(row(2)->now.state, PACE_ENDED);
}
END_TEST

/* The one that is silent for longest loses its place. */
START_TEST(a_new_stream_gets_the_place_of_the_oldest_silence)
{
	feed_head();
	for (unsigned f = 0; f < PACE_CAPTURE_SAMPLE_STREAMS; f++)
		for (unsigned i = 0; i < 40; i++)
			add((uint16_t)(5000 + f), i, BEGIN + (i + (f + 100) % 128) * 1000000);
	look();
	for (unsigned i = 0; i < 40; i++)
		add(6000, i, BEGIN + 70 * SEC + i * 1000000);
	look();
	/* 5028 began first */
	ck_assert_str_eq(row(2 + 28)->now.label, "10.0.0.1:5028 > 10.0.0.2:6000");
	ck_assert_int_eq(row(2 + 28)->now.state, PACE_ENDED);
	for (unsigned f = 0; f < PACE_CAPTURE_SAMPLE_STREAMS; f++)
		ck_assert_int_eq(row(2 + f)->now.state == PACE_ENDED, f == 28);
	ck_assert_str_eq(row(PACE_CAPTURE_SAMPLE_STREAMS + 2)->now.label, "10.0.0.1:6000 > 10.0.0.2:6000");
}
END_TEST

START_TEST(a_line_that_contradicts_the_schema_changes_nothing)
{
	static const char *const bad[] = { "\"frames_not_followed\":-1,", "\"flows\":\"2\",", "\"over\":1," };
	static const char *const good[] = { "\"frames_not_followed\":0,", "\"flows\":1,", "\"over\":false," };

	feed_head();
	for (unsigned i = 0; i < 40; i++)
		add(5000, i, BEGIN + i * 1000000);
	look();
	for (int i = 0; i < COUNT_OF(bad); i++) {
		char *line = line_of(), *at = strstr(line, good[i]), *all;

		ck_assert_ptr_nonnull(at);
		all = calloc(1, strlen(line) + 64);
		sprintf(all, "%.*s%s%s", (int)(at - line), line, bad[i], at + strlen(good[i]));
		free(line);
		ck_assert_int_eq(feed(all), -EINVAL);
	}
	ck_assert_uint_eq(s->lines, 1);
}
END_TEST

/* --- screens ---------------------------------------------------------------- */

static struct pace_capture_sample_stream *
stream(int i, const char *format, const char *from, uint16_t port, uint32_t size)
{
	struct pace_capture_sample_stream *v = &now->stream[i];

	v->number = (uint64_t)i + 2;
	snprintf(v->flow.source, sizeof(v->flow.source), "%s", from);
	snprintf(v->flow.destination, sizeof(v->flow.destination), "192.0.2.80");
	snprintf(v->flow.format, sizeof(v->flow.format), "%s", format);
	v->flow.source_port = 40000;
	v->flow.destination_port = port;
	v->flow.streams = 1;
	v->size_bytes = size;
	v->flow.numbered = strcmp(format, "plain") != 0;
	v->first_ns = BEGIN;
	v->jitter_ns = -1;
	return v;
}

/* Frames of a second; this number of them is lost. */
static void
pass(struct pace_capture_sample_stream *v, uint64_t frames, uint64_t lost, uint64_t late)
{
	struct pace_tally *const of[] = { &v->n, &now->n };

	for (int i = 0; i < 2; i++) {
		of[i]->frames += frames - lost;
		of[i]->bytes += (frames - lost) * v->size_bytes;
		of[i]->wire_bytes += (frames - lost) * (v->size_bytes + 66);
		of[i]->unnumbered += v->flow.numbered ? 0 : frames;
		of[i]->lost += (int64_t)lost;
		of[i]->reordered += late;
	}
	pace_stats_add_n(&v->gaps, SEC / (int64_t)frames, frames - lost);
	for (uint64_t i = 0; i < frames - lost; i++)
		pace_coarse_hist_add(&v->gap, SEC / (int64_t)frames);
	v->last_ns = now->wall_ns;
	now->c.frames += frames;
	now->c.udp += frames;
}

/* A detector that loses, iperf3, a stream of udpace, and something; drops: the capture has
 * losses of its own. */
static void
tell_story(int seconds, bool drops)
{
	feed_head();
	now->c.has_drops = true;
	for (int i = 1; i <= seconds; i++) {
		now->at_ns = i * SEC;
		now->wall_ns = BEGIN + i * SEC;
		now->c.flows = 5;
		now->c.streams = 4;
		pass(stream(0, "udpace", "192.0.2.10", 14233, 1472), 10000, 0, 0);
		pass(stream(1, "iperf3", "192.0.2.11", 5201, 1448), 4000, 0, i % 7 == 0);
		pass(stream(2, "rtp", "192.0.2.12", 5004, 1200), 2500, i > 20 && i < 50 ? 25 : 0, 0);
		if (i < seconds - 8)
			pass(stream(3, "plain", "198.51.100.203", 9000, 300), 50, 0, 0);
		now->c.dropped += drops && i >= 40 && i < 45 ? 12 : 0;
		tell();
	}
}

static const struct screen {
	const char	*name;
	int		cols, rows, seconds;
	bool		drops;
	struct pace_ui	ui;
} screens[] = {
	{ "capture_80x24", 80, 24, 61, false, { .bars = PACE_BARS_BLOCK } },
	{ "capture_80x24_ascii", 80, 24, 45, true, { .bars = PACE_BARS_ASCII } },
	{ "capture_80x24_nothing", 80, 24, 0, false, { .bars = PACE_BARS_ASCII } },
	{ "capture_80x24_flow", 80, 24, 61, false, { .bars = PACE_BARS_BLOCK, .session = 4 } },
	{ "capture_120x40", 120, 40, 61, true, { .bars = PACE_BARS_BLOCK } },
	{ "capture_40x10", 40, 10, 45, true, { .bars = PACE_BARS_ASCII } },
	{ "capture_20x3", 20, 3, 45, false, { .bars = PACE_BARS_ASCII } },
	{ "capture_rate_80x24", 80, 24, 61, false, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_RATE } },
	{ "capture_histogram_80x24", 80, 24, 61, false, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_HIST } },
	{ "capture_streams_80x24", 80, 24, 45, true, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_STREAMS, .cursor = 4 } },
	{ "capture_events_80x24", 80, 24, 61, true, { .bars = PACE_BARS_BLOCK,
	    .page = PACE_PAGE_EVENTS } },
	{ "capture_host_80x24", 80, 24, 61, false, { .bars = PACE_BARS_BLOCK, .page = PACE_PAGE_HOST } },
};

/* A line has the values of the streams. */
static char *
both_drawn(const struct pace_ui *ui, int cols, int rows)
{
	char *text = drawn(s, ui, cols, rows), *same = drawn(direct, ui, cols, rows);

	ck_assert_str_eq(text, same);
	free(same);
	return text;
}

START_TEST(screens_are_as_they_were_looked_at)
{
	const struct screen *c = &screens[_i];
	const char *top = getenv("top_srcdir"), *mode = getenv("UDPACE_SCREENS");
	char path[512], *want = calloc(1, 1 << 16), *text;
	FILE *f;

	if (c->seconds > 0)
		tell_story(c->seconds, c->drops);
	else
		feed_head();
	text = both_drawn(&c->ui, c->cols, c->rows);
	snprintf(path, sizeof(path), "%s/tests/data/screens/%s.txt", top != NULL ? top : ".", c->name);
	if (mode != NULL && strcmp(mode, "write") == 0) {
		f = fopen(path, "w");
		fputs(text, f);
		fclose(f);
	}
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "no %s", path);
	ck_assert_uint_lt(fread(want, 1, (1 << 16) - 1, f), (1 << 16) - 1);
	fclose(f);
	ck_assert_msg(strcmp(text, want) == 0, "%s is now\n%s", path, text);
	free(want);
	free(text);
}
END_TEST

START_TEST(any_size_and_view_can_be_drawn)
{
	struct pace_ui ui = { .bars = PACE_BARS_ASCII };

	tell_story(30, true);
	for (ui.page = 0; ui.page < PACE_PAGES; ui.page++)
		for (int rows = 1; rows < 60; rows += rows < 20 ? 1 : 7)
			for (int cols = 1; cols < 130; cols += cols < 50 ? 3 : 11)
				free(both_drawn(&ui, cols, rows));
}
END_TEST

/* "2001:db8::9:5004" could be either. */
START_TEST(addresses_of_ipv6_stand_in_brackets)
{
	struct pace_capture_sample_stream *v = stream(0, "rtp", "2001:db8::8", 5004, 1200);
	const struct pace_ui ui = { .bars = PACE_BARS_ASCII };
	char *text;

	snprintf(v->flow.destination, sizeof(v->flow.destination), "2001:db8::9");
	feed_head();
	for (int i = 1; i <= 3; i++) {
		now->at_ns = i * SEC;
		now->wall_ns = BEGIN + i * SEC;
		now->c.flows = now->c.streams = 1;
		pass(v, 1000, 10, 0);
		tell();
	}
	text = both_drawn(&ui, 120, 40);
	ck_assert_ptr_nonnull(strstr(text, " 2 rtp > [2001:db8::9]:5004 loses 1.00 %"));
	ck_assert_ptr_nonnull(strstr(text, "rtp      [2001:db8::8]:40000 > [2001:db8::9]:5004"));
	free(text);
}
END_TEST

START_TEST(a_line_for_each_flow_and_a_sum)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	tell_story(45, true);
	pace_line_tick(f, s, PACE_FIG_WIRE, false, &(struct pace_line_head){ .rows = 0 });
	pace_line_summary(f, s, PACE_FIG_WIRE, 10, false);
	fclose(f);
	ck_assert_msg(strstr(text,
	    "     time   no.    Mbit/s frames/s     lost    lost out of  dup  stream\n"
	    "      UTC            wire            frames       %  order\n"
	    "10:00:45Z     -   196.555    16475      25?  0.152       0    0  all 4 streams\n") == text, "%s", text);
	ck_assert_ptr_nonnull(strstr(text,	/* all of it has no room */
	    "10:00:45Z     2   123.040    10000        0  0           0    0  udpace > 192.0.2.80:14233\n"));
	ck_assert_ptr_nonnull(strstr(text,
	    "10:00:45Z     4    25.067     2475      25?  1.00        0    0  rtp > 192.0.2.80:5004\n"));
	ck_assert_ptr_null(strstr(text, "Z     5 "));	/* nothing of it */
	ck_assert_ptr_nonnull(strstr(text, "capture on eth0, seen for 0:45, 4 streams; it dropped 60 frames"));
	ck_assert_ptr_nonnull(strstr(text, "rtp 192.0.2.12:40000 > 192.0.2.80:5004 (?)"));
	ck_assert_ptr_null(strstr(text, "responder"));
	free(text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("caught");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, what_is_read_back_is_what_came);
	tcase_add_test(tc, a_frame_behind_the_window_is_late);
	tcase_add_test(tc, streams_of_one_flow_are_told_apart);
	tcase_add_test(tc, intervals_add_up_also_where_losses_are_taken_back);
	tcase_add_test(tc, of_what_has_no_numbers_no_loss_is_known);
	tcase_add_test(tc, a_loss_while_the_capture_drops_may_be_its_own);
	tcase_add_test(tc, events_say_when_a_loss_begins_and_ends);
	tcase_add_test(tc, streams_without_a_place_are_in_the_sum_and_counted);
	tcase_add_test(tc, a_new_stream_gets_the_place_of_the_oldest_silence);
	tcase_add_test(tc, a_line_that_contradicts_the_schema_changes_nothing);
	tcase_add_loop_test(tc, screens_are_as_they_were_looked_at, 0, COUNT_OF(screens));
	tcase_add_test(tc, any_size_and_view_can_be_drawn);
	tcase_add_test(tc, addresses_of_ipv6_stand_in_brackets);
	tcase_add_test(tc, a_line_for_each_flow_and_a_sum);
	return unit_run(tc, "caught");
}
