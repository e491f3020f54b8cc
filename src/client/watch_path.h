/*
 * watch_path.h - one watched path: a light session with a low-rate stream, kept open for ever; or
 *            the same with a STAMP reflector.
 *
 * Purpose    the client of client.h without waiting: each call does what is due now and returns.
 *            It opens a session, sends frames on a schedule, makes exchanges, requests a report
 *            for each interval, and opens a new session when the old one died.
 * Driving    the caller sends a frame (pace_watch_path_frame) at frame_ns, calls
 *            pace_watch_path_act at work_ns, and both as soon after as it can.  The socket and the
 *            clock are c.io; only send, recv, departures, renumber, now, wall and usage are used.
 * Schedule   frames are due at phase_ns + k * spacing_ns of the probe clock, whatever happens
 *            between: paths that come back together do not send together.  A slot that has
 *            passed is skipped.
 * Dead       after PACE_WATCH_SILENT_NS without an answer the session is given up; then one HELLO
 *            every PACE_WATCH_RETRY_NS +-25 %, or every PACE_WATCH_REFUSED_NS after a refusal.
 * STAMP      each frame is a request, and nobody reports: what the replies say is counted here.  One
 *            request every PACE_WATCH_RETRY_NS shows when a dead reflector answers again; it is no
 *            frame, but an exchange.  A run has no planned end.
 * Runs       a run ends after PACE_WATCH_RUN_NS, is counted to the end, and another one begins in a
 *            new session.
 * Units      ns of the probe clock, bytes.
 * Memory     170 KiB, of which about 100 KiB are used; by STAMP also the requests of 6 s, 88 bytes
 *            each; none per frame.
 * Threads    one.
 * Trust      replies are untrusted, as in client.h.  A report that contradicts what was sent is
 *            ignored.
 */
#ifndef PACE_CLIENT_WATCH_PATH_H
#define PACE_CLIENT_WATCH_PATH_H

#include "client/client.h"
#include "doc/watched.h"
#include "proto/report.h"

#define PACE_WATCH_SILENT_NS	INT64_C(11000000000)
#define PACE_WATCH_RETRY_NS	INT64_C(4000000000)
#define PACE_WATCH_REFUSED_NS	INT64_C(60000000000)
#define PACE_WATCH_RUN_NS	(INT64_C(6) * 3600 * 1000000000)
#define PACE_WATCH_KEPT		64	/* exchanges until they are evaluated */
#define PACE_WATCH_SIZE_MAX	1472

struct pace_watch_cfg {
	uint32_t	size_bytes;	/* PACE_DATA_SIZE .. PACE_WATCH_SIZE_MAX */
	int64_t		spacing_ns;	/* of frames, above 0 and below 2^32 */
	int64_t		phase_ns;	/* of the schedule */
	int64_t		interval_ns;	/* between two reports, PACE_REPORT_NS or more */
	int64_t		report_ns;	/* the first interval is so much longer: paths report in turn */
	int64_t		ping_ns;	/* between two exchanges */
	int64_t		begin_ns;	/* when the watch began: intervals count from it */
};

enum pace_watch_step {
	PACE_WATCH_STEP_WAIT,		/* until the next try */
	PACE_WATCH_STEP_HELLO, PACE_WATCH_STEP_OPEN, PACE_WATCH_STEP_START,
	PACE_WATCH_STEP_RUN,
	PACE_WATCH_STEP_FINISH, PACE_WATCH_STEP_LAST,	/* the last report */
	PACE_WATCH_STEP_OVER
};

