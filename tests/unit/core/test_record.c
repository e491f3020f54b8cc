/* record.h: what is kept of single frames, and its bytes. */
#include "core/record.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

#define LATE		PACE_RECORD_REORDERED
#define COPY		PACE_RECORD_DUPLICATE
#define OLD		PACE_RECORD_BEYOND
#define HOLE		PACE_RECORD_HOLE

static struct pace_records r;
static void *memory;

/* Exactly as much as was asked for, so that one byte more is seen. */
static void
begin(uint64_t room, uint64_t skip, bool lost_only)
{
	free(memory);
	memory = malloc(room > 0 ? pace_records_memory(room) : 1);
	memset(&r, 0x5a, sizeof(r));
	pace_records_init(&r, memory, room, skip, lost_only);
}

static void
teardown(void)
{
	free(memory);
	memory = NULL;
}

/* A frame whose times follow from its number and n, how many came before. */
static struct pace_record
frame(uint64_t seq, uint64_t n, unsigned flags)
{
	return (struct pace_record){ .seq = seq, .tx_ns = (int64_t)(seq * 1000) - 5000,
	    .rx_ns = (int64_t)n * 999 - 7, .late_ns = (uint32_t)seq * 3 + 1,
	    .flags = (uint8_t)(flags | PACE_STAMP_KERNEL) };
}

/* Numbers, with the flags behind them; the list ends with two zeros. */
static void
arrive(const uint64_t (*v)[2])
{
	for (uint64_t i = 0; i == 0 || v[i][0] + v[i][1] != 0; i++) {
		struct pace_record rec = frame(v[i][0], i, (unsigned)v[i][1]);

		pace_records_add(&r, &rec);
	}
}

static void
kept(const uint64_t (*v)[2], uint64_t n)
{
	ck_assert_uint_eq(r.n, n);
	for (uint64_t i = 0; i < n; i++) {
		ck_assert_uint_eq(r.seq[i], v[i][0]);
		ck_assert_uint_eq(r.flags[i], v[i][1] | PACE_STAMP_KERNEL);
		ck_assert_int_eq(r.tx_ns[i], (int64_t)(v[i][0] * 1000) - 5000);
		ck_assert_uint_eq(r.late_ns[i], v[i][0] * 3 + 1);
	}
}

START_TEST(memory_is_the_columns_and_no_more)
{
	ck_assert_uint_eq(pace_records_memory(0), 0);
	ck_assert_uint_eq(pace_records_memory(1), 29);
	ck_assert_uint_eq(pace_records_memory(1000000), 29000000);
	ck_assert_uint_eq(pace_records_memory(SIZE_MAX / 29), SIZE_MAX / 29 * 29);
	ck_assert_uint_eq(pace_records_memory(SIZE_MAX / 29 + 1), 0);
	ck_assert_uint_eq(pace_records_memory(UINT64_MAX), 0);
}
END_TEST

START_TEST(every_member_of_every_record_has_its_own_place)
{
	begin(7, 0, false);
	for (uint64_t i = 0; i < 7; i++) {
		struct pace_record rec = frame(i, i, i == 5 ? COPY : 0);

		pace_records_add(&r, &rec);
	}
	ck_assert_uint_eq(r.n, 7);
	ck_assert_uint_eq(r.missed, 0);
	for (uint64_t i = 0; i < 7; i++) {
		struct pace_record rec = frame(i, i, i == 5 ? COPY : i == 6 ? HOLE : 0);

		ck_assert_uint_eq(r.seq[i], rec.seq);
		ck_assert_int_eq(r.tx_ns[i], rec.tx_ns);
		ck_assert_int_eq(r.rx_ns[i], rec.rx_ns);
		ck_assert_uint_eq(r.late_ns[i], rec.late_ns);
		ck_assert_uint_eq(r.flags[i], rec.flags);
	}
}
END_TEST

START_TEST(everything_is_kept_in_the_order_of_arrival)
{
	static const uint64_t in[][2] = { { 0, 0 }, { 1, 0 }, { 4, 0 }, { 3, LATE },
	    { 4, COPY }, { 5, 0 }, { 1, OLD }, { 9, 0 }, { 0, 0 } };
	static const uint64_t out[][2] = { { 0, 0 }, { 1, 0 }, { 4, HOLE }, { 3, LATE },
	    { 4, COPY }, { 5, 0 }, { 1, OLD }, { 9, HOLE } };

	begin(100, 0, false);
	arrive(in);
	pace_records_finish(&r);
	kept(out, 8);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(r.rx_ns[i], i * 999 - 7);
}
END_TEST

