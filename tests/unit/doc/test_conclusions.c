/* conclusions.h: points typed in, what they say together worked out by hand. */
#include "doc/conclusions.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "doc/clock_doc.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/result_doc.h"
#include "lib/fill.h"

static struct pace_conclusions c;
static struct pace_point *pt;
static struct pace_latency *trips;

static void
begin(void)
{
	pace_conclusions_begin(&c);
	pt = pace_point_new();
	ck_assert_ptr_nonnull(pt);
	pt->clock.min_rtt_ns = PACE_NO_TIME;
}

static void
end(void)
{
	pace_conclusions_free(&c);
	pace_point_free(pt);
	free(trips);
	trips = NULL;
}

static void
add(void)
{
	struct pace_point_facts f;

	pace_point_facts(&f, pt);
	pace_conclusions_add(&c, &f);
}

static void
run(uint32_t size, double mbps, uint64_t lost)
{
	pt->ask.size_bytes = size;
	pt->ask.spacing = (uint64_t)(size * 8e3 / mbps) << 32;
	pt->has_rx = true;
	pt->tx.user_rate_bps = mbps * 1e6;
	pt->rx.user_rate_bps = mbps * 1e6 * (1000 - (double)lost) / 1000;
	pt->rx.wire_rate_bps = pt->rx.user_rate_bps * 1.1;
	pt->rx.unique = 1000 - lost;
	pt->rx.lost = lost;
	memset(&pt->ledger, 0, sizeof(pt->ledger));
	pt->ledger.place[PACE_RX_SOCKET] = (struct pace_share){ true, lost / 2, 0, lost };
	pt->ledger.place[PACE_NETWORK] = (struct pace_share){ true, lost - lost / 2, 0, lost };
	add();
}

START_TEST(the_best_rate_is_the_highest_that_lost_nothing_in_any_run)
{
	run(1000, 100, 0);
	run(1000, 900, 10);
	run(1000, 500, 0);
	run(1000, 700, 0);
	run(1000, 700, 1);		/* its other run did not */
	run(64, 50, 0);
	pace_conclusions_close(&c);
	ck_assert(fabs(c.clean[PACE_UP].user_bps - 500e6) < 1 && c.clean[PACE_UP].size_bytes == 1000);
	ck_assert_uint_eq(c.clean[PACE_UP].received, 1000);
	ck_assert(fabs(c.failed[PACE_UP].sent_bps - 700e6) < 1);
	ck_assert(c.failed[PACE_UP].lost == 1 && c.failed[PACE_UP].received == 1999);
	ck_assert(c.points == 6 && c.answered == 6 && c.lossy == 2);
}
END_TEST

START_TEST(repetitions_have_the_lowest_of_their_rates)
{
	run(1000, 500, 0);
	pt->rx.user_rate_bps = 480e6;
	add();
	pace_conclusions_close(&c);
	ck_assert(fabs(c.clean[PACE_UP].user_bps - 480e6) < 1);
	ck_assert(c.clean[PACE_UP].received == 2000 && c.failed[PACE_UP].sent_bps <= 0);
}
END_TEST

/* One stream in each direction: two rates, not two runs of one point. */
START_TEST(each_direction_has_its_own_rates)
{
	run(1000, 500, 0);
	pt->ask.direction = PACE_DOWN;
	run(1000, 500, 10);
	run(1000, 300, 0);
	pace_conclusions_close(&c);
	ck_assert(c.ways[PACE_UP] == 1 && c.ways[PACE_DOWN] == 2 && c.answered == 3);
	ck_assert(fabs(c.clean[PACE_UP].user_bps - 500e6) < 1);
	ck_assert(c.failed[PACE_UP].sent_bps <= 0);
	ck_assert(fabs(c.clean[PACE_DOWN].user_bps - 300e6) < 1);
	ck_assert(fabs(c.failed[PACE_DOWN].sent_bps - 500e6) < 1);
}
END_TEST

START_TEST(without_a_point_that_lost_nothing_there_is_no_best)
{
	run(1000, 500, 1000);
	run(1000, 100, 3);
	pace_conclusions_close(&c);
	ck_assert(c.clean[PACE_UP].user_bps <= 0);
	ck_assert(fabs(c.failed[PACE_UP].sent_bps - 100e6) < 1);
}
END_TEST

START_TEST(places_add_up_and_one_that_is_not_counted_somewhere_is_not_known)
{
	run(1000, 500, 10);
	run(1000, 600, 21);
	ck_assert(c.lost == 31 && c.received == 1969);
	ck_assert(c.place[PACE_RX_SOCKET].n == 15 && c.place[PACE_RX_SOCKET].high == 31 &&
	    c.place[PACE_RX_SOCKET].known);
	ck_assert(c.place[PACE_NETWORK].n == 16 && !c.place[PACE_RX_NIC].known);
}
END_TEST

/* 150 stamped gaps of 1000, of which near left within 0.2 us, as did their arrivals; of the others
 * 80 % arrived so. */
