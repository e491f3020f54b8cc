/*
 * Places and lease between networks: a network that requests everything gets no more than any
 * other network, and forged requests lock no client out.
 */
#include "lib/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define TICK	(SEC / 10)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static struct pace_rules *rules;
static struct pace_policy pol;
static struct pace_key alice;
static uint64_t requests, forged;	/* that others sent */

static void
new_client(const struct pace_key *key)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	cl.key = key;
}

static void
let_alice_in(void)
{
	char text[PACE_KEY_LINE_MAX];
	struct pace_keys ks;

	pace_key_make(&alice, "alice");
	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
}

static void
setup(void)
{
	requests = forged = 0;
	net = sim_new(unit_rnd());
	rules = pace_rules_new();
	ck_assert_ptr_nonnull(rules);
	pace_policy_built_in(&pol);
	pol.rule[0].most[PACE_LIMIT_DURATION] = 60 * SEC;
	pol.rule[0].most[PACE_LIMIT_RATE] = 1000000000;
	pace_rules_set(rules, &pol);
	net->responder.shared.rules = rules;
	new_client(NULL);
	pt = pace_point_new();
	memset(&err, 0, sizeof(err));
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_rules_free(rules);
	pace_point_free(pt);
}

/* 100 frames a second. */
static int
measure(uint64_t count)
{
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .size_bytes = 64, .spacing = pace_spacing_from_ns(SEC / 100),
	    .count = count, .train = 1, .bursts = 1, .grace_ns = 500000000 };
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
measures(uint64_t count)
{
	int rc = measure(count);

	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	ck_assert_uint_eq(pt->rx.unique, count);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates, 0);
}

/* --- others, who send what they like ------------------------------------------------ */

static struct pace_addr
v4(uint8_t network, uint8_t host, uint16_t port)
{
	return (struct pace_addr){ .family = 4, .port = port, .ip = { 198, 18, network, host } };
}

static struct sim_end *
end_of(const struct pace_addr *a)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used && pace_addr_same(&net->sessions[i].addr, a))
			return &net->sessions[i];
	return NULL;
}

/* How many sessions this network, site or host has. */
static int
sessions_of(const struct pace_addr *a, enum pace_prefix p)
{
	int n = 0;

	for (int i = 0; i < SIM_SESSIONS; i++)
		n += net->sessions[i].used && pace_addr_same_prefix(&net->sessions[i].addr, a, p);
	return n;
}

static void
say(const struct pace_addr *from, struct pace_hdr *h, json_t *body)
{
	uint8_t buf[1024];

	h->seq = ++requests;
	sim_inject(net, from, buf, (size_t)pace_msg_put(buf, sizeof(buf), h, body, 160));
}

static void
say_open(const struct pace_addr *from)
{
	struct pace_msg_open m = { .nonce = unit_rnd() | 1 };
	struct pace_hdr h = { .type = PACE_OPEN };

	pace_cookie_make(&net->responder.shared.cookies, from, 0, net->now_ns, m.cookie);
	say(from, &h, pace_msg_open_json(&m));
}

static void
squat(const struct pace_addr *from)
{
	say_open(from);
	sim_pass(net, SEC / 1000);
}

/* Frames of the next run of its session: count of them, 10 ms apart. */
static int64_t begin_in_ns;		/* of a START; 0: at once */

static void
say_start(const struct pace_addr *from, uint64_t count, int64_t at_most_ns)
{
	struct pace_msg_start m = { .ask = { .size_bytes = 64, .train = 1, .bursts = 1,
	    .count = count, .spacing = pace_spacing_from_ns(SEC / 100), .grace_ns = SEC / 10 },
	    .limit = count, .wire_bytes = 84, .at_most_ns = at_most_ns, .begin_in_ns = begin_in_ns };
	struct pace_session *s = end_of(from)->session;
	struct pace_hdr h = { .type = PACE_START, .session = s->id, .run = (uint8_t)(s->run_number + 1) };

	say(from, &h, pace_msg_start_json(&m));
}

static void
say_finish(const struct pace_addr *from, uint64_t sent)
{
	const struct pace_session *s = end_of(from)->session;
	struct pace_hdr h = { .type = PACE_FINISH, .session = s->id, .run = s->run_number };
	const struct pace_msg_finish m = { .sent = sent };

	say(from, &h, pace_msg_finish_json(&m));
}

static void
say_fetch(const struct pace_addr *from)
{
	const struct pace_session *s = end_of(from)->session;
	struct pace_hdr h = { .type = PACE_FETCH, .session = s->id, .run = s->run_number };
	const struct pace_msg_fetch m = { .part = PACE_PART_RESULT };

	say(from, &h, pace_msg_fetch_json(&m));
}

