/*
 * The sender of STAMP on the simulated network, against the reflector of server/reflector.h and
 * against replies that other makers' reflectors, or forgers, could send.  What the network did
 * is the truth: which packets it lost on which way, its delays, and the reflector's clock.
 */
#include "lib/unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "client/watch_path.h"
#include "doc/latency_doc.h"
#include "far.h"
#include "sums.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_stamp_session stamp;
static struct pace_latency *lat;
static struct pace_rules *rules;
static struct pace_err err;

static uint8_t
same_dscp(struct sim_packet *p)
{
	(void)p;
	return 46 << 2;
}

static void
setup(void)
{
	memset(&far, 0, sizeof(far));
	memset(&err, 0, sizeof(err));
	memset(&stamp, 0, sizeof(stamp));
	rules = NULL;
	far.there_ns = far.back_ns = 100 * US;
	far.stay_ns = 20 * US;
	far.stay_min = INT64_MAX;
	far.net = net = sim_new(unit_rnd());
	net->stack_ns = FAR_STACK;
	net->poll_ns = 1000;
	net->hook = far_reflect;
	net->remark = same_dscp;
	ck_assert_int_eq(pace_client_init(&cl), 0);
	cl.io = sim_client_io(net);
	stamp.dscp = 46;
	stamp.ttl = 255;
	cl.pinger.stamp = &stamp;
	lat = pace_latency_new();
	far_use(true);
}

static void
teardown(void)
{
	pace_client_free(&cl);
	pace_reflector_free(far.reflector);
	pace_rules_free(rules);
	sim_free(net);
	free(lat);
}

static void
open_session(void)
{
	ck_assert_msg(pace_client_open(&cl, &err) == 0, "%s", err.text);
}

/* Measure count round trips, 1 ms apart; the truth counts from here. */
static void
measure(uint32_t size, uint64_t count)
{
	const char *broken;
	json_t *j;

	far.asked = far.replied = far.dropped_there = far.dropped_back = 0;
	far.copied_there = far.copied_back = 0;
	far.stay_min = INT64_MAX;
	far.stay_max = 0;
	lat->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = size,
	    .count = count, .interval_ns = MS, .timeout_ns = 100 * MS };
	ck_assert_msg(pace_client_latency(&cl, lat, &err) == 0, "%s", err.text);
	broken = pace_latency_broken(lat);
	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert_uint_eq(lat->sent, count);
	/* it comes back from a document as it was */
	j = pace_latency_to_json(lat);
	ck_assert_int_eq(pace_latency_from_json(lat, j), 0);
	json_decref(j);
}

static bool
has_note(const char *code)
{
	for (int i = 0; i < lat->notes.n; i++)
		if (strcmp(lat->notes.v[i].code, code) == 0)
			return true;
	return false;
}

/* --- losses, duplicates ------------------------------------------------------------------- */

static bool
every_seventh(uint32_t n)
{
	return n % 7 == 3 && n < 990;
}

static bool
some(uint32_t n)
{
	return (n % 11 == 5 || n % 50 == 6) && far.asked < 990;
}

static bool
all(uint32_t n)
{
	(void)n;
	return true;
}

START_TEST(losses_are_the_networks_by_direction)
{
	far_use(_i == 0);
	open_session();
	far.lost_there = every_seventh;
	far.lost_back = some;
	for (int series = 0; series < 3; series++) {
		measure(100 + (uint32_t)series * 50, 1000);
		ck_assert_uint_eq(lat->timeouts, far.dropped_there + far.dropped_back);
		ck_assert_uint_gt(far.dropped_back, 50);
		ck_assert_int_eq(lat->stamp.counter, _i == 0 ? PACE_COUNTER_OWN : PACE_COUNTER_COPIED);
		if (_i == 0) {
			ck_assert_uint_eq(lat->stamp.lost_there, far.dropped_there);
			ck_assert_uint_eq(lat->stamp.lost_back, far.dropped_back);
			ck_assert_uint_eq(lat->stamp.lost_unknown, 0);
		} else {
			ck_assert_uint_eq(lat->stamp.lost_unknown, lat->timeouts);
		}
		pace_hist_reset(&lat->rtt);
		free(lat);
		lat = pace_latency_new();
	}
}
END_TEST

static bool
first_three(uint32_t n)
{
	return n < 3;
}

/* Nobody can know where those before the first reply and after the last one were lost. */
START_TEST(losses_at_the_ends_have_no_direction)
{
	open_session();
	far.lost_there = first_three;
	measure(100, 100);
	ck_assert_uint_eq(lat->stamp.lost_unknown, 3);
	ck_assert_uint_eq(lat->stamp.lost_there + lat->stamp.lost_back, 0);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_OWN);
}
END_TEST

/* Without a loss as well: number 1 is omitted for that. */
START_TEST(a_counter_is_known_without_a_loss)
{
	far_use(_i == 0);
	open_session();
	measure(44, 20);
	ck_assert_int_eq(lat->stamp.counter, _i == 0 ? PACE_COUNTER_OWN : PACE_COUNTER_COPIED);
	ck_assert_uint_eq(lat->stamp.lost_there + lat->stamp.lost_back + lat->stamp.lost_unknown, 0);
}
END_TEST

START_TEST(duplicates_have_a_direction)
{
	open_session();
	far.copies_there = 1;
	far.copies_back = 2;
	measure(100, 500);
	ck_assert_uint_eq(lat->received, 500);
	ck_assert_uint_eq(far.copied_there, 50);
	ck_assert_uint_eq(lat->stamp.duplicates_there, far.copied_there);
	ck_assert_uint_eq(lat->stamp.duplicates_back, far.copied_back);
	ck_assert_uint_eq(lat->duplicates, far.copied_there + far.copied_back);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_OWN);
	ck_assert_uint_eq(lat->stamp.lost_there + lat->stamp.lost_back, 0);
}
END_TEST

/* A counter that other sessions share. */
static void
share_counter(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[2] = (uint8_t)(far.replied * 5 >> 8);
	buf[3] = (uint8_t)(far.replied * 5);
}

