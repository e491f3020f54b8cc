/*
 * Groups on the simulated network: clients that begin together, each by its own clock.  The network
 * says when their first frames really left.
 */
#include "lib/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define ALL	8

static struct sim *net;
static struct pace_rules *rules;
static struct pace_policy pol;
static struct pace_key alice, bob;

/* One client is one thread; only the one whose turn it is runs. */
static struct member {
	pthread_t	thread;
	struct pace_client cl;
	struct pace_point *pt;
	struct pace_err err;
	int		rc, points;
	uint32_t	streams;
	int64_t		after_ns;	/* it asks so much later than the first */
	int64_t		until_ns;	/* of the network; INT64_MAX: it has ended */
	int64_t		begins[2];	/* agreed, of its points */
	int64_t		errors[2];	/* the most that it states */
} who[ALL];
static int members, turn;		/* turn -1: the network's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;

/* When the first frame of each session's run left, by the network's clock. */
static struct { uint64_t session; uint8_t run; int64_t at_ns; } first[64];
static int firsts;
static int kills;			/* this one dies as soon as it has its START answered; -1 */
/* From the first answer with the group's begin, or from this member's first START, its STARTs or
 * their answers are lost for that long. */
static struct { int member; enum sim_way way; int64_t from_ns, for_ns; } deaf;

/* --- turns ------------------------------------------------------------------- */

static void
pass_turn(int to)
{
	turn = to;
	pthread_cond_broadcast(&turned);
}

static void
wait_for_turn(int me)
{
	while (turn != me)
		pthread_cond_wait(&turned, &lock);
}

static bool
yield(struct sim_end *e, int64_t until_ns, bool on_data)
{
	int me = (int)(e - net->more);

	who[me].until_ns = until_ns;
	e->wants = on_data;
	if (!on_data || e->q.n == 0) {
		pass_turn(-1);
		wait_for_turn(me);
	}
	e->wants = false;
	return e->q.n > 0;
}

/* The one that goes on now: who has its datagram, or whose time is first. */
static int
next_member(void)
{
	int next = -1;

	for (int i = 0; i < members; i++) {
		if (net->more[i].wants && net->more[i].q.n > 0)
			return i;
		if (who[i].until_ns < INT64_MAX &&
		    (next < 0 || who[i].until_ns < who[next].until_ns))
			next = i;
	}
	return next;
}

/* Let all run to their ends. */
static void
run_all(void)
{
	int i;

	pthread_mutex_lock(&lock);
	while ((i = next_member()) >= 0) {
		if (!sim_advance(net, who[i].until_ns) || (i = next_member()) >= 0)
			pass_turn(i);
		wait_for_turn(-1);
	}
	pthread_mutex_unlock(&lock);
	for (i = 0; i < members; i++)
		pthread_join(who[i].thread, NULL);
}

/* --- members ------------------------------------------------------------------ */

static int
open_session(struct member *m)
{
	int rc = -ETIMEDOUT;

	for (int i = 0; i < 4 && rc == -ETIMEDOUT; i++)		/* a HELLO may get lost too often */
		rc = pace_client_open(&m->cl, &m->err);
	return rc;
}