static void
say_close(const struct pace_addr *from)
{
	struct pace_hdr h = { .type = PACE_CLOSE, .session = end_of(from)->session->id };

	say(from, &h, json_object());
}

static void
send_frame(const struct pace_addr *from, uint64_t number)
{
	const struct pace_session *s = end_of(from)->session;
	struct pace_hdr h = { .type = PACE_DATA, .session = s->id, .run = s->run_number, .seq = number,
	    .tx_ns = net->now_ns };
	uint8_t buf[64] = { 0 };

	pace_hdr_encode(buf, sizeof(buf), &h);
	sim_inject(net, from, buf, sizeof(buf));
}

/* --- no lock-out ------------------------------------------------------------------------ */

/* Forged, from the very address and port: HELLOs, and OPENs without a good cookie. */
static void
forge_in_its_name(struct sim *s)
{
	struct pace_hdr hello = { .type = PACE_HELLO, .seq = unit_rnd() };
	struct pace_hdr open = { .type = PACE_OPEN, .seq = hello.seq };
	struct pace_msg_open body = { .nonce = 1 };
	uint8_t buf[2][1024];
	int len[2] = { 0, 0 };

	for (int64_t ms = 0; ms < s->tick_ns / 1000000; ms++) {
		bool opens = forged++ % 8 == 0;

		if (len[opens] == 0)		/* made once a tick */
			len[opens] = pace_msg_put(buf[opens], sizeof(buf[opens]),
			    opens ? &open : &hello, opens ? pace_msg_open_json(&body) : json_object(),
			    PACE_HELLO_SIZE);
		sim_inject(s, &s->client.addr, buf[opens], (size_t)len[opens]);
	}
}

/* 1000 a second, for a minute before it comes and as long as it is there.  Loop test: with a
 * key and without, one by one and ten at once. */
START_TEST(who_is_impersonated_is_served_in_five_seconds)
{
	if (_i % 2 == 1) {
		let_alice_in();
		new_client(&alice);
	}
	net->tick = forge_in_its_name;
	net->tick_ns = SEC / 1000 * (1 + _i / 2 * 9);
	net->ticked_ns = net->now_ns;
	sim_pass(net, 60 * SEC);
	for (int i = 0; i < 10; i++) {
		int64_t began = net->now_ns;

		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
		ck_assert_int_lt(net->now_ns - began, 5 * SEC);
		pace_client_close(&cl);
		sim_pass(net, 3 * SEC);
		net->client.addr.port++;
	}
	ck_assert_uint_gt(net->responder.counts.hellos, 50000);
	ck_assert_uint_eq(net->worst_gain, 0);
	ck_assert_uint_lt(net->stranger_out, net->stranger_in / 3);
}
END_TEST

/* 20 times as much as is answered: with a key nothing of that matters. */
static void
forge_too_much(struct sim *s)
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = unit_rnd() };
	uint8_t buf[1024];
	int len = pace_msg_put(buf, sizeof(buf), &h, json_object(), PACE_HELLO_SIZE);

	for (int i = 0; i < 40; i++)
		sim_inject(s, &s->client.addr, buf, (size_t)len);
}

START_TEST(no_flood_without_the_key_touches_a_key)
{
	int64_t began;

	let_alice_in();
	new_client(&alice);
	net->tick = forge_too_much;
	net->tick_ns = SEC / 1000;
	net->ticked_ns = net->now_ns;
	sim_pass(net, 5 * SEC);
	ck_assert_uint_gt(net->responder.counts.limited, 100000);
	began = net->now_ns;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_lt(net->now_ns - began, SEC / 100);
}
END_TEST

/* --- places -------------------------------------------------------------------------------- */

