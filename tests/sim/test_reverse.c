/*
 * Frames that the responder sends on the simulated network: to whom, for how long without a
 * proof, and under which rule.  That counts are true is test_truth's.
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
#define SLACK	(2 * MS)		/* a slice of frames, and its end */

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static volatile sig_atomic_t stop;

/* A test's actions on datagrams, and the datagrams that it saw. */
static struct world {
	uint64_t	frames;		/* that left the responder */
	int64_t		last_ns;	/* when the last one did */
	uint64_t	dies;		/* behind so many frames the client says nothing more; 0: it lives */
	int64_t		died_ns;
	bool		forges;		/* then PINGs come in its name: */
	bool		replays;	/* those that it sent, or guesses */
	bool		unproven;	/* its PINGs prove nothing */
	/* since the first frame, and again so much later: all that comes is lost */
	int64_t		deaf_from_ns, deaf_to_ns, deaf_every_ns;
	int64_t		first_ns;
	uint64_t	stops;		/* after this number of frames it gets a STOP */
	uint64_t	every;		/* every so many frames, one is lost; 0: none */
	uint8_t		ping[64][PACE_PINGER_SIZE];
	int		pings;
} it;

static bool
is_frame(const uint8_t *buf)
{
	return buf[3] == PACE_FRAME_DOWN;
}

static enum sim_fate
see_frame(void)
{
	it.frames++;
	it.last_ns = net->now_ns;
	if (it.first_ns == 0)
		it.first_ns = net->now_ns;
	if (it.dies > 0 && it.frames == it.dies)
		it.died_ns = net->now_ns;
	if (it.stops > 0 && it.frames == it.stops)
		stop = 1;
	return SIM_PASS;
}

static bool
is_deaf(void)
{
	int64_t since = net->now_ns - it.first_ns;

	since -= it.deaf_every_ns > 0 ? since / it.deaf_every_ns * it.deaf_every_ns : 0;
	return it.first_ns != 0 && since >= it.deaf_from_ns && since < it.deaf_to_ns;
}

/* The datagrams that the client sends. */
static enum sim_fate
see_request(uint8_t *buf, size_t len)
{
	struct pace_hdr h;
	struct pace_ping p;

	if (it.died_ns != 0)
		return SIM_DROP;
	if (buf[3] != PACE_PING || len != PACE_PINGER_SIZE || pace_hdr_decode(&h, buf, len) != 0)
		return SIM_PASS;
	memcpy(it.ping[it.pings++ % 64], buf, len);
	pace_ping_decode(&p, buf, len);
	p.proof = it.unproven ? 0 : p.proof;
	pace_ping_encode(buf, len, &h, &p);
	return SIM_PASS;
}

static enum sim_fate
look(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)delay_ns;
	if (way == SIM_TO_RESPONDER)
		return see_request(buf, len);
	if (is_frame(buf))
		(void)see_frame();
	if (is_frame(buf) && it.every > 0 && it.frames % it.every == 0)
		return SIM_DROP;
	return is_deaf() ? SIM_DROP : SIM_PASS;
}