START_TEST(numbers_below_skip_are_not_kept)
{
	static const uint64_t in[][2] = { { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 },
	    { 9, COPY }, { 10, COPY }, { 0, 0 } };
	static const uint64_t out[][2] = { { 10, 0 }, { 11, 0 }, { 10, COPY } };

	begin(100, 10, false);
	arrive(in);
	kept(out, 3);
	ck_assert_uint_eq(r.missed, 0);
}
END_TEST

START_TEST(a_hole_at_the_start_counts_from_skip)
{
	static const uint64_t at[][2] = { { 3, 0 }, { 10, 0 }, { 0, 0 } };
	static const uint64_t behind[][2] = { { 3, 0 }, { 11, 0 }, { 0, 0 } };

	for (int lost_only = 0; lost_only <= 1; lost_only++) {
		begin(100, 10, lost_only);
		arrive(at);
		pace_records_finish(&r);
		kept((const uint64_t[][2]){ { 10, 0 } }, 1);
		begin(100, 10, lost_only);
		arrive(behind);
		pace_records_finish(&r);
		kept((const uint64_t[][2]){ { 11, HOLE } }, 1);
	}
}
END_TEST

START_TEST(what_there_is_no_room_for_is_counted)
{
	static const uint64_t in[][2] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 3, COPY },
	    { 4, 0 }, { 0, 0 } };
	static const uint64_t out[][2] = { { 0, 0 }, { 1, 0 }, { 3, HOLE } };

	begin(3, 0, false);
	arrive(in);
	kept(out, 3);
	ck_assert_uint_eq(r.missed, 2);
	begin(0, 0, false);
	arrive(in);
	ck_assert_uint_eq(r.n, 0);
	ck_assert_uint_eq(r.missed, 5);
}
END_TEST

START_TEST(of_a_run_without_loss_the_last_frame_stays)
{
	static const uint64_t in[][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 1, COPY }, { 0, 0 } };

	begin(100, 0, true);
	arrive(in);
	ck_assert_uint_eq(r.n, 0);
	pace_records_finish(&r);
	pace_records_finish(&r);
	kept((const uint64_t[][2]){ { 2, 0 } }, 1);
	begin(100, 0, true);
	pace_records_finish(&r);
	ck_assert_uint_eq(r.n, 0);
}
END_TEST

START_TEST(frames_beside_holes_are_kept_once)
{
	/* 4 . . 7 . 9 10 . 12 */
	static const uint64_t in[][2] = { { 3, 0 }, { 4, 0 }, { 7, 0 }, { 9, 0 }, { 10, 0 },
	    { 10, COPY }, { 12, 0 }, { 0, 0 } };
	static const uint64_t out[][2] = { { 3, HOLE }, { 4, 0 }, { 7, HOLE }, { 9, HOLE },
	    { 10, 0 }, { 12, HOLE } };

	begin(100, 0, true);
	arrive(in);
	pace_records_finish(&r);
	kept(out, 6);
}
END_TEST

START_TEST(late_frames_tell_that_they_were_not_lost)
{
	/* the frame before the second hole, 6, waits while 3 comes */
	static const uint64_t in[][2] = { { 0, 0 }, { 1, 0 }, { 5, 0 }, { 6, 0 }, { 3, LATE },
	    { 3, COPY }, { 8, 0 }, { 2, OLD }, { 0, 0 } };
	static const uint64_t out[][2] = { { 1, 0 }, { 5, HOLE }, { 3, LATE }, { 6, 0 },
	    { 8, HOLE } };

	begin(100, 0, true);
	arrive(in);
	pace_records_finish(&r);
	kept(out, 5);
}
END_TEST