/* Four hosts of four networks have all. */
static void
four_take_all(void)
{
	for (uint16_t i = 0; i < SIM_SESSIONS; i++) {
		struct pace_addr a = v4((uint8_t)(i % 4), 1, (uint16_t)(1000 + i));

		squat(&a);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
}

START_TEST(the_largest_network_makes_room_at_once)
{
	int64_t began;
	int most = 0, least = SIM_SESSIONS;

	four_take_all();
	for (uint8_t i = 0; i < 12; i++) {
		struct pace_addr a = v4((uint8_t)(10 + i), 1, 1000);

		began = net->now_ns;
		while (end_of(&a) == NULL && net->now_ns - began < 3 * SEC) {
			squat(&a);
			sim_pass(net, SEC / 4);
		}
		ck_assert_ptr_nonnull(end_of(&a));
	}
	for (uint8_t i = 0; i < 4; i++) {
		struct pace_addr a = v4(i, 1, 0);
		int n = sessions_of(&a, PACE_PREFIX_NETWORK);

		most = n > most ? n : most;
		least = n < least ? n : least;
	}
	ck_assert_int_eq(most, 13);
	ck_assert_int_eq(least, 13);
	ck_assert_uint_eq(net->responder.counts.refused, 0);
}
END_TEST

/* They ask for a place all the time, and have as many as before. */
START_TEST(a_place_that_is_kept_cannot_be_snatched)
{
	struct pace_addr honest = v4(10, 1, 1000), greedy;

	four_take_all();
	for (int i = 0; i < 100; i++) {
		if (i % 20 == 0)
			squat(&honest);		/* every 0.5 s */
		for (uint16_t k = 0; k < 8; k++) {
			greedy = v4((uint8_t)(k % 4), 2, (uint16_t)(2000 + k));
			squat(&greedy);
		}
		sim_pass(net, SEC / 40 - 8 * SEC / 1000);
	}
	ck_assert_ptr_nonnull(end_of(&honest));
	for (uint8_t k = 0; k < 4; k++) {
		greedy = v4(k, 1, 0);
		ck_assert_int_ge(sessions_of(&greedy, PACE_PREFIX_NETWORK), 15);
	}
}
END_TEST

/* Loop test: which byte is the comer's own: of the host, the site, the network. */
START_TEST(ipv6_is_counted_at_all_lengths)
{
	static const struct { int byte; enum pace_prefix shared; } at[] = {
		{ 7, PACE_PREFIX_SITE }, { 6, PACE_PREFIX_NETWORK }, { 5, PACE_PREFIXES },
	};
	struct pace_addr a = { .family = 6, .ip = { 0x20, 1, 0xd, 0xb8 } }, b;
	int64_t began;

	/* six hosts of a site, of a network, or of all: they share what there is */
	for (uint16_t i = 0; i < SIM_SESSIONS; i++) {
		a.ip[at[_i].byte] = (uint8_t)(1 + i % 6);
		a.port = (uint16_t)(1000 + i);
		squat(&a);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	b = a;
	b.ip[at[_i].byte] = 7;
	began = net->now_ns;
	while (end_of(&b) == NULL && net->now_ns - began < 3 * SEC)
		squat(&b);
	ck_assert_ptr_nonnull(end_of(&b));
	if (at[_i].shared < PACE_PREFIXES)
		ck_assert_int_eq(sessions_of(&b, at[_i].shared), SIM_SESSIONS);
	/* and another network comes before all of them */
	b.ip[0] = 0x2a;
	began = net->now_ns;
	while (end_of(&b) == NULL && net->now_ns - began < 3 * SEC)
		squat(&b);
	ck_assert_ptr_nonnull(end_of(&b));
}
END_TEST

/* Networks with a place each; one session waits for the lease, the others do nothing. */
START_TEST(who_waits_is_not_unused)
{
	struct pace_msg_error who;
	struct pace_addr a;

	for (uint8_t i = 0; i < SIM_SESSIONS; i++) {
		a = v4(i, 1, 1000);
		squat(&a);
	}
	a = v4(7, 1, 1000);
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns, SEC,
	    "", &who), 0);
	for (int s = 0; s < 70; s++) {
		ck_assert(pace_lease_renew(&net->responder.shared.lease, 77, net->now_ns));
		say_start(&a, 10, SEC);
		for (uint8_t i = 0; s % 20 == 0 && i < SIM_SESSIONS; i++) {
			struct pace_addr b = v4(i, 1, 1000);

			if (i != 7)
				say_fetch(&b);
		}
		sim_pass(net, SEC);
	}
	ck_assert_int_eq(end_of(&a)->session->state, PACE_OPENED);
	for (uint8_t i = 0; i < SIM_SESSIONS - 1; i++) {
		struct pace_addr b = v4((uint8_t)(100 + i), 1, 1000);
		int64_t began = net->now_ns;

		while (end_of(&b) == NULL && net->now_ns - began < 3 * SEC) {
			squat(&b);
			ck_assert(pace_lease_renew(&net->responder.shared.lease, 77, net->now_ns));
			say_start(&a, 10, SEC);
			sim_pass(net, SEC / 4);
		}
		ck_assert_ptr_nonnull(end_of(&b));
	}
	ck_assert_ptr_nonnull(end_of(&a));
}
END_TEST

