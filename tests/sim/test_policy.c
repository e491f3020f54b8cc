/*
 * A responder with a policy on the simulated network: what a rule refuses is refused
 * with its name and nothing is sent; what was allowed under false pretences is ended.
 */
#include "lib/unit.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define DAY	(86400 * SEC)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_latency *lat;
static struct pace_err err;
static struct pace_policy pol;
static struct pace_rules *rules;

/* The client's network has rule 1, without limits. */
static void
setup(void)
{
	const struct pace_addr lab = { .family = 4, .ip = { 192, 0, 2 } };

	net = sim_new(unit_rnd());
	net->poll_ns = 1000;
	net->wall_ns = 20000 * DAY;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	pt = pace_point_new();
	lat = pace_latency_new();
	memset(&err, 0, sizeof(err));
	rules = pace_rules_new();
	net->responder.shared.rules = rules;
	pace_policy_reset(&pol);
	ck_assert_int_eq(pace_policy_rule(&pol, "lab"), 1);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &lab, 24, "192.0.2.0/24"), 0);
	pol.rule[1].host_facts = true;
	for (int i = 0; i < PACE_LIMITS; i++)
		pol.rule[1].most[i] = PACE_NO_LIMIT;
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
	free(lat);
	pace_rules_free(rules);
}

static void
limit(enum pace_limit_kind k, int64_t most)
{
	pol.rule[1].most[k] = most;
	pace_rules_set(rules, &pol);
}

static int
measure(uint32_t size, int64_t spacing_ns, uint64_t count)
{
	struct pace_params a = { .size_bytes = size, .spacing = pace_spacing_from_ns(spacing_ns),
	    .count = count, .train = 1, .bursts = 1, .grace_ns = 100 * MS };
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = a;
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static int
trips(uint32_t size, uint32_t reply, int64_t interval_ns, uint64_t count)
{
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	free(lat);
	lat = pace_latency_new();
	lat->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = reply,
	    .count = count, .interval_ns = interval_ns, .timeout_ns = 100 * MS };
	return rc < 0 ? rc : pace_client_latency(&cl, lat, &err);
}

static void
all_came(uint64_t n)
{
	ck_assert(pt->has_rx);
	ck_assert_uint_eq(pt->rx.unique, n);
}

static void
said(const char *words)
{
	ck_assert_str_eq(err.text, words);
}

/* --- plans ------------------------------------------------------------------------- */

START_TEST(a_rate_that_is_too_high_is_refused_and_a_lower_one_goes_on)
{
	limit(PACE_LIMIT_DURATION, 10 * SEC);
	limit(PACE_LIMIT_BUDGET, INT64_C(20000000000));
	limit(PACE_LIMIT_NETWORK, INT64_C(10000000000));
	limit(PACE_LIMIT_RATE, 100000000);
	/* 1538 B every 61 µs are 201.7 Mbit/s; two seconds of a hundred fit a second of it */
	ck_assert_int_eq(measure(1472, 61000, 40000), -EDQUOT);
	said("rule 'lab': 202 Mbit/s for 2.44 s is more than its 100 Mbit/s");
	ck_assert_int_eq(cl.refused.rate_bps, 100000000);
	ck_assert_int_eq(cl.refused.longest_ns, 10 * SEC);
	ck_assert_int_eq(cl.refused.size_bytes, 0);
	ck_assert_int_gt(cl.refused.left_bytes, INT64_C(9999000000));
	ck_assert_int_le(cl.refused.left_bytes, INT64_C(10000000000));
	ck_assert_uint_eq(pt->tx.frames, 0);
	ck_assert_int_eq(measure(1472, 61000, 15000), 0);
	all_came(15000);
	ck_assert_int_eq(measure(1472, 125000, 40000), 0);
	all_came(40000);
}
END_TEST

START_TEST(too_many_frames_too_large_or_too_long_are_refused)
{
	limit(PACE_LIMIT_FRAMES, 1000);
	ck_assert_int_eq(measure(64, 500000, 6000), -EDQUOT);
	said("rule 'lab': 2 000 frames/s for 3.00 s is more than its 1 000 frames/s");
	limit(PACE_LIMIT_FRAMES, PACE_NO_LIMIT);
	limit(PACE_LIMIT_SIZE, 1000);
	pace_client_close(&cl);
	ck_assert_int_eq(measure(1001, 500000, 10), -EDQUOT);
	said("rule 'lab': frames of 1001 B are larger than its 1000 B");
	ck_assert_int_eq(measure(1000, 500000, 10), 0);
	limit(PACE_LIMIT_DURATION, 10 * SEC);
	pace_client_close(&cl);
	ck_assert_int_eq(measure(64, 1 * SEC, 11), -EDQUOT);
	said("rule 'lab': a run of 11.0 s is longer than its 10.0 s");
	ck_assert_int_eq(measure(64, 1 * SEC, 10), 0);
	all_came(10);
}
END_TEST

