/*
 * Exchanges on the simulated network: round trips, clocks, one-way delay and
 * the records of single frames must be what the network did.
 */
#include "lib/unit.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_latency *lat;
static struct pace_err err;

static void
setup(void)
{
	net = sim_new(unit_rnd());
	net->stack_ns = 300;
	net->poll_ns = 1000;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	pt = pace_point_new();
	lat = pace_latency_new();
	memset(&err, 0, sizeof(err));
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
	free(lat);
}

static void
open_session(void)
{
	ck_assert_msg(pace_client_open(&cl, &err) == 0, "%s", err.text);
}

static void
ask(uint32_t size, int64_t spacing_ns, uint64_t count)
{
	pt->ask = (struct pace_params){ .size_bytes = size,
	    .spacing = pace_spacing_from_ns(spacing_ns), .count = count, .train = 1,
	    .bursts = 1, .grace_ns = 500 * MS };
}

static void
measure(void)
{
	const char *broken;

	if (!cl.open)
		open_session();
	ck_assert_msg(pace_client_point(&cl, pt, &err) == 0, "%s", err.text);
	broken = pace_point_broken(pt);
	ck_assert_msg(broken == NULL, "%s", broken);
}

/* Their clock against ours at a time of ours, as the network has it. */
static int64_t
true_theta(int64_t t)
{
	return net->theta_ns + (int64_t)((double)t * (double)net->skew_ppb * 1e-9);
}

static int64_t
theta_error(const struct pace_clock *k, int64_t t)
{
	return pace_clock_at(&k->fit, t) - true_theta(t);
}

/* --- clocks and one-way delay ---------------------------------------------------- */

static const struct {
	int64_t theta_ns, skew_ppb, delay_ns, back_ns;
} clocks[] = {
	{ 0, 0, 100000, 0 },
	{ INT64_C(123456789012345678), 23000, 100000, 0 },
	{ -INT64_C(987654321012345), -30000, 100000, 0 },
	{ 5 * SEC, 1, 20 * MS, 0 },
	{ 77, -45000, 1000000, 2 * MS },	/* 2 ms longer on the way back */
};

START_TEST(offset_rate_and_delay_are_the_networks)
{
	int64_t half = clocks[_i].back_ns / 2, e;

	net->theta_ns = clocks[_i].theta_ns;
	net->skew_ppb = clocks[_i].skew_ppb;
	net->delay_ns = clocks[_i].delay_ns;
	net->back_ns = clocks[_i].back_ns;
	ask(400, 250000, 12000);			/* 3 s */
	measure();
	ck_assert_int_eq(pt->clock.fit.segments, 1);
	ck_assert_double_eq_tol(pt->clock.fit.v[0].line.rate * 1e9,
	    (double)clocks[_i].skew_ppb, 20);
	for (int64_t t = pt->clock.from_ns; t <= pt->clock.to_ns; t += 100 * MS) {
		e = theta_error(&pt->clock, t);
		ck_assert_int_le(llabs(e + half), 60);
		ck_assert(fabs((double)e) <= pt->clock.fit.bound_ns);
	}
	ck_assert_uint_eq(pt->clock.timeouts, 0);
	ck_assert_uint_ge(pt->clock.exchanges, 2 * 60 + 50);
	ck_assert_int_le(llabs(pt->clock.min_rtt_ns - (2 * clocks[_i].delay_ns +
	    clocks[_i].back_ns - 600)), 200);
	ck_assert(pt->rx.has_owd);
	ck_assert_uint_eq(pt->rx.owd.stats.n, 12000);
	ck_assert_int_le(llabs(pt->rx.owd.stats.min - clocks[_i].delay_ns - half), 200);
	ck_assert_int_le(llabs(pt->rx.owd.stats.max - clocks[_i].delay_ns - half), 200);
	ck_assert_int_le(pt->rx.pdv.stats.max, 150);
	ck_assert_int_le(llabs(pt->rx.ipdv.stats.max), 15);
	ck_assert(!pt->owd_relative);
}
END_TEST

/* The exchanges take 1 ms longer than the frames: what is known of the clocks
 * says nothing about a delay of 0.1 ms. */
static enum sim_fate
slow_pings(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)way;
	(void)len;
	if ((buf[3] & ~PACE_REPLY) == PACE_PING)
		*delay_ns += MS;
	return SIM_PASS;
}

START_TEST(delay_is_called_relative_where_the_bound_is_wider)
{
	net->hook = slow_pings;
	ask(400, 250000, 4000);
	measure();
	ck_assert(pt->rx.has_owd);
	ck_assert_double_eq_tol(pt->clock.fit.bound_ns, 1.1e6, 1e4);
	ck_assert(pt->owd_relative);
	ck_assert_uint_eq(pt->rx.pdv.stats.n, 4000);
}
END_TEST