static void
leave(uint64_t spacing_us, int near)
{
	pt->ask.spacing = spacing_us * 1000 << 32;
	pace_hist_reset(&pt->tx.stamped_gap_error);
	pace_hist_reset(&pt->rx.gap_error);
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&pt->rx.gap_error, i < near + 680 ? 100 : 5000);
	for (int i = 0; i < 150; i++)
		pace_hist_add(&pt->tx.stamped_gap_error, i < near ? -100 : 3000);
	pt->rx.stamped_gaps = 150;
	pt->rx.stamped_gaps_near = (uint64_t)near;
	add();
}

START_TEST(departures_are_the_worst_and_the_best_estimate)
{
	run(1000, 500, 0);
	ck_assert(c.departed == 0);
	leave(50, 120);			/* as near as the others: 80 % */
	leave(100, 75);			/* the stamps cost 30 points: 80 % as well */
	pt->rx.stamped_gaps_near = 60;	/* they cost 10 points: 50 % + 10 % */
	pace_hist_reset(&pt->rx.gap_error);
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&pt->rx.gap_error, i < 60 + 425 ? 100 : 5000);
	add();
	ck_assert(c.departed == 3 && c.departed_spacing >> 32 == 100000);
	ck_assert(fabs(c.departed_high - 0.8) < 0.001 && fabs(c.departed_low - 0.6) < 0.001);
}
END_TEST

START_TEST(delays_are_those_of_points_whose_clocks_are_known)
{
	run(1000, 500, 0);		/* knows nothing */
	ck_assert(isnan(c.rtt_ns) && isnan(c.owd_min_ns) && c.delays == 0);
	pt->clock.exchanges = 9;
	pt->clock.min_rtt_ns = 20000;
	pt->clock.fit = (struct pace_clock_estimate){ .segments = 1, .bound_ns = 400,
	    .uncertainty_ns = 100 };
	pt->rx.has_owd = true;
	for (int i = 0; i < 5; i++)
		pace_hist_add(&pt->rx.owd, 100 + i);
	add();
	pt->clock.min_rtt_ns = 30000;
	pt->clock.fit.bound_ns = 300;
	pt->clock.fit.uncertainty_ns = 200;
	add();
	pt->clock.fit.bound_ns = 5000;
	pt->owd_relative = true;	/* too large to be reported */
	add();
	ck_assert(fabs(c.rtt_ns - 20000) < 1 && c.clocks == 3 && c.delays == 2);
	ck_assert(fabs(c.owd_min_ns - 100) < 1 && fabs(c.owd_p50_high_ns - 102) < 1);
	ck_assert(fabs(c.owd_error_ns - 200) < 1 && fabs(c.owd_bound_ns - 400) < 1);
}
END_TEST

START_TEST(doubts_are_what_changes_a_conclusion)
{
	pace_note(&pt->notes, "frames_late", "9 frames left late");
	pace_note(&pt->notes, "rcvbuf_clamped", "the buffer is small");
	run(1000, 500, 0);
	ck_assert_int_eq(c.doubts, 0);
	pt->verdict = PACE_DEGRADED;
	add();
	add();
	ck_assert(c.doubts == 1 && c.doubt[0].points == 2 && c.degraded == 2);
	ck_assert_str_eq(c.doubt[0].note.text, "9 frames left late");
	pt->verdict = PACE_PACED;
	pace_note(&pt->notes, "clock_stepped", "set");
	pt->has_rx = false;
	add();
	ck_assert(c.doubts == 2 && c.doubt[1].points == 1 && c.points == 4 && c.answered == 3);
}
END_TEST

static void
fill_trips(uint32_t size, int64_t rtt_ns, uint64_t lost)
{
	free(trips);
	trips = pace_latency_new();
	ck_assert_ptr_nonnull(trips);
	trips->ask = (struct pace_latency_params){ .size_bytes = size, .reply_bytes = size,
	    .count = 20, .interval_ns = 1000000, .timeout_ns = 1000000000 };
	trips->sent = 20;
	trips->timeouts = lost;
	trips->received = 20 - lost;
	for (uint64_t i = 0; i < trips->received; i++)
		pace_hist_add(&trips->rtt, rtt_ns + (int64_t)i);
}

START_TEST(round_trips_are_those_of_the_smallest_and_the_largest_size)
{
	fill_trips(512, 300, 2);
	pace_conclusions_add_trips(&c, trips);
	ck_assert(c.smallest.size_bytes == 512 && c.largest.size_bytes == 512);
	fill_trips(64, 200, 0);
	pace_conclusions_add_trips(&c, trips);
	fill_trips(1472, 500, 20);	/* no reply: no figure */
	pace_note(&trips->notes, "nothing_answered", "no reply");
	pace_conclusions_add_trips(&c, trips);
	fill_trips(512, 100, 0);
	pace_conclusions_add_trips(&c, trips);
	ck_assert(c.smallest.size_bytes == 64 && fabs(c.smallest.min_ns - 200) < 1);
	ck_assert(c.largest.size_bytes == 512 && fabs(c.largest.min_ns - 100) < 1);
	ck_assert(c.trips == 4 && c.answered_trips == 3 && c.requests == 80 && c.timeouts == 22);
	ck_assert(c.points == 0 && c.doubts == 1);
}
END_TEST

