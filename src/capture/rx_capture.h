/*
 * rx_capture.h - respond --capture IF: capture the streams of sessions that request it.
 *
 * Purpose    implements struct pace_rx_capture_hook (server/rx_capture_hook.h) on an
 *            interface, with libpcap.
 * Order      open with the original rights, before the sandbox; aim when the port is
 *            known; start after entering the sandbox, because it creates a thread; close when
 *            no session is left.
 * Costs      without a request the kernel's filter passes no frame, and nothing is read.
 *            During a request the head of each UDP frame to the port is copied and read by
 *            one thread of lower priority, off the core of the receiving thread.
 * Memory     at most PACE_RX_CAPTURES_MAX runs at once, about 11 MiB each, and up to 0.3 MiB more
 *            for each further stream, allocated on request.
 * Trust      every captured byte is untrusted: a frame belongs to a session only if it has
 *            the session's number, and frame numbers are checked (wire_check.h).
 * Threads    each session calls the hook from its own thread; one thread captures.
 * Errors     functions that return an exit status print on stderr.
 */
#ifndef PACE_CAPTURE_RX_CAPTURE_H
#define PACE_CAPTURE_RX_CAPTURE_H

#include <stdint.h>

#include "server/rx_capture_hook.h"

#define PACE_RX_CAPTURES_MAX	4

struct pace_tapping;

/* Return an exit status; after a failure pace_tapping_close is still required. */
int	pace_tapping_open(struct pace_tapping **t, const char *interface, int buffer_bytes);
int	pace_tapping_aim(struct pace_tapping *t, uint16_t port);
int	pace_tapping_start(struct pace_tapping *t);
void	pace_tapping_close(struct pace_tapping *t);	/* NULL is accepted */

/* Return the hook for sessions; NULL if t is NULL. */
const struct pace_rx_capture_hook	*pace_rx_capture_hook(const struct pace_tapping *t);

#endif
