/* lease.h: a line that is full, and who is next; sim/test_fair has the order of turns. */
#include "server/lease.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/unit.h"

static int
take(struct pace_lease *l, uint64_t session)
{
	struct pace_msg_error who;
	struct pace_waiter w = { .session = session, .asked_ns = 1000,
	    .from = { .family = 4, .ip = { 10, 0, (uint8_t)(session >> 8), (uint8_t)session } } };

	return pace_lease_take(l, &w, &who);
}

START_TEST(as_many_wait_as_there_are_sessions)
{
	struct pace_lease *l = malloc(sizeof(*l));

	ck_assert_ptr_nonnull(l);
	pace_lease_init(l);
	ck_assert_int_eq(take(l, 1), 0);
	for (int i = 1; i <= PACE_LEASE_LINE + 5; i++) {
		ck_assert_int_lt(take(l, (uint64_t)i + 1), 0);
		ck_assert_int_eq(l->waiting, i < PACE_LEASE_LINE ? i : PACE_LEASE_LINE);
	}
	pace_lease_leave(l, 7);
	ck_assert_int_eq(l->waiting, PACE_LEASE_LINE - 1);
	free(l);
}
END_TEST

/* A request of a session of that network. */
static int
ask(struct pace_lease *l, uint64_t session, uint8_t network, bool keyed)
{
	struct pace_msg_error who;
	struct pace_waiter w = { .session = session, .asked_ns = 1000, .keyed = keyed,
	    .from = { .family = 4, .ip = { 10, 0, network, (uint8_t)session } } };

	return pace_lease_take(l, &w, &who);
}

/* Networks without a lease so far: the one with fewer waiting sessions comes first, a key before. */
START_TEST(a_key_then_the_network_with_fewer_sessions_is_next)
{
	static const struct { uint64_t session; uint8_t network; bool keyed; } line[] = {
		{ 2, 2, false }, { 3, 2, false }, { 4, 3, false }, { 5, 2, true } };
	static const uint64_t turns[] = { 5, 4, 2, 3 };
	struct pace_lease *l = malloc(sizeof(*l));
	uint64_t holder = 1;

	ck_assert_ptr_nonnull(l);
	pace_lease_init(l);
	ck_assert_int_eq(ask(l, 1, 1, true), 0);
	for (size_t i = 0; i < COUNT_OF(line); i++)
		ck_assert_int_lt(ask(l, line[i].session, line[i].network, line[i].keyed), 0);
	ck_assert_int_eq(l->line[0].of_network, 3);
	ck_assert_int_eq(l->line[2].of_network, 1);
	ck_assert_int_eq(l->line[3].of_network, 3);
	for (size_t turn = 0; turn < COUNT_OF(turns); turn++) {
		pace_lease_release(l, holder);
		holder = turns[turn];
		for (size_t i = 0; i < COUNT_OF(line); i++) {
			size_t served = 0;

			while (served < turn && turns[served] != line[i].session)
				served++;
			if (served == turn && line[i].session != holder)
				ck_assert_int_lt(ask(l, line[i].session, line[i].network,
				    line[i].keyed), 0);
		}
		for (size_t i = 0; i < COUNT_OF(line); i++)
			if (line[i].session == holder)
				ck_assert_int_eq(ask(l, holder, line[i].network, line[i].keyed), 0);
	}
	free(l);
}
END_TEST

/* A request of a member of a group. */
static int
join(struct pace_lease *l, uint64_t session, const char *group, int size, int64_t begin_ns)
{
	struct pace_msg_error who;
	struct pace_waiter w = { .session = session, .asked_ns = 1000, .group_size = size,
	    .begin_ns = begin_ns, .from = { .family = 4, .ip = { 10, 0, 0, (uint8_t)session } } };

	snprintf(w.group, sizeof(w.group), "%s", group);
	return pace_lease_take(l, &w, &who);
}

START_TEST(a_group_has_one_size_and_its_own_begin)
{
	struct pace_lease *l = malloc(sizeof(*l));
	const int64_t begin = 7 * PACE_LEASE_LEAD_NS;

	ck_assert_ptr_nonnull(l);
	pace_lease_init(l);
	ck_assert_int_lt(join(l, 1, "a", 2, begin), 0);
	ck_assert_int_lt(join(l, 2, "b", 2, 9 * begin), 0);
	ck_assert_int_lt(join(l, 3, "a", 3, 5 * begin), 0);	/* another group */
	ck_assert_int_eq(join(l, 4, "a", 2, 0), 0);
	ck_assert_int_eq(pace_lease_begin(l, 1), begin);
	ck_assert_int_eq(pace_lease_begin(l, 4), begin);
	ck_assert_int_eq(pace_lease_begin(l, 3), 0);
	free(l);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("lease");

	tcase_add_test(tc, as_many_wait_as_there_are_sessions);
	tcase_add_test(tc, a_key_then_the_network_with_fewer_sessions_is_next);
	tcase_add_test(tc, a_group_has_one_size_and_its_own_begin);
	return unit_run(tc, "lease");
}
