/*
 * throttle: against a slow model that keeps every source apart, at its edges, under forged
 * HELLOs, and with more sources than it has room for.
 */
#include "lib/unit.h"

#include <string.h>

#include "server/admission/reply_limit.h"

#define SEC	INT64_C(1000000000)
#define START	(1000 * SEC)

static struct pace_reply_limit first_limit, second_limit, *const limit = &first_limit;

static void
setup(void)
{
	ck_assert_int_eq(pace_reply_limit_init(limit), 0);
}

static int
burst_of(enum pace_reply_limit_kind kind, enum pace_prefix p)
{
	return (int)pace_reply_limit_limits[kind][p].burst;
}

static struct pace_addr
v4(uint32_t ip)
{
	return (struct pace_addr){ .family = 4, .port = (uint16_t)unit_rnd(),
	    .ip = { (uint8_t)(ip >> 24), (uint8_t)(ip >> 16), (uint8_t)(ip >> 8), (uint8_t)ip } };
}

/* 2001:db8:xxxx:yyzz::1, the /48 first. */
static struct pace_addr
v6(uint16_t network, uint8_t site, uint8_t host)
{
	return (struct pace_addr){ .family = 6, .ip = { 32, 1, 13, 184, (uint8_t)(network >> 8),
	    (uint8_t)network, site, host, [15] = 1 } };
}

/* How many of n at once are answered. */
static int
at_once(enum pace_reply_limit_kind kind, const struct pace_addr *from, int n, int64_t now)
{
	int answered = 0;

	for (int i = 0; i < n; i++)
		answered += pace_reply_limit_take(limit, kind, from, NULL, now);
	return answered;
}

/* --- the limits -------------------------------------------------------------- */

/* Loop test: the kinds. */
START_TEST(a_host_has_its_burst_and_then_its_rate)
{
	const struct pace_rate_sketch_limit *l = &pace_reply_limit_limits[_i][PACE_PREFIX_HOST];
	struct pace_addr a = v4(0x0a000001);

	ck_assert_int_eq(at_once((enum pace_reply_limit_kind)_i, &a, 10000, START), l->burst);
	a.port++;				/* ports do not matter */
	ck_assert_int_eq(at_once((enum pace_reply_limit_kind)_i, &a, 10000, START + l->every_ns - 1), 0);
	ck_assert_int_eq(at_once((enum pace_reply_limit_kind)_i, &a, 10000, START + l->every_ns), 1);
	ck_assert_int_eq(at_once((enum pace_reply_limit_kind)_i, &a, 10000, START + 3600 * SEC), l->burst);
}
END_TEST

START_TEST(a_source_that_asks_too_often_has_its_rate)
{
	struct pace_addr a = v4(0x0a000001);
	int answered = 0, burst = burst_of(PACE_REPLY_LIMIT_REST, PACE_PREFIX_HOST);

	for (int64_t us = 0; us < 10000000; us += 100)
		answered += at_once(PACE_REPLY_LIMIT_REST, &a, 1, START + us * 1000);
	ck_assert_int_eq(answered, burst + 10 * burst - 1);
}
END_TEST

/* 1000 a second in the name of a client, for a minute: each of its own is answered. */
START_TEST(forged_hellos_use_up_nothing)
{
	struct pace_addr a = v4(0x0a000001);

	for (int ms = 0; ms < 60000; ms++) {
		ck_assert(pace_reply_limit_take(limit, PACE_REPLY_LIMIT_HELLO, &a, NULL,
		    START + ms * SEC / 1000));
		if (ms % 100 == 0)
			ck_assert(pace_reply_limit_take(limit, PACE_REPLY_LIMIT_HELLO, &a, NULL,
			    START + ms * SEC / 1000 + 1));
	}
}
END_TEST

START_TEST(kinds_are_apart)
{
	struct pace_addr a = v4(0x0a000001);

	for (enum pace_reply_limit_kind kind = 0; kind < PACE_REPLY_LIMIT_KINDS; kind++)
		ck_assert_int_eq(at_once(kind, &a, 10000, START), burst_of(kind, PACE_PREFIX_HOST));
}
END_TEST

