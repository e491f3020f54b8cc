/*
 * The header is read and written as four big-endian 64-bit words: decode
 * runs once for every frame that arrives, and the byte cursor costs several
 * times as much.  Compilers turn load_be() into one load and a byte swap.
 */
#include "core/wire.h"

#include <errno.h>

#define FIRST_WORD(type, stream) \
	((uint64_t)PACE_WIRE_MAGIC << 48 | (uint64_t)PACE_WIRE_VERSION << 40 | \
	(uint64_t)(type) << 32 | (uint64_t)(stream) << 16)

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
 * The check of a header whose check field is 0, the words of one column of
 * the four rows added up at a time.  With column j = 1 .. 4 and row
 * k = 0 .. 3 the weight of a word is 4k + j.  Two columns share a 64-bit
 * word, 32 bits each, which the sums stay far below.
 */
static inline uint32_t
check_of(uint64_t v0, uint64_t v1, uint64_t v2, uint64_t v3)
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

	return 1 + ((uint32_t)(sums >> 32) + (uint32_t)sums +
	    (uint32_t)right) % 65521;
}

int
pace_hdr_encode(uint8_t *buf, size_t size, const struct pace_hdr *h)
{
	uint64_t v0 = FIRST_WORD(h->type, h->stream), tx = (uint64_t)h->tx_ns;

	if (size < PACE_HDR_SIZE)
		return -ENOBUFS;
	store_be(buf, v0 | check_of(v0, h->session, h->seq, tx));
	store_be(buf + 8, h->session);
	store_be(buf + 16, h->seq);
	store_be(buf + 24, tx);
	return PACE_HDR_SIZE;
}

int
pace_hdr_decode(struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	uint64_t v0, v1, v2, v3, check;

	if (len < PACE_HDR_SIZE)
		return -EMSGSIZE;
	v0 = load_be(buf);
	if (v0 >> 48 != PACE_WIRE_MAGIC)
		return -EPROTO;
	if ((v0 >> 40 & 0xff) != PACE_WIRE_VERSION) {
		h->type = (uint8_t)(v0 >> 32);
		return -EPROTONOSUPPORT;
	}
	v1 = load_be(buf + 8);
	v2 = load_be(buf + 16);
	v3 = load_be(buf + 24);
	check = v0 & 0xffff;
	if (check != check_of(v0 ^ check, v1, v2, v3))
		return -EPROTO;
	if ((v0 >> 24 & 0xff) != 0)		/* flags */
		return -EPROTO;
	h->type = (uint8_t)(v0 >> 32);
	h->stream = (uint8_t)(v0 >> 16);
	h->session = v1;
	h->seq = v2;
	h->tx_ns = (int64_t)v3;
	return 0;
}
