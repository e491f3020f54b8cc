/*
 * search.h - the highest rate that a path takes, by trials.
 *
 * Purpose    which rate to try next, and what the trials say together.
 * Rise       from the lowest rate up by doubling, one trial each, until a rate fails.
 * Halving    of the interval between the highest that passed and the lowest that
 *            failed, until it is narrower than asked for; a rate passes with
 *            `repeat` trials.
 * Sustained  a queue or a bucket of tokens passes a short trial above its rate:
 *            the rate that was found must pass a long trial, too.  If it does not,
 *            the search goes down from there in steps of the precision, each
 *            twice the one before, and halves again, all with long trials.
 * Failing    takes two trials (one, if repeat is 1), so that a single loss of
 *            another cause ends nothing; a rate of one failure needs two passes.
 * Invalid    a trial whose sender did not keep the rate says nothing of the path and
 *            is made again: three in a row with a sender that is too slow, or
 *            twelve that was only disturbed, and the rate is the sender's limit;
 *            three of long trials.  With a busy sender it is two, five and two.
 *            That limit is not worth many trials: 2 % will do, and the search ends
 *            where the sender does not keep a rate in long trials, or after 48 invalid
 *            trials in all, 12 with a busy sender, where a long one counts as four.
 * Confidence an upper limit of the loss ratio that holds with 95 %: of k losses in n
 *            frames the Poisson limit, 3/n for none.
 * Units      bit/s, whatever rate the caller means.
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
	bool	busy;		/* something else runs on the sender's core */
};

struct pace_search {
	struct pace_search_cfg cfg;
	/* found */
	double	best_bps;	/* highest that passed, 0: none */
	bool	sustained;	/* it passed a long trial */
	double	worst_bps;	/* lowest that failed, 0: none */
	bool	by_sender;	/* that one because no sender could keep it */
	bool	done;
	bool	gave_up;	/* the sender is the limit, and was not worth more trials */
	int	invalid;	/* of the present rate, in a row */
	/* private */
	bool	lengthy;	/* long trials from now on */
	double	now_bps, step;
	int	passed, failed, impatience, impatience_all;
};

struct pace_trial_params {
	double	bps;
	bool	lengthy;	/* one of the long trials */
};

void	pace_search_begin(struct pace_search *s, const struct pace_search_cfg *cfg);

/* The next trial; false: there is no more to find out. */
bool	pace_search_next(const struct pace_search *s, struct pace_trial_params *t);

/* What that trial said. */
void	pace_search_take(struct pace_search *s, enum pace_trial_verdict v);

/* Above this ratio the loss is not, with 95 %; 1: of nothing. */
double	pace_search_loss_limit(uint64_t lost, uint64_t frames);

#endif