START_TEST(a_key_has_its_own_wherever_it_is)
{
	const int burst = burst_of(PACE_REPLY_LIMIT_HELLO, PACE_PREFIX_HOST);
	struct pace_addr a = v4(0x0a000001);
	const uint8_t alice[8] = { 1, 2, 3 }, bob[8] = { 1, 2, 4 };
	int answered = 0;

	(void)at_once(PACE_REPLY_LIMIT_HELLO, &a, 100000, START);
	for (int i = 0; i < 2 * burst; i++, a.ip[i % 4]++)
		answered += pace_reply_limit_take(limit, PACE_REPLY_LIMIT_HELLO, &a, alice, START);
	ck_assert_int_eq(answered, burst);
	ck_assert(pace_reply_limit_take(limit, PACE_REPLY_LIMIT_HELLO, &a, bob, START));
}
END_TEST

/* --- prefixes ------------------------------------------------------------------ */

/* As many hosts as there are in a prefix, each as often as it may. */
START_TEST(a_prefix_has_no_more_than_its_limit)
{
	int answered[PACE_PREFIXES] = { 0 }, n;
	struct pace_addr a;

	for (int site = 0; site < 8; site++) {
		for (int host = 0; host < 8; host++) {
			a = v6(1, (uint8_t)site, (uint8_t)host);
			n = at_once(PACE_REPLY_LIMIT_REST, &a, 100, START);
			answered[PACE_PREFIX_NETWORK] += n;
			answered[PACE_PREFIX_SITE] += site == 0 ? n : 0;
			answered[PACE_PREFIX_HOST] += site == 0 && host == 0 ? n : 0;
		}
	}
	for (enum pace_prefix p = 0; p < PACE_PREFIXES; p++)
		ck_assert_int_eq(answered[p], burst_of(PACE_REPLY_LIMIT_REST, p));
	a = v6(2, 0, 0);			/* the network beside it */
	ck_assert_int_eq(at_once(PACE_REPLY_LIMIT_REST, &a, 100, START),
	    burst_of(PACE_REPLY_LIMIT_REST, PACE_PREFIX_HOST));
}
END_TEST

START_TEST(families_are_apart)
{
	struct pace_addr a = v4(0x0a000001), b = a;

	b.family = 6;
	for (int i = 0; i < 2; i++, a = b)
		ck_assert_int_eq(at_once(PACE_REPLY_LIMIT_REST, &a, 100, START),
		    burst_of(PACE_REPLY_LIMIT_REST, PACE_PREFIX_HOST));
}
END_TEST

/* --- a slow model -------------------------------------------------------------- */

struct bucket { double level; int64_t at_ns; };		/* answers that are not paid for */
static struct bucket buckets[PACE_PREFIXES][64];

static bool
has_room(struct bucket *b, const struct pace_rate_sketch_limit *l, int64_t now)
{
	b->level -= (double)(now - b->at_ns) / (double)l->every_ns;
	if (b->level < 0)
		b->level = 0;
	b->at_ns = now;
	return b->level + 1 <= (double)l->burst + 1e-6;
}

/* All of its prefixes, or none. */
static bool
model_take(const int at[PACE_PREFIXES], int64_t now)
{
	bool ok = true;

	for (enum pace_prefix p = 0; p < PACE_PREFIXES; p++)
		ok &= has_room(&buckets[p][at[p]], &pace_reply_limit_limits[PACE_REPLY_LIMIT_REST][p], now);
	for (enum pace_prefix p = 0; p < PACE_PREFIXES; p++)
		buckets[p][at[p]].level += ok;
	return ok;
}

