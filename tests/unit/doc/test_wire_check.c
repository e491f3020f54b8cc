/* witness.h: counts and gaps of a stream whose truth is known; witness_doc.h: what is said
 * of it, and what is taken for a document. */
#include "core/wire_check.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "doc/wire_check_doc.h"
#include "lib/unit.h"

#define OFFSET	INT64_C(1700000000000000000)	/* of the wire's clock */
#define STEP	INT64_C(100000)

static struct pace_wire_checking g;
static void *memory;

static void
begin(uint64_t limit, uint64_t train, uint64_t burst)
{
	memory = calloc(1, pace_seq_lean_memory(PACE_SEQ_WINDOW));
	ck_assert_ptr_nonnull(memory);
	pace_wire_check_begin(&g, 1, limit, train, burst, memory);
}

static void
end(void)
{
	ck_assert_ptr_null(pace_wire_check_broken(&g.w));
	free(memory);
}

/* A frame that took delay from the sender's stamp to the wire's. */
static void
frame(uint64_t seq, int64_t delay_ns)
{
	pace_wire_check_add(&g, seq, 1, (int64_t)seq * STEP, (int64_t)seq * STEP + OFFSET + delay_ns);
}

static bool
says(uint64_t sent, const char *code)
{
	struct pace_notes n = { .n = 0 };
	struct pace_point *p = pace_point_new();

	p->wire = g.w;
	p->tx.frames = sent;
	pace_wire_check_notes(&n, p);
	pace_point_free(p);
	for (int i = 0; i < n.n; i++)
		if (strcmp(n.v[i].code, code) == 0)
			return true;
	return false;
}

START_TEST(what_agrees_is_not_noted)
{
	begin(1000, 1, 0);
	for (uint64_t i = 0; i < 1000; i++)
		frame(i, i % 2 == 0 ? 0 : PACE_WIRE_CHECK_NS);
	g.w.complete = true;
	ck_assert_uint_eq(g.w.frames, 1000);
	ck_assert_uint_eq(g.w.packets, 1000);
	ck_assert_uint_eq(g.w.copies, 0);
	ck_assert_uint_eq(g.w.gap.stats.n, 999);
	ck_assert_int_eq(g.w.gap.stats.min, STEP - PACE_WIRE_CHECK_NS);
	ck_assert_int_eq(g.w.gap.stats.max, STEP + PACE_WIRE_CHECK_NS);
	ck_assert_int_eq(g.w.gap_difference.stats.max, PACE_WIRE_CHECK_NS);
	ck_assert_uint_eq(g.w.gaps_differing, 0);
	for (size_t i = 0; i < 5; i++)
		ck_assert(!says(1000, ((const char *const[]){ "tx_capture_frames_differ", "tx_capture_gaps_differ",
		    "tx_capture_copies", "tx_capture_dropped", "tx_capture_failed" })[i]));
	end();
}
END_TEST

/* 1000 frames; every n-th one is late on the wire by this time. */
static void
late(uint64_t every, int64_t by_ns)
{
	begin(1000, 1, 0);
	for (uint64_t i = 0; i < 1000; i++)
		frame(i, i % every == every - 2 ? by_ns : 0);
}

/* One more ns each way is more than the stamps' resolution; but a sender that is held up now
 * and then, by some 10 us, is no queue. */
START_TEST(gaps_that_differ_are_noted)
{
	late(15, PACE_WIRE_CHECK_NS + 1);
	ck_assert_uint_eq(g.w.gaps_differing, 132);	/* each makes two */
	ck_assert(says(1000, "tx_capture_gaps_differ"));
	end();
	late(25, PACE_WIRE_CHECK_NS + 1);
	ck_assert_uint_eq(g.w.gaps_differing, 80);	/* below 10 % */
	ck_assert(!says(1000, "tx_capture_gaps_differ"));
	end();
}
END_TEST

