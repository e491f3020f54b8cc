/*
 * send.h - the frames of a run without a responder: their format, payload and destination.
 *
 * Purpose    connects the builders of cap/build.h with the sender, one for each stream, and
 *            decides before anything is sent whether it may be sent.
 * Errors     an error message on stderr; functions that can fail return an exit status.
 * Memory     pace_send_open allocates; pace_send_close frees.
 */
#ifndef PACE_RUN_SEND_H
#define PACE_RUN_SEND_H

#include "cap/build.h"
#include "core/framing.h"
#include "doc/result.h"
#include "doc/send.h"
#include "run/peer.h"

struct pace_send_cfg {
	const char	*format;
	const char	*sequence;	/* the rule; NULL: none */
	const char	*payload;	/* a file; NULL: the pattern */
	uint64_t	heap_frames;
	uint64_t	describe_heaps;	/* 0: descriptors only at the beginning */
	unsigned	address_bits;
	bool		allow_public;	/* with a rate and a duration */
};

struct pace_send_stream;

struct pace_send_run {
	struct pace_send_cfg cfg;
	struct pace_send doc;
	struct pace_framing framing[PACE_STREAMS];
	/* private */
	struct pace_cap_build model;	/* of all streams; builder NULL: udpace's own frames */
	struct pace_send_stream *stream;
	uint8_t		*payload;	/* PACE_FRAME_MAX bytes */
	size_t		file_bytes;	/* of --payload */
};

/* Call pace_send_close in any case. */
int	pace_send_open(struct pace_send_run *s, const struct pace_send_cfg *cfg);
void	pace_send_close(struct pace_send_run *s);

/* The frames of a stream; NULL: they are udpace's. */
const struct pace_framing	*pace_send_framing(const struct pace_send_run *s);

/* The largest size up to most; 0: none. */
uint32_t	pace_send_fit(const struct pace_send_run *s, uint32_t most);

/* Can these points be sent, to this host?  Also completes s->doc. */
int	pace_send_check(struct pace_send_run *s, const struct pace_peer *peer,
	    const struct pace_params *asks, size_t n);

/* The next point. */
void	pace_send_next(struct pace_send_run *s, const struct pace_params *ask);

#endif