static void *
measure(void *ctx)
{
	struct member *m = ctx;
	struct pace_io *io = &m->cl.io;

	pthread_mutex_lock(&lock);
	wait_for_turn((int)(m - who));
	(void)io->sleep_until(io->ctx, io->now(io->ctx) + m->after_ns, NULL);
	m->rc = open_session(m);
	for (int i = 0; m->rc == 0 && i < m->points; i++) {
		pace_point_free(m->pt);
		m->pt = pace_point_new();
		m->pt->ask = (struct pace_params){ .size_bytes = 200,
		    .spacing = pace_spacing_from_ns(100000), .count = 500, .train = 1, .bursts = 1,
		    .grace_ns = 50 * MS, .streams = m->streams,
		    .stagger = PACE_STAGGER_RANDOM };
		m->rc = pace_client_point(&m->cl, m->pt, &m->err);
		m->begins[i] = m->pt->begin.begin_ns;
		m->errors[i] = m->pt->begin.error_max_ns;
	}
	m->until_ns = INT64_MAX;
	pass_turn(-1);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* One more client of that group. */
static struct member *
add(const char *group, uint32_t size, const struct pace_key *key)
{
	int64_t theta_ns = unit_between(-3600 * SEC, 3600 * SEC);
	int64_t skew_ppb = unit_between(-50000, 50000);
	struct member *m = &who[members++];

	memset(m, 0, sizeof(*m));
	ck_assert_int_eq(pace_client_init(&m->cl), 0);
	m->cl.io = sim_one_more(net, theta_ns, skew_ppb);
	m->cl.link = (struct pace_link){ .family = 4, .mtu = 1500 };
	m->cl.key = key;
	snprintf(m->cl.group, sizeof(m->cl.group), "%s", group);
	m->cl.group_size = size;
	m->pt = pace_point_new();
	m->points = 1;
	m->streams = 1;
	m->cl.open_flow = sim_open_flow;
	m->cl.flow_ctx = m->cl.io.ctx;
	m->cl.rcvbuf_bytes = 1 << 20;
	m->until_ns = net->now_ns;
	return m;
}

static void
go(void)
{
	turn = -1;
	for (int i = 0; i < members; i++)
		ck_assert_int_eq(pthread_create(&who[i].thread, NULL, measure, &who[i]), 0);
	run_all();
}

static bool
is_lost(enum sim_way way, const uint8_t *buf, size_t len)
{
	struct pace_hdr h;

	if (deaf.for_ns == 0 || pace_hdr_decode(&h, buf, len) != 0 || way != deaf.way ||
	    (h.type & ~PACE_REPLY) != PACE_START || h.session != who[deaf.member].cl.session ||
	    (way == SIM_TO_CLIENT && memmem(buf, len, "begin_ns", 8) == NULL))
		return false;
	if (deaf.from_ns == 0) {
		deaf.from_ns = net->now_ns;
		return way == SIM_TO_CLIENT;
	}
	return net->now_ns - deaf.from_ns < deaf.for_ns;
}

static enum sim_fate
look(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;
	int i = 0;

	(void)ctx, (void)delay_ns;
	if (way == SIM_TO_CLIENT && kills >= 0 && buf[3] == (PACE_START | PACE_REPLY) &&
	    memmem(buf, len, "begin_ns", 8) != NULL)
		net->more[kills].dead = true;
	if (is_lost(way, buf, len))
		return SIM_DROP;
	if (way != SIM_TO_RESPONDER || pace_hdr_decode(&h, buf, len) != 0 || h.type != PACE_DATA)
		return SIM_PASS;
	while (i < firsts && (first[i].session != h.session || first[i].run != h.run))
		i++;
	if (i == firsts && firsts < COUNT_OF(first)) {
		first[firsts].session = h.session;
		first[firsts].run = h.run;
		first[firsts++].at_ns = net->now_ns;
	}
	return SIM_PASS;
}

/* When the first frame of that run left, by the responder's clock. */
static int64_t
left_ns(const struct member *m, int run)
{
	int64_t t = -1;

	for (int i = 0; i < firsts; i++)
		if (first[i].session == m->cl.session && first[i].run == run)
			t = first[i].at_ns;
	ck_assert_int_ge(t, 0);
	return t + net->theta_ns + (int64_t)((double)t * (double)net->skew_ppb * 1e-9);
}

/* Its first frame left when it says so. */
static void
is_true(const struct member *m, int64_t most_ns)
{
	for (int i = 0; i < m->points; i++) {
		int64_t error = left_ns(m, i + 1) - m->begins[i];

		ck_assert_int_ne(m->begins[i], 0);
		ck_assert_int_le(llabs(error), m->errors[i]);
		ck_assert_int_le(m->errors[i], most_ns);
	}
}

static void
began_together(int n, int64_t most_ns)
{
	for (int i = 0; i < n; i++) {
		ck_assert_msg(who[i].rc == 0, "%d: %s: %s", i, who[i].err.step, who[i].err.text);
		ck_assert(who[i].pt->begin.error_known);
		ck_assert_uint_eq(who[i].pt->begin.members, (uint32_t)n);
		ck_assert_uint_eq(who[i].pt->rx.unique, 500 * who[i].streams);
		for (int k = 0; k < who[i].points; k++)
			ck_assert_int_eq(who[i].begins[k], who[0].begins[k]);
		is_true(&who[i], most_ns);
	}
}

static void
setup(void)
{
	char text[2 * PACE_KEY_LINE_MAX] = "";
	struct pace_err err;
	struct pace_keys ks;

	net = sim_new(unit_rnd());
	net->yield = yield;
	net->hook = look;
	net->theta_ns = unit_between(-1000 * SEC, 1000 * SEC);
	net->skew_ppb = unit_between(-50000, 50000);
	pace_key_make(&alice, "alice");
	pace_key_make(&bob, "bob");
	pace_key_line(&alice, text);
	pace_key_line(&bob, text + strlen(text));
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	rules = pace_rules_new();
	pace_policy_built_in(&pol);
	pace_rules_set(rules, &pol);
	net->responder.shared.rules = rules;
	members = firsts = 0;
	kills = -1;
	memset(&deaf, 0, sizeof(deaf));
}

static void
teardown(void)
{
	for (int i = 0; i < members; i++) {
		pace_client_free(&who[i].cl);
		pace_point_free(who[i].pt);
	}
	sim_free(net);
	pace_rules_free(rules);
}

/* --- together ------------------------------------------------------------------ */

START_TEST(eight_clocks_begin_at_one_time)
{
	for (int i = 0; i < ALL; i++) {
		struct member *m = add("incast", ALL, &alice);

		m->after_ns = unit_between(0, 5 * SEC);
	}
	go();
	began_together(ALL, 150000);	/* half the round trip, and what the ping takes */
}
END_TEST

START_TEST(jitter_makes_the_stated_error_wider_and_true)
{
	net->back_ns = 2 * MS;		/* no exchange can tell that the ways differ */
	for (int way = 0; way < 2; way++)
		net->control[way].jitter_ns = 300000;
	for (int i = 0; i < ALL; i++)
		add("incast", ALL, &alice);
	go();
	began_together(ALL, 2 * MS);
}
END_TEST

START_TEST(lost_control_delays_nobody)
{
	for (int way = 0; way < 2; way++)
		net->control[way].loss = 0.3;
	for (int i = 0; i < ALL; i++) {
		struct member *m = add("incast", ALL, &alice);

		m->after_ns = unit_between(0, 2 * SEC);
	}
	go();
	began_together(ALL, 100 * MS);	/* who hears late knows the clocks less well */
}
END_TEST

/* _i: its requests are lost, or the answers. */
START_TEST(one_that_hears_after_the_begin_begins_late)
{
	deaf.way = _i == 0 ? SIM_TO_RESPONDER : SIM_TO_CLIENT;
	deaf.for_ns = 5 * SEC;
	for (int i = 0; i < 3; i++)
		add("three", 3, &alice)->after_ns = i * SEC / 4;
	go();
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(who[i].rc == 0, "%d: %s", i, who[i].err.text);
		ck_assert_int_eq(who[i].begins[0], who[1].begins[0]);
		ck_assert_uint_eq(who[i].pt->rx.unique, 500);
		if (i > 0)
			is_true(&who[i], 150000);
	}
	is_true(&who[0], 4 * SEC);
	ck_assert_int_gt(who[0].pt->begin.error_ns, SEC);
	ck_assert_str_eq(who[0].pt->notes.v[0].code, "start_late");
}
END_TEST

