/*
 * progress.h - how far the run is, on a terminal's stderr.
 *
 * Purpose    a line rewritten four times a second by a thread of its own;
 *            the sender only stores a number now and then.  Without a
 *            terminal, or with --quiet, nothing.
 */
#ifndef PACE_RUN_PROGRESS_H
#define PACE_RUN_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/sender.h"

struct pace_show {
	struct pace_progress progress;	/* written by the sender */
	_Atomic bool	waiting;	/* for the lease; until the first frame */
	/* private */
	bool		on;		/* a thread runs */
	_Atomic bool	stop;
	pthread_t	thread;
	size_t		point, points;
	uint64_t	frames;		/* of this point, 0: not known */
	int64_t		begun_ns, point_ns, rest_ns;
};

/* Point `point` (from 0) of points begins: it takes point_ns, all later ones
 * together rest_ns. */
void	pace_show_begin(struct pace_show *s, size_t point, size_t points,
	    uint64_t frames, int64_t point_ns, int64_t rest_ns, bool quiet);
/* It ended; the line is wiped. */
void	pace_show_end(struct pace_show *s);

#endif
