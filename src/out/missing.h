/*
 * missing.h - count how many numbers just below a frame's had not arrived before it.
 *
 * Purpose    missing_before of frame records, for late frames and copies as well.
 * Method     a sorted list has all numbers of the run.  From the last record back to
 *            the first, a number is removed at its first record: its predecessor in
 *            the list is then the next lower number that had arrived.
 * Lost only  frames between holes are not recorded, but arrived.  A frame in order
 *            therefore has missing numbers before it only if its record says so
 *            (record.h).
 * Memory     8 bytes a record, owned by the caller; 28 bytes a record while it works.
 * Trust      numbers and flags are data and may have any value.
 */
#ifndef PACE_OUT_MISSING_H
#define PACE_OUT_MISSING_H

#include <stdint.h>

#include "doc/record_file.h"

/* Return one count for each record, malloced; NULL: no memory.  run->n > 0. */
uint64_t	*pace_missing_before(const struct pace_record_run *run);

#endif
