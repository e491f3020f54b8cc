/*
 * Light sessions: many clients at the listener's socket.  The clients are a slow model that
 * sends datagrams of its own; the truth is the network's log of what arrived, frame by frame.
 * UDPACE_HOSTILE: so many forged datagrams, among 1000 sessions if it is above 100,000.
 */
#include "lib/unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "proto/report.h"
#include "server/session_run.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define TICK	(SEC / 10)
#define CROWD	1000
#define FRAMES	4096		/* of a client, at most */
#define SIZE	64
#define STEP	(SEC / 20)	/* between two frames of a client */
#define NUMBER	4096		/* of a request: CLIENT + k * NUMBER */

enum state { IDLE, HELLO_SENT, OPEN_SENT, OPENED, STARTED, FINISHED };

struct guest {
	struct pace_addr addr;
	enum state	state;
	uint64_t	session, nonce, requests, start;
	uint8_t		run;
	uint64_t	sent;
	int64_t		retry_ns, next_ns;
	bool		dead;		/* says nothing more */
	/* the log: arrivals of its current run */
	uint8_t		seen[FRAMES];
	uint64_t	unique, copies, late, next;
	/* the last report */
	bool		reported;
	struct pace_tally report;
	char		code[24];	/* of the last refusal */
	int		refusals;
};

static struct sim *net;
static struct guest *all;
static int crowd;
static struct pace_rules *rules;
static struct pace_policy pol;
static struct pace_client cl;
static struct pace_err err;

/* --- the log ------------------------------------------------------------------------ */

static struct guest *
guest_at(const struct pace_addr *a)
{
	int i = a->ip[2] * 40 + (a->ip[3] - 1) * 4 + (a->port - 5000) % 4;

	return a->ip[0] == 198 && i < crowd && pace_addr_same(&all[i].addr, a) ? &all[i] : NULL;
}

static void
log_arrival(void *ctx, enum sim_step step, const struct sim_packet *p, int part)
{
	struct guest *g = guest_at(&p->from);
	struct pace_hdr h;
	uint64_t n;

	(void)ctx;
	if (step != SIM_QUEUED || g == NULL || pace_hdr_decode(&h, p->buf, p->len) != 0 ||
	    h.session != g->session || h.run != g->run || p->len != SIZE)
		return;
	n = p->number[part];
	ck_assert_uint_lt(n, FRAMES);
	if (g->seen[n] > 0) {
		g->copies++;
	} else {
		g->unique++;
		g->late += n < g->next;
		g->next = n >= g->next ? n + 1 : g->next;
	}
	g->seen[n] = 1;
}

/* --- the clients ---------------------------------------------------------------------- */

/* Sent with loss, copies and disorder. */
static void
throw(struct guest *g, const void *buf, size_t len, bool trouble)
{
	uint64_t dice = trouble ? unit_rnd() % 100 : 99;

	if (dice < 5)
		return;
	net->delay_ns = 100000 + (dice < 10 ? (int64_t)(unit_rnd() % (6 * STEP)) : 0);
	sim_inject(net, &g->addr, buf, len);
	if (dice >= 97)
		sim_inject(net, &g->addr, buf, len);
	net->delay_ns = 100000;
}

static void
say(struct guest *g, enum pace_type type, json_t *body)
{
	struct pace_hdr h = { .type = (uint8_t)type, .run = g->run,
	    .session = type > PACE_OPEN ? g->session : 0, .tx_ns = net->now_ns,
	    .seq = (uint64_t)(g - all) + ++g->requests * NUMBER };
	uint8_t buf[2048];
	int len;

	/* a repeated START keeps its number: another one would begin the run anew */
	if (type == PACE_START && g->start != 0)
		h.seq = g->start;
	g->start = type == PACE_START ? h.seq : 0;
	len = pace_msg_put(buf, sizeof(buf), &h, body, type == PACE_HELLO ? 512 : 200);
	ck_assert_int_gt(len, 0);
	throw(g, buf, (size_t)len, true);
	g->retry_ns = net->now_ns + SEC / 4;
}

