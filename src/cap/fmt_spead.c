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

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEADER_SIZE	8
#define ITEM_SIZE	8
#define MAGIC		0x53
#define VERSION		4
/* items */
#define HEAP		1
#define HEAP_SIZE	2
#define OFFSET		3
#define BYTES		4
#define DESCRIPTOR	5
#define CONTROL		6
#define CONTROL_STOP	2

enum { MAGIC_OF, VERSION_OF, ID_BYTES, VALUE_BYTES, RESERVED, ITEMS };
static const struct pace_cap_field field[] = {
	[MAGIC_OF] = { 0, 1, 0, 8 }, [VERSION_OF] = { 1, 1, 0, 8 }, [ID_BYTES] = { 2, 1, 0, 8 },
	[VALUE_BYTES] = { 3, 1, 0, 8 }, [RESERVED] = { 4, 2, 0, 16 }, [ITEMS] = { 6, 2, 0, 16 },
};

static uint64_t
get(const uint8_t *p, int i)
{
	return pace_cap_get_be(p, &field[i]);
}

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
	if (get(p, MAGIC_OF) != MAGIC || get(p, VERSION_OF) != VERSION || get(p, RESERVED) != 0)
		return false;
	if (get(p, ID_BYTES) + get(p, VALUE_BYTES) != ITEM_SIZE ||
	    (get(p, VALUE_BYTES) != 6 && get(p, VALUE_BYTES) != 5))
		return false;
	h->items = (unsigned)get(p, ITEMS);
	h->value_bits = 8u * (unsigned)get(p, VALUE_BYTES);
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

		if (item >> 63 == 0 || id == 0 || id > CONTROL || id == DESCRIPTOR)
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

/* --- building ---------------------------------------------------------------------------- */

/*
 * A heap has two items of the user's range, whose descriptors are sent before the first frame:
 * "timestamp", when the heap began by the schedule, and "data", bytes.  Every frame of a heap has
 * all items, so that the loss of one frame loses no more than its data.
 */
#define TIMESTAMP	0x1600
#define DATA		0x1800
#define BUILT_ITEMS	6
#define BUILT_HEADER	(HEADER_SIZE + BUILT_ITEMS * ITEM_SIZE)
#define STREAM_SHIFT	32	/* heaps of different streams have different numbers */
/* items of a descriptor */
#define NAME		0x10
#define DESCRIPTION	0x11
#define SHAPE		0x12
#define FORMAT		0x13
#define ID		0x14
#define DTYPE		0x15
#define DESCRIPTOR_MAX	320

static void
put_header(uint8_t *p, unsigned address_bits, unsigned items)
{
	pace_cap_put_be(p, &field[MAGIC_OF], MAGIC);
	pace_cap_put_be(p, &field[VERSION_OF], VERSION);
	pace_cap_put_be(p, &field[ID_BYTES], ITEM_SIZE - address_bits / 8);
	pace_cap_put_be(p, &field[VALUE_BYTES], address_bits / 8);
	pace_cap_put_be(p, &field[RESERVED], 0);
	pace_cap_put_be(p, &field[ITEMS], items);
}

static void
put_item(uint8_t *p, unsigned address_bits, unsigned at, uint64_t id, bool is_value, uint64_t v)
{
	uint64_t mask = (UINT64_C(1) << address_bits) - 1;

	pace_cap_write_be(p + HEADER_SIZE + at * ITEM_SIZE, ITEM_SIZE,
	    (uint64_t)is_value << 63 | id << address_bits | (v & mask));
}

/* The items of every packet. */
static void
put_heap(uint8_t *p, unsigned address_bits, uint64_t heap, uint64_t size, uint64_t offset,
    uint64_t bytes)
{
	put_item(p, address_bits, 0, HEAP, true, heap);
	put_item(p, address_bits, 1, HEAP_SIZE, true, size);
	put_item(p, address_bits, 2, OFFSET, true, offset);
	put_item(p, address_bits, 3, BYTES, true, bytes);
}

static uint64_t
payload_of(const struct pace_cap_build *b)
{
	return b->size - BUILT_HEADER;
}

static uint64_t
heap_number(const struct pace_cap_build *b, uint64_t n)
{
	return (uint64_t)b->stream << STREAM_SHIFT | ((n + 1) & UINT32_MAX);
}

static int
check(const struct pace_cap_build *b, struct pace_err *err)
{
	if (b->size <= BUILT_HEADER)
		return pace_failf(err, EINVAL, "size", "'%u' is too small: a SPEAD frame has a header "
		    "of %d bytes and a payload", b->size, BUILT_HEADER);
	return 0;
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	(void)wall_ns;
	put_header(frame, b->address_bits, BUILT_ITEMS);
	put_item(frame, b->address_bits, 5, DATA, false, 0);
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	uint64_t n = k / b->heap_frames, first = n * b->heap_frames, payload = payload_of(b);
	uint64_t heap = b->heap + n + (b->describe_heaps > 0 ? n / b->describe_heaps : 0);
	double us = (double)first * (double)b->spacing / 4294967296.0 / 1000;

	(void)now_ns;
	b->next_heap = heap + 1;
	put_heap(frame, b->address_bits, heap_number(b, heap), b->heap_frames * payload,
	    (k - first) * payload, payload);
	put_item(frame, b->address_bits, 4, TIMESTAMP, true, (uint64_t)us);
}

