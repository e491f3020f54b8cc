/* ledger.h: the parts add up, no place claims more than was lost, and whatever the
 * truth was, it lies within the bounds. */
#include "core/ledger.h"

#include <check.h>
#include <string.h>

#include "lib/unit.h"

#define BIG	(UINT64_C(1) << 62)

/* Claims as { known, low, high, 0 }; those that are not here count and counted nothing,
 * and what is likely becomes the most. */
static const struct {
	uint64_t sent, refused, lost;
	struct pace_claim claim[PACE_NETWORK];
	uint64_t n[PACE_PLACES];	/* what is believed */
	uint64_t low, high;		/* of the network */
	uint64_t short_of;
} cases[] = {
	{ 0, 0, 0, { { 0 } }, { 0 }, 0, 0, 0 },
	{ 100, 3, 0, { { 0 } }, { 0 }, 0, 0, 0 },
	{ 0, 7, 0, { { 0 } }, { 0 }, 0, 0, 0 },
	{ 100, 0, 10, { { 0 } }, { [PACE_NETWORK] = 10 }, 10, 10, 0 },
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 9, 9, 0 } }, { [PACE_RX_SOCKET] = 9, [PACE_NETWORK] = 1 }, 1, 1, 0 },
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 10, 10, 0 } }, { [PACE_RX_SOCKET] = 10 }, 0, 0, 0 },
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 11, 11, 0 } }, { [PACE_RX_SOCKET] = 10 }, 0, 0, 0 },	/* the count is of more than frames */
	{ 100, 0, 0, { [PACE_RX_SOCKET] = { true, 4, 4, 0 } }, { 0 }, 0, 0, 0 },
	/* a bound is believed, and leaves the network an interval */
	{ 100, 0, 10, { [PACE_RX_NIC] = { true, 0, 3, 0 } },
	    { [PACE_RX_NIC] = 3, [PACE_NETWORK] = 7 }, 7, 10, 0 },
	{ 100, 0, 10, { [PACE_RX_NIC] = { true, 0, 30, 0 } }, { [PACE_RX_NIC] = 10 }, 0, 10, 0 },
	/* what is exact goes first */
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 6, 6, 0 }, [PACE_RX_IP] = { true, 0, 30, 0 } },
	    { [PACE_RX_SOCKET] = 6, [PACE_RX_IP] = 4 }, 0, 4, 0 },
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 2, 6, 0 }, [PACE_RX_CHECKSUM] = { true, 0, 4, 0 } },
	    { [PACE_RX_CHECKSUM] = 4, [PACE_RX_SOCKET] = 6 }, 0, 8, 0 },
	{ 100, 0, 10, { [PACE_RX_IP] = { true, 0, 6, 0 }, [PACE_TX_QDISC] = { true, 0, 6, 0 } },
	    { [PACE_RX_IP] = 6, [PACE_TX_QDISC] = 4 }, 0, 10, 0 },
	/* what did not reach the interface cannot have died behind it */
	{ 100, 0, 10, { [PACE_RX_IP] = { true, 0, 30, 0 } },
	    { [PACE_RX_IP] = 3, [PACE_NETWORK] = 7 }, 7, 10, 7 },
	{ 100, 0, 10, { [PACE_RX_SOCKET] = { true, 6, 6, 0 }, [PACE_RX_IP] = { true, 0, 30, 0 } },
	    { [PACE_RX_SOCKET] = 6, [PACE_NETWORK] = 4 }, 4, 4, 9 },
	{ 100, 0, 10, { [PACE_RX_NIC] = { true, 0, 4, 0 } },
	    { [PACE_RX_NIC] = 4, [PACE_NETWORK] = 6 }, 6, 10, 10 },
	{ 100, 0, 10, { [PACE_TX_NIC] = { true, 5, 8, 0 } },
	    { [PACE_TX_NIC] = 8, [PACE_NETWORK] = 2 }, 2, 5, 10 },
	{ BIG, 1, BIG, { [PACE_RX_SOCKET] = { true, 0, UINT64_MAX, 0 }, [PACE_RX_IP] = { true, 0, UINT64_MAX, 0 } },
	    { [PACE_RX_SOCKET] = BIG }, 0, BIG, 0 },
};

static void
holds(const struct pace_ledger *l, uint64_t lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < PACE_PLACES; i++) {
		ck_assert_uint_le(l->place[i].low, l->place[i].n);
		ck_assert_uint_le(l->place[i].n, l->place[i].high);
		ck_assert_uint_le(l->place[i].high, lost);
		sum += l->place[i].n;
	}
	ck_assert_uint_eq(sum, lost);
}

