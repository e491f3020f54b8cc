/* trace.h: records reduced to bins: losses all there, extremes kept. */
#include "report/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

static int64_t
below(int64_t n)
{
	return unit_between(0, n - 1);
}

#define NS		INT64_C(1000000000)
#define T0		INT64_C(5000000000007)
#define OFFSET		INT64_C(7000000000000)
#define SPACING		10000
#define DELAY		2000

static struct pace_records records;
static struct pace_record_run run;
static struct pace_trace t;
static void *memory;

/* Room for n records of a run with numbers up to sent. */
static void
begin(uint64_t room, uint64_t sent, bool lost_only)
{
	memory = malloc(pace_records_memory(room));
	ck_assert(memory != NULL);
	pace_records_init(&records, memory, room, 0, lost_only);
	run = (struct pace_record_run){ .size_bytes = 100, .sent = sent,
	    .lost_only = lost_only, .spacing = (uint64_t)SPACING << 32,
	    .clock = { .segments = 1, .v = {
		{ T0, T0 + NS, { T0, OFFSET, 0, 0 }, 100 } } } };
}

/* Frame seq arrives, so much later than at once. */
static void
add(uint64_t seq, int64_t delay_ns, uint8_t flags)
{
	int64_t tx = T0 + (int64_t)seq * SPACING;
	struct pace_record rec = { .seq = seq, .tx_ns = tx, .rx_ns = tx + OFFSET + delay_ns,
	    .flags = (uint8_t)(PACE_STAMP_KERNEL | flags) };

	pace_records_add(&records, &rec);
}

static void
end(void)
{
	pace_records_finish(&records);
	run.n = records.n;
	run.missed = records.missed;
	run.columns = malloc(PACE_RECORD_SIZE * run.n + 1);
	ck_assert(run.columns != NULL);
	pace_records_bytes(&records, 0, run.columns, PACE_RECORD_SIZE * run.n);
}

static void
teardown(void)
{
	pace_trace_free(&t);
	pace_trace_free(&t);			/* twice is allowed */
	free(run.columns);
	free(memory);
	run.columns = NULL;
	memory = NULL;
}

static uint64_t
sum_lost(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t.bins; i++)
		sum += t.v[i].lost;
	return sum;
}

START_TEST(no_records_and_nothing_sent_is_nothing)
{
	run = (struct pace_record_run){ .n = 0 };
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.bins, 0);
	ck_assert_int_eq(pace_trace_by_time(&t, &run, 100), 0);
	ck_assert_uint_eq(t.bins, 0);
	ck_assert_double_eq(pace_trace_duration(&run), 0);
}
END_TEST

START_TEST(all_lost_is_all_loss_and_no_values)
{
	run = (struct pace_record_run){ .n = 0, .sent = 5000 };
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.lost, 5000);
	ck_assert_uint_eq(sum_lost(), 5000);
	ck_assert_uint_eq(t.frames, 0);
	ck_assert(isnan(t.lowest) && isnan(t.v[0].max));
	ck_assert_uint_eq(t.v[0].lost, 3);	/* 5000 / 2000, rounded up */
}
END_TEST

START_TEST(few_frames_are_single_bins)
{
	begin(10, 8, false);
	add(0, 2000, 0);
	add(1, 1500, 0);
	add(5, 9000, 0);			/* 2 3 4 are missing */
	add(3, 40000, PACE_RECORD_REORDERED);
	add(3, 1, PACE_RECORD_DUPLICATE);
	add(0, 1, PACE_RECORD_BEYOND);
	end();
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.bins, 8);
	ck_assert_double_eq(t.width, 1);
	ck_assert_uint_eq(t.frames, 4);
	ck_assert_uint_eq(t.lost, 4);		/* 2 4 6 7 */
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(t.v[i].lost, strchr("2467", '0' + (int)i) != NULL);
	ck_assert_double_eq(t.v[0].p50, 2000);
	ck_assert_double_eq(t.v[1].min, 1500);
	ck_assert_double_eq(t.v[3].max, 40000);
	ck_assert_double_eq(t.v[5].p99, 9000);
	ck_assert(isnan(t.v[2].p50));
	ck_assert_double_eq(t.lowest, 1500);
	ck_assert_double_eq(t.highest, 40000);
}
END_TEST

