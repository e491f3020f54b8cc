/* build.h: typed bytes of each format, and its decoder's reading of them. */
#include "cap/build.h"

#include <string.h>

#include "lib/unit.h"

#define SECOND		INT64_C(1000000000)
#define MS		(UINT64_C(1000000) << 32)
/* 2026-11-25 23:00:00 UTC: in the half year that began on 1 July, 147 days and 23 hours before */
#define WALL_NS		(INT64_C(1795647600) * SECOND)
#define HALF_YEAR	53
#define IN_HALF_YEAR	(UINT64_C(147) * 86400 + 23 * 3600)
#define ROOM		9000

static uint8_t frame[ROOM];

static struct pace_cap_build
build(const char *name, uint32_t size)
{
	struct pace_cap_build b = { .builder = pace_cap_format(name)->builder, .size = size,
	    .spacing = MS, .heap_frames = 4, .address_bits = 40, .id = 0x01020304 };

	memset(frame, 0xa5, sizeof(frame));
	return b;
}

static void
is_hex(const uint8_t *p, const char *hex)
{
	size_t n = strlen(hex) / 2;
	char got[2 * 128 + 1];

	for (size_t i = 0; i < n; i++)
		snprintf(got + 2 * i, 3, "%02x", p[i]);
	ck_assert_str_eq(got, hex);
}

/* What the decoder makes of the frame. */
static struct pace_cap_mark
mark(const char *name, const struct pace_cap_build *b)
{
	const struct pace_cap_datagram d = { frame, b->size, b->size, 1, 2 };
	struct pace_cap_mark m;

	ck_assert(pace_cap_format(name)->mark(&b->rule, &d, &m));
	return m;
}

static struct pace_cap_mark
put(const char *name, struct pace_cap_build *b, uint64_t k, int64_t now_ns)
{
	b->builder->put(b, frame, k, now_ns);
	return mark(name, b);
}

START_TEST(an_rtp_header_wraps_and_goes_on)
{
	struct pace_cap_build b = build("rtp", 100);

	b.stream = 3;
	pace_cap_build_begin(&b, frame, WALL_NS);
	(void)put("rtp", &b, 65535, 2 * SECOND);
	is_hex(frame, "8060ffff0002bf2001020307a5");
	ck_assert_uint_eq(put("rtp", &b, 65536, 0).seq, 0);
	pace_cap_build_begin(&b, frame, WALL_NS);	/* the next run */
	ck_assert_uint_eq(put("rtp", &b, 0, 0).seq, 1);
	ck_assert_uint_eq(mark("rtp", &b).stream, 0x01020307);
}
END_TEST

START_TEST(a_udpmon_frame_counts_from_its_run_s_first)
{
	struct pace_cap_build b = build("udpmon", 24);

	pace_cap_build_begin(&b, frame, WALL_NS);
	(void)put("udpmon", &b, 0, 5 * SECOND);
	is_hex(frame, "040000000700000000000000000000000000000000000000");
	(void)put("udpmon", &b, 258, 5 * SECOND + 25600);
	is_hex(frame, "040000000700000002010000000000000001000000000000");
	/* beyond 31 bits of 0.1 us it is negative, as in UDPmon */
	(void)put("udpmon", &b, 259, 5 * SECOND + (INT64_C(1) << 31) * 100);
	is_hex(frame + 16, "00000080ffffffff");
}
END_TEST

START_TEST(a_sequence_follows_its_rule)
{
	struct pace_cap_build b = build("sequence", 20);

	b.rule = (struct pace_cap_rule){ .offset = 2, .bytes = 3, .little = true };
	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_eq(put("sequence", &b, 0x10203, 0).seq, 0x10203);
	is_hex(frame, "0000030201a5");
	b.rule = (struct pace_cap_rule){ .offset = 0, .bytes = 2, .modulus = 1000 };
	b.builder->put(&b, frame, 2999, 0);
	is_hex(frame, "03e7");
	b.size = 1;
	ck_assert_int_lt(pace_cap_build_check(&b, NULL), 0);
}
END_TEST

