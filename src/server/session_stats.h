/*
 * session_stats.h - a session's live statistics and events, for other threads.
 *
 * Purpose    the source of logs, of the status socket and of metrics: a page of statistics
 *            per session that any thread may copy at any time, and events.
 * Cost       the session posts about 280 bytes per batch of frames, never per frame, and
 *            never waits; a reader that is too slow copies again.  Distributions are
 *            10 KiB; they are posted only on request, at most ten times a second.
 * Threads    one writer per page, any number of readers.  Events are delivered in the
 *            thread where they happen; the observer must not block.
 * Units      ns of the probe clock, bytes, frames.
 * Totals     of a session never decrease, except lost: a late frame counted as lost until
 *            it arrived.
 * Secrets    a session is identified by its running number.  The number on the wire
 *            authenticates frames and is never shown.
 */
#ifndef PACE_SERVER_SESSION_STATS_H
#define PACE_SERVER_SESSION_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/coarse_hist.h"
#include "core/io.h"
#include "core/run_stats.h"
#include "core/session_state.h"
#include "core/stats.h"
#include "core/tally.h"
#include "proto/keys.h"
#include "proto/msg.h"
#include "proto/report.h"

struct pace_session_stats {
	/* changes with each event */
	uint64_t	number;		/* running; 0: no session yet */
	uint64_t	state;		/* enum pace_session_state */
	int64_t		opened_ns;
	uint64_t	rcvbuf_bytes;	/* granted size of its socket's buffer */
	struct pace_addr peer;
	char		label[PACE_LABEL_SIZE], key[PACE_KEY_NAME_SIZE];
	uint64_t	leased, light, runs;
	struct pace_run_stats run;
	/* changes with every batch */
	int64_t		heard_ns;
	struct pace_tally all, this_run;	/* all includes this_run */
	struct pace_stats gaps;		/* of this run; its extremes are the whole run's */
	int64_t		jitter_ns;	/* RFC 3550, now */
	int64_t		tcp_rtt_ns;	/* as in run */
	struct pace_recent recent;
};

/* Distributions of a run: the gaps of all its frames, and the delays of one frame per batch,
 * relative to the lowest delay so far. */
struct pace_shapes {
	uint64_t	number, run;	/* of the session; 0: none yet */
	struct pace_coarse_hist gap, delay;
};

/* The figures of one stream of a run with several. */
struct pace_stream_stats {
	uint64_t	number, run;	/* of the session; 0: none yet */
	uint64_t	port;		/* of its client */
	struct pace_slice now;
};

#define PACE_SESSION_STATS_WORDS	((sizeof(struct pace_session_stats) + 7) / 8)
#define PACE_SHAPES_WORDS	((sizeof(struct pace_shapes) + 7) / 8)
#define PACE_STREAM_STATS_WORDS	((sizeof(struct pace_stream_stats) + 7) / 8)
#define PACE_SHAPES_NS	INT64_C(100000000)	/* time between two publications of them */

/* A struct pace_session_stats that one thread writes and others copy whole. */
struct pace_stats_page {
	_Atomic uint64_t	turn;	/* advanced by the reader of recent */
	_Atomic uint64_t	edition;	/* odd while it is written */
	_Atomic uint64_t	word[PACE_SESSION_STATS_WORDS];
	_Atomic bool	wanted;		/* a reader wants shapes */
	_Atomic uint64_t	shapes_edition;
	_Atomic uint64_t	shapes_word[PACE_SHAPES_WORDS];
	/* each is written by the thread that reads its flow */
	struct pace_stream_page {
		_Atomic uint64_t edition, word[PACE_STREAM_STATS_WORDS];
	} stream[PACE_STREAMS];
};

/* Post v on the page: all of it, or only the part that changes with each batch. */
void	pace_stats_page_post(struct pace_stats_page *w, const struct pace_session_stats *v,
	    bool all);

/* Copy the page.  False: it changed too often for a consistent copy; *v is unchanged. */
bool	pace_stats_page_read(struct pace_stats_page *w, struct pace_session_stats *v);

/* Post and copy shapes in the same way; they are posted only while wanted. */
void	pace_stats_page_want(struct pace_stats_page *w, bool wanted);
bool	pace_stats_page_wanted(struct pace_stats_page *w);
void	pace_stats_page_post_shapes(struct pace_stats_page *w, const struct pace_shapes *s);
bool	pace_stats_page_read_shapes(struct pace_stats_page *w, struct pace_shapes *s);

/* Post and copy the figures of a stream in the same way; they are posted as shapes are, and always
 * by a thread that only reads flows. */
void	pace_stream_page_post(struct pace_stream_page *w, const struct pace_stream_stats *v);
bool	pace_stream_page_read(struct pace_stream_page *w, struct pace_stream_stats *v);

/* Add a batch to v->recent, which covers what came since the reader's last turn, and post the part
 * that changes with each batch.  w NULL: no reader. */
void	pace_stats_page_add(struct pace_stats_page *w, struct pace_session_stats *v,
	    const struct pace_recent *batch);

/* Restart recent: from now on it covers only new frames. */
void	pace_stats_page_turn(struct pace_stats_page *w);

/* --- events --- */

enum pace_session_event_kind { PACE_SESSION_EVENT_OPENED, PACE_SESSION_EVENT_WAITS,
	PACE_SESSION_EVENT_RUN, PACE_SESSION_EVENT_RUN_OVER, PACE_SESSION_EVENT_CLOSED,
	PACE_SESSION_EVENT_REFUSED };

/* How frames arrived in a run: the rates of all streams together, and the longest duration. */
struct pace_run_rates {
	int64_t		duration_ns;
	double		user_bps, wire_bps;
};

struct pace_session_event {
	enum pace_session_event_kind kind;
	bool		silent;		/* count it but do not log it: too many events */
	const struct pace_addr *peer;
	const struct pace_session_stats *view;	/* NULL: no session yet */
	const struct pace_stats_page *watch;	/* the session's page */
	/* REFUSED: code and text of the refusal.  RUN_OVER, CLOSED: code says how it ended, text
	 * is NULL.  WAITS: text is the label of the client that measures or is next in line. */
	const char	*code, *text;
	int64_t		wait_ns;	/* RUN: time waited for the lease; WAITS: longest wait */
	int64_t		place;		/* WAITS: its place in the line of its host */
	const struct pace_run_rates *rates;	/* RUN_OVER of finished streams, otherwise NULL */
};

/* The receiver of events; news NULL: none. */
struct pace_observer {
	void	(*news)(void *ctx, const struct pace_session_event *n);
	void	*ctx;
};

static inline void
pace_observer_notify(const struct pace_observer *s, const struct pace_session_event *n)
{
	if (s->news != NULL)
		s->news(s->ctx, n);
}

#endif
