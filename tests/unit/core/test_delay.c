/* delay.h: against a model that keeps every frame and is given theta first. */
#include "core/delay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define US	INT64_C(1000)
#define MS	INT64_C(1000000)
#define S	INT64_C(1000000000)
#define T0	(INT64_C(12345) * S)		/* the sender's clock */
#define OFFSET	(INT64_C(-86400) * S)		/* theta there */
#define WINDOW	PACE_DELAY_WINDOW_NS
#define NOT_TOLD	PACE_DELAY_UNSCHEDULED

static struct pace_delay d, d2;			/* too large for the stack */
static struct pace_delays out, out2;

/* theta = OFFSET at T0, and on at rate */
static struct pace_clock_estimate
line(double rate)
{
	return (struct pace_clock_estimate){ .segments = 1, .v[0] = {
		.from_ns = T0, .to_ns = T0, .line = { .t_ns = T0, .offset_ns = OFFSET,
		.rate = rate } } };
}

/* A frame with no drift: departed t_ns behind T0, so long under way. */
static void
add(uint64_t seq, int64_t t_ns, int64_t delay_ns)
{
	pace_delay_add(&d, seq, T0 + t_ns, T0 + t_ns + OFFSET + delay_ns, NOT_TOLD);
}

/* Behind the early frames: with the next a window begins.  500 ns, T0. */
static void
start_behind_early(void)
{
	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < PACE_DELAY_EARLY; k++)
		add(1000000 + 2 * k, 0, 500);
}

static void
finish(void)
{
	struct pace_clock_estimate theta = line(0);

	pace_delay_finish(&d, &theta, &out);
}

static uint64_t
bin_total(const struct pace_hist *h)
{
	struct pace_bin bin;
	uint64_t n = 0;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin))
		n += bin.count;
	return n;
}

static void
check_stats(const struct pace_hist *h, uint64_t n, int64_t min, int64_t max, double mean)
{
	ck_assert_uint_eq(h->stats.n, n);
	ck_assert_uint_eq(bin_total(h), n);
	ck_assert_int_eq(h->stats.min, min);
	ck_assert_int_eq(h->stats.max, max);
	ck_assert_double_eq_tol(pace_stats_mean(&h->stats), mean, 1e-6);
}

START_TEST(without_frames_everything_is_empty)
{
	struct pace_clock_estimate theta = line(0), none = { .segments = 0 };

	memset(&d, 0x5a, sizeof(d));
	memset(&out, 0x5a, sizeof(out));
	pace_delay_start(&d, 1e-5);
	pace_delay_finish(&d, &theta, &out);
	ck_assert(out.absolute);
	check_stats(&out.owd, 0, 0, 0, 0);
	check_stats(&out.scheduled, 0, 0, 0, 0);
	check_stats(&out.pdv, 0, 0, 0, 0);
	check_stats(&out.ipdv, 0, 0, 0, 0);
	ck_assert_uint_eq(out.absurd, 0);
	ck_assert(out.jitter_ns == 0 && out.jitter_max_ns == 0);
	pace_delay_finish(&d, &none, &out);
	ck_assert(!out.absolute);
	pace_delay_finish(&d, NULL, &out);
	ck_assert(!out.absolute);
}
END_TEST

START_TEST(one_frame_has_a_delay_and_no_variation)
{
	struct pace_clock_estimate theta = line(0);

	pace_delay_start(&d, 0);
	pace_delay_add(&d, 7, T0, T0 + OFFSET + 20300, 45);
	pace_delay_finish(&d, &theta, &out);
	check_stats(&out.owd, 1, 20300, 20300, 20300);
	check_stats(&out.scheduled, 1, 20345, 20345, 20345);
	check_stats(&out.pdv, 1, 0, 0, 0);
	check_stats(&out.ipdv, 0, 0, 0, 0);
	ck_assert(out.jitter_ns == 0 && out.jitter_max_ns == 0);
	pace_delay_finish(&d, NULL, &out);
	check_stats(&out.owd, 0, 0, 0, 0);
	check_stats(&out.scheduled, 0, 0, 0, 0);
	check_stats(&out.pdv, 1, 0, 0, 0);
}
END_TEST

/* Delays 1000 1200 900 1100; the lateness of the third frame is not known. */
START_TEST(four_frames_as_typed_in)
{
	static const struct { int64_t delay; uint32_t late; } f[] = {
		{ 1000, 5 }, { 1200, 0 }, { 900, NOT_TOLD }, { 1100, 400 },
	};
	struct pace_clock_estimate theta = line(0);

	pace_delay_start(&d, 0);
	for (int i = 0; i < COUNT_OF(f); i++)
		pace_delay_add(&d, (uint64_t)i, T0 + i * MS,
		    T0 + i * MS + OFFSET + f[i].delay, f[i].late);
	pace_delay_finish(&d, &theta, &out);
	ck_assert(out.absolute);
	check_stats(&out.owd, 4, 900, 1200, 1050);
	check_stats(&out.scheduled, 3, 1005, 1500, (1005 + 1200 + 1500) / 3.0);
	check_stats(&out.pdv, 4, 0, 300, 150);
	check_stats(&out.ipdv, 3, -300, 200, 100 / 3.0);
	ck_assert_double_eq_tol(pace_stats_stddev(&out.owd.stats), 129.0994449, 1e-6);
	ck_assert_double_eq_tol(pace_stats_stddev(&out.pdv.stats), 129.0994449, 1e-6);
	ck_assert_uint_eq(out.pdv.pos[0], 1);
	ck_assert_uint_eq(out.pdv.pos[100], 1);
	ck_assert_uint_eq(out.pdv.pos[200], 1);
	ck_assert_uint_eq(d.frames, 4);

	pace_delay_finish(&d, NULL, &out);
	ck_assert(!out.absolute);
	check_stats(&out.owd, 0, 0, 0, 0);
	check_stats(&out.scheduled, 0, 0, 0, 0);
	check_stats(&out.pdv, 4, 0, 300, 150);
	check_stats(&out.ipdv, 3, -300, 200, 100 / 3.0);
}
END_TEST

