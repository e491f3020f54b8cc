/* live_run_line.c: data of the measuring thread become lines.  This tests outages, and the
 * delays of both directions between clocks that are seconds apart. */
#include "live/live_run_own.h"

#include <math.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/unit.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)
#define BEGIN	(1000 * SEC)		/* our clock; theirs is so much ahead */
#define THETA	(5 * SEC)

static struct pace_live *l;

static void
setup(void)
{
	l = calloc(1, sizeof(*l));
	ck_assert_ptr_nonnull(l);
	l->cfg.peer.host = "192.0.2.1";
	l->cfg.interval_ns = SEC;
	l->cfg.ask = (struct pace_params){ .size_bytes = 64, .train = 1,
	    .spacing = pace_spacing_from_ns(MS) };
	l->peer.sock.fd = -1;
	l->began_ns = BEGIN;
	atomic_store(&l->phase, PACE_LIVE_GOES);
	pace_clockfit_reset(&l->story.fit);
}

static void
teardown(void)
{
	pace_live_streams_free(l);
	free(l);
}

static struct pace_live_item *
hand_over(enum pace_live_item_kind kind, int second, uint64_t run, uint64_t sent)
{
	struct pace_live_item *i = &l->item[l->items.put++ % PACE_LIVE_ITEMS];

	*i = (struct pace_live_item){ .kind = kind, .run = run, .session = 1,
	    .now_ns = BEGIN + second * SEC, .tx.sent = sent };
	return i;
}

static void
put_body(struct pace_live_item *i, json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT);

	i->len = strlen(text);
	ck_assert_uint_lt(i->len, sizeof(i->body));
	memcpy(i->body, text, i->len);
	free(text);
	json_decref(j);
}

/* That report, at that second. */
static struct pace_live_item *
hand_over_as_text(int second, uint64_t run, uint64_t sent, struct pace_report r)
{
	struct pace_live_item *i = hand_over(PACE_LIVE_REPORT, second, run, sent);

	r.at_ns = BEGIN + THETA + second * SEC;
	r.began_ns = BEGIN + THETA;
	put_body(i, pace_report_json(&r));
	return i;
}

/* A report of that run. */
static void
hand_over_run(int second, uint64_t run, uint64_t sent, uint64_t frames, int64_t lost)
{
	hand_over_as_text(second, run, sent, (struct pace_report){ .state = PACE_RUNNING,
	    .run = { .frames = frames, .lost = lost } });
}

/* A report of the first run, without losses. */
static void
hand_over_report(int second, uint64_t frames)
{
	hand_over_run(second, 1, frames, frames, 0);
}

/* The next line, at that second: what the sender of the stream knows. */
static const struct pace_status_session *
line_at(int second)
{
	struct pace_status_source_item item;

	do
		ck_assert(pace_live_take(l, BEGIN + second * SEC, &item));
	while (item.head != NULL);
	ck_assert_uint_eq(item.status->n, 1);
	return &item.status->session[0];
}

static bool
is_quiet(int second)
{
	struct pace_status_source_item item;

	return !pace_live_take(l, BEGIN + second * SEC, &item);
}

static void
heard(int second)
{
	atomic_store(&l->heard_ns, BEGIN + second * SEC);
}

/* 100 us each way, and 10 us there. */
static void
hand_over_exchange(int64_t t1_ns)
{
	struct pace_live_time *x = &l->time[l->times.put++ % PACE_LIVE_TIMES];

	x->t1_ns = t1_ns;
	x->t2_ns = t1_ns + 100 * US + THETA;
	x->t3_ns = x->t2_ns + 10 * US;
	x->t4_ns = x->t3_ns - THETA + 100 * US;
}

