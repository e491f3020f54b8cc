/*
 * The intervals of a run on the simulated network, whose log says which frames it dropped,
 * copied and delayed; and frames that are typed in, for what a network cannot be asked for.
 */
#include "lib/unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "doc/intervals_doc.h"
#include "doc/point_doc.h"
#include "run/live_intervals.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define MS	INT64_C(1000000)
#define US	INT64_C(1000)
#define ROOM	64

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;

/* The network's log of frames by interval, as a test reads it. */
static struct log {
	uint64_t	(*of)(uint64_t seq, int64_t tx_ns);
	uint64_t	sent[ROOM], dropped[ROOM], copied[ROOM];
	uint64_t	outage_from, outage_to;		/* numbers that are dropped */
	int64_t		first_tx_ns;
	bool		begun;
} it;

static enum sim_fate
look(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;
	uint64_t i;
	unsigned dice = (unsigned)(sim_random(net) % 100);

	(void)ctx, (void)way;
	if ((buf[3] & ~PACE_REPLY) != PACE_DATA || pace_hdr_decode(&h, buf, len) != 0)
		return SIM_PASS;
	if (!it.begun)
		it.first_tx_ns = h.tx_ns;
	it.begun = true;
	i = it.of(h.seq, h.tx_ns);
	ck_assert_uint_lt(i, ROOM);
	it.sent[i]++;
	if ((dice < 3 && h.seq > 0) || (h.seq >= it.outage_from && h.seq < it.outage_to)) {
		it.dropped[i]++;
		return SIM_DROP;
	}
	if (dice < 6)			/* comes after others: some of them of the next interval */
		*delay_ns += (int64_t)(sim_random(net) % 3) * MS;
	it.copied[i] += dice >= 97;
	return dice >= 97 ? SIM_DUP : SIM_PASS;
}

static void
setup(void)
{
	memset(&it, 0, sizeof(it));
	memset(&err, 0, sizeof(err));
	net = sim_new(unit_rnd());
	sim_reverse(net);
	net->hook = look;
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	pt = pace_point_new();
	pt->ask = (struct pace_params){ .size_bytes = 200, .spacing = pace_spacing_from_ns(100 * US),
	    .count = 5000, .train = 1, .bursts = 1, .grace_ns = 200 * MS, .interval_ns = 50 * MS };
}

static void
teardown(void)
{
	pace_client_close(&cl);
	pace_client_free(&cl);
	pace_point_free(pt);
	sim_free(net);
}

static void
measure(void)
{
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	ck_assert_int_eq(pace_client_point(&cl, pt, &err), 0);
	ck_assert_ptr_null(pace_point_broken(pt));
	ck_assert_ptr_nonnull(pt->intervals);
}

/* Each interval has what the network's log has. */
static void
compare(uint32_t n)
{
	ck_assert_uint_eq(pt->intervals->n, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct pace_interval *o = &pt->intervals->v[i];

		ck_assert_uint_eq(o->sent, it.sent[i]);
		ck_assert_uint_eq(o->lost, it.dropped[i]);
		ck_assert_uint_eq(o->rx.received, it.sent[i] - it.dropped[i]);
		ck_assert_uint_eq(o->rx.duplicates, it.copied[i]);
		ck_assert_int_eq(o->from_ns, i * pt->intervals->length_ns);
	}
}

static uint64_t
by_spacing(uint64_t seq, int64_t tx_ns)
{
	(void)tx_ns;
	return seq * 100 / 50000;
}

START_TEST(each_interval_has_what_the_network_dropped_of_it)
{
	uint64_t refused = 0;

	pt->ask.direction = _i % 2 == 1 ? PACE_DOWN : PACE_UP;
	net->hosts.refuse = _i > 1 ? 0.02 : 0;	/* without a number: their slots pass */
	it.of = by_spacing;
	measure();
	for (uint32_t i = 0; i < pt->intervals->n; i++)
		refused += pt->intervals->v[i].tx.refused;
	ck_assert_uint_eq(refused, pt->tx.refused);
	ck_assert(_i < 2 || refused > 50);
	if (_i > 1) {			/* the last number is lower */
		ck_assert_int_gt(pt->intervals->v[5].tx.departure_ns, 250 * MS);
		return;
	}
	compare(10);
	ck_assert_int_eq(pt->intervals->v[5].tx.departure_ns, 250 * MS);
	ck_assert_int_eq(pt->intervals->v[9].to_ns, 500 * MS);
	ck_assert_int_gt(pt->intervals->v[4].rx.gap.p50, 90 * US);
	ck_assert_int_gt(pt->intervals->v[4].rx.pdv.max, MS);	/* delayed ones */
	ck_assert_int_eq(pt->intervals->v[4].rx.pdv.p99, PACE_NO_FIGURE);	/* too few */
}
END_TEST

