/*
 * Reports during a run, on the simulated network: they are true, stay within their limits, and
 * their loss changes no result.
 */
#include "lib/unit.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "client/client.h"
#include "client/client_io.h"
#include "core/cursor.h"
#include "core/schedule.h"
#include "proto/report.h"
#include "server/session.h"
#include "server/session_run.h"
#include "stream/receiver.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define DAY	(86400 * SEC)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;
static struct pace_key alice;

/* The reports so far. */
static struct {
	uint64_t	reports, bad, backwards, beyond;
	int64_t		gap_min_ns, gap_max_ns, newest_ns, longest_ns;
	uint64_t	samples;
	uint64_t	shaped, misshapen, hosts;
	size_t		largest;
	struct pace_report last;
	volatile sig_atomic_t stop;
	uint64_t	stop_after;
	uint64_t	full_from, full_to, unkept;	/* between these frames none is kept */
} said;

static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	json_t *j = json_loadb(body, strnlen(body, len), JSON_REJECT_DUPLICATES, NULL);
	struct pace_report r;

	(void)ctx;
	if (j == NULL || pace_report_read(j, &r) != 0) {
		said.bad++;
		json_decref(j);
		return true;
	}
	json_decref(j);
	if (pt->tx.frames >= said.full_from && pt->tx.frames < said.full_to) {
		said.unkept++;
		return false;
	}
	said.backwards += r.run.frames < said.last.run.frames || r.at_ns < said.last.at_ns;
	if (len > said.largest)
		said.largest = len;
	said.shaped += r.has_shapes;
	said.misshapen += r.has_shapes && pace_coarse_hist_count(&r.gap) != r.gaps.n;
	said.hosts += r.host.at_ns > 0;
	said.beyond += r.run.frames > pt->tx.frames;
	if (said.reports > 0 && now_ns - said.newest_ns > said.longest_ns)
		said.longest_ns = now_ns - said.newest_ns;
	if (r.recent.gap_min_ns < said.gap_min_ns)
		said.gap_min_ns = r.recent.gap_min_ns;
	if (r.recent.gap_max_ns > said.gap_max_ns)
		said.gap_max_ns = r.recent.gap_max_ns;
	said.samples += r.recent.samples;
	said.newest_ns = now_ns;
	said.last = r;
	if (++said.reports == said.stop_after)
		said.stop = 1;
	return true;
}

static void
new_client(const struct pace_key *k)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	cl.key = k;
	cl.stop = &said.stop;
}

static void
setup(void)
{
	ck_assert_int_ge(sodium_init(), 0);
	net = sim_new(unit_rnd());
	net->poll_ns = 1000;
	memset(&said, 0, sizeof(said));
	said.gap_min_ns = INT64_MAX;
	said.gap_max_ns = INT64_MIN;
	new_client(NULL);
	pt = pace_point_new();
	memset(&err, 0, sizeof(err));
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
}

static int
watch(int64_t spacing_ns, int64_t duration_ns, int64_t every_ns)
{
	const struct pace_watching w = { .report_ns = every_ns, .ping_ns = 10 * MS,
	    .report = on_report };
	int rc = cl.open ? 0 : pace_client_open(&cl, &err);

	pt->ask = (struct pace_params){ .size_bytes = 200, .spacing = pace_spacing_from_ns(spacing_ns),
	    .duration_ns = duration_ns, .train = 1, .bursts = 1, .grace_ns = 100 * MS };
	return rc < 0 ? rc : pace_client_live(&cl, pt, &w, &err);
}

static void
is_sound(void)
{
	ck_assert_uint_eq(said.bad + said.backwards + said.misshapen, 0);
	ck_assert_uint_gt(said.shaped, 0);
	ck_assert_uint_le(said.largest, PACE_REPORT_MAX);
	ck_assert_int_eq(said.last.state, PACE_READY);
	ck_assert_uint_eq(said.last.run.frames + (uint64_t)said.last.run.lost, pt->tx.frames);
}

/* --- what they say ------------------------------------------------------------ */

START_TEST(reports_tell_what_came_so_far)
{
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), 0);
	is_sound();
	ck_assert_uint_eq(said.last.run.frames, pt->tx.frames);
	ck_assert_uint_eq(said.beyond, 0);
	ck_assert_uint_ge(said.reports, 28);
	ck_assert_uint_le(said.reports, 32);
	ck_assert_int_le(said.longest_ns, 150 * MS);
	ck_assert_int_eq(said.gap_min_ns, MS);
	ck_assert_int_eq(said.gap_max_ns, MS);
	ck_assert_uint_eq(said.last.gaps.n, pt->tx.frames - 1);
	ck_assert_uint_gt(said.samples, 0);
	ck_assert_uint_le(said.samples, pt->tx.frames);	/* none of round trips */
	ck_assert_uint_ge(said.last.run.round_trips, 290);
	ck_assert_uint_eq(said.shaped, said.reports);
	ck_assert_uint_eq(said.last.gap.n, 1);
	ck_assert_uint_eq(said.last.gap.bin[0].count, pt->tx.frames - 1);
	ck_assert(said.last.gap.bin[0].low <= MS && MS < said.last.gap.bin[0].high);
	ck_assert_uint_gt(pace_coarse_hist_count(&said.last.delay), 0);
	ck_assert_uint_eq(said.last.rcvbuf_bytes, 16 << 20);
}
END_TEST

