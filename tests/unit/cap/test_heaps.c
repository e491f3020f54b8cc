/*
 * heaps.h beside a slow obvious model: a bitmap of the bytes of every heap.
 */
#include "cap/heaps.h"

#include <math.h>
#include <string.h>

#include "lib/unit.h"

#define HEAPS	400
#define SIZE	2000			/* bytes of a heap, at most */

static struct pace_cap_heaps h;
static int64_t now;

static void
piece(uint64_t heap, uint64_t size, uint64_t offset, uint64_t bytes)
{
	pace_cap_heaps_add(&h, &(struct pace_cap_mark){ .has_heap = true, .heap = heap,
	    .heap_size = size, .heap_offset = offset, .heap_bytes = bytes }, now += 10);
	ck_assert_uint_eq(h.pieces, h.used + h.duplicates + h.late + h.absurd);
}

START_TEST(pieces_in_any_order_make_a_heap)
{
	static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
		{ 2, 0, 1 }, { 2, 1, 0 } };

	pace_cap_heaps_init(&h);
	for (int i = 0; i < 3; i++)
		piece(7, 30, (uint64_t)order[_i][i] * 10, 10);
	ck_assert_uint_eq(h.stats.complete, 1);
	ck_assert_uint_eq(h.bytes, 30);
	piece(7, 30, 10, 10);			/* a copy behind its end */
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.heaps, 1);
	ck_assert_uint_eq(h.stats.complete + h.stats.incomplete, 1);
	ck_assert_uint_eq(h.duplicates, 1);
	ck_assert_uint_eq(h.duplicate_bytes, 10);
	ck_assert_int_eq(h.stats.span.stats.min, 20);	/* first to last piece, without the copy */
	ck_assert_int_eq(h.stats.span.stats.max, 20);
	ck_assert_uint_eq(h.stats.missing.stats.n, 0);
}
END_TEST

START_TEST(missing_bytes_are_missing_pieces)
{
	pace_cap_heaps_init(&h);
	piece(1, 100, 0, 30);
	piece(1, 100, 90, 10);			/* 60 bytes: two more of 30 */
	piece(2, 100, 90, 10);			/* 90 bytes: nine of 10 */
	piece(3, 100, 1, 99);			/* one byte is one piece */
	piece(4, 100, 0, 0);			/* of unknown pieces: by bytes */
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.stats.missing.stats.n, 4);
	ck_assert_int_eq(h.stats.missing.stats.min, 1);
	ck_assert_int_eq(h.stats.missing.stats.max, 100);
	ck_assert_double_eq_tol(pace_stats_mean(&h.stats.missing.stats) * 4, 2 + 9 + 1 + 100, 1e-9);
}
END_TEST

START_TEST(overlaps_are_not_counted_twice)
{
	pace_cap_heaps_init(&h);
	piece(1, 100, 10, 20);
	piece(1, 100, 40, 20);
	piece(1, 100, 20, 30);			/* over both: 10 of it are new */
	piece(1, 100, 20, 30);			/* all of it again */
	ck_assert_uint_eq(h.bytes, 50);
	ck_assert_uint_eq(h.duplicate_bytes, 20 + 30);
	ck_assert_uint_eq(h.duplicates, 1);
	ck_assert_uint_eq(h.used, 3);
	piece(1, 100, 0, 100);
	ck_assert_uint_eq(h.stats.complete, 1);
	ck_assert_uint_eq(h.duplicate_bytes, 50 + 50);
}
END_TEST

START_TEST(what_cannot_be_is_absurd_and_changes_nothing)
{
	static const uint64_t bad[][3] = { { 100, 91, 10 }, { 99, 0, 10 }, { 100, 101, 0 },
		{ 100, UINT64_MAX, 1 }, { 100, 1, UINT64_MAX }, { UINT64_MAX, 0, 1 },
		{ 0, 95, 6 }, { 0, UINT64_MAX, UINT64_MAX }, { 100, UINT64_C(1) << 48, 1 } };

	pace_cap_heaps_init(&h);
	piece(1, 100, 0, 90);
	for (int i = 0; i < COUNT_OF(bad); i++)
		piece(1, bad[i][0], bad[i][1], bad[i][2]);
	ck_assert_uint_eq(h.absurd, COUNT_OF(bad));
	piece(2, 100, 91, 10);			/* a heap does not open with one */
	ck_assert_uint_eq(h.heaps, 1);
	piece(1, 0, 90, 10);
	ck_assert_uint_eq(h.stats.complete, 1);
}
END_TEST

