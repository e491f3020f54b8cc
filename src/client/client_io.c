/*
 * One request, one reply: what the parts of the client share.
 */
#include "config.h"

#include "client/client_io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_RETRY_NS	INT64_C(100000000)
#define LAST_RETRY_NS	INT64_C(500000000)
#define FILTERED_MAX	3			/* requests that a local filter may drop */
#define PAD		160			/* requests are no smaller than a refusal */
#define TAKE_MAX	1024	/* strays at once */

int64_t
pace_client_now(struct pace_client *c)
{
	return c->io.now(c->io.ctx);
}

void
pace_client_describe_tx(const struct pace_client *c, struct pace_tx *t)
{
	t->sndbuf_asked = c->sndbuf_asked;
	t->sndbuf_granted = c->sndbuf_granted;
	t->qdisc_bypass = c->qdisc_bypass;
}

bool
pace_client_stopped(const struct pace_client *c)
{
	return (c->stop != NULL && *c->stop) || (c->cut != NULL && *c->cut);
}

bool
pace_client_ends(const struct pace_client *c)
{
	return pace_client_stopped(c) || c->pinger.dismissed || c->pinger.cut;
}

int
pace_client_dismissed(const struct pace_client *c, struct pace_err *err)
{
	if (c->pinger.cut)		/* FINISH brought no reason */
		return pace_failf(err, ESHUTDOWN, "send", "the responder ended the run");
	return pace_failf(err, ESHUTDOWN, "send",
	    "the responder is being stopped and ended the measurement");
}

/* --- one request, one reply ------------------------------------------------- */

void
pace_client_seal(struct pace_client *c, uint64_t session)
{
	if (c->key != NULL)
		pace_seal_derive(&c->seal, c->key, c->nonce, session);
}

/* Two messages with the same time would look like a replay. */
int64_t
pace_client_departure(struct pace_client *c)
{
	int64_t now = pace_client_now(c);

	if (c->key == NULL)
		return now;
	c->tagged_ns = now > c->tagged_ns ? now : c->tagged_ns + 1;
	return c->tagged_ns;
}

/* Send a request; returns its number, or -errno. */
int
pace_client_send(struct pace_client *c, uint8_t type, uint64_t request, json_t *body)
{
	return pace_client_send_stream(c, type, 0, request, body);
}

int
pace_client_send_stream(struct pace_client *c, uint8_t type, uint8_t stream, uint64_t request,
    json_t *body)
{
	struct pace_hdr h = { .type = type, .run = c->run, .stream = stream,
	    .sealed = c->key != NULL, .session = c->session, .seq = request,
	    .tx_ns = pace_client_departure(c) };
	size_t pad = type == PACE_HELLO ? PACE_HELLO_SIZE : PAD;
	struct pace_out out = { .buf = c->out };
	int len = pace_seal_put(&c->seal, c->out, sizeof(c->out),
	    pace_msg_put(c->out, sizeof(c->out), &h, body, pad));
	int rc;

	if (len < 0)
		return len;
	out.len = (size_t)len;
	rc = c->io.send(c->io.ctx, &out, 1);
	return rc < 0 ? rc : 0;
}

/* Request a report with the next number; `seen` is the newest one that was received. */
int
pace_client_ask_report(struct pace_client *c, uint32_t stream, uint64_t seen, uint32_t want)
{
	struct pace_hdr h = { .type = PACE_REPORT, .run = c->run, .sealed = c->key != NULL,
	    .stream = (uint8_t)stream, .session = c->session, .seq = ++c->request,
	    .tx_ns = pace_client_departure(c) };
	const struct pace_report_request a = { .seen = seen, .want = want };
	struct pace_out out = { .buf = c->out };
	int len = pace_seal_put(&c->seal, c->out, sizeof(c->out),
	    pace_report_put(c->out, sizeof(c->out), &h, &a));

	if (len < 0)
		return len;
	out.len = (size_t)len;
	return c->io.send(c->io.ctx, &out, 1);
}

