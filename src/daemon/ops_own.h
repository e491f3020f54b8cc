/*
 * ops_own.h - the inside of ops.h.
 *
 * Threads    one writes the log and serves the status socket (ops_thread.c).  Sessions
 *            put events into a ring and wake it (ops_news.c); under the lock are the ring
 *            and the sums, which change when something happens, never with a frame.  The
 *            boards of sessions are read without a lock, but no session ends meanwhile:
 *            it is in the sums or on its board, not in both.
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

/* How many refusals of a kind may be logged now. */
struct pace_ops_limit {
	int64_t		since_ns;
	int		left;
	uint64_t	silent;		/* not logged since the last line */
};

struct pace_ops {
	struct pace_ops_cfg cfg;
	struct pace_oplog log;
	struct pace_stats_page *watches;
	struct pace_session_stats *views;	/* of the thread */
	uint64_t	*turns;
	/* of the thread: */
	bool		wants;		/* distributions are wanted */
	const char	*root;
	struct pace_host_sample glance;	/* of the host */
	struct pace_status_server *readers;	/* NULL: no status socket */
	struct pace_scrape *scrape;
	struct pace_serve *serve;
	pthread_t	thread;
	bool		running;
	int		wake;		/* eventfd */
	int64_t		looked_ns;	/* main thread's */
	bool		told_stop;
	/* of the thread: the last minute's begin */
	struct pace_totals minute;
	/* under the lock */
	pthread_mutex_t	lock;
	struct pace_totals sums;
	uint64_t	*counted;	/* by slot: the number whose tally is in the sums */
	struct pace_session_stats *seen;		/* by slot: the newest copy that could be had */
	struct pace_ops_limit	limits[PACE_REFUSED_KINDS];
	struct pace_event *ring;
	unsigned	first, n;
	uint64_t	lost;		/* events, not told yet */
	bool		summary, end;	/* wanted */
};

/* Something happened: the thread is to look. */
void	pace_ops_wake(struct pace_ops *o);

/* With the lock held: a place in the ring, NULL: there is none. */
struct pace_event	*pace_ops_place(struct pace_ops *o, enum pace_event_kind kind);

/* In the thread of a session, or of the listener. */
void	pace_ops_event(void *ctx, const struct pace_session_event *n);

/* In the thread of the listener, between two batches. */
void	pace_ops_look(void *ctx, struct pace_responder *r);

/* Once, when a signal has come. */
void	pace_ops_tell_stopping(struct pace_ops *o, uint64_t active);

/* The sums and what stands on the boards; with a copy of these, views NULL: without. */
void	pace_ops_sum_up(struct pace_ops *o, struct pace_totals *t, struct pace_session_stats *views);

/* The thread; arg is the pace_ops. */
void	*pace_ops_run(void *arg);

#endif
