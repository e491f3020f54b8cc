/*
 * RTP, RFC 3550 section 5.1: big-endian.
 *
 *   offset size field
 *        0    1 version (2 bits, 2), padding (1), extension (1), CSRC count (4)
 *        1    1 marker (1), payload type (7)
 *        2    2 number     16 bits, begins anywhere
 *        4    4 timestamp  of the sampled data, in units given only by the payload type
 *                          or the session's description: not a departure time
 *        8    4 SSRC       the stream
 *
 * RTCP, which may share the port, has 200 to 207 where marker and payload type are
 * (RFC 5761 section 4): such datagrams are not RTP.
 */
#include "cap/formats.h"

#define HEADER_SIZE	12
#define WORD		4

/* The bytes before the payload; 0: they do not fit in. */
static size_t
header_bytes(const struct pace_cap_datagram *d)
{
	size_t n = HEADER_SIZE + WORD * (size_t)(d->payload[0] & 0x0f);

	if ((d->payload[0] & 0x10) == 0)
		return n <= d->length ? n : 0;
	if (n + WORD > d->length)
		return 0;
	if (n + WORD <= d->captured)
		n += WORD * (size_t)pace_cap_be(d->payload + n + 2, 2);
	n += WORD;
	return n <= d->length ? n : 0;
}

/* The last byte says how many bytes are padding, itself among them. */
static bool
padding_fits(const struct pace_cap_datagram *d, size_t header)
{
	uint8_t pad;

	if ((d->payload[0] & 0x20) == 0 || d->captured < d->length)
		return true;
	pad = d->payload[d->length - 1];
	return pad > 0 && pad <= d->length - header;
}

int
pace_cap_fits_rtp(const struct pace_cap_datagram *d)
{
	size_t n;

	if (d->length < HEADER_SIZE || d->captured < HEADER_SIZE)
		return 0;
	if (d->payload[0] >> 6 != 2 || (d->payload[1] >= 200 && d->payload[1] <= 207))
		return 0;
	n = header_bytes(d);
	return n > 0 && padding_fits(d, n) ? 40 : 0;
}

bool
pace_cap_mark_rtp(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	(void)rule;
	if (pace_cap_fits_rtp(d) == 0)
		return false;
	*m = (struct pace_cap_mark){
		.stream = pace_cap_be(d->payload + 8, 4),
		.has_seq = true,
		.seq = pace_cap_be(d->payload + 2, 2),
		.modulus = pace_cap_modulus(2),
	};
	return true;
}
