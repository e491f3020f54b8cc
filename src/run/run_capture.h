/*
 * run_capture.h - capture the streams of runs: respond --capture IF those of sessions that
 * request it, throughput --capture IF those that the responder sends.
 *
 * Purpose    implements struct pace_capture_hook (stream/capture_hook.h) on an
 *            interface, with libpcap.
 * Order      open with the original rights, before the sandbox; aim when the port is
 *            known; start after entering the sandbox, because it creates a thread; close when
 *            no session is left.
 * Costs      without a request the kernel's filter passes no frame, and nothing is read.
 *            During a request the head of each UDP frame to the port is copied and read by
 *            one thread of lower priority, off the core of the receiving thread.
 * Memory     at most PACE_RUN_CAPTURES_MAX runs at once, about 11 MiB each, and up to 0.3 MiB more
 *            for each further stream, allocated on request.
 * Trust      every captured byte is untrusted: a frame belongs to a session only if it has
 *            the session's number, and frame numbers are checked (wire_check.h).
 * Threads    each session calls the hook from its own thread; one thread captures.
 * Errors     functions that return an exit status print on stderr; rights: how to get the right to
 *            capture, for that message.
 */
#ifndef PACE_RUN_RUN_CAPTURE_H
#define PACE_RUN_RUN_CAPTURE_H

#include <stdint.h>

#include "stream/capture_hook.h"

#define PACE_RUN_CAPTURES_MAX	4

struct pace_run_capture;

/* Print why a capture is not possible; an exit status. */
int	pace_run_capture_complain(const struct pace_err *err, const char *rights);

/* Return an exit status; after a failure pace_run_capture_close is still required. */
int	pace_run_capture_open(struct pace_run_capture **t, const char *interface,
	    int buffer_bytes, const char *rights);
/* The UDP port of the responder; from: capture only what this host sends from it, NULL: all that
 * comes to the port or from it. */
int	pace_run_capture_aim(struct pace_run_capture *t, uint16_t port,
	    const struct pace_addr *from);
int	pace_run_capture_start(struct pace_run_capture *t);
void	pace_run_capture_close(struct pace_run_capture *t);	/* NULL is accepted */

/* Return the hook for sessions; NULL if t is NULL. */
const struct pace_capture_hook	*pace_run_capture_hook(const struct pace_run_capture *t);

#endif
