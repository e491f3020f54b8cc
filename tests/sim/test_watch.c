/*
 * Watched paths: many clients of watch_path.h at one responder, for hours and days of virtual time.
 * Each has an address and a queue of its own.  The truth is the test's log: what each path sent,
 * what this network dropped or copied, what arrived at the responder, and the reports it delivered.
 * UDPACE_WATCH_PEERS: so many paths in the day (60), up to 1000.
 */
#include "lib/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/watch_path.h"
#include "core/schedule.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define HOUR	(3600 * SEC)
#define CROWD	1000
#define NETWORKS	200
#define QUEUE	16

struct peer {
	struct pace_watch_path path;
	struct pace_addr addr;
	bool		cut;		/* nothing passes, either way */
	int		queued;
	struct { uint8_t buf[PACE_CLIENT_ROOM]; size_t len; int64_t at_ns; } queue[QUEUE];
	/* the log */
	uint64_t	sent, dropped, copied, arrived;	/* frames; arrived: with copies */
	uint64_t	hellos, datagrams, off_grid, lies;
	uint64_t	pings_dropped, answers_dropped;
	/* the last report of the newest session, and the sum of those of the sessions before */
	uint64_t	session, reported, reported_before;
	int64_t		lost, lost_before;
	struct pace_watch_counts spans;		/* the sum of all intervals */
	uint64_t	intervals;
};

static struct sim *net;
static struct peer *all;
static int crowd, loss, copies;			/* in 1000 */
static bool lies;		/* before each report comes one that cannot be true */
static struct pace_rules *rules;
static struct pace_policy pol;

/* --- a path's socket ----------------------------------------------------------------- */

static bool
is_type(const void *buf, size_t len, uint8_t type)
{
	struct pace_hdr h;

	return pace_hdr_decode(&h, buf, len) == 0 && h.type == type;
}

static int
peer_send(void *ctx, const struct pace_out *v, int n)
{
	struct peer *p = ctx;
	bool frame = is_type(v->buf, v->len, PACE_DATA);
	int dice = (int)(unit_rnd() % 1000);

	p->datagrams++;
	p->hellos += v->buf[3] == PACE_HELLO;
	p->sent += frame;
	p->off_grid += frame && (net->now_ns - p->path.cfg.phase_ns) % p->path.cfg.spacing_ns != 0;
	if (p->cut || dice < loss) {
		p->dropped += frame;
		p->pings_dropped += is_type(v->buf, v->len, PACE_PING);
		return n;
	}
	sim_inject(net, &p->addr, v->buf, v->len);
	if (dice >= 1000 - copies) {
		p->copied += frame;
		sim_inject(net, &p->addr, v->buf, v->len);
	}
	return n;
}

static int
peer_recv(void *ctx, struct pace_in *in, int n)
{
	struct peer *p = ctx;

	if (p->queued == 0 || n < 1)
		return 0;
	in->len = p->queue[0].len;
	memcpy(in->buf, p->queue[0].buf, in->len);
	in->stamp_ns = p->queue[0].at_ns;
	in->stamp = PACE_STAMP_KERNEL;
	memmove(p->queue, p->queue + 1, (size_t)--p->queued * sizeof(p->queue[0]));
	return 1;
}

static int
peer_departures(void *ctx, struct pace_departure *v, int n)
{
	(void)ctx, (void)v, (void)n;
	return 0;
}

static void
peer_renumber(void *ctx)
{
	(void)ctx;
}

static int64_t
peer_now(void *ctx)
{
	(void)ctx;
	return net->now_ns;
}

static struct pace_io
peer_io(struct peer *p)
{
	return (struct pace_io){ .ctx = p, .send = peer_send, .recv = peer_recv,
	    .departures = peer_departures, .renumber = peer_renumber, .now = peer_now,
	    .wall = peer_now };
}

static struct peer *
peer_at(const struct pace_addr *a)
{
	int i = (a->ip[1] - 51) * NETWORKS + a->ip[2] - 1;

	return a->ip[0] == 198 && i >= 0 && i < crowd && pace_addr_same(a, &all[i].addr) ? &all[i] :
	    NULL;
}

static void
queue(struct peer *p, const void *buf, size_t len)
{
	if (p->queued == QUEUE || len > PACE_CLIENT_ROOM)
		return;
	memcpy(p->queue[p->queued].buf, buf, len);
	p->queue[p->queued].len = len;
	p->queue[p->queued++].at_ns = net->now_ns;
}

