/*
 * live_run.h - the monitor's own stream: a thread that measures, and the status of its
 * stream.
 *
 * Purpose    the display never disturbs the measurement.  The sending thread hands over its
 *            data unprocessed; it does not allocate, lock or wait for the display.  The
 *            display reads, calculates and draws in a low-priority thread, never on the
 *            sender's core.
 * Runs       follow one another, each as long as the responder's policy allows, and are
 *            reported as one stream.
 * Outages    do not end the stream once the first session is open: the client retries until
 *            the responder answers.  If the responder still has the session, its last report
 *            accounts for the run; otherwise the frames without a report stay unreported.
 *            Only a refusal ends the stream: by key, by policy, by version, or because frames
 *            are too large for the path.
 * STAMP      if the peer is a STAMP reflector, the stream consists of requests, ask has their size
 *            and spacing, and the frames received are the replies.  Nothing but requests that
 *            are too large for the path ends it.
 * Status     one session, with the values that only the sender knows (status.h).
 * Errors     functions with an exit status print the error on stderr.
 * Threads    one makes, reads and ends the stream; the measuring thread is private.
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
	struct pace_params	ask;		/* of each run; duration and grace are set here */
	bool		size_given;	/* false: a size too large for the path is reduced */
	int64_t		interval_ns;	/* time from line to line */
	int64_t		ping_ns;	/* time from exchange to exchange */
	int64_t		duration_ns;	/* of the whole stream; 0: until it is stopped */
	int64_t		give_up_ns;	/* end after an outage of this length; 0: never */
};

struct pace_live;
struct pace_status_source_item;

/* Open a session and start the stream; return OK when it runs, or an exit status.  Call
 * pace_live_free in any case. */
int	pace_live_begin(struct pace_live **l, const struct pace_live_cfg *cfg);
void	pace_live_free(struct pace_live *l);	/* accepts NULL */

/* A file descriptor that is readable when a line is available or the stream has ended. */
int	pace_live_fd(const struct pace_live *l);

/* As pace_status_source_next; ctx is the struct pace_live. */
int	pace_live_next(void *ctx, int64_t now_ns, struct pace_status_source_item *item);

/* End the stream and wait for its last line. */
void	pace_live_stop(struct pace_live *l);

/* The exit status; prints the reason if the stream ended with an error. */
int	pace_live_judge(const struct pace_live *l);
/* Stop messages of the measuring thread, because the screen is in use. */
void	pace_live_hush(struct pace_live *l);
/* Return which client is measuring while the stream waits for it, and how long at most; "": the
 * stream does not wait.  For the thread that takes the lines. */
const char	*pace_live_waiting(const struct pace_live *l);

/* Did the stream run to its planned end? */
bool	pace_live_is_done(const struct pace_live *l);

#endif
