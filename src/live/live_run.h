/*
 * live_run.h - a stream of our own that the monitor shows: a thread that measures, and the
 * status of what it does.
 *
 * Purpose    measuring is not disturbed by showing: the thread that sends hands over what
 *            came, as it came, and neither allocates, locks nor waits for it; who shows it
 *            reads, reckons and draws, with less right to a core and kept off that of
 *            the sender.
 * Runs       follow one another, each as long as the responder's policy lets it be, and
 *            are told as one.
 * Status     of one session, with what only the sender of a stream knows (status.h).
 * Errors     told on stderr where an exit status is returned.
 * Threads    one makes, reads and ends it; the measuring one is its own.
 */
#ifndef PACE_LIVE_LIVE_RUN_H
#define PACE_LIVE_LIVE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"
#include "run/peer.h"

struct pace_live_cfg {
	struct pace_peer_cfg peer;
	struct pace_params	ask;		/* of a run; duration and grace are set here */
	bool		size_given;	/* else one too large for the path is cut to fit */
	int64_t		interval_ns;	/* from line to line */
	int64_t		ping_ns;	/* from exchange to exchange */
	int64_t		duration_ns;	/* in all; 0: until it is stopped */
};

struct pace_live;
struct pace_status_source_item;

/* Get a session and begin: when that is so, or an exit status.  pace_live_free always. */
int	pace_live_begin(struct pace_live **l, const struct pace_live_cfg *cfg);
void	pace_live_free(struct pace_live *l);	/* NULL will do */

/* Can be read when there is a line, or when it is over. */
int	pace_live_fd(const struct pace_live *l);

/* As pace_status_source_next; ctx is the struct pace_live. */
int	pace_live_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item);

/* End the stream, and wait until its last line is there. */
void	pace_live_stop(struct pace_live *l);

/* Why it ended, told if it was not as wanted: an exit status. */
int	pace_live_judge(const struct pace_live *l);
/* The screen is taken: nothing is written on it any more by the measuring thread. */
void	pace_live_hush(struct pace_live *l);
/* Is another client measuring, and ours waits for its turn? */
bool	pace_live_is_waiting(const struct pace_live *l);

/* Did it come to its end by itself, as wanted? */
bool	pace_live_is_done(const struct pace_live *l);

#endif
