/*
 * tx_capture.h - throughput --capture IF: captures our own stream at the interface.
 *
 * Purpose    frames on the wire as an independent check of the sockets' figures
 *            (wire_check.h).
 * Streams    each is compared for itself; a point has their sum.
 * Order      open while the process still has its privileges, before anything is pinned or
 *            sent; begin when the socket exists; then expect before each point and take
 *            after it.
 * Costs      the sender pays only for the kernel's copy of each frame's headers.  A separate
 *            low-priority thread reads the capture, never on the sender's core.
 * Threads    one calls these functions; the reading thread is private.
 * Errors     functions with an exit status print the error on stderr.
 */
#ifndef PACE_RUN_TX_CAPTURE_H
#define PACE_RUN_TX_CAPTURE_H

#include "doc/result.h"
#include "run/peer.h"

#define PACE_TX_CAPTURE_BYTES	(64 << 20)	/* of the kernel's buffer */
#define PACE_TX_CAPTURE_RIGHTS	"without --capture no privileges are needed"

struct pace_tx_capture;

/* Open and begin a capture of points with up to `streams` streams: an exit status.  Call
 * pace_tx_capture_close in any case. */
int	pace_tx_capture_open(struct pace_tx_capture **w, const char *interface);
int	pace_tx_capture_begin(struct pace_tx_capture *w, const struct pace_peer *peer,
	    uint32_t streams);
void	pace_tx_capture_close(struct pace_tx_capture *w);	/* accepts NULL */

/* Announce the next run of the client's session. */
void	pace_tx_capture_expect(struct pace_tx_capture *w, const struct pace_client *c,
	    const struct pace_params *ask);

/* Write what was captured of the run just ended into pt, with its notes.  Waits at most a second
 * for frames that the capture has not delivered yet. */
void	pace_tx_capture_take(struct pace_tx_capture *w, struct pace_point *pt);

#endif