/* Frames sent within a millisecond arrive at the same moment. */
static enum sim_fate
bunch(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)len;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA)
		*delay_ns += MS - net->now_ns % MS;
	return SIM_PASS;
}

/* In the end as well, when the rx_result has all of it. */
START_TEST(a_socket_that_drops_is_the_place_in_the_last_report)
{
	const struct pace_tally *t = &said.last.run;

	net->session_room = 8;
	net->hook = bunch;
	ck_assert_int_eq(watch(50000, SEC, 100 * MS), 0);
	is_sound();
	ck_assert_int_gt(t->lost, 100);
	ck_assert_uint_gt(t->socket_lost_likely, (uint64_t)t->lost * 9 / 10);
	ck_assert_uint_eq(t->socket_lost_max, t->socket_lost_likely);
}
END_TEST

/* Ten frames of 32 come, then 22 are missing, and the socket's count is two more; later
 * ten are missing, and it is the same.  Two pieces of 32 may have had them all. */
START_TEST(what_a_socket_drops_is_bounded_while_it_runs)
{
	struct pace_msg_start m = { .limit = 1000, .wire_bytes = 238, .ask = { .size_bytes = 200,
	    .train = 32, .bursts = 1, .spacing = pace_spacing_from_ns(1000) } };
	struct pace_receiver *r = pace_receiver_new();
	struct pace_recent recent;
	struct pace_stats gaps;
	struct pace_tally t;
	int64_t jitter_ns;

	ck_assert_int_eq(pace_receiver_start(r, &m, 5, _i == 1), 0);
	for (uint64_t n = 0; n < 64; n++) {
		struct pace_in in = { .len = 200, .size = 200, .stamp_ns = (int64_t)n * 1000,
		    .has_drops = true, .drops = n < 32 ? 5 : 7 };

		if ((n >= 10 && n < 32) || (n >= 40 && n < 50))
			continue;
		pace_receiver_take(r, &(struct pace_hdr){ .seq = n, .tx_ns = (int64_t)n / 32 }, &in);
	}
	pace_receiver_look(r, &t, &gaps, &jitter_ns, &recent);
	ck_assert_int_eq(t.lost, 32);
	ck_assert_uint_eq(t.socket_drops, 2);
	ck_assert_uint_eq(t.socket_lost_likely, 2);
	ck_assert_uint_eq(t.socket_lost_max, _i == 1 ? 32 : 2);
	pace_receiver_free(r);
}
END_TEST

/* Each frame takes another time: more bins than there is room for. */
static enum sim_fate
scatter(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)len;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA)
		*delay_ns += (int64_t)(1000 << sim_random(net) % 16) + (int64_t)(sim_random(net) % 1000);
	return SIM_PASS;
}

START_TEST(distributions_of_any_kind_fit_and_lose_nothing)
{
	net->hook = scatter;
	net->data[SIM_TO_RESPONDER] = (struct sim_impair){ .loss = 0.02, .dup = 0.02 };
	ck_assert_int_eq(watch(MS, 5 * SEC, 100 * MS), 0);
	ck_assert_uint_eq(said.bad + said.misshapen, 0);
	ck_assert_uint_eq(said.shaped, said.reports);
	ck_assert_uint_le(said.largest, PACE_REPORT_MAX);
	ck_assert_uint_gt(said.largest, PACE_REPORT_MAX - 200);	/* the room is used */
	ck_assert_uint_gt(said.last.gap.n, 20);
	ck_assert_uint_gt(said.last.delay.n, 5);
	ck_assert_uint_eq(pace_coarse_hist_count(&said.last.gap), said.last.gaps.n);
}
END_TEST

/* Every bin is occupied: by few values, by many, by more than there is room for. */
START_TEST(bins_become_wider_until_they_fit)
{
	static struct pace_coarse_hist c;
	static struct pace_report r;
	static const struct { unsigned bins; uint64_t each; bool fits; } all[] = {
		{ 60, 9, true }, { 300, 99999, true }, { 400, 999999, true },
		{ PACE_COARSE_HIST_BINS, UINT64_C(1) << 40, false } };
	size_t len;
	json_t *j;

	memset(&r, 0, sizeof(r));
	pace_recent_none(&r.recent);
	r.has_shapes = true;
	pace_coarse_hist_reset(&c);
	for (unsigned i = 0; i < all[_i].bins; i++)
		c.n[PACE_COARSE_HIST_BINS - 1 - i] = all[_i].each;
	pace_coarse_hist_list(&c, &r.gap);
	r.delay = r.gap;
	pace_report_fit(&r);
	j = pace_report_json(&r);
	len = json_dumpb(j, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(j);
	ck_assert_uint_le(len, PACE_REPORT_MAX);
	ck_assert_int_eq(r.has_shapes, all[_i].fits);
	if (r.has_shapes)
		ck_assert_uint_eq(pace_coarse_hist_count(&r.gap), all[_i].bins * all[_i].each);
}
END_TEST

/* --- the host ------------------------------------------------------------------ */

static uint64_t posts;

/* It counts during the stream. */
static enum sim_fate
count_host(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_host_counters s = { .at_ns = net->now_ns, .has = 1U << PACE_SUM_NIC |
	    1U << PACE_SUM_BACKLOG_LOST, .n = { [PACE_SUM_NIC] = 1000000 + posts,
	    [PACE_SUM_BACKLOG_LOST] = 77 } };

	(void)ctx, (void)len, (void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA &&
	    pace_host_counters_wanted(&net->responder.shared.sums, net->now_ns)) {
		posts++;
		pace_host_counters_post(&net->responder.shared.sums, &s);
	}
	return SIM_PASS;
}

START_TEST(counts_of_the_host_are_differences_and_no_stranger_gets_them)
{
	struct pace_rules *rules = pace_rules_new();
	static struct pace_policy pol;

	posts = 0;
	net->hook = count_host;
	if (_i == 1) {
		pace_policy_built_in(&pol);
		for (int i = 0; i < pol.rules; i++)
			pol.rule[i].host_facts = false;
		pace_rules_set(rules, &pol);
		net->responder.shared.rules = rules;
		net->wall_ns = 20000 * DAY;
	}
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), 0);
	is_sound();
	if (_i == 0) {
		ck_assert_uint_gt(posts, 2000);
		ck_assert_uint_ge(said.hosts, 25);
		ck_assert_uint_le(said.last.host.n[PACE_SUM_NIC], posts);
		ck_assert_uint_gt(said.last.host.n[PACE_SUM_NIC], posts - 300);
		ck_assert_uint_eq(said.last.host.n[PACE_SUM_BACKLOG_LOST], 0);
	} else {
		ck_assert_uint_eq(posts + said.hosts, 0);
	}
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	net->responder.shared.rules = NULL;
	pace_rules_free(rules);
}
END_TEST