START_TEST(beside_holes_too_what_has_no_room_is_counted_once)
{
	static const uint64_t in[][2] = { { 1, 0 }, { 2, 0 }, { 4, 0 }, { 5, 0 }, { 7, 0 },
	    { 8, 0 }, { 0, 0 } };

	for (uint64_t room = 0; room <= 7; room++) {
		begin(room, 0, true);
		arrive(in);
		pace_records_finish(&r);	/* 1 2 4 5 7 8 */
		ck_assert_uint_eq(r.n, room < 6 ? room : 6);
		ck_assert_uint_eq(r.missed, 6 - r.n);
	}
}
END_TEST

/* ---- against a slow model ---- */

#define ARRIVALS	600
#define SENT		300
#define WINDOW		64

static struct pace_record in[ARRIVALS], want[2 * ARRIVALS];
static int arrivals, wanted;

/* Numbers 0 .. SENT-1, some lost, moved back, copied; classified by looking
 * at everything that came before. */
static void
draw_arrivals(void)
{
	uint64_t order[ARRIVALS];
	int n = 0, losses = (int)unit_between(0, 40), moves = (int)unit_between(0, 30);

	for (uint64_t seq = 0; seq < SENT; seq++) {
		if (unit_between(0, 99) >= losses)
			order[n++] = seq;
		if (n > 0 && unit_between(0, 9) == 0) {		/* a copy, often of long ago */
			uint64_t again = order[unit_between(0, n - 1)];

			order[n++] = again;
		}
	}
	for (int i = 0; i < moves && n > 0; i++) {
		int from = (int)unit_between(0, n - 1), to = (int)unit_between(from, n - 1);
		uint64_t moved = order[from];

		if (to - from > 30 && i % 3 != 0)
			continue;
		memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof(order[0]));
		order[to] = moved;
	}
	arrivals = n;
	for (int i = 0; i < n; i++) {
		unsigned flags = 0;
		int64_t highest = -1;

		for (int k = 0; k < i; k++)
			highest = (int64_t)order[k] > highest ? (int64_t)order[k] : highest;
		if ((int64_t)order[i] < highest)
			flags = LATE;
		for (int k = 0; k < i; k++)
			if (order[k] == order[i])
				flags = COPY;
		if ((int64_t)order[i] + WINDOW <= highest)
			flags = OLD;
		in[i] = frame(order[i], (uint64_t)i, flags);
	}
}

/* The arrival before i with the highest number from skip on; -1: none. */
static int
highest_before(int i, uint64_t skip)
{
	int best = -1;

	for (int k = 0; k < i; k++)
		if (in[k].seq >= skip && (best < 0 || in[k].seq > in[best].seq))
			best = k;
	return best;
}

static void
want_once(int i, unsigned flags, bool taken[])
{
	if (i < 0 || taken[i])
		return;
	taken[i] = true;
	want[wanted] = in[i];
	want[wanted++].flags |= (uint8_t)flags;
}

static void
model_of_lost_only(uint64_t skip)
{
	bool taken[ARRIVALS] = { false };

	wanted = 0;
	for (int i = 0; i < arrivals; i++) {
		int before = highest_before(i, skip);
		uint64_t next = before < 0 ? skip : in[before].seq + 1;

		if (in[i].seq < skip || (in[i].flags & (COPY | OLD)) != 0)
			continue;
		if (in[i].seq < next) {
			want_once(i, 0, taken);
		} else if (in[i].seq > next) {
			want_once(before, 0, taken);
			want_once(i, HOLE, taken);
		}
	}
	want_once(highest_before(arrivals, skip), 0, taken);
}

static uint64_t
truly_lost(uint64_t skip)
{
	uint64_t lost = 0;

	for (uint64_t seq = skip; seq < SENT; seq++) {
		bool came = false;

		for (int i = 0; i < arrivals; i++)
			came |= in[i].seq == seq && (in[i].flags & (COPY | OLD)) == 0;
		lost += !came;
	}
	return lost;
}

/* By the formula of the header, from the columns alone. */
static uint64_t
lost_by_records(uint64_t skip)
{
	size_t size = pace_records_memory(r.n);
	uint8_t *columns = malloc(size > 0 ? size : 1);
	uint64_t next = skip, lost = 0;
	struct pace_record rec;

	ck_assert_uint_eq(pace_records_bytes(&r, 0, columns, size), size);
	for (uint64_t i = 0; i < r.n; i++) {
		ck_assert_int_eq(pace_record_read(columns, r.n, i, &rec), 0);
		lost += pace_record_missing(&rec, &next);
		lost -= (rec.flags & LATE) != 0;
	}
	free(columns);
	return lost + SENT - next;
}

