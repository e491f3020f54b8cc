/* packet.h: frames typed by hand from the RFCs and from tcpdump.org's link types. */
#include "cap/packet.h"

#include <string.h>

#include "lib/unit.h"

#define MAC	2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1
#define FROM	10, 0, 0, 1
#define TO	10, 0, 0, 2
#define PORTS	0x13, 0x88, 0x17, 0x70	/* 5000, 6000 */
#define FROM6	0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
#define TO6	0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2

/* 4 bytes of payload; total length 32. */
#define IP4	0x45, 0xb8, 0, 32, 0, 1, 0, 0, 64, 17, 0, 0, FROM, TO
#define UDP4	PORTS, 0, 12, 0, 0, 'a', 'b', 'c', 'd'
/* the same behind one extension header, and its own length */
#define IP6(next, length)	0x6b, 0x80, 0, 0, 0, length, next, 64, FROM6, TO6

static struct pace_cap_packet p;

static enum pace_cap_kind
read_exact(enum pace_cap_link link, const uint8_t *bytes, size_t captured, size_t length)
{
	uint8_t *exact = malloc(captured > 0 ? captured : 1);	/* lets ASan see overreads */
	enum pace_cap_kind kind;

	memcpy(exact, bytes, captured);
	kind = pace_cap_packet(&p, link, &(struct pace_cap_frame){ exact, captured, length });
	free(exact);
	return kind;
}

#define READ(link, bytes)	read_exact(link, bytes, sizeof(bytes), sizeof(bytes))

static void
check_datagram(unsigned ip, uint32_t line_bytes)
{
	ck_assert_uint_eq(p.ip, ip);
	ck_assert_uint_eq(p.datagram.source_port, 5000);
	ck_assert_uint_eq(p.datagram.dest_port, 6000);
	ck_assert_uint_eq(p.datagram.length, 4);
	ck_assert_uint_eq(p.datagram.captured, 4);
	ck_assert_uint_eq(p.dscp, 46);
	ck_assert_uint_eq(p.line_bytes, line_bytes);
	ck_assert(!p.fragmented);
}