/* All have done nothing for a minute; one network has two sessions.  Another network gets a
 * place of these, then one of a network with a single one; a third host of that
 * with two gets only what another host of it had. */
START_TEST(an_unused_session_is_not_for_a_network_with_more)
{
	struct pace_addr a, b = v4(0, 2, 1000), c = v4(0, 3, 1000);

	for (uint8_t i = 0; i < SIM_SESSIONS - 1; i++) {
		a = v4(i, 1, 1000);
		squat(&a);
	}
	squat(&b);
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
	for (int s = 0; s < 4; s++) {
		for (uint8_t i = 0; i < SIM_SESSIONS - 1; i++) {
			a = v4(i, 1, 1000);
			say_fetch(&a);
		}
		say_fetch(&b);
		sim_pass(net, 20 * SEC);
	}
	squat(&c);
	sim_pass(net, 2 * SEC);
	squat(&c);
	ck_assert_int_eq(sessions_of(&b, PACE_PREFIX_NETWORK), 2);
	for (uint8_t i = 100; i < 103; i++) {
		int64_t began = net->now_ns;

		for (a = v4(i, 1, 1000); end_of(&a) == NULL && net->now_ns - began < 3 * SEC;) {
			squat(&a);
			sim_pass(net, SEC / 4);
		}
		ck_assert_ptr_nonnull(end_of(&a));
	}
	ck_assert_int_eq(sessions_of(&b, PACE_PREFIX_NETWORK), 1);
}
END_TEST

/* One of the largest network measures, all others of it have just asked for the lease:
 * one of these leaves. */
START_TEST(who_measures_leaves_last)
{
	struct pace_addr a = v4(0, 1, 1000), b;

	four_take_all();
	say_start(&a, 1000, 10 * SEC);
	sim_pass(net, SEC / 100);
	ck_assert_int_eq(end_of(&a)->session->state, PACE_RUNNING);
	for (uint64_t i = 0; i < 500; i++) {
		send_frame(&a, i);
		sim_pass(net, SEC / 1000);
		for (uint16_t k = 4; k < SIM_SESSIONS; k += 4) {
			b = v4(0, 1, (uint16_t)(1000 + k));
			if (end_of(&b) != NULL)
				say_start(&b, 10, SEC);
		}
		sim_pass(net, SEC / 1000);
		b = v4((uint8_t)(10 + i / 25), 1, 1000);
		squat(&b);			/* 20 networks */
		sim_pass(net, SEC / 50);
		ck_assert_ptr_nonnull(end_of(&a));
	}
	ck_assert_int_eq(end_of(&a)->session->state, PACE_RUNNING);
	ck_assert_int_lt(sessions_of(&a, PACE_PREFIX_NETWORK), 13);
}
END_TEST

START_TEST(a_key_comes_first)
{
	struct pace_addr a;

	let_alice_in();
	for (uint16_t i = 0; i < SIM_SESSIONS; i++) {	/* with keys as well, as far as they go */
		a = v4((uint8_t)i, 1, 1000);
		squat(&a);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS * 3 / 4);
	for (int i = 0; i < SIM_SESSIONS / 4 + 4; i++) {
		new_client(&alice);
		net->client.addr.ip[3] = (uint8_t)i;	/* of one network */
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	}
	/* those with a key are never sent away for others */
	for (uint16_t i = 0; i < 8; i++) {
		a = v4((uint8_t)(200 + i), 1, 1000);
		squat(&a);
		sim_pass(net, 2 * SEC);
		squat(&a);
		ck_assert_ptr_null(end_of(&a));
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS);
}
END_TEST

/* --- a session that has closed ------------------------------------------------------------- */

