/*
 * The recognition of flows: streams as their senders make them, with loss and
 * reordering, and what must not be taken for one.
 */
#include <string.h>

#include "cap/format.h"

#include "lib/unit.h"

#define LEN	200

/* Writes the i-th datagram of a flow into d[LEN] and returns its length. */
typedef size_t	(*maker)(uint8_t *d, unsigned i);

static void
put(uint8_t *d, uint64_t v, size_t n)
{
	while (n-- > 0) {
		d[n] = (uint8_t)v;
		v >>= 8;
	}
}

static void
put_little(uint8_t *d, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		d[i] = (uint8_t)v;
}

static void
put_random(uint8_t *d)
{
	for (size_t i = 0; i < LEN; i++)
		d[i] = (uint8_t)unit_rnd();
}

/* --- streams ---- */

static size_t
rtp(uint8_t *d, unsigned i)
{
	put(d, 0x8060, 2);
	put(d + 2, (65530 + i) % 65536, 2);
	put(d + 4, 90000 + i / 5 * 3600, 4);
	put(d + 8, 0xcafe0001 + i % 2, 4);	/* sound and pictures */
	put(d + 2, 65530 + i / 2, 2);
	return LEN;
}

static size_t
rtp_with_rtcp(uint8_t *d, unsigned i)
{
	size_t n = rtp(d, i);

	if (i % 8 == 7)
		put(d, 0x80c8, 2);
	return n;
}

/* Every two swapped. */
static size_t
rtp_swapped(uint8_t *d, unsigned i)
{
	put(d, UINT64_C(0x80600000) + (i ^ 1), 4);
	return LEN;
}

static size_t
iperf3(uint8_t *d, unsigned i)
{
	put(d, 1000 + i / 20000, 4);
	put(d + 4, 50 * (i % 20000), 4);
	put(d + 8, i + 1, 4);
	return i == 0 ? 4 : LEN;		/* the first one opens the stream */
}

static size_t
iperf3_wide(uint8_t *d, unsigned i)
{
	put(d, 1700000000 + i / 20000, 4);
	put(d + 4, 50 * (i % 20000), 4);
	put(d + 8, i + 1, 8);
	return LEN;
}

static size_t
iperf2(uint8_t *d, unsigned i)
{
	put(d, i + 1, 4);
	put(d + 4, 1700000000 + i / 10000, 4);
	put(d + 8, 100 * (i % 10000), 4);
	return LEN;
}

static size_t
udpmon(uint8_t *d, unsigned i)
{
	put_little(d, 4, 8);			/* version 0, as in the first point */
	put_little(d + 8, i, 8);
	put_little(d + 16, 120 * i, 8);
	return LEN;
}

static size_t
vdif(uint8_t *d, unsigned i)
{
	put_little(d, 1000 + i / 32, 4);
	put_little(d + 4, i % 32 / 8, 4);
	put_little(d + 8, LEN / 8, 4);
	put_little(d + 12, 0x04006645 | i % 8 << 16, 4);	/* 8 threads */
	return LEN;
}

static size_t
vtp(uint8_t *d, unsigned i)
{
	put_little(d, i, 8);
	vdif(d + 8, i);
	put_little(d + 16, (LEN - 8) / 8, 4);
	return LEN;
}

/* --- others ---- */

static size_t
noise(uint8_t *d, unsigned i)
{
	(void)i;
	put_random(d);
	return LEN;
}

static size_t
zeros(uint8_t *d, unsigned i)
{
	(void)d;
	(void)i;
	return LEN;
}

/* Questions about one name, each with an id of its own. */
static size_t
dns(uint8_t *d, unsigned i)
{
	static const char name[] = "\7example\3org\0\0\1\0\1";

	(void)i;
	put(d, unit_rnd(), 2);
	put(d + 2, 0x0100000100000000, 8);
	put(d + 10, 1, 2);
	memcpy(d + 12, name, sizeof(name) - 1);
	return 29;
}

/* A server's answers: version 4, mode 4, stratum 2; its dispersion grows slowly. */
static size_t
ntp(uint8_t *d, unsigned i)
{
	put_random(d);
	put(d, 0x240206e7, 4);
	put(d + 4, 1234, 4);
	put(d + 8, 700 + 10 * i, 4);
	put(d + 12, 0xc0a80001, 4);
	put(d + 24, UINT64_C(0xe8000000) + 16 * i, 4);
	return 48;
}

/* RFC 9000: a long header at first, then short ones to one connection id. */
static size_t
quic(uint8_t *d, unsigned i)
{
	put_random(d);
	d[0] = (uint8_t)(i < 2 ? 0xc0 | (d[0] & 0x0f) : 0x40 | (d[0] & 0x3f));
	if (i < 2)
		put(d + 1, 1, 4);
	put(d + (i < 2 ? 6 : 1), UINT64_C(0x8394c8f03e515708), 8);
	return LEN;
}