START_TEST(a_shared_counter_gives_no_direction)
{
	open_session();
	far.lost_back = some;
	far.mangle = share_counter;
	measure(100, 500);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_CONTRADICTS);
	ck_assert_uint_eq(lat->stamp.lost_unknown, lat->timeouts);
	ck_assert(has_note("reflector_counter"));
}
END_TEST

/* A reflector that is restarted at its 200th reply and counts from 0 again. */
static void
count_anew(uint8_t *buf, size_t *len)
{
	(void)len;
	if (far.replied >= 200) {
		uint32_t n = far.replied - 200;

		buf[0] = buf[1] = 0;
		buf[2] = (uint8_t)(n >> 8);
		buf[3] = (uint8_t)n;
	}
}

/* Losses of both its lives have their direction; the network lost nothing around the restart. */
START_TEST(a_restarted_counter_goes_on)
{
	open_session();
	far.lost_there = every_seventh;
	far.lost_back = some;
	far.replied = 0;
	far.mangle = count_anew;
	measure(100, 600);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_OWN);
	ck_assert_uint_eq(lat->stamp.lost_there + lat->stamp.lost_back + lat->stamp.lost_unknown,
	    far.dropped_there + far.dropped_back);
	/* at most those next to the restart have no direction */
	ck_assert_uint_le(lat->stamp.lost_unknown, 2);
	ck_assert_uint_ge(lat->stamp.lost_there + 2, far.dropped_there);
	ck_assert_uint_le(lat->stamp.lost_there, far.dropped_there);
	ck_assert_uint_ge(lat->stamp.lost_back + 2, far.dropped_back);
	ck_assert_uint_le(lat->stamp.lost_back, far.dropped_back);
}
END_TEST

static void
count_nothing(uint8_t *buf, size_t *len)
{
	(void)len;
	memset(buf, 0, 4);
}

START_TEST(a_counter_that_stands_still_gives_no_direction)
{
	open_session();
	far.lost_back = some;
	far.mangle = count_nothing;
	measure(100, 500);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_CONTRADICTS);
	ck_assert_uint_eq(lat->stamp.lost_unknown, lat->timeouts);
}
END_TEST

/* --- live exchanges ------------------------------------------------------------------------ */

static struct {
	int		reports, begun;
	uint64_t	timed, untimed;	/* exchanges handed over */
	struct pace_stamp_live last;
} live;

static void
on_begin(void *ctx)
{
	(void)ctx;
	live.begun++;
	far.asked = far.replied = far.dropped_there = far.dropped_back = 0;
}

/* Each report accounts for what the network has done so far. */
static bool
on_report(void *ctx, const struct pace_stamp_live *now)
{
	const struct pace_stamp_result *r = &stamp.result;

	(void)ctx;
	ck_assert_uint_eq(now->sent, far.asked);
	ck_assert_uint_ge(now->sent, r->replies + now->lost);
	ck_assert_uint_le(now->lost, far.dropped_there + far.dropped_back);
	ck_assert_uint_eq(r->lost_there + r->lost_back + r->lost_unknown, now->lost);
	ck_assert(!live.last.over);
	live.last = *now;
	live.reports++;
	return true;
}

static void
on_exchange(void *ctx, const struct pace_exchange *x)
{
	(void)ctx;
	*((x->flags & PACE_PING_TIMES) != 0 ? &live.timed : &live.untimed) += 1;
}

/* Ten requests a second for a minute. */
static void
watch(void)
{
	const struct pace_stamp_watching w = { .size_bytes = 100, .spacing_ns = 100 * MS,
	    .duration_ns = 60 * SEC, .report_ns = SEC, .begun = on_begin, .report = on_report };

	memset(&live, 0, sizeof(live));
	open_session();
	cl.on_exchange = on_exchange;
	ck_assert_msg(pace_client_stamp_live(&cl, &w, &err) == 0, "%s", err.text);
	ck_assert_int_eq(live.begun, 1);
	ck_assert_int_ge(live.reports, 60);
	ck_assert_int_le(live.reports, 61);
	ck_assert(live.last.over);
	ck_assert_uint_eq(live.last.sent, 600);
	ck_assert_uint_eq(stamp.result.replies + live.last.lost, 600);
	ck_assert_uint_eq(live.last.lost, far.dropped_there + far.dropped_back);
	ck_assert_uint_eq(live.timed + live.untimed, stamp.result.replies);
}

static bool
now_and_then(uint32_t n)
{
	return n % 7 == 3 && n < 590;
}

START_TEST(live_exchanges_account_for_all)
{
	far.lost_there = now_and_then;
	far.lost_back = some;
	watch();
	ck_assert_uint_eq(stamp.result.lost_there, far.dropped_there);
	ck_assert_uint_eq(stamp.result.lost_back, far.dropped_back);
	ck_assert_uint_gt(far.dropped_back, 20);
	ck_assert_uint_eq(live.untimed, 0);
}
END_TEST

static bool
twenty_seconds(uint32_t n)
{
	return n >= 200 && n < 400;
}

/* The reflector counts, so an outage has a direction when it is over. */
START_TEST(an_outage_ends_no_live_exchange)
{
	if (_i == 0)
		far.lost_there = twenty_seconds;
	else
		far.lost_back = twenty_seconds;
	watch();
	ck_assert_uint_eq(live.last.lost, 200);
	ck_assert_uint_eq(stamp.result.lost_there, _i == 0 ? 200 : 0);
	ck_assert_uint_eq(stamp.result.lost_back, _i == 0 ? 0 : 200);
}
END_TEST

/* The last ones are lost, and nobody knows where. */
static bool
from_550(uint32_t n)
{
	return n >= 550;
}

START_TEST(live_exchanges_end_in_an_outage)
{
	far.lost_there = from_550;
	watch();
	ck_assert_uint_eq(live.last.lost, 50);
	ck_assert_uint_eq(stamp.result.lost_unknown, 50);
}
END_TEST