START_TEST(the_greatest_lateness_but_one_is_a_lateness)
{
	struct pace_clock_estimate theta = line(0);

	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < 2 * PACE_DELAY_EARLY; k++)
		pace_delay_add(&d, k, T0, T0 + OFFSET + 1, NOT_TOLD - 1);
	pace_delay_finish(&d, &theta, &out);
	check_stats(&out.scheduled, 2 * PACE_DELAY_EARLY, INT64_C(4294967295),
	    INT64_C(4294967295), 4294967295.0);
}
END_TEST

/* By hand: J16 += |D| - ((J16 + 8) >> 4).  In arrival order, that is 0 2 1 4:
 * raw delays 500 532 500 1500. */
START_TEST(jitter_is_rfc_3550s_in_the_order_of_arrival)
{
	static const struct { uint64_t seq; int64_t delay; unsigned j16; } f[] = {
		{ 0, 500, 0 },
		{ 2, 532, 32 },			/* 0 + 32 - 0 */
		{ 1, 500, 62 },			/* 32 + 32 - 40/16 */
		{ 4, 1500, 1058 },		/* 62 + 1000 - 70/16 */
		{ 5, 1500, 992 },		/* 1058 + 0 - 1066/16 */
		{ 6, 1492, 938 },		/* 992 + 8 - 1000/16 = 62 */
	};
	unsigned most = 0;

	pace_delay_start(&d, 0);
	for (int i = 0; i < COUNT_OF(f); i++) {
		add(f[i].seq, (int64_t)f[i].seq * MS, f[i].delay);
		finish();
		most = f[i].j16 > most ? f[i].j16 : most;
		ck_assert_double_eq(out.jitter_ns, f[i].j16 / 16.0);
		ck_assert_double_eq(out.jitter_max_ns, most / 16.0);
	}
	ck_assert_uint_eq(most, 1058);
}
END_TEST

/* The delay of frame k: every difference between two delays belongs to one pair only. */
static int64_t
telling(uint64_t k)
{
	return 1000 + (int64_t)(k * k);
}

/* _i is the order of arrival of frames 0 to 4: the digits of a permutation. */
START_TEST(each_pair_of_neighbours_counts_once_in_any_order)
{
	int order[5] = { 0, 1, 2, 3, 4 }, left = _i;

	for (int k = 5; k > 1; k--) {
		int at = left % k, kept = order[at];

		left /= k;
		order[at] = order[k - 1];
		order[k - 1] = kept;
	}
	pace_delay_start(&d, 0);
	for (int i = 0; i < 5; i++)
		add((uint64_t)order[i], order[i] * MS, telling((uint64_t)order[i]));
	finish();
	check_stats(&out.ipdv, 4, 1, 7, 4);
	for (int k = 1; k <= 7; k += 2)
		ck_assert_uint_eq(out.ipdv.pos[k], 1);
}
END_TEST

START_TEST(a_pair_with_a_hole_is_not_counted)
{
	pace_delay_start(&d, 0);
	add(0, 0, 500);
	add(2, 2 * MS, 700);
	add(4, 4 * MS, 900);
	finish();
	check_stats(&out.ipdv, 0, 0, 0, 0);
	add(3, 3 * MS, 690);
	finish();
	check_stats(&out.ipdv, 2, -10, 210, 100);
}
END_TEST

START_TEST(a_pair_is_missed_when_a_multiple_of_the_ring_came_between)
{
	pace_delay_start(&d, 0);
	add(10, 0, 500);
	add(10 + PACE_DELAY_RING - 1, 0, 500);
	add(10 + PACE_DELAY_RING + 1, 0, 500);	/* takes the place of 11 only */
	add(11, 0, 600);
	finish();
	check_stats(&out.ipdv, 1, 100, 100, 100);
	add(10 + 2 * PACE_DELAY_RING, 0, 500);	/* takes that of 10 */
	add(9, 0, 500);
	finish();
	check_stats(&out.ipdv, 1, 100, 100, 100);
	add(8, 0, 450);				/* with 9 */
	finish();
	check_stats(&out.ipdv, 2, 50, 100, 75);
}
END_TEST

START_TEST(the_ends_of_the_numbers_pair_with_nothing)
{
	static const uint64_t seq[] = { 0, UINT64_MAX, UINT64_MAX - 1, 1, 5000 };

	for (int first = 0; first < COUNT_OF(seq); first++) {
		pace_delay_start(&d, 0);
		add(100, 0, 500);
		add(seq[first], 0, 500);
		finish();
		check_stats(&out.ipdv, 0, 0, 0, 0);
	}
	add(0, 0, 500);
	add(UINT64_MAX, 0, 500);
	finish();
	check_stats(&out.ipdv, 0, 0, 0, 0);
	add(1, 0, 700);
	finish();
	check_stats(&out.ipdv, 1, 200, 200, 200);
}
END_TEST

/* Frames of delays 1000 1200 900 1100 and so on: at the end, from the early
 * ones kept and from a window, the same numbers. */
START_TEST(early_frames_and_those_of_windows_are_one_run)
{
	static const int64_t delay[] = { 1000, 1200, 900, 1100 };
	const uint64_t n = 4 * (uint64_t)_i;
	struct pace_clock_estimate theta = line(0);
	uint64_t count[301] = { 0 };

	count[0] = count[100] = count[200] = count[300] = (uint64_t)_i;
	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < n; k++)
		pace_delay_add(&d, k, T0, T0 + OFFSET + delay[k % 4], k % 2 ? NOT_TOLD : 50);
	pace_delay_finish(&d, &theta, &out);
	check_stats(&out.owd, n, 900, 1200, 1050);
	check_stats(&out.scheduled, n / 2, 950, 1050, 1000);
	check_stats(&out.pdv, n, 0, 300, 150);
	ck_assert_mem_eq(out.pdv.pos, count, 256 * sizeof(count[0]));
	ck_assert_uint_eq(out.ipdv.stats.n, n - 1);
	ck_assert_int_eq(d.n, n > PACE_DELAY_EARLY);
}
END_TEST

