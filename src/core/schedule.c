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

static int
too_far_behind(const struct pace_schedule *s, int64_t late_ns)
{
	int64_t some_ns = (int64_t)(s->spacing >> 32) * SLIP_MAX_SPACINGS;

	switch (s->catch_up) {
	case PACE_CATCH_SLIP:
		return late_ns > pace_spacing_ns(s->spacing / 16);
	case PACE_CATCH_AUTO:
		return late_ns > SLIP_MAX_NS && late_ns > some_ns;
	default:
		return 0;
	}
}

/* To the slot after n more. */
static void
move_slots(struct pace_schedule *s, uint64_t n)
{
	uint64_t frac = s->frac + n * (s->spacing & UINT32_MAX);

	s->due_ns += (int64_t)(n * (s->spacing >> 32) + (frac >> 32));
	s->frac = (uint32_t)frac;
}

/* Slots that have passed, but those behind a burst's end: there is a gap. */
static void
skip_slots(struct pace_schedule *s, int64_t late_ns)
{
	int64_t whole_ns = (int64_t)(s->spacing >> 32) + 1;
	uint64_t n = late_ns < whole_ns ? 0 : (uint64_t)(late_ns / whole_ns);

	if (s->burst > 0 && n > s->burst - 1 - (s->k + s->skipped) % s->burst)
		n = s->burst - 1 - (s->k + s->skipped) % s->burst;
	move_slots(s, n);
	s->skipped += n;
}

int64_t
pace_schedule_depart(struct pace_schedule *s, int64_t now_ns)
{
	int64_t late_ns = now_ns - s->due_ns;

	if (s->spacing == 0) {
		s->due_ns = now_ns;
		return 0;
	}
	if (s->catch_up == PACE_CATCH_SKIP) {
		skip_slots(s, late_ns);
		return now_ns - s->due_ns;
	}
	if (too_far_behind(s, late_ns))
		pace_schedule_move(s, now_ns);
	return late_ns;
}

void
pace_schedule_move(struct pace_schedule *s, int64_t now_ns)
{
	if (now_ns <= s->due_ns)
		return;
	if (s->spacing > 0) {
		s->schedule_shifts++;
		s->schedule_shifted_ns += now_ns - s->due_ns;
	}
	s->due_ns = now_ns;		/* the fraction stays: no drift */
}

void
pace_schedule_advance(struct pace_schedule *s)
{
	move_slots(s, 1);
	s->k++;
	if (s->burst > 0 && (s->k + s->skipped) % s->burst == 0)
		s->due_ns += s->burst_gap_ns;
}