/* The reflector's clock is set by 100 s: after some seconds its times are used again. */
static bool
set_clock(uint32_t n)
{
	if (n == 300)
		far.offset_ns += 100 * SEC;
	return false;
}

START_TEST(live_exchanges_follow_a_clock_that_is_set)
{
	far.lost_there = set_clock;
	watch();
	ck_assert_uint_gt(live.untimed, 0);
	ck_assert_uint_lt(live.untimed, 30);
}
END_TEST

/* --- a watched path ------------------------------------------------------------------------ */

static struct pace_watch_path *path;
static struct pace_watch_counts spans;		/* of all intervals */

static void
add_span(void *ctx, const struct pace_watch_path *p, const struct pace_watch_counts *span)
{
	(void)ctx, (void)p;
	ck_assert_int_ge(span->to_ns, span->from_ns);
	spans.sent += span->sent;
	spans.received += span->received;
	spans.lost += span->lost;
	spans.lost_there += span->lost_there;
	spans.lost_back += span->lost_back;
	spans.unreported += span->unreported;
}

/* Do what is due until then. */
static void
pass(int64_t ns)
{
	int64_t end = net->now_ns + ns, at = 0;

	while (at < end) {
		at = path->frame_ns < path->work_ns ? path->frame_ns : path->work_ns;
		at = at < end ? at : end;
		while (net->now_ns < at)
			(void)path->c.io.sleep_until(path->c.io.ctx, at, NULL);
		if (path->frame_ns <= net->now_ns)
			pace_watch_path_frame(path, net->now_ns);
		if (path->work_ns <= net->now_ns)
			pace_watch_path_act(path, net->now_ns);
	}
}

/* A request each 100 ms. */
static void
begin_watch(void)
{
	const struct pace_watch_cfg cfg = { .size_bytes = 100, .spacing_ns = 100 * MS,
	    .phase_ns = net->now_ns, .interval_ns = 10 * SEC, .ping_ns = SEC,
	    .begin_ns = net->now_ns };

	memset(&spans, 0, sizeof(spans));
	path = calloc(1, sizeof(*path));
	ck_assert_ptr_nonnull(path);
	ck_assert_int_eq(pace_watch_path_init(path, &stamp, cfg.spacing_ns), 0);
	path->c.io = sim_client_io(net);
	path->interval = add_span;
	pace_watch_path_begin(path, &cfg, net->now_ns);
}

/* The end; each request is accounted for, by all intervals as well. */
static struct pace_watch_counts
end_watch(void)
{
	struct pace_watch_counts c;

	pace_watch_path_end(path, net->now_ns);
	pass(4 * SEC);
	ck_assert_int_eq(path->step, PACE_WATCH_STEP_OVER);
	pace_watch_path_counts(path, net->now_ns, &c);
	ck_assert_uint_eq(c.in_flight, 0);
	ck_assert_uint_eq(c.sent, c.received + (uint64_t)c.lost + c.unreported);
	ck_assert_int_le(c.lost_there + c.lost_back, c.lost);
	ck_assert_uint_eq(spans.sent, c.sent);
	ck_assert_uint_eq(spans.received, c.received);
	ck_assert_int_eq(spans.lost, c.lost);
	ck_assert_int_eq(spans.lost_there, c.lost_there);
	ck_assert_int_eq(spans.lost_back, c.lost_back);
	ck_assert_uint_eq(spans.unreported, c.unreported);
	pace_watch_path_free(path);
	free(path);
	return c;
}

static bool
each_ninth(uint32_t n)
{
	return n % 9 == 5 && n < 35900;
}

static bool
each_thirteenth(uint32_t n)
{
	return n % 13 == 7 && far.asked < 35900;
}

/* An hour: what was lost on each way, if the reflector counts. */
START_TEST(a_watched_reflector_gives_the_networks_losses)
{
	struct pace_watch_counts c;

	far_use(_i == 0);
	far.lost_there = each_ninth;
	far.lost_back = each_thirteenth;
	far.jitter_ns = 10 * US;
	begin_watch();
	pass(3600 * SEC);
	c = end_watch();
	ck_assert_uint_gt(c.sent, 35990);
	ck_assert_uint_eq(c.sessions, 1);
	ck_assert_uint_eq(c.sent, far.asked - 1);	/* the first one is no frame */
	ck_assert_int_eq(c.lost, (int64_t)far.dropped_there + far.dropped_back);
	ck_assert_int_eq(c.lost_there, _i == 0 ? far.dropped_there : 0);
	ck_assert_int_eq(c.lost_back, _i == 0 ? far.dropped_back : 0);
	ck_assert_uint_eq(c.exchanges, c.received + 1);
	ck_assert_uint_eq(c.unreported, 0);
}
END_TEST

/* Its counter begins anew: what was lost between has no direction. */
START_TEST(a_watched_reflector_restarts)
{
	struct pace_watch_counts c;

	far.lost_there = now_and_then;
	begin_watch();
	pass(60 * SEC);
	far_use(true);
	far.lost_there = all;
	pass(5 * SEC);
	far.lost_there = NULL;
	pass(60 * SEC);
	c = end_watch();
	ck_assert_uint_eq(c.sessions, 1);
	ck_assert_int_eq(c.lost, far.dropped_there);
	ck_assert_int_ge(c.lost_there + 51, far.dropped_there);
	ck_assert_int_eq(c.lost_back, 0);
}
END_TEST

START_TEST(a_dead_reflector_costs_one_request_in_some_seconds)
{
	struct pace_watch_counts c;
	uint32_t before;

	begin_watch();
	pass(60 * SEC);
	far.lost_there = all;
	pass(20 * SEC);
	ck_assert_uint_gt(path->failures, 0);
	before = far.asked;
	pass(3600 * SEC);
	ck_assert_uint_le(far.asked - before, 3600 / 3);
	ck_assert_uint_ge(far.asked - before, 3600 / 8);
	far.lost_there = NULL;
	pass(60 * SEC);
	ck_assert_uint_eq(path->failures, 0);
	c = end_watch();
	ck_assert_uint_eq(c.sessions, 2);
	ck_assert_uint_ge(c.unreported, 1);
	ck_assert_uint_le(c.unreported, 31);		/* of the last 3 s */
	ck_assert_int_ge(c.lost, 75);
	ck_assert_int_le(c.lost, 115);
}
END_TEST

