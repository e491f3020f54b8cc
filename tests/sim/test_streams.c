/*
 * Several streams on the simulated network: what each of them gets is the truth, whatever happens
 * to frames, control frames and forged datagrams.
 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "core/schedule.h"
#include "doc/intervals.h"
#include "doc/point_doc.h"
#include "server/admission/proof.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_params wanted;
static struct pace_err err;

/* The network's log of each stream. */
static struct { uint64_t sent, dropped, copied; } truth[PACE_STREAMS];
static uint64_t lost_in[4096];			/* drops of all streams, by interval */
static uint32_t victim = UINT32_MAX;		/* its frames are dropped, copied, delayed */

static void
setup(void)
{
	net = sim_new(unit_rnd());
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.open_flow = sim_open_flow;
	cl.flow_ctx = &net->client;
	cl.rcvbuf_bytes = cl.own_rcvbuf_granted = 1 << 20;
	pt = pace_point_new();
	memset(&err, 0, sizeof(err));
	memset(truth, 0, sizeof(truth));
	memset(lost_in, 0, sizeof(lost_in));
	memset(&wanted, 0, sizeof(wanted));
	victim = UINT32_MAX;
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

/* Log each frame; of the victim every fifth is dropped, copied or late, in turn. */
static enum sim_fate
hurt(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t seq = buf[23];

	(void)ctx;
	(void)len;
	if (buf[3] != (net->reverse ? PACE_FRAME_DOWN : PACE_DATA))
		return SIM_PASS;
	ck_assert_int_eq((int)way, net->reverse ? SIM_TO_CLIENT : SIM_TO_RESPONDER);
	truth[buf[16]].sent++;
	if (buf[16] != victim || seq % 5 != 0)
		return SIM_PASS;
	if (seq % 15 == 0) {
		truth[buf[16]].dropped++;
		lost_in[wanted.interval_ns > 0 ? (uint64_t)pace_spacing_ns(wanted.spacing) * seq /
		    (uint64_t)wanted.interval_ns : 0]++;
		return SIM_DROP;
	}
	if (seq % 15 == 5) {
		truth[buf[16]].copied++;
		return SIM_DUP;
	}
	if (seq > 10)			/* no two of these counts are equal */
		*delay_ns += 3000000;
	return SIM_PASS;
}

static void
ask(uint32_t streams, int64_t spacing_ns, uint64_t count)
{
	wanted = (struct pace_params){ .size_bytes = 200, .streams = streams,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1,
	    .bursts = 1, .grace_ns = 500000000,
	    .direction = net->reverse ? PACE_DOWN : PACE_UP };
}

/* Tests of both directions: the responder sends if i is 1. */
static void
set_direction(int i)
{
	if (i == 1)
		sim_reverse(net);
	net->hook = hurt;
}

static int
measure(void)
{
	int rc = 0;

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = wanted;
	if (!cl.open)
		rc = pace_client_open(&cl, &err);
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

/* The figures of each stream are the log's. */
static void
check(uint32_t streams, uint64_t count)
{
	ck_assert_ptr_nonnull(pt->streams);
	for (uint32_t i = 0; i < streams; i++) {
		const struct pace_point *one = pt->streams[i];
		const char *broken = pace_point_broken(one);

		ck_assert_msg(broken == NULL, "stream %u: %s", i, broken);
		ck_assert(one->has_rx);
		ck_assert_uint_eq(one->tx.frames, count);
		ck_assert_uint_eq(one->tx.frames, truth[i].sent);
		ck_assert_uint_eq(one->rx.lost, truth[i].dropped);
		ck_assert_uint_eq(one->rx.duplicates, truth[i].copied);
		ck_assert_uint_eq(one->rx.unique, count - truth[i].dropped);
		ck_assert_uint_eq(one->rx.foreign, 0);
		ck_assert_uint_eq(one->rx.reordered > 0, i == victim);
		ck_assert_uint_eq(one->ledger.place[PACE_NETWORK].n, truth[i].dropped);
	}
	ck_assert_msg(pace_point_broken(pt) == NULL, "%s", pace_point_broken(pt));
	ck_assert_uint_eq(pt->tx.frames, streams * count);
	ck_assert_uint_eq(pt->ledger.asked, streams * count);
}

START_TEST(each_stream_is_exact)
{
	set_direction(_i);
	cl.rcvbuf_bytes = 16 << 20;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
	/* the sockets of the responder share what is requested */
	ck_assert_uint_eq(pt->streams[0]->rx.rcvbuf_asked, _i == 0 ? 16 << 20 : 0);
	ck_assert_uint_eq(pt->streams[7]->rx.rcvbuf_asked, _i == 0 ? 4 << 20 : 0);
	/* one merged schedule: each stream keeps its spacing */
	for (uint32_t i = 0; i < 16; i++) {
		const struct pace_hist *gap = &pt->streams[i]->rx.gap;

		ck_assert_int_eq(gap->stats.min, 100000);
		ck_assert_int_eq(gap->stats.max, 100000);
		ck_assert_uint_eq(gap->stats.n, 199);
	}
	ck_assert_uint_eq(net->responder.counts.opened, 1);
	ck_assert_uint_eq(net->responder.counts.flows, 15);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	for (int i = 0; i < SIM_FLOWS; i++)
		ck_assert_ptr_null(net->flows[i]);
}
END_TEST

static void
preempt(struct sim *s)
{
	s->usage.preempted++;
	s->usage.steal_ns += 1000;
}

/* One thread sends all streams: what befell it is no sum. */
START_TEST(what_befell_the_thread_is_told_of_each_stream)
{
	set_direction(_i);
	net->tick = preempt;
	net->tick_ns = 1000000;
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(pt->tx.preempted, 10);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(pt->streams[i]->tx.preempted, pt->tx.preempted);
		ck_assert_int_eq(pt->streams[i]->tx.steal_ns, pt->tx.steal_ns);
	}
}
END_TEST

/* The tally of a run that is over, as observers of the responder see it. */
static void
hear(void *ctx, const struct pace_session_event *n)
{
	if (n->kind == PACE_SESSION_EVENT_RUN_OVER)
		*(struct pace_tally *)ctx = n->view->this_run;
}

START_TEST(what_happens_to_one_stream_is_told_of_that_one)
{
	static struct pace_tally all;	/* outlives the sessions */

	net->responder.shared.observer = (struct pace_observer){ .news = hear, .ctx = &all };
	set_direction(_i);
	victim = 7;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(truth[7].dropped, 5);
	ck_assert_uint_gt(truth[7].copied, 5);
	check(16, 200);
	if (_i == 1)
		return;
	ck_assert_uint_eq(all.frames, 3200 - truth[7].dropped);
	ck_assert_uint_eq(all.bytes, 200 * all.frames);
	ck_assert_int_eq(all.lost, (int64_t)truth[7].dropped);
	ck_assert_uint_eq(all.duplicates, truth[7].copied);
	ck_assert_uint_eq(all.reordered, pt->streams[7]->rx.reordered);
	ck_assert_uint_ne(all.reordered, all.duplicates);
}
END_TEST

/* Observers have the sum of all streams, each of which is hurt. */
START_TEST(what_happens_to_all_streams_is_summed_up)
{
	static struct pace_tally all, sum;

	net->responder.shared.observer = (struct pace_observer){ .news = hear, .ctx = &all };
	net->data[SIM_TO_RESPONDER] = (struct sim_impair){ .loss = 0.05, .dup = 0.03,
	    .jitter_ns = 300000, .payload = 0.1 };
	net->session_room = 8;			/* datagrams */
	ask(4, 20000, 2000);
	wanted.verify = true;
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 4; i++) {
		const struct pace_rx_result *rx = &pt->streams[i]->rx;

		sum.frames += rx->unique;
		sum.lost += (int64_t)rx->lost;
		sum.duplicates += rx->duplicates;
		sum.reordered += rx->reordered;
		sum.corrupt += rx->corrupt;
		sum.socket_drops += rx->socket_drops;
		sum.socket_lost_likely += rx->socket_lost_likely;
		sum.socket_lost_max += rx->socket_lost_max;
	}
	ck_assert_uint_eq(all.frames, sum.frames);
	ck_assert_int_eq(all.lost, sum.lost);
	ck_assert_uint_eq(all.duplicates, sum.duplicates);
	ck_assert_uint_eq(all.reordered, sum.reordered);
	ck_assert_uint_eq(all.corrupt, sum.corrupt);
	ck_assert_uint_eq(all.socket_drops, sum.socket_drops);
	ck_assert_uint_eq(all.socket_lost_likely, sum.socket_lost_likely);
	ck_assert_uint_eq(all.socket_lost_max, sum.socket_lost_max);
	ck_assert_uint_gt(sum.corrupt, 100);
	ck_assert_uint_gt(sum.socket_drops, 0);
}
END_TEST