/* --- with a key: authentic replies ----------------------------------------------- */

/* Return the errno that an unauthenticated answer means; 0: it is no hint. */
static int
meaning(const uint8_t *buf, size_t len)
{
	struct pace_msg_error e;
	json_t *body = pace_msg_body(buf, len);
	int code = 0;

	if (body != NULL && pace_msg_is_error(body, &e))
		code = strcmp(e.code, "session") == 0 ? ESTALE :
		    strcmp(e.code, "key") == 0 ? EKEYREJECTED :
		    strcmp(e.code, "version") == 0 ? EPROTONOSUPPORT : 0;
	json_decref(body);
	return code;
}

static void
take_hint(struct pace_client *c, int code)
{
	if (code == 0 || c->hint != 0)
		return;
	c->hint = code;
	c->hint_ns = pace_client_now(c);
}

int
pace_client_hinted(struct pace_client *c, int64_t since_ns)
{
	int64_t from = since_ns > c->hint_ns ? since_ns : c->hint_ns;

	return c->hint != 0 && pace_client_now(c) - from >= PACE_CLIENT_HINT_NS ? -c->hint : 0;
}

/*
 * True if the reply's tag is valid.  The answer to OPEN names the session that it is for.  "No
 * such session" is only a hint, because a responder sends it to anybody who replays an old request
 * of ours from another address.
 */
bool
pace_client_genuine(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	struct pace_seal seal = c->seal;
	bool good;

	if (h->session != seal.session)
		pace_seal_derive(&seal, c->key, c->nonce, h->session);
	good = h->sealed && pace_seal_check(&seal, buf, len);
	pace_seal_wipe(&seal);
	return good;
}

/* True if a reply that matches the request is accepted.  *body_len: up to its trailer. */
static bool
may_take(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf, size_t len,
    size_t *body_len)
{
	int code;

	*body_len = len;
	if (c->key == NULL)
		return !h->sealed;
	if (!pace_client_genuine(c, h, buf, len)) {
		take_hint(c, h->sealed ? 0 : meaning(buf, len));
		return false;
	}
	*body_len = len - PACE_SEAL_SIZE;
	code = meaning(buf, *body_len);
	take_hint(c, code == ESTALE ? code : 0);
	return code != ESTALE;
}

int
pace_client_match(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
    const struct pace_in *in)
{
	struct pace_hdr h = { .type = 0 };
	size_t len;
	int rc = pace_hdr_decode(&h, in->buf, in->len < in->size ? in->len : in->size);

	if (in->len > in->size && h.type != (PACE_PING | PACE_REPLY))
		rc = -EMSGSIZE;
	if (rc == -EPROTONOSUPPORT && type == PACE_HELLO &&
	    h.type == (PACE_HELLO | PACE_REPLY) && h.seq - first < n) {
		if (c->key == NULL)
			return rc;
		take_hint(c, EPROTONOSUPPORT);
	}
	if (rc == 0 && h.type == (type | PACE_REPLY) &&
	    (h.session == c->session || type == PACE_OPEN) &&
	    h.run == c->run && (h.stream == 0 || h.stream < c->streams) && h.seq - first < n &&
	    may_take(c, &h, in->buf, in->len, &len)) {
		c->reply_len = len;
		if (type == PACE_OPEN && h.session != 0) {
			c->session = h.session;
			pace_client_seal(c, h.session);
		}
		return (int)(h.seq - first);
	}
	if (rc == 0 && h.type == (PACE_PING | PACE_REPLY))
		(void)pace_pinger_take(&c->pinger, &h, in, pace_client_now(c));
	else if (rc == 0 && ((h.type == (PACE_CLOSE | PACE_REPLY) && type != PACE_CLOSE) ||
	    (h.type == (PACE_FINISH | PACE_REPLY) && h.seq == 0)))
		pace_pinger_dismiss(&c->pinger, &h, in);
	else
		c->strays++;
	return -EAGAIN;
}

