/* loss_groups.h: each place belongs to one group, in percent of the frames that were asked for. */
#include "report/loss_groups.h"

#include <math.h>
#include <string.h>

#include "lib/unit.h"

static const char *const groups[PACE_PLACES] = { [PACE_TX_QDISC] = "sender",
    [PACE_TX_NIC] = "sender", [PACE_NETWORK] = "network", [PACE_RX_NIC] = "NIC, driver",
    [PACE_RX_SOFTNET] = "softnet", [PACE_RX_CHECKSUM] = "filter, checksum",
    [PACE_RX_LATE] = "filter, checksum", [PACE_RX_IP] = "filter, checksum",
    [PACE_RX_INGRESS] = "filter, checksum", [PACE_RX_SOCKET] = "socket buffer" };
static struct pace_stream_point point[2];
static const struct pace_stream_point *const v[] = { &point[0], &point[1] };
static double share[PACE_LOSS_GROUPS], least[PACE_LOSS_GROUPS];

static void
setup(void)
{
	memset(point, 0, sizeof(point));
	for (int i = 0; i < 2; i++) {
		point[i].has_rx = true;
		point[i].ledger.asked = 1000;
	}
}

/* Of 2,000 frames 50 are lost there, 40 of them surely. */
START_TEST(a_place_counts_in_its_group)
{
	point[0].ledger.place[_i] = (struct pace_share){ .n = 30, .low = 25, .high = 30 };
	point[1].ledger.place[_i] = (struct pace_share){ .n = 20, .low = 15, .high = 40 };
	ck_assert_double_eq(pace_loss_groups_share(v, 2, share, least), 2.5);
	ck_assert_ptr_nonnull(groups[_i]);
	for (int k = 0; k < PACE_LOSS_GROUPS; k++) {
		bool here = strcmp(pace_loss_groups[k], groups[_i]) == 0;

		ck_assert_double_eq(share[k], here ? 2.5 : 0);
		ck_assert_double_eq(least[k], here ? 2 : 0);
	}
}
END_TEST

START_TEST(what_the_sender_could_not_send_is_its_loss)
{
	point[0].ledger.tx_refused = 100;
	point[1].has_rx = false;		/* nothing is known of it */
	ck_assert_double_eq(pace_loss_groups_share(v, 2, share, least), 10);
	ck_assert_double_eq(share[0], 10);
	ck_assert_double_eq(least[0], 10);
}
END_TEST

START_TEST(without_an_answer_nothing_is_known)
{
	point[0].has_rx = point[1].has_rx = false;
	ck_assert_double_eq(pace_loss_groups_share(v, 2, share, least), 0);
	ck_assert_double_nan(share[0]);
	ck_assert_double_nan(least[0]);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("loss_groups");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, a_place_counts_in_its_group, 0, PACE_PLACES);
	tcase_add_test(tc, what_the_sender_could_not_send_is_its_loss);
	tcase_add_test(tc, without_an_answer_nothing_is_known);
	return unit_run(tc, "loss_groups");
}
