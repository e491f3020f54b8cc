/*
 * Attackers off the path on the simulated network: they know addresses and ports and
 * write any source address, but see no datagram.  Beside their junk, their answers and
 * their ICMP messages a run is exact.  Damage on the path costs no more than a repeat.
 */
#include "lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define DAY	20000

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static struct pace_policy pol;
static struct pace_rules *rules;
static struct pace_key alice;
static uint64_t train;		/* frames */

/* Every limit is set, and a run stays below each of them. */
static void
set_policy(void)
{
	const struct pace_addr lab = { .family = 4, .ip = { 192, 0, 2 } };

	rules = pace_rules_new();
	net->responder.shared.rules = rules;
	pace_policy_reset(&pol);
	ck_assert_int_eq(pace_policy_rule(&pol, "lab"), 1);
	ck_assert_int_eq(pace_policy_net(&pol, 1, &lab, 24, "192.0.2.0/24"), 0);
	for (int i = 0; i < PACE_LIMITS; i++)
		pol.rule[1].most[i] = PACE_NO_LIMIT;
	pol.rule[1].most[PACE_LIMIT_RATE] = 100000000;
	pol.rule[1].most[PACE_LIMIT_FRAMES] = 20000;
	pol.rule[1].most[PACE_LIMIT_DURATION] = 60 * SEC;
	pol.rule[1].most[PACE_LIMIT_BUDGET] = 100000000;
	pol.rule[1].host_facts = true;
	pace_rules_set(rules, &pol);
}

static void
setup(void)
{
	net = sim_new(unit_rnd());
	net->joins_all = true;
	train = 1;
	net->poll_ns = 1000;
	net->wall_ns = DAY * 86400 * SEC;
	set_policy();
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	pt = pace_point_new();
	memset(&err, 0, sizeof(err));
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
	pace_rules_free(rules);
}

static void
use_key(void)
{
	char text[PACE_KEY_LINE_MAX];
	struct pace_keys ks;

	pace_key_make(&alice, "alice");
	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
	cl.key = &alice;
}

static int
measure(uint64_t count, int64_t spacing_ns)
{
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .size_bytes = 200, .spacing = pace_spacing_from_ns(spacing_ns),
	    .count = count, .train = train, .bursts = 1, .grace_ns = 50 * MS };
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
measures(uint64_t count)
{
	int rc = measure(count, 100000);
	const char *broken = pace_point_broken(pt);

	ck_assert_msg(rc == 0, "%s: %s (%d)", err.step, err.text, rc);
	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(pt->has_rx);
	ck_assert_uint_eq(pt->tx.frames, count);
	ck_assert_uint_eq(pt->rx.unique, count);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates + pt->rx.reordered, 0);
}

static struct pace_session *
session(void)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (net->sessions[i].used)
			return net->sessions[i].session;
	ck_abort_msg("no session");
	return NULL;
}

static double
budget_used(void)
{
	struct pace_terms t;

	pace_rules_terms(rules, &net->client.addr, cl.key != NULL ? "alice" : "", &t);
	return pace_rules_use(rules, &t, DAY, 0).bytes;
}

/* --- junk in the client's name --------------------------------------------------- */

struct junk {
	int	each;		/* beside every frame */
	double	bytes;		/* of the session, as the wire saw them */
	uint64_t sent;
};

/* A datagram that does not carry the session's number. */
static size_t
junk(uint8_t buf[1472], uint64_t nth)
{
	static const uint8_t types[] = { PACE_DATA, PACE_PING, PACE_START, PACE_FINISH,
	    PACE_FETCH, PACE_CLOSE, PACE_REPORT, PACE_FINISH | PACE_REPLY };
	struct pace_hdr h = { .type = types[nth / 4 % sizeof(types)], .run = 1,
	    .session = nth % 8 == 0 ? 0 : unit_rnd(), .seq = nth };
	const struct pace_ping p = { .reply_bytes = 96 };

	memset(buf, 0, 1472);
	if (nth % 4 != 3)
		return nth % 4 == 0 ? 1 : nth % 4 == 1 ? 1400 : 200;
	if (h.type == PACE_PING)
		pace_ping_encode(buf, 200, &h, &p);
	else
		pace_msg_put(buf, 1472, &h, NULL, 200);
	return 200;
}

