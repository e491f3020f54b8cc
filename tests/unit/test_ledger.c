/* ledger.h: the parts add up, and no place claims more than was lost. */
#include "core/ledger.h"

#include <check.h>

static const struct {
	uint64_t sent, refused, lost, drops, bad;
	struct pace_ledger want;
} cases[] = {
	{ 0, 0, 0, 0, 0, { 0, 0, 0, 0, 0 } },
	{ 100, 0, 0, 0, 0, { 100, 0, 0, 0, 0 } },
	{ 100, 3, 0, 0, 0, { 103, 3, 0, 0, 0 } },
	{ 0, 7, 0, 0, 0, { 7, 7, 0, 0, 0 } },
	{ 100, 0, 10, 0, 0, { 100, 0, 0, 0, 10 } },
	{ 100, 0, 10, 9, 0, { 100, 0, 0, 9, 1 } },
	{ 100, 0, 10, 10, 0, { 100, 0, 0, 10, 0 } },
	{ 100, 0, 10, 11, 0, { 100, 0, 0, 10, 0 } },	/* a duplicate was dropped too */
	{ 100, 0, 0, 4, 0, { 100, 0, 0, 0, 0 } },
	{ 100, 5, 100, 1, 0, { 105, 5, 0, 1, 99 } },
	{ 100, 0, 10, 6, 4, { 100, 0, 4, 2, 4 } },
	{ 100, 0, 10, 4, 6, { 100, 0, 4, 0, 6 } },	/* some were of other sockets */
	{ 100, 0, 3, 9, 4, { 100, 0, 3, 0, 0 } },
	{ 100, 0, 10, 0, 6, { 100, 0, 0, 0, 10 } },
	{ UINT64_C(1) << 62, 1, UINT64_C(1) << 62, UINT64_MAX, 0,
	    { (UINT64_C(1) << 62) + 1, 1, 0, UINT64_C(1) << 62, 0 } },
};

START_TEST(the_places_add_up)
{
	struct pace_ledger l = { 1, 2, 3, 4, 5 }, w = cases[_i].want;
	struct pace_claims claims = { cases[_i].drops, cases[_i].bad };

	pace_ledger_close(&l, cases[_i].sent, cases[_i].refused,
	    cases[_i].lost, &claims);
	ck_assert_uint_eq(l.asked, w.asked);
	ck_assert_uint_eq(l.tx_refused, w.tx_refused);
	ck_assert_uint_eq(l.rx_checksum, w.rx_checksum);
	ck_assert_uint_eq(l.rx_socket, w.rx_socket);
	ck_assert_uint_eq(l.network, w.network);
	ck_assert_uint_eq(l.asked, cases[_i].sent + l.tx_refused);
	ck_assert_uint_eq(l.rx_checksum + l.rx_socket + l.network, cases[_i].lost);
	ck_assert_uint_le(l.rx_checksum + l.rx_socket, cases[_i].drops);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("ledger");
	Suite *s = suite_create("ledger");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, the_places_add_up, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
