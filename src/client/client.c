#include "config.h"

#include "client/client.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/host_doc.h"
#include "doc/js.h"
#include "doc/loss_attribution.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "proto/random.h"

#define HELLO_NS	INT64_C(5000000000)
#define COOKIES_MAX	3	/* one may get old on the way, or its maker may have been restarted */
#define VERSIONS_MAX	4	/* times that another version is named until it is believed */
#define ALIVE_NS	INT64_C(5000000000)	/* between two FINISH: well below PACE_LEASE_NS */
#define CLOSE_NS	INT64_C(600000000)
#define NUMBER_SHIFT	3		/* JSON has 62 bits for a number, and they rise */
#define BUSY_NS		INT64_C(1000000000)
#define PINGS		4096			/* under way, at most */
#define PING_NS		INT64_C(1000000)	/* from one to the next, where nothing else runs */
#define PINGS_LEAST	20
#define PINGS_MOST	200			/* for streams of 10 s and more */
#define PINGS_STOPPED	10			/* after a stop */
#define BOUND_SLACK	1.1
#define LEAST_NS	INT64_C(1500000000)	/* patience with a responder that was silent */

/* --- open, close -------------------------------------------------------------- */

static int
say_hello(struct pace_client *c, struct pace_msg_open *m, struct pace_err *err)
{
	struct pace_msg_error e;
	json_t *reply;
	int rc = -EPROTONOSUPPORT;

	/* No check covers the version: damage on the way makes another one of it. */
	for (int i = 0; i < VERSIONS_MAX && rc == -EPROTONOSUPPORT; i++)
		rc = pace_client_control(c, PACE_HELLO, "hello", json_object(), HELLO_NS, &reply, &e,
		    err);
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
	if (sodium_init() < 0)
		return -EIO;
	pace_clockfit_reset(&c->fit);
	return pace_pinger_init(&c->pinger, PINGS);
}

void
pace_client_free(struct pace_client *c)
{
	pace_pinger_free(&c->pinger);
	pace_seal_wipe(&c->seal);
}

/* What the responder says of its host. */
static int
fetch_host(struct pace_client *c, uint32_t size, struct pace_err *err)
{
	char *text = malloc((size_t)size + 1);
	json_t *j = NULL;
	int rc = 0;

	memset(&c->responder, 0, sizeof(c->responder));
	if (text == NULL)
		return pace_fail(err, ENOMEM, "open");
	if (size > 0) {
		rc = pace_client_fetch(c, PACE_PART_HOST, (uint8_t *)text, size, err);
		text[size] = '\0';
		j = rc == 0 ? pace_js_parse(text, size, NULL) : NULL;
	}
	if (rc == 0 && size > 0 && pace_host_from_json(&c->responder, j) != 0)
		rc = pace_failf(err, EPROTO, "open", "what the responder says of its host makes no "
		    "sense");
	json_decref(j);
	free(text);
	return rc;
}

/* Prove our address and ask for a session; *reply is the caller's. */
static int
ask_session(struct pace_client *c, json_t **reply, struct pace_err *err)
{
	struct pace_msg_open m = { .rcvbuf_bytes = c->rcvbuf_bytes };
	struct pace_msg_error e = { .wait_ns = 0 };
	int rc = -EACCES;

	for (int i = 0; i < COOKIES_MAX && rc == -EACCES; i++) {
		c->nonce = pace_random();
		pace_client_seal(c, 0);
		rc = say_hello(c, &m, err);
		if (rc < 0)
			return rc;
		m.nonce = c->nonce;
		memcpy(m.label, c->label, sizeof(m.label));
		rc = pace_client_control(c, PACE_OPEN, "open", pace_msg_open_json(&m),
		    PACE_CONTROL_NS, reply, &e, err);
		if (rc == -EACCES && strcmp(e.code, "cookie") != 0)
			break;
	}
	return rc;
}