/* A queue on the way there only: uniform up to 400 µs, for everything. */
START_TEST(a_queue_one_way_does_not_pull_the_clock)
{
	net->theta_ns = 1234567;
	net->skew_ppb = 12000;
	net->data[SIM_TO_RESPONDER].jitter_ns = 400000;
	net->control[SIM_TO_RESPONDER].jitter_ns = 400000;
	ask(400, 1000000, 10000);			/* 10 s */
	measure();
	ck_assert_int_eq(pt->clock.fit.segments, 1);
	ck_assert_int_le(llabs(theta_error(&pt->clock, pt->clock.from_ns + 5 * SEC)), 6000);
	ck_assert_double_eq_tol(pt->clock.fit.v[0].line.rate * 1e9, 12000, 1500);
	ck_assert_int_ge(pt->rx.pdv.stats.max, 390000);
	ck_assert_int_le(pt->rx.pdv.stats.max, 420000);
	ck_assert_int_ge(pt->rx.ipdv.stats.max, 350000);
	ck_assert(pt->rx.jitter_ns > 80000 && pt->rx.jitter_ns < 180000);	/* mean |difference|: a third */
}
END_TEST

/* Windows of the receiver are merged many times; the rate keeps them straight. */
START_TEST(a_long_run_keeps_the_delay)
{
	net->skew_ppb = 50000;
	net->theta_ns = -44;
	ask(64, 10 * MS, 30000);			/* 5 min: 15 ms of drift */
	measure();
	ck_assert_int_le(llabs(pt->rx.owd.stats.min - 100000), 300);
	ck_assert_int_le(llabs(pt->rx.owd.stats.max - 100000), 300);
	ck_assert_int_le(pt->rx.pdv.stats.max, 500);
}
END_TEST

/* Until the stream begins, a queue that grows on the way there and shrinks on the way back makes
 * the responder's clock look 20 ppm fast. */
static enum sim_fate
false_rate(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static int64_t from_ns;
	int64_t *began_ns = ctx, grown_ns;

	(void)len;
	if (*began_ns == 0) {
		*began_ns = 1;
		from_ns = net->now_ns;
	}
	if (buf[3] == PACE_DATA)
		*began_ns = 2;
	grown_ns = (net->now_ns - from_ns) / 50000;
	if (*began_ns == 1)
		*delay_ns += way == SIM_TO_RESPONDER ? grown_ns : 5000 - grown_ns;
	return SIM_PASS;
}

/* A stream shorter than two seconds finds a better rate as well. */
START_TEST(a_false_rate_before_the_stream_does_not_last)
{
	int64_t began_ns = 0;

	net->hook = false_rate;
	net->hook_ctx = &began_ns;
	ask(64, 100000, 19000);				/* 1.9 s */
	measure();
	ck_assert_int_eq(began_ns, 2);
	ck_assert_int_le(llabs(pt->rx.owd.stats.min - 100000), 250);
	ck_assert_int_le(llabs(pt->rx.owd.stats.max - 100000), 250);
}
END_TEST

static enum sim_fate
step_wall(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)len;
	(void)delay_ns;
	if (way == SIM_TO_RESPONDER && buf[3] == PACE_DATA && buf[22] == 8 && buf[23] == 0)
		net->wall_ns += 3 * MS;
	return SIM_PASS;
}

START_TEST(their_wall_clock_is_watched)
{
	net->wall_ns = INT64_C(1700000000) * SEC;
	net->theta_ns = 5 * SEC;
	net->hook = step_wall;
	ask(64, MS, 4000);
	measure();
	ck_assert_uint_eq(pt->clock.their_steps, 1);
	ck_assert_uint_eq(pt->clock.our_steps, 0);
	ck_assert_int_le(llabs(pt->clock.wall_offset_ns -
	    (INT64_C(1700000005) * SEC + 3 * MS)), 200);
	ck_assert_int_le(llabs(pt->rx.owd.stats.max - 100000), 200);
}
END_TEST

START_TEST(a_clock_by_itself_needs_no_lease)
{
	struct pace_clock k;
	struct pace_msg_error who;

	open_session();
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody,
	    net->now_ns, SEC, "the other", &who), 0);
	net->skew_ppb = -7000;
	ck_assert_int_eq(pace_client_clock(&cl, 400, 5 * MS, &k, &err), 0);
	ck_assert_uint_eq(k.exchanges, 400);
	ck_assert_double_eq_tol(k.fit.v[0].line.rate * 1e9, -7000, 60);
}
END_TEST

/* --- replies that cannot be true ---------------------------------------------------- */

struct lies {
	uint64_t	every, seen, told;
	int64_t		arrival_ns, departure_ns;	/* added */
	bool		follow_up;			/* lie there, instead */
};

static enum sim_fate
lie(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct lies *l = ctx;
	struct pace_ping p;
	struct pace_hdr h;

	(void)delay_ns;
	if (way != SIM_TO_CLIENT || buf[3] != (PACE_PING | PACE_REPLY) ||
	    l->seen++ % l->every != 0)
		return SIM_PASS;
	ck_assert_int_eq(pace_hdr_decode(&h, buf, len), 0);
	pace_ping_decode(&p, buf, len);
	if (l->follow_up) {
		p.departure_ns += l->departure_ns;
		p.back += p.back == 0;
	} else {
		p.arrival_ns = (int64_t)((uint64_t)p.arrival_ns + (uint64_t)l->arrival_ns);
		h.tx_ns = (int64_t)((uint64_t)h.tx_ns + (uint64_t)l->departure_ns);
	}
	pace_ping_encode(buf, len, &h, &p);
	l->told++;
	return SIM_PASS;
}