static void
say_start(struct guest *g, uint8_t run)
{
	struct pace_msg_start m = { .limit = FRAMES, .wire_bytes = SIZE + 66, .seed = 1,
	    .ask = { .size_bytes = SIZE, .spacing = pace_spacing_from_ns(STEP), .count = FRAMES,
	    .train = 1, .bursts = 1, .streams = 1, .grace_ns = SEC / 2 } };

	g->run = run;
	memset(g->seen, 0, sizeof(g->seen));
	g->unique = g->copies = g->late = g->next = g->sent = 0;
	say(g, PACE_START, pace_msg_start_json(&m));
}

/* What the client says in its state, again and again. */
static void
act(struct guest *g)
{
	const struct pace_msg_finish f = { .sent = g->sent };

	if (g->dead || net->now_ns < g->retry_ns)
		return;
	if (g->state == HELLO_SENT || g->state == OPEN_SENT) {
		g->run = 0;
		g->state = HELLO_SENT;
		say(g, PACE_HELLO, json_object());
	} else if (g->state == OPENED) {
		say_start(g, 1);
	} else if (g->state == FINISHED && !g->reported) {
		say(g, PACE_FINISH, pace_msg_finish_json(&f));
		say(g, PACE_REPORT, json_pack("{s:i}", "seen", 0));
	}
}

static void
frame(struct guest *g)
{
	struct pace_hdr h = { .type = PACE_DATA, .run = g->run, .session = g->session,
	    .seq = g->sent++, .tx_ns = net->now_ns, .late_ns = PACE_LATE_UNKNOWN };
	uint8_t buf[SIZE] = { 0 };

	ck_assert_int_ge(pace_hdr_encode(buf, sizeof(buf), &h), 0);
	throw(g, buf, sizeof(buf), true);
}

static void
answer_hello(struct guest *g, const json_t *body)
{
	struct pace_msg_open m = { .light = true, .nonce = g->nonce };

	if (g->state != HELLO_SENT || pace_msg_cookie(body, m.cookie) != 0)
		return;
	g->state = OPEN_SENT;
	say(g, PACE_OPEN, pace_msg_open_json(&m));
}

static void
answered(struct guest *g, const struct pace_hdr *h, const json_t *body)
{
	struct pace_msg_opened o = { .light = false };
	struct pace_report r;
	struct pace_msg_error e;

	if (body != NULL && pace_msg_is_error(body, &e)) {
		memcpy(g->code, e.code, sizeof(g->code));
		g->refusals++;
		return;
	}
	if (h->type == (PACE_HELLO | PACE_REPLY)) {
		answer_hello(g, body);
	} else if (h->type == (PACE_OPEN | PACE_REPLY) && g->state == OPEN_SENT) {
		ck_assert_int_eq(pace_msg_opened(body, &o), 0);
		ck_assert(o.light);
		g->session = h->session;
		g->state = OPENED;
		g->retry_ns = 0;
	} else if (h->type == (PACE_START | PACE_REPLY) && g->state == OPENED) {
		g->state = STARTED;
		g->next_ns = net->now_ns + (int64_t)(unit_rnd() % (uint64_t)STEP);
	} else if (h->type == (PACE_REPORT | PACE_REPLY) && g->state == FINISHED) {
		ck_assert_int_eq(pace_report_read(body, &r), 0);
		g->report = r.run;
		g->reported = r.state == PACE_READY;
	}
}

/* Replies reach their clients at once; 5 in 100 are lost. */
static enum sim_fate
overhear(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;
	json_t *body;

	(void)ctx;
	(void)delay_ns;
	if (way != SIM_TO_CLIENT || pace_hdr_decode(&h, buf, len) != 0 ||
	    h.seq % NUMBER >= (uint64_t)crowd || h.seq < NUMBER || unit_rnd() % 100 < 5)
		return SIM_PASS;
	body = pace_msg_body(buf, len);
	if (h.type != (PACE_PING | PACE_REPLY))
		answered(&all[h.seq % NUMBER], &h, body);
	json_decref(body);
	return SIM_PASS;
}

/* --- the world -------------------------------------------------------------------------- */

static void
listener_turns(struct sim *s)
{
	while (pace_responder_step(&s->responder) > 0)
		;
}