START_TEST(control_loss_changes_nothing)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	set_direction(_i);
	victim = 7;
	ask(16, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
}
END_TEST

/* --- a live run: reports take turns -------------------------------------------- */

static struct {
	uint32_t	turn;		/* of the report that comes */
	uint64_t	reports, bad, backwards, unkept, rounds;
	size_t		largest;
	struct pace_slice of[PACE_STREAMS];
	struct pace_tally sum;
} told;

static void
take_slices(const json_t *j, uint32_t streams)
{
	struct pace_slices v;

	if (pace_slices_read(j, streams, 200, 266, &v) != 0 || v.n == 0 ||
	    v.first != told.turn - 1) {
		told.bad++;
		return;
	}
	for (uint32_t k = 0; k < v.n; k++) {
		struct pace_slice *one = &told.of[v.first + k];

		told.backwards += v.of[k].run.frames < one->run.frames;
		told.bad += v.of[k].run.frames > truth[v.first + k].sent;
		*one = v.of[k];
	}
	told.rounds += v.first + v.n == streams;
}

/* In the first half of the run every second report is not kept: it is requested again. */
static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	json_t *j = json_loadb(body, strnlen(body, len), JSON_REJECT_DUPLICATES, NULL);
	struct pace_report r;

	(void)ctx;
	(void)now_ns;
	if (++told.reports % 2 == 0 && (int64_t)truth[0].sent * pace_spacing_ns(wanted.spacing) <
	    wanted.duration_ns / 2) {
		told.unkept++;
		json_decref(j);
		return false;
	}
	if (len > told.largest)
		told.largest = len;
	if (j == NULL || pace_report_read(j, &r) != 0)
		told.bad++;
	else if (told.turn > 0)
		take_slices(j, wanted.streams);
	else
		told.sum = r.run;
	json_decref(j);
	return true;
}

/* Watch streams for some time; what the last reports say of each is the log's. */
static void
watch_streams(uint32_t streams, int64_t spacing_ns, int64_t duration_ns)
{
	const struct pace_watching w = { .report_ns = 250000000, .ping_ns = 10000000,
	    .report = on_report, .turn = &told.turn };

	memset(&told, 0, sizeof(told));
	ask(streams, spacing_ns, 0);
	wanted.duration_ns = duration_ns;
	pt->ask = wanted;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_msg(pace_client_live(&cl, pt, &w, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(told.bad + told.backwards, 0);
	ck_assert_uint_gt(told.unkept, 0);
	ck_assert_uint_le(told.largest, PACE_REPORT_MAX);
	for (uint32_t i = 0; i < streams; i++) {
		const struct pace_tally *n = &told.of[i].run;

		ck_assert_uint_gt(truth[i].sent, 0);
		ck_assert_uint_eq(pt->streams[i]->tx.frames, truth[i].sent);
		ck_assert_uint_eq(n->frames, truth[i].sent - truth[i].dropped);
		ck_assert_int_eq(n->lost, (int64_t)truth[i].dropped);
		ck_assert_uint_eq(n->duplicates, truth[i].copied);
		ck_assert_uint_eq(n->bytes, 200 * n->frames);
		ck_assert_uint_eq(n->wire_bytes, 266 * n->frames);
		ck_assert_uint_eq(n->reordered > 0, i == victim && spacing_ns < 3000000);
		ck_assert_uint_eq(told.of[i].gaps.n, n->frames - 1);
		ck_assert_uint_gt(told.of[i].delays.n, 0);
		ck_assert_uint_le(told.of[i].delays.n, n->frames);
		if (i != victim) {
			ck_assert_int_eq(told.of[i].gaps.min, spacing_ns);
			ck_assert_int_eq(told.of[i].gaps.max, spacing_ns);
		}
		told.sum.frames -= n->frames;
		told.sum.lost -= n->lost;
	}
	ck_assert_uint_eq(told.sum.frames, 0);
	ck_assert_int_eq(told.sum.lost, 0);
}

START_TEST(reports_tell_of_each_stream)
{
	set_direction(0);
	victim = 7;
	watch_streams(16, 1000000, 3 * SEC);
	ck_assert_uint_gt(truth[7].dropped, 20);
	/* a report every 100 ms; all streams fit in two */
	ck_assert_uint_ge(told.rounds, 5);
}
END_TEST

START_TEST(reports_tell_of_each_stream_whatever_gets_lost)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	set_direction(0);
	victim = 7;
	watch_streams(16, 1000000, 5 * SEC);
	ck_assert_uint_ge(told.rounds, 2);
}
END_TEST

/* Frames of the stream that has the exchanges are rare: none of its other work is left out. */
START_TEST(reports_tell_of_as_many_streams_as_a_run_may_have)
{
	set_direction(0);
	victim = 200;
	watch_streams(PACE_STREAMS, 20000000, 8 * SEC);
	ck_assert_uint_ge(told.rounds, 2);
}
END_TEST

START_TEST(as_many_streams_as_a_run_may_have)
{
	set_direction(_i);
	ask(PACE_STREAMS, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	check(PACE_STREAMS, 20);
}
END_TEST

START_TEST(runs_of_a_session_have_different_numbers_of_streams)
{
	static const uint32_t streams[] = { 2, 1, 8, 4, 1 };

	set_direction(_i);
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		memset(truth, 0, sizeof(truth));
		ask(streams[i], 50000, 50);
		ck_assert_int_eq(measure(), 0);
		if (streams[i] > 1)
			check(streams[i], 50);
		else
			ck_assert_uint_eq(pt->rx.unique, 50);
	}
	ck_assert_uint_eq(net->responder.counts.flows, 7);
}
END_TEST

/* Each operator sees of a stream what was received in this run, and what was sent. */
START_TEST(no_figure_of_a_stream_is_of_the_run_before)
{
	static struct pace_stats_page page;
	struct pace_stream_stats v;

	memset(&page, 0, sizeof(page));
	net->watch = &page;
	set_direction(1);
	for (int down = 0; down < 2; down++) {
		net->reverse = down;
		memset(truth, 0, sizeof(truth));
		ask(3, 50000, 60 - 20 * (uint64_t)down);
		ck_assert_msg(measure() == 0, "%s", err.text);
		sim_pass(net, SEC);
		ck_assert(pace_stream_page_read(&page.stream[1], &v));
		ck_assert_uint_eq(v.now.run.frames, down ? 0 : 60);
		ck_assert_uint_eq(v.now.run.sent_frames, down ? 40 : 0);
	}
	ck_assert_int_eq(sim_sessions(net), 1);
}
END_TEST

/* The last frame of stream 0 comes 300 ms late, or the FINISHs of stream 1 arrive 600 ms late, and
 * its last three frames do not. */
static int64_t finish_ns;

static enum sim_fate
delay_last(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)way, (void)len;
	if (buf[3] == PACE_DATA && buf[16] == 0 && buf[23] == *(uint8_t *)ctx)
		*delay_ns += 300000000;
	return SIM_PASS;
}

