/*
 * event.h - writes an event as a line of the log.
 *
 * Forms      text, or one JSON object: time (UTC, ms), level, event and the event's members,
 *            with their units in the names.  Unknown values are omitted.
 * Trust      labels and refusals contain text from the network.  JSON escapes everything but
 *            ASCII; text shows '?' instead.  A line is always a single line and cannot
 *            control a terminal.
 * Levels     those of syslog: sd-daemon(3) reads them as <N> before a line.
 * Secrets    sessions are identified by their running number only.
 */
#ifndef PACE_LIVE_EVENT_H
#define PACE_LIVE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/totals.h"
#include "server/session_stats.h"

enum pace_log_level { PACE_LOG_ERR = 3, PACE_LOG_WARNING, PACE_LOG_NOTICE, PACE_LOG_INFO,
	PACE_LOG_DEBUG };

enum pace_event_kind { PACE_EVENT_START, PACE_EVENT_LISTENING, PACE_EVENT_OPENED, PACE_EVENT_WAITS,
	PACE_EVENT_RUN, PACE_EVENT_RUN_OVER, PACE_EVENT_CLOSED, PACE_EVENT_REFUSED,
	    PACE_EVENT_RELOAD,
	PACE_EVENT_ABUSE, PACE_EVENT_SUMMARY, PACE_EVENT_SESSION, PACE_EVENT_STOPPING,
	    PACE_EVENT_STOP,
	PACE_EVENT_LOST, PACE_EVENT_WARNING, PACE_EVENT_ERROR, PACE_EVENTS };

struct pace_event {
	enum pace_event_kind kind;
	int64_t		wall_ns;
	char		peer[64];	/* LISTENING: the address; ABUSE: the last client without
					 * a valid key; "": no client */
	uint16_t	port;
	struct pace_session_stats view;		/* number 0: no session */
	bool		has_rx_result;	/* RUN_OVER: the stream was finished */
	int64_t		duration_ns;	/* WAITS: at most; RUN: time waited */
	double		user_rate_bps, wire_rate_bps;
	char		code[24];	/* REFUSED: code; RUN_OVER, CLOSED: reason; STOPPING:
					 * signal; LISTENING: another protocol, with its mode as
					 * the text */
	char		text[640];	/* REFUSED, WARNING, ERROR; RELOAD: the files read, or
					 * the error; WAITS: the label of the client that
					 * measures */
	uint64_t	count;		/* REFUSED: more refusals with this code, not logged;
					 * LOST: events; STOPPING: sessions; ABUSE: seconds;
					 * RELOAD: errors; WAITS: position among the clients of
					 * its host */
	enum pace_log_level	level;		/* RELOAD: by its result; 0: the default of the
						 * kind */
	struct pace_totals totals;	/* SUMMARY, STOP: in total; ABUSE: during that time */
};

enum pace_log_level	pace_event_level(const struct pace_event *e);

/* Is it shown in text only with --verbose? */
bool	pace_event_is_detail(const struct pace_event *e);

/* The line without its line end, malloced; NULL: no memory. */
char	*pace_event_json(const struct pace_event *e);
/* The line as text, malloced; "": the event has no text. */
char	*pace_event_text(const struct pace_event *e);

#endif