/* An answer to the request of this true report. */
static void
lie(struct peer *p, const struct sim_packet *pkt)
{
	struct pace_hdr h;
	struct pace_report r = { .at_ns = 2, .began_ns = 1, .state = PACE_READY };
	uint8_t buf[PACE_CLIENT_ROOM];
	int len;

	if (pace_hdr_decode(&h, pkt->buf, pkt->len) != 0 || h.type != (PACE_REPORT | PACE_REPLY))
		return;
	r.run.frames = p->path.run_sent + p->lies % 2;
	r.run.lost = 1 - (int64_t)(p->lies % 2);
	p->lies++;
	pace_recent_none(&r.recent);
	len = pace_msg_put(buf, sizeof(buf), &h, pace_report_json(&r), 0);
	queue(p, buf, (size_t)len);
}

/* Remember a report that reaches its path. */
static void
log_report(struct peer *p, const struct sim_packet *pkt)
{
	struct pace_hdr h;
	struct pace_report r;
	json_t *body;

	if (pace_hdr_decode(&h, pkt->buf, pkt->len) != 0 || h.type != (PACE_REPORT | PACE_REPLY))
		return;
	body = pace_msg_body(pkt->buf, pkt->len);
	if (body != NULL && pace_report_read(body, &r) == 0) {
		if (h.session != p->session) {
			p->reported_before += p->reported;
			p->lost_before += p->lost;
			p->session = h.session;
		}
		p->reported = r.run.frames;
		p->lost = r.run.lost;
	}
	json_decref(body);
}

static void
to_peer(struct sim *s, const struct sim_packet *pkt)
{
	struct peer *p = peer_at(&pkt->to);

	(void)s;
	if (p == NULL)
		return;
	if (p->cut || (int)(unit_rnd() % 1000) < loss) {
		p->answers_dropped += is_type(pkt->buf, pkt->len, PACE_PING | PACE_REPLY);
		return;
	}
	if (lies)
		lie(p, pkt);
	log_report(p, pkt);
	queue(p, pkt->buf, pkt->len);
}

static void
log_arrival(void *ctx, enum sim_step step, const struct sim_packet *pkt, int part)
{
	struct peer *p = peer_at(&pkt->from);

	(void)ctx, (void)part;
	if (step == SIM_QUEUED && p != NULL)
		p->arrived++;
}

/* --- the world ------------------------------------------------------------------------- */

static void
listener_turns(struct sim *s)
{
	while (!s->down && pace_responder_step(&s->responder) > 0)
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
	net->tick_ns = SEC / 10;
	net->saw = log_arrival;
	net->other = to_peer;
	net->theta_ns = 7 * HOUR;
	net->skew_ppb = 3000;
	all = calloc(CROWD, sizeof(*all));
	crowd = loss = copies = 0;
	lies = false;
}

static void
teardown(void)
{
	for (int i = 0; i < crowd; i++)
		pace_watch_path_free(&all[i].path);
	sim_free(net);
	pace_rules_free(rules);
	free(all);
}

static void
add_span(void *ctx, const struct pace_watch_path *path, const struct pace_watch_counts *span)
{
	struct peer *p = ctx;
	uint64_t *to = (uint64_t *)&p->spans;
	const uint64_t *v = (const uint64_t *)span;

	(void)path;
	for (size_t i = 0; i < sizeof(*span) / sizeof(*v); i++)
		to[i] += v[i];
	p->intervals++;
}

static void
invite(int n, int64_t spacing_ns, int64_t interval_ns, int64_t ping_ns)
{
	for (; crowd < n; crowd++) {
		struct peer *p = &all[crowd];
		const struct pace_watch_cfg cfg = { .size_bytes = 64, .spacing_ns = spacing_ns,
		    .phase_ns = net->now_ns + spacing_ns * crowd / n, .interval_ns = interval_ns,
		    .ping_ns = ping_ns, .begin_ns = net->now_ns,
		    .report_ns = interval_ns * crowd / n };

		p->addr = (struct pace_addr){ .family = 4, .port = 5000,
		    .ip = { 198, (uint8_t)(51 + crowd / NETWORKS), (uint8_t)(1 + crowd % NETWORKS),
		    1 } };
		ck_assert_int_eq(pace_watch_path_init(&p->path, NULL, spacing_ns), 0);
		p->path.c.io = peer_io(p);
		p->path.interval = add_span;
		p->path.ctx = p;
		pace_watch_path_begin(&p->path, &cfg, net->now_ns + 10000000 * (int64_t)crowd);
	}
}