/* The time of the other points of a sweep is not part of a run. */
START_TEST(the_rest_of_a_sweep_is_not_the_length_of_a_run)
{
	limit(PACE_LIMIT_DURATION, 2 * SEC);
	cl.rest_ns = 1000 * SEC;
	ck_assert_int_eq(measure(64, 10 * MS, 100), 0);
	ck_assert_int_eq(trips(64, 64, 10 * MS, 100), 0);
	ck_assert_int_eq(trips(64, 64, 10 * MS, 201), -EDQUOT);
	said("rule 'lab': a run of 2.01 s is longer than its 2.00 s");
}
END_TEST

START_TEST(records_are_refused_with_what_would_do)
{
	struct pace_params a = { .size_bytes = 64, .spacing = pace_spacing_from_ns(MS), .count = 10,
	    .train = 1, .bursts = 1, .grace_ns = MS, .record.room = 11 };

	limit(PACE_LIMIT_RECORDS, 10);
	pt->ask = a;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), -EDQUOT);
	said("rule 'lab': records of 11 frames are more than its 10");
	pt->ask.record.room = 10;
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
	ck_assert_uint_eq(pt->rx.records, 10);
}
END_TEST

START_TEST(a_rule_that_allows_nothing_opens_no_session)
{
	pol.rule[1].allow = false;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(64, MS, 10), -EDQUOT);
	said("rule 'lab': it lets no client measure");
	ck_assert_str_eq(err.step, "open");
	ck_assert_int_eq(sim_sessions(net), 0);
	ck_assert_uint_eq(net->responder.counts.refused, 1);
	ck_assert_uint_eq(net->worst_gain, 0);
}
END_TEST

START_TEST(one_host_has_no_more_sessions_than_its_rule_lets_it)
{
	struct pace_addr from = { .family = 4, .port = 1000, .ip = { 192, 0, 2, 9 } };
	struct pace_msg_open m = { .rcvbuf_bytes = 4096 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 1 };
	uint8_t buf[1024];

	limit(PACE_LIMIT_SESSIONS, 3);
	for (int i = 0; i < 10; i++) {
		from.port++;
		from.ip[3] = i < 6 ? 9 : 10;	/* six of one host, four of another */
		m.nonce = (uint64_t)i + 1;
		pace_cookie_make(&net->responder.shared.cookies, &from, 0, net->now_ns, m.cookie);
		sim_inject(net, &from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &h,
		    pace_msg_open_json(&m), 160));
		sim_pass(net, MS);
	}
	ck_assert_int_eq(sim_sessions(net), 6);
	ck_assert_uint_eq(net->responder.counts.refused, 4);
	ck_assert_int_eq(measure(64, MS, 10), 0);	/* a third host */
	ck_assert_uint_eq(net->worst_gain, 0);
}
END_TEST

/* One after the other, as fast as it goes; and two at once are too many all the same. */
START_TEST(a_session_that_was_closed_is_none_of_its_clients)
{
	limit(PACE_LIMIT_SESSIONS, 1);
	for (int i = 0; i < SIM_SESSIONS / 3; i++) {	/* a quarter is for one host */
		sim_forget_limits(net);
		net->client.addr.port++;
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		pace_client_close(&cl);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS / 3);		/* they linger */
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);		/* and their places are as good as new */
	net->client.addr.port++;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	cl.open = false;
	net->client.addr.port++;
	ck_assert_int_eq(pace_client_open(&cl, &err), -EDQUOT);
	said("rule 'lab': no more than 1 session at once");
}
END_TEST

/* So many sessions that stay: of this host, or each of another one. */
static void
crowd(int n, bool of_others)
{
	for (int i = 0; i < n; i++) {
		sim_forget_limits(net);
		net->client.addr.port++;
		net->client.addr.ip[3] += of_others;
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		cl.open = false;
	}
}

START_TEST(who_gets_no_place_is_told_whose_places_are_taken)
{
	limit(PACE_LIMIT_SESSIONS, PACE_NO_LIMIT);
	crowd(SIM_SESSIONS / 4, false);
	net->client.addr.port++;
	ck_assert_int_eq(pace_client_open(&cl, &err), -EACCES);
	said("this host has reached its maximum number of sessions");
	sim_kill_responder(net);
	sim_start_responder(net);
	net->responder.shared.rules = rules;
	for (int i = 0; i < SIM_SESSIONS; i++) {	/* one for each network */
		crowd(1, true);
		net->client.addr.ip[2]++;
	}
	ck_assert_int_eq(pace_client_open(&cl, &err), -EACCES);
	said("the responder has reached its maximum number of sessions");
	ck_assert_uint_eq(net->worst_gain, 0);
}
END_TEST

/* In a log it would end the client's words and begin the responder's. */
START_TEST(a_label_has_no_quotes)
{
	limit(PACE_LIMIT_SESSIONS, 1);
	snprintf(cl.label, sizeof(cl.label), "\"x\" run 9\n complete");
	ck_assert_int_eq(measure(64, MS, 10), 0);
	ck_assert_str_eq(net->responder.shared.lease.label, "'x' run 9? complete");
}
END_TEST

/* --- replies and reports -------------------------------------------------------------- */