/* PINGs in the client's name, a thousand a second: its own again, or with guesses. */
static void
forge(struct sim *s)
{
	uint8_t buf[PACE_PINGER_SIZE];
	struct pace_hdr h;
	struct pace_ping p;

	if (it.died_ns == 0 || !it.forges)
		return;
	memcpy(buf, it.ping[unit_rnd() % 64], sizeof(buf));
	ck_assert_int_eq(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
	pace_ping_decode(&p, buf, sizeof(buf));
	if (!it.replays)
		p.proof = unit_rnd();
	pace_ping_encode(buf, sizeof(buf), &h, &p);
	sim_inject(s, &s->client.addr, buf, sizeof(buf));
}

static void
setup(void)
{
	memset(&it, 0, sizeof(it));
	memset(&err, 0, sizeof(err));
	stop = 0;
	net = sim_new(unit_rnd());
	sim_reverse(net);
	net->hook = look;
	net->tick = forge;
	net->tick_ns = MS;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.stop = &stop;
	pt = pace_point_new();
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

/* Frames of 200 bytes. */
static int
measure(uint64_t count, int64_t spacing_ns)
{
	int rc = pace_client_open(&cl, &err);

	pt->ask = (struct pace_params){ .direction = PACE_DOWN, .size_bytes = 200,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1, .bursts = 1,
	    .grace_ns = 50 * MS, .verify = true };
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
measures(uint64_t count, int64_t spacing_ns)
{
	int rc = measure(count, spacing_ns);
	const char *broken = pace_point_broken(pt);

	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert_uint_eq(pt->tx.frames, it.frames);
}

START_TEST(frames_come_and_are_counted)
{
	measures(20000, 100000);
	ck_assert_uint_eq(pt->rx.unique, 20000);
	ck_assert_uint_eq(pt->rx.corrupt + pt->rx.duplicates + pt->rx.foreign, 0);
	ck_assert_uint_eq(pt->tx.proof_waits, 0);
	ck_assert_int_eq(pt->rx.gap_error.stats.min, 0);
	ck_assert_int_eq(pt->rx.gap_error.stats.max, 0);
}
END_TEST

/* One-way delay has the sign of its direction: the way here takes 100 us + 700 us. */
START_TEST(the_delay_is_that_of_the_way_here)
{
	net->theta_ns = INT64_C(-123456789012345);
	net->skew_ppb = 20000;
	net->back_ns = 700000;
	measures(5000, 1000000);
	ck_assert(pt->rx.owd.stats.n == 5000 && !pt->owd_relative);
	/* half of the difference between both directions cannot be measured by exchanges */
	ck_assert_double_eq_tol((double)pt->rx.owd.stats.min, 450000, 1000);
	ck_assert_double_eq_tol((double)pt->rx.owd.stats.max, 450000, 1000);
}
END_TEST

/* 30 % of all that is no frame is lost both ways. */
START_TEST(lost_control_changes_nothing)
{
	net->control[0].loss = net->control[1].loss = 0.3;
	measures(20000, 500000);
	ck_assert_uint_eq(pt->rx.unique, 20000);
	ck_assert_uint_eq(pt->tx.proof_waits, 0);
}
END_TEST

START_TEST(nothing_leaves_without_a_first_proof)
{
	it.unproven = true;
	ck_assert_int_lt(measure(1000, MS), 0);
	ck_assert_uint_eq(it.frames, 0);
}
END_TEST

/* Half a second and the way back behind the last frame that it proved, whatever comes in its
 * name: nothing, its own PINGs again, or guesses. */
START_TEST(a_dead_client_is_sent_no_more)
{
	it.dies = 3000;
	it.forges = _i > 0;
	it.replays = _i == 1;
	ck_assert_int_lt(measure(1000000, 100000), 0);
	sim_pass(net, 20 * SEC);
	ck_assert_int_lt(it.last_ns - it.died_ns, PACE_PROOF_NS + RTT + SLACK);
	/* nor is one cut off that lost some PINGs */
	ck_assert_int_gt(it.last_ns - it.died_ns, PACE_PROOF_NS - 2 * PACE_PROOF_EPOCH_NS);
}
END_TEST

START_TEST(a_slow_stream_ends_sixteen_frames_behind_its_client)
{
	it.dies = 30;
	ck_assert_int_lt(measure(100000, 100 * MS), 0);
	sim_pass(net, 20 * SEC);
	ck_assert_uint_ge(it.frames, 30 + 16 - 3);
	ck_assert_uint_le(it.frames, 30 + 16);
}
END_TEST

/* Datagrams to the sender are lost for a while, _i times: the sender stops, and continues later. */
START_TEST(an_outage_is_waited_for)
{
	it.deaf_from_ns = 300 * MS;
	it.deaf_to_ns = 3300 * MS;
	it.deaf_every_ns = _i == 2 ? 3600 * MS : 0;
	measures(9500, 200000);
	ck_assert_uint_eq(pt->tx.proof_waits, (uint64_t)_i);
	ck_assert_int_gt(pt->tx.proof_waited_ns, _i * 2300 * MS);
	ck_assert_int_lt(pt->tx.proof_waited_ns, _i * 2900 * MS);
	ck_assert_int_eq(pt->tx.schedule_shifted_ns, pt->tx.proof_waited_ns);
	ck_assert_uint_eq(pt->rx.lost, pt->tx.frames - pt->rx.unique);
	ck_assert_uint_gt(pt->rx.lost, (uint64_t)_i * 400 * MS / 200000);
	ck_assert_uint_lt(pt->rx.lost, (uint64_t)_i * 510 * MS / 200000);
}
END_TEST

START_TEST(a_stop_ends_it_at_once)
{
	it.stops = 5000;
	ck_assert_int_eq(measure(1000000, 100000), -EINTR);
	ck_assert(pt->has_rx && pt->interrupted);
	/* a PING's time until it looks, and a round trip */
	ck_assert_uint_le(it.frames, 5000 + (25 * MS + RTT + SLACK) / 100000);
	ck_assert_uint_eq(pt->rx.unique, it.frames);
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

static void
counts_are(const struct pace_tally *t, uint64_t received, uint64_t sent)
{
	ck_assert_uint_eq(t->frames, received);
	ck_assert_uint_eq(t->bytes, received * 200);
	ck_assert_uint_eq(t->sent_frames, sent);
	ck_assert_uint_eq(t->sent_bytes, sent * 200);
	ck_assert_uint_eq(t->sent_wire_bytes, sent * 266);
	ck_assert_int_eq(t->lost, 0);
}

/* Another run of the session. */
static void
continues(enum pace_direction way, uint64_t count)
{
	struct pace_params ask = pt->ask;

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = ask;
	pt->ask.direction = way;
	pt->ask.count = count;
	net->reverse = way == PACE_DOWN;
	ck_assert_msg(pace_client_point(&cl, pt, &err) == 0, "%s: %s", err.step, err.text);
}

/* Two runs that it sends, and one that it receives. */
START_TEST(what_it_sends_is_not_counted_as_received)
{
	net->responder.shared.observer = (struct pace_observer){ .news = hear };
	it.every = 10;
	measures(1000, 100000);
	counts_are(&seen.this_run, 0, 1000);
	continues(PACE_DOWN, 500);
	counts_are(&seen.this_run, 0, 500);
	ck_assert_uint_eq(it.frames, 1500);
	continues(PACE_UP, 300);
	counts_are(&seen.this_run, 300, 0);
	counts_are(&seen.all, 300, 1500);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq((int)seen.state, PACE_CLOSED);
	counts_are(&seen.all, 300, 1500);
}
END_TEST

/* --- live ------------------------------------------------------------------------ */

static struct {
	uint64_t	reports, over, backwards, misshapen;
	int64_t		gap_max_ns;
	bool		ready;
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
	live.over += live.own.run.frames + pace_tally_lost(&live.own.run) > r.run.sent_frames;
	live.backwards += r.run.sent_frames < live.last.run.sent_frames;
	live.misshapen += pace_coarse_hist_count(&live.own.gap) != live.own.gaps.n;
	if (live.own.recent.gap_max_ns > live.gap_max_ns)
		live.gap_max_ns = live.own.recent.gap_max_ns;
	live.ready = r.state == PACE_READY;
	live.last = r;
	return true;
}

/* Frames of 200 bytes, every 100 us for 3 s. */
static int
watch(void)
{
	const struct pace_watching w = { .report_ns = 100 * MS, .ping_ns = 10 * MS,
	    .report = on_report, .own = &live.own };
	int rc = pace_client_open(&cl, &err);

	memset(&live, 0, sizeof(live));
	pt->ask = (struct pace_params){ .direction = PACE_DOWN, .size_bytes = 200,
	    .spacing = pace_spacing_from_ns(100000), .duration_ns = 3 * SEC, .train = 1,
	    .bursts = 1, .grace_ns = 50 * MS };
	return rc < 0 ? rc : pace_client_live(&cl, pt, &w, &err);
}

/* Also when 30 % of all that is no frame is lost. */
START_TEST(a_live_run_tells_what_came_and_what_was_sent)
{
	it.every = 97;
	net->control[0].loss = net->control[1].loss = _i == 0 ? 0 : 0.3;
	ck_assert_int_eq(watch(), 0);
	ck_assert_uint_eq(it.frames, 30000);
	ck_assert_uint_ge(live.reports, _i == 0 ? 28 : 5);
	ck_assert_uint_eq(live.over + live.backwards + live.misshapen, 0);
	ck_assert(live.ready);
	ck_assert_uint_eq(live.last.run.sent_frames, it.frames);
	ck_assert_uint_eq(live.last.run.frames, 0);
	ck_assert_uint_eq(live.own.run.frames, it.frames - it.frames / 97);
	ck_assert_int_eq(live.own.run.lost, (int64_t)(it.frames / 97));
	ck_assert_int_eq(live.gap_max_ns, 200000);
	ck_assert_uint_eq(live.own.gaps.n, live.own.run.frames - 1);
	ck_assert_uint_eq(live.last.gaps.n, 0);
}
END_TEST

/* Its run is ended, so that another one can begin in the same session. */
START_TEST(a_live_run_that_was_stopped_can_be_followed_by_another)
{
	it.stops = 5000;
	ck_assert_int_eq(watch(), -EINTR);
	ck_assert_uint_le(it.frames, 5000 + (25 * MS + RTT + SLACK) / 100000);
	ck_assert_uint_eq(live.own.run.frames, it.frames);
	ck_assert(live.ready);
	stop = 0;
	it = (struct world){ .every = 10 };
	measures(1000, 100000);
	ck_assert_uint_eq(pt->rx.unique, 900);
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

START_TEST(a_rule_without_reverse_sends_nothing)
{
	(void)rule();
	pace_rules_set(net->rules, &pol);
	ck_assert_int_eq(measure(1000, MS), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "it lets no client make the responder send a stream"));
	ck_assert_uint_eq(it.frames, 0);
}
END_TEST

START_TEST(the_rate_of_reverse_holds)
{
	rule()->reverse = true;
	pol.rule[0].reverse_bps = 1000000;
	pace_rules_set(net->rules, &pol);
	ck_assert_int_eq(measure(1000, 100000), -EDQUOT);
	ck_assert_int_eq(cl.refused.rate_bps, 1000000);
	ck_assert_uint_eq(it.frames, 0);
	pace_client_close(&cl);
	measures(100, 10 * MS);
}
END_TEST

/* A stream announced as fast as possible is sent at the permitted rate. */
START_TEST(what_leaves_too_fast_is_ended)
{
	rule()->reverse = true;
	pol.rule[0].reverse_bps = 10000000;
	pace_rules_set(net->rules, &pol);
	ck_assert_int_eq(measure(20000, 0), -EDQUOT);	/* here it takes no time */
	ck_assert_ptr_nonnull(strstr(err.text, "the run was ended: more was sent than its"));
}
END_TEST

START_TEST(the_budget_is_of_bytes_sent)
{
	rule()->reverse = true;
	pol.rule[0].most[PACE_LIMIT_BUDGET] = 1000000;
	pace_rules_set(net->rules, &pol);
	measures(3000, 100000);		/* 266 bytes each on the wire, and what else was said */
	pace_client_close(&cl);
	ck_assert_int_eq(measure(3000, 100000), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "budget") != NULL ? err.text :
	    strstr(err.text, "a day"));
	ck_assert_uint_eq(it.frames, 3000);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reverse");

	unit_seed(tc);
	sim_sums(tc, "reverse");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, frames_come_and_are_counted);
	tcase_add_test(tc, the_delay_is_that_of_the_way_here);
	tcase_add_test(tc, lost_control_changes_nothing);
	tcase_add_test(tc, nothing_leaves_without_a_first_proof);
	tcase_add_loop_test(tc, a_dead_client_is_sent_no_more, 0, 3);
	tcase_add_test(tc, a_slow_stream_ends_sixteen_frames_behind_its_client);
	tcase_add_loop_test(tc, an_outage_is_waited_for, 1, 3);
	tcase_add_test(tc, a_stop_ends_it_at_once);
	tcase_add_test(tc, what_it_sends_is_not_counted_as_received);
	tcase_add_loop_test(tc, a_live_run_tells_what_came_and_what_was_sent, 0, 2);
	tcase_add_test(tc, a_live_run_that_was_stopped_can_be_followed_by_another);
	tcase_add_test(tc, a_rule_without_reverse_sends_nothing);
	tcase_add_test(tc, the_rate_of_reverse_holds);
	tcase_add_test(tc, what_leaves_too_fast_is_ended);
	tcase_add_test(tc, the_budget_is_of_bytes_sent);
	return unit_run(tc, "reverse");
}