static const struct {
	uint64_t every;
	int64_t arrival_ns, departure_ns;
} absurd[] = {
	{ 5, 0, 60 * SEC },			/* stayed for a minute */
	{ 5, 10 * MS, 0 },			/* left before it came */
	{ 5, 400 * 86400 * SEC, 400 * 86400 * SEC },
	{ 5, -400 * 86400 * SEC, -400 * 86400 * SEC },
	{ 5, INT64_MAX, INT64_MAX },
	{ 3, 12 * SEC, 12 * SEC },
};

START_TEST(absurd_times_are_foreign_and_change_nothing)
{
	struct lies l = { .every = absurd[_i].every, .arrival_ns = absurd[_i].arrival_ns,
	    .departure_ns = absurd[_i].departure_ns };
	struct pace_clock k;

	net->theta_ns = 3 * SEC;
	open_session();
	net->hook = lie;
	net->hook_ctx = &l;
	ck_assert_int_eq(pace_client_clock(&cl, 200, 2 * MS, &k, &err), 0);
	ck_assert_uint_eq(l.told, (200 + l.every - 1) / l.every);
	ck_assert_uint_eq(cl.pinger.foreign, l.told);
	ck_assert_uint_eq(k.exchanges, 200 - l.told);
	ck_assert_uint_eq(k.timeouts, l.told);
	ck_assert_int_eq(k.fit.segments, 1);
	ck_assert_int_le(llabs(theta_error(&k, k.from_ns)), 60);
}
END_TEST

START_TEST(an_absurd_departure_told_later_is_not_used)
{
	struct lies l = { .every = 3, .departure_ns = SEC, .follow_up = true };
	struct pace_clock k;

	open_session();
	net->hook = lie;
	net->hook_ctx = &l;
	ck_assert_int_eq(pace_client_clock(&cl, 200, 2 * MS, &k, &err), 0);
	ck_assert_uint_eq(k.exchanges, 200);
	ck_assert_int_le(llabs(theta_error(&k, k.from_ns)), 200);
	ck_assert_int_ge(k.min_rtt_ns, 199000);
}
END_TEST

/* --- round trips ---------------------------------------------------------------------- */

struct attributions {
	uint64_t	lost, late, copied, numbers;
};

/* By number: every 10th request is lost, and of the replies every 7th one;
 * every 13th reply comes 3 s late, every 11th twice. */
static enum sim_fate
trip_fate(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct attributions *f = ctx;
	uint64_t n = (uint64_t)buf[21] << 16 | (uint64_t)buf[22] << 8 | buf[23];

	(void)len;
	if ((buf[3] & ~PACE_REPLY) != PACE_PING)
		return SIM_PASS;
	if (way == SIM_TO_RESPONDER) {
		f->numbers++;
		f->lost += n % 10 == 0;
		return n % 10 == 0 ? SIM_DROP : SIM_PASS;
	}
	if (n % 7 == 0) {
		f->lost++;
		return SIM_DROP;
	}
	if (n % 13 == 0) {
		f->late++;
		*delay_ns += 3 * SEC;
		return SIM_PASS;
	}
	f->copied += n % 11 == 0;
	return n % 11 == 0 ? SIM_DUP : SIM_PASS;
}

static void
trips(uint32_t size, uint32_t reply, uint64_t count, int64_t interval_ns, int64_t timeout_ns)
{
	const char *broken;

	lat->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = reply,
	    .count = count, .interval_ns = interval_ns, .timeout_ns = timeout_ns };
	if (!cl.open)
		open_session();
	ck_assert_msg(pace_client_latency(&cl, lat, &err) == 0, "%s", err.text);
	broken = pace_latency_broken(lat);
	ck_assert_msg(broken == NULL, "%s", broken);
}

START_TEST(round_trips_are_the_networks)
{
	net->theta_ns = 17 * SEC;
	net->back_ns = 50000;
	trips(500, 100, 1000, 100000, SEC);	/* three under way at any time */
	ck_assert_uint_eq(lat->sent, 1000);
	ck_assert_uint_eq(lat->received, 1000);
	ck_assert_int_eq(lat->rtt.stats.min, 250000);
	ck_assert_int_eq(lat->rtt.stats.max, 250000);
	ck_assert_int_eq(lat->duration_ns, 99900000);
	/* from the kernel's departure, 300 ns after the call */
	ck_assert_int_eq(lat->kernel.stats.max, 249700);
	ck_assert_int_eq(lat->residence.stats.min, 300);
	ck_assert_int_eq(lat->residence.stats.max, 300);
	ck_assert_int_eq(lat->network.stats.min, 249400);
	ck_assert_uint_ge(lat->network.stats.n, 990);
	ck_assert_int_eq(lat->verdict, PACE_PACED);
}
END_TEST

/* Every fiftieth request takes 25 ms to leave: the next one is 15 ms late, its successor 5. */
static int
send_slowly(void *ctx, const struct pace_out *out, int n)
{
	struct pace_io real = sim_client_io(net);
	int rc = real.send(ctx, out, n);

	if (net->now_ns > 0 && lat->sent % 50 == 49)
		sim_pass(net, 25 * MS);
	return rc;
}

