/*
 * rx_capture_hook.h - what a session asks of a capture of its responder's interface.
 *
 * Purpose    the seam between sessions and who captures: capture/rx_capture.c on an interface, the
 *            tests in their network.
 * Order      begin when the run begins; settled at its end until it is true; end once.
 * Never      is a run worse for it: what cannot be had is told (enum pace_capture_answer).
 * Threads    each call in the session's own.
 */
#ifndef PACE_SERVER_RX_CAPTURE_HOOK_H
#define PACE_SERVER_RX_CAPTURE_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "core/wire_check.h"
#include "proto/msg.h"

/* The stream. */
struct pace_rx_capture_params {
	uint64_t	session;
	uint8_t		stream;
	struct pace_addr from;		/* who sends it */
	uint32_t	size_bytes;
	uint64_t	limit, train, burst;	/* as pace_wire_check_begin has them */
};

struct pace_rx_captured;

struct pace_rx_capture_hook {
	void		*ctx;
	/* GRANTED: *t is to be ended. */
	enum pace_capture_answer (*begin)(void *ctx, const struct pace_rx_capture_params *a, struct pace_rx_captured **t);
	/* Has all been seen that there was until since_ns (probe clock), or sent frames? */
	bool		(*settled)(void *ctx, struct pace_rx_captured *t, uint64_t sent, int64_t since_ns);
	/* What was seen, compared with the socket's stamps (wire_check.h); w NULL: nobody asks. */
	void		(*end)(void *ctx, struct pace_rx_captured *t, struct pace_wire_check *w,
			    const int64_t *stamps, uint64_t n);
};

#endif
