/*
 * seq.h: worked examples typed in, the edges of the window, and random
 * traces beside a model that keeps every arrival and asks the definitions.
 */
#include "core/seq.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/unit.h"

#define TRACES		2400
#define MAX_ARRIVALS	1500
#define ENDLESS		UINT64_MAX

static struct pace_seq s;		/* too large for the stack */
static void *mem;

static uint64_t
rnd(uint64_t *state)			/* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool
chance(uint64_t *state, unsigned percent)
{
	return rnd(state) % 100 < percent;
}

/* Exactly the memory that was asked for, full of rubbish. */
static void
begin(uint32_t window, uint64_t limit)
{
	size_t size = pace_seq_memory(window);

	free(mem);
	mem = malloc(size);
	memset(mem, 0xa5, size);
	memset(&s, 0xa5, sizeof(s));
	ck_assert_int_eq(pace_seq_init(&s, window, limit, mem), 0);
}

static void
add_all(const uint64_t *seq, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pace_seq_add(&s, seq[i], (int64_t)i * 10);
}

static uint64_t
total(const struct pace_hist *h)	/* sum of small values: exact */
{
	return h->stats.n * (uint64_t)h->stats.first + (uint64_t)(int64_t)h->stats.sum;
}

/* ---- the model ---- */

struct arrival {
	uint64_t	seq;
	int64_t		at_ns;
};

struct model {
	uint64_t	refused, beyond, duplicates, replicated, in_order, reordered;
	uint64_t	lost, lost_in_runs;
	uint64_t	degree[PACE_SEQ_DEGREES + 1];
	uint64_t	reordering_free_runs, free_sum, free_sumsq;
	struct pace_hist extent, late_ns, runs, loss_distances, loss_free_runs;
	struct arrival	first[MAX_ARRIVALS];	/* first copies, as they came */
	unsigned	copies[MAX_ARRIVALS];
	bool		late[MAX_ARRIVALS];
	uint64_t	sorted[MAX_ARRIVALS];
	size_t		n;
};
static struct model m;

static size_t
find(uint64_t seq)
{
	size_t i = 0;

	while (i < m.n && m.first[i].seq != seq)
		i++;
	return i;
}

/* Keep the first copy of whatever is not refused or out of reach. */
static void
model_collect(const struct arrival *a, size_t n, uint32_t window, uint64_t limit)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t highest = 0;
		size_t at;

		for (size_t k = 0; k < m.n; k++)
			if (m.first[k].seq > highest)
				highest = m.first[k].seq;
		at = find(a[i].seq);
		if (a[i].seq >= limit) {
			m.refused++;
		} else if (highest >= window && a[i].seq <= highest - window) {
			m.beyond++;
		} else if (at < m.n) {
			m.duplicates++;
			m.copies[at]++;
		} else {
			m.first[m.n] = a[i];
			m.copies[m.n++] = 1;
		}
	}
	for (size_t k = 0; k < m.n; k++)
		m.replicated += m.copies[k] > 1;
}

/* RFC 4737 for the arrival with index i. */
static void
model_order(size_t i)
{
	size_t j = 0, degree = 0, before = 0;

	while (j < i && m.first[j].seq < m.first[i].seq)
		j++;
	m.late[i] = j < i;
	if (j == i) {			/* nothing larger came earlier */
		m.in_order++;
		return;
	}
	m.reordered++;
	pace_hist_add(&m.extent, (int64_t)(i - j));
	pace_hist_add(&m.late_ns, m.first[i].at_ns - m.first[j].at_ns);
	while (degree < i && m.first[i - 1 - degree].seq > m.first[i].seq)
		degree++;
	m.degree[degree < PACE_SEQ_DEGREES ? degree : PACE_SEQ_DEGREES]++;

	/* in-order arrivals since the reordered one before */
	while (before < i && !m.late[i - 1 - before])
		before++;
	m.reordering_free_runs++;
	m.free_sum += before;
	m.free_sumsq += before * before;
}