START_TEST(each_point_of_a_sweep_begins_together)
{
	for (int i = 0; i < 3; i++)
		add("sweep", 3, &alice)->points = 2;
	go();
	began_together(3, 150000);
	ck_assert_int_ge(who[0].begins[1] - who[0].begins[0], 3 * SEC);
}
END_TEST

/* The first frame of all is that of stream 0. */
START_TEST(several_streams_begin_with_the_group)
{
	for (int i = 0; i < 3; i++)
		add("many", 3, &alice)->streams = 4;
	go();
	began_together(3, 150000);
}
END_TEST

START_TEST(the_requested_time_is_the_group_s)
{
	for (int i = 0; i < 2; i++) {
		struct member *m = add("at", 2, &alice);

		/* the same time by both clocks, which are right to that end */
		m->cl.start_at_ns = net->now_ns + 20 * SEC;
		net->more[i].theta_ns = net->more[i].skew_ppb = 0;
	}
	who[1].after_ns = 9 * SEC;
	go();
	began_together(2, 150000);
	/* the group's time is one way later than that of its members */
	ck_assert_int_le(llabs(first[0].at_ns - (INT64_C(1000000000000) + 20 * SEC)), MS);
}
END_TEST

/* With one stream and with several: the lease is kept until then. */
START_TEST(a_client_alone_begins_at_its_time)
{
	struct member *m = add("", 0, &alice);

	m->streams = _i == 0 ? 1 : 4;
	m->cl.start_at_ns = m->cl.io.now(m->cl.io.ctx) + 40 * SEC;
	go();
	ck_assert_msg(m->rc == 0, "%s", m->err.text);
	ck_assert_int_le(llabs(first[0].at_ns - (INT64_C(1000000000000) + 40 * SEC)), 3 * MS);
	ck_assert_uint_eq(m->pt->rx.unique, 500 * m->streams);
	ck_assert(!m->pt->rx.lease_lost);
	ck_assert_int_eq(m->pt->begin.begin_ns, 0);
}
END_TEST

