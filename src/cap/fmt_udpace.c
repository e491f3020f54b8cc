/*
 * udpace's own datagrams, core/wire.h.  DATA frames are numbered from 0 in each
 * run; the stream is the session's number with the run's in the low byte (the
 * session's top byte has no place).  Everything else is control: its numbers count
 * requests, which are asked again when they are lost.
 */
#include "cap/formats.h"
#include "core/wire.h"

static bool
decode(const struct pace_cap_datagram *d, struct pace_hdr *h)
{
	/* Of a whole DATA frame the check covers more than of one this short. */
	if (d->captured < PACE_DATA_SIZE && d->captured < d->length &&
	    d->captured > 3 && d->payload[3] == PACE_DATA)
		return false;
	return pace_hdr_decode(h, d->payload, d->captured) == 0;
}

int
pace_cap_fits_udpace(const struct pace_cap_datagram *d)
{
	struct pace_hdr h;

	return decode(d, &h) ? 100 : 0;
}

bool
pace_cap_mark_udpace(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	struct pace_hdr h;

	(void)rule;
	if (!decode(d, &h))
		return false;
	*m = (struct pace_cap_mark){
		.stream = h.session << 8 | h.stream,
		.has_seq = h.type == PACE_DATA,
		.seq = h.type == PACE_DATA ? h.seq : 0,
		.has_time = h.type == PACE_DATA,
		.time_ns = h.type == PACE_DATA ? h.tx_ns : 0,
	};
	return true;
}
