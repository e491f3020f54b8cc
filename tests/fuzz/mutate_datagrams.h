/*
 * mutate_datagrams.h - mutates a list of datagrams in one place, for fuzz_responder and
 * fuzz_client.
 *
 * Input      records: one or two bytes with the fate of the datagram, two bytes of length, the
 *            bytes, one byte of time.
 * Changes    a datagram is removed, repeated, moved, shortened or lengthened; a field of its
 *            header changes, mostly with the check corrected; its JSON changes, see
 *            mutate_json.h; its fate or its time changes.
 */
#ifndef FUZZ_MUTATE_DATAGRAMS_H
#define FUZZ_MUTATE_DATAGRAMS_H

#include "mutate_json.h"
#include "repair.h"

#define RECORDS_MAX	1024

struct record {
	size_t	at, body, len, end;	/* in the input */
};

struct records {
	size_t	before;		/* bytes ahead of a length */
	size_t	n;
	struct record v[RECORDS_MAX];
};

/* From the byte `at` on. */
static inline void
records_find(struct records *all, size_t before, const uint8_t *data, size_t size, size_t at)
{
	all->before = before;
	all->n = 0;
	while (all->n < RECORDS_MAX && at + before + 2 < size) {
		struct record *r = &all->v[all->n++];
		size_t left = size - at - before - 2;

		r->at = at;
		r->body = at + before + 2;
		r->len = (size_t)data[r->body - 2] << 8 | data[r->body - 1];
		r->len = r->len < left ? r->len : left;
		at = r->end = r->body + r->len + (r->body + r->len < size);
	}
}

/* Put n bytes in the place of those at `at`; the two bytes before hold the length. */
static inline size_t
counted_put(uint8_t *data, size_t size, size_t max, size_t at, size_t old, const void *bytes,
    size_t n)
{
	if (n > UINT16_MAX || size - old + n > max)
		return size;
	size = put_bytes(data, size, max, at, old, bytes, n);
	data[at - 2] = (uint8_t)(n >> 8);
	data[at - 1] = (uint8_t)n;
	return size;
}

/* --- one datagram -------------------------------------------------------------------- */

static inline bool
is_datagram(const uint8_t *buf, size_t len)
{
	return len > PACE_HDR_SIZE ? buf[PACE_HDR_SIZE] == '{' ||
	    (buf[0] == PACE_WIRE_MAGIC >> 8 && buf[1] == (PACE_WIRE_MAGIC & 0xff)) :
	    len == PACE_HDR_SIZE;
}

static inline uint8_t
any_type(struct chance *c)
{
	static const uint8_t types[] = { PACE_HELLO, PACE_OPEN, PACE_START, PACE_DATA,
	    PACE_FINISH, PACE_FETCH, PACE_CLOSE, PACE_PING, PACE_REPORT };
	size_t i;

	if (chance_one_in(c, 8))
		return (uint8_t)chance_of(c, 256);
	i = chance_of(c, sizeof(types));
	return types[i] | (chance_one_in(c, 4) ? PACE_REPLY : 0);
}

/* Fields of the header, of a DATA frame, of a PING and of its reply: wire.h has the table. */
static inline void
datagram_field(struct chance *c, uint8_t *buf, size_t len)
{
	static const struct { uint8_t at, n; } fields[] = {
		{ 2, 1 }, { 3, 1 }, { 3, 1 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 8, 8 }, { 16, 8 },
		{ 16, 8 }, { 24, 8 }, { 32, 4 }, { 32, 2 }, { 34, 2 }, { 36, 4 }, { 32, 8 },
		{ 40, 8 }, { 48, 8 }, { 56, 4 }, { 60, 1 },
	};
	size_t i = chance_of(c, sizeof(fields) / sizeof(fields[0]));
	struct pace_rd r = { .p = buf + fields[i].at, .left = fields[i].n };
	struct pace_wr w = { .p = buf + fields[i].at, .left = fields[i].n };

	if ((size_t)fields[i].at + fields[i].n > len)
		return;
	if (fields[i].at == 3)
		buf[3] = any_type(c);
	else
		pace_wr_be(&w, (uint64_t)chance_near(c, (int64_t)pace_rd_be(&r, fields[i].n)),
		    fields[i].n);
}

/* buf has room. Return the new length. */
static inline size_t
mutate_datagram(struct chance *c, uint8_t *buf, size_t len, size_t room)
{
	switch (chance_of(c, 8)) {
	case 0:
		len = chance_of(c, len + 1);
		break;
	case 1:
		len = LLVMFuzzerMutate(buf, len, room);
		break;
	case 2: case 3: case 4:
		datagram_field(c, buf, len);
		break;
	default:
		len = mutate_json(buf, len, room, PACE_HDR_SIZE, c);
	}
	if (len >= PACE_HDR_SIZE && !chance_one_in(c, 8))
		repair_header(buf, len);
	return len;
}

