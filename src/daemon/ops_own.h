/*
 * ops_own.h - internals of ops.h.
 *
 * Threads    one thread writes the log and serves the status socket (ops_thread.c).
 *            Sessions put events into a ring and wake it (ops_events.c).  A lock protects the
 *            ring and the sums, which change with events, never with a frame.  Sessions
 *            write their boards without it.  They are read while it is held, so no session
 *            ends meanwhile: each is counted in the sums or on its board, not in both.
 */
#ifndef PACE_DAEMON_OPS_OWN_H
#define PACE_DAEMON_OPS_OWN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/oplog.h"
#include "daemon/ops.h"
#include "daemon/scrape.h"
#include "daemon/status_server.h"

#define PACE_OPS_RING	256			/* events */

/* Limits how many refusals of a kind are logged. */
struct pace_ops_limit {
	int64_t		since_ns;
	int		left;
	uint64_t	silent;		/* refusals not logged since the last line */
};

struct pace_ops {
	struct pace_ops_cfg cfg;
	struct pace_oplog log;
	struct pace_stats_page *watches;
	struct pace_session_stats *views;	/* used by the thread */
	uint64_t	*turns;
	/* used by the thread: */
	bool		wants;		/* a reader wants distributions */
	const char	*root;
	struct pace_host_sample glance;	/* the host's counters */
	struct pace_status_server *readers;	/* NULL: no status socket */
	struct pace_scrape *scrape;
	struct pace_serve *serve;
	pthread_t	thread;
	bool		running;
	int		wake;		/* eventfd */
	int64_t		looked_ns;	/* used by the main thread */
	bool		logged_stop;
	/* used by the thread: totals at the start of the current minute */
	struct pace_totals minute;
	/* under the lock */
	pthread_mutex_t	lock;
	struct pace_totals sums;
	struct pace_addr keyless_from;	/* as in the responder */
	uint64_t	*counted;	/* by slot: the session whose tally is in the sums */
	struct pace_session_stats *seen;		/* by slot: the newest copy of the board */
	struct pace_ops_limit	limits[PACE_REFUSED_KINDS];
	struct pace_event *ring;
	unsigned	first, n;
	uint64_t	lost;		/* lost events, not reported yet */
	bool		summary, end;	/* requests to the thread */
};

/* Wake the thread: there is work. */
void	pace_ops_wake(struct pace_ops *o);

/* Return a free place in the ring; NULL: the ring is full.  With the lock held. */
struct pace_event	*pace_ops_place(struct pace_ops *o, enum pace_event_kind kind);

/* Take an event; called by the thread of a session, or of the listener. */
void	pace_ops_event(void *ctx, const struct pace_session_event *n);

/* Copy the listener's counts; called by its thread, between two batches. */
void	pace_ops_look(void *ctx, struct pace_responder *r);

/* Log once that a signal has come. */
void	pace_ops_tell_stopping(struct pace_ops *o, uint64_t active);

/* Add the sums and the boards into t, and copy the boards to views unless it is NULL. */
void	pace_ops_sum_up(struct pace_ops *o, struct pace_totals *t,
	    struct pace_session_stats *views);

/* Return the metrics, which the caller frees; NULL: no memory.  ctx is the pace_ops; in any thread. */
char	*pace_ops_metrics(void *ctx, size_t *size);

/* Main function of the thread; arg is the pace_ops. */
void	*pace_ops_run(void *arg);

#endif
