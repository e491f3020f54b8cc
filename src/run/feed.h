/*
 * feed.h - tells a display in another process how a campaign goes.
 *
 * Purpose    the steps and points of the process that measures, for the view Sweep of
 *            the one that draws (ui/campaign_show.h): one packet each, of the core
 *            that sends (int32_t, below 0: not known) and a JSON line.
 * Lines      {"event":"step","number","of","name","command","target","step_ns" (if known),
 *            "after_ns","after_whole"}; "start" and "end" as those of --jsonl;
 *            {"event":"plan","points":[[size_bytes,spacing_ns],...]}, as many as it takes;
 *            {"event":"now","index","size_bytes","spacing_ns","point_ns","left_ns"} when a
 *            point begins; "point" with what the view shows of it, "skipped" with its parameters;
 *            {"event":"notice","text"}, what is told on stderr.  "at_ns" of each is the time of day.
 * Errors     none: what the display does not read is lost to it, and nothing waits for
 *            it.  Without one every call does nothing.
 * Costs      what a step will take is told when it is tried dry, and asked for by the
 *            campaign behind that.
 * Threads    the one that measures, between points.
 */
#ifndef PACE_RUN_FEED_H
#define PACE_RUN_FEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"

#define PACE_FEED_ROOM	16384	/* bytes of a packet */

/* A SOCK_SEQPACKET socket, which stays the caller's; -1: nobody follows. */
void	pace_feed_to(int fd);
bool	pace_feed_is_on(void);

struct pace_feed_step {
	size_t		number, of;	/* from 1 */
	const char	*name, *command, *target;
	int64_t		cost_ns, after_ns;	/* -1: not known; of those behind it, where known */
	bool		after_whole;	/* it is of all of these */
};
void	pace_feed_step(const struct pace_feed_step *s);
void	pace_feed_begin(const struct pace_result *r, const struct pace_params *plan, size_t n);
/* Point index, from 0; left_ns with all that follow. */
void	pace_feed_now(const struct pace_params *a, size_t index, int64_t point_ns, int64_t left_ns);
void	pace_feed_point(json_t *point);	/* released */
void	pace_feed_skipped(json_t *point);	/* released */
void	pace_feed_notice(const char *text);
void	pace_feed_end(void);

/* What was tried dry will take so long; what was told since the last such question, -1:
 * nothing. */
void	pace_feed_cost(int64_t ns);
int64_t	pace_feed_cost_take(void);

#endif