static void
setup(void)
{
	net = sim_new(unit_rnd());
	rules = pace_rules_new();
	ck_assert_ptr_nonnull(rules);
	pace_policy_built_in(&pol);
	pace_rules_set(rules, &pol);
	net->responder.shared.rules = rules;
	net->tick = listener_turns;
	net->tick_ns = TICK;
	net->saw = log_arrival;
	net->hook = overhear;
	all = calloc(CROWD, sizeof(*all));
	crowd = 0;
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_rules_free(rules);
	free(all);
}

/* 25 networks with ten hosts each, four clients on a host. */
static void
invite(int n)
{
	for (; crowd < n; crowd++) {
		struct guest *g = &all[crowd];

		g->addr = (struct pace_addr){ .family = 4, .port = (uint16_t)(5000 + crowd % 4),
		    .ip = { 198, 51, (uint8_t)(crowd / 40), (uint8_t)(1 + crowd % 40 / 4) } };
		g->nonce = unit_rnd() | 1;
		g->state = HELLO_SENT;
		g->retry_ns = net->now_ns + (int64_t)(unit_rnd() % (5 * SEC));
	}
}

static void
live(int64_t ns)
{
	int64_t end = net->now_ns + ns;

	while (net->now_ns < end) {
		for (int i = 0; i < crowd; i++) {
			struct guest *g = &all[i];

			act(g);
			if (g->state == STARTED && !g->dead && net->now_ns >= g->next_ns) {
				frame(g);
				g->next_ns += STEP;
			}
		}
		sim_pass(net, 5000000);
	}
}

static int
count(enum state s)
{
	int n = 0;

	for (int i = 0; i < crowd; i++)
		n += all[i].state == s && !all[i].dead;
	return n;
}

static uint64_t
open_now(void)
{
	const struct pace_light_counts *c = &net->responder.lights.counts;

	return c->opened - c->ended;
}

static void
finish_all(void)
{
	for (int i = 0; i < crowd; i++)
		if (all[i].state == STARTED) {
			all[i].state = FINISHED;
			all[i].retry_ns = net->now_ns + SEC;	/* the last frames may be late */
		}
	live(6 * SEC);
}

static void
check_counts(const struct guest *g)
{
	ck_assert_msg(g->reported, "client %d has no report", (int)(g - all));
	ck_assert_uint_eq(g->report.frames, g->unique);
	ck_assert_uint_eq(g->report.duplicates, g->copies);
	ck_assert_uint_eq(g->report.reordered, g->late);
	ck_assert_int_eq(g->report.lost, (int64_t)(g->sent - g->unique));
	ck_assert_uint_eq(g->report.bytes, g->unique * SIZE);
	ck_assert_uint_eq(g->report.late, 0);
}

/* --- tests --------------------------------------------------------------------------------- */

START_TEST(a_thousand_streams_are_counted_as_the_network_logged_them)
{
	uint64_t unique = 0, copies = 0, late = 0;
	const struct pace_tally *sum = &net->responder.lights.counts.all;

	invite(CROWD);
	live(20 * SEC);
	ck_assert_int_eq(count(STARTED), CROWD);
	ck_assert_uint_eq(open_now(), CROWD);
	ck_assert_int_eq(sim_sessions(net), CROWD);
	finish_all();
	for (int i = 0; i < crowd; i++) {
		check_counts(&all[i]);
		unique += all[i].unique;
		copies += all[i].copies;
		late += all[i].late;
	}
	ck_assert_uint_eq(sum->frames, unique);
	ck_assert_uint_eq(sum->duplicates, copies);
	ck_assert_uint_eq(sum->reordered, late);
	ck_assert_uint_gt(unique, CROWD * 150);		/* the test reached its corners */
	ck_assert_uint_gt(copies, 1000);
	ck_assert_uint_gt(late, 1000);
	ck_assert_uint_eq(net->responder.lights.counts.dropped, 0);
	for (int i = 0; i < SIM_SESSIONS; i++)
		ck_assert(!net->sessions[i].used);
}
END_TEST

