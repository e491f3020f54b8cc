/*
 * Runs with frames in both directions at the same time on the simulated network: each direction's
 * counts against the frames that a hook chose, the proof, the rules.  Random troubles are
 * test_truth's.
 */
#include "lib/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "server/admission/proof.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define RTT	(200 * INT64_C(1000))	/* of the network */
#define SLACK	(2 * MS)
#define LATE	(3 * MS)		/* delay of a chosen frame */

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static volatile sig_atomic_t stop;

#define STREAMS	16

/* What happened to the frames of one direction; every so many are chosen, 0: none. */
static struct way {
	uint64_t	drops, copies, delays, damages;		/* which */
	uint64_t	left;		/* with those that do not count */
	uint64_t	seen, dropped, copied, delayed, damaged;	/* the log */
	int64_t		first_ns, last_ns;
} log_of[2];
static struct count { uint64_t seen, dropped, copied, delayed, damaged; } each[2][STREAMS];
static int chosen[2];			/* frames of this stream only; -1: of all */
static uint64_t omitted;		/* frames with numbers below this do not count */
static struct { uint64_t dies; int64_t died_ns; bool unproven; uint64_t stops; } client;

static bool
every(uint64_t n, uint64_t number)
{
	return n > 0 && number % n == n / 2;
}

static enum sim_fate
see_frame(enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct way *w = &log_of[way];
	struct count *one = &each[way][buf[16] % STREAMS];
	uint64_t number = 0;

	for (int i = 17; i < 24; i++)
		number = number << 8 | buf[i];
	w->last_ns = net->now_ns;
	w->left++;
	if (number < omitted)
		return every(w->drops, number) ? SIM_DROP : SIM_PASS;
	w->seen++;
	one->seen++;
	if (w->first_ns == 0)
		w->first_ns = net->now_ns;
	if (chosen[way] >= 0 && buf[16] != chosen[way])
		return SIM_PASS;
	if (every(w->drops, number)) {
		w->dropped++;
		one->dropped++;
		return SIM_DROP;
	}
	if (every(w->damages, number)) {
		w->damaged++;
		one->damaged++;
		buf[len - 1] ^= 1;
	}
	if (every(w->delays, number)) {
		w->delayed++;
		one->delayed++;
		*delay_ns += LATE;
	}
	if (every(w->copies, number)) {
		w->copied++;
		one->copied++;
		return SIM_DUP;
	}
	return SIM_PASS;
}

static enum sim_fate
look(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;
	struct pace_ping p;

	(void)ctx;
	if ((buf[3] & ~PACE_REPLY) == PACE_DATA) {
		enum sim_fate f = way == SIM_TO_RESPONDER && client.died_ns != 0 ? SIM_DROP :
		    see_frame(way, buf, len, delay_ns);

		if (client.dies > 0 && log_of[SIM_TO_CLIENT].left == client.dies &&
		    client.died_ns == 0)
			client.died_ns = net->now_ns;
		if (client.stops > 0 && log_of[SIM_TO_CLIENT].seen == client.stops)
			stop = 1;
		return f;
	}
	if (way == SIM_TO_CLIENT)
		return SIM_PASS;
	if (client.died_ns != 0)
		return SIM_DROP;
	if (client.unproven && buf[3] == PACE_PING && len == PACE_PINGER_SIZE &&
	    pace_hdr_decode(&h, buf, len) == 0) {
		pace_ping_decode(&p, buf, len);
		p.proof = 0;
		pace_ping_encode(buf, len, &h, &p);
	}
	return SIM_PASS;
}

static void
setup(void)
{
	memset(log_of, 0, sizeof(log_of));
	memset(each, 0, sizeof(each));
	chosen[0] = chosen[1] = -1;
	memset(&client, 0, sizeof(client));
	memset(&err, 0, sizeof(err));
	stop = 0;
	omitted = 0;
	net = sim_new(unit_rnd());
	sim_reverse(net);
	net->two_way = true;
	net->hook = look;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.stop = &stop;
	cl.open_flow = sim_open_flow;
	cl.flow_ctx = &net->client;
	cl.rcvbuf_bytes = cl.own_rcvbuf_granted = 1 << 20;
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .two_way = true, .size_bytes = 200, .train = 1, .bursts = 1,
	    .grace_ns = 50 * MS, .verify = true };
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