/* --- and who does not ------------------------------------------------------------ */

START_TEST(too_few_are_refused_after_half_a_minute)
{
	int64_t from = net->now_ns;

	for (int i = 0; i < 2; i++)
		add("few", 3, &alice)->after_ns = i * 10 * SEC;
	go();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(who[i].rc, -EACCES);
		ck_assert_ptr_nonnull(strstr(who[i].err.text, "remained incomplete for 30 s: "));
		ck_assert_ptr_nonnull(strstr(who[i].err.text, " of 3 clients came"));
	}
	ck_assert_int_eq(firsts, 0);
	ck_assert_int_le(net->now_ns - from, 32 * SEC);
}
END_TEST

/* The lease is another client's meanwhile. */
START_TEST(an_incomplete_group_delays_nobody)
{
	int64_t from = net->now_ns;

	add("few", 2, &alice);
	add("", 0, &bob)->after_ns = SEC;
	go();
	ck_assert_int_eq(who[0].rc, -EACCES);
	ck_assert_int_eq(who[1].rc, 0);
	ck_assert_int_eq(firsts, 1);
	ck_assert_int_le(first[0].at_ns - from, 2 * SEC);
}
END_TEST

START_TEST(one_that_dies_holds_up_nobody)
{
	for (int i = 0; i < 3; i++)
		add("three", 3, &alice);
	kills = 2;
	go();
	ck_assert_int_lt(who[2].rc, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(who[i].rc == 0, "%s", who[i].err.text);
		ck_assert_int_eq(who[i].begins[0], who[0].begins[0]);
		is_true(&who[i], 150000);
	}
	/* its share ends as that of any dead client */
	sim_pass(net, 45 * SEC);
	ck_assert_int_eq(pace_lease_left(&net->responder.shared.lease,
	    net->responder.io.now(net->responder.io.ctx)), 0);
}
END_TEST

/* Each of two members saw nobody else come. */
static void
waited_alone(void)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(who[i].rc, -EACCES);
		ck_assert_ptr_nonnull(strstr(who[i].err.text, "1 of 2 clients came"));
	}
	ck_assert_int_eq(firsts, 0);
}