static int
ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* RFC 3357 on the sorted numbers: the holes between them are the periods. */
static void
model_loss(uint64_t sent)
{
	uint64_t from = 0, last_lost = 0, good = 0;
	bool any = false;

	for (size_t i = 0; i < m.n; i++)
		m.sorted[i] = m.first[i].seq;
	qsort(m.sorted, m.n, sizeof(m.sorted[0]), ascending);
	for (size_t i = 0; i <= m.n; i++) {
		uint64_t to = i < m.n ? m.sorted[i] : sent;	/* from .. to-1 lost */

		if (to > from) {
			if (any) {
				pace_hist_add(&m.loss_free_runs, (int64_t)good);
				pace_hist_add(&m.loss_distances, (int64_t)(from - last_lost));
			}
			pace_hist_add(&m.runs, (int64_t)(to - from));
			pace_hist_add_n(&m.loss_distances, 1, to - from - 1);
			m.lost_in_runs += to - from;
			last_lost = to - 1;
			any = true;
			good = 0;
		}
		good++;
		from = to + 1;
	}
	m.lost = sent - m.n;
}

static void
model_run(const struct arrival *a, size_t n, uint32_t window, uint64_t limit,
    uint64_t sent)
{
	memset(&m, 0, sizeof(m));
	model_collect(a, n, window, limit);
	for (size_t i = 0; i < m.n; i++)
		model_order(i);
	model_loss(sent);
}

static void
check_hist(const struct pace_hist *got, const struct pace_hist *want)
{
	ck_assert_uint_eq(got->stats.n, want->stats.n);
	ck_assert_int_eq(got->stats.min, want->stats.min);
	ck_assert_int_eq(got->stats.max, want->stats.max);
	ck_assert_double_eq_tol(pace_stats_mean(&got->stats),
	    pace_stats_mean(&want->stats), 1e-6);
	ck_assert_uint_eq(got->clipped, want->clipped);
	ck_assert_int_eq(memcmp(got->pos, want->pos, sizeof(got->pos)), 0);
	ck_assert_int_eq(memcmp(got->neg, want->neg, sizeof(got->neg)), 0);
}

static void
check_against_model(void)
{
	uint64_t degrees = 0;

	ck_assert_uint_eq(s.refused, m.refused);
	ck_assert_uint_eq(s.beyond, m.beyond);
	ck_assert_uint_eq(s.duplicates, m.duplicates);
	ck_assert_uint_eq(s.replicated, m.replicated);
	ck_assert_uint_eq(s.in_order, m.in_order);
	ck_assert_uint_eq(s.reordered, m.reordered);
	ck_assert_uint_eq(s.unique, m.n);
	ck_assert_uint_eq(s.unique, s.in_order + s.reordered);
	ck_assert_uint_eq(s.lost, m.lost);
	ck_assert_uint_eq(m.lost_in_runs, s.lost);
	check_hist(&s.figures->extent, &m.extent);
	check_hist(&s.figures->late_ns, &m.late_ns);
	check_hist(&s.figures->runs, &m.runs);
	check_hist(&s.figures->loss_distances, &m.loss_distances);
	check_hist(&s.figures->loss_free_runs, &m.loss_free_runs);
	for (size_t n = 0; n <= PACE_SEQ_DEGREES; n++) {
		ck_assert_uint_eq(s.degree[n], m.degree[n]);
		degrees += s.degree[n];
	}
	ck_assert_uint_eq(degrees, s.reordered);
	ck_assert_uint_eq(s.reordering_free_runs, m.reordering_free_runs);
	ck_assert_uint_eq(s.free_sum, m.free_sum);
	ck_assert_uint_eq(s.free_sumsq, m.free_sumsq);
	ck_assert_uint_eq(s.reordering_free_runs, s.reordered);

	ck_assert_uint_eq(total(&s.figures->runs), s.lost);
	ck_assert_uint_eq(s.figures->loss_distances.stats.n, s.lost > 0 ? s.lost - 1 : 0);
	ck_assert_uint_eq(s.figures->loss_free_runs.stats.n,
	    s.figures->runs.stats.n > 0 ? s.figures->runs.stats.n - 1 : 0);
}

/* ---- random traces ---- */

struct trace {
	uint32_t	window;
	uint64_t	sent, limit;
	size_t		n;
	struct arrival	a[MAX_ARRIVALS];
};
static struct trace t;

