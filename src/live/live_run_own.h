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
	PACE_LIVE_STAMP,	/* what the replies of a STAMP reflector say */
	PACE_LIVE_RUN_OVER,	/* the run has no more reports */
	PACE_LIVE_BUSY,		/* which client is measuring, as text */
	PACE_LIVE_FAILURE	/* the reason for an outage, as text */
};

/* What left, in one run. */
struct pace_live_sent {
	uint64_t	sent, refused;
	uint64_t	late;		/* frames that left more than a spacing late */
	struct pace_stats gaps;		/* gaps between departures; of one stream */
	uint64_t	near;		/* gaps close to the requested spacing */
};

/* A report as received, or a text, with the sender's state at that time. */
struct pace_live_item {
	enum pace_live_item_kind kind;
	uint64_t	run, session;	/* from 1 */
	bool		last;		/* no other run follows */
	int64_t		now_ns;
	struct pace_live_sent tx;	/* of all streams */
	uint32_t	turn;		/* of several: struct pace_watching; */
	struct pace_live_sent *of;	/* PACE_SLICES of them, from stream turn - 1 on */
	struct pace_slice *own_of;	/* as of: our receivers' figures, if the responder sends */
	uint64_t	asked;		/* exchanges in all runs */
	struct pace_report own;		/* our receiver's figures, if the responder sends */
	struct pace_stamp_live live;	/* of a STAMP reflector: */
	struct pace_stamp_result stamp;
	uint64_t	octets;		/* of its replies */
	uint32_t	drops;		/* replies that our socket dropped */
	int64_t		wall_ns;	/* offset of our wall clock when the session began - now */
	size_t		len;
	char		body[PACE_CLIENT_ROOM];
};

struct pace_live_time {			/* an exchange with its reply; the best stamps */
	int64_t		t1_ns, t2_ns, t3_ns, t4_ns;
	bool		untimed;	/* t2 and t3 are not usable */
	uint32_t	clock;		/* how often the responder's clock has jumped */
};

/* A ring between one writer and one reader. */
struct pace_live_ring {
	_Atomic uint64_t put, got;
};

/* The reader's state, made from the items so far. */
struct pace_live_scenario {
	uint32_t	place;		/* of one of several streams, from 1; 0: of all */
	bool		down;		/* of the frames that the responder sends */
	bool		head_written;
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
	uint64_t	session_number;	/* of that report */
	struct {			/* by the latest line that a report made: */
		int64_t		at_ns, their_ns;	/* our clock and theirs, at the report */
		uint64_t	session_number;
		struct pace_live_sent left;
		struct pace_delay_sum delays;	/* of one of several streams, in this run */
	} by_line;
	struct pace_report report;	/* latest report of this run */
	uint64_t	sent, refused;	/* in earlier runs */
	uint64_t	run_sent, run_refused, sent_reported, asked;
	struct pace_live_sent left;	/* in this run, up to the latest report; */
	struct pace_delay_sum delays;	/* and of one of several streams */
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
	uint32_t	clock;		/* of the exchanges in fit */
	struct pace_moments way[PACE_WAYS];	/* of the newest exchanges */
	uint64_t	unanswered;	/* requests since a reply came */
	int64_t		shortest_ns;	/* of a STAMP reflector: round trip; INT64_MAX: none yet */
	struct pace_recent above;	/* round trips above it: since the latest line, */
	struct pace_coarse_hist rtt;	/* and of all */
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
	struct pace_slice own_of[PACE_SLICES];	/* and of each of several streams */
	struct pace_stamp_live live;	/* of a STAMP reflector, at the latest report */
	int64_t		began_ns;
	uint64_t	run, sessions;
	uint64_t	over;		/* the latest run whose end was handed over */
	int		cuts;		/* how often in a row the next run was shortened */
	uint32_t	clocks;		/* jumps of the responder's clock */
	int64_t		offset_ns;	/* of the newest exchange */
	uint32_t	drops;		/* of our socket when the requests began */
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
	/* Of a two-way stream: story is of the frames that this host sends, back of the others, and
	 * the status of story has a session for each. */
	struct pace_live_scenario back;
	struct pace_status_session both[2];
	/* Of several streams: story is of their sum. */
	uint32_t	streams;	/* 0: one */
	uint32_t	turn;		/* of the measuring thread: of the report that came */
	struct pace_live_sent *sent;	/* of: PACE_LIVE_ITEMS times PACE_SLICES */
	struct pace_slice *received;	/* own_of: so many; NULL: the responder does not send */
	struct pace_live_scenario *stream, *back_stream;	/* of story, of back */
	struct pace_status_session *all;	/* of the sum, then of each; and so of back */
	/* from the latest reports, until the slices of all came: of story, of back */
	struct pace_report sum, back_sum;
	int64_t		came_ns;	/* time of the latest report */
};

