/*
 * udpace's own datagrams, core/wire.h.  DATA frames, of a client or of a responder, are
 * numbered from 0 in each run; the stream is the session's number with the run's in the low
 * byte (the session's top byte has no place).  Everything else is control: its numbers count
 * requests, which are asked again when they are lost.
 */
#include "cap/formats.h"
#include "core/wire.h"

static bool
is_frame(uint8_t type)
{
	return (type & ~PACE_REPLY) == PACE_DATA;
}

static bool
decode(const struct pace_cap_datagram *d, struct pace_hdr *h)
{
	/* The check of a complete DATA frame covers more than a frame this short holds. */
	if (d->captured > 3 && d->captured < d->length && is_frame(d->payload[3]) &&
	    d->captured < (d->payload[3] == PACE_DATA ? PACE_DATA_SIZE : PACE_DOWN_SIZE))
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
		.stream = h.session << 8 | h.run,
		.has_seq = is_frame(h.type),
		.seq = is_frame(h.type) ? h.seq : 0,
		.has_time = is_frame(h.type),
		.time_ns = is_frame(h.type) ? h.tx_ns : 0,
	};
	return true;
}
