/* stamp.h: the octets of packets and TLVs, times, error estimates, and everything that is
 * refused. */
#include "core/stamp.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

#define SEC	INT64_C(1000000000)

/* Typed from the figures of RFC 8762 and RFC 8972. */
static const struct pace_stamp_request request = { 0x01020304, UINT64_C(0x1112131415161718),
	0x8d21, 0xa1a2 };
static const struct pace_stamp_reply reply = { 0x31323334, UINT64_C(0x4142434445464748),
	UINT64_C(0x5152535455565758), 0x0fff, 0xa1a2,
	{ 0x01020304, UINT64_C(0x1112131415161718), 0x8d21, 0 }, 0xfe };

static const uint8_t open_request[PACE_STAMP_OPEN] = {
	1, 2, 3, 4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	0x8d, 0x21, 0xa1, 0xa2,
};

static const uint8_t auth_request[PACE_STAMP_AUTH] = {
	1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	0x8d, 0x21, 0xa1, 0xa2,
};

static const uint8_t open_reply[PACE_STAMP_OPEN] = {
	0x31, 0x32, 0x33, 0x34,
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
	0x0f, 0xff, 0xa1, 0xa2,
	0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
	1, 2, 3, 4,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	0x8d, 0x21, 0, 0,
	0xfe, 0, 0, 0,
};