START_TEST(each_way_is_told_without_the_clocks)
{
	struct pace_status_source_item item;
	const struct pace_moments *way;

	for (int k = 0; k < 50; k++)
		hand_over_exchange(BEGIN + k * 20 * MS);
	hand_over_report(1, 1000);
	ck_assert(pace_live_take(l, BEGIN + SEC, &item) && item.head != NULL);
	ck_assert(pace_live_take(l, BEGIN + SEC, &item) && item.status != NULL);
	ck_assert_uint_eq(item.status->n, 1);
	way = item.status->session[0].now.probe.way;
	ck_assert_uint_eq(way[PACE_WAY_THERE].n, 50);
	ck_assert_double_eq_tol(way[PACE_WAY_BOTH].mean, 200 * US, 1);
	ck_assert_double_eq_tol(way[PACE_WAY_THERE].mean, 100 * US, US);
	ck_assert_double_eq_tol(way[PACE_WAY_BACK].mean, 100 * US, US);
	ck_assert(!pace_live_take(l, BEGIN + SEC, &item));
}
END_TEST

/* All but the first exchange take 300 us back: the first one tells what the clocks are. */
START_TEST(exchanges_with_one_clock_are_fitted_together)
{
	const struct pace_moments *way;

	for (int k = 0; k < 50; k++) {
		struct pace_live_time *x = &l->time[k];

		hand_over_exchange(BEGIN + k * 20 * MS);
		x->clock = 1;
		x->t4_ns += k > 0 ? 200 * US : 0;
	}
	hand_over_report(1, 1000);
	way = line_at(1)->now.probe.way;
	ck_assert_double_eq_tol(way[PACE_WAY_THERE].mean, 100 * US, US);
	ck_assert_double_eq_tol(way[PACE_WAY_BACK].mean, 296 * US, US);
}
END_TEST

START_TEST(the_socket_lost_no_more_replies_than_are_missing)
{
	const struct pace_live_item i = { .drops = 9, .live.lost = 4 };
	struct pace_report r;

	pace_live_stamp_report(&l->story, l, &i, &r);
	ck_assert_uint_eq(r.run.socket_drops, 9);
	ck_assert_uint_eq(r.run.socket_lost_likely, 4);
	ck_assert_uint_eq(r.run.socket_lost_max, 4);
}
END_TEST

/* A report of a run in which the responder sends, and what our receiver has of it. */
static void
hand_over_down(int second, enum pace_session_state state, uint64_t sent, uint64_t frames,
    int64_t lost)
{
	struct pace_live_item *i = hand_over_as_text(second, 1, 0, (struct pace_report){
	    .state = state, .run = { .sent_frames = sent } });

	i->own = (struct pace_report){ .run = { .frames = frames, .lost = lost } };
	pace_recent_none(&i->own.recent);
}

START_TEST(what_comes_is_ours_and_what_was_sent_is_theirs)
{
	const struct pace_status_session *s;

	l->cfg.ask.direction = PACE_DOWN;
	hand_over_down(1, PACE_SENDING, 1000, 900, 95);
	s = line_at(1);
	ck_assert(s->now.run.down == 1 && s->now.probe.reverse);
	ck_assert(s->now.all.frames == 900 && s->now.all.lost == 95);
	ck_assert(s->now.probe.sent == 1000 && s->now.probe.interval_sent == 1000);
	/* frames on their way are neither lost nor there; in the end they are lost */
	hand_over_down(2, PACE_READY, 2000, 1890, 95);
	s = line_at(2);
	ck_assert(s->now.all.frames == 1890 && s->now.all.lost == 110);
	hand_over(PACE_LIVE_RUN_OVER, 2, 1, 0);
	ck_assert(is_quiet(2));		/* no frame is left unreported */
}
END_TEST

START_TEST(silence_is_an_outage_since_something_was_heard_last)
{
	const struct pace_probe_status *p;

	hand_over_report(1, 1000);
	ck_assert_uint_eq(line_at(1)->now.probe.out.n, 0);
	heard(2);
	ck_assert(is_quiet(2));
	p = &line_at(3)->now.probe;
	ck_assert_int_eq(p->out.now_ns, SEC);
	strcpy(hand_over(PACE_LIVE_FAILURE, 4, 1, 0)->body, "Network is unreachable");
	l->item[1].len = sizeof("Network is unreachable");
	p = &line_at(9)->now.probe;
	ck_assert_uint_eq(p->out.n, 1);
	ck_assert_int_eq(p->out.now_ns, 7 * SEC);
	ck_assert_int_eq(p->out.all_ns, 7 * SEC);
	ck_assert_str_eq(p->out.why, "Network is unreachable");
	ck_assert(!line_at(10)->has_interval);
}
END_TEST