static int
by_time(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* One frame and its copies, each with a delay of its own. */
static void
send_frame(uint64_t *state, uint64_t seq, int64_t now_ns, unsigned twice,
    uint64_t spread)
{
	do {
		uint64_t delay = rnd(state) % 4 ? rnd(state) % 12 :
		    rnd(state) % spread;

		if (t.n == MAX_ARRIVALS)
			return;
		t.a[t.n].seq = seq;
		t.a[t.n++].at_ns = now_ns + (int64_t)delay;
	} while (chance(state, twice));
}

/* How far the sender (or a long outage) skips now and then. */
static uint64_t
jump(uint64_t *state, uint32_t window)
{
	switch (rnd(state) % 6) {
	case 0:
		return window - 2 + rnd(state) % 5;
	case 1:
		return 2 * (uint64_t)window - 2 + rnd(state) % 5;
	case 2:
		return rnd(state) % (3 * (uint64_t)window);
	case 3:
		return UINT64_C(1) << 41;	/* clipped by the histograms */
	default:
		return rnd(state) % window;
	}
}

static void
make_trace(uint64_t *state)
{
	static const uint32_t windows[] = { 64, 64, 64, 128, 1024, PACE_SEQ_WINDOW };
	static const uint64_t spreads[] = { 1, 20, 100, 800, 5000 };
	size_t most = chance(state, 10) ? 800 : 250, frames = rnd(state) % most;
	unsigned loss = (unsigned)(rnd(state) % 41), twice = (unsigned)(rnd(state) % 21);
	unsigned jumps = chance(state, 40) ? 2 : 0, strange = chance(state, 30) ? 3 : 0;
	uint64_t spread = spreads[rnd(state) % 5], seq = 0;

	t.n = 0;
	t.window = windows[rnd(state) % 6];
	if (chance(state, 2))
		loss = 100;
	if (chance(state, 5))
		loss = twice = 0;
	for (size_t i = 0; i < frames; i++, seq++) {
		if (chance(state, jumps))
			seq += jump(state, t.window);
		if (!chance(state, loss))
			send_frame(state, seq, (int64_t)i * 10, twice, spread);
	}
	t.sent = seq;
	if (chance(state, 30))
		t.sent += jump(state, t.window);	/* the tail is lost */
	t.limit = chance(state, 50) ? t.sent : ENDLESS;
	for (size_t i = 0; i < frames && t.limit != ENDLESS; i++)
		if (chance(state, strange))
			send_frame(state, chance(state, 50) ? t.limit :
			    t.limit + rnd(state) / 2, (int64_t)i * 10, twice, spread);
	qsort(t.a, t.n, sizeof(t.a[0]), by_time);
}

/* The return values of pace_seq_add agree with its counts. */
static void
run_trace(void)
{
	uint64_t kinds[PACE_SEQ_REFUSED + 1] = { 0 }, highest = 0;

	begin(t.window, t.limit);
	for (size_t i = 0; i < t.n; i++) {
		enum pace_seq_kind kind = pace_seq_add(&s, t.a[i].seq, t.a[i].at_ns);

		kinds[kind]++;
		if (kind != PACE_SEQ_REFUSED && t.a[i].seq >= highest)
			highest = t.a[i].seq + 1;
		ck_assert_uint_eq(s.next, highest);
		ck_assert_uint_le(s.lost, s.next - s.unique);	/* never too early */
	}
	ck_assert_int_eq(pace_seq_finish(&s, t.sent), 0);
	ck_assert_uint_eq(kinds[PACE_SEQ_IN_ORDER], s.in_order);
	ck_assert_uint_eq(kinds[PACE_SEQ_REORDERED], s.reordered);
	ck_assert_uint_eq(kinds[PACE_SEQ_DUPLICATE], s.duplicates);
	ck_assert_uint_eq(kinds[PACE_SEQ_BEYOND], s.beyond);
	ck_assert_uint_eq(kinds[PACE_SEQ_REFUSED], s.refused);
	ck_assert_uint_eq(s.next - s.unique, s.lost);
}

/* A lean tracker counts the trace the same. */
static void
check_lean(void)
{
	size_t size = pace_seq_lean_memory(t.window);
	void *own = malloc(size);	/* lets ASan see overruns */
	struct pace_seq lean;

	memset(own, 0xa5, size);
	ck_assert_int_eq(pace_seq_init_lean(&lean, t.window, t.limit, own), 0);
	for (size_t i = 0; i < t.n; i++)
		pace_seq_add(&lean, t.a[i].seq, t.a[i].at_ns);
	ck_assert_int_eq(pace_seq_finish(&lean, t.sent), 0);
	ck_assert_ptr_eq(lean.figures, NULL);
	ck_assert_mem_eq(lean.bitmap, s.bitmap, size);
	lean.figures = s.figures;
	lean.bitmap = s.bitmap;
	lean.again = s.again;
	lean.holes = s.holes;
	lean.ring = s.ring;
	ck_assert_mem_eq(&lean, &s, sizeof(s));
	free(own);
}

/* Loop test: a block of traces each, so that a failure names its block. */
START_TEST(random_traces_agree_with_the_model)
{
	uint64_t state = unit_first * 1000003 + (uint64_t)_i;

	for (int k = 0; k < TRACES / 24; k++) {
		make_trace(&state);
		run_trace();
		check_lean();
		model_run(t.a, t.n, t.window, t.limit, t.sent);
		check_against_model();
	}
}
END_TEST

/* The traces are worth nothing if they do not reach the corners. */
START_TEST(the_random_traces_reach_every_corner)
{
	uint64_t beyond = 0, refused = 0, total_loss = 0, tail = 0, deep = 0,
	    zero = 0, clipped = 0, clean = 0, replicated = 0;

	for (uint64_t i = 0; i < 24; i++) {
		uint64_t state = unit_first * 1000003 + i;

		for (int k = 0; k < TRACES / 24; k++) {
			make_trace(&state);
			run_trace();
			beyond += s.beyond > 0;
			refused += s.refused > 0;
			total_loss += s.unique == 0 && s.lost > 0;
			tail += t.n > 0 && t.a[t.n - 1].seq + 1 < t.sent;
			deep += s.degree[PACE_SEQ_DEGREES] > 0;
			zero += s.degree[0] > 0;
			clipped += s.figures->runs.clipped > 0;
			clean += s.lost == 0 && s.unique > 0;
			replicated += s.duplicates > s.replicated;
		}
	}
	printf("beyond %u refused %u total %u tail %u deep %u zero %u "
	    "clipped %u clean %u replicated %u\n", (unsigned)beyond,
	    (unsigned)refused, (unsigned)total_loss, (unsigned)tail,
	    (unsigned)deep, (unsigned)zero, (unsigned)clipped,
	    (unsigned)clean, (unsigned)replicated);
	ck_assert(beyond && refused && total_loss && tail && deep && zero &&
	    clipped && clean && replicated);
}
END_TEST

/* ---- typed-in truth ---- */

START_TEST(a_worked_example_of_reordering)
{
	/* 7 jumps over 4, 5, 6 at index 3; they come at 7, 8, 9. */
	static const uint64_t seq[] = { 0, 1, 2, 7, 8, 9, 10, 4, 5, 6, 11, 3 };

	begin(64, 12);
	add_all(seq, 12);
	ck_assert_int_eq(pace_seq_finish(&s, 12), 0);
	ck_assert_uint_eq(s.in_order, 8);
	ck_assert_uint_eq(s.reordered, 4);
	ck_assert_uint_eq(s.lost, 0);
	/* extents 4, 5, 6 and, for 3, 8; the arrivals are 10 ns apart */
	ck_assert_uint_eq(s.figures->extent.stats.n, 4);
	for (int e = 4; e <= 8; e++)
		ck_assert_uint_eq(s.figures->extent.pos[e], e != 7);
	ck_assert_int_eq(s.figures->late_ns.stats.min, 40);
	ck_assert_int_eq(s.figures->late_ns.stats.max, 80);
	/* 4 has four larger before it, 5 and 6 have none, 3 has eight */
	ck_assert_uint_eq(s.degree[4], 1);
	ck_assert_uint_eq(s.degree[0], 2);
	ck_assert_uint_eq(s.degree[8], 1);
	/* free runs 7, 0, 0, 1 */
	ck_assert_uint_eq(s.reordering_free_runs, 4);
	ck_assert_uint_eq(s.free_sum, 8);
	ck_assert_uint_eq(s.free_sumsq, 50);
	ck_assert_uint_eq(s.figures->runs.stats.n, 0);
}
END_TEST

START_TEST(a_worked_example_of_loss)
{
	/* lost: 0, 3, 4, 5, 8 and the tail 10, 11 */
	static const uint64_t seq[] = { 1, 2, 6, 7, 9 };

	begin(64, 12);
	add_all(seq, 5);
	ck_assert_int_eq(pace_seq_finish(&s, 12), 0);
	ck_assert_uint_eq(s.lost, 7);
	ck_assert_uint_eq(s.figures->runs.stats.n, 4);
	ck_assert_uint_eq(s.figures->runs.pos[1], 2);
	ck_assert_uint_eq(s.figures->runs.pos[2], 1);
	ck_assert_uint_eq(s.figures->runs.pos[3], 1);
	/* 3-0, 1, 1, 8-5, 10-8, 1 */
	ck_assert_uint_eq(s.figures->loss_distances.stats.n, 6);
	ck_assert_uint_eq(s.figures->loss_distances.pos[1], 3);
	ck_assert_uint_eq(s.figures->loss_distances.pos[2], 1);
	ck_assert_uint_eq(s.figures->loss_distances.pos[3], 2);
	/* 1 2, 6 7, 9 */
	ck_assert_uint_eq(s.figures->loss_free_runs.stats.n, 3);
	ck_assert_uint_eq(s.figures->loss_free_runs.pos[2], 2);
	ck_assert_uint_eq(s.figures->loss_free_runs.pos[1], 1);
}
END_TEST

START_TEST(good_runs_before_the_first_and_after_the_last_loss_do_not_count)
{
	static const uint64_t seq[] = { 0, 1, 2, 4, 5 };

	begin(64, ENDLESS);
	add_all(seq, 5);
	pace_seq_finish(&s, 6);
	ck_assert_uint_eq(s.lost, 1);
	ck_assert_uint_eq(s.figures->loss_free_runs.stats.n, 0);
	ck_assert_uint_eq(s.figures->loss_distances.stats.n, 0);
}
END_TEST

START_TEST(copies_are_in_no_other_statistic)
{
	static const uint64_t seq[] = { 0, 0, 0, 2, 2, 1, 1, 2, 3 };

	begin(64, ENDLESS);
	add_all(seq, 9);
	pace_seq_finish(&s, 4);
	ck_assert_uint_eq(s.unique, 4);
	ck_assert_uint_eq(s.duplicates, 5);
	ck_assert_uint_eq(s.replicated, 3);
	ck_assert_uint_eq(s.reordered, 1);
	ck_assert_int_eq(s.figures->extent.stats.max, 1);	/* 1 after 2, copies left out */
	ck_assert_int_eq(s.figures->late_ns.stats.max, 20);
	ck_assert_uint_eq(s.degree[1], 1);
	ck_assert_uint_eq(s.free_sum, 2);
	ck_assert_uint_eq(s.lost, 0);
}
END_TEST

START_TEST(degrees_are_counted_up_to_the_last_one)
{
	for (uint64_t larger = 1; larger < PACE_SEQ_DEGREES + 4; larger++) {
		uint64_t want = larger < PACE_SEQ_DEGREES ? larger :
		    PACE_SEQ_DEGREES;

		begin(1024, ENDLESS);
		for (uint64_t q = 1; q <= larger; q++)
			pace_seq_add(&s, q, 0);
		pace_seq_add(&s, 0, 0);
		ck_assert_uint_eq(s.degree[want], 1);
		ck_assert_int_eq(s.figures->extent.stats.max, (int64_t)larger);
	}
}
END_TEST

/* ---- edges ---- */

START_TEST(only_powers_of_two_in_range_are_windows)
{
	static const uint32_t no[] = { 0, 1, 32, 63, 65, 96, 65535, 65537,
	    (1u << 20) + 1, 1u << 21, 1u << 31, UINT32_MAX };

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		ck_assert_uint_eq(pace_seq_memory(no[i]), 0);
		ck_assert_uint_eq(pace_seq_lean_memory(no[i]), 0);
		ck_assert_int_eq(pace_seq_init(&s, no[i], 1, NULL), -EINVAL);
	}
	for (uint32_t w = 64; w <= 1u << 20; w *= 2) {
		ck_assert_uint_ge(pace_seq_memory(w), w * 12);
		begin(w, ENDLESS);
		pace_seq_add(&s, 3 * (uint64_t)w, 0);
		for (uint64_t q = 2 * (uint64_t)w; q <= 3 * (uint64_t)w; q++)
			pace_seq_add(&s, q, 0);
		ck_assert_uint_eq(s.beyond, 1);
		ck_assert_uint_eq(s.reordered, w - 1);
		ck_assert_uint_eq(s.duplicates, 1);
	}
}
END_TEST

