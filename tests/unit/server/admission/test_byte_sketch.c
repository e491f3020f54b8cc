/* byte_sketch.h: beside a plain list of what each network used. */
#include "server/admission/byte_sketch.h"

#include "lib/unit.h"

#include <string.h>

#define MB	1e6
#define GB	1e9

static struct pace_byte_rate_sketch s;

static void
setup(void)
{
	ck_assert_int_eq(pace_byte_rate_sketch_init(&s), 0);
}

static struct pace_addr
v4(uint32_t ip)
{
	return (struct pace_addr){ .family = 4, .ip = { (uint8_t)(ip >> 24), (uint8_t)(ip >> 16),
	    (uint8_t)(ip >> 8), (uint8_t)ip }, .port = (uint16_t)unit_rnd() };
}

static double
use(struct pace_addr a, const char *rule, int64_t day, double bytes)
{
	return pace_byte_rate_sketch_use(&s, pace_byte_rate_sketch_columns(&s, rule, &a), day, bytes);
}

START_TEST(a_network_is_a_24_or_a_48_and_each_rule_counts_its_own)
{
	struct pace_addr six = { .family = 6, .ip = { 0x20, 1, 0xd, 0xb8, 0, 7, 1 } };

	ck_assert_double_eq(use(v4(0xcb007101), "a", 1, 5), 5);
	ck_assert_double_eq(use(v4(0xcb0071fe), "a", 1, 5), 10);
	ck_assert_double_eq(use(v4(0xcb007201), "a", 1, 5), 5);
	ck_assert_double_eq(use(v4(0xcb007101), "b", 1, 5), 5);
	ck_assert_double_eq(use(six, "a", 1, 5), 5);
	six.ip[6] = six.ip[7] = six.ip[15] = 9;
	ck_assert_double_eq(use(six, "a", 1, 5), 10);
	six.ip[5] = 8;
	ck_assert_double_eq(use(six, "a", 1, 5), 5);
}
END_TEST

START_TEST(a_day_begins_with_nothing_and_does_not_come_back)
{
	ck_assert_double_eq(use(v4(1), "a", 20000, 5), 5);
	ck_assert_double_eq(use(v4(1), "a", 20001, 5), 5);
	ck_assert_double_eq(use(v4(1), "a", 20000, 5), 10);
	ck_assert_double_eq(use(v4(1), "a", 20001, 0), 10);
}
END_TEST

/* 100,000 networks share a day of 100 GB as they can; none is counted less than it
 * used, and one more has its own 10 GB all the same. */
START_TEST(a_flood_of_networks_gets_no_more_and_locks_nobody_out)
{
	static double used[100000];
	double most = 0;

	memset(used, 0, sizeof(used));
	for (double sum = 0; sum < 100 * GB;) {
		uint32_t n = (uint32_t)unit_between(0, COUNT_OF(used) - 1);
		double bytes = (double)unit_between(0, 1000000), told;

		if (n < 9)		/* these use up their budgets */
			bytes = 10 * GB - used[n];
		used[n] += bytes;
		sum += bytes;
		told = use(v4(0x0b000000 + (n << 8)), "a", 1, bytes);
		ck_assert_double_ge(told, used[n] * (1 - 1e-9));
	}
	for (uint32_t n = 0; n < 1000; n++) {
		double told = use(v4(0xcb000000 + (n << 8)), "a", 1, 0);

		most = told > most ? told : most;
	}
	ck_assert_double_lt(most, 100 * MB);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("byte_sketch");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_network_is_a_24_or_a_48_and_each_rule_counts_its_own);
	tcase_add_test(tc, a_day_begins_with_nothing_and_does_not_come_back);
	tcase_add_test(tc, a_flood_of_networks_gets_no_more_and_locks_nobody_out);
	return unit_run(tc, "byte_sketch");
}