/* The outage covers intervals 3 and 4 and parts of their neighbours; then the end. */
START_TEST(an_outage_is_in_the_intervals_that_it_covered)
{
	pt->ask.direction = _i % 2 == 1 ? PACE_DOWN : PACE_UP;
	it.of = by_spacing;
	it.outage_from = _i < 2 ? 1300 : 3300;
	it.outage_to = _i < 2 ? 2700 : 5000;
	measure();
	compare(10);
	ck_assert_uint_eq(pt->intervals->v[_i < 2 ? 3 : 8].lost, 500);
	ck_assert_uint_eq(pt->intervals->v[_i < 2 ? 3 : 8].rx.gap.n, 0);
}
END_TEST

/* 8 trains of 8 frames and one of 6 or 8 a burst: 9 x 80 us, then 5 ms. */
static uint64_t
by_burst(uint64_t seq, int64_t tx_ns)
{
	(void)tx_ns;
	return (seq / pt->ask.count * (9 * 80 + 5000) + seq % pt->ask.count / 8 * 80) / 10000;
}

START_TEST(bursts_of_trains_are_divided_by_their_schedule)
{
	pt->ask.direction = _i % 2 == 1 ? PACE_DOWN : PACE_UP;
	pt->ask.spacing = pace_spacing_from_ns(10 * US);
	pt->ask.train = 8;
	pt->ask.count = _i < 2 ? 70 : 72;
	pt->ask.bursts = 60;
	pt->ask.burst_gap_ns = 5 * MS;
	pt->ask.interval_ns = 10 * MS;
	it.of = by_burst;
	measure();
	compare(34);
}
END_TEST

START_TEST(a_document_keeps_them_and_finds_each_contradiction)
{
	static const char *const members[] = { "sent", "lost", "received", "reordered",
	    "duplicates", "socket_drops", "refused", "late_frames" };
	struct pace_point *read = pace_point_new();
	json_t *j, *one;

	it.of = by_spacing;
	measure();
	j = pace_point_to_json(pt);
	ck_assert_int_eq(pace_point_from_json(read, j), 0);
	ck_assert_uint_eq(read->intervals->n, 10);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_mem_eq(&read->intervals->v[i].rx.pdv, &pt->intervals->v[i].rx.pdv,
		    sizeof(pt->intervals->v[i].rx.pdv));
	one = json_array_get(json_object_get(j, "intervals"), 3);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_int_t n = json_integer_value(json_object_get(one, members[i]));

		json_object_set_new(one, members[i], json_integer(n + 1));
		ck_assert_int_eq(pace_point_from_json(read, j), -EPROTO);
		json_object_set_new(one, members[i], json_integer(n));
	}
	ck_assert_int_eq(pace_point_from_json(read, j), 0);
	json_array_remove(json_object_get(j, "intervals"), 3);
	ck_assert_int_eq(pace_point_from_json(read, j), -EPROTO);
	json_decref(j);
	pace_point_free(read);
}
END_TEST

/* --- rows while the run goes on -------------------------------------------------- */

/* Of each stream frames 640 .. 689 that count, 1 ms apart, are dropped. */
static uint64_t omitted;

static enum sim_fate
drop_fifty(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	struct pace_hdr h;

	(void)ctx, (void)way, (void)delay_ns;
	return (buf[3] & ~PACE_REPLY) == PACE_DATA && pace_hdr_decode(&h, buf, len) == 0 &&
	    h.seq >= omitted + 640 && h.seq < omitted + 690 ? SIM_DROP : SIM_PASS;
}