/* The responder answers at second 8, and its report comes at second 10. */
START_TEST(an_outage_is_never_shown_longer_than_it_was)
{
	const struct pace_probe_status *p;

	hand_over_report(1, 1000);
	(void)line_at(1);
	heard(2);
	ck_assert_int_eq(line_at(7)->now.probe.out.now_ns, 5 * SEC);
	atomic_store(&l->back_ns, BEGIN + 8 * SEC);
	heard(9);
	ck_assert_int_eq(line_at(9)->now.probe.out.now_ns, 6 * SEC);
	hand_over_report(10, 2000);
	ck_assert_int_eq(line_at(10)->now.probe.out.all_ns, 6 * SEC);
	heard(10);
	(void)line_at(14);
	hand_over_report(15, 3000);
	p = &line_at(15)->now.probe;
	ck_assert_uint_eq(p->out.n, 2);
	ck_assert_int_eq(p->out.all_ns, 6 * SEC + 5 * SEC);
}
END_TEST

/* The answer of second 8 was the only one: the outage continues. */
START_TEST(one_answer_during_an_outage_does_not_stop_its_time)
{
	hand_over_report(1, 1000);
	(void)line_at(1);
	heard(2);
	(void)line_at(7);
	atomic_store(&l->back_ns, BEGIN + 8 * SEC);
	heard(8);
	ck_assert_int_eq(line_at(12)->now.probe.out.now_ns, 10 * SEC);
}
END_TEST

/* The last report has everything that is known at the end. */
START_TEST(a_last_report_says_what_an_outage_cost)
{
	const struct pace_status_session *v;

	hand_over_run(1, 1, 1000, 990, 10);
	(void)line_at(1);
	heard(1);
	(void)line_at(3);
	hand_over_run(20, 1, 9000, 1100, 7900);
	hand_over(PACE_LIVE_RUN_OVER, 20, 1, 9000);
	atomic_store(&l->back_ns, BEGIN + 18 * SEC);
	v = line_at(20);
	ck_assert(v->has_interval);
	ck_assert_int_eq(v->interval.n.lost, 7890);
	ck_assert_int_eq(v->now.probe.out.now_ns, 0);
	ck_assert_int_eq(v->now.probe.out.all_ns, 17 * SEC);
	ck_assert_uint_eq(v->now.probe.out.lost, 7890);
	ck_assert_uint_eq(v->now.probe.unreported, 0);
	ck_assert(is_quiet(20));
	hand_over_run(21, 2, 1000, 1000, 0);
	v = line_at(21);
	ck_assert_uint_eq(v->now.probe.out.n, 1);
	ck_assert_uint_eq(v->now.all.frames, 2100);
	ck_assert_int_eq(v->now.all.lost, 7900);
	ck_assert_uint_eq(v->now.probe.sent, 10000);
}
END_TEST

/* A run without any frame is an outage; the next run ends it. */
START_TEST(frames_that_no_report_tells_of_are_neither_received_nor_lost)
{
	const struct pace_status_session *v;

	hand_over_run(1, 1, 1000, 990, 10);
	(void)line_at(1);
	(void)line_at(3);
	hand_over(PACE_LIVE_RUN_OVER, 12, 1, 8000);
	v = line_at(12);
	ck_assert(!v->has_interval);
	ck_assert_uint_eq(v->now.probe.sent, 8000);
	ck_assert_uint_eq(v->now.probe.unreported, 7000);
	ck_assert_int_gt(v->now.probe.out.now_ns, 0);
	hand_over(PACE_LIVE_RUN_OVER, 13, 2, 500);	/* it had no report at all */
	ck_assert_uint_eq(line_at(13)->now.probe.unreported, 7500);
	hand_over_run(20, 3, 1000, 1000, 0);
	v = line_at(20);
	ck_assert_int_eq(v->now.probe.out.now_ns, 0);
	ck_assert_uint_eq(v->now.probe.out.lost, 0);
	ck_assert_uint_eq(v->now.probe.unreported, 7500);
	ck_assert_uint_eq(v->now.all.frames + (uint64_t)v->now.all.lost + v->now.probe.unreported,
	    v->now.probe.sent);
}
END_TEST

