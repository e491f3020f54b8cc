/* due.h: the first one is the one that a look at all of them finds, whatever changes. */
#include "core/due.h"

#include "lib/unit.h"

enum { MOST = 70 };

/* The earliest time, by looking at all. */
static int64_t
earliest(const int64_t *ns, size_t n)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		first = ns[i] < first ? ns[i] : first;
	return first;
}

/* Each number of things from 1 on: few times, so that many are the same, and extremes. */
START_TEST(the_first_is_the_earliest_after_each_change)
{
	size_t n = (size_t)_i + 1;
	int64_t memory[PACE_DUE_BYTES(MOST) / sizeof(int64_t)], model[MOST];
	struct pace_due d;

	unit_turn(_i);
	pace_due_init(&d, memory, n);
	for (size_t i = 0; i < n; i++)
		model[i] = INT64_MAX;
	for (int step = 0; step < 3000; step++) {
		size_t i = (size_t)unit_between(0, (int64_t)n - 1);
		int64_t ns = unit_between(0, 1) ? unit_between(0, 20) : (int64_t)unit_rnd_any_size();

		if (unit_between(0, 9) == 0)
			ns = INT64_MAX;
		pace_due_set(&d, i, ns);
		model[i] = ns;
		ck_assert_uint_lt(pace_due_first(&d), n);
		ck_assert_int_eq(model[pace_due_first(&d)], earliest(model, n));
		ck_assert_mem_eq(d.ns, model, n * sizeof(model[0]));
	}
}
END_TEST

/* Taken one after the other, all come, in order. */
START_TEST(all_come_in_order)
{
	int64_t memory[PACE_DUE_BYTES(MOST) / sizeof(int64_t)], last = 0;
	struct pace_due d;
	int seen[MOST] = { 0 };

	pace_due_init(&d, memory, MOST);
	for (size_t i = 0; i < MOST; i++)
		pace_due_set(&d, i, unit_between(0, 50));
	for (int k = 0; k < MOST; k++) {
		size_t i = pace_due_first(&d);

		ck_assert_int_ge(d.ns[i], last);
		last = d.ns[i];
		seen[i]++;
		pace_due_set(&d, i, INT64_MAX);
	}
	for (int i = 0; i < MOST; i++)
		ck_assert_int_eq(seen[i], 1);
	ck_assert_int_eq(d.ns[pace_due_first(&d)], INT64_MAX);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("due");

	unit_seed(tc);
	tcase_add_loop_test(tc, the_first_is_the_earliest_after_each_change, 0, MOST);
	tcase_add_test(tc, all_come_in_order);
	return unit_run(tc, "due");
}