START_TEST(larger_replies_are_for_those_who_may)
{
	uint64_t sent;

	pol.rule[1].reverse = false;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(trips(64, 1000, MS, 50), -EDQUOT);
	said("rule 'lab': it lets no client make the responder send more than it receives");
	ck_assert_uint_eq(lat->sent, 0);
	ck_assert_int_eq(trips(1000, 1000, MS, 50), 0);
	ck_assert_uint_eq(lat->received, 50);
	pace_client_close(&cl);
	pol.rule[1].reverse = true;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(trips(64, 1000, MS, 50), 0);
	ck_assert_uint_eq(lat->received, 50);
	/* and only as large as was asked for, while it was */
	ck_assert_int_eq(trips(64, 64, MS, 50), 0);
	sent = net->sent[SIM_TO_CLIENT];
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 65), 0);
	sim_pass(net, 10 * MS);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], sent);
}
END_TEST

static const struct pace_session *
only_session(void)
{
	const struct pace_session *s = NULL;

	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used)
			s = net->sessions[i].session;
	ck_assert(s != NULL && sim_sessions(net) == 1);
	return s;
}

/* In a stream and in round trips. */
START_TEST(the_responder_spins_for_those_who_may)
{
	struct pace_params a = { .size_bytes = 64, .spacing = pace_spacing_from_ns(MS), .count = 10,
	    .train = 1, .bursts = 1, .grace_ns = 100 * MS, .busy_poll = true };
	const struct pace_latency_params trip = { .size_bytes = 64, .reply_bytes = 64, .count = 10,
	    .interval_ns = MS, .timeout_ns = 100 * MS, .busy_poll = true };

	for (int may = 0; may < 2; may++) {
		pol.rule[1].busy_poll = may;
		pace_rules_set(rules, &pol);
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		pt->ask = a;
		lat->ask = trip;
		memset(&err, 0, sizeof(err));
		ck_assert_int_eq(pace_client_point(&cl, pt, &err), may ? 0 : -EDQUOT);
		said(may ? "" : "rule 'lab': it lets no client make the responder poll continuously (busy-poll)");
		ck_assert(!may || only_session()->seen.run.busy_poll);
		ck_assert_int_eq(pace_client_latency(&cl, lat, &err), may ? 0 : -EDQUOT);
		ck_assert_uint_eq(lat->received, may ? 10 : 0);
		pace_client_close(&cl);
	}
}
END_TEST

/* The rate holds for replies too, where these are the more. */
START_TEST(replies_are_held_to_the_rate)
{
	pol.rule[1].reverse = true;
	limit(PACE_LIMIT_RATE, 1000000);
	/* 1466 B each ms: 11.7 Mbit/s */
	ck_assert_int_eq(trips(64, 1400, MS, 5000), -EDQUOT);
	said("rule 'lab': 11.7 Mbit/s for 5.00 s is more than its 1.00 Mbit/s");
	ck_assert_int_eq(trips(64, 1400, 0, 2000), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 1.00 Mbit/s");
	ck_assert_uint_gt(lat->received, 90);		/* 1.1 Mbit */
	ck_assert_uint_lt(lat->received, 150);
}
END_TEST

START_TEST(who_is_told_nothing_of_the_host_measures_all_the_same)
{
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(64, MS, 10), 0);
	ck_assert_int_eq(cl.responder.cores, 2);
	pace_client_close(&cl);
	pol.rule[1].host_facts = false;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(64, MS, 10), 0);
	all_came(10);
	ck_assert_int_eq(cl.responder.cores, 0);
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);			/* a session of its own */
	ck_assert_int_eq(measure(64, MS, 10), 0);
	ck_assert_int_eq(cl.responder.cores, 0);
}
END_TEST

/* --- what comes ------------------------------------------------------------------------- */

/* The spacing in a START is made more than twice as long. */
static enum sim_fate
claim_slow(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static const char name[] = "\"spacing_2p32\":";

	(void)ctx;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START)
		for (size_t i = PACE_HDR_SIZE; i + sizeof(name) < len; i++)
			if (memcmp(buf + i, name, sizeof(name) - 1) == 0)
				buf[i + sizeof(name) - 1] = '9';
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START)
		sim_mend(buf, len);
	return SIM_PASS;
}

/* The status of the only session, as a monitor gets it. */
static void
is_told_as_over(void)
{
	const struct pace_session *s = only_session();

	ck_assert_uint_eq(s->seen.state, PACE_OPENED);
	ck_assert(!s->seen.leased && s->seen.run.number == 1 && s->seen.run.ended_ns != 0);
}

START_TEST(a_stream_faster_than_announced_is_ended)
{
	struct pace_msg_error who;

	limit(PACE_LIMIT_RATE, 10000000);
	net->hook = claim_slow;
	/* 130 B every 50 µs: 20.8 Mbit/s, said to be a quarter of that */
	ck_assert_int_eq(measure(64, 50000, 100000), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 10.0 Mbit/s");
	ck_assert(!pt->has_rx);
	is_told_as_over();
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns, 0, "",
	    &who), 0);
	pace_lease_release(&net->responder.shared.lease, 77);
	net->hook = NULL;
	ck_assert_int_eq(measure(64, 500000, 1000), 0);
	all_came(1000);
}
END_TEST

