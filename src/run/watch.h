/*
 * watch.h - keeps all watched paths: sockets, names, and one schedule for the frames of all.
 *
 * Purpose    the thread sends each frame at its time, and does the paths' other work between
 *            frames.  Names are looked up in a second thread: at first, each minute while a path
 *            is down, and each PACE_WATCH_NAMES_NS.  A path whose address is no longer one of its
 *            name's goes on with the new one.
 * Phases     path i of n sends i / n of its spacing later than path 0.
 * Waking     the thread wakes WAKE_NS before a frame and spins, so most frames leave on time and
 *            few cycles are lost.
 * Memory     about 140 KiB a path.
 * Threads    one; observers run in it, after a frame.
 * Errors     printed, unless quiet.
 */
#ifndef PACE_RUN_WATCH_H
#define PACE_RUN_WATCH_H

#include <signal.h>

#include "client/watch_path.h"
#include "run/watch_plan.h"

#define PACE_WATCH_NAMES_NS	INT64_C(300000000000)

struct pace_watch_run_cfg {
	const struct pace_watch_plan *plan;
	int64_t		interval_ns, duration_ns;	/* duration 0: until a stop */
	const volatile sig_atomic_t *stop;
	bool		quiet;		/* do not print when a path goes down or comes back */
	void		(*interval)(void *ctx, size_t i, const struct pace_watched *w,
			    const struct pace_watch_counts *span, const struct pace_watch_path *p);
	void		*ctx;
};

struct pace_watch_run;

/* Make all paths; nothing is sent.  An exit status. */
int	pace_watch_run_open(struct pace_watch_run **r, const struct pace_watch_run_cfg *cfg);
/* Watch, then end all runs. */
void	pace_watch_run_go(struct pace_watch_run *r);
/* The figures of path i. */
void	pace_watch_run_figures(const struct pace_watch_run *r, size_t i, struct pace_watched *w);
void	pace_watch_run_close(struct pace_watch_run *r);	/* NULL is accepted */

#endif