START_TEST(clients_die_return_and_change_their_address)
{
	static uint64_t session[300];

	invite(300);
	live(10 * SEC);
	ck_assert_int_eq(count(STARTED), 300);
	for (int i = 0; i < 300; i++)
		session[i] = all[i].session;
	for (int i = 0; i < 200; i++)
		all[i].dead = true;
	live(10 * SEC);
	for (int i = 0; i < 100; i++) {		/* return from the same port, before they expire */
		all[i].dead = false;
		all[i].state = HELLO_SENT;
		all[i].nonce = unit_rnd() | 1;
		all[i].retry_ns = 0;
	}
	for (int i = 200; i < 250; i++)		/* a new address: the session stays behind */
		all[i].addr.port = (uint16_t)(all[i].addr.port + 4);
	live(15 * SEC);
	ck_assert_uint_eq(open_now(), 300);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(all[i].state, STARTED);
		ck_assert_uint_ne(all[i].session, session[i]);
	}
	/* frames from the new address belong to no session */
	for (int i = 200; i < 250; i++) {
		all[i].state = HELLO_SENT;
		all[i].nonce = unit_rnd() | 1;
		all[i].retry_ns = 0;
	}
	live(20 * SEC);
	ck_assert_uint_eq(open_now(), 200);	/* 100 returned, 50 moved, 50 were there always */
	finish_all();
	for (int i = 0; i < 300; i++)
		if (!all[i].dead)
			check_counts(&all[i]);
	for (int i = 0; i < crowd; i++)
		all[i].dead = true;
	live(40 * SEC);
	ck_assert_uint_eq(open_now(), 0);	/* the wheel forgets them all */
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* Datagrams of a stranger: forged, replayed, cut, from a client's address or from another. */
static void
attack(int n)
{
	/* replays count against their client's rate, which would drop frames */
	uint64_t replay = n > 200 ? (uint64_t)n / 25 : 8;
	uint8_t buf[600];

	for (int i = 0; i < n; i++) {
		struct guest *g = &all[unit_rnd() % (uint64_t)crowd];
		struct pace_hdr h = { .type = (uint8_t)(1 + unit_rnd() % 9), .run = g->run,
		    .session = unit_rnd(), .seq = unit_rnd() % FRAMES, .tx_ns = net->now_ns,
		    .late_ns = PACE_LATE_UNKNOWN };
		struct pace_addr from = g->addr;
		size_t len = PACE_HDR_SIZE + unit_rnd() % (sizeof(buf) - PACE_HDR_SIZE);

		for (size_t k = 0; k < sizeof(buf); k++)
			buf[k] = (uint8_t)unit_rnd();
		if (unit_rnd() % 4 == 0) {		/* it knows the number, not the address */
			h.session = g->session;
			from.port = (uint16_t)(from.port + 1000);
		}
		if (h.type == PACE_PING)
			len = 64;
		if (h.type == PACE_DATA || h.type == PACE_PING)
			(void)pace_hdr_encode(buf, len, &h);
		else
			len = (size_t)pace_msg_put(buf, sizeof(buf), &h, json_object(), len);
		sim_inject(net, &from, buf, len);
		if (g->sent > 0 && unit_rnd() % replay == 0) {	/* a frame once more */
			h = (struct pace_hdr){ .type = PACE_DATA, .run = g->run, .tx_ns = net->now_ns,
			    .session = g->session, .seq = g->sent - 1,
			    .late_ns = PACE_LATE_UNKNOWN };
			(void)pace_hdr_encode(buf, SIZE, &h);
			sim_inject(net, &g->addr, buf, SIZE);
			h.seq = g->sent + 5;	/* one that is no frame of the run */
			(void)pace_hdr_encode(buf, SIZE + 1, &h);
			sim_inject(net, &g->addr, buf, SIZE + 1);
		}
	}
}

/* HELLOs in the name of a client that is in the middle of its stream: answered with others'
 * limit, and of no effect. */
static void
flood_of_hellos(const struct guest *g)
{
	struct pace_hdr h = { .type = PACE_HELLO };
	uint64_t out = net->stranger_out, limited = net->responder.counts.limited;
	uint8_t buf[512];

	for (int i = 0; i < 6000; i++) {
		h.seq = (uint64_t)i;
		(void)pace_msg_put(buf, sizeof(buf), &h, json_object(), sizeof(buf));
		sim_inject(net, &g->addr, buf, sizeof(buf));
		if (i % 1000 == 999)
			sim_pass(net, 1000000);
	}
	ck_assert_uint_ge(net->responder.counts.limited - limited, 3900);
	ck_assert_uint_lt(net->stranger_out - out, 6000 * 64);
}

