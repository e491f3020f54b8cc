/*
 * wire_check.h - a stream's departures as a capture of the sender's interface saw them,
 * against what the sender says of itself; and its arrivals at the responder's.
 *
 * Purpose    an independent witness: which of the frames that the kernel accepted were on
 *            the wire, which of those that came never reached the socket, and how far from
 *            one to the next there.
 * Frames     by their numbers; a number that was seen is a copy the second time.  One that
 *            the kernel cuts up later (UDP_SEGMENT) is captured whole and is so many.
 * Gaps       from one departure to the next as the sender counts them: of trains, from the
 *            first frame of one to that of the next, not across bursts, and not across
 *            what was not seen.  gap_difference is of the same two departures: gap on the
 *            wire less the gap between the times in their headers.
 * Arrivals   gaps are those that a receiver counts (receiver.h): of unique frames in the
 *            order in which they came, across holes too.  gap_difference is of successive
 *            numbers that both saw, below PACE_WIRE_CHECK_ROOM: gap on the wire less the gap
 *            between the socket's stamps.
 * Units      ns, frames.  The wire's clock need not be the sender's: only differences count.
 * Resolution between the sender's stamp and that of the capture lies a system call, which
 *            takes some µs longer now and then: two gaps that differ by no more than
 *            PACE_WIRE_CHECK_NS are the same as far as these stamps can tell.
 * Healthy    a sender that is held up between the two, by another thread or by the host of a
 *            virtual machine, makes two such gaps, one too long and one too short: on
 *            virtual machines with two cores 0.1 to 2 % of all gaps were, few by more than
 *            PACE_WIRE_CHECK_FAR_NS.  A queue moves most gaps, or some of them far.
 * Memory     the caller's, with pace_seq_memory(PACE_SEQ_WINDOW) bytes for the numbers, and
 *            of arrivals 8 for the time of each that is compared; no allocation.
 * Trust      numbers and times come out of captured bytes: any may come.
 * Threads    none.
 */
#ifndef PACE_CORE_WIRE_CHECK_H
#define PACE_CORE_WIRE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hist.h"
#include "core/seq.h"

#define PACE_WIRE_CHECK_NS	INT64_C(10000)
#define PACE_WIRE_CHECK_FAR_NS	INT64_C(100000)
#define PACE_WIRE_CHECK_ROOM	(UINT64_C(1) << 20)	/* arrivals that are compared */

/* What came of it. */
struct pace_wire_check {
	char		interface[64];
	uint64_t	frames;		/* different ones of the stream */
	uint64_t	copies;		/* beyond those */
	uint64_t	packets;		/* captured; fewer than frames where several went as one */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* by the capture itself, and its device */
	bool		whole;		/* the capture saw the run to its end */
	uint64_t	apart;		/* gaps that differ by more than PACE_WIRE_CHECK_NS */
	struct pace_hist gap, gap_difference;	/* of departures as many in both */
};

/* Where it stands. */
struct pace_wire_checking {
	struct pace_wire_check w;
	struct pace_seq	seq;
	uint64_t	burst;		/* frames of each; 0: one stream */
	uint64_t	train;
	uint64_t	next;		/* number behind the last one */
	bool		has_slot;	/* of the departure before, the first frame was seen */
	int64_t		slot_tx_ns, slot_wire_ns;
	/* of arrivals */
	uint64_t	last_burst;
	int64_t		last_ns;
	int64_t		*times;		/* when each number was seen, 0: not yet; room of them */
	uint64_t	room;
};

void	pace_wire_check_reset(struct pace_wire_check *w);

/* Of a stream whose numbers stay below limit.  mem: see Memory. */
void	pace_wire_check_begin(struct pace_wire_checking *g, uint64_t limit, uint64_t train,
	    uint64_t burst, void *mem);

/* Frames seq to seq + n - 1, seen as one at wire_ns; tx_ns: from its header. */
void	pace_wire_check_add(struct pace_wire_checking *g, uint64_t seq, uint64_t n, int64_t tx_ns,
	    int64_t wire_ns);

/* The same of arrivals.  times: zeroed, room of them; kept. */
void	pace_wire_check_times(struct pace_wire_checking *g, int64_t *times, uint64_t room);
void	pace_wire_check_arrive(struct pace_wire_checking *g, uint64_t seq, uint64_t n, int64_t tx_ns,
	    int64_t wire_ns);

/* At the end: stamps are the socket's, by number, 0 where it had none. */
void	pace_wire_check_compare(struct pace_wire_checking *g, const int64_t *stamps, uint64_t n);

/* Do so many of its gaps differ that it is worth a word: more than 10 % by more than
 * PACE_WIRE_CHECK_NS, or more than 1 %, and ten, by more than PACE_WIRE_CHECK_FAR_NS? */
bool	pace_wire_check_is_apart(const struct pace_wire_check *w);

#endif
