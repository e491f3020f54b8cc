/*
 * iperf 3, UDP test: big-endian.
 *
 *   offset size field
 *        0    4 seconds    of its clock, which need not be the wall's
 *        4    4 us         below 1000000
 *        8    4 number     from 1; with --udp-counters-64bit 8 bytes
 *
 * The header does not contain the width of the number.  A 64-bit number has an upper half of
 * 0 for the first 2^32 datagrams, and a 32-bit number is never 0 among these: the number is
 * read as 64 bits if the four bytes at 8 are 0.  After 2^32 datagrams a 64-bit number is
 * misread.  Datagrams of 4 bytes open the stream and are not frames.
 */
#include "cap/formats.h"

#define WIDE_SIZE	16
#define US		INT64_C(1000)		/* in ns */

int
pace_cap_fits_iperf3(const struct pace_cap_datagram *d)
{
	if (d->length < WIDE_SIZE || d->captured < WIDE_SIZE)
		return 0;
	if (pace_cap_be(d->payload + 4, 4) >= 1000000 || pace_cap_be(d->payload + 8, 8) == 0)
		return 0;
	/* iperf 2's has its number here, and the seconds where this has us */
	return 50;
}

bool
pace_cap_mark_iperf3(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	const uint8_t *p = d->payload;
	bool wide;

	(void)rule;
	if (pace_cap_fits_iperf3(d) == 0)
		return false;
	wide = pace_cap_be(p + 8, 4) == 0;
	*m = (struct pace_cap_mark){
		.has_seq = true,
		.seq = wide ? pace_cap_be(p + 8, 8) : pace_cap_be(p + 8, 4),
		.modulus = wide ? 0 : pace_cap_modulus(4),
		.has_time = true,
		.time_ns = (int64_t)pace_cap_be(p, 4) * 1000000000 +
		    (int64_t)pace_cap_be(p + 4, 4) * US,
	};
	return true;
}