static size_t
memory(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

START_TEST(forged_and_replayed_datagrams_change_no_count_and_lock_nobody_out)
{
	const char *env = getenv("UDPACE_HOSTILE");
	int hostile = env != NULL ? atoi(env) : 30000, clients = hostile > 100000 ? 900 : 200;
	size_t before;

	invite(clients);
	live(15 * SEC);
	ck_assert_int_eq(count(STARTED), clients);
	before = memory();
	for (int i = 0; i < 100; i++) {
		attack(hostile / 150);
		live(SEC / 20);
	}
	flood_of_hellos(&all[7]);
	ck_assert_uint_lt(memory(), before + (512 << 10));
	invite(clients + 100);			/* newcomers get in meanwhile */
	for (int i = 0; i < 100; i++) {
		attack(hostile / 300);
		live(SEC / 10);
	}
	ck_assert_uint_lt(memory(), before + (512 << 10));
	ck_assert_int_eq(count(STARTED), crowd);
	finish_all();
	for (int i = 0; i < crowd; i++)
		check_counts(&all[i]);
	ck_assert_uint_gt(atomic_load(&net->responder.shared.strays), 1000);
}
END_TEST

/* Frames share the rest of the work; none is missing from the sum after a second, in the run that
 * a new one ends, or in a session that is abandoned. */
static uint64_t abandoned;

static void
hear(void *ctx, const struct pace_session_event *e)
{
	(void)ctx;
	if (e->kind == PACE_SESSION_EVENT_CLOSED)
		abandoned = e->view->all.frames;
}

static void
frames_at_once(struct guest *g, int n)
{
	for (int i = 0; i < n; i++)
		frame(g);
	sim_pass(net, SEC);		/* some of them are late; no step of the session is due */
}

START_TEST(frames_between_two_steps_are_missing_nowhere)
{
	const struct pace_tally *sum = &net->responder.lights.counts.all;
	const struct pace_session *s = (const void *)net->responder.lights.memory;
	struct guest *g = &all[0];
	uint64_t first, second;

	net->responder.shared.observer = (struct pace_observer){ .news = hear };
	invite(1);
	g->retry_ns = 0;
	live(3 * SEC);
	ck_assert_int_eq(g->state, STARTED);
	g->next_ns = INT64_MAX;			/* frames only from here */
	frames_at_once(g, 3);
	live(2 * SEC);
	ck_assert_uint_eq(sum->frames, g->unique);
	ck_assert_double_lt(s->credit.earned, 200 * (SIZE + 66));
	net->tick_ns = 100 * SEC;		/* frames wake the listener, not the time */
	frames_at_once(g, 5);
	first = g->unique;
	for (int i = 0; i < 10; i++) {
		say_start(g, 2);
		sim_pass(net, SEC / 4);
	}
	frames_at_once(g, 7);
	second = g->unique;
	ck_assert(first > 3 && second > 3);
	pace_lights_done(&net->responder.lights);
	ck_assert_uint_eq(abandoned, first + second);
	ck_assert_uint_ge(sum->frames, first);
}
END_TEST

/* One client at two addresses of the responder; each session answers from its own. */
static struct pace_out answer;

static int
keep_answer(void *ctx, const struct pace_out *v, int n)
{
	(void)ctx;
	answer = v[n - 1];
	return n;
}

START_TEST(a_session_is_found_by_both_addresses)
{
	struct pace_lights *l = &net->responder.lights;
	const struct pace_addr local[3] = { { .family = 4, .ip = { 192, 0, 2, 1 } },
	    { .family = 4, .ip = { 192, 0, 2, 2 } }, { .family = 4, .ip = { 192, 0, 2, 3 } } };
	struct pace_in in = { .from = { .family = 4, .port = 5000, .ip = { 198, 51, 100, 1 } } };

	net->responder.io.send = keep_answer;
	for (int i = 0; i < 2; i++) {
		struct pace_comer c = { .key = "", .keyless_max = SIM_LIGHTS, .now_ns = net->now_ns,
		    .own_max = PACE_NO_LIMIT, .peer = in.from, .local = local[i] };
		struct pace_session_cfg cfg = { .shared = &net->responder.shared, .peer = in.from };
		int place = pace_places_claim(&l->places, &c);

		ck_assert_int_ge(place, 0);
		cfg.place = &l->places.slot[place].place;
		pace_lights_open(l, place, &cfg, &local[i]);
		ck_assert(pace_addr_same(&answer.to, &in.from));
		ck_assert_mem_eq(answer.from.ip, local[i].ip, 4);
	}
	for (int i = 0; i < 3; i++) {
		in.local = local[i];
		ck_assert_int_eq(pace_lights_have(l, &in), i < 2);
	}
	in.local = local[0];
	in.from.port++;
	ck_assert(!pace_lights_have(l, &in));
	in.from.port--;
	in.from.ip[3]++;
	ck_assert(!pace_lights_have(l, &in));
}
END_TEST

START_TEST(places_are_shared_among_networks)
{
	/* One network takes all places: four hosts with a quarter of them each. */
	for (int i = 0; i < SIM_LIGHTS; i++) {
		struct pace_comer c = { .key = "", .keyless_max = SIM_LIGHTS, .now_ns = net->now_ns,
		    .own_max = PACE_NO_LIMIT, .peer = { .family = 4, .port = (uint16_t)(1 + i),
		    .ip = { 203, 0, 113, (uint8_t)(1 + i / 256) } } };
		struct pace_session_cfg cfg = { .shared = &net->responder.shared, .peer = c.peer };
		int place = pace_places_claim(&net->responder.lights.places, &c);

		ck_assert_int_ge(place, 0);
		cfg.place = &net->responder.lights.places.slot[place].place;
		pace_lights_open(&net->responder.lights, place, &cfg, &c.local);
	}
	ck_assert_uint_eq(open_now(), SIM_LIGHTS);
	invite(40);				/* another network, ten hosts */
	live(10 * SEC);
	ck_assert_int_eq(count(STARTED), 40);
	ck_assert_uint_eq(open_now(), SIM_LIGHTS);
	live(40 * SEC);
	ck_assert_uint_eq(open_now(), 40);	/* the silent ones are gone */
	ck_assert_int_eq(count(STARTED), 40);
}
END_TEST

START_TEST(a_host_has_a_quarter_of_the_places)
{
	int most = 0;

	ck_assert_uint_le(pace_session_light_size(), 27 << 10);
	for (int i = 0; i < 400; i++) {
		struct pace_comer c = { .key = "", .keyless_max = SIM_LIGHTS, .now_ns = net->now_ns,
		    .own_max = PACE_NO_LIMIT, .peer = { .family = 4, .port = (uint16_t)(1 + i),
		    .ip = { 203, 0, 113, 7 } } };

		most += pace_places_claim(&net->responder.lights.places, &c) >= 0;
	}
	ck_assert_int_eq(most, SIM_LIGHTS / 4);
}
END_TEST

/* --- the real client ------------------------------------------------------------------------ */

static void
real_client(void)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.light = true;
	net->poll_ns = 1000;
	crowd = 0;
}

