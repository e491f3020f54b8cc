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
 *              0-22 rate of a channel, in kHz (23: MHz): that of its complex samples, or
 *              half that of its real ones (so it is in files of the VLBA)
 *
 * The number   If the header has a sample rate, it gives the frames in a second, and the
 *            number is second x frames + frame, which increases by one.  Otherwise it is
 *            second x 2^24 + frame, with PACE_CAP_SECONDS: unwrap.h learns the frames in a
 *            second from the end of each second.
 * The stream   is the thread in the low bits and the station above them.
 * The message  is the second.
 * VTP        has its own number, which increases by one over all threads: one stream.  It has no
 *            messages: how many threads a second has is not known.
 */
#include "cap/formats.h"

#include <errno.h>
#include <stdio.h>

#define HEADER_SIZE	32
#define LEGACY_SIZE	16
#define VTP_SIZE	8
#define FRAME_BITS	PACE_CAP_FRAME_BITS

enum { SECOND, LEGACY, FRAME, EPOCH, UNUSED, LENGTH, CHANNELS, VERSION, STATION, THREAD, BITS,
    RATE, RATE_UNIT, KIND, SYNC };
static const struct pace_cap_field field[] = {
	[SECOND] = { 0, 4, 0, 30 }, [LEGACY] = { 0, 4, 30, 1 },
	[FRAME] = { 4, 4, 0, FRAME_BITS }, [EPOCH] = { 4, 4, 24, 6 }, [UNUSED] = { 4, 4, 30, 2 },
	[LENGTH] = { 8, 4, 0, 24 }, [CHANNELS] = { 8, 4, 24, 5 }, [VERSION] = { 8, 4, 29, 3 },
	[STATION] = { 12, 4, 0, 16 }, [THREAD] = { 12, 4, 16, 10 }, [BITS] = { 12, 4, 26, 5 },
	[RATE] = { 16, 4, 0, 23 }, [RATE_UNIT] = { 16, 4, 23, 1 }, [KIND] = { 16, 4, 24, 8 },
	[SYNC] = { 20, 4, 0, 32 },
};

struct fmt_vdif_header {
	uint64_t	second, epoch, frame;
	uint64_t	bytes;			/* of the frame, header included */
	uint64_t	header_bytes;
	unsigned	log2_channels, bits;
	uint64_t	station, thread;
	uint64_t	sample_hz;		/* 0: unknown */
};

static uint64_t
get(const uint8_t *p, int i)
{
	return pace_cap_get_le(p, &field[i]);
}

static uint64_t
sample_hz(const uint8_t *p)
{
	if (get(p, KIND) != 1 && get(p, KIND) != 3)
		return 0;
	return get(p, RATE) * (get(p, RATE_UNIT) != 0 ? 1000000 : 1000);
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
	legacy = get(p, LEGACY) != 0;
	if (!legacy && d->captured - at < HEADER_SIZE)
		return false;
	*h = (struct fmt_vdif_header){
		.second = get(p, SECOND),
		.frame = get(p, FRAME),
		.epoch = get(p, EPOCH),
		.bytes = get(p, LENGTH) * 8,
		.header_bytes = legacy ? LEGACY_SIZE : HEADER_SIZE,
		.log2_channels = (unsigned)get(p, CHANNELS),
		.station = get(p, STATION),
		.thread = get(p, THREAD),
		.bits = (unsigned)get(p, BITS) + 1,
		.sample_hz = legacy ? 0 : sample_hz(p),
	};
	return get(p, UNUSED) == 0 && h->bytes == d->length - at &&
	    h->bytes > h->header_bytes && get(p, VERSION) <= 1;
}

