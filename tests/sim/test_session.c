/*
 * The protocol on the simulated network: what a client gets must be the
 * truth, whatever happens to control frames, peers and processes.
 */
#include "lib/unit.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "core/schedule.h"
#include "doc/departures.h"
#include "simnet.h"
#include "sums.h"
#include "stream/sender.h"

#define SEC	INT64_C(1000000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;

static void
new_client(void)
{
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	snprintf(cl.label, sizeof(cl.label), "tester");
}

static void
setup(void)
{
	net = sim_new(unit_rnd());
	new_client();
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

static void
ask(uint32_t size, int64_t spacing_ns, uint64_t count)
{
	pt->ask = (struct pace_params){ .size_bytes = size,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1,
	    .bursts = 1, .grace_ns = 500000000 };
}

static int
measure(void)
{
	struct pace_params a = pt->ask;
	int rc = 0;

	pace_point_free(pt);
	pt = pace_point_new();
	pt->ask = a;
	if (!cl.open)
		rc = pace_client_open(&cl, &err);
	return rc < 0 ? rc : pace_client_point(&cl, pt, &err);
}

static void
holds(void)
{
	const char *broken = pace_point_broken(pt);

	ck_assert_msg(broken == NULL, "%s", broken);
	ck_assert(pt->has_rx);
}

/* --- a clean path --------------------------------------------------------- */

START_TEST(a_clean_run_is_exact)
{
	ask(1472, 10000, 5000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->tx.frames, 5000);
	ck_assert_uint_eq(pt->rx.unique, 5000);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates + pt->rx.foreign, 0);
	ck_assert_int_eq(pt->rx.gap.stats.min, 10000);
	ck_assert_int_eq(pt->rx.gap.stats.max, 10000);
	ck_assert_uint_eq(pt->rx.gap.stats.n, 4999);
	ck_assert_int_eq(pt->rx.duration_ns, 49990000);
	ck_assert_double_eq_tol(pt->rx.user_rate_bps, 1472 * 8 / 10e-6, 1);
	ck_assert_double_eq_tol(pt->rx.wire_rate_bps, 1538 * 8 / 10e-6, 1);
	ck_assert_double_eq_tol(pt->tx.user_rate_bps, 1472 * 8 / 10e-6, 1);
	ck_assert_double_eq_tol(pt->tx.wire_rate_bps, 1538 * 8 / 10e-6, 1);
	ck_assert_int_eq(pt->verdict, PACE_PACED);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

START_TEST(three_hundred_points_fit_in_one_session)
{
	ask(64, 10000, 20);
	for (int i = 0; i < 300; i++) {
		ck_assert_int_eq(measure(), 0);
		ck_assert_uint_eq(pt->rx.unique, 20);
	}
	ck_assert_uint_eq(net->responder.counts.opened, 1);
}
END_TEST

/* At every PING somebody else tries for the lease. */
static enum sim_fate
try_at_ping(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_error who;
	int *pings = ctx;

	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_PING) {
		++*pings;
		ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 1, &somebody,
		    net->now_ns, 0, "", &who), -EBUSY);
	}
	return SIM_PASS;
}

START_TEST(bursts_keep_the_lease_and_their_gap_out_of_the_gaps)
{
	int pings = 0;

	net->hook = try_at_ping;
	net->hook_ctx = &pings;
	ask(200, 20000, 50);
	pt->ask.bursts = 3;
	pt->ask.burst_gap_ns = 25 * SEC;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.unique, 150);
	ck_assert_uint_eq(pt->rx.gap.stats.n, 147);
	ck_assert_int_eq(pt->rx.gap.stats.max, 20000);
	ck_assert_uint_eq(pt->tx.gap.stats.n, 147);
	ck_assert_int_ge(pings, 900);	/* 50 s of gaps */
}
END_TEST

/* Every tenth frame takes so much longer than a spacing to send: the next one is late by it,
 * and the one after that in time again. */
static const struct { int64_t late_ns; uint64_t far; } near[] = {
	{ 0, 0 }, { 1, 0 }, { 199, 0 }, { 200, 0 }, { 201, 2 }, { 5000, 2 },
};

struct hold {
	int64_t		late_ns;
	uint64_t	seen;
};

static enum sim_fate
hold_up(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct hold *h = ctx;

	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && ++h->seen % 10 == 5)
		net->now_ns += 10000 + h->late_ns;
	return SIM_PASS;
}

START_TEST(departures_as_asked_are_counted)
{
	struct hold h = { .late_ns = near[_i].late_ns };

	net->hook = hold_up;
	net->hook_ctx = &h;
	ask(200, 10000, 1000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->tx.gap_error.stats.n, 999);
	ck_assert_int_eq(pt->tx.gap_error.stats.max, near[_i].late_ns);
	ck_assert_uint_eq(pt->tx.near_gaps, 999 - 100 * near[_i].far);
	ask(200, 0, 100);		/* nothing was asked for */
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(pt->tx.near_gaps, 0);
}
END_TEST

/* Every second frame takes longer through the client's stack. */
static enum sim_fate
scatter(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;

	(void)ctx;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && pace_hdr_decode(&h, buf, len) >= 0)
		net->stack_ns = h.seq % 2 == 0 ? 300 : 1300;
	return SIM_PASS;
}

START_TEST(gaps_that_left_the_stack_are_sampled)
{
	struct pace_departures d;

	net->hook = scatter;
	ask(200, 10000, 6000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->tx.stack.stats.n, 6 * 24);	/* of 23.4 times 256 */
	ck_assert_uint_eq(pt->tx.stamped_gap_error.stats.n, 5 * 24);
	ck_assert_uint_eq(pt->rx.stamped_gaps, 5 * 24);
	ck_assert_int_eq(pt->tx.gap_error.stats.max, 0);
	ck_assert_int_eq(pt->tx.stamped_gap_error.stats.max, 1000);
	ck_assert_int_eq(pt->tx.stamped_gap_error.stats.min, -1000);
	ck_assert(pace_departures(pt, &d));
	ck_assert(d.share < 0.01 && d.bias < 0.01 && d.bias > -0.01);
	net->hook = NULL;
	net->stack_ns = 300;
	ask(200, 10000, 6000);
	ck_assert_int_eq(measure(), 0);
	ck_assert(pace_departures(pt, &d));
	ck_assert(d.share > 0.99);
	ask(200, 10000, 20480);			/* both ends: 40 samples, one in 512 frames */
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(pt->tx.stack.stats.n, 6 * 40);
	ck_assert_uint_eq(pt->tx.stamped_gap_error.stats.n, 5 * 40);
	ck_assert_uint_eq(pt->rx.stamped_gaps, 5 * 40);
}
END_TEST

/* The responder answers a PING twice if the network duplicates it, and the client takes the
 * first answer only.  The departure stamp that comes later must belong to that answer: otherwise
 * the offset is wrong. */
static enum sim_fate
copy_pings(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)len, (void)delay_ns;
	return way == SIM_TO_RESPONDER && buf[3] == PACE_PING && sim_random(net) % 2 == 0 ? SIM_DUP :
	    SIM_PASS;
}

START_TEST(copied_exchanges_leave_the_delay_within_its_bound)
{
	int told = 0;

	net->hook = copy_pings;
	net->control[SIM_TO_RESPONDER].jitter_ns = 140000;
	for (int i = 0; i < 40; i++) {
		ask(200, 100000, 50);
		ck_assert_int_eq(measure(), 0);
		holds();
		if (pt->owd_relative)
			continue;
		told++;
		ck_assert_double_eq_tol((double)pt->rx.owd.stats.min, (double)net->delay_ns,
		    pt->clock.fit.bound_ns + 200);
	}
	ck_assert_int_gt(told, 1);	/* with 50 seeds at least 3; if copies count, 0 with 30 */
}
END_TEST

