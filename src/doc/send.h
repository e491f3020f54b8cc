/*
 * send.h - what a run without a responder sent, and where to: the document's "send".
 *
 * Memory     texts are the caller's.   Threads  none.
 */
#ifndef PACE_DOC_SEND_H
#define PACE_DOC_SEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "doc/field.h"

struct pace_send {
	const char	*format;	/* the value of --format */
	bool		from_file;	/* the payload is that of a file, else a pattern */
	bool		multicast;
	uint32_t	ttl;		/* 0: the system's default */
	bool		loop;		/* multicast also to receivers on this host */
	const char	*rule;		/* of --sequence; NULL: none */
	uint64_t	heap_frames;	/* SPEAD; 0: no heaps */
	uint64_t	descriptor_heaps;	/* heaps from descriptors to descriptors; 0: once */
	uint32_t	address_bits;
	char		detail[160];	/* the frames in words; not in documents */
};

extern const struct pace_fields pace_send_fields;

/* Return { "send": ... }; NULL: no memory. */
json_t	*pace_send_to_json(const struct pace_send *s);

#endif