/*
 * Take datagrams until one is a reply of this type with a number from first to first + n - 1.
 * Returns its number - first; -EAGAIN: no datagram waits; -ECONNREFUSED; -EPROTONOSUPPORT.
 */
static int
take_reply(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n)
{
	struct pace_in in = { .buf = c->in, .size = sizeof(c->in) };
	int rc = 0;

	for (int i = 0; i < TAKE_MAX && (rc = c->io.recv(c->io.ctx, &in, 1)) > 0; i++) {
		rc = pace_client_match(c, type, first, n, &in);
		if (rc != -EAGAIN)
			return rc;
	}
	return rc < 0 ? rc : -EAGAIN;
}

/* Wait for the reply until until_ns: as take_reply; -EAGAIN: it did not arrive in time. */
int
pace_client_wait(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
    int64_t until_ns)
{
	int rc;

	for (;;) {
		rc = take_reply(c, type, first, n);
		if (rc == -ECONNREFUSED && c->denied_ns == 0)
			c->denied_ns = pace_client_now(c);
		c->pinger.too_long = c->pinger.too_long || rc == -EMSGSIZE;
		if (rc != -EAGAIN && rc != -ECONNREFUSED && rc != -EMSGSIZE)
			return rc;
		rc = c->io.wait(c->io.ctx, until_ns);
		if (rc == 0)
			return -EAGAIN;
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (pace_client_now(c) >= until_ns)
			return -EAGAIN;
	}
}

/* Wait; datagrams that arrive meanwhile match no request. */
void
pace_client_pause(struct pace_client *c, int64_t until_ns)
{
	(void)pace_client_wait(c, 0, 0, 0, until_ns);
}

/* Wait; a stop ends the wait. */
void
pace_client_pause_or_stop(struct pace_client *c, int64_t until_ns)
{
	while (pace_client_now(c) < until_ns && !pace_client_stopped(c) && !c->pinger.dismissed) {
		int64_t slice = pace_client_now(c) + FIRST_RETRY_NS;

		pace_client_pause(c, slice < until_ns ? slice : until_ns);
	}
}

/* True for failures that may pass: no answer, no buffer, port unreachable. */
bool
pace_client_may_pass(int rc)
{
	return rc == -EAGAIN || rc == -EINTR || rc == -ENOBUFS || rc == -ECONNREFUSED ||
	    rc == -EPERM;		/* dropped by a filter of this host */
}

/*
 * Repeat a request until it is answered or patience_ns is over.  The caller keeps body; the reply
 * is in c->in.
 */
int
pace_client_request(struct pace_client *c, uint8_t type, json_t *body, int64_t patience_ns)
{
	int64_t pause = FIRST_RETRY_NS, now = pace_client_now(c), deadline = now + patience_ns;
	uint64_t number = ++c->request;
	int rc, filtered = 0;

	c->hint = 0;
	c->denied_ns = 0;
	if (type == PACE_HELLO || type == PACE_START)
		c->pinger.too_long = false;
	/* A HELLO ends early if ICMP has reported the port unreachable for long enough. */
	while (now < deadline && !(type == PACE_HELLO && c->denied_ns != 0 &&
	    pace_client_now(c) - c->denied_ns >= PACE_CLIENT_HINT_NS)) {
		/* FINISH and later requests are repeated after a stop as well. */
		if (pace_client_stopped(c) && (type == PACE_HELLO || type == PACE_OPEN ||
		    type == PACE_START))
			return -EINTR;
		rc = pace_client_send(c, type, number, json_incref(body));
		if (rc == 0)
			rc = pace_client_wait(c, type, number, 1,
			    now + pause < deadline ? now + pause : deadline);
		if (rc >= 0 || !pace_client_may_pass(rc))
			return rc;
		if (rc == -EPERM && ++filtered >= FILTERED_MAX)
			return rc;
		if (pace_client_hinted(c, c->hint_ns) < 0)
			break;
		pace_client_pause(c, now + pause);	/* the rest of the pause */
		pause = pause * 3 / 2 < LAST_RETRY_NS ? pause * 3 / 2 : LAST_RETRY_NS;
		now = pace_client_now(c);
	}
	return c->hint != 0 ? -c->hint : c->denied_ns != 0 ? -ECONNREFUSED :
	    type == PACE_HELLO && c->pinger.too_long ? -EMSGSIZE : -ETIMEDOUT;
}

