#include "core/session_state.h"

#include <string.h>

static const char *const names[PACE_STATES] = { "open", "running", "draining", "ready",
	"round_trips", "closed", "ended" };

const char *
pace_state_name(enum pace_session_state s)
{
	return (unsigned)s < PACE_STATES ? names[s] : "unknown";
}

bool
pace_state_of(const char *name, enum pace_session_state *s)
{
	for (int i = 0; i < PACE_STATES; i++)
		if (strcmp(name, names[i]) == 0) {
			*s = (enum pace_session_state)i;
			return true;
		}
	return false;
}
