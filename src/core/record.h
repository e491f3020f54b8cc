/*
 * record.h - records of single frames, and their form on the wire.
 *
 * Purpose    number, departure, arrival and kind of each frame in a part of the
 *            run, or only of the frames next to each hole.
 * Order      of arrival.  Copies and frames beyond the window have records with a
 *            flag, except with lost_only.
 * Hole       numbers that had not arrived when a larger one did.  The record of the
 *            larger one has a flag, whatever else is recorded.
 * Lost only  records the last frame before and the first frame after each hole.
 *            They give the missing numbers and the time when these were sent.  A
 *            frame in both roles has one record.  A frame that arrives late into a
 *            hole is recorded as well, because it is not lost; the frame before
 *            the next hole may then follow it, although it arrived earlier.
 *            The last record is the frame with the highest number: all later
 *            frames sent are lost.  Therefore
 *              lost = numbers in holes - records that are late
 *                     + sent - highest - 1.
 * Columns    big-endian, one after the other, n values each:
 *              seq u64, tx_ns i64, rx_ns i64, late_ns u32, flags u8
 *            in PACE_RECORD_SIZE x n bytes, so that a client can request a piece
 *            of any offset and length.
 * Times      tx_ns by the sender's probe clock, rx_ns by the receiver's; late_ns
 *            from the scheduled to the actual departure, 2^32-1: not known.
 * Memory     the caller's arrays; nothing is allocated.
 * Threads    none.
 * Trust      add gets frames that the sequence tracker accepted: numbers below the
 *            count of the run, with the tracker's verdict in the flags.  Columns
 *            come off the network or a file: lengths are checked, unknown flags
 *            are refused, all other values are data.
 */
#ifndef PACE_CORE_RECORD_H
#define PACE_CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_RECORD_SIZE	29	/* bytes of one, all columns */
#define PACE_RECORD_LIMIT	(UINT32_MAX / PACE_RECORD_SIZE)	/* all columns' bytes fit 32 bits */
/* 29 MiB: a responder keeps this many without a request */
#define PACE_RECORDS_DEFAULT	(UINT64_C(1) << 20)

/* flags */
#define PACE_RECORD_STAMP	0x03	/* enum pace_stamp of the arrival */
#define PACE_RECORD_REORDERED	0x04
#define PACE_RECORD_DUPLICATE	0x08
#define PACE_RECORD_BEYOND	0x10	/* late or duplicate, too old to tell */
#define PACE_RECORD_HOLE	0x20	/* the numbers just below are missing; add sets it */
#define PACE_RECORD_KNOWN	0x3f

struct pace_record {
	uint64_t	seq;
	int64_t		tx_ns, rx_ns;
	uint32_t	late_ns;
	uint8_t		flags;
};

struct pace_records {
	uint64_t	n, room;	/* records; most records */
	uint64_t	skip;		/* numbers below this get no record */
	bool		lost_only;
	uint64_t	missed;		/* not recorded because the arrays were full */
	uint64_t	*seq;		/* arrays of `room` values */
	int64_t		*tx_ns, *rx_ns;
	uint32_t	*late_ns;
	uint8_t		*flags;
	/* private */
	uint64_t	next;		/* number expected */
	struct pace_record highest;	/* the frame with the highest number, for lost_only */
	bool		waits;		/* highest has no record yet */
};

/* The bytes of memory for `room` records; 0: more than a size_t holds.  init divides the
 * memory into the arrays; it must be aligned for int64_t and stays the caller's. */
size_t	pace_records_memory(uint64_t room);
void	pace_records_init(struct pace_records *r, void *memory, uint64_t room,
	    uint64_t skip, bool lost_only);

/* Record a frame that arrived. */
void	pace_records_add(struct pace_records *r, const struct pace_record *rec);

/* Record the last frame, after all have arrived; a second call does nothing. */
void	pace_records_finish(struct pace_records *r);

/* Copy bytes offset .. offset + len of all columns into buf; returns the number of
 * bytes copied. */
size_t	pace_records_bytes(const struct pace_records *r, uint64_t offset,
	    uint8_t *buf, size_t len);

/* Read record i of n from columns of PACE_RECORD_SIZE n bytes; -EPROTO: unknown flags,
 * rec is unchanged.  The caller checks i < n. */
int	pace_record_read(const uint8_t *columns, uint64_t n, uint64_t i,
	    struct pace_record *rec);

/* How many numbers are missing just before a record.  Call it for each record in order;
 * *next is the expected number, at first skip. */
uint64_t	pace_record_missing(const struct pace_record *rec, uint64_t *next);

#endif