static const uint8_t auth_reply[PACE_STAMP_AUTH] = {
	0x31, 0x32, 0x33, 0x34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
	0x0f, 0xff, 0xa1, 0xa2, 0, 0, 0, 0,
	0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
	0, 0, 0, 0, 0, 0, 0, 0,
	1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
	0x8d, 0x21, 0, 0, 0, 0, 0, 0,
	0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

/* Member by member: structs have padding. */
static void
has_request(const struct pace_stamp_request *q, const struct pace_stamp_request *as)
{
	ck_assert_uint_eq(q->seq, as->seq);
	ck_assert_uint_eq(q->t1, as->t1);
	ck_assert_uint_eq(q->error, as->error);
	ck_assert_uint_eq(q->ssid, as->ssid);
}

START_TEST(packets_have_the_octets_of_the_figures)
{
	uint8_t buf[PACE_STAMP_AUTH];
	struct pace_stamp_request q;
	struct pace_stamp_reply p;
	bool auth = _i;
	int base = auth ? PACE_STAMP_AUTH : PACE_STAMP_OPEN;

	memset(buf, 0x5a, sizeof(buf));
	ck_assert_int_eq(pace_stamp_request_encode(buf, (size_t)base, auth, &request), base);
	ck_assert_mem_eq(buf, auth ? auth_request : open_request, (size_t)base);
	ck_assert_int_eq(pace_stamp_request_decode(&q, buf, (size_t)base, auth), 0);
	has_request(&q, &request);
	memset(buf, 0x5a, sizeof(buf));
	ck_assert_int_eq(pace_stamp_reply_encode(buf, (size_t)base, auth, &reply), base);
	ck_assert_mem_eq(buf, auth ? auth_reply : open_reply, (size_t)base);
	memset(buf + (auth ? 16 : 4), 0, 8);
	pace_stamp_reply_set_t3(buf, auth, reply.t3);
	ck_assert_mem_eq(buf, auth ? auth_reply : open_reply, (size_t)base);
	ck_assert_int_eq(pace_stamp_reply_decode(&p, buf, (size_t)base, auth), 0);
	ck_assert_uint_eq(p.seq, reply.seq);
	ck_assert_uint_eq(p.t3, reply.t3);
	ck_assert_uint_eq(p.t2, reply.t2);
	ck_assert_uint_eq(p.error, reply.error);
	ck_assert_uint_eq(p.ssid, reply.ssid);
	has_request(&p.sender, &reply.sender);
	ck_assert_uint_eq(p.ttl, reply.ttl);
}
END_TEST

/* Each length up to a whole packet; the buffer has just that. */
START_TEST(short_packets_are_refused_and_change_nothing)
{
	struct pace_stamp_request q, q_before;
	struct pace_stamp_reply p, p_before;
	size_t len = (size_t)_i;

	for (int auth = 0; auth < 2; auth++) {
		uint8_t *exact = calloc(1, len > 0 ? len : 1);
		int least_q = auth ? PACE_STAMP_AUTH : 14;
		int least_p = auth ? PACE_STAMP_AUTH : PACE_STAMP_LIGHT;
		int whole = auth ? PACE_STAMP_AUTH : PACE_STAMP_OPEN;

		memset(&q, 0x5a, sizeof(q));
		memset(&p, 0x5a, sizeof(p));
		q_before = q;
		p_before = p;
		ck_assert_int_eq(pace_stamp_request_decode(&q, exact, len, auth),
		    _i < least_q ? -EMSGSIZE : 0);
		ck_assert_int_eq(pace_stamp_reply_decode(&p, exact, len, auth),
		    _i < least_p ? -EMSGSIZE : 0);
		if (_i < least_q)
			ck_assert_mem_eq(&q, &q_before, sizeof(q));
		if (_i < least_p)
			ck_assert_mem_eq(&p, &p_before, sizeof(p));
		ck_assert_int_eq(pace_stamp_request_encode(exact, len, auth, &request),
		    _i < whole ? -EMSGSIZE : whole);
		ck_assert_int_eq(pace_stamp_reply_encode(exact, len, auth, &reply),
		    _i < least_p ? -EMSGSIZE : _i < whole ? _i : whole);
		if (!auth && _i >= least_p)
			ck_assert_mem_eq(exact, open_reply, len < PACE_STAMP_OPEN ? len : PACE_STAMP_OPEN);
		free(exact);
	}
}
END_TEST

START_TEST(a_short_request_of_twamp_light_has_no_ssid)
{
	struct pace_stamp_request q;

	ck_assert_int_eq(pace_stamp_request_decode(&q, open_request, 43, false), 0);
	ck_assert_uint_eq(q.ssid, 0);
	ck_assert_uint_eq(q.t1, request.t1);
}
END_TEST

/* --- times ---------------------------------------------------------------------------------- */

/* 2208988800 = 0x83aa7e80 s from 1900 to 1970; half a second is 2^31. */
static const struct {
	int64_t		ns;
	enum pace_stamp_format format;
	uint64_t	time;
} times[] = {
	{ 0, PACE_STAMP_NTP, UINT64_C(0x83aa7e8000000000) },
	{ SEC / 2, PACE_STAMP_NTP, UINT64_C(0x83aa7e8080000000) },
	{ SEC / 4, PACE_STAMP_NTP, UINT64_C(0x83aa7e8040000000) },
	{ 1, PACE_STAMP_NTP, UINT64_C(0x83aa7e8000000005) },	/* 4.29 units, rounded up */
	{ SEC - 1, PACE_STAMP_NTP, UINT64_C(0x83aa7e80fffffffc) },
	{ -1, PACE_STAMP_NTP, UINT64_C(0x83aa7e7ffffffffc) },
	{ INT64_C(2085978496) * SEC, PACE_STAMP_NTP, 0 },	/* 2036-02-07, the next era */
	{ 0, PACE_STAMP_PTP, 0 },
	{ 3 * SEC + 7, PACE_STAMP_PTP, UINT64_C(0x0000000300000007) },
	{ 3 * SEC - 1, PACE_STAMP_PTP, UINT64_C(0x000000023b9ac9ff) },
	{ INT64_C(4294967296) * SEC + 5, PACE_STAMP_PTP, 5 },	/* 2106, wrapped */
};

START_TEST(times_are_known)
{
	ck_assert_uint_eq(pace_stamp_time(times[_i].ns, times[_i].format), times[_i].time);
	ck_assert_int_eq(pace_stamp_time_ns(times[_i].time, times[_i].format,
	    times[_i].ns + 1000 * SEC), times[_i].ns);
}
END_TEST

START_TEST(a_time_survives_both_formats)
{
	for (int i = 0; i < 100000; i++) {
		int64_t ns = unit_between(-SEC * 4000000000, SEC * 8000000000);
		int64_t near_ns = ns + unit_between(-SEC * 2147483647, SEC * 2147483647) / 2;

		for (int f = PACE_STAMP_NTP; f <= PACE_STAMP_PTP; f++) {
			enum pace_stamp_format format = (enum pace_stamp_format)f;

			ck_assert_int_eq(pace_stamp_time_ns(pace_stamp_time(ns, format), format,
			    near_ns), ns);
		}
	}
}
END_TEST

START_TEST(ptp_nanoseconds_of_a_second_and_more_are_carried)
{
	ck_assert_int_eq(pace_stamp_time_ns(UINT64_C(0x00000001ffffffff), PACE_STAMP_PTP, 0),
	    SEC + UINT32_MAX);
	/* at both ends of 64 bits nothing overflows */
	for (int i = 0; i < 1000; i++)
		for (int f = PACE_STAMP_NTP; f <= PACE_STAMP_PTP; f++) {
			uint64_t t = unit_rnd();

			(void)pace_stamp_time_ns(t, (enum pace_stamp_format)f, INT64_MAX);
			(void)pace_stamp_time_ns(t, (enum pace_stamp_format)f, INT64_MIN);
		}
}
END_TEST

/* multiplier x 2^(scale - 32) s */
static const struct {
	int64_t		ns;
	uint16_t	error;
	int64_t		back_ns;
} errors[] = {
	{ -5, 0x0001, 1 }, { 0, 0x0001, 1 },
	{ 1, 0x0005, 2 },			/* 5 units are 1.16 ns */
	{ 59, 0x00fe, 60 },			/* 253.4 units */
	{ 60, 0x0181, 61 },			/* 257.7: 129 x 2 */
	{ SEC, 0x1980, SEC },			/* 128 x 2^25 */
	{ 16 * SEC, 0x1d80, 16 * SEC },
	{ SEC / 2, 0x1880, SEC / 2 },
	{ INT64_C(2147483647) * SEC, 0x3880, INT64_C(2147483648) * SEC },
	{ INT64_C(2147483648) * SEC, 0x3fff, INT64_MAX },
	{ INT64_MAX, 0x3fff, INT64_MAX },
};

START_TEST(error_estimates_are_known)
{
	for (int flags = 0; flags < 4; flags++) {
		struct pace_stamp_error e = { flags & 2, (enum pace_stamp_format)(flags & 1),
		    errors[_i].ns }, back;
		uint16_t error = pace_stamp_error(&e);

		ck_assert_uint_eq(error, (unsigned)flags << 14 | errors[_i].error);
		back = pace_stamp_error_of(error);
		ck_assert_int_eq(back.synchronised, (flags & 2) != 0);
		ck_assert_int_eq(back.format, flags & 1);
		ck_assert_int_eq(back.ns, errors[_i].back_ns);
	}
}
END_TEST

START_TEST(an_error_is_never_less_than_given_and_little_more)
{
	ck_assert_int_eq(pace_stamp_error_of(0x0500).ns, INT64_MAX);	/* a multiplier of 0 */
	for (int i = 0; i < 100000; i++) {
		struct pace_stamp_error e = { .ns = (int64_t)(unit_rnd_any_size() >> 4) };
		int64_t back = pace_stamp_error_of(pace_stamp_error(&e)).ns;

		ck_assert_int_ge(back, e.ns);
		ck_assert(back <= e.ns + e.ns / 120 + 2);
	}
}
END_TEST

/* --- extensions ------------------------------------------------------------------------------ */

static struct pace_stamp_tlv
first_tlv(const uint8_t *tlv, size_t n, int *count)
{
	uint8_t *exact = calloc(1, PACE_STAMP_OPEN + n);
	struct pace_stamp_tlv t = { .type = 0 }, next;
	struct pace_stamp_walk w;

	memcpy(exact + PACE_STAMP_OPEN, tlv, n);
	w = pace_stamp_walk(exact, PACE_STAMP_OPEN + n, false);
	for (*count = 0; pace_stamp_walk_next(&w, &next); (*count)++) {
		if (*count == 0)
			t = next;
		ck_assert(w.at <= w.len);
	}
	free(exact);
	return t;
}

static const struct {
	const char	*tlv;
	size_t		n;
	int		count;
	struct pace_stamp_tlv first;
} tlvs[] = {
	{ "", 0, 0, { 0, 0, 0, 0, false } },
	{ "\x80\1\0", 3, 0, { 0, 0, 0, 0, false } },		/* no whole header */
	{ "\0\0\0\0\0\0\0\0", 8, 0, { 0, 0, 0, 0, false } },	/* padding of TWAMP-Light */
	{ "\x80\1\0\0", 4, 1, { 0x80, 1, 0, 44, false } },
	{ "\x80\1\0\3abc", 7, 1, { 0x80, 1, 3, 44, false } },
	{ "\x80\1\0\4abc", 7, 1, { 0x80, 1, 4, 44, true } },	/* ends behind the packet */
	{ "\x80\1\xff\xff", 4, 1, { 0x80, 1, 0xffff, 44, true } },
	{ "\x80\4\0\4abcd\x80\1\0\0", 12, 2, { 0x80, 4, 4, 44, false } },
	{ "\x80\4\0\3abc\x80\1\0\0", 11, 1, { 0x80, 4, 3, 44, true } },	/* CoS has 4 */
	{ "\x80\4\0\5abcde\x80\1\0\0", 13, 1, { 0x80, 4, 5, 44, true } },
	{ "\x80\7\0\0\x80\1\0\0", 8, 1, { 0x80, 7, 0, 44, true } },
	{ "\x80\x0c\0\5abcd", 8, 1, { 0x80, 12, 5, 44, true } },
	{ "\xe0\310\0\0\x80\x09\0\0", 8, 2, { 0xe0, 200, 0, 44, false } },
	{ "\x80\7\0\3abc", 7, 1, { 0x80, 7, 3, 44, true } },
	{ "\x80\x08\0\3abc", 7, 1, { 0x80, 8, 3, 44, true } },
	{ "\x80\3\0\3abc", 7, 1, { 0x80, 3, 3, 44, true } },
};

START_TEST(the_walk_stays_in_the_packet)
{
	struct pace_stamp_tlv t;
	int count;

	t = first_tlv((const uint8_t *)tlvs[_i].tlv, tlvs[_i].n, &count);
	ck_assert_int_eq(count, tlvs[_i].count);
	ck_assert_uint_eq(t.flags, tlvs[_i].first.flags);
	ck_assert_uint_eq(t.type, tlvs[_i].first.type);
	ck_assert_uint_eq(t.length, tlvs[_i].first.length);
	ck_assert_uint_eq(t.at, tlvs[_i].first.at);
	ck_assert_int_eq(t.malformed, tlvs[_i].first.malformed);
}
END_TEST

/* A TLV of each type, typed from the figures of RFC 8972 section 4, RFC 9503 sections 3 and 4 and
 * draft-ietf-ippm-asymmetrical-pkts, and one of an unassigned type: none is malformed, and
 * each ends where the next one begins. */
static const struct {
	const char	*tlv;
	size_t		n;
} types[] = {
	/* Extra Padding: any octets */
	{ "\x80\1\0\6\x8d\x21\xff\0\x5a\1", 10 },
	/* Location: destination port, source port; sub-TLV 1, source MAC */
	{ "\x80\2\0\x10\x03\x5e\x9c\x40\0\1\0\x08\x02\0\0\0\0\1\0\0", 20 },
	/* Timestamp Information: NTP and software on both ways */
	{ "\x80\3\0\4\1\2\1\2", 8 },
	/* Class of Service: DSCP1 46, the rest by the reflector */
	{ "\x80\4\0\4\xb8\0\0\0", 8 },
	/* Direct Measurement: packets sent; packets received and sent by the reflector */
	{ "\x80\5\0\x0c\0\0\1\x2c\0\0\0\0\0\0\0\0", 16 },
	/* Access Report: ID 1 in four bits, return code 1 */
	{ "\x80\6\0\4\x10\1\0\0", 8 },
	/* Follow-Up Telemetry: sequence number, time, method, three reserved */
	{ "\x80\7\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20 },
	/* HMAC */
	{ "\x80\x08\0\x10\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10", 20 },
	/* Destination Node Address, IPv4 */
	{ "\x80\x09\0\4\xc0\0\2\1", 8 },
	/* Return Path: sub-TLV 1, control code, reply on the same link */
	{ "\x80\x0a\0\x08\x80\1\0\4\0\0\0\1", 12 },
	/* Micro-session ID, of sender and reflector */
	{ "\x80\x0b\0\4\0\1\0\2", 8 },
	/* Reflected Test Packet Control: 1500 octets, 9 replies, 1 ms */
	{ "\x80\x0c\0\x08\x05\xdc\0\x09\0\x0f\x42\x40", 12 },
	{ "\x80\xff\0\2\1\2", 6 },
};

START_TEST(each_type_is_read)
{
	uint8_t buf[64] = { 0 };
	struct pace_stamp_tlv t;
	int count;

	memcpy(buf, types[_i].tlv, types[_i].n);
	memcpy(buf + types[_i].n, "\x80\1\0\0", 4);
	t = first_tlv(buf, types[_i].n + 4, &count);
	ck_assert_int_eq(count, 2);
	ck_assert(t.flags == 0x80 && t.type == buf[1] && !t.malformed);
	ck_assert_uint_eq(t.length, types[_i].n - 4);
	/* an octet less in the packet, and it is malformed */
	t = first_tlv(buf, types[_i].n - 1, &count);
	ck_assert_int_eq(count, 1);
	ck_assert(t.malformed);
}
END_TEST

START_TEST(the_walk_is_bounded)
{
	uint8_t many[4 * (PACE_STAMP_TLVS_MAX + 5)];
	int count;

	for (size_t i = 0; i < sizeof(many); i += 4)
		memcpy(many + i, "\x80\x63\0\0", 4);
	(void)first_tlv(many, sizeof(many), &count);
	ck_assert_int_eq(count, PACE_STAMP_TLVS_MAX);
}
END_TEST

START_TEST(values_have_the_octets_of_the_figures)
{
	/* DSCP1 46 = 101110, DSCP2 10 = 001010, ECN 2 = 10, RP 1 = 01, 16 reserved */
	static const uint8_t cos[] = { 0xb8, 0xa9, 0, 0 };
	static const uint8_t info[] = { 1, 2, 5, 3 };
	static const uint8_t follow[] = { 1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		2, 0, 0, 0 };
	struct pace_stamp_cos c = { 46, 10, 2, 1 };
	struct pace_stamp_time_info i = { 1, 2, 5, 3 };
	struct pace_stamp_follow_up f = { .seq = 0x01020304, .time = UINT64_C(0x1112131415161718),
	    .method = PACE_STAMP_BY_SOFTWARE };
	uint8_t buf[16];

	pace_stamp_cos_put(buf, &c);
	ck_assert_mem_eq(buf, cos, 4);
	memset(&c, 0, sizeof(c));
	pace_stamp_cos_get(&c, buf);
	ck_assert(c.dscp_wanted == 46 && c.dscp == 10 && c.ecn == 2 && c.refused == 1);
	pace_stamp_time_info_put(buf, &i);
	ck_assert_mem_eq(buf, info, 4);
	memset(&i, 0, sizeof(i));
	pace_stamp_time_info_get(&i, buf);
	ck_assert(i.source_in == 1 && i.method_in == 2 && i.source_out == 5 && i.method_out == 3);
	pace_stamp_follow_up_put(buf, &f);
	ck_assert_mem_eq(buf, follow, 16);
	f.seq = 0, f.time = 0, f.method = 0;
	pace_stamp_follow_up_get(&f, buf);
	ck_assert(f.seq == 0x01020304 && f.time == UINT64_C(0x1112131415161718) && f.method == 2);
}
END_TEST

START_TEST(a_tlv_is_added_only_where_it_fits)
{
	uint8_t buf[PACE_STAMP_OPEN + 24];
	static const uint8_t want[] = { 0x80, 8, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x80, 1, 0, 0 };
	int len;

	memset(buf, 0x5a, sizeof(buf));
	len = pace_stamp_tlv_add(buf, sizeof(buf), PACE_STAMP_OPEN, PACE_STAMP_TLV_HMAC, 16);
	ck_assert_int_eq(len, PACE_STAMP_OPEN + 20);
	ck_assert_int_eq(pace_stamp_tlv_add(buf, sizeof(buf), (size_t)len, PACE_STAMP_TLV_PADDING, 1),
	    -EMSGSIZE);
	len = pace_stamp_tlv_add(buf, sizeof(buf), (size_t)len, PACE_STAMP_TLV_PADDING, 0);
	ck_assert_int_eq(len, PACE_STAMP_OPEN + 24);
	ck_assert_mem_eq(buf + PACE_STAMP_OPEN, want, sizeof(want));
	ck_assert_int_eq(pace_stamp_tlv_add(buf, sizeof(buf), sizeof(buf) + 1,
	    PACE_STAMP_TLV_PADDING, 0), -EMSGSIZE);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stamp");

	unit_seed(tc);
	tcase_add_loop_test(tc, packets_have_the_octets_of_the_figures, 0, 2);
	tcase_add_loop_test(tc, short_packets_are_refused_and_change_nothing, 0,
	    PACE_STAMP_AUTH + 2);
	tcase_add_test(tc, a_short_request_of_twamp_light_has_no_ssid);
	tcase_add_loop_test(tc, times_are_known, 0, COUNT_OF(times));
	tcase_add_test(tc, a_time_survives_both_formats);
	tcase_add_test(tc, ptp_nanoseconds_of_a_second_and_more_are_carried);
	tcase_add_loop_test(tc, error_estimates_are_known, 0, COUNT_OF(errors));
	tcase_add_test(tc, an_error_is_never_less_than_given_and_little_more);
	tcase_add_loop_test(tc, the_walk_stays_in_the_packet, 0, COUNT_OF(tlvs));
	tcase_add_loop_test(tc, each_type_is_read, 0, COUNT_OF(types));
	tcase_add_test(tc, the_walk_is_bounded);
	tcase_add_test(tc, values_have_the_octets_of_the_figures);
	tcase_add_test(tc, a_tlv_is_added_only_where_it_fits);
	return unit_run(tc, "stamp");
}