START_TEST(a_size_may_come_late_or_never)
{
	pace_cap_heaps_init(&h);
	piece(1, 0, 0, 10);
	piece(1, 20, 10, 10);
	ck_assert_uint_eq(h.stats.complete, 1);
	piece(2, 0, 0, 30);
	piece(2, 20, 0, 10);			/* less than came */
	ck_assert_uint_eq(h.absurd, 1);
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.size_unknown, 1);
	ck_assert_uint_eq(h.stats.incomplete, 0);
	ck_assert_uint_eq(h.missing_bytes, 0);
}
END_TEST

START_TEST(the_oldest_heap_is_closed_for_a_new_one)
{
	pace_cap_heaps_init(&h);
	for (uint64_t i = 0; i < PACE_CAP_HEAPS_OPEN; i++)
		piece(i, 20, 0, 10);
	ck_assert_uint_eq(h.stats.incomplete, 0);
	piece(100, 20, 0, 10);
	ck_assert_uint_eq(h.stats.incomplete, 1);
	piece(0, 20, 10, 10);			/* of the closed one */
	ck_assert_uint_eq(h.late, 1);
	piece(1, 20, 10, 10);			/* this one is open */
	ck_assert_uint_eq(h.stats.complete, 1);
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.stats.incomplete, PACE_CAP_HEAPS_OPEN);
	ck_assert_uint_eq(h.missing_bytes, 10 * PACE_CAP_HEAPS_OPEN);
}
END_TEST

/* 100 parts with holes between, then the holes. */
START_TEST(more_parts_than_memory_complete_no_heap_wrongly)
{
	pace_cap_heaps_init(&h);
	for (uint64_t i = 0; i < 100; i++)
		piece(1, 2000, i * 20, 10);
	ck_assert_uint_eq(h.bytes, 1000);
	ck_assert_uint_eq(h.unknown_bytes, 10 * (100 - PACE_CAP_HEAPS_PARTS));
	for (uint64_t i = 0; i < 100; i++)
		piece(1, 2000, i * 20 + 10, 10);
	ck_assert_uint_eq(h.stats.complete, 0);
	ck_assert_uint_eq(h.bytes + h.unknown_bytes, 2000);
	ck_assert_uint_eq(h.duplicate_bytes, h.unknown_bytes);
}
END_TEST

START_TEST(heaps_that_never_came_are_lost)
{
	pace_cap_heaps_init(&h);
	for (uint64_t i = 0; i < 100; i++)
		if (i % 10 != 3)
			piece(1000 + 8 * i, 10, 0, 10);
	ck_assert_uint_eq(pace_cap_heaps_lost(&h), 10);
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.stats.lost, 10);
	ck_assert_double_eq_tol(pace_cap_heaps_missing(&h), 10, 1e-9);
	ck_assert_double_eq_tol(pace_cap_heaps_datagram_loss(&h), 0.1, 1e-9);
	piece(UINT64_C(0xffffffffffff), 10, 0, 10);	/* these numbers are no count */
	ck_assert_uint_eq(pace_cap_heaps_lost(&h), 0);
}
END_TEST

/* --- the model --- */

struct model {
	uint8_t		there[HEAPS][SIZE];
	uint64_t	size[HEAPS], pieces[HEAPS];
	bool		any[HEAPS];
};

static struct model *m;

static void
send(uint64_t heap, uint64_t from, uint64_t bytes)
{
	m->any[heap] = true;
	memset(&m->there[heap][from], 1, bytes);
	piece(heap, m->size[heap], from, bytes);
}

/* Some heaps at once, their pieces lost, doubled, split and shuffled. */
static void
send_heaps(uint64_t first, uint64_t n)
{
	struct { uint64_t heap, from, bytes; } list[2048];
	int count = 0;

	for (uint64_t i = first; i < first + n; i++)
		for (uint64_t from = 0; from < m->size[i]; from += 100) {
			uint64_t left = m->size[i] - from, bytes = left < 100 ? left : 100;

			m->pieces[i]++;
			if (unit_between(0, 9) < 9 || first % 3 == 0) {
				list[count].heap = i;
				list[count].from = from;
				list[count++].bytes = bytes;
			}
			if (unit_between(0, 19) == 0) {	/* some of it again */
				list[count].heap = i;
				list[count].from = from + bytes / 2;
				list[count++].bytes = bytes - bytes / 2;
			}
		}
	for (int i = count - 1; i > 0; i--) {
		int j = (int)unit_between(0, i);
		uint64_t heap = list[i].heap, from = list[i].from, bytes = list[i].bytes;

		list[i] = list[j];
		list[j].heap = heap;
		list[j].from = from;
		list[j].bytes = bytes;
	}
	for (int i = 0; i < count; i++)
		send(list[i].heap, list[i].from, list[i].bytes);
}