static enum sim_fate
lose_finish(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)way, (void)len, (void)delay_ns;
	if (buf[3] == PACE_DATA && buf[16] == 1 && buf[23] + 3u >= wanted.count)
		return SIM_DROP;
	if (buf[3] != PACE_FINISH)
		return SIM_PASS;
	if (finish_ns == 0)
		finish_ns = net->now_ns;
	return buf[16] == 1 && net->now_ns - finish_ns < 600000000 ? SIM_DROP : SIM_PASS;
}

START_TEST(the_grace_is_for_the_streams_that_miss_frames)
{
	uint8_t last = 49;

	net->hook = delay_last;
	net->hook_ctx = &last;
	ask(4, 50000, 50);
	ck_assert_int_eq(measure(), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 50);
}
END_TEST

/* Also in a run that follows another one. */
START_TEST(the_grace_begins_when_all_streams_have_ended)
{
	for (uint64_t count = 50; count <= 80; count += 30) {
		finish_ns = 0;
		net->hook = lose_finish;
		ask(4, 50000, count);
		ck_assert_int_eq(measure(), 0);
		ck_assert_int_ge(net->now_ns - finish_ns, 600000000 + wanted.grace_ns);
		for (int i = 0; i < 4; i++) {
			ck_assert_uint_eq(pt->streams[i]->rx.unique, i == 1 ? count - 3 : count);
			ck_assert_uint_eq(pt->streams[i]->rx.lost, i == 1 ? 3 : 0);
		}
	}
}
END_TEST

START_TEST(back_to_back_streams_take_turns)
{
	set_direction(_i);
	ask(3, 0, 100);
	wanted.train = 10;
	ck_assert_int_eq(measure(), 0);
	check(3, 100);
}
END_TEST

/* Who has one of these keys may measure, and nobody else; the client has the first. */
static struct pace_key lab, bob;

static void
require_keys(void)
{
	struct pace_keys ks;
	char text[2 * PACE_KEY_LINE_MAX], other[PACE_KEY_LINE_MAX];

	pace_key_make(&lab, "lab");
	pace_key_make(&bob, "bob");
	pace_key_line(&lab, text);
	pace_key_line(&bob, other);
	strcat(text, other);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
	cl.key = &lab;
}