int
pace_client_open(struct pace_client *c, struct pace_err *err)
{
	struct pace_msg_opened opened;
	json_t *reply;
	int rc;

	c->session = 0;
	c->stream = 0;
	c->open = false;
	c->request = pace_random() >> NUMBER_SHIFT;
	rc = ask_session(c, &reply, err);
	if (rc < 0)
		return rc;
	rc = pace_msg_opened(reply, &opened);
	json_decref(reply);
	if (rc != 0 || c->session == 0)
		return pace_failf(err, EPROTO, "open", "the answer makes no sense");
	c->their_clock = opened.clock;
	c->reports = opened.reports;
	c->open = true;
	rc = fetch_host(c, opened.host_bytes, err);
	if (rc < 0) {
		pace_client_close(c);
		return rc;
	}
	c->pinger.io = c->io;
	c->pinger.session = c->session;
	c->pinger.seal = &c->seal;
	pace_pinger_forget(&c->pinger);
	pace_clockfit_reset(&c->fit);	/* it may be another host now */
	return 0;
}

void
pace_client_close(struct pace_client *c)
{
	json_t *body = json_object();

	if (c->open && body != NULL)
		(void)pace_client_request(c, PACE_CLOSE, body, CLOSE_NS);
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
	pace_client_pause_or_stop(c, pace_client_now(c) + BUSY_NS);
	return pace_client_stopped(c) ? -EINTR : c->pinger.dismissed ? -ESHUTDOWN : 0;
}

int
pace_client_start(struct pace_client *c, const struct pace_msg_start *asked,
    struct pace_err *err)
{
	struct pace_msg_start m = *asked;
	struct pace_msg_error e = { .wait_ns = 0 };
	json_t *reply;
	int rc;

	if (m.at_most_ns > PACE_AT_MOST_NS)
		m.at_most_ns = PACE_AT_MOST_NS;
	rc = pace_io_stamps(&c->io, m.ask.nic, err);
	if (rc < 0)
		return rc;
	c->stream++;
	for (;;) {
		rc = pace_client_control(c, PACE_START, "start", pace_msg_start_json(&m),
		    PACE_CONTROL_NS, &reply, &e, err);
		if (rc == 0)
			rc = pace_client_started(c, &m, reply, err);
		json_decref(reply);
		c->longest_ns = rc == -EDQUOT ? e.longest_ns : 0;
		if (rc != -EBUSY || (c->no_wait && !c->had_turn))
			break;
		rc = pause_busy(c, &e);
		if (rc < 0) {
			(void)pace_fail(err, -rc, "start");
			if (rc == -ESHUTDOWN)
				(void)pace_client_dismissed(c, err);
			break;
		}
	}
	if (rc < 0)
		c->stream--;		/* the responder did not take it */
	else
		c->had_turn = true;
	pace_pinger_run(&c->pinger, c->stream);
	return rc;
}

/* Patience with a request counts from the last sign of life: pings were not answered. */
static int64_t
patience(struct pace_client *c)
{
	int64_t silent = c->pinger.heard_ns != 0 ? pace_client_now(c) - c->pinger.heard_ns : 0;

	return silent <= 0 ? PACE_CONTROL_NS : silent < PACE_CONTROL_NS - LEAST_NS ?
	    PACE_CONTROL_NS - silent : LEAST_NS;
}

int
pace_client_finish(struct pace_client *c, const struct pace_point *p, uint32_t *size,
    struct pace_err *err)
{
	int64_t deadline = pace_client_now(c) + p->ask.grace_ns + PACE_CONTROL_NS;
	int64_t patience_ns = patience(c);
	const struct pace_msg_finish f = { .sent = p->tx.frames, .theta = p->clock.fit };
	struct pace_msg_error e;
	struct pace_msg_ready m = { .ready = false };
	json_t *reply;
	int rc;

	for (;;) {
		rc = pace_client_control(c, PACE_FINISH, "finish", pace_msg_finish_json(&f),
		    patience_ns, &reply, &e, err);
		if (rc < 0)
			return rc;
		patience_ns = PACE_CONTROL_NS;
		rc = pace_msg_ready(reply, &m);
		json_decref(reply);
		if (rc != 0)
			return pace_failf(err, EPROTO, "finish", "the answer makes no sense");
		if (m.ready)
			break;
		if (pace_client_now(c) > deadline)
			return pace_failf(err, ETIMEDOUT, "finish", "the result never got ready");
		if (m.wait_ns > p->ask.grace_ns)
			return pace_failf(err, EPROTO, "finish", "the answer makes no sense");
		m.wait_ns = m.wait_ns < ALIVE_NS ? m.wait_ns : ALIVE_NS;
		pace_client_pause(c, pace_client_now(c) + m.wait_ns + 1000000);
	}
	*size = m.size;
	return m.size > 0 ? 0 : pace_failf(err, EPROTO, "finish", "the result is empty");
}