static void
act(struct peer *p)
{
	if (p->path.frame_ns <= net->now_ns)
		pace_watch_path_frame(&p->path, net->now_ns);
	if (p->path.work_ns <= net->now_ns)
		pace_watch_path_act(&p->path, net->now_ns);
}

static int64_t
due_of(const struct peer *p)
{
	return p->path.frame_ns < p->path.work_ns ? p->path.frame_ns : p->path.work_ns;
}

/* Let time pass; each path does what is due when it is due. */
static void
live(int64_t ns)
{
	int64_t end = net->now_ns + ns, due[CROWD], at;

	for (int i = 0; i < crowd; i++)
		due[i] = due_of(&all[i]);
	while (net->now_ns < end) {
		at = end;
		for (int i = 0; i < crowd; i++)
			at = due[i] < at ? due[i] : at;
		if (at > net->now_ns)
			sim_pass(net, at - net->now_ns);
		for (int i = 0; i < crowd; i++)
			if (due[i] <= net->now_ns) {
				act(&all[i]);
				due[i] = due_of(&all[i]);
			}
	}
}

static void
end_all(void)
{
	for (int i = 0; i < crowd; i++)
		pace_watch_path_end(&all[i].path, net->now_ns);
	live(5 * SEC);
	for (int i = 0; i < crowd; i++)
		ck_assert_int_eq(all[i].path.step, PACE_WATCH_STEP_OVER);
}

static int
up(void)
{
	int n = 0;

	for (int i = 0; i < crowd; i++)
		n += all[i].path.step == PACE_WATCH_STEP_RUN;
	return n;
}

static struct pace_watch_counts
counts_of(const struct peer *p)
{
	struct pace_watch_counts c;

	pace_watch_path_counts(&p->path, net->now_ns, &c);
	return c;
}

/* exact: no session died, so each frame was reported. */
static void
check_counts(const struct peer *p, bool exact)
{
	struct pace_watch_counts c = counts_of(p);
	uint64_t unique = p->arrived - p->copied;

	ck_assert_uint_eq(c.sent, p->sent);
	ck_assert_int_eq((int64_t)c.sent, (int64_t)(c.received + c.unreported + c.in_flight) + c.lost);
	ck_assert_uint_eq(c.in_flight, 0);
	ck_assert_uint_eq(p->off_grid, 0);
	/* the intervals add up to the whole */
	ck_assert_uint_eq(p->spans.sent, c.sent);
	ck_assert_uint_eq(p->spans.received, c.received);
	ck_assert_int_eq(p->spans.lost, c.lost);
	ck_assert_uint_eq(p->spans.unreported, c.unreported);
	ck_assert_uint_eq(p->spans.duplicates, c.duplicates);
	ck_assert_uint_le(c.received, unique);
	ck_assert_int_le(c.lost, (int64_t)p->dropped);
	ck_assert_uint_le(c.duplicates, p->copied);
	ck_assert_uint_eq(c.received, p->reported_before + p->reported);
	ck_assert_int_eq(c.lost, p->lost_before + p->lost);
	if (!exact)
		return;
	ck_assert_uint_eq(c.unreported, 0);
	ck_assert_uint_eq(c.received, unique);
	ck_assert_int_eq(c.lost, (int64_t)p->dropped);
	ck_assert_uint_eq(c.duplicates, p->copied);
}

/* --- tests --------------------------------------------------------------------------------- */

START_TEST(every_frame_of_an_hour_is_accounted_for)
{
	loss = 20;
	copies = 10;
	invite(50, SEC / 5, 10 * SEC, SEC);
	live(HOUR / 4);
	ck_assert_int_eq(up(), 50);
	end_all();
	for (int i = 0; i < crowd; i++) {
		const struct peer *p = &all[i];

		check_counts(p, true);
		ck_assert_uint_gt(p->sent, 4400);
		ck_assert_uint_ge(p->intervals, 89);
		ck_assert_uint_eq(counts_of(p).sessions, 1);
	}
}
END_TEST

/* Requests and replies that were lost are told apart, by what the responder says that it answered. */
START_TEST(lost_exchanges_have_a_direction)
{
	uint64_t there = 0, back = 0;

	loss = 30;
	lies = _i == 1;
	invite(40, SEC / 5, 10 * SEC, SEC / 4);
	live(HOUR / 6);
	loss = 0;
	live(40 * SEC);
	end_all();
	for (int i = 0; i < crowd; i++) {
		struct pace_watch_counts c = counts_of(&all[i]);

		ck_assert_uint_eq(c.sessions, 1);
		ck_assert_int_eq(c.lost_there, (int64_t)all[i].pings_dropped);
		ck_assert_int_eq(c.lost_back, (int64_t)all[i].answers_dropped);
		ck_assert_int_eq((int64_t)c.timeouts, c.lost_there + c.lost_back);
		ck_assert_int_eq(all[i].spans.lost_there, c.lost_there);
		there += all[i].pings_dropped;
		back += all[i].answers_dropped;
	}
	ck_assert_uint_gt(there, 500);
	ck_assert_uint_gt(back, 500);
}
END_TEST