/* Loses the first n answers to a FINISH that was not sent. */
static enum sim_fate
lose_word(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *n = ctx;

	if (way == SIM_TO_CLIENT && buf[3] == (PACE_FINISH | PACE_REPLY) && (*n)-- > 0)
		return SIM_DROP;
	return claim_slow(NULL, way, buf, len, delay_ns);
}

/* 20.8 Mbit/s are too many after 1.12 s, that is 22,400 frames. */
START_TEST(who_sends_on_is_told_to_stop_again_and_again)
{
	struct pace_terms t;
	double used;
	int lost = 3, told;

	limit(PACE_LIMIT_BUDGET, 1000000000);
	limit(PACE_LIMIT_RATE, 10000000);
	net->hook = claim_slow;
	ck_assert_int_eq(measure(64, 50000, 100000), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 10.0 Mbit/s");
	ck_assert_uint_lt(pt->tx.frames, 22400 + 2000);
	pace_rules_terms(rules, &net->client.addr, "", &t);
	used = pace_rules_use(rules, &t, 20000, 0).bytes;
	ck_assert_double_gt(used, 22000 * 130.);
	net->hook = lose_word;
	net->hook_ctx = &lost;
	ck_assert_int_eq(measure(64, 50000, 100000), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 10.0 Mbit/s");
	ck_assert_int_lt(lost, 0);
	told = lost;
	sim_pass(net, 5 * SEC);
	ck_assert_int_ge(lost, told - 1);	/* who is silent hears no more of it */
	ck_assert_uint_gt(pt->tx.frames, 22400 + 8000);
	ck_assert_uint_lt(pt->tx.frames, 22400 + 20000);
	/* useless datagrams are charged to no client */
	ck_assert_uint_eq(atomic_load(&net->responder.shared.strays), 0);
	ck_assert_uint_gt(atomic_load(&net->responder.shared.leftovers), 8000);
	ck_assert_double_lt(pace_rules_use(rules, &t, 20000, 0).bytes, 2.1 * used);
	/* requests without a stream end as soon */
	limit(PACE_LIMIT_RATE, PACE_NO_LIMIT);
	limit(PACE_LIMIT_FRAMES, 1000);
	pace_client_close(&cl);
	net->hook = NULL;
	ck_assert_int_eq(trips(64, 64, 0, 5000), -EDQUOT);
	ck_assert_uint_lt(lat->sent, lat->received + 10);
}
END_TEST

/* 11 Mbit and 11 Mbit/s are used up by 20.8 Mbit/s in 1.12 s.  The lease is free as soon
 * as the run is ended, not when its client has heard of it. */
static enum sim_fate
lease_at_1200ms(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_error who;
	int64_t *t = ctx;

	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && t[0] == 0)
		t[0] = net->now_ns;
	if (t[0] != 0 && t[1] == 0 && sim_take_lease(&net->responder.shared.lease, 77, &somebody,
	    net->now_ns, 0, "", &who) == 0)
		t[1] = net->now_ns;
	pace_lease_release(&net->responder.shared.lease, 77);
	return claim_slow(NULL, way, buf, len, delay_ns);
}

START_TEST(the_moment_of_the_end_is_the_buckets)
{
	int64_t t[2] = { 0, 0 };

	limit(PACE_LIMIT_RATE, 10000000);
	net->hook = lease_at_1200ms;
	net->hook_ctx = t;
	ck_assert_int_eq(measure(64, 50000, 100000), -EDQUOT);
	ck_assert_int_ge(t[1] - t[0], 1110 * MS);
	ck_assert_int_le(t[1] - t[0], 1150 * MS);
}
END_TEST

START_TEST(back_to_back_is_held_to_what_arrives)
{
	limit(PACE_LIMIT_RATE, 10000000);
	ck_assert_int_eq(measure(1472, 0, 800), 0);	/* 9.8 Mbit */
	all_came(800);
	ck_assert_int_eq(measure(1472, 0, 4000), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 10.0 Mbit/s");
}
END_TEST

/* 10 frames a second, and a hundred exchanges around them. */
START_TEST(exchanges_are_no_frames_of_a_stream)
{
	limit(PACE_LIMIT_FRAMES, 10);
	ck_assert_int_eq(measure(64, 100 * MS, 200), 0);
	all_came(200);
	ck_assert_int_eq(trips(64, 64, 0, 100), -EDQUOT);
	said("rule 'lab': the run was ended: more came than its 10 frames/s");
}
END_TEST

START_TEST(a_run_of_unknown_length_ends_with_its_time)
{
	limit(PACE_LIMIT_DURATION, 2 * SEC);
	/* 200 µs a trip: 20 s */
	ck_assert_int_eq(trips(64, 64, 0, 100000), -EDQUOT);
	said("rule 'lab': the run was ended: it lasted longer than its 2.00 s");
	ck_assert_uint_gt(lat->received, 20000 - 1000);	/* 2.2 s and 2 s more */
	ck_assert_uint_lt(lat->received, 22000);
	ck_assert_int_eq(trips(64, 64, 0, 5000), 0);
	ck_assert_uint_eq(lat->received, 5000);
}
END_TEST

/* No answer to a FETCH arrives before *ctx. */
static enum sim_fate
fetched_late(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)len;
	(void)delay_ns;
	return way == SIM_TO_CLIENT && buf[3] == (PACE_FETCH | PACE_REPLY) &&
	    net->now_ns < *(int64_t *)ctx ? SIM_DROP : SIM_PASS;
}

START_TEST(a_result_may_be_fetched_when_the_time_of_its_run_is_over)
{
	int64_t from;

	limit(PACE_LIMIT_DURATION, SEC);	/* and a tenth, and 2 s */
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	from = net->now_ns + 7 * SEC;
	net->hook = fetched_late;
	net->hook_ctx = &from;
	ck_assert_int_eq(measure(100, MS, 900), 0);
	all_came(900);
	ck_assert_int_gt(net->now_ns, from);
}
END_TEST

static int
stamps_here(void *ctx, bool nic, struct pace_err *e)
{
	(void)ctx; (void)nic; (void)e;
	return 0;
}

/* The simulated responder has no such device: asking for it is how far it may get. */
START_TEST(a_device_is_reconfigured_only_where_the_rule_says_so)
{
	cl.io.stamps = stamps_here;
	for (int may = 0; may < 2; may++) {
		pol.rule[1].stamp_nic = may;
		pace_rules_set(rules, &pol);
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		pt->ask = (struct pace_params){ .size_bytes = 64, .spacing = pace_spacing_from_ns(MS),
		    .count = 10, .train = 1, .bursts = 1, .grace_ns = 100 * MS, .nic = true };
		memset(&err, 0, sizeof(err));
		ck_assert_int_eq(pace_client_point(&cl, pt, &err), may ? -EACCES : -EDQUOT);
		if (!may)
			said("rule 'lab': it lets no client reconfigure a network device to stamp "
			    "frames (stamp-nic)");
		pace_client_close(&cl);
	}
}
END_TEST

/* This also holds if the next run is refused: the responder has no device that stamps. */
START_TEST(larger_replies_end_with_their_run)
{
	uint64_t sent;

	pol.rule[1].reverse = pol.rule[1].stamp_nic = true;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(trips(64, 1400, MS, 50), 0);
	sent = net->sent[SIM_TO_CLIENT];
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 1400), 0);
	sim_pass(net, 10 * MS);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], sent + 1);
	pt->ask = (struct pace_params){ .size_bytes = 100, .spacing = pace_spacing_from_ns(MS),
	    .count = 10, .train = 1, .bursts = 1, .grace_ns = 100 * MS, .nic = true };
	cl.io.stamps = stamps_here;
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), -EACCES);
	ck_assert(cl.open);
	sent = net->sent[SIM_TO_CLIENT];
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 1400), 0);
	sim_pass(net, 10 * MS);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], sent);
}
END_TEST

