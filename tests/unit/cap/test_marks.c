/*
 * Each format's datagrams, typed in from its standard (or as another program sent
 * them), and what they say; none of them is made by an encoder of ours but udpace's.
 */
#include <string.h>

#include "cap/format.h"

#include "lib/unit.h"

#define LEN_MAX	192

struct sample {
	const char	*name, *what;
	const char	*hex;		/* what is typed; zeros follow up to length */
	size_t		length;
	size_t		needed;		/* fewer captured bytes give no mark */
	struct pace_cap_mark mark;
};

#define SEQ(n, mod)	.has_seq = true, .seq = (n), .modulus = (mod)
#define TIME(ns)	.has_time = true, .time_ns = (ns)
#define HEAP(h, size, offset, n)	.has_heap = true, .heap = (h), .heap_size = (size), \
	.heap_offset = (offset), .heap_bytes = (n)

static const struct sample samples[] = {
	/* RFC 3550: V 2, M 1, PT 96, number 65535; two CSRCs; an extension of one word */
	{ "rtp", "plain header", "80e0ffff 0000aaaa 1234abcd", 100, 12,
	  { .stream = 0x1234abcd, SEQ(65535, 65536) } },
	{ "rtp", "CSRCs, extension, padding", "b260 0001 00000000 00000007 11111111 22222222"
	  "bede0001 00000000 00 00 00 04", 32, 12, { .stream = 7, SEQ(1, 65536) } },
	/* as iperf 3.12 sends it: 32 bits, then 64 */
	{ "iperf3", "number of 32 bits", "00000102 0000000a 00000001 39383736", 300, 16,
	  { SEQ(1, UINT64_C(1) << 32), TIME(258000010000) } },
	{ "iperf3", "number of 64 bits", "ffffffff 000f423f 00000000 80000000", 300, 16,
	  { SEQ(0x80000000, 0), TIME(4294967295999999000) } },
	/* as iperf 2.1.8 sent it, and its end */
	{ "iperf2", "first", "00000001 6b030183 0009f66e 00000000 48010098 00000001", 300, 12,
	  { SEQ(1, 0), TIME(1795359107652910000) } },
	{ "iperf2", "number above 32 bits", "00000002 6b030183 0009f66e 00000003 48010098", 300,
	  20, { SEQ(0x300000002, 0), TIME(1795359107652910000) } },
	{ "iperf2", "last", "fffffe48 6b030184 000a01e4 ffffffff 48010098", 300, 20,
	  { SEQ(440, 0), TIME(1795359108655844000), .last = true } },
	{ "iperf2", "2.0.5, without upper half", "00000000 6b030183 00000000 00000000", 1470, 12,
	  { SEQ(0, UINT64_C(1) << 31), TIME(1795359107000000000) } },
	{ "iperf2", "2.0.5, last", "fffffffe 6b030183 00000001 00000000", 1470, 12,
	  { SEQ(2, UINT64_C(1) << 31), TIME(1795359107000001000), .last = true } },
	/* SPEAD 64-48 as spead2 sends it: heap 1 of 0x204c bytes, 0x578 of them at 0 */
	{ "spead", "64-48", "53040206 00000008 8001000000000001 800200000000204c"
	  "8003000000000000 8004000000000578 0005000000000096 0000000000000500"
	  "0000680033000000 0000010c53040206", 1472, 40, { HEAP(1, 0x204c, 0, 0x578) } },
	{ "spead", "64-40", "53040305 00000004 8000010000000001 800002000000204c"
	  "8000030000000578 8000040000000400", 1472, 40, { HEAP(1, 0x204c, 0x578, 0x400) } },
	{ "spead", "largest values", "53040206 00000004 8001ffffffffffff 8002ffffffffffff"
	  "8003ffffffffffff 8004000000000000", 40, 40,
	  { HEAP(0xffffffffffff, 0xffffffffffff, 0xffffffffffff, 0) } },
	{ "spead", "no size, no offset", "53040206 00000002 8001000000000009 8004000000000008", 32,
	  24, { HEAP(9, 0, 0, 8) } },
	{ "spead", "stop", "53040206 00000005 8001000000000031 8002000000000001 8003000000000000"
	  "8004000000000001 8006000000000002", 49, 48, { .last = true, HEAP(0x31, 1, 0, 1) } },
	/* VDIF: second 0x01020304, frame 5 of epoch 44, 5032 bytes, 1 channel, version 1,
	 * station "Ef", thread 3, 2 bits real */
	{ "vdif", "no sample rate", "04030201 0500002c 75020020 45660304", 5032, 32,
	  { .stream = (0x6645u << 10) + 3, SEQ((UINT64_C(0x01020304) << 24) + 5, PACE_CAP_SECONDS) } },
	/* kind 3, 32 MHz, so 64 million real samples of 2 bits over 8000 bytes: 2000 frames a
	 * second */
	{ "vdif", "sample rate", "0a000000 cf07002c ec030020 45660304 20008003", 8032, 32,
	  { .stream = (0x6645u << 10) + 3, SEQ(10 * 2000 + 1999, 0), TIME(10999500000) } },
	{ "vdif", "frame that the rate has not", "0a000000 d007002c ec030020 45660304 20008003",
	  8032, 32, { .stream = (0x6645u << 10) + 3, SEQ((UINT64_C(10) << 24) + 2000,
	    PACE_CAP_SECONDS) } },
	{ "vdif", "rate that is no whole number of frames", "0a000000 0100002c ec030020 45660304"
	  "41000003", 8032, 32, { .stream = (0x6645u << 10) + 3, SEQ((UINT64_C(10) << 24) + 1,
	    PACE_CAP_SECONDS) } },
	/* 4398047 MHz x 32 bits complex x 2^16 channels are 2^64 + 7822336 x 32768 x 8 bits */
	{ "vdif", "rate beyond 64 bits", "0a000000 0500002c 04100030 456603fc df1bc301", 32800, 32,
	  { .stream = (0x6645u << 10) + 3, SEQ((UINT64_C(10) << 24) + 5, PACE_CAP_SECONDS) } },
	/* the first bytes of baseband's sample of the VLBA, 1600 frames a second: kind 3, 16 MHz,
	 * thread 1, 5032 bytes; here frame 1599 */
	{ "vdif", "of the VLBA", "772cdb00 3f06001c 75020020 fcff0104 10008003", 5032, 32,
	  { .stream = (0xfffcu << 10) + 1, SEQ(UINT64_C(14363767) * 1600 + 1599, 0),
	    TIME(INT64_C(14363767999375000)) } },
	{ "vdif", "legacy header, invalid", "010000c0 0000002c 03000020 0000ff03", 24, 16,
	  { .stream = 0x3ff, SEQ(UINT64_C(1) << 24, PACE_CAP_SECONDS) } },
	{ "vtp", "number before the frame", "fe00000000000080 04030201 0500002c 75020020 45660304",
	  5040, 40, { SEQ(0x80000000000000fe, 0) } },
	/* version 3, board 2, 200 MHz, 8 bits, station 0x1c03, 61 beamlets, 16 blocks; second
	 * 1500000000 is even, the one behind it odd */
	{ "lofar", "even second", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 16,
	  { .stream = 0x1c0302, SEQ(18310546875001, 0), TIME(1500000000000081920) } },
	{ "lofar", "odd second", "03 82 01 00 031c 3d 10 012f6859 0f000000", 3920, 16,
	  { .stream = 0x1c0302, SEQ(18310546887208, 0), TIME(1500000001000079360) } },
	{ "lofar", "160 MHz, 16 bits", "02 01 00 00 0100 01 01 002f6859 01000000", 24, 16,
	  { .stream = 0x0101, SEQ(234375000000001, 0), TIME(1500000000000006400) } },
	/* UDPmon 7, little-endian */
	{ "udpmon", "DATA", "04000000 07000000 3412000000000000 ffffffffffffffff", 64, 24,
	  { SEQ(0x1234, 0), TIME(-100) } },
	{ "udpmon", "DATA before any command", "04000000 00000000 0000000000000000 10270000 00000000",
	  64, 24, { SEQ(0, 0), TIME(1000000) } },
	{ "udpmon", "request", "08000000 07000000 0100000000000000 0000000000000000", 64, 24,
	  { .stream = 8, SEQ(1, 0) } },
	{ "udpmon", "response", "09000000 07000000 0100000000000000 0000000000000000", 1400, 24,
	  { .stream = 9, SEQ(1, 0) } },
	{ "udpmon", "ZEROSTATS", "01000000 00000000", 208, 24, { .last = true } },
	{ "udpmon", "START", "80000000 07000000", 208, 24, { .last = true } },
	{ "udpmon", "TESTEND", "22000000 07000000", 208, 24, { .last = true } },
	{ "udpmon", "GETSTATS", "02000000 07000000", 208, 24, { .stream = 0 } },
	/* udpace-protocol(7): DATA of run 3, frame 7; the check is 1 + sum mod 65521 */
	{ "udpace", "DATA", "7550 01 04 00 03 e8d4 0123456789abcdef 0000000000000007"
	  "00000000075bcd15 000004d2 7061796c6f6164", 43, 36,
	  { .stream = UINT64_C(0x23456789abcdef03), SEQ(7, 0), TIME(123456789) } },
	{ "udpace", "DATA of the responder", "7550 01 84 00 03 6d1c 0123456789abcdef 0000000000000007"
	  "00000000075bcd15 000004d2 fedcba9876543210 7061796c6f6164", 51, 44,
	  { .stream = UINT64_C(0x23456789abcdef03), SEQ(7, 0), TIME(123456789) } },
};

