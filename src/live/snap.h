/*
 * snap.h - the monitor's data: everything that a screen shows, and nothing else.
 *
 * Purpose    the history and the current figures of sessions, captures and sweeps (status.h),
 *            for all views.
 * Input      a sequence of struct pace_status; or lines of udpace-status/1, each read into
 *            one; or lines of a result (--jsonl, or the journal of a sweep) with its points.
 * History    a tick holds what one line reports about one session; the newest PACE_TICKS of
 *            each session are kept, of one of several streams PACE_TICKS_OF_STREAM.  A tick without a measurement is a gap.  A line for a
 *            longer time than usual becomes several ticks with equal parts of it (shared), so
 *            that each column of a graph is the same time.
 * Loss       counts the frames missing so far.  A frame that arrives late lowers the loss in
 *            a later tick, which may then be below 0.
 * Memory     grows with the input, up to PACE_SNAP_SESSIONS sessions.
 * Units      ns, bytes, frames; times of day are ns since 1970.
 * Threads    none.
 * Trust      lines may contain anything: an invalid line is rejected and changes nothing.
 *            Texts have no control characters, but any other character;
 *            pace_canvas_text handles these.
 */
#ifndef PACE_LIVE_SNAP_H
#define PACE_LIVE_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/status.h"

#define PACE_TICKS		3600
#define PACE_TICKS_OF_STREAM	600	/* of one of several streams */
#define PACE_SNAP_SESSIONS	1024
#define PACE_SNAP_EVENTS	512
#define PACE_BLANKS		600	/* most ticks for a hole between lines */

/* Lower bound, upper bound and best estimate; all equal: exact. */
struct pace_bounds {
	uint64_t	low, high, n;
};

enum pace_tick_kind {
	PACE_TICK_NONE,		/* no stream: nothing was measured */
	PACE_TICK_PART,		/* a stream began or ended in the interval */
	PACE_TICK_WHOLE
};

struct pace_tick {
	enum pace_tick_kind kind;
	bool		dead;		/* a steady stream ran, but no frame arrived */
	bool		out;		/* part of an outage: no report arrived */
	int64_t		behind_ns;	/* also covers this time before it */
	bool		shared;		/* an equal part of a line for a longer time */
	int64_t		at_ns, span_ns;
	int64_t		active_ns;	/* the part of span_ns in which frames arrived; 0: too
					 * few frames for a rate */
	struct pace_tally n;
	uint64_t	host_nic, host_ip;	/* frames counted by the host in this time:
						 * struct pace_loss_locations */
	int64_t		host_gap;	/* frames received by the NIC minus frames received by
					 * IP; below 0: IP caught up */
	struct pace_moments gaps, above;	/* above: delay above the minimum of the run */
	int64_t		jitter_ns;	/* -1: none */
};

/* Current, minimum, maximum and mean of a figure; n 0: no value. */
struct pace_range {
	uint64_t	n;
	double		now, min, max, sum, weight;	/* mean = sum / weight */
	bool		known;		/* now belongs to the newest tick */
};

enum pace_live_figure { PACE_FIG_WIRE, PACE_FIG_IP, PACE_FIG_DATA, PACE_FIG_FRAMES, PACE_FIG_LOSS,
	PACE_FIG_ORDER, PACE_FIG_GAP, PACE_FIG_JITTER, PACE_FIG_DELAY, PACE_FIG_RTT,
	PACE_FIG_SENT,		/* frames per second sent */
	PACE_FIG_TCP_IN, PACE_FIG_TCP_OUT, PACE_FIG_TCP_RTT,	/* of connections: bit/s, ns */
	PACE_FIG_TOTAL, PACE_FIG_THERE, PACE_FIG_BACK,	/* of exchanges: enum pace_way */
	PACE_FIGURES };

#define PACE_DISTS_KEPT	11	/* in lines: the recent window covers the last 10 */