/* The rows of one direction: a stream's loss is in the fourth, and nowhere else. */
static void
check_rows(char *text, enum pace_direction way, uint32_t streams)
{
	json_int_t from = 0, lost = 0, n = 0, received = 0;
	char *copy = strdup(text);

	for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		json_t *j = json_loads(line, 0, NULL);
		const char *to = json_string_value(json_object_get(j, "direction"));
		json_int_t v[6];

		ck_assert_str_eq(json_string_value(json_object_get(j, "event")), "interval");
		ck_assert_int_eq(json_unpack(j, "{s:I,s:I,s:I,s:I,s:I,s:I}", "from_ns", &v[0],
		    "to_ns", &v[1], "sent", &v[2], "received", &v[3], "lost", &v[4],
		    "socket_lost", &v[5]), 0);
		if (strcmp(to, way == PACE_UP ? "up" : "down") == 0 && n < 9) {
			const double bits = 1600 * (double)v[3], s = (double)(v[1] - v[0]) / 1e9;
			const int64_t lost_now = n == 3 ? 50 * streams : 0;

			ck_assert_int_eq(v[0], from);
			ck_assert(llabs(v[1] - (n + 1) * 200 * MS) < 10 * MS);
			/* a sender in the first row begins later than the client asked for it */
			ck_assert(n == 0 || llabs(v[2] - 200 * streams) <= 10 * streams);
			ck_assert(llabs(v[2] - lost_now - v[3]) <= 10 * streams);
			ck_assert_int_eq(v[4], lost_now);
			ck_assert_int_eq(v[5], 0);
			ck_assert(fabs(json_real_value(json_object_get(j, "user_rate_bps")) -
			    bits / s) < 1);
			from = v[1];
			lost += v[4];
			received += v[3];
			n++;
		}
		json_decref(j);
	}
	free(copy);
	ck_assert_int_ge(n, 9);		/* 1.9 s; the responder may be asked later than that */
	ck_assert_int_eq(lost, 50 * streams);
	ck_assert_int_le(received, 1850 * streams);
	ck_assert_int_ge(received, 1600 * streams);
}

/* Up, down, two-way; three streams up and down; the first 400 ms omitted. */
START_TEST(rows_of_a_run_have_what_is_known_when_they_pass)
{
	static struct pace_live_intervals l;
	const bool two_way = _i == 2;
	struct pace_show show = { .rows = NULL };
	struct pace_sink sink = { .failed = false };
	char *text = NULL;
	size_t size;

	memset(&l, 0, sizeof(l));
	net->hook = drop_fifty;
	net->two_way = two_way;
	omitted = _i == 5 ? 400 : 0;
	cl.open_flow = sim_open_flow;
	cl.flow_ctx = cl.io.ctx;
	pt->ask.spacing = pace_spacing_from_ns(MS);
	pt->ask.count = 1900;
	pt->ask.interval_ns = 200 * MS;
	pt->ask.direction = _i == 1 || _i == 4 ? PACE_DOWN : PACE_UP;
	pt->ask.two_way = two_way;
	pt->ask.streams = _i == 3 || _i == 4 ? 3 : 1;
	pt->ask.omit_ns = (int64_t)omitted * MS;
	l.sink = &sink;
	l.quiet = true;
	pace_live_intervals_set(&l, pt, 7, &cl, &show);
	ck_assert_ptr_null(show.rows);		/* nowhere to write them */
	sink.jsonl = open_memstream(&text, &size);
	pt->ask.interval_ns = 99 * MS;
	pace_live_intervals_set(&l, pt, 7, &cl, &show);
	ck_assert_ptr_null(show.rows);		/* too short */
	pt->ask.interval_ns = 200 * MS;
	pace_live_intervals_set(&l, pt, 7, &cl, &show);
	ck_assert_ptr_nonnull(show.rows);
	measure();
	show.rows(show.rows_ctx);
	ck_assert(!sink.failed);

	ck_assert_int_eq(fclose(sink.jsonl), 0);
	if (_i != 1 && _i != 4)
		check_rows(text, PACE_UP, pt->ask.streams);
	if (_i == 1 || _i == 2 || _i == 4)
		check_rows(text, PACE_DOWN, pt->ask.streams);
	ck_assert(two_way || strstr(text, pt->ask.direction == PACE_UP ? "down" : "up") == NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"index\":7"));
	free(text);
}
END_TEST

/* --- what a responder may report ------------------------------------------------ */

