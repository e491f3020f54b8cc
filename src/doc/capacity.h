/*
 * capacity.h - a search for the highest rate of a path: its trials, and what they say.
 *
 * Purpose    judges a trial from the point that it was, keeps why the lowest rate
 *            that failed did so, and makes the document's "capacity" of it all.
 * Passed     frames lost, and refused by this host, are no more than max_loss of
 *            those asked for, and no queue grew.
 * Queue      grew where the frames arrived over a longer time than they left in,
 *            by more than half the precision of the search, clocks' rate taken out,
 *            and one in ten was late by a quarter of that at least (a last frame
 *            that was held up alone is no queue).
 * Invalid    a trial whose sender was degraded; it is made again.  No virtual machine
 *            gets through a long trial without being frozen for a moment, and a busy
 *            host through none: a long trial, and a short one after three invalid
 *            ones in a row, that kept the mean spacing within the precision
 *            passes like any other, because bursts behind freezes are harder on a
 *            path than the rate is; it fails when more was lost than left in them.
 * Sender     is tried before the first trial, without frames.  Where it loses more than
 *            2 % of its time it is busy: then a failed trial whose sender was degraded
 *            is invalid, and the search makes few trials.  Where a sender did not keep a rate
 *            that found is what was sent: of the trials that passed, or, if no long one
 *            did, the most of any trial that lost nothing, though it was invalid.
 * Units      bit/s of user data; on the wire where the name says so.
 * Memory     grows with the trials; freed by pace_capacity_free.   Threads  none.
 */
#ifndef PACE_DOC_CAPACITY_H
#define PACE_DOC_CAPACITY_H

#include <jansson.h>

#include "core/search.h"
#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_capacity_fields;

enum pace_limit { PACE_LIMIT_UNKNOWN, PACE_LIMIT_PATH, PACE_LIMIT_RESPONDER,
	PACE_LIMIT_SENDER, PACE_LIMIT_HIGHEST, PACE_LIMIT_POLICY };

/* Whose the highest rate to try is. */
enum pace_highest { PACE_HIGHEST_ASKED, PACE_HIGHEST_INTERFACE, PACE_HIGHEST_USUAL };

enum pace_why { PACE_WHY_NONE, PACE_WHY_LOSS, PACE_WHY_QUEUE, PACE_WHY_REFUSED,
	PACE_WHY_STALLED, PACE_WHY_LATE, PACE_WHY_RATE, PACE_WHY_NO_RESULT };

struct pace_capacity_trial {
	struct pace_trial_params ask;
	enum pace_trial_verdict verdict;
	enum pace_why	why;		/* it did not pass */
	bool		has_point;
	size_t		point;		/* index in the document */
	uint64_t	frames, lost;	/* asked for; with those refused */
	double		sent_bps;	/* and received, without loss or a queue; 0: it was not so */
	double		growth_ns;	/* of the delay, first to last frame; NAN: not known */
};

/* Why a rate failed. */
struct pace_cause {
	enum pace_limit	limit;
	enum pace_why	why;
	const char	*place;		/* of the ledger; NULL: none */
	char		diagnosis[512];
};

/* The sender before the first trial. */
struct pace_idle {
	int64_t		ns, lost_ns;	/* ns 0: it was not tried */
	bool		busy;
	char		why[256];	/* in words; "": nothing held it up for long */
};

struct pace_capacity {
	struct pace_idle idle;
	uint32_t	size_bytes;
	uint64_t	wire_bytes;
	double		max_loss;	/* ratio */
	int64_t		duration_ns, sustain_ns;	/* of a trial; of a long one */
	enum pace_highest highest;
	struct pace_search search;
	struct pace_cause latest, cause;	/* of the latest failure; of the lowest rate */
	size_t		n, room, points;
	struct pace_capacity_trial *v;
	char		refused[192];	/* the words of the responder's policy, which ended the
					 * search; "": it did not */
	bool		failed;		/* no memory for a trial: the search ends */
};

/* How the sender did without frames; before the first trial. */
void	pace_capacity_idle(struct pace_capacity *c, const struct pace_tx *tx);

/* t->ask is there.  p NULL, or without its responder's part: nothing came of it. */
void	pace_trial_judge(const struct pace_capacity *c, const struct pace_point *p,
	    struct pace_capacity_trial *t);

/* A trial, as asked for by pace_search_next, is over. */
void	pace_capacity_take(struct pace_capacity *c, const struct pace_point *p);
void	pace_capacity_free(struct pace_capacity *c);

/* All valid trials of one rate together. */
struct pace_trials {
	int		n, invalid;
	uint64_t	frames, lost;
	bool		lengthy;	/* the long one among them */
};
struct pace_trials	pace_capacity_at(const struct pace_capacity *c, double bps);

/* The rate found: the highest that passed; where the sender was the limit what it sent. */
struct pace_found {
	double		bps;		/* 0: none */
	bool		sustained;
	struct pace_trials at;
};
struct pace_found	pace_capacity_found(const struct pace_capacity *c);

/* The lowest rate that failed; 0: none, or one below the rate found, as a sender that is
 * held up now and then makes them. */
double	pace_capacity_failed(const struct pace_capacity *c);


/* Is the limit a rate that the sender did not keep? */
bool	pace_capacity_by_sender(const struct pace_capacity *c);

/* Of the whole search, if it came to its end; the responder's policy, if that ended it. */
enum pace_limit	pace_capacity_limit(const struct pace_capacity *c);
const char	*pace_limit_name(enum pace_limit l);		/* "path"; "" unknown */
const char	*pace_why_name(enum pace_why w);		/* "queue" */

/* { "capacity": ... }; NULL: no memory. */
json_t	*pace_capacity_to_json(const struct pace_capacity *c);

#endif