START_TEST(with_few_sources_it_is_the_model)
{
	uint64_t answered = 0, refused = 0;
	int64_t now = START;

	memset(buckets, 0, sizeof(buckets));
	for (int i = 0; i < 300000; i++) {
		int network = (int)unit_between(0, 3), site = (int)unit_between(0, 3);
		int host = (int)unit_between(0, 3);
		struct pace_addr a = v6((uint16_t)network, (uint8_t)site, (uint8_t)host);
		bool want, got;

		now += unit_between(0, 3000000);
		want = model_take((const int[]){ network * 16 + site * 4 + host, network * 4 + site,
		    network }, now);
		got = pace_reply_limit_take(limit, PACE_REPLY_LIMIT_REST, &a, NULL, now);
		ck_assert_msg(want == got, "datagram %d of %d:%d:%d: %d, model %d", i, network, site,
		    host, got, want);
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
	struct pace_addr a = v4(0x0a000001);
	int answered = 0, burst = burst_of(PACE_REPLY_LIMIT_REST, PACE_PREFIX_HOST);

	for (int i = 0; i < 1000000; i++) {
		struct pace_addr other = v4((uint32_t)unit_rnd());
		int64_t now = START + (int64_t)i * 10000;	/* 10 s */

		(void)at_once(PACE_REPLY_LIMIT_REST, &other, 1, now);
		answered += at_once(PACE_REPLY_LIMIT_REST, &a, i % 100 == 0, now);
	}
	ck_assert_int_le(answered, burst + 10 * burst);
	/* 100,000 a second from all addresses silence no client. */
	ck_assert_int_ge(answered, 10 * burst / 2);
}
END_TEST

/* Each of 4000 networks uses up what one of its hosts may have. */
static void
flood(struct pace_reply_limit *l)
{
	for (int i = 0; i < 4000 * 20; i++) {
		struct pace_addr a = v4(0xc6120001U + (uint32_t)(i % 4000 << 8));

		(void)pace_reply_limit_take(l, PACE_REPLY_LIMIT_REST, &a, NULL, START);
	}
}

START_TEST(thousands_that_flood_harm_hardly_anybody_else)
{
	int harmed = 0;

	flood(limit);
	for (uint32_t i = 0; i < 5000; i++) {
		struct pace_addr a = v4(0x0a000000U + (i << 8));

		harmed += !at_once(PACE_REPLY_LIMIT_REST, &a, 1, START);
	}
	ck_assert_int_lt(harmed, 5000 / 50);
}
END_TEST

/* Whom it harms is not known beforehand, nor the same for two responders. */
START_TEST(collisions_cannot_be_chosen)
{
	struct pace_reply_limit *second = &second_limit;
	int apart = 0;

	ck_assert_int_eq(pace_reply_limit_init(second), 0);
	for (int i = 0; i < 4; i++) {		/* many more, so that there are some */
		flood(limit);
		flood(second);
	}
	for (int i = 0; i < 12000 * 20; i++) {
		struct pace_addr a = v4(0x14000001U + (uint32_t)(i % 12000 << 8));

		(void)at_once(PACE_REPLY_LIMIT_REST, &a, 1, START);
		(void)pace_reply_limit_take(second, PACE_REPLY_LIMIT_REST, &a, NULL, START);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		struct pace_addr a = v4(0x0a000000U + (i << 8));

		apart += at_once(PACE_REPLY_LIMIT_REST, &a, 1, START) !=
		    pace_reply_limit_take(second, PACE_REPLY_LIMIT_REST, &a, NULL, START);
	}
	ck_assert_int_gt(apart, 20);
}
END_TEST

START_TEST(it_takes_four_mebibytes)
{
	ck_assert_uint_le(sizeof(struct pace_reply_limit), (4U << 20) + 4096);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("throttle");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, a_host_has_its_burst_and_then_its_rate, 0, PACE_REPLY_LIMIT_KINDS);
	tcase_add_test(tc, a_source_that_asks_too_often_has_its_rate);
	tcase_add_test(tc, forged_hellos_use_up_nothing);
	tcase_add_test(tc, kinds_are_apart);
	tcase_add_test(tc, a_key_has_its_own_wherever_it_is);
	tcase_add_test(tc, a_prefix_has_no_more_than_its_limit);
	tcase_add_test(tc, families_are_apart);
	tcase_add_test(tc, with_few_sources_it_is_the_model);
	tcase_add_test(tc, nobody_gets_more_than_his_limit_among_a_million);
	tcase_add_test(tc, thousands_that_flood_harm_hardly_anybody_else);
	tcase_add_test(tc, collisions_cannot_be_chosen);
	tcase_add_test(tc, it_takes_four_mebibytes);
	return unit_run(tc, "throttle");
}