START_TEST(a_ping_is_no_larger_than_its_run_said)
{
	uint64_t sent;

	ck_assert_int_eq(trips(200, 200, MS, 50), 0);
	sent = net->sent[SIM_TO_CLIENT];
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 200, 64), 0);
	sim_pass(net, 10 * MS);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], sent + 1);
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 201, 64), 0);
	sim_pass(net, 10 * MS);
	ck_assert_uint_eq(net->sent[SIM_TO_CLIENT], sent + 1);
}
END_TEST

/* Each data frame comes thirty times. */
static enum sim_fate
thirty(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	bool *on = ctx;

	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && *on) {
		*on = false;
		for (int i = 0; i < 29; i++)
			sim_inject(net, &net->client.addr, buf, len);
		*on = true;
	}
	return SIM_PASS;
}

START_TEST(far_more_frames_than_announced_end_a_run)
{
	bool on = true;

	limit(PACE_LIMIT_SIZE, 1500);
	net->hook = thirty;
	net->hook_ctx = &on;
	ck_assert_int_eq(measure(64, MS, 30), 0);	/* 900 are less than 1060 */
	ck_assert_int_eq(measure(64, MS, 60), -EDQUOT);
	said("rule 'lab': the run was ended: it had far more frames than announced");
}
END_TEST

/* --- budgets ------------------------------------------------------------------------------ */

START_TEST(a_budget_is_of_a_day_and_outlives_sessions_and_policies)
{
	limit(PACE_LIMIT_BUDGET, 1000000);
	ck_assert_int_eq(measure(1472, MS, 600), 0);	/* 923 kB and some exchanges */
	ck_assert_int_eq(measure(1472, MS, 60), -EDQUOT);
	ck_assert_msg(strstr(err.text, "rule 'lab': 92.3 kB are more than is left today of its "
	    "1 MB a day: 5") != NULL, "%s", err.text);
	pace_client_close(&cl);
	sim_pass(net, 40 * SEC);
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(1472, MS, 60), -EDQUOT);
	ck_assert_int_eq(measure(1472, MS, 10), 0);
	pace_client_close(&cl);
	net->wall_ns += DAY;
	ck_assert_int_eq(measure(1472, MS, 600), 0);
	/* that of another rule is another one */
	pace_client_close(&cl);
	snprintf(pol.rule[1].rule, sizeof(pol.rule[1].rule), "other");
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(1472, MS, 600), 0);
}
END_TEST

/* One rule for all: the hosts of a /24 share, those of another have their own, and all
 * of them together no more than the rule's day. */
