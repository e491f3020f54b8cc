#include "config.h"

#include "session/client.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "doc/ask.h"
#include "doc/receipt_doc.h"
#include "session/gate.h"

#define FIRST_RETRY_NS	INT64_C(100000000)
#define LAST_RETRY_NS	INT64_C(500000000)
#define HELLO_NS	INT64_C(5000000000)
#define CONTROL_NS	INT64_C(10000000000)
#define CLOSE_NS	INT64_C(600000000)
#define BUSY_NS		INT64_C(1000000000)
#define NOBODY_MAX	3			/* port unreachable so often: nobody there */
#define PAD		160			/* so that a refusal is never larger */
#define FETCH_AT_ONCE	8
#define FETCH_NS	INT64_C(60000000000)	/* the whole result */
#define TAKE_MAX	1024	/* strays at once */

static int64_t
now_ns(struct pace_client *c)
{
	return c->io.now(c->io.ctx);
}

static bool
stopped(const struct pace_client *c)
{
	return c->stop != NULL && *c->stop;
}

/* --- one request, one reply ------------------------------------------------- */

/* Send a request; its number, or -errno. */
static int
send_request(struct pace_client *c, uint8_t type, uint64_t request, json_t *body)
{
	struct pace_hdr h = { .type = type, .stream = c->stream, .session = c->session,
	    .seq = request, .tx_ns = now_ns(c) };
	size_t pad = type == PACE_HELLO ? PACE_HELLO_SIZE : PAD;
	struct pace_out out = { .buf = c->out };
	int len = pace_msg_put(c->out, sizeof(c->out), &h, body, pad);
	int rc;

	if (len < 0)
		return len;
	out.len = (size_t)len;
	rc = c->io.send(c->io.ctx, &out, 1);
	return rc < 0 ? rc : 0;
}

/*
 * Take datagrams until one is a reply of this type with a number from first
 * on (below first + n).  Its number - first; -EAGAIN: none waits;
 * -ECONNREFUSED; -EPROTONOSUPPORT.
 */
static int
take_reply(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n)
{
	struct pace_in in = { .buf = c->in, .size = sizeof(c->in) };
	struct pace_hdr h;
	int rc = 0;

	for (int i = 0; i < TAKE_MAX && (rc = c->io.recv(c->io.ctx, &in, 1)) > 0; i++) {
		rc = in.len <= in.size ? pace_hdr_decode(&h, in.buf, in.len) : -EMSGSIZE;
		if (rc == -EPROTONOSUPPORT && type == PACE_HELLO &&
		    h.type == (PACE_HELLO | PACE_REPLY))
			return rc;
		if (rc == 0 && h.type == (type | PACE_REPLY) &&
		    (h.session == c->session || type == PACE_OPEN) &&
		    h.stream == c->stream && h.seq - first < n) {
			c->reply_len = in.len;
			if (type == PACE_OPEN && h.session != 0)
				c->session = h.session;
			return (int)(h.seq - first);
		}
		c->strays++;
	}
	return rc < 0 ? rc : -EAGAIN;
}

/* Wait for the reply until a time: as take_reply, -EAGAIN: not by then. */
static int
wait_reply(struct pace_client *c, uint8_t type, uint64_t first, uint64_t n,
    int64_t until_ns)
{
	int rc;

	for (;;) {
		rc = take_reply(c, type, first, n);
		if (rc != -EAGAIN)
			return rc;
		rc = c->io.wait(c->io.ctx, until_ns);
		if (rc == 0)
			return -EAGAIN;
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (now_ns(c) >= until_ns)
			return -EAGAIN;
	}
}

/* Let time pass; what comes meanwhile answers nothing. */
static void
pause_until(struct pace_client *c, int64_t until_ns)
{
	(void)wait_reply(c, 0, 0, 0, until_ns);
}

/* The same, but a stop ends it. */
static void
pause_or_stop(struct pace_client *c, int64_t until_ns)
{
	while (now_ns(c) < until_ns && !stopped(c)) {
		int64_t slice = now_ns(c) + FIRST_RETRY_NS;

		pause_until(c, slice < until_ns ? slice : until_ns);
	}
}

/* May a request still be repeated after a stop?  FINISH and later may. */
static bool
give_up(const struct pace_client *c, uint8_t type)
{
	return stopped(c) && (type == PACE_HELLO || type == PACE_OPEN || type == PACE_START);
}

/* No answer, no room, nobody there yet: try again.  Anything else stays. */
static bool
may_pass(int rc)
{
	return rc == -EAGAIN || rc == -EINTR || rc == -ENOBUFS || rc == -ECONNREFUSED;
}

/*
 * Ask until answered or patience_ns is over.  body is kept (the caller's).
 * The reply lies in c->in.
 */
