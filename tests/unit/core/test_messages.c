/*
 * messages.h behind seq.h, as a receiver has them, beside a slow obvious model: a table of all
 * frames, whether they arrived, and when.
 */
#include "core/messages.h"

#include <string.h>

#include "core/seq.h"
#include "lib/unit.h"

#define WINDOW	64		/* of the sequence numbers */

static struct pace_messages m;
static struct pace_seq seq;
static void *slots, *window;

static void
begin(uint32_t n, uint64_t size, bool from_start)
{
	free(slots);
	slots = malloc(pace_messages_memory(n));
	memset(slots, 0xa5, pace_messages_memory(n));
	pace_messages_init(&m, n, size, from_start, slots);
}

/* --- the model --------------------------------------------------------------------------- */

struct frame {
	bool	came;
	int	when;
};

struct totals {
	uint64_t complete, incomplete, lost, missing, span;
};

static struct totals
count(const struct frame *f, uint64_t sent, uint64_t size)
{
	struct totals t = { 0, 0, 0, 0, 0 };

	for (uint64_t from = 0; from < sent; from += size) {
		uint64_t end = from + size < sent ? from + size : sent, came = 0;
		int first = INT32_MAX, last = 0;

		for (uint64_t i = from; i < end; i++) {
			came += f[i].came;
			first = f[i].came && f[i].when < first ? f[i].when : first;
			last = f[i].came && f[i].when > last ? f[i].when : last;
		}
		t.complete += came == end - from;
		t.lost += came == 0;
		t.incomplete += came > 0 && came < end - from;
		t.missing += came > 0 ? end - from - came : 0;
		t.span += came == end - from ? (uint64_t)(last - first) : 0;
	}
	return t;
}

static const struct { uint64_t sent, size; int loss, copies, disorder; } runs[] = {
	{ 10000, 10, 1, 0, 0 }, { 10000, 10, 10, 5, 5 }, { 10000, 7, 1, 1, 50 },
	{ 10007, 100, 1, 5, 5 }, { 10000, 2, 50, 20, 20 }, { 10000, 3, 97, 50, 5 },
	{ 5000, 1000, 1, 1, 5 }, { 50, 1000, 1, 1, 5 }, { 1, 2, 0, 5, 5 }, { 10000, 64, 5, 5, 90 },
	{ 10000, 65, 0, 5, 90 }, { 10000, 10, 100, 0, 0 }, { 0, 10, 0, 0, 0 },
};

/* Send all frames; some are lost, some arrive twice, some are overtaken by up to 2 WINDOW others,
 * so that the window no longer accepts them. */
static int
arrivals(uint64_t *list, int run)
{
	int n = 0;

	for (uint64_t i = 0; i < runs[run].sent; i++) {
		if (unit_between(0, 99) < runs[run].loss)
			continue;
		list[n++] = i;
		if (unit_between(0, 99) < runs[run].copies)
			list[n++] = i;
	}
	for (int i = 0; i < n; i++)
		if (unit_between(0, 99) < runs[run].disorder) {
			int to = i + (int)unit_between(1, unit_between(0, 9) > 0 ? 20 : 2 * WINDOW);
			uint64_t v = list[i];

			to = to < n ? to : n - 1;
			memmove(&list[i], &list[i + 1], (size_t)(to - i) * sizeof(*list));
			list[to] = v;
		}
	return n;
}

START_TEST(counts_are_those_of_a_table)
{
	const int run = _i % COUNT_OF(runs);
	const uint64_t sent = runs[run].sent, size = runs[run].size;
	uint64_t *list = calloc(2 * sent + 1, sizeof(*list)), high = 0;
	struct frame *f = calloc(sent + 1, sizeof(*f));
	struct totals t;
	int n;

	unit_turn(_i);
	n = arrivals(list, run);
	begin(pace_messages_slots(WINDOW, size), size, true);
	window = malloc(pace_seq_memory(WINDOW));
	ck_assert_int_eq(pace_seq_init(&seq, WINDOW, sent, window), 0);
	for (int i = 0; i < n; i++) {
		enum pace_seq_kind kind = pace_seq_add(&seq, list[i], i);
		bool in_window = list[i] + (WINDOW - WINDOW / 2) > high;

		high = list[i] > high ? list[i] : high;
		if (kind == PACE_SEQ_IN_ORDER || kind == PACE_SEQ_REORDERED) {
			pace_messages_frame(&m, list[i], i);
			f[list[i]] = (struct frame){ true, i };
		} else {
			ck_assert(f[list[i]].came || !in_window);
		}
	}
	(void)pace_seq_finish(&seq, sent);
	pace_messages_end(&m, sent);
	t = count(f, sent, size);
	ck_assert_uint_eq(m.stats.complete, t.complete);
	ck_assert_uint_eq(m.stats.incomplete, t.incomplete);
	ck_assert_uint_eq(m.stats.lost, t.lost);
	ck_assert_uint_eq(m.stats.cut + m.late, 0);
	ck_assert_uint_eq(m.stats.missing.stats.n, t.incomplete);
	ck_assert_uint_eq(m.stats.span.stats.n, t.complete);
	if (t.incomplete > 0)
		ck_assert_double_eq_tol(pace_stats_mean(&m.stats.missing.stats) *
		    (double)t.incomplete, (double)t.missing, 1e-6 * (double)t.missing);
	if (t.complete > 0)
		ck_assert_double_eq_tol(pace_stats_mean(&m.stats.span.stats) * (double)t.complete,
		    (double)t.span, 1e-6 * (double)t.span + 1e-6);
	/* every lost frame is missing in a message */
	if (sent % size == 0)
		ck_assert_uint_eq(seq.lost, t.missing + t.lost * size);
	free(window);
	free(list);
	free(f);
}
END_TEST