/* --- trains ----------------------------------------------------------------- */

static const struct {
	uint64_t	count, train, bursts;
	int		room;		/* frames that a call takes */
	uint64_t	gaps;		/* between trains, by hand */
} trains[] = {
	{ 1000, 16, 1, 0, 62 },		/* 62 whole ones and one of 8 */
	{ 1000, 16, 1, 5, 62 },
	{ 1000, 100, 1, 0, 9 },		/* longer than one call takes */
	{ 50, 64, 1, 0, 0 },
	{ 100, 16, 3, 7, 18 },		/* 7 trains a burst, cut at its end */
	{ 64, 64, 2, 1, 0 },
};

START_TEST(trains_are_counted_by_frames_and_timed_by_trains)
{
	int64_t step = (int64_t)trains[_i].train * 10000;

	net->train_room = trains[_i].room;
	ask(64, 10000, trains[_i].count);
	pt->ask.train = trains[_i].train;
	pt->ask.bursts = trains[_i].bursts;
	pt->ask.burst_gap_ns = 3000000;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->tx.frames, trains[_i].count * trains[_i].bursts);
	ck_assert_uint_eq(pt->rx.unique, pt->tx.frames);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.foreign + pt->rx.reordered, 0);
	ck_assert_uint_eq(pt->rx.coalesced_stamps, 0);
	ck_assert_uint_eq(pt->tx.gap.stats.n, trains[_i].gaps);
	ck_assert_uint_eq(pt->rx.gap.stats.n, trains[_i].gaps);
	if (trains[_i].gaps > 0) {
		ck_assert_int_eq(pt->rx.gap.stats.min, step);
		ck_assert_int_eq(pt->rx.gap.stats.max, step);
		ck_assert_int_eq(pt->rx.gap_error.stats.max, 0);
	}
	ck_assert_int_eq(pt->tx.engine, PACE_ENGINE_SEGMENT);
	ck_assert_int_eq(pt->verdict, PACE_TRAIN);
	if (trains[_i].bursts == 1 && trains[_i].count > trains[_i].train)
		ck_assert_double_eq_tol(pt->rx.user_rate_bps, 64 * 8 / 10e-6 *
		    (double)(trains[_i].count - trains[_i].train) /
		    (double)(trains[_i].gaps * trains[_i].train), 1);
}
END_TEST

/* A thousand frames from a sender that was frozen once; late of them left late. */
static const struct { uint64_t late; int64_t frozen_ns; bool lost; enum pace_verdict want; } uneven[] = {
	{ 10, 0, true, PACE_PACED }, { 11, 0, false, PACE_PACED }, { 11, 0, true, PACE_DEGRADED },
	{ 100, 0, false, PACE_PACED }, { 101, 0, false, PACE_DEGRADED },
	{ 0, 1000001, false, PACE_PACED }, { 0, 1000001, true, PACE_DEGRADED },
	{ 0, 1000000, true, PACE_PACED },
};

START_TEST(lateness_degrades_where_frames_were_lost_or_much_was_late)
{
	struct pace_notes notes = { .n = 0 };
	struct pace_tx *tx = &pt->tx;

	ask(64, 10000, 1000);
	tx->frames = 1000;
	tx->late_frames = uneven[_i].late;
	tx->stalls.max_ns = uneven[_i].frozen_ns;
	for (int i = 0; i < 999; i++)
		pace_hist_add(&tx->gap, 10000);
	ck_assert_int_eq(pace_sender_judge(&pt->ask, tx, 1000, uneven[_i].lost, &notes),
	    uneven[_i].want);
	/* always reported */
	ck_assert_int_eq(notes.n, uneven[_i].late > 10 || uneven[_i].frozen_ns > 1000000);
}
END_TEST

START_TEST(what_the_kernel_refuses_of_a_train_is_counted_frame_by_frame)
{
	net->train_room = -ENOBUFS;
	ask(64, 10000, 1000);
	pt->ask.train = 16;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->ledger.asked, 1000);
	ck_assert_uint_eq(pt->tx.refused, 1000);
	ck_assert_uint_eq(pt->tx.frames, 0);
	ck_assert_int_eq(pt->tx.refused_errno, ENOBUFS);
	ck_assert_int_eq(pt->verdict, PACE_DEGRADED);
}
END_TEST

START_TEST(refusals_above_one_per_cent_are_noted)
{
	ask(64, 10000, 1000);
	pt->tx.refused_errno = ENOBUFS;
	pt->tx.frames = 990;
	pt->tx.refused = 10;
	(void)pace_sender_judge(&pt->ask, &pt->tx, 1000, false, &pt->notes);
	ck_assert_int_eq(pt->notes.n, 0);
	pt->tx.refused = 50;
	pt->tx.frames = 950;
	(void)pace_sender_judge(&pt->ask, &pt->tx, 1000, false, &pt->notes);
	ck_assert_int_eq(pt->notes.n, 1);
	ck_assert_str_eq(pt->notes.v[0].code, "frames_refused");
}
END_TEST

/* The kernel takes five frames of each train, then none of the rest. */
static int half;

static int
half_a_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct pace_io real = sim_client_io(net);

	if (half++ % 2 == 1)
		return -ENOBUFS;
	return real.train(ctx, frames, size, n < 5 ? n : 5, segmented);
}

START_TEST(a_train_that_is_cut_leaves_no_hole_in_the_numbers)
{
	half = 0;
	cl.io.train = half_a_train;
	ask(64, 10000, 320);
	pt->ask.train = 16;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->tx.frames, 100);
	ck_assert_uint_eq(pt->tx.refused, 220);
	ck_assert_uint_eq(pt->rx.unique, 100);
	ck_assert_uint_eq(pt->rx.gap.stats.n, 19);
	ck_assert_int_eq(pt->rx.gap.stats.min, 160000);
	ck_assert_int_eq(pt->rx.gap.stats.max, 160000);
	ck_assert_uint_eq(pt->rx.lost, 0);
}
END_TEST

/* --- control frames suffer -------------------------------------------------- */

static void
same_rx_result(const struct pace_rx_result *a, const struct pace_rx_result *b)
{
	ck_assert_uint_eq(a->frames, b->frames);
	ck_assert_uint_eq(a->lost, b->lost);
	ck_assert_uint_eq(a->duplicates, b->duplicates);
	ck_assert_uint_eq(a->reordered, b->reordered);
	ck_assert_uint_eq(a->foreign, b->foreign);
	ck_assert_int_eq(a->duration_ns, b->duration_ns);
	ck_assert(memcmp(a->gap.pos, b->gap.pos, sizeof(a->gap.pos)) == 0);
	ck_assert(memcmp(a->gap_error.neg, b->gap_error.neg, sizeof(a->gap_error.neg)) == 0);
	ck_assert(memcmp(a->runs.pos, b->runs.pos, sizeof(a->runs.pos)) == 0);
	ck_assert(memcmp(a->linear_counts, b->linear_counts, sizeof(a->linear_counts)) == 0);
}

/* Every 7th data frame is lost: the result has losses. */
static enum sim_fate
lose_every_7th(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)len;
	(void)delay_ns;
	return way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[23] % 7 == 3 ?
	    SIM_DROP : SIM_PASS;
}