START_TEST(each_network_has_its_own_share_of_the_day)
{
	const struct pace_addr all = { .family = 4 };

	ck_assert_int_eq(pace_policy_rule(&pol, "all"), 2);
	ck_assert_int_eq(pace_policy_net(&pol, 2, &all, 0, "0.0.0.0/0"), 0);
	pol.rule[2].most[PACE_LIMIT_RATE] = PACE_NO_LIMIT;
	pol.rule[2].most[PACE_LIMIT_BUDGET] = 2500000;
	pol.rule[2].most[PACE_LIMIT_NETWORK] = 1000000;
	pace_rules_set(rules, &pol);
	for (uint8_t network = 1; network <= 3; network++) {
		net->client.addr = (struct pace_addr){ .family = 4, .port = 999,
		    .ip = { 203, 0, network, 1 } };
		ck_assert_int_eq(measure(1472, MS, 500), 0);	/* 769 kB and some exchanges */
		pace_client_close(&cl);
		net->client.addr.ip[3] = 2;
		ck_assert_int_eq(measure(1472, MS, 400), -EDQUOT);
		ck_assert_msg(strstr(err.text, network < 3 ? "rule 'all': 615 kB are more "
		    "than is left today of its 1 MB a day for each network: 2" : "rule 'all': "
		    "615 kB are more than is left today of its 2500 kB a day: ") != NULL, "%s",
		    err.text);
		pace_client_close(&cl);
	}
	net->client.addr.ip[2] = 1;
	net->wall_ns += DAY;
	ck_assert_int_eq(measure(1472, MS, 400), 0);
}
END_TEST

/* Without an end that is known it is ended when the share is used up. */
START_TEST(a_stream_that_uses_up_its_networks_share_is_ended)
{
	limit(PACE_LIMIT_NETWORK, 1000000);
	ck_assert_int_eq(trips(1000, 1000, 0, 900), -EDQUOT);
	said("rule 'lab': the run was ended: it used up its 1 MB a day for each network");
	ck_assert_int_eq(measure(1000, MS, 1), -EDQUOT);
	said("rule 'lab': its 1 MB a day for each network are used up until 00:00 UTC");
}
END_TEST

/* Too little to be written down on the way. */
START_TEST(a_short_run_is_in_the_budget_when_its_session_is_gone)
{
	struct pace_terms t;

	limit(PACE_LIMIT_BUDGET, 1000000000);
	ck_assert_int_eq(measure(1472, 10000, 600), 0);
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);
	pace_rules_terms(rules, &net->client.addr, "", &t);
	ck_assert_double_ge(pace_rules_use(rules, &t, 20000, 0).bytes, 600 * 1538);
	ck_assert_double_le(pace_rules_use(rules, &t, 20000, 0).bytes, 600 * 1538 + 20000);
}
END_TEST

/* On the wire, of sessions: not what the listener hears and says. */
static enum sim_fate
add_up(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	double *bytes = ctx;
	struct pace_hdr h;

	(void)way;
	(void)delay_ns;
	if (pace_hdr_decode(&h, buf, len) == 0 && h.session != 0)
		*bytes += (double)len + 66;
	return SIM_PASS;
}

START_TEST(the_budget_is_of_all_that_passed)
{
	struct pace_terms t;
	double bytes = 0;

	limit(PACE_LIMIT_BUDGET, 1000000000);
	net->hook = add_up;
	net->hook_ctx = &bytes;
	ck_assert_int_eq(measure(64, MS, 10), 0);
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);
	pace_rules_terms(rules, &net->client.addr, "", &t);
	ck_assert_double_eq_tol(pace_rules_use(rules, &t, 20000, 0).bytes, bytes, 1);
}
END_TEST

START_TEST(a_stream_that_uses_up_the_budget_is_ended)
{
	bool on = true;

	limit(PACE_LIMIT_BUDGET, 1000000);
	ck_assert_int_eq(trips(1000, 1000, 0, 450), 0);	/* 0.96 MB both ways */
	ck_assert_int_eq(measure(1472, 0, 100000), -EDQUOT);
	ck_assert_int_eq(trips(64, 64, 0, 450), -EDQUOT);
	pace_client_close(&cl);
	net->wall_ns += DAY;
	/* each frame comes thirty times: of 60 kB become 1.8 MB */
	net->hook = thirty;
	net->hook_ctx = &on;
	ck_assert_int_eq(measure(1000, 100 * MS, 56), -EDQUOT);
	said("rule 'lab': the run was ended: it used up its 1 MB a day");
	ck_assert_int_eq(measure(1000, MS, 1), -EDQUOT);
	said("rule 'lab': its 1 MB a day are used up until 00:00 UTC");
}
END_TEST

