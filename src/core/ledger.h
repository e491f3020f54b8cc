/*
 * ledger.h - the address of every lost frame.
 *
 * Purpose    parts that add up: asked = sent + refused, lost = the places.
 * Drops      hosts count datagrams.  One that was dropped is one lost frame; or none: a
 *            copy, of other traffic, an exchange, a request; or, a piece of a train, up to
 *            as many as a piece has.  So c drops at a place are 0 .. c * piece lost
 *            frames, and that is its claim: high, and low 0.
 * Copies     make low 0 even for the session's own socket.  A network that loses frame
 *            1 and copies frame 2, of which the socket drops the copy, looks in every
 *            counter as one that loses nothing while the socket drops frame 1.  That no copy
 *            arrived does not exclude it.
 * Likely     what is believed of a claim: n, as far as others, which come before it, have
 *            left something of the loss.
 * Seen       an interface counts all that passes it, copies and others' traffic as well.
 *            What it counted less than was sent surely did not pass it: at least so many
 *            died before it (short_of for the receiver's, low of PACE_TX_NIC for the
 *            sender's), and no place behind it can have them.
 * Network    what no place claims, lost - all n.  Every frame died at one place, so
 *              lost - sum of high <= network <= lost - sum of low,
 *            and 0 at least where a place is not counted: the loss may be there as well.
 *            In the same way a place has at most lost - sum of low of all others.
 * Exact      is what has low = high: a place that counted no drop at all, the network when no
 *            place did, and every place when nothing was lost.  Refusals of send() are.
 * Units      frames.
 */
#ifndef PACE_CORE_LEDGER_H
#define PACE_CORE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which claims are met. */
enum pace_place {
	PACE_RX_CHECKSUM,	/* arrived with a wrong UDP checksum; its socket counts it, too */
	PACE_RX_SOCKET,		/* dropped for want of socket buffer */
	PACE_RX_LATE,		/* arrived, so late that it may have been a copy */
	PACE_RX_IP,		/* reached the IP layer and nobody above it: a filter, a part missing */
	PACE_RX_INGRESS,	/* counted by the interface, never seen by IP: tc, XDP, a bridge */
	PACE_RX_SOFTNET,	/* the backlog of a core was full */
	PACE_RX_NIC,		/* ring or driver of the receiver */
	PACE_TX_QDISC,		/* the sender's queue, behind send()'s back */
	PACE_TX_NIC,		/* the sender's driver, or a link that is down */
	PACE_NETWORK,		/* the rest */
	PACE_PLACES
};

/* As documents write them: "rx_socket". */
const char	*pace_place_name(enum pace_place p);

/* What a place counted; low: of it was surely of this stream; likely: is believed to be,
 * low <= likely <= high. */
struct pace_claim {
	bool		known;		/* else nothing counts there */
	uint64_t	low, high, likely;
};

struct pace_share {
	bool		known;
	uint64_t	n, low, high;	/* low == high: exact */
};

struct pace_ledger {
	uint64_t	asked;		/* frames that were to be sent */
	uint64_t	tx_refused;	/* send() said no */
	struct pace_share place[PACE_PLACES];	/* of the frames lost; the n add up to them */
};

/* sent, refused: frames; lost = sent - unique.  short_of: of the frames lost, so many
 * at least did not reach the receiver's interface; 0: not known. */
void	pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
	    uint64_t lost, uint64_t short_of, const struct pace_claim claims[PACE_NETWORK]);

#endif
