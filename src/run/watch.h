/*
 * watch.h - keeps all watched paths: sockets, names, and one schedule for the frames of all.
 *
 * Purpose    the thread sends each frame at its time, and does the paths' other work between
 *            frames.  Names are looked up in a second thread: at first, each minute while a path
 *            is down, and each PACE_WATCH_NAMES_NS.  A path whose address is no longer one of its
 *            name's goes on with the new one.
 * Phases     path i of n sends i / n of its spacing later than path 0; a path that joins later
 *            sends in the middle of the largest hole.
 * Reload     a thread reads the plan again and makes the new paths; the thread that sends takes
 *            them over.  A path whose name, host and options are as before goes on, with a new
 *            session if its key file has another key.  A removed path ends like at a stop, while
 *            the others send.  A plan with a fault changes nothing.
 * Waking     the thread wakes a little before a frame and spins.  It learns how long before, so that
 *            one frame in 100 leaves late, as long as that costs no more than 1 % of a core.  Work
 *            waits for a frame that is due soon, and is done right after it.
 * Memory     about 200 KiB a path, 15 KiB more if others read its figures.
 * Threads    one; observers run in it, after a frame, and must be quick.  Others may read what is
 *            shown, under a lock.
 * Errors     printed, unless quiet.
 */
#ifndef PACE_RUN_WATCH_H
#define PACE_RUN_WATCH_H

#include <signal.h>

#include "client/watch_path.h"
#include "run/watch_plan.h"

#define PACE_WATCH_NAMES_NS	INT64_C(300000000000)

/* A path for other threads, at the end of its last interval. */
struct pace_watch_shown {
	size_t		number;
	int64_t		at_ns;		/* probe clock */
	uint64_t	reports;	/* read so far */
	struct pace_watched w;
	struct pace_watch_exchanges of;	/* that interval */
	uint32_t	wire_bytes;	/* line time of a frame */
};

struct pace_watch_run_cfg {
	const struct pace_watch_plan *plan;
	int64_t		interval_ns, duration_ns;	/* duration 0: until a stop */
	const volatile sig_atomic_t *stop;
	bool		quiet;		/* do not print when a path goes down or comes back */
	int64_t		before_ns;	/* the watch lasted so long before this process */
	/* What was counted of a path before; false: nothing.  NULL: of no path. */
	bool		(*before)(void *ctx, const struct pace_watch_target *t, struct pace_watched *w);
	bool		shown;		/* other threads read figures */
	volatile sig_atomic_t *again;	/* not 0: read the plan again; it becomes 0; NULL: never */
	/* Read the plan in another thread: an exit status, after messages. */
	int		(*read_plan)(void *ctx, struct pace_watch_plan *plan);
	/* Each may be NULL.  number: of a path; no other one gets it later.  alive: often. */
	void		(*interval)(void *ctx, size_t number, const struct pace_watched *w,
			    const struct pace_watch_counts *span, const struct pace_watch_path *p);
	void		(*ended)(void *ctx, const struct pace_watched *w);	/* a removed path */
	void		(*reloading)(void *ctx, bool begins);
	void		(*alive)(void *ctx);
	void		*ctx;
};

struct pace_watch_run;

/* Make all paths; nothing is sent.  An exit status. */
int	pace_watch_run_open(struct pace_watch_run **r, const struct pace_watch_run_cfg *cfg);
/* Watch, then end all runs. */
void	pace_watch_run_go(struct pace_watch_run *r);
/* The number of paths, without those that were removed; the figures of path i. */
size_t	pace_watch_run_paths(const struct pace_watch_run *r);
void	pace_watch_run_figures(const struct pace_watch_run *r, size_t i, struct pace_watched *w);

const struct pace_watch_target	*pace_watch_run_target(const struct pace_watch_run *r, size_t i);

/* For other threads: lock, which returns the number of paths; path i; unlock. */
size_t	pace_watch_run_lock(struct pace_watch_run *r);
const struct pace_watch_shown	*pace_watch_run_shown(const struct pace_watch_run *r, size_t i);
void	pace_watch_run_unlock(struct pace_watch_run *r);

void	pace_watch_run_close(struct pace_watch_run *r);	/* NULL is accepted */

#endif
