/*
 * follow.h - tells a display in another process how a campaign goes.
 *
 * Purpose    the steps and points of the process that measures, for the view Sweep of
 *            the one that draws (cli/campaign_show.h): one packet each, of the core
 *            that sends (int32_t, below 0: not known) and a JSON line.
 * Lines      {"event":"step","number","of","name","command"}; "start" and "end" as
 *            those of --jsonl; {"event":"now","size_bytes","spacing_ns","left_ns"} when a
 *            point begins; "point" with what the view shows of it.
 * Errors     none: what the display does not read is lost to it, and nothing waits for
 *            it.  Without one every call does nothing.
 * Threads    the one that measures, between points.
 */
#ifndef PACE_FOLLOW_H
#define PACE_FOLLOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/result.h"

#define PACE_FOLLOW_ROOM	16384	/* bytes of a packet */

/* A SOCK_SEQPACKET socket, which stays the caller's; -1: nobody follows. */
void	pace_follow_to(int fd);
bool	pace_follow_is_on(void);

void	pace_follow_step(size_t number, size_t of, const char *name, const char *command);
void	pace_follow_begin(const struct pace_result *r, size_t planned);
void	pace_follow_now(const struct pace_ask *a, int64_t left_ns);
void	pace_follow_point(json_t *point);	/* released */
void	pace_follow_end(void);

#endif