START_TEST(requests_more_than_an_interval_late_are_counted)
{
	open_session();
	cl.io.send = cl.pinger.io.send = send_slowly;
	trips(64, 64, 500, 10 * MS, SEC);
	ck_assert_uint_eq(lat->sent, 500);
	ck_assert_uint_ge(lat->late_requests, 9);
	ck_assert_uint_le(lat->late_requests, 10);
	ck_assert_int_eq(lat->verdict, PACE_DEGRADED);
}
END_TEST

/* A kernel that stamps nothing: what is known of the times is as good as the worse end. */
static int
recv_unstamped(void *ctx, struct pace_in *in, int n)
{
	struct pace_io real = sim_client_io(net);
	int got = real.recv(ctx, in, n);

	for (int i = 0; i < got; i++)
		in[i].stamp = PACE_STAMP_USER;
	return got;
}

START_TEST(arrivals_are_known_as_well_as_the_worse_end_knows)
{
	trips(64, 64, 100, MS, SEC);
	ck_assert_int_eq(cl.pinger.arrivals, PACE_STAMP_KERNEL);
	free(lat);
	lat = pace_latency_new();
	cl.pinger.io.recv = recv_unstamped;
	trips(64, 64, 100, MS, SEC);
	ck_assert_int_eq(cl.pinger.arrivals, PACE_STAMP_USER);
}
END_TEST

START_TEST(lost_late_and_repeated_replies_are_counted)
{
	struct attributions f = { 0, 0, 0, 0 };

	net->hook = trip_fate;
	net->hook_ctx = &f;
	trips(64, 64, 2000, 500000, SEC);
	sim_pass(net, 5 * SEC);
	ck_assert_uint_eq(f.numbers, 2000);
	ck_assert_uint_eq(lat->sent, 2000);
	ck_assert_uint_eq(lat->timeouts, f.lost + f.late);
	ck_assert_uint_eq(lat->received, 2000 - f.lost - f.late);
	ck_assert_uint_eq(lat->duplicates, f.copied);
	ck_assert_uint_eq(lat->foreign, 0);
	ck_assert_uint_le(lat->late_replies, f.late);
	ck_assert_int_eq(lat->rtt.stats.max, 200000);
}
END_TEST

START_TEST(each_request_is_listed)
{
	struct attributions f = { 0, 0, 0, 0 };
	uint64_t first;

	open_session();
	first = cl.pinger.next;
	net->hook = trip_fate;
	net->hook_ctx = &f;
	lat->lists = true;
	trips(64, 64, PACE_LISTED_MAX, 500000, SEC);
	ck_assert_int_eq(lat->n_listed, PACE_LISTED_MAX);
	for (int i = 0; i < PACE_LISTED_MAX; i++) {
		uint64_t n = first + (uint64_t)i;
		bool lost = n % 10 == 0 || n % 7 == 0 || n % 13 == 0;

		ck_assert_int_eq(lat->listed[i].sent_ns, i * INT64_C(500000));
		ck_assert_int_eq(lat->listed[i].rtt_ns, lost ? PACE_NO_FIGURE : 200000);
	}
	lat->listed[3].rtt_ns = lat->listed[3].rtt_ns == PACE_NO_FIGURE ? 1 : PACE_NO_FIGURE;
	ck_assert_ptr_nonnull(pace_latency_broken(lat));
}
END_TEST

/* By number, of a hundred: requests that are lost, repeated, or overtaken by two; replies that are
 * lost. */
struct ways {
	uint64_t	lost_there, copied, overtaken, lost_back;
};

static enum sim_fate
way_fate(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct ways *w = ctx;
	uint64_t n = (uint64_t)buf[21] << 16 | (uint64_t)buf[22] << 8 | buf[23];

	(void)len;
	if ((buf[3] & ~PACE_REPLY) != PACE_PING)
		return SIM_PASS;
	if (way == SIM_TO_CLIENT) {
		w->lost_back += n % 7 == 2;
		return n % 7 == 2 ? SIM_DROP : SIM_PASS;
	}
	w->lost_there += n % 10 == 3;
	w->overtaken += n % 20 == 10;
	*delay_ns += n % 20 == 10 ? 5 * MS / 2 : n % 3 == 0 ? 400000 : 0;
	w->copied += n % 40 == 15;
	return n % 10 == 3 ? SIM_DROP : n % 40 == 15 ? SIM_DUP : SIM_PASS;
}

/* Between the kernels' stamps a datagram takes 100 µs - 300 ns, and _i times 50 µs more on the way
 * back, which no clock can know: then the delays are within their bound. */
