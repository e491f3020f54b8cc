#include "core/record.h"

#include <errno.h>
#include <string.h>

#include "core/cursor.h"

size_t
pace_records_memory(uint64_t room)
{
	return room <= SIZE_MAX / PACE_RECORD_SIZE ? (size_t)room * PACE_RECORD_SIZE : 0;
}

/* The widest first, so that each array is aligned. */
void
pace_records_init(struct pace_records *r, void *memory, uint64_t room, uint64_t skip,
    bool lost_only)
{
	memset(r, 0, sizeof(*r));
	r->room = room;
	r->skip = r->next = skip;
	r->lost_only = lost_only;
	r->seq = memory;
	r->tx_ns = (int64_t *)(r->seq + room);
	r->rx_ns = r->tx_ns + room;
	r->late_ns = (uint32_t *)(r->rx_ns + room);
	r->flags = (uint8_t *)(r->late_ns + room);
}

static void
keep(struct pace_records *r, const struct pace_record *rec)
{
	if (r->n == r->room) {
		r->missed++;
		return;
	}
	r->seq[r->n] = rec->seq;
	r->tx_ns[r->n] = rec->tx_ns;
	r->rx_ns[r->n] = rec->rx_ns;
	r->late_ns[r->n] = rec->late_ns;
	r->flags[r->n] = rec->flags;
	r->n++;
}

void
pace_records_add(struct pace_records *r, const struct pace_record *rec)
{
	struct pace_record own = *rec;
	bool again = (rec->flags & (PACE_RECORD_DUPLICATE | PACE_RECORD_BEYOND)) != 0;

	if (own.seq < r->skip)
		return;
	if (again || own.seq < r->next) {
		if (!again || !r->lost_only)
			keep(r, &own);
		return;
	}
	if (own.seq > r->next) {
		own.flags |= PACE_RECORD_HOLE;
		pace_records_finish(r);
	}
	r->next = own.seq + 1;
	r->highest = own;
	r->waits = r->lost_only && (own.flags & PACE_RECORD_HOLE) == 0;
	if (!r->waits)
		keep(r, &own);
}

void
pace_records_finish(struct pace_records *r)
{
	if (r->waits)
		keep(r, &r->highest);
	r->waits = false;
}

/* Value i of a column, and how wide it is. */
static uint64_t
value(const struct pace_records *r, int column, uint64_t i)
{
	switch (column) {
	case 0: return r->seq[i];
	case 1: return (uint64_t)r->tx_ns[i];
	case 2: return (uint64_t)r->rx_ns[i];
	case 3: return r->late_ns[i];
	default: return r->flags[i];
	}
}

static const uint8_t widths[] = { 8, 8, 8, 4, 1 };
#define COLUMNS		((int)sizeof(widths))

/* Bytes from at to the end of one column. */
static size_t
column_bytes(const struct pace_records *r, int column, uint64_t at, uint8_t *buf, size_t len)
{
	const size_t width = widths[column];
	size_t i = (size_t)at / width, skip = (size_t)at % width, done = 0;

	while (done < len && i < r->n) {
		uint8_t be[8];
		struct pace_wr w = { .p = be, .left = width };
		size_t part = width - skip < len - done ? width - skip : len - done;

		pace_wr_be(&w, value(r, column, i++), width);
		memcpy(buf + done, be + skip, part);
		done += part;
		skip = 0;
	}
	return done;
}

size_t
pace_records_bytes(const struct pace_records *r, uint64_t offset, uint8_t *buf, size_t len)
{
	size_t done = 0;

	for (int c = 0; c < COLUMNS; c++) {
		uint64_t size = widths[c] * r->n;

		if (offset >= size) {
			offset -= size;
			continue;
		}
		done += column_bytes(r, c, offset, buf + done, len - done);
		offset = 0;
	}
	return done;
}

static uint64_t
be_at(const uint8_t *p, size_t width)
{
	struct pace_rd rd = { .p = p, .left = width };

	return pace_rd_be(&rd, width);
}

int
pace_record_read(const uint8_t *columns, uint64_t n, uint64_t i, struct pace_record *rec)
{
	uint8_t flags = columns[28 * n + i];

	if ((flags & ~PACE_RECORD_KNOWN) != 0)
		return -EPROTO;
	rec->seq = be_at(columns + 8 * i, 8);
	rec->tx_ns = (int64_t)be_at(columns + 8 * n + 8 * i, 8);
	rec->rx_ns = (int64_t)be_at(columns + 16 * n + 8 * i, 8);
	rec->late_ns = (uint32_t)be_at(columns + 24 * n + 4 * i, 4);
	rec->flags = flags;
	return 0;
}

uint64_t
pace_record_missing(const struct pace_record *rec, uint64_t *next)
{
	uint64_t missing = 0;

	if (rec->seq < *next || (rec->flags & (PACE_RECORD_DUPLICATE | PACE_RECORD_BEYOND)) != 0)
		return 0;
	if ((rec->flags & PACE_RECORD_HOLE) != 0)
		missing = rec->seq - *next;
	*next = rec->seq < UINT64_MAX ? rec->seq + 1 : rec->seq;
	return missing;
}