/* A distribution of n values. */
static struct pace_coarse_hist_list
values(int64_t ns, int n)
{
	struct pace_coarse_hist_list list;
	struct pace_coarse_hist h;

	pace_coarse_hist_reset(&h);
	while (n-- > 0)
		pace_coarse_hist_add(&h, ns);
	pace_coarse_hist_list(&h, &list);
	return list;
}

/* All runs are reported as one: gaps and delays, each with its own. */
START_TEST(distributions_of_all_runs_are_joined)
{
	const struct pace_report r = { .state = PACE_RUNNING, .run.frames = 8, .has_shapes = true,
	    .gap = values(5000, 7), .delay = values(80, 3) };
	const struct pace_coarse_hist_list *dist;

	for (unsigned run = 1; run <= 3; run++) {
		(void)hand_over_as_text((int)run, run, 8, r);
		dist = line_at((int)run)->dist;
		ck_assert_uint_eq(dist[PACE_DIST_GAP].n, 1);
		ck_assert_int_eq(dist[PACE_DIST_GAP].bin[0].low, r.gap.bin[0].low);
		ck_assert_uint_eq(pace_coarse_hist_count(&dist[PACE_DIST_GAP]), 7 * run);
		ck_assert_uint_eq(dist[PACE_DIST_DELAY].n, 1);
		ck_assert_int_eq(dist[PACE_DIST_DELAY].bin[0].low, r.delay.bin[0].low);
		ck_assert_uint_eq(pace_coarse_hist_count(&dist[PACE_DIST_DELAY]), 3 * run);
	}
}
END_TEST

START_TEST(an_outage_before_the_first_report_is_told)
{
	const struct pace_status_session *v = line_at(2);

	ck_assert_int_eq(v->now.state, PACE_RUNNING);
	ck_assert_uint_eq(v->now.run.number, 1);
	ck_assert(v->now.probe.known);
	ck_assert_int_eq(v->now.probe.out.now_ns, 2 * SEC);
	ck_assert_int_gt(l->story.ever.gap_min_ns, l->story.ever.gap_max_ns);	/* there are none */
	hand_over_report(5, 1000);
	v = line_at(5);
	ck_assert_uint_eq(v->now.probe.out.n, 1);
	ck_assert_int_eq(v->now.probe.out.now_ns, 0);
	ck_assert_uint_eq(v->now.all.frames, 1000);
}
END_TEST

START_TEST(frames_that_leave_and_never_arrive_are_an_outage)
{
	hand_over_run(1, 1, 1000, 1000, 0);
	(void)line_at(1);
	hand_over_run(2, 1, 2000, 1000, 0);
	ck_assert_int_eq(line_at(2)->now.probe.out.now_ns, SEC);
	hand_over_run(3, 1, 3000, 1001, 1998);
	ck_assert_uint_eq(line_at(3)->now.probe.out.lost, 1998);
	hand_over_run(4, 1, 3019, 1001, 1998);	/* so few may be under way */
	ck_assert_uint_eq(line_at(4)->now.probe.out.n, 1);
}
END_TEST