/* Frames of 200 bytes in both directions. */
static int
measure(uint64_t count, int64_t spacing_ns)
{
	int rc = pace_client_open(&cl, &err);

	pt->ask.spacing = pace_spacing_from_ns(spacing_ns);
	pt->ask.count = count;
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
is_counted(const struct pace_point *p, const struct way *w)
{
	const char *broken = pace_point_broken(p);

	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(p->has_rx);
	ck_assert_uint_eq(p->tx.frames, w->seen);
	ck_assert_uint_eq(p->rx.lost, w->dropped);
	ck_assert_uint_eq(p->rx.unique, w->seen - w->dropped);
	ck_assert_uint_eq(p->rx.duplicates, w->copied);
	ck_assert_uint_eq(p->rx.corrupt, w->damaged);
	ck_assert_uint_eq(p->rx.reordered, w->delayed);
	ck_assert_uint_eq(p->rx.foreign, 0);
	ck_assert_uint_eq(p->ledger.place[PACE_NETWORK].n, w->dropped);
}

static void
measures(uint64_t count, int64_t spacing_ns)
{
	int rc = measure(count, spacing_ns);

	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	ck_assert_ptr_nonnull(pt->back);
	ck_assert_int_eq((int)pt->ask.direction, PACE_UP);
	ck_assert_int_eq((int)pt->back->ask.direction, PACE_DOWN);
	is_counted(pt, &log_of[SIM_TO_RESPONDER]);
	is_counted(pt->back, &log_of[SIM_TO_CLIENT]);
}

static void
choose(void)
{
	log_of[0] = (struct way){ .drops = 7, .copies = 11, .delays = 101, .damages = 13 };
	log_of[1] = (struct way){ .drops = 19, .copies = 5, .delays = 53, .damages = 29 };
}

static void
stop_now(struct sim *s)
{
	(void)s;
	stop = cl.run > 0;
}

/* Also when 30 % of all that is no frame is lost both ways. */
START_TEST(chosen_frames_of_each_direction_are_counted_there)
{
	choose();
	net->control[0].loss = net->control[1].loss = _i == 0 ? 0 : 0.3;
	measures(20000, 100000);
	ck_assert_uint_eq(log_of[0].seen, 20000);
	ck_assert_uint_eq(log_of[1].seen, 20000);
	ck_assert_uint_gt(log_of[0].dropped, 2 * log_of[1].dropped);
	ck_assert_uint_eq(pt->back->tx.proof_waits, 0);
}
END_TEST

/* --- several streams ---------------------------------------------------------------- */

static void
is_stream_counted(const struct pace_point *p, const struct count *n, uint32_t i)
{
	const struct pace_point *one = p->streams[i];
	const char *broken = pace_point_broken(one);

	ck_assert_msg(broken == NULL, "stream %u: %s", i, broken);
	ck_assert(one->has_rx);
	ck_assert_uint_eq(one->tx.frames, n->seen);
	ck_assert_uint_eq(one->rx.lost, n->dropped);
	ck_assert_uint_eq(one->rx.unique, n->seen - n->dropped);
	ck_assert_uint_eq(one->rx.duplicates, n->copied);
	ck_assert_uint_eq(one->rx.corrupt, n->damaged);
	ck_assert_uint_eq(one->rx.reordered, n->delayed);
	ck_assert_uint_eq(one->rx.foreign, 0);
	ck_assert_uint_eq(one->ledger.place[PACE_NETWORK].n, n->dropped);
}

/* Each stream of each direction, and their sums. */
static void
are_counted(void)
{
	for (int way = 0; way < 2; way++) {
		const struct pace_point *p = way == SIM_TO_RESPONDER ? pt : pt->back;

		ck_assert_ptr_nonnull(p->streams);
		for (uint32_t i = 0; i < p->ask.streams; i++)
			is_stream_counted(p, &each[way][i], i);
		is_counted(p, &log_of[way]);
	}
}

/* Two threads at each end share the streams. */
static void
share(void)
{
	sim_threads(net, 2);
	cl.threads = &net->cores;
}

static void
streams_measure(uint32_t streams, uint64_t count, int64_t spacing_ns, enum pace_stagger stagger)
{
	int rc;

	pt->ask.streams = streams;
	pt->ask.stagger = stagger;
	rc = measure(count, spacing_ns);
	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	ck_assert_ptr_nonnull(pt->back);
	are_counted();
	for (int way = 0; way < 2; way++)
		for (uint32_t i = 0; i < streams; i++)
			ck_assert_uint_eq(each[way][i].seen, count);
}

/* Frames of all streams, then those of one of each direction; with and without control loss, begun
 * one after the other and all together. */
START_TEST(each_stream_of_each_direction_is_exact)
{
	if (_i & 8)
		share();
	choose();
	net->control[0].loss = net->control[1].loss = _i & 1 ? 0.3 : 0;
	net->control[0].dup = net->control[1].dup = _i & 1 ? 0.1 : 0;
	if (_i & 2) {
		chosen[SIM_TO_RESPONDER] = 7;
		chosen[SIM_TO_CLIENT] = 12;
	}
	pt->ask.interval_ns = _i & 4 ? 10 * MS : 0;
	streams_measure(STREAMS, 1000, 200000, _i & 4 ? PACE_STAGGER_NONE : PACE_STAGGER_EVEN);
	ck_assert_uint_gt(log_of[0].dropped, log_of[1].dropped);
	ck_assert_uint_gt(each[1][12].damaged, 20);
	ck_assert_uint_eq(each[1][11].damaged > 0, (_i & 2) == 0);
	for (uint32_t i = 0; i < STREAMS; i++) {
		ck_assert_uint_eq(pt->back->streams[i]->tx.proof_waits, 0);
		for (const struct pace_point *p = pt; p != NULL; p = p->back) {
			ck_assert(p->streams[i]->tx.has_core == ((_i & 8) != 0));
			ck_assert(p->streams[i]->rx.has_core == ((_i & 8) != 0));
			ck_assert_uint_eq(p->streams[i]->tx.core, (_i & 8) != 0 ? i % 2 : 0);
			ck_assert_uint_eq(p->streams[i]->rx.core, (_i & 8) != 0 ? i % 2 : 0);
		}
		/* the simulated client wakes late at first */
		ck_assert_double_eq_tol(pace_stats_mean(&pt->streams[i]->tx.gap.stats), 200000, 1000);
		ck_assert_double_eq_tol(pace_stats_mean(&pt->back->streams[i]->tx.gap.stats),
		    200000, 200);
	}
}
END_TEST

static int
no_thread(const struct pace_threads *t, uint32_t k, void (*work)(void *arg), void *arg,
    void **handle)
{
	(void)t, (void)k, (void)work, (void)arg, (void)handle;
	return -EAGAIN;
}

/* Then one thread at each end has all streams. */
START_TEST(threads_that_cannot_start_are_not_missed)
{
	share();
	net->cores.start = no_thread;
	choose();
	streams_measure(5, 400, 200000, PACE_STAGGER_EVEN);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(!pt->streams[i]->tx.has_core && !pt->streams[i]->rx.has_core &&
		    !pt->back->streams[i]->tx.has_core);
}
END_TEST

START_TEST(streams_without_a_spacing_go_both_ways)
{
	if (_i & 2)
		share();
	choose();
	log_of[0].delays = log_of[1].delays = 0;
	pt->ask.train = _i & 1 ? 10 : 1;
	streams_measure(3, 200, 0, PACE_STAGGER_EVEN);
}
END_TEST

/* Runs of one session; flows are used again. */
START_TEST(numbers_of_streams_change_from_run_to_run)
{
	static const uint32_t streams[] = { 2, 9, 4 };

	if (_i == 1)
		share();
	for (size_t i = 0; i < 3; i++) {
		memset(log_of, 0, sizeof(log_of));
		memset(each, 0, sizeof(each));
		choose();
		pt->ask.streams = streams[i];
		pt->ask.spacing = pace_spacing_from_ns(100000);
		pt->ask.count = 300;
		if (i == 0)
			ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
		are_counted();
		pace_point_free(pt);
		pt = pace_point_new();
		pt->ask = (struct pace_params){ .two_way = true, .size_bytes = 200, .train = 1,
		    .bursts = 1, .grace_ns = 50 * MS, .verify = true };
	}
	ck_assert_uint_eq(net->responder.counts.flows, 8);
}
END_TEST

/* The clocks differ by more than a day, and one gains 40 us in a second. */
START_TEST(each_stream_has_the_delay_of_the_path)
{
	net->theta_ns = INT64_C(123456789012345);
	net->skew_ppb = 40000;
	streams_measure(4, 10000, 200000, PACE_STAGGER_EVEN);
	for (const struct pace_point *p = pt; p != NULL; p = p->back)
		for (uint32_t i = 0; i < 4; i++) {
			const struct pace_rx_result *rx = &p->streams[i]->rx;

			ck_assert(rx->owd.stats.n == 10000 && !p->streams[i]->owd_relative);
			/* the client finds the rate of the clocks in the first 2 s */
			ck_assert_double_eq_tol((double)rx->owd.stats.min, 100000,
			    p == pt ? 100 : 6000);
			ck_assert_double_eq_tol((double)rx->owd.stats.max, 100000,
			    p == pt ? 100 : 6000);
		}
}
END_TEST

START_TEST(a_stop_ends_all_streams_of_both)
{
	if (_i == 1)
		share();
	client.stops = 5000;
	pt->ask.streams = 8;
	ck_assert_int_eq(measure(1000000, 100000), -EINTR);
	ck_assert(pt->interrupted && pt->back->interrupted);
	for (int way = 0; way < 2; way++)
		ck_assert_uint_le(log_of[way].seen, 5000 + 8 * (25 * MS + RTT + SLACK) / 100000);
	are_counted();
}
END_TEST

/* Both streams are there at the same time, and on their schedules. */
START_TEST(both_streams_keep_their_schedules_together)
{
	net->theta_ns = INT64_C(123456789012345);
	measures(20000, 100000);
	ck_assert_int_lt(llabs(log_of[0].first_ns - log_of[1].first_ns), 10 * MS);
	ck_assert_int_lt(llabs(log_of[0].last_ns - log_of[1].last_ns), 10 * MS);
	/* the simulated client wakes late when the responder waits for its own frame */
	ck_assert_int_eq(pt->back->tx.gap_error.stats.min, 0);
	ck_assert_int_eq(pt->back->tx.gap_error.stats.max, 0);
	for (const struct pace_point *p = pt; p != NULL; p = p->back) {
		ck_assert_double_eq_tol(pace_stats_mean(&p->tx.gap.stats), 100000, 100);
		/* the delay of 100 us, whatever the clocks show */
		ck_assert(p->rx.owd.stats.n == 20000 && !p->owd_relative);
		ck_assert_double_eq_tol((double)p->rx.owd.stats.min, 100000, 1000);
		ck_assert_double_eq_tol((double)p->rx.owd.stats.max, 100000, 1000);
	}
}
END_TEST

START_TEST(trains_and_bursts_go_both_ways)
{
	choose();
	log_of[0].delays = log_of[1].delays = 0;
	pt->ask.train = 8;
	pt->ask.bursts = 3;
	pt->ask.burst_gap_ns = 5 * MS;
	measures(2000, 20000);
	ck_assert_uint_eq(log_of[0].seen, 6000);
	ck_assert_uint_eq(log_of[1].seen, 6000);
}
END_TEST

START_TEST(a_beginning_can_be_left_out)
{
	choose();
	log_of[0].delays = log_of[1].delays = 0;
	omitted = 1000;
	pt->ask.omit_ns = 100 * MS;
	pt->ask.interval_ns = 50 * MS;
	measures(3000, 100000);
	for (const struct pace_point *p = pt; p != NULL; p = p->back) {
		uint64_t sent = 0, lost = 0;

		ck_assert_uint_eq(p->tx.frames, 3000);
		ck_assert_uint_eq(log_of[p != pt].left, 4000);
		ck_assert_uint_eq(p->intervals->n, 6);
		for (uint32_t i = 0; i < p->intervals->n; i++) {
			sent += p->intervals->v[i].sent;
			lost += p->intervals->v[i].lost;
		}
		ck_assert_uint_eq(sent, p->tx.frames);
		ck_assert_uint_eq(lost, p->rx.lost);
	}
}
END_TEST

/* Two runs of a session, then one up and one down. */
START_TEST(other_runs_follow)
{
	const enum pace_direction ways[] = { PACE_UP, PACE_DOWN };

	measures(1000, 100000);
	for (size_t i = 0; i < 2; i++) {
		pt->ask.two_way = false;
		pt->ask.direction = ways[i];
		memset(log_of, 0, sizeof(log_of));
		ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
		ck_assert_ptr_null(pt->back);
		is_counted(pt, &log_of[ways[i] == PACE_UP ? SIM_TO_RESPONDER : SIM_TO_CLIENT]);
		ck_assert_uint_eq(log_of[0].seen + log_of[1].seen, 1000);
	}
}
END_TEST

/* Before the first frame of either direction. */
START_TEST(a_stop_at_the_begin_leaves_points_without_frames)
{
	client.unproven = true;
	net->tick_ns = 100 * MS;
	net->tick = stop_now;
	ck_assert_int_eq(measure(1000, MS), -EINTR);
	ck_assert_uint_eq(log_of[SIM_TO_CLIENT].left, 0);
	ck_assert(pt->has_rx && pt->back->has_rx);
	ck_assert_uint_eq(pt->back->tx.frames, 0);
	is_counted(pt, &log_of[0]);
}
END_TEST

START_TEST(a_stop_ends_both_at_once)
{
	client.stops = 5000;
	ck_assert_int_eq(measure(1000000, 100000), -EINTR);
	ck_assert(pt->interrupted && pt->back->interrupted);
	ck_assert_uint_le(log_of[0].seen, 5000 + (25 * MS + RTT + SLACK) / 100000);
	ck_assert_uint_le(log_of[1].seen, 5000 + (25 * MS + RTT + SLACK) / 100000);
	is_counted(pt, &log_of[0]);
	is_counted(pt->back, &log_of[1]);
}
END_TEST

/* Up frames do not prove that the client receives. */
START_TEST(nothing_comes_back_without_a_first_proof)
{
	client.unproven = true;
	ck_assert_int_lt(measure(20000, MS), 0);
	ck_assert_uint_eq(log_of[SIM_TO_CLIENT].seen, 0);
	ck_assert_uint_gt(log_of[SIM_TO_RESPONDER].seen, 1000);
}
END_TEST

/* Also during frames that do not count. */
START_TEST(a_dead_client_is_sent_no_more)
{
	client.dies = 3000;
	pt->ask.omit_ns = _i == 1 ? 60 * SEC : 0;
	if (_i == 2) {
		pt->ask.streams = 4;
		share();
	}
	ck_assert_int_lt(measure(1000000, _i == 2 ? 2 * MS : 100000), 0);
	sim_pass(net, 20 * SEC);
	ck_assert_int_lt(log_of[SIM_TO_CLIENT].last_ns - client.died_ns,
	    PACE_PROOF_NS + RTT + SLACK);
}
END_TEST

/* --- rules ------------------------------------------------------------------------ */

static struct pace_policy pol;

static struct pace_limits *
rule(void)
{
	pace_policy_reset(&pol);
	for (int k = 0; k < PACE_LIMITS; k++)
		pol.rule[0].most[k] = PACE_NO_LIMIT;
	return &pol.rule[0];
}

static void
is_refused(uint64_t count, int64_t spacing_ns, const char *why)
{
	pace_rules_set(net->rules, &pol);
	ck_assert_msg(measure(count, spacing_ns) == -EDQUOT, "not refused: %s", why);
	ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
	ck_assert_uint_eq(log_of[0].seen + log_of[1].seen, 0);
	pace_client_close(&cl);
}

/* 266 bytes on the wire: 21.3 Mbit/s in each direction. */
START_TEST(the_rules_of_both_directions_hold)
{
	(void)rule();
	is_refused(1000, 100000, "it lets no client make the responder send a stream");
	rule()->reverse = true;
	pol.rule[0].reverse_bps = 1000000;
	is_refused(1000, 100000, "1.00 Mbit/s");
	ck_assert_int_eq(cl.refused.rate_bps, 1000000);
	rule()->reverse = true;
	pol.rule[0].most[PACE_LIMIT_RATE] = 500000;
	is_refused(1000, 100000, "500 kbit/s");
	/* the budget of 532 kB is that of both */
	rule()->reverse = true;
	pol.rule[0].most[PACE_LIMIT_BUDGET] = 800000;
	is_refused(2000, 100000, "a day");
	measures(1000, 100000);
}
END_TEST

/* As fast as possible is not announced, and here it takes no time. */
START_TEST(what_leaves_too_fast_is_ended)
{
	rule()->reverse = true;
	pol.rule[0].reverse_bps = 10000000;
	pace_rules_set(net->rules, &pol);
	ck_assert_int_eq(measure(20000, 0), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "the run was ended: more was sent than its"));
}
END_TEST