static void
check_against_model(uint64_t room)
{
	uint64_t fits = (uint64_t)wanted < room ? (uint64_t)wanted : room;

	ck_assert_uint_eq(r.n, fits);
	ck_assert_uint_eq(r.missed, (uint64_t)wanted - fits);
	for (uint64_t i = 0; i < fits; i++) {
		ck_assert_uint_eq(r.seq[i], want[i].seq);
		ck_assert_uint_eq(r.flags[i], want[i].flags);
		ck_assert_int_eq(r.tx_ns[i], want[i].tx_ns);
		ck_assert_int_eq(r.rx_ns[i], want[i].rx_ns);
		ck_assert_uint_eq(r.late_ns[i], want[i].late_ns);
	}
}

START_TEST(random_losses_agree_with_a_slow_model)
{
	uint64_t holes = 0, late = 0;

	for (int i = 0; i < 300; i++) {
		uint64_t skip = i % 3 == 0 ? 0 : (uint64_t)unit_between(0, SENT);
		uint64_t room = i % 4 == 0 ? (uint64_t)unit_between(0, 60) : 1000;

		draw_arrivals();
		model_of_lost_only(skip);
		begin(room, skip, true);
		for (int k = 0; k < arrivals; k++)
			pace_records_add(&r, &in[k]);
		pace_records_finish(&r);
		check_against_model(room);
		if (r.missed == 0)
			ck_assert_uint_eq(lost_by_records(skip), truly_lost(skip));
		for (uint64_t k = 0; k < r.n; k++) {
			holes += (r.flags[k] & HOLE) != 0;
			late += (r.flags[k] & LATE) != 0;
		}
	}
	ck_assert_uint_gt(holes, 1000);		/* or nothing was tried */
	ck_assert_uint_gt(late, 300);
}
END_TEST

START_TEST(all_records_tell_the_loss_too)
{
	for (int i = 0; i < 100; i++) {
		uint64_t skip = (uint64_t)unit_between(0, SENT / 2);

		draw_arrivals();
		begin(1000, skip, false);
		for (int k = 0; k < arrivals; k++)
			pace_records_add(&r, &in[k]);
		ck_assert_uint_eq(lost_by_records(skip), truly_lost(skip));
	}
}
END_TEST

/* ---- bytes ---- */

/* Typed by hand from the table in record.h. */
static const uint8_t golden[3 * PACE_RECORD_SIZE] = {
	0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 1,
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  0, 0, 0, 0, 0, 0, 0, 2,
	0x80, 0, 0, 0, 0, 0, 0, 0,
	0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  0, 0, 0, 0, 0, 0, 0, 3,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
	0, 0, 0, 0,  0xff, 0xff, 0xff, 0xff,  0xde, 0xad, 0xbe, 0xef,
	0x02, 0x0b, 0x23,
};

static const struct pace_record values[3] = {
	{ 0, -1, INT64_MAX, 0, 0x02 },
	{ 1, 2, 3, UINT32_MAX, 0x0b },
	{ 0x0123456789abcdef, INT64_MIN, -0x0123456789abcdf0, 0xdeadbeef, 0x03 },
};

static void
fill_golden(uint64_t room)
{
	begin(room, 0, false);
	for (int i = 0; i < 3; i++)
		pace_records_add(&r, &values[i]);
}

START_TEST(columns_are_as_the_table_says)
{
	uint8_t got[sizeof(golden)];

	fill_golden(3);
	ck_assert_uint_eq(pace_records_bytes(&r, 0, got, sizeof(got)), sizeof(golden));
	ck_assert_mem_eq(got, golden, sizeof(golden));
}
END_TEST