int
pace_client_tell(int rc, const char *step, int64_t patience_ns, struct pace_err *err)
{
	if (rc == -ETIMEDOUT)
		return pace_failf(err, ETIMEDOUT, step, "no answer in %d s",
		    (int)(patience_ns / 1000000000));
	if (rc == -ECONNREFUSED && strcmp(step, "hello") == 0)
		return pace_failf(err, ECONNREFUSED, step, "no program listens on that port");
	if (rc == -ECONNREFUSED)
		return pace_failf(err, ECONNREFUSED, step, "no answer in %d s, and its host says "
		    "that no program listens on its port", (int)(patience_ns / 1000000000));
	if (rc == -EPROTONOSUPPORT)
		return pace_failf(err, EPROTONOSUPPORT, step,
		    "the responder speaks another version of the protocol, this is version %d",
		    PACE_WIRE_VERSION);
	if (rc == -ESTALE)
		return pace_failf(err, ESTALE, step, "the responder has forgotten this session");
	if (rc == -EKEYREJECTED)
		return pace_failf(err, EKEYREJECTED, step, "the responder does not know this key");
	return pace_fail(err, -rc, step);
}

/*
 * Make a request; *reply gets the body if it must be a JSON object, and the caller releases it.  A
 * refusal becomes an error and is stored in *e.
 */
int
pace_client_control(struct pace_client *c, uint8_t type, const char *step, json_t *body,
    int64_t patience_ns, json_t **reply, struct pace_msg_error *e, struct pace_err *err)
{
	int rc;

	*reply = NULL;
	if (body == NULL)
		return pace_fail(err, ENOMEM, step);
	rc = pace_client_request(c, type, body, patience_ns);
	json_decref(body);
	if (rc < 0)
		return pace_client_tell(rc, step, patience_ns, err);
	*reply = pace_msg_body(c->in, c->reply_len);
	if (*reply == NULL || !pace_msg_is_error(*reply, e))
		return 0;
	json_decref(*reply);
	*reply = NULL;
	return pace_client_refusal(c, e, step, err);
}

int
pace_client_refusal(struct pace_client *c, const struct pace_msg_error *e, const char *step,
    struct pace_err *err)
{
	if (strcmp(e->code, "busy") == 0)
		return pace_failf(err, EBUSY, step, "busy: %s is measuring, for at most %"
		    PRId64 " s more", e->label[0] != '\0' ? e->label : "another client",
		    e->wait_ns / 1000000000 + 1);
	if (strcmp(e->code, "group") == 0)
		return pace_failf(err, EINPROGRESS, step, "%s", e->text);
	if (strcmp(e->code, "session") == 0)
		return pace_failf(err, ESTALE, step, "the responder has forgotten this session");
	if (strcmp(e->code, "lease") == 0)
		return pace_failf(err, ENOLCK, step, "%s", e->text);
	if (strcmp(e->code, "closing") == 0)
		return pace_failf(err, ESHUTDOWN, step, "%s", e->text);
	if (strcmp(e->code, "version") == 0)
		return pace_failf(err, EPROTONOSUPPORT, step, "%s", e->text);
	if (strcmp(e->code, "policy") == 0) {
		c->refused = *e;
		return pace_failf(err, EDQUOT, step, "%s", e->text);
	}
	return pace_failf(err, strcmp(e->code, "key") == 0 ? EKEYREJECTED : EACCES, step, "%s",
	    e->text);
}
