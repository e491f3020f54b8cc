/*
 * snap.h - what the monitor knows: everything that a screen shows, and nothing else.
 *
 * Purpose    the history and the figures of what goes on (status.h), for all that shows it.
 * Fed        by one struct pace_status after another, or by lines of udpace-status/1, which
 *            are read into one; or by lines of a result (--jsonl, or the journal of a sweep):
 *            its points.
 * History    a tick is what one line told of one session; the newest PACE_TICKS of
 *            each session are kept.  One without a measurement is a gap.  A line of a
 *            longer time than is usual becomes as many ticks, with even parts of it
 *            (shared): a column of a graph is the same time everywhere.
 * Loss       is what is missing so far.  A frame that came late after all lowers it
 *            in a later tick, which may be below 0.
 * Memory     grows with what is told: at most PACE_SNAP_SESSIONS sessions.
 * Units      ns, bytes, frames; times of day are ns since 1970.
 * Threads    none.
 * Trust      lines may hold anything: what is not understood is refused whole and
 *            changes nothing.  Texts are free of control characters, but may hold
 *            any other character: pace_canvas_text takes care of these.
 */
#ifndef PACE_LIVE_SNAP_H
#define PACE_LIVE_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/status.h"

#define PACE_TICKS		3600
#define PACE_SNAP_SESSIONS	1024
#define PACE_SNAP_EVENTS	512
#define PACE_BLANKS		600	/* ticks at most that stand for a hole between lines */

/* So many at least and at most, and the best estimate; alike: exactly. */
struct pace_bounds {
	uint64_t	low, high, n;
};

enum pace_tick_kind {
	PACE_TICK_NONE,		/* no stream: nothing was measured */
	PACE_TICK_PART,		/* a stream began or ended in it */
	PACE_TICK_WHOLE
};

struct pace_tick {
	enum pace_tick_kind kind;
	bool		dead;		/* a steady stream ran, and nothing came */
	bool		shared;		/* an even part of what a line told of a longer time */
	int64_t		at_ns, span_ns;
	int64_t		active_ns;	/* of the span, the time that frames came in; 0: too few
					 * did to speak of a rate */
	struct pace_tally n;
	uint64_t	host_nic, host_ip;	/* what the host counted meanwhile: struct pace_loss_locations */
	int64_t		host_gap;	/* what its NIC received more than IP did; below 0: it caught up */
	struct pace_moments gaps, above;	/* above: delay above the least of the run */
	int64_t		jitter_ns;	/* -1: none */
};

/* Now, least, most and mean of a figure; n 0: there was none. */
struct pace_range {
	uint64_t	n;
	double		now, min, max, sum, weight;	/* mean = sum / weight */
	bool		known;		/* now is of the newest tick */
};

enum pace_live_figure { PACE_FIG_WIRE, PACE_FIG_IP, PACE_FIG_DATA, PACE_FIG_FRAMES, PACE_FIG_LOSS,
	PACE_FIG_ORDER, PACE_FIG_GAP, PACE_FIG_JITTER, PACE_FIG_DELAY, PACE_FIG_RTT,
	PACE_FIG_SENT,		/* frames a second, by the sender */
	PACE_FIGURES };

#define PACE_DISTS_KEPT	11	/* lines: the window is what came in the last 10 of them */

/* Distributions of a run, as the newest lines told them. */
struct pace_snap_dists {
	uint64_t	run, lines;	/* lines ever, of this run */
	struct pace_snap_dist {
		int64_t	at_ns;
		struct pace_coarse_hist_list of[PACE_DISTS];
	} kept[PACE_DISTS_KEPT];	/* ring by lines */
};

/* The whole of a capture. */
struct pace_snap_capture {
	struct pace_capture_status now;
	uint64_t	base;		/* of both drops, when the screen began to count */
	int64_t		doubt_ns;	/* so long losses may be its own; 0: they are not */
	uint64_t	doubt;		/* frames it dropped in that time */
};

struct pace_snap_session {
	struct pace_session_status now;	/* by the newest line */
	bool		seen;		/* it is in that line */
	int64_t		doubtful;	/* of the lost ones of a flow: while the capture itself dropped
					 * frames */
	int		calm;		/* lines without loss, behind one with it */
	struct pace_moments way[PACE_WAYS];	/* of all lines that told of the probe */
	struct pace_tally base;		/* when the counters on the screen began */
	/* when a look at the host was first told of, the last time but one, and last */
	struct pace_tally unseen, settled, looked;
	struct pace_range of[PACE_FIGURES];	/* rates in bit/s, loss 0 to 1 */
	struct { double sum, weight; } past[PACE_FIGURES];	/* of figures before a reset */
	uint64_t	ticks, room;	/* ticks ever */
	struct pace_tick *tick;		/* ring of room */
	struct pace_tick newest;	/* of the newest line, whole; at_ns 0: none */
	int64_t		up_ns;		/* the responder's uptime then */
	uint64_t	loss_event;	/* its number while loss goes on, 0: it does not */
	int64_t		loss_ns, dead_ns;	/* dead: nothing came so long, what is lost is not known */
	struct pace_tally loss;
	struct pace_snap_dists *dists;	/* NULL: none were told */
};

