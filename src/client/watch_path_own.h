/*
 * watch_path_own.h - the exchanges of a watched path; private to watch_path.c and watch_exchange.c.
 *
 * Directions of a responder's lost exchanges: each report says how many requests of the run were
 *            answered.  When all requests that left before it are settled, the difference to those
 *            is what was lost on the way there.  A run with copied replies has no directions: a
 *            copied request is answered twice.
 * STAMP      nobody reports: the counts of the run are made of the replies.
 */
#ifndef PACE_CLIENT_WATCH_PATH_OWN_H
#define PACE_CLIENT_WATCH_PATH_OWN_H

#include "client/watch_path.h"

#define WATCH_TIMEOUT_NS	INT64_C(3000000000)	/* of an exchange */

/* pinger.done; ctx: the path. */
void	watch_exchange_take(void *ctx, const struct pace_exchange *x);
/* Fit the clock to all exchanges, then place the kept ones. */
void	watch_exchange_place(struct pace_watch_path *p);
/* A session begins: its clock and its numbers are others. */
void	watch_exchange_begin(struct pace_watch_path *p);
/* A report says that so many of the first `asked` requests of the run were answered. */
void	watch_exchange_reported(struct pace_watch_path *p, uint64_t asked, uint64_t answered);

static inline bool
watch_path_is_stamp(const struct pace_watch_path *p)
{
	return p->c.pinger.stamp != NULL;
}

/* STAMP: begin a run; bring its counts up to date; an interval is over. */
void	watch_stamp_begin(struct pace_watch_path *p);
void	watch_stamp_count(struct pace_watch_path *p);
void	watch_stamp_interval(struct pace_watch_path *p);

#endif