static int
read_rx_result(const char *text, size_t size, struct pace_point *p, struct pace_err *err)
{
	json_t *j = pace_js_parse(text, size, NULL);
	int rc = j != NULL ? pace_rx_result_from_json(&p->rx, &p->theirs, j, p->ask.verify) :
	    -EPROTO;

	json_decref(j);
	if (rc == 0 && (p->rx.unique > p->tx.frames ||
	    p->rx.lost != p->tx.frames - p->rx.unique ||
	    p->rx.records > p->ask.record.room))
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
	char *text;
	int rc;

	rc = pace_client_finish(c, p, &size, err);
	if (rc < 0)
		return rc;
	text = malloc((size_t)size + 1);
	if (text == NULL)
		return pace_fail(err, ENOMEM, "fetch");
	rc = pace_client_fetch(c, PACE_PART_RESULT, (uint8_t *)text, size, err);
	text[size] = '\0';
	if (rc == 0)
		rc = read_rx_result(text, size, p, err);
	free(text);
	return rc;
}

static bool
records_hold(const uint8_t *columns, uint64_t n)
{
	struct pace_record r;

	for (uint64_t i = 0; i < n; i++)
		if (pace_record_read(columns, n, i, &r) != 0)
			return false;
	return true;
}

int
pace_client_records(struct pace_client *c, const struct pace_point *p, uint8_t **columns,
    struct pace_err *err)
{
	uint32_t size = (uint32_t)(p->rx.records * PACE_RECORD_SIZE);
	int rc;

	*columns = NULL;
	if (!p->has_rx || size == 0)
		return 0;
	*columns = malloc(size);
	if (*columns == NULL)
		return pace_fail(err, ENOMEM, "records");
	rc = pace_client_fetch(c, PACE_PART_RECORDS, *columns, size, err);
	if (rc == 0 && !records_hold(*columns, p->rx.records))
		rc = pace_failf(err, EPROTO, "records", "the answer makes no sense");
	if (rc < 0) {
		free(*columns);
		*columns = NULL;
	}
	return rc;
}

int
pace_client_tell_send(const struct pace_client *c, int rc, struct pace_err *err)
{
	if (rc == -ETIMEDOUT && pace_pinger_denied(&c->pinger))
		return pace_failf(err, ECONNREFUSED, "send", "nothing was heard of the responder "
		    "for 11 s, and its host says that nobody listens on its port");
	if (rc == -ETIMEDOUT)
		return pace_failf(err, ETIMEDOUT, "send", "nothing was heard of the responder "
		    "for 11 s");
	if (rc == -EMSGSIZE)
		return pace_failf(err, EMSGSIZE, "send",
		    "the frames are larger than the path takes whole");
	return pace_fail(err, -rc, "send");
}

/* Exchanges on either side of a stream: a short one is not made long by them. */
static uint64_t
pings_for(const struct pace_params *ask)
{
	int64_t n = pace_params_duration_ns(ask) / PACE_SENDER_PING_NS;

	if (ask->duration_ns == 0 && ask->spacing == 0)
		return PINGS_LEAST;
	return n < PINGS_LEAST ? PINGS_LEAST : n > PINGS_MOST ? PINGS_MOST : (uint64_t)n;
}

/* The stream, and the exchanges around it: what the sender's run returned. */
static int
stream(struct pace_client *c, const struct pace_sender *s, struct pace_point *p,
    uint64_t *asked)
{
	uint64_t n = pings_for(&p->ask);
	int rc;

	pace_client_clock_begin(c, &p->clock);
	pace_client_pings(c, n, PING_NS);
	p->clock.from_ns = pace_client_now(c);
	rc = pace_sender_run(s, &p->tx, asked);
	p->clock.to_ns = pace_client_now(c);
	pace_client_pings(c, pace_client_ends(c) ? PINGS_STOPPED : n, PING_NS);
	pace_client_settle(c);
	pace_client_clock_end(c);
	/* a departure that is known is known by what stamps arrivals */
	if (p->ask.nic && p->clock.stamp == PACE_STAMP_KERNEL &&
	    c->pinger.arrivals == PACE_STAMP_NIC)
		p->clock.stamp = PACE_STAMP_NIC;
	return rc;
}

