/*
 * record.h - what is kept of single frames, and how it travels.
 *
 * Purpose    number, departure, arrival and kind of each frame of a stretch
 *            of the run, or of those beside every hole only.
 * Order      of arrival.  Copies and frames beyond the window are kept too
 *            (their flag says so), except with lost_only.
 * Hole       numbers that had not come when a larger one did: the record
 *            behind them says so, whatever else is kept.
 * Lost only  the last frame before and the first frame behind every hole:
 *            from the two follow the numbers that are missing and when they
 *            were sent.  A frame that is both is kept once.  Those that came
 *            late into a hole are kept too, they are not lost; the frame
 *            before the next hole may then stand behind them, though it came
 *            first.  Last comes the frame with the highest number: what was
 *            sent above it is lost too.  So
 *              lost = numbers in holes - records that are late
 *                     + sent - highest - 1.
 * Columns    big-endian, one behind the other, n values each:
 *              seq u64, tx_ns i64, rx_ns i64, late_ns u32, flags u8
 *            so that a piece of any offset and length can be asked for and
 *            the whole is PACE_RECORD_SIZE x n bytes.
 * Times      tx_ns the sender's probe clock, rx_ns the receiver's; late_ns how
 *            long after it was due the frame left, 2^32-1: not told.
 * Memory     the caller's arrays; nothing is allocated.
 * Threads    none.
 * Trust      add takes what the sequence tracker took: numbers below the
 *            count of the run, and the tracker's word in the flags.  Columns
 *            read back come off the network or a file: lengths are checked,
 *            flags beyond the known are refused, the rest is data.
 */
#ifndef PACE_CORE_RECORD_H
#define PACE_CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_RECORD_SIZE	29	/* bytes of one, all columns */
#define PACE_RECORD_LIMIT	(UINT32_MAX / PACE_RECORD_SIZE)	/* all columns' bytes fit 32 bits */
#define PACE_RECORDS_DEFAULT	(UINT64_C(1) << 20)	/* 29 MiB: a responder keeps so many unasked */

/* flags */
#define PACE_RECORD_STAMP	0x03	/* enum pace_stamp of the arrival */
#define PACE_RECORD_REORDERED	0x04
#define PACE_RECORD_DUPLICATE	0x08
#define PACE_RECORD_BEYOND	0x10	/* too old to be told from a copy */
#define PACE_RECORD_HOLE	0x20	/* numbers just below had not come; add sets it */
#define PACE_RECORD_KNOWN	0x3f

struct pace_record {
	uint64_t	seq;
	int64_t		tx_ns, rx_ns;
	uint32_t	late_ns;
	uint8_t		flags;
};

struct pace_records {
	uint64_t	n, room;	/* kept; room for */
	uint64_t	skip;		/* numbers below are not kept */
	bool		lost_only;
	uint64_t	missed;		/* that no room was left for */
	uint64_t	*seq;		/* arrays of room */
	int64_t		*tx_ns, *rx_ns;
	uint32_t	*late_ns;
	uint8_t		*flags;
	/* private */
	uint64_t	next;		/* number expected */
	struct pace_record highest;	/* the frame before it, for lost_only */
	bool		waits;		/* and it is not kept yet */
};

/* Bytes of memory for room records (0: more than a size_t tells), and their
 * division into the arrays; memory is aligned for int64_t and stays the
 * caller's. */
size_t	pace_records_memory(uint64_t room);
void	pace_records_init(struct pace_records *r, void *memory, uint64_t room,
	    uint64_t skip, bool lost_only);

/* A frame arrived. */
void	pace_records_add(struct pace_records *r, const struct pace_record *rec);

/* None will come any more; once more does nothing. */
void	pace_records_finish(struct pace_records *r);

/* Copy bytes offset .. offset + len of the columns of n records into buf; how
 * many were there to copy. */
size_t	pace_records_bytes(const struct pace_records *r, uint64_t offset,
	    uint8_t *buf, size_t len);

/* Record i of n in columns of PACE_RECORD_SIZE n bytes; -EPROTO: flags that
 * are not known, rec is then untouched.  i < n is the caller's affair. */
int	pace_record_read(const uint8_t *columns, uint64_t n, uint64_t i,
	    struct pace_record *rec);

/* Numbers missing just before a record, read in the order they are kept;
 * *next is the number expected, skip at first. */
uint64_t	pace_record_missing(const struct pace_record *rec, uint64_t *next);

#endif
