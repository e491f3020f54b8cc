/*
 * rx_capture_hook.h - how a session uses a capture of its responder's interface.
 *
 * Purpose    the interface between sessions and the capture: capture/rx_capture.c on a real
 *            interface, the tests in their simulated network.
 * Order      for each stream: begin when the run begins; settled at its end until it returns
 *            true; end once.
 * Errors     a run never fails because of its capture: if none is possible, the client gets
 *            the reason (enum pace_capture_answer).
 * Threads    each call runs in the session's own thread.
 */
#ifndef PACE_SERVER_RX_CAPTURE_HOOK_H
#define PACE_SERVER_RX_CAPTURE_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "core/wire_check.h"
#include "proto/msg.h"

/* The stream to capture, one of several of its run. */
struct pace_rx_capture_params {
	uint64_t	session;
	uint8_t		run, stream;
	uint32_t	streams;
	struct pace_addr from;		/* the stream's sender */
	uint32_t	size_bytes;
	uint64_t	limit, train, burst;	/* as pace_wire_check_begin has them */
};

struct pace_rx_captured;

struct pace_rx_capture_hook {
	void		*ctx;
	/* Begin a capture.  GRANTED: *t is valid until end. */
	enum pace_capture_answer (*begin)(void *ctx, const struct pace_rx_capture_params *a,
	    struct pace_rx_captured **t);
	/* True if the capture has seen all that arrived up to since_ns (probe clock), or all
	 * sent frames. */
	bool		(*settled)(void *ctx, struct pace_rx_captured *t, uint64_t sent,
	    int64_t since_ns);
	/* End the capture and compare it with the socket's stamps (wire_check.h) into *w; w NULL:
	 * no comparison. */
	void		(*end)(void *ctx, struct pace_rx_captured *t, struct pace_wire_check *w,
			    const int64_t *stamps, uint64_t n);
};

#endif