START_TEST(another_clients_turn_is_no_outage)
{
	hand_over_report(1, 1000);
	(void)line_at(1);
	atomic_store(&l->waiting, true);
	ck_assert_uint_eq(line_at(5)->now.probe.out.n, 0);
	atomic_store(&l->waiting, false);
	ck_assert_uint_eq(line_at(7)->now.probe.out.n, 1);
	atomic_store(&l->waiting, true);	/* to be waited for is a part of it */
	ck_assert_int_gt(line_at(9)->now.probe.out.now_ns, 0);
}
END_TEST

/* --give-up: an outage may last so long, and no longer. */
START_TEST(an_outage_of_the_given_length_ends_the_stream)
{
	struct pace_status_source_item item;

	l->wake = eventfd(0, EFD_NONBLOCK);
	l->cfg.give_up_ns = 4 * SEC;
	atomic_store(&l->core, -1);
	hand_over_report(1, 1000);
	heard(1);
	for (int second = 1; second <= 5; second++) {
		while (pace_live_next(l, BEGIN + second * SEC - 1, &item) > 0)
			;
		ck_assert_msg(!l->gave_up && l->stop == 0, "second %d", second);
	}
	while (pace_live_next(l, BEGIN + 5 * SEC, &item) > 0)
		;
	ck_assert(l->gave_up && l->stop == 1);
	close(l->wake);
}
END_TEST

/* In a two-way run also one of the way back alone. */
START_TEST(an_outage_of_the_way_back_ends_the_stream)
{
	struct pace_status_source_item item;

	l->wake = eventfd(0, EFD_NONBLOCK);
	l->cfg.give_up_ns = 4 * SEC;
	atomic_store(&l->core, -1);
	l->back.is_out = true;
	l->back.out_ns = BEGIN + SEC;
	hand_over_report(1, 1000);
	heard(1);
	(void)pace_live_next(l, BEGIN + 5 * SEC - 1, &item);
	ck_assert(!l->story.is_out && !l->gave_up);
	(void)pace_live_next(l, BEGIN + 5 * SEC, &item);
	ck_assert(!l->story.is_out && l->gave_up);
	close(l->wake);
}
END_TEST

/* The label comes from the other client, and may have control characters. */
START_TEST(the_client_that_is_waited_for_is_named)
{
	static const char text[] = "a\x1b[2J is measuring, for at most 60 s more; waiting";

	hand_over_report(1, 1000);
	(void)line_at(1);
	ck_assert_str_eq(pace_live_waiting(l), "");
	atomic_store(&l->waiting, true);
	ck_assert_str_eq(pace_live_waiting(l), "another client is measuring; waiting");
	strcpy(hand_over(PACE_LIVE_BUSY, 2, 1, 0)->body, text);
	l->item[1].len = sizeof(text);
	ck_assert(is_quiet(2));
	ck_assert_ptr_null(strchr(pace_live_waiting(l), '\x1b'));
	ck_assert_ptr_nonnull(strstr(pace_live_waiting(l), "at most 60 s more; waiting"));
	atomic_store(&l->waiting, false);
	ck_assert_str_eq(pace_live_waiting(l), "");
}
END_TEST

/* A report of a two-way stream makes a session for each direction. */
START_TEST(two_directions_are_two_sessions)
{
	struct pace_status_source_item item;
	struct pace_live_item *i;

	l->cfg.ask.two_way = true;
	i = hand_over_as_text(1, 1, 1000, (struct pace_report){ .state = PACE_RUNNING,
	    .run = { .frames = 990, .lost = 10, .sent_frames = 800, .sent_bytes = 51200 } });
	i->tx.refused = 3;
	i->own = (struct pace_report){ .run = { .frames = 750, .lost = 20 } };
	do
		ck_assert(pace_live_take(l, BEGIN + SEC, &item));
	while (item.head != NULL);
	ck_assert_uint_eq(item.status->n, 2);
	for (int way = 0; way < 2; way++) {
		const struct pace_session_status *v = &item.status->session[way].now;

		ck_assert_uint_eq(v->number, (uint64_t)way + 1);
		ck_assert_str_eq(v->label, way == 0 ? "up" : "down");
		ck_assert_int_eq((int)v->run.down, way);
		ck_assert_int_eq((int)v->probe.reverse, way);
		ck_assert_uint_eq(v->probe.sent, way == 0 ? 1000 : 800);
		ck_assert_uint_eq(v->probe.refused, way == 0 ? 3 : 0);
		ck_assert_uint_eq(v->all.frames, way == 0 ? 990 : 750);
		ck_assert_int_eq(v->all.lost, way == 0 ? 10 : 20);
		ck_assert_uint_eq(v->all.sent_frames, 0);
	}
	ck_assert_uint_eq(item.status->totals.active, 2);
	ck_assert_uint_eq(item.status->totals.tally.frames, 990 + 750);
	ck_assert_uint_eq(item.status->added.tally.frames, 990 + 750);
	/* silence is of both */
	ck_assert(pace_live_take(l, BEGIN + 4 * SEC, &item));
	ck_assert_uint_eq(item.status->n, 2);
	ck_assert_int_gt(item.status->session[1].now.probe.out.now_ns, 0);
}
END_TEST