/* A document of the json of points, which is released; NULL ends them. */
static void
write_doc(const char *path, json_t *extra, json_t *first, json_t *second)
{
	const struct pace_result r = { .kind = "throughput",
	    .started = "2026-11-20T15:04:05.123456789Z" };
	char *text[2] = { pace_result_dump(first, NULL),
	    second != NULL ? pace_result_dump(second, NULL) : NULL };
	FILE *f = fopen(path, "w");

	ck_assert(f != NULL && text[0] != NULL);
	ck_assert_int_eq(pace_result_write_with(f, &r, extra, text, second != NULL ? 2 : 1), 0);
	fclose(f);
	free(text[0]);
	free(text[1]);
	json_decref(extra);
}

START_TEST(documents_say_what_their_points_say)
{
	char path[] = "/tmp/udpace-conclusions-XXXXXX";
	struct pace_conclusions d;
	struct pace_err err;
	json_t *one, *two;

	close(mkstemp(path));
	pace_conclusions_begin(&d);
	d.where = "sweep";
	fill_point(pt, 500);
	one = pace_point_to_json(pt);
	add();
	pace_point_free(pt);
	pt = pace_point_new();
	fill_point(pt, 700);
	two = pace_point_to_json(pt);
	add();
	write_doc(path, json_pack("{s:[i,i],s:[i]}", "failed", 1, 2, "skipped", 3), one, two);
	ck_assert_int_eq(pace_conclusions_read(&d, path, false, &err), 0);
	ck_assert(d.points == 2 && d.answered == c.answered && d.lost == c.lost &&
	    d.received == c.received && d.lossy == c.lossy && d.delays == c.delays);
	ck_assert(fabs(d.rtt_ns - c.rtt_ns) < 1 || (isnan(d.rtt_ns) && isnan(c.rtt_ns)));
	ck_assert(d.failed_points == 2 && d.skipped == 1 && d.unread == 0);
	ck_assert_str_eq(d.rated.v[0].where, "sweep");

	/* the trials of a search are not points: its result is reported */
	write_doc(path, json_pack("{s:{s:{s:i,s:f,s:f},s:{s:f,s:f},s:s}}", "capacity", "asked",
	    "size_bytes", 1472, "from_bps", 1e6, "to_bps", 1e9, "found", "user_rate_bps", 9e8,
	    "wire_rate_bps", 9.4e8, "limit", "path"), pace_point_to_json(pt), NULL);
	ck_assert_int_eq(pace_conclusions_read(&d, path, true, &err), 0);
	ck_assert(d.points == 2 && d.searches == 1 && d.search[0].size_bytes == 1472);
	ck_assert(fabs(d.search[0].user_bps - 9e8) < 1 && strcmp(d.search[0].limit, "path") == 0);
	/* one that found nothing */
	write_doc(path, json_pack("{s:{s:n,s:n}}", "capacity", "found", "limit"),
	    pace_point_to_json(pt), NULL);
	ck_assert_int_eq(pace_conclusions_read(&d, path, true, &err), 0);
	ck_assert(d.searches == 2 && d.search[1].user_bps <= 0 && d.search[1].limit[0] == '\0');

	fill_trips(64, 200, 0);
	pt->clock.exchanges = 9;
	pt->clock.min_rtt_ns = 5;
	write_doc(path, NULL, pace_latency_to_json(trips), pace_clock_to_json(&pt->clock));
	ck_assert_int_eq(pace_conclusions_read(&d, path, false, &err), 0);
	ck_assert(d.trips == 1 && d.requests == 20 && fabs(d.rtt_ns - 5) < 1);

	write_doc(path, NULL, json_pack("{s:{}}", "tx"), NULL);
	ck_assert_int_eq(pace_conclusions_read(&d, path, false, &err), -EPROTO);
	unlink(path);
	ck_assert_int_eq(pace_conclusions_read(&d, path, false, &err), -ENOENT);
	ck_assert(d.unread == 1 && d.unmeasured == 1 && d.points == 2);
	pace_conclusions_free(&d);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("conclusions");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, the_best_rate_is_the_highest_that_lost_nothing_in_any_run);
	tcase_add_test(tc, repetitions_have_the_lowest_of_their_rates);
	tcase_add_test(tc, each_direction_has_its_own_rates);
	tcase_add_test(tc, without_a_point_that_lost_nothing_there_is_no_best);
	tcase_add_test(tc, places_add_up_and_one_that_is_not_counted_somewhere_is_not_known);
	tcase_add_test(tc, departures_are_the_worst_and_the_best_estimate);
	tcase_add_test(tc, delays_are_those_of_points_whose_clocks_are_known);
	tcase_add_test(tc, doubts_are_what_changes_a_conclusion);
	tcase_add_test(tc, round_trips_are_those_of_the_smallest_and_the_largest_size);
	tcase_add_test(tc, documents_say_what_their_points_say);
	return unit_run(tc, "conclusions");
}
