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
 * was sampled, a fixed time before it left.  A message is the frames whose timestamp is the same
 * second: with 16 blocks at 200 MHz 12207 or 12208.
 */
#include "cap/formats.h"

#include <errno.h>
#include <stdio.h>

#define HEADER_SIZE	16
#define BLOCK_SAMPLES	1024
#define EPOCH		1199145600	/* 2008: no station sent before */
#define BLOCKS_MAX	195313		/* in a second */

enum { VERSION, BOARD, RESERVED, CLOCK, SAMPLE, STATION, BEAMLETS, BLOCKS, TIMESTAMP, BLOCK };
static const struct pace_cap_field field[] = {
	[VERSION] = { 0, 1, 0, 8 }, [BOARD] = { 1, 1, 0, 5 }, [RESERVED] = { 1, 1, 5, 1 },
	[CLOCK] = { 1, 1, 7, 1 }, [SAMPLE] = { 2, 1, 0, 2 }, [STATION] = { 4, 2, 0, 16 },
	[BEAMLETS] = { 6, 1, 0, 8 }, [BLOCKS] = { 7, 1, 0, 8 }, [TIMESTAMP] = { 8, 4, 0, 32 },
	[BLOCK] = { 12, 4, 0, 32 },
};

static uint64_t
get(const uint8_t *p, int i)
{
	return pace_cap_get_le(p, &field[i]);
}

/* The first block of a second, counted from 1970. */
static uint64_t
first_block(uint64_t seconds, uint64_t clock_hz)
{
	return (seconds * clock_hz + BLOCK_SAMPLES / 2) / BLOCK_SAMPLES;
}

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
	if ((get(p, VERSION) != 2 && get(p, VERSION) != 3) || get(p, RESERVED) != 0)
		return false;
	*h = (struct fmt_lofar_header){
		.clock_hz = get(p, CLOCK) != 0 ? 200000000 : 160000000,
		.station = get(p, STATION),
		.board = get(p, BOARD),
		.beamlets = get(p, BEAMLETS),
		.blocks = get(p, BLOCKS),
		.seconds = get(p, TIMESTAMP),
		.block = get(p, BLOCK),
	};
	return h->beamlets > 0 && h->blocks > 0 && get(p, SAMPLE) < 3 &&
	    h->beamlets * h->blocks * (8u >> get(p, SAMPLE)) == d->length - HEADER_SIZE &&
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
	uint64_t first, next, block, before;

	(void)rule;
	if (!read_header(d, &h))
		return false;
	first = first_block(h.seconds, h.clock_hz);
	next = first_block(h.seconds + 1, h.clock_hz);
	block = first + h.block;
	before = h.block / h.blocks;		/* frames of this second before this one */
	*m = (struct pace_cap_mark){
		.stream = h.station << 8 | h.board,
		.has_seq = true,
		.seq = block / h.blocks,
		.has_time = true,
		/* 5120 or 6400 ns a block: no rounding, no overflow before 2262 */
		.time_ns = (int64_t)(block * (BLOCK_SAMPLES * UINT64_C(1000000000) / h.clock_hz)),
		.has_message = true,
		.message = h.seconds,
		.message_place = before,
		.message_frames = before + 1 + (next > block ? (next - 1 - block) / h.blocks : 0),
	};
	return true;
}

/* --- building ---------------------------------------------------------------------------- */

/* 16 blocks at 200 MHz of samples of 16 bits, so a frame lasts 81.92 us; four boards a station. */
#define BUILT_VERSION	3
#define BUILT_HZ	UINT64_C(200000000)
#define BUILT_BLOCKS	16
#define BLOCK_NS	5120
#define BEAMLET_BYTES	(8u * BUILT_BLOCKS)
#define BEAMLETS_MAX	61	/* of a board */
#define BOARDS		4

static uint32_t
fit(uint32_t most)
{
	uint32_t n = most > HEADER_SIZE ? (most - HEADER_SIZE) / BEAMLET_BYTES : 0;

	n = n < BEAMLETS_MAX ? n : BEAMLETS_MAX;
	return n > 0 ? HEADER_SIZE + n * BEAMLET_BYTES : 0;
}

static int
check(const struct pace_cap_build *b, struct pace_err *err)
{
	if (fit(b->size) == b->size)
		return 0;
	return pace_failf(err, EINVAL, "size", "'%u' is not possible: a LOFAR frame has %d bytes "
	    "and %u for each of 1 to %d beamlets, as %u or %u", b->size, HEADER_SIZE, BEAMLET_BYTES,
	    BEAMLETS_MAX, HEADER_SIZE + 11 * BEAMLET_BYTES,
	    HEADER_SIZE + BEAMLETS_MAX * BEAMLET_BYTES);
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	b->at = (uint64_t)wall_ns / (BLOCK_NS * BUILT_BLOCKS) * BUILT_BLOCKS;
	pace_cap_write_le(frame, HEADER_SIZE, 0);
	pace_cap_put_le(frame, &field[VERSION], BUILT_VERSION);
	pace_cap_put_le(frame, &field[BOARD], b->stream % BOARDS);
	pace_cap_put_le(frame, &field[CLOCK], 1);
	pace_cap_put_le(frame, &field[STATION], 1 + b->stream / BOARDS);
	pace_cap_put_le(frame, &field[BEAMLETS], (b->size - HEADER_SIZE) / BEAMLET_BYTES);
	pace_cap_put_le(frame, &field[BLOCKS], BUILT_BLOCKS);
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	/* the second in which the block begins: its first block is the first that begins in it */
	uint64_t block = b->at + k * BUILT_BLOCKS, second = block * BLOCK_SAMPLES / BUILT_HZ;

	(void)now_ns;
	pace_cap_put_le(frame, &field[TIMESTAMP], second);
	pace_cap_put_le(frame, &field[BLOCK], block - first_block(second, BUILT_HZ));
}

static void
describe(const struct pace_cap_build *b, char *text, size_t size)
{
	snprintf(text, size, "%u beamlets of %d blocks; a frame carries 81.92 us of signal",
	    (b->size - HEADER_SIZE) / BEAMLET_BYTES, BUILT_BLOCKS);
}

const struct pace_cap_builder pace_cap_builder_lofar = { .header = HEADER_SIZE, .check = check,
    .fit = fit, .begin = begin, .put = put, .describe = describe };
