/* rates.h: the table of Ethernet rates, minimum frames, fragments. */
#include "core/rates.h"

#include <math.h>
#include <stdbool.h>

#include "core/schedule.h"

#include "lib/unit.h"

/* On a 10 and a 100 Gbit/s line.  8 * wire / 10 ns each at 10 Gbit/s. */
static const struct {
	uint32_t payload;
	int	family;
	uint64_t wire;
	double	pps10, gbps10, ns10, gbps25, gbps40, pps100, gbps100, ns100;
} table[] = {
	{ 18, 4, 84, 14880952, 2.1429, 67.2, 5.3571, 8.5714, 148809524, 21.4286, 6.72 },
	{ 64, 4, 130, 9615385, 4.9231, 104.0, 12.3077, 19.6923, 96153846, 49.2308, 10.40 },
	{ 256, 4, 322, 3881988, 7.9503, 257.6, 19.8758, 31.8012, 38819876, 79.5031, 25.76 },
	{ 512, 4, 578, 2162630, 8.8581, 462.4, 22.1453, 35.4325, 21626298, 88.5813, 46.24 },
	{ 1024, 4, 1090, 1146789, 9.3945, 872.0, 23.4862, 37.5780, 11467890, 93.9450, 87.20 },
	{ 1472, 4, 1538, 812744, 9.5709, 1230.4, 23.9272, 38.2835, 8127438, 95.7087, 123.04 },
	{ 1452, 6, 1538, 812744, 9.4408, 1230.4, 23.6021, 37.7633, 8127438, 94.4083, 123.04 },
	{ 8972, 4, 9038, 138305, 9.9270, 7230.4, 24.8174, 39.7079, 1383049, 99.2697, 723.04 },
	{ 8952, 6, 9038, 138305, 9.9048, 7230.4, 24.7621, 39.6194, 1383049, 99.0485, 723.04 },
};

/* A second's worth of back-to-back frames, so that all times are whole ns. */
static void
check_line(int i, double gbit, double pps, double gbps, double ns)
{
	const uint64_t n = 1000000;
	int64_t time_ns = llround((double)(8 * table[i].wire * n) / gbit);
	double rate = pace_rate_bps(n * table[i].payload, time_ns);
	uint64_t spacing = pace_spacing_from_rate((uint32_t)table[i].wire,
	    llround(gbit * 1e9));

	ck_assert_double_eq_tol(rate, gbps * 1e9, 0.00005e9);
	if (pps > 0)
		ck_assert_double_eq_tol(pace_rate_bps(n, time_ns) / 8, pps, 0.5);
	if (ns > 0)
		ck_assert_double_eq_tol((double)spacing / 0x1p32, ns, 0x1p-32);
}

START_TEST(the_table_of_line_rates_holds)
{
	struct pace_link l = { .family = table[_i].family };

	ck_assert_uint_eq(pace_wire_bytes(&l, table[_i].payload), table[_i].wire);
	ck_assert_uint_eq(pace_frame_bytes(&l, table[_i].payload), table[_i].wire - 20);
	check_line(_i, 10, table[_i].pps10, table[_i].gbps10, table[_i].ns10);
	check_line(_i, 25, 0, table[_i].gbps25, 0);
	check_line(_i, 40, 0, table[_i].gbps40, 0);
	check_line(_i, 100, table[_i].pps100, table[_i].gbps100, table[_i].ns100);
}
END_TEST

/* 14 + 4 tags + 20 | 40 + 8 + payload + 4, 64 at least, tagged or not */
static const struct {
	struct pace_link link;
	uint32_t payload;
	uint64_t frame;
} frames[] = {
	{ { 4, 0, 0 }, 0, 64 },
	{ { 4, 0, 0 }, 1, 64 },
	{ { 4, 0, 0 }, 17, 64 },
	{ { 4, 0, 0 }, 18, 64 },		/* 46 + 18: just full */
	{ { 4, 0, 0 }, 19, 65 },
	{ { 4, 1, 0 }, 13, 64 },
	{ { 4, 1, 0 }, 14, 64 },		/* 50 + 14 */
	{ { 4, 1, 0 }, 15, 65 },
	{ { 4, 2, 0 }, 10, 64 },
	{ { 4, 2, 0 }, 11, 65 },
	{ { 4, 1, 0 }, 1472, 1522 },
	{ { 4, 2, 0 }, 1472, 1526 },
	{ { 6, 0, 0 }, 0, 66 },			/* IPv6 never pads */
	{ { 6, 0, 0 }, 1, 67 },
	{ { 6, 1, 0 }, 0, 70 },
	{ { 6, 2, 0 }, 0, 74 },
	{ { 4, 0, 0 }, 65507, 65553 },		/* no MTU: in one piece */
	{ { 6, 0, 0 }, 65527, 65593 },
};