START_TEST(the_clock_needs_no_full_session)
{
	struct pace_clock k;

	real_client();
	net->theta_ns = 123456789;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert(cl.is_light);
	ck_assert_int_eq(cl.responder.cores, 0);	/* this rule tells no facts */
	ck_assert_int_eq(pace_client_clock(&cl, 200, SEC / 100, &k, &err), 0);
	ck_assert_uint_eq(k.exchanges, 200);
	ck_assert_int_eq(k.stamp, PACE_STAMP_KERNEL);
	ck_assert_int_lt(llabs(pace_clock_at(&k.fit, k.from_ns) - 123456789), 1000);
	pace_client_close(&cl);
	sim_pass(net, 3 * SEC);
	ck_assert_uint_eq(open_now(), 0);
}
END_TEST

static int
latency(uint32_t size, int64_t interval_ns, struct pace_latency *l)
{
	l->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = size,
	    .count = 100, .interval_ns = interval_ns, .timeout_ns = SEC };
	return pace_client_latency(&cl, l, &err);
}

START_TEST(a_client_that_needs_the_lease_gets_a_full_session)
{
	struct pace_latency *l = pace_latency_new();

	real_client();
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(latency(128, SEC / 1000, l), 0);
	ck_assert(cl.is_light);
	ck_assert_uint_eq(l->received, 100);
	ck_assert_int_eq(net->responder.shared.lease.holders, 0);
	ck_assert_uint_eq(l->kernel.stats.n, 100);
	ck_assert_uint_ge(l->residence.stats.n, 80);	/* departures come with later replies */
	ck_assert_uint_eq(l->there.stats.n, l->network.stats.n);
	ck_assert_int_lt(llabs(l->there.stats.min - l->back.stats.max), 2000);
	ck_assert(l->has_requests);
	ck_assert_uint_eq(l->requests.arrived, 100);
	free(l);
	l = pace_latency_new();
	ck_assert_int_eq(latency(129, SEC / 1000, l), 0);
	ck_assert(!cl.is_light);
	ck_assert_uint_eq(l->received, 100);
	ck_assert_uint_eq(open_now(), 0);
	ck_assert_int_eq(sim_sessions(net), 1);
	free(l);
}
END_TEST