START_TEST(with_a_key_each_flow_is_authenticated)
{
	require_keys();
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	set_direction(_i);
	ask(8, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	check(8, 200);
	ck_assert_uint_eq(net->responder.counts.flows, 7);
}
END_TEST

/* The rows are sums of the streams; together they have no more than one stream may have. */
START_TEST(intervals_are_those_of_all_streams)
{
	struct pace_point *read = pace_point_new();
	uint64_t sent = 0;
	json_t *j;
	char *text;

	set_direction(_i % 2);
	victim = 7;
	ask(16, 100000, 200);
	wanted.interval_ns = _i < 2 ? 5000000 : 10000;
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
	ck_assert_ptr_nonnull(pt->intervals);
	ck_assert_uint_eq(pt->intervals->n, _i < 2 ? 4 : 249);	/* 80 us, of 256 */
	for (uint32_t i = 0; i < pt->intervals->n; i++) {
		const struct pace_interval *o = &pt->intervals->v[i];

		sent += o->sent;
		if (_i >= 2)
			continue;
		ck_assert_uint_eq(o->sent, 800);
		ck_assert_uint_eq(o->lost, lost_in[i]);
		ck_assert_int_eq(o->from_ns, i * 5000000);
		ck_assert_uint_eq(o->rx.gap.n, o->rx.received - (i == 0 ? 16 : 0));
		ck_assert_int_eq(o->rx.gap.p50, PACE_NO_FIGURE);
		ck_assert_double_eq_tol(o->rx.user_rate_bps, 16 * 200 * 8 / 100e-6, 0.05 * 256e6);
	}
	ck_assert_uint_eq(sent, 3200);
	j = pace_point_to_json(pt);
	text = json_dumps(j, JSON_COMPACT);
	ck_assert_uint_lt(strlen(text), 4 << 20);
	ck_assert_int_eq(pace_point_from_json(read, j), 0);
	ck_assert_uint_eq(read->intervals->n, pt->intervals->n);
	free(text);
	json_decref(j);
	pace_point_free(read);
}
END_TEST

/* Each stream tells the refusals of its own frames: their sum is checked by pace_point_broken. */
START_TEST(intervals_have_the_refusals_of_all_streams)
{
	set_direction(_i);
	net->hosts.refuse = 0.1;
	ask(8, 100000, 200);
	wanted.interval_ns = 5000000;
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_nonnull(pt->intervals);
	ck_assert_msg(pace_point_broken(pt) == NULL, "%s", pace_point_broken(pt));
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_gt(pt->streams[i]->tx.refused, 0);
}
END_TEST

/* Without a schedule, streams divide by their departures, and their lengths may differ. */
START_TEST(intervals_without_a_spacing_sum_up)
{
	uint64_t sent = 0;

	set_direction(_i % 2);
	ask(16, 0, 200);
	wanted.interval_ns = _i < 2 ? 1000000 : 10;
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
	for (uint32_t i = 0; i < pt->intervals->n; i++)
		sent += pt->intervals->v[i].sent;
	ck_assert_uint_eq(sent, 3200);
	ck_assert_uint_le(pt->intervals->n, 256);
}
END_TEST

/* --- records ------------------------------------------------------------------------ */

/* A stream's records are of the frames that arrived, and only of those. */
static void
check_records(const struct pace_point *one, bool hurt_one)
{
	uint64_t seen[200] = { 0 }, n = one->rx.records;
	struct pace_record rec;
	uint8_t *columns;

	ck_assert_msg(pace_client_records(&cl, one, &columns, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(n, one->rx.unique + one->rx.duplicates);
	for (uint64_t k = 0; k < n; k++) {
		ck_assert_int_eq(pace_record_read(columns, n, k, &rec), 0);
		ck_assert_uint_lt(rec.seq, 200);
		seen[rec.seq]++;
	}
	for (uint64_t k = 0; k < 200; k++)
		ck_assert_uint_eq(seen[k], !hurt_one ? 1 : k % 15 == 0 ? 0 : k % 15 == 5 ? 2 : 1);
	free(columns);
}

START_TEST(each_stream_has_its_records)
{
	set_direction(_i);
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.1,
		    .jitter_ns = 2000000 };
	victim = 7;
	ask(16, 100000, 200);
	wanted.record.room = 6250;		/* 100000 of all */
	ck_assert_int_eq(measure(), 0);
	check(16, 200);
	for (uint32_t i = 0; i < 16; i++)
		check_records(pt->streams[i], i == 7);
	wanted.record.room = 6251;
	ck_assert_int_eq(measure(), -EACCES);
	ck_assert_ptr_nonnull(strstr(err.text, "at most 6250 of each stream"));
}
END_TEST

/* --- hostile ---------------------------------------------------------------------- */

/* A well-formed frame of stream k from this port of the client's host. */
static void
forge(uint16_t port, uint8_t stream, uint64_t seq)
{
	uint8_t buf[200] = { 0 };
	struct pace_hdr h = { .type = PACE_DATA, .run = cl.run, .stream = stream,
	    .session = cl.session, .seq = seq, .tx_ns = net->now_ns };
	struct pace_addr from = net->client.addr;

	from.port = port;
	pace_hdr_encode(buf, sizeof(buf), &h);
	sim_inject(net, &from, buf, sizeof(buf));
}

static void
forge_frames(struct sim *s)
{
	uint16_t port = s->client.addr.port;

	if (!cl.open || cl.flow == NULL || cl.flow[3].session == 0)
		return;
	forge((uint16_t)(port + 1), 2, 5);	/* stream 2 from the port of stream 1 */
	forge((uint16_t)(port + 2), 9, 5);	/* no such stream */
	forge((uint16_t)(port + 900), 3, 5);	/* no port of the session */
	forge(port, 3, 5);
	s->tick = NULL;
}

START_TEST(a_frame_of_another_flow_is_foreign)
{
	static struct pace_tally all;	/* outlives the sessions */
	uint64_t foreign = 0;

	net->responder.shared.observer = (struct pace_observer){ .news = hear, .ctx = &all };
	net->tick_ns = 1000000;
	ask(4, 100000, 3000);
	ck_assert_int_eq(measure(), 0);		/* the flows are open */
	net->tick = forge_frames;
	net->ticked_ns = net->now_ns + 130000000;
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 3000);
		ck_assert_uint_eq(pt->streams[i]->rx.duplicates, 0);
		foreign += pt->streams[i]->rx.foreign;
	}
	ck_assert_uint_eq(foreign, 3);
	ck_assert_uint_eq(all.foreign, 3);
}
END_TEST

static uint8_t cookie[PACE_COOKIE_SIZE];

/* OPEN of a flow from any address, with a cookie that is right for it. */
static void
inject_open(const struct pace_addr *from, uint64_t session, uint8_t stream, bool good)
{
	struct pace_msg_open m = { .nonce = cl.nonce };
	struct pace_hdr h = { .type = PACE_OPEN, .stream = stream, .session = session,
	    .seq = 4711 };
	uint8_t buf[512];
	int len;

	pace_cookie_make(&net->responder.shared.cookies, from, 0,
	    net->responder.io.now(net->responder.io.ctx), cookie);
	cookie[5] ^= good ? 0 : 1;
	memcpy(m.cookie, cookie, sizeof(cookie));
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 384);
	ck_assert_int_gt(len, 0);
	sim_inject(net, from, buf, (size_t)len);
}

static void
open_from(const struct pace_addr *from, uint64_t session, uint8_t stream, bool good)
{
	inject_open(from, session, stream, good);
	sim_pass(net, SEC / 10);
}

START_TEST(a_flow_needs_the_address_and_the_session_of_its_client)
{
	struct pace_addr from;

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	from = somebody;
	from.port = 999;
	open_from(&from, cl.session, 1, true);		/* another host */
	from = net->client.addr;
	from.port = 999;
	open_from(&from, cl.session + 1, 1, true);	/* another session */
	open_from(&from, cl.session, 1, false);		/* without a cookie */
	open_from(&from, cl.session, 0, true);		/* the session's own flow */
	ck_assert_uint_eq(net->responder.counts.flows, 0);
	ck_assert_uint_eq(net->responder.counts.opened, 1);
	open_from(&from, cl.session, 1, true);
	ck_assert_uint_eq(net->responder.counts.flows, 1);
}
END_TEST

/* In the middle of a run, OPEN for each of its streams comes from another port. */
static void
open_in_the_run(struct sim *s)
{
	struct pace_addr from = s->client.addr;

	if (truth[3].sent < 50)
		return;
	for (uint8_t i = 1; i < 4; i++) {
		from.port = (uint16_t)(900 + i);
		inject_open(&from, cl.session, i, true);
	}
	s->tick = NULL;
}

START_TEST(no_flow_is_replaced_during_a_run)
{
	set_direction(_i);
	net->tick = open_in_the_run;
	net->tick_ns = 1000000;
	ask(4, 1000000, 200);
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_null(net->tick);
	ck_assert_uint_eq(net->responder.counts.flows, 6);
	check(4, 200);
}
END_TEST