/* Distributions of a run, from the newest lines. */
struct pace_snap_dists {
	uint64_t	run, lines;	/* lines of this run so far */
	struct pace_snap_dist {
		int64_t	at_ns;
		struct pace_coarse_hist_list of[PACE_DISTS];
	} kept[PACE_DISTS_KEPT];	/* a ring, indexed by lines */
};

/* State of a capture. */
struct pace_snap_capture {
	struct pace_capture_status now;
	uint64_t	base;		/* drops when the screen's counters began */
	int64_t		doubt_ns;	/* remaining time in which losses may be the capture's
					 * own drops; 0: none */
	uint64_t	doubt;		/* frames dropped by the capture in that time */
};

struct pace_snap_session {
	struct pace_session_status now;	/* from the newest line */
	bool		seen;		/* the newest line has this session */
	int64_t		doubtful;	/* lost frames of a flow that the capture itself may have
					 * dropped */
	int		calm;		/* lines without loss since the last one with loss */
	struct pace_moments way[PACE_WAYS];	/* from all lines with probe figures */
	struct pace_tally base;		/* counts when the screen's counters began */
	/* counts at the first, the second to last and the last line with a new sample of the
	 * host */
	struct pace_tally unseen, settled, looked;
	struct pace_range of[PACE_FIGURES];	/* rates in bit/s, loss 0 to 1 */
	struct { double sum, weight; } past[PACE_FIGURES];	/* sums before a reset */
	uint64_t	ticks, room;	/* ticks so far */
	struct pace_tick *tick;		/* a ring of room entries */
	uint64_t	unknown;	/* frames of the current outage that no report will cover */
	uint64_t	out_line;	/* the newest line in which it had an outage or one ended */
	uint64_t	outs;		/* number of newest ticks in an outage, */
	int64_t		out_ns;		/* and their time */
	struct pace_tick newest;	/* from the newest line, undivided; at_ns 0: none */
	int64_t		up_ns;		/* the responder's uptime at that line */
	uint64_t	loss_event;	/* number of the event while loss continues; 0: no loss */
	int64_t		loss_ns, dead_ns;	/* dead: how long no frame arrived; the loss in
						 * that time is not known */
	struct pace_tally loss;
	struct pace_snap_dists *dists;	/* NULL: no distributions reported */
};

enum pace_mood { PACE_MOOD_PLAIN, PACE_MOOD_WARN, PACE_MOOD_BAD };

struct pace_snap_event {
	int64_t		at_ns;
	uint64_t	session;	/* its key; 0: no session */
	enum pace_mood	mood;
	char		text[160];
};

#define PACE_POINTS	4096

/* A point of a sweep, from the JSON lines of a result. */
struct pace_snap_point {
	uint64_t	size_bytes, frames, lost, reordered;
	double		spacing_ns, wire_bps;	/* received rate; NAN: not known */
	double		loss;			/* 0 to 1; NAN: the point failed or was skipped */
	bool		skipped;
	char		diagnosis[120];
};

/* A planned point. */
struct pace_snap_cell {
	uint64_t	size_bytes;
	double		spacing_ns;
};

/* The current step of a campaign. */
struct pace_snap_step {
	char		text[120];	/* "": no step */
	uint64_t	number, of;
	int64_t		at_ns;		/* start of the step; 0: not known */
	int64_t		all_ns;		/* planned time of the step; -1: not known */
	int64_t		after_ns;	/* planned time of the steps after it, as far as known */
	bool		after_whole;	/* after_ns includes all of them */
};

struct pace_snap_sweep {
	char		target[64];
	struct pace_snap_step step;	/* of a campaign */
	bool		is_now;		/* a point is being measured */
	uint64_t	now_index;	/* its place in the plan */
	uint64_t	now_bytes;
	double		now_spacing_ns;
	int64_t		now_at_ns;	/* start of the point; 0: not known */
	int64_t		point_ns;	/* planned time of the point */
	int64_t		left_ns;	/* planned time of this point and all after it, at its
					 * start */
	uint64_t	planned;	/* points planned; 0: not known */
	uint64_t	train;		/* frames back to back; 0 or 1: no trains */
	size_t		plans;
	struct pace_snap_cell plan[PACE_POINTS];
	bool		ended;
	size_t		skipped;	/* among the points below */
	uint64_t	left_out;	/* points that did not fit */
	size_t		n;
	struct pace_snap_point point[PACE_POINTS];	/* in the order of arrival; for equal
							 * size and spacing the newest counts */
};