/* Some frames, a jump over the window, and what is just in and just out. */
static void
check_window_after(uint64_t start)
{
	uint64_t high = start + 100;

	begin(64, ENDLESS);
	for (uint64_t q = 0; q < start; q++)
		pace_seq_add(&s, q, 0);
	ck_assert_int_eq(pace_seq_add(&s, high, 0), PACE_SEQ_IN_ORDER);
	ck_assert_int_eq(pace_seq_add(&s, high - 64, 0), PACE_SEQ_BEYOND);
	ck_assert_int_eq(pace_seq_add(&s, high - 63, 0), PACE_SEQ_REORDERED);
	ck_assert_int_eq(pace_seq_add(&s, high - 63, 0), PACE_SEQ_DUPLICATE);
	ck_assert_int_eq(pace_seq_add(&s, high - 1, 0), PACE_SEQ_REORDERED);
	ck_assert_int_eq(pace_seq_add(&s, high, 0), PACE_SEQ_DUPLICATE);
	ck_assert_int_eq(pace_seq_add(&s, high + 1, 0), PACE_SEQ_IN_ORDER);
	ck_assert_int_eq(pace_seq_add(&s, high - 63, 0), PACE_SEQ_BEYOND);
	ck_assert_uint_eq(s.beyond, 2);
	ck_assert_int_eq(pace_seq_finish(&s, high + 2), 0);
	ck_assert_uint_eq(s.lost, 98);
	ck_assert_uint_eq(total(&s.figures->runs), 98);
}

