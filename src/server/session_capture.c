/*
 * The captures of a run that its client wants captured at the responder.  They are requested when
 * the run begins; after the grace time the session waits briefly for them.
 */
#include "config.h"

#include "server/session_run.h"

#include "doc/params.h"

/* Begin the capture of a flow's stream, for which its receiver keeps stamps. */
static enum pace_capture_answer
begin_stream_capture(struct pace_session *s, struct pace_session_flow *f)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const struct pace_params *a = &s->run.ask;
	const struct pace_rx_capture_params ask = { .session = s->id, .run = s->run_number,
	    .stream = f->at.stream, .streams = pace_session_streams(s),
	    .from = f->at.peer, .size_bytes = a->size_bytes, .limit = s->run.limit,
	    .train = a->train, .burst = a->bursts > 1 ? a->count : 0 };

	if (pace_receiver_stamps(f->receiver) < 0)
		return PACE_CAPTURE_ROOM;
	return tap->begin(tap->ctx, &ask, &f->rx_captured);
}

void
pace_session_end_capture(struct pace_session *s, struct pace_session_flow *f,
    struct pace_rx_result *rx)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;
	const int64_t *stamps = NULL;
	uint64_t n = 0;

	if (f->rx_captured == NULL)
		return;
	if (rx != NULL)
		stamps = pace_receiver_stamped(f->receiver, &n);
	tap->end(tap->ctx, f->rx_captured, rx != NULL ? &rx->wire : NULL, stamps, n);
	f->rx_captured = NULL;
	if (rx != NULL)
		rx->has_wire = true;
}

void
pace_session_drop_captures(struct pace_session *s)
{
	s->tap_ns = 0;
	for (uint32_t i = 0; i < s->flows; i++)
		if (s->flow[i] != NULL)
			pace_session_end_capture(s, s->flow[i], NULL);
}

void
pace_session_begin_captures(struct pace_session *s)
{
	s->capture = PACE_CAPTURE_NONE;
	if (!s->run.capture || s->run.pings || !pace_params_goes_up(&s->run.ask))
		return;
	s->capture = s->cfg.shared->lacks_pcap ? PACE_CAPTURE_BUILD :
	    s->cfg.shared->tap == NULL ? PACE_CAPTURE_NONE :
	    s->cfg.terms.limits.capture ? PACE_CAPTURE_GRANTED : PACE_CAPTURE_RULE;
	for (uint32_t i = 0; s->capture == PACE_CAPTURE_GRANTED && i < pace_session_streams(s); i++)
		s->capture = begin_stream_capture(s, s->flow[i]);
	if (s->capture != PACE_CAPTURE_GRANTED)
		pace_session_drop_captures(s);
}

bool
pace_session_captures_settled(const struct pace_session *s)
{
	const struct pace_rx_capture_hook *tap = s->cfg.shared->tap;

	for (uint32_t i = 0; i < pace_session_streams(s); i++) {
		const struct pace_session_flow *f = s->flow[i];

		if (f->rx_captured != NULL &&
		    !tap->settled(tap->ctx, f->rx_captured, f->sent, s->tap_ns))
			return false;
	}
	return true;
}