START_TEST(vdif_frames_are_numbered_within_the_second)
{
	struct pace_cap_build b = build("vdif", 1472);
	struct pace_cap_mark m;

	b.stream = 5;
	ck_assert_int_eq(pace_cap_build_check(&b, NULL), 0);
	pace_cap_build_begin(&b, frame, WALL_NS + SECOND / 2 + 900000);
	m = put("vdif", &b, 0, 0);
	/* 1000 frames of 1440 bytes = 5.76 million samples of 2 bits a second: 2880 kHz */
	ck_assert_uint_eq(IN_HALF_YEAR, 0xc30ff0);
	is_hex(frame, "f00fc300f4010035b800002055640504400b0001edfeabac0000000000000000a5");
	ck_assert_uint_eq(m.seq, IN_HALF_YEAR * 1000 + 500);
	ck_assert_uint_eq(m.modulus, 0);
	ck_assert_uint_eq(m.stream, 0x6455u << 10 | 5);
	m = put("vdif", &b, 499, 0);
	is_hex(frame, "f00fc300e7030035");
	m = put("vdif", &b, 500, 0);
	is_hex(frame, "f10fc30000000035");
	ck_assert_uint_eq(m.seq, (IN_HALF_YEAR + 1) * 1000);
	/* the first and the last second of a half year */
	pace_cap_build_begin(&b, frame, INT64_C(1782864000) * SECOND);
	b.builder->put(&b, frame, 0, 0);
	is_hex(frame, "0000000000000035");
	pace_cap_build_begin(&b, frame, INT64_C(1782863999) * SECOND);
	b.builder->put(&b, frame, 0, 0);
	is_hex(frame, "7f9fee0000000034");
}
END_TEST

START_TEST(vdif_needs_whole_frames_a_second)
{
	static const struct { uint32_t size; uint64_t spacing; bool good; } v[] = {
		{ 1472, MS, true }, { 1473, MS, false }, { 32, MS, false }, { 40, MS, true },
		{ 8032, MS / 125 * 4, true }, { 1472, 0, false }, { 1472, MS * 3 / 10 * 10, false },
		/* 31250.0 frames a second from a rate, rounded */
		{ 1472, (UINT64_C(1000000000) << 32) / 30303 + 1, true },
		{ 1472, MS * 1000, true }, { 1472, MS * 2000, false },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct pace_cap_build b = build("vdif", v[i].size);

		b.spacing = v[i].spacing;
		ck_assert_msg((pace_cap_build_check(&b, NULL) == 0) == v[i].good, "case %zu", i);
	}
}
END_TEST

START_TEST(a_vdif_header_that_cannot_say_its_rate_says_none)
{
	struct pace_cap_build b = build("vdif", 40);

	b.spacing = MS * 1000 / 7;	/* 7 x 8 bytes of samples */
	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_eq(put("vdif", &b, 8, 0).modulus, PACE_CAP_SECONDS);
	is_hex(frame, "f10fc3000100003505000020556400040000000000000000");
	b.size = 8032;
	b.spacing = MS / 1000;		/* 64 Gbit/s: 16 GHz do not fit in kHz */
	pace_cap_build_begin(&b, frame, WALL_NS);
	(void)put("vdif", &b, 0, 0);
	is_hex(frame + 16, "803e8001edfeabac");
}
END_TEST

START_TEST(vtp_has_a_number_of_its_own)
{
	struct pace_cap_build b = build("vtp", 1472);

	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_eq(put("vtp", &b, 258, 0).seq, 258);
	is_hex(frame, "0201000000000000f00fc30002010035b7000020");
	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_eq(put("vtp", &b, 0, 0).seq, 259);
	ck_assert_uint_eq(pace_cap_build_fit(&b, 1475), 1472);
}
END_TEST