START_TEST(counts_are_those_of_a_bitmap)
{
	uint64_t complete = 0, incomplete = 0, missing = 0, bytes = 0, lost = 0;

	for (int i = 0; i < _i; i++)		/* each round its own numbers */
		unit_state ^= unit_rnd();
	m = calloc(1, sizeof(*m));
	pace_cap_heaps_init(&h);
	for (uint64_t i = 0; i < HEAPS; i++)
		m->size[i] = (uint64_t)unit_between(1, SIZE);
	for (uint64_t i = 0; i < HEAPS; i += 8)
		send_heaps(i, 8);
	pace_cap_heaps_finish(&h);
	for (uint64_t i = 0; i < HEAPS; i++) {
		uint64_t came = 0;

		for (uint64_t k = 0; k < m->size[i]; k++)
			came += m->there[i][k];
		complete += came == m->size[i];
		incomplete += m->any[i] && came < m->size[i];
		missing += m->any[i] ? m->size[i] - came : 0;
		bytes += came;
		lost += i > h.low && i < h.high && !m->any[i];
	}
	free(m);
	ck_assert_uint_eq(h.stats.complete, complete);
	ck_assert_uint_eq(h.stats.incomplete, incomplete);
	ck_assert_uint_eq(h.missing_bytes, missing);
	ck_assert_uint_eq(h.bytes, bytes);
	ck_assert_uint_eq(h.unknown_bytes + h.late + h.absurd + h.size_unknown, 0);
	ck_assert_uint_eq(pace_cap_heaps_lost(&h), lost);
	ck_assert_uint_gt(complete, 50);
	ck_assert_uint_gt(incomplete, 50);
}
END_TEST

START_TEST(nothing_is_no_loss)
{
	pace_cap_heaps_init(&h);
	pace_cap_heaps_add(&h, &(struct pace_cap_mark){ .has_seq = true }, 0);
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.pieces, 0);
	ck_assert_double_eq(pace_cap_heaps_datagram_loss(&h), 0);
}
END_TEST

/* A size is any number of 48 bits: 2^14 such heaps are as many bytes as a document has room for. */
START_TEST(sums_end_and_do_not_begin_anew)
{
	const uint64_t most = (UINT64_C(1) << 48) - 1, end = (UINT64_C(1) << 62) - 1;

	pace_cap_heaps_init(&h);
	for (uint64_t i = 0; i < 3u << 16; i++) {	/* unlimited: 3 x 2^64 */
		uint64_t before = h.missing_bytes;

		piece(i, most, 0, 1);
		ck_assert_uint_ge(h.missing_bytes, before);
	}
	pace_cap_heaps_finish(&h);
	ck_assert_uint_eq(h.missing_bytes, end);
	ck_assert_uint_eq(h.stats.incomplete, 3u << 16);
	ck_assert(isfinite(pace_cap_heaps_missing(&h)));
	ck_assert_double_le(pace_cap_heaps_datagram_loss(&h), 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_heaps");

	unit_seed(tc);
	tcase_add_loop_test(tc, pieces_in_any_order_make_a_heap, 0, 6);
	tcase_add_test(tc, missing_bytes_are_missing_pieces);
	tcase_add_test(tc, overlaps_are_not_counted_twice);
	tcase_add_test(tc, sums_end_and_do_not_begin_anew);
	tcase_add_test(tc, what_cannot_be_is_absurd_and_changes_nothing);
	tcase_add_test(tc, a_size_may_come_late_or_never);
	tcase_add_test(tc, the_oldest_heap_is_closed_for_a_new_one);
	tcase_add_test(tc, more_parts_than_memory_complete_no_heap_wrongly);
	tcase_add_test(tc, heaps_that_never_came_are_lost);
	tcase_add_loop_test(tc, counts_are_those_of_a_bitmap, 0, 5);
	tcase_add_test(tc, nothing_is_no_loss);
	return unit_run(tc, "cap_heaps");
}
