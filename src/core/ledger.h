/*
 * ledger.h - the address of every lost frame.
 *
 * Purpose    parts that add up: asked = sent + refused, lost = the places.
 * Exact      what the kernel counts of this very stream: refusals of send(), and
 *            in each hole the drops of the session's own socket.
 * Bounds     other counters are the host's, of all its traffic: they say how much
 *            of the loss may be theirs at most.  low and high of such a place
 *            are 0 and that; n is what is left of it when what is sure, and all
 *            before it, have had theirs: a counter that rose is believed.
 * Seen       frames that the receiver's interface did not even count, of all its
 *            traffic, surely died before it: no place behind it can have them.
 * Network    what no place claims: at least what is left when every bound is
 *            used up, at most what is left when none is.  It is nothing for sure
 *            where a place is not counted: the loss may be there as well.
 * Units      frames.
 */
#ifndef PACE_LEDGER_H
#define PACE_LEDGER_H

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