START_TEST(lofar_frames_go_on_over_the_second)
{
	struct pace_cap_build b = build("lofar", 7824);
	uint64_t seq, block, last = 195304;

	b.stream = 6;			/* station 2, board 2 */
	ck_assert_int_eq(pace_cap_build_check(&b, NULL), 0);
	pace_cap_build_begin(&b, frame, WALL_NS);
	seq = put("lofar", &b, 0, 0).seq;
	/* 1795647600 s x 195312.5 are 350712421875000 blocks; 16 divides the number 8 below, which is
	 * block 195304 of the second before */
	is_hex(frame, "0382000002003d106f68076be8fa0200a5");
	ck_assert_uint_eq(mark("lofar", &b).stream, 2u << 8 | 2);
	for (uint64_t k = 1; k < 30000; k++) {	/* 2.4 s */
		ck_assert_uint_eq(put("lofar", &b, k, 0).seq, seq + k);
		block = (uint64_t)frame[12] | (uint64_t)frame[13] << 8 | (uint64_t)frame[14] << 16;
		ck_assert(block == last + 16 || block < 16);
		last = block;
	}
	ck_assert_uint_eq(pace_cap_build_fit(&b, 1472), 1424);
	ck_assert_uint_eq(pace_cap_build_fit(&b, 60000), 7824);
	ck_assert_uint_eq(pace_cap_build_fit(&b, 143), 0);
	b.size = 7825;
	ck_assert_int_lt(pace_cap_build_check(&b, NULL), 0);
}
END_TEST

START_TEST(spead_frames_make_heaps)
{
	struct pace_cap_build b = build("spead", 1056);
	uint8_t extra[PACE_CAP_EXTRA_MAX];
	struct pace_cap_mark m;

	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_gt(b.builder->extra(&b, PACE_EXTRA_BEFORE, extra), 0);
	m = put("spead", &b, 0, 0);
	is_hex(frame, "5304030500000006" "8000010000000002" "8000020000000fa0" "8000030000000000"
	    "80000400000003e8" "8016000000000000" "0018000000000000" "a5");
	ck_assert(m.heap == 2 && m.heap_size == 4000 && m.heap_offset == 0 && m.heap_bytes == 1000);
	m = put("spead", &b, 7, 0);
	ck_assert(m.heap == 3 && m.heap_offset == 3000 && !m.last);
	is_hex(frame + 40, "8016000000000fa0");	/* 4 ms */
	/* the next run begins a heap, and describes it again */
	pace_cap_build_begin(&b, frame, WALL_NS);
	(void)b.builder->extra(&b, PACE_EXTRA_BEFORE, extra);
	ck_assert_uint_eq(put("spead", &b, 0, 0).heap, 5);
	ck_assert_uint_eq(b.builder->extra(&b, PACE_EXTRA_END, extra), 48);
	is_hex(extra, "5304030500000005" "8000010000000006" "8000020000000000" "8000030000000000"
	    "8000040000000000" "8000060000000002");
	b.size = 56;
	ck_assert_int_lt(pace_cap_build_check(&b, NULL), 0);
}
END_TEST

/* The heaps count on: descriptors take the number before that of every third heap of data, whenever
 * they are sent. */