START_TEST(impaired_control_changes_no_result)
{
	const struct sim_impair bad = { .loss = 0.3, .dup = 0.3, .jitter_ns = 150000000 };
	struct pace_point *clean;

	net->hook = lose_every_7th;
	ask(500, 20000, 2000);
	pt->ask.linear.width = 10;		/* a result of many chunks */
	pt->ask.linear.bins = 4000;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_gt(pt->rx.lost, 250);
	clean = pt;
	pt = pace_point_new();
	pt->ask = clean->ask;
	pace_client_close(&cl);

	net->rng += (uint64_t)_i << 32;		/* each loop its own dice */
	net->control[SIM_TO_CLIENT] = net->control[SIM_TO_RESPONDER] = bad;
	new_client();
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(measure() == 0, "%s: %s", err.step, err.text);
		holds();
		same_rx_result(&clean->rx, &pt->rx);
	}
	pace_client_close(&cl);
	free(clean);
}
END_TEST

/* Keeps the START of run `keep` and sends it again in the middle of run `into`. */
struct replay {
	uint8_t	keep, into;
	size_t	len;
	uint8_t	buf[2048];
	int	sent;
};

static enum sim_fate
replay_start(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct replay *r = ctx;

	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_START && buf[5] == r->keep) {
		memcpy(r->buf, buf, len);
		r->len = len;
	} else if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[5] == r->into &&
	    buf[23] == 50) {
		sim_inject(net, &net->client.addr, r->buf, r->len);
		r->sent++;
	}
	return SIM_PASS;
}

START_TEST(a_start_that_comes_again_begins_nothing)
{
	struct replay r = { .keep = (uint8_t)_i, .into = 2 };	/* of the run before, or of this */

	net->hook = replay_start;
	net->hook_ctx = &r;
	ask(64, 20000, 100);
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_int_eq(r.sent, 1);
	ck_assert_uint_eq(pt->rx.unique, 100);
	ck_assert_uint_eq(pt->rx.foreign, 0);
}
END_TEST

/* Nothing that answers a START arrives, as long as *ctx. */
static enum sim_fate
deaf_to_start(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)len;
	(void)delay_ns;
	return *(bool *)ctx && way == SIM_TO_CLIENT && buf[3] == (PACE_START | PACE_REPLY) ?
	    SIM_DROP : SIM_PASS;
}

/* The responder has begun what its client takes for failed: the next point has the same
 * number and is another one. */
START_TEST(a_start_whose_answers_are_lost_is_not_taken_for_the_next)
{
	bool deaf = true;

	net->hook = deaf_to_start;
	net->hook_ctx = &deaf;
	ask(1472, 20000, 1000);
	ck_assert_int_eq(measure(), -ETIMEDOUT);
	deaf = false;
	ask(64, 10000, 100);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.unique, 100);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.foreign, 0);
	ck_assert_uint_eq(pt->rx.bytes, 100 * 64);
	ck_assert_int_eq(pt->rx.gap_error.stats.max, 0);
}
END_TEST

/* Replies to requests are made to answer something else. */
static enum sim_fate
falsify(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;

	(void)delay_ns;
	if (way != SIM_TO_CLIENT || pace_hdr_decode(&h, buf, len) != 0)
		return SIM_PASS;
	if (*(int *)ctx == 0 && h.type == (PACE_START | PACE_REPLY))
		h.seq--;
	else if (*(int *)ctx == 1 && h.type == (PACE_START | PACE_REPLY))
		h.session++;
	else if (*(int *)ctx == 2 && h.type == (PACE_START | PACE_REPLY))
		h.run++;
	else if (*(int *)ctx == 3 && h.type == (PACE_FETCH | PACE_REPLY) && h.run > 0)
		buf[PACE_HDR_SIZE + 3] ^= 1;		/* offset */
	else if (*(int *)ctx == 4 && h.type == (PACE_FETCH | PACE_REPLY) && h.run > 0)
		buf[PACE_HDR_SIZE + 7] ^= 1;		/* size */
	else if (*(int *)ctx == 5 && h.type == (PACE_FETCH | PACE_REPLY) && h.run == 0)
		buf[PACE_HDR_SIZE + 8] ^= 1;		/* what the host says of itself */
	pace_hdr_encode(buf, len, &h);
	return SIM_PASS;
}

START_TEST(replies_to_something_else_are_not_taken)
{
	net->hook = falsify;
	net->hook_ctx = &_i;
	ask(64, 20000, 10);
	ck_assert_int_eq(measure(), _i < 3 ? -ETIMEDOUT : -EPROTO);
	ck_assert(!pt->has_rx);
	ck_assert_uint_eq(pt->tx.frames, _i == 3 || _i == 4 ? 10 : 0);
}
END_TEST

START_TEST(a_fetch_beyond_the_result_is_refused)
{
	const struct pace_msg_fetch far = { .offset = 4000000 };
	struct pace_hdr h = { .type = PACE_FETCH };
	uint8_t buf[256];
	int len;

	ask(64, 20000, 10);
	ck_assert_int_eq(measure(), 0);
	h.session = cl.session;
	h.run = cl.run;
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_fetch_json(&far), 160);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_int_eq(net->client.q.n, 1);
	ck_assert_ptr_nonnull(strstr((char *)net->client.q.first[0]->buf + PACE_HDR_SIZE, "error"));
}
END_TEST

/* --- data frames suffer ------------------------------------------------------ */

/* Losses, copies and delays by number, and the truth of them. */
struct plan {
	uint64_t	lost, copied, delayed;
	uint64_t	last_from, total;
};

static enum sim_fate
by_number(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct plan *p = ctx;
	uint64_t seq = 0;

	if (way != SIM_TO_RESPONDER || len < PACE_HDR_SIZE || buf[3] != PACE_DATA)
		return SIM_PASS;
	for (int i = 16; i < 24; i++)
		seq = seq << 8 | buf[i];
	if (seq % 97 == 0 || seq >= p->last_from) {
		p->lost++;
		return SIM_DROP;
	}
	if (seq % 101 == 1) {
		p->copied++;
		return SIM_DUP;
	}
	if (seq % 103 == 2) {
		p->delayed++;
		*delay_ns += 5 * 20000 + 10000;		/* five frames pass it */
	}
	return SIM_PASS;
}

START_TEST(loss_duplication_and_reordering_are_exact)
{
	struct plan p = { .last_from = UINT64_MAX };

	net->hook = by_number;
	net->hook_ctx = &p;
	ask(300, 20000, 50000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.lost, p.lost);
	ck_assert_uint_eq(pt->rx.duplicates, p.copied);
	ck_assert_uint_eq(pt->rx.reordered, p.delayed);
	ck_assert_uint_eq(pt->ledger.place[PACE_NETWORK].n, p.lost);
	ck_assert_uint_eq(pt->ledger.place[PACE_RX_SOCKET].n, 0);
	/* Extent 5, or 4 where one of the five was lost. */
	ck_assert_int_ge(pt->rx.extent.stats.min, 4);
	ck_assert_int_eq(pt->rx.extent.stats.max, 5);
}
END_TEST

START_TEST(tail_loss_is_seen)
{
	struct plan p = { .last_from = 900 };

	net->hook = by_number;
	net->hook_ctx = &p;
	ask(64, 20000, 1000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.lost, p.lost);
	ck_assert_int_eq(pt->rx.runs.stats.max, 100);
}
END_TEST