/* The board was written for a session that is long over. */
START_TEST(counts_of_the_host_begin_with_the_session)
{
	posts = 0;
	net->hook = count_host;
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	pace_client_close(&cl);
	sim_pass(net, 3600 * SEC);
	posts += 5000000;
	memset(&said.last, 0, sizeof(said.last));
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), 0);
	is_sound();
	ck_assert_uint_gt(said.last.host.n[PACE_SUM_NIC], 2000);
	ck_assert_uint_le(said.last.host.n[PACE_SUM_NIC], 3100);
}
END_TEST

/* Frames 1000 to 1199 are lost, whatever else. */
static enum sim_fate
hole(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_rd r = { .p = buf + 16, .left = 8 };
	uint64_t seq;

	(void)ctx, (void)len, (void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA)
		return SIM_PASS;
	seq = pace_rd_be(&r, 8);
	return seq >= 1000 && seq < 1200 ? SIM_DROP : SIM_PASS;
}

START_TEST(a_hole_is_told_within_one_interval_and_its_gap_once_at_least)
{
	net->hook = hole;
	said.stop_after = 13;		/* 1.3 s: the hole is 1.0 to 1.2 s */
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), -EINTR);
	is_sound();
	ck_assert_int_eq(said.last.run.lost, 200);
	ck_assert_int_eq(said.gap_max_ns, 201 * MS);
}
END_TEST

/* The answers that follow the hole are lost: the next one has what they had. */
static enum sim_fate
hole_and_silence(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	if (way == SIM_TO_CLIENT && buf[3] == (PACE_REPORT | PACE_REPLY) &&
	    pt->tx.frames >= 1100 && pt->tx.frames < 1500)
		return SIM_DROP;
	return hole(ctx, way, buf, len, delay_ns);
}

START_TEST(what_a_lost_report_had_is_in_the_next)
{
	net->hook = hole_and_silence;
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), 0);
	is_sound();
	ck_assert_int_ge(said.longest_ns, 400 * MS);
	ck_assert_int_eq(said.last.run.lost, 200);
	ck_assert_int_eq(said.gap_max_ns, 201 * MS);
}
END_TEST

START_TEST(what_a_report_had_that_was_not_kept_is_in_the_next)
{
	net->hook = hole;
	said.full_from = 1100;
	said.full_to = 1500;
	ck_assert_int_eq(watch(MS, 3 * SEC, 100 * MS), 0);
	is_sound();
	ck_assert_uint_ge(said.unkept, 3);
	ck_assert_int_eq(said.last.run.lost, 200);
	ck_assert_int_eq(said.gap_max_ns, 201 * MS);
}
END_TEST

/* The first answers with the last report are lost. */
static enum sim_fate
lose_the_last(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *left = ctx;

	(void)len, (void)delay_ns;
	return way == SIM_TO_CLIENT && buf[3] == (PACE_REPORT | PACE_REPLY) &&
	    pt->tx.frames == 1000 && (*left)-- > 0 ? SIM_DROP : SIM_PASS;
}

START_TEST(a_last_report_that_is_lost_is_asked_for_again)
{
	int left = 4;

	net->hook = lose_the_last;
	net->hook_ctx = &left;
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	ck_assert_int_lt(left, 0);
	is_sound();
	ck_assert_uint_eq(said.last.run.frames, 1000);
}
END_TEST

/* It takes longer than a request has until the next one. */
static enum sim_fate
delay_control(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)len, (void)way;
	if (buf[3] != PACE_DATA)
		*delay_ns += 300 * MS;
	return SIM_PASS;
}

START_TEST(a_last_report_comes_from_far_away)
{
	net->hook = delay_control;
	ck_assert_int_eq(watch(MS, 2 * SEC, 100 * MS), 0);
	is_sound();
}
END_TEST

