/*
 * frame_record.h - write each frame's time and first bytes to a file while frames are received.
 *
 * Purpose    a record of hours in bounded memory, which udpace capture and tcpdump read: a pcap
 *            file with stamps in ns, of raw IP packets.  A socket has no IP and UDP headers: they
 *            are made from addresses, ports, DSCP and length; checksums are 0.
 * Hot path   pace_frame_record_add copies into a ring and neither allocates, locks nor waits.  A
 *            thread of its own writes.  If the ring is full, the frame is counted as missed.
 * Memory     PACE_FRAME_RECORD_RING bytes.
 * Threads    add: one.
 */
#ifndef PACE_CAPTURE_FRAME_RECORD_H
#define PACE_CAPTURE_FRAME_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "cap/packet.h"

#define PACE_FRAME_RECORD_RING	(32u << 20)	/* a power of two */

struct pace_frame_record;

/* Begin a record in a file that is open for writing.  NULL: no memory, or no thread. */
struct pace_frame_record	*pace_frame_record_new(FILE *f);

/* p: payloads have at most 64 KiB. */
void	pace_frame_record_add(struct pace_frame_record *r, const struct pace_cap_packet *p,
	    int64_t now_ns);

/* Write the rest, and end.  Returns 0 or the -errno of the first failure; after one, frames are
 * counted as missed. */
int	pace_frame_record_end(struct pace_frame_record *r, uint64_t *frames, uint64_t *missed);

/* Accepts NULL, and a record without an end. */
void	pace_frame_record_free(struct pace_frame_record *r);

#endif