/* A clock that wandered for hours: the longest FINISH there is. */
START_TEST(a_finish_of_any_length_is_taken)
{
	struct pace_msg_start m = { .limit = 10, .at_most_ns = SEC };
	uint32_t size;

	ask(1472, 10000, 10);
	m.ask = pt->ask;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_start(&cl, &m, &err), 0);
	pt->clock.fit.segments = PACE_CLOCK_SEGMENTS;
	for (int i = 0; i < PACE_CLOCK_SEGMENTS; i++)
		pt->clock.fit.v[i] = (struct pace_clock_segment){
		    .from_ns = (i + 1) * 1000 * SEC + 123456789, .to_ns = (i + 2) * 1000 * SEC + 12345678,
		    .line = { .t_ns = (i + 1) * 1000 * SEC + 987654321,
		    .offset_ns = -123456789012, .rate = 1.23456789012e-5 } };
	ck_assert_int_eq(pace_client_finish(&cl, pt, PACE_CONTROL_NS, &size, &err), 0);
	ck_assert_uint_gt(size, 100);
}
END_TEST

START_TEST(total_loss_invents_nothing)
{
	struct plan p = { .last_from = 0 };

	net->hook = by_number;
	net->hook_ctx = &p;
	ask(64, 20000, 1000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.frames, 0);
	ck_assert_uint_eq(pt->rx.lost, 1000);
	ck_assert_uint_eq(pt->rx.gap.stats.n, 0);
	ck_assert_int_eq(pt->rx.stamp, PACE_STAMP_NONE);
	ck_assert_int_eq(pt->rx.runs.stats.max, 1000);
}
END_TEST

START_TEST(a_full_socket_is_told_apart_from_the_network)
{
	net->session_room = 8;			/* emptied every 200 µs: 20 frames */
	ask(64, 10000, 3000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_gt(pt->rx.lost, 500);
	ck_assert_uint_eq(pt->ledger.place[PACE_RX_SOCKET].n, pt->rx.lost);
	ck_assert_uint_eq(pt->ledger.place[PACE_NETWORK].n, 0);
}
END_TEST

/* Frame 99, the last one, comes late, and a copy of it later still. */
struct straggler {
	int64_t	late_ns, copy_ns;	/* copy 0: none */
};

static enum sim_fate
straggle(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct straggler *g = ctx;

	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA || buf[23] != 99)
		return SIM_PASS;
	if (g->copy_ns > 0) {
		net->delay_ns += g->copy_ns;
		sim_inject(net, &net->client.addr, buf, len);
		net->delay_ns -= g->copy_ns;
	}
	*delay_ns += g->late_ns;
	return SIM_PASS;
}

static const struct {
	int64_t	late_ms, copy_ms;
	uint64_t lost, dup;
} grace[] = {
	{ 400, 0, 0, 0 },		/* within the grace of 500 ms */
	{ 600, 0, 1, 0 },
	{ 0, 80, 0, 1 },		/* complete: a fifth is waited for copies */
	{ 0, 150, 0, 0 },
};

/* A silent session ends after 30 s, and its lease after 10 s. */
START_TEST(a_long_grace_is_waited_for_all_of_it)
{
	int64_t began;

	net->hook = lose_every_7th;
	ask(200, 20000, 100);
	pt->ask.grace_ns = 60 * SEC;
	began = net->now_ns;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_int_gt(net->now_ns - began, 60 * SEC);
	ck_assert_uint_gt(pt->rx.lost, 0);
	ck_assert(!pt->rx.lease_lost);
	ck_assert_int_gt(pace_lease_left(&net->responder.shared.lease, net->now_ns), 0);
}
END_TEST

START_TEST(late_frames_count_until_the_grace_is_over)
{
	struct straggler g = { grace[_i].late_ms * 1000000, grace[_i].copy_ms * 1000000 };

	net->hook = straggle;
	net->hook_ctx = &g;
	ask(64, 20000, 100);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.lost, grace[_i].lost);
	ck_assert_uint_eq(pt->rx.duplicates, grace[_i].dup);
}
END_TEST

static enum sim_fate
damage(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t *n = ctx;			/* [0] payloads, [1] headers */

	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA)
		return SIM_PASS;
	if (buf[23] % 16 == 5) {
		buf[PACE_DATA_SIZE + buf[23] * (len - PACE_DATA_SIZE) / 256] ^= 0x10;
		n[0]++;
	} else if (buf[23] % 16 == 9) {
		buf[8 + buf[23] % 28] ^= 0x04;
		n[1]++;
	}
	return SIM_PASS;
}

START_TEST(damage_is_counted_where_it_is)
{
	uint64_t n[2] = { 0, 0 };

	net->hook = damage;
	net->hook_ctx = n;
	ask(400, 20000, 2560);
	pt->ask.verify = true;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_gt(n[0], 100);
	ck_assert_uint_eq(pt->rx.corrupt, n[0]);
	ck_assert_uint_eq(pt->rx.foreign, n[1]);
	ck_assert_uint_eq(pt->rx.lost, n[1]);
}
END_TEST

static uint64_t steps, damaged;		/* before */

/* In mid run the wall clock is set twice and, of what is lost, the kernel found
 * some damaged. */
static enum sim_fate
trouble(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[22] == 1 && buf[23] == 0) {
		net->usage.clock_steps = steps + 2;
		net->usage.bad_checksums = damaged + 100;
	}
	return SIM_PASS;
}

START_TEST(clock_steps_and_bad_checksums_are_told)
{
	steps = net->usage.clock_steps;
	damaged = net->usage.bad_checksums;
	net->hook = trouble;
	net->session_room = 8;			/* the socket drops more than 100 */
	ask(64, 10000, 3000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.clock_steps, 2);
	ck_assert_uint_eq(pt->rx.bad_checksums, 100);
	ck_assert_uint_gt(pt->rx.lost, 500);
	ck_assert_uint_eq(pt->ledger.place[PACE_RX_CHECKSUM].n, 100);
	ck_assert_uint_eq(pt->ledger.place[PACE_RX_SOCKET].n, pt->rx.lost - 100);
	ck_assert_uint_eq(pt->ledger.place[PACE_NETWORK].n, 0);
	ck_assert_int_eq(measure(), 0);		/* a new run begins at nothing */
	ck_assert_uint_eq(pt->rx.clock_steps + pt->rx.bad_checksums, 0);
}
END_TEST

/* The drops of a run before are not those of this one, also where frames alone tell them. */
START_TEST(drops_are_of_their_run)
{
	net->no_drop_total = _i == 1;
	net->session_room = 8;
	ask(64, 10000, 3000);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(pt->rx.socket_drops, 100);
	ask(64, 5000000, 100);			/* slow enough for the socket */
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_eq(pt->rx.lost, 0);
	ck_assert_uint_eq(pt->rx.socket_drops, 0);
}
END_TEST

/* --- clients without a session -------------------------------------------------- */

/* Behind every 10th data frame come forgeries that know all but one thing. */
struct forger {
	int		n;
	uint64_t	mine;		/* of the client's address: foreign */
};

static enum sim_fate
forge(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static const struct pace_addr other = { .family = 4, .port = 40000,
	    .ip = { 192, 0, 2, 66 } };
	static bool busy;
	struct forger *f = ctx;
	struct pace_hdr h;
	uint8_t copy[64];

	(void)delay_ns;
	if (busy || way != SIM_TO_RESPONDER || len != sizeof(copy) || buf[3] != PACE_DATA ||
	    buf[23] % 10 != 0)
		return SIM_PASS;
	busy = true;
	memcpy(copy, buf, sizeof(copy));
	sim_inject(net, &other, copy, sizeof(copy));		/* all true but the address */
	ck_assert_int_eq(pace_hdr_decode(&h, copy, sizeof(copy)), 0);
	for (int i = 0; i < 5; i++) {
		struct pace_hdr bad = h;
		size_t size = sizeof(copy);

		if (i == 0)
			bad.session ^= 1;
		else if (i == 1)
			bad.run++;
		else if (i == 2)
			bad.seq = UINT64_MAX;
		else if (i == 3)
			size--;
		pace_hdr_encode(copy, sizeof(copy), &bad);
		if (i == 4)
			copy[0] ^= 0xff;
		sim_inject(net, &net->client.addr, copy, size);
		f->mine++;
	}
	busy = false;
	return SIM_PASS;
}