START_TEST(a_second_run_begins_anew_in_the_same_session)
{
	for (int i = 0; i < 3; i++) {
		memset(&said.last, 0, sizeof(said.last));
		ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
		is_sound();
		ck_assert_uint_eq(said.last.run.frames, pt->tx.frames);
	}
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* --- what happens to them ------------------------------------------------------ */

/* 30 % loss, doubles and disorder of control and exchanges, both ways: frames are spared, so
 * that there is a truth. */
static void
impair_control(void)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.3, .jitter_ns = 80 * MS };
}

START_TEST(lost_doubled_and_late_reports_change_nothing)
{
	net->hook = hole;
	impair_control();
	ck_assert_int_eq(watch(MS, 6 * SEC, 100 * MS), 0);
	is_sound();
	ck_assert_int_eq(said.last.run.lost, 200);
	ck_assert_int_eq(said.gap_max_ns, 201 * MS);	/* though the one that had it may be lost */
	ck_assert_int_eq(said.gap_min_ns, MS);
	ck_assert_uint_ge(said.reports, 10);
	ck_assert_uint_eq(said.last.run.foreign, 0);
}
END_TEST

/* A random bit of what belongs to REPORT is turned. */
static enum sim_fate
turn_bits(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t *turned = ctx, at = sim_random(net) % (len * 8);

	(void)way, (void)delay_ns;
	if ((buf[3] & ~PACE_REPLY) != PACE_REPORT || sim_random(net) % 2 == 0)
		return SIM_PASS;
	buf[at / 8] ^= (uint8_t)(1 << at % 8);
	++*turned;
	return SIM_PASS;
}

/* The new responder answers no client without it. */
static void
want_key(void)
{
	struct pace_keys ks;
	char text[PACE_KEY_LINE_MAX];

	pace_key_line(&alice, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
}

/* The UDP checksum apart, a header is protected by its check, a body by a key. */
START_TEST(hostile_bits_are_no_truth_with_a_key_and_no_harm_without)
{
	uint64_t turned = 0;

	net->hook = turn_bits;
	net->hook_ctx = &turned;
	if (_i == 1) {
		pace_key_make(&alice, "alice");
		want_key();
		new_client(&alice);
	}
	ck_assert_int_eq(watch(MS, 6 * SEC, 100 * MS), 0);
	ck_assert_uint_gt(turned, 20);
	ck_assert_uint_gt(said.reports, 3);
	ck_assert_uint_eq(pt->tx.frames, 6000);
	if (_i == 1) {
		ck_assert_uint_eq(said.bad + said.backwards + said.beyond, 0);
		ck_assert_uint_ge(said.last.run.frames, 5000);	/* the last one may have been hit */
	}
}
END_TEST

/* Sums of the peer's values stay in the range that can be reported and added. */
START_TEST(no_sum_is_beyond_its_bounds)
{
	struct pace_tally all = { .lost = 0 };
	struct pace_recent sum, one;
	struct pace_report m;
	int64_t sign = _i == 0 ? 1 : -1;
	json_t *j;

	for (int i = 0; i < 20; i++)
		pace_tally_add(&all, &(struct pace_tally){ .lost = sign * (INT64_C(1) << 60) });
	ck_assert_int_eq(all.lost, sign * (INT64_C(1) << 61));
	pace_tally_add(&all, &(struct pace_tally){ .lost = sign * INT64_MAX });
	ck_assert_int_eq(all.lost, sign * (INT64_C(1) << 61));
	pace_tally_add(&all, &(struct pace_tally){ .lost = sign * -INT64_C(5) });
	ck_assert_int_eq(all.lost, sign * ((INT64_C(1) << 61) - 5));
	pace_recent_none(&sum);
	one = sum;
	one.samples = 1;
	one.above_min_ns = one.above_max_ns = sign;
	one.above_sum_ns = sign * PACE_RECENT_SUM_MOST;
	for (int i = 0; i < 2000; i++)
		pace_recent_add(&sum, &one);
	ck_assert_int_eq(sum.above_sum_ns, sign * PACE_RECENT_SUM_MOST);
	ck_assert_uint_eq(sum.samples, 2000);
	memset(&m, 0, sizeof(m));
	m.recent = one;
	j = pace_report_json(&m);
	ck_assert_int_eq(pace_report_read(j, &m), 0);
	json_decref(j);
	m.recent.above_sum_ns += sign;
	j = pace_report_json(&m);
	ck_assert_int_eq(pace_report_read(j, &m), -EPROTO);
	json_decref(j);
}
END_TEST

static struct pace_tally
tally_read(const struct pace_report *m, bool older, int want)
{
	struct pace_report r;
	json_t *j = pace_report_json(m), *t = json_object_get(j, "received");

	if (older) {
		json_object_del(t, "socket_lost_likely");
		json_object_del(t, "socket_lost_max");
	}
	ck_assert_int_eq(pace_report_read(j, &r), want);
	json_decref(j);
	return r.run;
}

START_TEST(a_report_bounds_what_the_socket_dropped)
{
	struct pace_report m = { .run = { .lost = 640, .socket_drops = 10, .socket_lost_likely = 10,
	    .socket_lost_max = 500 } };
	struct pace_tally t;

	pace_recent_none(&m.recent);
	t = tally_read(&m, false, 0);
	ck_assert_uint_eq(t.socket_lost_likely, 10);
	ck_assert_uint_eq(t.socket_lost_max, 500);
	/* older responders do not say whether a drop was a piece of many frames */
	t = tally_read(&m, true, 0);
	ck_assert_uint_eq(t.socket_lost_likely, 10);
	ck_assert_uint_eq(t.socket_lost_max, 640);
	m.run.lost = 4;
	ck_assert_uint_eq(tally_read(&m, true, 0).socket_lost_likely, 4);
	m.run.socket_drops = 0;
	ck_assert_uint_eq(tally_read(&m, true, 0).socket_lost_max, 0);
	m.run.lost = -4;
	m.run.socket_drops = 9;
	ck_assert_uint_eq(tally_read(&m, true, 0).socket_lost_max, 0);
	m.run.socket_lost_max = 9;
	tally_read(&m, false, -EPROTO);
}
END_TEST

static void
count_ip(struct pace_counters *c, int v6, const uint64_t n[6])
{
	static const enum pace_snmp at[6] = { PACE_IP_IN_RECEIVES, PACE_IP_IN_DELIVERS,
		PACE_IP_FORWARDED, PACE_IP_REASM_REQDS, PACE_IP_REASM_OKS, PACE_IP_REASM_FAILS };

	for (int i = 0; i < 6; i++) {
		c->has_snmp[v6][at[i]] = true;
		c->snmp[v6][at[i]] = n[i];
	}
}

START_TEST(what_ip_delivers_to_nobody_is_counted)
{
	struct pace_counters c = { .known = true, .at_ns = 7 };
	struct pace_host_counters s, again;
	json_t *j;

	pace_host_counters_of(&s, &c);
	ck_assert_uint_eq(s.has >> PACE_SUM_UNDELIVERED & 1, 0);
	/* 20 forwarded; 30 parts became 10; 6 parts of 2 more never did; 5 without a socket */
	count_ip(&c, 0, (const uint64_t[6]){ 1000, 1000 - 20 - 20 - 6 - 5, 20, 36, 10, 2 });
	count_ip(&c, 1, (const uint64_t[6]){ 500, 493, 0, 0, 0, 0 });
	pace_host_counters_of(&s, &c);
	ck_assert_uint_eq(s.n[PACE_SUM_UNDELIVERED], 5 + 2 + 7);
	ck_assert_uint_eq(s.n[PACE_SUM_IP], 1500);
	j = pace_host_counters_json(&s);
	ck_assert(pace_host_counters_of_json(&again, j));
	ck_assert_uint_eq(again.n[PACE_SUM_UNDELIVERED], 14);
	ck_assert_uint_eq(again.has, s.has & ((UINT64_C(1) << PACE_HOST_COUNTERS_REPORTED) - 1));
	json_decref(j);
}
END_TEST

/* --- what they cost --------------------------------------------------------------- */

static uint64_t asked, answered, answer_bytes;

static enum sim_fate
count_reports(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)delay_ns;
	if (way == SIM_TO_RESPONDER)
		asked += buf[3] == PACE_REPORT;
	else if (buf[3] == (PACE_REPORT | PACE_REPLY)) {
		answered++;
		answer_bytes += len;
	}
	return SIM_PASS;
}

