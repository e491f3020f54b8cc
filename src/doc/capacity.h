/*
 * capacity.h - search for the highest rate of a path: trials and result.
 *
 * Purpose    judges each trial from its point, keeps the cause of the lowest rate that
 *            failed, and writes the document's "capacity".
 * Passed     lost frames and frames refused by the sending host are at most max_loss of
 *            those requested, and no queue grew.
 * Queue      grew if the frames arrived over a longer time than they were sent in, by
 *            more than half the precision of the search (skew removed), and if at
 *            least one frame in ten was late by a quarter of that time (one
 *            late frame at the end is not a queue).
 * Invalid    a trial whose sender was degraded, late or frozen.  The search repeats it.
 *            On a virtual machine the sender is always frozen for a moment in a long
 *            trial, on a busy host in every trial.  Such a trial is therefore judged like
 *            a valid one if its mean spacing was within the precision and it is
 *            long, or follows three invalid ones: bursts after a freeze load a path more
 *            than the rate does.  It fails if it lost more frames than these bursts had.
 * Sender     if it is this host, it is tested before the first trial, without frames.  If other
 *            work takes more than 2 % of its time, it is busy.  A trial that fails with a
 *            degraded sender is then invalid, and the search makes few trials.  If the sender did not
 *            keep a rate, the rate found is the rate sent: the lowest of the trials that
 *            passed or, if no long one passed, the highest of all trials without loss,
 *            invalid ones included.
 * Units      bit/s of user data, or on the wire if the name says so.
 * Memory     grows with the trials; freed by pace_capacity_free.   Threads  none.
 */
#ifndef PACE_DOC_CAPACITY_H
#define PACE_DOC_CAPACITY_H

#include <jansson.h>

#include "core/search.h"
#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_capacity_fields;

/* The receiving and the sending host; which of them is this host depends on the direction. */
enum pace_limit { PACE_LIMIT_UNKNOWN, PACE_LIMIT_PATH, PACE_LIMIT_RECEIVER,
	PACE_LIMIT_SENDER, PACE_LIMIT_HIGHEST, PACE_LIMIT_POLICY };

/* Where the highest rate to try comes from. */
enum pace_highest { PACE_HIGHEST_ASKED, PACE_HIGHEST_INTERFACE, PACE_HIGHEST_USUAL };

enum pace_why { PACE_WHY_NONE, PACE_WHY_LOSS, PACE_WHY_QUEUE, PACE_WHY_REFUSED,
	PACE_WHY_STALLED, PACE_WHY_LATE, PACE_WHY_RATE, PACE_WHY_NO_RESULT };

struct pace_capacity_trial {
	struct pace_trial_params ask;
	enum pace_trial_verdict verdict;
	enum pace_why	why;		/* why it did not pass */
	bool		has_point;
	size_t		point;		/* index in the document */
	uint64_t	frames, lost;	/* requested; lost, including refused ones */
	double		sent_bps;	/* sent and received without loss or a queue; 0: not
					 * achieved */
	double		growth_ns;	/* of the delay, first to last frame; NAN: not known */
};

/* Why a rate failed. */
struct pace_cause {
	enum pace_limit	limit;
	enum pace_why	why;
	const char	*place;		/* location in the ledger; NULL: none */
	char		diagnosis[512];
};

/* Test of the sender before the first trial. */
struct pace_idle {
	int64_t		ns, lost_ns;	/* ns 0: not tested */
	bool		busy;
	char		why[256];	/* cause in words; "": the sender was not frozen for long */
};

struct pace_capacity {
	enum pace_direction direction;	/* of all trials */
	struct pace_idle idle;
	uint32_t	size_bytes;
	uint64_t	wire_bytes;
	double		max_loss;	/* ratio */
	int64_t		duration_ns, sustain_ns;	/* of a trial; of a long trial */
	enum pace_highest highest;
	struct pace_search search;
	struct pace_cause latest, cause;	/* latest failure; lowest rate that failed */
	size_t		n, room, points;
	struct pace_capacity_trial *v;
	char		refused[192];	/* message of the responder's policy that ended the
					 * search; "": it did not */
	bool		failed;		/* no memory for a trial: the search ends */
};

/* Record the test of the sender without frames, made before the first trial. */
void	pace_capacity_idle(struct pace_capacity *c, const struct pace_tx *tx);

/* Judge trial t (t->ask is set).  p NULL or without the responder's part: no result. */
void	pace_trial_judge(const struct pace_capacity *c, const struct pace_point *p,
	    struct pace_capacity_trial *t);

/* Add the finished trial that pace_search_next requested. */
void	pace_capacity_take(struct pace_capacity *c, const struct pace_point *p);
void	pace_capacity_free(struct pace_capacity *c);

/* Sum of all valid trials of one rate. */
struct pace_trials {
	int		n, invalid;
	uint64_t	frames, lost;
	bool		lengthy;	/* a long trial is among them */
};
struct pace_trials	pace_capacity_at(const struct pace_capacity *c, double bps);

/* The rate found: the highest that passed or, if the sender was the limit, the rate sent. */
struct pace_found {
	double		bps;		/* 0: none */
	bool		sustained;
	struct pace_trials at;
};
struct pace_found	pace_capacity_found(const struct pace_capacity *c);

/* Return the lowest rate that failed.  0: no rate failed, or only one below the rate found
 * (this happens if the sender is sometimes held up). */
double	pace_capacity_failed(const struct pace_capacity *c);


/* Did the sender limit the search, because it did not keep a rate? */
bool	pace_capacity_by_sender(const struct pace_capacity *c);

/* Return the limit of a completed search, or the policy if the responder's policy ended it. */
enum pace_limit	pace_capacity_limit(const struct pace_capacity *c);

/* Is the rate found the path's or the responder's, or the highest one to try?  Otherwise the
 * figure cannot be used. */
bool	pace_capacity_is_measured(const struct pace_capacity *c);

/* Return { "capacity": ... }; NULL: no memory. */
json_t	*pace_capacity_to_json(const struct pace_capacity *c);

#endif