static int
send_after_a_stall(void *ctx, const struct pace_out *out, int n)
{
	static bool stalled;

	if (!stalled && out->len == 128)
		sim_pass(net, 3 * SEC);
	stalled = stalled || out->len == 128;
	return sim_client_io(net).send(ctx, out, n);
}

/* The client stalls, and then sends the requests of 3 s at once; the network loses nothing. */
START_TEST(requests_above_the_rate_are_lost_in_no_direction)
{
	struct pace_latency *l = pace_latency_new();

	real_client();
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	cl.io.send = cl.pinger.io.send = send_after_a_stall;
	l->ask = (struct pace_latency_params){ .size_bytes = 128, .reply_bytes = 128,
	    .count = 5000, .interval_ns = SEC / 1000, .timeout_ns = SEC };
	ck_assert_int_eq(pace_client_latency(&cl, l, &err), 0);
	ck_assert(cl.is_light && l->has_requests);
	ck_assert_uint_gt(l->requests.unanswered, 1000);
	ck_assert_uint_eq(l->requests.unanswered, l->timeouts - l->late_replies);
	ck_assert_uint_eq(l->lost_there, 0);
	ck_assert_uint_eq(l->lost_back, 0);
	/* none of them is counted in the next run */
	free(l);
	l = pace_latency_new();
	l->ask = (struct pace_latency_params){ .size_bytes = 128, .reply_bytes = 128, .count = 100,
	    .interval_ns = SEC / 1000, .timeout_ns = SEC };
	ck_assert_int_eq(pace_client_latency(&cl, l, &err), 0);
	ck_assert(l->has_requests);
	ck_assert_uint_eq(l->requests.arrived, 100);
	ck_assert_uint_eq(l->requests.unanswered, 0);
	free(l);
}
END_TEST

/* A stream that is announced too fast is refused, and one that is sent too fast loses what is
 * above its rate. */
START_TEST(the_watch_rate_is_kept)
{
	struct pace_point *p = pace_point_new();
	struct guest *g = &all[0];
	uint64_t sent;

	real_client();
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	p->ask = (struct pace_params){ .size_bytes = 64, .spacing = pace_spacing_from_ns(SEC / 100),
	    .count = 1000, .train = 1, .bursts = 1, .streams = 1, .grace_ns = SEC / 2 };
	ck_assert_int_eq(pace_client_point(&cl, p, &err), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "50"));
	p->ask.spacing = pace_spacing_from_ns(SEC / 20);
	p->ask.size_bytes = 1400;
	ck_assert_int_eq(pace_client_point(&cl, p, &err), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.text, "100 kbit/s"));
	p->ask.train = 2;
	ck_assert_int_eq(pace_client_point(&cl, p, &err), -ENOLCK);
	pace_point_free(p);
	invite(1);
	g->retry_ns = 0;
	live(3 * SEC);
	ck_assert_int_eq(g->state, STARTED);
	for (int i = 0; i < 2000; i++) {	/* 200 frames a second */
		frame(g);
		sim_pass(net, SEC / 200);
	}
	sent = g->sent;
	g->state = FINISHED;
	g->retry_ns = net->now_ns + SEC;
	live(5 * SEC);
	ck_assert(g->reported);
	ck_assert_uint_gt(g->report.frames, 400);
	ck_assert_uint_lt(g->report.frames, 750);	/* 1.1 * 50 * (10 s + 1 s), and before */
	ck_assert_int_eq(g->report.lost, (int64_t)(sent - g->report.frames));
	ck_assert_uint_gt(net->responder.lights.counts.dropped, 1000);
}
END_TEST