/* A client that asks a thousand times a second, beside its stream. */
static struct { uint64_t number, sent; } greedy;

static int
ask_greedily(void *ctx, const struct pace_out *v, int n)
{
	struct pace_io real = sim_client_io(net);
	uint8_t buf[PACE_REPORT_PAD];
	struct pace_hdr h = { .type = PACE_REPORT, .run = cl.run, .session = cl.session,
	    .tx_ns = net->now_ns };
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	if (v->buf[3] == PACE_DATA) {
		h.seq = UINT64_C(1) << 40 | ++greedy.number;
		ck_assert_int_gt(pace_report_put(buf, sizeof(buf), &h, &(struct pace_report_request){
		    .seen = h.seq - 1, .want = PACE_WANT_ALL }), 0);
		greedy.sent += real.send(ctx, &out, 1) == 1;
	}
	return real.send(ctx, v, n);
}

START_TEST(no_more_than_ten_a_second_are_answered_whoever_asks)
{
	memset(&greedy, 0, sizeof(greedy));
	asked = answered = answer_bytes = 0;
	net->hook = count_reports;
	cl.io.send = ask_greedily;
	ck_assert_int_eq(watch(MS, 5 * SEC, SEC), 0);
	ck_assert_uint_gt(greedy.sent, 4900);
	ck_assert_uint_ge(asked, greedy.sent);
	ck_assert_uint_le(answered, 54);
	ck_assert_uint_ge(answered, 45);
	ck_assert_uint_lt(answer_bytes, answered * (PACE_HDR_SIZE + PACE_REPORT_MAX));
	ck_assert_uint_eq(pt->tx.frames, 5000);
}
END_TEST

/* One REPORT of the run, by itself. */
static void
say_report(uint64_t number, uint32_t want)
{
	struct pace_io io = sim_client_io(net);
	uint8_t buf[PACE_REPORT_PAD];
	struct pace_hdr h = { .type = PACE_REPORT, .run = cl.run, .session = cl.session,
	    .seq = number, .tx_ns = net->now_ns };
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	ck_assert_int_gt(pace_report_put(buf, sizeof(buf), &h, &(struct pace_report_request){
	    .want = want }), 0);
	ck_assert_int_eq(io.send(io.ctx, &out, 1), 1);
	sim_pass(net, 300 * MS);
}

