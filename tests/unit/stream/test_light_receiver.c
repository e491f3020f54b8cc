/* light_receiver.h: its counts beside a slow model, its delays and gaps with typed-in times. */
#include "stream/light_receiver.h"

#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define SIZE	100
#define LIMIT	5000
#define MS	INT64_C(1000000)
#define MINUTE	(60000 * MS)

static struct pace_light_receiver *r;
static struct pace_msg_start start;
static struct pace_tally tally;
static struct pace_stats gaps;
static struct pace_recent recent;
static int64_t jitter_ns;

static void
begin(bool keep, uint32_t drops)
{
	start = (struct pace_msg_start){ .limit = LIMIT, .wire_bytes = SIZE + 66,
	    .ask = { .size_bytes = SIZE, .dscp = 46, .ecn = PACE_ECN_ECT0 } };
	pace_light_receiver_start(r, &start, keep, drops);
}

static void
setup(void)
{
	r = calloc(1, pace_light_receiver_size());
	ck_assert_ptr_nonnull(r);
	begin(false, 0);
}

static void
teardown(void)
{
	free(r);
}

static void
take_in(uint64_t seq, int64_t tx_ns, struct pace_in in)
{
	const struct pace_hdr h = { .type = PACE_DATA, .seq = seq, .tx_ns = tx_ns };

	pace_light_receiver_take(r, &h, &in);
}

/* A frame that arrives delay_ns after its departure, by two clocks that agree. */
static void
take(uint64_t seq, int64_t tx_ns, int64_t delay_ns)
{
	take_in(seq, tx_ns, (struct pace_in){ .len = SIZE,
	    .stamp_ns = (int64_t)((uint64_t)tx_ns + (uint64_t)delay_ns) });
}

static void
look(void)
{
	pace_light_receiver_look(r, &tally, &gaps, &jitter_ns, &recent);
}

/* --- counts ------------------------------------------------------------------------ */

START_TEST(counts_are_those_of_a_slow_model)
{
	static bool seen[LIMIT];
	uint64_t unique = 0, copies = 0, reordered = 0, late = 0, foreign = 0, next = 0;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 20000; i++) {
		uint64_t at = next + unit_rnd() % 4, back = unit_rnd() % 4 == 0 ? unit_rnd() % 300 : 0;
		uint64_t seq = at > back ? at - back : 0;
		bool longer = unit_rnd() % 50 == 0;

		take_in(seq, i * MS, (struct pace_in){ .len = SIZE + longer, .stamp_ns = i * MS + 5 });
		if (seq >= LIMIT || longer) {
			foreign++;
		} else if (seq < next && next - seq > PACE_LIGHT_WINDOW) {
			late++;
		} else if (seen[seq]) {
			copies++;
		} else {
			seen[seq] = true;
			unique++;
			reordered += seq < next;
			next = seq >= next ? seq + 1 : next;
		}
	}
	pace_light_receiver_foreign(r);
	look();
	ck_assert_uint_eq(tally.frames, unique);
	ck_assert_uint_eq(tally.duplicates, copies);
	ck_assert_uint_eq(tally.reordered, reordered);
	ck_assert_uint_eq(tally.late, late);
	ck_assert_uint_eq(tally.foreign, foreign + 1);
	ck_assert_int_eq(tally.lost, (int64_t)(next - unique));
	ck_assert_uint_eq(tally.bytes, unique * SIZE);
	ck_assert_uint_eq(tally.wire_bytes, unique * (SIZE + 66));
	ck_assert_uint_eq(gaps.n, unique - 1);
	ck_assert(reordered > 100 && copies > 100 && late > 100 && foreign > 100);
}
END_TEST

START_TEST(loss_after_the_last_arrival_counts_at_the_end)
{
	take(0, 0, 5);
	take(2, MS, 5);
	look();
	ck_assert_int_eq(tally.lost, 1);
	ck_assert(!pace_light_receiver_complete(r, 3));
	ck_assert(pace_light_receiver_complete(r, 2));
	pace_light_receiver_finish(r, 7);
	look();
	ck_assert_int_eq(tally.lost, 5);
	ck_assert_uint_eq(tally.frames, 2);
}
END_TEST