struct pace_snap {
	bool		has_head;
	struct pace_status_head head;
	int64_t		interval_ns;	/* usual time between lines */
	int64_t		last_span_ns;	/* time that the newest line covers */
	bool		agreed;		/* two successive lines had that interval */
	int64_t		at_ns, first_ns;	/* newest line, and begin of the oldest one's interval; 0:
					 * none yet */
	int64_t		reset_ns;	/* when the counters on the screen were reset; 0: never */
	uint64_t	lines;
	struct pace_totals totals;	/* of the responder */
	int64_t		uptime_ns;
	struct pace_snap_session *session;	/* sorted by key */
	size_t		n, room;
	uint64_t	left_out;	/* sessions that did not fit */
	struct pace_host_status host, host_was, host_first;	/* the latest sample, the one
								 * before, and the one when the
								 * screen's counters began */
	struct pace_snap_capture capture;	/* not known: the lines come from a responder */
	struct pace_host_status host_begin;	/* the first sample */
	struct pace_snap_sweep *sweep;	/* NULL: no sweep reported */
	uint64_t	newest_nic, newest_ip;	/* frames counted by the host since the sample
						 * before; 0: no new sample in this line */
	int64_t		newest_gap;
	struct pace_snap_sweep *last_sweep;	/* the last step of a campaign with points; NULL:
						 * none */
	bool		campaign;	/* a campaign is running in this program */
	bool		line_has_point, line_of_sweep;	/* of the newest line */
	char		error[160];	/* the responder's error message; "": none */
	/* kept when another responder begins: */
	uint64_t	events;		/* events so far; the number of the newest */
	struct pace_snap_event event[PACE_SNAP_EVENTS];	/* a ring, indexed by number */
};

struct pace_snap	*pace_snap_new(void);	/* NULL: no memory */
void	pace_snap_free(struct pace_snap *s);	/* accepts NULL */
/* Make an independent copy; NULL: no memory. */
struct pace_snap	*pace_snap_copy(const struct pace_snap *s);
/* Reset to the state after pace_snap_new. */
void	pace_snap_clear(struct pace_snap *s);

/* Add a status and sort its sessions.  -EINVAL: it contradicts itself, nothing is changed;
 * -ENOMEM. */
int	pace_snap_take(struct pace_snap *s, struct pace_status *st);
/* Begin with a responder or a capture.  If it is another one than before, everything but the
 * events is cleared. */
void	pace_snap_begin(struct pace_snap *s, const struct pace_status_head *h);

/* Add one line, given without its line end.  0: it had sessions or a point; 1: it had
 * something else, such as the responder's head or an error message; -EINVAL: not a line of
 * udpace-status/1; -ENOMEM. */
int	pace_snap_feed(struct pace_snap *s, const char *line, size_t len);

/* Find the time of day in a line without parsing the rest; 0: none. */
int64_t	pace_snap_time(const char *line, size_t len);

/* Restart the figures on the screen. */
void	pace_snap_reset(struct pace_snap *s);

/* Find the index of a session, or of one of its streams, by its key; -1: none.  key 0: choose the
 * session to show, one that has a stream or had the latest one. */
int	pace_snap_find(const struct pace_snap *s, uint64_t key);

/* Find the stream of this session that lost most in the newest line; if none lost, the one with the
 * fewest frames.  NULL: the session has one stream. */
const struct pace_snap_session	*pace_snap_worst(const struct pace_snap *s,
				    const struct pace_snap_session *v);

/* Duration so far of an outage of our own stream; 0: no outage. */
int64_t	pace_snap_outage(const struct pace_snap_session *v);

