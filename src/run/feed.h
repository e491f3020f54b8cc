/*
 * feed.h - reports the progress of a campaign to a display in another process.
 *
 * Purpose    sends steps and points from the process that measures to the view Sweep of
 *            the process that draws (ui/campaign_show.h).  Each packet has the number of
 *            the sender's core (int32_t, below 0: not known) and a JSON line.
 * Lines      {"event":"step","number","of","name","command","target","step_ns" (if known),
 *            "after_ns","after_whole"}; "start" and "end" as in --jsonl;
 *            {"event":"plan","points":[[size_bytes,spacing_ns],...]}, in several lines if
 *            necessary;
 *            {"event":"now","index","size_bytes","spacing_ns","point_ns","left_ns"} when a
 *            point begins; "point" with the members that the view shows; "skipped" with the
 *            point's parameters; {"event":"notice","text"}, a message of stderr.  Each has
 *            the time of day in "at_ns".
 * Errors     none: lines that the display does not read are lost, and the sender never
 *            waits for it.  Without a display every call does nothing.
 * Costs      a dry run of a step reports the time it will take; the campaign then reads
 *            that time.
 * Threads    the one that measures, between points.
 */
#ifndef PACE_RUN_FEED_H
#define PACE_RUN_FEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"

#define PACE_FEED_ROOM	16384	/* bytes in a packet */

/* Send to fd, a SOCK_SEQPACKET socket that remains the caller's; -1: no display. */
void	pace_feed_to(int fd);
bool	pace_feed_is_on(void);

struct pace_feed_step {
	size_t		number, of;	/* from 1 */
	const char	*name, *command, *target;
	int64_t		cost_ns, after_ns;	/* of the step; of the steps after it, as far as
						 * known; -1: not known */
	bool		after_whole;	/* after_ns includes all of these steps */
};
void	pace_feed_step(const struct pace_feed_step *s);
void	pace_feed_begin(const struct pace_result *r, const struct pace_params *plan, size_t n);
/* Point `index`, counted from 0, begins.  left_ns: the time of this point and all after it. */
void	pace_feed_now(const struct pace_params *a, size_t index, int64_t point_ns, int64_t left_ns);
void	pace_feed_point(json_t *point);	/* released */
void	pace_feed_skipped(json_t *point);	/* released */
void	pace_feed_notice(const char *text);
void	pace_feed_end(void);

/* Add the planned time of a point in a dry run.  _take returns the sum and clears it; -1: no
 * time was added. */
void	pace_feed_cost(int64_t ns);
int64_t	pace_feed_cost_take(void);

#endif