/* Its client reconnects, and in the same batch far more frames arrive than it announced. */
START_TEST(a_session_that_was_closed_stays_closed)
{
	struct pace_addr a = v4(1, 1, 1000);
	struct pace_msg_open m = { .nonce = 77 };
	struct pace_hdr h = { .type = PACE_OPEN };
	struct pace_session *s;
	struct sim_end *e;

	squat(&a);
	sim_pass(net, 2 * SEC);
	say_start(&a, 1, SEC);
	sim_pass(net, SEC / 100);
	e = end_of(&a);
	s = e->session;
	ck_assert_int_eq(s->state, PACE_RUNNING);
	e->wake.on_data = false;		/* what comes now is one batch */
	e->wake.at_ns = net->now_ns + SEC / 10;
	pace_cookie_make(&net->responder.shared.cookies, &a, s->id, net->now_ns, m.cookie);
	say(&a, &h, pace_msg_open_json(&m));
	for (uint64_t i = 0; i < 2000; i++)
		send_frame(&a, i);
	sim_pass(net, SEC / 5);
	ck_assert(end_of(&a) == NULL || end_of(&a)->session->state != PACE_OPENED ||
	    end_of(&a)->session->id != s->id);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* --- the lease ------------------------------------------------------------------------------ */

static struct pace_lease lease;

static int
asks(uint64_t session, const struct pace_addr *from, int64_t t, int64_t run_ns, bool keyed)
{
	const struct pace_waiter w = { .session = session, .from = *from, .keyed = keyed,
	    .asked_ns = t, .run_ns = run_ns, .longest_ns = run_ns, .at_most_ns = run_ns };
	struct pace_msg_error who;

	return pace_lease_take(&lease, &w, &who);
}

/* A waiting client gets its place among the clients of its own host. */
START_TEST(a_waiter_knows_its_place)
{
	static const struct { uint8_t host; int64_t place; } waiters[] = { { 1, 1 }, { 2, 1 }, { 1, 2 },
		{ 1, 3 }, { 2, 2 } };
	struct pace_msg_error who;
	struct pace_waiter w = { .from.family = 4, .asked_ns = 1000 * SEC, .run_ns = SEC,
	    .longest_ns = SEC, .at_most_ns = SEC };

	pace_lease_init(&lease);
	w.session = 100;
	ck_assert_int_eq(pace_lease_take(&lease, &w, &who), 0);
	for (int turn = 0; turn < 2; turn++)	/* a repeated request keeps its place */
		for (size_t i = 0; i < COUNT_OF(waiters); i++) {
			w.session = i + 1;
			w.from.ip[0] = 10;
			w.from.ip[3] = waiters[i].host;
			ck_assert_int_eq(pace_lease_take(&lease, &w, &who), -EBUSY);
			ck_assert_int_eq(who.place, waiters[i].place);
		}
}
END_TEST

/* Networks with 1, 20 and 100 sessions, each asks every second for a run of 4 s. */
START_TEST(networks_take_turns)
{
	static const int sessions[] = { 1, 20, 100 };
	int64_t had[3] = { 0 }, t = 1000 * SEC, until = 0;
	int holder = -1;

	pace_lease_init(&lease);
	for (int s = 0; s < 3600; s++, t += SEC) {
		for (int n = 0; n < 3; n++) {
			for (int i = 0; i < sessions[n]; i++) {
				struct pace_addr a = v4((uint8_t)n, (uint8_t)i, 1000);
				uint64_t session = (uint64_t)(1 + n * 1000 + i);

				if ((holder == (int)session && t < until) ||
				    asks(session, &a, t, 4 * SEC, false) != 0)
					continue;
				ck_assert_int_ge(t, until);
				holder = (int)session;
				until = t + 4 * SEC;
				had[n] += 4;
			}
		}
		if (t >= until && holder > 0)
			pace_lease_release(&lease, (uint64_t)holder);
	}
	for (int n = 0; n < 3; n++) {
		ck_assert_int_gt(had[n], 3600 / 3 * 85 / 100);
		ck_assert_int_lt(had[n], 3600 / 3 * 115 / 100);
	}
}
END_TEST

START_TEST(a_long_run_waits_for_all_that_are_no_longer_than_a_turn)
{
	struct pace_addr a = v4(1, 1, 1), b = v4(2, 1, 1), c = v4(3, 1, 1);
	int64_t t = 1000 * SEC;

	pace_lease_init(&lease);
	ck_assert_int_eq(asks(1, &a, t, 60 * SEC, false), 0);	/* alone: as long as it likes */
	ck_assert_int_eq(asks(2, &b, t, 60 * SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t, 10 * SEC, false), -EBUSY);
	ck_assert(!pace_lease_overdue(&lease, 1, t + SEC));
	pace_lease_release(&lease, 1);
	ck_assert_int_eq(asks(2, &b, t + SEC, 60 * SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t + SEC, 10 * SEC, false), 0);
	/* 10 s more do not fit into what is left of its turn */
	ck_assert_int_eq(asks(2, &b, t + 2 * SEC, 60 * SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t + 3 * SEC, 9 * SEC, false), 0);
	ck_assert_int_eq(asks(2, &b, t + 5 * SEC, 60 * SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t + 6 * SEC, 10 * SEC, false), -EBUSY);
	/* two that are long do not lock each other out */
	ck_assert_int_eq(asks(1, &a, t + 7 * SEC, 60 * SEC, false), -EBUSY);
	t += 20 * SEC;
	ck_assert_int_eq(asks(1, &a, t, 60 * SEC, false), 0);
	ck_assert_int_eq(asks(2, &b, t, 60 * SEC, false), -EBUSY);
	pace_lease_release(&lease, 1);
	ck_assert_int_eq(asks(1, &a, t, 60 * SEC, false), -EBUSY);
	ck_assert_int_eq(asks(2, &b, t, 60 * SEC, false), 0);
}
END_TEST

START_TEST(a_run_is_overdue_when_others_wait)
{
	struct pace_addr a = v4(1, 1, 1), b = v4(2, 1, 1);
	int64_t t = 1000 * SEC, late;

	pace_lease_init(&lease);
	ck_assert_int_eq(asks(1, &a, t, 30 * SEC, false), 0);
	for (late = 0; late < 100 * SEC; late += SEC) {
		ck_assert(pace_lease_renew(&lease, 1, t + late));
		ck_assert(!pace_lease_overdue(&lease, 1, t + late));	/* no client waits */
	}
	ck_assert_int_eq(asks(2, &b, t + 20 * SEC, SEC, false), -EBUSY);
	ck_assert(!pace_lease_overdue(&lease, 1, t + 20 * SEC));
	ck_assert_int_eq(asks(2, &b, t + 33 * SEC, SEC, false), -EBUSY);
	ck_assert(pace_lease_overdue(&lease, 1, t + 33 * SEC));
	ck_assert(!pace_lease_overdue(&lease, 2, t + 33 * SEC));
	/* it begins while another waits: its turn and no more */
	pace_lease_release(&lease, 1);
	t += 34 * SEC;
	ck_assert_int_eq(asks(1, &a, t, SEC, false), -EBUSY);
	ck_assert_int_eq(asks(2, &b, t, 0, false), 0);
	ck_assert(pace_lease_renew(&lease, 2, t + 9 * SEC));
	ck_assert_int_eq(asks(1, &a, t + 14 * SEC, SEC, false), -EBUSY);
	ck_assert(!pace_lease_overdue(&lease, 2, t + 14 * SEC));
	ck_assert_int_eq(asks(1, &a, t + 15 * SEC, SEC, false), -EBUSY);
	ck_assert(pace_lease_overdue(&lease, 2, t + 15 * SEC));
}
END_TEST

START_TEST(a_key_has_the_lease_first)
{
	struct pace_addr a = v4(1, 1, 1), b = v4(2, 1, 1), c = v4(3, 1, 1);
	int64_t t = 1000 * SEC;

	pace_lease_init(&lease);
	ck_assert_int_eq(asks(1, &a, t, SEC, false), 0);
	ck_assert_int_eq(asks(2, &b, t, SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t, 60 * SEC, true), -EBUSY);
	ck_assert_int_eq(asks(1, &a, t + SEC, SEC, false), -EBUSY);	/* its turn is over */
	ck_assert_int_eq(asks(2, &b, t + SEC, SEC, false), -EBUSY);
	ck_assert_int_eq(asks(3, &c, t + SEC, 60 * SEC, true), 0);
	/* and no client without a key delays it */
	for (int s = 2; s < 100; s++) {
		ck_assert_int_eq(asks(2, &b, t + s * SEC, SEC, false), -EBUSY);
		ck_assert_int_eq(asks(3, &c, t + s * SEC, 60 * SEC, true), 0);
		ck_assert(!pace_lease_overdue(&lease, 3, t + s * SEC));
	}
}
END_TEST

/* The refused client gets a wait of two days, and can read it. */
static int64_t told_ns;

static void
hears(void *ctx, const struct pace_msg_error *who)
{
	(void)ctx;
	told_ns = who->wait_ns;
	pace_lease_release(&net->responder.shared.lease, 77);
}

START_TEST(more_than_a_day_is_told)
{
	struct pace_msg_error who;

	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns,
	    PACE_AT_MOST_NS, "", &who), 0);
	cl.on_busy = hears;
	measures(10);
	ck_assert_int_gt(told_ns, PACE_AT_MOST_NS - SEC);
}
END_TEST

