#include "core/schedule.h"

#define SLIP_MAX_NS		1000000		/* 1 ms */
#define SLIP_MAX_SPACINGS	8

/* 2^31 bytes * 8 bits * 10^9 still fit in 64 bits. */
#define SIZE_MAX_BYTES		(UINT32_C(1) << 31)

static uint64_t
fixed(int64_t ns)
{
	return (uint64_t)ns << 32;
}

uint64_t
pace_spacing_from_ns(int64_t ns)
{
	if (ns < 0)
		ns = 0;
	return fixed(ns < PACE_SPACING_MAX_NS ? ns : PACE_SPACING_MAX_NS);
}

int64_t
pace_spacing_ns(uint64_t spacing)
{
	return (int64_t)((spacing >> 32) + (spacing >> 31 & 1));
}

/* Long division: the whole ns, then 32 binary places, then the rounding. */
uint64_t
pace_spacing_from_rate(uint32_t size_bytes, int64_t rate_bps)
{
	uint64_t bit_ns, rate, whole, rem, frac = 0;

	if (rate_bps <= 0 || size_bytes > SIZE_MAX_BYTES)
		return 0;
	rate = (uint64_t)rate_bps;
	bit_ns = size_bytes * UINT64_C(8000000000);
	whole = bit_ns / rate;
	rem = bit_ns % rate;
	if (whole > (uint64_t)PACE_SPACING_MAX_NS)
		return 0;
	for (int i = 0; i < 32; i++) {
		rem *= 2;			/* rem < rate < 2^63 */
		frac = frac << 1 | (rem >= rate);
		if (rem >= rate)
			rem -= rate;
	}
	frac += whole << 32;
	frac += rem >= rate - rem;
	return frac > fixed(PACE_SPACING_MAX_NS) ? 0 : frac;
}

void
pace_schedule_start(struct pace_schedule *s, int64_t t0_ns, uint64_t spacing,
    uint64_t burst, int64_t burst_gap_ns)
{
	*s = (struct pace_schedule){
		.spacing = spacing, .burst = burst,
		.burst_gap_ns = burst_gap_ns, .due_ns = t0_ns,
	};
}

/* Exact, to the fraction: eight spacings behind is not too far, a 2^-32th of
 * a nanosecond more is. */
static int
too_far_behind(const struct pace_schedule *s, int64_t late_ns)
{
	if (late_ns > SLIP_MAX_NS)
		return 1;
	if (late_ns <= 0 || s->spacing >= fixed(SLIP_MAX_NS / SLIP_MAX_SPACINGS))
		return 0;
	return fixed(late_ns) - s->frac > SLIP_MAX_SPACINGS * s->spacing;
}

int64_t
pace_schedule_depart(struct pace_schedule *s, int64_t now_ns)
{
	int64_t late_ns = now_ns - s->due_ns;

	if (s->spacing == 0) {
		s->due_ns = now_ns;
		return 0;
	}
	if (too_far_behind(s, late_ns)) {
		s->slips++;
		s->slipped_ns += late_ns;
		s->due_ns = now_ns;		/* the fraction stays: no drift */
	}
	return late_ns;
}

void
pace_schedule_advance(struct pace_schedule *s)
{
	uint64_t frac = s->frac + (s->spacing & UINT32_MAX);

	s->due_ns += (int64_t)((s->spacing >> 32) + (frac >> 32));
	s->frac = (uint32_t)frac;
	s->k++;
	if (s->burst > 0 && s->k % s->burst == 0)
		s->due_ns += s->burst_gap_ns;
}
