/*
 * wire_check.h - compare a stream with captures of both interfaces: its departures at the
 * sender's interface, and its arrivals at the responder's.
 *
 * Purpose    an independent check.  It finds the frames that the kernel accepted but did not
 *            put on the wire, the frames that arrived but did not reach the socket, and the
 *            gaps on the wire.
 * Frames     by number; a number that appears again is a copy.  A train that the kernel
 *            divides later (UDP_SEGMENT) is captured in one piece and counts as its frames.
 * Gaps       between departures, as the sender counts them: for trains, from first frame to
 *            first frame; never across bursts, nor across frames that were not captured.
 *            gap_difference: the gap on the wire minus the gap between the times in the
 *            headers of the same two frames.
 * Arrivals   gaps as a receiver counts them (receiver.h): between unique frames in order of
 *            arrival, across holes too.  gap_difference is for successive numbers that both
 *            saw, below PACE_WIRE_CHECK_ROOM: the gap on the wire minus the gap between the
 *            socket's stamps.
 * Units      ns, frames.  The capture may have another clock: only differences are used.
 * Resolution a system call lies between the sender's stamp and the capture's, and it
 *            sometimes takes some µs longer.  Gaps that differ by no more than
 *            PACE_WIRE_CHECK_NS count as equal.
 * Healthy    if another thread or the hypervisor interrupts the sender between the two
 *            stamps, two gaps differ, one too long and one too short.  On virtual machines
 *            with two cores this is 0.1 to 2 % of all gaps, few by more than
 *            PACE_WIRE_CHECK_FAR_NS.  A queue changes most gaps, or some by far more.
 * Memory     the caller's: pace_seq_lean_memory(pace_seq_window(streams)) bytes for the numbers, and for
 *            arrivals 8 bytes for each time that is compared; no allocation.
 * Trust      numbers and times come out of captured bytes: they may have any value.
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
#define PACE_WIRE_CHECK_ROOM	(UINT64_C(1) << 20)	/* arrivals that are compared, of all streams */

/* The result. */
struct pace_wire_check {
	char		interface[64];
	uint64_t	frames;		/* of the stream, each number once */
	uint64_t	copies;		/* further frames with the same numbers */
	uint64_t	packets;		/* captured; fewer than frames where several went
						 * as one */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* by the capture itself, and its device */
	bool		complete;		/* the capture saw the run to its end */
	uint64_t	gaps_differing;	/* gaps that differ by more than PACE_WIRE_CHECK_NS */
	struct pace_hist gap, gap_difference;	/* the same number of values for departures, or no
						 * differences if the frames carry no times */
};

/* The state of a comparison. */
struct pace_wire_checking {
	struct pace_wire_check w;
	struct pace_seq	seq;
	uint64_t	burst;		/* frames of each; 0: one stream */
	uint64_t	train;
	bool		untimed;	/* set after begin: the frames of departures carry no times,
					 * so their gaps are compared with nothing */
	uint64_t	next;		/* last number + 1 */
	bool		has_slot;	/* the first frame of the previous departure was captured */
	int64_t		slot_tx_ns, slot_wire_ns;
	/* for arrivals */
	uint64_t	last_burst;
	int64_t		last_ns;
	int64_t		*times;		/* arrival by number, 0: not yet; `room` values */
	uint64_t	room;
};

void	pace_wire_check_reset(struct pace_wire_check *w);

/* Begin with one of `streams` streams, whose numbers are below limit.  mem: see Memory. */
void	pace_wire_check_begin(struct pace_wire_checking *g, uint32_t streams, uint64_t limit,
	    uint64_t train, uint64_t burst, void *mem);

/* Add a departure: frames seq to seq + n - 1 in one piece at wire_ns; tx_ns: the header's. */
void	pace_wire_check_add(struct pace_wire_checking *g, uint64_t seq, uint64_t n, int64_t tx_ns,
	    int64_t wire_ns);

/* Add an arrival, after pace_wire_check_times has set the array of `room` zeroed times,
 * which must live as long as g. */
void	pace_wire_check_times(struct pace_wire_checking *g, int64_t *times, uint64_t room);
void	pace_wire_check_arrive(struct pace_wire_checking *g, uint64_t seq, uint64_t n,
	    int64_t tx_ns, int64_t wire_ns);

/* At the end, compare with the socket's stamps, by number, 0 for a frame without one. */
void	pace_wire_check_compare(struct pace_wire_checking *g, const int64_t *stamps, uint64_t n);

/* Return how many arrivals of each stream are compared. */
static inline uint64_t
pace_wire_check_room(uint64_t limit, uint32_t streams)
{
	uint64_t share = PACE_WIRE_CHECK_ROOM / (streams > 1 ? streams : 1);

	return limit < share ? limit : share;
}

/* Add another stream: counts, and gaps within each stream.  Both are complete only if each is; the
 * capture's own losses are those of all. */
void	pace_wire_check_merge(struct pace_wire_check *to, const struct pace_wire_check *w);

/* Do enough gaps differ for a note: more than 10 % by more than PACE_WIRE_CHECK_NS, or more
 * than 1 % and at least ten by more than PACE_WIRE_CHECK_FAR_NS? */
bool	pace_wire_check_differs(const struct pace_wire_check *w);

#endif
