/*
 * The header is read and written as four big-endian 64-bit words: decode
 * runs once for every frame that arrives, and the byte cursor costs several
 * times as much.  Compilers turn load_be() into one load and a byte swap.
 */
#include "core/wire.h"

#include <errno.h>
#include <stdbool.h>

#define CHECK_PRIME	65521

#define FLAG_SEALED	1

#define FIRST_WORD(type, run) \
	((uint64_t)PACE_WIRE_MAGIC << 48 | (uint64_t)PACE_WIRE_VERSION << 40 | \
	(uint64_t)(type) << 32 | (uint64_t)(run) << 16)

static inline uint64_t
load_be(const uint8_t *p)
{
	return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
	    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
	    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
	    (uint64_t)p[6] << 8 | (uint64_t)p[7];
}

static inline void
store_be(uint8_t *p, uint64_t v)
{
	p[0] = (uint8_t)(v >> 56);
	p[1] = (uint8_t)(v >> 48);
	p[2] = (uint8_t)(v >> 40);
	p[3] = (uint8_t)(v >> 32);
	p[4] = (uint8_t)(v >> 24);
	p[5] = (uint8_t)(v >> 16);
	p[6] = (uint8_t)(v >> 8);
	p[7] = (uint8_t)v;
}

/*
 * The weighted sum of a header whose check field is 0, the words of one
 * column of the four rows added up at a time.  With column j = 1 .. 4 and row
 * k = 0 .. 3 the weight of a word is 4k + j.  Two columns share a 64-bit
 * word, 32 bits each, which the sums stay far below.
 */
static inline uint32_t
sum_of(uint64_t v0, uint64_t v1, uint64_t v2, uint64_t v3)
{
	const uint64_t mask = UINT64_C(0x0000ffff0000ffff);
	uint64_t odd0 = v0 >> 16 & mask, even0 = v0 & mask;	/* columns 1 3, 2 4 */
	uint64_t odd1 = v1 >> 16 & mask, even1 = v1 & mask;
	uint64_t odd2 = v2 >> 16 & mask, even2 = v2 & mask;
	uint64_t odd3 = v3 >> 16 & mask, even3 = v3 & mask;
	uint64_t odd = odd0 + odd1 + odd2 + odd3;
	uint64_t even = even0 + even1 + even2 + even3;
	uint64_t rows = odd1 + even1 + 2 * (odd2 + even2) + 3 * (odd3 + even3);
	uint64_t sums = 4 * rows + odd + 2 * even;	/* weights 1 2 in both halves */
	uint64_t right = 2 * (odd + even);		/* to 3 4 in the lower one */

	return (uint32_t)(sums >> 32) + (uint32_t)sums + (uint32_t)right;
}

static inline uint32_t
load_late(const uint8_t *buf)
{
	return (uint32_t)buf[32] << 24 | (uint32_t)buf[33] << 16 | (uint32_t)buf[34] << 8 | buf[35];
}

static inline uint32_t
sum_of_late(uint32_t late)
{
	return 17 * (late >> 16) + 18 * (late & 0xffff);
}

static inline uint32_t
sum_of_proof(uint64_t proof)
{
	return 19 * (uint32_t)(proof >> 48) + 20 * (uint32_t)(proof >> 32 & 0xffff) +
	    21 * (uint32_t)(proof >> 16 & 0xffff) + 22 * (uint32_t)(proof & 0xffff);
}

/* The words behind the first 32 bytes, up to the offset end. */
static inline uint32_t
sum_of_rest(const uint8_t *buf, size_t end)
{
	uint64_t sum = 0;
	size_t i;

	if (end == PACE_HDR_SIZE)
		return 0;
	if (end == PACE_DATA_SIZE)
		return sum_of_late(load_late(buf));
	for (i = PACE_HDR_SIZE; i + 1 < end; i += 2)
		sum += (i / 2 + 1) * ((uint64_t)buf[i] << 8 | buf[i + 1]);
	if (i < end)
		sum += (i / 2 + 1) * ((uint64_t)buf[i] << 8);
	return (uint32_t)(sum % CHECK_PRIME);
}

static inline bool
is_frame(uint8_t type)
{
	return (type & ~PACE_REPLY) == PACE_DATA;
}

static inline bool
is_ping(uint8_t type)
{
	return (type & ~PACE_REPLY) == PACE_PING;
}

/* The part of a frame of size bytes, without a trailer, that the check is over; 0: too
 * short, or too long. */
static inline size_t
covered(uint8_t type, size_t size)
{
	if (type == PACE_FRAME_DOWN && size >= PACE_DOWN_SIZE)
		return PACE_DOWN_SIZE;
	if (is_frame(type) && size >= PACE_DATA_SIZE)
		return PACE_DATA_SIZE;
	if (is_ping(type))
		return size < PACE_PING_SIZE ? 0 : size < PACE_PROOF_SIZE ? PACE_PING_SIZE :
		    PACE_PROOF_SIZE;
	if (size < PACE_HDR_SIZE || size > PACE_CONTROL_ROOM)
		return 0;
	return is_frame(type) ? PACE_HDR_SIZE : size;
}

/* Frames of streams and of exchanges have no room for a tag, nor the time. */
static inline bool
may_be_sealed(uint8_t type)
{
	return !is_ping(type) && !is_frame(type);
}

/* rest: the weighted sum over the covered bytes behind the first 32. */
static inline void
put_header(uint8_t *buf, uint32_t rest, const struct pace_hdr *h)
{
	uint64_t v0 = FIRST_WORD(h->type, h->run), tx = (uint64_t)h->tx_ns;
	uint64_t v2 = (uint64_t)h->stream << 56 | h->seq;
	uint32_t sum;

	if (h->sealed && may_be_sealed(h->type))
		v0 |= (uint64_t)FLAG_SEALED << 24;
	sum = sum_of(v0, h->session, v2, tx) + rest;
	store_be(buf, v0 | (1 + sum % CHECK_PRIME));
	store_be(buf + 8, h->session);
	store_be(buf + 16, v2);
	store_be(buf + 24, tx);
}

