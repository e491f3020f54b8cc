/*
 * capture_hook.h - how a run uses a capture of this host's interface.
 *
 * Purpose    the interface between runs and the capture: run/run_capture.c on a real
 *            interface, the tests in their simulated network.  The responder captures what
 *            arrives and what it sends, the client what arrives.
 * Order      for each stream: begin when the run begins; settled at its end until it returns
 *            true; end once.
 * Errors     a run never fails because of its capture: if none is possible, the document has
 *            the reason (enum pace_capture_answer).
 * Threads    each call runs in the run's own thread.
 */
#ifndef PACE_STREAM_CAPTURE_HOOK_H
#define PACE_STREAM_CAPTURE_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "core/wire_check.h"
#include "proto/msg.h"
#include "stream/receiver.h"

/* The stream to capture, one of several of its run and direction. */
struct pace_capture_request {
	uint64_t	session;
	uint8_t		run, stream;
	uint8_t		type;		/* of its frames: PACE_DATA, PACE_FRAME_DOWN */
	bool		departs;	/* this host sends them */
	uint32_t	streams;
	struct pace_addr peer;		/* the other host, at its end of the stream */
	uint32_t	size_bytes;
	uint64_t	limit, train, burst;	/* as pace_wire_check_begin has them */
};

struct pace_captured_stream;

struct pace_capture_hook {
	void		*ctx;
	/* Begin a capture.  GRANTED: *t is valid until end. */
	enum pace_capture_answer (*begin)(void *ctx, const struct pace_capture_request *a,
	    struct pace_captured_stream **t);
	/* True if the capture has seen all that passed up to since_ns (probe clock), or all
	 * sent frames. */
	bool		(*settled)(void *ctx, struct pace_captured_stream *t, uint64_t sent,
	    int64_t since_ns);
	/* End the capture: *w gets what it saw; w NULL: nothing is wanted.  Arrivals are compared
	 * with the socket's stamps (wire_check.h). */
	void		(*end)(void *ctx, struct pace_captured_stream *t, struct pace_wire_check *w,
			    const int64_t *stamps, uint64_t n);
};

/* Begin the capture of one stream of a run; r: that receives it, NULL: this host sends it.  The
 * caller sets what ask says of the stream and of its limit, the rest follows from a. */
enum pace_capture_answer pace_capture_begin(const struct pace_capture_hook *hook,
    const struct pace_capture_request *ask, const struct pace_params *a, struct pace_receiver *r,
    struct pace_captured_stream **t);

/* End the capture of the stream that r received, and add what it saw to its result. */
void	pace_capture_end_rx(const struct pace_capture_hook *hook, struct pace_captured_stream *t,
	    const struct pace_receiver *r, struct pace_rx_result *rx);

#endif
