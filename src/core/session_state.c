#include "core/session_state.h"

#include <string.h>

const char *const pace_state_names[] = { "open", "running", "draining", "ready",
	"round_trips", "closed", "sending", "ended" };

const char *
pace_state_name(enum pace_session_state s)
{
	return (unsigned)s < PACE_STATES ? pace_state_names[s] : "unknown";
}

bool
pace_state_of(const char *name, enum pace_session_state *s)
{
	for (int i = 0; i < PACE_STATES; i++)
		if (strcmp(name, pace_state_names[i]) == 0) {
			*s = (enum pace_session_state)i;
			return true;
		}
	return false;
}
