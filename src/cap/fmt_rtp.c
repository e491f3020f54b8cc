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
#define VERSION		2
#define DYNAMIC		96	/* payload type that only a session's description explains */
#define CLOCK_HZ	90000	/* of the timestamps that are built */

enum { VERSION_OF, PADDED, EXTENDED, SOURCES, MARKED_TYPE, NUMBER, TIMESTAMP, SSRC };
static const struct pace_cap_field field[] = {
	[VERSION_OF] = { 0, 1, 6, 2 }, [PADDED] = { 0, 1, 5, 1 }, [EXTENDED] = { 0, 1, 4, 1 },
	[SOURCES] = { 0, 1, 0, 4 }, [MARKED_TYPE] = { 1, 1, 0, 8 }, [NUMBER] = { 2, 2, 0, 16 },
	[TIMESTAMP] = { 4, 4, 0, 32 }, [SSRC] = { 8, 4, 0, 32 },
};

static uint64_t
get(const struct pace_cap_datagram *d, int i)
{
	return pace_cap_get_be(d->payload, &field[i]);
}

/* The bytes before the payload; 0: they do not fit in. */
static size_t
header_bytes(const struct pace_cap_datagram *d)
{
	size_t n = HEADER_SIZE + WORD * (size_t)get(d, SOURCES);

	if (get(d, EXTENDED) == 0)
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

	if (get(d, PADDED) == 0 || d->captured < d->length)
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
	if (get(d, VERSION_OF) != VERSION ||
	    (get(d, MARKED_TYPE) >= 200 && get(d, MARKED_TYPE) <= 207))
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
		.stream = get(d, SSRC),
		.has_seq = true,
		.seq = get(d, NUMBER),
		.modulus = pace_cap_modulus(2),
	};
	return true;
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	(void)wall_ns;
	pace_cap_write_be(frame, HEADER_SIZE, 0);
	pace_cap_put_be(frame, &field[VERSION_OF], VERSION);
	pace_cap_put_be(frame, &field[MARKED_TYPE], DYNAMIC);
	pace_cap_put_be(frame, &field[SSRC], b->id + b->stream);
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	b->next = b->base + k + 1;
	pace_cap_put_be(frame, &field[NUMBER], b->base + k);
	pace_cap_put_be(frame, &field[TIMESTAMP], (uint64_t)now_ns * (CLOCK_HZ / 10000) / 100000);
}

const struct pace_cap_builder pace_cap_builder_rtp = { .header = HEADER_SIZE, .begin = begin,
    .put = put };