/* MPEG transport stream without RTP: pid 256, a continuity counter of 4 bits. */
static size_t
video(uint8_t *d, unsigned i)
{
	put_random(d);
	put(d, 0x47010010 | (i & 15), 4);
	return 188;
}

/* WireGuard data: type 4, receiver, counter; the rest is ciphertext. */
static size_t
tunnel(uint8_t *d, unsigned i)
{
	put_random(d);
	put_little(d, 4, 4);
	put_little(d + 4, 0x5eed1234, 4);
	put_little(d + 8, i, 8);
	return LEN;
}

/* RTP's bits and numbers that go on, of more streams than are followed. */
static size_t
crowd(uint8_t *d, unsigned i)
{
	put(d, UINT64_C(0x80600000) + i, 4);
	put(d + 4, UINT64_C(0xb0000000) + 160 * i, 4);
	put(d + 8, i % (PACE_CAP_STREAMS + 1), 4);
	return LEN;
}

/* RTP's bits, and always one number. */
static size_t
constant(uint8_t *d, unsigned i)
{
	put(d, 0x80600007, 4);
	put(d + 4, i, 4);
	return LEN;
}

static size_t
nothing(uint8_t *d, unsigned i)
{
	(void)d;
	(void)i;
	return 0;
}

static const struct {
	const char	*name;
	maker		make;
} flows[] = {
	{ "rtp", rtp }, { "rtp", rtp_with_rtcp }, { "rtp", rtp_swapped },
	{ "iperf3", iperf3 },
	{ "iperf3", iperf3_wide }, { "iperf2", iperf2 }, { "udpmon", udpmon },
	{ "vdif", vdif }, { "vtp", vtp },
	{ "plain", noise }, { "plain", zeros }, { "plain", dns }, { "plain", ntp },
	{ "plain", quic }, { "plain", video }, { "plain", tunnel }, { "plain", constant }, { "plain", crowd }, { "plain", nothing },
};

static void
feed(struct pace_cap_guess *g, maker make, unsigned i)
{
	uint8_t d[LEN] = { 0 }, *exact;
	size_t length = make(d, i), captured = length < 96 ? length : 96;

	exact = malloc(captured > 0 ? captured : 1);
	memcpy(exact, d, captured);
	pace_cap_guess_add(g, &(struct pace_cap_datagram){ exact, captured, length, 4000, 5000 });
	free(exact);
}

static const char *
name_of(const struct pace_cap_guess *g)
{
	return pace_cap_guess_best(g)->name;
}

START_TEST(a_flow_is_recognised)
{
	struct pace_cap_guess g;

	pace_cap_guess_init(&g);
	ck_assert_str_eq(name_of(&g), "plain");
	for (unsigned i = 0; i < PACE_CAP_GUESS + 5; i++)
		feed(&g, flows[_i].make, i);
	ck_assert_str_eq(name_of(&g), flows[_i].name);
}
END_TEST

/* One in ten lost, one in ten behind the next, from anywhere in the stream. */
START_TEST(loss_and_reordering_hide_no_flow)
{
	struct pace_cap_guess g;
	unsigned at = (unsigned)unit_between(0, 10000), late = 0;

	for (int round = 0; round < 200; round++) {
		pace_cap_guess_init(&g);
		for (unsigned n = 0; n < PACE_CAP_GUESS; at++) {
			if (unit_between(0, 9) == 0)
				continue;
			if (late == 0 && unit_between(0, 9) == 0) {
				late = at;
				continue;
			}
			feed(&g, flows[_i].make, at);
			n++;
			if (late > 0)
				feed(&g, flows[_i].make, late);
			late = 0;
		}
		ck_assert_str_eq(name_of(&g), flows[_i].name);
	}
}
END_TEST

START_TEST(three_datagrams_are_no_stream)
{
	struct pace_cap_guess g;

	pace_cap_guess_init(&g);
	for (unsigned i = 0; i < 3; i++)
		feed(&g, iperf2, i);
	ck_assert_str_eq(name_of(&g), "plain");
	feed(&g, iperf2, 3);
	ck_assert_str_eq(name_of(&g), "iperf2");
}
END_TEST

START_TEST(magic_needs_one_datagram)
{
	struct pace_cap_guess g;

	pace_cap_guess_init(&g);
	feed(&g, vtp, 77);
	ck_assert_str_eq(name_of(&g), "vtp");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_guess");

	unit_seed(tc);
	tcase_add_loop_test(tc, a_flow_is_recognised, 0, COUNT_OF(flows));
	tcase_add_loop_test(tc, loss_and_reordering_hide_no_flow, 0, COUNT_OF(flows));
	tcase_add_test(tc, three_datagrams_are_no_stream);
	tcase_add_test(tc, magic_needs_one_datagram);
	return unit_run(tc, "cap_guess");
}