START_TEST(few_gaps_that_differ_much_are_noted)
{
	late(100, 2 * PACE_WIRE_CHECK_FAR_NS);
	ck_assert_uint_eq(g.w.gaps_differing, 20);
	ck_assert(says(1000, "tx_capture_gaps_differ"));
	end();
	late(100, PACE_WIRE_CHECK_FAR_NS * 9 / 10);
	ck_assert(!says(1000, "tx_capture_gaps_differ"));
	end();
	late(250, 5 * PACE_WIRE_CHECK_FAR_NS);	/* below 1 % */
	ck_assert(!says(1000, "tx_capture_gaps_differ"));
	end();
	begin(100, 1, 0);			/* 8 of 99, but that are four frames */
	for (uint64_t i = 0; i < 100; i++)
		frame(i, i % 25 == 20 ? 5 * PACE_WIRE_CHECK_FAR_NS : 0);
	ck_assert_uint_eq(g.w.gaps_differing, 8);
	ck_assert(!says(100, "tx_capture_gaps_differ"));
	end();
}
END_TEST

START_TEST(what_is_missing_is_noted)
{
	begin(1000, 1, 0);
	for (uint64_t i = 0; i < 1000; i++)
		if (i % 10 != 0)
			frame(i, 0);
	g.w.complete = true;
	ck_assert_uint_eq(g.w.frames, 900);
	ck_assert_uint_eq(g.w.gap.stats.n, 800);	/* none across a hole */
	ck_assert_int_eq(g.w.gap.stats.max, STEP);
	ck_assert(says(1000, "tx_capture_frames_differ"));
	g.w.has_drops = true;
	g.w.dropped = 99;
	ck_assert(says(1000, "tx_capture_frames_differ") && says(1000, "tx_capture_dropped"));
	g.w.dropped = 100;		/* all of them may be its own */
	ck_assert(!says(1000, "tx_capture_frames_differ") && says(1000, "tx_capture_dropped"));
	ck_assert(says(899, "tx_capture_frames_differ"));	/* more than were accepted */
	g.w.complete = false;
	ck_assert(!says(1000, "tx_capture_frames_differ") && says(1000, "tx_capture_failed"));
	end();
}
END_TEST

START_TEST(copies_and_strangers_make_no_gaps)
{
	begin(100, 1, 0);
	for (uint64_t i = 0; i < 100; i++) {
		frame(i == 50 ? 51 : i == 51 ? 50 : i, 0);
		if (i % 20 == 0)
			frame(i, 300);
	}
	pace_wire_check_add(&g, 100, 1, 0, 0);
	pace_wire_check_add(&g, 99, 2, 0, 0);
	pace_wire_check_add(&g, UINT64_MAX, 2, INT64_MIN, INT64_MAX);
	ck_assert_uint_eq(g.w.frames, 100);
	ck_assert_uint_eq(g.w.copies, 5);
	ck_assert_uint_eq(g.w.packets, 105);
	ck_assert_uint_eq(g.w.gap.stats.n, 97);	/* one overtook another: around it none */
	ck_assert_int_eq(g.w.gap.stats.min, STEP);
	ck_assert_int_eq(g.w.gap.stats.max, STEP);
	ck_assert(says(100, "tx_capture_copies"));
	g.w.copies = 1;
	ck_assert(says(100, "tx_capture_copies"));
	g.w.copies = 0;
	ck_assert(!says(100, "tx_capture_copies"));
	g.w.copies = 5;
	end();
}
END_TEST

/* Trains of 8, handed over in two pieces: gaps are those of trains. */
START_TEST(trains_are_one_departure)
{
	begin(800, 8, 0);
	for (uint64_t i = 0; i < 100; i++) {
		int64_t tx_ns = (int64_t)i * STEP;

		pace_wire_check_add(&g, 8 * i, 5, tx_ns, tx_ns + OFFSET);
		if (i != 40)
			pace_wire_check_add(&g, 8 * i + 5, 3, tx_ns, tx_ns + OFFSET + 500);
	}
	ck_assert_uint_eq(g.w.frames, 797);
	ck_assert_uint_eq(g.w.packets, 199);
	ck_assert_uint_eq(g.w.gap.stats.n, 97);	/* not to and not from the one behind the hole */
	ck_assert_int_eq(g.w.gap.stats.min, STEP);
	ck_assert_int_eq(g.w.gap.stats.max, STEP);
	end();
}
END_TEST