START_TEST(forged_and_foreign_frames_change_nothing)
{
	struct forger f = { 0 };

	net->hook = forge;
	net->hook_ctx = &f;
	ask(64, 20000, 1000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_uint_gt(f.mine, 400);
	ck_assert_uint_eq(pt->rx.frames, 1000);
	ck_assert_uint_eq(pt->rx.lost + pt->rx.duplicates + pt->rx.reordered, 0);
	ck_assert_uint_eq(pt->rx.foreign, f.mine);
}
END_TEST

START_TEST(no_stranger_gets_more_than_he_sent)
{
	struct pace_addr from = { .family = 6, .ip = { 0x20, 1, 0xd, 0xb8 } };
	uint8_t buf[1600];

	for (int i = 0; i < 20000; i++) {
		size_t len = (size_t)unit_between(0, i % 3 ? 700 : (int64_t)sizeof(buf));
		struct pace_hdr h = { .type = (uint8_t)unit_between(0, 12),
		    .run = (uint8_t)unit_rnd(), .session = unit_rnd(), .seq = unit_rnd() };

		for (size_t k = 0; k < sizeof(buf); k++)
			buf[k] = (uint8_t)unit_rnd();
		if (i % 4 != 0 && len >= PACE_HDR_SIZE)
			pace_hdr_encode(buf, sizeof(buf), &h);
		if (i % 16 == 1 && len >= 3)
			buf[2] = (uint8_t)i;		/* another version */
		from.port = (uint16_t)unit_rnd();
		sim_inject(net, &from, buf, len);
		sim_pass(net, 1000000);
	}
	ck_assert_uint_gt(net->stranger_out, 0);
	ck_assert_uint_eq(net->worst_gain, 0);
	ck_assert_uint_lt(net->stranger_out, net->stranger_in);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

START_TEST(a_short_hello_gets_silence)
{
	struct pace_hdr h = { .type = PACE_HELLO };
	uint8_t buf[PACE_HELLO_SIZE] = { 0 };

	pace_hdr_encode(buf, sizeof(buf), &h);
	sim_inject(net, &net->client.addr, buf, sizeof(buf) - 1);
	sim_pass(net, SEC);
	ck_assert_int_eq(net->client.q.n, 0);
	sim_inject(net, &net->client.addr, buf, sizeof(buf));
	sim_pass(net, SEC);
	ck_assert_int_eq(net->client.q.n, 1);
}
END_TEST

START_TEST(an_open_without_its_cookie_makes_no_session)
{
	struct pace_msg_open m = { .nonce = 5, .rcvbuf_bytes = 4096 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 1 };
	struct pace_addr other = net->client.addr;
	uint8_t buf[1024];
	int len;

	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 160);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	/* The right cookie, of another port. */
	pace_cookie_make(&net->responder.shared.cookies, &net->client.addr, 0,
	    net->now_ns, m.cookie);
	len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_open_json(&m), 160);
	other.port++;
	sim_inject(net, &other, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	/* Its own, but a minute and a half old. */
	sim_pass(net, 90 * SEC);
	sim_inject(net, &net->client.addr, buf, (size_t)len);
	sim_pass(net, SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

/* --- versions -------------------------------------------------------------------- */

static enum sim_fate
speak_version_2(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)len;
	(void)delay_ns;
	if (way == *(enum sim_way *)ctx)
		buf[2] = 2;
	return SIM_PASS;
}

START_TEST(other_versions_are_named)
{
	enum sim_way way = _i == 0 ? SIM_TO_CLIENT : SIM_TO_RESPONDER;

	net->hook = speak_version_2;
	net->hook_ctx = &way;
	ask(64, 10000, 10);
	ck_assert_int_eq(measure(), -EPROTONOSUPPORT);
	ck_assert_msg(strstr(err.text, _i == 0 ? "version" : "protocol 1") != NULL, "%s", err.text);
}
END_TEST

/* --- clients that have left -------------------------------------------------------- */

START_TEST(no_responder_is_told_in_five_seconds)
{
	int64_t begin = net->now_ns;

	sim_kill_responder(net);
	ask(64, 10000, 10);
	ck_assert_int_eq(measure(), -ETIMEDOUT);
	ck_assert_int_le(net->now_ns - begin, 6 * SEC);
	ck_assert_str_eq(err.text, "no answer in 5 s");
}
END_TEST

START_TEST(a_restarted_responder_says_so_and_a_new_session_goes_on)
{
	ask(64, 10000, 100);
	ck_assert_int_eq(measure(), 0);
	sim_kill_responder(net);
	sim_start_responder(net);
	ck_assert_int_eq(measure(), -ESTALE);
	ck_assert_uint_eq(pt->tx.frames, 0);
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(measure(), 0);
	holds();
}
END_TEST

/* Cuts the client off after some frames and watches the lease. */
struct death {
	uint64_t	after, seen;
	int64_t		cut_ns, free_ns;
};

static enum sim_fate
die(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct death *d = ctx;
	struct pace_msg_error who;

	(void)len;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER)
		return SIM_PASS;
	if (buf[3] == PACE_DATA && d->seen++ < d->after)
		return SIM_PASS;
	if (d->seen < d->after)
		return SIM_PASS;
	if (d->cut_ns == 0)
		d->cut_ns = net->now_ns;
	if (d->free_ns == 0 && sim_take_lease(&net->responder.shared.lease, 1, &somebody, net->now_ns,
	    0, "", &who) == 0)
		d->free_ns = net->now_ns;
	return SIM_DROP;
}

START_TEST(a_dead_client_loses_the_lease_after_ten_seconds)
{
	struct death d = { .after = 500 };

	net->hook = die;
	net->hook_ctx = &d;
	ask(64, 10000000, 1500);		/* 15 s; frames of 5 s arrive */
	ck_assert_int_eq(measure(), -ETIMEDOUT);
	ck_assert(!pt->has_rx);
	ck_assert_int_gt(d.free_ns - d.cut_ns, 8 * SEC);
	ck_assert_int_lt(d.free_ns - d.cut_ns, 11 * SEC);
	sim_pass(net, 31 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
}
END_TEST

START_TEST(a_client_of_the_same_port_replaces_the_one_that_was)
{
	struct pace_err e;
	uint64_t ended;

	ask(64, 10000, 100);
	ck_assert_int_eq(measure(), 0);
	new_client();				/* no CLOSE was sent */
	cl.no_wait = true;			/* nor does its lease live on */
	ck_assert_int_eq(pace_client_open(&cl, &e), 0);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_int_eq(sim_sessions(net), 1);
	/* --once does not end when its client reconnects */
	ck_assert_int_eq(pace_places_active(&net->responder.places, &ended), 1);
	ck_assert_uint_eq(ended, 0);
	pace_client_close(&cl);
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(pace_places_active(&net->responder.places, &ended), 0);
	ck_assert_uint_eq(ended, 1);
}
END_TEST

/* --- many, and liars ------------------------------------------------------------ */

START_TEST(one_host_gets_a_quarter_of_the_sessions)
{
	struct pace_addr from = { .family = 4, .port = 1000, .ip = { 192, 0, 2, 9 } };
	struct pace_msg_open m = { .rcvbuf_bytes = 4096 };
	struct pace_hdr h = { .type = PACE_OPEN, .seq = 1 };
	uint8_t buf[1024];

	for (int i = 0; i < 40; i++) {
		from.port++;
		from.ip[3] = i < 30 ? 9 : 10;	/* thirty of one host, ten of another */
		m.nonce = (uint64_t)i + 1;
		pace_cookie_make(&net->responder.shared.cookies, &from, 0, net->now_ns, m.cookie);
		sim_inject(net, &from, buf, (size_t)pace_msg_put(buf, sizeof(buf), &h,
		    pace_msg_open_json(&m), 160));
		sim_pass(net, 1000000);
	}
	ck_assert_int_eq(sim_sessions(net), SIM_SESSIONS / 4 + 10);
	ck_assert_uint_eq(net->responder.counts.refused, 30 - SIM_SESSIONS / 4);
}
END_TEST

static enum sim_fate
promise_an_hour(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_ready m = { .wait_ns = 3600 * SEC };
	struct pace_hdr h;
	int n;

	(void)ctx;
	(void)delay_ns;
	if (way != SIM_TO_CLIENT || pace_hdr_decode(&h, buf, len) != 0 ||
	    h.type != (PACE_FINISH | PACE_REPLY))
		return SIM_PASS;
	memset(buf + PACE_HDR_SIZE, 0, len - PACE_HDR_SIZE);
	n = pace_msg_put(buf, len, &h, pace_msg_ready_json(&m), len);
	return n == (int)len ? SIM_PASS : SIM_DROP;
}

static uint64_t claimed;

static enum sim_fate
claim(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_msg_finish m = { .sent = claimed };
	struct pace_hdr h;
	int n;

	(void)ctx;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || pace_hdr_decode(&h, buf, len) != 0 || h.type != PACE_FINISH)
		return SIM_PASS;
	memset(buf + PACE_HDR_SIZE, 0, len - PACE_HDR_SIZE);
	n = pace_msg_put(buf, len, &h, pace_msg_finish_json(&m), len);
	return n == (int)len ? SIM_PASS : SIM_DROP;
}

/* More frames than were announced would all be lost. */
START_TEST(nobody_sends_more_than_was_announced)
{
	net->hook = claim;
	claimed = 10 + (uint64_t)_i;
	ask(64, 10000, 10);
	ck_assert_int_eq(measure() == 0, _i == 0);
	if (_i == 1)
		ck_assert_ptr_nonnull(strstr(err.text, "FINISH of a run that is not there"));
}
END_TEST

START_TEST(a_responder_that_promises_for_ever_is_not_believed)
{
	int64_t begin = net->now_ns;

	net->hook = promise_an_hour;
	ask(64, 10000, 10);
	ck_assert_int_lt(measure(), 0);
	ck_assert(!pt->has_rx);
	ck_assert_int_lt(net->now_ns - begin, 15 * SEC);
}
END_TEST

/* --- the lease ------------------------------------------------------------------------ */

static void
count_busy(void *ctx, const struct pace_msg_error *who)
{
	++*(int *)ctx;
	ck_assert_str_eq(who->label, "the other");
}

static void
other_measures(int64_t at_most_ns)
{
	struct pace_msg_error who;

	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns,
	    at_most_ns, "the other", &who), 0);
}

