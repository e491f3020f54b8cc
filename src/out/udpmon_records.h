/*
 * udpmon_records.h - print frame records as udpmon_bw_mon does: the dump of -G, or, if
 * only frames next to losses were recorded, the log of -L.
 *
 * Dump       one row a frame in order of number, with its first arrival; a frame that
 *            did not arrive has only its number, and no differences to it.
 * Log        one row a lost frame, with its number from 0 and the times of the last
 *            frame before the hole; frames lost at the end of the run are included.
 * Times      in 0.1 us on the sender's clock, relative to the departure of the first
 *            row that has one.  If the offset between the clocks is unknown, arrivals
 *            are on the receiver's clock, relative to the first arrival, and 1-way time
 *            is empty.
 * Stamps     "HW system" are kernel stamps, "HW raw" device stamps, in ns of the
 *            receiver's probe clock.
 * Memory     16 bytes a record.
 * Errors     0 or -errno.
 */
#ifndef PACE_OUT_UDPMON_RECORDS_H
#define PACE_OUT_UDPMON_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/record_file.h"

/* Return whether the run has no more frames than a record file can hold. */
bool	pace_udpmon_dumpable(const struct pace_record_run *run);
int	pace_udpmon_dump(FILE *f, const struct pace_record_run *run);

#endif
