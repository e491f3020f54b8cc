/*
 * ledger.h - attribute each lost frame to a location.
 *
 * Purpose    two sums that hold: asked = sent + refused, lost = sum of the locations.
 * Drops      hosts count datagrams.  A dropped datagram is one lost frame, or none (a
 *            copy, other traffic, an exchange, a request), or, for a piece of a train,
 *            up to all frames of the piece.  A location that counted c drops therefore
 *            lost 0 .. c * piece frames.  This is its claim, with low 0.
 * Copies     low is 0 even for the session's own socket.  Suppose the network loses frame
 *            1 and copies frame 2, and the socket drops the copy.  All counters are then
 *            the same as if the network lost nothing and the socket dropped frame 1.
 *            This is possible even if no copy ever arrived.
 * Likely     the frames attributed to a claim, n: its likely figure, at most what the
 *            claims before it left of the loss.
 * Seen       an interface counts all frames that pass it, copies and other traffic too.
 *            If it counted fewer than were sent, the difference was lost before it:
 *            short_of for the receiver's interface, low of PACE_TX_NIC for the sender's.
 *            No location behind the interface can have lost these.
 * Network    the part that no location claims, lost - sum of n.  Each frame was lost at one
 *            location, so
 *              lost - sum of high <= network <= lost - sum of low,
 *            and the lower bound is 0 if a location has no counter, because the loss may
 *            be there.  Each location has at most lost - sum of low of all others.
 * Exact      means low = high: a location that counted no drop, the network if no location
 *            counted any, every location if nothing was lost.  Refusals of send() are exact.
 * Units      frames.
 */
#ifndef PACE_CORE_LEDGER_H
#define PACE_CORE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/* Loss is attributed to claims in this order. */
enum pace_place {
	PACE_RX_CHECKSUM,	/* arrived with a wrong UDP checksum; the socket counts it too */
	PACE_RX_SOCKET,		/* dropped because the socket buffer was full */
	PACE_RX_LATE,		/* arrived so late that it may be a copy */
	PACE_RX_IP,		/* dropped in the IP layer: by a filter, or a fragment missing */
	PACE_RX_INGRESS,	/* counted by the interface but not by IP: tc, XDP, a bridge */
	PACE_RX_SOFTNET,	/* a core's backlog was full */
	PACE_RX_NIC,		/* ring or driver of the receiver */
	PACE_TX_QDISC,		/* the sender's queue, after send() succeeded */
	PACE_TX_NIC,		/* the sender's driver, or a link that is down */
	PACE_NETWORK,		/* all other loss */
	PACE_PLACES
};

/* The name in the result document: "rx_socket". */
const char	*pace_place_name(enum pace_place p);

/* The lost frames that a location counted: low certainly belong to this stream, likely
 * probably do; low <= likely <= high. */
struct pace_claim {
	bool		known;		/* false: the location has no counter */
	uint64_t	low, high, likely;
};

struct pace_share {
	bool		known;
	uint64_t	n, low, high;	/* low == high: exact */
};

struct pace_ledger {
	uint64_t	asked;		/* frames to send */
	uint64_t	tx_refused;	/* refused by send() */
	struct pace_share place[PACE_PLACES];	/* sum of n = frames lost */
};

/* sent, refused: frames; lost = sent - unique.  short_of: the least number of lost frames
 * that did not reach the receiver's interface; 0: not known. */
void	pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
	    uint64_t lost, uint64_t short_of, const struct pace_claim claims[PACE_NETWORK]);

#endif
