/* search.h: paths of known capacity are found, whatever a disturbed trial says in
 * between; a bucket of tokens does not pass for capacity. */
#include "core/search.h"

#include <check.h>
#include <math.h>

#include "lib/unit.h"

#define LONG_TIME	10	/* of a long trial, in short ones */

/* A path, and what comes between. */
struct path {
	double	capacity, sender;	/* bit/s */
	double	burst;			/* of tokens: bits, with trials of 1 s */
	int	spoilt;			/* every so many-th trial fails for another cause, */
	int	disturbed;		/* ... or is invalid; 0: none */
};

static struct pace_search s;
static int trials, long_ones;

static enum pace_trial_verdict
try(const struct path *p, const struct pace_trial_params *t)
{
	double seconds = t->lengthy ? LONG_TIME : 1;

	if (t->bps > p->sender)
		return PACE_TRIAL_SLOW;
	if (p->disturbed > 0 && trials % p->disturbed == 0)
		return PACE_TRIAL_DISTURBED;
	if (p->spoilt > 0 && trials % p->spoilt == 0)
		return PACE_TRIAL_FAILED;
	return (t->bps - p->capacity) * seconds <= p->burst ? PACE_TRIAL_PASSED : PACE_TRIAL_FAILED;
}

static void
search(const struct path *p, double low, double high, double precision, int repeat)
{
	const struct pace_search_cfg cfg = { low, high, precision, repeat, false };
	struct pace_trial_params t;

	trials = long_ones = 0;
	pace_search_begin(&s, &cfg);
	while (pace_search_next(&s, &t)) {
		ck_assert_int_lt(++trials, 1000);
		ck_assert(t.bps >= low && t.bps <= high);
		ck_assert_msg(long_ones == 0 || t.lengthy, "a short trial behind a long one");
		long_ones += t.lengthy;
		pace_search_take(&s, try(p, &t));
	}
	ck_assert(s.done);
}

static const struct { struct path path; int repeat; } paths[] = {
	{ { 200e6, 1e12, 0, 0, 0 }, 1 }, { { 200e6, 1e12, 0, 0, 0 }, 2 },
	{ { 199.9e6, 1e12, 0, 0, 0 }, 3 }, { { 10.0001e6, 1e12, 0, 0, 0 }, 2 },
	{ { 9.99e9, 1e12, 0, 0, 0 }, 2 }, { { 1e9, 1e12, 0, 7, 0 }, 2 },
	{ { 321e6, 1e12, 0, 5, 0 }, 3 }, { { 200e6, 1e12, 0, 0, 3 }, 2 },
};

START_TEST(a_capacity_is_found)
{
	double c = paths[_i].path.capacity;

	search(&paths[_i].path, 10e6, 10e9, 0.005, paths[_i].repeat);
	ck_assert(s.best_bps <= c && s.best_bps >= c * (1 - 0.005));
	ck_assert(s.worst_bps > c && s.worst_bps <= s.best_bps * 1.005);
	ck_assert(!s.by_sender && s.sustained);
	ck_assert_int_le(trials, 40 * paths[_i].repeat);
	ck_assert_int_le(long_ones, 3);
}
END_TEST

/* 4 % and 40 % of a second's frames in one go. */
START_TEST(tokens_are_no_capacity)
{
	struct path p = { 200e6, 1e12, _i == 0 ? 8e6 : 80e6, 0, 0 };
	double shown = 200e6 + p.burst / LONG_TIME;	/* what the long trials cannot tell */

	search(&p, 10e6, 10e9, 0.005, 2);
	ck_assert(s.sustained);
	ck_assert(s.best_bps <= shown && s.best_bps >= shown * (1 - 0.005));
	ck_assert(s.worst_bps > shown && s.worst_bps <= s.best_bps * 1.005);
	ck_assert_int_le(long_ones, 24);
}
END_TEST

START_TEST(a_path_above_all_rates_has_no_failure)
{
	const struct path p = { 1e12, 1e12, 0, 0, 0 };

	search(&p, 10e6, 10e9, 0.01, 2);
	ck_assert(s.best_bps >= 10e9 && s.worst_bps <= 0 && s.sustained);
	ck_assert_int_eq(long_ones, 1);
}
END_TEST