/* The first 30 ms late, as when an address has to be found; then 10 us and
 * less than a bin of 30 ms. */
START_TEST(a_slow_first_frame_is_no_reference)
{
	pace_delay_start(&d, 0);
	add(0, 0, 30 * MS);
	for (uint64_t k = 1; k < 10000; k++)
		add(k, (int64_t)k * 10 * US, 10000 + (int64_t)(k % 100));
	finish();
	check_stats(&out.owd, 10000, 10000, 30 * MS, (30e6 + 10049.5 * 10000 - 10000) / 10000);
	ck_assert_uint_eq(out.pdv.pos[0], 99);
	for (int i = 1; i < 100; i++)
		ck_assert_uint_eq(out.pdv.pos[i], 100);
}
END_TEST

/*
 * A queue of 5 ms stands in two of 16 windows, at the beginning or later.  The
 * window behind them has the queue for its reference, and bins of 32 us; no
 * other may lose its nanoseconds, with whatever it is merged.
 */
START_TEST(merging_keeps_the_lower_reference)
{
	const uint64_t high = 2 * (uint64_t)_i;

	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < PACE_DELAY_EARLY; k++)
		add(1000000 + 2 * k, 0, high == 0 ? 5 * MS : 400);
	for (uint64_t k = 0; k < 17 * 100; k++)
		add(k, (int64_t)k * WINDOW / 100, k / 100 == high || k / 100 == high + 1 ?
		    5 * MS : 400 + (int64_t)(k % 50));
	ck_assert_int_eq(d.n, PACE_DELAY_WINDOWS / 2 + 1);
	finish();
	for (int i = 0; i < 50; i++)
		ck_assert_uint_ge(out.pdv.pos[i], 14 * 2);
}
END_TEST

/* The test looks into the windows, because no result distinguishes them. */
START_TEST(a_window_is_left_at_its_length)
{
	start_behind_early();
	ck_assert_int_eq(d.n, 0);
	add(1, 0, 500);				/* begins the first */
	add(2, WINDOW - 1, 500);
	ck_assert_int_eq(d.n, 1);
	add(3, WINDOW, 500);
	ck_assert_int_eq(d.n, 2);
	add(4, 2 * WINDOW - 1, 500);
	ck_assert_int_eq(d.n, 2);
	add(5, 2 * WINDOW, 500);
	ck_assert_int_eq(d.n, 3);
	ck_assert_uint_eq(d.w[0].owd.stats.n, 2);
	ck_assert_uint_eq(d.w[1].owd.stats.n, 2);
	ck_assert_uint_eq(d.w[2].owd.stats.n, 1);
}
END_TEST

START_TEST(a_reordered_frame_goes_to_its_own_window_or_the_current)
{
	static const struct { int64_t t_ns; uint64_t n[3]; } late[] = {
		{ 2 * WINDOW, { 1, 1, 2 } }, { 2 * WINDOW - 1, { 1, 2, 2 } },
		{ WINDOW, { 1, 3, 2 } },
		{ WINDOW - 1, { 1, 3, 3 } },	/* older: the current */
		{ -360 * S, { 1, 3, 4 } },
	};

	start_behind_early();
	for (int i = 0; i < 3; i++)
		add((uint64_t)i, i * WINDOW, 500);
	for (int i = 0; i < COUNT_OF(late); i++) {
		add(100 + 2 * (uint64_t)i, late[i].t_ns, 500);
		ck_assert_int_eq(d.n, 3);
		for (int k = 0; k < 3; k++)
			ck_assert_uint_eq(d.w[k].owd.stats.n, late[i].n[k]);
	}
}
END_TEST

START_TEST(full_windows_are_merged_by_twos_and_twice_as_long)
{
	uint64_t seq = 0;

	start_behind_early();
	for (int i = 0; i < PACE_DELAY_WINDOWS; i++)
		for (int k = 0; k <= i; k++)
			add(seq++, i * WINDOW, 500);
	ck_assert_int_eq(d.n, PACE_DELAY_WINDOWS);
	add(seq++, PACE_DELAY_WINDOWS * WINDOW, 500);
	ck_assert_int_eq(d.n, PACE_DELAY_WINDOWS / 2 + 1);
	for (int i = 0; i < PACE_DELAY_WINDOWS / 2; i++)
		ck_assert_uint_eq(d.w[i].owd.stats.n, (uint64_t)(4 * i + 3));
	ck_assert_uint_eq(d.w[PACE_DELAY_WINDOWS / 2].owd.stats.n, 1);
	add(seq++, (PACE_DELAY_WINDOWS + 2) * WINDOW - 1, 500);
	ck_assert_int_eq(d.n, PACE_DELAY_WINDOWS / 2 + 1);
	add(seq++, (PACE_DELAY_WINDOWS + 2) * WINDOW, 500);
	ck_assert_int_eq(d.n, PACE_DELAY_WINDOWS / 2 + 2);
	finish();
	seq += PACE_DELAY_EARLY;
	check_stats(&out.owd, seq, 500, 500, 500);
	check_stats(&out.pdv, seq, 0, 0, 0);
}
END_TEST

/*
 * A first window of rate 0 while the clocks part by 100 ppm, then the rate is
 * known.  Only the frames of that first quarter second may be wrong for ever,
 * by half of it: 12.5 us, also when windows have become minutes.  The others are
 * as far above the reference, in bins of 64 ns.
 */
