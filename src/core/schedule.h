/*
 * schedule.h - when each frame is due.
 *
 * Purpose    an absolute schedule D_k = t0 + k spacing that never drifts.  The
 *            spacing is in 32.32 fixed-point ns, so a rate is exact even if its
 *            spacing is not a whole number of ns.
 * Bursts     after each burst, the next frame is due burst_gap_ns later than its
 *            slot.
 * Spacing 0  back to back: there are no slots.  Each frame is due at the
 *            departure of the previous one, no frame is ever late, and the
 *            schedule never shifts.  A burst gap then starts at the departure of
 *            the burst's last frame.
 * Catch-up   how overdue frames are sent:
 *            AUTO   back to back while they are at most 1 ms late (8 spacings if
 *                   that is longer), which keeps the rate.  If they are later,
 *                   the schedule shifts: the frame becomes due now, and the
 *                   shift is counted.
 *            BURST  back to back, however late they are.
 *            SLIP   the schedule shifts at a lateness of a sixteenth of a
 *                   spacing: no gap is shorter than 15/16 of it (as in UDPmon).
 *            SKIP   slots that have passed stay empty and are counted; no frame
 *                   is a spacing late.
 * Invariant  with a spacing, due = t0 + floor((k + skipped) spacing) + gaps
 *            so far + schedule_shifted_ns, exactly.
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
	uint64_t	schedule_shifts;
	int64_t		schedule_shifted_ns;
	uint64_t	skipped;	/* slots left out */
};

/* First frame due at t0_ns; catch_up is AUTO until the caller changes it. */
void	pace_schedule_start(struct pace_schedule *s, int64_t t0_ns,
	    uint64_t spacing, uint64_t burst, int64_t burst_gap_ns);

/* The due frame departs at now_ns >= due: shift the schedule or skip slots if it is too
 * late.  Returns its lateness, now - due: due is taken before a shift, but after skipped
 * slots; always 0 with spacing 0. */
int64_t	pace_schedule_depart(struct pace_schedule *s, int64_t now_ns);

/* Move the schedule so that the next frame is due at now_ns, whatever catch_up says: nothing
 * could be sent until now.  A frame that is due later stays where it is. */
void	pace_schedule_move(struct pace_schedule *s, int64_t now_ns);

/* Go on to the next frame. */
void	pace_schedule_advance(struct pace_schedule *s);

#endif