START_TEST(the_window_ends_exactly_where_it_says)
{
	for (uint64_t start = 0; start < 130; start++)
		check_window_after(start);
}
END_TEST

START_TEST(numbers_at_the_limit_change_nothing_but_refused)
{
	struct pace_seq *before = malloc(sizeof(*before));

	begin(64, 10);
	pace_seq_add(&s, 9, 0);
	*before = s;
	ck_assert_int_eq(pace_seq_add(&s, 10, 0), PACE_SEQ_REFUSED);
	ck_assert_int_eq(pace_seq_add(&s, 11, 0), PACE_SEQ_REFUSED);
	ck_assert_int_eq(pace_seq_add(&s, UINT64_MAX, 0), PACE_SEQ_REFUSED);
	before->refused = 3;
	ck_assert_int_eq(memcmp(before, &s, sizeof(s)), 0);
	begin(64, 0);
	ck_assert_int_eq(pace_seq_add(&s, 0, 0), PACE_SEQ_REFUSED);
	begin(64, ENDLESS);
	ck_assert_int_eq(pace_seq_add(&s, UINT64_MAX, 0), PACE_SEQ_REFUSED);
	free(before);
}
END_TEST

START_TEST(nothing_sent_or_nothing_received)
{
	begin(64, ENDLESS);
	ck_assert_int_eq(pace_seq_finish(&s, 0), 0);
	ck_assert_uint_eq(s.lost, 0);
	ck_assert_uint_eq(s.figures->runs.stats.n, 0);
	begin(64, ENDLESS);
	ck_assert_int_eq(pace_seq_finish(&s, 1000), 0);
	ck_assert_uint_eq(s.lost, 1000);
	ck_assert_uint_eq(s.figures->runs.stats.n, 1);
	ck_assert_int_eq(s.figures->runs.stats.max, 1000);
	ck_assert_uint_eq(s.figures->loss_distances.stats.n, 999);
	ck_assert_int_eq(s.figures->loss_distances.stats.max, 1);
}
END_TEST