static enum sim_fate
add_junk(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct junk *j = ctx;
	uint8_t other[1472];
	struct pace_hdr h;

	(void)delay_ns;
	if (pace_hdr_decode(&h, buf, len) == 0 && h.session != 0)
		j->bytes += (double)len + 66;
	for (int i = 0; way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && i < j->each; i++)
		sim_inject(net, &net->client.addr, other, junk(other, j->sent++));
	return SIM_PASS;
}

/* Ten times the frames that used to end a run, and more bytes than the day's budget. */
START_TEST(junk_is_foreign_and_costs_nothing)
{
	struct junk j = { .each = 400 };

	if (_i % 2 == 1)
		use_key();
	if (_i > 1)
		train = 8;		/* in one piece with junk of their length */
	net->hook = add_junk;
	net->hook_ctx = &j;
	measures(1000);
	ck_assert_uint_eq(j.sent, 400000);
	ck_assert_uint_eq(pt->rx.foreign, 400000);
	pace_client_close(&cl);
	sim_pass(net, 5 * SEC);
	ck_assert_double_eq_tol(budget_used(), j.bytes, 1);
}
END_TEST

/* Nor is anything paid for what is announced, or bought with it. */
START_TEST(junk_earns_no_answers_and_keeps_no_session)
{
	struct pace_session *s;
	uint8_t buf[1472];
	double earned;
	int64_t drawn;

	measures(10);
	s = session();
	earned = s->credit.earned;
	drawn = s->credit.drawn;
	for (int i = 0; i < 45; i++) {
		for (uint64_t n = 0; n < 1000; n++)
			sim_inject(net, &net->client.addr, buf, junk(buf, n));
		sim_pass(net, SEC);
		if (i == 20) {
			ck_assert_double_eq_tol(s->credit.earned, earned, 1e-6);
			ck_assert_int_eq(s->credit.drawn, drawn);
		}
	}
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* Each is answered with a cookie to the client, which did not ask. */
START_TEST(a_forged_hello_is_not_paid_by_the_session)
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = 1 };
	struct pace_session *s;
	uint8_t buf[PACE_HELLO_SIZE];
	double earned, used;
	int64_t drawn;
	int n = pace_msg_put(buf, sizeof(buf), &h, json_object(), sizeof(buf));

	measures(10);
	s = session();
	earned = s->credit.earned;
	drawn = s->credit.drawn;
	used = budget_used() + s->limiter.unpaid;
	for (int i = 0; i < 20000; i++) {
		sim_inject(net, &net->client.addr, buf, (size_t)n);
		if (i % 1000 == 999)
			sim_pass(net, MS);
	}
	ck_assert_double_eq_tol(s->credit.earned, earned, 1e-6);
	ck_assert_int_eq(s->credit.drawn, drawn);
	ck_assert_double_eq_tol(budget_used() + s->limiter.unpaid, used, 1e-6);
	measures(10);
}
END_TEST

/* The client's own frames cost, whatever run they are of. */
static enum sim_fate
add_frames(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint8_t copy[200];
	struct pace_hdr h;

	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA || len != sizeof(copy))
		return SIM_PASS;
	memcpy(copy, buf, len);
	ck_assert_int_eq(pace_hdr_decode(&h, copy, len), 0);
	if (*(int *)ctx == 1)
		h.run++;
	pace_hdr_encode(copy, len, &h);
	for (int i = 0; i < 4; i++)
		sim_inject(net, &net->client.addr, copy, len);
	return SIM_PASS;
}

START_TEST(frames_with_the_number_cost_whatever_run_they_are_of)
{
	net->hook = add_frames;
	net->hook_ctx = &_i;
	ck_assert_int_eq(measure(1000, 100000), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "rule 'lab': the run was ended: "));
}
END_TEST