/* HELLO, and OPEN for another session, in the name of the port of stream k. */
static void
forge_new_client(uint8_t stream)
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = 4711 };
	struct pace_addr from = net->own[stream]->addr;
	uint8_t buf[PACE_HELLO_SIZE];
	int len = pace_msg_put(buf, sizeof(buf), &h, json_object(), PACE_HELLO_SIZE);

	ck_assert_int_gt(len, 0);
	sim_inject(net, &from, buf, (size_t)len);
	open_from(&from, cl.session + 1, stream, false);
	open_from(&from, 0, 0, false);
}

START_TEST(a_forged_client_does_not_close_a_flow)
{
	net->hook = hurt;
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	sim_pass(net, 2 * SEC);
	for (uint8_t i = 1; i < 4; i++)
		forge_new_client(i);
	memset(truth, 0, sizeof(truth));
	ck_assert_int_eq(measure(), 0);
	check(4, 200);
	ck_assert_uint_eq(net->responder.counts.flows, 3);
}
END_TEST

/* OPEN of a new client at the port of stream k, with a cookie of the session; key: NULL, or it has. */
static void
inject_new_client(uint8_t stream, const struct pace_key *key)
{
	struct pace_msg_open m = { .nonce = cl.nonce + 1 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 4712, .sealed = key != NULL };
	struct pace_seal seal = { .on = false };
	struct pace_addr from = net->own[stream]->addr;
	uint8_t buf[512];
	int len;

	pace_cookie_make(&net->responder.shared.cookies, &from, cl.session,
	    net->responder.io.now(net->responder.io.ctx), m.cookie);
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 384);
	ck_assert_int_gt(len, 0);
	if (key != NULL)
		pace_seal_derive(&seal, key, m.nonce + 7, 0);
	sim_inject(net, &from, buf, (size_t)pace_seal_put(&seal, buf, sizeof(buf), len));
}

static void
open_anew(uint8_t stream)
{
	inject_new_client(stream, NULL);
	sim_pass(net, SEC / 10);
}

static int
open_flows(void)
{
	int open = 0;

	for (int i = 0; i < SIM_FLOWS; i++)
		open += net->flows[i] != NULL;
	return open;
}

START_TEST(a_flow_makes_way_for_a_new_client_at_its_port)
{
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	open_anew(2);				/* less than 1 s old */
	ck_assert_int_eq(open_flows(), 3);
	sim_pass(net, 2 * SEC);
	open_anew(2);
	ck_assert_int_eq(open_flows(), 2);
	ck_assert_int_eq(sim_sessions(net), 1);
	open_anew(2);				/* the listener wants a cookie of its own */
	ck_assert_uint_eq(net->responder.counts.cookies, 1);
}
END_TEST

START_TEST(another_key_closes_no_flow)
{
	require_keys();
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	sim_pass(net, 2 * SEC);
	inject_new_client(2, NULL);
	inject_new_client(2, &bob);
	sim_pass(net, SEC / 10);
	ck_assert_int_eq(open_flows(), 3);
	inject_new_client(2, &lab);
	sim_pass(net, SEC / 10);
	ck_assert_int_eq(open_flows(), 2);
}
END_TEST

/* The flows are old enough by then. */
static void
new_client_in_the_run(struct sim *s)
{
	if (truth[3].sent < 1500)
		return;
	for (uint8_t i = 1; i < 4; i++)
		inject_new_client(i, NULL);
	s->tick = NULL;
}

START_TEST(no_flow_makes_way_during_a_run)
{
	set_direction(_i);
	net->tick = new_client_in_the_run;
	net->tick_ns = 1000000;
	ask(4, 1000000, 2000);
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_null(net->tick);
	check(4, 2000);
}
END_TEST

START_TEST(a_rule_limits_the_streams)
{
	struct pace_policy *p = calloc(1, sizeof(*p));

	pace_policy_reset(p);
	p->rule[0].most[PACE_LIMIT_STREAMS] = 3;
	net->rules = pace_rules_new();
	pace_rules_set(net->rules, p);
	net->responder.shared.rules = net->rules;
	ask(3, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	ask(4, 1000000, 20);
	ck_assert_int_eq(measure(), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "4 streams are more than its 3"));
	ck_assert_uint_eq(net->responder.counts.flows, 2);
	ask(3, 1000000, 20);
	ck_assert_int_eq(measure(), 0);
	/* the sum of the streams counts: 100 Mbit/s */
	ask(3, 30000, 1000000);
	ck_assert_int_eq(measure(), -EDQUOT);
	free(p);
}
END_TEST

/* --- proofs of flows ---------------------------------------------------------------- */

static struct {
	uint8_t		stream;
	bool		always;		/* else after its 200th frame: its PINGs do not arrive */
	int64_t		muted_ns;
	uint64_t	frames[PACE_STREAMS];
	int64_t		last_ns[PACE_STREAMS];
} mute;

static enum sim_fate
mute_flow(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint8_t stream = buf[16];

	(void)ctx, (void)len, (void)delay_ns, (void)way;
	if (buf[3] == PACE_PING && stream == mute.stream && (mute.always || mute.muted_ns != 0))
		return SIM_DROP;
	if (buf[3] != PACE_FRAME_DOWN)
		return SIM_PASS;
	mute.last_ns[stream] = net->now_ns;
	if (++mute.frames[stream] == 200 && stream == mute.stream)
		mute.muted_ns = net->now_ns;
	return SIM_PASS;
}

/* PINGs in the name of the mute flow, a thousand a second: guessed proofs at its port, and at the
 * port of another flow. */
static void
forge_proofs(struct sim *s)
{
	struct pace_hdr h = { .type = PACE_PING, .run = cl.run, .stream = mute.stream,
	    .session = cl.session, .seq = unit_rnd() >> 16 };
	struct pace_ping p = { .reply_bytes = PACE_PINGER_SIZE, .proof = unit_rnd() };
	uint8_t buf[PACE_PINGER_SIZE] = { 0 };

	if (cl.flow == NULL || s->own[mute.stream] == NULL || s->own[mute.stream + 1] == NULL)
		return;
	ck_assert_int_gt(pace_ping_encode(buf, sizeof(buf), &h, &p), 0);
	sim_inject(s, &s->own[mute.stream]->addr, buf, sizeof(buf));
	p.proof = 0;
	ck_assert_int_gt(pace_ping_encode(buf, sizeof(buf), &h, &p), 0);
	sim_inject(s, &s->own[mute.stream + 1]->addr, buf, sizeof(buf));
}

