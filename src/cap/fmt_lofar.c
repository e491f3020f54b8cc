/*
 * LOFAR station beamlets, as RSP boards send them to CEP: little-endian.
 *
 *   offset size field
 *        0    1 version    2 or 3
 *        1    1 board (5 bits), 0 (1), payload error (1), clock (1; 0: 160, 1: 200 MHz)
 *        2    1 sample's bits (2 bits; 0: 16, 1: 8, 2: 4)
 *        3    1 configuration
 *        4    2 station
 *        6    1 beamlets   n
 *        7    1 blocks     b, usually 16
 *        8    4 timestamp  whole seconds of 1970
 *       12    4 block      first one's number within the second
 *       16  n b (4 samples of one part)
 *
 * A block is 1024 samples: 200 MHz gives 195312 and 195313 a second in turn.  Counted from
 * 1970, the first block of second t is round(t clock / 1024), so a datagram's number
 * is (round(t clock / 1024) + block) / b, which goes on by one.  Its time is when it
 * was sampled, a fixed time before it left.
 */
#include "cap/formats.h"

#define HEADER_SIZE	16
#define BLOCK_SAMPLES	1024
#define EPOCH		1199145600	/* 2008: no station sent before */
#define BLOCKS_MAX	195313		/* in a second */

struct fmt_lofar_header {
	uint64_t	clock_hz;
	uint64_t	station, board;
	uint64_t	beamlets, blocks;
	uint64_t	seconds, block;
};

static bool
read_header(const struct pace_cap_datagram *d, struct fmt_lofar_header *h)
{
	const uint8_t *p = d->payload;

	if (d->length < HEADER_SIZE || d->captured < HEADER_SIZE)
		return false;
	if ((p[0] != 2 && p[0] != 3) || (p[1] & 0x20) != 0)
		return false;
	*h = (struct fmt_lofar_header){
		.clock_hz = (p[1] & 0x80) != 0 ? 200000000 : 160000000,
		.station = pace_cap_le(p + 4, 2),
		.board = p[1] & 0x1f,
		.beamlets = p[6],
		.blocks = p[7],
		.seconds = pace_cap_le(p + 8, 4),
		.block = pace_cap_le(p + 12, 4),
	};
	return h->beamlets > 0 && h->blocks > 0 && (p[2] & 3) < 3 &&
	    h->beamlets * h->blocks * (8u >> (p[2] & 3)) == d->length - HEADER_SIZE &&
	    h->seconds >= EPOCH && h->block < BLOCKS_MAX;
}

int
pace_cap_fits_lofar(const struct pace_cap_datagram *d)
{
	struct fmt_lofar_header h;

	return read_header(d, &h) ? 95 : 0;
}

bool
pace_cap_mark_lofar(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	struct fmt_lofar_header h;
	uint64_t block;

	(void)rule;
	if (!read_header(d, &h))
		return false;
	block = (h.seconds * h.clock_hz + BLOCK_SAMPLES / 2) / BLOCK_SAMPLES + h.block;
	*m = (struct pace_cap_mark){
		.stream = h.station << 8 | h.board,
		.has_seq = true,
		.seq = block / h.blocks,
		.has_time = true,
		/* 5120 or 6400 ns a block: no rounding, no overflow before 2262 */
		.time_ns = (int64_t)(block * (BLOCK_SAMPLES * UINT64_C(1000000000) / h.clock_hz)),
	};
	return true;
}