/* Values that have a meaning for the kind of the record: a byte, or several groups. */
static inline size_t
mutate_numbers(struct chance *c, uint8_t *buf, size_t len, size_t room)
{
	size_t group = 1 + chance_of(c, 5), at = len > 0 ? chance_of(c, len) : 0;

	if (chance_one_in(c, 2) || len < group || len + group > room)
		return LLVMFuzzerMutate(buf, len, room);
	at -= at % group;
	memmove(buf + at + group, buf + at, len - at);
	return len + group;
}

/* --- the list --------------------------------------------------------------------------- */

static inline size_t
record_mutate(struct chance *c, uint8_t *data, size_t size, size_t max, const struct record *r)
{
	static uint8_t buf[UINT16_MAX];
	size_t room = max - size + r->len, len = r->len;

	if (room > sizeof(buf))
		room = sizeof(buf);
	if (room == 0)
		return size;
	memcpy(buf, data + r->body, len);
	len = is_datagram(buf, len) ? mutate_datagram(c, buf, len, room) :
	    mutate_numbers(c, buf, len, room);
	return counted_put(data, size, max, r->body, r->len, buf, len);
}

/* A copy of one record before another, or instead of it. */
static inline size_t
record_copy(struct chance *c, uint8_t *data, size_t size, size_t max, const struct record *from,
    const struct record *to)
{
	uint8_t *copy = fuzz_exact(data + from->at, from->end - from->at);

	size = put_bytes(data, size, max, to->at, chance_one_in(c, 4) ? to->end - to->at : 0, copy,
	    from->end - from->at);
	free(copy);
	return size;
}

/* An empty record of any kind. */
static inline size_t
record_new(struct chance *c, uint8_t *data, size_t size, size_t max, const struct records *all,
    size_t at)
{
	uint8_t fresh[8] = { 0 };

	for (size_t i = 0; i < all->before; i++)
		fresh[i] = (uint8_t)chance_of(c, 256);
	fresh[all->before + 2] = (uint8_t)chance_of(c, 256);
	return put_bytes(data, size, max, at, 0, fresh, all->before + 3);
}

/* One bit of the fate, or all of them; or the time. */
static inline void
record_fate(struct chance *c, uint8_t *data, const struct records *all, const struct record *r)
{
	size_t i = chance_of(c, all->before + 1);
	uint8_t *at = &data[i < all->before ? r->at + i : r->end - 1];

	if (i == all->before || chance_one_in(c, 4))
		*at = (uint8_t)chance_of(c, 256);
	else
		*at ^= (uint8_t)(1 << chance_of(c, 8));
}

/* The records found; the entry after the last one: where the first one would begin. */
static inline size_t
mutate_records(struct chance *c, uint8_t *data, size_t size, size_t max,
    const struct records *all, size_t behind)
{
	const struct record *r, *other;

	if (all->n == 0)
		return record_new(c, data, size, max, all, behind < size ? behind : size);
	r = &all->v[chance_of(c, all->n)];
	other = &all->v[chance_of(c, all->n)];
	switch (chance_of(c, 12)) {
	case 0:
		return put_bytes(data, size, max, r->at, r->end - r->at, NULL, 0);
	case 1: case 2:
		return record_copy(c, data, size, max, r, other);
	case 3:
		return record_copy(c, data, size, max, r, r);
	case 4:
		return record_new(c, data, size, max, all, r->at);
	case 5: case 6:
		record_fate(c, data, all, r);
		return size;
	case 7:
		return chance_one_in(c, 4) ? r->end : size;
	default:
		return record_mutate(c, data, size, max, r);
	}
}

/* The first records of a, with all bytes before them, then the last records of b. */
static inline size_t
cross_records(struct chance *c, const uint8_t *a, size_t asize, const struct records *of_a,
    const uint8_t *b, size_t bsize, const struct records *of_b, uint8_t *out, size_t max)
{
	size_t head = of_a->n > 0 ? of_a->v[chance_of(c, of_a->n)].at : asize;
	size_t from = of_b->n > 0 ? of_b->v[chance_of(c, of_b->n)].at : bsize;

	if (head > max)
		head = max;
	memcpy(out, a, head);
	return put_bytes(out, head, max, head, 0, b + from, bsize - from);
}

#endif