/* A run has one stream. */
static enum sim_fate
add_stream(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint8_t copy[200];
	struct pace_hdr h;

	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA || len != sizeof(copy))
		return SIM_PASS;
	memcpy(copy, buf, len);
	ck_assert_int_eq(pace_hdr_decode(&h, copy, len), 0);
	h.stream = (uint8_t)++*(int *)ctx;
	pace_hdr_encode(copy, len, &h);
	sim_inject(net, &net->client.addr, copy, len);
	return SIM_PASS;
}

START_TEST(frames_of_another_stream_are_foreign)
{
	int stream = 0;

	net->hook = add_stream;
	net->hook_ctx = &stream;
	measures(255);
	ck_assert_uint_eq(pt->rx.foreign, 255);
	ck_assert_uint_eq(pt->rx.duplicates, 0);
}
END_TEST

/* --- answers in the responder's name ------------------------------------------------ */

#define GUESSED	UINT64_C(0x1111111111111111)	/* a session that the attacker names */

/* Something that a client would believe, and that is not true. */
static json_t *
lie(uint8_t type)
{
	static const uint8_t cookie[PACE_COOKIE_SIZE] = { 1 };
	const struct pace_msg_opened opened = { .host_bytes = 0 };
	const struct pace_msg_ready ready = { .ready = true, .size = 100 };
	const struct pace_msg_error refused = { .code = "policy", .text = "go away" };

	return type == PACE_HELLO ? pace_msg_cookie_json(cookie) :
	    type == PACE_OPEN ? pace_msg_opened_json(&opened) :
	    type == PACE_FINISH ? pace_msg_ready_json(&ready) : pace_msg_error_json(&refused);
}

static void
forge_answer(uint8_t type, uint8_t run, uint64_t session, uint64_t number, uint8_t version)
{
	struct pace_hdr h = { .type = type | PACE_REPLY, .run = run, .session = session,
	    .seq = number };
	uint8_t buf[512];
	int len = pace_msg_put(buf, sizeof(buf), &h, lie(type), 0);

	buf[2] = version;
	sim_forge(net, buf, (size_t)len);
}

/* It knows when a request leaves and what it asks, and answers before the responder does:
 * with small numbers, sessions of its choice, and another version of the protocol. */
static enum sim_fate
answer_blindly(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t *forged = ctx;

	(void)len;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] == PACE_DATA || buf[3] == PACE_PING)
		return SIM_PASS;
	for (uint64_t number = 0; number < 64; number++) {
		forge_answer(buf[3], buf[5], 0, number, 1);
		forge_answer(buf[3], buf[5], GUESSED, number, 1);
		forge_answer(buf[3], buf[5], 0, number, 2);
		*forged += 3;
	}
	forge_answer(PACE_CLOSE, buf[5], GUESSED, 0, 1);
	forge_answer(PACE_FINISH, buf[5], GUESSED, 0, 1);
	return SIM_PASS;
}

START_TEST(a_blind_answer_is_taken_for_none)
{
	uint64_t forged = 0;

	if (_i == 1)
		use_key();
	net->hook = answer_blindly;
	net->hook_ctx = &forged;
	for (int i = 0; i < 3; i++)
		measures(100);
	pace_client_close(&cl);
	ck_assert_uint_gt(forged, 1000);
	ck_assert_uint_ge(cl.strays, forged / 2);	/* the pinger takes some of them */
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* The forger may know the number of a request of another session, or of one before. */
START_TEST(request_numbers_cannot_be_guessed)
{
	uint64_t seen[64], ones = 0, zeros = 0;

	for (int i = 0; i < COUNT_OF(seen); i++) {
		sim_forget_limits(net);
		measures(1);
		seen[i] = cl.request;
		ones |= cl.request;
		zeros |= ~cl.request;
		pace_client_close(&cl);
		cl.open = false;
		sim_pass(net, 3 * SEC);
	}
	/* each of 61 bits was 0 and was 1, and no number gets too large for JSON */
	ck_assert_uint_eq(ones & zeros, UINT64_MAX >> 11);
	for (int i = 1; i < COUNT_OF(seen); i++)
		ck_assert_uint_gt(seen[i] - seen[i - 1] + 1000000, 2000000);
}
END_TEST

/* Before every exchange's answer one of the attacker's, with other times. */
static enum sim_fate
answer_pings_blindly(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	const struct pace_ping lies = { .arrival_ns = 5, .departure_ns = 7, .stamp = PACE_STAMP_KERNEL };
	struct pace_hdr h;
	uint8_t forged[PACE_PINGER_SIZE] = { 0 };

	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || pace_hdr_decode(&h, buf, len) != 0 || h.type != PACE_PING)
		return SIM_PASS;
	h.type |= PACE_REPLY;		/* the number can be counted */
	for (int i = 0; i < 3; i++) {
		h.session = i == 0 ? 0 : i == 1 ? GUESSED : unit_rnd();
		h.tx_ns = net->now_ns;
		pace_ping_encode(forged, sizeof(forged), &h, &lies);
		sim_forge(net, forged, sizeof(forged));
		++*(uint64_t *)ctx;
	}
	return SIM_PASS;
}