static int
request(struct pace_client *c, uint8_t type, json_t *body, int64_t patience_ns)
{
	int64_t pause = FIRST_RETRY_NS, now = now_ns(c), deadline = now + patience_ns;
	uint64_t number = ++c->request;
	int rc, nobody = 0;

	while (now < deadline) {
		if (give_up(c, type))
			return -EINTR;
		rc = send_request(c, type, number, json_incref(body));
		if (rc == 0)
			rc = wait_reply(c, type, number, 1,
			    now + pause < deadline ? now + pause : deadline);
		if (rc >= 0 || !may_pass(rc))
			return rc;
		if (rc == -ECONNREFUSED && ++nobody >= NOBODY_MAX)
			return rc;
		pause_until(c, now + pause);	/* what is left of it */
		pause = pause * 3 / 2 < LAST_RETRY_NS ? pause * 3 / 2 : LAST_RETRY_NS;
		now = now_ns(c);
	}
	return -ETIMEDOUT;
}

static int
tell_failure(int rc, const char *step, int64_t patience_ns, struct pace_err *err)
{
	if (rc == -ETIMEDOUT)
		return pace_failf(err, ETIMEDOUT, step, "no answer in %d s",
		    (int)(patience_ns / 1000000000));
	if (rc == -ECONNREFUSED)
		return pace_failf(err, ECONNREFUSED, step, "nobody listens on that port");
	if (rc == -EPROTONOSUPPORT)
		return pace_failf(err, EPROTONOSUPPORT, step,
		    "the responder speaks another version of the protocol, this is version %d",
		    PACE_WIRE_VERSION);
	return pace_fail(err, -rc, step);
}

/*
 * The reply's body where it must be a JSON object: *body, released by the
 * caller.  A refusal becomes an error, and stays in *e.
 */
static int
reply_body(struct pace_client *c, const char *step, json_t **body,
    struct pace_msg_error *e, struct pace_err *err)
{
	*body = pace_msg_body(c->in, c->reply_len);
	if (*body == NULL || !pace_msg_is_error(*body, e))
		return 0;
	json_decref(*body);
	*body = NULL;
	if (strcmp(e->code, "busy") == 0)
		return pace_failf(err, EBUSY, step, "busy: %s is measuring, for at most %"
		    PRId64 " s more", e->label[0] != '\0' ? e->label : "another client",
		    e->wait_ns / 1000000000 + 1);
	if (strcmp(e->code, "session") == 0)
		return pace_failf(err, ESTALE, step, "the responder has forgotten this session");
	if (strcmp(e->code, "version") == 0)
		return pace_failf(err, EPROTONOSUPPORT, step, "%s", e->text);
	return pace_failf(err, EACCES, step, "%s", e->text);
}

/* Ask; the reply's body, NULL when it has none. */
static int
ask(struct pace_client *c, uint8_t type, const char *step, json_t *body,
    int64_t patience_ns, json_t **reply, struct pace_msg_error *e, struct pace_err *err)
{
	int rc;

	*reply = NULL;
	if (body == NULL)
		return pace_fail(err, ENOMEM, step);
	rc = request(c, type, body, patience_ns);
	json_decref(body);
	if (rc < 0)
		return tell_failure(rc, step, patience_ns, err);
	return reply_body(c, step, reply, e, err);
}

/* --- open, close -------------------------------------------------------------- */

static int
say_hello(struct pace_client *c, struct pace_msg_open *m, struct pace_err *err)
{
	struct pace_msg_error e;
	json_t *reply;
	int rc;

	rc = ask(c, PACE_HELLO, "hello", json_object(), HELLO_NS, &reply, &e, err);
	if (rc < 0)
		return rc;
	rc = pace_msg_cookie(reply, m->cookie);
	json_decref(reply);
	return rc == 0 ? 0 : pace_failf(err, EPROTO, "hello", "the answer makes no sense");
}

int
pace_client_init(struct pace_client *c)
{
	memset(c, 0, sizeof(*c));
	return sodium_init() < 0 ? -EIO : 0;
}

int
pace_client_open(struct pace_client *c, struct pace_err *err)
{
	struct pace_msg_open m = { .rcvbuf_bytes = c->rcvbuf_bytes };
	struct pace_msg_error e;
	json_t *reply;
	int rc;

	c->session = 0;
	c->stream = 0;
	c->open = false;
	rc = say_hello(c, &m, err);
	if (rc < 0)
		return rc;
	m.nonce = pace_gate_random();
	memcpy(m.label, c->label, sizeof(m.label));
	rc = ask(c, PACE_OPEN, "open", pace_msg_open_json(&m), CONTROL_NS, &reply, &e, err);
	if (rc < 0)
		return rc;
	rc = pace_msg_opened(reply, &c->responder);
	json_decref(reply);
	if (rc != 0 || c->session == 0)
		return pace_failf(err, EPROTO, "open", "the answer makes no sense");
	c->open = true;
	return 0;
}

