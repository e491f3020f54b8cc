/*
 * The further flows of a session, one for each stream but the first.  Each has a socket of its own
 * and proves its own port: HELLO, then OPEN with the number of the session.  All are asked at
 * once; what gets lost is asked again.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"

#define FIRST_NS	INT64_C(100000000)	/* time-out of a request, longer with each repeat */
#define MOST_NS		INT64_C(500000000)
#define LOOK_NS		INT64_C(1000000)	/* between two looks at all sockets */
#define OPEN_SIZE	384	/* no smaller than a refusal */
#define COOKIES_MAX	3

/* A flow that is being opened; the cookie is followed by OPEN. */
struct opening {
	bool		has_cookie;
	struct pace_msg_open m;
	uint64_t	number;		/* of its request; 0: none yet */
	int64_t		due_ns, patience_ns;
	int		cookies;	/* HELLOs answered */
};

static uint64_t
session_of(const struct pace_client *c, const struct opening *o)
{
	return o->has_cookie ? c->session : 0;
}

/* Send HELLO or OPEN of a flow. */
static void
ask(struct pace_client *c, uint32_t stream, struct opening *o, int64_t now)
{
	struct pace_io *io = &c->flow[stream].io;
	struct pace_seal seal = c->seal;
	struct pace_hdr h = { .type = o->has_cookie ? PACE_OPEN : PACE_HELLO,
	    .stream = o->has_cookie ? (uint8_t)stream : 0, .sealed = c->key != NULL,
	    .session = session_of(c, o), .tx_ns = pace_client_departure(c) };
	struct pace_out out = { .buf = c->out };
	int len;

	if (o->number == 0) {
		o->number = ++c->request;
		o->patience_ns = FIRST_NS;
	} else {
		o->patience_ns = o->patience_ns * 3 / 2 < MOST_NS ? o->patience_ns * 3 / 2 : MOST_NS;
	}
	o->due_ns = now + o->patience_ns;
	h.seq = o->number;
	if (c->key != NULL)
		pace_seal_derive(&seal, c->key, c->nonce, h.session);
	len = pace_seal_put(&seal, c->out, sizeof(c->out), pace_msg_put(c->out, sizeof(c->out), &h,
	    o->has_cookie ? pace_msg_open_json(&o->m) : json_object(),
	    o->has_cookie ? OPEN_SIZE : PACE_HELLO_SIZE));
	pace_seal_wipe(&seal);
	if (len <= 0)
		return;
	out.len = (size_t)len;
	(void)io->send(io->ctx, &out, 1);	/* repeated if it fails */
}

/* Take a reply to the flow's request: 1: the flow is open; 0: not yet; -errno: refused. */
static int
take(struct pace_client *c, struct opening *o, const struct pace_hdr *h, json_t *body,
    struct pace_err *err)
{
	struct pace_msg_error e = { .wait_ns = 0 };
	bool refused = body != NULL && pace_msg_is_error(body, &e);

	if (refused && strcmp(e.code, "cookie") == 0 && o->cookies < COOKIES_MAX) {
		o->has_cookie = false;
		o->number = 0;
		return 0;
	}
	if (refused)
		return pace_client_refusal(c, &e, "open", err);
	if (h->type == (PACE_OPEN | PACE_REPLY))
		return 1;
	if (pace_msg_cookie(body, o->m.cookie) != 0)
		return pace_failf(err, EPROTO, "hello", "the responder's answer is invalid");
	o->cookies++;
	o->has_cookie = true;
	o->number = 0;
	return 0;
}

/* Read what came for a flow that is being opened; as take. */
static int
look(struct pace_client *c, uint32_t stream, struct opening *o, struct pace_err *err)
{
	struct pace_io *io = &c->flow[stream].io;
	struct pace_in in = { .buf = c->in, .size = sizeof(c->in) };
	int rc = 0;

	while (rc == 0 && io->recv(io->ctx, &in, 1) > 0) {
		uint8_t wanted = (o->has_cookie ? PACE_OPEN : PACE_HELLO) | PACE_REPLY;
		struct pace_hdr h;
		json_t *body;

		if (in.len > in.size || pace_hdr_decode(&h, in.buf, in.len) != 0 ||
		    h.type != wanted || o->number == 0 || h.seq != o->number ||
		    h.session != session_of(c, o) || h.sealed != (c->key != NULL) ||
		    (c->key != NULL && !pace_client_genuine(c, &h, in.buf, in.len))) {
			c->strays++;
			continue;
		}
		body = pace_request_body(&h, in.buf, in.len);
		rc = take(c, o, &h, body, err);
		json_decref(body);
	}
	return rc;
}

/* Make the sockets of flows 1 .. n - 1. */
static int
make_sockets(struct pace_client *c, uint32_t n, struct pace_err *err)
{
	if (c->open_flow == NULL)
		return pace_failf(err, EOPNOTSUPP, "streams", "this client sends one stream");
	if (c->flow == NULL) {
		c->flow = calloc(PACE_STREAMS, sizeof(*c->flow));
		c->flows = 1;
	}
	if (c->flow == NULL)
		return pace_fail(err, ENOMEM, "streams");
	for (; c->flows < n; c->flows++) {
		int rc = c->open_flow(c->flow_ctx, c->flows, &c->flow[c->flows].io, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* One round over all flows that are not open; returns their number, or -errno. */
static int
open_round(struct pace_client *c, struct opening *v, uint32_t n, struct pace_err *err)
{
	int left = 0, rc;

	for (uint32_t i = 1; i < n; i++) {
		int64_t now = pace_client_now(c);

		if (c->flow[i].session == c->session)
			continue;
		rc = look(c, i, &v[i], err);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			c->flow[i].session = c->session;
			continue;
		}
		left++;
		if (v[i].number == 0 || now >= v[i].due_ns)
			ask(c, i, &v[i], now);
	}
	return left;
}

int
pace_client_flows(struct pace_client *c, uint32_t n, struct pace_err *err)
{
	int64_t deadline = pace_client_now(c) + PACE_CONTROL_NS;
	struct opening *v;
	int rc = make_sockets(c, n, err);

	if (rc < 0 || c->alone)
		return rc;
	v = calloc(n, sizeof(*v));
	if (v == NULL)
		return pace_fail(err, ENOMEM, "streams");
	for (uint32_t i = 1; i < n; i++) {
		v[i].m.nonce = c->nonce;
		v[i].m.rcvbuf_bytes = pace_client_flow_rcvbuf(c, n);
		v[i].m.sndbuf_bytes = c->sndbuf_asked;
		memcpy(v[i].m.label, c->label, sizeof(c->label));
	}
	while ((rc = open_round(c, v, n, err)) > 0) {
		if (pace_client_stopped(c))
			rc = pace_fail(err, EINTR, "open");
		else if (pace_client_now(c) >= deadline)
			rc = pace_client_tell(-ETIMEDOUT, "open", PACE_CONTROL_NS, err);
		if (rc < 0)
			break;
		(void)c->io.sleep_until(c->io.ctx, pace_client_now(c) + LOOK_NS, NULL);
	}
	free(v);
	return rc;
}