START_TEST(rows_beyond_their_bounds_are_refused)
{
	struct pace_params a = { .size_bytes = 200, .spacing = pace_spacing_from_ns(1000),
	    .count = 2500, .train = 1, .bursts = 1, .interval_ns = MS };
	struct pace_intervals *v = pace_intervals_new(&a);
	json_t *rows, *row;

	ck_assert_uint_eq(v->room, 3);
	v->n = 3;
	v->v[0].rx.received = v->v[1].rx.received = 1000;
	v->v[2].rx.received = 499;
	rows = pace_interval_rows(v, PACE_INTERVAL_RX);
	ck_assert(pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
	ck_assert(pace_intervals_close(v, &a, 2500, 97 * MS));
	ck_assert_uint_eq(v->v[2].lost, 1);
	ck_assert(!pace_intervals_close(v, &a, 1500, 97 * MS));	/* more than were sent */
	row = json_array_get(rows, 1);
	for (size_t i = 0; i < json_array_size(row); i++) {
		json_t *old = json_incref(json_array_get(row, i));

		json_array_set_new(row, i, json_integer(INT64_C(1) << 62));
		ck_assert(!pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
		json_array_set_new(row, i, json_string("1"));
		ck_assert(!pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
		json_array_set_new(row, i, old);
	}
	json_array_append(rows, row);
	ck_assert(!pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
	json_array_remove(rows, 3);
	json_array_set_new(row, 2, json_integer(1001));	/* of 1000 */
	ck_assert(pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
	ck_assert(!pace_intervals_close(v, &a, 2500, 97 * MS));
	json_decref(rows);
	free(v);
}
END_TEST

/* --- frames that are typed in ---------------------------------------------------- */

static void
take(struct pace_receiver *r, uint64_t seq, int64_t tx_ns, int64_t rx_ns)
{
	struct pace_in in = { .len = 200, .size = 200, .stamp_ns = rx_ns };

	pace_receiver_take(r, &(struct pace_hdr){ .seq = seq, .tx_ns = tx_ns }, &in);
}

static struct pace_receiver *
receiver(struct pace_msg_start *m)
{
	struct pace_receiver *r = pace_receiver_new();

	m->ask.size_bytes = 200;
	m->ask.train = m->ask.bursts = 1;
	ck_assert_int_eq(pace_receiver_start(r, m, 0, false), 0);
	return r;
}

/* Delays of 100 us, and 300 us in the second interval; a frame of the first interval comes when
 * the third has begun: it counts, is the maximum, and is in no quantile. */
START_TEST(a_very_late_frame_counts_but_moves_no_quantile)
{
	struct pace_msg_start m = { .limit = 40, .ask = { .spacing = pace_spacing_from_ns(MS),
	    .count = 40, .interval_ns = 10 * MS } };
	struct pace_receiver *r = receiver(&m);
	const struct pace_msg_finish f = { .sent = 40 };
	const struct pace_intervals *v;

	for (int64_t n = 0; n < 40; n++) {
		int64_t delay = n / 10 == 1 ? 300 * US : 100 * US;

		if (n != 5)
			take(r, (uint64_t)n, n * MS, 7 * SEC + n * MS + delay);
		if (n == 25)
			take(r, 5, 5 * MS, 7 * SEC + 25 * MS + 200 * US);
	}
	(void)pace_receiver_finish(r, &f, 0);
	v = pace_receiver_intervals(r);
	ck_assert_uint_eq(v->n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(v->v[i].rx.received, 10);
		ck_assert_uint_eq(v->v[i].rx.unbinned, i == 0);
		ck_assert_uint_eq(v->v[i].rx.pdv.n, 10);
		ck_assert_int_eq(v->v[i].rx.pdv.p50, i == 1 ? 200 * US : 0);
		ck_assert_int_eq(v->v[i].rx.pdv.max, i == 0 ? 20 * MS + 100 * US :
		    i == 1 ? 200 * US : 0);
	}
	ck_assert_uint_eq(v->v[0].rx.reordered, 1);
	ck_assert_int_eq(v->v[0].rx.gap.min, 200 * US - 100 * US);	/* the late one's */
	ck_assert_int_eq(v->v[1].rx.gap.max, MS + 200 * US);
	pace_receiver_free(r);
}
END_TEST

/* A frame each 100 us or so, at spacing 0: what arrived is in the interval of its departure.  350
 * lost ones from 30 ms on are divided over the time that they took; the last ones have no time. */
START_TEST(without_a_spacing_departures_divide)
{
	struct pace_msg_start m = { .limit = 1000, .ask = { .count = 1000,
	    .interval_ns = 10 * MS } };
	struct pace_receiver *r = receiver(&m);
	const struct pace_msg_finish f = { .sent = 1000 };
	const struct pace_intervals *all;
	struct pace_intervals *v;
	uint64_t received[10] = { 0 }, copies[10] = { 0 };

	int64_t again = 0;

	unit_turn(_i);
	for (int64_t n = 0; n < 990; n++) {
		int64_t tx = n * 100 * US + unit_between(0, 99) * US * (n > 0);

		if ((n < 300 || n >= 650) && (n == 0 || n % 100 == 0 || n % 100 == 30 ||
		    unit_rnd() % 10 > 0)) {
			take(r, (uint64_t)n, tx, 9 * SEC + tx + US);
			received[tx / (10 * MS)]++;
			if (n > 700 && n % 100 == 0)	/* the first of its interval, again, later */
				again = n;
			copies[n / 100] += again > 0 && n == again + 30;
			if (again > 0 && n == again + 30)
				take(r, (uint64_t)again, again * 100 * US, 9 * SEC + tx + 2 * US);
		}
	}
	(void)pace_receiver_finish(r, &f, 0);
	all = pace_receiver_intervals(r);
	v = pace_intervals_of(all->room);
	memcpy(v, all, sizeof(*v) + all->n * sizeof(v->v[0]));
	ck_assert_uint_eq(v->n, 10);
	ck_assert(pace_intervals_close(v, &m.ask, 1000, 97 * MS));
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_uint_eq(v->v[i].rx.received, received[i]);
		ck_assert_uint_eq(v->v[i].rx.duplicates, copies[i]);
		ck_assert_uint_ge(v->v[i].sent, 97);
		ck_assert_uint_le(v->v[i].sent, 103);
	}
	ck_assert_uint_eq(v->v[4].lost, v->v[4].sent);
	ck_assert_int_eq(v->v[9].to_ns, 97 * MS);
	free(v);
	pace_receiver_free(r);
}
END_TEST

/* A frame each 0.5 ms for 10000 intervals of 1 ms at spacing 0, every seventh lost, delay rising
 * by 1 ns: neighbours are merged twice, and nothing is lost or counted twice. */
START_TEST(neighbours_are_merged_and_their_sums_stay)
{
	struct pace_msg_start m = { .limit = 20000, .ask = { .count = 20000,
	    .interval_ns = MS } };
	struct pace_receiver *r = receiver(&m);
	const struct pace_msg_finish f = { .sent = 20000 };
	const struct pace_intervals *all;
	struct pace_intervals *v;
	json_t *rows;
	uint64_t received = 0;

	for (int64_t n = 0; n < 20000; n++)
		if (n % 7 != 3)
			take(r, (uint64_t)n, 5 * SEC + n * MS / 2, 9 * SEC + n * MS / 2 + n);
	(void)pace_receiver_finish(r, &f, 0);
	all = pace_receiver_intervals(r);
	ck_assert_int_eq(all->length_ns, 4 * MS);
	v = pace_intervals_new(&m.ask);		/* the client's, which knows no length */
	rows = pace_interval_rows(all, PACE_INTERVAL_RX);
	ck_assert(pace_interval_rows_read(v, PACE_INTERVAL_RX, rows));
	json_decref(rows);
	ck_assert_uint_eq(v->n, 2500);
	ck_assert(pace_intervals_close(v, &m.ask, 20000, 97 * MS));
	for (uint32_t i = 0; i < v->n; i++) {
		ck_assert_uint_eq(v->v[i].sent, 8);
		ck_assert_int_eq(v->v[i].from_ns, i * 4 * MS);
		ck_assert(i == 2499 || v->v[i].to_ns == (i + 1) * 4 * MS);
		received += v->v[i].rx.received;
		ck_assert_uint_eq(v->v[i].rx.received, 8 - v->v[i].lost);
		ck_assert_uint_eq(v->v[i].rx.pdv.n, v->v[i].rx.received);
		ck_assert_int_ge(v->v[i].rx.pdv.max, v->v[i].rx.pdv.min + 5);
		ck_assert_int_le(v->v[i].rx.pdv.max, v->v[i].rx.pdv.min + 7);
		ck_assert_int_eq(v->v[i].rx.pdv.min / 8, i);
	}
	ck_assert_uint_eq(received, 20000 - 2857);
	ck_assert_int_eq(v->v[0].rx.pdv.p50, PACE_NO_FIGURE);	/* unknown, not invented */
	ck_assert_int_ne(v->v[2400].rx.pdv.p50, PACE_NO_FIGURE);
	free(v);
	pace_receiver_free(r);
}
END_TEST

/* A longer run has longer intervals, never more of them. */
START_TEST(intervals_are_at_most_4096)
{
	struct pace_params a = { .size_bytes = 200, .spacing = pace_spacing_from_ns(MS),
	    .train = 1, .bursts = 1, .interval_ns = 10 * MS, .duration_ns = 10 * SEC };
	static const struct { int64_t ms, length_ms; uint32_t n; } all[] = { { 10000, 10, 1000 },
	    { 40960, 10, 4096 }, { 40961, 20, 2049 }, { 41000, 20, 2050 } };

	for (size_t i = 0; i < 4; i++) {
		struct pace_intervals *v;

		a.duration_ns = all[i].ms * MS;
		v = pace_intervals_new(&a);
		ck_assert_uint_eq(v->room, all[i].n);
		ck_assert_int_eq(v->length_ns, all[i].length_ms * MS);
		free(v);
	}
	a.interval_ns = 0;
	ck_assert_ptr_null(pace_intervals_new(&a));
}
END_TEST

/* Without an arrival there is one interval, because no time is known. */
START_TEST(if_all_is_lost_one_interval_lost_it)
{
	struct pace_params a = { .size_bytes = 200, .count = 700, .train = 1, .bursts = 1,
	    .interval_ns = MS };
	struct pace_intervals *v = pace_intervals_new(&a);

	ck_assert(pace_intervals_close(v, &a, 700, 97 * MS));
	ck_assert_uint_eq(v->n, 1);
	ck_assert_uint_eq(v->v[0].lost, 700);
	ck_assert_int_eq(v->v[0].to_ns, 97 * MS);
	free(v);
}
END_TEST

/* Any departure, from a hostile client: no crash, and no more intervals than there is room for. */
START_TEST(departures_may_be_anything)
{
	struct pace_msg_start m = { .limit = 3000, .ask = { .count = 3000, .interval_ns = 1 } };
	struct pace_receiver *r = receiver(&m);
	const struct pace_msg_finish f = { .sent = 3000 };
	const struct pace_intervals *v;
	uint64_t received = 0;

	unit_turn(_i);
	/* arrivals are the own kernel's stamps: any order, but no difference that overflows */
	for (uint64_t n = 0; n < 3000; n++)
		take(r, n, (int64_t)(unit_rnd() >> unit_rnd() % 64), (int64_t)(unit_rnd() >> 2));
	(void)pace_receiver_finish(r, &f, 0);
	v = pace_receiver_intervals(r);
	ck_assert_uint_le(v->n, PACE_INTERVALS_MAX);
	for (uint32_t i = 0; i < v->n; i++)
		received += v->v[i].rx.received;
	ck_assert_uint_eq(received, 3000);
	pace_receiver_free(r);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("intervals");

	unit_seed(tc);
	sim_sums(tc, "intervals");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_interval_has_what_the_network_dropped_of_it, 0, 4);
	tcase_add_loop_test(tc, an_outage_is_in_the_intervals_that_it_covered, 0, 4);
	tcase_add_loop_test(tc, bursts_of_trains_are_divided_by_their_schedule, 0, 4);
	tcase_add_loop_test(tc, without_a_spacing_departures_divide, 0, 10);
	tcase_add_loop_test(tc, rows_of_a_run_have_what_is_known_when_they_pass, 0, 6);
	tcase_add_test(tc, a_document_keeps_them_and_finds_each_contradiction);
	tcase_add_test(tc, rows_beyond_their_bounds_are_refused);
	tcase_add_test(tc, a_very_late_frame_counts_but_moves_no_quantile);
	tcase_add_test(tc, neighbours_are_merged_and_their_sums_stay);
	tcase_add_test(tc, intervals_are_at_most_4096);
	tcase_add_test(tc, if_all_is_lost_one_interval_lost_it);
	tcase_add_loop_test(tc, departures_may_be_anything, 0, 20);
	return unit_run(tc, "intervals");
}