START_TEST(an_unknown_rate_spoils_no_more_than_the_windows_of_its_time)
{
	struct pace_clock_estimate theta = line(1e-4);
	const uint64_t n = 20000;		/* ten a second */
	uint64_t near = 0;
	struct pace_bin bin;
	int iter = 0;

	start_behind_early();
	for (uint64_t k = 0; k < n; k++) {
		int64_t t_ns = (int64_t)k * 100 * MS;

		pace_delay_add(&d, k, T0 + t_ns,
		    T0 + t_ns + OFFSET + t_ns / 10000 + 500, NOT_TOLD);
		pace_delay_rate(&d, 1e-4);	/* from the second window on */
	}
	ck_assert_int_gt(d.window_ns, 60 * S);
	pace_delay_finish(&d, &theta, &out);
	ck_assert_int_ge(out.owd.stats.min, 500 - 12510);
	ck_assert_int_le(out.owd.stats.max, 500 + 12510);
	while (pace_hist_next(&out.owd, &iter, &bin))
		if (500 - 100 <= bin.low && bin.high <= 500 + 100)
			near += bin.count;
	/* all but those of 0, 100 and 200 ms */
	ck_assert_uint_ge(near, PACE_DELAY_EARLY + n - 3);
	ck_assert_double_eq_tol(pace_stats_mean(&out.owd.stats), 500, 5);
}
END_TEST

/* Delays of 20 ms and a little: in bins of 20 ms this would be one. */
START_TEST(variation_keeps_its_nanoseconds_whatever_the_delay)
{
	static uint64_t count[200];
	const uint64_t n = 100000;
	int64_t least = INT64_MAX;
	static int64_t delay[100000];

	memset(count, 0, sizeof(count));
	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < n; k++) {
		delay[k] = 20 * MS + unit_between(0, 99);
		least = delay[k] < least ? delay[k] : least;
		add(k, (int64_t)k * 3 * MS, delay[k]);	/* 1200 windows, merged often */
	}
	for (uint64_t k = 0; k < n; k++)
		count[delay[k] - least]++;
	finish();
	ck_assert_int_eq(out.owd.stats.min, least);
	ck_assert_mem_eq(out.pdv.pos, count, sizeof(count));
	pace_delay_finish(&d, NULL, &out);
	ck_assert_mem_eq(out.pdv.pos, count, sizeof(count));
}
END_TEST

/* A simulated run, in the order of arrival. */
struct frame {
	uint64_t seq;
	int64_t	tx_ns, rx_ns, owd_ns;
	uint32_t late_ns;
};

struct trace {
	int	n;
	struct frame *f;
	int64_t	gap_ns, base_ns;
	double	rate;			/* of theta */
	int	lost_of_100, late_of_100;
	int64_t	bump_ns;		/* queues up to that, now and then */
};

static int
by_arrival(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return x->rx_ns != y->rx_ns ? (x->rx_ns > y->rx_ns) - (x->rx_ns < y->rx_ns) :
	    (x->seq > y->seq) - (x->seq < y->seq);
}

