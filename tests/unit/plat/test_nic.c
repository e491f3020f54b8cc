/* nic.h: what a device lacks, and which reading of its clock is the best. */
#include "plat/nic.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <netinet/in.h>
#include <string.h>

#include "lib/unit.h"

/* --- what it lacks ---------------------------------------------------------- */

static struct ethtool_ts_info
able(void)
{
	return (struct ethtool_ts_info){
		.so_timestamping = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_TX_HARDWARE |
		    SOF_TIMESTAMPING_RAW_HARDWARE,
		.tx_types = 1 << HWTSTAMP_TX_ON, .rx_filters = 1 << HWTSTAMP_FILTER_ALL,
	};
}

START_TEST(a_device_that_can_all_lacks_nothing)
{
	struct ethtool_ts_info info = able();

	ck_assert_ptr_null(pace_nic_lacks(&info));	/* its clock is number 0 */
	info.phc_index = 7;
	info.so_timestamping = UINT32_MAX;
	info.tx_types = info.rx_filters = UINT32_MAX;
	ck_assert_ptr_null(pace_nic_lacks(&info));
}
END_TEST

START_TEST(each_thing_that_is_missing_has_its_words)
{
	static const struct { uint32_t so, tx, rx; int32_t phc; const char *words; } v[] = {
		{ 0, 0, 0, -1, "no hardware receive stamps" },
		{ ~(uint32_t)SOF_TIMESTAMPING_RX_HARDWARE, 2, 2, 0, "no hardware receive stamps" },
		{ ~(uint32_t)SOF_TIMESTAMPING_TX_HARDWARE, 2, 2, 0, "no hardware transmit stamps" },
		{ UINT32_MAX, 5, 2, 0, "no hardware transmit stamps" },
		{ ~(uint32_t)SOF_TIMESTAMPING_RAW_HARDWARE, 2, 2, 0, "no raw hardware stamps" },
		{ UINT32_MAX, 2, ~UINT32_C(2), 0, "stamps only PTP frames" },
		{ UINT32_MAX, 2, 2, -1, "no clock of its own (PHC)" },
	};
	const struct ethtool_ts_info info = { .so_timestamping = v[_i].so, .tx_types = v[_i].tx,
	    .rx_filters = v[_i].rx, .phc_index = v[_i].phc };

	ck_assert_pstr_eq(pace_nic_lacks(&info), v[_i].words);
}
END_TEST

/* --- readings ------------------------------------------------------------------ */

static struct ptp_sys_offset_extended readings;

static void
add(int64_t before_s, uint32_t before_ns, int64_t after_s, uint32_t after_ns)
{
	struct ptp_clock_time *t = readings.ts[readings.n_samples++];

	t[0].sec = before_s;
	t[0].nsec = before_ns;
	t[1].sec = 37;
	t[2].sec = after_s;
	t[2].nsec = after_ns;
}

START_TEST(the_shortest_sandwich_wins)
{
	add(100, 0, 100, 900);
	add(100, 2000, 100, 2800);
	add(100, 4000, 100, 4801);
	ck_assert_int_eq(pace_nic_shortest(&readings), 1);
	add(100, 999999900, 101, 600);		/* 700 ns, over a full second */
	ck_assert_int_eq(pace_nic_shortest(&readings), 3);
	add(101, 2000, 101, 2700);		/* the same: the first stays */
	ck_assert_int_eq(pace_nic_shortest(&readings), 3);
	add(101, 4000, 101, 4000);
	ck_assert_int_eq(pace_nic_shortest(&readings), 5);
}
END_TEST

START_TEST(a_clock_set_back_meanwhile_is_no_sandwich)
{
	add(100, 500, 100, 499);
	ck_assert_int_eq(pace_nic_shortest(&readings), -1);
	add(100, 0, 200, 0);
	ck_assert_int_eq(pace_nic_shortest(&readings), 1);
}
END_TEST

START_TEST(without_a_reading_there_is_none)
{
	ck_assert_int_eq(pace_nic_shortest(&readings), -1);
}
END_TEST

START_TEST(more_readings_than_there_is_room_for_are_not_looked_at)
{
	for (uint32_t i = 0; i < PTP_MAX_SAMPLES; i++)
		add(100, 1000 * i, 100, 1000 * i + 500 - i);
	ck_assert_int_eq(pace_nic_shortest(&readings), PTP_MAX_SAMPLES - 1);
	readings.n_samples = UINT32_MAX;
	ck_assert_int_eq(pace_nic_shortest(&readings), PTP_MAX_SAMPLES - 1);
}
END_TEST

/* --- devices of this machine ------------------------------------------------------ */

START_TEST(an_address_of_no_device_is_refused)
{
	struct pace_addr a = { .family = 4, .ip = { 192, 0, 2, 77 } };	/* RFC 5737 */
	struct pace_nic *n = (void *)&a;
	struct pace_err err;

	ck_assert_int_eq(pace_nic_take(&n, &a, &err), -ENODEV);
	ck_assert_str_eq(err.text, "no device has the session's address");
	ck_assert_ptr_null(n);
	pace_nic_drop(n);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("nic");

	unit_seed(tc);
	tcase_add_test(tc, a_device_that_can_all_lacks_nothing);
	tcase_add_loop_test(tc, each_thing_that_is_missing_has_its_words, 0, 7);
	tcase_add_test(tc, the_shortest_sandwich_wins);
	tcase_add_test(tc, a_clock_set_back_meanwhile_is_no_sandwich);
	tcase_add_test(tc, without_a_reading_there_is_none);
	tcase_add_test(tc, more_readings_than_there_is_room_for_are_not_looked_at);
	tcase_add_test(tc, an_address_of_no_device_is_refused);
	return unit_run_apart(tc, "nic");
}