START_TEST(blind_replies_to_pings_change_no_time)
{
	uint64_t forged = 0;

	net->hook = answer_pings_blindly;
	net->hook_ctx = &forged;
	net->theta_ns = 123456789;
	measures(1000);
	ck_assert_uint_gt(forged, 100);
	ck_assert_uint_eq(cl.pinger.foreign, forged);
	ck_assert_int_eq(pt->clock.min_rtt_ns, 2 * net->delay_ns);
	ck_assert_int_le(llabs(pace_clock_at(&pt->clock.fit, pt->clock.from_ns) - 123456789), 1000);
}
END_TEST

/* --- ICMP ------------------------------------------------------------------------------- */

struct icmp {
	uint8_t	type;		/* with these datagrams of the client; 0: with all */
	int	left, sent;
};

/* A forged ICMP error reports that the port is closed. */
static enum sim_fate
deny(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct icmp *i = ctx;

	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && (i->type == 0 || buf[3] == i->type) && i->left > 0) {
		net->unreachable += 3;
		i->left--;
		i->sent += 3;
	}
	return SIM_PASS;
}

static int
trips(uint64_t count)
{
	struct pace_latency *lat = pace_latency_new();
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	lat->ask = (struct pace_latency_params){ .size_bytes = 200, .reply_bytes = 200,
	    .count = count, .interval_ns = 10 * MS, .timeout_ns = SEC };
	if (rc == 0)
		rc = pace_client_latency(&cl, lat, &err);
	if (rc == 0)
		ck_assert_uint_eq(lat->received, count);
	free(lat);
	return rc;
}

static const uint8_t denied[] = { 0, PACE_HELLO, PACE_OPEN, PACE_START, PACE_DATA, PACE_PING,
    PACE_FINISH, PACE_FETCH };

START_TEST(icmp_ends_nothing_while_answers_come)
{
	struct icmp i = { .type = denied[_i], .left = 100000 };

	net->hook = deny;
	net->hook_ctx = &i;
	measures(1000);
	ck_assert_int_eq(trips(100), 0);
	pace_client_close(&cl);
	ck_assert_int_ge(i.sent, 3);
}
END_TEST

/* An answer that comes behind it is an answer. */
START_TEST(icmp_hides_no_answer)
{
	struct icmp i = { .left = 100000 };

	net->delay_ns = 150 * MS;
	net->hook = deny;
	net->hook_ctx = &i;
	measures(100);
}
END_TEST

START_TEST(a_closed_port_is_told_soon)
{
	int64_t began = net->now_ns;

	sim_kill_responder(net);
	net->closed_port = true;
	ck_assert_int_eq(measure(100, 100000), -ECONNREFUSED);
	ck_assert_str_eq(err.text, "no program listens on that port");
	ck_assert_int_ge(net->now_ns - began, PACE_CLIENT_HINT_NS);
	ck_assert_int_le(net->now_ns - began, 2 * SEC);
}
END_TEST