static int
by_number(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* numbers frames of t->f; n is set to those that arrived. */
static void
simulate(struct trace *t, int numbers)
{
	int64_t queue_ns = 0;

	t->n = 0;
	for (int k = 0; k < numbers; k++) {
		struct frame *f = &t->f[t->n];

		queue_ns = queue_ns > t->gap_ns / 2 ? queue_ns - t->gap_ns / 2 : 0;
		if (unit_between(0, 199) == 0)
			queue_ns = unit_between(0, t->bump_ns);
		if (unit_between(0, 99) < t->lost_of_100)
			continue;
		f->seq = (uint64_t)k;
		f->tx_ns = T0 + k * t->gap_ns + unit_between(0, t->gap_ns / 4);
		f->owd_ns = t->base_ns + queue_ns + unit_between(0, 150);
		if (unit_between(0, 99) < t->late_of_100)	/* another way */
			f->owd_ns += unit_between(0, 5 * t->gap_ns);
		f->rx_ns = f->tx_ns + OFFSET + f->owd_ns +
		    llround(t->rate * (double)(f->tx_ns - T0));
		f->late_ns = k % 10 == 3 ? NOT_TOLD : (uint32_t)unit_between(0, 3000);
		t->n++;
	}
	qsort(t->f, (size_t)t->n, sizeof(*t->f), by_arrival);
}

static void
play(const struct trace *t, double told_rate)
{
	pace_delay_start(&d, told_rate);
	for (int i = 0; i < t->n; i++)
		pace_delay_add(&d, t->f[i].seq, t->f[i].tx_ns, t->f[i].rx_ns, t->f[i].late_ns);
}

/*
 * No value in h is further from its own in v (any order) than fixed_ns and
 * share of its distance from low_ns, if the k-th smallest are not.
 */
static void
check_values(const struct pace_hist *h, int64_t *v, size_t n, int64_t low_ns, double share,
    double fixed_ns)
{
	struct pace_bin bin;
	size_t k = 0;
	int iter = 0;

	ck_assert_uint_eq(h->stats.n, n);
	ck_assert_uint_eq(bin_total(h), n);
	if (n == 0)
		return;
	qsort(v, n, sizeof(v[0]), ascending);
	while (pace_hist_next(h, &iter, &bin))
		for (size_t end = k + bin.count; k < end; k++) {
			double off = fixed_ns + share * fabs((double)(v[k] - low_ns));

			if ((double)v[k] < (double)bin.low - off ||
			    (double)v[k] >= (double)bin.high + off)
				ck_abort_msg("value %zu of %zu is %lld, its bin %lld..%lld,"
				    " +-%.1f", k, n, (long long)v[k], (long long)bin.low,
				    (long long)bin.high, off);
		}
	ck_assert_double_eq_tol((double)h->stats.min, (double)v[0], fixed_ns);
	ck_assert_double_eq_tol((double)h->stats.max, (double)v[n - 1], fixed_ns);
}

/* IPDV and jitter know nothing of theta: they are exact. */
static void
check_ipdv(const struct trace *t)
{
	struct frame *f = malloc((size_t)t->n * sizeof(*f));
	struct pace_hist *h = calloc(1, sizeof(*h));
	uint64_t j16 = 0, most = 0;

	for (int i = 1; i < t->n; i++) {
		j16 += (uint64_t)llabs((t->f[i].rx_ns - t->f[i].tx_ns) -
		    (t->f[i - 1].rx_ns - t->f[i - 1].tx_ns)) - ((j16 + 8) >> 4);
		most = j16 > most ? j16 : most;
	}
	ck_assert_double_eq(out.jitter_ns, (double)j16 / 16);
	ck_assert_double_eq(out.jitter_max_ns, (double)most / 16);
	memcpy(f, t->f, (size_t)t->n * sizeof(*f));
	qsort(f, (size_t)t->n, sizeof(*f), by_number);
	for (int i = 1; i < t->n; i++)
		if (f[i].seq == f[i - 1].seq + 1)
			pace_hist_add(h, (f[i].rx_ns - f[i - 1].rx_ns) -
			    (f[i].tx_ns - f[i - 1].tx_ns));
	ck_assert_mem_eq(out.ipdv.pos, h->pos, sizeof(h->pos));
	ck_assert_mem_eq(out.ipdv.neg, h->neg, sizeof(h->neg));
	ck_assert_uint_eq(out.ipdv.stats.n, h->stats.n);
	ck_assert_int_eq(out.ipdv.stats.min, h->stats.min);
	ck_assert_int_eq(out.ipdv.stats.max, h->stats.max);
	free(f);
	free(h);
}

/* merged: how often windows were; off_ns: what a wrong rate may do to a
 * delay, both ways. */
static void
check_against_model(const struct trace *t, int merged, double off_ns)
{
	struct pace_clock_estimate theta = line(t->rate);
	double share = 0.004 * (merged + 1), sum = 0;
	size_t told = 0, n = (size_t)t->n;
	int64_t *v = malloc(2 * n * sizeof(*v)), *sched = v + n, low = INT64_MAX;

	pace_delay_finish(&d, &theta, &out);
	for (size_t i = 0; i < n; i++) {
		v[i] = t->f[i].owd_ns;
		sum += (double)v[i];
		low = v[i] < low ? v[i] : low;
		if (t->f[i].late_ns != NOT_TOLD)
			sched[told++] = v[i] + t->f[i].late_ns;
	}
	off_ns += 4 + merged;	/* roundings of theta, of drifts, of each moving */
	check_values(&out.owd, v, n, low, share, off_ns);
	check_values(&out.scheduled, sched, told, low, share, off_ns);
	ck_assert_double_eq_tol(pace_stats_mean(&out.owd.stats), sum / (double)n, off_ns);
	for (size_t i = 0; i < n; i++)
		v[i] -= low;
	ck_assert_int_eq(out.pdv.stats.min, 0);
	check_values(&out.pdv, v, n, 0, share, 2 * off_ns);
	ck_assert_double_eq_tol(pace_stats_stddev(&out.pdv.stats),
	    pace_stats_stddev(&out.owd.stats), 1e-3);
	check_ipdv(t);
	free(v);
}

/* How far the lowest early frame was from the lowest of all: a queue at the start. */
static int64_t
early_excess(const struct trace *t)
{
	int64_t early_ns = INT64_MAX, low_ns = INT64_MAX;

	for (int i = 0; i < t->n; i++) {
		if (t->f[i].owd_ns < low_ns)
			low_ns = t->f[i].owd_ns;
		if (i < PACE_DELAY_EARLY && low_ns < early_ns)
			early_ns = low_ns;
	}
	return t->n > 0 ? early_ns - low_ns : 0;
}

/* A run whose reported rate is wrong by error: how often windows were merged, and half the
 * longest window, in which the error adds up. */
static void
check_run(struct trace *t, int numbers, double error)
{
	int64_t half_ns = 0;
	int merged = 0;

	simulate(t, numbers);
	play(t, t->rate + error);
	for (int64_t w = WINDOW; w < d.window_ns; w *= 2)
		merged++;
	for (int i = 0; i < d.n; i++)
		if (d.w[i].last_ns - d.w[i].first_ns > 2 * half_ns)
			half_ns = (d.w[i].last_ns - d.w[i].first_ns + 1) / 2;
	/* a reordered frame may be in the window behind its own */
	/* the first reference may be off by as much, and the bins are so much wider */
	check_against_model(t, merged, fabs(error) * (double)(half_ns + 5 * t->gap_ns) *
	    (1 + 0.004 * (merged + 1)) + 0.004 * (merged + 1) * (double)early_excess(t));
}

START_TEST(short_runs_agree_with_the_model)
{
	struct trace t = { .f = malloc(3000 * sizeof(*t.f)) };

	for (int round = 0; round < 60; round++) {
		t.gap_ns = unit_between(1, 20) * unit_between(1, 1000) * US;
		t.base_ns = unit_between(0, 3) == 0 ? 20 * MS : unit_between(0, 100 * US);
		t.rate = (double)unit_between(-100, 100) * 1e-6;
		t.lost_of_100 = (int)unit_between(0, 40);
		t.late_of_100 = (int)unit_between(0, 20);
		t.bump_ns = unit_between(1, 2000) * US;
		check_run(&t, (int)unit_between(2, 3000), round % 2 ? 0 :
		    (double)unit_between(-100, 100) * 1e-7);
	}
	free(t.f);
}
END_TEST

static const struct { int windows, numbers; double error; } runs[] = {
	{ 10, 20000, 0 }, { 10, 20000, 1e-6 }, { 17, 20000, -1e-6 },
	{ 100, 50000, 0 }, { 100, 50000, 1e-7 }, { 100, 50000, -1e-5 },
	{ 100000, 800000, 0 }, { 100000, 800000, 1e-8 }, { 100000, 800000, -1e-6 },
};

START_TEST(windows_by_the_thousand_agree_with_the_model)
{
	struct trace t = {
		.f = malloc((size_t)runs[_i].numbers * sizeof(*t.f)),
		.gap_ns = runs[_i].windows * WINDOW / runs[_i].numbers,
		.base_ns = 20 * MS, .rate = _i % 2 ? 1e-4 : -1e-4,
		.lost_of_100 = 3, .late_of_100 = 5, .bump_ns = MS,
	};

	check_run(&t, runs[_i].numbers, runs[_i].error);
	free(t.f);
}
END_TEST

/* The rate comes as a fit would give it: better every window. */
START_TEST(a_rate_that_improves_is_used)
{
	struct trace t = { .f = malloc(100000 * sizeof(*t.f)), .gap_ns = MS,
	    .base_ns = 300 * US, .rate = 8e-5, .lost_of_100 = 1, .late_of_100 = 1,
	    .bump_ns = 100 * US };

	simulate(&t, 100000);			/* 100 s */
	pace_delay_start(&d, 0);
	for (int i = 0; i < t.n; i++) {
		pace_delay_add(&d, t.f[i].seq, t.f[i].tx_ns, t.f[i].rx_ns, t.f[i].late_ns);
		/* 8 us known to within 1 us / time */
		if (t.f[i].seq > 1000 && t.f[i].seq % 100 == 0)
			pace_delay_rate(&d, t.rate + 1e-6 / ((double)t.f[i].seq * 1e-3));
	}
	ck_assert_int_ge(d.window_ns, 16 * WINDOW);
	/* the first five quarter seconds: 80 ppm x 125 ms; each merging, 1e-6 or less */
	check_against_model(&t, 5, 8e-5 * 125e6 + 2000);
	/* with the rate of the end the windows agree by themselves too */
	pace_delay_finish(&d, NULL, &out2);
	ck_assert_double_eq_tol((double)out2.pdv.stats.max, (double)out.pdv.stats.max, 2000);
	ck_assert_uint_eq(out2.owd.stats.n + out2.scheduled.stats.n, 0);
	free(t.f);
}
END_TEST

/* Without theta the line has the rate that was last given. */
START_TEST(without_theta_the_last_rate_is_theta)
{
	struct trace t = { .f = malloc(20000 * sizeof(*t.f)), .gap_ns = 5 * MS,
	    .base_ns = 5 * MS, .rate = -7e-5, .lost_of_100 = 1, .bump_ns = 10 * US };
	struct pace_clock_estimate none = { .segments = 0 };
	int64_t *v = malloc(20000 * sizeof(*v)), low = INT64_MAX;

	simulate(&t, 20000);			/* 100 s: 7 ms of drift */
	play(&t, t.rate);
	pace_delay_finish(&d, &none, &out);
	ck_assert(!out.absolute);
	for (int i = 0; i < t.n; i++)
		low = t.f[i].owd_ns < low ? t.f[i].owd_ns : low;
	for (int i = 0; i < t.n; i++)
		v[i] = t.f[i].owd_ns - low;
	check_values(&out.pdv, v, (size_t)t.n, 0, 0.03, 6);

	pace_delay_rate(&d, 0);			/* wrong, but it is the last: */
	pace_delay_finish(&d, NULL, &out);	/* 70 us a second are left in */
	ck_assert_double_eq_tol((double)out.pdv.stats.max, 7e6, 7e-5 * 4e9 + 20e3);
	free(t.f);
	free(v);
}
END_TEST

/* Hours between some departures: windows without neighbours. */
START_TEST(pauses_of_any_length_do_no_harm)
{
	struct pace_clock_estimate theta = line(3e-5);
	int64_t t_ns = 0;

	pace_delay_start(&d, 3e-5);
	for (uint64_t k = 0; k < 2000; k++) {
		t_ns += k % 9 == 0 ? 3600 * S : unit_between(0, 400 * MS);
		pace_delay_add(&d, k, T0 + t_ns, T0 + t_ns + OFFSET + 1000 +
		    llround(3e-5 * (double)t_ns), NOT_TOLD);
	}
	pace_delay_finish(&d, &theta, &out);
	ck_assert_uint_eq(out.owd.stats.n, 2000);
	ck_assert_uint_eq(out.absurd, 0);
	ck_assert_int_ge(out.owd.stats.min, 1000 - 15);	/* roundings: merged often */
	ck_assert_int_le(out.owd.stats.max, 1000 + 15);
}
END_TEST

START_TEST(a_delay_too_far_from_the_first_is_counted_and_changes_nothing)
{
	static const int64_t off[] = { PACE_DELAY_MAX_NS + 1, -PACE_DELAY_MAX_NS - 1,
	    INT64_MAX, INT64_MIN, 3600 * S };
	uint64_t frames;

	pace_delay_start(&d, 0);
	for (uint64_t k = 0; k < (_i ? 2 : 2 * PACE_DELAY_EARLY); k++)
		add(k, 0, 0);
	frames = d.frames;
	d2 = d;
	for (int i = 0; i < COUNT_OF(off); i++) {
		pace_delay_add(&d, 2, T0, (int64_t)((uint64_t)(T0 + OFFSET) +
		    (uint64_t)off[i]), 0);
		ck_assert_uint_eq(d.absurd, (uint64_t)i + 1);
	}
	d2.absurd = d.absurd;
	ck_assert_int_eq(memcmp(&d, &d2, sizeof(d)), 0);
	add(104, 2 * MS, PACE_DELAY_MAX_NS);
	add(106, 3 * MS, -PACE_DELAY_MAX_NS);
	ck_assert_uint_eq(d.frames, frames + 2);
	finish();
	ck_assert_uint_eq(out.absurd, COUNT_OF(off));
	check_stats(&out.owd, frames + 2, -PACE_DELAY_MAX_NS, PACE_DELAY_MAX_NS, 0);
	ck_assert_int_eq(out.pdv.stats.max, 2 * PACE_DELAY_MAX_NS);
}
END_TEST

START_TEST(a_run_begins_where_two_frames_agree)
{
	pace_delay_start(&d, 0);
	add(3, 0, 7200 * S);			/* three that agree with none */
	add(4, MS, -7200 * S);
	add(5, 2 * MS, 3600 * S);
	ck_assert_uint_eq(d.frames, 1);
	ck_assert_uint_eq(d.absurd, 2);
	add(6, 3 * MS, 1000);
	add(7, 4 * MS, 1100);
	add(8, 5 * MS, -7200 * S);
	add(9, 6 * MS, 1300);
	finish();
	ck_assert_uint_eq(out.absurd, 4);
	check_stats(&out.owd, 3, 1000, 1300, 3400 / 3.0);
	check_stats(&out.ipdv, 1, 100, 100, 100);	/* none with 5 */
	ck_assert_double_eq(out.jitter_max_ns, (100 - 6 + 200) / 16.0);
	add(4, 7 * MS, 1000);				/* nor has 3 left a trace */
	finish();
	check_stats(&out.ipdv, 1, 100, 100, 100);
}
END_TEST

START_TEST(rates_no_clock_has_are_ignored)
{
	static const double bad[] = { 0.0010001, -0.0010001, 1, 1e300, -1e300 };

	pace_delay_start(&d, 1e-3);
	ck_assert_double_eq(d.rate, 1e-3);
	for (int i = 0; i < COUNT_OF(bad); i++) {
		pace_delay_rate(&d, bad[i]);
		ck_assert_double_eq(d.rate, 1e-3);
	}
	pace_delay_rate(&d, (double)NAN);
	pace_delay_rate(&d, (double)INFINITY);
	pace_delay_rate(&d, -(double)INFINITY);
	ck_assert_double_eq(d.rate, 1e-3);
	pace_delay_rate(&d, -1e-3);
	ck_assert_double_eq(d.rate, -1e-3);
	pace_delay_start(&d, (double)NAN);
	ck_assert_double_eq(d.rate, 0);
}
END_TEST

/* Any time: sanitizers look for overflow, we at the sums. */
START_TEST(no_time_is_too_hostile)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1,
	    INT64_MAX - 1, INT64_MAX, INT64_MAX / 2, INT64_MIN / 2 };

	for (int round = 0; round < 40; round++) {
		struct pace_clock_estimate theta = line(round % 3 ? 5e-4 : 0);
		uint64_t adds = 3000;
		int64_t rx = ends[round % COUNT_OF(ends)];

		theta.v[0].line.offset_ns = ends[1 + round % 4] / 2;
		pace_delay_start(&d, round % 2 ? 1e-3 : -1e-3);
		for (uint64_t k = 0; k < adds; k++) {
			int64_t step = (int64_t)unit_rnd_any_size();
			int64_t tx = (int64_t)((uint64_t)rx - (uint64_t)(round % 4 ?
			    unit_between(0, 2 * PACE_DELAY_MAX_NS / 3) : step));

			pace_delay_add(&d, unit_rnd_any_size(), tx, rx,
			    (uint32_t)unit_rnd());
			rx = (int64_t)((uint64_t)rx + (uint64_t)step);
			if (k % 100 == 0)
				rx = ends[unit_rnd() % COUNT_OF(ends)];
		}
		ck_assert_uint_eq(d.frames + d.absurd, adds);
		ck_assert_int_gt(d.window_ns, 0);
		for (int known = 0; known < 2; known++) {
			pace_delay_finish(&d, known ? &theta : NULL, &out);
			ck_assert_uint_eq(out.pdv.stats.n, d.frames);
			ck_assert_uint_eq(bin_total(&out.pdv), d.frames);
			ck_assert(known || !out.absolute);
			ck_assert_uint_eq(bin_total(&out.owd), out.absolute ? d.frames : 0);
			if (out.absolute) {
				ck_assert_int_ge(out.owd.stats.min, -PACE_DELAY_FAR_NS);
				ck_assert_int_le(out.owd.stats.max, PACE_DELAY_FAR_NS);
			}
		}
	}
}
END_TEST