/* The lines of the log. */
static struct { int waits, ended; int64_t waited_ns; } heard;

static void
hear(void *ctx, const struct pace_session_event *n)
{
	(void)ctx;
	heard.waits += n->kind == PACE_SESSION_EVENT_WAITS;
	heard.ended += n->kind == PACE_SESSION_EVENT_REFUSED && strcmp(n->code, "policy") == 0 &&
	    strncmp(n->text, "the run was ended: other clients wait", 37) == 0;
	if (n->kind == PACE_SESSION_EVENT_RUN)
		heard.waited_ns = n->wait_ns;
}

/* While others wait, it announces a second, a minute, or a minute that begins half a minute
 * later, and then sends for ever. */
START_TEST(a_run_without_end_is_ended)
{
	struct pace_addr a = v4(1, 1, 1), b = v4(2, 1, 1);
	const uint64_t count = _i == 0 ? 100 : 6000;
	const int64_t later_ns = _i == 2 ? 30 * SEC : 0;
	int64_t began, got;

	memset(&heard, 0, sizeof(heard));
	net->responder.shared.observer = (struct pace_observer){ .news = hear };
	squat(&a);
	squat(&b);
	begin_in_ns = later_ns;
	say_start(&a, count, 2 * SEC);
	begin_in_ns = 0;
	sim_pass(net, SEC / 100);
	ck_assert_int_eq(end_of(&a)->session->state, PACE_RUNNING);
	began = net->now_ns;
	for (uint64_t i = 0; end_of(&b)->session->state != PACE_RUNNING; i++) {
		if (i % 10 == 0)
			say_start(&b, 100, SEC);
		send_frame(&a, i % count);
		sim_pass(net, SEC / 10);
		ck_assert_int_lt(net->now_ns - began, 100 * SEC);
	}
	got = net->now_ns - began;
	ck_assert_int_gt(got - later_ns, _i == 0 ? 11 * SEC : 58 * SEC);
	ck_assert_int_lt(got - later_ns, _i == 0 ? 18 * SEC : 66 * SEC);
	ck_assert_ptr_nonnull(strstr(end_of(&a)->session->limiter.why, "longer than a turn of 12 s"));
	ck_assert_int_eq(heard.ended, 1);	/* and it never asks why */
	ck_assert_int_eq(heard.waits, 1);	/* however often it asks */
	ck_assert_int_gt(heard.waited_ns, got - SEC);
	ck_assert_int_le(heard.waited_ns, got);
}
END_TEST

