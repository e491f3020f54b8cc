/*
 * match.h beside a slow obvious model: the path loses, duplicates and delays frames and logs
 * each, and the captures at its ends are read in random turns.
 */
#include "cap/match.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/unit.h"

#define WINDOW	256
#define FRAMES	6000
#define SPACING	1000
#define CLOCK	INT64_C(-7000000000)	/* of the receiver - of the sender */

static struct pace_cap_match m;
static struct pace_delay delay;
static struct pace_clockfit fit;
static struct pace_delays figures;
static struct pace_clock_estimate theta, turned;

static void *
start(struct pace_cap_match_cfg cfg)
{
	void *mem;

	cfg.window = WINDOW;
	mem = malloc(pace_cap_match_memory(WINDOW));
	ck_assert_int_eq(pace_cap_match_init(&m, &cfg, mem), 0);
	return mem;
}

static void
ck_invariant(void)
{
	ck_assert_uint_eq(m.sent, m.matched + m.ambiguous + m.seq.lost);
	ck_assert_uint_eq(m.received, m.matched + m.duplicates + m.foreign);
	ck_assert_uint_eq(m.matched, m.seq.unique);
}

/* Frame key was sent at 1000 key and took 50. */
static void
sent(uint64_t key)
{
	pace_cap_match_sent(&m, key, (int64_t)key * SPACING);
}

/* 100 bytes each, 166 on the wire. */
static void
received_at(uint64_t key, int64_t t_ns)
{
	pace_cap_match_received(&m, key, &(struct pace_cap_came){ t_ns, 100, 166 });
}

static void
received(uint64_t key)
{
	received_at(key, (int64_t)key * SPACING + 50 + CLOCK);
}

START_TEST(what_is_no_window_is_refused)
{
	static const uint32_t bad[] = { 0, 1, 128, 255, 257, 1u << 21 };

	for (int i = 0; i < COUNT_OF(bad); i++) {
		ck_assert_uint_eq(pace_cap_match_memory(bad[i]), 0);
		ck_assert_int_eq(pace_cap_match_init(&m, &(struct pace_cap_match_cfg){
		    .window = bad[i] }, NULL), -EINVAL);
	}
}
END_TEST

START_TEST(loss_copies_order_and_strangers_are_told_apart)
{
	void *mem = start((struct pace_cap_match_cfg){ .window = 0 });

	received(99);				/* was sent before the capture began */
	for (uint64_t i = 1; i <= 9; i++)
		sent(i);
	received(4);
	received(2);
	received(3);
	received(3);
	received(7);
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_assert_uint_eq(m.foreign, 1);
	ck_assert_uint_eq(m.matched, 4);
	ck_assert_uint_eq(m.duplicates, 1);
	ck_assert_uint_eq(m.seq.reordered, 2);
	ck_assert_uint_eq(m.seq.lost, 5);	/* 1, 5, 6, 8, 9 */
	ck_assert_uint_eq(m.before_first, 1);
	ck_assert_uint_eq(m.after_last, 2);
	free(mem);
}
END_TEST

/* Bytes and times include only matched frames; duplicated and foreign frames have their own. */
START_TEST(bytes_are_of_matched_frames_each_once)
{
	static const struct { uint64_t key; struct pace_cap_came came; } v[] = {
		{ 90, { 10, 7000, 7066 } }, { 1, { 100, 500, 566 } }, { 91, { 150, 9000, 9066 } },
		{ 2, { 200, 60, 126 } }, { 2, { 300, 60, 126 } }, { 4, { 400, 300, 366 } },
		{ 1, { 450, 500, 566 } }, { 92, { 500, 8000, 8066 } }, { 93, { 600, 1, 84 } },
	};
	struct pace_hist gap;
	void *mem = start((struct pace_cap_match_cfg){ .gap = &gap });

	pace_hist_reset(&gap);
	if (_i == 0)				/* some wait, and none */
		for (uint64_t i = 1; i <= 5; i++)
			sent(i);
	for (int i = 0; i < COUNT_OF(v); i++)
		pace_cap_match_received(&m, v[i].key, &v[i].came);
	if (_i == 1)
		for (uint64_t i = 1; i <= 5; i++)
			sent(i);
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_assert_uint_eq(m.matched, 3);
	ck_assert_uint_eq(m.bytes, 860);
	ck_assert_uint_eq(m.line_bytes, 1058);
	ck_assert_uint_eq(m.first_came.bytes, 500);
	ck_assert_int_eq(m.first_came.t_ns, 100);
	ck_assert_int_eq(m.last_came.t_ns, 400);
	ck_assert_uint_eq(m.duplicates, 2);
	ck_assert_uint_eq(m.duplicate_bytes, 560);
	ck_assert_uint_eq(m.foreign, 4);
	ck_assert_uint_eq(m.foreign_bytes, 24001);
	ck_assert_uint_eq(m.foreign_before_first, 1);
	ck_assert_uint_eq(m.foreign_after_last, 2);
	ck_assert_uint_eq(gap.stats.n, 4);	/* 100 200 300 400 450 */
	ck_assert_int_eq(gap.stats.min, 50);
	ck_assert_int_eq(gap.stats.max, 100);
	free(mem);
}
END_TEST

