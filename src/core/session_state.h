/*
 * session_state.h - the states of a responder's session, in the order it passes them.
 */
#ifndef PACE_CORE_SESSION_STATE_H
#define PACE_CORE_SESSION_STATE_H

enum pace_session_state {
	PACE_OPENED, PACE_RUNNING, PACE_DRAINING, PACE_READY, PACE_PINGING, PACE_CLOSED,
	PACE_SENDING,		/* the responder sends the frames of a run */
	PACE_ENDED,		/* its thread has ended */
	PACE_STATES
};

/* "open", "running", ... */
extern const char *const pace_state_names[PACE_STATES];
const char	*pace_state_name(enum pace_session_state s);

#endif