/* Its clock is set by 100 s, after some seconds it is known again; a knock has a clock of its own. */
START_TEST(a_watched_reflectors_clock_is_followed)
{
	static struct pace_watched w;

	far.offset_ns = -3 * SEC;
	far.rate = 20e-6;
	far.jitter_ns = 50 * US;
	begin_watch();
	pass(120 * SEC);
	for (int i = 0; i < 2; i++) {
		memset(&w, 0, sizeof(w));
		pace_watch_path_figures(path, net->now_ns, &w);
		ck_assert(w.clock_known && w.by_stamp);
		ck_assert_double_le(fabs((double)(w.offset_ns - far_offset(net->now_ns) +
		    path->c.io.wall(path->c.io.ctx))), w.bound_ns + 1000);
		ck_assert_int_eq(w.stamp.counter, PACE_COUNTER_OWN);
		far.offset_ns += 100 * SEC;
		pass(120 * SEC);
	}
	ck_assert_uint_gt(pace_coarse_hist_count(&w.total), pace_coarse_hist_count(&w.rtt));
	ck_assert_int_ge(pace_coarse_hist_quantile(&w.rtt, 0), 180 * US);
	ck_assert_int_le(pace_coarse_hist_quantile(&w.total, 1), 700 * US);
	ck_assert_uint_gt(pace_coarse_hist_count(&w.up), 1000);
	(void)end_watch();
}
END_TEST

static void
change_t1(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[30] ^= 0x40;
}

/* Forgeries make no path, end none, and are in no count but one. */
START_TEST(forgeries_make_no_watched_path)
{
	struct pace_watch_counts c;

	far.mangle = change_t1;
	begin_watch();
	pass(60 * SEC);
	ck_assert_int_lt(path->step, PACE_WATCH_STEP_RUN);
	far.mangle = NULL;
	pass(60 * SEC);
	far.mangle = change_t1;
	pass(5 * SEC);
	far.mangle = NULL;
	pass(10 * SEC);
	c = end_watch();
	ck_assert_uint_eq(c.sessions, 1);
	ck_assert_uint_ge(c.foreign, 49);
	ck_assert_uint_le(c.foreign, 51);
	ck_assert_int_eq(c.lost, (int64_t)c.foreign);
	ck_assert_int_eq(c.lost_back, c.lost);
}
END_TEST

/* --- times -------------------------------------------------------------------------------- */

START_TEST(times_are_the_networks)
{
	int64_t extra = _i == 0 ? FAR_STACK : 0;	/* a later reply tells the departure */

	far_use(_i == 0);
	far.back_ns = 350 * US;
	open_session();
	measure(100, 300);
	ck_assert_uint_eq(lat->received, 300);
	/* no later reply tells the departure of the last one */
	ck_assert_int_eq(lat->residence.stats.min, far.stay_min);
	ck_assert_int_le(lat->residence.stats.max, far.stay_max + extra + 1);
	ck_assert_int_ge(lat->residence.stats.max, far.stay_max + extra - 1);
	/* from departure to arrival: the ways, what the reflector did, and its stack */
	ck_assert_int_le(llabs(lat->kernel.stats.min - (far.there_ns - FAR_STACK + far.stay_ns + FAR_STACK +
	    far.back_ns)), 2);
	ck_assert_int_le(llabs(lat->network.stats.max - (lat->kernel.stats.max -
	    far.stay_min)), 2);
	ck_assert_uint_eq(lat->stamp.follow_ups, _i == 0 ? 299 : 0);
	ck_assert_uint_eq(lat->there.stats.n, 300);
}
END_TEST

/* One clock, equal delays: nothing to find. */
START_TEST(one_clock_has_no_offset)
{
	far.jitter_ns = 30 * US;
	open_session();
	measure(100, 2000);
	ck_assert_int_eq(lat->clock.fit.segments, 1);
	ck_assert_int_le(llabs(pace_clock_at(&lat->clock.fit, pace_clock_mid(&lat->clock))), 500);
	ck_assert_double_le(fabs(pace_clock_rate_at(&lat->clock.fit, 0)) * 1e6, 2);
	ck_assert_double_ge(lat->clock.fit.bound_ns,
	    (double)llabs(pace_clock_at(&lat->clock.fit, pace_clock_mid(&lat->clock))));
}
END_TEST

static const int64_t offsets[] = { 0, -1, 37 * SEC, -5 * 3600 * SEC, 56 * 365 * 86400 * SEC };

/* A clock that is set wrong and runs wrong, delays that differ and vary: 20 seeds. */
START_TEST(a_wrong_clock_is_found_within_the_bound)
{
	int64_t t, error, half;

	far_use(_i % 2 == 0);
	far.offset_ns = offsets[_i % 5] + unit_between(-SEC, SEC);
	far.rate = (double)unit_between(-50000, 50000) * 1e-9;
	far.there_ns = unit_between(50, 5000) * US;
	far.back_ns = unit_between(50, 5000) * US;
	far.jitter_ns = unit_between(1, 300) * US;
	far.stay_ns = unit_between(1, 2000) * US;
	half = (far.there_ns - far.back_ns) / 2;
	open_session();
	measure(80, 3000);
	ck_assert_int_eq(lat->clock.fit.segments, 1);
	for (t = lat->clock.fit.v[0].from_ns; t < lat->clock.fit.v[0].to_ns; t += 100 * MS) {
		error = pace_clock_at(&lat->clock.fit, t) - far_offset(t);
		ck_assert_msg(fabs((double)error) <= lat->clock.fit.bound_ns, "%lld: off by %lld, "
		    "bound %f", (long long)t, (long long)error, lat->clock.fit.bound_ns);
		ck_assert_msg(fabs((double)(error - half)) <= lat->clock.fit.uncertainty_ns + 200,
		    "%lld: off by %lld, %lld from asymmetry, uncertainty %f", (long long)t,
		    (long long)error, (long long)half, lat->clock.fit.uncertainty_ns);
	}
	ck_assert_double_le(fabs(pace_clock_rate_at(&lat->clock.fit, t) - far.rate),
	    pace_clock_rate_bound_at(&lat->clock.fit, t));
	/* of a channel of constant width: two lines reach the bound */
	ck_assert_double_le(pace_clock_rate_bound_at(&lat->clock.fit, t), 1.1 *
	    (double)(far.there_ns + far.back_ns + 400) / 3e9);
	ck_assert_double_le(fabs(pace_clock_rate_at(&lat->clock.fit, t) - far.rate) * 1e6, 5);
	/* the delays one way have the same error */
	ck_assert_double_le(fabs((double)(lat->there.stats.min - far.there_ns)),
	    lat->clock.fit.bound_ns);
	ck_assert_double_le(fabs((double)(lat->back.stats.min - far.back_ns)),
	    lat->clock.fit.bound_ns);
}
END_TEST