int
pace_hdr_encode(uint8_t *buf, size_t size, const struct pace_hdr *h)
{
	size_t end = covered(h->type, size);
	uint32_t rest = 0;

	if (end == 0 || is_ping(h->type))
		return -ENOBUFS;
	if (is_frame(h->type) && end >= PACE_DATA_SIZE) {
		buf[32] = (uint8_t)(h->late_ns >> 24);
		buf[33] = (uint8_t)(h->late_ns >> 16);
		buf[34] = (uint8_t)(h->late_ns >> 8);
		buf[35] = (uint8_t)h->late_ns;
		rest = sum_of_late(h->late_ns);
	}
	if (end == PACE_DOWN_SIZE && h->type == PACE_FRAME_DOWN) {
		store_be(buf + 36, h->proof);
		rest += sum_of_proof(h->proof);
	}
	if (!is_frame(h->type))
		rest = sum_of_rest(buf, end);
	put_header(buf, rest, h);
	return is_frame(h->type) ? (int)end : PACE_HDR_SIZE;
}

int
pace_ping_encode(uint8_t *buf, size_t size, const struct pace_hdr *h,
    const struct pace_ping *p)
{
	size_t end = covered(h->type, size);

	if (end == 0 || !is_ping(h->type))
		return -ENOBUFS;
	if ((h->type & PACE_REPLY) != 0) {
		store_be(buf + 32, (uint64_t)p->arrival_ns);
		store_be(buf + 40, (uint64_t)p->departure_ns);
		store_be(buf + 48, (uint64_t)p->wall_ns);
		store_be(buf + 56, (uint64_t)p->back << 32 | (uint64_t)p->stamp << 24);
	} else {
		store_be(buf + 32, (uint64_t)p->reply_bytes << 48 |
		    (uint64_t)p->stamp_reply << 32 | (uint32_t)p->rate_2p40);
		store_be(buf + 40, 0);
		store_be(buf + 48, 0);
		store_be(buf + 56, 0);
	}
	if (end == PACE_PROOF_SIZE)
		store_be(buf + PACE_PING_SIZE, p->proof);
	put_header(buf, sum_of_rest(buf, end), h);
	return (int)end;
}

int
pace_hdr_decode(struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	uint64_t v0, v1, v2, v3, check;
	uint8_t type, flags;
	size_t end, trailer;

	if (len < PACE_HDR_SIZE)
		return -EMSGSIZE;
	v0 = load_be(buf);
	type = (uint8_t)(v0 >> 32);
	if (v0 >> 48 != PACE_WIRE_MAGIC)
		return -EPROTO;
	if ((v0 >> 40 & 0xff) != PACE_WIRE_VERSION) {
		h->type = type;
		h->seq = load_be(buf + 16);
		return -EPROTONOSUPPORT;
	}
	flags = (uint8_t)(v0 >> 24);
	if (flags != 0 && (flags != FLAG_SEALED || !may_be_sealed(type)))
		return -EPROTO;
	trailer = flags != 0 ? PACE_SEAL_SIZE : 0;
	end = len < trailer ? 0 : covered(type, len - trailer);
	if (end == 0)
		return -EMSGSIZE;
	v1 = load_be(buf + 8);
	v2 = load_be(buf + 16);
	v3 = load_be(buf + 24);
	check = v0 & 0xffff;
	if (check != 1 + (sum_of(v0 ^ check, v1, v2, v3) + sum_of_rest(buf, end)) % CHECK_PRIME)
		return -EPROTO;
	h->type = type;
	h->run = (uint8_t)(v0 >> 16);
	h->sealed = flags != 0;
	h->session = v1;
	h->stream = (uint8_t)(v2 >> 56);
	h->seq = v2 & PACE_SEQ_MAX;
	h->tx_ns = (int64_t)v3;
	h->late_ns = PACE_LATE_UNKNOWN;
	h->proof = 0;
	if (is_frame(type) && end >= PACE_DATA_SIZE)
		h->late_ns = load_late(buf);
	if (type == PACE_FRAME_DOWN && end == PACE_DOWN_SIZE)
		h->proof = load_be(buf + PACE_DATA_SIZE);
	return 0;
}

void
pace_ping_decode(struct pace_ping *p, const uint8_t *buf, size_t len)
{
	uint64_t first = load_be(buf + 32), last = load_be(buf + 56);

	*p = (struct pace_ping){ 0 };
	if ((buf[3] & PACE_REPLY) != 0) {
		p->arrival_ns = (int64_t)first;
		p->departure_ns = (int64_t)load_be(buf + 40);
		p->wall_ns = (int64_t)load_be(buf + 48);
		p->back = (uint32_t)(last >> 32);
		p->stamp = (uint8_t)(last >> 24);
	} else {
		p->reply_bytes = (uint16_t)(first >> 48);
		p->stamp_reply = (first >> 32 & 1) != 0;
		p->rate_2p40 = (int32_t)(uint32_t)first;
	}
	if (len >= PACE_PROOF_SIZE)
		p->proof = load_be(buf + PACE_PING_SIZE);
}

int32_t
pace_ping_rate(double rate)
{
	double v = rate * 0x1p40;

	if (!(v > -2e9))			/* NaN too */
		return rate < 0 ? -2000000000 : 0;
	return v < 2e9 ? (int32_t)v : 2000000000;
}

double
pace_rate_of_ping(int32_t rate_2p40)
{
	return (double)rate_2p40 * 0x1p-40;
}
