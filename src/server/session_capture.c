/*
 * A run that its client wants captured here: asked for when it begins, waited for a moment
 * when its frames have had their time, and told with its result.
 */
#include "config.h"

#include "server/session_run.h"

#define LOOK_NS		INT64_C(10000000)
#define LATEST_NS	INT64_C(2000000000)	/* for what the capture still has */

static enum pace_capture_answer
refuses(const struct pace_session *s)
{
	const struct pace_shared *shared = s->cfg.shared;

	if (shared->lacks_pcap)
		return PACE_CAPTURE_BUILD;
	if (shared->tap == NULL)
		return PACE_CAPTURE_NONE;
	return s->cfg.terms.limits.capture ? PACE_CAPTURE_GRANTED : PACE_CAPTURE_RULE;
}

void
pace_session_capture(struct pace_session *s)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const struct pace_params *a = &s->run.ask;
	const struct pace_rx_capture_params ask = { .session = s->id, .stream = s->stream,
	    .from = s->cfg.peer, .size_bytes = a->size_bytes, .limit = s->run.limit,
	    .train = a->train, .burst = a->bursts > 1 ? a->count : 0 };

	s->capture = PACE_CAPTURE_NONE;
	if (!s->run.capture || s->run.pings)
		return;
	s->capture = refuses(s);
	if (s->capture == PACE_CAPTURE_GRANTED && pace_receiver_stamps(s->receiver) < 0)
		s->capture = PACE_CAPTURE_ROOM;
	if (s->capture == PACE_CAPTURE_GRANTED)
		s->capture = tap->begin(tap->ctx, &ask, &s->rx_captured);
}

bool
pace_session_drained(struct pace_session *s, int64_t now)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;

	if (now < s->end_ns)
		return false;
	if (s->rx_captured == NULL)
		return true;
	if (s->tap_ns == 0)
		s->tap_ns = now;
	if (now - s->tap_ns >= LATEST_NS ||
	    tap->settled(tap->ctx, s->rx_captured, s->finish.sent, s->tap_ns))
		return true;
	s->end_ns = now + LOOK_NS;
	return false;
}

void
pace_session_capture_end(struct pace_session *s, struct pace_rx_result *rx)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const int64_t *stamps = NULL;
	uint64_t n = 0;

	s->tap_ns = 0;
	if (s->rx_captured == NULL)
		return;
	if (rx != NULL)
		stamps = pace_receiver_stamped(s->receiver, &n);
	tap->end(tap->ctx, s->rx_captured, rx != NULL ? &rx->wire : NULL, stamps, n);
	s->rx_captured = NULL;
	if (rx != NULL)
		rx->has_wire = true;
}
