#include "config.h"

#include "client/client.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/host_doc.h"
#include "doc/intervals_doc.h"
#include "doc/js.h"
#include "doc/loss_attribution.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "doc/wire_check_doc.h"
#include "proto/random.h"

#define HELLO_NS	INT64_C(5000000000)
/* a cookie may expire on its way, or the responder may restart */
#define COOKIES_MAX	3
#define VERSIONS_MAX	4	/* answers that name another version until one is believed */
#define ALIVE_NS	INT64_C(5000000000)	/* between two FINISHs: well below PACE_LEASE_NS */
#define CLOSE_NS	INT64_C(600000000)
#define NUMBER_SHIFT	11		/* a number has 56 bits and must be able to rise */
#define BUSY_NS		INT64_C(1000000000)
#define GATHER_NS	INT64_C(200000000)	/* while the group is incomplete */
#define GATHER_ASK_NS	INT64_C(1000000000)	/* repeat such a request as a new one: often enough
						 * to hear of the begin before it */
#define BEGIN_PING_NS	INT64_C(20000000)	/* between two, before the group's run */
#define BEGIN_NEAR_NS	INT64_C(50000000)	/* the last estimate of the clock before it */
#define BEGIN_LATE_NS	INT64_C(100000000)	/* later than requested: worth a note */
#define PINGS		4096			/* under way, at most */
#define PING_NS		INT64_C(1000000)	/* between two, without a stream */
#define PINGS_LEAST	20
#define PINGS_MOST	200			/* for streams of 10 s and more */
#define PINGS_STOPPED	10			/* after a stop */
#define BOUND_SLACK	1.1
#define LEAST_NS	INT64_C(1500000000)	/* deadline after a silence of the responder */

/* Why a responder does not capture. */
static const char *const words[PACE_CAPTURES] = {
	[PACE_CAPTURE_NONE] = "it was not started with --capture",
	[PACE_CAPTURE_RULE] = "its rule for this client forbids it (capture, udpace-policy(5))",
	[PACE_CAPTURE_BUILD] = "it was built without libpcap",
	[PACE_CAPTURE_ROOM] = "it has no memory for it, or too many captures run",
	[PACE_CAPTURE_FAILED] = "its interface can no longer be read",
};

/* --- open, close -------------------------------------------------------------- */

static int
say_hello(struct pace_client *c, struct pace_msg_open *m, struct pace_err *err)
{
	struct pace_msg_error e;
	json_t *reply;
	int rc = -EPROTONOSUPPORT;

	/* No checksum covers the version: a corrupted datagram may show another one. */
	for (int i = 0; i < VERSIONS_MAX && rc == -EPROTONOSUPPORT; i++)
		rc = pace_client_control(c, PACE_HELLO, "hello", json_object(), HELLO_NS, &reply,
		    &e, err);
	if (rc < 0)
		return rc;
	rc = pace_msg_cookie(reply, m->cookie);
	json_decref(reply);
	return rc == 0 ? 0 : pace_failf(err, EPROTO, "hello", "the responder's answer is invalid");
}

int
pace_client_init(struct pace_client *c)
{
	memset(c, 0, sizeof(*c));
	return pace_client_init_room(c, PINGS, PACE_FRAME_MAX);
}

int
pace_client_init_room(struct pace_client *c, uint64_t pings, uint32_t most)
{
	if (sodium_init() < 0)
		return -EIO;
	pace_clockfit_reset(&c->fit);
	return pace_pinger_init(&c->pinger, pings, most);
}

void
pace_client_free(struct pace_client *c)
{
	pace_client_down_captures_drop(c);
	pace_pinger_free(&c->pinger);
	pace_receiver_free(c->receiver);
	c->receiver = NULL;
	for (uint32_t i = 1; c->flow != NULL && i < PACE_STREAMS; i++)
		pace_receiver_free(c->flow[i].receiver);
	free(c->flow);
	c->flow = NULL;
	pace_seal_wipe(&c->seal);
}

