#include "config.h"

#include "doc/params.h"

#include <math.h>

#include "core/record.h"
#include "core/schedule.h"

#define DAY_NS		8.64e13
#define PIECE_FRAMES	64	/* the kernel's most in one UDP_SEGMENT */
#define PIECE_BYTES	65507

double
pace_params_spacing_ns(const struct pace_params *a)
{
	return (double)a->spacing / 4294967296.0;
}

int64_t
pace_params_slot_ns(const struct pace_params *a, uint64_t seq)
{
	bool bursts = a->bursts > 1 && a->count > 0;
	uint64_t burst = bursts ? seq / a->count : 0, within = bursts ? seq % a->count : seq;
	uint64_t trains = bursts ? (a->count + a->train - 1) / a->train : 0;
	uint64_t step = a->spacing * a->train;		/* as the schedule has it */
	uint64_t slot = burst * trains + within / a->train;
	uint64_t whole = step >> 32, frac = step & UINT32_MAX;

	if ((double)slot * (double)(whole + 1) + (double)burst * (double)a->burst_gap_ns >
	    (double)PACE_SLOT_MAX_NS)
		return PACE_SLOT_MAX_NS;
	return (int64_t)(slot * whole + (slot >> 32) * frac + ((slot & UINT32_MAX) * frac >> 32)) +
	    (int64_t)burst * a->burst_gap_ns;
}

double
pace_params_gap_ns(const struct pace_params *a)
{
	return pace_params_spacing_ns(a) * (double)a->train;
}

double
pace_params_rate_bps(const struct pace_params *a)
{
	return a->spacing == 0 ? 0 :
	    (double)a->size_bytes * 8e9 / pace_params_spacing_ns(a);
}

uint64_t
pace_params_frames(const struct pace_params *a)
{
	double slots;

	if (a->duration_ns == 0)
		return a->count * a->bursts;
	if (a->spacing == 0)
		return 0;
	/* A slot at the very end does not count, whatever the rounding errors. */
	slots = ceil((double)a->duration_ns / pace_params_spacing_ns(a) * (1 - 1e-12));
	return slots < 1 ? 1 : (uint64_t)slots;
}

uint64_t
pace_params_omitted(const struct pace_params *a)
{
	double trains;

	if (a->omit_ns == 0 || a->spacing == 0)
		return 0;
	trains = ceil((double)a->omit_ns / pace_params_gap_ns(a) * (1 - 1e-12));
	return (trains < 1 ? 1 : (uint64_t)trains) * a->train;
}

uint64_t
pace_params_records(const struct pace_params *a)
{
	uint64_t frames = pace_params_frames(a);
	uint64_t most = PACE_RECORDS_DEFAULT / pace_params_streams(a);

	return frames > 0 && frames < most ? frames : most;
}

void
pace_params_fit(struct pace_params *a, uint32_t most)
{
	if (a->size_bytes <= most)
		return;
	a->size_bytes = most;
	if (a->rate_bps > 0)
		a->spacing = pace_spacing_from_rate(most, a->rate_bps);
	if (a->record.whole)
		a->record.room = pace_params_records(a);
}

int64_t
pace_params_duration_ns(const struct pace_params *a)
{
	double ns;

	if (a->duration_ns > 0)
		return a->duration_ns;
	ns = pace_params_spacing_ns(a) * (double)pace_params_frames(a) +
	    (double)a->burst_gap_ns * (double)(a->bursts - 1);
	return ns < DAY_NS ? (int64_t)ns : (int64_t)DAY_NS;
}

uint64_t
pace_params_not_due(const struct pace_params *a, uint64_t asked, uint64_t skipped)
{
	uint64_t slots = pace_params_frames(a);

	return a->duration_ns > 0 && slots > asked + skipped ? slots - asked - skipped : 0;
}

/* Measured between two namespaces; a late frame ends the wait for further ones. */
uint64_t
pace_params_piece(const struct pace_params *a)
{
	uint64_t most = a->size_bytes > 0 ? PIECE_BYTES / a->size_bytes : 1;

	if (a->train <= 1)
		return 1;
	return most < PIECE_FRAMES ? most : PIECE_FRAMES;
}

int64_t
pace_params_cost_ns(const struct pace_params *a)
{
	return pace_params_duration_ns(a) + a->omit_ns + a->grace_ns / 5 + INT64_C(150000000);
}
