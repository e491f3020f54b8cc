/*
 * udpmon_records.h - frame records as the dump that udpmon_bw_mon -G prints, those
 * of frames beside losses as its log of -L.
 *
 * Dump       a row a frame, by number, the first arrival of each; of a frame that
 *            did not come only its number is told, and no differences to it.
 * Log        a row a lost frame, with its number from 0 and the times of the last one
 *            before the hole; those lost at the end are in it.
 * Times      from the departure of the first row that has one, in 0.1 us, on the
 *            sender's clock; arrivals on the receiver's own, from the first one,
 *            where the clocks are not known.  1-way time is then empty.
 * Stamps     "HW system" are the kernel's, "HW raw" those of the device, ns of the
 *            receiver's probe clock.
 * Memory     16 bytes a record.
 * Errors     0 or -errno.
 */
#ifndef PACE_OUT_UDPMON_RECORDS_H
#define PACE_OUT_UDPMON_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/record_file.h"

/* Has the run as few frames as a file can have records? */
bool	pace_udpmon_dumpable(const struct pace_record_run *run);
int	pace_udpmon_dump(FILE *f, const struct pace_record_run *run);

#endif
