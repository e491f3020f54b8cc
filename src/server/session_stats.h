/*
 * session_stats.h - what a session lets others see of itself while it works.
 *
 * Purpose    the source of logs, of the status socket and of metrics: a board
 *            for each session that anybody may copy at any time, and news of
 *            what happens once in a while.
 * Cost       the session posts about 280 bytes a batch of frames, never a frame,
 *            and never waits: a reader that is too slow copies again.  Distributions
 *            are 10 KiB, posted while somebody wants them, ten times a second at most.
 * Threads    one writer a board, any number of readers.  News are told in the
 *            thread where they happen, which must not be held up.
 * Units      ns of the probe clock, bytes, frames.
 * Totals     of a session never fall, but for lost: frames that come late were
 *            lost until then.
 * Secrets    a session is known by its running number.  The number on the wire
 *            binds frames to it and is told to nobody.
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

struct pace_session_stats {
	/* changes with what happens */
	uint64_t	number;		/* running; 0: nobody was here */
	uint64_t	state;		/* enum pace_session_state */
	int64_t		opened_ns;
	uint64_t	rcvbuf_bytes;	/* of its socket, as granted */
	struct pace_addr peer;
	char		label[PACE_LABEL_SIZE], key[PACE_KEY_NAME_SIZE];
	uint64_t	leased, runs;
	struct pace_run_stats run;
	/* changes with every batch */
	int64_t		heard_ns;
	struct pace_tally all, this_run;	/* all includes this_run */
	struct pace_stats gaps;		/* of this run; its extremes are the whole run's */
	int64_t		jitter_ns;	/* RFC 3550, now */
	struct pace_recent recent;
};

/* Distributions of a run: gaps of all its frames, and of one frame a batch how long it
 * took above the quickest one so far. */
struct pace_shapes {
	uint64_t	number, run;	/* of the session; 0: nothing yet */
	struct pace_coarse_hist gap, delay;
};

#define PACE_SESSION_STATS_WORDS	((sizeof(struct pace_session_stats) + 7) / 8)
#define PACE_SHAPES_WORDS	((sizeof(struct pace_shapes) + 7) / 8)
#define PACE_SHAPES_NS	INT64_C(100000000)	/* from one post of them to the next */

/* A struct pace_session_stats that one thread writes and others copy whole. */
struct pace_stats_page {
	_Atomic uint64_t	turn;	/* advanced by who reads recent */
	_Atomic uint64_t	edition;	/* odd: being written */
	_Atomic uint64_t	word[PACE_SESSION_STATS_WORDS];
	_Atomic bool	wanted;		/* shapes are */
	_Atomic uint64_t	shapes_edition;
	_Atomic uint64_t	shapes_word[PACE_SHAPES_WORDS];
};

/* Put v on the board; only what changes with every batch, or all of it. */
void	pace_stats_page_post(struct pace_stats_page *w, const struct pace_session_stats *v, bool all);

/* False: it changed so often that no whole copy could be had; *v is what
 * it was before. */
bool	pace_stats_page_read(struct pace_stats_page *w, struct pace_session_stats *v);

/* The same of shapes, which are posted while they are wanted. */
void	pace_stats_page_want(struct pace_stats_page *w, bool wanted);
bool	pace_stats_page_wanted(struct pace_stats_page *w);
void	pace_stats_page_post_shapes(struct pace_stats_page *w, const struct pace_shapes *s);
bool	pace_stats_page_read_shapes(struct pace_stats_page *w, struct pace_shapes *s);

/* From now on recent is of what comes now. */
void	pace_stats_page_turn(struct pace_stats_page *w);

/* --- news --- */

enum pace_session_event_kind { PACE_SESSION_EVENT_OPENED, PACE_SESSION_EVENT_RUN, PACE_SESSION_EVENT_RUN_OVER, PACE_SESSION_EVENT_CLOSED,
	PACE_SESSION_EVENT_REFUSED };

struct pace_session_event {
	enum pace_session_event_kind kind;
	bool		silent;		/* to be counted, and no line of a log: there were too many */
	const struct pace_addr *peer;
	const struct pace_session_stats *view;	/* NULL: no session yet */
	const struct pace_stats_page *watch;	/* its board */
	/* REFUSED: code and words of the refusal.  RUN_OVER, CLOSED: how, and NULL */
	const char	*code, *text;
	const struct pace_rx_result *rx;	/* RUN_OVER of a stream that was finished, else NULL */
};

/* Who is told; news NULL: nobody. */
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