START_TEST(delays_and_losses_have_a_direction)
{
	struct ways w = { 0, 0, 0, 0 };
	double error;

	net->theta_ns = -17 * SEC;
	net->skew_ppb = 30000;
	net->back_ns = 50000 * _i;
	trips(64, 64, 110, MS, SEC);		/* then the first request is overtaken */
	free(lat);
	lat = pace_latency_new();
	net->hook = way_fate;
	net->hook_ctx = &w;
	trips(200, 200, 2000, MS, SEC);
	ck_assert(lat->has_requests && lat->has_clock);
	ck_assert_uint_eq(lat->lost_there, w.lost_there);
	ck_assert_uint_eq(lat->requests.arrived, 2000 - w.lost_there);
	ck_assert_uint_eq(lat->requests.duplicates, w.copied);
	ck_assert_uint_eq(lat->requests.reordered, w.overtaken);
	ck_assert_uint_eq(lat->requests.unanswered, 0);
	ck_assert_uint_eq(lat->lost_back, lat->timeouts - w.lost_there);
	ck_assert_uint_le(lat->lost_back, w.lost_back);	/* but for replies to copies */
	ck_assert_uint_ge(lat->lost_back + w.copied, w.lost_back);
	ck_assert_uint_eq(lat->there.stats.n, lat->back.stats.n);
	ck_assert_uint_ge(lat->there.stats.n, lat->received / 2);	/* replies carry departures */
	error = _i == 0 ? lat->clock.fit.uncertainty_ns : lat->clock.fit.bound_ns;
	ck_assert(_i == 0 ? error < 1000 : error > 25000 && error < 200000);
	ck_assert(fabs((double)lat->there.stats.min - 99700) <= error + 1);
	ck_assert(fabs((double)lat->back.stats.min - (double)(99700 + net->back_ns)) <= error + 1);
	ck_assert(fabs((double)lat->there.stats.max - 499700) <= error + 1);	/* no departure of overtaken ones */
}
END_TEST

static int (*real_send)(void *ctx, const struct pace_out *v, int n);

/* Stamps of the requests that left before a refused one are read before their numbers are lost:
 * this client spins, and looks at stamps with each reply only. */
static int
refuse_each_tenth(void *ctx, const struct pace_out *v, int n)
{
	static int asked;

	if (v[0].buf[3] == PACE_PING && ++asked % 10 == 0)
		return -EPERM;
	return real_send(ctx, v, n);
}

START_TEST(a_refused_request_costs_no_stamp)
{
	net->delay_ns = 20 * MS;		/* 40 requests are under way */
	real_send = cl.io.send;
	cl.io.send = refuse_each_tenth;
	trips(64, 64, 1000, MS, SEC);
	ck_assert_uint_eq(lat->sent + lat->refused, 1000);
	ck_assert_uint_ge(lat->refused, 99);
	ck_assert_uint_eq(lat->received, lat->sent);
	ck_assert_uint_eq(lat->kernel.stats.n, lat->received);
	ck_assert_int_eq(lat->kernel.stats.min, 40 * MS - net->stack_ns);
	ck_assert_int_eq(lat->kernel.stats.max, 40 * MS - net->stack_ns);
}
END_TEST

/* The 100th request comes 3 s late, the 500th never. */
static enum sim_fate
hold_one(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	uint64_t *n = ctx;

	if (way != SIM_TO_RESPONDER || buf[3] != PACE_PING || len != 200)
		return SIM_PASS;
	++*n;
	*delay_ns += *n == 100 ? 3 * SEC : 0;
	return *n == 500 ? SIM_DROP : SIM_PASS;
}

START_TEST(a_request_of_an_earlier_run_is_not_counted)
{
	uint64_t n = 0;

	net->hook = hold_one;
	net->hook_ctx = &n;
	trips(200, 200, 100, MS, SEC);
	ck_assert_uint_eq(lat->lost_there, 1);
	free(lat);
	lat = pace_latency_new();
	trips(200, 200, 5000, MS, SEC);
	ck_assert_uint_eq(n, 5100);
	ck_assert_uint_eq(lat->requests.arrived, 4999);
	ck_assert_uint_eq(lat->lost_there, 1);
	ck_assert_uint_eq(lat->lost_back, 0);
}
END_TEST

/* A responder whose counts cannot be true. */
static enum sim_fate
boast(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	char *at = len > 32 ? memmem(buf, len, "\"arrived\":100", 13) : NULL;
	struct pace_hdr h;

	(void)ctx;
	(void)delay_ns;
	if (way != SIM_TO_CLIENT || at == NULL || pace_hdr_decode(&h, buf, len) != 0)
		return SIM_PASS;
	at[10] = '9';
	pace_hdr_encode(buf, len, &h);
	return SIM_PASS;
}

START_TEST(counts_that_the_replies_contradict_are_not_used)
{
	net->hook = boast;
	trips(64, 64, 100, MS, SEC);
	ck_assert_uint_eq(lat->received, 100);
	ck_assert(!lat->has_requests);
	ck_assert_str_eq(lat->notes.v[lat->notes.n - 1].code, "request_counts");
}
END_TEST

START_TEST(late_replies_are_matched_by_number)
{
	struct attributions f = { 0, 0, 0, 0 };

	net->hook = trip_fate;
	net->hook_ctx = &f;
	trips(64, 64, 2000, 5 * MS, SEC);	/* 10 s: most late ones come within it */
	ck_assert_uint_gt(lat->late_replies, f.late / 2);
	ck_assert_uint_le(lat->late_replies, f.late);
	ck_assert_uint_eq(lat->timeouts, f.lost + f.late);
}
END_TEST