/* The responder dies in mid-run. */
struct death { int64_t at_ns; };

static enum sim_fate
die_then(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct death *d = ctx;

	(void)way;
	(void)buf;
	(void)len;
	(void)delay_ns;
	if (net->now_ns < d->at_ns || net->down)
		return SIM_PASS;
	net->down = true;
	net->closed_port = true;
	return SIM_DROP;
}

START_TEST(a_responder_that_died_is_told_when_nothing_was_heard_for_11_s)
{
	struct death d;
	int rc;

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	d.at_ns = net->now_ns + 2 * SEC;
	net->hook = die_then;
	net->hook_ctx = &d;
	rc = _i == 0 ? measure(3000, 10 * MS) : trips(3000);
	ck_assert_int_eq(rc, -ECONNREFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "no program listens on its port"));
	ck_assert_int_ge(net->now_ns - d.at_ns, 11 * SEC);
	ck_assert_int_le(net->now_ns - d.at_ns, 15 * SEC);
	net->down = false;		/* for teardown */
}
END_TEST

/* --- damage on the way ----------------------------------------------------------------- */

/* The first datagrams of each type and direction arrive with one byte changed, and with a UDP
 * checksum that fits, or without one. */
struct damage {
	enum sim_way way;
	uint8_t	type;
	int	left, done;
	uint64_t at;		/* which byte, modulo the length */
};

static enum sim_fate
damage(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct damage *d = ctx;

	(void)delay_ns;
	if (way != d->way || buf[3] != d->type || d->left == 0)
		return SIM_PASS;
	buf[d->at % len] ^= (uint8_t)unit_between(1, 255);
	d->at += 7;
	d->left--;
	d->done++;
	return SIM_PASS;
}

static const uint8_t damaged_types[] = { PACE_HELLO, PACE_OPEN, PACE_START, PACE_FINISH,
    PACE_FETCH, PACE_CLOSE };

START_TEST(damaged_control_is_repeated)
{
	bool answer = _i / COUNT_OF(damaged_types) % 2 == 1;
	struct damage d = { .way = answer ? SIM_TO_CLIENT : SIM_TO_RESPONDER,
	    .type = (uint8_t)(damaged_types[_i % COUNT_OF(damaged_types)] | (answer ? PACE_REPLY : 0)) };

	if (_i >= 2 * COUNT_OF(damaged_types))
		use_key();
	net->hook = damage;
	net->hook_ctx = &d;
	for (int i = 0; i < 100; i++) {
		d.left = 3;
		d.at = unit_rnd();
		sim_forget_limits(net);
		measures(20);
		ck_assert_int_eq((int)cl.responder.cores, 2);
		pace_client_close(&cl);
		ck_assert_int_eq(d.left, 0);
		sim_pass(net, 3 * SEC);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("forged");

	unit_seed(tc);
	sim_sums(tc, "forged");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, junk_is_foreign_and_costs_nothing, 0, 4);
	tcase_add_test(tc, junk_earns_no_answers_and_keeps_no_session);
	tcase_add_test(tc, a_forged_hello_is_not_paid_by_the_session);
	tcase_add_test(tc, frames_of_another_stream_are_foreign);
	tcase_add_loop_test(tc, frames_with_the_number_cost_whatever_run_they_are_of, 0, 2);
	tcase_add_loop_test(tc, a_blind_answer_is_taken_for_none, 0, 2);
	tcase_add_test(tc, request_numbers_cannot_be_guessed);
	tcase_add_test(tc, blind_replies_to_pings_change_no_time);
	tcase_add_loop_test(tc, icmp_ends_nothing_while_answers_come, 0, COUNT_OF(denied));
	tcase_add_test(tc, icmp_hides_no_answer);
	tcase_add_test(tc, a_closed_port_is_told_soon);
	tcase_add_loop_test(tc, a_responder_that_died_is_told_when_nothing_was_heard_for_11_s, 0, 2);
	tcase_add_loop_test(tc, damaged_control_is_repeated, 0, 4 * COUNT_OF(damaged_types));
	return unit_run(tc, "forged");
}