/* --- the responder's counts ------------------------------------------------------- */

static struct pace_session_stats seen;

static void
hear(void *ctx, const struct pace_session_event *n)
{
	(void)ctx;
	if (n->view != NULL)
		seen = *n->view;
}

START_TEST(the_responder_counts_each_direction)
{
	net->responder.shared.observer = (struct pace_observer){ .news = hear };
	log_of[0].drops = 10;
	measures(1000, 100000);
	ck_assert_uint_eq(seen.this_run.frames, 900);
	ck_assert_int_eq(seen.this_run.lost, 100);
	ck_assert_uint_eq(seen.this_run.sent_frames, 1000);
	ck_assert_uint_eq(seen.this_run.sent_wire_bytes, 266000);
	ck_assert(seen.run.two_way && !seen.run.down);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_uint_eq(seen.all.frames, 900);
	ck_assert_uint_eq(seen.all.sent_frames, 1000);
}
END_TEST

/* --- live ------------------------------------------------------------------------ */

static struct {
	uint64_t	reports, over, backwards;
	struct pace_report own, last;	/* our figures; what the responder says */
} live;

static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	json_t *j = json_loadb(body, strnlen(body, len), JSON_REJECT_DUPLICATES, NULL);
	struct pace_report r;

	(void)ctx, (void)now_ns;
	ck_assert(j != NULL && pace_report_read(j, &r) == 0);
	json_decref(j);
	live.reports++;
	live.over += live.own.run.frames + pace_tally_lost(&live.own.run) > r.run.sent_frames ||
	    r.run.frames + pace_tally_lost(&r.run) > pt->tx.frames;
	live.backwards += r.run.sent_frames < live.last.run.sent_frames ||
	    r.run.frames < live.last.run.frames;
	live.last = r;
	return true;
}