/* Two streams, each with a report of its own. */
static void
begin_two_streams(void)
{
	l->cfg.ask.streams = 2;
	ck_assert_int_eq(pace_live_streams_make(l), 0);
}

/* The report of stream 0 or 1 at that second, from which so many frames came. */
static void
hand_over_slice(int second, uint32_t stream, uint64_t frames)
{
	struct pace_report r = { .state = PACE_RUNNING, .at_ns = BEGIN + THETA + second * SEC,
	    .began_ns = BEGIN + THETA, .run = { .frames = 2 * frames } };
	struct pace_slices v = { .first = stream, .n = 1, .of[0] = { .run.frames = frames,
	    .delays = { .n = frames, .sum_ns = (int64_t)(frames * frames) } } };
	struct pace_live_item *i = hand_over(PACE_LIVE_REPORT, second, 1, 2 * frames);

	i->turn = stream + 1;
	i->of = &l->sent[(size_t)(i - l->item) * PACE_SLICES];
	i->of[0] = (struct pace_live_sent){ .sent = frames };
	put_body(i, pace_slices_json(&r, &v, 2));
}

static void
hand_over_round(int second, uint64_t frames)
{
	hand_over_slice(second, 0, frames);
	hand_over_slice(second, 1, frames);
}

/* The next line, which must be there. */
static const struct pace_status *
streams_at(int second)
{
	struct pace_status_source_item item;

	do
		ck_assert(pace_live_take(l, BEGIN + second * SEC, &item));
	while (item.head != NULL);
	ck_assert_uint_eq(item.status->n, 3);
	return item.status;
}

/* Both streams have had so many frames, and so many of them in the interval. */
static void
both_are(const struct pace_status *st, uint64_t all, uint64_t interval, int seconds)
{
	for (int k = 1; k <= 2; k++) {
		const struct pace_status_session *v = &st->session[k];

		ck_assert_uint_eq(v->now.all.frames, all);
		ck_assert(v->has_interval);
		ck_assert_uint_eq(v->interval.n.frames, interval);
		ck_assert_uint_eq(v->now.probe.interval_sent, interval);
		ck_assert_int_eq(v->interval.span_ns, seconds * SEC);
		/* the sum of delays is the square of the frames */
		ck_assert_uint_eq(v->interval.above.n, interval);
		ck_assert_double_eq_tol(v->interval.above.mean, (double)(2 * all - interval), 1e-6);
		ck_assert(!v->interval.above.has_extremes);
	}
}

/* A run that ends within a round of reports begins the round again: the line has both reports. */
START_TEST(a_round_that_begins_again_loses_no_interval)
{
	begin_two_streams();
	hand_over_round(1, 1000);
	both_are(streams_at(1), 1000, 1000, 1);
	hand_over_slice(2, 0, 1900);
	ck_assert(is_quiet(2));
	hand_over_round(3, 3000);
	both_are(streams_at(3), 3000, 2000, 2);
}
END_TEST

