/*
 * heaps.h - SPEAD heaps put together from their pieces, without their bytes.
 *
 * Purpose    what a receiver would have got: heaps complete, incomplete and lost, beside
 *            the datagrams that are missing.
 * Heap       of a number, a size that some piece tells, and pieces at offsets.  It is
 *            closed complete when its size is covered.  Others are closed when
 *            PACE_CAP_HEAPS_OPEN newer ones are open, the oldest first, or at the end.
 *            One whose size nobody told is closed as unsized, and in no ratio.
 * Copies     bytes that were there already are duplicate_bytes, never counted twice;
 *            so are all of a heap that is complete and among the last
 *            PACE_CAP_HEAPS_CLOSED closed.  A piece of one closed incomplete is late, and
 *            changes nothing.  Of a heap in more than PACE_CAP_HEAPS_PARTS
 *            parts with holes between, the two parts nearest to each other are joined as
 *            if the hole had come, and the hole is remembered by its size only
 *            (unknown_bytes): what comes into it counts as duplicate.  So a copy
 *            never completes a heap, but then a heap can stay incomplete.
 * Lost       heaps of which no piece came: numbers between the lowest and the
 *            highest, in steps of the greatest common divisor of the steps seen.
 *            Where those would be more than PACE_CAP_HEAPS_TRUST times the
 *            heaps that came, numbers are no count, and lost is 0.
 * Datagrams  missing: those that the missing bytes of incomplete and lost heaps
 *            would have been, by the mean bytes of a piece and of a heap.
 * Sums       of bytes end at PACE_CAP_SUM_MAX (sum.h).
 * Units      bytes.   Memory  fixed, 35 KiB in the struct.   Cost  some 100 ns a piece.
 * Trust      all fields are hostile.  A piece that ends behind its heap's size, tells
 *            another size than the first that did, or has more than 48 bits
 *            anywhere, is absurd: counted, not used.
 * Threads    none.
 * Invariant  pieces = used + duplicates + late + absurd;  after finish heaps = complete +
 *            incomplete + unsized.
 * Source     SPEAD (M. Manley et al., 2010), flavour 64-48.
 */
#ifndef PACE_CAP_HEAPS_H
#define PACE_CAP_HEAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "cap/format.h"

#define PACE_CAP_HEAPS_OPEN	64
#define PACE_CAP_HEAPS_CLOSED	64
#define PACE_CAP_HEAPS_PARTS	32
#define PACE_CAP_HEAPS_TRUST	16

struct pace_cap_heaps {
	uint64_t	heaps;			/* of which a piece came */
	uint64_t	complete, incomplete, unsized;	/* closed */
	uint64_t	pieces, used, duplicates, late, absurd;	/* used: with a new byte, or empty */
	uint64_t	bytes;			/* new ones */
	uint64_t	duplicate_bytes;
	uint64_t	unknown_bytes;
	uint64_t	missing_bytes;		/* of incomplete heaps */
	/* private */
	uint64_t	first, low, high, step;	/* heaps' numbers */
	uint64_t	complete_bytes;
	unsigned	n, recent;		/* open; the one that was used last */
	uint64_t	closed_n;		/* ever */
	struct pace_cap_heap {
		uint64_t	number, size;	/* size 0: not told */
		uint64_t	end;		/* of what came, where size is not told */
		uint64_t	came;		/* bytes, each once */
		uint64_t	order;		/* the how manieth it is */
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

/* A datagram's mark; without has_heap it is passed over. */
void	pace_cap_heaps_add(struct pace_cap_heaps *h, const struct pace_cap_mark *m);

/* The end of the capture: the open ones are closed.  More may follow, and counts on. */
void	pace_cap_heaps_finish(struct pace_cap_heaps *h);

/* What no piece came of, and the datagrams that are missing; after finish. */
uint64_t	pace_cap_heaps_lost(const struct pace_cap_heaps *h);
double		pace_cap_heaps_missing(const struct pace_cap_heaps *h);

/* Of heaps whose fate is known the share that is not complete, lost ones included; of
 * datagrams, copies aside, the share that is missing.  0 where there are none. */
double	pace_cap_heaps_loss(const struct pace_cap_heaps *h);
double	pace_cap_heaps_datagram_loss(const struct pace_cap_heaps *h);

#endif