/* Repeated fetches are charged as well; a client whose allowance is used up gets no exchanges. */
START_TEST(what_is_sent_back_is_in_the_budget)
{
	struct pace_msg_fetch fetch = { .part = PACE_PART_RESULT };
	struct pace_hdr h = { .type = PACE_FETCH, .seq = 99 };
	struct pace_terms t;
	uint8_t buf[1024];
	double before;
	int len;

	pol.rule[1].reverse = true;		/* as fast as it likes */
	limit(PACE_LIMIT_BUDGET, 3000000);
	ck_assert_int_eq(measure(100, 10 * MS, 100), 0);
	pace_rules_terms(rules, &net->client.addr, "", &t);
	sim_pass(net, SEC);
	before = pace_rules_use(rules, &t, 20000, 0).bytes;
	h.session = cl.session;
	h.run = cl.run;
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_fetch_json(&fetch), 160);
	for (int i = 0; i < 1000; i++) {
		sim_inject(net, &net->client.addr, buf, (size_t)len);
		sim_pass(net, MS);
		sim_discard(net);
	}
	ck_assert_double_ge(pace_rules_use(rules, &t, 20000, 0).bytes - before, 900 * (1240 + len));
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 64), 0);
	sim_pass(net, MS);
	ck_assert_int_eq(net->client.q.n, 1);
	for (int i = 0; i < 2000; i++) {
		sim_inject(net, &net->client.addr, buf, (size_t)len);
		sim_pass(net, MS);
		sim_discard(net);
	}
	ck_assert_int_eq(pace_pinger_send(&cl.pinger, 64, 64), 0);
	sim_pass(net, MS);
	ck_assert_int_eq(net->client.q.n, 0);
}
END_TEST

/* --- another policy meanwhile ---------------------------------------------------------------- */

START_TEST(a_session_keeps_what_it_was_born_with)
{
	ck_assert_int_eq(measure(1472, MS, 10), 0);
	limit(PACE_LIMIT_SIZE, 1000);
	ck_assert_int_eq(measure(1472, MS, 10), 0);
	pace_client_close(&cl);
	ck_assert_int_eq(measure(1472, MS, 10), -EDQUOT);	/* a client that restarted at the
								 * same port */
	limit(PACE_LIMIT_SIZE, 2000);
	ck_assert_int_eq(measure(1472, MS, 10), -EDQUOT);
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	ck_assert_int_eq(measure(1472, MS, 10), 0);
	pol.rule[1].allow = false;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(1472, MS, 10), 0);
	pace_client_close(&cl);
	ck_assert_int_eq(measure(1472, MS, 10), -EDQUOT);
	said("rule 'lab': it lets no client measure");
}
END_TEST

START_TEST(only_a_rule_that_says_so_invites_who_has_no_key)
{
	const struct pace_addr stranger = { .family = 4, .ip = { 203, 0, 113, 1 } };

	ck_assert(!pace_rules_invite(NULL, &stranger));
	ck_assert(!pace_rules_invite(rules, &stranger));	/* built in */
	pol.rule[1].invited = true;
	pace_rules_set(rules, &pol);
	ck_assert(pace_rules_invite(rules, &net->client.addr));
	ck_assert(!pace_rules_invite(rules, &stranger));
}
END_TEST

/* --- with keys ------------------------------------------------------------------------------- */

static struct pace_key alice;

/* The responder wants a key and knows alice's, who has rule 2. */
static void
want_keys(void)
{
	char text[PACE_KEY_LINE_MAX];
	struct pace_keys ks;

	ck_assert_int_ge(sodium_init(), 0);
	pace_key_make(&alice, "alice");
	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
	ck_assert_int_eq(pace_policy_rule(&pol, "alice"), 2);
	ck_assert_int_eq(pace_policy_name(&pol, 2, "alice"), 0);
	pol.rule[2].most[PACE_LIMIT_SIZE] = 500;
	limit(PACE_LIMIT_SIZE, 1000);
}

START_TEST(a_key_has_its_rule_wherever_it_is)
{
	want_keys();
	cl.key = &alice;
	ck_assert_int_eq(measure(600, MS, 10), -EDQUOT);
	said("rule 'alice': frames of 600 B are larger than its 500 B");
	ck_assert_int_eq(measure(500, MS, 10), 0);
	all_came(10);
	pol.rule[2].allow = false;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(500, MS, 10), 0);
	pace_client_close(&cl);
	ck_assert_int_eq(measure(500, MS, 10), -EDQUOT);	/* of the same port */
	said("rule 'alice': it lets no client measure");
	sim_pass(net, 40 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	ck_assert_int_eq(measure(500, MS, 10), -EDQUOT);	/* without a client */
	said("rule 'alice': it lets no client measure");
	ck_assert_uint_eq(net->worst_gain, 0);
}
END_TEST

START_TEST(a_key_has_its_sessions_whatever_its_host)
{
	want_keys();
	pol.rule[2].most[PACE_LIMIT_SESSIONS] = 2;
	pace_rules_set(rules, &pol);
	cl.key = &alice;
	for (int i = 0; i < 2; i++) {
		net->client.addr.ip[3]++;
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	}
	net->client.addr.ip[3]++;
	ck_assert_int_eq(pace_client_open(&cl, &err), -EDQUOT);
	said("rule 'alice': no more than 2 sessions at once");
}
END_TEST