static void
mute_stream(uint8_t stream, bool always)
{
	sim_reverse(net);
	memset(&mute, 0, sizeof(mute));
	mute.stream = stream;
	mute.always = always;
	net->hook = mute_flow;
	ask(8, 1000000, 20000);			/* 20 s */
}

/* Its stream ends half a second and a round trip later, the others go on until the client gives
 * up. */
START_TEST(a_flow_without_proofs_is_sent_no_more)
{
	const int64_t rtt_ns = 2 * net->delay_ns, slack_ns = 2000000;

	int rc;

	mute_stream(5, false);
	if (_i == 1) {
		net->tick = forge_proofs;
		net->tick_ns = 1000000;
	}
	rc = measure();
	ck_assert_int_lt(mute.last_ns[5] - mute.muted_ns, PACE_PROOF_NS + rtt_ns + slack_ns);
	ck_assert_int_gt(mute.last_ns[5] - mute.muted_ns, PACE_PROOF_NS - 2 * PACE_PROOF_EPOCH_NS);
	if (_i == 1)			/* forged PINGs have answers, so the flow is not silent */
		return;
	ck_assert_int_eq(rc, 0);
	ck_assert(pt->interrupted);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(pt->streams[i]->tx.frames, mute.frames[i]);
		ck_assert_uint_eq(pt->streams[i]->rx.unique, mute.frames[i]);
		ck_assert_uint_eq(pt->streams[i]->tx.proof_waits, 0);
		if (i != 5)		/* 11 s of silence */
			ck_assert_int_gt(mute.last_ns[i] - mute.muted_ns, 10 * SEC);
	}
}
END_TEST

/* No PING of any flow arrives for 3 s, those of one flow 40 ms longer: all streams wait, and keep
 * their distances when they continue, each with its own proof. */
#define PHASED		8

static struct {
	int64_t		begin_ns, before_ns[PHASED], last_ns[PHASED], again_ns[PHASED],
			after_ns[PHASED];
	uint64_t	frames[PHASED];
} phased;

static enum sim_fate
deafen(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint8_t stream = buf[16];
	int64_t since_ns = net->now_ns - phased.begin_ns;

	(void)ctx, (void)len, (void)delay_ns, (void)way;
	if (buf[3] == PACE_PING && phased.begin_ns != 0 && since_ns > SEC &&
	    since_ns < 4 * SEC + (stream == 2 ? 40000000 : 0))
		return SIM_DROP;
	if (buf[3] != PACE_FRAME_DOWN || stream >= PHASED)
		return SIM_PASS;
	if (phased.begin_ns == 0)
		phased.begin_ns = net->now_ns;
	if (phased.frames[stream] > 0 && net->now_ns - phased.last_ns[stream] > SEC)
		phased.again_ns[stream] = net->now_ns;
	phased.last_ns[stream] = net->now_ns;
	if (++phased.frames[stream] == 200)
		phased.before_ns[stream] = net->now_ns;
	if (phased.frames[stream] == 3000)
		phased.after_ns[stream] = net->now_ns;
	return SIM_PASS;
}

/* Is this a multiple of the spacing, within 3 us? */
static bool
is_in_step(int64_t ns)
{
	return ns > 0 && (ns + 3000) % 1000000 < 6000;
}

START_TEST(streams_that_waited_keep_their_distances)
{
	sim_reverse(net);
	memset(&phased, 0, sizeof(phased));
	net->hook = deafen;
	ask(PHASED, 1000000, 5000);
	pt->ask.stagger = PACE_STAGGER_EVEN;
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < PHASED; i++) {
		ck_assert_uint_eq(pt->streams[i]->tx.proof_waits, 1);
		ck_assert_int_gt(pt->streams[i]->tx.proof_waited_ns, 2000000000);
		ck_assert(is_in_step(phased.again_ns[i] - phased.before_ns[i]));
		ck_assert(is_in_step(phased.after_ns[i] - phased.before_ns[i]));
	}
}
END_TEST

START_TEST(no_frame_leaves_before_every_flow_is_proven)
{
	mute_stream(3, true);
	net->tick = forge_proofs;
	net->tick_ns = 1000000;
	(void)measure();
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(mute.frames[i], 0);
}
END_TEST

/* The sum of the streams counts, in frames and in bytes. */
START_TEST(the_rate_of_reverse_is_that_of_all_streams)
{
	struct pace_policy *p = calloc(1, sizeof(*p));

	sim_reverse(net);
	pace_policy_reset(p);
	p->rule[0].reverse = true;
	p->rule[0].reverse_bps = 10000000;
	p->rule[0].most[PACE_LIMIT_STREAMS] = 8;
	pace_rules_set(net->rules, p);
	net->hook = hurt;
	ask(4, 1000000, 4000);			/* 4 times 2.13 Mbit/s */
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(pt->rx.unique, 16000);
	ask(6, 1000000, 4000);
	ck_assert_int_eq(measure(), -EDQUOT);
	ask(9, 100000000, 20);
	ck_assert_int_eq(measure(), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "9 streams are more than its 8"));
	ask(4, 0, 3000);			/* 6.4 Mbit each, at once: ended */
	ck_assert_int_eq(measure(), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "the run was ended: more was sent than its"));
	free(p);
}
END_TEST

/* --- a freeze ------------------------------------------------------------------------- */

static int64_t left_ns[4];
static bool frozen;

/* The sending host stands still for 5 ms after a frame of one stream. */
static enum sim_fate
freeze(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)way, (void)len, (void)delay_ns;
	if (buf[3] != PACE_DATA && buf[3] != PACE_FRAME_DOWN)
		return SIM_PASS;
	left_ns[buf[16]] = net->now_ns;
	if (!frozen && buf[16] == 2 && buf[23] == 100)
		net->now_ns += 5000000;
	frozen |= buf[16] == 2 && buf[23] == 100;
	return SIM_PASS;
}

START_TEST(streams_keep_their_distances_when_the_schedule_moves)
{
	set_direction(_i);
	net->hook = freeze;
	frozen = false;
	ask(4, 100000, 200);
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(pt->streams[i]->tx.schedule_shifts, 1);
		ck_assert_int_eq(pt->streams[i]->tx.schedule_shifted_ns,
		    pt->streams[0]->tx.schedule_shifted_ns);
		ck_assert_int_eq(left_ns[i] - left_ns[0], 25000 * i);
	}
}
END_TEST

/* --- threads ------------------------------------------------------------------------ */

/* With one thread, and with two at each end that has streams to share. */
static void
share(int threads)
{
	if (threads < 2)
		return;
	sim_threads(net, 2);
	cl.threads = &net->cores;
}

static uint64_t answers;	/* to PINGs, of all streams */

static enum sim_fate
count_answers(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)len, (void)delay_ns;
	answers += way == SIM_TO_CLIENT && buf[3] == (PACE_PING | PACE_REPLY);
	return SIM_PASS;
}