START_TEST(a_number_that_is_not_above_the_one_before_is_not_answered)
{
	uint64_t number;

	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	sim_pass(net, SEC);
	number = cl.request + 10;
	asked = answered = answer_bytes = 0;
	net->hook = count_reports;
	say_report(number, 0);
	ck_assert_uint_eq(answered, 1);
	say_report(number, 0);
	say_report(number - 1, 0);
	say_report(1, 0);
	ck_assert_uint_eq(asked, 4);
	ck_assert_uint_eq(answered, 1);
	say_report(number + 1, 0);
	ck_assert_uint_eq(answered, 2);
}
END_TEST

START_TEST(parts_are_told_to_who_asks_for_them)
{
	uint64_t brief;

	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	sim_pass(net, SEC);
	asked = answered = answer_bytes = 0;
	net->hook = count_reports;
	say_report(cl.request + 1, 0);
	brief = answer_bytes;
	say_report(cl.request + 2, PACE_WANT_SHAPES);
	ck_assert_uint_eq(answered, 2);
	ck_assert_uint_gt(answer_bytes - brief, brief + 20);
}
END_TEST

/* A REPORT of the run, by hand. */
static void
look_by_hand(void)
{
	uint8_t buf[PACE_REPORT_PAD];
	struct pace_io io = sim_client_io(net);
	struct pace_hdr h = { .type = PACE_REPORT, .run = cl.run, .session = cl.session,
	    .seq = ++cl.request, .tx_ns = net->now_ns };
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	ck_assert_int_gt(pace_report_put(buf, sizeof(buf), &h, &(struct pace_report_request){
	    .want = PACE_WANT_ALL }), 0);
	ck_assert_int_eq(io.send(io.ctx, &out, 1), 1);
}

/* They hold no lease: a client that only reads its result delays no other client. */
START_TEST(looking_keeps_no_lease)
{
	struct pace_msg_error who;

	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	for (int i = 0; i < 13 * 5; i++) {
		look_by_hand();
		sim_pass(net, 200 * MS);
	}
	ck_assert_int_eq(sim_sessions(net), 1);
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 1, &somebody, net->now_ns, 0, "", &who), 0);
}
END_TEST

/* The memory of a run whose client has left is kept only for a client that reads it. */
START_TEST(looking_keeps_no_memory_of_an_abandoned_run)
{
	const struct pace_msg_start m = { .limit = 1000, .wire_bytes = 138, .at_most_ns = 60 * SEC,
	    .ask = { .size_bytes = 100, .spacing = pace_spacing_from_ns(10000), .count = 1000,
	    .train = 1, .bursts = 1, .record = { .room = 100000 } } };

	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	ck_assert_ptr_nonnull(net->sessions[0].session->own.receiver);
	for (int i = 0; i < 25 * 5; i++) {
		look_by_hand();
		sim_pass(net, 200 * MS);
	}
	ck_assert_ptr_nonnull(net->sessions[0].session->own.receiver);	/* an outage may be so long */
	for (int i = 0; i < 7 * 5; i++) {
		look_by_hand();
		sim_pass(net, 200 * MS);
	}
	ck_assert_int_eq(sim_sessions(net), 1);
	ck_assert_ptr_null(net->sessions[0].session->own.receiver);
}
END_TEST

/* --- how often a session is woken --------------------------------------------------- */

static uint64_t numbered;

static void
send_frame(void)
{
	uint8_t buf[100] = { 0 };
	struct pace_io io = sim_client_io(net);
	struct pace_hdr h = { .type = PACE_DATA, .run = cl.run, .session = cl.session,
	    .seq = numbered++, .tx_ns = net->now_ns };
	struct pace_out out = { .buf = buf, .len = sizeof(buf) };

	ck_assert_int_gt(pace_hdr_encode(buf, sizeof(buf), &h), 0);
	ck_assert_int_eq(io.send(io.ctx, &out, 1), 1);
}

/* A run that announces a frame every spacing_ns; how often its session was woken while n
 * frames came, every_ns from one to the next. */
static uint64_t
woken(int64_t spacing_ns, bool busy, bool pings, uint64_t n, int64_t every_ns)
{
	const struct pace_msg_start m = { .limit = 1000000, .wire_bytes = 138,
	    .at_most_ns = 60 * SEC, .pings = pings, .reply_bytes = pings ? 100 : 0,
	    .ask = { .size_bytes = 100, .spacing = pings ? 0 : pace_spacing_from_ns(spacing_ns),
	    .count = 1000000, .duration_ns = pings ? 1000000 * spacing_ns : 0, .train = 1,
	    .bursts = 1, .busy_poll = busy } };
	uint64_t before;

	if (!cl.open)
		ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	sim_pass(net, 100 * MS);
	before = net->steps;
	numbered = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!pings)
			send_frame();
		else
			ck_assert_int_ge(pace_pinger_send(&cl.pinger, 100, 100), 0);
		sim_pass(net, every_ns);
	}
	return net->steps - before;
}

/* A spin of the time announced, and of 20 us: one look takes 100 ns here. */
static uint64_t
spin(uint64_t frames, int64_t announced_ns)
{
	return frames * (20 + (uint64_t)(announced_ns + 20000) / 90);
}