/* Too fast, which is the last thing that is looked at. */
static const struct pace_params plain = { .size_bytes = 64, .count = 1000, .train = 1, .bursts = 1,
	.streams = 1, .grace_ns = SEC / 2, .spacing = (uint64_t)(SEC / 100) << 32 };

static void ask_plain(struct pace_params *a)		{ (void)a; }
static void ask_verify(struct pace_params *a)		{ a->verify = true; }
static void ask_records(struct pace_params *a)	{ a->record.room = 10; }
static void ask_linear(struct pace_params *a)
{
	a->linear.bins = 10;
	a->linear.width = 1000;
}
static void ask_intervals(struct pace_params *a)	{ a->interval_ns = SEC; }
static void ask_omit(struct pace_params *a)		{ a->omit_ns = SEC / 10; }
static void ask_messages(struct pace_params *a)	{ a->message = 5; }
static void ask_trains(struct pace_params *a)		{ a->train = 2; }
static void ask_bursts(struct pace_params *a)
{
	a->bursts = 2;
	a->burst_gap_ns = SEC;
}
static void ask_busy_poll(struct pace_params *a)	{ a->busy_poll = true; }
static void ask_no_spacing(struct pace_params *a)	{ a->spacing = 0; }

/* Loop test: what a stream asks for, the plain one first. */
static void (*const asks[])(struct pace_params *a) = { ask_plain, ask_verify, ask_records, ask_linear,
	ask_intervals, ask_omit, ask_messages, ask_trains, ask_bursts, ask_busy_poll, ask_no_spacing };

START_TEST(a_light_session_has_one_plain_stream)
{
	struct pace_point *p = pace_point_new();

	real_client();
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert(cl.is_light);
	p->ask = plain;
	asks[_i](&p->ask);
	ck_assert_int_eq(pace_client_point(&cl, p, &err), _i == 0 ? -EDQUOT : -ENOLCK);
	ck_assert(cl.is_light);
	ck_assert_int_eq(net->responder.shared.lease.holders, 0);
	pace_point_free(p);
}
END_TEST

START_TEST(a_responder_that_stops_tells_light_sessions)
{
	invite(100);
	live(8 * SEC);
	ck_assert_int_eq(count(STARTED), 100);
	pace_responder_close(&net->responder, net->now_ns + 4 * SEC);
	live(5 * SEC);
	ck_assert_uint_eq(open_now(), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("light");

	unit_seed(tc);
	sim_sums(tc, "light");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, getenv("UDPACE_HOSTILE") != NULL ? 0 : 20);
	tcase_add_test(tc, a_thousand_streams_are_counted_as_the_network_logged_them);
	tcase_add_test(tc, clients_die_return_and_change_their_address);
	tcase_add_test(tc, forged_and_replayed_datagrams_change_no_count_and_lock_nobody_out);
	tcase_add_test(tc, frames_between_two_steps_are_missing_nowhere);
	tcase_add_test(tc, a_session_is_found_by_both_addresses);
	tcase_add_test(tc, places_are_shared_among_networks);
	tcase_add_test(tc, a_host_has_a_quarter_of_the_places);
	tcase_add_test(tc, the_clock_needs_no_full_session);
	tcase_add_test(tc, a_client_that_needs_the_lease_gets_a_full_session);
	tcase_add_loop_test(tc, a_light_session_has_one_plain_stream, 0, COUNT_OF(asks));
	tcase_add_test(tc, requests_above_the_rate_are_lost_in_no_direction);
	tcase_add_test(tc, the_watch_rate_is_kept);
	tcase_add_test(tc, a_responder_that_stops_tells_light_sessions);
	return unit_run(tc, "light");
}
