/*
 * search.h - search the highest rate that a path carries, by trials.
 *
 * Purpose    choose the rate of the next trial, and combine the trials' verdicts.
 * Rise       from the lowest rate by doubling, one trial each, until a rate fails.
 * Halving    of the interval from the highest rate that passed to the lowest rate that
 *            failed, until the interval is within the precision.  A rate passes with
 *            `repeat` passed trials.
 * Sustained  a queue or a token bucket passes a short trial above its rate, so the
 *            rate found must also pass a long trial.  If it fails, the search goes
 *            down in steps that start at the precision and double, and then halves
 *            again, with long trials only.
 * Failing    a rate fails after two failed trials (one, if repeat is 1), so that one
 *            unrelated loss does not end the search.  A rate with one failed trial
 *            needs two passes.
 * Invalid    a trial whose sender did not keep the rate says nothing about the path
 *            and is repeated.  A rate counts as the sender's limit after three
 *            invalid trials in a row (sender too slow; any long trial) or twelve
 *            (sender only disturbed); with a busy sender after two and five.  The
 *            sender's limit is searched to 2 % only.  The search ends if the sender
 *            does not keep a rate in long trials, or after 48 invalid trials in all
 *            (12 with a busy sender), where a long trial counts as four.
 * Confidence the upper limit of the loss ratio at 95 % confidence: the Poisson limit for
 *            k losses in n frames, 3/n for none.
 * Units      bit/s; the caller decides which rate this is.
 * Memory     none.   Threads  none.
 * Source     RFC 2544 section 26.1; limit of a Poisson mean after Wilson, Hilferty.
 */
#ifndef PACE_CORE_SEARCH_H
#define PACE_CORE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum pace_trial_verdict { PACE_TRIAL_PASSED, PACE_TRIAL_FAILED, PACE_TRIAL_DISTURBED,
	PACE_TRIAL_SLOW };

struct pace_search_cfg {
	double	low_bps, high_bps;
	double	precision;	/* of the rate found: 0.005 is 0.5 % */
	int	repeat;
	bool	busy;		/* another process uses the sender's core */
};

struct pace_search {
	struct pace_search_cfg cfg;
	/* found */
	double	best_bps;	/* highest rate that passed, 0: none */
	bool	sustained;	/* best_bps passed a long trial */
	double	worst_bps;	/* lowest rate that failed, 0: none */
	bool	by_sender;	/* worst_bps failed because the sender did not keep it */
	bool	done;
	bool	gave_up;	/* the sender is the limit, the search stopped early */
	int	invalid;	/* trials in a row at the current rate */
	/* private */
	bool	lengthy;	/* only long trials from now on */
	double	now_bps, step;
	int	passed, failed, impatience, impatience_all;
};

struct pace_trial_params {
	double	bps;
	bool	lengthy;	/* one of the long trials */
};

void	pace_search_begin(struct pace_search *s, const struct pace_search_cfg *cfg);

/* Choose the next trial; false: the search is finished. */
bool	pace_search_next(const struct pace_search *s, struct pace_trial_params *t);

/* Add the verdict of that trial. */
void	pace_search_take(struct pace_search *s, enum pace_trial_verdict v);

/* The upper limit of the loss ratio at 95 % confidence; 1 without frames. */
double	pace_search_loss_limit(uint64_t lost, uint64_t frames);

#endif