START_TEST(small_frames_are_padded_and_tags_counted)
{
	ck_assert_uint_eq(pace_frame_bytes(&frames[_i].link, frames[_i].payload),
	    frames[_i].frame);
	ck_assert_uint_eq(pace_wire_bytes(&frames[_i].link, frames[_i].payload),
	    frames[_i].frame + 20);
	ck_assert_uint_eq(pace_fragments(&frames[_i].link, frames[_i].payload), 1);
}
END_TEST

static const struct {
	struct pace_link link;
	uint32_t payload;
	uint64_t n, frame_bytes;
} fragmented[] = {
	/* IPv4, MTU 1500: 1480 bytes of the datagram in a fragment, frame 1518 */
	{ { 4, 0, 1500 }, 1472, 1, 1518 },
	/* 1481 = 1480 + 1; the second frame 18 + 20 + 1 = 39, padded to 64 */
	{ { 4, 0, 1500 }, 1473, 2, 1518 + 64 },
	/* 2 * 1480 = 2960: two full ones */
	{ { 4, 0, 1500 }, 2952, 2, 2 * 1518 },
	{ { 4, 0, 1500 }, 2953, 3, 2 * 1518 + 64 },
	/* 8980 = 6 * 1480 + 100; last 18 + 20 + 100 = 138 */
	{ { 4, 0, 1500 }, 8972, 7, 6 * 1518 + 138 },
	/* the same with two tags in each frame */
	{ { 4, 2, 1500 }, 8972, 7, 6 * 1526 + 146 },
	/* 65515 = 44 * 1480 + 395; last 433 */
	{ { 4, 0, 1500 }, 65507, 45, 44 * 1518 + 433 },
	/* MTU 9000: room 8980, cut to 8976; 8981 = 8976 + 5 */
	{ { 4, 0, 9000 }, 8972, 1, 9018 },
	{ { 4, 0, 9000 }, 8973, 2, 18 + 20 + 8976 + 64 },
	/* MTU 1501: 1480 in all but the last, which holds up to 1481 */
	{ { 4, 0, 1501 }, 1473, 1, 1519 },
	{ { 4, 0, 1501 }, 1474, 2, 1518 + 64 },
	{ { 4, 0, 1501 }, 2953, 2, 1518 + 1519 },	/* 2961 = 1480 + 1481 */
	{ { 4, 0, 1501 }, 2954, 3, 2 * 1518 + 64 },	/* 2962 = 2 * 1480 + 2 */

	/* IPv6, MTU 1500: 1452 bytes of room, 1448 when cut; frame 1514 */
	{ { 6, 0, 1500 }, 1452, 1, 1518 },
	/* 1461 = 1448 + 13; last 18 + 48 + 13 = 79 */
	{ { 6, 0, 1500 }, 1453, 2, 1514 + 79 },
	{ { 6, 1, 1500 }, 1453, 2, 1518 + 83 },
	/* 2900 = 1448 + 1452: the last one uses all the room */
	{ { 6, 0, 1500 }, 2892, 2, 1514 + 1518 },
	/* 2901 = 2 * 1448 + 5; last 71 */
	{ { 6, 0, 1500 }, 2893, 3, 2 * 1514 + 71 },
	/* 8960 = 6 * 1448 + 272; last 338 */
	{ { 6, 0, 1500 }, 8952, 7, 6 * 1514 + 338 },
	/* MTU 1280: room 1232, a multiple of 8; 1241 = 1232 + 9; last 75 */
	{ { 6, 0, 1280 }, 1232, 1, 1298 },
	{ { 6, 0, 1280 }, 1233, 2, 1298 + 75 },
};

START_TEST(fragments_are_as_cut_by_hand)
{
	const struct pace_link *l = &fragmented[_i].link;
	uint32_t payload = fragmented[_i].payload;

	ck_assert_uint_eq(pace_fragments(l, payload), fragmented[_i].n);
	ck_assert_uint_eq(pace_frame_bytes(l, payload), fragmented[_i].frame_bytes);
	ck_assert_uint_eq(pace_wire_bytes(l, payload),
	    fragmented[_i].frame_bytes + 20 * fragmented[_i].n);
}
END_TEST

/* One fragment after the other. */
static uint64_t
model_frame_bytes(const struct pace_link *l, uint32_t payload, uint64_t *n)
{
	uint64_t left = 8 + (uint64_t)payload, ip = l->family == 6 ? 40 : 20, sum = 0;
	bool whole = l->mtu == 0 || ip + left <= l->mtu;

	if (!whole && l->family == 6)
		ip += 8;
	for (*n = 0; *n == 0 || left > 0; (*n)++) {
		uint64_t take = left, frame;

		if (!whole && ip + left > l->mtu)
			take = (l->mtu - ip) / 8 * 8;
		frame = 14 + 4 * l->vlan_tags + ip + take + 4;
		sum += frame < 64 ? 64 : frame;
		left -= take;
	}
	return sum;
}