/* In the early frames and behind them, on both sides. */
START_TEST(a_delay_that_no_clocks_have_is_none)
{
	static const struct { int64_t far_ns; bool told; } of[] = {
		{ 0, true }, { PACE_DELAY_FAR_NS, true }, { -PACE_DELAY_FAR_NS, true },
		{ PACE_DELAY_FAR_NS + 1, false }, { -PACE_DELAY_FAR_NS - 1, false },
		{ INT64_MAX / 2, false },
	};

	for (size_t i = 0; i < COUNT_OF(of); i++) {
		for (uint64_t adds = 1; adds <= PACE_DELAY_EARLY + 1; adds += PACE_DELAY_EARLY) {
			pace_delay_start(&d, 0);
			for (uint64_t k = 0; k < adds; k++)
				add(k, 0, of[i].far_ns);
			finish();
			ck_assert_int_eq(out.absolute, of[i].told);
			ck_assert_uint_eq(out.owd.stats.n, of[i].told ? adds : 0);
			ck_assert_uint_eq(out.pdv.stats.n, adds);
			ck_assert_int_eq(out.pdv.stats.max, 0);
		}
	}
	pace_delay_start(&d, 0);	/* theta steps by 100 years between the two */
	pace_delay_add(&d, 0, T0, T0, NOT_TOLD);
	pace_delay_add(&d, 1, T0 + S, T0 + S, NOT_TOLD);
	for (int sign = -1; sign <= 1; sign += 2) {
		struct pace_clock_estimate theta = line(0);

		theta.segments = 2;
		theta.v[1] = theta.v[0];
		theta.v[1].from_ns = theta.v[1].to_ns = theta.v[1].line.t_ns = T0 + S;
		theta.v[1].line.offset_ns = sign * (PACE_DELAY_FAR_NS + 1);
		pace_delay_finish(&d, &theta, &out);
		ck_assert(!out.absolute && out.owd.stats.n == 0);
		ck_assert_int_eq(out.pdv.stats.max, 0);
	}
}
END_TEST