/* --- greedy ones, of all kinds ------------------------------------------------------------- */

#define GREEDY	256
#define HONEST	2			/* and the client */

enum how { FOREVER, ENDS, SILENT, SLOW_FETCH, HOWS };

static struct bot {
	struct pace_addr addr;
	bool	honest;
	int64_t	from_ns, next_ns, began_ns, done_ns;
	uint64_t frames, count;		/* of a run: sent, announced */
	uint64_t every;			/* ticks between two things it says */
	enum how how;
	bool	moves;			/* opens sessions from new ports again and again */
	struct sim_end *end;		/* of its session, when it last looked; NULL: none */
} bots[GREEDY + HONEST];

static void
draw(struct bot *b, int i, bool six)
{
	static const uint64_t counts[] = { 1, 100, 1000, 1180, 3000, 5900 };

	memset(b, 0, sizeof(*b));
	b->honest = i >= GREEDY;
	b->addr = v4((uint8_t)(b->honest ? 50 + i - GREEDY : i % 4), (uint8_t)(i / 4),
	    (uint16_t)(1000 + 100 * i));
	if (six) {
		b->addr = (struct pace_addr){ .family = 6, .port = b->addr.port, .ip = { 0x20, 1, 0xd, 0xb8,
		    [5] = b->addr.ip[2], [6] = (uint8_t)unit_rnd(), [7] = (uint8_t)unit_rnd(), [15] = 1 } };
	}
	b->every = b->honest ? 5 : (uint64_t)unit_between(2, 28);
	b->count = b->honest ? 100 : counts[unit_between(0, COUNT_OF(counts) - 1)];
	b->how = b->honest ? ENDS : (enum how)unit_between(0, HOWS - 1);
	b->moves = !b->honest && unit_between(0, 3) == 0;
	b->from_ns = net->now_ns + (b->honest ? unit_between(0, 90 * SEC) : unit_between(0, SEC));
}

static void
begin_again(struct bot *b)
{
	if (!b->moves)
		return;
	if (end_of(&b->addr) != NULL)
		say_close(&b->addr);
	b->addr.port++;
}

static void
in_a_run(struct bot *b, const struct pace_session *s)
{
	bool over = b->frames >= b->count;

	if (b->how == SILENT)
		return;
	if (b->how == FOREVER || !over) {
		for (int i = 0; i < 10 && (b->how == FOREVER || b->frames < b->count); i++)
			send_frame(&b->addr, b->frames++ % b->count);
	} else if (s->state == PACE_RUNNING || s->state == PACE_DRAINING) {
		say_finish(&b->addr, b->count);
	}
}