START_TEST(nothing_is_lost_behind_a_full_record)
{
	begin(3, 1000, false);
	for (uint64_t i = 0; i < 10; i++)
		add(i, DELAY, 0);
	end();
	ck_assert_uint_eq(run.missed, 7);
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.bins, 3);
	ck_assert_uint_eq(t.lost, 0);
}
END_TEST

/* Against counting number by number. */
START_TEST(losses_are_where_they_were)
{
	uint64_t sent;
	static uint8_t there[9001];
	uint64_t held = UINT64_MAX, lost = 0, width;
	static uint64_t want[2000];

	unit_turn(_i);
	sent = (uint64_t)below(9000) + 1;
	width = (sent + 1999) / 2000;
	begin(sent, sent, _i % 2 == 1);
	memset(there, 0, sizeof(there));
	memset(want, 0, sizeof(want));
	for (uint64_t i = 0; i < sent; i++) {
		if (below(10) == 0 || (i > 200 && i < 300))
			continue;
		there[i] = 1;
		if (held == UINT64_MAX && below(20) == 0) {
			held = i;		/* comes behind the next one */
			continue;
		}
		add(i, DELAY, 0);
		if (held != UINT64_MAX)
			add(held, DELAY + SPACING, PACE_RECORD_REORDERED);
		held = UINT64_MAX;
	}
	if (held != UINT64_MAX)
		add(held, DELAY, 0);
	end();
	for (uint64_t i = 0; i < sent; i++)
		if (!there[i]) {
			want[i / width]++;
			lost++;
		}
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.lost, lost);
	for (size_t i = 0; i < t.bins; i++)
		ck_assert_uint_eq(t.v[i].lost, want[i]);
	pace_trace_free(&t);
	ck_assert_int_eq(pace_trace_by_time(&t, &run, 100), 0);
	ck_assert_uint_eq(t.lost, run.n > 0 ? lost : 0);
	ck_assert_uint_eq(sum_lost(), t.lost);
}
END_TEST

START_TEST(a_bin_keeps_its_extremes_and_its_middle)
{
	begin(100000, 100000, false);
	for (uint64_t i = 0; i < 100000; i++)
		add(i, i == 777 ? 5000000 : i == 778 ? -30 : DELAY + (int64_t)(i % 50), 0);
	end();
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_DELAY), 0);
	ck_assert_uint_eq(t.bins, 2000);
	ck_assert_double_eq(t.width, 50);
	ck_assert_uint_eq(t.v[15].n, 50);
	ck_assert_double_eq(t.v[15].max, 5000000);
	ck_assert_double_eq(t.v[15].min, -30);
	ck_assert_double_eq(t.v[14].min, DELAY);
	ck_assert_double_eq(t.v[14].p50, DELAY + 24);
	ck_assert_double_eq(t.v[14].p99, DELAY + 49);
	ck_assert_double_eq(t.highest, 5000000);
	ck_assert_double_eq(t.p50, DELAY + 24);
	ck_assert_double_eq(t.p99, DELAY + 49);
}
END_TEST

START_TEST(arrivals_are_compared_with_the_schedule)
{
	begin(10, 10, false);
	run.spacing = (uint64_t)(SPACING - 100) << 32;	/* it goes 100 ns too slow */
	for (uint64_t i = 0; i < 10; i++)
		add(i, i == 4 ? 900 : 500, 0);
	end();
	ck_assert_int_eq(pace_trace_by_number(&t, &run, PACE_TRACE_EXPECTED), 0);
	ck_assert_double_eq(t.v[0].p50, 0);
	ck_assert_double_eq(t.v[3].p50, 300);
	ck_assert_double_eq(t.v[4].p50, 800);
	ck_assert_double_eq(t.v[9].p50, 900);
}
END_TEST

