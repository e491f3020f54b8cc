/*
 * framing.h - what a stream's frames are made of, if they are not udpace's own.
 *
 * Purpose    the sender (stream/sender.h) asks these functions instead of writing udpace's
 *            header; who calls it knows the format (cap/build.h).
 * Units      ns of the probe clock, and of the wall clock since 1970; bytes.
 * Threads    one for each stream.
 */
#ifndef PACE_CORE_FRAMING_H
#define PACE_CORE_FRAMING_H

#include <stddef.h>
#include <stdint.h>

#define PACE_EXTRA_ROOM	2048	/* bytes; more than any datagram besides the frames has */

enum pace_extra { PACE_EXTRA_BEFORE, PACE_EXTRA_AGAIN, PACE_EXTRA_END };

struct pace_framing {
	/* Write a whole frame, of the run's size; before the run. */
	void	(*begin)(void *ctx, uint8_t *frame, int64_t wall_ns);
	/* Write what changes: frame k of the run, from 0, leaves at now_ns.  It must neither wait
	 * nor allocate. */
	void	(*put)(void *ctx, uint8_t *frame, uint64_t k, int64_t now_ns);
	/* Make a datagram that is sent before the first frame, again after each `again` frames, or
	 * at the end of all runs; returns its size, at most room; 0: there is none. */
	size_t	(*extra)(void *ctx, enum pace_extra when, uint8_t *to, size_t room);
	uint64_t	again;		/* 0: never */
	void	*ctx;
};

#endif
