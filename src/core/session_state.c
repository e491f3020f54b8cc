#include "core/session_state.h"

const char *const pace_state_names[] = { "open", "running", "draining", "ready",
	"round_trips", "closed", "sending", "ended" };

const char *
pace_state_name(enum pace_session_state s)
{
	return (unsigned)s < PACE_STATES ? pace_state_names[s] : "unknown";
}