START_TEST(a_path_below_all_rates_has_no_success)
{
	const struct path p = { 1, 1e12, 0, 0, 0 };

	search(&p, 10e6, 10e9, 0.01, 2);
	ck_assert(s.best_bps <= 0 && s.worst_bps >= 10e6 && !s.sustained);
	ck_assert_int_eq(trials, 2);
}
END_TEST

/* All that passed was a bucket's. */
START_TEST(a_path_of_nothing_but_tokens_has_no_success)
{
	const struct path p = { 1, 1e12, 40e6, 0, 0 };

	search(&p, 10e6, 10e9, 0.01, 2);
	ck_assert(s.best_bps <= 0 && !s.sustained);
}
END_TEST

START_TEST(low_and_high_may_be_one_rate)
{
	const struct path good = { 200e6, 1e12, 0, 0, 0 }, bad = { 50e6, 1e12, 0, 0, 0 };

	search(&good, 100e6, 100e6, 0.01, 2);
	ck_assert(s.best_bps >= 100e6 && s.sustained);
	ck_assert_int_eq(trials, 2);
	search(&bad, 100e6, 100e6, 0.01, 2);
	ck_assert(s.best_bps <= 0);
}
END_TEST

/* Above 1 Gbit/s this sender does not keep up; the path takes all. */
START_TEST(a_sender_that_does_not_keep_up_is_told_apart)
{
	const struct path p = { 1e12, 1e9, 0, 0, 0 };

	search(&p, 10e6, 10e9, 0.001, 2);
	ck_assert(s.best_bps > 0.98e9 && s.best_bps <= 1e9);
	ck_assert(s.by_sender && s.sustained);
	ck_assert_int_le(trials, 32);
}
END_TEST

/* The number of trials is limited, whether the sender never keeps a rate or sometimes does. */
static void
disturbed(bool busy, int passing, int most)
{
	const struct pace_search_cfg cfg = { 10e6, 10e9, 0.005, 2, busy };
	struct pace_trial_params a;
	double seconds = 0;

	pace_search_begin(&s, &cfg);
	for (int n = 1; pace_search_next(&s, &a); n++) {
		seconds += a.lengthy ? 10 : 1;
		ck_assert_int_lt(n, 300);
		pace_search_take(&s, passing > 0 && n % passing == 0 ? PACE_TRIAL_PASSED :
		    PACE_TRIAL_DISTURBED);
	}
	ck_assert(s.done && (!busy || s.by_sender) && (!s.by_sender || s.worst_bps >= s.best_bps));
	ck_assert_int_le((int)seconds, most);
}

START_TEST(invalid_trials_have_a_bound)
{
	static const struct { bool busy; int passing, most; } cases[] = {
		{ true, 0, 5 }, { true, 2, 32 }, { true, 4, 32 }, { true, 6, 20 },
		{ false, 0, 12 }, { false, 2, 120 }, { false, 4, 80 }, { false, 12, 80 },
	};

	disturbed(cases[_i].busy, cases[_i].passing, cases[_i].most);
}
END_TEST

/* Short trials passed at it; in a long one the sender was held up. */
START_TEST(a_long_trial_that_the_sender_spoils_leaves_what_passed)
{
	const struct pace_search_cfg cfg = { 10e6, 10e6, 0.005, 2, false };

	pace_search_begin(&s, &cfg);
	pace_search_take(&s, PACE_TRIAL_PASSED);
	for (int i = 0; i < 3; i++) {
		ck_assert(!s.done);
		pace_search_take(&s, PACE_TRIAL_DISTURBED);
	}
	ck_assert(s.done && s.gave_up && s.by_sender && !s.sustained && s.best_bps >= 10e6);
}
END_TEST

static void
take(enum pace_trial_verdict v, int times)
{
	while (times-- > 0)
		pace_search_take(&s, v);
}

