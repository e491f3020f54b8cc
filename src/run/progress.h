/*
 * progress.h - shows the progress of the run on stderr, if that is a terminal.
 *
 * Purpose    a separate thread rewrites one line four times a second; the sender only stores
 *            a number now and then.  Prints nothing without a terminal or with --quiet.
 */
#ifndef PACE_RUN_PROGRESS_H
#define PACE_RUN_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/sender.h"

struct pace_show {
	/* set by the caller before _begin */
	const char	*counts;	/* what progress counts; NULL: nothing does */
	bool		asap;		/* one after the other: how far it is tells the time left,
					 * once something was sent */
	struct pace_progress progress;	/* written by the sender */
	_Atomic bool	waiting;	/* for another client's measurement; until the first
					 * frame */
	/* Called by the thread, which then also runs without a terminal, and by _end: prints rows
	 * that stay; NULL: none. */
	void		(*rows)(void *ctx);
	void		*rows_ctx;
	/* private */
	bool		on;		/* the thread runs */
	bool		drawn;		/* it draws the line */
	_Atomic bool	stop;
	pthread_t	thread;
	size_t		point, points;
	uint64_t	all;		/* of this point, 0: not known */
	int64_t		begun_ns, point_ns, rest_ns;
};

/* Begin point `point` (from 0) of `points`, which counts up to `all` (0: not known).  It takes
 * point_ns, all later points together rest_ns. */
void	pace_show_begin(struct pace_show *s, size_t point, size_t points,
	    uint64_t all, int64_t point_ns, int64_t rest_ns, bool quiet);
/* End the point; the line is erased. */
void	pace_show_end(struct pace_show *s);

#endif