/* For 10.6 s nothing of the client arrives, and somebody takes the lease. */
static enum sim_fate
fall_silent(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t *since = ctx;
	struct pace_msg_error who;

	(void)len;
	(void)delay_ns;
	if (way != SIM_TO_RESPONDER || (*since == 0 && (buf[3] != PACE_DATA || buf[23] < 100)))
		return SIM_PASS;
	if (*since == 0)
		*since = net->now_ns;
	if (net->now_ns - *since > 10600 * SEC / 1000)
		return SIM_PASS;
	if (net->now_ns - *since > 10300 * SEC / 1000)
		(void)sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns, SEC, "", &who);
	return SIM_DROP;
}

START_TEST(a_lease_lost_in_mid_run_is_told)
{
	int64_t since = 0;

	ask(64, 100000000, 250);
	ck_assert_int_eq(measure(), 0);
	ck_assert(!pt->rx.lease_lost);
	net->hook = fall_silent;
	net->hook_ctx = &since;
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert(pt->rx.lease_lost);
	net->hook = NULL;		/* that was then: the next run has it all along */
	sim_pass(net, 11 * SEC);
	ck_assert_int_eq(measure(), 0);
	ck_assert(!pt->rx.lease_lost);
}
END_TEST

START_TEST(who_may_not_wait_is_told_who_measures)
{
	struct pace_msg_error who;

	other_measures(60 * SEC);
	cl.no_wait = true;
	ask(64, 10000, 100);
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 78, &somebody, net->now_ns, 0,
	    "", &who), -EBUSY);
	ck_assert_int_eq(who.wait_ns, 60 * SEC);
	ck_assert_int_eq(measure(), -EBUSY);
	ck_assert_msg(strstr(err.text, "the other") != NULL, "%s", err.text);
	ck_assert_uint_eq(pt->tx.frames, 0);
	sim_pass(net, 11 * SEC);		/* and may come again */
	ck_assert_int_eq(measure(), 0);
	holds();
}
END_TEST

START_TEST(who_waits_gets_the_lease_when_it_ends)
{
	int64_t begin = net->now_ns;
	int told = 0;

	other_measures(5 * SEC);
	cl.on_busy = count_busy;
	cl.busy_ctx = &told;
	ask(64, 10000, 100);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert_int_ge(told, 8);
	ck_assert_int_lt(net->now_ns - begin, 13 * SEC);
}
END_TEST

/* --- a stop in mid run ------------------------------------------------------------------- */

static volatile sig_atomic_t stop;

static enum sim_fate
stop_at_300(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[22] == 1 && buf[23] == 44)
		stop = 1;
	return SIM_PASS;
}

START_TEST(a_stop_collects_what_was_sent)
{
	stop = 0;
	cl.stop = &stop;
	net->hook = stop_at_300;
	ask(64, 10000, 1000);
	ck_assert_int_eq(measure(), -EINTR);
	ck_assert(pt->interrupted);
	holds();
	ck_assert_uint_eq(pt->tx.frames, 301);
	ck_assert_uint_eq(pt->rx.unique, 301);
}
END_TEST

/* --- those who watch ------------------------------------------------------ */

struct told {
	int		of[PACE_SESSION_EVENT_REFUSED + 1];
	struct pace_session_stats view;		/* of the last news of a session */
	char		code[24];
	int64_t		waited_ns;		/* for the last run */
};

static struct told told;		/* outlives the sessions */

static void
hear(void *ctx, const struct pace_session_event *n)
{
	struct told *t = ctx;

	t->of[n->kind]++;
	if (n->kind == PACE_SESSION_EVENT_RUN)
		t->waited_ns = n->wait_ns;
	if (n->view != NULL)
		t->view = *n->view;
	snprintf(t->code, sizeof(t->code), "%s", n->code != NULL ? n->code : "");
}

static void
watch(void)
{
	memset(&told, 0, sizeof(told));
	net->responder.shared.observer = (struct pace_observer){ .news = hear, .ctx = &told };
}