enum pace_mood { PACE_MOOD_PLAIN, PACE_MOOD_WARN, PACE_MOOD_BAD };

struct pace_snap_event {
	int64_t		at_ns;
	uint64_t	session;	/* 0: none */
	enum pace_mood	mood;
	char		text[160];
};

#define PACE_POINTS	4096

/* A point of a sweep, as JSON lines of a result have it. */
struct pace_snap_point {
	uint64_t	size_bytes, frames, lost, reordered;
	double		spacing_ns, wire_bps;	/* received; NAN: not known */
	double		loss;			/* 0 to 1; NAN: it failed, or */
	bool		skipped;
	char		diagnosis[120];
};

/* One that is to be measured. */
struct pace_snap_cell {
	uint64_t	size_bytes;
	double		spacing_ns;
};

/* Where a campaign is. */
struct pace_snap_step {
	char		text[120];	/* "": it is none */
	uint64_t	number, of;
	int64_t		at_ns;		/* it began then; 0: not told */
	int64_t		all_ns;		/* it will take so long; -1: not known */
	int64_t		after_ns;	/* and those behind it, as far as known: */
	bool		after_whole;	/* of all of them */
};

struct pace_snap_sweep {
	char		target[64];
	struct pace_snap_step step;	/* of a campaign */
	bool		is_now;		/* a point is being measured: */
	uint64_t	now_index;	/* its place in the plan */
	uint64_t	now_bytes;
	double		now_spacing_ns;
	int64_t		now_at_ns;	/* it began then; 0: not told */
	int64_t		point_ns;	/* and takes so long */
	int64_t		left_ns;	/* with all that follow, when it began */
	uint64_t	planned;	/* 0: not told */
	uint64_t	train;		/* frames back to back; 0 and 1: there are no trains */
	size_t		plans;
	struct pace_snap_cell plan[PACE_POINTS];
	bool		ended;
	size_t		skipped;	/* of the points below */
	uint64_t	left_out;	/* points for which there was no room */
	size_t		n;
	struct pace_snap_point point[PACE_POINTS];	/* as they came; the newest of a pair counts */
};

struct pace_snap {
	bool		has_head;
	struct pace_status_head head;
	int64_t		interval_ns;	/* between lines, usual */
	int64_t		last_span_ns;	/* of the newest line */
	bool		agreed;		/* two lines, one after the other, had that interval */
	int64_t		at_ns, first_ns;	/* newest and oldest line; 0: none yet */
	int64_t		reset_ns;	/* when the counters on the screen were reset; 0: never */
	uint64_t	lines;
	struct pace_totals totals;	/* of the responder */
	int64_t		uptime_ns;
	struct pace_snap_session *session;	/* in the order of their numbers */
	size_t		n, room;
	uint64_t	left_out;	/* sessions for which there was no room */
	struct pace_snap_event event[PACE_SNAP_EVENTS];	/* ring, by number */
	uint64_t	events;		/* ever; the newest has this number */
	struct pace_host_status host, host_was, host_first;	/* now, the look before, since
							 * when the screen counts */
	struct pace_snap_capture capture;	/* not known: lines are of a responder */
	struct pace_host_status host_begin;	/* the first look of all */
	struct pace_snap_sweep *sweep;	/* NULL: none was told of */
	uint64_t	newest_nic, newest_ip;	/* what the host counted since the look before; 0: this
						 * line brought none */
	int64_t		newest_gap;
	struct pace_snap_sweep *last_sweep;	/* of a campaign, with points; NULL: none */
	bool		campaign;	/* one that goes on here */
	bool		told_point, told_sweep;	/* by the newest line: a point; it was of a sweep */
	char		error[160];	/* what the responder said against us, "": nothing */
};

struct pace_snap	*pace_snap_new(void);	/* NULL: no memory */
void	pace_snap_free(struct pace_snap *s);	/* NULL will do */
/* A copy of its own; NULL: no memory. */
struct pace_snap	*pace_snap_copy(const struct pace_snap *s);
/* As new. */
void	pace_snap_clear(struct pace_snap *s);

/* What goes on now; its sessions are put in order.  -EINVAL: it contradicts itself, and changes
 * nothing; -ENOMEM. */
