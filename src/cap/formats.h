/*
 * formats.h - the decoders in the table of format.c, and their shared functions;
 * private to cap.
 *
 * Names      pace_cap_fits_name and pace_cap_mark_name of fmt_NAME.c, as
 *            format.h says of fits and mark.
 * Numbers    pace_cap_be and pace_cap_le read n <= 8 bytes at p, which the
 *            caller knows to be there: decoders test the length first.
 */
#ifndef PACE_CAP_FORMATS_H
#define PACE_CAP_FORMATS_H

#include "cap/format.h"

#define PACE_CAP_DECODER(name)							\
	int	pace_cap_fits_##name(const struct pace_cap_datagram *d);	\
	bool	pace_cap_mark_##name(const struct pace_cap_rule *rule,		\
		    const struct pace_cap_datagram *d, struct pace_cap_mark *m)

PACE_CAP_DECODER(udpace);
PACE_CAP_DECODER(spead);
PACE_CAP_DECODER(lofar);
PACE_CAP_DECODER(vtp);
PACE_CAP_DECODER(vdif);
PACE_CAP_DECODER(udpmon);
PACE_CAP_DECODER(iperf2);
PACE_CAP_DECODER(iperf3);
PACE_CAP_DECODER(rtp);
PACE_CAP_DECODER(sequence);
PACE_CAP_DECODER(plain);

static inline uint64_t
pace_cap_be(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static inline uint64_t
pace_cap_le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = n; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

/* How many numbers n bytes hold; 0: 64 bits do. */
static inline uint64_t
pace_cap_modulus(unsigned bytes)
{
	return bytes < 8 ? UINT64_C(1) << 8 * bytes : 0;
}

#endif