START_TEST(time_has_round_bins_and_says_when_frames_arrived)
{
	begin(1000, 1000, false);
	for (uint64_t i = 0; i < 1000; i++)	/* 10 ms */
		if (i < 500 || i >= 600)
			add(i, i < 700 ? DELAY : 1000000 + DELAY, 0);
	end();
	ck_assert_int_eq(pace_trace_by_time(&t, &run, 11), 0);
	ck_assert_double_eq(t.width, 1e6);
	ck_assert_uint_eq(t.bins, 11);
	ck_assert_uint_eq(t.v[5].lost, 100);
	ck_assert_uint_eq(t.v[5].n, 0);
	ck_assert_uint_eq(t.v[7].n, 100);
	ck_assert_uint_eq(t.v[7].arrived, 0);	/* all a bin late */
	ck_assert_uint_eq(t.v[8].arrived, 100);
	ck_assert_uint_eq(t.lost, 100);
	ck_assert_double_eq_tol(pace_trace_duration(&run), 9990000.0 + 1000000 + DELAY, 1);
}
END_TEST

/* Fifteen of a hole left all at once, where few of it are thought to have been. */
START_TEST(late_frames_are_paid_for_by_other_bins)
{
	begin(20, 1001, false);
	add(0, DELAY, 0);
	add(1000, DELAY, 0);
	for (uint64_t i = 1; i <= 900; i++) {
		struct pace_record rec = { .seq = i, .tx_ns = T0 + 9500000,
		    .rx_ns = T0 + OFFSET + 20000000, .flags = PACE_RECORD_REORDERED };

		if (i % 60 == 0)
			pace_records_add(&records, &rec);
	}
	end();
	ck_assert_int_eq(pace_trace_by_time(&t, &run, 1000), 0);
	ck_assert_uint_eq(t.lost, 999 - 15);
	ck_assert_uint_eq(sum_lost(), 999 - 15);
	for (size_t i = 0; i < t.bins; i++)
		ck_assert_uint_le(t.v[i].lost, 4);
}
END_TEST

START_TEST(any_bytes_end_in_bins)
{
	unit_turn(_i);
	begin(64, (uint64_t)below(1 << 30) << below(30), false);
	end();
	run.n = 40;
	free(run.columns);
	run.columns = malloc(PACE_RECORD_SIZE * run.n);
	for (size_t i = 0; i < PACE_RECORD_SIZE * run.n; i++)
		run.columns[i] = (uint8_t)(below(256) & (i >= 28 * run.n ? PACE_RECORD_KNOWN :
		    0xff));
	for (int what = PACE_TRACE_DELAY; what <= PACE_TRACE_EXPECTED; what++) {
		ck_assert_int_eq(pace_trace_by_number(&t, &run, (enum pace_trace_what)what), 0);
		ck_assert_uint_le(t.bins, PACE_TRACE_BINS);
		pace_trace_free(&t);
	}
	ck_assert_int_eq(pace_trace_by_time(&t, &run, 200), 0);
	ck_assert_uint_le(t.bins, PACE_TRACE_BINS);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("trace");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, no_records_and_nothing_sent_is_nothing);
	tcase_add_test(tc, all_lost_is_all_loss_and_no_values);
	tcase_add_test(tc, few_frames_are_single_bins);
	tcase_add_test(tc, nothing_is_lost_behind_a_full_record);
	tcase_add_loop_test(tc, losses_are_where_they_were, 0, 40);
	tcase_add_test(tc, a_bin_keeps_its_extremes_and_its_middle);
	tcase_add_test(tc, arrivals_are_compared_with_the_schedule);
	tcase_add_test(tc, time_has_round_bins_and_says_when_frames_arrived);
	tcase_add_test(tc, late_frames_are_paid_for_by_other_bins);
	tcase_add_loop_test(tc, any_bytes_end_in_bins, 0, 200);
	return unit_run(tc, "trace");
}