/* Three trains of 4, 4 and 2 frames a burst, in pieces, whose frames carry no times. */
START_TEST(frames_without_times_have_gaps_but_no_differences)
{
	static const uint64_t piece[] = { 4, 1, 3, 2 };
	uint64_t seq = 0;

	begin(40, 4, 10);
	g.untimed = true;
	for (int burst = 0; burst < 4; burst++)
		for (size_t i = 0; i < COUNT_OF(piece); i++) {
			pace_wire_check_add(&g, seq, piece[i], 0, OFFSET + (int64_t)seq * STEP);
			seq += piece[i];
		}
	ck_assert_uint_eq(g.w.frames, 40);
	ck_assert_uint_eq(g.w.gap.stats.n, 4 * 2);
	ck_assert_int_eq(g.w.gap.stats.min, 4 * STEP);
	ck_assert_int_eq(g.w.gap.stats.max, 4 * STEP);
	ck_assert_uint_eq(g.w.gap_difference.stats.n, 0);
	ck_assert_uint_eq(g.w.gaps_differing, 0);
	end();
}
END_TEST

START_TEST(between_bursts_there_is_no_gap)
{
	begin(100, 1, 25);
	for (uint64_t i = 0; i < 100; i++)
		frame(i, (int64_t)(i / 25) * 1000000);
	ck_assert_uint_eq(g.w.gap.stats.n, 96);
	ck_assert_int_eq(g.w.gap.stats.max, STEP);
	ck_assert_uint_eq(g.w.gaps_differing, 0);
	end();
}
END_TEST

/* For any input the figures are consistent, and a document preserves them. */
START_TEST(anything_goes_together)
{
	static struct pace_wire_check back;

	for (int round = 0; round < 20; round++) {
		begin(1 + unit_rnd() % 5000, 1 + unit_rnd() % 3, unit_rnd() % 3 * 50);
		for (int i = 0; i < 3000; i++)
			pace_wire_check_add(&g, unit_rnd() % 6000, 1 + unit_rnd() % 4, (int64_t)unit_rnd(),
			    (int64_t)unit_rnd());
		ck_assert_ptr_null(pace_wire_check_broken(&g.w));
		strcpy(g.w.interface, "eth0");
		g.w.complete = round % 2 == 0;
		json_t *j = pace_wire_check_to_json(&g.w, 4000);
		ck_assert_int_eq(pace_wire_check_from_json(&back, 4000, j), 0);
		ck_assert_uint_eq(back.frames, g.w.frames);
		ck_assert_uint_eq(back.gaps_differing, g.w.gaps_differing);
		ck_assert(back.complete == g.w.complete && back.has_drops == g.w.has_drops);
		ck_assert_int_ne(pace_wire_check_from_json(&back, 4000 + 6000, j), 0);
		json_object_set_new(j, "gaps_differing", json_integer((json_int_t)g.w.gap.stats.n + 1));
		ck_assert_int_ne(pace_wire_check_from_json(&back, 4000, j), 0);
		json_decref(j);
		end();
	}
}
END_TEST

/* --- arrivals ------------------------------------------------------------------------- */

#define ROOM	1000
static int64_t times[ROOM], stamps[ROOM];

static void
begin_arrivals(uint64_t limit, uint64_t train, uint64_t burst)
{
	begin(limit, train, burst);
	memset(times, 0, sizeof(times));
	memset(stamps, 0, sizeof(stamps));
	pace_wire_check_times(&g, times, ROOM);
}

static void
arrives(uint64_t seq, int64_t delay_ns)
{
	pace_wire_check_arrive(&g, seq, 1, (int64_t)seq * STEP,
	    (int64_t)seq * STEP + OFFSET + delay_ns);
}

static void
end_arrivals(void)
{
	ck_assert_ptr_null(pace_wire_check_rx_broken(&g.w));
	free(memory);
}

/* Unlike departures they have gaps across holes, and in the order in which they came. */
START_TEST(arrivals_have_the_receivers_gaps)
{
	begin_arrivals(2000, 1, 0);
	for (uint64_t i = 0; i < 1000; i++)
		if (i % 10 != 5)
			arrives(i == 100 ? 101 : i == 101 ? 100 : i, 0);
	arrives(300, 7);
	ck_assert_uint_eq(g.w.frames, 900);
	ck_assert_uint_eq(g.w.copies, 1);
	ck_assert_uint_eq(g.w.packets, 901);
	ck_assert_uint_eq(g.w.gap.stats.n, 899);
	ck_assert_int_eq(g.w.gap.stats.max, 2 * STEP);
	ck_assert_int_eq(g.w.gap.stats.min, -STEP);
	end_arrivals();
}
END_TEST