START_TEST(a_clock_by_itself)
{
	struct pace_clock k;

	far.offset_ns = 123456789;
	far.rate = 20e-6;
	open_session();
	ck_assert_int_eq(pace_client_clock(&cl, 500, 2 * MS, &k, &err), 0);
	ck_assert_uint_eq(k.exchanges, 500);
	ck_assert_int_eq(k.fit.segments, 1);
	ck_assert_int_le(llabs(pace_clock_at(&k.fit, pace_clock_mid(&k)) -
	    far_offset(pace_clock_mid(&k))), 500);
	ck_assert_double_eq_tol(pace_clock_rate_at(&k.fit, 0) * 1e6, 20, 0.5);
	ck_assert_int_le(llabs(k.wall_offset_ns - far_offset(net->now_ns)), 1000);
	ck_assert_int_eq(k.stamp, PACE_STAMP_KERNEL);
}
END_TEST

/* --- other makers' replies ---------------------------------------------------------------- */

static uint64_t
get64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static void
put64(uint8_t *p, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		p[i] = (uint8_t)v;
}

/* Both times, to full ms. */
static void
coarse(uint8_t *buf, size_t *len)
{
	(void)len;
	for (int at = 4; at <= 16; at += 12) {
		int64_t ns = pace_stamp_time_ns(get64(buf + at), PACE_STAMP_NTP, far.offset_ns);

		put64(buf + at, pace_stamp_time(ns - ns % MS, PACE_STAMP_NTP));
	}
}

static void
equal(uint8_t *buf, size_t *len)
{
	(void)len;
	memcpy(buf + 4, buf + 16, 8);
}

static void
reversed(uint8_t *buf, size_t *len)
{
	(void)len;
	put64(buf + 4, get64(buf + 16) - 20000);	/* 5 us before */
}

static void
absurd(uint8_t *buf, size_t *len)
{
	(void)len;
	put64(buf + 4, get64(buf + 16) + (UINT64_C(1) << 33));	/* two seconds */
}

static void
unset(uint8_t *buf, size_t *len)
{
	(void)len;
	memset(buf + 4, 0, 8);
	memset(buf + 16, 0, 8);
}

static void
ptp(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[12] |= 0x40;
	for (int at = 4; at <= 16; at += 12)
		put64(buf + at, pace_stamp_time(pace_stamp_time_ns(get64(buf + at), PACE_STAMP_NTP,
		    0), PACE_STAMP_PTP));
}

static void
light_41(uint8_t *buf, size_t *len)
{
	(void)buf;
	*len = 41;
}

static void
light_36(uint8_t *buf, size_t *len)
{
	(void)buf;
	*len = 36;
}

static void
no_ssid(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[14] = buf[15] = 0;
}

static void
no_tlvs(uint8_t *buf, size_t *len)
{
	(void)len;
	for (int at = 44; at < 100; at += 4 + buf[at + 3])
		buf[at] = PACE_STAMP_U;
}

static void
rejected_tlvs(uint8_t *buf, size_t *len)
{
	(void)len;
	for (int at = 44; at < 100; at += 4 + buf[at + 3])
		buf[at] = at == 44 ? PACE_STAMP_M : PACE_STAMP_I;
}

static void
no_error(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[12] = buf[13] = 0;
}

static void
another_dscp(uint8_t *buf, size_t *len)
{
	(void)len;
	/* the second TLV, Class of Service: DSCP 46 asked, 10 arrived, refused */
	buf[68] = 46 << 2 | 10 >> 4;
	buf[69] = (10 & 15) << 4 | 1;
}

#define S(member)	offsetof(struct pace_stamp_result, member)

/* member: a count that each of the replies raises; 0: none does. */
static const struct {
	const char *name;
	void (*mangle)(uint8_t *buf, size_t *len);
	size_t member;
	const char *note;
	bool no_clock;
} makers[] = {
	{ "as it is", NULL, 0, NULL, false },
	{ "41 octets", light_41, S(short_replies), NULL, false },
	{ "36 octets", light_36, S(short_replies), NULL, false },
	{ "PTP format", ptp, S(ptp), NULL, false },
	{ "full ms", coarse, 0, "reflector_times_coarse", false },
	{ "T3 = T2", equal, S(equal_times), "residence_not_known", false },
	{ "T3 < T2", reversed, S(reversed_times), "reflector_times_reversed", false },
	{ "T3 far behind T2", absurd, S(unusable_times), "reflector_times_unusable", true },
	{ "no times", unset, S(unusable_times), "reflector_times_unusable", true },
	{ "no SSID", no_ssid, 0, NULL, false },
	{ "TLVs not known", no_tlvs, S(tlvs_unknown), NULL, false },
	{ "TLVs malformed", rejected_tlvs, S(tlvs_malformed), "extensions_rejected", false },
	{ "TLVs not verified", rejected_tlvs, S(tlvs_unverified), "extensions_rejected", false },
	{ "no error estimate", no_error, S(error_unknown), NULL, false },
	{ "DSCP changed", another_dscp, S(changed_there), "dscp_changed", false },
	{ "DSCP refused", another_dscp, S(cos_refused), "dscp_refused", false },
};

