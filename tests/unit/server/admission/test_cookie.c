/*
 * gate: a cookie is good for its address, its port, its giver and 30 to 60 s.
 */
#include "lib/unit.h"

#include <string.h>

#include "server/admission/cookie.h"

#define SEC	INT64_C(1000000000)
#define SLOT	(30 * SEC)

static struct pace_cookies cookies;
static uint8_t cookie[PACE_COOKIE_SIZE];
static const struct pace_addr peer = { .family = 4, .port = 40000, .ip = { 192, 0, 2, 1 } };

static void
setup(void)
{
	ck_assert_int_eq(pace_cookies_init(&cookies), 0);
}

/* When it was made, when it comes back (ns behind the start of a slot), is it good? */
static const struct { int64_t made, back; bool good; } ages[] = {
	{ 0, 0, true },
	{ 0, SLOT - 1, true },
	{ 0, SLOT, true },
	{ 0, 2 * SLOT - 1, true },	/* the oldest there can be */
	{ 0, 2 * SLOT, false },
	{ SLOT - 1, SLOT + SLOT - 1, true },
	{ SLOT - 1, 2 * SLOT, false },	/* 30 s and a little */
	{ 0, 1000 * SLOT, false },
	{ SLOT, SLOT - 1, true },	/* the threads' clocks were read in another order */
};

START_TEST(a_cookie_is_good_for_half_a_minute_to_a_minute)
{
	int64_t start = 7 * SLOT;

	pace_cookie_make(&cookies, &peer, 0, start + ages[_i].made, cookie);
	ck_assert_int_eq(pace_cookie_check(&cookies, &peer, 0, start + ages[_i].back, cookie),
	    ages[_i].good);
}
END_TEST

START_TEST(the_secret_is_another_one_in_each_slot)
{
	uint8_t before[PACE_COOKIE_SIZE];

	for (int i = 0; i < 5; i++) {
		pace_cookie_make(&cookies, &peer, 0, i * SLOT, cookie);
		ck_assert(i == 0 || memcmp(before, cookie, sizeof(cookie)) != 0);
		memcpy(before, cookie, sizeof(before));
		pace_cookie_make(&cookies, &peer, 0, i * SLOT + SLOT - 1, cookie);
		ck_assert_mem_eq(before, cookie, sizeof(cookie));
	}
	ck_assert(memcmp(cookies.secret[0], cookies.secret[1], sizeof(cookies.secret[0])) != 0);
}
END_TEST

START_TEST(a_silent_hour_leaves_no_old_secret)
{
	uint8_t old[2][32];

	pace_cookie_make(&cookies, &peer, 0, 0, cookie);
	pace_cookie_make(&cookies, &peer, 0, SLOT, cookie);
	memcpy(old, cookies.secret, sizeof(old));
	pace_cookie_make(&cookies, &peer, 0, 120 * SLOT, cookie);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			ck_assert(memcmp(old[i], cookies.secret[j], sizeof(old[i])) != 0);
}
END_TEST

START_TEST(a_cookie_is_of_one_address_and_port_and_one_giver)
{
	struct pace_addr a = peer;

	pace_cookie_make(&cookies, &peer, 0, 0, cookie);
	ck_assert(pace_cookie_check(&cookies, &peer, 0, 0, cookie));
	ck_assert(!pace_cookie_check(&cookies, &peer, 1, 0, cookie));
	a.port++;
	ck_assert(!pace_cookie_check(&cookies, &a, 0, 0, cookie));
	a = peer;
	a.ip[3]++;
	ck_assert(!pace_cookie_check(&cookies, &a, 0, 0, cookie));
	a = peer;
	a.family = 6;
	ck_assert(!pace_cookie_check(&cookies, &a, 0, 0, cookie));
	pace_cookie_make(&cookies, &peer, 77, 0, cookie);
	ck_assert(!pace_cookie_check(&cookies, &peer, 0, 0, cookie));
	ck_assert(pace_cookie_check(&cookies, &peer, 77, 0, cookie));
}
END_TEST

START_TEST(any_bit_matters)
{
	pace_cookie_make(&cookies, &peer, 0, 0, cookie);
	cookie[_i / 8] ^= (uint8_t)(1 << _i % 8);
	ck_assert(!pace_cookie_check(&cookies, &peer, 0, 0, cookie));
}
END_TEST

START_TEST(another_process_has_other_secrets)
{
	static struct pace_cookies second;

	ck_assert_int_eq(pace_cookies_init(&second), 0);
	pace_cookie_make(&cookies, &peer, 0, 0, cookie);
	ck_assert(!pace_cookie_check(&second, &peer, 0, 0, cookie));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("gate");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, a_cookie_is_good_for_half_a_minute_to_a_minute, 0, COUNT_OF(ages));
	tcase_add_test(tc, the_secret_is_another_one_in_each_slot);
	tcase_add_test(tc, a_silent_hour_leaves_no_old_secret);
	tcase_add_test(tc, a_cookie_is_of_one_address_and_port_and_one_giver);
	tcase_add_loop_test(tc, any_bit_matters, 0, 8 * PACE_COOKIE_SIZE);
	tcase_add_test(tc, another_process_has_other_secrets);
	return unit_run(tc, "gate");
}