START_TEST(nothing_matched_is_all_lost)
{
	void *mem = start((struct pace_cap_match_cfg){ .window = 0 });

	for (uint64_t i = 0; i < 1000; i++) {
		sent(i);
		received(i + 5000);
	}
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_assert_uint_eq(m.seq.lost, 1000);
	ck_assert_uint_eq(m.before_first, 1000);
	ck_assert_uint_eq(m.after_last, 0);
	ck_assert_uint_eq(m.foreign, 1000);
	free(mem);
}
END_TEST

START_TEST(frames_that_look_the_same_are_twins)
{
	void *mem = start((struct pace_cap_match_cfg){ .window = 0 });

	for (uint64_t i = 0; i < 100; i++) {
		pace_cap_match_sent(&m, 7, (int64_t)i);
		received_at(7, (int64_t)i);
	}
	for (uint64_t i = 0; i < WINDOW; i++)	/* all of the ring is new */
		sent(1000 + i);
	pace_cap_match_sent(&m, 7, 0);		/* so this one is no twin */
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_assert_uint_eq(m.matched, 1);
	ck_assert_uint_eq(m.ambiguous, 99);
	ck_assert_uint_eq(m.duplicates, 99);
	free(mem);
}
END_TEST

/* As far apart as they may be fed, and one further. */
START_TEST(the_turns_may_differ_by_what_is_said)
{
	const uint64_t wait = WINDOW / 4, further = (uint64_t)_i;
	void *mem = start((struct pace_cap_match_cfg){ .window = 0 });

	for (uint64_t i = 0; i < wait + further; i++)
		received(i);
	for (uint64_t i = 0; i < wait + further; i++)
		sent(i);
	ck_assert_uint_eq(m.matched, wait);
	ck_assert_uint_eq(m.foreign, further);
	pace_cap_match_finish(&m);
	ck_invariant();
	free(mem);

	mem = start((struct pace_cap_match_cfg){ .window = 0 });
	for (uint64_t i = 0; i < WINDOW + further; i++)
		sent(i);
	for (uint64_t i = 0; i < WINDOW + further; i++)
		received(i);
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_assert_uint_eq(m.matched, WINDOW);
	ck_assert_uint_eq(m.seq.lost, further);
	free(mem);
}
END_TEST

/* --- the model --- */

struct arrival {
	int64_t		t_ns;
	uint64_t	key;
	int		frame;		/* -1: foreign */
};

static struct arrival arrivals[3 * FRAMES];
static int n;

static int
by_time(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return x->t_ns != y->t_ns ? (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns) :
	    (x->key > y->key) - (x->key < y->key);
}

static uint64_t
key_of(int frame)
{
	return (uint64_t)frame * UINT64_C(0x9e3779b97f4a7c15);
}

static void
arrive(int frame, int64_t t_ns, uint64_t key)
{
	arrivals[n].frame = frame;
	arrivals[n].key = key;
	arrivals[n++].t_ns = t_ns;
}

static void
make_path(void)
{
	n = 0;
	for (int i = 0; i < FRAMES; i++) {
		int64_t t = (int64_t)i * SPACING + CLOCK;

		if (unit_between(0, 19) > 0)
			arrive(i, t + unit_between(100, 9 * SPACING), key_of(i));
		if (unit_between(0, 19) == 0)
			arrive(i, t + unit_between(100, 20 * SPACING), key_of(i));
		if (unit_between(0, 99) == 0)
			arrive(-1, t + 77, unit_rnd());
	}
	qsort(arrivals, (size_t)n, sizeof(arrivals[0]), by_time);
}