START_TEST(drops_of_the_socket_bound_the_loss_from_above)
{
	begin(false, UINT32_MAX - 1);
	take(0, 0, 5);
	take_in(4, MS, (struct pace_in){ .len = SIZE, .stamp_ns = MS, .has_drops = true, .drops = 0 });
	look();
	ck_assert_uint_eq(tally.socket_drops, 2);	/* the count wraps */
	ck_assert_uint_eq(tally.socket_lost_max, 2);
	/* also a copy tells the drops, and one without them changes nothing */
	take_in(4, MS, (struct pace_in){ .len = SIZE, .stamp_ns = MS, .has_drops = true, .drops = 8 });
	take(5, 2 * MS, 5);
	look();
	ck_assert_uint_eq(tally.socket_drops, 10);
	ck_assert_uint_eq(tally.socket_lost_max, 3);	/* no more than are missing */
}
END_TEST

START_TEST(marks_are_compared_with_those_of_the_sender)
{
	static const struct { uint8_t dscp; enum pace_ecn ecn; uint64_t marked, dscps, ecns; } v[] = {
		{ 46, PACE_ECN_ECT0, 0, 0, 0 },
		{ 46, PACE_ECN_CE, 1, 0, 0 },		/* what CE is for */
		{ 0, PACE_ECN_ECT0, 1, 1, 0 },
		{ 46, PACE_ECN_NOT_ECT, 1, 1, 1 },
		{ 46, PACE_ECN_ECT1, 1, 1, 2 },
	};

	for (int i = 0; i < COUNT_OF(v); i++) {
		const struct pace_in in = { .len = SIZE, .stamp_ns = i * MS, .has_mark = true,
		    .mark = (uint8_t)((unsigned)v[i].dscp << 2 | (unsigned)v[i].ecn) };

		take_in((uint64_t)i, i * MS, in);
		take_in((uint64_t)i, i * MS, in);	/* a copy does not count */
		look();
		ck_assert_uint_eq(tally.congestion_marks, v[i].marked);
		ck_assert_uint_eq(tally.dscp_changed, v[i].dscps);
		ck_assert_uint_eq(tally.ecn_changed, v[i].ecns);
	}
	take(COUNT_OF(v), 9 * MS, 0);			/* not known */
	start.ask.ecn = PACE_ECN_NOT_ECT;
	pace_light_receiver_start(r, &start, false, 0);
	take_in(0, 0, (struct pace_in){ .len = SIZE, .has_mark = true, .mark = 46 << 2 | PACE_ECN_CE });
	look();
	ck_assert_uint_eq(tally.congestion_marks, 1);
	ck_assert_uint_eq(tally.ecn_changed, 1);	/* the sender had not allowed it */
}
END_TEST

/* --- times ------------------------------------------------------------------------- */

static uint64_t
count_of(const struct pace_coarse_hist *h, int64_t low, int64_t high)
{
	struct pace_coarse_hist_list l;
	uint64_t n = 0;

	pace_coarse_hist_list(h, &l);
	for (uint32_t i = 0; i < l.n; i++)
		n += l.bin[i].low >= low && l.bin[i].high <= high ? l.bin[i].count : 0;
	return n;
}

START_TEST(gaps_and_jitter_are_those_of_unique_frames)
{
	take(0, 0, 100);
	take(1, 10, 116);		/* gap 26: 16 later than it left */
	take(1, 10, 500);		/* a copy */
	take(2, 20, 100);		/* gap -6: before frame 1 */
	look();
	ck_assert_uint_eq(gaps.n, 2);
	ck_assert_int_eq(gaps.min, -6);
	ck_assert_int_eq(gaps.max, 26);
	ck_assert_int_eq(recent.gap_min_ns, -6);
	ck_assert_int_eq(recent.gap_max_ns, 26);
	ck_assert_uint_eq(pace_light_receiver_gaps(r)->below, 1);
	ck_assert_uint_eq(count_of(pace_light_receiver_gaps(r), 26, 27), 1);
	/* 16 ns: 16 sixteenths; 16 more, minus (16 + 8) / 16: 31; whole ns */
	ck_assert_int_eq(jitter_ns, 1);
	for (uint64_t i = 3; i < 500; i++)
		take(i, (int64_t)i * 10, i % 2 != 0 ? 200 : 100);
	look();
	ck_assert_int_ge(jitter_ns, 99);
	ck_assert_int_le(jitter_ns, 100);
	ck_assert_int_eq(recent.gap_min_ns, -90);	/* of these only */
}
END_TEST