START_TEST(replies_of_all_kinds_count_and_are_described)
{
	const size_t counts[] = { S(short_replies), S(ptp), S(equal_times), S(reversed_times),
	    S(unusable_times), S(tlvs_unknown), S(tlvs_malformed), S(tlvs_unverified),
	    S(error_unknown), S(changed_there), S(cos_refused) };

	far.mangle = makers[_i].mangle;
	far.offset_ns = -3 * SEC;
	open_session();
	measure(100, 200);
	ck_assert_uint_eq(lat->received, 200);
	ck_assert_uint_eq(lat->stamp.replies, 200);
	ck_assert_uint_eq(lat->foreign, 0);
	for (int i = 0; i < COUNT_OF(counts); i++) {
		uint64_t n = *(const uint64_t *)(const void *)((const char *)&lat->stamp + counts[i]);

		if (counts[i] == makers[_i].member)
			ck_assert_msg(n == 200, "%s: %d of 200", makers[_i].name, (int)n);
		else if (makers[_i].mangle != rejected_tlvs && makers[_i].mangle != another_dscp &&
		    makers[_i].mangle != coarse)
			ck_assert_msg(n == 0, "%s: %d is %d", makers[_i].name, i, (int)n);
	}
	if (makers[_i].note != NULL)
		ck_assert_msg(has_note(makers[_i].note), "%s", makers[_i].name);
	else
		ck_assert_msg(lat->notes.n == 0, "%s: %s", makers[_i].name, lat->notes.v[0].text);
	ck_assert_uint_eq(lat->network.stats.n, makers[_i].no_clock ? 0 : 200);
	ck_assert_int_eq(lat->clock.fit.segments, makers[_i].no_clock ? 0 : 1);
	if (!makers[_i].no_clock)
		ck_assert_msg(fabs((double)(pace_clock_at(&lat->clock.fit,
		    pace_clock_mid(&lat->clock)) - far.offset_ns)) <= lat->clock.fit.bound_ns,
		    "%s: off by %lld, bound %f", makers[_i].name,
		    (long long)(pace_clock_at(&lat->clock.fit, pace_clock_mid(&lat->clock)) -
		    far.offset_ns), lat->clock.fit.bound_ns);
}
END_TEST

START_TEST(what_it_says_about_itself)
{
	open_session();
	measure(100, 50);
	ck_assert_uint_eq(lat->stamp.synchronised, 50);
	ck_assert_int_ge(lat->stamp.error_ns, 3 * MS);
	ck_assert_int_le(lat->stamp.error_ns, 3 * MS + 30 * US);	/* 8 bits */
	ck_assert_uint_eq(lat->stamp.ttl_there.low, 250);
	ck_assert_uint_eq(lat->stamp.ttl_there.high, 250);
	ck_assert_uint_eq(lat->stamp.dscp_there, 46);
	ck_assert_uint_eq(lat->stamp.marks_there, 50);
	ck_assert_uint_eq(lat->stamp.time_info.method_in, PACE_STAMP_BY_SOFTWARE);
	ck_assert_uint_eq(lat->stamp.time_info.source_in, PACE_STAMP_FROM_NTP);
	ck_assert_uint_eq(lat->stamp.reply_bytes.low, 100);
}
END_TEST

/* TWAMP-Light: zeros, and no session identifier. */
static const uint8_t *sent;
static size_t sent_len;

static enum sim_fate
look(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static uint8_t copy[2048];

	if (way == SIM_TO_RESPONDER) {
		memcpy(copy, buf, len);
		sent = copy;
		sent_len = len;
	}
	return far_reflect(ctx, way, buf, len, delay_ns);
}

START_TEST(twamp_light_sends_zeros)
{
	static const uint8_t zeros[1000];

	net->hook = look;
	stamp.light = true;
	far.mangle = light_41;
	open_session();
	measure(61, 20);
	ck_assert_uint_eq(sent_len, 61);
	ck_assert_mem_eq(sent + 14, zeros, 61 - 14);
	ck_assert_uint_eq(lat->received, 20);
	ck_assert_uint_eq(lat->stamp.short_replies, 20);
}
END_TEST

/* Typed in from RFC 8762 and RFC 8972: a request of 100 octets, DSCP 46. */
START_TEST(a_request_has_these_octets)
{
	static const uint8_t tlvs[] = {
		0x80, 7, 0, 16,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,
		0x80, 4, 0, 4,   0xb8, 0, 0, 0,
		0x80, 3, 0, 4,   0, 0, 0, 0,
		0x80, 1, 0, 16,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,
	};
	static const uint8_t zeros[28];

	net->hook = look;
	open_session();
	measure(100, 1);
	ck_assert_uint_eq(sent_len, 100);
	ck_assert_mem_eq(sent, ((const uint8_t []){ 0, 0, 0, 3 }), 4);	/* 0, 2, now 3 */
	ck_assert_uint_ne(sent[13], 0);
	ck_assert_uint_eq(sent[12] & 0x40, 0);			/* NTP format */
	ck_assert_uint_eq(sent[14] << 8 | sent[15], lat->stamp.ssid);
	ck_assert_mem_eq(sent + 16, zeros, 28);
	ck_assert_mem_eq(sent + 44, tlvs, sizeof(tlvs));
}
END_TEST

START_TEST(sizes_that_padding_can_make)
{
	for (uint32_t n = 30; n < 200; n++) {
		ck_assert_int_eq(pace_stamp_size_fits(n, false, false), n == 44 || n >= 48);
		ck_assert_int_eq(pace_stamp_size_fits(n, true, false), n >= 44);
		ck_assert_int_eq(pace_stamp_size_fits(n, false, true), n == 112 || n >= 116);
	}
	open_session();
	for (uint32_t n = 44; n < 140; n++)
		if (n == 44 || n >= 48) {
			struct pace_latency *was = lat;

			lat = pace_latency_new();
			free(was);
			measure(n, 2);
			ck_assert_uint_eq(lat->received, 2);
			ck_assert_uint_eq(lat->stamp.tlvs_malformed + lat->stamp.tlvs_unknown, 0);
			ck_assert_uint_eq(lat->stamp.reply_bytes.low, n);
		}
}
END_TEST