int	pace_snap_take(struct pace_snap *s, struct pace_status *st);
/* A responder, or a capture, begins to tell; another one than before: nothing else is known. */
void	pace_snap_begin(struct pace_snap *s, const struct pace_status_head *h);

/* One line, without its end.  0: it told of sessions, or of a point; 1: of the responder, or of a
 * mistake (error); -EINVAL: it is none of udpace-status/1; -ENOMEM. */
int	pace_snap_feed(struct pace_snap *s, const char *line, size_t len);

/* The time of day that a line tells, without a look at the rest; 0: none. */
int64_t	pace_snap_time(const char *line, size_t len);

/* The figures on the screen begin anew. */
void	pace_snap_reset(struct pace_snap *s);

/* The index of the session of that number, -1: none.  number 0: of the one to show by
 * itself, that has a stream or had one last. */
int	pace_snap_find(const struct pace_snap *s, uint64_t number);

/* A tick by its age, 0 the newest; NULL: too old. */
const struct pace_tick	*pace_snap_tick(const struct pace_snap_session *v, uint64_t age);

/* An event by its age, 0 the newest; NULL: too old. */
const struct pace_snap_event	*pace_snap_event(const struct pace_snap *s, uint64_t age);
void	pace_snap_note(struct pace_snap *s, uint64_t session, enum pace_mood mood,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* --- of what is kept --- */

/* A distribution, of the whole run, or of the newest lines (recent).  *span_ns: the time of
 * these, 0: the whole run.  False: there is none. */
bool	pace_snap_dist(const struct pace_snap_session *v, enum pace_dist d, bool recent,
	    struct pace_coarse_hist_list *l, int64_t *span_ns);

/* Of a count of the host: how much in a second, by the last two looks; NAN: not known. */
double	pace_host_rate(const struct pace_snap *s, enum pace_host_counter c);
/* Since the counters on the screen began. */
uint64_t	pace_host_since(const struct pace_snap *s, enum pace_host_counter c);
/* From one look to another; 0: not known in both. */
uint64_t	pace_host_risen(const struct pace_host_status *now, const struct pace_host_status *then,
		    enum pace_host_counter c);
/* What the responder takes of a core, 0.1: a tenth; NAN: not known. */
double	pace_host_own(const struct pace_snap *s);

/* Lost in the session's socket, and elsewhere.  Drops there can be of other datagrams, and
 * of pieces of trains, of which each is many frames: nothing of them is sure. */
struct pace_bounds	pace_count_socket(const struct pace_tally *n);
struct pace_bounds	pace_count_elsewhere(const struct pace_tally *n);
/* "7" exactly; "~5 (2 to 7)", "~5" where that does not fit into so many cells. */
#define PACE_BOUNDS_SIZE	96
const char	*pace_bounds_text(const struct pace_bounds *b, int cells, char buf[PACE_BOUNDS_SIZE]);

/* Where frames of a session were lost. */
struct pace_loss_locations {
	uint64_t	lost;
	struct pace_bounds socket, before;
	bool		pieces;		/* of trains: counters of a host may count many as one */
	bool		host;		/* what follows is known */
	/* what its host counted, of all traffic */
	uint64_t	nic, ip;	/* NIC or backlog; came to IP and to nobody above it */
	uint64_t	unaccounted;	/* came by the NIC and not to IP: also of other protocols, or
					 * put together */
	struct pace_bounds network;	/* the rest: the network, or counted nowhere */
};
/* Since the figures on the screen began; whole: of all its life. */
void	pace_snap_places(const struct pace_snap *s, const struct pace_snap_session *v, bool whole,
	    struct pace_loss_locations *p);
/* The mark of a loss as in a strip; ' ' when it is NAN. */
char	pace_mark_of(double loss);

/* A rate of a tick in bit/s, over the time that its stream ran; NAN: no stream, or too little
 * of one. */
double	pace_tick_bps(const struct pace_tick *t, enum pace_live_figure unit, bool ipv6);
double	pace_tick_fps(const struct pace_tick *t);	/* the same of frames */
/* bits that a frame of it counts. */
double	pace_run_frame_bits(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6);
/* bit/s that was asked for; 0: as fast as possible, or not known. */
double	pace_run_asked_bps(const struct pace_run_stats *r, enum pace_live_figure unit, bool ipv6);

/* '.' none, '1' to '5' by decades from 0.01 %, 'X' nothing came, ' ' not measured;
 * age and count of ticks. */
char	pace_loss_mark(const struct pace_snap_session *v, uint64_t age, uint64_t count);

/* Frames that the capture itself dropped since the screen counts. */
uint64_t	pace_capture_dropped(const struct pace_snap *s);

/* Label or address. */
const char	*pace_session_name(const struct pace_snap_session *v);

#endif
