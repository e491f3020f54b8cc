/* The captures of a run whose frames the client receives, on the client's interface. */
#include "config.h"

#include "client/client_down_own.h"

#define LOOK_NS		INT64_C(10000000)
#define LATEST_NS	INT64_C(2000000000)

static struct pace_captured_stream **
captured_of(struct pace_client *c, uint32_t stream)
{
	return stream == 0 ? &c->captured_rx : &c->flow[stream].captured_rx;
}

void
pace_client_down_captures_drop(struct pace_client *c)
{
	for (uint32_t i = 0; i < (c->flow != NULL ? PACE_STREAMS : 1); i++) {
		struct pace_captured_stream **t = captured_of(c, i);

		if (*t != NULL)
			c->hook->end(c->hook->ctx, *t, NULL, NULL, 0);
		*t = NULL;
	}
}

void
pace_client_down_captures_begin(struct client_down *d, const struct pace_msg_start *m)
{
	struct pace_client *c = d->c;
	struct pace_capture_request ask = { .session = c->session, .run = c->run,
	    .type = PACE_FRAME_DOWN, .peer = c->peer, .limit = m->limit };

	if (c->hook == NULL || !m->capture)
		return;
	c->captures = PACE_CAPTURE_GRANTED;
	for (uint32_t i = 0; c->captures == PACE_CAPTURE_GRANTED && i < d->n; i++) {
		ask.stream = (uint8_t)i;
		c->captures = pace_capture_begin(c->hook, &ask, &m->ask, d->flow[i].rx,
		    captured_of(c, i));
	}
	if (c->captures != PACE_CAPTURE_GRANTED)
		pace_client_down_captures_drop(c);
}

static bool
settled(const struct client_down *d, int64_t since_ns)
{
	const struct pace_capture_hook *h = d->c->hook;

	for (uint32_t i = 0; i < d->n; i++) {
		struct pace_captured_stream *t = *captured_of(d->c, i);

		if (t != NULL && !h->settled(h->ctx, t, d->flow[i].sent, since_ns))
			return false;
	}
	return true;
}

void
pace_client_down_captures_wait(struct client_down *d)
{
	int64_t since_ns = pace_client_now(d->c);

	while (!settled(d, since_ns) && pace_client_now(d->c) - since_ns < LATEST_NS)
		pace_client_pause(d->c, pace_client_now(d->c) + LOOK_NS);
}