/* --- forgers ------------------------------------------------------------------------------ */

static int forged;

/* Beside every genuine reply comes one that is none. */
static void
forge(uint8_t *buf, size_t *len)
{
	uint8_t bad[2048];
	size_t n = *len;

	memcpy(bad, buf, n);
	switch (forged) {
	case 0: bad[31] ^= 1; break;			/* T1 */
	case 1: bad[24] ^= 0x40; break;			/* the request's number */
	case 2: bad[27] += 3; break;			/* one that was not sent yet */
	case 3: memcpy(bad + 24, "\0\0\0\1", 4); break;	/* the omitted one */
	case 4: bad[15] ^= 1; break;			/* SSID */
	case 5: n = 35; break;
	case 6: n = 0; break;
	case 7: memset(bad, 0xff, n); break;
	case 8: memset(bad, 0, n); break;
	default: bad[28] ^= 0x80;
	}
	net->delay_ns = 10 * US;			/* before the genuine one */
	sim_forge(net, bad, n);
}

START_TEST(forgeries_are_foreign_and_change_nothing)
{
	forged = _i;
	open_session();
	far.mangle = forge;
	measure(100, 300);
	ck_assert_uint_eq(lat->received, 300);
	ck_assert_uint_eq(lat->stamp.replies, 300);
	ck_assert_uint_eq(lat->foreign, 300);
	ck_assert_uint_eq(lat->duplicates, 0);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_OWN);
	ck_assert_int_le(llabs(pace_clock_at(&lat->clock.fit, pace_clock_mid(&lat->clock))), 500);
}
END_TEST

/* --- keys --------------------------------------------------------------------------------- */

static const struct pace_stamp_key right = { .rule = "default", .len = 4, .secret = "key" },
    wrong = { .rule = "default", .len = 4, .secret = "kex" };


static void
damage(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[33] ^= (uint8_t)(far.replied % 3 == 0);
}

static void
damage_tlv(uint8_t *buf, size_t *len)
{
	(void)len;
	buf[112 + 4 + 1] ^= 1;			/* Follow-Up Telemetry: not in the first HMAC */
}

START_TEST(authenticated_replies)
{
	stamp.key = &right;
	rules = far_lock();
	far.lost_there = every_seventh;
	open_session();
	measure(200, 100);
	ck_assert_uint_eq(lat->timeouts, far.dropped_there);
	ck_assert_uint_eq(lat->stamp.lost_there, far.dropped_there);
	ck_assert(lat->stamp.authenticated);
	ck_assert_uint_eq(lat->stamp.tlvs_unknown + lat->stamp.tlvs_unverified, 0);
	ck_assert_uint_gt(lat->stamp.follow_ups, 50);
	ck_assert_uint_eq(lat->stamp.unverified, 0);
	ck_assert_uint_eq(lat->stamp.ttl_there.low, 250);
}
END_TEST

START_TEST(damaged_authenticated_replies_are_foreign)
{
	stamp.key = &right;
	rules = far_lock();
	open_session();
	far.mangle = damage;
	measure(200, 99);
	ck_assert_uint_eq(lat->received, 66);
	ck_assert_uint_eq(lat->stamp.unverified, 33);
	ck_assert_uint_eq(lat->foreign, 33);
	ck_assert(has_note("replies_unverified"));
}
END_TEST

/* The TLV HMAC becomes padding. */
static void
hide_hmac(uint8_t *buf, size_t *len)
{
	(void)len;
	ck_assert_uint_eq(buf[149], PACE_STAMP_TLV_HMAC);
	buf[149] = PACE_STAMP_TLV_PADDING;
}

/* Padding behind the HMAC, which does not cover it, becomes a Class of Service that changes the
 * DSCP. */
static void
forge_behind_hmac(uint8_t *buf, size_t *len)
{
	const size_t behind = 148 + 4 + 16;

	ck_assert_uint_ge(*len, behind + 8);
	ck_assert_uint_eq(buf[149], PACE_STAMP_TLV_HMAC);
	ck_assert_uint_eq(buf[behind + 1], PACE_STAMP_TLV_PADDING);
	memcpy(buf + behind, "\0\4\0\4\x03\xf0\0\0", 8);
	*len = behind + 8;
}

START_TEST(extensions_behind_the_hmac_are_not_used)
{
	stamp.key = &right;
	rules = far_lock();
	open_session();
	far.mangle = forge_behind_hmac;
	measure(200, 50);
	ck_assert_uint_eq(lat->received, 50);
	ck_assert_uint_eq(lat->stamp.marks_there, 50);
	ck_assert_uint_eq(lat->stamp.changed_there, 0);
}
END_TEST

START_TEST(extensions_without_the_right_hmac_are_not_used)
{
	stamp.key = &right;
	rules = far_lock();
	open_session();
	far.mangle = _i == 0 ? damage_tlv : hide_hmac;
	measure(200, 50);
	ck_assert_uint_eq(lat->received, 50);
	ck_assert_uint_eq(lat->stamp.follow_ups, 0);
	ck_assert_uint_eq(lat->stamp.tlvs_unverified, _i == 0 ? 50 : 0);
	ck_assert_uint_eq(lat->stamp.marks_there, 0);
}
END_TEST

/* --- no answer ---------------------------------------------------------------------------- */

START_TEST(silence_ends_the_opening)
{
	int64_t begin = net->now_ns;

	far.lost_there = all;
	ck_assert_int_eq(pace_client_open(&cl, &err), -ETIMEDOUT);
	ck_assert_int_ge(net->now_ns - begin, 4 * SEC);
	ck_assert_int_le(net->now_ns - begin, 7 * SEC);
	ck_assert_uint_le(far.asked, 20);
}
END_TEST

