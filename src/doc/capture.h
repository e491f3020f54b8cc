/*
 * capture.h - what a capture holds, as structs: documents of kind "capture".
 *
 * Point      one stream of one flow.  Its figures are those of a receiver's result, as far
 *            as one who only watches can have them: there is no sender's side, so lost
 *            is what is missing between the first number and the last one, and a
 *            stream without numbers has no loss at all.
 * Units      as in result.h; wire bytes are line time as Ethernet would spend it.
 * Memory     a point is about 800 KiB: pace_seen_new.
 */
#ifndef PACE_DOC_CAPTURE_H
#define PACE_DOC_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "doc/result.h"

/* Of the whole capture. */
struct pace_capture {
	char		interface[64];	/* "": a file */
	char		file[256];
	char		other_file[256];	/* the receiver's, of two; "": one */
	char		filter[512];	/* "": none */
	char		link[32];	/* libpcap's name of the link type */
	uint64_t	snap_bytes;
	uint64_t	frames, bytes;	/* all, as on the wire */
	int64_t		first_ns, last_ns;	/* since 1970, of frames > 0 */
	int64_t		resolution_ns;	/* of the stamps, as far as they tell: 1, 1000; 0: no frames */
	uint64_t	udp, fragments, other, cut_short, bad;	/* add up to frames */
	uint64_t	cut;		/* frames that were captured in part */
	uint64_t	large;		/* merged by an offload: too large for any link */
	uint64_t	flows, streams;
	uint64_t	unfollowed;	/* frames of flows or streams for which there was no room */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* frames that the capture itself lost */
	bool		whole;		/* read to its end */
	char		damage[192];	/* why not */
};

/* Pieces of SPEAD heaps. */
struct pace_seen_heaps {
	bool		any;
	uint64_t	complete, incomplete, lost;	/* heaps; lost: nothing of them came */
	uint64_t	unsized;	/* nobody told how large they are: in no ratio */
	double		loss_ratio;	/* incomplete and lost, of all whose fate is known */
	uint64_t	duplicates, late, absurd;	/* frames: copies; of heaps given up; senseless */
	uint64_t	bytes_missing;	/* of incomplete ones */
	double		frames_missing, frame_loss_ratio;	/* as many as these would have been */
};

/* Of a flow in two captures: --between. */
struct pace_seen_between {
	bool		any;
	bool		backwards;	/* it goes from the second capture to the first */
	uint64_t	sent, received;	/* frames in the captures of either end */
	uint64_t	twins, foreign;	/* alike another one sent; received and not sent */
	uint64_t	head, tail;	/* of those lost: before the first that arrived, after the last */
	uint64_t	foreign_head, foreign_tail;	/* of those foreign: the same */
	uint64_t	duplicate_bytes, foreign_bytes;	/* payloads; rx.bytes has none of them */
	bool		has_clock;	/* owd is known: both directions are there */
	double		bound_ns, uncertainty_ns;	/* of owd */
};

/* One stream. */
struct pace_seen {
	char		source[64], destination[64];	/* numeric */
	uint16_t	source_port, destination_port;
	uint32_t	ip;		/* 4, 6 */
	uint32_t	dscp, vlan;	/* vlan 0: none */
	uint64_t	dscp_changes;
	uint64_t	frames, bytes, wire_bytes;	/* of the flow */
	uint64_t	unnumbered, unfollowed, streams;	/* of the flow */
	char		format[16], title[64];	/* title: for people, not in documents */
	char		stream[24];	/* within the flow, decimal */
	bool		numbered;
	char		started[40];	/* its first frame, RFC 3339 */
	uint32_t	size_min, size_max;	/* bytes */
	uint64_t	backwards;
	bool		from_start, ended;	/* losses before the first, after the last are known */
	uint64_t	early, strays, restarts;
	bool		has_delay;
	struct pace_rx_result rx;
	struct pace_seen_heaps heaps;
	struct pace_seen_between between;
	struct pace_notes notes;
};

/* Zeroed, histograms reset; NULL: no memory.  free() ends it. */
struct pace_seen	*pace_seen_new(void);
void	pace_seen_reset(struct pace_seen *s);

#endif
