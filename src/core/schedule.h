/*
 * schedule.h - when each frame is due.
 *
 * Purpose    an absolute schedule D_k = t0 + k spacing that never drifts:
 *            the spacing is kept in 32.32 fixed-point ns, so a rate whose
 *            spacing is no whole number of ns is kept too.
 * Bursts     after every burst of frames the next one is due burst_gap_ns
 *            later than its slot.
 * Spacing 0  back to back: there are no slots to keep.  Every frame is due
 *            at once, at the departure of the one before it; none is ever
 *            late and nothing slips.  A burst gap then runs from the
 *            departure of the burst's last frame.
 * Catch-up   what becomes of frames that are overdue:
 *            AUTO   they follow back to back, so that the rate is kept, up
 *                   to 1 ms (8 spacings where those are longer) behind;
 *                   beyond that the schedule slips: it is moved so that the
 *                   frame is due now, and how far is counted.
 *            BURST  they follow back to back however many they are.
 *            SLIP   the schedule slips at a sixteenth of a spacing: no gap
 *                   is ever shorter than 15/16 of it (UDPmon's way).
 *            SKIP   slots that have passed are left out and counted; a
 *                   frame is never a spacing late.
 * Invariant  with a spacing, due = t0 + floor((k + skipped) spacing) + gaps
 *            so far + slipped_ns, exactly.
 * Units      ns of the probe clock.   Memory  fixed.   Threads  none.
 */
#ifndef PACE_CORE_SCHEDULE_H
#define PACE_CORE_SCHEDULE_H

#include <stdint.h>

#define PACE_SPACING_MAX_NS	INT64_C(2000000000)	/* below 2^31 */

/* 32.32 fixed-point ns from whole ns (held within 0 .. PACE_SPACING_MAX_NS),
 * and back (rounded, half up). */
uint64_t	pace_spacing_from_ns(int64_t ns);
int64_t		pace_spacing_ns(uint64_t spacing);

/* Spacing that sends size bytes of user data at rate bit/s, rounded to
 * 2^-32 ns; 0 when size or rate is 0, size is above 2^31 or the spacing
 * would be above the maximum. */
uint64_t	pace_spacing_from_rate(uint32_t size_bytes, int64_t rate_bps);

enum pace_catch_up { PACE_CATCH_AUTO, PACE_CATCH_BURST, PACE_CATCH_SLIP, PACE_CATCH_SKIP };

struct pace_schedule {
	enum pace_catch_up catch_up;
	uint64_t	spacing;	/* 32.32 ns */
	uint64_t	burst;		/* frames a burst, 0: no bursts */
	int64_t		burst_gap_ns;
	int64_t		due_ns;		/* of the frame to send next */
	uint32_t	frac;		/* 2^-32 ns beyond due_ns */
	uint64_t	k;		/* its number */
	uint64_t	slips;
	int64_t		slipped_ns;
	uint64_t	skipped;	/* slots left out */
};

/* First frame due at t0_ns; catch_up is AUTO until the caller changes it. */
void	pace_schedule_start(struct pace_schedule *s, int64_t t0_ns,
	    uint64_t spacing, uint64_t burst, int64_t burst_gap_ns);

/* The frame that is due departs at now_ns >= due: slip or skip if too far
 * behind.  Returns how late it is, now - due, with due as it stood before
 * any slip, but behind what was skipped; always 0 with spacing 0. */
int64_t	pace_schedule_depart(struct pace_schedule *s, int64_t now_ns);

/* On to the next frame. */
void	pace_schedule_advance(struct pace_schedule *s);

#endif