START_TEST(a_look_begins_the_recent_figures_anew)
{
	take(0, 0, 50);
	take(1, MS, 80);
	take(2, 2 * MS, 60);
	look();
	ck_assert_uint_eq(recent.samples, 3);
	ck_assert_int_eq(recent.above_min_ns, 0);
	ck_assert_int_eq(recent.above_max_ns, 30);
	ck_assert_int_eq(recent.above_sum_ns, 40);
	look();
	ck_assert_uint_eq(recent.samples, 0);
	ck_assert_int_eq(recent.gap_min_ns, INT64_MAX);
	take(3, 3 * MS, 55);
	look();
	ck_assert_uint_eq(recent.samples, 1);
	ck_assert_int_eq(recent.above_max_ns, 5);
	ck_assert_uint_eq(tally.frames, 4);
}
END_TEST

/* The delay of the last frame above the lowest. */
static int64_t
above(uint64_t seq, int64_t tx_ns, int64_t delay_ns)
{
	look();
	take(seq, tx_ns, delay_ns);
	look();
	ck_assert_uint_eq(recent.samples, 1);
	return recent.above_max_ns;
}

START_TEST(delays_are_above_the_lowest_of_the_last_minutes)
{
	ck_assert_int_eq(above(0, 0, 1000), 0);
	ck_assert_int_eq(above(1, MINUTE, 1010), 10);
	ck_assert_int_eq(above(2, 2 * MINUTE, 400), 0);		/* a new lowest */
	ck_assert_int_eq(above(3, 3 * MINUTE, 1000), 600);
	/* the second 5 minutes still know the lowest of the first */
	ck_assert_int_eq(above(4, 5 * MINUTE, 900), 500);
	ck_assert_int_eq(above(5, 6 * MINUTE, 950), 550);
	/* the third know that of the second: 900 */
	ck_assert_int_eq(above(6, 10 * MINUTE, 1000), 100);
	ck_assert_int_eq(above(7, 11 * MINUTE, 1100), 200);
	ck_assert_uint_eq(count_of(pace_light_receiver_delays(r), 0, 1), 2);
	ck_assert_uint_eq(count_of(pace_light_receiver_delays(r), 10, 11), 1);
}
END_TEST

START_TEST(the_clocks_rate_is_taken_out_and_kept_for_the_next_run)
{
	pace_light_receiver_rate(r, 1e-6);	/* 60 us a minute */
	ck_assert_int_eq(above(0, 0, 1000), 0);
	ck_assert_int_eq(above(1, MINUTE, 61000), 0);
	ck_assert_int_eq(above(2, 2 * MINUTE, 123000), 2000);
	begin(true, 0);
	look();
	ck_assert_uint_eq(tally.frames, 0);
	ck_assert_int_eq(above(0, 0, 1000), 0);
	ck_assert_int_eq(above(1, MINUTE, 61500), 500);
	begin(false, 0);
	ck_assert_int_eq(above(0, 0, 1000), 0);
	ck_assert_int_eq(above(1, MINUTE, 61500), 60500);
}
END_TEST

START_TEST(any_departure_is_accepted)
{
	static const int64_t v[] = { 0, INT64_MAX, INT64_MIN, -1, INT64_MAX, 1, INT64_MIN / 2 };

	for (int i = 0; i < COUNT_OF(v); i++) {
		take(2 * (uint64_t)i, v[i], INT64_MAX);
		take(2 * (uint64_t)i + 1, v[i], INT64_MIN);
	}
	look();
	ck_assert_uint_eq(tally.frames, 2 * COUNT_OF(v));
	ck_assert_int_ge(recent.above_min_ns, 0);
	ck_assert_int_le(recent.above_max_ns, PACE_ABOVE_MOST);
	ck_assert_int_le(jitter_ns, PACE_ABOVE_MOST);
	/* a clock that was set back begins a new time */
	begin(false, 0);
	ck_assert_int_eq(above(0, 100 * MINUTE, 1000), 0);
	ck_assert_int_eq(above(1, MINUTE, 900), 0);
	ck_assert_int_eq(above(2, 2 * MINUTE, 950), 50);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("light_receiver");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counts_are_those_of_a_slow_model);
	tcase_add_test(tc, loss_after_the_last_arrival_counts_at_the_end);
	tcase_add_test(tc, drops_of_the_socket_bound_the_loss_from_above);
	tcase_add_test(tc, marks_are_compared_with_those_of_the_sender);
	tcase_add_test(tc, gaps_and_jitter_are_those_of_unique_frames);
	tcase_add_test(tc, a_look_begins_the_recent_figures_anew);
	tcase_add_test(tc, delays_are_above_the_lowest_of_the_last_minutes);
	tcase_add_test(tc, the_clocks_rate_is_taken_out_and_kept_for_the_next_run);
	tcase_add_test(tc, any_departure_is_accepted);
	return unit_run(tc, "light_receiver");
}