/* --- a capture, which begins and ends anywhere --------------------------------------------------- */

static void
add(uint64_t number, uint64_t place, uint64_t size)
{
	pace_messages_add(&m, &(struct pace_message_part){ number, place, size }, 0);
}

static void
is(uint64_t complete, uint64_t incomplete, uint64_t lost, uint64_t cut, uint64_t late)
{
	ck_assert_uint_eq(m.stats.complete, complete);
	ck_assert_uint_eq(m.stats.incomplete, incomplete);
	ck_assert_uint_eq(m.stats.lost, lost);
	ck_assert_uint_eq(m.stats.cut, cut);
	ck_assert_uint_eq(m.late, late);
	ck_assert_uint_eq(m.stats.missing.stats.n, incomplete);
	ck_assert_uint_eq(m.stats.span.stats.n, complete);
}

START_TEST(messages_at_the_edges_are_cut)
{
	begin(8, 0, false);
	add(100, 1, 3);
	add(100, 2, 3);
	for (uint64_t i = 0; i < 3; i++)
		add(101, i, 3);
	add(104, 0, 3);		/* 102 and 103 are lost */
	add(104, 2, 3);		/* its last frame is there: the end does not cut it */
	pace_messages_finish(&m);
	is(1, 1, 2, 1, 0);
	ck_assert_int_eq(m.stats.missing.stats.max, 1);
	/* begins anew, with a lower number */
	add(7, 0, 3);
	add(7, 1, 3);
	pace_messages_finish(&m);
	is(1, 1, 2, 2, 0);
	add(9, 0, 2);
	add(9, 1, 2);
	pace_messages_finish(&m);
	is(2, 1, 2, 2, 0);
	pace_messages_finish(&m);
	is(2, 1, 2, 2, 0);
}
END_TEST

START_TEST(one_message_cut_at_both_edges_counts_once)
{
	begin(8, 0, false);
	add(5, 3, 10);
	add(5, 4, 10);
	pace_messages_finish(&m);
	is(0, 0, 0, 1, 0);
}
END_TEST

START_TEST(an_unknown_size_is_that_of_the_largest_message)
{
	begin(8, 0, false);
	for (uint64_t i = 0; i < 5; i++)
		add(1, i, 0);
	add(2, 0, 0);
	add(2, 1, 0);
	add(2, 3, 0);
	add(2, 4, 0);
	for (uint64_t i = 0; i < 5; i++)
		add(3, i, 0);
	add(4, 0, 0);
	is(0, 0, 0, 0, 0);
	pace_messages_finish(&m);
	is(2, 1, 0, 1, 0);
}
END_TEST

START_TEST(a_closed_message_takes_no_frame)
{
	begin(4, 0, false);
	add(1, 0, 2);
	add(2, 0, 2);
	add(2, 1, 2);
	is(1, 0, 0, 0, 0);
	add(2, 1, 2);			/* more than its size */
	is(1, 0, 0, 0, 1);
	add(5, 0, 2);			/* 1 gives up its slot */
	is(1, 1, 0, 0, 1);
	add(1, 1, 2);
	is(1, 1, 0, 0, 2);
	add(0, 0, 2);			/* before the first one */
	is(1, 1, 0, 0, 3);
	add(4, 0, 2);			/* its slot is free */
	add(4, 1, 2);
	is(2, 1, 0, 0, 3);
	pace_messages_finish(&m);
	is(2, 1, 1, 1, 3);		/* 3 is lost */
}
END_TEST

START_TEST(any_number_is_counted)
{
	begin(4, 0, false);
	add(0, 0, UINT64_MAX);
	add(UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX);
	add(UINT64_MAX - 1, 0, 0);
	pace_messages_finish(&m);
	is(0, 2, (UINT64_C(1) << 62) - 1, 0, 0);
}
END_TEST

START_TEST(slots_hold_all_messages_of_a_window)
{
	ck_assert_uint_eq(pace_messages_slots(64, 1000), 2);
	ck_assert_uint_eq(pace_messages_slots(64, 64), 4);
	ck_assert_uint_eq(pace_messages_slots(64, 10), 8);
	ck_assert_uint_eq(pace_messages_slots(65536, 2), 65536);
}
END_TEST

/* Ten million frames, one in a hundred lost, need no memory that was not there before the first. */
START_TEST(memory_is_flat)
{
	const uint64_t frames = 10000000;
	size_t before;

	begin(pace_messages_slots(WINDOW, 10), 10, true);
	window = malloc(pace_seq_memory(WINDOW));
	ck_assert_int_eq(pace_seq_init(&seq, WINDOW, UINT64_MAX, window), 0);
	before = unit_allocated();
	for (uint64_t i = 0; i < frames; i++)
		if (i % 100 != 50 && pace_seq_add(&seq, i, (int64_t)i) == PACE_SEQ_IN_ORDER)
			pace_messages_frame(&m, i, (int64_t)i);
	ck_assert_uint_eq(unit_allocated(), before);
	pace_messages_end(&m, frames);
	is(900000, 100000, 0, 0, 0);
	ck_assert_double_eq(pace_stats_mean(&m.stats.span.stats), 9);
	free(window);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("messages");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, counts_are_those_of_a_table, 0, 4 * COUNT_OF(runs));
	tcase_add_test(tc, messages_at_the_edges_are_cut);
	tcase_add_test(tc, one_message_cut_at_both_edges_counts_once);
	tcase_add_test(tc, an_unknown_size_is_that_of_the_largest_message);
	tcase_add_test(tc, a_closed_message_takes_no_frame);
	tcase_add_test(tc, any_number_is_counted);
	tcase_add_test(tc, slots_hold_all_messages_of_a_window);
	tcase_add_test(tc, memory_is_flat);
	return unit_run(tc, "messages");
}