void
pace_client_close(struct pace_client *c)
{
	json_t *body = json_object();

	if (c->open && body != NULL)
		(void)request(c, PACE_CLOSE, body, CLOSE_NS);
	json_decref(body);
	c->open = false;
}

/* --- a point ------------------------------------------------------------------- */

/* A pause that a stop ends. */
static int
pause_busy(struct pace_client *c, const struct pace_msg_error *who)
{
	if (c->on_busy != NULL)
		c->on_busy(c->busy_ctx, who);
	pause_or_stop(c, now_ns(c) + BUSY_NS);
	return stopped(c) ? -EINTR : 0;
}

static int
start_run(struct pace_client *c, const struct pace_msg_start *m, struct pace_err *err)
{
	struct pace_msg_error e;
	json_t *reply;
	int rc;

	c->stream++;
	for (;;) {
		rc = ask(c, PACE_START, "start", pace_msg_start_json(m), CONTROL_NS,
		    &reply, &e, err);
		json_decref(reply);
		if (rc != -EBUSY || c->no_wait)
			break;
		rc = pause_busy(c, &e);
		if (rc < 0) {
			(void)pace_fail(err, -rc, "start");
			break;
		}
	}
	if (rc < 0)
		c->stream--;		/* the responder did not take it */
	return rc;
}

/* Tell what was sent, wait until the responder is ready. */
static int
finish_run(struct pace_client *c, const struct pace_point *p, uint32_t *size,
    struct pace_err *err)
{
	int64_t deadline = now_ns(c) + p->ask.grace_ns + CONTROL_NS;
	struct pace_msg_error e;
	struct pace_msg_ready m = { .ready = false };
	json_t *reply;
	int rc;

	for (;;) {
		rc = ask(c, PACE_FINISH, "finish", pace_msg_finish_json(p->tx.frames), CONTROL_NS,
		    &reply, &e, err);
		if (rc < 0)
			return rc;
		rc = pace_msg_ready(reply, &m);
		json_decref(reply);
		if (rc != 0)
			return pace_failf(err, EPROTO, "finish", "the answer makes no sense");
		if (m.ready)
			break;
		if (now_ns(c) > deadline)
			return pace_failf(err, ETIMEDOUT, "finish", "the result never got ready");
		if (m.wait_ns > p->ask.grace_ns)
			return pace_failf(err, EPROTO, "finish", "the answer makes no sense");
		pause_until(c, now_ns(c) + m.wait_ns + 1000000);
	}
	*size = m.size;
	return m.size > 0 ? 0 : pace_failf(err, EPROTO, "finish", "the result is empty");
}

/* The bytes of the chunk in c->in go to where they belong; its size or -EPROTO. */
static int
store_chunk(struct pace_client *c, char *text, uint32_t size, uint32_t offset)
{
	struct pace_rd r = { .p = c->in + PACE_HDR_SIZE, .left = c->reply_len - PACE_HDR_SIZE };
	uint32_t at = (uint32_t)pace_rd_be(&r, 4), total = (uint32_t)pace_rd_be(&r, 4);
	uint32_t want = size - offset < PACE_CHUNK_MAX ? size - offset : PACE_CHUNK_MAX;

	if (r.bad || at != offset || total != size || r.left != want)
		return -EPROTO;
	memcpy(text + offset, r.p, r.left);
	return (int)r.left;
}

/* Ask for up to FETCH_AT_ONCE chunks from `first` on, numbers from number. */
static int
ask_chunks(struct pace_client *c, uint64_t number, uint32_t first, uint32_t n,
    const bool *have)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		if (!have[i])
			rc = send_request(c, PACE_FETCH, number + i,
			    pace_msg_fetch_json((first + i) * PACE_CHUNK_MAX));
	return rc < 0 && !may_pass(rc) ? rc : 0;
}