struct fmt_spead_text {
	unsigned	id;
	const void	*text;
	size_t		n;
};

/* A descriptor is a packet within a heap; an empty text stands at its end. */
static size_t
put_descriptor(uint8_t *p, unsigned address_bits, unsigned id, const struct fmt_spead_text *v,
    unsigned n)
{
	const unsigned items = 5 + n;
	size_t head = HEADER_SIZE + items * (size_t)ITEM_SIZE, at = 0;

	put_header(p, address_bits, items);
	put_item(p, address_bits, 4, ID, true, id);
	for (unsigned i = 0; i < n; i++) {
		put_item(p, address_bits, 5 + i, v[i].id, false, at);
		memcpy(p + head + at, v[i].text, v[i].n);
		at += v[i].n;
	}
	put_heap(p, address_bits, 1, at, 0, at);
	return head + at;
}

static size_t
put_timestamp_descriptor(uint8_t *p, unsigned address_bits)
{
	static const char name[] = "timestamp", text[] = "begin of the heap, us";
	uint8_t format[4] = { 'u', 0, 0, 0 };
	const size_t width = 9 - address_bits / 8;	/* of a field of FORMAT */
	const struct fmt_spead_text v[] = { { NAME, name, sizeof(name) - 1 },
	    { DESCRIPTION, text, sizeof(text) - 1 }, { FORMAT, format, width },
	    { SHAPE, "", 0 } };

	pace_cap_write_be(format + 1, width - 1, address_bits);
	return put_descriptor(p, address_bits, TIMESTAMP, v, 4);
}

static size_t
put_data_descriptor(const struct pace_cap_build *b, uint8_t *p)
{
	static const char name[] = "data", text[] = "payload";
	char dtype[128];
	int n = snprintf(dtype, sizeof(dtype), "{'descr': '|u1', 'fortran_order': False, "
	    "'shape': (%llu,)}", (unsigned long long)(b->heap_frames * payload_of(b)));
	const struct fmt_spead_text v[] = { { NAME, name, sizeof(name) - 1 },
	    { DESCRIPTION, text, sizeof(text) - 1 }, { DTYPE, dtype, (size_t)n } };

	return put_descriptor(p, b->address_bits, DATA, v, 3);
}

/* The heap of descriptors, in one packet. */
static void
make_descriptors(struct pace_cap_build *b)
{
	const size_t head = HEADER_SIZE + 6 * (size_t)ITEM_SIZE;
	uint8_t *p = b->extra;
	size_t first = put_timestamp_descriptor(p + head, b->address_bits);
	size_t n = first + put_data_descriptor(b, p + head + first);

	put_header(p, b->address_bits, 6);
	put_item(p, b->address_bits, 4, DESCRIPTOR, false, 0);
	put_item(p, b->address_bits, 5, DESCRIPTOR, false, first);
	put_heap(p, b->address_bits, 0, n, 0, n);
	b->extra_bytes = head + n;
}

static size_t
put_descriptors(const struct pace_cap_build *b, uint64_t heap, uint8_t *to)
{
	memcpy(to, b->extra, b->extra_bytes);
	put_item(to, b->address_bits, 0, HEAP, true, heap_number(b, heap));
	return b->extra_bytes;
}

/* Before the first frame a heap of descriptors, which has the number before that of heap 0 of the
 * run, and again the number before that of heap describe_heaps, and so on, whenever it is sent; at
 * the end the stop, in a heap of its own. */
static size_t
extra(struct pace_cap_build *b, enum pace_extra when, uint8_t *to)
{
	uint64_t heap = b->next_heap;

	if (when == PACE_EXTRA_AGAIN) {
		heap = b->heap + b->described + (b->described + 1) * b->describe_heaps;
		b->described++;
		if (heap >= b->next_heap)
			b->next_heap = heap + 1;
		return put_descriptors(b, heap, to);
	}
	b->next_heap++;
	if (when == PACE_EXTRA_BEFORE) {
		b->heap = b->next_heap;
		b->described = 0;
		make_descriptors(b);
		return put_descriptors(b, heap, to);
	}
	put_header(to, b->address_bits, 5);
	put_item(to, b->address_bits, 4, CONTROL, true, CONTROL_STOP);
	put_heap(to, b->address_bits, heap_number(b, heap), 0, 0, 0);
	return HEADER_SIZE + 5 * (size_t)ITEM_SIZE;
}

static void
describe(const struct pace_cap_build *b, char *text, size_t size)
{
	char again[64] = "";

	if (b->describe_heaps > 0)
		snprintf(again, sizeof(again), " and every %llu heaps",
		    (unsigned long long)b->describe_heaps);
	snprintf(text, size, "64-%u, heaps of %llu frames = %llu bytes; descriptors before%s, stop at "
	    "the end", b->address_bits, (unsigned long long)b->heap_frames,
	    (unsigned long long)(b->heap_frames * payload_of(b)), again);
}

_Static_assert(HEADER_SIZE + 6 * ITEM_SIZE + 2 * DESCRIPTOR_MAX <= PACE_CAP_EXTRA_MAX,
    "the heap of descriptors fits");

const struct pace_cap_builder pace_cap_builder_spead = { .header = BUILT_HEADER, .check = check,
    .begin = begin, .put = put, .extra = extra, .describe = describe };