/* Its session came without one, and would be the second with it. */
START_TEST(a_key_that_is_shown_later_has_its_sessions_too)
{
	struct pace_addr first = net->client.addr;

	want_keys();
	net->responder.shared.keys_required = false;
	pol.rule[2].most[PACE_LIMIT_SESSIONS] = 1;
	limit(PACE_LIMIT_SESSIONS, 1);
	cl.key = &alice;
	net->client.addr.ip[3]++;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	net->client.addr = first;
	cl.key = NULL;
	pace_seal_wipe(&cl.seal);
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	sim_pass(net, 2 * SEC);
	cl.key = &alice;
	ck_assert_int_eq(pace_client_open(&cl, &err), -EDQUOT);
	said("rule 'alice': no more than 1 session at once");
	ck_assert_int_eq(sim_sessions(net), 1);
}
END_TEST

START_TEST(who_has_no_key_needs_a_rule_that_invites)
{
	want_keys();
	ck_assert_int_eq(measure(600, MS, 10), -ETIMEDOUT);
	pol.rule[1].invited = true;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(measure(600, MS, 10), 0);
	all_came(10);
	ck_assert_int_eq(measure(1001, MS, 10), -EDQUOT);
	said("rule 'lab': frames of 1001 B are larger than its 1000 B");
	pace_client_close(&cl);
	ck_assert_int_eq(measure(600, MS, 10), 0);	/* of the same port */
	/* with a key all the same */
	pace_client_close(&cl);
	cl.key = &alice;
	ck_assert_int_eq(measure(600, MS, 10), -EDQUOT);
	said("rule 'alice': frames of 600 B are larger than its 500 B");
}
END_TEST

/* No other client may. */
START_TEST(who_comes_when_it_ends_is_told_so_where_a_rule_invites_him)
{
	want_keys();
	net->responder.closing = true;
	ck_assert_int_eq(pace_client_open(&cl, &err), -ETIMEDOUT);
	pol.rule[1].invited = true;
	pace_rules_set(rules, &pol);
	ck_assert_int_eq(pace_client_open(&cl, &err), -ESHUTDOWN);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("policy");

	unit_seed(tc);
	sim_sums(tc, "policy");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_rate_that_is_too_high_is_refused_and_a_lower_one_goes_on);
	tcase_add_test(tc, too_many_frames_too_large_or_too_long_are_refused);
	tcase_add_test(tc, the_rest_of_a_sweep_is_not_the_length_of_a_run);
	tcase_add_test(tc, records_are_refused_with_what_would_do);
	tcase_add_test(tc, a_rule_that_allows_nothing_opens_no_session);
	tcase_add_test(tc, one_host_has_no_more_sessions_than_its_rule_lets_it);
	tcase_add_test(tc, a_session_that_was_closed_is_none_of_its_clients);
	tcase_add_test(tc, who_gets_no_place_is_told_whose_places_are_taken);
	tcase_add_test(tc, a_label_has_no_quotes);
	tcase_add_test(tc, larger_replies_are_for_those_who_may);
	tcase_add_test(tc, the_responder_spins_for_those_who_may);
	tcase_add_test(tc, a_device_is_reconfigured_only_where_the_rule_says_so);
	tcase_add_test(tc, replies_are_held_to_the_rate);
	tcase_add_test(tc, who_is_told_nothing_of_the_host_measures_all_the_same);
	tcase_add_test(tc, a_stream_faster_than_announced_is_ended);
	tcase_add_test(tc, who_sends_on_is_told_to_stop_again_and_again);
	tcase_add_test(tc, the_moment_of_the_end_is_the_buckets);
	tcase_add_test(tc, back_to_back_is_held_to_what_arrives);
	tcase_add_test(tc, exchanges_are_no_frames_of_a_stream);
	tcase_add_test(tc, a_run_of_unknown_length_ends_with_its_time);
	tcase_add_test(tc, a_result_may_be_fetched_when_the_time_of_its_run_is_over);
	tcase_add_test(tc, larger_replies_end_with_their_run);
	tcase_add_test(tc, a_ping_is_no_larger_than_its_run_said);
	tcase_add_test(tc, far_more_frames_than_announced_end_a_run);
	tcase_add_test(tc, a_budget_is_of_a_day_and_outlives_sessions_and_policies);
	tcase_add_test(tc, each_network_has_its_own_share_of_the_day);
	tcase_add_test(tc, a_stream_that_uses_up_its_networks_share_is_ended);
	tcase_add_test(tc, a_short_run_is_in_the_budget_when_its_session_is_gone);
	tcase_add_test(tc, the_budget_is_of_all_that_passed);
	tcase_add_test(tc, a_stream_that_uses_up_the_budget_is_ended);
	tcase_add_test(tc, what_is_sent_back_is_in_the_budget);
	tcase_add_test(tc, a_session_keeps_what_it_was_born_with);
	tcase_add_test(tc, only_a_rule_that_says_so_invites_who_has_no_key);
	tcase_add_test(tc, a_key_has_its_rule_wherever_it_is);
	tcase_add_test(tc, a_key_has_its_sessions_whatever_its_host);
	tcase_add_test(tc, a_key_that_is_shown_later_has_its_sessions_too);
	tcase_add_test(tc, who_has_no_key_needs_a_rule_that_invites);
	tcase_add_test(tc, who_comes_when_it_ends_is_told_so_where_a_rule_invites_him);
	return unit_run(tc, "policy");
}
