/* live/host_sample: two samples of a made-up host become its status. */
#include "live/host_sample.h"

#include "lib/tree.h"
#include "lib/unit.h"

#define SEC	INT64_C(1000000000)

static struct pace_host_sample g;
static struct pace_host_status h;

static void
setup(void)
{
	tree_begin();
	memset(&g, 0, sizeof(g));
}

static void
teardown(void)
{
	pace_host_sample_free(&g);
	tree_end();
}

/* Bytes, frames, errors, drops, full ring of the receiver; bytes, frames, errors, drops of the
 * sender. */
static void
put_host(const char *cores)
{
	tree_put("/proc/stat", "%s", cores);
	tree_put("/proc/net/dev", "eth0:9000 100 7 2 5 0 0 0 4000 40 3 4 0 0 0 0\n"
	    "idle0: 0 0 9 9 9 0 0 0 0 0 0 0 0 0 0 0\n"
	    "eth1:8000 300 1 0 4 0 0 0 5000 50 0 0 0 0 0 0\n"
	    "out0: 0 0 0 0 0 0 0 0 6000 60 0 0 0 0 0 0\n");
}

START_TEST(an_error_and_a_full_ring_are_one_loss)
{
	ck_assert_uint_eq(pace_if_rx_lost(&(struct pace_if_use){ .n = { [PACE_IF_RX_DROPPED] = 2,
	    [PACE_IF_RX_ERRORS] = 7, [PACE_IF_RX_FIFO] = 5 } }), 9);
	ck_assert_uint_eq(pace_if_rx_lost(&(struct pace_if_use){ .n = { [PACE_IF_RX_DROPPED] = 2,
	    [PACE_IF_RX_ERRORS] = 5, [PACE_IF_RX_FIFO] = 7 } }), 9);
}
END_TEST

START_TEST(interfaces_are_sorted_by_frames_and_summed)
{
	put_host("cpu0 0 0 0 0 0 0 0 0 0 0\n");
	pace_host_fill(&h, pace_host_sample_at(&g, tree_root, SEC));
	ck_assert(h.known && !h.reported);
	ck_assert_int_eq(h.interfaces, 3);
	ck_assert_str_eq(h.interface[0].name, "eth1");
	ck_assert_str_eq(h.interface[1].name, "eth0");
	ck_assert_str_eq(h.interface[2].name, "out0");
	ck_assert_uint_eq(h.interface[1].n[PACE_IF_TX_FRAMES], 40);
	ck_assert(pace_host_counters_has(&h.sums, PACE_SUM_NIC));
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC], 400);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC_LOST], 4 + 9);
}
END_TEST

START_TEST(the_sums_are_of_interfaces_that_are_not_listed_too)
{
	char text[2048];
	int n = 0;

	for (int i = 1; i <= 20; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
		    "eth%d: 0 %d 0 1 0 0 0 0 0 0 0 0 0 0 0 0\n", i, i);
	tree_put("/proc/stat", "cpu0 0 0 0 0 0 0 0 0 0 0\n");
	tree_put("/proc/net/dev", "%s", text);
	pace_host_fill(&h, pace_host_sample_at(&g, tree_root, SEC));
	ck_assert_int_eq(h.interfaces, PACE_HOST_SAMPLE_INTERFACES);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC], 210);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC_LOST], 20);
}
END_TEST

START_TEST(cores_are_sorted_by_their_work_since_the_last_sample)
{
	static const struct { uint64_t core; double busy, softirq; } want[] = {
		{ 1, 0.5, 0.3 }, { 0, 0.3, 0 }, { 2, 0, 0 },
	};

	put_host("cpu0 9 9 9 9 9 9 9 9 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\n");
	pace_host_fill(&h, pace_host_sample_at(&g, tree_root, SEC));
	ck_assert_uint_eq(h.cores, 3);
	ck_assert_int_eq(h.busiest, 0);		/* nothing to compare with */
	put_host("cpu0 29 9 19 69 19 9 9 9 0 0\ncpu1 10 0 5 50 0 10 20 5 0 0\n"
	    "cpu2 0 0 0 90 10 0 0 0 0 0\n");
	pace_host_fill(&h, pace_host_sample_at(&g, tree_root, SEC + SEC / 2));
	ck_assert_int_eq(h.busiest, 0);		/* too early for another sample */
	pace_host_fill(&h, pace_host_sample_at(&g, tree_root, 2 * SEC));
	ck_assert_int_eq(h.busiest, 3);
	for (int i = 0; i < COUNT_OF(want); i++) {
		ck_assert_uint_eq(h.core[i].core, want[i].core);
		ck_assert_double_eq_tol(h.core[i].busy, want[i].busy, 1e-9);
		ck_assert_double_eq_tol(h.core[i].softirq, want[i].softirq, 1e-9);
	}
}
END_TEST

START_TEST(a_report_has_one_interface_for_all)
{
	pace_host_reported(&h, &(struct pace_host_counters){ .at_ns = 5, .has = ~UINT64_C(0), .n = {
	    [PACE_SUM_NIC] = 1000, [PACE_SUM_NIC_LOST] = 30, [PACE_SUM_BACKLOG_LOST] = 4 } });
	ck_assert(h.known && h.reported);
	ck_assert_int_eq(h.interfaces, 1);
	ck_assert_uint_eq(h.interface[0].n[PACE_IF_RX_FRAMES], 1000);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC], 1000);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_NIC_LOST], 30);
	ck_assert_uint_eq(h.sums.n[PACE_SUM_BACKLOG_LOST], 4);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("host_sample");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_error_and_a_full_ring_are_one_loss);
	tcase_add_test(tc, interfaces_are_sorted_by_frames_and_summed);
	tcase_add_test(tc, the_sums_are_of_interfaces_that_are_not_listed_too);
	tcase_add_test(tc, cores_are_sorted_by_their_work_since_the_last_sample);
	tcase_add_test(tc, a_report_has_one_interface_for_all);
	return unit_run(tc, "host_sample");
}
