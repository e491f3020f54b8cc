/*
 * VDIF 1.1 (vlbi.org), and VTP: the same behind a number of 64 bits.  Little-endian,
 * words of 32 bits:
 *
 *   word bits  field
 *      0 0-29  second of the reference epoch; 30 legacy; 31 invalid
 *      1 0-23  frame within the second; 24-29 reference epoch; 30-31 0
 *      2 0-23  frame's bytes / 8, header included; 24-28 log2(channels); 29-31 version
 *      3 0-15  station; 16-25 thread; 26-30 bits a sample - 1; 31 complex
 *      4       not in legacy headers: 24-31 kind of the rest; of kinds 1 and 3
 *              0-22 sample rate of a channel, in kHz (23: MHz)
 *
 * The number   If the header has a sample rate, it gives the frames in a second, and the
 *            number is second x frames + frame, which increases by one.  Otherwise it is
 *            second x 2^24 + frame, with PACE_CAP_SECONDS: unwrap.h learns the frames in a
 *            second from the end of each second.
 * The stream   is the thread in the low bits and the station above them.
 * VTP        has its own number, which increases by one over all threads: one stream.
 */
#include "cap/formats.h"

#define HEADER_SIZE	32
#define LEGACY_SIZE	16
#define VTP_SIZE	8
#define FRAME_BITS	PACE_CAP_FRAME_BITS
#define LEGACY		(UINT32_C(1) << 30)

struct fmt_vdif_header {
	uint64_t	second, epoch, frame;
	uint64_t	bytes;			/* of the frame, header included */
	uint64_t	header_bytes;
	unsigned	log2_channels, bits;
	bool		complex;
	uint64_t	station, thread;
	uint64_t	sample_hz;		/* 0: not told */
};

static uint64_t
word(const uint8_t *p, unsigned i)
{
	return pace_cap_le(p + i * (size_t)4, 4);
}

static uint64_t
bits(uint64_t w, unsigned low, unsigned n)
{
	return w >> low & ((UINT64_C(1) << n) - 1);
}

static uint64_t
sample_hz(const uint8_t *p)
{
	uint64_t w = word(p, 4), kind = bits(w, 24, 8);

	if (kind != 1 && kind != 3)
		return 0;
	return bits(w, 0, 23) * (bits(w, 23, 1) != 0 ? 1000000 : 1000);
}

/* A header before at of the datagram's bytes, and of a frame that is all the rest. */
static bool
read_header(const struct pace_cap_datagram *d, size_t at, struct fmt_vdif_header *h)
{
	const uint8_t *p;
	bool legacy;

	if (d->length < at + LEGACY_SIZE || d->captured < at + LEGACY_SIZE)
		return false;
	p = d->payload + at;
	legacy = (word(p, 0) & LEGACY) != 0;
	if (!legacy && d->captured - at < HEADER_SIZE)
		return false;
	*h = (struct fmt_vdif_header){
		.second = bits(word(p, 0), 0, 30),
		.frame = bits(word(p, 1), 0, FRAME_BITS),
		.epoch = bits(word(p, 1), 24, 6),
		.bytes = bits(word(p, 2), 0, 24) * 8,
		.header_bytes = legacy ? LEGACY_SIZE : HEADER_SIZE,
		.log2_channels = (unsigned)bits(word(p, 2), 24, 5),
		.station = bits(word(p, 3), 0, 16),
		.thread = bits(word(p, 3), 16, 10),
		.bits = (unsigned)bits(word(p, 3), 26, 5) + 1,
		.complex = bits(word(p, 3), 31, 1) != 0,
		.sample_hz = legacy ? 0 : sample_hz(p),
	};
	return bits(word(p, 1), 30, 2) == 0 && h->bytes == d->length - at &&
	    h->bytes > h->header_bytes && bits(word(p, 2), 29, 3) <= 1;
}

/* Frames in a second; 0: unknown, or not a whole number. */
static uint64_t
frames_a_second(const struct fmt_vdif_header *h)
{
	uint64_t bits_a_second, bits_a_frame = (h->bytes - h->header_bytes) * 8;

	if (h->sample_hz == 0 || h->log2_channels > 16)
		return 0;
	/* of a channel, below 2^43 x 2^5 x 2: with many channels that is no second any more */
	bits_a_second = h->sample_hz * h->bits * (h->complex ? 2 : 1);
	if (bits_a_second > UINT64_MAX >> h->log2_channels)
		return 0;
	bits_a_second <<= h->log2_channels;
	if (bits_a_second % bits_a_frame != 0 || bits_a_second / bits_a_frame >> FRAME_BITS != 0)
		return 0;
	return bits_a_second / bits_a_frame;
}

int
pace_cap_fits_vdif(const struct pace_cap_datagram *d)
{
	struct fmt_vdif_header h;

	return read_header(d, 0, &h) ? 95 : 0;
}

int
pace_cap_fits_vtp(const struct pace_cap_datagram *d)
{
	struct fmt_vdif_header h;

	return read_header(d, VTP_SIZE, &h) ? 95 : 0;
}

static void
number(const struct fmt_vdif_header *h, uint64_t frames, struct pace_cap_mark *m)
{
	m->has_seq = true;
	if (frames == 0 || h->frame >= frames) {
		m->seq = h->second << FRAME_BITS | h->frame;
		m->modulus = PACE_CAP_SECONDS;
		return;
	}
	m->seq = h->second * frames + h->frame;
	m->has_time = true;
	m->time_ns = (int64_t)(h->second * 1000000000 + h->frame * 1000000000 / frames);
}

bool
pace_cap_mark_vdif(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	struct fmt_vdif_header h;

	(void)rule;
	if (!read_header(d, 0, &h))
		return false;
	*m = (struct pace_cap_mark){ .stream = h.station << 10 | h.thread };
	number(&h, frames_a_second(&h), m);
	return true;
}

bool
pace_cap_mark_vtp(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	struct fmt_vdif_header h;

	(void)rule;
	if (!read_header(d, VTP_SIZE, &h))
		return false;
	*m = (struct pace_cap_mark){ .stream = 0 };
	number(&h, frames_a_second(&h), m);		/* for its time */
	m->seq = pace_cap_le(d->payload, VTP_SIZE);
	m->modulus = 0;
	return true;
}
