/*
 * event.h - one thing that happened, as a line of the log.
 *
 * Forms      text for people, or one JSON object: time (UTC, ms), level, event and
 *            what belongs to it; units are in the names.  What is not known is
 *            left out.
 * Trust      labels and refusals hold words of the network.  In JSON all but
 *            ASCII is escaped; text has '?' for it: a line cannot do anything
 *            to a terminal, and is always one line.
 * Levels     of syslog: sd-daemon(3) reads them as <N> before a line.
 * Secrets    sessions by their running number only.
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

enum pace_event_kind { PACE_EVENT_START, PACE_EVENT_LISTENING, PACE_EVENT_OPENED, PACE_EVENT_RUN,
	PACE_EVENT_RUN_OVER, PACE_EVENT_CLOSED, PACE_EVENT_REFUSED, PACE_EVENT_RELOAD,
	PACE_EVENT_ABUSE, PACE_EVENT_SUMMARY, PACE_EVENT_SESSION, PACE_EVENT_STOPPING, PACE_EVENT_STOP,
	PACE_EVENT_LOST, PACE_EVENT_WARNING, PACE_EVENT_ERROR, PACE_EVENTS };

struct pace_event {
	enum pace_event_kind kind;
	int64_t		wall_ns;
	char		peer[64];	/* LISTENING: where; "": nobody */
	uint16_t	port;
	struct pace_session_stats view;		/* number 0: no session */
	bool		has_rx_result;	/* RUN_OVER: of a stream that was finished */
	int64_t		duration_ns;
	double		user_rate_bps, wire_rate_bps;
	char		code[24];	/* REFUSED: code; RUN_OVER, CLOSED: how; STOPPING: signal */
	char		text[640];	/* REFUSED, WARNING, ERROR; RELOAD: what was read, or what
					 * failed */
	uint64_t	count;		/* REFUSED: more of this code, not logged; LOST: events;
					 * STOPPING: sessions; ABUSE: seconds; RELOAD: faults */
	enum pace_log_level	level;		/* RELOAD: how it went; 0: that of its kind */
	struct pace_totals totals;	/* SUMMARY, STOP; ABUSE: of that time */
};

enum pace_log_level	pace_event_level(const struct pace_event *e);

/* Is it shown in text only with --verbose? */
bool	pace_event_is_detail(const struct pace_event *e);

/* The line without its end; malloced, NULL: no memory. */
char	*pace_event_json(const struct pace_event *e);
/* The same for people; "": there is nothing to say. */
char	*pace_event_text(const struct pace_event *e);

#endif
