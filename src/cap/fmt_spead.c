/*
 * SPEAD, flavours 64-48 and 64-40: big-endian.
 *
 *   offset size field
 *        0    1 magic      0x53
 *        1    1 version    4
 *        2    1 bytes of an item's mode and identifier: 2 (3)
 *        3    1 bytes of its value or address: 6 (5)
 *        4    2            0
 *        6    2 items
 *        8  8 x items      mode (1 bit, 1: value, 0: address), identifier, value
 *
 * Items used, all of them values: 1 the heap's number, 2 its size, 3 the payload's offset
 * in it, 4 the payload's bytes, 6 control (2: the stream ends).  A size that is missing or
 * 0 is unknown.  Heaps have numbers, datagrams have none: heaps.h derives the losses of
 * both.
 */
#include "cap/formats.h"

#define HEADER_SIZE	8
#define ITEM_SIZE	8
#define HEAP		1
#define HEAP_SIZE	2
#define OFFSET		3
#define BYTES		4
#define CONTROL		6
#define CONTROL_STOP	2

struct fmt_spead_header {
	unsigned	items;
	unsigned	value_bits;
};

/* The fixed part; false: not SPEAD, or its items are not all there. */
static bool
read_header(const struct pace_cap_datagram *d, struct fmt_spead_header *h)
{
	const uint8_t *p = d->payload;

	if (d->length < HEADER_SIZE || d->captured < HEADER_SIZE)
		return false;
	if (p[0] != 0x53 || p[1] != 4 || pace_cap_be(p + 4, 2) != 0)
		return false;
	if (!(p[2] == 2 && p[3] == 6) && !(p[2] == 3 && p[3] == 5))
		return false;
	h->items = (unsigned)pace_cap_be(p + 6, 2);
	h->value_bits = 8u * p[3];
	return h->items > 0 && (d->length - HEADER_SIZE) / ITEM_SIZE >= h->items;
}

/* The values of the captured items. */
static unsigned
read_items(const struct pace_cap_datagram *d, const struct fmt_spead_header *h,
    uint64_t of[CONTROL + 1])
{
	size_t n = (d->captured - HEADER_SIZE) / ITEM_SIZE;
	unsigned have = 0;

	if (n > h->items)
		n = h->items;
	for (size_t i = 0; i < n; i++) {
		uint64_t item = pace_cap_be(d->payload + HEADER_SIZE + i * ITEM_SIZE, ITEM_SIZE);
		uint64_t id = (item & ~(UINT64_C(1) << 63)) >> h->value_bits;

		if (item >> 63 == 0 || id == 0 || id > CONTROL || id == 5)
			continue;
		if ((have & 1u << id) == 0)		/* the first of a kind counts */
			of[id] = item & ((UINT64_C(1) << h->value_bits) - 1);
		have |= 1u << id;
	}
	return have;
}

bool
pace_cap_mark_spead(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	uint64_t of[CONTROL + 1] = { 0 };
	struct fmt_spead_header h;
	unsigned have;

	(void)rule;
	if (!read_header(d, &h))
		return false;
	have = read_items(d, &h, of);
	if ((have & 1u << HEAP) == 0 || (have & 1u << BYTES) == 0 ||
	    of[BYTES] > d->length - HEADER_SIZE - h.items * (size_t)ITEM_SIZE)
		return false;
	*m = (struct pace_cap_mark){
		.last = of[CONTROL] == CONTROL_STOP,
		.has_heap = true,
		.heap = of[HEAP],
		.heap_size = of[HEAP_SIZE],
		.heap_offset = of[OFFSET],
		.heap_bytes = of[BYTES],
	};
	return true;
}

int
pace_cap_fits_spead(const struct pace_cap_datagram *d)
{
	struct pace_cap_mark m;

	return pace_cap_mark_spead(NULL, d, &m) ? 95 : 0;
}
