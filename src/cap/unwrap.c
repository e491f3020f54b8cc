/*
 * How it works.  Each seq is compared with the highest so far, as a signed distance.  A far
 * seq is accepted only after several in a row.  With PACE_CAP_SECONDS, second and frame are
 * first joined into a 64-bit number, which is treated in the same way.
 */
#include "cap/unwrap.h"

#include <string.h>

#include "cap/format.h"

#define AHEAD		65536
#define BACK		128
#define LOSS_MAX	(INT64_C(1) << 32)
#define NUMBER_MAX	(INT64_MAX - 2 * LOSS_MAX)	/* no capture comes here */
/* in a row: so far on, or back, from the one before */
#define ROW		64

void
pace_cap_unwrap_init(struct pace_cap_unwrap *u, uint64_t modulus)
{
	memset(u, 0, sizeof(*u));
	u->of_seconds = modulus == PACE_CAP_SECONDS;
	u->modulus = u->of_seconds ? 0 : modulus;
	u->ahead = AHEAD;
	u->back = BACK;
	if (u->modulus != 0 && u->modulus < PACE_CAP_UNWRAP_SMALL)
		u->ahead = u->back = PACE_CAP_UNWRAP_SMALL;
	else if (u->modulus != 0)
		u->ahead = (int64_t)(u->modulus / 16 < AHEAD ? u->modulus / 16 : AHEAD);
}

/* How far to is ahead of from, the shorter way round. */
static int64_t
distance(const struct pace_cap_unwrap *u, uint64_t from, uint64_t to)
{
	uint64_t up = to - from;

	if (u->modulus == 0)
		return (int64_t)up;
	if (to < from)
		up += u->modulus;
	return up > u->modulus / 2 ? -(int64_t)(u->modulus - up) : (int64_t)up;
}

static enum pace_cap_unwrapped
stray(struct pace_cap_unwrap *u)
{
	u->outliers++;
	return PACE_CAP_STRAY;
}

static enum pace_cap_unwrapped
begin(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	u->begun = true;
	u->top_seq = seq;
	u->top = (int64_t)(seq & ((UINT64_C(1) << 62) - 1));
	*number = u->top;
	return PACE_CAP_NUMBERED;
}

static enum pace_cap_unwrapped
begin_anew(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	u->restarts++;
	u->ended = false;
	u->run = 0;
	u->top_seq = seq;
	*number = ++u->top;
	return PACE_CAP_RESTARTED;
}

static enum pace_cap_unwrapped
take(struct pace_cap_unwrap *u, uint64_t seq, int64_t d, int64_t *number)
{
	*number = u->top + d;
	if (d > 0) {
		u->top = *number;
		u->top_seq = seq;
		u->ended = false;
	}
	return PACE_CAP_NUMBERED;
}

/* One more of those that are far on this side; how many are in a row now? */
static unsigned
in_a_row(struct pace_cap_unwrap *u, uint64_t seq, bool ahead)
{
	int64_t step = distance(u, u->run_seq, seq);

	if (u->run > 0 && u->run_ahead == ahead && step != 0 && step >= -ROW && step <= ROW)
		u->run++;
	else
		u->run = 1;
	u->run_ahead = ahead;
	u->run_seq = seq;
	return u->run;
}

static enum pace_cap_unwrapped
place(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	int64_t d = distance(u, u->top_seq, seq);

	if (u->top > NUMBER_MAX)
		return stray(u);
	if (u->ended && d <= 0)
		return begin_anew(u, seq, number);
	if (d > u->ahead) {
		if (in_a_row(u, seq, true) < PACE_CAP_UNWRAP_AHEAD)
			return stray(u);
		if (d > LOSS_MAX)
			return begin_anew(u, seq, number);
		u->run = 0;
		return take(u, seq, d, number);
	}
	if (d < -u->back) {
		if (in_a_row(u, seq, false) >= PACE_CAP_UNWRAP_BACK)
			return begin_anew(u, seq, number);
		return d >= -PACE_CAP_UNWRAP_LATE ? take(u, seq, d, number) : stray(u);
	}
	u->run = 0;
	return take(u, seq, d, number);
}

/* --- seconds ------------------------------------------------------------------------ */

static void
count_frames(struct pace_cap_unwrap *u, uint64_t frame)
{
	if (frame >= u->most)
		u->most = frame + 1;
}

static enum pace_cap_unwrapped
place_in_second(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	uint64_t second = seq >> PACE_CAP_FRAME_BITS;
	uint64_t frame = seq & ((UINT64_C(1) << PACE_CAP_FRAME_BITS) - 1);
	int64_t by = (int64_t)(second - u->second);
	uint64_t base = by < 0 ? u->before : u->base + (uint64_t)by * u->most;
	enum pace_cap_unwrapped what;

	if (by < -1 || by > PACE_CAP_UNWRAP_SECONDS) {
		/* it does not follow; several such seconds in a row mean that the sender
		 * restarted */
		if (in_a_row(u, seq, true) < PACE_CAP_UNWRAP_AHEAD)
			return stray(u);
		u->second = seq >> PACE_CAP_FRAME_BITS;
		u->base = (uint64_t)u->top + 1 - frame;
		u->before = u->base - u->most;
		count_frames(u, frame);
		return begin_anew(u, (uint64_t)u->top + 1, number);
	}
	what = place(u, base + frame, number);
	if (what == PACE_CAP_STRAY)
		return what;		/* and no second begins with it */
	if (by > 0) {
		u->before = base - u->most;
		u->base = base;
		u->second = second;
	}
	count_frames(u, frame);
	return what;
}

static enum pace_cap_unwrapped
begin_seconds(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	u->second = seq >> PACE_CAP_FRAME_BITS;
	u->base = u->second << PACE_CAP_FRAME_BITS;
	u->before = u->base;
	count_frames(u, seq - u->base);
	return begin(u, seq, number);
}

/* --- */

enum pace_cap_unwrapped
pace_cap_unwrap(struct pace_cap_unwrap *u, uint64_t seq, int64_t *number)
{
	if (u->modulus != 0 && seq >= u->modulus)
		return stray(u);
	if (u->of_seconds && seq >> 62 != 0)
		return stray(u);
	if (!u->begun)
		return u->of_seconds ? begin_seconds(u, seq, number) : begin(u, seq, number);
	return u->of_seconds ? place_in_second(u, seq, number) : place(u, seq, number);
}

void
pace_cap_unwrap_end(struct pace_cap_unwrap *u)
{
	u->ended = u->begun;
}