START_TEST(arrivals_of_trains_and_bursts)
{
	begin_arrivals(800, 8, 0);
	for (uint64_t i = 0; i < 100; i++) {
		int64_t tx_ns = (int64_t)i * STEP;

		if (i != 40)
			pace_wire_check_arrive(&g, 8 * i, 5, tx_ns, tx_ns + OFFSET);
		pace_wire_check_arrive(&g, 8 * i + 5, 3, tx_ns, tx_ns + OFFSET + 500);
	}
	ck_assert_uint_eq(g.w.frames, 795);
	ck_assert_uint_eq(g.w.packets, 199);
	ck_assert_uint_eq(g.w.gap.stats.n, 99);
	ck_assert_int_eq(g.w.gap.stats.max, STEP + 500);
	ck_assert_int_eq(g.w.gap.stats.min, STEP - 500);
	end_arrivals();
	begin_arrivals(100, 1, 25);
	for (uint64_t i = 0; i < 100; i++) {
		arrives(i, (int64_t)(i / 25) * 1000000);
		stamps[i] = 1 + (int64_t)i * STEP;
	}
	pace_wire_check_compare(&g, stamps, 100);
	ck_assert_uint_eq(g.w.gap.stats.n, 96);
	ck_assert_uint_eq(g.w.gap_difference.stats.n, 96);
	ck_assert_int_eq(g.w.gap.stats.max, STEP);
	ck_assert_uint_eq(g.w.gaps_differing, 0);
	end_arrivals();
}
END_TEST

/* Only what both have, next to each other; a clock of another rate is within the stamps. */
START_TEST(arrivals_are_compared_where_both_saw_them)
{
	begin_arrivals(2000, 1, 0);
	for (uint64_t i = 0; i < 1200; i++) {
		if (i % 100 != 50)
			arrives(i, 0);
		if (i < ROOM && i % 100 != 70)
			stamps[i] = 5 + (int64_t)i * (STEP + 3);
	}
	pace_wire_check_compare(&g, stamps, 600);
	ck_assert_uint_eq(g.w.gap_difference.stats.n, 599 - 2 * 12);
	ck_assert_int_eq(g.w.gap_difference.stats.max, -3);
	ck_assert_uint_eq(g.w.gaps_differing, 0);
	pace_hist_reset(&g.w.gap_difference);
	stamps[500] += PACE_WIRE_CHECK_NS + 4;
	pace_wire_check_compare(&g, stamps, ROOM);
	ck_assert_uint_eq(g.w.gap_difference.stats.n, 999 - 2 * 20);
	ck_assert_uint_eq(g.w.gaps_differing, 2);
	end_arrivals();
}
END_TEST

static struct pace_point *point;

static bool
says_rx(const char *code)
{
	struct pace_notes n = { .n = 0 };

	pace_wire_check_rx_notes(&n, point);
	for (int i = 0; i < n.n; i++)
		if (strcmp(n.v[i].code, code) == 0)
			return true;
	return false;
}

static void
found(uint64_t seen, uint64_t unique, uint64_t lost, uint64_t socket)
{
	static const enum pace_place behind[] = { PACE_RX_CHECKSUM, PACE_RX_SOCKET, PACE_RX_LATE,
	    PACE_RX_IP, PACE_RX_INGRESS };

	point->rx.wire.frames = point->rx.wire.packets = seen;
	point->rx.wire.complete = true;
	point->rx.unique = unique;
	point->rx.lost = lost;
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		point->ledger.place[behind[i]].known = true;
	point->ledger.place[PACE_RX_SOCKET] = (struct pace_share){ true, socket, socket, socket };
}