START_TEST(delays_and_clock_are_those_of_the_network)
{
	struct pace_watched w;

	net->delay_ns = 2000000;
	net->back_ns = 0;
	invite(3, SEC / 10, 10 * SEC, SEC);
	live(120 * SEC);
	for (int i = 0; i < crowd; i++) {
		int64_t theta = net->theta_ns + (int64_t)((double)net->now_ns * 3e-6);

		memset(&w, 0, sizeof(w));
		pace_watch_path_figures(&all[i].path, net->now_ns, &w);
		ck_assert_int_eq(w.state, PACE_WATCH_UP);
		ck_assert(w.clock_known);
		ck_assert_int_le(llabs(w.offset_ns - theta), (int64_t)w.bound_ns + 1000);
		ck_assert_double_lt(fabs(w.skew_ppm - 3), 0.5);
		ck_assert_uint_gt(pace_coarse_hist_count(&w.rtt), 100);
		ck_assert_int_gt(pace_coarse_hist_quantile(&w.rtt, 0.5), 3700000);
		ck_assert_int_lt(pace_coarse_hist_quantile(&w.rtt, 0.5), 4300000);
		ck_assert_int_gt(pace_coarse_hist_quantile(&w.up, 0.5), 1800000);
		ck_assert_int_lt(pace_coarse_hist_quantile(&w.up, 0.5), 2200000);
		ck_assert_int_gt(pace_coarse_hist_quantile(&w.down, 0.5), 1800000);
		ck_assert_int_lt(pace_coarse_hist_quantile(&w.down, 0.5), 2200000);
		ck_assert_uint_gt(pace_coarse_hist_count(&w.gap), 1000);
		ck_assert_int_lt(llabs(pace_coarse_hist_quantile(&w.gap, 0.5) - SEC / 10), SEC / 160);
	}
}
END_TEST

/* The datagrams of all in the next ns, and the most in any 100 ms of it. */
static uint64_t
busiest(int64_t ns)
{
	uint64_t most = 0, before = 0, now;

	for (int i = 0; i < crowd; i++)
		before += all[i].datagrams;
	for (int64_t t = 0; t < ns; t += SEC / 10) {
		live(SEC / 10);
		now = 0;
		for (int i = 0; i < crowd; i++)
			now += all[i].datagrams;
		most = now - before > most ? now - before : most;
		before = now;
	}
	return most;
}

START_TEST(a_dead_responder_costs_one_hello_in_some_seconds)
{
	uint64_t hellos = 0;

	invite(100, SEC, 10 * SEC, SEC);
	live(30 * SEC);
	ck_assert_int_eq(up(), 100);
	sim_kill_responder(net);
	live(30 * SEC);
	ck_assert_int_eq(up(), 0);
	for (int i = 0; i < crowd; i++)
		all[i].hellos = 0;
	live(600 * SEC);
	for (int i = 0; i < crowd; i++)
		hellos += all[i].hellos;
	/* one in 4 s +-25 % and the wait of 1.5 s */
	ck_assert_uint_gt(hellos, 100 * 600 / 7);
	ck_assert_uint_lt(hellos, 100 * 600 / 4);
	sim_start_responder(net);
	net->responder.shared.rules = rules;
	/* 41 to 62 were seen in 60 seeds; all paths in step send 311 */
	ck_assert_uint_lt(busiest(10 * SEC), 100);
	ck_assert_int_eq(up(), 100);
	end_all();
	for (int i = 0; i < crowd; i++) {
		check_counts(&all[i], false);
		ck_assert_uint_eq(counts_of(&all[i]).sessions, 2);
		ck_assert_uint_gt(counts_of(&all[i]).unreported, 0);
		ck_assert_int_lt(counts_of(&all[i]).up_ns, 60 * SEC);
	}
}
END_TEST

START_TEST(an_outage_shorter_than_the_silence_is_measured_as_loss)
{
	invite(10, SEC / 4, 10 * SEC, SEC);
	live(25 * SEC);
	for (int i = 0; i < crowd; i++)
		all[i].cut = true;
	live(8 * SEC);
	for (int i = 0; i < crowd; i++)
		all[i].cut = false;
	live(25 * SEC);
	end_all();
	for (int i = 0; i < crowd; i++) {
		check_counts(&all[i], true);
		ck_assert_int_ge(counts_of(&all[i]).lost, 31);
		ck_assert_uint_eq(counts_of(&all[i]).sessions, 1);
	}
}
END_TEST

