/*
 * unwrap.h - extend sequence numbers of any width to 64 bits that only increase.
 *
 * Purpose    the sequence tracker (core/seq.h) needs 64-bit numbers.  Datagrams carry
 *            numbers that begin anywhere, wrap at 2^16, 2^32 or a modulus, consist of a
 *            second and a frame, or restart with the sender.
 * Number     the first datagram's number is its seq (modulo 2^62).  Later numbers are
 *            relative to it, across any wraps.  A datagram sent before the first has a
 *            smaller number, perhaps a negative one.
 * Near       a seq is accepted at once if it is at most `ahead` above the highest, or at
 *            most `back` below.  ahead is 65536, but at most 1/16 of the modulus; back
 *            is 128.  With a modulus below PACE_CAP_UNWRAP_SMALL every seq is near.
 * Far ahead  is accepted after PACE_CAP_UNWRAP_AHEAD consecutive numbers in a row; the
 *            earlier ones of them are outliers.  A jump of up to half the modulus, at
 *            most 2^32, is then a loss of all numbers between, a larger one a restart.
 * Far back   counts as late, down to PACE_CAP_UNWRAP_LATE.  PACE_CAP_UNWRAP_BACK
 *            consecutive numbers in a row, with no near one between, are a restart: the
 *            last of them continues at the highest number + 1.  A restart thus causes no
 *            losses.  If it was not announced (pace_cap_unwrap_end), its first datagrams
 *            count as late.
 * Seconds    PACE_CAP_SECONDS: each second has as many frames as the largest one so far.
 *            Losses at the end of a second are not counted until a second was captured to
 *            its last frame.  A late frame of the first second may then get the number of
 *            a frame in the next second.  A second more than PACE_CAP_UNWRAP_SECONDS ahead
 *            or more than one behind is far.
 * Limits     a restart within back that was not announced looks like late frames or
 *            copies.  With 16-bit numbers an outage of k + n 65536 looks like one of k.
 * Memory     fixed.   Cost  some ns.   Threads  none.
 * Trust      any seq; one at or above the modulus is a stray.
 * Invariant  highest - first number >= 0 never falls; a lone forged seq increases it by at
 *            most ahead.
 * Source     RFC 3550 A.1 (MAX_DROPOUT, MAX_MISORDER, two in a row), with longer rows,
 *            because real paths have bursts of late datagrams.
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
	PACE_CAP_RESTARTED,	/* *number is its number, and the sender restarted with it */
	PACE_CAP_STRAY		/* not usable; *number is unchanged */
};

struct pace_cap_unwrap {
	uint64_t	outliers, restarts;
	int64_t		top;		/* the highest number */
	/* private */
	uint64_t	modulus;	/* 0: of 64 bits */
	int64_t		ahead, back;
	uint64_t	top_seq;
	bool		begun, ended;
	unsigned	run;		/* far numbers in a row */
	bool		run_ahead;
	uint64_t	run_seq;	/* the last of them */
	bool		of_seconds;
	uint64_t	second, most;	/* the highest second; most frames in a second */
	uint64_t	base, before;	/* number of frame 0 in it, and in the previous one */
};

/* modulus: see struct pace_cap_mark. */
void	pace_cap_unwrap_init(struct pace_cap_unwrap *u, uint64_t modulus);

enum pace_cap_unwrapped	pace_cap_unwrap(struct pace_cap_unwrap *u, uint64_t seq,
			    int64_t *number);

/* The sender announced its end: the next seq that is not above the highest is a restart.  A late
 * datagram after the end would also look like a restart, so do not use this for senders that end
 * at once. */
void	pace_cap_unwrap_end(struct pace_cap_unwrap *u);

#endif