START_TEST(what_the_socket_did_not_get_is_noted)
{
	point = pace_point_new();
	ck_assert_ptr_nonnull(point);
	found(900, 900, 100, 0);
	ck_assert(!says_rx("rx_capture_frames_differ") && !says_rx("rx_capture_ledger_differs"));
	found(910, 900, 100, 10);
	ck_assert(says_rx("rx_capture_frames_differ") && !says_rx("rx_capture_ledger_differs"));
	found(911, 900, 100, 10);	/* one that the ledger does not have */
	ck_assert(says_rx("rx_capture_frames_differ") && says_rx("rx_capture_ledger_differs"));
	point->ledger.place[PACE_RX_IP].known = false;	/* it may be there */
	ck_assert(!says_rx("rx_capture_ledger_differs"));
	found(909, 900, 100, 10);	/* one that the capture did not see */
	ck_assert(says_rx("rx_capture_ledger_differs"));
	point->rx.wire.dropped = 1;
	ck_assert(!says_rx("rx_capture_ledger_differs") && says_rx("rx_capture_dropped"));
	found(899, 900, 100, 0);
	ck_assert(!says_rx("rx_capture_frames_differ") && !says_rx("rx_capture_copies"));
	point->rx.wire.copies = 1;
	ck_assert(says_rx("rx_capture_copies"));
	found(898, 900, 100, 0);
	ck_assert(says_rx("rx_capture_frames_differ"));
	found(0, 900, 100, 100);	/* another interface: no word of the ledger */
	ck_assert(says_rx("rx_capture_frames_differ") && !says_rx("rx_capture_ledger_differs"));
	point->rx.wire.complete = false;
	ck_assert(says_rx("rx_capture_failed") && !says_rx("rx_capture_frames_differ"));
	pace_point_free(point);
}
END_TEST

START_TEST(any_arrivals_go_together)
{
	static struct pace_rx_result r, back;

	for (int round = 0; round < 20; round++) {
		begin_arrivals(1 + unit_rnd() % 5000, 1 + unit_rnd() % 3, unit_rnd() % 3 * 50);
		for (int i = 0; i < 3000; i++)
			pace_wire_check_arrive(&g, unit_rnd() % 6000, 1 + unit_rnd() % 4,
			    (int64_t)unit_rnd(), (int64_t)unit_rnd());
		for (int i = 0; i < ROOM; i++)
			stamps[i] = (int64_t)unit_rnd();
		pace_wire_check_compare(&g, stamps, ROOM);
		ck_assert_ptr_null(pace_wire_check_rx_broken(&g.w));
		r.wire = g.w;
		r.unique = unit_rnd() % 4000;
		r.lost = unit_rnd() % 100;
		json_t *j = pace_wire_check_rx_to_json(&r);
		back.unique = r.unique;
		back.lost = r.lost;
		ck_assert_int_eq(pace_wire_check_rx_from_json(&back, j), 0);
		ck_assert_uint_eq(back.wire.gap.stats.n, g.w.gap.stats.n);
		ck_assert_uint_eq(back.wire.gap_difference.stats.n, g.w.gap_difference.stats.n);
		back.unique = r.unique + r.lost + 6000;
		back.lost = 0;
		ck_assert_int_ne(pace_wire_check_rx_from_json(&back, j), 0);
		json_decref(j);
		end_arrivals();
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("witness");

	unit_seed(tc);
	tcase_add_test(tc, what_agrees_is_not_noted);
	tcase_add_test(tc, gaps_that_differ_are_noted);
	tcase_add_test(tc, few_gaps_that_differ_much_are_noted);
	tcase_add_test(tc, what_is_missing_is_noted);
	tcase_add_test(tc, copies_and_strangers_make_no_gaps);
	tcase_add_test(tc, trains_are_one_departure);
	tcase_add_test(tc, frames_without_times_have_gaps_but_no_differences);
	tcase_add_test(tc, between_bursts_there_is_no_gap);
	tcase_add_test(tc, anything_goes_together);
	tcase_add_test(tc, arrivals_have_the_receivers_gaps);
	tcase_add_test(tc, arrivals_of_trains_and_bursts);
	tcase_add_test(tc, arrivals_are_compared_where_both_saw_them);
	tcase_add_test(tc, what_the_socket_did_not_get_is_noted);
	tcase_add_test(tc, any_arrivals_go_together);
	return unit_run(tc, "witness");
}