static const uint8_t plain[] = { MAC, 8, 0, IP4, UDP4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

START_TEST(ethernet_pads_and_the_padding_is_no_payload)
{
	static const uint8_t from[16] = { FROM }, to[16] = { TO };

	ck_assert_int_eq(READ(PACE_CAP_ETHERNET, plain), PACE_CAP_UDP);
	check_datagram(4, 84);		/* 64 at least, and 20 */
	ck_assert_mem_eq(p.source, from, 16);
	ck_assert_mem_eq(p.dest, to, 16);
	ck_assert_uint_eq(p.vlan, 0);
}
END_TEST

START_TEST(tags_are_taken_off_and_the_inner_one_is_told)
{
	const uint8_t one[] = { MAC, 0x81, 0, 0x60, 7, 8, 0, IP4, UDP4 };
	const uint8_t two[] = { MAC, 0x88, 0xa8, 0, 100, 0x81, 0, 0, 200, 8, 0, IP4, UDP4 };

	ck_assert_int_eq(READ(PACE_CAP_ETHERNET, one), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_uint_eq(p.vlan, 7);
	ck_assert_uint_eq(p.tags, 1);
	ck_assert_int_eq(READ(PACE_CAP_ETHERNET, two), PACE_CAP_UDP);
	ck_assert_uint_eq(p.vlan, 200);
	ck_assert_uint_eq(p.tags, 2);
}
END_TEST

START_TEST(every_link_type_leads_to_the_same_datagram)
{
	const uint8_t sll[] = { 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0, IP4, UDP4 };
	const uint8_t sll2[] = { 8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, IP4,
	    UDP4 };
	const uint8_t raw[] = { IP4, UDP4 }, loop[] = { 0, 0, 0, 2, IP4, UDP4 };
	const uint8_t little[] = { 2, 0, 0, 0, IP4, UDP4 }, strange[] = { 0, 0, 0, 99, IP4, UDP4 };

	ck_assert_int_eq(READ(PACE_CAP_SLL, sll), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_int_eq(READ(PACE_CAP_SLL2, sll2), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_int_eq(READ(PACE_CAP_RAW, raw), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_int_eq(READ(PACE_CAP_LOOP, loop), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_int_eq(READ(PACE_CAP_NULL, little), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_int_eq(READ(PACE_CAP_NULL, loop), PACE_CAP_UDP);
	ck_assert_int_eq(READ(PACE_CAP_LOOP, strange), PACE_CAP_OTHER);
}
END_TEST

START_TEST(ipv4_options_are_passed_over)
{
	const uint8_t bytes[] = { 0x46, 0xb8, 0, 36, 0, 1, 0, 0, 64, 17, 0, 0, FROM, TO, 1, 1, 1, 0,
	    UDP4 };

	ck_assert_int_eq(READ(PACE_CAP_RAW, bytes), PACE_CAP_UDP);
	check_datagram(4, 84);
	ck_assert_mem_eq(bytes + 32, "abcd", 4);
}
END_TEST

START_TEST(ipv6_extension_headers_are_passed_over)
{
	const uint8_t none[] = { IP6(17, 12), UDP4 };
	const uint8_t hop[] = { IP6(0, 20), 60, 0, 1, 4, 0, 0, 0, 0, UDP4 };
	const uint8_t two[] = { IP6(0, 28), 60, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0, UDP4 };
	const uint8_t ah[] = { IP6(51, 28), 17, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, 9, UDP4 };
	const uint8_t esp[] = { IP6(50, 12), UDP4 };

	ck_assert_int_eq(READ(PACE_CAP_RAW, none), PACE_CAP_UDP);
	check_datagram(6, 90);		/* 14 + 40 + 8 + 4 + 4 = 70, and 20 */
	ck_assert_int_eq(READ(PACE_CAP_RAW, hop), PACE_CAP_BAD);	/* ports are no such header */
	ck_assert_int_eq(READ(PACE_CAP_RAW, two), PACE_CAP_UDP);
	check_datagram(6, 106);
	ck_assert_int_eq(READ(PACE_CAP_RAW, ah), PACE_CAP_UDP);
	check_datagram(6, 106);
	ck_assert_int_eq(READ(PACE_CAP_RAW, esp), PACE_CAP_OTHER);
}
END_TEST

START_TEST(the_first_fragment_is_the_datagram_and_later_ones_are_counted)
{
	/* 3000 bytes of payload, 16 of IP payload in the first: 8 of it behind the UDP header */
	const uint8_t first[] = { 0x45, 0, 0, 36, 0, 1, 0x20, 0, 64, 17, 0, 0, FROM, TO, PORTS,
	    0x0b, 0xc0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t later[] = { 0x45, 0, 0, 36, 0, 1, 0x20, 2, 64, 17, 0, 0, FROM, TO, PORTS,
	    0x0b, 0xc0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t last6[] = { IP6(44, 20), 17, 0, 0x05, 0xa8, 0, 0, 0, 1, UDP4 };
	const uint8_t first6[] = { IP6(44, 20), 17, 0, 0, 1, 0, 0, 0, 1, PORTS, 0x0b, 0xc0, 0, 0,
	    1, 2, 3, 4 };
	const uint8_t whole6[] = { IP6(44, 20), 17, 0, 0, 0, 0, 0, 0, 1, UDP4 };

	ck_assert_int_eq(READ(PACE_CAP_RAW, first), PACE_CAP_UDP);
	ck_assert(p.fragmented);
	ck_assert_uint_eq(p.datagram.length, 3000);
	ck_assert_uint_eq(p.datagram.captured, 8);
	ck_assert_uint_eq(p.line_bytes, 188 * 84);	/* 3008 in pieces of 16, all short frames */
	ck_assert_int_eq(READ(PACE_CAP_RAW, later), PACE_CAP_FRAGMENT);
	ck_assert_int_eq(READ(PACE_CAP_RAW, last6), PACE_CAP_FRAGMENT);
	ck_assert_int_eq(READ(PACE_CAP_RAW, first6), PACE_CAP_UDP);
	ck_assert(p.fragmented);
	ck_assert_int_eq(READ(PACE_CAP_RAW, whole6), PACE_CAP_UDP);	/* "atomic", RFC 6946 */
	ck_assert(!p.fragmented);
}
END_TEST

START_TEST(a_snap_length_hides_payload_but_not_its_length)
{
	ck_assert_int_eq(read_exact(PACE_CAP_ETHERNET, plain, 44, 60), PACE_CAP_UDP);
	ck_assert_uint_eq(p.datagram.length, 4);
	ck_assert_uint_eq(p.datagram.captured, 2);
	ck_assert_uint_eq(p.line_bytes, 84);
}
END_TEST

/* _i: how much was captured. */
START_TEST(what_is_cut_before_the_payload_is_short)
{
	ck_assert_int_eq(read_exact(PACE_CAP_ETHERNET, plain, (size_t)_i, 60), PACE_CAP_SHORT);
}
END_TEST

static const struct { int at, value; enum pace_cap_kind kind; const char *what; } bad[] = {
	{ 0, 0x55, PACE_CAP_OTHER, "IP version 5" },
	{ 0, 0x44, PACE_CAP_BAD, "header shorter than its fields" },
	{ 0, 0x4f, PACE_CAP_BAD, "header longer than the packet" },
	{ 3, 19, PACE_CAP_BAD, "shorter than its header" },
	{ 3, 33, PACE_CAP_BAD, "longer than the frame" },
	{ 3, 27, PACE_CAP_BAD, "no room for a UDP header" },
	{ 9, 6, PACE_CAP_OTHER, "TCP" },
	{ 25, 7, PACE_CAP_BAD, "UDP shorter than its header" },
	{ 25, 13, PACE_CAP_BAD, "UDP longer than IP" },
	{ 6, 0x20, PACE_CAP_BAD, "a first fragment that has it all" },
};

START_TEST(headers_that_contradict_each_other_are_refused)
{
	uint8_t bytes[] = { IP4, UDP4 };

	bytes[bad[_i].at] = (uint8_t)bad[_i].value;
	ck_assert_msg(READ(PACE_CAP_RAW, bytes) == bad[_i].kind, "%s", bad[_i].what);
}
END_TEST

START_TEST(a_udp_shorter_than_ip_ends_where_it_says)
{
	uint8_t bytes[] = { IP4, UDP4 };

	bytes[25] = 10;
	ck_assert_int_eq(READ(PACE_CAP_RAW, bytes), PACE_CAP_UDP);
	ck_assert_uint_eq(p.datagram.length, 2);
	ck_assert_uint_eq(p.datagram.captured, 2);
}
END_TEST

START_TEST(a_frame_of_which_more_was_captured_than_sent_is_refused)
{
	ck_assert_int_eq(read_exact(PACE_CAP_ETHERNET, plain, 60, 59), PACE_CAP_BAD);
}
END_TEST

START_TEST(extension_headers_without_end_are_refused)
{
	uint8_t bytes[40 + 20 * 8] = { IP6(0, 160) };

	ck_assert_int_eq(READ(PACE_CAP_RAW, bytes), PACE_CAP_BAD);
}
END_TEST

START_TEST(the_line_time_is_that_of_the_whole_frame)
{
	uint8_t bytes[20 + 8 + 1472] = { IP4, UDP4 };

	bytes[2] = 1500 >> 8;
	bytes[3] = 1500 & 255;
	bytes[24] = 1480 >> 8;
	bytes[25] = 1480 & 255;
	ck_assert_int_eq(read_exact(PACE_CAP_RAW, bytes, 60, sizeof(bytes)), PACE_CAP_UDP);
	ck_assert_uint_eq(p.datagram.length, 1472);
	ck_assert_uint_eq(p.line_bytes, 1538);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("packet");

	tcase_add_test(tc, ethernet_pads_and_the_padding_is_no_payload);
	tcase_add_test(tc, tags_are_taken_off_and_the_inner_one_is_told);
	tcase_add_test(tc, every_link_type_leads_to_the_same_datagram);
	tcase_add_test(tc, ipv4_options_are_passed_over);
	tcase_add_test(tc, ipv6_extension_headers_are_passed_over);
	tcase_add_test(tc, the_first_fragment_is_the_datagram_and_later_ones_are_counted);
	tcase_add_test(tc, a_snap_length_hides_payload_but_not_its_length);
	tcase_add_loop_test(tc, what_is_cut_before_the_payload_is_short, 0, 42);
	tcase_add_loop_test(tc, headers_that_contradict_each_other_are_refused, 0, COUNT_OF(bad));
	tcase_add_test(tc, a_udp_shorter_than_ip_ends_where_it_says);
	tcase_add_test(tc, a_frame_of_which_more_was_captured_than_sent_is_refused);
	tcase_add_test(tc, extension_headers_without_end_are_refused);
	tcase_add_test(tc, the_line_time_is_that_of_the_whole_frame);
	return unit_run(tc, "packet");
}