START_TEST(ping_pong_waits_for_each_reply)
{
	struct attributions f = { 0, 0, 0, 0 };

	trips(64, 64, 500, 0, SEC);
	ck_assert_uint_eq(lat->received, 500);
	ck_assert_int_eq(lat->duration_ns, 499 * 200000);
	free(lat);
	lat = pace_latency_new();
	net->hook = trip_fate;
	net->hook_ctx = &f;
	trips(64, 64, 100, 0, 50 * MS);
	ck_assert_uint_eq(lat->timeouts, f.lost + f.late);
	ck_assert_int_ge(lat->duration_ns, 50 * MS * (int64_t)(lat->timeouts - 1));
}
END_TEST

START_TEST(a_reply_larger_than_its_request_is_refused_with_the_limit)
{
	open_session();
	lat->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 65, .count = 1,
	    .interval_ns = MS, .timeout_ns = SEC };
	ck_assert_int_eq(pace_client_latency(&cl, lat, &err), -EACCES);
	ck_assert_msg(strstr(err.text, "at most 64") != NULL, "%s", err.text);
	ck_assert_uint_eq(lat->sent, 0);
}
END_TEST

/* Its client is slow to go on while another one waits. */
START_TEST(round_trips_that_are_over_make_way)
{
	struct pace_msg_error who;
	int64_t ended_ns;

	trips(64, 64, 100, MS, SEC);
	ended_ns = net->now_ns;
	while (sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns, SEC,
	    "", &who) != 0)
		sim_pass(net, SEC / 2);
	ck_assert_int_ge(net->now_ns - ended_ns, 2 * SEC);
	ck_assert_int_lt(net->now_ns - ended_ns, 6 * SEC);
}
END_TEST

START_TEST(round_trips_hold_the_lease)
{
	struct pace_msg_error who;

	trips(64, 64, 200, 100 * MS, SEC);		/* 20 s */
	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 77, &somebody,
	    net->now_ns, SEC, "", &who), -EBUSY);
}
END_TEST

/* --- records --------------------------------------------------------------------------- */

#define KEPT_MAX	20000

struct truth {
	int		n;
	struct pace_record v[KEPT_MAX];
};

/* Every 50th frame is lost, every 33rd comes twice, every 17th 5 spacings late. */
static enum sim_fate
log_frames(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct truth *t = ctx;
	struct pace_hdr h;
	int copies = 1;

	if (way != SIM_TO_RESPONDER || buf[3] != PACE_DATA)
		return SIM_PASS;
	ck_assert_int_eq(pace_hdr_decode(&h, buf, len), 0);
	if (h.seq % 50 == 7)
		return SIM_DROP;
	if (h.seq % 17 == 3)
		*delay_ns += 110000;
	copies += h.seq % 33 == 5;
	for (int i = 0; i < copies; i++)
		t->v[t->n++] = (struct pace_record){ .seq = h.seq, .tx_ns = h.tx_ns,
		    .rx_ns = net->now_ns + *delay_ns + i + true_theta(net->now_ns) };
	return copies == 2 ? SIM_DUP : SIM_PASS;
}

static int
by_arrival(const void *a, const void *b)
{
	const struct pace_record *x = a, *y = b;

	return (x->rx_ns > y->rx_ns) - (x->rx_ns < y->rx_ns);
}

START_TEST(records_are_complete_over_a_bad_path)
{
	static struct truth t;
	struct pace_record r;
	uint8_t *columns;

	t.n = 0;
	net->theta_ns = 42 * SEC;
	net->hook = log_frames;
	net->hook_ctx = &t;
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.2, .dup = 0.1, .jitter_ns = MS };
	ask(64, 20000, 15000);
	pt->ask.record.room = KEPT_MAX;
	measure();
	ck_assert_uint_eq(pt->rx.records, (uint64_t)t.n);
	ck_assert_msg(pace_client_records(&cl, pt, &columns, &err) == 0, "%s", err.text);
	qsort(t.v, (size_t)t.n, sizeof(t.v[0]), by_arrival);
	for (int i = 0; i < t.n; i++) {
		ck_assert_int_eq(pace_record_read(columns, (uint64_t)t.n, (uint64_t)i, &r), 0);
		if (r.seq != t.v[i].seq || r.tx_ns != t.v[i].tx_ns || r.rx_ns != t.v[i].rx_ns)
			ck_abort_msg("record %d of %d", i, t.n);
		ck_assert_uint_eq(r.flags & PACE_RECORD_STAMP, PACE_STAMP_KERNEL);
	}
	free(columns);
}
END_TEST

START_TEST(more_records_than_allowed_are_refused_with_the_limit)
{
	ask(64, 20000, 100);
	pt->ask.record.room = 100001;
	open_session();
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), -EACCES);
	ck_assert_msg(strstr(err.text, "at most 100000") != NULL, "%s", err.text);
	ck_assert_uint_eq(pt->tx.frames, 0);
	pt->ask.record.room = 100000;
	measure();
}
END_TEST