static void
sign_wrongly(uint8_t *buf, size_t *len)
{
	(void)len;
	pace_stamp_mac(&wrong, buf, 96, NULL, 0, buf + 96);
}

START_TEST(another_key_is_told)
{
	char text[80];

	stamp.key = &right;
	rules = far_lock();
	far.mangle = sign_wrongly;
	ck_assert_int_eq(pace_client_open(&cl, &err), -EKEYREJECTED);
	ck_assert_uint_gt(far.replied, 5);
	ck_assert_uint_eq(stamp.result.unverified, far.replied);
	snprintf(text, sizeof(text), "%u replies came in 5 s, but the HMAC of all is wrong", far.replied);
	ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}
END_TEST

static size_t forged_at;

/* Wrongly signed, and no reply to any request: the key is not blamed. */
static void
forge_unsigned(uint8_t *buf, size_t *len)
{
	sign_wrongly(buf, len);
	buf[forged_at] ^= 1;
}

static const size_t unmatched[] = { 27, 51, 71 };	/* SSID; number, T1 of the request */

START_TEST(only_replies_to_a_request_tell_of_a_key)
{
	char text[80];

	stamp.key = &right;
	rules = far_lock();
	forged_at = unmatched[_i];
	far.mangle = forge_unsigned;
	ck_assert_int_eq(pace_client_open(&cl, &err), -ETIMEDOUT);
	ck_assert_uint_eq(stamp.result.unverified, 0);
	snprintf(text, sizeof(text), "%u datagrams came in 5 s, but none is a reply", far.replied);
	ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
}
END_TEST

/* One lost at the begin: the session opens all the same. */
START_TEST(the_opening_survives_losses)
{
	far.lost_there = first_three;
	open_session();
	far.lost_there = NULL;
	measure(100, 10);
	ck_assert_int_eq(lat->stamp.counter, PACE_COUNTER_OWN);
}
END_TEST

/* --- numbers ------------------------------------------------------------------------------ */

/* 2^32 requests later: by the session alone. */
START_TEST(numbers_wrap)
{
	static const uint64_t at[] = { 0, 1, 2, 1000, UINT32_MAX - 2, UINT32_MAX - 1, UINT32_MAX,
	    UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, UINT64_C(3) << 33 };
	struct pace_stamp_session s = { .light = true };
	struct pace_stamp_answer a;
	uint8_t buf[64], reply[44] = { 0 };
	struct pace_in in = { .buf = reply, .size = sizeof(reply), .len = sizeof(reply) };
	uint64_t t1;

	pace_stamp_session_begin(&s, 77, 0);
	for (int i = 0; i < COUNT_OF(at); i++)
		for (uint64_t ago = 1; ago < 5 && ago <= at[i]; ago++) {
			uint64_t number = 77 + at[i] - ago;

			ck_assert_int_eq(pace_stamp_session_request(&s, buf, 44, number, SEC, &t1),
			    0);
			memcpy(reply + 24, buf, 4);
			memcpy(reply + 28, buf + 4, 8);
			ck_assert(pace_stamp_session_match(&s, &in, 77 + at[i], &a));
			ck_assert_uint_eq(a.number, number);
			ck_assert_uint_eq(a.t1, t1);
		}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stamp");

	unit_seed(tc);
	sim_sums(tc, "stamp");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, losses_are_the_networks_by_direction, 0, 2);
	tcase_add_test(tc, losses_at_the_ends_have_no_direction);
	tcase_add_loop_test(tc, a_counter_is_known_without_a_loss, 0, 2);
	tcase_add_test(tc, duplicates_have_a_direction);
	tcase_add_test(tc, a_shared_counter_gives_no_direction);
	tcase_add_test(tc, a_restarted_counter_goes_on);
	tcase_add_test(tc, live_exchanges_account_for_all);
	tcase_add_loop_test(tc, an_outage_ends_no_live_exchange, 0, 2);
	tcase_add_test(tc, live_exchanges_end_in_an_outage);
	tcase_add_test(tc, live_exchanges_follow_a_clock_that_is_set);
	tcase_add_loop_test(tc, a_watched_reflector_gives_the_networks_losses, 0, 2);
	tcase_add_test(tc, a_watched_reflector_restarts);
	tcase_add_test(tc, a_dead_reflector_costs_one_request_in_some_seconds);
	tcase_add_test(tc, a_watched_reflectors_clock_is_followed);
	tcase_add_test(tc, forgeries_make_no_watched_path);
	tcase_add_test(tc, a_counter_that_stands_still_gives_no_direction);
	tcase_add_loop_test(tc, times_are_the_networks, 0, 2);
	tcase_add_test(tc, one_clock_has_no_offset);
	tcase_add_loop_test(tc, a_wrong_clock_is_found_within_the_bound, 0, 20);
	tcase_add_test(tc, a_clock_by_itself);
	tcase_add_loop_test(tc, replies_of_all_kinds_count_and_are_described, 0, COUNT_OF(makers));
	tcase_add_test(tc, what_it_says_about_itself);
	tcase_add_test(tc, twamp_light_sends_zeros);
	tcase_add_test(tc, a_request_has_these_octets);
	tcase_add_test(tc, sizes_that_padding_can_make);
	tcase_add_loop_test(tc, forgeries_are_foreign_and_change_nothing, 0, 10);
	tcase_add_test(tc, authenticated_replies);
	tcase_add_test(tc, damaged_authenticated_replies_are_foreign);
	tcase_add_test(tc, extensions_behind_the_hmac_are_not_used);
	tcase_add_loop_test(tc, extensions_without_the_right_hmac_are_not_used, 0, 2);
	tcase_add_test(tc, silence_ends_the_opening);
	tcase_add_test(tc, another_key_is_told);
	tcase_add_loop_test(tc, only_replies_to_a_request_tell_of_a_key, 0, COUNT_OF(unmatched));
	tcase_add_test(tc, the_opening_survives_losses);
	tcase_add_test(tc, numbers_wrap);
	return unit_run(tc, "stamp");
}
