/*
 * capture.h - contents of a capture as structs: documents of kind "capture".
 *
 * Point      one stream of one flow, with the figures of a receiver's result that an
 *            observer can know.  An observer has no data of the sender.  Lost frames are
 *            therefore those missing between the first and the last sequence number,
 *            and a stream without sequence numbers has no loss figures.
 * Units      as in result.h; wire bytes count line time as on Ethernet.
 * Memory     a point is about 1.1 MB: pace_seen_new.
 */
#ifndef PACE_DOC_CAPTURE_H
#define PACE_DOC_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "doc/result.h"

/* The whole capture. */
struct pace_capture {
	char		interface[64];	/* "": a file; "any": all */
	char		socket[96];	/* "ADDR:PORT" of a socket that received them; "": libpcap
					 * read them */
	char		group[64], source[64];	/* the multicast group joined, its only source; "":
						 * none, any */
	uint32_t	rcvbuf_asked, rcvbuf_granted;	/* of the socket */
	bool		has_record;
	uint64_t	recorded, record_missed;	/* frames in the record of frames, and not */
	char		file[256];
	char		other_file[256];	/* the receiver's file of a pair; "": no pair */
	char		filter[512];	/* "": none */
	char		link[32];	/* libpcap's name of the link type */
	uint64_t	snap_bytes;
	uint64_t	frames, bytes;	/* all frames, sizes as on the wire */
	int64_t		first_ns, last_ns;	/* since 1970; valid if frames > 0 */
	int64_t		resolution_ns;	/* of the stamps, inferred from them: 1, 1000; 0: no
					 * frames */
	uint64_t	udp, fragments, other, cut_short, bad;	/* sum: frames */
	uint64_t	cut;		/* frames that were captured in part */
	uint64_t	large;		/* merged by an offload: larger than any link allows */
	uint64_t	flows, streams;
	uint64_t	untracked;	/* frames of flows or streams beyond the limit */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* frames that the capture itself lost */
	bool		complete;		/* read to its end */
	char		read_error[192];	/* why it was not read to its end */
};

/* Heaps of SPEAD, whose pieces are frames: what rx.messages does not have. */
struct pace_seen_heaps {
	bool		any;
	uint64_t	size_unknown;	/* heaps of unknown size; they are no messages of rx */
	uint64_t	duplicates, late, absurd;	/* frames: copies; of heaps already given
							 * up; malformed */
	uint64_t	bytes_missing;	/* of incomplete heaps */
	double		frames_missing, frame_loss_ratio;	/* estimated from mean sizes of
								 * heaps and pieces */
};

/* A flow that two captures have (--pair). */
struct pace_seen_pair {
	bool		any;
	bool		backwards;	/* it goes from the second capture to the first */
	uint64_t	sent, received;	/* frames in the sender's, the receiver's capture */
	uint64_t	ambiguous, foreign;	/* identical to another sent frame; received but
						 * not sent */
	uint64_t	before_first, after_last;	/* lost frames before the first, after the
							 * last that arrived */
	/* foreign frames before the first, after the last */
	uint64_t	foreign_before_first, foreign_after_last;
	uint64_t	duplicate_bytes, foreign_bytes;	/* payloads; not part of rx.bytes */
	bool		has_clock;	/* owd is known: there are frames in both directions */
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
	uint64_t	unnumbered, untracked, streams;	/* of the flow */
	char		format[16], title[64];	/* title: for people, not in documents */
	char		stream[24];	/* id within the flow, decimal */
	bool		numbered;
	char		started[40];	/* time of its first frame, RFC 3339 */
	uint32_t	size_min, size_max;	/* bytes */
	uint64_t	backwards;
	bool		from_start, ended;	/* losses before the first, after the last frame
						 * are known */
	uint64_t	early, outliers, restarts;
	bool		has_delay;
	struct pace_rx_result rx;
	char		message[16];	/* "heap", "second", "frames"; "": rx has no messages */
	uint64_t	message_frames;	/* requested number of frames of a message; 0: none */
	struct pace_seen_heaps heaps;
	struct pace_seen_pair pair;
	struct pace_notes notes;
};

/* Return a zeroed point with reset histograms; NULL: no memory.  Release it with free(). */
struct pace_seen	*pace_seen_new(void);
void	pace_seen_reset(struct pace_seen *s);

#endif