/* A responder whose rx_result speaks of more records than it has. */
START_TEST(records_that_are_not_there_are_refused)
{
	uint8_t *columns = (uint8_t *)pt;

	ask(64, 20000, 100);
	measure();
	pt->rx.records = 100;
	ck_assert_int_eq(pace_client_records(&cl, pt, &columns, &err), -EACCES);
	ck_assert_str_eq(err.step, "fetch");
	ck_assert_str_eq(err.text, "FETCH of bytes that are not there");
	ck_assert_ptr_null(columns);
}
END_TEST

/* A filter of our own says no for a while: a request is asked again, until its time
 * is up. */
static int denials;

static int
denied(void *ctx, const struct pace_out *v, int n)
{
	if (denials > 0 && v[0].buf[3] != PACE_DATA && v[0].buf[3] != PACE_PING) {
		denials--;
		return -EPERM;
	}
	return real_send(ctx, v, n);
}

START_TEST(a_filter_that_says_no_for_a_while_is_outlived)
{
	real_send = cl.io.send;
	cl.io.send = denied;
	denials = 2;
	open_session();
	denials = 2;
	ask(64, 20000, 100);
	measure();
	ck_assert_uint_eq(pt->rx.unique, 100);
	denials = 1000000;
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), -EPERM);
	ck_assert_str_eq(err.step, "start");
}
END_TEST

/* Nothing that is asked is answered any more. */
static enum sim_fate
silence(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx;
	(void)buf;
	(void)len;
	(void)delay_ns;
	return way == SIM_TO_CLIENT ? SIM_DROP : SIM_PASS;
}

START_TEST(ten_seconds_of_silence_are_a_session_gone)
{
	static struct pace_clock k;
	int64_t from;

	open_session();
	net->hook = silence;
	from = cl.io.now(cl.io.ctx);
	ck_assert_int_eq(pace_client_clock(&cl, 10000, 10 * MS, &k, &err), -ESTALE);
	ck_assert_int_ge(cl.io.now(cl.io.ctx) - from, 10 * SEC);
	ck_assert_int_le(cl.io.now(cl.io.ctx) - from, 12 * SEC);
	ck_assert_uint_eq(k.exchanges, 0);
}
END_TEST

/* Exchanges of 128 bytes go beside a stream of somebody else, larger ones do not. */
START_TEST(large_exchanges_need_the_lease)
{
	open_session();
	for (uint32_t size = 127; size <= 129; size++) {
		uint64_t before = cl.pinger.answered;

		ck_assert_int_eq(pace_pinger_send(&cl.pinger, size, size), 0);
		for (int i = 0; i < 10; i++) {
			(void)cl.io.sleep_until(cl.io.ctx, cl.io.now(cl.io.ctx) + 10 * MS, NULL);
			(void)pace_pinger_poll(&cl.pinger);
		}
		ck_assert_uint_eq(cl.pinger.answered - before, size <= 128);
	}
}
END_TEST

START_TEST(room_that_is_used_up_is_told)
{
	uint8_t *columns;

	ask(64, 20000, 1000);
	pt->ask.record.room = 300;
	pt->ask.record.skip = 500;
	measure();
	ck_assert_uint_eq(pt->rx.records, 300);
	ck_assert_uint_eq(pt->rx.records_missed, 200);
	ck_assert_int_eq(pace_client_records(&cl, pt, &columns, &err), 0);
	ck_assert_uint_eq(columns[7] + 256U * columns[6], 500);
	free(columns);
}
END_TEST

/* --- what goes wrong ------------------------------------------------------------------ */

/* From 1 s on the path is cut for 12 s. */
static enum sim_fate
cut_for_12_s(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t *from = ctx;

	(void)way;
	(void)len;
	(void)delay_ns;
	if ((buf[3] & ~PACE_REPLY) != PACE_PING)
		return SIM_PASS;
	if (*from == 0)
		*from = net->now_ns + SEC;
	return net->now_ns < *from || net->now_ns > *from + 12 * SEC ? SIM_PASS : SIM_DROP;
}

START_TEST(an_outage_loses_what_it_lost_and_no_more)
{
	int64_t from = 0;

	net->poll_ns = 2000;
	net->hook = cut_for_12_s;
	net->hook_ctx = &from;
	trips(64, 64, 15000, MS, SEC);
	ck_assert_uint_eq(lat->sent, 15000);
	ck_assert_uint_eq(lat->refused, 0);
	ck_assert_uint_ge(lat->timeouts, 11990);
	ck_assert_uint_le(lat->timeouts, 12010);
}
END_TEST

/* Somebody takes the lease while nothing arrives. */
static enum sim_fate
take_lease_in_the_gap(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t *from = ctx;
	enum sim_fate attribution = cut_for_12_s(from, way, buf, len, delay_ns);
	struct pace_msg_error who;

	if (attribution == SIM_DROP && net->now_ns > *from + 11 * SEC)
		(void)sim_take_lease(&net->responder.shared.lease, 77, &somebody, net->now_ns, SEC, "", &who);
	return attribution;
}

START_TEST(a_lease_lost_between_requests_is_told)
{
	int64_t from = 0;

	net->poll_ns = 2000;
	net->hook = take_lease_in_the_gap;
	net->hook_ctx = &from;
	trips(64, 64, 1500, 10 * MS, SEC);
	ck_assert_int_eq(lat->verdict, PACE_DEGRADED);
	ck_assert_str_eq(lat->notes.v[lat->notes.n - 1].code, "lease_lost");
}
END_TEST

