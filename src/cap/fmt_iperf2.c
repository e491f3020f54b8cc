/*
 * iperf 2, UDP test: big-endian.
 *
 *   offset size field
 *        0    4 number     from 1 (before 2.1 from 0); negative: the last one
 *        4    4 seconds    of the wall clock
 *        8    4 us         below 1000000
 *       12    4 upper      since 2.0.10: the number's upper half, if flags say so
 *       16    4 flags      0x08000000: the number has 64 bits
 *
 * The last datagram has minus its own number, counts as a frame, and is sent again
 * until it is answered.  The answer, the other way, is not numbered.
 */
#include "cap/formats.h"

#define SHORT_SIZE	12
#define FLAGS_AT	16
#define LONG_NUMBERS	0x08000000
#define A_WALL_CLOCK	1000000000		/* 2001 */
#define US		INT64_C(1000)		/* in ns */

int
pace_cap_fits_iperf2(const struct pace_cap_datagram *d)
{
	if (d->length < SHORT_SIZE || d->captured < SHORT_SIZE)
		return 0;
	if (pace_cap_be(d->payload + 4, 4) < A_WALL_CLOCK ||
	    pace_cap_be(d->payload + 8, 4) >= 1000000)
		return 0;
	return 60;
}

bool
pace_cap_mark_iperf2(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	const uint8_t *p = d->payload;
	uint64_t seq, mask = UINT32_MAX;
	bool last;

	(void)rule;
	if (pace_cap_fits_iperf2(d) == 0)
		return false;
	seq = pace_cap_be(p, 4);
	if (d->captured >= FLAGS_AT + 4 && (pace_cap_be(p + FLAGS_AT, 4) & LONG_NUMBERS) != 0) {
		seq |= pace_cap_be(p + 12, 4) << 32;
		mask = UINT64_MAX;
	}
	last = (seq & (mask ^ mask >> 1)) != 0;
	*m = (struct pace_cap_mark){
		.has_seq = true,
		.seq = last ? -seq & mask : seq,
		/* 2^31: numbers that are not negative */
		.modulus = mask == UINT32_MAX ? pace_cap_modulus(4) / 2 : 0,
		.has_time = true,
		.time_ns = (int64_t)pace_cap_be(p + 4, 4) * 1000000000 +
		    (int64_t)pace_cap_be(p + 8, 4) * US,
		.last = last,
	};
	return m->modulus == 0 || m->seq < m->modulus;
}
