/*
 * limit: against a slow model that keeps every source apart, at its edges, and
 * with more sources than it has room for.
 */
#include "lib/unit.h"

#include <string.h>

#include "session/throttle.h"

#define SEC	INT64_C(1000000000)
#define START	(1000 * SEC)

static struct pace_throttle *limit;

static void
setup(void)
{
	limit = pace_throttle_new();
	ck_assert_ptr_nonnull(limit);
}

static void
teardown(void)
{
	pace_throttle_free(limit);
}

static struct pace_addr
v4(uint32_t ip, uint16_t port)
{
	return (struct pace_addr){ .family = 4, .port = port,
	    .ip = { (uint8_t)(ip >> 24), (uint8_t)(ip >> 16), (uint8_t)(ip >> 8), (uint8_t)ip } };
}

/* How many of n at once are answered. */
static int
at_once(const struct pace_addr *from, int n, int64_t now)
{
	int answered = 0;

	for (int i = 0; i < n; i++)
		answered += pace_throttle_take(limit, from, now);
	return answered;
}

/* --- the limits -------------------------------------------------------------- */

START_TEST(a_flow_has_its_burst_and_then_its_rate)
{
	struct pace_addr a = v4(0x0a000001, 4000);

	ck_assert_int_eq(at_once(&a, 100, START), PACE_LIMIT_FLOW_BURST);
	ck_assert_int_eq(at_once(&a, 100, START + SEC / PACE_LIMIT_FLOW - 1), 0);
	ck_assert_int_eq(at_once(&a, 100, START + SEC / PACE_LIMIT_FLOW), 1);
	ck_assert_int_eq(at_once(&a, 100, START + 3600 * SEC), PACE_LIMIT_FLOW_BURST);
}
END_TEST

START_TEST(a_house_has_its_burst_and_then_its_rate)
{
	int answered = 0;

	for (uint16_t port = 1; port <= 200; port++) {
		struct pace_addr a = v4(0x0a000001, port);

		answered += at_once(&a, 1, START);
	}
	ck_assert_int_eq(answered, PACE_LIMIT_HOUSE_BURST);
	answered = 0;
	for (int ms = 1; ms <= 10000; ms++) {
		struct pace_addr a = v4(0x0a000001, (uint16_t)(1000 + ms));

		answered += at_once(&a, 1, START + ms * SEC / 1000);
	}
	ck_assert_int_eq(answered, 10 * PACE_LIMIT_HOUSE);
}
END_TEST

START_TEST(one_socket_that_floods_leaves_its_neighbours_their_share)
{
	struct pace_addr flood = v4(0x0a000001, 4000), other = v4(0x0a000001, 4001);

	for (int ms = 0; ms < 10000; ms++)
		(void)at_once(&flood, 10, START + ms * SEC / 1000);
	ck_assert_int_eq(at_once(&other, 100, START + 10 * SEC), PACE_LIMIT_FLOW_BURST);
}
END_TEST

START_TEST(who_asks_too_often_is_answered_as_often_as_who_does_not)
{
	struct pace_addr a = v4(0x0a000001, 4000);
	int answered = 0;

	for (int64_t us = 0; us < 10000000; us += 100)
		answered += pace_throttle_take(limit, &a, START + us * 1000);
	ck_assert_int_eq(answered, PACE_LIMIT_FLOW_BURST + 10 * PACE_LIMIT_FLOW - 1);
}
END_TEST

/* The last byte of one address is another: of the same house, or not. */
static const struct { uint8_t family; int at; bool same; } houses[] = {
	{ 4, 3, false }, { 4, 0, false }, { 4, 4, true },	/* IPv4 has four bytes */
	{ 6, 15, true }, { 6, 8, true }, { 6, 7, false }, { 6, 0, false },
};

START_TEST(a_house_is_an_ipv4_address_or_an_ipv6_network_of_64_bits)
{
	struct pace_addr a = { .family = houses[_i].family, .ip = { 32, 1, 13, 184 } }, b = a;
	int answered = 0;

	b.ip[houses[_i].at] ^= 1;
	for (a.port = 1; a.port <= 200; a.port++)
		answered += at_once(&a, 1, START);
	ck_assert_int_eq(answered, PACE_LIMIT_HOUSE_BURST);
	b.port = 999;
	ck_assert_int_eq(at_once(&b, 1, START), !houses[_i].same);
}
END_TEST

START_TEST(families_are_apart)
{
	struct pace_addr a = v4(0x0a000001, 7), b = a;

	b.family = 6;
	ck_assert_int_eq(at_once(&a, 100, START), PACE_LIMIT_FLOW_BURST);
	ck_assert_int_eq(at_once(&b, 100, START), PACE_LIMIT_FLOW_BURST);
}
END_TEST

/* --- a slow model -------------------------------------------------------------- */

#define HOSTS	64
#define PORTS	8

struct bucket { double level; int64_t at_ns; };		/* answers that are not paid for */
static struct bucket flow[HOSTS][PORTS], house[HOSTS];