START_TEST(a_sender_that_contradicts_its_frames_is_told)
{
	begin(64, ENDLESS);
	pace_seq_add(&s, 5, 0);
	ck_assert_int_eq(pace_seq_finish(&s, 5), -EPROTO);
	ck_assert_uint_eq(s.lost, 5);		/* as far as is known */
	ck_assert_uint_eq(total(&s.figures->runs), 5);
	begin(64, ENDLESS);
	pace_seq_add(&s, 5, 0);
	ck_assert_int_eq(pace_seq_finish(&s, 6), 0);
	ck_assert_uint_eq(s.lost, 5);
}
END_TEST

/* With a loop over the hole these would not end before the time-out. */
START_TEST(a_hole_of_any_size_is_counted_at_once)
{
	uint64_t far = UINT64_MAX - 1;

	begin(PACE_SEQ_WINDOW, ENDLESS);
	pace_seq_add(&s, 0, 0);
	ck_assert_int_eq(pace_seq_add(&s, UINT64_C(1) << 60, 7), PACE_SEQ_IN_ORDER);
	ck_assert_int_eq(pace_seq_add(&s, (UINT64_C(1) << 60) - 1, 9),
	    PACE_SEQ_REORDERED);
	ck_assert_int_eq(s.figures->late_ns.stats.max, 2);
	ck_assert_int_eq(pace_seq_finish(&s, UINT64_C(1) << 61), 0);
	ck_assert_uint_eq(s.lost, (UINT64_C(1) << 61) - 3);
	ck_assert_uint_eq(s.figures->runs.stats.n, 2);
	ck_assert_int_eq(s.figures->runs.stats.min, (INT64_C(1) << 60) - 2);
	ck_assert_int_eq(s.figures->runs.stats.max, (INT64_C(1) << 60) - 1);
	ck_assert_uint_eq(s.figures->runs.clipped, 2);
	ck_assert_int_eq(s.figures->loss_distances.stats.max, 3);

	begin(PACE_SEQ_WINDOW, ENDLESS);
	ck_assert_int_eq(pace_seq_add(&s, far, 0), PACE_SEQ_IN_ORDER);
	ck_assert_int_eq(pace_seq_finish(&s, UINT64_MAX), 0);
	ck_assert_uint_eq(s.lost, far);
	ck_assert_int_eq(s.figures->runs.stats.min, INT64_MAX);	/* held, not negative */
}
END_TEST

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Seconds that 20,000 numbers so far apart cost; the least of five. */
static double
cost_of_steps(uint64_t step)
{
	double least = HUGE_VAL;

	for (int k = 0; k < 5; k++) {
		double from, took;

		begin(PACE_SEQ_WINDOW, ENDLESS);
		from = now_s();
		for (uint64_t i = 0; i < 20000; i++)
			pace_seq_add(&s, i * step, (int64_t)i);
		took = now_s() - from;
		least = took < least ? took : least;
	}
	return least;
}

