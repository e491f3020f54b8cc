/* plat/affinity: who lets others come first has less right than he had. */
#include "lib/unit.h"

#include <errno.h>
#include <sys/resource.h>

#include "plat/affinity.h"

static const struct { int was, is; } rights[] = { { 0, 10 }, { 3, 13 }, { 10, 19 }, { 19, 19 } };

static int
right(void)
{
	int n;

	errno = 0;
	n = getpriority(PRIO_PROCESS, 0);
	ck_assert_int_eq(errno, 0);
	return n;
}

START_TEST(yield_takes_from_what_there_was)
{
	if (right() > rights[_i].was)
		return;			/* it would take a privilege */
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, rights[_i].was), 0);
	ck_assert_int_eq(pace_affinity_yield(), 0);
	ck_assert_int_eq(right(), rights[_i].is);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("affinity");

	tcase_add_loop_test(tc, yield_takes_from_what_there_was, 0, COUNT_OF(rights));
	return unit_run(tc, "affinity");
}
