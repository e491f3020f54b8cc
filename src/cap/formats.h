/*
 * formats.h - the decoders and builders in the table of format.c, and their shared
 * functions; private to cap.
 *
 * Names      pace_cap_fits_name, pace_cap_mark_name and pace_cap_builder_name of
 *            fmt_NAME.c, as format.h and build.h say of fits, mark and builders.
 * Fields     each fmt_NAME.c has one table of its header's fields, which the decoder
 *            reads and the builder writes.
 * Numbers    pace_cap_be and pace_cap_le read n <= 8 bytes at p, which the
 *            caller knows to be there: decoders test the length first.
 */
#ifndef PACE_CAP_FORMATS_H
#define PACE_CAP_FORMATS_H

#include "cap/build.h"
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

extern const struct pace_cap_builder pace_cap_builder_spead, pace_cap_builder_lofar,
    pace_cap_builder_vtp, pace_cap_builder_vdif, pace_cap_builder_udpmon, pace_cap_builder_rtp,
    pace_cap_builder_sequence, pace_cap_builder_plain;

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

/* A field of a header: `bits` bits from bit `low` on of the word of `bytes` bytes at offset. */
struct pace_cap_field {
	uint8_t		offset, bytes, low, bits;
};

static inline uint64_t
pace_cap_field_mask(const struct pace_cap_field *f)
{
	return f->bits < 64 ? (UINT64_C(1) << f->bits) - 1 : UINT64_MAX;
}

static inline uint64_t
pace_cap_get_be(const uint8_t *p, const struct pace_cap_field *f)
{
	return pace_cap_be(p + f->offset, f->bytes) >> f->low & pace_cap_field_mask(f);
}

static inline uint64_t
pace_cap_get_le(const uint8_t *p, const struct pace_cap_field *f)
{
	return pace_cap_le(p + f->offset, f->bytes) >> f->low & pace_cap_field_mask(f);
}

static inline void
pace_cap_write_be(uint8_t *p, size_t n, uint64_t v)
{
	for (size_t i = n; i-- > 0; v >>= 8)
		p[i] = (uint8_t)v;
}

static inline void
pace_cap_write_le(uint8_t *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

/* Write a field; the other bits of its word stay. */
static inline void
pace_cap_put_be(uint8_t *p, const struct pace_cap_field *f, uint64_t v)
{
	const uint64_t mask = pace_cap_field_mask(f) << f->low;

	pace_cap_write_be(p + f->offset, f->bytes, (pace_cap_be(p + f->offset, f->bytes) & ~mask) |
	    (v << f->low & mask));
}

static inline void
pace_cap_put_le(uint8_t *p, const struct pace_cap_field *f, uint64_t v)
{
	const uint64_t mask = pace_cap_field_mask(f) << f->low;

	pace_cap_write_le(p + f->offset, f->bytes, (pace_cap_le(p + f->offset, f->bytes) & ~mask) |
	    (v << f->low & mask));
}

/* How many numbers n bytes hold; 0: 64 bits do. */
static inline uint64_t
pace_cap_modulus(unsigned bytes)
{
	return bytes < 8 ? UINT64_C(1) << 8 * bytes : 0;
}

#endif