/* Of all directions: up, down, both. */
START_TEST(the_page_has_each_stream_at_the_end)
{
	static struct pace_stats_page page;
	struct pace_stream_stats one;
	struct pace_session_stats all;
	struct pace_clock clock;

	memset(&page, 0, sizeof(page));
	net->watch = &page;
	share(1 + _i / 3);
	net->hook = count_answers;
	answers = 0;
	if (_i % 3 > 0)
		sim_reverse(net);
	net->two_way = _i % 3 == 2;
	ask(7, 100000, 400);		/* two threads have four and three of them */
	wanted.two_way = net->two_way;
	wanted.direction = _i % 3 == 1 ? PACE_DOWN : PACE_UP;
	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = wanted;
	ck_assert_int_eq(pace_point_pair(pt), 0);
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_msg(pace_client_point(&cl, pt, &err) == 0, "%s: %s", err.step, err.text);
	for (uint32_t i = 0; i < 14; i++) {
		if (i == 7) {		/* silent, it loses the right to measure */
			sim_pass(net, 15 * SEC);
			ck_assert_int_eq(pace_client_clock(&cl, 20, SEC / 20, &clock, &err), 0);
		}
		ck_assert(pace_stream_page_read(&page.stream[i % 7], &one));
		ck_assert_uint_eq(one.now.run.frames, _i % 3 == 1 ? 0 : 400);
		ck_assert_uint_eq(one.now.run.sent_frames, _i % 3 == 0 ? 0 : 400);
	}
	pace_client_close(&cl);
	sim_pass(net, SEC);
	ck_assert(pace_stats_page_read(&page, &all));
	ck_assert_uint_gt(answers, 20);
	ck_assert_uint_eq(all.all.round_trips, answers);
}
END_TEST

/* Of three threads the second one sends the last frame, long after the others are done. */
START_TEST(a_run_waits_for_the_frames_of_all_threads)
{
	sim_threads(net, 3);
	cl.threads = &net->cores;
	sim_reverse(net);
	ask(5, 100000000, 10);
	wanted.stagger = PACE_STAGGER_EVEN;
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(pt->streams[i]->tx.frames, 10);
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 10);
	}
}
END_TEST

/* A PING with a proof is larger than these frames. */
START_TEST(streams_of_small_frames_need_no_pause)
{
	share(1 + _i);
	sim_reverse(net);
	ask(4, 1000000, 3000);
	wanted.size_bytes = 48;
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(pt->tx.proof_waits, 0);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 3000);
}
END_TEST

static int
joining(void)
{
	int n = 0;

	for (int i = 0; i < SIM_FLOWS; i++)
		n += net->flows[i] != NULL && net->flows[i]->coalesce;
	return n;
}

/* The kernel joins the frames of a train; requests of a later run come one by one, at each flow. */
START_TEST(datagrams_are_joined_while_trains_come)
{
	share(1);
	sim_reverse(net);
	ask(4, 100000, 400);
	wanted.direction = PACE_UP;
	wanted.train = 10;
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_eq(joining(), 3);		/* and the first stream's */
	ask(4, 100000, 400);
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_eq(joining(), 0);
}
END_TEST

/* Intervals of 50 ms: the monitor's, read from the page, which then begins a new one. */
static struct {
	struct pace_stats_page page;
	int64_t		lost_ns;	/* when the last of 300 frames was lost, 30 ms */
	int64_t		most_then, most_later;	/* longest gap up to 200 ms after it, and later */
	uint64_t	samples, intervals;
} watched;

static enum sim_fate
lose_some(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int seq = buf[22] << 8 | buf[23];

	(void)ctx, (void)len, (void)way, (void)delay_ns;
	if (buf[3] != PACE_DATA || buf[16] != 1 || seq < 500 || seq >= 800)
		return SIM_PASS;
	watched.lost_ns = net->now_ns;
	return SIM_DROP;
}

static void
read_interval(struct sim *s)
{
	struct pace_session_stats v;
	int64_t *most = watched.lost_ns != 0 && s->now_ns > watched.lost_ns + SEC / 5 ?
	    &watched.most_later : &watched.most_then;

	if (!pace_stats_page_read(&watched.page, &v) || v.recent.samples == 0 ||
	    v.recent.turn != atomic_load(&watched.page.turn))
		return;
	if (v.recent.gap_max_ns > *most)
		*most = v.recent.gap_max_ns;
	watched.samples += v.recent.samples;
	watched.intervals++;
	pace_stats_page_turn(&watched.page);
}

/* An interval has its own extremes and samples, also of streams that another thread receives. */
START_TEST(an_interval_is_not_told_again)
{
	memset(&watched, 0, sizeof(watched));
	net->watch = &watched.page;
	share(1 + _i);
	net->hook = lose_some;
	net->tick = read_interval;
	net->tick_ns = 50000000;
	ask(2, 100000, 20000);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(watched.intervals, 20);
	ck_assert_uint_le(watched.samples, 2 * 20000);
	ck_assert_int_gt(watched.most_then, 29 * INT64_C(1000000));
	ck_assert_int_gt(watched.most_later, 0);
	ck_assert_int_lt(watched.most_later, 10 * INT64_C(1000000));
}
END_TEST

/* The client dies, and some time later the run is abandoned. */
static enum sim_fate
die_later(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	enum sim_fate fate = mute_flow(ctx, way, buf, len, delay_ns);

	return way == SIM_TO_RESPONDER && mute.frames[0] >= 1000 ? SIM_DROP : fate;
}

START_TEST(the_page_has_each_stream_of_an_abandoned_run)
{
	static struct pace_stats_page page;
	struct pace_stream_stats one;

	memset(&page, 0, sizeof(page));
	net->watch = &page;
	share(1 + _i);
	mute_stream(UINT8_MAX, false);
	net->hook = die_later;
	ask(5, 1000000, 20000);
	ck_assert_int_lt(measure(), 0);
	sim_pass(net, 60 * SEC);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert(pace_stream_page_read(&page.stream[i], &one));
		ck_assert_uint_gt(mute.frames[i], 1000);
		ck_assert_uint_eq(one.now.run.sent_frames, mute.frames[i]);
	}
}
END_TEST

/* Copies of the answers to OPEN come until the run has begun: they are no foreign frames. */
START_TEST(late_answers_are_not_foreign)
{
	share(1 + _i);
	sim_reverse(net);
	net->control[SIM_TO_CLIENT] = (struct sim_impair){ .dup = 1, .copies = 4,
	    .jitter_ns = 300000000 };
	ask(8, 1000000, 1000);
	ck_assert_int_eq(measure(), 0);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(pt->streams[i]->rx.unique, 1000);
		ck_assert_uint_eq(pt->streams[i]->rx.foreign, 0);
	}
}
END_TEST