START_TEST(the_places_add_up)
{
	struct pace_claim c[PACE_NETWORK];
	struct pace_ledger l;

	for (int i = 0; i < PACE_NETWORK; i++) {
		c[i] = cases[_i].claim[i];
		c[i].known = true;
		c[i].likely = c[i].high;
	}
	memset(&l, 0x5a, sizeof(l));
	pace_ledger_close(&l, cases[_i].sent, cases[_i].refused, cases[_i].lost,
	    cases[_i].short_of, c);
	ck_assert_uint_eq(l.asked, cases[_i].sent + cases[_i].refused);
	ck_assert_uint_eq(l.tx_refused, cases[_i].refused);
	for (int i = 0; i < PACE_PLACES; i++)
		ck_assert_uint_eq(l.place[i].n, cases[_i].n[i]);
	ck_assert_uint_eq(l.place[PACE_NETWORK].low, cases[_i].low);
	ck_assert_uint_eq(l.place[PACE_NETWORK].high, cases[_i].high);
	holds(&l, cases[_i].lost);
}
END_TEST

/* A place that is not counted may have all of what is not sure elsewhere. */
START_TEST(where_nothing_counts_the_network_is_not_sure)
{
	struct pace_claim c[PACE_NETWORK] = { [PACE_RX_SOCKET] = { true, 3, 3, 3 } };
	struct pace_ledger l;

	for (int i = 0; i < PACE_NETWORK; i++)
		c[i].known = i != PACE_RX_IP;
	pace_ledger_close(&l, 100, 0, 10, 0, c);
	ck_assert(!l.place[PACE_RX_IP].known);
	ck_assert_uint_eq(l.place[PACE_NETWORK].n, 7);
	ck_assert_uint_eq(l.place[PACE_NETWORK].low, 0);
	ck_assert_uint_eq(l.place[PACE_NETWORK].high, 7);
}
END_TEST

/* Frames die at random places; each counts its own and others' frames on top.  Some losses at the
 * socket and at the sender's interface are certain; the receiver's interface counted all frames
 * that reached it, and others: the truth must lie within every bound. */
START_TEST(the_truth_is_within_the_bounds)
{
	for (int round = 0; round < 40000; round++) {
		uint64_t died[PACE_PLACES], lost = 0, rest = 0, before = 0, seen;
		struct pace_claim c[PACE_NETWORK];
		struct pace_ledger l;

		for (int i = 0; i < PACE_PLACES; i++) {
			died[i] = unit_rnd() % 3 == 0 ? unit_rnd() % 50 : 0;
			lost += died[i];
			before += i > PACE_RX_SOFTNET ? died[i] : 0;
		}
		for (int i = 0; i < PACE_NETWORK; i++) {
			c[i] = (struct pace_claim){ .known = unit_rnd() % 4 > 0 };
			c[i].high = died[i] + (unit_rnd() % 2 == 0 ? unit_rnd() % 40 : 0);
			c[i].low = (i == PACE_RX_SOCKET || i == PACE_TX_NIC) && unit_rnd() % 2 == 0 ?
			    died[i] - unit_rnd() % (died[i] + 1) : 0;
			c[i].likely = c[i].low + unit_rnd() % (c[i].high - c[i].low + 1);
			rest += c[i].known ? 0 : died[i];	/* counted nowhere */
		}
		seen = unit_rnd() % 3 == 0 ? 0 : before - unit_rnd() % (before + 1);
		pace_ledger_close(&l, 1000, 0, lost, seen, c);
		holds(&l, lost);
		for (int i = 0; i < PACE_NETWORK; i++)
			if (c[i].known) {
				ck_assert_uint_le(l.place[i].low, died[i]);
				ck_assert_uint_le(died[i], l.place[i].high);
			}
		ck_assert_uint_le(l.place[PACE_NETWORK].low, died[PACE_NETWORK] + rest);
		ck_assert_uint_le(died[PACE_NETWORK] + rest, l.place[PACE_NETWORK].high);
	}
}
END_TEST

START_TEST(every_place_has_a_name)
{
	for (int i = 0; i < PACE_PLACES; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(pace_place_name((enum pace_place)i),
			    pace_place_name((enum pace_place)k));
	ck_assert_str_eq(pace_place_name(PACE_NETWORK), "network");
	ck_assert_str_eq(pace_place_name(PACE_RX_SOCKET), "rx_socket");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ledger");

	unit_seed(tc);
	tcase_add_loop_test(tc, the_places_add_up, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, where_nothing_counts_the_network_is_not_sure);
	tcase_add_test(tc, the_truth_is_within_the_bounds);
	tcase_add_test(tc, every_place_has_a_name);
	return unit_run(tc, "ledger");
}
