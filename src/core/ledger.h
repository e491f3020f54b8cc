/*
 * ledger.h - the address of every lost frame.
 *
 * Purpose    parts that add up: asked = sent + refused, lost = the places.
 * Claims     the places count what they counted: it can exceed the losses
 *            when what was dropped was a duplicate or no data frame.  Each
 *            claim is held at what is left of the losses, in the order of
 *            the struct; what no place claims is the network's.
 * Exact      rx_socket is the kernel's own count of the session's socket.
 *            rx_checksum is a count of the host, held at what that socket
 *            dropped.
 * Units      frames.
 */
#ifndef PACE_LEDGER_H
#define PACE_LEDGER_H

#include <stdint.h>

struct pace_ledger {
	uint64_t	asked;		/* frames that were to be sent */
	uint64_t	tx_refused;	/* send() said no */
	uint64_t	rx_checksum;	/* arrived with a wrong UDP checksum */
	uint64_t	rx_socket;	/* dropped for want of socket buffer */
	uint64_t	network;	/* the rest */
};

/* Places of the receiver: what the session's socket dropped for any reason,
 * and datagrams with wrong checksums on the whole host meanwhile. */
struct pace_claims {
	uint64_t	socket_drops, bad_checksums;
};

/* sent, refused: frames; lost = sent - unique. */
void	pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
	    uint64_t lost, const struct pace_claims *claims);

#endif
