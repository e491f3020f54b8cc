/* The result of a stream that the client received. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "client/client_io.h"
#include "core/clockfit.h"
#include "core/sparse.h"
#include "doc/rx_result_doc.h"
#include "doc/tx_result_doc.h"
#include "stream/receiver.h"

/* theta as the receiver needs it: our clock - the sender's clock, at the sender's time. */
static void
turn_round(const struct pace_clock_estimate *e, struct pace_clock_estimate *out)
{
	*out = *e;
	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *s = &e->v[i];
		struct pace_clock_segment *o = &out->v[i];
		double rest;

		o->from_ns = s->from_ns + pace_clock_line_at(&s->line, s->from_ns);
		o->to_ns = s->to_ns + pace_clock_line_at(&s->line, s->to_ns);
		o->line.t_ns = s->line.t_ns + s->line.offset_ns;
		o->line.rate = -s->line.rate / (1 + s->line.rate);
		/* the line is frac_ns later than that time */
		rest = -s->line.frac_ns * (1 + o->line.rate);
		o->line.offset_ns = -s->line.offset_ns - (rest < 0);
		o->line.frac_ns = rest < 0 ? 1 + rest : 0;
	}
}

/* Take what the responder knows of what it sent. */
static int
take_tx(struct pace_client *c, struct pace_point *p, bool *lease_lost, const json_t *j)
{
	struct pace_tx_result *r = calloc(1, sizeof(*r));
	int rc = r != NULL ? pace_tx_result_from_json(r, &p->tx, &p->theirs, j) : -ENOMEM;

	if (rc == 0) {
		*lease_lost = r->lease_lost;
		p->clock.theirs = r->clock;
		p->ledger.asked = r->asked;
		if (r->due_ns != 0)
			p->tx.due_wall_ns = r->due_ns -
			    pace_clock_at(&p->clock.fit, p->clock.from_ns) + c->io.wall(c->io.ctx);
		if (c->failed == 0)
			c->failed = r->failed;
		p->has_wire = r->has_wire;
		pace_sparse_copy(&p->wire, &r->wire, sizeof(p->wire));
	}
	free(r);
	return rc;
}

int
pace_client_down_result(struct pace_client *c, uint32_t stream, struct pace_point *p,
    const json_t *j)
{
	struct pace_captured_stream **captured = stream == 0 ? &c->captured_rx :
	    &c->flow[stream].captured_rx;
	struct pace_receiver *receiver = stream == 0 ? c->receiver : c->flow[stream].receiver;
	int core = stream == 0 ? c->core : c->flow[stream].core;
	struct pace_msg_finish f = { .sent = 0 };
	struct pace_rx_result *rx;
	struct pace_usage now;
	bool lease_lost = false;
	int rc = take_tx(c, p, &lease_lost, j);

	if (rc < 0 || receiver == NULL)
		return rc < 0 ? rc : -EPROTO;
	f.sent = p->tx.frames;
	turn_round(&p->clock.fit, &f.theta);
	rx = pace_receiver_finish(receiver, &f, stream == 0 ? c->drops : c->flow[stream].drops);
	c->io.usage(c->io.ctx, &now);
	rx->clock = now.clock;
	rx->clock_steps = now.clock_steps - c->usage.clock_steps;
	rx->bad_checksums = now.bad_checksums - c->usage.bad_checksums;
	rx->has_core = core >= 0;
	rx->core = rx->has_core ? (uint32_t)core : 0;
	rx->rcvbuf_asked = c->own_rcvbuf_asked;
	rx->rcvbuf_granted = c->own_rcvbuf_granted;
	rx->lease_lost = lease_lost;
	if (*captured != NULL)
		pace_capture_end_rx(c->hook, *captured, receiver, rx);
	*captured = NULL;
	pace_sparse_copy(&p->rx, rx, sizeof(*rx));
	p->rx.linear.count = p->rx.linear_counts;
	return pace_rx_result_holds(&p->rx) ? 0 : -EPROTO;
}