/* A result is there. */
static void
is_served(struct bot *b, const struct pace_session *s)
{
	if (!b->honest) {
		b->how == SLOW_FETCH ? say_fetch(&b->addr) : begin_again(b);
		return;
	}
	ck_assert_uint_eq(s->seen.this_run.frames, b->count);
	b->done_ns = net->now_ns;
	say_close(&b->addr);
}

static void
act(struct bot *b)
{
	const struct pace_session *s;

	if (net->now_ns < b->from_ns || b->done_ns != 0)
		return;
	/* Only what it says makes it a session or a run: nothing else is worth a search. */
	if (net->now_ns >= b->next_ns)
		b->end = end_of(&b->addr);
	else if (b->end != NULL && !(b->end->used && pace_addr_same(&b->end->addr, &b->addr)))
		b->end = NULL;
	s = b->end != NULL ? b->end->session : NULL;
	if (s != NULL && (s->state == PACE_RUNNING || s->state == PACE_DRAINING)) {
		in_a_run(b, s);
		return;
	}
	if (net->now_ns < b->next_ns)
		return;
	b->next_ns = net->now_ns + (int64_t)b->every * TICK;
	b->frames = 0;
	if (s == NULL)
		say_open(&b->addr);
	else if (s->state == PACE_READY && (b->honest || b->how == SLOW_FETCH))
		is_served(b, s);
	else if (s->state != PACE_CLOSED)
		say_start(&b->addr, b->count, b->honest ? 2 * SEC : PACE_AT_MOST_NS);
	if (!b->honest && unit_between(0, 50) == 0)
		begin_again(b);
}

static void
all_act(struct sim *s)
{
	(void)s;
	for (int i = 0; i < GREEDY + HONEST; i++)
		act(&bots[i]);
}

/* Loop test: half of them over IPv6, half with the client having a key; each other ones. */
START_TEST(honest_clients_get_their_results)
{
	int64_t began;

	unit_turn(_i);
	for (int i = 0; i < GREEDY + HONEST; i++)
		draw(&bots[i], i, _i % 2 == 1);
	if (_i / 2 % 2 == 1) {
		let_alice_in();
		new_client(&alice);
	}
	net->tick = all_act;
	net->tick_ns = TICK;
	net->ticked_ns = net->now_ns;
	sim_pass(net, unit_between(0, 60 * SEC));
	began = net->now_ns;
	measures(100);
	ck_assert_int_lt(net->now_ns - began, 120 * SEC);
	pace_client_close(&cl);
	sim_pass(net, 215 * SEC - (net->now_ns - began));
	for (int i = GREEDY; i < GREEDY + HONEST; i++) {
		ck_assert_int_ne(bots[i].done_ns, 0);
		ck_assert_int_lt(bots[i].done_ns - bots[i].from_ns, 120 * SEC);
	}
	ck_assert_uint_gt(net->responder.counts.refused, 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("fair");

	unit_seed(tc);
	sim_sums(tc, "fair");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, who_is_impersonated_is_served_in_five_seconds, 0, 4);
	tcase_add_test(tc, no_flood_without_the_key_touches_a_key);
	tcase_add_test(tc, the_largest_network_makes_room_at_once);
	tcase_add_test(tc, a_place_that_is_kept_cannot_be_snatched);
	tcase_add_loop_test(tc, ipv6_is_counted_at_all_lengths, 0, 3);
	tcase_add_test(tc, who_waits_is_not_unused);
	tcase_add_test(tc, an_unused_session_is_not_for_a_network_with_more);
	tcase_add_test(tc, who_measures_leaves_last);
	tcase_add_test(tc, a_key_comes_first);
	tcase_add_test(tc, a_session_that_was_closed_stays_closed);
	tcase_add_test(tc, a_waiter_knows_its_place);
	tcase_add_test(tc, networks_take_turns);
	tcase_add_test(tc, a_long_run_waits_for_all_that_are_no_longer_than_a_turn);
	tcase_add_test(tc, a_run_is_overdue_when_others_wait);
	tcase_add_test(tc, a_key_has_the_lease_first);
	tcase_add_test(tc, more_than_a_day_is_told);
	tcase_add_loop_test(tc, a_run_without_end_is_ended, 0, 3);
	tcase_add_loop_test(tc, honest_clients_get_their_results, 0, 8);
	return unit_run(tc, "fair");
}
