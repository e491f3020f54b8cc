/*
 * session_state.h - where a session is in its life.
 */
#ifndef PACE_CORE_SESSION_STATE_H
#define PACE_CORE_SESSION_STATE_H

#include <stdbool.h>

enum pace_session_state {
	PACE_OPENED, PACE_RUNNING, PACE_DRAINING, PACE_READY, PACE_PINGING, PACE_CLOSED,
	PACE_ENDED,		/* its thread is gone */
	PACE_STATES
};

/* "open", "running", ... */
const char	*pace_state_name(enum pace_session_state s);
/* False: there is none of that name; *s is untouched. */
bool	pace_state_of(const char *name, enum pace_session_state *s);

#endif