static int
digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The bytes of a sample, zeros behind what is typed. */
static void
type_in(const char *hex, uint8_t bytes[LEN_MAX])
{
	size_t n = 0;

	memset(bytes, 0, LEN_MAX);
	for (; *hex != '\0'; hex++)
		if (*hex != ' ') {
			bytes[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
			hex++;
		}
	ck_assert_uint_le(n, LEN_MAX);
}

/* In memory that ends with the captured bytes. */
static bool
mark(const struct pace_cap_format *f, const uint8_t *bytes, size_t captured, size_t length,
    struct pace_cap_mark *m, int *fits)
{
	uint8_t *exact = malloc(captured > 0 ? captured : 1);
	const struct pace_cap_datagram d = { exact, captured, length, 4000, 5000 };
	bool good;

	memcpy(exact, bytes, captured);
	*fits = f->fits(&d);
	ck_assert_int_ge(*fits, 0);
	ck_assert_int_le(*fits, 100);
	good = f->mark(NULL, &d, m);
	free(exact);
	return good;
}

static void
ck_same(const struct pace_cap_mark *m, const struct pace_cap_mark *want)
{
	ck_assert_uint_eq(m->stream, want->stream);
	ck_assert(m->has_seq == want->has_seq);
	ck_assert_uint_eq(m->seq, want->seq);
	ck_assert_uint_eq(m->modulus, want->modulus);
	ck_assert(m->has_time == want->has_time);
	ck_assert_int_eq(m->time_ns, want->time_ns);
	ck_assert(m->last == want->last);
	ck_assert(m->has_heap == want->has_heap);
	ck_assert_uint_eq(m->heap, want->heap);
	ck_assert_uint_eq(m->heap_size, want->heap_size);
	ck_assert_uint_eq(m->heap_offset, want->heap_offset);
	ck_assert_uint_eq(m->heap_bytes, want->heap_bytes);
}

/* The frames of a second: 2000 by the sample rate; the first blocks of 200 MHz are 195313 and
 * 195312 a second in turn, so with 16 a frame the 16th of the next second begins a frame. */
static const struct {
	const char	*what;
	uint64_t	message, place, frames;
} messages[] = {
	{ "no sample rate", 0x01020304, 5, 0 }, { "sample rate", 10, 1999, 2000 },
	{ "frame that the rate has not", 10, 2000, 0 },
	{ "even second", 1500000000, 1, 12208 }, { "odd second", 1500000001, 0, 12207 },
};

START_TEST(a_datagram_says_its_message)
{
	struct pace_cap_mark m = { .has_message = false };
	uint8_t bytes[LEN_MAX];
	const struct sample *s = samples;
	int fits;

	while (strcmp(s->what, messages[_i].what) != 0)
		s++;
	type_in(s->hex, bytes);
	ck_assert(mark(pace_cap_format(s->name), bytes, s->needed, s->length, &m, &fits));
	ck_assert(m.has_message);
	ck_assert_uint_eq(m.message, messages[_i].message);
	ck_assert_uint_eq(m.message_place, messages[_i].place);
	ck_assert_uint_eq(m.message_frames, messages[_i].frames);
}
END_TEST

START_TEST(a_datagram_says_what_its_standard_says)
{
	const struct sample *s = &samples[_i];
	const struct pace_cap_format *f = pace_cap_format(s->name);
	uint8_t bytes[LEN_MAX];
	struct pace_cap_mark m;
	size_t whole = s->length < LEN_MAX ? s->length : LEN_MAX;
	int fits;

	printf("%s: %s\n", s->name, s->what);
	type_in(s->hex, bytes);
	ck_assert_ptr_nonnull(f);
	ck_assert(mark(f, bytes, whole, s->length, &m, &fits));
	ck_assert_int_gt(fits, 0);
	ck_same(&m, &s->mark);
	ck_assert(mark(f, bytes, s->needed, s->length, &m, &fits));
}
END_TEST

/* A cut datagram gives the same result or none; below the needed length it gives none. */
START_TEST(a_cut_datagram_says_nothing_else)
{
	const struct sample *s = &samples[_i];
	const struct pace_cap_format *f = pace_cap_format(s->name);
	uint8_t bytes[LEN_MAX];
	struct pace_cap_mark m;
	int fits;

	type_in(s->hex, bytes);
	for (size_t n = 0; n < s->needed; n++) {
		bool good = mark(f, bytes, n, s->length, &m, &fits);

		/* older iperf 2 has no flags: then the upper half is not read */
		ck_assert(!good || (strcmp(s->name, "iperf2") == 0 && n >= 12) ||
		    (strcmp(s->name, "spead") == 0 && n >= 24));
	}
}
END_TEST

/* Only its own decoder, and those without magic, take a sample. */
START_TEST(no_magic_is_taken_for_another)
{
	uint8_t bytes[LEN_MAX];
	struct pace_cap_mark m;
	size_t n, whole = samples[_i].length < LEN_MAX ? samples[_i].length : LEN_MAX;
	const struct pace_cap_format *f = pace_cap_formats(&n);
	int fits;

	type_in(samples[_i].hex, bytes);
	for (size_t i = 0; i < n; i++) {
		(void)mark(&f[i], bytes, whole, samples[_i].length, &m, &fits);
		ck_assert_msg(fits < PACE_CAP_SURE || strcmp(f[i].name, samples[_i].name) == 0,
		    "%s %s: %s", samples[_i].name, samples[_i].what, f[i].name);
	}
}
END_TEST

/* One thing wrong in a sample: at, value, and the format refuses it. */
static const struct {
	const char	*name, *hex;
	size_t		length;
	size_t		at;
	uint8_t		value;
} wrong[] = {
	{ "rtp", "8060 0001 00000000 00000007", 40, 0, 0x40 },		/* version 1 */
	{ "rtp", "8060 0001 00000000 00000007", 40, 0, 0xc0 },		/* version 3 */
	{ "rtp", "8060 0001 00000000 00000007", 40, 1, 200 },		/* RTCP SR */
	{ "rtp", "8060 0001 00000000 00000007", 40, 1, 207 },		/* RTCP XR */
	{ "rtp", "8060 0001 00000000 00000007", 40, 0, 0x88 },		/* 8 CSRCs do not fit */
	{ "rtp", "9060 0001 00000000 00000007 bede0006", 40, 15, 7 },	/* long extension */
	{ "rtp", "a060 0001 00000000 00000007", 40, 39, 0 },		/* padding of 0 */
	{ "rtp", "a060 0001 00000000 00000007", 40, 39, 29 },		/* more than there is */
	{ "iperf3", "00000102 0000000a 00000001", 300, 5, 0x0f },	/* 983050 us: fits */
	{ "iperf3", "00000102 0000000a 00000001", 300, 5, 0x10 },	/* 1048586 us */
	{ "iperf3", "00000102 0000000a 00000001", 300, 11, 0 },		/* number 0 */
	{ "iperf2", "00000001 6b030183 0009f66e", 300, 4, 0x3b },	/* before 2001 */
	{ "iperf2", "00000001 6b030183 0009f66e", 300, 9, 0x10 },	/* us */
	{ "spead", "53040206 00000001 8001000000000001", 1472, 0, 0x54 },
	{ "spead", "53040206 00000001 8001000000000001", 1472, 1, 5 },
	{ "spead", "53040206 00000001 8001000000000001", 1472, 2, 3 },	/* 3 + 6 bytes */
	{ "spead", "53040206 00000001 8001000000000001", 1472, 5, 1 },	/* not 0 */
	{ "spead", "53040206 00000001 8001000000000001", 1472, 6, 1 },	/* 257 items */
	{ "spead", "53040206 00000002 8001000000000001 8004000000000009", 32, 31, 9 },
	{ "vdif", "04030201 0500002c 75020020 45660304", 5032, 8, 0x76 },	/* longer frame */
	{ "vdif", "04030201 0500002c 75020020 45660304", 5032, 7, 0x6c },	/* unassigned bit */
	{ "vdif", "04030201 0500002c 75020020 45660304", 5032, 11, 0x40 },	/* version 2 */
	{ "vtp", "fe00000000000080 04030201 0500002c 75020020 45660304", 5040, 16, 0x76 },
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 0, 4 },
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 1, 0xa2 },
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 2, 0 },	/* 16 bits */
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 2, 3 },
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 6, 0 },
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 11, 0x40 },	/* 2004 */
	{ "lofar", "03 82 01 00 031c 3d 10 002f6859 10000000", 3920, 14, 3 },	/* block 196624 */
	{ "udpmon", "04000000 07000000", 64, 0, 5 },
	{ "udpmon", "04000000 07000000", 64, 4, 6 },
	{ "udpmon", "04000000 07000000", 64, 13, 1 },			/* frame 2^40 */
	{ "udpmon", "02000000 07000000", 207, 0, 2 },			/* control has 208 bytes */
	{ "udpace", "7550 01 04 00 03 e8d4 0123456789abcdef 0000000000000007"
	  "00000000075bcd15 000004d2", 43, 23, 8 },			/* the check */
};

START_TEST(a_wrong_field_is_refused)
{
	const struct pace_cap_format *f = pace_cap_format(wrong[_i].name);
	uint8_t bytes[LEN_MAX];
	struct pace_cap_mark m;
	size_t whole = wrong[_i].length < LEN_MAX ? wrong[_i].length : LEN_MAX;
	bool good = wrong[_i].value == 0x0f;
	int fits;

	type_in(wrong[_i].hex, bytes);
	bytes[wrong[_i].at] = wrong[_i].value;
	ck_assert(mark(f, bytes, whole, wrong[_i].length, &m, &fits) == good);
	ck_assert((fits > 0) == good);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_marks");

	tcase_add_loop_test(tc, a_datagram_says_its_message, 0, COUNT_OF(messages));
	tcase_add_loop_test(tc, a_datagram_says_what_its_standard_says, 0, COUNT_OF(samples));
	tcase_add_loop_test(tc, a_cut_datagram_says_nothing_else, 0, COUNT_OF(samples));
	tcase_add_loop_test(tc, no_magic_is_taken_for_another, 0, COUNT_OF(samples));
	tcase_add_loop_test(tc, a_wrong_field_is_refused, 0, COUNT_OF(wrong));
	return unit_run(tc, "cap_marks");
}
