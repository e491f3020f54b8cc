/*
 * seq.h - classify arriving sequence numbers: in order, reordered,
 * duplicate, beyond the window; count loss and its pattern exactly.
 *
 * Purpose    loss, duplication, reordering and loss runs of a stream
 *            without storing frames.
 * Numbers    64-bit, 0 is the first of a run by contract (a lost first
 *            frame is lost, not unknown), no wrap.
 * Memory     given by the caller, pace_seq_memory(window) bytes, of which the histograms are
 *            340 KiB; a lean tracker has none and takes 4 KiB with a window of 256.  No
 *            allocation, no clock, no I/O.
 * Cost       O(1) amortised per number; a jump of any size costs at most one pass
 *            over the window's bitmap, a late frame a binary search of the holes.
 * Threads    none: one tracker per receiving thread.
 * Trust      seq comes off the network: numbers at or above the agreed
 *            limit are refused and change nothing (one forged number would
 *            otherwise count as up to 2^64 - 1 losses).
 * Limits     a number window or more behind the highest one cannot be
 *            told from a duplicate: counted in beyond, it stays lost
 *            (RFC 7680's waiting time, in frames).
 * Invariant  unique = in_order + reordered; before finish: live loss =
 *            next - unique; after finish(sent): lost = sent - unique.
 * Source     RFC 4737 (reordered: below the next expected number; extent,
 *            late time and n-reordering from the earliest arrival with a
 *            larger number), RFC 5560 (duplicates are in no other
 *            statistic), RFC 3357 (loss period, loss distance).
 */
#ifndef PACE_CORE_SEQ_H
#define PACE_CORE_SEQ_H

#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"

#define PACE_SEQ_WINDOW		65536	/* the usual window, frames */
#define PACE_SEQ_DEGREES	64	/* n-reordering is counted up to this n */

enum pace_seq_kind {
	PACE_SEQ_IN_ORDER,
	PACE_SEQ_REORDERED,
	PACE_SEQ_DUPLICATE,
	PACE_SEQ_BEYOND,	/* late or duplicate, too old to tell */
	PACE_SEQ_REFUSED	/* not a number of this run */
};

/* The arrival that left out the numbers just below its own. */
struct pace_seq_hole {
	uint64_t	end;		/* its number */
	uint64_t	index;		/* its arrival index and time */
	int64_t		at_ns;
};

/* The histograms of a run. */
struct pace_seq_figures {
	struct pace_hist extent;	/* RFC 4737 4.2, arrivals, of reordered frames */
	struct pace_hist late_ns;	/* RFC 4737 4.3, late time */
	struct pace_hist runs;		/* lengths of loss periods, frames */
	struct pace_hist loss_distances;	/* RFC 3357 loss distance; the first loss has
						 * none */
	struct pace_hist loss_free_runs;	/* frames received between two loss periods */
};

struct pace_seq {
	uint64_t	next;		/* next expected number (NextExp) */
	uint64_t	limit;		/* numbers at or above are refused */
	uint64_t	in_order, reordered, duplicates, beyond, refused;
	uint64_t	unique;		/* in_order + reordered */
	uint64_t	lost;		/* finalised losses; final after finish */
	uint64_t	replicated;	/* unique frames seen more than once (RFC 5560) */

	struct pace_seq_figures *figures;	/* in the caller's memory; NULL: lean */
	uint64_t	degree[PACE_SEQ_DEGREES + 1];	/* [n]: reordered frames whose
							 * n-reordering degree is n; 0: a smaller
							 * number came just before; last: that or
							 * more */
	/* reordering-free runs (RFC 4737 4.6), each closed by a reordered frame */
	uint64_t	reordering_free_runs, free_sum, free_sumsq;

	/* private */
	uint32_t	window, mask;
	uint64_t	base;		/* oldest number still in the window */
	uint64_t	*bitmap, *again;	/* seen once; seen again */
	struct pace_seq_hole *holes;	/* the last window / 2, a ring */
	uint64_t	holes_met;
	uint64_t	*ring;		/* last PACE_SEQ_DEGREES arrivals' numbers */
	uint64_t	index;		/* arrival index = unique arrivals so far */
	uint64_t	free_run;
	uint64_t	run, good_run;	/* current loss period, current good run */
	uint64_t	last_lost;
	int		any_lost;
};

/* The window of one of n streams: each has its share of the usual one, but not less than
 * PACE_SEQ_WINDOW_LEAST. */
#define PACE_SEQ_WINDOW_LEAST	4096
uint32_t	pace_seq_window(uint32_t streams);

/* Bytes of memory for a window, a power of two from 64 to 2^20; 0: not one.  The same of a lean
 * tracker. */
size_t	pace_seq_memory(uint32_t window);
size_t	pace_seq_lean_memory(uint32_t window);

/*
 * Start of a run; the only way to make a valid tracker.  mem is aligned for
 * uint64_t and lives as long as s.  limit: the count agreed for the run, or
 * UINT64_MAX.  -EINVAL for a bad window.
 */
int	pace_seq_init(struct pace_seq *s, uint32_t window, uint64_t limit, void *mem);

/* The same without histograms. */
int	pace_seq_init_lean(struct pace_seq *s, uint32_t window, uint64_t limit, void *mem);

/* Count one arrival at now_ns and return its kind. */
enum pace_seq_kind	pace_seq_add(struct pace_seq *s, uint64_t seq, int64_t now_ns);

/*
 * End of the run: the sender sent numbers 0 .. sent-1.  All missing numbers become lost,
 * including those after the last arrival.  If sent is below next, the sender contradicts
 * its own frames: -EPROTO, and losses are final up to next.  Call once.
 */
int	pace_seq_finish(struct pace_seq *s, uint64_t sent);

#endif