/* The report of the sum has the counters of the host, those of the streams have none. */
START_TEST(a_line_of_streams_has_the_counters_of_the_host)
{
	struct pace_report r = { .state = PACE_RUNNING, .run = { .frames = 2000 }, .host = {
	    .at_ns = BEGIN + THETA, .has = 1 << PACE_SUM_NIC, .n[PACE_SUM_NIC] = 77 } };
	const struct pace_status *st;

	begin_two_streams();
	hand_over_as_text(1, 1, 2000, r);
	hand_over_round(1, 1000);
	st = streams_at(1);
	ck_assert(st->host.known);
	ck_assert_uint_eq(st->host.sums.n[PACE_SUM_NIC], 77);
	hand_over_round(2, 2000);	/* this round had no report of the sum */
	ck_assert(!streams_at(2)->host.known);
}
END_TEST

/* A line about silence within a round has no interval; the next one has all of it. */
START_TEST(silence_within_a_round_loses_no_interval)
{
	const struct pace_status *st;

	begin_two_streams();
	hand_over_round(1, 1000);
	both_are(streams_at(1), 1000, 1000, 1);
	hand_over_slice(2, 0, 2000);
	st = streams_at(5);
	for (int k = 0; k <= 2; k++)
		ck_assert(!st->session[k].has_interval);
	hand_over_slice(2, 1, 2000);
	both_are(streams_at(6), 2000, 1000, 1);
}
END_TEST

/* Frames that no report of the sum tells of make a line; no interval is in two lines. */
START_TEST(the_line_of_an_end_has_no_interval)
{
	struct pace_live_item *i;
	const struct pace_status *st;

	begin_two_streams();
	hand_over_round(1, 1000);
	both_are(streams_at(1), 1000, 1000, 1);
	i = hand_over(PACE_LIVE_RUN_OVER, 2, 1, 2010);
	i->turn = 1;
	i->of = l->sent;
	i->of[0].sent = 1010;
	i->of[1].sent = 1000;
	st = streams_at(2);
	for (int k = 0; k <= 2; k++)
		ck_assert(!st->session[k].has_interval);
	ck_assert_uint_eq(st->session[1].now.probe.unreported, 10);
	ck_assert_uint_eq(st->session[2].now.probe.unreported, 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("live_run_line");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_way_is_told_without_the_clocks);
	tcase_add_test(tc, exchanges_with_one_clock_are_fitted_together);
	tcase_add_test(tc, the_socket_lost_no_more_replies_than_are_missing);
	tcase_add_test(tc, what_comes_is_ours_and_what_was_sent_is_theirs);
	tcase_add_test(tc, silence_is_an_outage_since_something_was_heard_last);
	tcase_add_test(tc, an_outage_is_never_shown_longer_than_it_was);
	tcase_add_test(tc, one_answer_during_an_outage_does_not_stop_its_time);
	tcase_add_test(tc, a_last_report_says_what_an_outage_cost);
	tcase_add_test(tc, frames_that_no_report_tells_of_are_neither_received_nor_lost);
	tcase_add_test(tc, distributions_of_all_runs_are_joined);
	tcase_add_test(tc, an_outage_before_the_first_report_is_told);
	tcase_add_test(tc, frames_that_leave_and_never_arrive_are_an_outage);
	tcase_add_test(tc, another_clients_turn_is_no_outage);
	tcase_add_test(tc, an_outage_of_the_given_length_ends_the_stream);
	tcase_add_test(tc, an_outage_of_the_way_back_ends_the_stream);
	tcase_add_test(tc, the_client_that_is_waited_for_is_named);
	tcase_add_test(tc, two_directions_are_two_sessions);
	tcase_add_test(tc, a_round_that_begins_again_loses_no_interval);
	tcase_add_test(tc, a_line_of_streams_has_the_counters_of_the_host);
	tcase_add_test(tc, silence_within_a_round_loses_no_interval);
	tcase_add_test(tc, the_line_of_an_end_has_no_interval);
	return unit_run(tc, "live_run_line");
}