START_TEST(windows_that_grow_for_ever_do_not_overflow)
{
	int64_t t_ns = T0;

	pace_delay_start(&d, 1e-3);
	for (uint64_t k = 0; k < PACE_DELAY_EARLY + 1000; k++) {
		pace_delay_add(&d, k, t_ns, t_ns, NOT_TOLD);
		t_ns = (int64_t)((uint64_t)t_ns + (uint64_t)d.window_ns);
	}
	ck_assert_int_gt(d.window_ns, INT64_MAX / 2);
	pace_delay_finish(&d, NULL, &out);
	ck_assert_uint_eq(out.pdv.stats.n, PACE_DELAY_EARLY + 1000);
}
END_TEST

/* The receiver stalls in the very first frame: 40 ms of frames come together,
 * 2 us one behind the other; then 5 .. 6 us. */
START_TEST(a_stall_at_the_start_leaves_the_rest_sharp)
{
	const struct pace_clock_estimate zero = { .segments = 1,
	    .v[0] = { .from_ns = 0, .to_ns = INT64_MAX / 2 } };
	int64_t below = 0, n = 20000, rx = T0 + 40 * MS;

	pace_delay_start(&d, 0);
	for (int64_t k = 0; k < n; k++) {
		int64_t tx = T0 + 10000 * k, delay = unit_between(5000, 6000);

		rx = rx + 2000 > tx + delay ? rx + 2000 : tx + delay;
		pace_delay_add(&d, (uint64_t)k, tx, rx, NOT_TOLD);
	}
	pace_delay_finish(&d, &zero, &out);
	ck_assert_int_ge(pace_hist_quantile(&out.owd, 0.5), 5600);	/* a quarter of them waited */
	ck_assert_int_le(pace_hist_quantile(&out.owd, 0.5), 5750);
	below = pace_hist_quantile(&out.pdv, 0.1);
	ck_assert_int_ge(below, 100);
	ck_assert_int_le(below, 160);
}
END_TEST