START_TEST(watchers_are_told_what_the_result_says)
{
	const struct pace_tally *a;
	uint64_t frames = 0;

	watch();
	net->data[SIM_TO_RESPONDER] = (struct sim_impair){ .loss = 0.05, .dup = 0.02,
	    .jitter_ns = 300000 };
	ask(200, 20000, 3000);
	for (int i = 1; i <= 3; i++) {
		ck_assert_int_eq(measure(), 0);
		a = &told.view.this_run;
		ck_assert_int_eq(told.of[PACE_SESSION_EVENT_RUN_OVER], i);
		ck_assert_str_eq(told.code, "complete");
		ck_assert_uint_eq(a->frames, pt->rx.unique);
		ck_assert_int_eq(a->lost, (int64_t)pt->rx.lost);
		ck_assert_uint_eq(a->duplicates, pt->rx.duplicates);
		ck_assert_uint_eq(a->reordered, pt->rx.reordered);
		ck_assert_uint_eq(a->bytes, pt->rx.unique * 200);
		ck_assert_int_eq((int)told.view.run.number, i);
		ck_assert_uint_eq(told.view.run.sent, 3000);
		ck_assert_uint_gt(pt->rx.lost + pt->rx.duplicates, 0);
		frames += pt->rx.unique;
		ck_assert_uint_eq(told.view.all.frames, frames);
	}
	pace_client_close(&cl);
	ck_assert_uint_eq(told.view.all.round_trips, cl.pinger.answered);
	sim_pass(net, 2 * SEC);
	ck_assert_str_eq(told.code, "closed");
	ck_assert_uint_eq(told.view.all.frames, frames);
	ck_assert_int_eq(told.of[PACE_SESSION_EVENT_OPENED], 1);
	ck_assert_int_eq(told.of[PACE_SESSION_EVENT_RUN], 3);
	ck_assert_int_eq(told.of[PACE_SESSION_EVENT_CLOSED], 1);
	ck_assert_int_eq(told.of[PACE_SESSION_EVENT_REFUSED], 0);
}
END_TEST

static enum sim_fate
lose_the_end(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;

	(void)ctx;
	(void)way;
	(void)delay_ns;
	return pace_hdr_decode(&h, buf, len) == 0 && h.type == PACE_DATA && h.seq >= 90 ?
	    SIM_DROP : SIM_PASS;
}

START_TEST(frames_behind_the_last_arrival_are_lost_for_watchers_too)
{
	watch();
	net->hook = lose_the_end;
	ask(200, 20000, 100);
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(pt->rx.lost, 10);
	ck_assert_int_eq(told.view.this_run.lost, 10);
	ck_assert_int_eq(told.view.all.lost, 10);
	ck_assert_uint_eq(told.view.all.frames, 90);
}
END_TEST

START_TEST(a_client_that_vanishes_is_told_as_gone)
{
	watch();
	ask(200, 20000, 100);
	ck_assert_int_eq(measure(), 0);
	sim_pass(net, PACE_SESSION_IDLE_NS + 2 * SEC);
	ck_assert_int_eq(told.of[PACE_SESSION_EVENT_CLOSED], 1);
	ck_assert_str_eq(told.code, "client_gone");
}
END_TEST

/* It asks, gives up, and asks again: at once, or when the line has forgotten it. */
START_TEST(a_client_that_asks_again_later_waits_anew)
{
	struct pace_lease *l = &net->responder.shared.lease;
	struct pace_msg_error who;

	watch();
	ask(200, 20000, 100);
	cl.no_wait = true;
	for (int i = 1; i <= 3; i++) {
		ck_assert_int_eq(sim_take_lease(l, 77, &somebody, net->now_ns, SEC, "cam-b", &who), 0);
		ck_assert_int_eq(measure(), -EBUSY);
		ck_assert_int_eq(told.of[PACE_SESSION_EVENT_WAITS], i < 3 ? 1 : 2);
		ck_assert_int_ge(told.of[PACE_SESSION_EVENT_REFUSED], i);
		if (i == 2)
			sim_pass(net, PACE_LEASE_ASK_NS + SEC);
	}
	pace_lease_release(l, 77);
	sim_pass(net, PACE_LEASE_ASK_NS + SEC);
	ck_assert_int_eq(measure(), 0);		/* it did not wait */
	ck_assert_int_eq(told.waited_ns, 0);
}
END_TEST

START_TEST(only_the_run_after_a_wait_has_waited)
{
	struct pace_lease *l = &net->responder.shared.lease;
	struct pace_msg_error who;

	watch();
	ask(200, 20000, 100);
	cl.no_wait = true;
	ck_assert_int_eq(sim_take_lease(l, 77, &somebody, net->now_ns, SEC, "cam-b", &who), 0);
	ck_assert_int_eq(measure(), -EBUSY);
	pace_lease_release(l, 77);
	sim_pass(net, SEC);
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_ge(told.waited_ns, SEC);
	ck_assert_int_lt(told.waited_ns, 2 * SEC);
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_eq(told.waited_ns, 0);
}
END_TEST

/* --- a responder that ends ------------------------------------------------ */

struct parting {
	int64_t	at_ns, until_ns;	/* of the responder's clock; until is then set */
};

static enum sim_fate
part_then(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct parting *p = ctx;

	(void)way;
	(void)buf;
	(void)len;
	(void)delay_ns;
	if (net->now_ns >= p->at_ns && p->until_ns == 0) {
		p->until_ns = net->now_ns + 9 * SEC / 2;
		net->responder.closing = true;
	}
	if (p->until_ns != 0)
		for (int i = 0; i < SIM_SESSIONS; i++)
			if (net->sessions[i].used && net->sessions[i].session != NULL)
				pace_session_part(net->sessions[i].session, p->until_ns);
	return SIM_PASS;
}

static void
part_after(struct parting *p, int64_t ns)
{
	*p = (struct parting){ .at_ns = net->now_ns + ns };
	net->hook = part_then;
	net->hook_ctx = p;
}

START_TEST(a_long_stream_is_ended_and_its_result_fetched)
{
	struct parting p;

	part_after(&p, 3 * SEC);
	net->control[SIM_TO_CLIENT].loss = 0.3;
	ask(200, 100000, 10000000);
	ck_assert_int_eq(measure(), -ESHUTDOWN);
	ck_assert_ptr_nonnull(strstr(err.text, "is being stopped"));
	holds();
	ck_assert(pt->interrupted);
	ck_assert_uint_gt(pt->tx.frames, 20000);
	ck_assert_uint_lt(pt->tx.frames, 60000);
	ck_assert_uint_eq(pt->rx.unique, pt->tx.frames);
	ck_assert_int_lt(net->now_ns, p.until_ns);
}
END_TEST

START_TEST(a_stream_that_is_over_in_time_is_left_alone)
{
	struct parting p;

	part_after(&p, SEC);
	ask(200, 100000, 20000);
	ck_assert_int_eq(measure(), 0);
	holds();
	ck_assert(p.until_ns != 0);
	ck_assert(!pt->interrupted);
	ck_assert_uint_eq(pt->rx.unique, 20000);
	ck_assert_int_eq(measure(), -ESHUTDOWN);	/* and no other begins */
	ck_assert_ptr_nonnull(strstr(err.text, "is being stopped"));
	sim_pass(net, 2 * SEC);
	ck_assert_int_eq(sim_sessions(net), 0);
	new_client();
	ck_assert_int_eq(pace_client_open(&cl, &err), -ESHUTDOWN);
}
END_TEST