START_TEST(random_datagrams_agree_with_the_model)
{
	for (int i = 0; i < 20000; i++) {
		struct pace_link l = {
			.family = unit_rnd() & 1 ? 4 : 6,
			.vlan_tags = (uint32_t)unit_between(0, 2),
			.mtu = (uint32_t)unit_between(68, 10000),
		};
		uint32_t payload = (uint32_t)unit_between(0, 65507);
		uint64_t n, bytes = model_frame_bytes(&l, payload, &n);

		if (pace_frame_bytes(&l, payload) != bytes ||
		    pace_fragments(&l, payload) != n ||
		    pace_wire_bytes(&l, payload) != bytes + 20 * n)
			ck_abort_msg("IPv%d, %u tags, MTU %u, %u bytes", l.family,
			    l.vlan_tags, l.mtu, payload);
	}
}
END_TEST

START_TEST(an_absurd_mtu_cuts_to_eight_bytes)
{
	struct pace_link l = { .family = _i == 1 ? 6 : 4 };

	for (l.mtu = 1; l.mtu < 28; l.mtu++)
		ck_assert_uint_eq(pace_fragments(&l, 72), 10);
	ck_assert_uint_gt(pace_frame_bytes(&l, UINT32_MAX), UINT32_MAX);
}
END_TEST

static const struct {
	struct pace_link link;
	uint32_t payload;
} largest[] = {
	{ { 4, 0, 1500 }, 1472 }, { { 6, 0, 1500 }, 1452 },
	{ { 4, 0, 9000 }, 8972 }, { { 6, 0, 9000 }, 8952 },
	{ { 4, 2, 1500 }, 1472 },		/* tags are outside the MTU */
	{ { 4, 0, 0 }, 65507 }, { { 6, 0, 0 }, 65527 },
	{ { 4, 0, 65534 }, 65506 }, { { 4, 0, 65535 }, 65507 },
	{ { 4, 0, 65536 }, 65507 },		/* loopback */
	{ { 6, 0, 65536 }, 65488 },
	{ { 6, 0, 65574 }, 65526 }, { { 6, 0, 65575 }, 65527 },
	{ { 6, 0, UINT32_MAX }, 65527 },
	{ { 4, 0, 1 }, 0 }, { { 4, 0, 28 }, 0 }, { { 4, 0, 29 }, 1 },
	{ { 6, 0, 48 }, 0 }, { { 6, 0, 49 }, 1 },
};

START_TEST(the_largest_payload_is_not_cut_and_one_more_is)
{
	const struct pace_link *l = &largest[_i].link;
	uint32_t p = largest[_i].payload;

	ck_assert_uint_eq(pace_payload_max(l), p);
	if (p > 0)
		ck_assert_uint_eq(pace_fragments(l, p), 1);
	if (p > 0 && p < 65507 && p != 65488)
		ck_assert_uint_eq(pace_fragments(l, p + 1), 2);
}
END_TEST

START_TEST(a_rate_is_bits_over_time)
{
	ck_assert_double_eq(pace_rate_bps(1, 1), 8e9);
	ck_assert_double_eq(pace_rate_bps(125, 1000), 1e9);
	/* 1001 frames of 1472 bytes 10 us apart: 1000 gaps */
	ck_assert_double_eq(pace_rate_bps(1472 * 1000, 10000 * 1000), 1177600000.0);
	ck_assert_double_eq(pace_rate_bps(0, 1000), 0);
	ck_assert_double_eq(pace_rate_bps(1000, 0), 0);
	ck_assert_double_eq(pace_rate_bps(1000, -1), 0);
	ck_assert_double_eq(pace_rate_bps(1000, INT64_MIN), 0);
	ck_assert_double_eq_tol(pace_rate_bps(UINT64_MAX, INT64_MAX), 16e9, 1);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("rates");

	unit_seed(tc);
	tcase_add_loop_test(tc, the_table_of_line_rates_holds, 0, COUNT_OF(table));
	tcase_add_loop_test(tc, small_frames_are_padded_and_tags_counted, 0,
	    COUNT_OF(frames));
	tcase_add_loop_test(tc, fragments_are_as_cut_by_hand, 0, COUNT_OF(fragmented));
	tcase_add_test(tc, random_datagrams_agree_with_the_model);
	tcase_add_loop_test(tc, an_absurd_mtu_cuts_to_eight_bytes, 0, 2);
	tcase_add_loop_test(tc, the_largest_payload_is_not_cut_and_one_more_is, 0,
	    COUNT_OF(largest));
	tcase_add_test(tc, a_rate_is_bits_over_time);
	return unit_run(tc, "rates");
}