/* One window of chunks, repeated until it is whole. */
static int
fetch_window(struct pace_client *c, char *text, uint32_t size, uint32_t first, uint32_t n)
{
	int64_t deadline = now_ns(c) + CONTROL_NS, pause = FIRST_RETRY_NS;
	uint64_t number = c->request + 1;
	bool have[FETCH_AT_ONCE] = { false };
	uint32_t missing = n;
	int rc;

	c->request += n;
	while (missing > 0 && now_ns(c) < deadline) {
		int64_t until = now_ns(c) + pause;

		rc = ask_chunks(c, number, first, n, have);
		while (rc >= 0 && missing > 0) {
			rc = wait_reply(c, PACE_FETCH, number, n, until);
			if (rc < 0 || have[rc])
				continue;
			if (store_chunk(c, text, size, (first + (uint32_t)rc) * PACE_CHUNK_MAX) < 0)
				return -EPROTO;
			have[rc] = true;
			missing--;
		}
		if (rc < 0 && !may_pass(rc))
			return rc;
		pause = pause * 3 / 2 < LAST_RETRY_NS ? pause * 3 / 2 : LAST_RETRY_NS;
	}
	return missing == 0 ? 0 : -ETIMEDOUT;
}

static int
fetch_result(struct pace_client *c, uint32_t size, char **text, struct pace_err *err)
{
	uint32_t chunks = (size + PACE_CHUNK_MAX - 1) / PACE_CHUNK_MAX, n;
	int64_t deadline = now_ns(c) + FETCH_NS;
	char *t = malloc((size_t)size + 1);
	int rc = 0;

	if (t == NULL)
		return pace_fail(err, ENOMEM, "fetch");
	for (uint32_t i = 0; i < chunks && rc == 0; i += n) {
		n = chunks - i < FETCH_AT_ONCE ? chunks - i : FETCH_AT_ONCE;
		rc = now_ns(c) > deadline ? -ETIMEDOUT : fetch_window(c, t, size, i, n);
	}
	if (rc < 0) {
		free(t);
		if (rc == -EPROTO)
			return pace_failf(err, EPROTO, "fetch", "the answer makes no sense");
		return tell_failure(rc, "fetch", CONTROL_NS, err);
	}
	t[size] = '\0';
	*text = t;
	return 0;
}

static int
read_receipt(const char *text, struct pace_point *p, struct pace_err *err)
{
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int rc = j != NULL ? pace_receipt_from_json(&p->rx, j, p->ask.verify) : -EPROTO;

	json_decref(j);
	if (rc == 0 && (p->rx.unique > p->tx.frames ||
	    p->rx.lost != p->tx.frames - p->rx.unique))
		rc = -EPROTO;
	if (rc < 0)
		return pace_failf(err, EPROTO, "result", "the responder's result contradicts "
		    "itself or what was sent");
	p->has_rx = true;
	return 0;
}

static int
collect(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	uint32_t size;
	char *text = NULL;
	int rc;

	rc = finish_run(c, p, &size, err);
	if (rc < 0)
		return rc;
	rc = fetch_result(c, size, &text, err);
	if (rc < 0)
		return rc;
	rc = read_receipt(text, p, err);
	free(text);
	return rc;
}

static int
tell_send_failure(int rc, struct pace_err *err)
{
	if (rc == -ECONNREFUSED)
		return pace_failf(err, ECONNREFUSED, "send", "the responder went away");
	if (rc == -EMSGSIZE)
		return pace_failf(err, EMSGSIZE, "send",
		    "the frames are larger than the path takes whole");
	return pace_fail(err, -rc, "send");
}

int
pace_client_point(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	struct pace_msg_start m = { .ask = p->ask, .limit = pace_sender_limit(&p->ask),
	    .seed = pace_gate_random(), .at_most_ns = pace_ask_duration_ns(&p->ask) +
	    p->ask.grace_ns + c->rest_ns };
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .seed = m.seed,
	    .stop = c->stop, .progress = c->progress, .departures = &c->departures };
	uint64_t asked;
	int rc, sent_rc;

	m.wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes);
	rc = start_run(c, &m, err);
	if (rc < 0)
		return rc;
	s.session = c->session;
	s.stream = c->stream;
	s.wire_bytes = m.wire_bytes;
	sent_rc = pace_sender_run(&s, &p->tx, &asked);
	p->tx.sndbuf_asked = c->sndbuf_asked;
	p->tx.sndbuf_granted = c->sndbuf_granted;
	p->interrupted = stopped(c);
	p->verdict = pace_sender_judge(&p->ask, &p->tx, asked, &p->notes);
	p->ledger.asked = asked;
	p->ledger.tx_refused = p->tx.refused;
	if (sent_rc == -ECONNREFUSED)
		return tell_send_failure(sent_rc, err);
	rc = collect(c, p, err);
	if (rc == 0)
		pace_ledger_close(&p->ledger, p->tx.frames, p->tx.refused, p->rx.lost,
		    &(struct pace_claims){ p->rx.socket_drops, p->rx.bad_checksums });
	if (sent_rc < 0)
		return tell_send_failure(sent_rc, err);
	if (rc == 0 && p->interrupted)
		return pace_fail(err, EINTR, "stopped");
	return rc;
}