START_TEST(any_piece_is_that_piece_of_the_whole)
{
	fill_golden(5);		/* more room than records */
	for (size_t at = 0; at <= sizeof(golden) + 3; at++) {
		for (size_t len = 0; len <= sizeof(golden) + 3; len++) {
			size_t there = at < sizeof(golden) ? sizeof(golden) - at : 0;
			uint8_t *exact = malloc(len > 0 ? len : 1);

			memset(exact, 0x5a, len);
			if (there > len)
				there = len;
			ck_assert_uint_eq(pace_records_bytes(&r, at, exact, len), there);
			ck_assert(there == 0 || memcmp(exact, golden + at, there) == 0);
			for (size_t i = there; i < len; i++)
				ck_assert_uint_eq(exact[i], 0x5a);
			free(exact);
		}
	}
	ck_assert_uint_eq(pace_records_bytes(&r, UINT64_MAX, (uint8_t[8]){ 0 }, 8), 0);
}
END_TEST

START_TEST(records_come_back_from_their_columns)
{
	struct pace_record rec;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(pace_record_read(golden, 3, (uint64_t)i, &rec), 0);
		ck_assert_uint_eq(rec.seq, values[i].seq);
		ck_assert_int_eq(rec.tx_ns, values[i].tx_ns);
		ck_assert_int_eq(rec.rx_ns, values[i].rx_ns);
		ck_assert_uint_eq(rec.late_ns, values[i].late_ns);
		ck_assert_uint_eq(rec.flags, values[i].flags | (i == 2 ? HOLE : 0));
	}
}
END_TEST

START_TEST(flags_that_are_not_known_are_refused)
{
	uint8_t one[PACE_RECORD_SIZE] = { 0 };
	struct pace_record rec, before;

	for (unsigned flags = 0; flags < 256; flags++) {
		memset(&rec, 0x5a, sizeof(rec));
		before = rec;
		one[28] = (uint8_t)flags;
		ck_assert_int_eq(pace_record_read(one, 1, 0, &rec), flags < 0x40 ? 0 : -EPROTO);
		if (flags >= 0x40)
			ck_assert_mem_eq(&rec, &before, sizeof(rec));
	}
}
END_TEST

START_TEST(missing_needs_the_flag_and_a_number_ahead)
{
	static const struct { uint64_t seq; uint8_t flags; uint64_t missing, next; } v[] = {
		{ 5, 0, 0, 6 },			/* holes are not guessed */
		{ 9, HOLE, 3, 10 },
		{ 9, HOLE, 0, 10 },		/* again: a lie, and no harm */
		{ 7, LATE, 0, 10 },
		{ 20, HOLE | COPY, 0, 10 },
		{ 20, HOLE | OLD, 0, 10 },
		{ 10, 0, 0, 11 },
		{ UINT64_MAX, HOLE, UINT64_MAX - 11, UINT64_MAX },
		{ UINT64_MAX, HOLE, 0, UINT64_MAX },
	};
	uint64_t next = 4;

	for (int i = 0; i < COUNT_OF(v); i++) {
		struct pace_record rec = { .seq = v[i].seq, .flags = v[i].flags };

		ck_assert_uint_eq(pace_record_missing(&rec, &next), v[i].missing);
		ck_assert_uint_eq(next, v[i].next);
	}
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("record");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, memory_is_the_columns_and_no_more);
	tcase_add_test(tc, every_member_of_every_record_has_its_own_place);
	tcase_add_test(tc, everything_is_kept_in_the_order_of_arrival);
	tcase_add_test(tc, numbers_below_skip_are_not_kept);
	tcase_add_test(tc, a_hole_at_the_start_counts_from_skip);
	tcase_add_test(tc, what_there_is_no_room_for_is_counted);
	tcase_add_test(tc, of_a_run_without_loss_the_last_frame_stays);
	tcase_add_test(tc, frames_beside_holes_are_kept_once);
	tcase_add_test(tc, late_frames_tell_that_they_were_not_lost);
	tcase_add_test(tc, beside_holes_too_what_has_no_room_is_counted_once);
	tcase_add_test(tc, random_losses_agree_with_a_slow_model);
	tcase_add_test(tc, all_records_tell_the_loss_too);
	tcase_add_test(tc, columns_are_as_the_table_says);
	tcase_add_test(tc, any_piece_is_that_piece_of_the_whole);
	tcase_add_test(tc, records_come_back_from_their_columns);
	tcase_add_test(tc, flags_that_are_not_known_are_refused);
	tcase_add_test(tc, missing_needs_the_flag_and_a_number_ahead);
	return unit_run(tc, "record");
}
