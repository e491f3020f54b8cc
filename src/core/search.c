#include "core/search.h"

#include <math.h>
#include <string.h>

/* Invalid trials in a row, and in all: of an idle sender, of a busy one. */
static const int patience[2] = { 12, 5 }, patience_all[2] = { 48, 12 };
#define OF_A_SLOW_ONE	4
#define SENDER_PRECISION 0.02
#define Z95		1.6448536	/* one-sided */

void
pace_search_begin(struct pace_search *s, const struct pace_search_cfg *cfg)
{
	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	s->now_bps = cfg->low_bps;
	s->step = cfg->precision;
}

bool
pace_search_next(const struct pace_search *s, struct pace_trial_params *t)
{
	*t = (struct pace_trial_params){ s->now_bps, s->lengthy };
	return !s->done;
}

static bool
is_narrow(const struct pace_search *s)
{
	double precision = s->by_sender ? fmax(s->cfg.precision, SENDER_PRECISION) :
	    s->cfg.precision;

	return s->worst_bps > 0 && s->worst_bps <= s->best_bps * (1 + precision);
}

static void
halve(struct pace_search *s)
{
	s->now_bps = s->best_bps + (s->worst_bps - s->best_bps) / 2;
}

static void
after_short(struct pace_search *s)
{
	bool top = s->worst_bps <= 0 && s->best_bps >= s->cfg.high_bps;

	if (s->best_bps <= 0) {		/* not even the lowest: there is nothing below */
		s->done = true;
	} else if (top || is_narrow(s)) {
		s->lengthy = true;
		s->now_bps = s->best_bps;
	} else if (s->worst_bps <= 0) {
		s->now_bps = fmin(2 * s->best_bps, s->cfg.high_bps);
	} else {
		halve(s);
	}
}

static void
after_long(struct pace_search *s)
{
	if (s->sustained) {
		s->done = s->worst_bps <= 0 || is_narrow(s);
		halve(s);
	} else if (s->worst_bps <= s->cfg.low_bps) {
		s->done = true;
	} else {
		if (s->by_sender)
			s->step = fmax(s->step, SENDER_PRECISION);
		s->now_bps = fmax(s->cfg.low_bps, s->worst_bps * fmax(0, 1 - s->step));
		s->step *= 2;
	}
}

static void
move_on(struct pace_search *s)
{
	s->passed = s->failed = s->invalid = s->impatience = 0;
	if (s->lengthy)
		after_long(s);
	else
		after_short(s);
}

static void
rate_failed(struct pace_search *s, bool by_sender)
{
	s->worst_bps = s->now_bps;
	s->by_sender = by_sender;
	if (by_sender && (s->lengthy || s->impatience_all >= patience_all[s->cfg.busy])) {
		s->done = s->gave_up = true;
		return;
	}
	if (s->lengthy && !s->sustained)
		s->best_bps = 0;	/* the short trials were wrong */
	move_on(s);
}

static void
rate_passed(struct pace_search *s)
{
	s->best_bps = s->now_bps;
	s->sustained = s->lengthy;
	move_on(s);
}

static int
passes_needed(const struct pace_search *s)
{
	int n = s->worst_bps <= 0 || s->lengthy ? 1 : s->cfg.repeat;

	return s->failed > 0 && n < 2 ? 2 : n;
}

void
pace_search_take(struct pace_search *s, enum pace_trial_verdict v)
{
	if (v == PACE_TRIAL_DISTURBED || v == PACE_TRIAL_SLOW) {
		s->invalid++;
		s->impatience += v == PACE_TRIAL_SLOW || s->lengthy ? OF_A_SLOW_ONE : 1;
		s->impatience_all += s->lengthy ? OF_A_SLOW_ONE : 1;
		if (s->impatience >= patience[s->cfg.busy] ||
		    s->impatience_all >= patience_all[s->cfg.busy])
			rate_failed(s, true);
		return;
	}
	s->invalid = s->impatience = 0;
	s->failed += v == PACE_TRIAL_FAILED;
	s->passed += v == PACE_TRIAL_PASSED;
	if (s->failed >= (s->cfg.repeat > 1 ? 2 : 1))
		rate_failed(s, false);
	else if (s->passed >= passes_needed(s))
		rate_passed(s);
}

double
pace_search_loss_limit(uint64_t lost, uint64_t frames)
{
	double k = (double)lost + 1, n = (double)frames, mean;

	if (frames == 0)
		return 1;
	if (lost == 0)
		return fmin(3 / n, 1);
	mean = k * pow(1 - 1 / (9 * k) + Z95 / (3 * sqrt(k)), 3);
	return fmin(mean / n, 1);
}