/* Frames in a second; 0: unknown, or not a whole number. */
static uint64_t
frames_a_second(const struct fmt_vdif_header *h)
{
	uint64_t bits_a_second, bits_a_frame = (h->bytes - h->header_bytes) * 8;

	if (h->sample_hz == 0 || h->log2_channels > 16)
		return 0;
	/* Of a channel, below 2^43 x 2^5 x 2: with many channels that is no second any more.  Two
	 * for each complex sample, or for half the real ones. */
	bits_a_second = h->sample_hz * h->bits * 2;
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
	m->has_message = true;
	m->message = h.second;
	m->message_place = h.frame;
	m->message_frames = m->modulus == 0 ? frames_a_second(&h) : 0;
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

/* --- building ---------------------------------------------------------------------------- */

/* One channel of real samples of two bits, of station "Ud"; a thread a stream. */
#define BUILT_BITS	2
#define BUILT_STATION	0x6455
#define BUILT_KIND	1	/* with a sample rate, of any length */
#define SYNC_WORD	0xacabfeed
#define RATE_MAX	((1u << 23) - 1)
#define HALF_YEAR_0	10957	/* days from 1970 to 2000 */
#define DAY		86400

/* Frames in a second, if that is a whole number; 0: it is not.  A spacing that follows from a rate
 * is rounded to 2^-32 ns. */
static uint64_t
whole_rate(uint64_t spacing)
{
	const uint64_t second = UINT64_C(1000000000) << 32;
	uint64_t rate, sum;

	if (spacing < UINT64_C(60) << 32 || spacing > second)	/* 2^24 frames a second */
		return 0;
	rate = (second + spacing / 2) / spacing;
	sum = rate * spacing;
	return (sum > second ? sum - second : second - sum) <= rate ? rate : 0;
}

/* Half the samples of a channel in a second, if a header can say it; 0: it cannot. */
static uint64_t
built_hz(uint64_t payload, uint64_t rate)
{
	uint64_t hz = payload * 8 / BUILT_BITS * rate / 2;

	if (hz % 1000 == 0 && hz / 1000 <= RATE_MAX)
		return hz;
	return hz % 1000000 == 0 && hz / 1000000 <= RATE_MAX ? hz : 0;
}

static int
check_at(const struct pace_cap_build *b, size_t at, struct pace_err *err)
{
	const char *name = at > 0 ? "VTP" : "VDIF";

	if (b->size <= at + HEADER_SIZE || (b->size - at) % 8 != 0)
		return pace_failf(err, EINVAL, "size", "'%u' is not possible: a %s frame has %zu "
		    "bytes and a multiple of 8", b->size, name, at + HEADER_SIZE);
	if (whole_rate(b->spacing) == 0)
		return pace_failf(err, EINVAL, "spacing", "%s numbers frames within each second, so "
		    "this format needs a whole number of frames a second, as at 1ms, 125us or "
		    "32us", name);
	return 0;
}

static int
check_vdif(const struct pace_cap_build *b, struct pace_err *err)
{
	return check_at(b, 0, err);
}

static int
check_vtp(const struct pace_cap_build *b, struct pace_err *err)
{
	return check_at(b, VTP_SIZE, err);
}

static uint32_t
fit(uint32_t most)
{
	return most / 8 * 8 > VTP_SIZE + HEADER_SIZE ? most / 8 * 8 : 0;
}

/* The half year of a time, from 2000 on, and its first second since 1970. */
static unsigned
half_year(uint64_t sec, uint64_t *first)
{
	uint64_t day = HALF_YEAR_0, today = sec / DAY, year = 2000;
	unsigned n = 0;

	for (;;) {
		uint64_t days = n % 2 == 1 ? 184 : year % 4 == 0 && year % 100 != 0 ? 182 :
		    year % 400 == 0 ? 182 : 181;

		if (today < day + days)
			break;
		day += days;
		year += n++ % 2;
	}
	*first = day * DAY;
	return n;
}

/* The stream begins at the frame of the current time within the current second. */
static void
begin_at(struct pace_cap_build *b, size_t at, uint8_t *frame, int64_t wall_ns)
{
	uint8_t *p = frame + at;
	uint64_t sec = (uint64_t)wall_ns / 1000000000, first, hz;
	unsigned half = half_year(sec, &first);

	b->rate = whole_rate(b->spacing);
	b->second = sec - first;
	b->at = (uint64_t)wall_ns % 1000000000 * b->rate / 1000000000;
	hz = built_hz(b->size - at - HEADER_SIZE, b->rate);
	pace_cap_write_le(frame, at + HEADER_SIZE, 0);
	pace_cap_put_le(p, &field[EPOCH], half % 64);
	pace_cap_put_le(p, &field[LENGTH], (b->size - at) / 8);
	pace_cap_put_le(p, &field[VERSION], 1);
	pace_cap_put_le(p, &field[STATION], BUILT_STATION);
	pace_cap_put_le(p, &field[THREAD], b->stream);
	pace_cap_put_le(p, &field[BITS], BUILT_BITS - 1);
	if (hz == 0)
		return;			/* kind 0: no sample rate */
	pace_cap_put_le(p, &field[KIND], BUILT_KIND);
	pace_cap_put_le(p, &field[RATE_UNIT], hz / 1000 > RATE_MAX);
	pace_cap_put_le(p, &field[RATE], hz / 1000 > RATE_MAX ? hz / 1000000 : hz / 1000);
	pace_cap_put_le(p, &field[SYNC], SYNC_WORD);
}

static void
begin_vdif(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	begin_at(b, 0, frame, wall_ns);
}

static void
begin_vtp(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	begin_at(b, VTP_SIZE, frame, wall_ns);
}

static void
put_vdif(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	uint64_t n = b->at + k;

	(void)now_ns;
	pace_cap_put_le(frame, &field[SECOND], b->second + n / b->rate);
	pace_cap_put_le(frame, &field[FRAME], n % b->rate);
}

static void
put_vtp(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	b->next = b->base + k + 1;
	pace_cap_write_le(frame, VTP_SIZE, b->base + k);
	put_vdif(b, frame + VTP_SIZE, k, now_ns);
}

static void
describe_at(const struct pace_cap_build *b, size_t at, char *text, size_t size)
{
	uint64_t rate = whole_rate(b->spacing), hz = built_hz(b->size - at - HEADER_SIZE, rate);

	if (hz == 0)
		snprintf(text, size, "%llu frames a second; no sample rate: it would not be a whole "
		    "number of kHz", (unsigned long long)rate);
	else
		snprintf(text, size, "%llu frames a second = %.6g million samples of %d bits",
		    (unsigned long long)rate, (double)hz * 2 / 1e6, BUILT_BITS);
}

static void
describe_vdif(const struct pace_cap_build *b, char *text, size_t size)
{
	describe_at(b, 0, text, size);
}

static void
describe_vtp(const struct pace_cap_build *b, char *text, size_t size)
{
	describe_at(b, VTP_SIZE, text, size);
}

const struct pace_cap_builder pace_cap_builder_vdif = { .header = HEADER_SIZE,
    .check = check_vdif, .fit = fit, .begin = begin_vdif, .put = put_vdif,
    .describe = describe_vdif };

const struct pace_cap_builder pace_cap_builder_vtp = { .header = VTP_SIZE + HEADER_SIZE,
    .check = check_vtp, .fit = fit, .begin = begin_vtp, .put = put_vtp, .describe = describe_vtp };