int
pace_client_fetch_json(struct pace_client *c, enum pace_part part, uint32_t size, json_t **j,
    struct pace_err *err)
{
	char *text = malloc((size_t)size + 1);
	int rc = text == NULL ? pace_fail(err, ENOMEM, "fetch") :
	    pace_client_fetch(c, part, 0, (uint8_t *)text, size, err);

	if (rc == 0) {
		text[size] = '\0';
		*j = pace_js_parse(text, size, NULL);
	}
	free(text);
	return rc;
}

/* Prove the client's address and request a session; the caller releases *reply. */
static int
ask_session(struct pace_client *c, json_t **reply, struct pace_err *err)
{
	struct pace_msg_open m = { .rcvbuf_bytes = c->rcvbuf_bytes, .sndbuf_bytes = c->sndbuf_asked,
	    .light = c->light };
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

void
pace_client_opening(struct pace_client *c)
{
	c->session = 0;
	c->run = 0;
	c->open = false;
	c->request = pace_random() >> NUMBER_SHIFT;
}

int
pace_client_opened(struct pace_client *c, const json_t *reply, uint32_t *host_bytes)
{
	struct pace_msg_opened opened;

	if (pace_msg_opened(reply, &opened) != 0 || c->session == 0)
		return -EPROTO;
	c->their_clock = opened.clock;
	c->reports = opened.reports;
	c->is_light = opened.light;
	c->open = true;
	*host_bytes = opened.host_bytes;
	memset(&c->responder, 0, sizeof(c->responder));
	c->pinger.io = c->io;
	c->pinger.session = c->session;
	c->pinger.seal = &c->seal;
	pace_pinger_forget(&c->pinger);
	pace_clockfit_reset(&c->fit);	/* the host may be another one */
	return 0;
}

int
pace_client_open(struct pace_client *c, struct pace_err *err)
{
	json_t *reply, *host = NULL;
	uint32_t host_bytes = 0;
	int rc;

	if (c->alone) {
		c->session = c->session != 0 ? c->session : pace_random();
		return 0;
	}
	if (c->pinger.stamp != NULL)
		return pace_client_stamp_open(c, err);
	pace_client_opening(c);
	rc = ask_session(c, &reply, err);
	if (rc < 0)
		return rc;
	rc = pace_client_opened(c, reply, &host_bytes);
	json_decref(reply);
	if (rc != 0)
		return pace_failf(err, EPROTO, "open", "the responder's answer is invalid");
	if (host_bytes > 0)
		rc = pace_client_fetch_json(c, PACE_PART_HOST, host_bytes, &host, err);
	if (rc == 0 && host_bytes > 0 && pace_host_from_json(&c->responder, host) != 0)
		rc = pace_failf(err, EPROTO, "open", "the responder's description of its host is "
		    "invalid");
	json_decref(host);
	if (rc < 0)
		pace_client_close(c);
	return rc;
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

/* --- the begin of a run ---------------------------------------------------------- */

/* Return the requested begin on our probe clock; 0: at once. */
static int64_t
start_at(struct pace_client *c)
{
	return c->start_at_ns != 0 ? c->start_at_ns - c->io.wall(c->io.ctx) : 0;
}

/* Say how long it is until the run begins, as of now. */
static void
tell_begin(struct pace_client *c, struct pace_msg_start *m)
{
	int64_t ns = c->start_at_ns != 0 ? start_at(c) - pace_client_now(c) : 0;

	m->begin_in_ns = ns < 0 ? 0 : ns < PACE_BEGIN_IN_MAX_NS ? ns : PACE_BEGIN_IN_MAX_NS;
	m->group_size = m->pings ? 0 : c->group_size;
	if (m->group_size > 0)
		memcpy(m->group, c->group, sizeof(m->group));
}

/* Read the reply to START. */
static int
read_started(struct pace_client *c, const struct pace_msg_start *m, const json_t *reply,
    struct pace_err *err)
{
	struct pace_msg_started s = { .capture = PACE_CAPTURE_NONE };

	if ((m->capture || m->group_size > 0 || m->tcp.streams > 0) && pace_msg_started(reply, &s) < 0)
		return pace_failf(err, EPROTO, "start", "the responder's answer is invalid");
	if (m->group_size > 0 && s.begin_ns == 0)
		return pace_failf(err, ENOTSUP, "start", "this responder is too old for groups: "
		    "update it");
	if (m->tcp.streams > 0 && !s.tcp)
		return pace_failf(err, ENOTSUP, "start", "this responder is too old for TCP: "
		    "update it");
	memcpy(c->tcp_secret, s.secret, sizeof(c->tcp_secret));
	c->captured = s.capture;
	c->begin_ns = m->group_size > 0 ? s.begin_ns : 0;
	return 0;
}

/* Send START until it is answered.  A member of a group sends a new one each second, because an
 * answer to an old one may say that the group was incomplete. */
static int
ask_start(struct pace_client *c, struct pace_msg_start *m, struct pace_msg_error *e,
    struct pace_err *err)
{
	int64_t deadline = pace_client_now(c) + PACE_CONTROL_NS;
	int64_t patience = c->group_size > 0 && !m->pings ? GATHER_ASK_NS : PACE_CONTROL_NS;
	json_t *reply;
	int rc;

	do {
		tell_begin(c, m);
		rc = pace_client_control(c, PACE_START, "start", pace_msg_start_json(m), patience,
		    &reply, e, err);
	} while (rc == -ETIMEDOUT && pace_client_now(c) < deadline);
	if (rc == 0)
		rc = read_started(c, m, reply, err);
	json_decref(reply);
	return rc;
}

/* Wait for another try.  0, or why there is none. */
static int
wait_for_turn(struct pace_client *c, const struct pace_msg_error *e, int64_t ns,
    struct pace_err *err)
{
	int rc;

	if (c->on_busy != NULL)
		c->on_busy(c->busy_ctx, e);
	pace_client_pause_or_stop(c, pace_client_now(c) + ns);
	rc = pace_client_stopped(c) ? -EINTR : c->pinger.dismissed ? -ESHUTDOWN : 0;
	if (rc < 0)
		(void)pace_fail(err, -rc, "start");
	if (rc == -ESHUTDOWN)
		(void)pace_client_dismissed(c, err);
	return rc;
}

static int
start_run(struct pace_client *c, const struct pace_msg_start *asked, struct pace_err *err)
{
	struct pace_msg_start m = *asked;
	struct pace_msg_error e = { .wait_ns = 0 };
	int rc, again;

	if (m.at_most_ns > PACE_AT_MOST_NS)
		m.at_most_ns = PACE_AT_MOST_NS;
	rc = pace_io_stamps(&c->io, m.ask.nic, err);
	if (rc < 0)
		return rc;
	c->run++;
	do {
		rc = ask_start(c, &m, &e, err);
		c->longest_ns = rc == -EDQUOT ? e.longest_ns : 0;
		if (rc == -EINPROGRESS)
			again = wait_for_turn(c, &e, GATHER_NS, err);
		else if (rc == -EBUSY && (!c->no_wait || c->had_turn))
			again = wait_for_turn(c, &e, m.group_size > 0 ? GATHER_NS : BUSY_NS, err);
		else
			break;
		rc = again;
	} while (again == 0);
	if (rc < 0)
		c->run--;		/* the responder did not take it */
	else
		c->had_turn = true;
	pace_pinger_run(&c->pinger, c->run);
	return rc;
}

int
pace_client_start(struct pace_client *c, const struct pace_msg_start *asked,
    struct pace_err *err)
{
	int rc = start_run(c, asked, err);

	if (rc != -ENOLCK || !asked->pings)
		return rc;
	c->light = false;		/* the responder ends the light session for the full one */
	rc = pace_client_open(c, err);
	return rc < 0 ? rc : start_run(c, asked, err);
}

/* The deadline counts from the last sign of life, if pings had no answer. */
int64_t
pace_client_patience(struct pace_client *c)
{
	int64_t now = pace_client_now(c), silent = c->pinger.heard_ns != 0 ? now - c->pinger.heard_ns : 0;

	return silent <= 0 ? PACE_CONTROL_NS :
	    silent < PACE_CONTROL_NS - LEAST_NS ? PACE_CONTROL_NS - silent : LEAST_NS;
}

int
pace_client_finish(struct pace_client *c, const struct pace_point *p, int64_t patience_ns,
    uint32_t *size, struct pace_err *err)
{
	int64_t deadline = pace_client_now(c) + p->ask.grace_ns + PACE_CONTROL_NS;
	/* nobody receives the responder's frames any more */
	const struct pace_msg_finish f = { .sent = p->tx.frames, .theta = p->clock.fit,
	    .stop = pace_params_goes_down(&p->ask), .collect = p->ask.two_way };
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
			return pace_failf(err, EPROTO, "finish",
			    "the responder's answer is invalid");
		if (m.ready)
			break;
		if (pace_client_now(c) > deadline)
			return pace_failf(err, ETIMEDOUT, "finish",
			    "the result was not ready in time");
		if (m.wait_ns > p->ask.grace_ns)
			return pace_failf(err, EPROTO, "finish",
			    "the responder's answer is invalid");
		m.wait_ns = m.wait_ns < ALIVE_NS ? m.wait_ns : ALIVE_NS;
		pace_client_pause(c, pace_client_now(c) + m.wait_ns + 1000000);
	}
	*size = m.size;
	return m.size > 0 || c->is_light ? 0 : pace_failf(err, EPROTO, "finish", "the result is empty");
}

/* Put together the sender's and the receiver's part: one is ours, one the responder's. */
int
pace_client_intervals(const struct pace_client *c, uint32_t stream, struct pace_point *p,
    const json_t *j)
{
	const struct pace_intervals *ours;
	const json_t *rows = json_object_get(j, "intervals");
	bool down = p->ask.direction == PACE_DOWN;

	if (p->intervals == NULL)
		return 0;
	if (rows == NULL) {		/* an earlier version */
		free(p->intervals);
		p->intervals = NULL;
		pace_note(&p->notes, "no_intervals", "the responder does not know intervals");
		return 0;
	}
	if (!pace_interval_rows_read(p->intervals, down ? PACE_INTERVAL_TX : PACE_INTERVAL_RX,
	    rows))
		return -EPROTO;
	ours = down ? pace_receiver_intervals(stream == 0 ? c->receiver :
	    c->flow[stream].receiver) : NULL;
	for (uint32_t i = 0; ours != NULL && i < ours->n; i++) {
		p->intervals->v[i].from_ns = ours->v[i].from_ns;
		p->intervals->v[i].rx = ours->v[i].rx;
	}
	if (ours != NULL && ours->n > p->intervals->n)
		p->intervals->n = ours->n;
	return pace_intervals_close(p->intervals, &p->ask, p->tx.frames, p->tx.duration_ns) &&
	    pace_intervals_broken(p) == NULL ? 0 : -EPROTO;
}

/* Take the result of one direction. */
static int
take_result(struct pace_client *c, struct pace_point *p, const json_t *j)
{
	int rc = p->ask.direction == PACE_DOWN ? pace_client_down_result(c, 0, p, j) :
	    pace_rx_result_from_json(&p->rx, &p->theirs, j, p->ask.verify);

	if (rc == 0)
		rc = pace_client_intervals(c, 0, p, j);
	if (rc == 0 && (p->rx.unique > p->tx.frames ||
	    p->rx.lost != p->tx.frames - p->rx.unique ||
	    p->rx.records > p->ask.record.room))
		rc = -EPROTO;
	return rc;
}

static int
collect(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	json_t *j = NULL;
	uint32_t size;
	int rc;

	rc = pace_client_finish(c, p, pace_client_patience(c), &size, err);
	if (rc == 0)
		rc = pace_client_fetch_json(c, PACE_PART_RESULT, size, &j, err);
	if (rc < 0)
		return rc;
	rc = j != NULL ? take_result(c, p, j) : -EPROTO;
	if (rc == 0 && p->back != NULL) {
		p->back->clock = p->clock;
		rc = take_result(c, p->back, json_object_get(j, "down"));
	}
	json_decref(j);
	if (rc < 0)
		return pace_failf(err, EPROTO, "result", "the responder's result contradicts "
		    "itself or what was sent");
	p->has_rx = true;
	if (p->back != NULL)
		p->back->has_rx = true;
	return 0;
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
	uint32_t stream = p->number > 0 ? p->number - 1 : 0;
	int rc;

	*columns = NULL;
	if (!p->has_rx || size == 0)
		return 0;
	*columns = malloc(size);
	if (*columns == NULL)
		return pace_fail(err, ENOMEM, "records");
	if (p->ask.direction == PACE_DOWN)
		pace_records_bytes(pace_receiver_records(stream == 0 ? c->receiver :
		    c->flow[stream].receiver), 0, *columns, size);
	rc = p->ask.direction == PACE_DOWN ? 0 :
	    pace_client_fetch(c, PACE_PART_RECORDS, stream, *columns, size, err);
	if (rc == 0 && !records_hold(*columns, p->rx.records))
		rc = pace_failf(err, EPROTO, "records", "the responder's answer is invalid");
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
		return pace_failf(err, ECONNREFUSED, "send", "no answer came from the responder "
		    "for 11 s, and its host says that no program listens on its port");
	if (rc == -ETIMEDOUT)
		return pace_failf(err, ETIMEDOUT, "send", "no answer came from the responder "
		    "for 11 s");
	if (rc == -EMSGSIZE)
		return pace_failf(err, EMSGSIZE, "send",
		    "the frames are too large for the path: use a smaller size");
	return pace_fail(err, -rc, "send");
}

/* Return the number of exchanges before or after a stream; few for a short stream. */
static uint64_t
pings_for(const struct pace_params *ask)
{
	int64_t n = pace_params_duration_ns(ask) / PACE_SENDER_PING_NS;

	if (ask->duration_ns == 0 && ask->spacing == 0)
		return PINGS_LEAST;
	return n < PINGS_LEAST ? PINGS_LEAST : n > PINGS_MOST ? PINGS_MOST : (uint64_t)n;
}

/* Find the group's begin on our clock, as far as it is known now.  False: nothing is known. */
static bool
own_time(struct pace_client *c, int64_t theirs_ns, int64_t *at_ns)
{
	struct pace_clock_estimate e;

	if (pace_clockfit_solve(&c->fit, PACE_CLIENT_RESOLUTION, &e) < 0)
		return false;
	*at_ns = pace_client_now(c);
	for (int i = 0; i < 3; i++)	/* theta is needed at the time that is looked for */
		*at_ns = theirs_ns - pace_clock_at(&e, *at_ns);
	return true;
}

/* Make exchanges until shortly before the run begins, so that its begin on our clock is known
 * well.  Returns when the first frame is due; 0: at once. */
static int64_t
wait_for_begin(struct pace_client *c)
{
	int64_t at = start_at(c), now = pace_client_now(c);
	int64_t patience = now + PACE_CONTROL_NS, most = now + PACE_BEGIN_IN_MAX_NS + PACE_CONTROL_NS;

	while (c->begin_ns != 0) {
		bool known = own_time(c, c->begin_ns, &at);

		now = pace_client_now(c);
		/* no responder agrees to a later time; the error shows that the run began early */
		if ((!known && now > patience) || (known && at > most))
			return 0;
		if ((known && at < now + BEGIN_NEAR_NS) || pace_client_ends(c))
			break;
		pace_client_pings(c, 1, BEGIN_PING_NS);
	}
	return at;
}

/* Say how far the first frame was from the requested begin. */
static void
judge_begin(struct pace_client *c, struct pace_point *p, int64_t at_ns)
{
	const struct pace_clock_estimate *e = &p->clock.fit;
	struct pace_begin *b = &p->begin;
	const struct pace_tx *tx = p->streams != NULL ? &p->streams[0]->tx : &p->tx;
	int64_t late = tx->frames > 0 && at_ns != 0 ? tx->first_ns - at_ns : 0;

	if (late > BEGIN_LATE_NS)
		pace_note(&p->notes, "start_late", "the stream began %.3f s after the time that was "
		    "requested or agreed", (double)late / 1e9);
	if (c->begin_ns == 0) {		/* by our own clock */
		b->error_known = c->start_at_ns != 0 && tx->frames > 0 && at_ns != 0;
		b->error_ns = late;
		b->error_max_ns = llabs(late);
		return;
	}
	memcpy(b->group, c->group, sizeof(b->group));
	b->members = c->group_size;
	b->begin_ns = c->begin_ns;
	b->error_known = e->segments > 0 && tx->frames > 0;
	if (!b->error_known)
		return;
	b->error_ns = tx->first_ns + pace_clock_at(e, tx->first_ns) - c->begin_ns;
	b->error_max_ns = llabs(b->error_ns) + (int64_t)ceil(e->bound_ns);
}

/* Run the responder's stream, and with it the client's own in a two-way run. */
static int
run_down(struct pace_client *c, const struct pace_sender *s, const struct pace_msg_start *m,
    struct pace_point *p, struct pace_client_watch *w)
{
	struct pace_client_up up = { .c = c, .sender = *s, .p = p };

	up.sender.only_frames = true;
	up.sender.beside = NULL;	/* the receiver does that */
	return pace_client_down_run(c, m, p->back != NULL ? &up : NULL,
	    w != NULL ? &w->down : NULL);
}

/* Run the stream and the exchanges around it; returns the result of the sender's run. */
static int
stream(struct pace_client *c, struct pace_sender *s, const struct pace_msg_start *m,
    struct pace_point *p, struct pace_client_watch *w)
{
	int64_t asked_ns = start_at(c);
	uint64_t n = pings_for(&p->ask);
	int rc;

	pace_client_clock_begin(c, &p->clock);
	pace_client_pings(c, n, PING_NS);
	s->begin_ns = wait_for_begin(c);
	p->clock.from_ns = pace_client_now(c);
	if (s->begin_ns > p->clock.from_ns)
		p->clock.from_ns = s->begin_ns;
	if (w != NULL)
		pace_client_watch_begin(w, p->clock.from_ns);
	rc = pace_params_goes_down(&m->ask) ? run_down(c, s, m, p, w) :
	    p->streams != NULL ? pace_client_streams_run(c, s, p) :
	    pace_sender_run(s, &p->tx, &p->ledger.asked);
	p->clock.to_ns = pace_client_now(c);
	if (w != NULL)
		pace_client_watch_end(w);
	pace_client_pings(c, pace_client_ends(c) ? PINGS_STOPPED : n, PING_NS);
	pace_client_settle(c);
	pace_client_clock_end(c);
	judge_begin(c, p, asked_ns != 0 ? asked_ns : s->begin_ns);
	c->start_at_ns = 0;		/* later points follow */
	/* departure stamps come from the same clock as arrival stamps */
	if (p->ask.nic && p->clock.stamp == PACE_STAMP_KERNEL &&
	    c->pinger.arrivals == PACE_STAMP_NIC)
		p->clock.stamp = PACE_STAMP_NIC;
	return rc;
}

static int64_t
at_most_ns(const struct pace_client *c, const struct pace_params *ask)
{
	return pace_params_duration_ns(ask) + ask->omit_ns + ask->grace_ns + c->rest_ns +
	    2 * (int64_t)pings_for(ask) * PING_NS;
}

/* Note that the capture of one side is missing; who: "the responder", "this host". */
static void
note_missing(struct pace_point *p, bool rx, const char *who, enum pace_capture_answer said)
{
	const char *code = rx ? "rx_capture_missing" : "tx_capture_missing";
	const char *what = rx ? "arrived" : "it sent";

	if (said != PACE_CAPTURE_GRANTED)
		pace_note(&p->notes, code, "%s did not capture what %s: %s", who, what, words[said]);
	else
		pace_note(&p->notes, code, "%s granted a capture of what %s, but reported nothing "
		    "of it", who, what);
}

/* Note the state of the captures when the point's ledger is closed; that of what the client sent is
 * the caller's. */
static void
note_capture(const struct pace_client *c, struct pace_point *p)
{
	bool down = p->ask.direction == PACE_DOWN;

	if (p->rx.has_wire)
		pace_wire_check_rx_notes(&p->notes, p);
	else if (c->capture)
		note_missing(p, true, down ? "this host" : "the responder",
		    down ? c->captures : c->captured);
	if (down && p->has_wire)
		pace_wire_check_notes(&p->notes, p);
	else if (down && c->capture)
		note_missing(p, false, "the responder", c->captured);
}

/*
 * Decide whether the offset is known well enough to report delays, or only their variation.  On
 * an idle path the bound is half the round trip, like the delay itself.  It is too wide if it
 * exceeds this by more than the uncertainty of both.
 */
static void
judge_delay(struct pace_point *p)
{
	const struct pace_hist *owd = &p->rx.owd;
	double median = (double)pace_hist_quantile(owd, 0.5);

	if (p->ask.direction == PACE_UP)
		p->clock.theirs = p->rx.clock;
	p->owd_relative = !p->rx.has_owd || owd->stats.n == 0 || p->clock.fit.segments == 0 ||
	    p->clock.fit.bound_ns > BOUND_SLACK * median + 2 * PACE_CLIENT_RESOLUTION;
}

/* Judge what was sent, and attribute what was lost. */
static void
close_point(const struct pace_client *c, struct pace_point *p)
{
	if (p->streams != NULL) {
		pace_client_streams_close(p, judge_delay);
		if (p->has_rx)
			note_capture(c, p);
		return;
	}
	p->ledger.tx_refused = p->tx.refused;
	p->verdict = pace_sender_judge(&p->ask, &p->tx, p->ledger.asked, !p->has_rx || p->rx.lost > 0,
	    &p->notes);
	if (!p->has_rx)
		return;
	pace_loss_attribution_close(p);
	pace_intervals_locate(p);
	judge_delay(p);
	note_capture(c, p);
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

/* Prepare the figures that exist before a run: 0 or -ENOMEM. */
static int
prepare_point(const struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	p->ipv6 = c->link.family == 6;
	free(p->intervals);
	p->intervals = pace_intervals_new(&p->ask);
	if (p->intervals == NULL && p->ask.interval_ns > 0)
		return pace_fail(err, ENOMEM, "intervals");
	if (pace_point_pair(p) < 0)
		return pace_fail(err, ENOMEM, "two-way");
	return p->back != NULL ? prepare_point(c, p->back, err) : 0;
}

/* What both directions of a two-way run share. */
static void
share(struct pace_point *p)
{
	p->back->interrupted = p->interrupted;
	pace_point_pair_counters(p);
}

/* What this host counted since before, which is released. */
static void
count_ours(const struct pace_client *c, struct pace_point *p, struct pace_counters *before)
{
	pace_io_counters(&c->io, &p->ours, PACE_AFTER);
	pace_counters_since(&p->ours, before);
	p->ours.energy.has_idle = p->ours.energy.known && c->has_idle;
	p->ours.energy.idle_watts = c->idle_watts;
	pace_counters_free(before);
}

/* The stream ended without answers, and now there was one: only the return path failed, or the
 * path was so full that no exchange got through. */
static void
note_cut_short(struct pace_point *p)
{
	for (struct pace_point *q = p; q != NULL; q = q->back) {
		q->interrupted = true;
		pace_note(&q->notes, "cut_short", "the stream was cut short: no answer came from "
		    "the responder for 11 s%s", pace_params_goes_down(&p->ask) &&
		    q->streams != NULL ? " on the flow of a stream" : "");
	}
}

int
pace_client_point(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	struct pace_msg_start m = { .ask = p->ask, .limit = pace_sender_limit(&p->ask),
	    .seed = pace_random(), .at_most_ns = at_most_ns(c, &p->ask),
	    .capture = c->capture,
	    .fragment = c->fragment && pace_params_goes_down(&p->ask) };
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .seed = m.seed,
	    .stop = c->stop, .cut = c->cut, .progress = c->progress, .pinger = &c->pinger,
	    .fit = &c->fit,
	    .awake_ns = p->ask.busy_poll ? PACE_SENDER_NO_SLEEP_NS : c->awake_ns };
	struct pace_counters before = { .known = false };
	struct pace_client_watch watch;
	const bool watched = c->watching != NULL && c->reports;
	int rc, sent_rc;
	bool ends, down = p->ask.direction == PACE_DOWN;

	if (c->alone)
		return pace_client_send_point(c, p, err);
	rc = prepare_point(c, p, err);
	if (rc < 0)
		return rc;
	s.intervals = p->intervals;
	rc = p->ask.streams > 1 ? pace_client_streams_prepare(c, p, err) : 0;
	if (rc < 0)
		return rc;
	m.wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes);
	rc = pace_client_start(c, &m, err);
	if (rc < 0)
		return rc;
	s.session = c->session;
	s.run = c->run;
	s.wire_bytes = m.wire_bytes;
	if (watched) {
		pace_client_watch_init(&watch, c, c->watching, &p->ask);
		s.beside = &watch.beside;
	}
	pace_io_counters(&c->io, &before, PACE_BEFORE);
	c->io.usage(c->io.ctx, &c->usage);
	c->failed = 0;
	sent_rc = stream(c, &s, &m, p, watched ? &watch : NULL);
	if (!down)
		pace_client_describe_tx(c, &p->tx);
	p->interrupted = ends = pace_client_ends(c);
	rc = p->streams != NULL ? pace_client_streams_collect(c, p, err) : collect(c, p, err);
	pace_client_down_captures_drop(c);
	if (sent_rc == 0 && c->failed != 0)
		sent_rc = -c->failed;
	count_ours(c, p, &before);
	if (p->back != NULL)
		share(p);
	for (struct pace_point *q = p; q != NULL; q = q->back)
		close_point(c, q);
	if (rc == 0 && sent_rc == 0 && !down && p->rx.unique == 0 && c->pinger.too_long)
		sent_rc = -EMSGSIZE;	/* no frame arrived, so the ICMP message is believed */
	if (rc == 0 && sent_rc == -ETIMEDOUT)
		note_cut_short(p);
	else if (sent_rc < 0 && (sent_rc != -ETIMEDOUT || rc == -ETIMEDOUT || rc == -ECONNREFUSED))
		return pace_client_tell_send(c, sent_rc, err);
	if (rc == 0 && ends && !pace_client_stopped(c))
		return pace_client_dismissed(c, err);
	if (rc == 0 && ends)
		return pace_fail(err, EINTR, "stopped");
	return rc;
}