/* How far the frames sent may, and must, be when arrival i is fed. */
static void
feed_in_turns(bool senders_first)
{
	int a = 0, b = 0, at = 0;

	while (a < FRAMES || b < n) {
		bool may_send = a < FRAMES && a < at + WINDOW / 2;
		bool may_receive = b < n && (at < a + WINDOW / 8 || a == FRAMES);

		if (may_send && (!may_receive || (senders_first ? true : unit_between(0, 1) == 0))) {
			pace_cap_match_sent(&m, key_of(a), (int64_t)a * SPACING);
			a++;
		} else {
			received_at(arrivals[b].key, arrivals[b].t_ns);
			if (arrivals[b].frame > at)
				at = arrivals[b].frame;
			b++;
		}
	}
}

static void
ck_like_a_tracker(void)
{
	static bool seen[FRAMES];
	void *mem = malloc(pace_seq_memory(1 << 16));
	struct pace_seq want;
	int64_t least = INT64_MAX, most = INT64_MIN;
	uint64_t foreign = 0;

	memset(seen, 0, sizeof(seen));
	ck_assert_int_eq(pace_seq_init(&want, 1 << 16, UINT64_MAX, mem), 0);
	for (int i = 0; i < n; i++) {
		int f = arrivals[i].frame;
		int64_t took = arrivals[i].t_ns - (int64_t)f * SPACING;

		foreign += f < 0;
		if (f < 0)
			continue;
		pace_seq_add(&want, (uint64_t)f, arrivals[i].t_ns);
		if (seen[f])
			continue;
		seen[f] = true;
		least = took < least ? took : least;
		most = took > most ? took : most;
	}
	ck_assert_int_eq(pace_seq_finish(&want, FRAMES), 0);
	ck_assert_uint_eq(m.foreign, foreign);
	ck_assert_uint_eq(m.seq.lost, want.lost);
	ck_assert_uint_eq(m.seq.reordered, want.reordered);
	ck_assert_uint_eq(m.seq.duplicates, want.duplicates);
	ck_assert_uint_eq(m.duplicates, want.duplicates);
	ck_assert_mem_eq(&m.seq.figures->extent, &want.figures->extent, sizeof(want.figures->extent));
	ck_assert_mem_eq(&m.seq.figures->runs, &want.figures->runs, sizeof(want.figures->runs));
	ck_assert_uint_eq(m.ambiguous, 0);
	pace_delay_finish(&delay, NULL, &figures);
	ck_assert(!figures.absolute);
	ck_assert_uint_eq(figures.pdv.stats.n, want.unique);
	ck_assert_int_eq(figures.pdv.stats.max, most - least);
	free(mem);
}

START_TEST(figures_are_those_of_the_path_in_whatever_turns)
{
	void *mem;

	for (int i = 0; i < _i; i++)		/* each round its own numbers */
		unit_state ^= unit_rnd();
	make_path();
	pace_delay_start(&delay, 0);
	mem = start((struct pace_cap_match_cfg){ .delay = &delay });
	feed_in_turns(_i == 0);
	pace_cap_match_finish(&m);
	ck_invariant();
	ck_like_a_tracker();
	free(mem);
}
END_TEST

/* A flow there and one back over a path of 300 us; B's clock is CLOCK ahead of A's. */
START_TEST(two_directions_tell_the_clocks)
{
	struct pace_cap_match_cfg cfg = { .fit = &fit, .delay = &delay };
	void *mem;

	pace_clockfit_reset(&fit);
	for (int back = 0; back < 2; back++) {
		cfg.from_b = back == 1;
		pace_delay_start(&delay, 0);
		mem = start(cfg);
		for (int i = 0; i < 2000; i++) {
			int64_t t = (int64_t)i * 1000000, took = 300000 + unit_between(0, 20000);

			pace_cap_match_sent(&m, (uint64_t)i, back ? t + CLOCK : t);
			received_at((uint64_t)i, t + took + (back ? 0 : CLOCK));
		}
		pace_cap_match_finish(&m);
		ck_assert_uint_eq(m.matched, 2000);
		free(mem);
	}
	ck_assert_int_eq(pace_clockfit_solve(&fit, 100, &theta), 0);
	ck_assert_double_eq_tol((double)pace_clock_at(&theta, 1000000000), (double)CLOCK, 5000);
	pace_cap_match_turn(&theta, &turned);
	ck_assert_double_eq_tol((double)pace_clock_at(&turned, 1000000000 + CLOCK),
	    -(double)CLOCK, 5000);
	pace_delay_finish(&delay, &turned, &figures);
	ck_assert(figures.absolute);
	ck_assert_double_eq_tol((double)figures.owd.stats.min, 300000, 5000);
}
END_TEST