static int64_t
at_most_ns(const struct pace_client *c, const struct pace_params *ask)
{
	return pace_params_duration_ns(ask) + ask->grace_ns + c->rest_ns +
	    2 * (int64_t)pings_for(ask) * PING_NS;
}

/*
 * Is the offset known well enough to speak of delays, not only of their
 * variation?  On an idle path the bound is half the round trip, as the delay
 * is: it is wider where it is so by more than what both are uncertain by.
 */
static void
judge_delay(struct pace_point *p)
{
	const struct pace_hist *owd = &p->rx.owd;
	double median = (double)pace_hist_quantile(owd, 0.5);

	p->clock.theirs = p->rx.clock;
	p->owd_relative = !p->rx.has_owd || owd->stats.n == 0 || p->clock.fit.segments == 0 ||
	    p->clock.fit.bound_ns > BOUND_SLACK * median + 2 * PACE_CLIENT_RESOLUTION;
}

int
pace_client_idle(struct pace_client *c, int64_t ns)
{
	struct pace_counters then = { .known = false }, now = { .known = false };

	pace_io_counters(&c->io, &then, PACE_BEFORE);
	pace_client_pause_or_stop(c, pace_client_now(c) + ns);
	pace_io_counters(&c->io, &now, PACE_AFTER);
	c->has_idle = pace_energy_idle(&now.energy, &then.energy, now.at_ns - then.at_ns,
	    &c->idle_watts);
	pace_counters_free(&then);
	pace_counters_free(&now);
	return pace_client_stopped(c) ? -EINTR : 0;
}

/* The stream ended for want of an answer, and now there was one: only the way back was
 * out, or the path so full that no exchange got through. */
static void
note_silence(struct pace_point *p)
{
	p->interrupted = true;
	pace_note(&p->notes, "cut_short", "the stream was cut short: nothing was heard of the "
	    "responder for 11 s");
}

int
pace_client_point(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	struct pace_msg_start m = { .ask = p->ask, .limit = pace_sender_limit(&p->ask),
	    .seed = pace_random(), .at_most_ns = at_most_ns(c, &p->ask),
	    .capture = c->capture };
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .seed = m.seed,
	    .stop = c->stop, .cut = c->cut, .progress = c->progress, .pinger = &c->pinger, .fit = &c->fit };
	struct pace_counters before = { .known = false };
	uint64_t asked;
	int rc, sent_rc;
	bool ends;

	p->ipv6 = c->link.family == 6;
	m.wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes);
	rc = pace_client_start(c, &m, err);
	if (rc < 0)
		return rc;
	s.session = c->session;
	s.stream = c->stream;
	s.wire_bytes = m.wire_bytes;
	pace_io_counters(&c->io, &before, PACE_BEFORE);
	sent_rc = stream(c, &s, p, &asked);
	p->tx.sndbuf_asked = c->sndbuf_asked;
	p->tx.sndbuf_granted = c->sndbuf_granted;
	p->interrupted = ends = pace_client_ends(c);
	p->verdict = pace_sender_judge(&p->ask, &p->tx, asked, &p->notes);
	p->ledger.asked = asked;
	p->ledger.tx_refused = p->tx.refused;
	rc = collect(c, p, err);
	pace_io_counters(&c->io, &p->ours, PACE_AFTER);
	pace_counters_since(&p->ours, &before);
	p->ours.energy.has_idle = p->ours.energy.known && c->has_idle;
	p->ours.energy.idle_watts = c->idle_watts;
	pace_counters_free(&before);
	if (rc == 0) {
		pace_loss_attribution_close(p);
		judge_delay(p);
		pace_client_note_capture(c, p);
	}
	if (rc == 0 && sent_rc == 0 && p->rx.unique == 0 && c->pinger.too_long)
		sent_rc = -EMSGSIZE;	/* no frame came to show that the ICMP message lies */
	if (rc == 0 && sent_rc == -ETIMEDOUT)
		note_silence(p);
	else if (sent_rc < 0 && (sent_rc != -ETIMEDOUT || rc == -ETIMEDOUT || rc == -ECONNREFUSED))
		return pace_client_tell_send(c, sent_rc, err);
	if (rc == 0 && ends && !pace_client_stopped(c))
		return pace_client_dismissed(c, err);
	if (rc == 0 && ends)
		return pace_fail(err, EINTR, "stopped");
	return rc;
}