static void
begin(int repeat)
{
	const struct pace_search_cfg cfg = { 10e6, 10e6, 0.01, repeat, false };

	pace_search_begin(&s, &cfg);
}

START_TEST(an_invalid_trial_is_made_again)
{
	begin(1);
	take(PACE_TRIAL_DISTURBED, 11);
	take(PACE_TRIAL_PASSED, 1);
	ck_assert(s.best_bps >= 10e6 && !s.sustained);
	take(PACE_TRIAL_SLOW, 2);
	take(PACE_TRIAL_PASSED, 1);
	ck_assert(s.sustained && s.done && s.worst_bps <= 0);
	begin(1);
	take(PACE_TRIAL_DISTURBED, 12);
	ck_assert(s.done && s.by_sender);
	begin(2);				/* in a row, that is */
	take(PACE_TRIAL_DISTURBED, 11);
	take(PACE_TRIAL_FAILED, 1);
	take(PACE_TRIAL_DISTURBED, 11);
	take(PACE_TRIAL_PASSED, 2);
	ck_assert(s.best_bps >= 10e6 && !s.by_sender);
	begin(1);
	take(PACE_TRIAL_SLOW, 3);
	ck_assert(s.done && s.by_sender);
}
END_TEST

START_TEST(one_failure_of_two_ends_nothing)
{
	begin(2);
	take(PACE_TRIAL_FAILED, 1);
	take(PACE_TRIAL_PASSED, 1);
	ck_assert(s.best_bps <= 0);
	take(PACE_TRIAL_PASSED, 1);
	ck_assert(s.best_bps >= 10e6);
	take(PACE_TRIAL_FAILED, 1);		/* of the long ones */
	take(PACE_TRIAL_PASSED, 1);
	ck_assert(!s.sustained);
	take(PACE_TRIAL_FAILED, 1);
	ck_assert(s.done && s.best_bps <= 0 && !s.by_sender);
	begin(1);
	take(PACE_TRIAL_FAILED, 1);
	ck_assert(s.done && s.best_bps <= 0);
}
END_TEST

/* Exact limits of a Poisson mean, one-sided 95 %, from tables; the first, 2.996, is reported as
 * 3. */
static const struct { uint64_t lost; double mean; } limits[] = {
	{ 0, 3 }, { 1, 4.744 }, { 2, 6.296 }, { 3, 7.754 }, { 5, 10.513 }, { 10, 16.962 },
	{ 100, 118.08 },
};

START_TEST(the_limit_of_a_loss_is_that_of_tables)
{
	double want = limits[_i].mean / 1e6, got = pace_search_loss_limit(limits[_i].lost, 1000000);

	ck_assert_msg(fabs(got - want) < 0.005 * want, "%g, not %g", got, want);
	ck_assert(pace_search_loss_limit(0, 0) >= 1 && pace_search_loss_limit(5, 2) <= 1);
	ck_assert(pace_search_loss_limit(0, 1) <= 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("search");

	unit_seed(tc);
	tcase_add_loop_test(tc, a_capacity_is_found, 0, COUNT_OF(paths));
	tcase_add_loop_test(tc, tokens_are_no_capacity, 0, 2);
	tcase_add_test(tc, a_path_above_all_rates_has_no_failure);
	tcase_add_test(tc, a_path_below_all_rates_has_no_success);
	tcase_add_test(tc, a_path_of_nothing_but_tokens_has_no_success);
	tcase_add_test(tc, low_and_high_may_be_one_rate);
	tcase_add_test(tc, a_sender_that_does_not_keep_up_is_told_apart);
	tcase_add_loop_test(tc, invalid_trials_have_a_bound, 0, 8);
	tcase_add_test(tc, a_long_trial_that_the_sender_spoils_leaves_what_passed);
	tcase_add_test(tc, an_invalid_trial_is_made_again);
	tcase_add_test(tc, one_failure_of_two_ends_nothing);
	tcase_add_loop_test(tc, the_limit_of_a_loss_is_that_of_tables, 0, COUNT_OF(limits));
	return unit_run(tc, "search");
}