/* The responder restarts after 300 requests. */
static enum sim_fate
restart(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *n = ctx;

	(void)len;
	(void)delay_ns;
	*n += way == SIM_TO_RESPONDER && buf[3] == PACE_PING;
	return *n > 300 && way == SIM_TO_RESPONDER && buf[3] == PACE_PING ? SIM_DROP : SIM_PASS;
}

START_TEST(a_responder_that_forgot_us_is_told)
{
	int n = 0;

	open_session();
	net->poll_ns = 2000;
	net->hook = restart;
	net->hook_ctx = &n;
	lat->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64,
	    .count = 700, .interval_ns = 100 * MS, .timeout_ns = SEC };	/* silent for 40 s: forgotten after 30 */
	ck_assert_int_eq(pace_client_latency(&cl, lat, &err), -ESTALE);
	ck_assert_int_eq(lat->verdict, PACE_DEGRADED);
	ck_assert_uint_eq(lat->received, 300);
	ck_assert_str_eq(lat->notes.v[lat->notes.n - 1].code, "session_lost");
}
END_TEST

static volatile sig_atomic_t stop_now;

static enum sim_fate
stop_after_500(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int *n = ctx;

	(void)len;
	(void)delay_ns;
	*n += way == SIM_TO_RESPONDER && buf[3] == PACE_PING;
	stop_now = *n >= 500;
	return *n > 450 ? SIM_DROP : SIM_PASS;
}

START_TEST(a_stop_makes_no_losses_of_what_is_under_way)
{
	int n = 0;

	stop_now = 0;
	cl.stop = &stop_now;
	open_session();
	net->poll_ns = 2000;
	net->hook = stop_after_500;
	net->hook_ctx = &n;
	lat->ask = (struct pace_latency_params){ .size_bytes = 64, .reply_bytes = 64,
	    .count = 4000, .interval_ns = MS, .timeout_ns = SEC };
	ck_assert_int_lt(pace_client_latency(&cl, lat, &err), 0);
	ck_assert(lat->interrupted);
	ck_assert_uint_eq(lat->received, 450);
	ck_assert_uint_eq(lat->sent, 450);
	ck_assert_uint_eq(lat->timeouts, 0);
	ck_assert(pace_latency_broken(lat) == NULL);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("exchange");

	unit_seed(tc);
	sim_sums(tc, "exchange");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, offset_rate_and_delay_are_the_networks, 0, COUNT_OF(clocks));
	tcase_add_test(tc, delay_is_called_relative_where_the_bound_is_wider);
	tcase_add_test(tc, a_queue_one_way_does_not_pull_the_clock);
	tcase_add_test(tc, a_long_run_keeps_the_delay);
	tcase_add_test(tc, a_false_rate_before_the_stream_does_not_last);
	tcase_add_test(tc, their_wall_clock_is_watched);
	tcase_add_test(tc, a_clock_by_itself_needs_no_lease);
	tcase_add_loop_test(tc, absurd_times_are_foreign_and_change_nothing, 0, COUNT_OF(absurd));
	tcase_add_test(tc, an_absurd_departure_told_later_is_not_used);
	tcase_add_test(tc, round_trips_are_the_networks);
	tcase_add_test(tc, requests_more_than_an_interval_late_are_counted);
	tcase_add_test(tc, arrivals_are_known_as_well_as_the_worse_end_knows);
	tcase_add_test(tc, lost_late_and_repeated_replies_are_counted);
	tcase_add_test(tc, each_request_is_listed);
	tcase_add_loop_test(tc, delays_and_losses_have_a_direction, 0, 2);
	tcase_add_test(tc, a_refused_request_costs_no_stamp);
	tcase_add_test(tc, a_request_of_an_earlier_run_is_not_counted);
	tcase_add_test(tc, counts_that_the_replies_contradict_are_not_used);
	tcase_add_test(tc, late_replies_are_matched_by_number);
	tcase_add_test(tc, ping_pong_waits_for_each_reply);
	tcase_add_test(tc, a_reply_larger_than_its_request_is_refused_with_the_limit);
	tcase_add_test(tc, round_trips_that_are_over_make_way);
	tcase_add_test(tc, round_trips_hold_the_lease);
	tcase_add_test(tc, records_are_complete_over_a_bad_path);
	tcase_add_test(tc, more_records_than_allowed_are_refused_with_the_limit);
	tcase_add_test(tc, records_that_are_not_there_are_refused);
	tcase_add_test(tc, a_filter_that_says_no_for_a_while_is_outlived);
	tcase_add_test(tc, ten_seconds_of_silence_are_a_session_gone);
	tcase_add_test(tc, large_exchanges_need_the_lease);
	tcase_add_test(tc, room_that_is_used_up_is_told);
	tcase_add_test(tc, an_outage_loses_what_it_lost_and_no_more);
	tcase_add_test(tc, a_lease_lost_between_requests_is_told);
	tcase_add_test(tc, a_responder_that_forgot_us_is_told);
	tcase_add_test(tc, a_stop_makes_no_losses_of_what_is_under_way);
	return unit_run(tc, "exchange");
}
