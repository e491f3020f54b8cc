/*
 * unwrap.h - numbers of any width made into ones that only go on.
 *
 * Purpose    a tracker of loss and order (core/seq.h) wants 64-bit numbers; what
 *            datagrams carry begins anywhere, wraps at 2^16, 2^32 or a modulus,
 *            is a second and a frame, begins again when a sender does.
 * Number     that of the first datagram is its seq (modulo 2^62); of another as much
 *            more as it is ahead of it, across any wraps.  One that was sent before
 *            the first and comes later has less: it may be negative.
 * Near       a seq up to ahead further than the highest, or up to back behind it, is
 *            taken at once.  ahead is 65536, but at most 1/16 of the modulus; back
 *            is 128; a modulus below PACE_CAP_UNWRAP_SMALL has all its seqs near.
 * Far ahead  is believed when PACE_CAP_UNWRAP_AHEAD in a row go on from each
 *            other; those before are strays.  Up to half the modulus, at most
 *            2^32, is then a loss of all between, more a new start.
 * Far back   may be late, and is given as that, down to PACE_CAP_UNWRAP_LATE; but
 *            PACE_CAP_UNWRAP_BACK in a row that go on from each other, none near
 *            between, are a new start: the last of them goes on at the highest
 *            number + 1.  So a new start costs no losses, and its first datagrams,
 *            were they not announced (pace_cap_unwrap_end), are taken for late ones.
 * Seconds    of PACE_CAP_SECONDS: seconds are joined by the most frames that any of
 *            them had so far.  Until a second is seen to its last frame, what its
 *            end lost is not counted; a frame of the first one that comes behind the
 *            next second's first has a number that this one has too.  A second
 *            more than PACE_CAP_UNWRAP_SECONDS ahead or more than one behind is far.
 * Limits     a new start within back, not announced, is late frames or copies.
 *            Of 16-bit numbers an outage of k + n 65536 is an outage of k.
 * Memory     fixed.   Cost  some ns.   Threads  none.
 * Trust      any seq; one at or above the modulus is a stray.
 * Invariant  highest - first number >= 0 never falls; a lone forged seq moves it by at most
 *            ahead.
 * Source     RFC 3550 A.1 (MAX_DROPOUT, MAX_MISORDER, two in a row), with more in a
 *            row: a burst of late datagrams is seen on real paths.
 */
#ifndef PACE_CAP_UNWRAP_H
#define PACE_CAP_UNWRAP_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_CAP_UNWRAP_SMALL	2048
#define PACE_CAP_UNWRAP_AHEAD	3
#define PACE_CAP_UNWRAP_BACK	8
#define PACE_CAP_UNWRAP_LATE	(INT64_C(1) << 20)
#define PACE_CAP_UNWRAP_SECONDS	60

enum pace_cap_unwrapped {
	PACE_CAP_NUMBERED,		/* *number is its number */
	PACE_CAP_RESTARTED,	/* the same, and the sender began anew with it */
	PACE_CAP_STRAY		/* of no use; *number is untouched */
};

struct pace_cap_unwrap {
	uint64_t	strays, restarts;
	int64_t		top;		/* the highest number */
	/* private */
	uint64_t	modulus;	/* 0: of 64 bits */
	int64_t		ahead, back;
	uint64_t	top_seq;
	bool		begun, ended;
	unsigned	run;		/* far ones in a row */
	bool		run_ahead;
	uint64_t	run_seq;	/* the last of them */
	bool		of_seconds;
	uint64_t	second, most;	/* the highest; most frames of one */
	uint64_t	base, before;	/* number of its frame 0; of the second before */
};

/* modulus: as a mark has it. */
void	pace_cap_unwrap_init(struct pace_cap_unwrap *u, uint64_t modulus);

enum pace_cap_unwrapped	pace_cap_unwrap(struct pace_cap_unwrap *u, uint64_t seq,
			    int64_t *number);

/* The sender said that it ended: the next seq that is not ahead of the highest begins
 * anew.  (A late datagram behind the end would, too: not for senders that end at once.) */
void	pace_cap_unwrap_end(struct pace_cap_unwrap *u);

#endif