/* A pass over the bitmap costs about 200 times as much as a number in order, 1500 times with
 * sanitizers; a visit to every slot of the window 10,000 times. */
START_TEST(a_jump_over_the_window_costs_no_visit_to_every_slot)
{
	const uint64_t w = PACE_SEQ_WINDOW;
	double in_order = cost_of_steps(1);

	ck_assert_double_lt(cost_of_steps(w), 4000 * in_order);
	ck_assert_double_lt(cost_of_steps(w - 1), 4000 * in_order);
	ck_assert_double_lt(cost_of_steps(UINT64_C(1) << 40), 4000 * in_order);
}
END_TEST

START_TEST(time_that_goes_backwards_is_a_negative_late_time)
{
	begin(64, ENDLESS);
	pace_seq_add(&s, 1, 100);
	pace_seq_add(&s, 0, 40);
	ck_assert_int_eq(s.figures->late_ns.stats.min, -60);
	pace_seq_add(&s, 3, INT64_MAX);
	pace_seq_add(&s, 2, INT64_MIN);		/* must not overflow */
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, random_traces_agree_with_the_model, 0, 24);
	tcase_add_test(tc, the_random_traces_reach_every_corner);
	tcase_add_test(tc, a_worked_example_of_reordering);
	tcase_add_test(tc, a_worked_example_of_loss);
	tcase_add_test(tc, good_runs_before_the_first_and_after_the_last_loss_do_not_count);
	tcase_add_test(tc, copies_are_in_no_other_statistic);
	tcase_add_test(tc, degrees_are_counted_up_to_the_last_one);
	tcase_add_test(tc, only_powers_of_two_in_range_are_windows);
	tcase_add_test(tc, the_window_ends_exactly_where_it_says);
	tcase_add_test(tc, numbers_at_the_limit_change_nothing_but_refused);
	tcase_add_test(tc, nothing_sent_or_nothing_received);
	tcase_add_test(tc, a_sender_that_contradicts_its_frames_is_told);
	tcase_add_test(tc, a_hole_of_any_size_is_counted_at_once);
	tcase_add_test(tc, a_jump_over_the_window_costs_no_visit_to_every_slot);
	tcase_add_test(tc, time_that_goes_backwards_is_a_negative_late_time);
}

static void
release(void)			/* each test is a process of its own */
{
	free(mem);
	mem = NULL;
}

int
main(void)
{
	TCase *tc = tcase_create("seq");

	unit_seed(tc);
	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, NULL, release);
	add_tests(tc);
	return unit_run_apart(tc, "seq");
}
