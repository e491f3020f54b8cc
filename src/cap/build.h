/*
 * build.h - make the datagrams of a stream in a format: the other direction of format.h.
 *
 * Purpose    frames that the receivers of a format accept, with its numbers and times.  A
 *            frame is prepared once; then only its number and time are written.
 * Numbers    go on by one from frame to frame, also from one run to the next.  Formats that
 *            number by time (VDIF, LOFAR) begin each run at the wall clock's time, and go on
 *            by what a frame lasts, whatever the schedule does.
 * Streams    of one run have different identities: SSRC, thread, station and board, or the
 *            heaps' numbers.
 * Payload    begins behind the header; the caller fills it.
 * Units      bytes, ns, 32.32 ns.
 * Memory     the caller's; no allocation, no clock, no I/O, no globals.
 * Cost       put: some 10 ns.
 * Errors     -EINVAL with a message for the user.
 * Threads    one for each struct pace_cap_build.
 */
#ifndef PACE_CAP_BUILD_H
#define PACE_CAP_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/format.h"
#include "core/err.h"
#include "core/framing.h"

#define PACE_CAP_EXTRA_MAX	1024	/* bytes of a datagram beside the frames */

struct pace_cap_build {
	/* set by the caller */
	const struct pace_cap_builder *builder;
	uint32_t	size;		/* of a frame */
	uint64_t	spacing;	/* 32.32 ns; 0: as fast as possible */
	uint32_t	stream;		/* from 0 */
	uint32_t	id;		/* random; of the run's streams (RTP) */
	struct pace_cap_rule rule;	/* of "sequence" */
	uint64_t	heap_frames;	/* SPEAD: frames of a heap */
	uint64_t	describe_heaps;	/* SPEAD: heaps from descriptors to descriptors; 0: only
					 * before the first frame */
	unsigned	address_bits;	/* SPEAD: 40 or 48 */
	/* private */
	uint64_t	base, next;	/* numbers of this run's first frame, of the next one */
	uint64_t	heap, next_heap;
	uint64_t	described;	/* how often descriptors were repeated in this run */
	size_t		extra_bytes;	/* of the descriptors */
	uint8_t		extra[PACE_CAP_EXTRA_MAX];
	int64_t		begin_ns;	/* probe clock of the run's first frame */
	uint64_t	rate;		/* VDIF: frames a second */
	uint64_t	second, at;	/* VDIF: of the first frame; LOFAR: its block since 1970 */
};

struct pace_cap_builder {
	size_t		header;		/* bytes before the payload */
	/* Can frames of this size and spacing be built?  NULL: any that has a payload. */
	int	(*check)(const struct pace_cap_build *b, struct pace_err *err);
	/* The largest size up to most that can be built; 0: none.  NULL: any. */
	uint32_t (*fit)(uint32_t most);
	/* Write the constant part of the header.  wall_ns: now, since 1970. */
	void	(*begin)(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns);
	/* Write what changes: frame k of the run, from 0, leaves at now_ns. */
	void	(*put)(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns);
	/* Make a datagram that is sent besides the frames; returns its size, at most
	 * PACE_CAP_EXTRA_MAX.  NULL: there are none. */
	size_t	(*extra)(struct pace_cap_build *b, enum pace_extra when, uint8_t *to);
	/* Describe the frames for people, or ""; NULL: nothing to say. */
	void	(*describe)(const struct pace_cap_build *b, char *text, size_t size);
};

/* Where the payload begins. */
size_t	pace_cap_build_header(const struct pace_cap_build *b);

int	pace_cap_build_check(const struct pace_cap_build *b, struct pace_err *err);
uint32_t	pace_cap_build_fit(const struct pace_cap_build *b, uint32_t most);

/* Begin a run. */
void	pace_cap_build_begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns);

#endif
