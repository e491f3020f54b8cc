/*
 * The responder's capture of a stream, as its client sees it: what it granted, and what is
 * to be said of what came.
 */
#include "config.h"

#include "client/client_io.h"
#include "doc/wire_check_doc.h"

/* Why there is none. */
static const char *const words[PACE_CAPTURES] = {
	[PACE_CAPTURE_NONE] = "it was not started with --capture",
	[PACE_CAPTURE_RULE] = "its rule for this client forbids it (capture, udpace-policy(5))",
	[PACE_CAPTURE_BUILD] = "it was built without libpcap",
	[PACE_CAPTURE_ROOM] = "it has no room for one more",
	[PACE_CAPTURE_FAILED] = "its interface cannot be read any more",
};

int
pace_client_started(struct pace_client *c, const struct pace_msg_start *m, const json_t *reply,
    struct pace_err *err)
{
	struct pace_msg_started s = { .capture = PACE_CAPTURE_NONE };
	int rc = m->capture ? pace_msg_started(reply, &s) : 0;

	c->captured = s.capture;
	return rc < 0 ? pace_failf(err, EPROTO, "start", "the answer makes no sense") : 0;
}

void
pace_client_note_capture(const struct pace_client *c, struct pace_point *p)
{
	if (p->has_rx && p->rx.has_wire)
		pace_wire_check_rx_notes(&p->notes, p);
	else if (p->has_rx && c->capture && c->captured != PACE_CAPTURE_GRANTED)
		pace_note(&p->notes, "wire_rx_none", "the responder did not capture what arrived: "
		    "%s", words[c->captured]);
	else if (p->has_rx && c->capture)
		pace_note(&p->notes, "wire_rx_none", "the responder granted a capture of what "
		    "arrived, and tells nothing of it");
}