static volatile sig_atomic_t stop;
static uint64_t unanswered;		/* bytes on the wire */

/* The first stream loses its proofs and ends, so that the session's thread rests; later the user
 * stops the run. */
static enum sim_fate
mute_first(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	if (net->now_ns - mute.muted_ns > 1007 * INT64_C(1000000) && mute.muted_ns != 0)
		stop = 1;
	return mute_flow(ctx, way, buf, len, delay_ns);
}

/* PINGs to the second stream's flow that are too long for an answer. */
static void
send_unanswered(struct sim *s)
{
	const struct pace_hdr h = { .type = PACE_PING, .run = cl.run, .stream = 1,
	    .session = cl.session, .seq = unit_rnd() >> 16 };
	const struct pace_ping p = { .reply_bytes = PACE_PINGER_SIZE };
	uint8_t buf[8000] = { 0 };

	if (cl.flow == NULL || s->own[1] == NULL || mute.frames[1] == 0 || stop)
		return;
	ck_assert_int_gt(pace_ping_encode(buf, sizeof(buf), &h, &p), 0);
	sim_inject(s, &s->own[1]->addr, buf, sizeof(buf));
	unanswered += sizeof(buf) + 66;
}

/* The budget has all that the threads sent and received, also since the session's last look. */
START_TEST(what_threads_do_is_paid_for)
{
	struct pace_policy *p = calloc(1, sizeof(*p));
	struct pace_terms terms;
	uint64_t wire;
	double used;

	sim_reverse(net);
	pace_policy_reset(p);
	for (int k = 0; k < PACE_LIMITS; k++)
		p->rule[0].most[k] = PACE_NO_LIMIT;
	p->rule[0].reverse = true;
	p->rule[0].most[PACE_LIMIT_BUDGET] = INT64_C(1000000000000000);
	pace_rules_set(net->rules, p);
	sim_threads(net, 2);
	memset(&mute, 0, sizeof(mute));
	net->hook = mute_first;
	net->tick = _i == 1 ? send_unanswered : NULL;
	net->tick_ns = 1000000;
	stop = 0;
	unanswered = 0;
	cl.stop = &stop;
	ask(2, 20000, 1000000);
	wanted.size_bytes = 4000;
	if (_i == 2) {			/* then the threads also receive */
		net->two_way = wanted.two_way = true;
		wanted.direction = PACE_UP;
		cl.threads = &net->cores;
	}
	ck_assert_int_eq(measure(), -EINTR);
	ck_assert(pt->has_rx);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	wire = (mute.frames[0] + mute.frames[1]) * 4066 + unanswered;
	ck_assert_uint_eq((_i == 2 ? pt->back : pt)->tx.frames, mute.frames[0] + mute.frames[1]);
	wire += _i == 2 ? pt->tx.frames * 4066 : 0;
	pace_rules_terms(net->rules, &net->client.addr, "", &terms);
	used = pace_rules_use(net->rules, &terms, 0, 0).bytes;
	ck_assert_double_ge(used, (double)wire);
	ck_assert_double_le(used, (double)wire + 200000);	/* messages and answers */
	free(p);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("streams");

	unit_seed(tc);
	sim_sums(tc, "streams");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_stream_is_exact, 0, 2);
	tcase_add_loop_test(tc, what_befell_the_thread_is_told_of_each_stream, 0, 2);
	tcase_add_test(tc, reports_tell_of_each_stream);
	tcase_add_test(tc, reports_tell_of_each_stream_whatever_gets_lost);
	tcase_add_test(tc, reports_tell_of_as_many_streams_as_a_run_may_have);
	tcase_add_loop_test(tc, what_happens_to_one_stream_is_told_of_that_one, 0, 2);
	tcase_add_test(tc, what_happens_to_all_streams_is_summed_up);
	tcase_add_loop_test(tc, control_loss_changes_nothing, 0, 2);
	tcase_add_loop_test(tc, as_many_streams_as_a_run_may_have, 0, 2);
	tcase_add_loop_test(tc, runs_of_a_session_have_different_numbers_of_streams, 0, 2);
	tcase_add_test(tc, the_grace_is_for_the_streams_that_miss_frames);
	tcase_add_test(tc, the_grace_begins_when_all_streams_have_ended);
	tcase_add_loop_test(tc, back_to_back_streams_take_turns, 0, 2);
	tcase_add_loop_test(tc, with_a_key_each_flow_is_authenticated, 0, 2);
	tcase_add_loop_test(tc, each_stream_has_its_records, 0, 2);
	tcase_add_loop_test(tc, intervals_are_those_of_all_streams, 0, 4);
	tcase_add_loop_test(tc, intervals_have_the_refusals_of_all_streams, 0, 2);
	tcase_add_loop_test(tc, intervals_without_a_spacing_sum_up, 0, 4);
	tcase_add_test(tc, a_frame_of_another_flow_is_foreign);
	tcase_add_test(tc, a_flow_needs_the_address_and_the_session_of_its_client);
	tcase_add_loop_test(tc, no_flow_is_replaced_during_a_run, 0, 2);
	tcase_add_test(tc, a_forged_client_does_not_close_a_flow);
	tcase_add_test(tc, a_flow_makes_way_for_a_new_client_at_its_port);
	tcase_add_test(tc, another_key_closes_no_flow);
	tcase_add_loop_test(tc, no_flow_makes_way_during_a_run, 0, 2);
	tcase_add_test(tc, a_rule_limits_the_streams);
	tcase_add_loop_test(tc, a_flow_without_proofs_is_sent_no_more, 0, 2);
	tcase_add_test(tc, streams_that_waited_keep_their_distances);
	tcase_add_test(tc, no_frame_leaves_before_every_flow_is_proven);
	tcase_add_test(tc, the_rate_of_reverse_is_that_of_all_streams);
	tcase_add_loop_test(tc, streams_keep_their_distances_when_the_schedule_moves, 0, 2);
	tcase_add_loop_test(tc, the_page_has_each_stream_at_the_end, 0, 6);
	tcase_add_loop_test(tc, an_interval_is_not_told_again, 0, 2);
	tcase_add_loop_test(tc, the_page_has_each_stream_of_an_abandoned_run, 0, 2);
	tcase_add_loop_test(tc, late_answers_are_not_foreign, 0, 2);
	tcase_add_loop_test(tc, what_threads_do_is_paid_for, 0, 3);
	tcase_add_test(tc, datagrams_are_joined_while_trains_come);
	tcase_add_test(tc, a_run_waits_for_the_frames_of_all_threads);
	tcase_add_test(tc, no_figure_of_a_stream_is_of_the_run_before);
	tcase_add_loop_test(tc, streams_of_small_frames_need_no_pause, 0, 2);
	return unit_run(tc, "streams");
}
