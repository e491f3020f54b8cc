/* tcp_limit.h: each limit by figures that were measured with it alone, and at the edges. */
#include "core/tcp_limit.h"

#include <math.h>
#include <string.h>

#include "lib/unit.h"

#define MS	INT64_C(1000000)
#define MBIT	1e6

/* As measured between namespaces, with one limit planted at a time. */
static const struct {
	const char	*planted;
	enum pace_tcp_limit limit;
	struct pace_tcp_sums s;
} cases[] = {
	{ "window of 64 KiB, 10 ms", PACE_TCP_RECEIVE_WINDOW, { 59 * MBIT, 0, 22125000, 0,
	    3024 * MS, 1132 * MS, 0, 3000 * MS, 0.007, 0.035, 0.13, 0.13, 10719000, 10109000, 0, 0 } },
	{ "tcp_wmem of 64 KiB, 10 ms", PACE_TCP_SEND_BUFFER, { 55 * MBIT, 0, 20625000, 0,
	    3024 * MS, 0, 2224 * MS, 3000 * MS, 0.01, 0.033, 0.22, 0.22, 11560000, 10142000, 0, 0 } },
	{ "1 of 100 dropped, 50 ms", PACE_TCP_LOSS, { 2 * MBIT, 0, 1000000, 11004,
	    4220 * MS, 0, 0, 4000 * MS, 0.003, 0.002, 0.017, 0.016, 54060000, 50000000, 8, 1 } },
	{ "1 of 10000 dropped, 50 ms", PACE_TCP_LOSS, { 5 * MBIT, 0, 3000000, 1461,
	    4192 * MS, 0, 0, 4000 * MS, 0.0025, 0.005, 0.022, 0.022, 53067000, 50000000, 1, 0 } },
	{ "segments overtake each other", PACE_TCP_REORDERING, { 9428 * MBIT, 0, 2360837240,
	    14316224, 1984 * MS, 0, 0, 2000 * MS, 0.66, 0.59, 0.7, 0.7, 209809, 150000, 9889,
	    9860 } },
	{ "100 Mbit/s, queue of 1 ms", PACE_TCP_PATH, { 90 * MBIT, 0, 45000000, 346140,
	    4120 * MS, 148 * MS, 0, 4000 * MS, 0.007, 0.11, 0.15, 0.15, 2542000, 15000, 237, 0 } },
	{ "100 Mbit/s, queue of 100 ms", PACE_TCP_PATH, { 95 * MBIT, 0, 47500000, 57617,
	    4300 * MS, 0, 0, 4000 * MS, 0.0065, 0.09, 0.058, 0.058, 70751000, 29000, 39, 0 } },
	{ "--rate 20M, 10 ms", PACE_TCP_PACING, { 19.6 * MBIT, 20 * MBIT, 7350000, 0,
	    3196 * MS, 0, 0, 3000 * MS, 0.003, 0.015, 0.1, 0.1, 10691000, 10126000, 0, 0 } },
	{ "nothing but the processor", PACE_TCP_SENDER_CPU, { 5140 * MBIT, 0, 2570000000, 2300150,
	    3996 * MS, 4 * MS, 0, 4000 * MS, 0.94, 0.37, 0.72, 0.72, 225000, 5000, 1580, 0 } },
	{ "200 KiB at --rate 50M, loopback", PACE_TCP_SHORT, { 17652 * MBIT, 50 * MBIT, 409600, 0,
	    0, 0, 0, 185000, 1.0, 0.33, 0.3, 0.3, 18000, 5000, 0, 0 } },
	{ "100 KiB, 10 ms", PACE_TCP_SHORT, { 22 * MBIT, 0, 102400, 0,
	    68 * MS, 0, 0, 37 * MS, 0.02, 0.09, 0.33, 0.2, 11715000, 10267000, 0, 0 } },
};

START_TEST(a_planted_limit_is_named)
{
	enum pace_tcp_limit got = pace_tcp_limit_of(&cases[_i].s);

	ck_assert_msg(got == cases[_i].limit, "%s: %s", cases[_i].planted, pace_tcp_limit_names[got]);
}
END_TEST

START_TEST(nothing_received_is_unknown)
{
	struct pace_tcp_sums s = cases[0].s;

	s.received_bytes = 0;
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_UNKNOWN);
	s = cases[0].s;
	s.goodput_bps = NAN;
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_UNKNOWN);
}
END_TEST

START_TEST(a_window_is_small_because_its_receiver_is_busy)
{
	struct pace_tcp_sums s = cases[0].s;

	s.receiver_cpu = 0.9;
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_RECEIVER_CPU);
	s.receiver_cpu = 0.1;
	s.receiver_core = 0.99;		/* its softirq, say */
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_RECEIVER_CPU);
	s.receiver_core = NAN;		/* not reported */
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_RECEIVE_WINDOW);
}
END_TEST

START_TEST(a_rate_that_was_not_reached_limits_nothing)
{
	struct pace_tcp_sums s = cases[0].s;

	s.asked_bps = 2 * s.goodput_bps;
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_RECEIVE_WINDOW);
	s.asked_bps = s.goodput_bps;
	ck_assert_int_eq(pace_tcp_limit_of(&s), PACE_TCP_PACING);
}
END_TEST

START_TEST(each_limit_has_a_name)
{
	for (int i = 0; i < PACE_TCP_LIMITS; i++)
		ck_assert(pace_tcp_limit_names[i] != NULL && pace_tcp_limit_names[i][0] != '\0');
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tcp_limit");

	tcase_add_loop_test(tc, a_planted_limit_is_named, 0, COUNT_OF(cases));
	tcase_add_test(tc, nothing_received_is_unknown);
	tcase_add_test(tc, a_window_is_small_because_its_receiver_is_busy);
	tcase_add_test(tc, a_rate_that_was_not_reached_limits_nothing);
	tcase_add_test(tc, each_limit_has_a_name);
	return unit_run(tc, "tcp_limit");
}