/* Each way to announce more than is sent: about one frame in 40 ms, and none at all. */
START_TEST(rare_frames_are_not_polled_for)
{
	static const int64_t announced_ns[] = { 0, 10000, 99000, 1000000 };

	net->poll_ns = 20000;
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_le(woken(announced_ns[i], false, false, 100, 40 * MS), 1000);
		ck_assert_uint_le(woken(announced_ns[i], true, false, 25, 40 * MS),
		    spin(25, announced_ns[i]));
		ck_assert_uint_le(woken(announced_ns[i], true, false, 0, 0), 2);
		sim_pass(net, SEC);
	}
	ck_assert_uint_le(woken(100000, true, true, 25, 40 * MS), spin(25, 100000));
	ck_assert_uint_le(woken(100000, true, true, 0, 0), 2);
}
END_TEST

/* As announced they are: no wake-up a frame. */
START_TEST(fast_frames_wake_nobody_one_by_one)
{
	ck_assert_uint_lt(woken(10000, false, false, 20000, 10000), 20000 / 10);
	ck_assert_uint_lt(woken(10000, false, false, 2000, 13000), 2000 / 5);
}
END_TEST

/* --- who does not know them -------------------------------------------------------- */

/* Members that an earlier responder does not send. */
static enum sim_fate
be_old(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static const char word[] = "\"reports\"";
	uint8_t *at = way == SIM_TO_CLIENT && buf[3] == (PACE_OPEN | PACE_REPLY) ?
	    memmem(buf, len, word, sizeof(word) - 1) : NULL;

	(void)ctx, (void)delay_ns;
	if (at != NULL) {
		memcpy(at, "\"removed\"", sizeof(word) - 1);
		sim_mend(buf, len);
	}
	return SIM_PASS;
}

START_TEST(an_older_responder_is_not_asked)
{
	net->hook = be_old;
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(err.text, "too old"));
	ck_assert_uint_eq(pt->tx.frames, 0);
}
END_TEST

START_TEST(a_policy_says_how_long_a_run_may_be)
{
	struct pace_rules *rules = pace_rules_new();

	net->responder.shared.rules = rules;	/* the built-in one: ten seconds */
	net->wall_ns = 20000 * DAY;
	ck_assert_int_eq(watch(MS, 3600 * SEC, 100 * MS), -EDQUOT);
	ck_assert_int_eq(cl.longest_ns, 10 * SEC);
	ck_assert_int_eq(watch(MS, 2 * SEC, 100 * MS), 0);
	is_sound();
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	net->responder.shared.rules = NULL;
	pace_rules_free(rules);
}
END_TEST

/* The responder restarts during the run. */
static enum sim_fate
restart(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *frames = ctx;

	(void)len, (void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && ++*frames == 2000) {
		sim_kill_responder(net);
		sim_start_responder(net);
	}
	return SIM_PASS;
}

START_TEST(a_responder_that_has_forgotten_us_ends_the_run_soon)
{
	int frames = 0;

	net->hook = restart;
	net->hook_ctx = &frames;
	ck_assert_int_eq(watch(MS, 60 * SEC, 100 * MS), -ESTALE);
	ck_assert_uint_ge(pt->tx.frames, 3000);
	ck_assert_uint_le(pt->tx.frames, 6000);
	net->hook = NULL;
	cl.open = false;
	memset(&said.last, 0, sizeof(said.last));
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	is_sound();
}
END_TEST

static const struct pace_watching later = { .report = on_report };

/* Nothing comes through from the 2000th frame on, for 20 s. */
struct wall {
	uint64_t	passed, died;
	int64_t		until_ns;
};

static enum sim_fate
stand(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct wall *w = ctx;
	bool data = way == SIM_TO_RESPONDER && buf[3] == PACE_DATA;

	(void)len, (void)delay_ns;
	if (data && w->passed + w->died == 2000)
		w->until_ns = net->now_ns + 20 * SEC;
	if (net->now_ns >= w->until_ns)
		w->passed += data;
	else
		w->died += data;
	return net->now_ns >= w->until_ns ? SIM_PASS : SIM_DROP;
}

/* The responder still has the session: it knows the counts of the run, and all are reported. */
START_TEST(a_run_that_an_outage_cut_is_ended_behind_it)
{
	struct wall w = { .passed = 0 };

	pace_key_make(&alice, "alice");
	if (_i == 1) {
		want_key();
		new_client(&alice);
	}
	net->hook = stand;
	net->hook_ctx = &w;
	ck_assert_int_eq(watch(MS, 60 * SEC, 100 * MS), -ETIMEDOUT);
	ck_assert_int_eq(said.last.state, PACE_RUNNING);
	ck_assert_int_lt(net->now_ns, w.until_ns);
	ck_assert_int_eq(pace_client_live_end(&cl, pt, &later, SEC, &err), -ETIMEDOUT);
	sim_pass(net, w.until_ns - net->now_ns);
	ck_assert_int_eq(pace_client_live_end(&cl, pt, &later, SEC, &err), 0);
	is_sound();
	ck_assert_uint_eq(said.last.run.frames, w.passed);
	ck_assert_uint_eq(pt->tx.frames, w.passed + w.died);
	net->hook = NULL;
	memset(&said.last, 0, sizeof(said.last));
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	is_sound();
}
END_TEST