START_TEST(the_answer_to_no_close_ends_only_the_run_it_is_for)
{
	struct pace_hdr h = { .type = PACE_CLOSE | PACE_REPLY, .session = cl.pinger.session + 1 };
	uint8_t buf[PACE_HDR_SIZE] = { 0 };
	struct pace_in in = { .buf = buf, .size = sizeof(buf), .len = sizeof(buf) };

	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(!cl.pinger.dismissed);
	h.session = cl.pinger.session;
	h.run = (uint8_t)(cl.pinger.run + 1);
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(!cl.pinger.dismissed);
	ck_assert_uint_eq(cl.pinger.foreign, 2);
	h.run = cl.pinger.run;
	cl.pinger.seal = &(struct pace_seal){ .on = true };	/* whose has a key must show it */
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	h.sealed = true;
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(!cl.pinger.dismissed);
	cl.pinger.seal = NULL;
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	h.sealed = false;
	ck_assert(!cl.pinger.dismissed);
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(cl.pinger.dismissed);
	h.type = PACE_FINISH | PACE_REPLY;	/* and this a run, not more */
	h.run++;
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(!cl.pinger.cut);
	h.run--;
	pace_pinger_dismiss(&cl.pinger, &h, &in);
	ck_assert(cl.pinger.cut);
	pace_pinger_run(&cl.pinger, h.run);
	ck_assert(!cl.pinger.cut);
}
END_TEST

/* --- energy ------------------------------------------------------------------ */

/* Our energy is exact.  The responder's idle power is that of the session's start, and its
 * energy is in whole millijoules: finer values would reveal what a processor works on. */
START_TEST(energy_is_told_of_runs_that_last)
{
	net->watts = 20.0003;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_idle(&cl, 5 * SEC), 0);
	ask(64, 1000000, 3000);
	ck_assert_int_eq(measure(), 0);
	ck_assert(pt->ours.known && pt->ours.energy.known && pt->ours.energy.has_idle);
	ck_assert_double_eq_tol(pt->ours.energy.idle_watts, 20.0003, 1e-6);
	ck_assert_double_eq_tol(pace_energy_joules(&pt->ours.energy),
	    20.0003e-9 * (double)pt->ours.at_ns, 1e-6);
	ck_assert(pt->theirs.energy.known && pt->theirs.energy.has_idle);
	ck_assert_double_eq_tol(pt->theirs.energy.idle_watts, 20.0003, 1e-3);
	ck_assert_double_eq_tol(pace_energy_joules(&pt->theirs.energy),
	    20.0003e-9 * (double)pt->theirs.at_ns, 5.1e-4);
	ck_assert_double_eq_tol(pt->theirs.energy.v[0].joules * 1000,
	    (double)(long)(pt->theirs.energy.v[0].joules * 1000 + 0.5), 1e-6);
	ck_assert_int_eq(measure(), 0);		/* of this one too, though it was not idle before */
	ck_assert_double_eq_tol(pt->theirs.energy.idle_watts, 20.0003, 1e-3);
}
END_TEST

START_TEST(energy_is_not_told_of_less_than_a_second)
{
	net->watts = 20;
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_idle(&cl, SEC), 0);
	ask(64, 10000, 100);
	ck_assert_int_eq(measure(), 0);
	ck_assert(pt->ours.energy.known && !pt->ours.energy.has_idle);
	ck_assert(pt->theirs.known && !pt->theirs.energy.known);
	ck_assert_str_eq(pt->theirs.energy.why, "only an energy reading over at least one second is reported");
}
END_TEST

START_TEST(a_stop_ends_a_rest)
{
	stop = 1;
	cl.stop = &stop;
	ck_assert_int_eq(pace_client_idle(&cl, 5 * SEC), -EINTR);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("session");

	unit_seed(tc);
	sim_sums(tc, "session");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_clean_run_is_exact);
	tcase_add_test(tc, three_hundred_points_fit_in_one_session);
	tcase_add_test(tc, copied_exchanges_leave_the_delay_within_its_bound);
	tcase_add_test(tc, bursts_keep_the_lease_and_their_gap_out_of_the_gaps);
	tcase_add_test(tc, gaps_that_left_the_stack_are_sampled);
	tcase_add_loop_test(tc, departures_as_asked_are_counted, 0, COUNT_OF(near));
	tcase_add_loop_test(tc, trains_are_counted_by_frames_and_timed_by_trains, 0,
	    COUNT_OF(trains));
	tcase_add_loop_test(tc, lateness_degrades_where_frames_were_lost_or_much_was_late, 0, 8);
	tcase_add_test(tc, what_the_kernel_refuses_of_a_train_is_counted_frame_by_frame);
	tcase_add_test(tc, refusals_above_one_per_cent_are_noted);
	tcase_add_test(tc, a_train_that_is_cut_leaves_no_hole_in_the_numbers);
	tcase_add_loop_test(tc, impaired_control_changes_no_result, 0, 20);
	tcase_add_test(tc, loss_duplication_and_reordering_are_exact);
	tcase_add_test(tc, tail_loss_is_seen);
	tcase_add_test(tc, a_long_grace_is_waited_for_all_of_it);
	tcase_add_loop_test(tc, late_frames_count_until_the_grace_is_over, 0, COUNT_OF(grace));
	tcase_add_loop_test(tc, a_start_that_comes_again_begins_nothing, 1, 3);
	tcase_add_test(tc, a_start_whose_answers_are_lost_is_not_taken_for_the_next);
	tcase_add_loop_test(tc, replies_to_something_else_are_not_taken, 0, 6);
	tcase_add_test(tc, a_fetch_beyond_the_result_is_refused);
	tcase_add_test(tc, a_short_hello_gets_silence);
	tcase_add_test(tc, a_finish_of_any_length_is_taken);
	tcase_add_test(tc, total_loss_invents_nothing);
	tcase_add_test(tc, a_full_socket_is_told_apart_from_the_network);
	tcase_add_test(tc, damage_is_counted_where_it_is);
	tcase_add_test(tc, clock_steps_and_bad_checksums_are_told);
	tcase_add_loop_test(tc, drops_are_of_their_run, 0, 2);
	tcase_add_test(tc, one_host_gets_a_quarter_of_the_sessions);
	tcase_add_loop_test(tc, nobody_sends_more_than_was_announced, 0, 2);
	tcase_add_test(tc, a_responder_that_promises_for_ever_is_not_believed);
	tcase_add_test(tc, a_lease_lost_in_mid_run_is_told);
	tcase_add_test(tc, forged_and_foreign_frames_change_nothing);
	tcase_add_test(tc, no_stranger_gets_more_than_he_sent);
	tcase_add_test(tc, an_open_without_its_cookie_makes_no_session);
	tcase_add_loop_test(tc, other_versions_are_named, 0, 2);
	tcase_add_test(tc, no_responder_is_told_in_five_seconds);
	tcase_add_test(tc, a_restarted_responder_says_so_and_a_new_session_goes_on);
	tcase_add_test(tc, a_dead_client_loses_the_lease_after_ten_seconds);
	tcase_add_test(tc, a_client_of_the_same_port_replaces_the_one_that_was);
	tcase_add_test(tc, who_may_not_wait_is_told_who_measures);
	tcase_add_test(tc, who_waits_gets_the_lease_when_it_ends);
	tcase_add_test(tc, a_stop_collects_what_was_sent);
	tcase_add_test(tc, watchers_are_told_what_the_result_says);
	tcase_add_test(tc, frames_behind_the_last_arrival_are_lost_for_watchers_too);
	tcase_add_test(tc, a_client_that_vanishes_is_told_as_gone);
	tcase_add_test(tc, a_client_that_asks_again_later_waits_anew);
	tcase_add_test(tc, only_the_run_after_a_wait_has_waited);
	tcase_add_test(tc, a_long_stream_is_ended_and_its_result_fetched);
	tcase_add_test(tc, a_stream_that_is_over_in_time_is_left_alone);
	tcase_add_test(tc, the_answer_to_no_close_ends_only_the_run_it_is_for);
	tcase_add_test(tc, energy_is_told_of_runs_that_last);
	tcase_add_test(tc, energy_is_not_told_of_less_than_a_second);
	tcase_add_test(tc, a_stop_ends_a_rest);
	return unit_run(tc, "session");
}
