/*
 * tx_capture.h - throughput --capture IF: our own stream, as it is on the wire.
 *
 * Purpose    the wire as witness of what the sockets say (wire_check.h).
 * Order      open, with the rights that we have and before anything is pinned or sent; begin
 *            when our socket is there; then for every point expect before it and take
 *            behind it.
 * Costs      the sender nothing but the kernel's copy of each frame's head: reading is done
 *            by a thread of its own, off the sender's core and with less right to one.
 * Threads    one calls; the reading one is its own.
 * Errors     told on stderr where an exit status is returned.
 */
#ifndef PACE_RUN_TX_CAPTURE_H
#define PACE_RUN_TX_CAPTURE_H

#include "doc/result.h"
#include "run/peer.h"

struct pace_tx_capture;

/* An exit status; pace_tx_capture_close always. */
int	pace_tx_capture_open(struct pace_tx_capture **w, const char *interface);
int	pace_tx_capture_begin(struct pace_tx_capture *w, const struct pace_peer *peer);
void	pace_tx_capture_close(struct pace_tx_capture *w);	/* NULL will do */

/* The next run of the client's session will be this. */
void	pace_tx_capture_expect(struct pace_tx_capture *w, const struct pace_client *c,
	    const struct pace_params *ask);

/* What was seen of the run that has ended, into pt, with its notes: what is still on its
 * way out of the capture is waited for, a second at most. */
void	pace_tx_capture_take(struct pace_tx_capture *w, struct pace_point *pt);

#endif
