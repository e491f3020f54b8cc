/*
 * live_run_own.h - the data that the measuring thread hands over, and the state made from
 * them; private to live*.c.
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

#define PACE_LIVE_ITEMS		64	/* reports; a power of two */
#define PACE_LIVE_SLACK_NS	INT64_C(500000000)	/* by which a report or an answer may be
							 * late */
#define PACE_LIVE_TIMES		8192	/* exchanges */

enum pace_live_item_kind {
	PACE_LIVE_REPORT,
	PACE_LIVE_RUN_OVER,	/* the run has no more reports */
	PACE_LIVE_BUSY,		/* which client is measuring, as text */
	PACE_LIVE_FAILURE	/* the reason for an outage, as text */
};

/* A report as received, or a text, with the sender's state at that time. */
struct pace_live_item {
	enum pace_live_item_kind kind;
	uint64_t	run, session;	/* from 1 */
	bool		last;		/* no other run follows */
	int64_t		now_ns;
	uint64_t	sent, refused;	/* in this run */
	uint64_t	asked;		/* exchanges in all runs */
	uint64_t	late;		/* frames that left more than a spacing late */
	struct pace_stats gaps;		/* gaps between departures; */
	uint64_t	near;		/* gaps close to the requested spacing */
	struct pace_report own;		/* our receiver's figures, if the responder sends */
	size_t		len;
	char		body[PACE_CLIENT_ROOM];
};

struct pace_live_time {			/* an exchange with its reply; the best stamps */
	int64_t		t1_ns, t2_ns, t3_ns, t4_ns;
};

/* A ring between one writer and one reader. */
struct pace_live_ring {
	_Atomic uint64_t put, got;
};

/* The reader's state, made from the items so far. */
struct pace_live_scenario {
	bool		told_head;
	uint64_t	lines, run, bad;
	int64_t		silent_ns;	/* when silence was last reported */
	int64_t		good_ns;	/* when frames or the sender last got through */
	bool		is_out;		/* an outage since out_ns */
	int64_t		out_ns;
	int64_t		out_lost;	/* frames lost before the outage */
	struct pace_outages past_out;	/* outages that have ended */
	char		why[PACE_OUTAGE_WHY];	/* the latest failure */
	char		busy[PACE_PEER_BUSY_SIZE];	/* the client that is measuring */
	uint64_t	unreported;	/* frames of past runs without a report */
	int64_t		first_ns, at_ns;	/* our clock: start of the stream; time of the
						 * latest report */
	int64_t		their_ns;	/* their clock, at that report */
	uint64_t	session_number;
	struct pace_report report;	/* latest report of this run */
	uint64_t	sent, refused;	/* in earlier runs */
	uint64_t	run_sent, run_refused, sent_told, asked;
	uint64_t	run_late, run_near;	/* as reported for that run */
	struct pace_stats run_gaps;
	struct pace_tally past;		/* sum of the earlier runs */
	struct pace_stats past_gaps;
	struct pace_coarse_hist_list past_gap, past_delay;	/* distributions of the earlier
								 * runs */
	struct pace_recent ever;	/* extremes of all reports */
	struct pace_session_pair pair;
	struct pace_status_head head;
	struct pace_status status;	/* has one session: */
	struct pace_status_session session;
	struct pace_clockfit fit;
	struct pace_clock_estimate theta;
	int64_t		cost_ns;	/* CPU time of our thread at the latest line */
};

struct pace_live {
	struct pace_live_cfg cfg;
	struct pace_peer peer;
	pthread_t	thread;
	bool		started, joined;
	int		tid;		/* of the measuring thread */
	_Atomic int	core;		/* its core, as last seen; below 0: not known */
	int		off;		/* the core that the reader avoids */
	int		wake;		/* eventfd */
	_Atomic int64_t	heard_ns;	/* when the responder last sent anything, outside a run */
	_Atomic int64_t	back_ns;	/* the latest such time after a silence */
	volatile sig_atomic_t stop;	/* the sender polls it; a plain store sets it */
	_Atomic int	phase;		/* enum pace_live_phase */
	_Atomic bool	waiting;	/* for another client */
	_Atomic bool	hushed;
	void		(*on_busy)(void *ctx, const struct pace_msg_error *who);	/* the
											 * peer's */
	void		*busy_ctx;
	/* of the measuring thread: */
	struct pace_point *pt;
	struct pace_report own;		/* of the receiver, if the responder sends */
	int64_t		began_ns;
	uint64_t	run, sessions;
	uint64_t	over;		/* the latest run whose end was handed over */
	int		cuts;		/* how often in a row the next run was shortened */
	bool		followed;	/* exchanges have departure stamps of their replies */
	int		rc;		/* valid after the end */
	bool		gave_up;	/* set by the reader: an outage was too long */
	struct pace_err	err;
	/* handed over: */
	struct pace_live_ring items, times;
	struct pace_live_item item[PACE_LIVE_ITEMS];
	struct pace_live_time time[PACE_LIVE_TIMES];
	/* of the reader: */
	struct pace_live_scenario story;
};

enum pace_live_phase { PACE_LIVE_BEGINS, PACE_LIVE_GOES, PACE_LIVE_OVER };

/* Take the next report, or report that none came for too long; false: nothing to report. */
bool	pace_live_take(struct pace_live *l, int64_t now_ns, struct pace_status_source_item *item);

#endif