/* What happens to a path in a day: nothing, an outage, a new address. */
static void
befall(int hour)
{
	for (int i = 0; i < crowd; i++) {
		struct peer *p = &all[i];

		p->cut = i % 4 == 1 && hour % 5 == 3;
		if (i % 4 == 2 && hour % 7 == 6) {
			struct pace_io io = peer_io(p);

			p->addr.port++;
			pace_watch_path_move(&p->path, &io, net->now_ns);
		}
	}
	if (hour == 13 || hour == 14) {
		sim_kill_responder(net);
		live(hour == 13 ? 20 * SEC : 3 * SEC);
		sim_start_responder(net);
		net->responder.shared.rules = rules;
	}
}

START_TEST(a_day_with_deaths_returns_and_new_addresses)
{
	const char *env = getenv("UDPACE_WATCH_PEERS");
	int peers = env != NULL ? atoi(env) : 60;

	ck_assert(peers > 0 && peers <= CROWD);
	loss = 5;
	copies = 2;
	net->tick_ns = SEC;
	invite(peers, 4 * SEC, 300 * SEC, 20 * SEC);
	for (int hour = 0; hour < 24; hour++) {
		befall(hour);
		live(HOUR);
	}
	ck_assert_int_eq(up(), crowd - crowd / 4);	/* hour 23: these are cut off */
	end_all();
	for (int i = 0; i < crowd; i++) {
		check_counts(&all[i], false);
		ck_assert_uint_ge(counts_of(&all[i]).sessions, 4);	/* 6 hours each */
		ck_assert_uint_gt(all[i].sent, 14000);
	}
}
END_TEST

/* Replies that nobody sent: random, of other sessions and numbers, and impossible reports. */
static void
forge(struct peer *p)
{
	const struct pace_client *c = &p->path.c;
	struct pace_hdr h = { .type = PACE_REPORT | PACE_REPLY, .run = c->run,
	    .session = unit_rnd() % 2 ? c->session : unit_rnd(),
	    .seq = p->path.first + unit_rnd() % 3, .tx_ns = net->now_ns };
	struct pace_report r = { .at_ns = 2, .began_ns = 1, .state = PACE_RUNNING,
	    .run.frames = UINT64_C(1) << 40, .run.lost = 5 };
	uint8_t buf[PACE_CLIENT_ROOM];
	int len;

	pace_recent_none(&r.recent);
	len = pace_msg_put(buf, sizeof(buf), &h, pace_report_json(&r), 0);
	ck_assert_int_gt(len, 0);
	for (int i = unit_rnd() % 2 ? (int)(unit_rnd() % 8) : 0; i > 0; i--)
		buf[unit_rnd() % (uint64_t)len] ^= (uint8_t)unit_rnd();
	queue(p, buf, (size_t)len);
}

START_TEST(forged_replies_change_no_count)
{
	lies = true;
	invite(5, SEC / 10, SEC, SEC);
	live(5 * SEC);
	for (int k = 0; k < 20000; k++) {
		forge(&all[k % crowd]);
		live(SEC / 100);
	}
	ck_assert_int_eq(up(), 5);
	end_all();
	for (int i = 0; i < crowd; i++) {
		check_counts(&all[i], true);
		ck_assert_uint_gt(all[i].path.c.strays, 100);
		ck_assert_uint_gt(all[i].lies, 100);
		ck_assert_uint_eq(counts_of(&all[i]).sessions, 1);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("watch");

	tcase_set_timeout(tc, getenv("UDPACE_WATCH_PEERS") != NULL ? 0 : 60);
	unit_seed(tc);
	sim_sums(tc, "watch");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, every_frame_of_an_hour_is_accounted_for);
	tcase_add_loop_test(tc, lost_exchanges_have_a_direction, 0, 2);
	tcase_add_test(tc, delays_and_clock_are_those_of_the_network);
	tcase_add_test(tc, a_dead_responder_costs_one_hello_in_some_seconds);
	tcase_add_test(tc, an_outage_shorter_than_the_silence_is_measured_as_loss);
	tcase_add_test(tc, a_day_with_deaths_returns_and_new_addresses);
	tcase_add_test(tc, forged_replies_change_no_count);
	return unit_run(tc, "watch");
}