START_TEST(another_key_does_not_join)
{
	add("secret", 2, &alice);
	add("secret", 2, &bob);
	go();
	waited_alone();
}
END_TEST

/* 0: the built-in rule for strangers; 1: a rule that lets one network share; 2: one that lets no
 * client share, not even with a key. */
START_TEST(the_rule_says_who_may)
{
	static const struct pace_addr site = { .family = 4, .ip = { 192, 0, 2 } };
	int rule = pace_policy_rule(&pol, "site");

	ck_assert_int_eq(pace_policy_net(&pol, rule, &site, 24, "192.0.2.0/24"), 0);
	pol.rule[rule].group = _i == 1 ? PACE_GROUP_PRIVATE : PACE_GROUP_KEY;
	for (int i = 1; i < pol.rules && _i == 2; i++)
		pol.rule[i].group = PACE_GROUP_NO;
	pace_rules_set(rules, &pol);
	add("open", 2, _i == 2 ? &alice : NULL);
	add("open", 2, _i == 2 ? &alice : NULL);
	go();
	for (int i = 0; i < 2 && _i != 1; i++) {
		ck_assert_int_eq(who[i].rc, -EDQUOT);
		ck_assert_ptr_nonnull(strstr(who[i].err.text, _i == 0 ? "rule 'site': it lets no client "
		    "without a key share a measurement (group)" :
		    "it lets no client share a measurement (group)"));
	}
	if (_i == 1)
		began_together(2, 150000);
}
END_TEST

/* A rule that lets a network share holds for two: each has its own group of this name. */
START_TEST(another_network_of_the_rule_does_not_join)
{
	static const struct pace_addr near = { .family = 4, .ip = { 192, 0, 2 } };
	static const struct pace_addr far = { .family = 4, .ip = { 198, 51, 100 } };
	int rule = pace_policy_rule(&pol, "site");

	ck_assert_int_eq(pace_policy_net(&pol, rule, &near, 24, "192.0.2.0/24"), 0);
	ck_assert_int_eq(pace_policy_net(&pol, rule, &far, 24, "198.51.100.0/24"), 0);
	pol.rule[rule].group = PACE_GROUP_PRIVATE;
	pace_rules_set(rules, &pol);
	add("open", 2, NULL);
	add("open", 2, NULL);
	memcpy(net->more[1].addr.ip, far.ip, 3);
	go();
	waited_alone();
}
END_TEST

/* A member more than the group has room for is no member. */
START_TEST(one_too_many_waits_in_vain)
{
	int refused = 0;

	for (int i = 0; i < 3; i++)
		add("two", 2, &alice)->after_ns = i * MS;
	go();
	for (int i = 0; i < 3; i++)
		refused += who[i].rc == -EACCES;
	ck_assert_int_eq(refused, 1);
	ck_assert_int_eq(firsts, 2);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("group");

	unit_seed(tc);
	sim_sums(tc, "group");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, eight_clocks_begin_at_one_time);
	tcase_add_test(tc, jitter_makes_the_stated_error_wider_and_true);
	tcase_add_test(tc, lost_control_delays_nobody);
	tcase_add_loop_test(tc, one_that_hears_after_the_begin_begins_late, 0, 2);
	tcase_add_test(tc, each_point_of_a_sweep_begins_together);
	tcase_add_test(tc, several_streams_begin_with_the_group);
	tcase_add_test(tc, the_requested_time_is_the_group_s);
	tcase_add_loop_test(tc, a_client_alone_begins_at_its_time, 0, 2);
	tcase_add_test(tc, too_few_are_refused_after_half_a_minute);
	tcase_add_test(tc, an_incomplete_group_delays_nobody);
	tcase_add_test(tc, one_that_dies_holds_up_nobody);
	tcase_add_test(tc, another_key_does_not_join);
	tcase_add_loop_test(tc, the_rule_says_who_may, 0, 3);
	tcase_add_test(tc, another_network_of_the_rule_does_not_join);
	tcase_add_test(tc, one_too_many_waits_in_vain);
	return unit_run(tc, "group");
}