/* The responder restarted during the outage: the counts are not known, and the report says so. */
START_TEST(a_run_that_nobody_knows_any_more_has_no_end)
{
	struct wall w = { .passed = 0 };

	pace_key_make(&alice, "alice");
	if (_i == 1) {
		want_key();
		new_client(&alice);
	}
	net->hook = stand;
	net->hook_ctx = &w;
	ck_assert_int_eq(watch(MS, 60 * SEC, 100 * MS), -ETIMEDOUT);
	net->hook = NULL;
	sim_kill_responder(net);
	sim_start_responder(net);
	if (_i == 1)
		want_key();
	ck_assert_int_eq(pace_client_live_end(&cl, pt, &later, 2 * SEC, &err), -ESTALE);
	cl.open = false;
	memset(&said.last, 0, sizeof(said.last));
	ck_assert_int_eq(watch(MS, SEC, 100 * MS), 0);
	is_sound();
}
END_TEST

static enum sim_fate
mute(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)way, (void)len, (void)delay_ns;
	return buf[3] == PACE_START || buf[3] == (PACE_START | PACE_REPLY) ? SIM_PASS : SIM_DROP;
}

/* The peer is silent from the first frame on: the sender stops. */
START_TEST(silence_from_the_start_ends_the_run_too)
{
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	net->hook = mute;
	ck_assert_int_eq(watch(MS, 60 * SEC, 100 * MS), -ETIMEDOUT);
	ck_assert_uint_le(pt->tx.frames, 12000);
}
END_TEST

/* Two refusals, two seconds apart, and no report between them: but exchanges go on. */
static enum sim_fate
refuse_twice(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *refusals = ctx;

	(void)delay_ns;
	if (way != SIM_TO_CLIENT || buf[3] != (PACE_REPORT | PACE_REPLY) ||
	    pt->tx.frames < 500 || pt->tx.frames >= 4000)
		return SIM_PASS;
	if (*refusals >= 2 || pt->tx.frames < 500 + 2000 * (uint64_t)*refusals)
		return SIM_DROP;
	++*refusals;
	memcpy(buf + PACE_HDR_SIZE, "{\"error\"", 8);
	sim_mend(buf, len);
	return SIM_PASS;
}

START_TEST(refusals_now_and_then_end_no_run)
{
	int refusals = 0;

	net->hook = refuse_twice;
	net->hook_ctx = &refusals;
	ck_assert_int_eq(watch(MS, 6 * SEC, 100 * MS), 0);
	ck_assert_int_eq(refusals, 2);
	ck_assert_uint_eq(pt->tx.frames, 6000);
	is_sound();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("report");

	unit_seed(tc);
	sim_sums(tc, "report");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, reports_tell_what_came_so_far);
	tcase_add_test(tc, distributions_of_any_kind_fit_and_lose_nothing);
	tcase_add_loop_test(tc, bins_become_wider_until_they_fit, 0, 4);
	tcase_add_loop_test(tc, counts_of_the_host_are_differences_and_no_stranger_gets_them, 0, 2);
	tcase_add_test(tc, counts_of_the_host_begin_with_the_session);
	tcase_add_test(tc, a_hole_is_told_within_one_interval_and_its_gap_once_at_least);
	tcase_add_test(tc, what_a_lost_report_had_is_in_the_next);
	tcase_add_test(tc, what_a_report_had_that_was_not_kept_is_in_the_next);
	tcase_add_test(tc, a_last_report_that_is_lost_is_asked_for_again);
	tcase_add_test(tc, a_last_report_comes_from_far_away);
	tcase_add_test(tc, a_second_run_begins_anew_in_the_same_session);
	tcase_add_loop_test(tc, what_a_socket_drops_is_bounded_while_it_runs, 0, 2);
	tcase_add_test(tc, a_socket_that_drops_is_the_place_in_the_last_report);
	tcase_add_test(tc, lost_doubled_and_late_reports_change_nothing);
	tcase_add_test(tc, a_report_bounds_what_the_socket_dropped);
	tcase_add_test(tc, what_ip_delivers_to_nobody_is_counted);
	tcase_add_loop_test(tc, hostile_bits_are_no_truth_with_a_key_and_no_harm_without, 0, 2);
	tcase_add_loop_test(tc, no_sum_is_beyond_its_bounds, 0, 2);
	tcase_add_test(tc, no_more_than_ten_a_second_are_answered_whoever_asks);
	tcase_add_test(tc, a_number_that_is_not_above_the_one_before_is_not_answered);
	tcase_add_test(tc, parts_are_told_to_who_asks_for_them);
	tcase_add_test(tc, looking_keeps_no_lease);
	tcase_add_test(tc, looking_keeps_no_memory_of_an_abandoned_run);
	tcase_add_test(tc, rare_frames_are_not_polled_for);
	tcase_add_test(tc, fast_frames_wake_nobody_one_by_one);
	tcase_add_test(tc, an_older_responder_is_not_asked);
	tcase_add_test(tc, a_policy_says_how_long_a_run_may_be);
	tcase_add_test(tc, a_responder_that_has_forgotten_us_ends_the_run_soon);
	tcase_add_loop_test(tc, a_run_that_an_outage_cut_is_ended_behind_it, 0, 2);
	tcase_add_loop_test(tc, a_run_that_nobody_knows_any_more_has_no_end, 0, 2);
	tcase_add_test(tc, silence_from_the_start_ends_the_run_too);
	tcase_add_test(tc, refusals_now_and_then_end_no_run);
	return unit_run(tc, "report");
}
