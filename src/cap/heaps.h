/*
 * heaps.h - account for SPEAD heaps and their pieces, without storing their bytes.
 *
 * Purpose    the heaps that a receiver would have got: complete, incomplete and lost,
 *            and the datagrams that are missing.
 * Heap       has a number, a size that some piece carries, and pieces at offsets.  It
 *            is complete when its pieces cover its size.  An incomplete heap is closed
 *            when PACE_CAP_HEAPS_OPEN newer ones are open, the oldest first, or at the
 *            end.  A heap without a known size is closed as size_unknown and is in no
 *            ratio.
 * Copies     bytes that arrived before are duplicate_bytes and are not counted again.
 *            So are all bytes for a complete heap among the last PACE_CAP_HEAPS_CLOSED.
 *            A piece for a closed incomplete heap is late and changes nothing.  If a
 *            heap has more than PACE_CAP_HEAPS_PARTS parts with holes between them, the
 *            two nearest parts are joined; only the size of the hole is stored
 *            (unknown_bytes), and bytes that arrive in it count as duplicates.  A copy
 *            therefore never completes a heap, but such a heap may stay incomplete.
 * Lost       heaps without any piece: numbers between the lowest and the highest, in
 *            steps of the greatest common divisor of the steps seen.  If these are more
 *            than PACE_CAP_HEAPS_TRUST times the heaps that arrived, the numbers do
 *            not count heaps, and lost is 0.
 * Datagrams  missing: the missing bytes of incomplete and lost heaps, converted by the
 *            mean size of a piece and of a heap.  The histogram of missing frames converts each
 *            heap's by its largest piece.
 * Sums       of bytes saturate at PACE_CAP_SUM_MAX (sum.h).
 * Units      bytes.   Memory  fixed, 180 KiB in the struct.   Cost  some 100 ns a piece.
 * Trust      all fields are hostile.  A piece is counted as absurd and not used if it
 *            ends behind its heap's size, contradicts the heap's first known size, or
 *            has a field of more than 48 bits.
 * Threads    none.
 * Invariant  pieces = used + duplicates + late + absurd;  after finish heaps = stats.complete +
 *            stats.incomplete + size_unknown, and stats.lost is known.
 * Source     SPEAD (M. Manley et al., 2010), flavour 64-48.
 */
#ifndef PACE_CAP_HEAPS_H
#define PACE_CAP_HEAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "cap/format.h"
#include "core/messages.h"

#define PACE_CAP_HEAPS_OPEN	64
#define PACE_CAP_HEAPS_CLOSED	64
#define PACE_CAP_HEAPS_PARTS	32
#define PACE_CAP_HEAPS_TRUST	16

struct pace_cap_heaps {
	uint64_t	heaps;			/* with at least one piece */
	uint64_t	size_unknown;		/* closed; those of known size are in stats */
	struct pace_message_stats stats;
	uint64_t	pieces, used, duplicates, late, absurd;	/* used: has a new byte, or is
								 * empty */
	uint64_t	bytes;			/* each once */
	uint64_t	duplicate_bytes;
	uint64_t	unknown_bytes;
	uint64_t	missing_bytes;		/* of incomplete heaps */
	/* private */
	uint64_t	first, low, high, step;	/* heaps' numbers */
	uint64_t	complete_bytes;
	unsigned	n, recent;		/* open heaps; the one used last */
	uint64_t	closed_n;		/* heaps closed so far */
	struct pace_cap_heap {
		uint64_t	number, size;	/* size 0: unknown */
		uint64_t	end;		/* of the last piece, if size is unknown */
		uint64_t	came;		/* bytes, each once */
		uint64_t	largest;	/* piece, bytes */
		int64_t		first_ns, last_ns;	/* arrivals of pieces with a new byte */
		uint64_t	order;		/* count of heaps when it was opened */
		unsigned	parts;
		struct pace_cap_part {
			uint64_t	from, to;
		} part[PACE_CAP_HEAPS_PARTS + 1];	/* apart, by place */
	} open[PACE_CAP_HEAPS_OPEN];
	struct {
		uint64_t	number;
		bool		complete;
	} closed[PACE_CAP_HEAPS_CLOSED];	/* the last ones, a ring */
};

void	pace_cap_heaps_init(struct pace_cap_heaps *h);

/* Add the mark of a datagram that arrived at now_ns; one without has_heap is ignored. */
void	pace_cap_heaps_add(struct pace_cap_heaps *h, const struct pace_cap_mark *m,
	    int64_t now_ns);

/* Close all open heaps.  More datagrams may follow, and another finish. */
void	pace_cap_heaps_finish(struct pace_cap_heaps *h);

/* The lost heaps; the missing datagrams.  Both after finish. */
uint64_t	pace_cap_heaps_lost(const struct pace_cap_heaps *h);
double		pace_cap_heaps_missing(const struct pace_cap_heaps *h);

/* Ratio of datagrams that are missing, without copies.  0 if there are none. */
double	pace_cap_heaps_datagram_loss(const struct pace_cap_heaps *h);

#endif