/* Also when 30 % of all that is no frame is lost. */
START_TEST(a_live_run_tells_both_directions)
{
	const struct pace_watching w = { .report_ns = 100 * MS, .ping_ns = 10 * MS,
	    .report = on_report, .own = &live.own };

	memset(&live, 0, sizeof(live));
	log_of[0].drops = 53;
	log_of[1].drops = 97;
	net->control[0].loss = net->control[1].loss = _i == 0 ? 0 : 0.3;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	pt->ask.spacing = pace_spacing_from_ns(100000);
	pt->ask.duration_ns = 3 * SEC;
	pt->ask.verify = false;
	ck_assert_int_eq(pace_client_live(&cl, pt, &w, &err), 0);
	ck_assert_uint_ge(live.reports, _i == 0 ? 28 : 10);
	ck_assert_uint_eq(live.over + live.backwards, 0);
	ck_assert_int_eq((int)live.last.state, PACE_READY);
	ck_assert_uint_eq(log_of[0].seen, pt->tx.frames);
	ck_assert_uint_eq(live.last.run.frames, log_of[0].seen - log_of[0].dropped);
	ck_assert_int_eq(live.last.run.lost, (int64_t)log_of[0].dropped);
	ck_assert_uint_eq(live.last.run.sent_frames, log_of[1].seen);
	ck_assert_uint_eq(live.own.run.frames, log_of[1].seen - log_of[1].dropped);
	ck_assert_int_eq(live.own.run.lost, (int64_t)log_of[1].dropped);
	ck_assert(live.last.has_shapes);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("two_way");

	unit_seed(tc);
	sim_sums(tc, "two_way");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, chosen_frames_of_each_direction_are_counted_there, 0, 2);
	tcase_add_loop_test(tc, each_stream_of_each_direction_is_exact, 0, 16);
	tcase_add_test(tc, threads_that_cannot_start_are_not_missed);
	tcase_add_loop_test(tc, streams_without_a_spacing_go_both_ways, 0, 4);
	tcase_add_loop_test(tc, numbers_of_streams_change_from_run_to_run, 0, 2);
	tcase_add_test(tc, each_stream_has_the_delay_of_the_path);
	tcase_add_loop_test(tc, a_stop_ends_all_streams_of_both, 0, 2);
	tcase_add_test(tc, both_streams_keep_their_schedules_together);
	tcase_add_test(tc, trains_and_bursts_go_both_ways);
	tcase_add_test(tc, other_runs_follow);
	tcase_add_test(tc, a_stop_at_the_begin_leaves_points_without_frames);
	tcase_add_test(tc, a_stop_ends_both_at_once);
	tcase_add_test(tc, nothing_comes_back_without_a_first_proof);
	tcase_add_loop_test(tc, a_dead_client_is_sent_no_more, 0, 3);
	tcase_add_test(tc, a_beginning_can_be_left_out);
	tcase_add_test(tc, the_rules_of_both_directions_hold);
	tcase_add_test(tc, what_leaves_too_fast_is_ended);
	tcase_add_test(tc, the_responder_counts_each_direction);
	tcase_add_loop_test(tc, a_live_run_tells_both_directions, 0, 2);
	return unit_run_apart(tc, "two_way");
}
