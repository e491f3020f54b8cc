/*
 * missing.h - how many numbers just below a frame's had not arrived when it did.
 *
 * Purpose    the missing_before of frame records, for late frames and copies too.
 * Method     all numbers of the run in a list, in order; from the last record to the
 *            first, each number leaves the list with its first record: the number
 *            before it in the list is then the next lower one that had arrived.
 * Lost only  frames between holes are not recorded, but arrived: a frame in order has
 *            missing numbers before it only where its record says so (record.h).
 * Memory     8 bytes a record, the caller's; 28 bytes a record meanwhile.
 * Trust      numbers and flags are data, they may be anything.
 */
#ifndef PACE_OUT_MISSING_H
#define PACE_OUT_MISSING_H

#include <stdint.h>

#include "doc/record_file.h"

/* One count for each record, malloced; NULL: no memory.  run->n > 0. */
uint64_t	*pace_missing_before(const struct pace_record_run *run);

#endif