struct pace_watch_path {
	struct pace_client c;		/* io, key, label, link are the caller's */
	struct pace_watch_cfg cfg;
	/* Called at the end of each interval with its counts; may be NULL. */
	void		(*interval)(void *ctx, const struct pace_watch_path *p,
			    const struct pace_watch_counts *span);
	void		*ctx;
	/* found */
	int64_t		frame_ns;	/* when the next frame is due; INT64_MAX: none */
	int64_t		work_ns;	/* when pace_watch_path_act is due */
	enum pace_watch_step step;
	uint32_t	failures;	/* in a row */
	struct pace_err	err;		/* the last failure */
	bool		has_clock;
	struct pace_clock_estimate clock;
	struct pace_coarse_hist total, rtt, up, down, up_error, down_error;	/* as in watched.h */
	struct pace_coarse_hist departure;	/* after its due time */
	/* Of the exchanges in the current interval and in the one before. */
	struct pace_watch_exchanges of_now, of_last;
	/* private */
	bool		ending;		/* for ever */
	uint8_t		awaited;	/* type of the request under way; 0: none */
	uint64_t	first, asked;	/* its first number, and how many there were */
	int64_t		again_ns, until_ns;	/* it is repeated, given up */
	int64_t		look_ns, look_step_ns;	/* when the socket is read next */
	int64_t		ping_ns, interval_ns;	/* when they are due */
	uint8_t		cookie[PACE_COOKIE_SIZE];
	int		cookies;	/* refused in a row */
	int64_t		run_ns, heard_ns;	/* the run's begin; the last answer */
	int64_t		refused_ns;	/* since when only "no such session" came; 0: not so */
	uint64_t	run_frames;	/* numbers of the run */
	uint64_t	seen;		/* number of the last report */
	uint64_t	reports;	/* read so far, in all sessions */
	uint64_t	run_sent, run_refused, run_skipped;
	struct pace_tally run;		/* by the last report */
	struct pace_coarse_hist_list run_gap, run_above, gap, above;	/* of it; of earlier runs */
	struct pace_watch_counts base, then;	/* of earlier runs; at the last interval */
	/* directions of lost exchanges */
	uint64_t	first_ping, asked_pings;	/* of the session; when the report was requested */
	struct { uint64_t asked; int64_t there; } reported;	/* asked 0: nothing is open */
	int64_t		run_there, run_back;
	struct { uint64_t timeouts, late, duplicates, foreign, replies, unusable; } before;
	bool		has_last;
	struct pace_exchange last;
	int64_t		low_ns, low_at_ns, low_before_ns;	/* round trips by STAMP; 0: none */
	struct pace_coarse_hist above_rtt;
	int		kept;
	struct pace_exchange keep[PACE_WATCH_KEPT];
	uint8_t		frame[PACE_WATCH_SIZE_MAX];
};

/* Initialise *p, which is zero; the caller then sets c.io and other members, and calls begin.
 * stamp: NULL, or the caller's session with a reflector, with the members that a caller sets.
 * -EIO, -ENOMEM. */
int	pace_watch_path_init(struct pace_watch_path *p, struct pace_stamp_session *stamp,
	    int64_t spacing_ns);
void	pace_watch_path_free(struct pace_watch_path *p);

/* The first HELLO leaves at at_ns. */
void	pace_watch_path_begin(struct pace_watch_path *p, const struct pace_watch_cfg *cfg,
	    int64_t at_ns);

/* Do all work that is due.  It takes up to some 100 µs. */
void	pace_watch_path_act(struct pace_watch_path *p, int64_t now_ns);

/* Send the frame that is due; now_ns is the time right before. */
void	pace_watch_path_frame(struct pace_watch_path *p, int64_t now_ns);

/* Continue with another socket, because the far end has another address: counts stay. */
void	pace_watch_path_move(struct pace_watch_path *p, const struct pace_io *io, int64_t now_ns);

/* End the run, collect its last counts; step becomes PACE_WATCH_STEP_OVER within 3 s. */
void	pace_watch_path_end(struct pace_watch_path *p, int64_t now_ns);

/* The counts since the begin. */
void	pace_watch_path_counts(const struct pace_watch_path *p, int64_t now_ns,
	    struct pace_watch_counts *c);

/* All figures since the begin; name, address and port are the caller's. */
void	pace_watch_path_figures(const struct pace_watch_path *p, int64_t now_ns,
	    struct pace_watched *w);

#endif
