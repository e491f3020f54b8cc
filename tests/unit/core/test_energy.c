/* energy.h: sums, differences, and cases without a result. */
#include "core/energy.h"

#include <string.h>

#include "lib/unit.h"

static struct pace_energy now, then;

static void
put(struct pace_energy *e, double package, double cores, double dram)
{
	static const char *const names[] = { "package-0", "core", "dram" };
	const double joules[] = { package, cores, dram };

	memset(e, 0, sizeof(*e));
	e->known = true;
	e->domains = 3;
	for (int i = 0; i < 3; i++) {
		snprintf(e->v[i].name, sizeof(e->v[i].name), "%s", names[i]);
		e->v[i].counted = i != 1;	/* cores lie within the package */
		e->v[i].joules = joules[i];
	}
}

START_TEST(what_counts_is_added)
{
	put(&now, 100, 60, 7.5);
	ck_assert_double_eq(pace_energy_joules(&now), 107.5);
	now.domains = 0;
	ck_assert_double_eq(pace_energy_joules(&now), 0);
}
END_TEST

START_TEST(a_difference_is_of_each_domain)
{
	put(&then, 100, 60, 7.5);
	put(&now, 142, 80, 8);
	pace_energy_since(&now, &then);
	ck_assert(now.known);
	ck_assert_double_eq(now.v[0].joules, 42);
	ck_assert_double_eq(now.v[1].joules, 20);
	ck_assert_double_eq(now.v[2].joules, 0.5);
	ck_assert_double_eq(pace_energy_joules(&now), 42.5);
}
END_TEST

START_TEST(what_was_not_known_at_both_ends_is_not_told)
{
	put(&now, 142, 80, 8);
	memset(&then, 0, sizeof(then));
	snprintf(then.why, sizeof(then.why), "no counters");
	pace_energy_since(&now, &then);
	ck_assert(!now.known);
	ck_assert_str_eq(now.why, "no counters");
	put(&then, 100, 60, 7.5);
	put(&now, 142, 80, 8);
	now.domains = 2;
	pace_energy_since(&now, &then);
	ck_assert(!now.known);
	ck_assert_str_eq(now.why, "domains came or went during the run");
	memset(&now, 0, sizeof(now));
	snprintf(now.why, sizeof(now.why), "root only");
	pace_energy_since(&now, &then);
	ck_assert(!now.known);
	ck_assert_str_eq(now.why, "root only");	/* its own reason stays */
}
END_TEST

START_TEST(idle_power_needs_time_and_both_readings)
{
	double watts = -1;

	put(&then, 100, 60, 7.5);
	put(&now, 180, 80, 7.5);
	ck_assert(!pace_energy_idle(&now, &then, PACE_IDLE_LEAST_NS - 1, &watts));
	ck_assert_double_eq(watts, -1);
	ck_assert(pace_energy_idle(&now, &then, PACE_IDLE_LEAST_NS, &watts));
	ck_assert_double_eq(watts, 20);
	ck_assert_double_eq(now.v[0].joules, 180);	/* a reading stays a reading */
	then.known = false;
	ck_assert(!pace_energy_idle(&now, &then, PACE_IDLE_LEAST_NS, &watts));
	now.known = false;
	ck_assert(!pace_energy_idle(&now, &then, PACE_IDLE_LEAST_NS, &watts));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("energy");

	unit_seed(tc);
	tcase_add_test(tc, what_counts_is_added);
	tcase_add_test(tc, a_difference_is_of_each_domain);
	tcase_add_test(tc, what_was_not_known_at_both_ends_is_not_told);
	tcase_add_test(tc, idle_power_needs_time_and_both_readings);
	return unit_run(tc, "energy");
}