/* Hand over the state now.  False: the ring is full, or the body is too long. */
bool	pace_live_hand_over(struct pace_live *l, enum pace_live_item_kind kind, const char *body,
	    size_t len, int64_t now_ns);
/* Tell the reader that the stream runs. */
void	pace_live_goes(struct pace_live *l);

/* The stream began: what the reader makes of it is empty. */
void	pace_live_scenario_begin(struct pace_live_scenario *s, int64_t began_ns);
/* What a report says of both directions: up of the frames that this host sends; own of those that
 * the responder sends, with our receiver's figures; sent: by the responder. */
struct pace_live_halves {
	struct pace_report up, own;
	struct pace_live_sent sent;
};

/* True if the report's run has sent all its frames. */
bool	pace_live_has_sent(const struct pace_report *r);
/* Take a report of one session or stream, with what had left when it came. */
void	pace_live_take_report(struct pace_live *l, struct pace_live_scenario *s,
	    const struct pace_live_item *i, const struct pace_live_sent *by,
	    const struct pace_report *r);
/* Make the session of the line: its interval is from the line before to the latest report, also if
 * several reports came meanwhile. */
void	pace_live_tell(struct pace_live_scenario *s);

/*
 * Several streams (live_run_streams.c).  make: before the first run: 0 or -ENOMEM; item: what left,
 * in the measuring thread; begin: the reader's; take: a report of the sum or with slices: 1 when all
 * slices came, h then has the sums; 0, -EPROTO; join: the sessions of the line.
 */
int	pace_live_streams_make(struct pace_live *l);
void	pace_live_streams_free(struct pace_live *l);
void	pace_live_streams_item(struct pace_live *l, struct pace_live_item *i);
void	pace_live_streams_begin(struct pace_live *l);
int	pace_live_streams_take(struct pace_live *l, const struct pace_live_item *i, const json_t *j,
	    struct pace_live_halves *h);
void	pace_live_streams_join(struct pace_live *l);

/* Add what the replies of a STAMP reflector say. */
void	pace_live_stamp_item(struct pace_live *l, struct pace_live_item *i);
/* Exchange with a STAMP reflector up to the end of the stream. */
int	pace_live_stamp_run(struct pace_live *l);
/* Take all exchanges; way gets their times. */
void	pace_live_take_trips(struct pace_live *l);
/* Make a report from an item, after the exchanges were taken; complete the probe's figures. */
void	pace_live_stamp_report(struct pace_live_scenario *s, const struct pace_live *l,
	    const struct pace_live_item *i, struct pace_report *r);
void	pace_live_stamp_fill(struct pace_probe_status *p, const struct pace_live_scenario *s,
	    const struct pace_live_item *i);

enum pace_live_phase { PACE_LIVE_BEGINS, PACE_LIVE_GOES, PACE_LIVE_OVER };

/* Take the next report, or report that none came for too long; false: nothing to report. */
bool	pace_live_take(struct pace_live *l, int64_t now_ns, struct pace_status_source_item *item);

#endif