static bool
has_room(struct bucket *b, double rate, double burst, int64_t now)
{
	b->level -= (double)(now - b->at_ns) * 1e-9 * rate;
	if (b->level < 0)
		b->level = 0;
	b->at_ns = now;
	return b->level + 1 <= burst + 1e-6;
}

static bool
model_take(int h, int p, int64_t now)
{
	bool ok = has_room(&flow[h][p], PACE_LIMIT_FLOW, PACE_LIMIT_FLOW_BURST, now);

	ok &= has_room(&house[h], PACE_LIMIT_HOUSE, PACE_LIMIT_HOUSE_BURST, now);
	flow[h][p].level += ok;
	house[h].level += ok;
	return ok;
}

START_TEST(with_few_sources_it_is_the_model)
{
	int64_t now = START;
	uint64_t answered = 0, refused = 0;

	memset(flow, 0, sizeof(flow));
	memset(house, 0, sizeof(house));
	for (int i = 0; i < 300000; i++) {
		int h = (int)unit_between(0, 3) == 0 ? 0 : (int)unit_between(0, HOSTS - 1);
		int p = (int)unit_between(0, PORTS - 1);
		struct pace_addr a = v4(0x0a000000U + (uint32_t)h, (uint16_t)(1000 + p));
		bool want, got;

		now += unit_between(0, 1500000);
		want = model_take(h, p, now);
		got = pace_throttle_take(limit, &a, now);
		ck_assert_msg(want == got, "datagram %d of host %d port %d: %d, model %d", i, h, p,
		    got, want);
		answered += got;
		refused += !got;
	}
	ck_assert_uint_gt(answered, 50000);
	ck_assert_uint_gt(refused, 50000);
}
END_TEST

/* --- more sources than columns --------------------------------------------------- */

START_TEST(nobody_gets_more_than_his_limit_among_a_million)
{
	struct pace_addr a = v4(0x0a000001, 4000);
	int answered = 0;

	for (int i = 0; i < 1000000; i++) {
		struct pace_addr other = v4((uint32_t)unit_rnd(), (uint16_t)unit_rnd());
		int64_t now = START + (int64_t)i * 10000;	/* 10 s */

		(void)pace_throttle_take(limit, &other, now);
		if (i % 100 == 0)
			answered += pace_throttle_take(limit, &a, now);
	}
	ck_assert_int_le(answered, PACE_LIMIT_FLOW_BURST + 10 * PACE_LIMIT_FLOW);
	/* 100,000 a second, spread over all there are, silence nobody. */
	ck_assert_int_ge(answered, 10 * PACE_LIMIT_FLOW / 2);
}
END_TEST

START_TEST(ten_thousand_that_flood_harm_hardly_anybody_else)
{
	int harmed = 0;

	for (int i = 0; i < 10000 * 60; i++) {
		struct pace_addr a = v4(0xc6120000U + (uint32_t)(i % 10000), (uint16_t)(i / 10000));

		(void)pace_throttle_take(limit, &a, START);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		struct pace_addr a = v4(0x0a000000U + i, 4000);

		harmed += !pace_throttle_take(limit, &a, START);
	}
	ck_assert_int_lt(harmed, 5000 / 50);	/* 1 in 200 is expected */
}
END_TEST

/* Whom it harms is not known beforehand, nor the same for two responders. */
START_TEST(collisions_cannot_be_chosen)
{
	struct pace_throttle *second = pace_throttle_new();
	int apart = 0;

	for (int i = 0; i < 10000 * 60; i++) {
		struct pace_addr a = v4(0xc6120000U + (uint32_t)(i % 10000), (uint16_t)(i / 10000));

		(void)pace_throttle_take(limit, &a, START);
		(void)pace_throttle_take(second, &a, START);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		struct pace_addr a = v4(0x0a000000U + i, 4000);

		apart += pace_throttle_take(limit, &a, START) != pace_throttle_take(second, &a, START);
	}
	pace_throttle_free(second);
	ck_assert_int_gt(apart, 20);
}
END_TEST

START_TEST(it_takes_two_mebibytes)
{
	ck_assert_uint_le(sizeof(struct pace_throttle), (2U << 20) + 4096);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("limit");

	unit_seed();
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_flow_has_its_burst_and_then_its_rate);
	tcase_add_test(tc, a_house_has_its_burst_and_then_its_rate);
	tcase_add_test(tc, one_socket_that_floods_leaves_its_neighbours_their_share);
	tcase_add_test(tc, who_asks_too_often_is_answered_as_often_as_who_does_not);
	tcase_add_loop_test(tc, a_house_is_an_ipv4_address_or_an_ipv6_network_of_64_bits, 0,
	    COUNT_OF(houses));
	tcase_add_test(tc, families_are_apart);
	tcase_add_test(tc, with_few_sources_it_is_the_model);
	tcase_add_test(tc, nobody_gets_more_than_his_limit_among_a_million);
	tcase_add_test(tc, ten_thousand_that_flood_harm_hardly_anybody_else);
	tcase_add_test(tc, collisions_cannot_be_chosen);
	tcase_add_test(tc, it_takes_two_mebibytes);
	return unit_run(tc, "limit");
}
