/*
 * caught.h - what a capture has seen so far, as lines of udpace-status(5).
 *
 * Purpose    who reads frames fills a struct pace_caught at the end of an interval; who
 *            shows it makes a line of that one and of the one before.
 * Sessions   number 1 is the sum of all streams, 2 and more are streams.  A place in stream[]
 *            is one stream's as long as its number stands there; 0: it is free.
 * Counts     since the beginning, so lines add up to them whatever was left out between.
 *            Lost may go down: then its difference is below 0.
 * Not known  to one who only watches: sockets, delays, round trips; they are null.
 * Trust      texts come off the network: all but ASCII is escaped.
 * Memory     700 KiB in the struct.
 */
#ifndef PACE_CAUGHT_H
#define PACE_CAUGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/coarse.h"
#include "core/stats.h"
#include "core/tally.h"

struct pace_glance;

#define PACE_CAUGHT_STREAMS	128	/* told of at once */
#define PACE_CAUGHT_QUIET_NS	INT64_C(3000000000)	/* so long without a frame is no stream any more */

struct pace_caught_stream {
	uint64_t	number;
	char		source[64], destination[64], format[16];
	uint64_t	stream;		/* within its flow */
	uint16_t	source_port, destination_port;
	uint32_t	streams;	/* of its flow */
	uint32_t	size_bytes, wire_bytes;	/* of the largest frame */
	uint32_t	dscp, vlan;
	bool		ipv6, numbered, ended;	/* ended: its sender said so */
	bool		has_jitter;
	int64_t		jitter_ns;
	int64_t		first_ns, last_ns;	/* stamps, since 1970 */
	uint64_t	restarts;
	struct pace_tally n;
	struct pace_stats gaps;		/* ns */
	struct pace_coarse gap;
};

struct pace_caught {
	int64_t		at_ns, wall_ns;	/* the probe clock; since 1970 */
	bool		over;		/* the capture has ended: nothing changes any more */
	uint64_t	frames, bytes, udp;	/* of the capture, of any kind */
	uint64_t	flows, streams;
	uint64_t	untold;		/* streams for which there is no place */
	uint64_t	unfollowed;	/* frames for which there was no room at all */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* frames that the capture itself lost */
	struct pace_tally n;	/* of all streams */
	struct pace_caught_stream stream[PACE_CAUGHT_STREAMS];
};

struct pace_caught_head {
	const char	*host, *interface, *filter;
	int64_t		started_wall_ns, interval_ns;
};

/* Lines with their end; malloced, NULL: no memory.  then: the one before, or of the
 * beginning; host NULL: not looked at. */
char	*pace_caught_first(const struct pace_caught_head *h);
char	*pace_caught_line(const struct pace_caught *now, const struct pace_caught *then,
	    int64_t began_ns, const struct pace_glance *host);

#endif