START_TEST(spead_descriptors_come_again_with_numbers_of_their_own)
{
	struct pace_cap_build b = build("spead", 1056);
	uint8_t first[PACE_CAP_EXTRA_MAX], again[PACE_CAP_EXTRA_MAX];
	size_t n;

	b.describe_heaps = 3;
	for (uint64_t run = 0; run < 2; run++) {
		uint64_t from = 10 * run;	/* 1 + 7 + 2 heaps each */

		n = b.builder->extra(&b, PACE_EXTRA_BEFORE, first);
		pace_cap_build_begin(&b, frame, WALL_NS);
		ck_assert_uint_eq(put("spead", &b, 11, 0).heap, from + 4);
		ck_assert_uint_eq(put("spead", &b, 12, 0).heap, from + 6);
		ck_assert_uint_eq(b.builder->extra(&b, PACE_EXTRA_AGAIN, again), n);
		ck_assert_uint_eq(again[15], from + 5);
		again[15] = first[15];
		ck_assert_int_eq(memcmp(first, again, n), 0);
		ck_assert_uint_eq(put("spead", &b, 13, 0).heap, from + 6);
		ck_assert_uint_eq(put("spead", &b, 23, 0).heap, from + 8);
		ck_assert_uint_eq(b.builder->extra(&b, PACE_EXTRA_AGAIN, again), n);
		ck_assert_uint_eq(again[15], from + 9);
		ck_assert_uint_eq(put("spead", &b, 24, 0).heap, from + 10);
	}
	/* sent after the last heap of the run, before the stop */
	(void)put("spead", &b, 35, 0);
	(void)b.builder->extra(&b, PACE_EXTRA_AGAIN, again);
	ck_assert_uint_eq(again[15], 10 + 13);
	(void)b.builder->extra(&b, PACE_EXTRA_END, again);
	ck_assert_uint_eq(again[15], 10 + 14);
}
END_TEST

START_TEST(spead_streams_have_heaps_of_their_own)
{
	struct pace_cap_build b = build("spead", 1056);

	b.address_bits = 48;
	b.stream = 255;
	pace_cap_build_begin(&b, frame, WALL_NS);
	ck_assert_uint_eq(put("spead", &b, 4, 0).heap, (UINT64_C(255) << 32) + 2);
	is_hex(frame, "5304020600000006" "800100ff00000002" "8002000000000fa0" "8003000000000000"
	    "80040000000003e8" "9600000000000fa0");
}
END_TEST

/* As SPEAD's description has it: a packet of items within the heap. */
START_TEST(spead_describes_its_items)
{
	struct pace_cap_build b = build("spead", 1056);
	uint8_t extra[PACE_CAP_EXTRA_MAX];
	size_t n;

	pace_cap_build_begin(&b, frame, WALL_NS);
	n = b.builder->extra(&b, PACE_EXTRA_BEFORE, extra);
	is_hex(extra, "5304030500000006" "8000010000000001" "80000200000000ff" "8000030000000000"
	    "80000400000000ff" "0000050000000000" "0000050000000072");
	ck_assert_uint_eq(n, 56 + 0xff);
	is_hex(extra + 56, "5304030500000009" "8000010000000001" "8000020000000022"
	    "8000030000000000" "8000040000000022" "8000140000001600" "0000100000000000"
	    "0000110000000009" "000013000000001e" "0000120000000022");
	ck_assert_int_eq(memcmp(extra + 56 + 80, "timestamp" "begin of the heap, us" "u\0\0\x28", 34),
	    0);
	ck_assert_int_eq(memcmp(extra + n - 58, "{'descr': '|u1', 'fortran_order': False, "
	    "'shape': (4000,)}", 58), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_build");

	tcase_add_test(tc, an_rtp_header_wraps_and_goes_on);
	tcase_add_test(tc, a_udpmon_frame_counts_from_its_run_s_first);
	tcase_add_test(tc, a_sequence_follows_its_rule);
	tcase_add_test(tc, vdif_frames_are_numbered_within_the_second);
	tcase_add_test(tc, vdif_needs_whole_frames_a_second);
	tcase_add_test(tc, a_vdif_header_that_cannot_say_its_rate_says_none);
	tcase_add_test(tc, vtp_has_a_number_of_its_own);
	tcase_add_test(tc, lofar_frames_go_on_over_the_second);
	tcase_add_test(tc, spead_frames_make_heaps);
	tcase_add_test(tc, spead_descriptors_come_again_with_numbers_of_their_own);
	tcase_add_test(tc, spead_streams_have_heaps_of_their_own);
	tcase_add_test(tc, spead_describes_its_items);
	return unit_run(tc, "cap_build");
}
