/* departures.h, with typed-in shares. */
#include "doc/departures.h"

#include "lib/unit.h"

static struct pace_point *p;
static struct pace_departures d;

static void
begin(void)
{
	p = pace_point_new();
	ck_assert_ptr_nonnull(p);
	p->ask.spacing = UINT64_C(10000) << 32;
	p->has_rx = true;
}

static void
end(void)
{
	pace_point_free(p);
}

/* Of n gaps, those near the spacing have an error of 50 ns, others one of 5 us. */
static void
gaps(struct pace_hist *h, uint64_t n, uint64_t near)
{
	pace_hist_reset(h);
	pace_hist_add_n(h, 50, near);
	pace_hist_add_n(h, 5000, n - near);
}

/* stamped, of these near by their stamps and by their arrivals; others, of these near */
static void
have(uint64_t stamped, uint64_t near, uint64_t arrived_near, uint64_t others, uint64_t others_near)
{
	gaps(&p->tx.stamped_gap_error, stamped, near);
	gaps(&p->rx.gap_error, stamped + others, arrived_near + others_near);
	p->rx.stamped_gaps = stamped;
	p->rx.stamped_gaps_near = arrived_near;
}

static void
is_about(double a, double b)
{
	ck_assert_msg(a > b - 1e-9 && a < b + 1e-9, "%g, expected %g", a, b);
}

START_TEST(arrivals_tell_the_bias_of_stamps)
{
	have(200, 90, 100, 800, 500);
	ck_assert(pace_departures(p, &d));
	ck_assert_uint_eq(d.gaps, 200);
	is_about(d.stamped, 0.45);
	is_about(d.bias, 0.125);
	is_about(d.share, 0.575);
}
END_TEST

START_TEST(a_network_that_scatters_hides_the_bias)
{
	have(200, 90, 20, 800, 80);
	ck_assert(pace_departures(p, &d));
	is_about(d.bias, 0);
	is_about(d.share, 0.45);
}
END_TEST

START_TEST(a_share_is_from_0_to_1)
{
	have(100, 95, 20, 100, 90);
	ck_assert(pace_departures(p, &d));
	is_about(d.share, 1);
	have(100, 5, 90, 100, 20);
	ck_assert(pace_departures(p, &d));
	is_about(d.share, 0);
}
END_TEST

START_TEST(no_estimate_from_few_gaps)
{
	have(100, 90, 90, 1, 1);
	ck_assert(pace_departures(p, &d));
	have(100, 90, 90, 0, 0);
	ck_assert(!pace_departures(p, &d));
	have(99, 90, 90, 100, 90);
	ck_assert(!pace_departures(p, &d));
	have(100, 90, 90, 100, 90);
	p->rx.stamped_gaps = 99;
	ck_assert(!pace_departures(p, &d));
	p->rx.stamped_gaps = 100;
	p->has_rx = false;
	ck_assert(!pace_departures(p, &d));
	p->has_rx = true;
	p->ask.spacing = 0;
	ck_assert(!pace_departures(p, &d));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("departures");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, arrivals_tell_the_bias_of_stamps);
	tcase_add_test(tc, a_network_that_scatters_hides_the_bias);
	tcase_add_test(tc, a_share_is_from_0_to_1);
	tcase_add_test(tc, no_estimate_from_few_gaps);
	return unit_run(tc, "departures");
}
