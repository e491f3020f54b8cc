/*
 * ledger.h - the address of every lost frame.
 *
 * Purpose    parts that add up: asked = sent + refused, lost = the places.
 * Exact      rx_socket is the kernel's own drop count of the session's
 *            socket.  It can exceed the losses when a dropped datagram was
 *            a duplicate or no data frame: it is then held at the losses.
 *            What no place claims is the network's.
 * Units      frames.
 */
#ifndef PACE_LEDGER_H
#define PACE_LEDGER_H

#include <stdint.h>

struct pace_ledger {
	uint64_t	asked;		/* frames that were to be sent */
	uint64_t	tx_refused;	/* send() said no */
	uint64_t	rx_socket;	/* dropped for want of socket buffer, exact */
	uint64_t	network;	/* the rest */
};

/* sent, refused: frames; lost = sent - unique; socket_drops as counted by
 * the kernel. */
void	pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
	    uint64_t lost, uint64_t socket_drops);

#endif
