/*
 * live_run_own.h - private to live*.c: what the measuring thread hands over, and what is made
 * of it.
 */
#ifndef PACE_LIVE_LIVE_RUN_OWN_H
#define PACE_LIVE_LIVE_RUN_OWN_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "core/clockfit.h"
#include "live/live_run.h"
#include "live/status.h"
#include "live/status_source.h"
#include "proto/report.h"

#define PACE_LIVE_ITEMS		64	/* reports, powers of two */
#define PACE_LIVE_TIMES		8192	/* exchanges */

/* A report as it came, and what the sender knew then. */
struct pace_live_item {
	uint64_t	run, session;	/* from 1 */
	bool		last;		/* no other run follows */
	int64_t		now_ns;
	uint64_t	sent, refused;	/* of this run */
	uint64_t	asked;		/* exchanges, of all runs */
	uint64_t	late;		/* frames that left more than a spacing late */
	struct pace_stats gaps;		/* from departure to departure; */
	uint64_t	near;		/* so many as asked for, nearly */
	size_t		len;
	char		body[PACE_CLIENT_ROOM];
};

struct pace_live_time {			/* of an exchange that was answered, tightest stamps */
	int64_t		t1_ns, t2_ns, t3_ns, t4_ns;
};

/* One writes, another reads. */
struct pace_live_ring {
	_Atomic uint64_t put, got;
};

/* What the reader has made of it so far. */
struct pace_live_scenario {
	bool		told_head;
	uint64_t	lines, run, bad;
	int64_t		silent_ns;	/* when that was told last */
	int64_t		first_ns, at_ns;	/* our clock: begin of the stream, of the newest report */
	int64_t		their_ns;	/* theirs, of that report */
	uint64_t	session_number;
	struct pace_report report;	/* newest of this run */
	uint64_t	sent, refused;	/* of runs before this one */
	uint64_t	run_sent, run_refused, sent_told, asked;
	uint64_t	run_late, run_near;	/* and what was told of that run */
	struct pace_stats run_gaps;
	struct pace_tally past;		/* of those runs */
	struct pace_stats past_gaps;
	struct pace_coarse_hist_list past_gap, past_delay;	/* distributions of these */
	struct pace_recent ever;	/* extremes, of all reports */
	struct pace_session_pair pair;
	struct pace_status_head head;
	struct pace_status status;	/* of one session: */
	struct pace_status_session session;
	struct pace_clockfit fit;
	struct pace_clock_estimate theta;
	int64_t		cost_ns;	/* our thread's, up to the newest line */
};

struct pace_live {
	struct pace_live_cfg cfg;
	struct pace_peer peer;
	pthread_t	thread;
	bool		started, joined;
	int		tid;		/* of the measuring thread */
	_Atomic int	core;		/* where that was seen last; below 0: not known */
	int		off;		/* where the reader keeps off */
	int		wake;		/* eventfd */
	volatile sig_atomic_t stop;	/* as the sender looks at it: told by a plain store, and looked
					 * for again and again */
	_Atomic int	phase;		/* enum pace_live_phase */
	_Atomic bool	waiting;	/* for another client to end */
	_Atomic bool	hushed;
	void		(*on_busy)(void *ctx, const struct pace_msg_error *who);	/* peer's */
	void		*busy_ctx;
	/* the measuring thread's */
	struct pace_point *pt;
	int64_t		began_ns;
	uint64_t	run, sessions;
	int		cuts;		/* of the length of the next run, in a row */
	bool		followed;	/* exchanges have the stamps of their replies' departures */
	int		rc;		/* read when it is over */
	struct pace_err	err;
	/* handed over */
	struct pace_live_ring items, times;
	struct pace_live_item item[PACE_LIVE_ITEMS];
	struct pace_live_time time[PACE_LIVE_TIMES];
	/* the reader's */
	struct pace_live_scenario story;
};

enum pace_live_phase { PACE_LIVE_BEGINS, PACE_LIVE_GOES, PACE_LIVE_OVER };

/* What the next report tells, if there is one, or that none came for too long; false: nothing. */
bool	pace_live_take(struct pace_live *l, int64_t now_ns, struct pace_status_source_item *item);

#endif