/* A line that is steep and far away, turned: from A's time to B's and back is nothing. */
START_TEST(a_turned_clock_brings_back)
{
	theta = (struct pace_clock_estimate){ .segments = 1, .uppers = 3, .lowers = 4 };
	theta.v[0].to_ns = INT64_C(4000000000);
	theta.v[0].line = (struct pace_clock_line){ 1000000000, INT64_C(-5000000000000), 0.25, 4e-4 };
	pace_cap_match_turn(&theta, &turned);
	ck_assert_uint_eq(turned.uppers, 4);
	for (int64_t t = 0; t <= INT64_C(4000000000); t += 500000000) {
		int64_t there = t + pace_clock_at(&theta, t);
		int64_t again = there + pace_clock_at(&turned, there);

		ck_assert_int_le(again - t, 1);
		ck_assert_int_ge(again - t, -1);
	}
	ck_assert_int_eq(turned.v[0].from_ns, pace_clock_at(&theta, 0));
	ck_assert_int_eq(turned.v[0].line.offset_ns, INT64_C(4999999999999));
	ck_assert_double_eq(turned.v[0].line.frac_ns, 0.75);
}
END_TEST

/* --- keys --- */

START_TEST(a_key_is_of_what_no_path_changes)
{
	uint8_t bytes[100], cut[70];
	struct pace_cap_datagram whole = { bytes, 100, 1400, 1, 2 }, other = { cut, 70, 1400, 3, 4 };
	struct pace_cap_mark x = { .has_seq = true, .seq = 7, .stream = 9 }, y = x;
	uint64_t key;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	memcpy(cut, bytes, sizeof(cut));
	key = pace_cap_match_key(&whole, NULL, 70);
	ck_assert_uint_eq(key, pace_cap_match_key(&other, NULL, 70));	/* ports are no matter */
	cut[63] ^= 1;
	ck_assert_uint_ne(key, pace_cap_match_key(&other, NULL, 70));
	cut[63] ^= 1;
	cut[60] ^= 1;
	ck_assert_uint_ne(key, pace_cap_match_key(&other, NULL, 61));
	ck_assert_uint_eq(pace_cap_match_key(&whole, NULL, 60), pace_cap_match_key(&other, NULL, 60));
	other.length--;
	ck_assert_uint_ne(pace_cap_match_key(&whole, NULL, 60), pace_cap_match_key(&other, NULL, 60));

	key = pace_cap_match_key(&whole, &x, 70);
	ck_assert_uint_eq(key, pace_cap_match_key(&other, &y, 70));	/* a number needs no bytes */
	y.seq++;
	ck_assert_uint_ne(key, pace_cap_match_key(&other, &y, 70));
	y = x;
	y.stream++;
	ck_assert_uint_ne(key, pace_cap_match_key(&other, &y, 70));
	y = x;
	y.time_ns = 1;				/* the same number again, later */
	ck_assert_uint_ne(key, pace_cap_match_key(&other, &y, 70));
	x.modulus = y.modulus = 65536;		/* comes again too soon */
	ck_assert_uint_ne(pace_cap_match_key(&whole, &x, 70), pace_cap_match_key(&other, &x, 70));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_match");

	unit_seed(tc);
	tcase_add_test(tc, what_is_no_window_is_refused);
	tcase_add_test(tc, loss_copies_order_and_strangers_are_told_apart);
	tcase_add_loop_test(tc, bytes_are_of_matched_frames_each_once, 0, 2);
	tcase_add_test(tc, nothing_matched_is_all_lost);
	tcase_add_test(tc, frames_that_look_the_same_are_twins);
	tcase_add_loop_test(tc, the_turns_may_differ_by_what_is_said, 0, 2);
	tcase_add_loop_test(tc, figures_are_those_of_the_path_in_whatever_turns, 0, 6);
	tcase_add_test(tc, two_directions_tell_the_clocks);
	tcase_add_test(tc, a_turned_clock_brings_back);
	tcase_add_test(tc, a_key_is_of_what_no_path_changes);
	return unit_run(tc, "cap_match");
}