START_TEST(finish_changes_nothing_and_more_may_follow)
{
	struct trace t = { .f = malloc(5000 * sizeof(*t.f)), .gap_ns = 3 * MS,
	    .base_ns = MS, .rate = 2e-5, .late_of_100 = 5, .bump_ns = MS };
	struct pace_clock_estimate theta = line(t.rate);

	simulate(&t, 5000);
	play(&t, t.rate);
	pace_delay_finish(&d, &theta, &out);
	pace_delay_start(&d, t.rate);
	for (int i = 0; i < t.n; i++) {
		pace_delay_add(&d, t.f[i].seq, t.f[i].tx_ns, t.f[i].rx_ns, t.f[i].late_ns);
		if (i % 500 == 0)
			pace_delay_finish(&d, i % 1000 ? &theta : NULL, &out2);
	}
	pace_delay_finish(&d, &theta, &out2);
	ck_assert_int_eq(memcmp(&out, &out2, sizeof(out)), 0);
	free(t.f);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, without_frames_everything_is_empty);
	tcase_add_test(tc, one_frame_has_a_delay_and_no_variation);
	tcase_add_test(tc, four_frames_as_typed_in);
	tcase_add_test(tc, the_greatest_lateness_but_one_is_a_lateness);
	tcase_add_test(tc, jitter_is_rfc_3550s_in_the_order_of_arrival);
	tcase_add_loop_test(tc, each_pair_of_neighbours_counts_once_in_any_order, 0, 120);
	tcase_add_test(tc, a_pair_with_a_hole_is_not_counted);
	tcase_add_test(tc, a_pair_is_missed_when_a_multiple_of_the_ring_came_between);
	tcase_add_test(tc, the_ends_of_the_numbers_pair_with_nothing);
	tcase_add_loop_test(tc, early_frames_and_those_of_windows_are_one_run, 1, 20);
	tcase_add_test(tc, a_slow_first_frame_is_no_reference);
	tcase_add_loop_test(tc, merging_keeps_the_lower_reference, 0, 7);
	tcase_add_test(tc, a_window_is_left_at_its_length);
	tcase_add_test(tc, a_reordered_frame_goes_to_its_own_window_or_the_current);
	tcase_add_test(tc, full_windows_are_merged_by_twos_and_twice_as_long);
	tcase_add_test(tc, an_unknown_rate_spoils_no_more_than_the_windows_of_its_time);
	tcase_add_test(tc, variation_keeps_its_nanoseconds_whatever_the_delay);
	tcase_add_test(tc, short_runs_agree_with_the_model);
	tcase_add_loop_test(tc, windows_by_the_thousand_agree_with_the_model, 0,
	    COUNT_OF(runs));
	tcase_add_test(tc, a_rate_that_improves_is_used);
	tcase_add_test(tc, without_theta_the_last_rate_is_theta);
	tcase_add_test(tc, pauses_of_any_length_do_no_harm);
	tcase_add_loop_test(tc, a_delay_too_far_from_the_first_is_counted_and_changes_nothing,
	    0, 2);
	tcase_add_test(tc, a_run_begins_where_two_frames_agree);
	tcase_add_test(tc, rates_no_clock_has_are_ignored);
	tcase_add_test(tc, no_time_is_too_hostile);
	tcase_add_test(tc, a_delay_that_no_clocks_have_is_none);
	tcase_add_test(tc, windows_that_grow_for_ever_do_not_overflow);
	tcase_add_test(tc, a_stall_at_the_start_leaves_the_rest_sharp);
	tcase_add_test(tc, finish_changes_nothing_and_more_may_follow);
}

int
main(void)
{
	TCase *tc = tcase_create("delay");

	unit_seed(tc);
	tcase_set_timeout(tc, 60);
	add_tests(tc);
	return unit_run(tc, "delay");
}
