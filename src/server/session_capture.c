/*
 * The captures of a run that its client wants captured at the responder: of what arrives, and of
 * what the responder sends.  They are requested when the run begins; at its end the session waits
 * briefly for them.
 */
#include "config.h"

#include "server/session_run.h"

#include "doc/params.h"
#include "doc/tx_result_doc.h"

#define LATEST_NS	INT64_C(2000000000)	/* captures are not waited for longer */

/* Begin the capture of a flow's stream in one direction. */
static enum pace_capture_answer
begin_one(struct pace_session *s, const struct pace_session_flow *f, uint8_t type,
    struct pace_receiver *r, struct pace_captured_stream **t)
{
	const struct pace_capture_request ask = { .session = s->id, .run = s->run_number,
	    .stream = f->at.stream, .type = type, .peer = f->at.peer, .limit = s->run.limit };

	return pace_capture_begin(s->cfg.shared->tap, &ask, &s->run.ask, r, t);
}

static enum pace_capture_answer
begin_stream(struct pace_session *s, struct pace_session_flow *f)
{
	enum pace_capture_answer said = PACE_CAPTURE_GRANTED;

	if (pace_params_goes_up(&s->run.ask))
		said = begin_one(s, f, PACE_DATA, f->receiver, &f->rx_captured);
	if (said == PACE_CAPTURE_GRANTED && pace_params_goes_down(&s->run.ask))
		said = begin_one(s, f, PACE_FRAME_DOWN, NULL, &f->tx_captured);
	return said;
}

void
pace_session_end_capture(struct pace_session *s, struct pace_session_flow *f,
    struct pace_rx_result *rx)
{
	if (f->rx_captured != NULL)
		pace_capture_end_rx(s->cfg.shared->tap, f->rx_captured, f->receiver, rx);
	f->rx_captured = NULL;
}

void
pace_session_end_tx_capture(struct pace_session *s, struct pace_session_flow *f,
    struct pace_tx_result *tx)
{
	const struct pace_capture_hook *tap = s->cfg.shared->tap;

	if (f->tx_captured != NULL) {
		tap->end(tap->ctx, f->tx_captured, &tx->wire, NULL, 0);
		tx->has_wire = true;
	}
	f->tx_captured = NULL;
}

void
pace_session_drop_capture(struct pace_session *s, struct pace_session_flow *f)
{
	const struct pace_capture_hook *tap = s->cfg.shared->tap;

	if (f->rx_captured != NULL)
		tap->end(tap->ctx, f->rx_captured, NULL, NULL, 0);
	if (f->tx_captured != NULL)
		tap->end(tap->ctx, f->tx_captured, NULL, NULL, 0);
	f->rx_captured = f->tx_captured = NULL;
}

void
pace_session_drop_captures(struct pace_session *s)
{
	s->tap_ns = 0;
	for (uint32_t i = 0; i < s->flows; i++)
		if (s->flow[i] != NULL)
			pace_session_drop_capture(s, s->flow[i]);
}

void
pace_session_begin_captures(struct pace_session *s)
{
	s->capture = PACE_CAPTURE_NONE;
	if (!s->run.capture || s->run.pings)
		return;
	s->capture = s->cfg.shared->lacks_pcap ? PACE_CAPTURE_BUILD :
	    s->cfg.shared->tap == NULL ? PACE_CAPTURE_NONE :
	    s->cfg.terms.limits.capture ? PACE_CAPTURE_GRANTED : PACE_CAPTURE_RULE;
	for (uint32_t i = 0; s->capture == PACE_CAPTURE_GRANTED && i < pace_session_streams(s); i++)
		s->capture = begin_stream(s, s->flow[i]);
	if (s->capture != PACE_CAPTURE_GRANTED)
		pace_session_drop_captures(s);
}

static bool
settled(const struct pace_session *s)
{
	const struct pace_capture_hook *tap = s->cfg.shared->tap;
	bool all = true;

	for (uint32_t i = 0; all && i < pace_session_streams(s); i++) {
		const struct pace_session_flow *f = s->flow[i];

		all = f->rx_captured == NULL ||
		    tap->settled(tap->ctx, f->rx_captured, f->sent, s->tap_ns);
		if (all && f->tx_captured != NULL)
			all = tap->settled(tap->ctx, f->tx_captured,
			    pace_session_down_sent(s, i), s->tap_ns);
	}
	return all;
}

bool
pace_session_captures_wait(struct pace_session *s, int64_t now)
{
	if (s->own.rx_captured == NULL && s->own.tx_captured == NULL)
		return false;
	if (s->tap_ns == 0)
		s->tap_ns = now;
	return !settled(s) && now - s->tap_ns < LATEST_NS;
}