/* Get a tick by age, 0 is the newest; NULL: no longer kept. */
const struct pace_tick	*pace_snap_tick(const struct pace_snap_session *v, uint64_t age);

/* Get an event by age, 0 is the newest; NULL: no longer kept. */
const struct pace_snap_event	*pace_snap_event(const struct pace_snap *s, uint64_t age);
void	pace_snap_note(struct pace_snap *s, uint64_t session, enum pace_mood mood,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* --- the data that are kept --- */

/* Get a distribution of the whole run, or of the newest lines (recent).  *span_ns: the time
 * these cover; 0: the whole run.  False: no data. */
bool	pace_snap_dist(const struct pace_snap_session *v, enum pace_dist d, bool recent,
	    struct pace_coarse_hist_list *l, int64_t *span_ns);

/* Rate of a counter of the host per second, from the last two samples; NAN: not known. */
double	pace_host_rate(const struct pace_snap *s, enum pace_host_counter c);
/* Increase of a counter since the screen's counters began. */
uint64_t	pace_host_since(const struct pace_snap *s, enum pace_host_counter c);
/* Increase of a counter from one sample to another; 0: not known in both. */
uint64_t	pace_host_risen(const struct pace_host_status *now,
    const struct pace_host_status *then,
		    enum pace_host_counter c);
/* Share of a core that the responder uses, 0 to 1; NAN: not known. */
double	pace_host_own(const struct pace_snap *s);

/* Frames lost in the session's socket, and elsewhere.  Drops of the socket may be other
 * datagrams, or pieces of trains with many frames each, so no lower bound is above 0. */
struct pace_bounds	pace_count_socket(const struct pace_tally *n);
struct pace_bounds	pace_count_elsewhere(const struct pace_tally *n);
/* Write "7" if exact; otherwise "~5 (2 to 7)", or "~5" if that does not fit in `cells` cells. */
#define PACE_BOUNDS_SIZE	96
const char	*pace_bounds_text(const struct pace_bounds *b, int cells,
    char buf[PACE_BOUNDS_SIZE]);

/* The loss locations of a session. */
struct pace_loss_locations {
	uint64_t	lost;
	struct pace_bounds socket, before;
	bool		pieces;		/* has trains: counters of the host may count several
					 * frames as one */
	bool		host;		/* the members below are known */
	/* upper bounds, because the host counts all traffic */
	uint64_t	nic, ip;	/* lost in the NIC or the backlog; in the IP layer */
	struct pace_bounds network;	/* all other loss: the network, or a location without a
					 * counter */
};
/* Find the loss locations since the screen's counters began; whole: since the start. */
void	pace_snap_places(const struct pace_snap *s, const struct pace_snap_session *v, bool whole,
	    struct pace_loss_locations *p);
/* The character for a loss ratio in a strip; ' ' for NAN. */
char	pace_mark_of(double loss);

/* A rate of a tick in bit/s, over the time in which its stream ran; NAN: no stream, or not
 * enough of one. */
double	pace_tick_bps(const struct pace_tick *t, enum pace_live_figure unit, bool ipv6);
double	pace_tick_fps(const struct pace_tick *t);	/* frames per second */
/* Bits of a frame of this run in the unit. */
double	pace_run_frame_bits(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6);
/* Requested rate of all its streams in bit/s; 0: as fast as possible, or not known. */
double	pace_run_asked_bps(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6);

/* The character for the loss of `count` ticks from `age` on: '.' no loss, '1' to '5' by decades
 * from 0.01 %, 'X' no frame arrived, 'O' no report arrived, ' ' not measured. */
char	pace_loss_mark(const struct pace_snap_session *v, uint64_t age, uint64_t count);

/* Frames dropped by the capture itself since the screen's counters began. */
uint64_t	pace_capture_dropped(const struct pace_snap *s);

/* The label of a session, or its address. */
const char	*pace_session_name(const struct pace_snap_session *v);

#endif
